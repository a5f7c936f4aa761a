/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/calls/calls.h: what calls are made of, and the builder that calls_build.c (which
 * walks the history) and calls_flow.c (which judges what leads from one run to the next) share.
 *
 * Invariants: a call's parent and what it replaced are there; following either from any call ends.
 * Segments rise by position, the first at 0; at a position the call of the last segment at or
 * before it is active.
 */
#ifndef CSREPLAY_REPLAY_CALLS_CALLS_STORE_H
#define CSREPLAY_REPLAY_CALLS_CALLS_STORE_H

#include "replay/calls/calls.h"
#include "replay/calls/calls_stub.h"

struct call_segment {
	uint64_t position;
	uint32_t call;
};

struct calls {
	const struct history *history;
	const struct symbols *symbols;
	struct call *items;
	size_t count;
	size_t capacity;
	struct call_segment *segments;
	size_t segment_count;
	size_t segment_capacity;
	uint32_t first_stray;
};

/* How the last instruction of a run leads on, if it is taken. */
enum exit_kind {
	EXIT_UNASKED,
	EXIT_PLAIN, /* it stays in its function, whatever it does */
	EXIT_CALL,
	EXIT_RETURN,
	EXIT_EXCEPTION_RETURN,
	EXIT_JUMP,     /* direct, to the first instruction of another function */
	EXIT_VENEER,   /* through a register that linkers use to get to far functions (IP0, IP1) */
	EXIT_INDIRECT, /* anywhere */
};

/* The last instruction of a run, taken. */
struct exit {
	enum exit_kind kind;
	uint64_t address;
	uint64_t after; /* it: where a call returns to */
};

/* Live calls by return address: a filter for searches of stacks. Open addressing. */
struct return_count {
	uint64_t address;
	uint32_t count;
	bool is_used;
};

enum { SUSPENDED_MOST = 64, SWITCH_SITES = 31 };

/*
 * What may change stacks, and no return shows it until later; see calls_switch.h. Bits: of an
 * instruction that sets SP its index here, SWITCH_TASKS of handlers of exceptions.
 */
#define SWITCH_TASKS (UINT32_C(1) << SWITCH_SITES)

enum { PATH_MOST = 16, COMMON_MOST = 64, ROUNDS_MOST = 16, ANNOUNCERS_MOST = 8 };

struct switch_site {
	uint64_t address;
	/* Where returns went since it was executed last; more than PATH_MOST: too many to keep. */
	uint64_t path[PATH_MOST];
	uint32_t path_count;
	/* Where tasks that are not the same have returned to alike; more than COMMON_MOST:
	 * anywhere. */
	uint64_t common[COMMON_MOST];
	uint32_t common_count;
};

struct switches {
	struct switch_site sites[SWITCH_SITES]; /* the last one stands for all that follow */
	uint32_t count;
	uint32_t active; /* these do: what they may have changed is not known */
	uint32_t shown;  /* and so do these, or have more in common, it has turned out */
	uint32_t rounds; /* how often calls were found; after ROUNDS_MOST all is taken for possible
	                  */
	/* Functions that change CONTEXTIDR while the stack is still the old one. */
	uint64_t announcers[ANNOUNCERS_MOST];
	uint32_t announcer_count;
	bool has_new_announcer; /* since calls were begun to be found */
	/* See calls_switch.h. */
	bool has_kernel_stacks;
	bool are_tasks_sure; /* SWITCH_TASKS: a handler alone has shown it */
};

/* CONTEXTIDR: where it is traced it says which thread of an operating system runs. */
struct call_context {
	uint32_t id;
	bool is_known;
};

/* The last change of CONTEXTIDR, and calls less returns since then. */
struct announcement {
	bool is_there;
	bool is_announced;   /* the stack is still the old one */
	uint32_t id;         /* what it is since */
	uint64_t function;   /* that it was in */
	int64_t depth;       /* of what runs, above that */
	int64_t least_depth; /* so far */
};

/* A stack that execution left and may come back to. */
struct suspended_stack {
	uint32_t call; /* that it was left from */
	/*
	 * NONE, or the call up to which this one and its callers were taken for unwound: if it goes
	 * on all the same, they were a stack of their own, whose first function that is.
	 */
	uint32_t base;
	uint64_t position; /* where it was left */
	bool is_doubtful;  /* perhaps it goes on already */
	uint32_t site;     /* struct switches: it goes on after that alone; or 0 */
	struct call_context context;
};

enum { SIGNALS_MOST = 32 };

/* What waits for a handler of a signal; see calls_signal.h. */
struct signal_wait {
	uint32_t root;     /* the first call of the stack that the handler is, or has ended in */
	uint32_t waits;    /* the handler of an exception, whose stack was left */
	uint32_t ended;    /* NONE, or the handler of the signal */
	uint64_t position; /* where that has ended */
};

