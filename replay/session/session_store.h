/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside of replay/session/session.h: what a session holds. session.c makes it and destroys it; the
 * other files of that header read it, and move its positions (session_move.c). All arrays "one a
 * core" have the snapshot's core_count items, in its order.
 */
#ifndef CSREPLAY_REPLAY_SESSION_SESSION_STORE_H
#define CSREPLAY_REPLAY_SESSION_SESSION_STORE_H

#include "replay/current_task/current_task.h"
#include "replay/session/answers.h"
#include "replay/session/cursor.h"
#include "replay/session/session.h"
#include "replay/session/watch.h"
#include "replay/system_register/system_register.h"
#include "replay/values/values.h"
#include "snapshot/source_lines.h"

enum { SESSION_ARCHS = CORE_M + 1 }; /* how many architectures */

/* Who sees the memory that is shown. */
struct eyes {
	bool are_given; /* by the user; false: the core itself */
	struct address_space from;
};

/* The blind stretch that a move stopped at last: first <= p <= last of a core. */
struct blind_told {
	bool any;
	size_t core;
	uint64_t first;
	uint64_t last;
};

/* Where an instruction is, as far as possible accesses are grouped by it. */
struct source_place {
	bool is_known;
	uint64_t pc;
	struct source_line line; /* `file` is NULL: no image says it */
};

/* Where a run of continues, each from where the last one ended, stopped at possible accesses. */
struct places_told {
	size_t core;
	uint64_t position; /* where the last one ended */
	bool forward;
	uint64_t watches; /* which ones there were, as a sum */
	struct source_place *items;
	size_t count;
	size_t capacity;
};

/* Whether a core's times are of one clock: asked once a history. */
enum clock {
	CLOCK_NOT_ASKED,
	CLOCK_NONE,
	CLOCK_ONE,
};

struct session {
	const struct snapshot *snapshot;
	struct trace_ids *trace_ids; /* one a buffer, as session_trace_ids() gives them */
	struct history **histories;  /* one a core */
	struct cursor *cursors;      /* one a core */
	enum clock *clocks;          /* one a core */
	struct values **values;      /* of the past, one a core; NULL for a trace with data */
	/* The same in small windows around positions far from the halt: session_hurry(). */
	struct values **near;
	struct other_cores **others; /* what each core's other ones wrote, one a core */
	struct diag_list facts;      /* session_facts() */
	size_t fact_count;           /* of these those of the snapshot; then what is assumed */
	struct values_options assumptions;
	struct values_options usual;  /* those that nobody asked for */
	struct history_options build; /* of the histories, for when they are made anew */
	enum core_arch served;        /* to debuggers */
	struct register_file registers[SESSION_ARCHS];     /* by architecture, of all its cores */
	struct system_register_list system[SESSION_ARCHS]; /* of these */
	struct system_past *pasts;                         /* one a core */
	struct code_past *written; /* one a core: of the code that it wrote, for its history */
	uint64_t *breakpoints;
	size_t breakpoint_count;
	size_t breakpoint_capacity;
	session_condition *holds; /* of breakpoints; NULL: all count */
	void *holds_context;
	enum gap_policy gap_policy;
	unsigned int caught; /* bit by enum session_caught */
	bool is_apart;       /* not session_is_together() */
	bool has_said_alone; /* see struct stop */
	/* A core was moved without the others: they are put where they were then before they go
	 * along. */
	bool is_scattered;
	bool has_lifted;
	enum company company;
	uint64_t lifted;               /* session_set_company() */
	struct companion *companions;  /* one a core, for the move that is made */
	struct software_log *software; /* NULL: not asked for yet */
	uint64_t **software_places;    /* one a core: software_log_places(), or NULL */
	bool shows_software;
	size_t software_passed; /* so many were passed by cores that are together */
	struct watch_list watches;
	enum possible_access possible;
	struct blind_told blind_told;
	struct places_told places_told;
	struct source_lines *lines; /* of images; NULL: not asked for yet */
	struct eyes *eyes;          /* one a core, and a view; so are histories and cursors */
	struct thread_view *thread_views;
	size_t thread_view_count;
	bool has_thread_views;   /* they were looked for */
	bool hurries;            /* session_hurry() */
	bool shows_thread_views; /* session_shows_thread_views() */
	struct interrupt interrupt;
	struct symbols *symbols; /* of functions; NULL: not asked for yet */
	struct calls **calls;    /* one a core; NULL: not asked for yet */
	struct disasm *disasm;   /* NULL: not asked for yet */
	struct linux_kernel *kernel;
	enum status kernel_status;   /* OK: not asked for yet, or it is there */
	struct current_moves *moves; /* one a core; NULL: not asked for yet */
	struct rtos *rtos;
	enum status rtos_status; /* the same as kernel_status */
	struct answers answers;
};

/*
 * What names places of the code, of the images: opened when it is asked for first, and there as
 * long as the session. NO_MEM, all of them; then it is NULL.
 */
MUST_USE enum status session_symbols(struct session *session, const struct symbols **symbols);
MUST_USE enum status session_source_lines(struct session *session,
                                          const struct source_lines **lines);
MUST_USE enum status session_disasm(struct session *session, struct disasm **disasm);

#endif
