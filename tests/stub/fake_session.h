/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session made by hand, in place of replay/session/session.c and the history after it. Thread 1:
 * ten instructions from FAKE_CODE on, a gap before 4, a data fault at the halt. Thread 2: no trace.
 * Core 3 has no PC and core 4 is in AArch32 state, so neither is a thread. Two images.
 */
#ifndef CSREPLAY_TESTS_STUB_FAKE_SESSION_H
#define CSREPLAY_TESTS_STUB_FAKE_SESSION_H

#include "replay/session/session.h"

#define FAKE_CODE    UINT64_C(0x1000)
#define FAKE_T32     UINT64_C(0x1014)
#define FAKE_DATA    UINT64_C(0x7008)
#define FAKE_IDLE_PC UINT64_C(0x9000)
#define FAKE_IMAGE   "/fake/program.elf"
#define FAKE_LIBRARY "/fake/library.so"           /* its content is its path */
#define FAKE_LARGE   UINT64_C(0x100000)           /* memory of FAKE_LARGE_SIZE bytes, each is '}' */
#define FAKE_TOP     UINT64_C(0xfffffffffffffe00) /* memory to the last address, each byte is 'T' */

/* 16 bytes: of core 0 'a'; of the next four 'a', four that are not known, eight 'b'. */
#define FAKE_APART UINT64_C(0x200000)

enum {
	FAKE_LENGTH = 10,
	FAKE_STORE = 6,
	FAKE_GAP = 4,
	FAKE_CODE_SIZE = 40, /* bytes of memory that is there */
	FAKE_GAPS_MOST = 6000,
	FAKE_LARGE_SIZE = 0x20000,
};

/* All positions at the halt, no breakpoints, no fault hidden. */
struct session *fake_session(void);
extern const char fake_image_bytes[9];
/*
 * All cores but the last are of this architecture and no image is there: the session without a
 * program. The history's runs are A32 from FAKE_CODE on and T32 from FAKE_T32 on.
 */
void fake_session_set_arch(enum core_arch arch);
/* The trace has data: instruction FAKE_STORE writes 8 bytes at FAKE_DATA. */
void fake_session_set_data(bool data);
/* What session_watches_beside() says. */
void fake_session_set_beside(bool beside);
/* With false the trace does not end in a fault. */
void fake_session_set_fault(bool fault);
/*
 * Thread 1's trace is of this protocol, UNKNOWN being no trace source, and ends in the exception of
 * this number. There was another, a fault that was handled, at position 2.
 */
void fake_session_set_exception(enum protocol protocol, uint32_t number);
/* This core has the trace in place of the first. */
void fake_session_set_traced(size_t core);
/* Of the next continue that meets no watchpoint: it ends where it began, with this. */
void fake_session_set_met(const struct stop *stop);
/* The value of each byte that is watched, before FAKE_STORE and after it; 0: not known. */
void fake_session_set_watched(uint8_t before, uint8_t after);
/* What every move of thread 1 says about what is watched. */
void fake_session_set_doubt(const struct values_may_alias *doubt);
/* Called at each step. */
void fake_session_set_on_step(void (*on_step)(void));
/* A function has returned where a run ends. */
void fake_session_set_returned(bool returned);
/* With a gap before the halt, too. */
void fake_session_set_halt_gap(bool gap);
/* With false no core has a PC. */
void fake_session_set_pc(bool pc);
/*
 * There are two registers beside the file: esr_el1, of 32 bits, which is not known, and sctlr_el1,
 * of 64 bits, which holds the position and above it 0x30d0.
 */
void fake_session_set_system(bool system);
/* What the first image holds. */
void fake_session_set_image(const void *bytes, size_t size);
/* The last move could be interrupted. */
bool fake_session_was_asking(void);
/* True while a move may be interrupted: between session_interrupt() with a function and NULL. */
bool fake_session_is_asking(void);
/* The calls of session_hurry() since this was asked last: '+' with true, '-' with false. */
const char *fake_session_hurries(void);
/* What session_set_company() said last. */
enum company fake_session_company(void);
/* A byte of FAKE_APART. False if it is not known, or elsewhere. */
bool fake_session_apart(size_t core, uint64_t address, uint8_t *byte);
/* Cores are at one time. */
void fake_session_set_in_step(bool in_step);
/* Memory has run out, as fake_session_set_exhausted() said. */
bool fake_session_is_exhausted(void);
/* The first `count` cores are all that there are. */
void fake_session_set_cores(size_t count);

extern const struct gap fake_gap;
/* So many gaps in place of the one, before positions 0, 1 and so on, each of another reason. */
void fake_session_set_gaps(size_t count);
/* That many clusters, "A" with the first core, "B" with the second, ... */
void fake_session_set_clusters(size_t count);
/* So many events in place of the two, four before each position; each has its number from 0. */
void fake_session_set_events(size_t count);
/* With true nothing is assumed or explained for want of memory. */
void fake_session_set_exhausted(bool exhausted);

#endif
