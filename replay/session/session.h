/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A replay session, the one header that the stub needs: the cores of a snapshot, each with its
 * history and a current position that moves both ways, and the registers and memory there.
 *
 * Values: a trace with data (Tarmac) says them at every position. Without, at position N (the halt)
 * they are the snapshot's. Before it the PC is known everywhere, memory is known where no
 * instruction of the trace can have written it (read-only parts of an image, and the bytes of
 * instructions that the history executes), and of everything else what is proved under the
 * session's assumptions (values.h); the rest is unavailable.
 */
#ifndef CSREPLAY_REPLAY_SESSION_SESSION_H
#define CSREPLAY_REPLAY_SESSION_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/diag.h"
#include "base/status.h"
#include "replay/calls/calls.h"
#include "replay/history/history.h"
#include "replay/past/past.h"
#include "replay/session/crash.h"
#include "replay/software_trace/software_trace.h"
#include "replay/values/explain/explain.h"
#include "replay/values/values.h"
#include "snapshot/snapshot.h"

struct session;

enum direction {
	DIRECTION_BACKWARD = -1,
	DIRECTION_FORWARD = 1,
};

enum stop_reason {
	STOP_STEPPED,    /* one instruction, or the end of the range to step through */
	STOP_BREAKPOINT, /* PC is at a breakpoint, its instruction not executed yet */
	STOP_WATCH,      /* an access to what is watched */
	STOP_POSSIBLE,   /* after what may have been one, seen in the direction of the move */
	STOP_BLIND,      /* before a stretch of which it is not known what was accessed */
	STOP_GAP,        /* a continue met a gap and stands after it, seen in its direction */
	STOP_EVENT,      /* the same of an event that is caught */
	STOP_BEGIN,      /* the oldest instruction; there is nothing before */
	STOP_END,        /* the halt; there is nothing after */
	STOP_INTERRUPTED,
};

enum watch_kind {
	WATCH_WRITE,
	WATCH_READ,
	WATCH_ACCESS, /* either */
};

enum { WATCH_MOST = 1 << 20 }; /* bytes of a watchpoint */

struct watch {
	enum watch_kind kind;
	uint64_t address;
	uint64_t size; /* bytes */
};

static inline bool watch_is_same(const struct watch *a, const struct watch *b)
{
	return a->kind == b->kind && a->address == b->address && a->size == b->size;
}

/* They have a byte in common. */
static inline bool watch_meet(const struct watch *a, const struct watch *b)
{
	return a->address - b->address < b->size || b->address - a->address < a->size;
}

/* Of cores that went along with a move: see session_set_together(). */
struct others_met {
	/* So many would have stopped within the precision: which was first is not known. */
	size_t unordered;
	size_t first;      /* one of them, */
	uint64_t position; /* and where it would have stopped; it stands before that */
	/* So many of their instructions may have accessed what is watched; */
	uint64_t doubts;
	size_t blind; /* of so many cores a part of the way is not known. */
};

struct stop {
	enum stop_reason reason;
	bool has_event; /* EVENT, and another reason in the same place: `event` is what is caught */
	bool has_access;  /* `watch` and `access` are there */
	bool is_of_other; /* of another core than the one that was to move */
	/* Cores are to go together, some cannot, and it is the first move since that was set. */
	bool says_alone;
	bool has_gap;
	struct gap gap;       /* that was crossed or met; valid if has_gap */
	uint64_t gaps_passed; /* by a continue, in other places than that */
	/*
	 * WATCH, POSSIBLE, BLIND: the watchpoint, and what it met, which `access` says. Another
	 * reason may have it, too: where it is, something possible was met as well.
	 */
	struct watch watch;
	struct values_access access;
	/* Of the way: which instructions may have accessed what is watched, too. */
	struct values_may_alias doubt;
	/* EVENT: what is caught is this message, and not `event`, of which only `position` is set.
	 */
	const struct software_message *message;
	/* If it is of another: which one, and where that was before. */
	size_t core;
	uint64_t from;
	/* What of the way concerns the cores that went along. */
	struct others_met others;
	struct history_event event;
};

