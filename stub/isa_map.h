/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instruction sets of a 32-bit session as an ELF file, for a gdb that has no program. In: the
 * session's histories. Out: a file without any code: mapping symbols ($a, $t) where the trace saw
 * A32 and T32 begin, and call frame information that says that callers are not known.
 *
 * gdb 13 needs both to be able to move at all in the past of a 32-bit core: without mapping symbols
 * it asks CPSR for the instruction set, without call frame information its prologue analysis asks
 * for SP, and where those registers are unavailable, it gives the command up. ELF for the Arm
 * Architecture, IHI 0044, section 4.5.5; DWARF 4 section 6.4.
 */
#ifndef CSREPLAY_STUB_ISA_MAP_H
#define CSREPLAY_STUB_ISA_MAP_H

#include "base/text.h"
#include "replay/session/session.h"

/* Appends the file, or nothing if no core that is a thread has a history. */
void isa_map_write(const struct session *session, struct text *out);

#endif
