/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history as Tarmac text. In: a core of a session, of whatever trace. Out: the text of each
 * instruction with all that belongs to it, in Tarmac Text Rev 3 (ARM-EPM-041435) or the ISP RAS
 * trace format.
 *
 * From a text with data everything is written that the dialect has a line for: instructions with
 * their mode and disassembly, registers, memory, exceptions, branches, and in Rev 3 notes. From
 * trace of program flow what it says: addresses, opcodes of the snapshot, exception level and
 * security state, disassembly, branches, exceptions and, as notes, gaps (tarmac_gap.h). Its time is
 * the trace's cycle count ("clk") or else its timestamps ("tic"), or none.
 */
#ifndef CSREPLAY_REPLAY_EXPORT_EXPORT_H
#define CSREPLAY_REPLAY_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "replay/session/session.h"

enum tarmac_form {
	TARMAC_FORM_REV3,
	TARMAC_FORM_ISP,
};

/* What the dialect has no line or field for: how often it was left out. */
enum export_loss {
#define X(name, one, several) EXPORT_LOST_##name,
#include "replay/export/export_loss.def"
#undef X
	EXPORT_LOSSES, /* how many */
};

struct export_losses {
	uint64_t count[EXPORT_LOSSES];
};

/* Appends "3 gaps, 1 exception"; nothing if nothing was lost. */
void export_losses_write(const struct export_losses *losses, struct text *out);

/* True if lines of the form say which core they are of. */
bool tarmac_form_has_cores(enum tarmac_form form);

struct tarmac_writer;

/*
 * A writer of up to `count` instructions from position `from` on. The session must outlive it.
 * NO_MEM; NOT_FOUND if `from` > N.
 */
MUST_USE enum status tarmac_writer_open(const struct session *session, size_t core,
                                        enum tarmac_form form, uint64_t from, uint64_t count,
                                        struct tarmac_writer **writer);
void tarmac_writer_close(struct tarmac_writer *writer); /* NULL is fine */

/*
 * Appends the next instruction with what stands before it and what it does, of a text no line that
 * stands at `until` or after it: another call writes these. The first call begins the text, and the
 * last one, which returns END, writes what stands after the last instruction. NO_MEM.
 */
MUST_USE enum status tarmac_writer_next(struct tarmac_writer *writer, uint64_t until,
                                        struct text *out);

/*
 * Where the next line stands in the text that all cores of the session are of, in bytes, so that of
 * several writers the one with the lowest place is next; UINT64_MAX after the last. Of trace of
 * program flow, which does not say it, 0. NO_MEM.
 */
MUST_USE enum status tarmac_writer_place(struct tarmac_writer *writer, uint64_t *place);

/*
 * Says that the line before the next one is not this core's, so that the next one has to say which
 * core it is of, if the form can.
 */
void tarmac_writer_follow(struct tarmac_writer *writer);

/* What was left out so far. */
const struct export_losses *tarmac_writer_losses(const struct tarmac_writer *writer);

#endif
