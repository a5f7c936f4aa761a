/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A snapshot from its recipe: a text, a line a thing, carried out as it is read. In: the recipe,
 * and the dump files that it names, which lie in the snapshot's folder already. Out: snapshot.ini,
 * trace.ini, an ini file a device and the trace buffer, in that folder.
 *
 *	description TEXT
 *	core NAME TYPE             a new core; what follows is of this core
 *	reg KEY 0xVALUE            a line of its [regs], such as "reg X0(size:64) 0x1"
 *	dump FILE ADDRESS [LENGTH [OFFSET]]
 *	space NAME                 of that dump, such as EL1N
 *	sees NUMBER                from here on the core runs what dump NUMBER (from 0) has
 *	source NAME TYPE ID        its trace source; TYPE is ETM4.MINOR
 *	option NAME NUMBER         of the source, before its first step; see recipe.c
 *	run ADDRESS COUNT          COUNT instructions are executed, one after the other
 *	again COUNT                all runs so far once more, so often, with interrupts that are not
 *	                           traced, contexts, gaps and overflows between them, at random
 *	exception TYPE ADDRESS     instead of the instruction at ADDRESS
 *	gap NEXT                   trace off; NEXT would have been executed
 *	overflow NEXT, discard NEXT
 *	context LEVEL NON_SECURE [CONTEXT_ID [VMID]]
 *	idle COUNT                 as much time goes by as COUNT instructions take
 *	event NUMBER
 *	packet LINE                a packet as it is (etm4_script.h)
 *	bare                       the buffer is the one source's bytes, without frames
 *	turn BYTES, repeat FRAMES  of the formatter (frames.h)
 *	skip BYTES                 the buffer's first bytes are lost, as where it has wrapped
 */
#ifndef CSREPLAY_TESTS_SYNTH_RECIPE_H
#define CSREPLAY_TESTS_SYNTH_RECIPE_H

#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"

/* Problems go to `diags` with their lines; the folder is then left half written. */
MUST_USE enum status recipe_run(struct str name, struct str text, const char *folder,
                                struct diag_list *diags);

#endif
