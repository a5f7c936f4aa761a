/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of one core: every instruction that the trace shows, oldest first, with the events
 * between them. In: elements of the core's trace sources. Out: instructions by position, events,
 * gaps.
 *
 * Positions are 0..N. At position i < N the core is about to execute instruction i; position N is
 * the halt state, the snapshot's own.
 *
 * What is stored is not instructions but runs: instructions at rising addresses, one after the
 * other, as one INSTR_RANGE element gives them. Distinct runs are nodes of a code graph
 * (decoder/flow/graph.h), and the history is outcome logs through it (replay/history/outcome_log.h)
 * of little more than a bit a run. They lie in blocks: a position is found by a search for its
 * block, which is then expanded and kept for the next reader. Invariants:
 *   - a run has at least one instruction, and all of its instructions but T32's have 4 bytes;
 *   - the sum of the instruction counts of all runs is N;
 *   - events and gaps are ordered by position, and in one position by their order in the trace.
 * One thread at a time reads a history.
 */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_READ_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "decoder/element/element.h"
#include "snapshot/snapshot.h"

struct code_past;
struct history;
struct graph;       /* decoder/flow */
struct spill_file;  /* base/spill_file.h */
struct tarmac_core; /* replay/tarmac */
struct trace_ids;   /* decoder/decoder.h */

struct instruction {
	uint64_t address;
	uint64_t opcode; /* T32: first halfword in the high half if size is 4 */
	uint8_t size;    /* bytes: 2 or 4; 8 of an ISP RAS text */
	enum isa isa;
	bool has_opcode;       /* false where the memory map does not hold it */
	bool is_last;          /* ends its run */
	bool executed;         /* false for a branch not taken or a failed condition, if is_last */
	enum insn_class class; /* INSN_OTHER unless is_last */
	enum insn_subclass subclass;
};

/* Why execution is not known between two instructions. */
enum gap_reason {
	GAP_TRACE_ON,   /* tracing was off: a filter, or trace stopped and began again */
	GAP_OVERFLOW,   /* the trace source lost packets */
	GAP_DEBUG,      /* the core was in debug state */
	GAP_BAD_PACKET, /* the decoder lost synchronisation */
	GAP_DISCARD,    /* the source discarded trace */
	GAP_NO_MEMORY,  /* opcodes at `address` are not in the snapshot */
	/* At `address` the snapshot has several opcodes, and nothing says which was this context's.
	 */
	GAP_SEVERAL_CODES,
	/* Of the opcode at `address`, where a system event log is: */
	GAP_NO_CONTEXT,   /* nothing says whose process it was */
	GAP_UNDECLARED,   /* no message declares the context */
	GAP_CODE_WRITTEN, /* the opcode at `address` is not what it was: a store wrote it later */
	GAP_CODE_CHANGED, /* it was another before a change, and nothing says when this ran */
	GAP_NO_PATH,      /* the trace says how many instructions, not which */
	GAP_UNREACHED,    /* and where the trace says that execution came, the code cannot lead */
	GAP_MISFIT,       /* the trace goes on where the snapshot's code cannot lead to */
	GAP_NEXT_SOURCE,  /* another trace source of the core begins */
	GAP_NEW_TRACE_ID, /* the source was set up anew, and has another trace ID */
	GAP_NEXT_BUFFER,  /* another buffer of the source begins */
	GAP_HALT,         /* the last traced instruction does not lead to the halt PC */
};

struct gap {
	uint64_t position; /* between instruction position - 1 and instruction position */
	enum gap_reason reason;
	bool has_address;
	bool has_store; /* CODE_WRITTEN: the store is known that wrote it later, at position */
	/* gap_lacks_opcode(): the first one missing; HALT: the halt PC; UNREACHED: where */
	uint64_t address;
	uint64_t offset; /* in the trace buffer, of what showed the gap; 0 for HALT */
	/* Of CODE_WRITTEN: the last address in the trace before it, where the source has such. */
	uint64_t place;
	uint64_t store;
	uint64_t merged; /* further gaps at the same position that say no more */
};

/* An element that is no instruction, such as EXCEPTION, between two instructions. */
struct history_event {
	uint64_t position; /* before instruction `position` */
	struct element element;
};

/* The core's context as the trace says it from `position` on. */
struct context_change {
	uint64_t position;
	struct pe_context context;
};

/* Called now and then with what was consumed of the buffer; false stops the build. */
typedef bool (*history_progress)(void *context, uint64_t done, uint64_t total);

