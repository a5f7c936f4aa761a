/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions as ETMv4 packets; see etm4_walk.h. */
#include "tests/synth/etm4_walk.h"

#include <string.h>

enum {
	EXCEPTION_ADDRESS = 1,
	EXCEPTION_ADDRESS_IS_TARGET = 2,
	TIME_AT_START = 0x10000,
	TIME_STEP = 3, /* ticks an instruction */
};

void walk_init(struct walk_state *w, struct buf *out, const struct code *code, size_t code_count,
               const struct walk_options *options)
{
	*w = (struct walk_state){
	        .out = out,
	        .code = code,
	        .code_count = code_count,
	        .options = *options,
	        .pending = PENDING_SYNC,
	        .next_time = options->timestamp_every,
	        .next_cycles = options->cycles_every,
	};
}

static enum status read_opcode(const struct walk_state *w, uint64_t pc, uint32_t *opcode)
{
	for (size_t i = 0; i < w->code_count; i++) {
		const struct code *c = &w->code[i];

		if (pc < c->address || pc - c->address > c->size || c->size - (pc - c->address) < 4)
			continue;
		const uint8_t *p = c->data + (pc - c->address);

		*opcode = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
		          (uint32_t)p[3] << 24;
		return STATUS_OK;
	}
	return STATUS_NO_MEMORY_AT;
}

static void flush_atoms(struct walk_state *w)
{
	emit_atoms(w->out, w->atoms, w->atom_count);
	w->atoms = 0;
	w->atom_count = 0;
}

/* Beyond the speculation depth the oldest element counts as committed without a packet. */
static void count_p0(struct walk_state *w)
{
	if (w->uncommitted < w->options.speculation)
		w->uncommitted++;
}

static void put_atom(struct walk_state *w, bool taken)
{
	count_p0(w);
	w->atoms |= (uint64_t)taken << w->atom_count;
	if (++w->atom_count == WALK_ATOMS_MOST)
		flush_atoms(w);
}

static uint32_t next_random(struct walk_state *w, uint32_t below)
{
	w->random = w->random * 1664525U + 1013904223U;
	return (w->random >> 8) % below;
}

static void put_commit(struct walk_state *w, unsigned int count)
{
	flush_atoms(w);
	if (count > 0)
		emit_commit(w->out, count);
	w->uncommitted -= count;
}

static void put_wrong_atoms(struct walk_state *w, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		put_atom(w, next_random(w, 2) != 0);
	flush_atoms(w);
}

/* Sometimes: commits some of what is open, or runs down a wrong path and comes back. */
static void speculate(struct walk_state *w)
{
	unsigned int depth = w->options.speculation;
	unsigned int count;

	if (depth == 0)
		return;
	switch (next_random(w, 8)) {
	case 0:
		put_commit(w, next_random(w, w->uncommitted + 1));
		break;
	case 1:
		count = 1 + next_random(w, depth);
		put_wrong_atoms(w, count);
		emit_cancel_f1(w->out, false, count);
		w->uncommitted -= count;
		break;
	default:
		break;
	}
}

/*
 * A branch that was predicted wrongly: its atom the wrong way round, `count` atoms of the path
 * that was not taken, and the packet that takes both back.
 */
static void put_mispredicted_atom(struct walk_state *w, bool taken, unsigned int count)
{
	bool short_form = next_random(w, 2) != 0;

	if (count == 0 && short_form) {
		count_p0(w);
		flush_atoms(w);
		emit_mispredict(w->out, taken ? 3 : 1);
		return;
	}
	put_atom(w, !taken);
	if (count == 0) {
		flush_atoms(w);
		emit_mispredict(w->out, 0);
	} else if (count <= 5 && short_form) {
		put_wrong_atoms(w, count - 1); /* and an E in the packet itself */
		count_p0(w);
		if (count == 1)
			emit_cancel_f2(w->out, 1);
		else
			emit_cancel_f3(w->out, count, true);
	} else {
		put_wrong_atoms(w, count);
		emit_cancel_f1(w->out, true, count);
	}
	w->uncommitted -= count;
}

static void put_branch_atom(struct walk_state *w, bool is_conditional, bool taken)
{
	unsigned int depth = w->options.speculation;

	if (depth > 0 && is_conditional && next_random(w, 4) == 0)
		put_mispredicted_atom(w, taken, next_random(w, depth));
	else
		put_atom(w, taken);
}