static inline void stop_set_gap(struct stop *stop, const struct gap *gap)
{
	stop->has_gap = true;
	stop->gap = *gap;
}

/* What a continue does where an access to what is watched is possible, or nothing is known. */
enum possible_access {
	/*
	 * It stops: at the first one of each source line, past the others of that line, as long as
	 * each move goes on where the last one ended; and where what is not known begins, once.
	 */
	POSSIBLE_STOP,
	POSSIBLE_REPORT, /* it goes on; session_list_possible() lists them */
	POSSIBLE_SKIP,   /* it goes on */
};

/* Which gaps a continue stops for; others it passes and counts. */
enum gap_policy {
	/*
	 * All but those in which tracing was off, and nothing else, where execution went on
	 * afterwards with the instruction that is next.
	 */
	GAP_POLICY_ASK,
	GAP_POLICY_STOP, /* all */
	GAP_POLICY_PASS, /* none */
};

/* Events between instructions that a continue can stop for. */
enum session_caught {
	SESSION_CATCH_EXCEPTION, /* exceptions and returns from them */
	SESSION_CATCH_CONTEXT,
	SESSION_CATCH_SOFTWARE, /* messages of software trace, where they are in time */
	SESSION_CAUGHT,         /* their number */
};

/* A breakpoint is met at a position; false: its condition does not hold, and it does not count. */
typedef bool session_condition(void *context, size_t core, uint64_t position);

/*
 * Builds the history of every core. `options->ids` need not be set. The snapshot must outlive the
 * session. NO_MEM and INTERRUPTED are the only failures.
 */
MUST_USE enum status session_open(const struct snapshot *snapshot,
                                  const struct history_options *options, struct diag_list *diags,
                                  struct session **session);
void session_destroy(struct session *session); /* NULL is fine */

const struct snapshot *session_snapshot(const struct session *session);
/* Of each buffer of the snapshot: the trace IDs that decoding it has seen (decoder/decoder.h). */
const struct trace_ids *session_trace_ids(const struct session *session);
size_t session_core_count(const struct session *session);
/* Core `core` < count, in device-list order. */
const struct snap_core *session_core(const struct session *session, size_t core);
const struct history *session_history(const struct session *session, size_t core);
/*
 * Says that the core's history does not rest on the code at the halt alone. Since the core wrote
 * code: a note, or a warning where that is not known of all times; since dumps are of several
 * processes: a warning. Else nothing.
 */
void session_tell_code(const struct session *session, size_t core, struct diag_list *diags);
/*
 * What of the snapshot is not to be trusted, for every entry alike (replay/trust/trust.h):
 * warnings, and a note of what is assumed; none where all is well. Valid until session_assume() or
 * the end of the session.
 */
const struct diag_list *session_facts(const struct session *session);
/* True if a debugger can be served with this core's PC at the current position. */
bool session_core_has_pc(const struct session *session, size_t core);

/*
 * Thread views: what one context executed, as far as the trace says contexts, on all cores for
 * which timestamps say in which order that was (timeline.h), else on each by itself. Their numbers
 * come after those of the cores, and every function here that takes a core takes a view as well: it
 * has a history and a position of its own, with the values of the core there.
 */

/* Makes those of all contexts, unless they are there. NO_MEM. */
MUST_USE enum status session_make_thread_views(struct session *session);
/*
 * Tells of each view that is not one thread with that of its context on another core: `core` is
 * where it ran, `why` the reason as session_why_parted() writes it, valid during the call. Makes
 * and drops no views. NO_MEM.
 */
typedef void session_parted(void *context, size_t core, uint32_t context_id, struct str why);
MUST_USE enum status session_visit_parted(const struct session *session, session_parted *visit,
                                          void *context);
/*
 * Makes those of one context, instead of all that are there; of one core alone unless `core` is
 * NULL. NOT_FOUND if no trace names the context; NO_MEM.
 */
