/* SPDX-License-Identifier: Apache-2.0 */
/* A crash as a sentence; see crash.h. */
#include <inttypes.h>

#include "arch/uop/uop.h"
#include "replay/session/crash.h"

void crash_format_registers(const struct crash *crash, struct text *out)
{
	uint32_t left = crash->registers;

	for (unsigned int i = 0; i < 32; i++) {
		uint32_t bit = UINT32_C(1) << i;

		if ((left & bit) == 0)
			continue;
		left &= ~bit;
		if (left != crash->registers - bit)
			text_puts(out, left == 0 ? " and " : ", ");
		if (i == REG_SP || (crash->arch != CORE_A64 && i == 13))
			text_puts(out, "sp");
		else if (crash->arch != CORE_A64 && i == 14)
			text_puts(out, "lr");
		else
			text_printf(out, "%c%u", crash->arch == CORE_A64 ? 'x' : 'r', i);
	}
}

static void add_what(const struct crash *crash, struct text *out)
{
	const struct syndrome *s = &crash->syndrome;

	if (!crash->is_halt) {
		text_puts(out, "the last exception");
		if (crash->level >= 0)
			text_printf(out, " taken to EL%d", crash->level);
		text_printf(out, " that %s recorded: ", crash->status);
	}
	text_puts(out, s->what);
	if (s->has_immediate)
		text_printf(out, " 0x%x", s->immediate);
	if (crash->has_pc)
		text_printf(out, " at 0x%" PRIx64, crash->pc);
}

static void add_details(const struct crash *crash, struct text *out)
{
	const struct syndrome *s = &crash->syndrome;
	const char *access = syndrome_access_name(s->access);
	const char *before = ": ";

	if (access || crash->has_address) {
		text_printf(out, "%s%s", before, access ? access : "access");
		if (crash->has_address)
			text_printf(out, " %s 0x%" PRIx64, access ? "of" : "to", crash->address);
		before = ", ";
	}
	for (size_t i = 0; i < s->detail_count; i++) {
		text_printf(out, "%s%s", before, s->details[i]);
		before = ", ";
	}
}

static void add_registers(const struct crash *crash, struct text *out)
{
	if (crash->has_branch)
		text_printf(out, "; branched to from 0x%" PRIx64, crash->branch);
	if (crash->registers != 0) {
		bool is_one = (crash->registers & (crash->registers - 1)) == 0;

		text_puts(out, is_one ? "; register " : "; registers ");
		crash_format_registers(crash, out);
	}
	if (crash->syndrome.has_transfer_register)
		text_printf(out, "; data in register %u", crash->syndrome.transfer_register);
}

static void add_levels(const struct crash *crash, struct text *out)
{
	if (crash->from_level < 0 && (crash->level < 0 || !crash->is_halt) && !crash->has_position)
		return;
	text_puts(out, "; taken");
	if (crash->from_level >= 0)
		text_printf(out, " from EL%d", crash->from_level);
	if (crash->level >= 0 && crash->is_halt)
		text_printf(out, " to EL%d", crash->level);
	if (crash->has_position)
		text_printf(out, " at position %" PRIu64, crash->position);
}

void crash_format(const struct crash *crash, struct text *out)
{
	add_what(crash, out);
	add_details(crash, out);
	add_registers(crash, out);
	add_levels(crash, out);
}