enum { CANDIDATES_MOST = 64 };

/* A call that may be the one that goes on. */
struct candidate {
	uint32_t call;
	uint32_t stack;  /* the suspended call of the stack that it is of */
	bool is_unwound; /* it was taken for ended */
};

struct candidates {
	struct candidate items[CANDIDATES_MOST];
	size_t count;
	bool has_more;     /* than there is room for, or than were looked at */
	bool is_weak;      /* nothing but a return tells that it is one of these */
	bool is_task;      /* these are tasks, which wait time and again */
	bool is_switch;    /* one of these goes on after the return; until then, who knows */
	uint32_t site;     /* struct switches: that led there; or 0 */
	uint64_t position; /* from which on */
	uint64_t to;       /* where it went on then */
};

/* Candidates of call_builder.candidates, for `root`, the oldest call of a stack that is known. */
struct doubt {
	uint32_t root;
	uint32_t count;
	size_t first;
	uint64_t position;
	uint64_t to;
	bool is_weak;
	bool is_task;
	bool is_switch;
	bool has_more; /* of a site: others may be what goes on */
	uint32_t site;
};

struct call_builder {
	struct calls *calls;
	uint64_t position;                                /* of the boundary that is judged */
	uint32_t top;                                     /* the active call */
	struct suspended_stack suspended[SUSPENDED_MOST]; /* oldest first */
	size_t suspended_count;
	struct return_count *returns;
	size_t return_slots;
	size_t return_used;
	struct call_context context;
	struct call_context stack_context; /* when the active stack began or went on */
	struct announcement change;
	bool has_lost_stacks; /* more were suspended than there is room for */
	bool is_switching;    /* CONTEXTIDR or SP changed: what runs is not known until a return */
	uint32_t site; /* struct switches: that led to the active stack, and until it is known
	                  which one that is; or 0 */
	bool is_halt;  /* nothing runs after the boundary */
	bool is_m_profile;
	bool has_stubs;                           /* of vectors: calls_stub.h */
	struct signal_wait signals[SIGNALS_MOST]; /* oldest first */
	size_t signal_count;
	struct switches *switches;
	struct doubt *doubts; /* rising by root */
	size_t doubt_count;
	size_t doubt_capacity;
	struct candidate *candidates;
	size_t candidate_count;
	size_t candidate_capacity;
	uint64_t *entries; /* targets of direct calls, rising */
	size_t entry_count;
	size_t entry_capacity;
};

/* Takes in where the direct calls of a graph lead. NO_MEM. */
MUST_USE enum status calls_add_entries(struct call_builder *b, const struct graph *graph);

/* A function that an address lies in, as far as that is known: names first, then calls to it. */
struct function_extent {
	uint64_t start;
	bool is_known;
};

struct function_extent calls_function(const struct call_builder *b, uint64_t address);
/* `address` is where a function begins. */
bool calls_is_entry(const struct call_builder *b, uint64_t address);

/* The two addresses are of one function, or of two parts that a compiler made of one. */
bool calls_is_one_function(const struct call_builder *b, uint64_t from, uint64_t to);

/* The first call of a history or after a gap: execution goes on at `address`. NO_MEM. */
MUST_USE enum status calls_begin(struct call_builder *b, enum call_begin begin, uint64_t address);
/* A lower exception level ran, untraced; what other stacks wait for is as before. NO_MEM. */
MUST_USE enum status calls_after_stay(struct call_builder *b, uint64_t address);
/* Nothing is known of callers any more, and execution goes on at `address`. NO_MEM. */
MUST_USE enum status calls_after_gap(struct call_builder *b, uint64_t address);
/* The run's last instruction has led to `to`. NO_MEM. */
MUST_USE enum status calls_leave(struct call_builder *b, const struct exit *exit, uint64_t to);

/*
 * CONTEXTIDR is another one: another thread's stack goes on, or will soon. What is known of callers
 * is not shown until a return says that it has. NO_MEM.
 */
MUST_USE enum status calls_switch_context(struct call_builder *b, uint64_t to);

/*
 * The instruction at `address` sets SP, in the run that begins at `to`, now: as
 * calls_switch_stack(), or the thread of CONTEXTIDR goes on, if it was told of before. NO_MEM.
 */
MUST_USE enum status calls_set_sp(struct call_builder *b, uint64_t address, uint64_t to);

/* An exception was taken, and its handler begins, or the code that it interrupted goes on. */
struct call_exception {
	uint64_t return_address; /* valid if has_return */
	uint64_t to;
	bool has_return;
	bool is_chained;  /* the handler before it has returned */
	bool is_fault;    /* as struct call has it */
	bool may_switch;  /* so, too */
	bool is_untraced; /* there is a gap between */
};
MUST_USE enum status calls_interrupt(struct call_builder *b, const struct call_exception *e);

#endif