MUST_USE enum status session_make_context(struct session *session, uint32_t context_id,
                                          const size_t *core);
size_t session_thread_view_count(const struct session *session); /* 0 before */
/* The core itself, or that where a view is. */
size_t session_base_core(const struct session *session, size_t core);
/* True if a view has instructions of the core `base`, or is that. */
bool session_ran_on(const struct session *session, size_t core, size_t base);
/*
 * Appends why a view is not one with another of its context, as a clause that begins with "not one
 * thread with"; nothing if there is none before it.
 */
void session_why_parted(const struct session *session, size_t core, struct text *out);
/* Whether clients are to see the views as threads, and not the cores. At first not. */
bool session_shows_thread_views(const struct session *session);
/* With the views made, if that is wanted. NO_MEM. */
MUST_USE enum status session_show_thread_views(struct session *session, bool on);
/* False for a core. */
bool session_context(const struct session *session, size_t core, uint32_t *context_id);
/* The view of the context that the core is in at its position; the core itself if there is none. */
size_t session_thread_view_at(const struct session *session, size_t core);
/* Moves `to`, a core or a view that ran on the core of `from`, to where that is, or just before. */
void session_follow(struct session *session, size_t from, size_t to);

uint64_t session_position(const struct session *session, size_t core);
/* NOT_FOUND if `position` > N; the core then stays where it is. */
MUST_USE enum status session_seek(struct session *session, size_t core, uint64_t position);
/* The same, and the others are put where they were then before they go along with any core again.
 */
MUST_USE enum status session_seek_alone(struct session *session, size_t core, uint64_t position);

/* Breakpoints, for all cores. Setting one twice or clearing none is fine. */
MUST_USE enum status session_break_set(struct session *session, uint64_t address);
void session_break_clear(struct session *session, uint64_t address);
/* All breakpoints and watchpoints. */
void session_break_clear_all(struct session *session);

/* Asked of each breakpoint that a continue, or a step through a range, meets; NULL: all count. */
void session_break_condition(struct session *session, session_condition *holds, void *context);

/* At first GAP_POLICY_ASK. */
void session_set_gap_policy(struct session *session, enum gap_policy policy);
enum gap_policy session_gap_policy(const struct session *session);
/* At first none is caught. */
void session_catch(struct session *session, enum session_caught what, bool on);
bool session_catches(const struct session *session, enum session_caught what);

/* True if the accesses to memory of a core are known, and a watchpoint can be met. */
bool session_can_watch(const struct session *session);
/*
 * Watchpoints, for all cores; a core stops for accesses of its own. Setting one twice or clearing
 * none is fine. NO_MEM; UNSUPPORTED if it is not watch_is_range() (watch.h).
 */
MUST_USE enum status session_watch_set(struct session *session, const struct watch *watch);
void session_watch_clear(struct session *session, const struct watch *watch);
/* There is another watchpoint, of another kind or size, that has a byte of this one. */
bool session_watches_beside(const struct session *session, const struct watch *watch);
/*
 * Where a core stops for an access, seen in the direction of its move: by default before the
 * instruction, which is yet to be executed or, backward, undone; else after it. The instruction
 * that a move begins with counts, so that the same move again stops at once.
 */
void session_watch_after(struct session *session, bool after);

/* At first POSSIBLE_STOP. */
void session_set_possible(struct session *session, enum possible_access what);
enum possible_access session_possible(const struct session *session);
/*
 * Appends a line for those of each source line that a core met on its way from a position to where
 * it is, in the order of the way, and how many there are in excess of 20 lines.
 */
void session_list_possible(struct session *session, size_t core, uint64_t from, struct text *out);
/* Appends why nothing is known of what instructions from that position on accessed, as a clause. */
void session_why_blind(const struct session *session, size_t core, uint64_t position,
                       struct text *out);
/*
 * The position is the core's halt, and others may have written after it: memory there is that of
 * the snapshot, not what the core's last instruction left.
 */
