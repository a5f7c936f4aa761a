/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One debugger's connection, as packets: a request in, replies out. Private to stub/: the handlers
 * of gdb_*.c share it. The transport is not known here.
 *
 * The debugger is recognised at its first packet: gdb opens with qSupported, lldb with
 * QStartNoAckMode. They differ in how they take unknown registers, errors and crash stops.
 */
#ifndef CSREPLAY_STUB_GDB_H
#define CSREPLAY_STUB_GDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text.h"
#include "replay/session/session.h"

enum client {
	CLIENT_UNKNOWN, /* before the first packet */
	CLIENT_GDB,
	CLIENT_LLDB,
};

struct gdb_breakpoint {
	uint64_t address;
	bool hardware; /* Z1 */
	/* The client has it at the address after this one, which stands for T32 code here. */
	bool is_odd;
	/*
	 * Conditions, any of which is to hold: each an agent expression after its length in 4
	 * bytes, lowest first. Empty: it always counts.
	 */
	struct text conditions;
};

/*
 * Where the client looked last at what it watches: that is the old value of its next hit. It may
 * have read it anew since, for a watchpoint of the same place that was made or enabled then: in one
 * of gdb.reads from number `since` on.
 */
struct gdb_look {
	struct watch watch;
	size_t core;
	uint64_t position;
	size_t since;
	bool is_lost; /* of these some that would not be the same value are not kept any more */
};

/* Memory that the client read while nothing ran. */
struct gdb_read {
	size_t core;
	uint64_t position;
	uint64_t address;
	uint64_t size;
};

enum {
	GDB_BREAKPOINTS_MOST = 65536,
	GDB_FILES = 8,
	GDB_LOOKS = 256,
	GDB_READS = 256,
	GDB_KEPT_LINES = 256,
};

/* As whom the client sees memory: as the core does, and as no one that it may mean contradicts. */
struct gdb_sight {
	size_t core;
	uint64_t looked; /* as struct gdb has it */
};

/* Memory that the client keeps: `replies` has at `begin` what it was told. */
struct gdb_kept_line {
	struct gdb_sight sight;
	uint64_t address;
	uint64_t size;
	size_t begin;
	size_t length;
};

/* Since the last stop; of a client that does not read all anew by itself. */
struct gdb_kept {
	struct gdb_kept_line lines[GDB_KEPT_LINES];
	size_t count;
	bool is_full; /* there is more */
	struct text replies;
};

/* The resumes of gdb's `next`: steps through a range, and a continue over each call on the way. */
enum gdb_resume {
	RESUME_OTHER,
	RESUME_RANGE,
	RESUME_OVER,
};

struct gdb {
	struct session *session;
	size_t *stopped; /* core of the last stop; outlives the connection */
	/* Asked now and then during a run; true ends it. */
	bool (*interrupted)(void *);
	void *context;

	enum client client;
	bool has_swbreak; /* the client understands these stop reasons */
	bool has_hwbreak;
	bool no_ack;         /* frames are not acknowledged any more */
	bool is_changed;     /* a request was refused because a file is not what it was */
	bool is_refreshed;   /* its script reads all anew after a command; see console.h */
	bool is_big;         /* it takes registers for big endian, as its program is */
	bool has_sent_pc;    /* since that was found out */
	bool tells_order;    /* at the next stop */
	bool takes_others;   /* where it resumes one thread alone the others go along, too */
	bool is_one_resumed; /* by the last request, of gdb's */
	bool leaving;        /* the connection ends when the replies are sent */
	/* A breakpoint that was set by the request before this one. */
	bool has_inserted;
	uint64_t inserted;
	/* A breakpoint that was taken away since the last stop: to step off it, maybe. */
	bool has_lifted;
	bool has_resume;
	bool traces; /* `record btrace bts` is on (gdb_btrace.c) */
	enum gdb_resume last_resume;
	bool has_told_result; /* since RESUME_OTHER: that what a call returned is not known */
	uint64_t lifted;
	size_t general; /* core that g, p and gdb's m are about (Hg) */
	size_t resume;  /* core that bs, bc, c, s move (Hc); valid if has_resume */
	/*
	 * The core that moves where the client does not say which ("Hc0", "vCont;c"): gdb does so
	 * unless scheduler-locking is on. It is the last that stopped or that the user chose: gdb's
	 * command `thread` asks with T whether the thread lives, while Hg may be left on any thread
	 * by `info threads`.
	 */
	size_t chosen;
	/*
	 * lldb's memory has no thread, and Hg is of whichever thread's registers it read last. So
	 * it is that of `chosen`. These are the cores whose registers it may have, a bit each (the
	 * last one for all above): one of them may be selected, of which it then asks nothing.
	 */
	uint64_t looked;
	struct gdb_breakpoint *breakpoints;
	size_t breakpoint_count;
	size_t breakpoint_capacity;
	struct gdb_look looks[GDB_LOOKS];         /* the last ones, around */
	size_t look_count;                        /* of all that were */
	struct gdb_read reads[GDB_READS];         /* the last ones, around */
	size_t read_count;                        /* of all that were */
	size_t reads_before;                      /* of these those before the last resume */
	const struct elf_image *files[GDB_FILES]; /* open ones; NULL is free */
	struct text isa_map;                      /* what stands in for a program; may be empty */
	/* The last stop reply up to its registers, and the position that it told of. */
	struct text last_stop;
	uint64_t last_position;
	struct elf_image isa_image; /* as an image, of which it has path and file */
	/* Where `monitor seek` of a client without a script goes when the core is resumed next. */
	bool waits;
	size_t waiting_core;
	uint64_t waiting_position;
	struct gdb_kept kept;