static void remember_address(struct walk_state *w, uint64_t address)
{
	memmove(&w->history[1], &w->history[0], sizeof(w->history) - sizeof(w->history[0]));
	w->history[0] = address;
}

/* The shortest packet that a decoder with the same history reads as `address`. */
static void put_address(struct walk_state *w, uint64_t address)
{
	uint64_t differs = address ^ w->history[0];

	flush_atoms(w);
	for (unsigned int i = 0; i < WALK_HISTORY; i++) {
		if (w->history[i] != address)
			continue;
		emit_address_match(w->out, i);
		remember_address(w, address);
		return;
	}
	if (differs >> 9 == 0)
		emit_address_short(w->out, 0, address, 1);
	else if (differs >> 17 == 0)
		emit_address_short(w->out, 0, address, 2);
	else if (differs >> 32 == 0)
		emit_address_32(w->out, 0, address);
	else
		emit_address_64(w->out, 0, address);
	remember_address(w, address);
}

static void put_address_and_context(struct walk_state *w, uint64_t address)
{
	flush_atoms(w);
	if ((address ^ w->history[0]) >> 32 == 0 && w->in_trace && w->history[0] != 0)
		emit_address_context_32(w->out, 0, address, &w->options.context);
	else
		emit_address_context_64(w->out, 0, address, &w->options.context);
	remember_address(w, address);
	w->context_dirty = false;
}

static uint64_t time_now(const struct walk_state *w)
{
	return TIME_AT_START + (w->executed + w->idle) * TIME_STEP;
}

/* As many bytes as have changed since the last one; seven and eight are written as nine. */
static void put_timestamp(struct walk_state *w)
{
	uint64_t now = time_now(w);
	unsigned int size = 1;

	while (size < 9 && (now ^ w->time) >> (7 * size) != 0)
		size++;
	if (size > 6)
		size = 9;
	flush_atoms(w);
	if (w->options.cycles_every)
		emit_timestamp_cycles(w->out, now, size, 0);
	else
		emit_timestamp(w->out, now, size);
	w->time = now;
}

/* A synchronisation, up to but without the address; decoders forget what they have compressed. */
static void put_sync(struct walk_state *w)
{
	struct emit_trace_info info = {.sections = TINFO_INFO};

	put_commit(w, w->uncommitted);
	w->synced_at = w->out->size;
	if (w->options.cycles_every) {
		info.info = 1;
		info.sections |= TINFO_CYCT;
	}
	emit_async(w->out);
	emit_trace_info(w->out, &info);
	memset(w->history, 0, sizeof(w->history));
	w->stack_depth = 0;
	w->time = 0;
	if (w->options.timestamp_every)
		put_timestamp(w);
}

/* The shortest form that holds the count and what is to be committed. */
static void put_cycles(struct walk_state *w)
{
	uint64_t count = w->executed - w->counted;
	uint32_t commit = w->uncommitted;

	flush_atoms(w);
	if (!w->options.commit_by_cycles) {
		if (count <= 3)
			emit_cycles_f3(w->out, 0, (unsigned int)count);
		else
			emit_cycles_f1(w->out, NULL, (uint32_t)count);
	} else {
		if (count <= 3 && commit >= 1 && commit <= 4)
			emit_cycles_f3(w->out, commit - 1, (unsigned int)count);
		else if (count <= 14 && count % 2 == 0 && commit >= 1 && commit <= 16)
			emit_cycles_f2(w->out, 0, commit - 1, (unsigned int)count);
		else
			emit_cycles_f1(w->out, &commit, (uint32_t)count);
		w->uncommitted = 0;
	}
	w->counted = w->executed;
}

static void push_return(struct walk_state *w, uint64_t address)
{
	if (w->options.return_stack == 0)
		return;
	if (w->stack_depth == w->options.return_stack) {
		memmove(&w->stack[0], &w->stack[1], (w->stack_depth - 1) * sizeof(w->stack[0]));
		w->stack_depth--;
	}
	w->stack[w->stack_depth++] = address;
}

/* True if a decoder finds the target of this indirect branch on its return stack. */
static bool pop_return(struct walk_state *w, bool is_link, uint64_t target)
{
	if (is_link || w->stack_depth == 0 || w->stack[w->stack_depth - 1] != target)
		return false;
	w->stack_depth--;
	return true;
}

/*
 * Writes the last instruction, now that `next` is known to follow it. Returns true if the address
 * `next` is still to be told.
 */
