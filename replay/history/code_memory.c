/* SPDX-License-Identifier: Apache-2.0 */
/* Whose code a history was followed through; see code_memory.h. */
#include "replay/history/code_memory.h"

#include <stdio.h>

#include "replay/history/history_store.h"

/* The contexts that the trace names. */
struct seen_contexts {
	struct pe_context last;
	bool are_many; /* processes or virtual machines */
	bool in_part;  /* the trace has the low bits of CONTEXTIDR */
};

static struct seen_contexts see_contexts(const struct history *h)
{
	struct seen_contexts seen = {.are_many = false};
	struct pe_context *last = &seen.last;
	struct context_change change;

	for (size_t i = 0; history_context_change(h, i, &change); i++) {
		const struct pe_context *now = &change.context;

		seen.are_many |= (last->has_context_id && now->has_context_id &&
		                  last->context_id != now->context_id) ||
		                 (last->has_vmid && now->has_vmid && last->vmid != now->vmid);
		seen.in_part |= now->has_context_id && now->is_context_part;
		if (now->has_context_id)
			last->context_id = now->context_id;
		if (now->has_vmid)
			last->vmid = now->vmid;
		last->has_context_id |= now->has_context_id;
		last->has_vmid |= now->has_vmid;
	}
	return seen;
}

static struct code_memory share(const struct memmap *map, enum memmap_choice choice)
{
	return (struct code_memory){.shared = memmap_share(map, choice)};
}

enum status code_memory_of_core(const struct snap_core *core, bool one_address_space,
                                struct code_memory *memory)
{
	*memory = share(core->memory, one_address_space ? MEMMAP_FIRST : MEMMAP_SURE);
	return memory->shared ? STATUS_OK : STATUS_NO_MEM;
}

/* The core has several contents of something that was executed. */
static bool is_ambiguous(const struct history *h, const struct memmap *many)
{
	for (size_t i = 0; i < h->code_count; i++) {
		uint64_t at = h->code[i].first;
		struct mem_span span;

		while (memmap_find(many, h->code[i].view, at, &span) == STATUS_OK &&
		       h->code[i].last - at >= bytes_left(&span.bytes))
			at += bytes_left(&span.bytes);
		if (memmap_is_ambiguous(many, h->code[i].view, at))
			return true;
	}
	return false;
}

/* Something that was executed, of which the other core has dumped another content. */
static bool find_rival_of(const struct history *h, const struct snap_core *other,
                          struct snap_rival *rival)
{
	for (size_t i = 0; i < h->code_count; i++) {
		struct snap_code code = {h->code[i].first, h->code[i].last,
		                         (enum space)(h->code[i].view & SPACE_ANY)};

		if (snap_core_find_rival(h->core, other, &code, rival))
			return true;
	}
	return false;
}

/*
 * Another core's dump contradicts something that was executed. Where the trace names no context,
 * registers at the halt must say that there is more than one.
 */
static bool find_rival(const struct snapshot *snapshot, const struct history *h,
                       const struct seen_contexts *seen, const struct memory_context *halted,
                       struct snap_rival *rival)
{
	bool is_one = seen->last.has_context_id && !seen->are_many;

	if ((is_one && halted->has_id && seen->last.context_id == halted->id) ||
	    (!seen->last.has_context_id && !halted->has_id))
		return false;
	for (size_t i = 0; i < snapshot->core_count; i++) {
		if (snap_core_may_rival(h->core, halted, &snapshot->cores[i]) &&
		    find_rival_of(h, &snapshot->cores[i], rival) &&
		    (seen->last.has_context_id || rival->context.has_id))
			return true;
	}
	return false;
}

/* Of dumps of several processes. */
static enum status tell_dumps_apart(const struct snapshot *snapshot, const struct snap_core *core,
                                    struct code_memory *memory)
{
	TRY(snap_core_memory_by_context(snapshot, core, &memory->halted, &memory->own));
	memory->shared = memmap_share(memory->own, MEMMAP_SURE_OF_MANY);
	if (memory->shared)
		return STATUS_OK;
	code_memory_fini(memory);
	return STATUS_NO_MEM;
}

enum status code_memory_of_contexts(const struct snapshot *snapshot, const struct history *history,
                                    struct code_memory *memory)
{
	struct memory_context halted = history_context(history, history->length);
	struct seen_contexts seen = see_contexts(history);
	struct snap_rival rival;

	*memory = (struct code_memory){.shared = NULL};
	/* The low bits of an ID are another one's, too. */
	if (seen.in_part)
		halted.has_id = false;
	/* A log says itself whose memory it is. */
	if (!snapshot->log && find_rival(snapshot, history, &seen, &halted, &rival)) {
		memory->rival = rival;
		memory->halted = halted;
		return tell_dumps_apart(snapshot, history->core, memory);
	}
	if (!seen.are_many || !memmap_has_rivals(history->memory))
		return STATUS_OK;
	*memory = share(history->memory, MEMMAP_SURE_OF_MANY);
	if (!memory->shared)
		return STATUS_NO_MEM;
	if (!is_ambiguous(history, memory->shared))
		code_memory_fini(memory);
	return STATUS_OK;
}

void history_tell_rival(const struct history *history, struct diag_list *diags)
{
	const struct memory_context *halted = &history->code_memory.halted;
	const struct snap_rival *rival = &history->code_memory.rival;
	struct str name = history->core->device->name;
	char context[32] = "which is not known";
	struct str other;

	if (!history->code_memory.own)
		return;
	other = rival->core->device->name;
	if (halted->has_id)
		(void)snprintf(context, sizeof(context), "0x%x", halted->id);
	diag_warning(diags, rival->dump->place,
	             "\"%.*s\" executed code near 0x%llx of which this dump of \"%.*s\" has "
	             "another content, so that they are of two processes: dumps of \"%.*s\" count "
	             "for the context in which it halted (%s), and what others executed is a gap "
	             "where no dump or image is theirs. --image ELF,context=ID gives them one, "
	             "--assume-one-address-space the same code to all",
	             STR_ARG(name), (unsigned long long)rival->address, STR_ARG(other),
	             STR_ARG(name), context);
}

void code_memory_fini(struct code_memory *memory)
{
	memmap_destroy(memory->shared);
	memmap_destroy(memory->own);
	*memory = (struct code_memory){.shared = NULL};
}