/* How a history is built. */
struct history_options {
	history_progress progress; /* may be NULL */
	void *context;             /* of `progress`, which one thread at a time calls */
	unsigned int threads;      /* that decode a source together; 0 is 1 */
	/* Of each of the snapshot's buffers: found by one history, used by the next. May be NULL.
	 */
	struct trace_ids *ids;
	/*
	 * Where the snapshot has several contents at an address and does not say whose they are,
	 * the first counts; else nothing does, and what ran there is a gap.
	 */
	bool one_address_space;
	/*
	 * What code was before stores of this history changed it (snapshot/events/code_past.h);
	 * must outlive the history and stay as it is. NULL: it is taken for what it is at the halt.
	 */
	const struct code_past *past;
	/* Where what does not fit memory goes; needed while histories are built. NULL: nowhere. */
	struct spill_file *spill;
};

/*
 * Decodes all sources of `core`, one after the other, and of each all buffers in the order given,
 * but for copies (source_buffers.h), with a gap between (source_stream.h). A core without trace
 * gets an empty history (N = 0). The history is the same for any number of threads. Problems go to
 * `diags`; NO_MEM and INTERRUPTED are the only failures.
 */
MUST_USE enum status history_build(const struct snapshot *snapshot, const struct snap_core *core,
                                   const struct history_options *options, struct diag_list *diags,
                                   struct history **history);
void history_destroy(struct history *history); /* NULL is fine */

const struct snap_core *history_core(const struct history *history);
/* How many sources of what the core executed are in a buffer and cannot be decoded. */
size_t history_undecoded(const struct history *history);
/* Its memory, with nothing found where it cannot be told which of several contents it is. */
const struct memmap *history_memory(const struct history *history);
/*
 * What the snapshot has of a register, by its number in the core's register file, which is none
 * of those of the trace: the value at the halt. NULL if it has none.
 */
const struct snap_register *history_halt_register(const struct history *history,
                                                  unsigned int number);
/*
 * From here on what the snapshot has of a register contradicts the trace (replay/trust): it is for
 * whoever looks for contradictions, and not to be shown. Slices made later know of it.
 */
void history_leave_out(struct history *history, unsigned int number);
bool history_is_left_out(const struct history *history, unsigned int number);
/* Of the state at the halt, as its CPSR says; ISA_UNKNOWN if an AArch32 core's has none. */
enum isa history_halt_isa(const struct history *history);
/*
 * The low bits of the halt PC that trace of its instruction set cannot carry: addresses of A64 and
 * A32 are those of words, of T32 those of halfwords (IHI 0064, "Address and Context packets").
 * A core that branches to an address with such bits set halts there.
 */
uint64_t history_untraced_bits(const struct history *history);
/*
 * *leads is true if the trace leads to an address, and not to the halt PC of its core: would it be
 * the trace of a core that halted there? NO_MEM.
 */
MUST_USE enum status history_leads_to(const struct history *history, uint64_t pc, bool *leads);
/*
 * Warns if another core's dump contradicts code that was executed, so that dumps are of several
 * processes, and says what was made of that (code_memory.h).
 */
void history_tell_rival(const struct history *history, struct diag_list *diags);
uint64_t history_length(const struct history *history); /* N, instructions */
/*
 * The last position that a cursor goes to: N, or N - 1 for a text with data that does not say what
 * comes after its last instruction.
 */
uint64_t history_last(const struct history *history);

/* Code that the history executes: a run. */
struct history_code {
	uint64_t start; /* of the first instruction */
	uint64_t end;   /* after the last one */
	enum isa isa;
	uint32_t view; /* that it was fetched from (snapshot/memmap.h) */
};

/*
 * The runs in no order, `index` from 0; false after the last one. They may overlap, and one that
 * several threads decoded may come more than once.
 */
bool history_code(const struct history *history, size_t index, struct history_code *code);

/* The instruction at `position` < N. */
void history_at(const struct history *history, uint64_t position, struct instruction *out);

/*
 * Address of the instruction at `position` < N; at N the halt PC, or where the trace leads to if
 * the snapshot has none. NOT_FOUND only at N, if neither says.
 */
MUST_USE enum status history_pc(const struct history *history, uint64_t position, uint64_t *pc);

/* What a trace that carries registers and memory says of them, or NULL (replay/tarmac). */
const struct tarmac_core *history_data(const struct history *history);

/* A run as it was executed. */
struct history_run {
	const struct graph *graph;
	uint32_t node;     /* of the graph */
	uint64_t position; /* of its first instruction */
	bool taken;        /* its last instruction: branch taken, or executed */
};