static bool resolve_last(struct walk_state *w, uint64_t next)
{
	struct a64_branch b = w->last_branch;
	bool tell = false;
	bool taken = !b.is_conditional || next == b.target;

	if (!w->has_last)
		return false;
	w->has_last = false;
	if (b.flow == FLOW_NONE)
		return false;
	put_branch_atom(w, b.is_conditional, taken);
	if (b.flow == FLOW_INDIRECT)
		tell = !pop_return(w, b.is_link, next);
	else if (b.flow == FLOW_DIRECT && w->options.branch_broadcast)
		tell = taken;
	if (b.is_link)
		push_return(w, w->last + 4);
	return tell;
}

/* What a trace unit writes between two instructions of its own accord. */
static void put_periodic(struct walk_state *w, uint64_t pc)
{
	if (w->options.sync_bytes && w->out->size - w->synced_at >= w->options.sync_bytes) {
		put_sync(w);
		put_address_and_context(w, pc);
		return;
	}
	if (w->options.timestamp_every && w->executed >= w->next_time) {
		w->next_time = w->executed + w->options.timestamp_every;
		put_timestamp(w);
	}
}

/* A decoder may or may not keep its return stack here: an empty one of ours goes with both. */
static void begin_stretch(struct walk_state *w, uint64_t pc)
{
	w->stack_depth = 0;
	if (w->pending == PENDING_SYNC)
		put_sync(w);
	if (w->pending != PENDING_ADDRESS)
		emit_trace_on(w->out);
	put_address_and_context(w, pc);
	w->pending = PENDING_NOTHING;
	w->in_trace = true;
}

enum status walk_step(struct walk_state *w, uint64_t pc)
{
	uint32_t opcode;
	bool at_branch = w->has_last && w->last_branch.flow != FLOW_NONE;

	TRY(read_opcode(w, pc, &opcode));
	if (w->pending != PENDING_NOTHING) {
		begin_stretch(w, pc);
	} else {
		if (resolve_last(w, pc)) {
			if (w->context_dirty)
				put_address_and_context(w, pc);
			else
				put_address(w, pc);
		}
		if (w->options.cycles_every && at_branch && w->executed >= w->next_cycles) {
			w->next_cycles = w->executed + w->options.cycles_every;
			put_cycles(w);
		}
		if (at_branch) {
			speculate(w);
			put_periodic(w, pc);
		}
		if (w->context_dirty && at_branch) {
			flush_atoms(w);
			emit_context(w->out, &w->options.context);
			w->context_dirty = false;
		}
	}
	w->has_last = true;
	w->last = pc;
	w->last_branch = a64_branch_of(opcode, pc);
	w->executed++;
	return STATUS_OK;
}

/*
 * Where a return stack may be popped, the target of the last branch gets a packet of its own:
 * decoders differ in whether an exception's address comes too late for that.
 */
void walk_exception(struct walk_state *w, unsigned int type, uint64_t return_address)
{
	bool tell = resolve_last(w, return_address);

	if (tell && w->options.return_stack) {
		put_address(w, return_address);
		tell = false;
	}
	put_commit(w, w->uncommitted);
	emit_exception(w->out, type, tell ? EXCEPTION_ADDRESS_IS_TARGET : EXCEPTION_ADDRESS, false);
	put_address(w, return_address);
	count_p0(w);
	put_commit(w, w->uncommitted);
	w->pending = PENDING_ADDRESS;
}

static void stop(struct walk_state *w, uint64_t next)
{
	if (resolve_last(w, next))
		put_address(w, next);
	put_commit(w, w->uncommitted);
}

void walk_gap(struct walk_state *w, uint64_t next)
{
	stop(w, next);
	w->pending = PENDING_TRACE_ON;
}

void walk_overflow(struct walk_state *w, uint64_t next)
{
	stop(w, next);
	emit_overflow(w->out);
	w->pending = PENDING_SYNC;
}

void walk_discard(struct walk_state *w, uint64_t next)
{
	stop(w, next);
	emit_discard(w->out);
	w->pending = PENDING_SYNC;
}

void walk_idle(struct walk_state *w, uint64_t count)
{
	w->idle += count;
}

void walk_context(struct walk_state *w, const struct emit_context *context)
{
	w->options.context = *context;
	w->context_dirty = true;
}

void walk_event(struct walk_state *w, unsigned int events)
{
	flush_atoms(w);
	emit_event(w->out, events);
}

void walk_end(struct walk_state *w)
{
	w->has_last = false;
	put_commit(w, w->uncommitted);
}