	uint64_t trace_size;  /* of `record btrace bts`: bytes that gdb wants */
	struct text branches; /* and what it reads now */

	struct text reply; /* payload of the reply being built */
	struct text out;   /* frames to send; the owner of the connection takes them */
};

/* `gdb` zeroed but for session, stopped, interrupted and context; *stopped is a thread's core. */
void gdb_init(struct gdb *gdb);
void gdb_fini(struct gdb *gdb); /* takes the breakpoints out of the session */

/* Answers one packet: appends frames to gdb->out. */
void gdb_request(struct gdb *gdb, struct str payload);

/* Replies; each ends the reply that a handler builds. */
void gdb_ok(struct gdb *gdb);
void gdb_error(struct gdb *gdb, unsigned int number); /* E and two digits */
/* "E.text" for gdb, which shows it; E01 for lldb. One line, lower case. */
void gdb_error_text(struct gdb *gdb, const char *format, ...) PRINTF_LIKE(2, 3);

/* Sends text for the user's console before the reply; only while a resume or qRcmd is pending. */
void gdb_console(struct gdb *gdb, struct str text);

/* A part of `data` as a qXfer reply: `window` is "OFFSET,LENGTH" in hexadecimal. */
void gdb_reply_part(struct gdb *gdb, struct str data, struct str window);

/* Handlers that the table rsp_request.def names. */
typedef void gdb_handler(struct gdb *gdb, struct str args);
#define X(id, name, form, handler) gdb_handler handler;
#include "stub/rsp_request.def"
#undef X

/* gdb_run.c: the core went elsewhere; where it was to go when it is resumed is forgotten. */
void gdb_went(struct gdb *gdb, size_t core);

/*
 * gdb_mem.c: the client read memory, which gdb->reply has; all of it is read anew, since the
 * client gets a stop; and whether what it keeps is what it would be told now, for which gdb->reply
 * is used.
 */
void gdb_kept_read(struct gdb *gdb, uint64_t address, uint64_t size);
void gdb_kept_forget(struct gdb *gdb);
bool gdb_kept_is_true(struct gdb *gdb);

/* gdb_mem.c: the client may have the core's registers from now on; or reads them anew. */
void gdb_look_at(struct gdb *gdb, size_t core);
void gdb_look_away(struct gdb *gdb, size_t core);

/*
 * The longest lines that gdb's cache may have, to read what is known from an address upward in full
 * lines: it reads what is not in a full one word by word.
 */
uint64_t gdb_memory_line(const struct gdb *gdb, uint64_t address);

/* "ADDRESS,LENGTH,CRC ...": memory is known in all of these ranges, and has the checksums of qCRC.
 */
bool gdb_memory_is_same(const struct gdb *gdb, struct str ranges);

/* gdb_btrace.c: parts of the documents "btrace" and "btrace-conf" of qXfer; `window` as of
 * gdb_reply_part(). */
void gdb_btrace_read(struct gdb *gdb, struct str annex, struct str window);
void gdb_btrace_read_conf(struct gdb *gdb, struct str window);

/* gdb_regs.c: appends the register's bytes in hexadecimal, or x for each digit if unknown. */
void gdb_add_register(struct gdb *gdb, size_t core, unsigned int number);
/* Of the address of a read of memory: whether gdb takes registers for those of the other order. */
void gdb_learn_order(struct gdb *gdb, uint64_t address);
/* Says at a stop, once, that it was found out, unless its script does. */
void gdb_tell_order(struct gdb *gdb);

/*
 * gdb_watch.c. A watchpoint is set: the client looks at it where it is, if that is the first time,
 * or did so where it read it since the last resume. It takes watchpoints out and sets them again at
 * each stop.
 */
void gdb_watch_set(struct gdb *gdb, const struct watch *watch);
/* It reads memory, maybe for a watchpoint that it is going to set; it resumes a core. */
void gdb_watch_read(struct gdb *gdb, uint64_t address, uint64_t size);
void gdb_watch_resumed(struct gdb *gdb);
/*
 * The client would show a hit as what it is. If not, it would pass over it in silence, or show a
 * value from elsewhere as the old one.
 */
bool gdb_watch_is_shown(const struct gdb *gdb, size_t core, const struct stop *stop,
                        enum direction direction);
/* It will look at the watchpoint after the access, in that direction. */
void gdb_watch_shown(struct gdb *gdb, size_t core, const struct stop *stop,
                     enum direction direction);

/*
 * gdb_condition.c: the conditions that a packet has for a breakpoint ("X4,22032700;..."), in
 * place of those before. What is not sound is left out with all others: gdb then decides.
 */
void gdb_set_conditions(struct gdb_breakpoint *breakpoint, struct str packet);
/* Of the breakpoints where the core is at `position` one counts: session_condition. */
bool gdb_breakpoint_counts(void *gdb, size_t core, uint64_t position);

/* gdb_breaks.c: the breakpoint at `address`, or NULL. */
const struct gdb_breakpoint *gdb_find_breakpoint(const struct gdb *gdb, uint64_t address);

/* Image that the debugger is offered as the program: the snapshot's, or isa_map; or NULL. */
const struct elf_image *gdb_program(const struct gdb *gdb);

#endif
