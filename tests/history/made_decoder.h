/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in for the decoder (decoder_open() and the like): yields elements made by hand, so that
 * every gap and event can be put where it is wanted. Included once a test program.
 */
#ifndef CSREPLAY_TESTS_HISTORY_MADE_DECODER_H
#define CSREPLAY_TESTS_HISTORY_MADE_DECODER_H

#include "decoder/decoder.h"
#include "tests/history/made_exception.h"

/* The elements that the decoder of this test yields, and where it says execution stands after. */
static struct {
	const struct element *elements;
	size_t count;
	size_t next;
	bool has_next_address;
	uint64_t next_address;
	bool has_no_pc; /* the snapshot lacks the halt PC */
	enum protocol protocol;
	enum core_arch arch;
} script;

enum status decoder_open(const struct snapshot *snapshot, const struct snap_source *source,
                         const struct snap_buffer *buffer, const struct decoder_options *options,
                         struct diag_list *diags, struct decoder **decoder)
{
	(void)buffer;
	(void)options;
	(void)diags;
	script.next = 0;
	script.protocol = source->protocol;
	script.arch = snapshot->core_count > 0 ? snapshot->cores[0].arch : CORE_A64;
	/* Any object will do: nobody looks into it. */
	*decoder = (struct decoder *)(void *)&script;
	return STATUS_OK;
}

void decoder_destroy(struct decoder *decoder)
{
	(void)decoder;
}

enum status decoder_pull(struct decoder *decoder, struct decoded *decoded)
{
	(void)decoder;
	if (script.next == script.count)
		return STATUS_END;
	*decoded = (struct decoded){.is_drained = true, .element = script.elements[script.next++]};
	tell_exception(&decoded->element, script.protocol, script.arch);
	return STATUS_OK;
}

enum status decoder_next(struct decoder *decoder, struct element *element)
{
	struct decoded decoded = {.is_drained = true};
	enum status status = decoder_pull(decoder, &decoded);

	*element = decoded.element;
	return status;
}

struct trace_ids decoder_seen_ids(const struct decoder *decoder)
{
	(void)decoder;
	return (struct trace_ids){.is_known = false};
}

bool decoder_broken_at(const struct decoder *decoder, uint64_t *offset)
{
	(void)decoder;
	(void)offset;
	return false;
}

bool decoder_can_begin_at(const struct snap_source *source, const struct snap_buffer *buffer)
{
	(void)source;
	(void)buffer;
	return false;
}

void decoder_limit(struct decoder *decoder, uint64_t end)
{
	(void)decoder;
	(void)end;
}

uint64_t decoder_sync_point_offset(const struct decoder *decoder)
{
	(void)decoder;
	return 0;
}

enum status decoder_describe_sync_point(const struct decoder *decoder, struct text *out)
{
	(void)decoder;
	(void)out;
	return STATUS_OK;
}

uint8_t decoder_trace_id(const struct decoder *decoder)
{
	(void)decoder;
	return 0;
}

uint64_t decoder_position(const struct decoder *decoder)
{
	(void)decoder;
	return script.next;
}

bool decoder_next_address(const struct decoder *decoder, uint64_t *address)
{
	(void)decoder;
	*address = script.next_address;
	return script.has_next_address;
}

static inline void leads_to(uint64_t address)
{
	script.has_next_address = true;
	script.next_address = address;
}

#endif