bool session_is_later_halt(const struct session *session, size_t core, uint64_t position);
/*
 * As session_memory_at(), as far as that is known without looking further back than for accesses:
 * what a stop says of memory that is watched.
 */
size_t session_watched_at(const struct session *session, size_t core, uint64_t position,
                          uint64_t address, void *out, size_t size);
/* "set_label+0x4 (main.c:33)", as far as images say it of an address. */
void session_format_address(struct session *session, uint64_t address, struct text *out);
/* "notes+0x8" of an address in a variable; false, and nothing, if it is in none that is named. */
bool session_format_variable(struct session *session, uint64_t address, struct text *out);
/* "position 40, set_label (main.c:33)", as far as that is known of an instruction. */
void session_format_place(struct session *session, size_t core, uint64_t position,
                          struct text *out);

/*
 * From here on `asked` is asked now and then while values of the past are reconstructed; if it says
 * true these are unknown this time. A move stops before it has begun, then. NULL: nobody asks.
 */
void session_interrupt(struct session *session, bool (*asked)(void *), void *context);

/*
 * Several cores on one timeline. Where a core's trace and others' have times of one clock, a move
 * of it takes these along, to where they may have been when it got there: no core is certainly
 * ahead of another, or behind. A breakpoint, a watchpoint whose access is proved, or an event that
 * is caught stops all of them, whichever core it is of: of those on the way the one that came
 * first, seen in the direction. Where bounds of times overlap it is not known which came first: the
 * move ends with its own core's stop, or else one of the others', and says how many there were. At
 * gaps of others it stops if the policy is to stop at all. A continue that nothing stops leads all
 * of them to the end, or to the begin. Cores without that, views, and cores that are not served
 * move alone.
 */
/* At first they go together: a debugger's threads stop together, too. */
void session_set_together(struct session *session, bool together);
bool session_is_together(const struct session *session);
/* True if its trace says times, and these do not go back: it can go along with others. */
bool session_has_clock(const struct session *session, size_t core);
/* True if the core is together with others, as things are. */
bool session_takes_others(const struct session *session, size_t core);

/* True if both go together and none was moved alone since: they are where each may be at one time.
 */
bool session_is_in_step(const struct session *session, size_t core, size_t other);

/* Who goes along with steps and continues, where cores are together. At first ALL. */
enum company {
	COMPANY_NONE, /* nobody; the next move of another kind finds where they are to be */
	/* Nothing of others is told: they stay before what they would stop for. */
	COMPANY_QUIET,
	COMPANY_ALL,
};
/*
 * `lifted`: of a breakpoint that the debugger took away to step off it, or NULL. With QUIET others
 * stay before that address, as they do before the one where the core stands.
 */
void session_set_company(struct session *session, enum company company, const uint64_t *lifted);
/* As session_seek(), and the others go along, whatever lies on their way. */
MUST_USE enum status session_go(struct session *session, size_t core, uint64_t position);

/*
 * Software trace (replay/software_trace/software_trace.h), read when it is asked for first; it
 * lives as long as the session. A message is passed where a core certainly is after it, or was,
 * going backward. NO_MEM.
 */
MUST_USE enum status session_software_log(struct session *session, const struct software_log **log);
/* Whether session_software_passed() finds any; at first not. NO_MEM. */
MUST_USE enum status session_show_software(struct session *session, bool on);
bool session_shows_software(const struct session *session);
/*
 * The messages first <= i < last that have been passed by a move of a core from a position to where
 * it is, of those with a latest time; where cores are together by the moves of all of them, each
 * message once. Backward the last one was passed first.
 */
void session_software_passed(struct session *session, size_t core, uint64_t from, size_t *first,
                             size_t *last);
/* Where the core may have been when it came. False if that is not known. */
bool session_software_at(const struct session *session, size_t core,
                         const struct software_message *message, uint64_t *first, uint64_t *last);

/* The instruction before a core's position has returned from a function. */
bool session_has_returned(const struct session *session, size_t core);

