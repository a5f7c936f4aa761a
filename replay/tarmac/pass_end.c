/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over a Tarmac text: where its last instruction leads. See pass_parts.h. */
#include "replay/tarmac/pass_parts.h"

/* Value of the register that an indirect branch of A64 goes to (C6.2: BR, BLR, RET). */
static bool target_a64(const struct tarmac_pass *p, uint64_t *target)
{
	unsigned int number = (unsigned int)(p->run.opcode >> 5 & 31);
	const struct slot_now *now = &p->now[SLOT_X + number];

	/* Plain ones; a link register that the branch itself writes is not the one that it read. */
	if ((p->run.opcode & 0xff9ffc1f) != 0xd61f0000 || number == 31 ||
	    (p->run.last.is_link && number == 30) || now->known != UINT64_MAX)
		return false;
	*target = now->value;
	return true;
}

/* BX, BLX and loads of the PC. */
static bool target_a32(const struct tarmac_pass *p, uint64_t *target)
{
	uint64_t opcode = p->run.opcode;
	bool is_a32 = p->run.isa == ISA_A32;
	unsigned int number = (unsigned int)(is_a32 ? opcode & 15 : opcode >> 3 & 15);
	struct tarmac_register reg = {.file = TARMAC_FILE_R, .number = (uint8_t)number};
	struct slot_place place;

	if (p->run.has_loaded) {
		*target = p->run.loaded & ~UINT64_C(1);
		return true;
	}
	if (is_a32 ? (opcode & 0x0fffffd0) != 0x012fff10 : (opcode & 0xff07) != 0x4700)
		return false;
	place = tarmac_slot_of(&reg, &p->context);
	if (place.slot == TARMAC_SLOT_NONE || (p->run.last.is_link && number == 14) ||
	    (p->now[place.slot].known & UINT32_MAX) != UINT32_MAX)
		return false;
	*target = p->now[place.slot].value & UINT32_MAX & ~UINT64_C(1);
	return true;
}

bool pass_find_end(const struct tarmac_pass *p, uint64_t *end)
{
	const struct tarmac_run *run = &p->run;

	/* Also of a run that an exception left: then it is the handler's address. */
	if (p->target.is_said && !run->is_failed) {
		*end = p->target.address;
		return true;
	}
	/* A run that an exception left is with the history already. */
	if (run->count == 0)
		return false;
	*end = run->end;
	if (!pass_is_branch(run) || run->is_failed)
		return true;
	if (run->last.class == INSN_BRANCH) {
		/* What failed its condition says so in AArch32, but for CBZ and CBNZ. */
		bool is_compare = run->isa == ISA_T32 && (run->opcode & 0xf500) == 0xb100;

		*end = run->last.target;
		return run->must_be_taken || run->branched || (run->isa != ISA_A64 && !is_compare);
	}
	return run->isa == ISA_A64 ? target_a64(p, end) : target_a32(p, end);
}
