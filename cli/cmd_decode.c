/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay decode`: the elements of the trace buffers, one a line, as text in the form of
 * OpenCSD's lister or as JSON.
 */
#include "cli/cli.h"
#include "decoder/decoder.h"
#include "replay/tarmac/tarmac.h"

enum { FLUSH_AT = 1 << 16 };

static enum cli_exit write_elements(struct listing *listing, bool json, struct text *out)
{
	struct element element;
	enum status status;

	while ((status = listing_next(listing, &element)) == STATUS_OK) {
		enum cli_exit code = CLI_FINE;

		if (json)
			element_format_json(&element, out);
		else
			element_format_text(&element, out);
		text_char(out, '\n');
		if (out->length >= FLUSH_AT || out->failed)
			code = cli_flush(out);
		if (code != CLI_FINE)
			return code;
	}
	if (status != STATUS_END)
		return cli_fail(CLI_INTERNAL, "%s", status_text(status));
	return cli_flush(out);
}

static void warn_of_break(const struct listing *listing, const struct snap_buffer *buffer)
{
	struct diag_list diags = {0};
	uint64_t offset;

	if (!listing_broken_at(listing, &offset))
		return;
	diag_warning(&diags, place_offset(buffer->file, offset),
	             "buffer \"%.*s\": there are no formatter frames from here on; nothing after "
	             "is decoded",
	             STR_ARG(buffer->name));
	cli_print_diags(&diags);
	diag_list_fini(&diags);
}

/* A source that cannot be decoded is an error, but no reason to leave the others out. */
static enum cli_exit decode_buffer(const struct cli_args *args, const struct snapshot *snapshot,
                                   const struct snap_buffer *buffer, const struct snap_source *only,
                                   bool json)
{
	struct decoder_options options = {.packets = args->given[CLI_OPTION_PACKETS],
	                                  .splits_sources = args->given[CLI_OPTION_SOURCE_SPLIT],
	                                  .tpiu = args->given[CLI_OPTION_TPIU],
	                                  .tpiu_hsync = args->given[CLI_OPTION_TPIU_HSYNC],
	                                  .dstream = args->given[CLI_OPTION_DSTREAM]};
	struct diag_list diags = {0};
	struct text out = {0};
	struct listing *listing = NULL;
	enum cli_exit code;
	bool has_errors;
	enum status status = listing_open(snapshot, buffer, only, &options, &diags, &listing);

	cli_print_diags(&diags);
	has_errors = diags.errors > 0;
	diag_list_fini(&diags);
	if (status != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(status));
	code = write_elements(listing, json, &out);
	warn_of_break(listing, buffer);
	listing_destroy(listing);
	text_fini(&out);
	return code == CLI_FINE && has_errors ? CLI_INPUT : code;
}

static enum cli_exit find_source(const struct cli_args *args, const struct snapshot *snapshot,
                                 const struct snap_source **source)
{
	struct str name = args->values[CLI_OPTION_SOURCE];

	*source = NULL;
	if (!args->given[CLI_OPTION_SOURCE])
		return CLI_FINE;
	for (size_t i = 0; i < snapshot->source_count; i++) {
		if (str_eq(snapshot->sources[i].device->name, name))
			*source = &snapshot->sources[i];
	}
	if (!*source)
		return cli_fail(CLI_USAGE, "the snapshot has no trace source \"%.*s\"",
		                STR_ARG(name));
	return CLI_FINE;
}

static enum cli_exit decode(const struct cli_args *args, const struct snapshot *snapshot, bool json)
{
	struct str name = args->values[CLI_OPTION_BUFFER];
	const struct snap_source *only;
	enum cli_exit worst = find_source(args, snapshot, &only);

	if (worst != CLI_FINE)
		return worst;
	if (args->given[CLI_OPTION_BUFFER] && !snapshot_buffer(snapshot, name))
		return cli_fail(CLI_USAGE, "the snapshot has no trace buffer \"%.*s\"",
		                STR_ARG(name));
	for (size_t i = 0; i < snapshot->buffer_count; i++) {
		const struct snap_buffer *buffer = &snapshot->buffers[i];
		enum cli_exit code;

		if (args->given[CLI_OPTION_BUFFER] && !str_eq(buffer->name, name))
			continue;
		code = decode_buffer(args, snapshot, buffer, only, json);
		if (code > CLI_INPUT)
			return code;
		worst = code > worst ? code : worst;
	}
	return worst;
}

enum cli_exit cmd_decode(const struct cli_args *args)
{
	struct snapshot *snapshot = NULL;
	bool json;
	enum cli_exit code = cli_format(args, "text", &json);

	if (code == CLI_FINE)
		code = cli_open_snapshot(args, &snapshot);
	if (code == CLI_FINE && input_core(snapshot, 0))
		code = cli_fail(CLI_USAGE, "a Tarmac text has no trace buffers; `csreplay history` "
		                           "lists its instructions");
	if (code == CLI_FINE)
		code = decode(args, snapshot, json);
	snapshot_destroy(snapshot);
	return code;
}