/* Moves by one instruction; at either end of the history it does not move. */
struct stop session_step(struct session *session, size_t core, enum direction direction);

/*
 * Moves until a breakpoint, a gap (gap_policy), an event that is caught, an end or an interruption;
 * the starting position itself never counts. `interrupted` may be NULL.
 */
struct stop session_continue(struct session *session, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context);

/* Steps forward until the PC leaves [low, high), or as session_continue(). */
struct stop session_step_range(struct session *session, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context);

/*
 * The registers to describe to a debugger, who takes one description for all cores: those of the
 * first core with a PC. Cores of another architecture cannot be served beside it.
 */
const struct register_file *session_registers(const struct session *session);
/*
 * Those of the core's own architecture, with the features and the system registers of all cores of
 * that architecture.
 */
const struct register_file *session_core_registers(const struct session *session, size_t core);

/* True if values of the past are reconstructed, so that assumptions matter. */
bool session_reconstructs(const struct session *session);
/* What values of the past rest on. At first: what the snapshot allows by itself. */
bool session_assumes(const struct session *session, enum assumption assumption);
/*
 * True if one of the assumptions about code is on, so that values may be assumed: proved values and
 * others are never mixed up, see replay/values/values.h.
 */
bool session_trusts_assumed(const struct session *session);
/* Turns all of them on or off; as session_assume(). */
MUST_USE enum status session_trust(struct session *session, bool assumed);
/*
 * NO_MEM. Values that a client has seen may be others now; with one-address-space so may histories,
 * which are made anew, with all cores at their halts.
 */
MUST_USE enum status session_assume(struct session *session, enum assumption assumption, bool on);
/*
 * From here on less of the past is searched for the value of a register, so that a client which
 * asks for all registers at every step is answered quickly; more of them are unknown. NO_MEM.
 */
MUST_USE enum status session_be_quick(struct session *session);
/*
 * From here on registers and memory far from the halt are looked for near their positions alone, as
 * long as nobody had more of the past solved: what a client asks for at each stop shall cost 50 ms
 * of a processor at most. What is answered is as true, and may be less. False: as far as it takes,
 * which is for what a user asks for. Where assumptions about code are on he waits for them, too.
 */
void session_hurry(struct session *session, bool on);
/*
 * Solves a piece of what stops are likely to need, while nobody waits: 50 to 100 ms of what is
 * proved, seconds of what is assumed. What session_interrupt() has ended is lost. False if there is
 * nothing left to do.
 */
bool session_prepare(struct session *session);
/*
 * Why no value of the core's past is known, or which assumption was given up (explain.h); or the
 * empty text.
 */
void session_trouble(const struct session *session, size_t core, struct text *out);
/*
 * Lines that say why a value at the current position is known, or not; see explain.h. `places` is
 * filled, or NULL. NO_MEM.
 */
MUST_USE enum status session_why(const struct session *session, size_t core,
                                 const struct why_subject *subject, bool all,
                                 struct why_places *places, struct text *out);

/*
 * The calls of a core's history, made when they are asked for first; they live until the history is
 * made anew (session_assume()) or the session ends. NO_MEM, INTERRUPTED, UNSUPPORTED.
 */
MUST_USE enum status session_calls(struct session *session, size_t core,
                                   const struct calls **calls);

/*
 * Questions about the past of a core (replay/past/past.h). What is asked about is a word: a
 * register; an address, a variable's name, each with +SIZE if that is not 8 bytes, or the
 * variable's.
 */
enum session_word {
	SESSION_WORD_FINE,
	SESSION_WORD_UNKNOWN,   /* neither register nor address nor variable */
	SESSION_WORD_SEVERAL,   /* variables have this name */
	SESSION_WORD_NO_VALUES, /* a register that is not reconstructed */
	SESSION_WORD_BAD_SIZE,  /* no watch_is_range(), or after a register */
};
enum session_word session_past_subject(struct session *session, size_t core, struct str word,
                                       struct past_subject *subject);
