/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the pass over a Tarmac text; see tarmac_pass.h. tarmac_pass.c has the runs and what
 * is between them, pass_memory.c places and bytes, pass_register.c registers, pass_end.c where the
 * last run leads. Each takes an event of the core. Private to these files.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_PASS_PARTS_H
#define CSREPLAY_REPLAY_TARMAC_PASS_PARTS_H

#include "replay/tarmac/tarmac_pass.h"

enum {
	SHORTEST_OPCODE = 2,
	LONGEST_OPCODE = 4,
};

static inline bool pass_is_branch(const struct tarmac_run *run)
{
	return run->last.class == INSN_BRANCH || run->last.class == INSN_BRANCH_INDIRECT;
}

/* When what lines after the last instruction write is there. */
static inline uint64_t pass_time_after(const struct tarmac_pass *p)
{
	return 2 * p->core->length + 1;
}

/* pass_register.c: the core is in that context from the time on. NO_MEM. */
MUST_USE enum status pass_set_context(struct tarmac_pass *p, const struct tarmac_context *context,
                                      uint64_t time);

/* pass_register.c: the mode that CPSR says, A and R profile; NONE if it is not known. */
enum tarmac_mode pass_mode_now(const struct tarmac_pass *p);

/*
 * pass_register.c: an instruction's line says a mode or an instruction set that is not CPSR's, or
 * whether it is of a handler, which IPSR says otherwise: what CPSR or xPSR is now no line said.
 * NO_MEM.
 */
MUST_USE enum status pass_check_psr(struct tarmac_pass *p, const struct tarmac_instruction *insn);

/*
 * pass_memory.c: the bytes of an instruction are logged where they are new, or are not always the
 * same; *is_changed: its address had others. NO_MEM, UNSUPPORTED.
 */
MUST_USE enum status pass_code(struct tarmac_pass *p, const struct tarmac_instruction *insn,
                               struct tarmac_tick *tick, bool *is_changed);

/* pass_memory.c: the core's pages may be elsewhere from now on. */
void pass_end_translations(struct tarmac_pass *p);
/* pass_memory.c: an access. NO_MEM, UNSUPPORTED. */
MUST_USE enum status pass_memory(struct tarmac_pass *p, const struct tarmac_event *event,
                                 struct tarmac_tick *tick);

/* pass_register.c: a write of a register. NO_MEM. */
MUST_USE enum status pass_register(struct tarmac_pass *p, const struct tarmac_event *event);

/* pass_register.c: no register is known any more. NO_MEM. */
MUST_USE enum status pass_lose_registers(struct tarmac_pass *p);

/* pass_end.c: where execution goes on after the text. False if that is not known. */
bool pass_find_end(const struct tarmac_pass *p, uint64_t *end);

#endif