/* A reader of runs in order of positions. */
struct history_runs {
	const struct history *history;
	size_t part;
	size_t block;
	uint32_t run;
};

/* Begins at the run that holds `from`, or a few before it. */
void history_runs_begin(struct history_runs *runs, const struct history *history, uint64_t from);
bool history_runs_next(struct history_runs *runs, struct history_run *run);

/* What a search looks for, and what may end it. */
struct history_search {
	const uint64_t *addresses; /* of instructions; any of them is a hit */
	size_t address_count;
	bool (*interrupted)(void *); /* asked now and then; true ends the search. May be NULL */
	void *context;
};

/*
 * The nearest position of an instruction at one of the addresses, searching from `from`
 * (exclusive) towards older or newer ones up to `limit` (inclusive). NOT_FOUND if there is none,
 * INTERRUPTED. Cheap where the addresses do not occur.
 */
MUST_USE enum status history_find_backward(const struct history *history,
                                           const struct history_search *search, uint64_t from,
                                           uint64_t limit, uint64_t *position);
MUST_USE enum status history_find_forward(const struct history *history,
                                          const struct history_search *search, uint64_t from,
                                          uint64_t limit, uint64_t *position);

/*
 * How many bytes from the beginning of `span` on, a part of the core's memory, are covered without
 * a hole by instructions of the history: code that the trace was followed through. 0 if that byte
 * was not executed: what ran at its address in another address space does not count.
 */
size_t history_executed_extent(const struct history *history, const struct mem_span *span);

size_t history_gap_count(const struct history *history);
size_t history_gap_count_of(const struct history *history, enum gap_reason reason);
/* Copies out gap `index`, in order of positions; false after the last one. */
bool history_gap(const struct history *history, size_t index, struct gap *gap);
/* Index of the first gap at or after `position`. */
size_t history_gap_index(const struct history *history, uint64_t position);
size_t history_event_count(const struct history *history);
/* Copies out event `index`, in order of positions; false after the last one. */
bool history_event(const struct history *history, size_t index, struct history_event *event);
/* Index of the first event at or after `position`. */
size_t history_event_index(const struct history *history, uint64_t position);
/*
 * Copies out what PE_CONTEXT event `index` said, of those alone that say another thing than the one
 * before, few as these are; false after the last one. One may come twice.
 */
bool history_context_change(const struct history *history, size_t index,
                            struct context_change *change);
/* The last PE_CONTEXT at or before `position`; false if there is none. */
bool history_last_context(const struct history *history, uint64_t position,
                          struct context_change *change);
/* Copies out the first gap at exactly `position`; false if there is none. */
bool history_gap_at(const struct history *history, uint64_t position, struct gap *gap);
bool history_has_gap_at(const struct history *history, uint64_t position);
/*
 * Copies out the first gap at the newest, or oldest, place with gaps in the open interval (from,
 * to); false if there is none.
 */
bool history_gap_between(const struct history *history, uint64_t from, uint64_t to, bool newest,
                         struct gap *gap);

/* What the trace said last, at or before a position. */
enum mark {
	MARK_TIMESTAMP, /* the trace's timestamp */
	MARK_CYCLES,    /* sum of the cycle counts so far */
	MARK_CONTEXT_ID,
	MARK_VIEW, /* what the core sees of memory (snapshot/memmap.h) */
	MARK_COUNT,
};

/* UNAVAILABLE if the trace said nothing before `position`, or a gap made it unknown. */
MUST_USE enum status history_mark(const struct history *history, enum mark mark, uint64_t position,
                                  uint64_t *value);

/*
 * What the core sees of memory before instruction `position` (snapshot/memmap.h): as the trace said
 * last, or SPACE_ANY where it did not; at the halt as the snapshot's registers say.
 */
uint32_t history_view(const struct history *history, uint64_t position);

/* Its context there, as far as the trace and, at the halt, the snapshot's registers say. */
struct memory_context history_context(const struct history *history, uint64_t position);

/*
 * False where only opcodes are missing or wrong: the trace goes on, and so does what it says of the
 * core.
 */
bool gap_loses_context(enum gap_reason reason);
/* Which opcode was executed is not known. */
bool gap_lacks_opcode(enum gap_reason reason);
/* One clause, such as "the trace source overflowed"; appended without address. */
const char *gap_reason_text(enum gap_reason reason);
/* The gap in one sentence, with its position, address and place in the trace. */
void gap_format(const struct gap *gap, struct text *out);

#endif