/* What they are called in answers; valid until the session ends. NO_MEM. */
MUST_USE enum status session_past_names(struct session *session, size_t core,
                                        struct past_names *names);
/*
 * Where the value was made that the subject has at `position`; origin_fini() in any case.
 * UNSUPPORTED of a trace with data, and of a thread view; the errors of origin_find().
 */
MUST_USE enum status session_origin(struct session *session, size_t core, uint64_t position,
                                    const struct past_subject *subject, struct origin *origin);
/* The same as lines, each with a number: origin_format(). Its steps are places then. */
MUST_USE enum status session_origin_text(struct session *session, size_t core, uint64_t position,
                                         const struct past_subject *subject, struct text *out);
/* Who wrote or read it: past_accesses_find(), past_accesses_format(); errors as above. */
MUST_USE enum status session_accesses(struct session *session, size_t core,
                                      const struct past_accesses_of *of,
                                      struct past_accesses *found);
MUST_USE enum status session_accesses_text(struct session *session, size_t core,
                                           const char *command, const struct past_accesses_of *of,
                                           struct text *out);
/* Which value it had when: past_stretches_find(), past_stretches_format(); errors as above. */
MUST_USE enum status session_stretches(struct session *session, size_t core,
                                       const struct past_stretches_of *of,
                                       struct past_stretches *found);
MUST_USE enum status session_stretches_text(struct session *session, size_t core,
                                            const struct past_stretches_of *of, struct text *out);
/* The next older write than the one of that text, if it was of "last-write"; NOT_FOUND if not. */
MUST_USE enum status session_next_write_text(struct session *session, size_t core,
                                             struct text *out);
/*
 * The position of a number, from 1 on, of the last answer about the core that was text. `command`:
 * the question it must have been, such as "origin"; empty: any. NOT_FOUND.
 */
MUST_USE enum status session_place_of(const struct session *session, size_t core,
                                      struct str command, uint64_t number, uint64_t *position);

/*
 * When a core came to `position` <= N, and where it was at a time: timeline.h. The lines of a trace
 * with data have the time of each instruction; only N of these has an earliest alone.
 */
struct moment session_moment(const struct session *session, size_t core, uint64_t position);
/*
 * When it executed the instruction there, or halted. After a gap that may be long after it came to
 * the position: no later than to the next one.
 */
struct moment session_execution(const struct session *session, size_t core, uint64_t position);
MUST_USE enum status session_positions_at(const struct session *session, size_t core, uint64_t time,
                                          uint64_t *first, uint64_t *last);

/*
 * The register at the current position, wholly unknown if so. `number` and size are those of
 * session_core_registers(), in its table or after it.
 */
void session_register(const struct session *session, size_t core, unsigned int number,
                      struct value *value);
void session_register_at(const struct session *session, size_t core, uint64_t position,
                         unsigned int number, struct value *value);

/*
 * Memory at the current position: copies up to `size` bytes and returns how many are known before
 * the first that is not.
 */
size_t session_memory(const struct session *session, size_t core, uint64_t address, void *out,
                      size_t size);
/*
 * From here on session_memory() shows the core's memory as who is meant by `from` sees it; NULL: as
 * the core itself does, from where it is.
 */
void session_see(struct session *session, size_t core, const struct address_space *from);
/* Who sees what session_memory() shows, such as "EL1N, context 0x100". */
void session_seen_from(const struct session *session, size_t core, struct text *out);
/* As session_memory(), as `from` sees it. */
size_t session_memory_from(const struct session *session, size_t core,
                           const struct address_space *from, uint64_t address, void *out,
                           size_t size);
size_t session_memory_at(const struct session *session, size_t core, uint64_t position,
                         uint64_t address, void *out, size_t size);
/* Of that many bytes that session_memory_at() knows not all are proved. */
bool session_memory_is_assumed(const struct session *session, size_t core, uint64_t position,
                               uint64_t address, size_t size);

/* The rest of the public face of this room. */
#include "replay/session/call_values.h"
#include "replay/session/kernel.h"

#endif
