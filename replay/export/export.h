/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A history as Tarmac text. In: a core of a session, of whatever trace. Out: the text of each
 * instruction with all that belongs to it, in Tarmac Text Rev 3 (ARM-EPM-041435) or the ISP RAS
 * trace format.
 *
 * From a text with data everything is written that the dialect has a line for: instructions with
 * their mode and disassembly, registers, memory, exceptions, branches, and in Rev 3 notes. From
 * trace of program flow what it says: addresses, opcodes of the snapshot, exception level and
 * security state, disassembly, branches and exceptions; gaps in Rev 3 as notes (tarmac_gap.h). Its
 * time is the trace's cycle count ("clk") or else its timestamps ("tic"), or none.
 */
#ifndef CSREPLAY_REPLAY_EXPORT_EXPORT_H
#define CSREPLAY_REPLAY_EXPORT_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "replay/session/session.h"

enum tarmac_form {
	TARMAC_FORM_REV3,
	TARMAC_FORM_ISP,
};

struct tarmac_writer;

/* The session must outlive the writer. NO_MEM; NOT_FOUND if `from` > N. */
MUST_USE enum status tarmac_writer_open(const struct session *session, size_t core,
                                        enum tarmac_form form, uint64_t from,
                                        struct tarmac_writer **writer);
void tarmac_writer_close(struct tarmac_writer *writer); /* NULL is fine */

/*
 * Appends the next instruction with what stands before it; the first call begins the text, and the
 * last one, which returns END, writes what stands after the last instruction. NO_MEM.
 */
MUST_USE enum status tarmac_writer_next(struct tarmac_writer *writer, struct text *out);

#endif
