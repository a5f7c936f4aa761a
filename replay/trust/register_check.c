/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers of the snapshot that are not what a core of its kind has; see register_check.h. One
 * name with two values is told with what else of a snapshot contradicts itself
 * (snapshot_check_contradictions()).
 */
#include "replay/trust/register_check.h"

#include "arch/isa.h"

static void tell(enum register_fault fault, const struct register_info *info,
                 const struct snap_register *reg, const struct snap_register *other,
                 struct diag_list *facts)
{
	if (fault == REGISTER_CONTESTED && other)
		diag_warning(
		        facts, other->place,
		        "register \"%.*s\" has another value than \"%.*s\" in line %llu, which it "
		        "is or is a part of: it is not known",
		        STR_ARG(other->name), STR_ARG(reg->name),
		        (unsigned long long)reg->place.line);
	if (fault == REGISTER_WIDE)
		diag_warning(facts, reg->place,
		             "register \"%.*s\" is not used: its value has more than %u bits",
		             STR_ARG(reg->name), info->bits);
	if (fault == REGISTER_NARROW)
		diag_warning(facts, reg->place,
		             "register \"%.*s\" is not used: it has %u bits, expected %u",
		             STR_ARG(reg->name), reg->bits, info->bits);
}

/* Whoever leaves out the size of one register leaves it out of all: they are told together. */
static void tell_partly(const struct snap_register *first, unsigned int bits, unsigned int count,
                        struct diag_list *facts)
{
	if (count == 1)
		diag_warning(
		        facts, first->place,
		        "register \"%.*s\" has %u bits, expected %u: those above are not known",
		        STR_ARG(first->name), first->bits, bits);
	else
		diag_warning(facts, first->place,
		             "register \"%.*s\" has %u bits, expected %u, and %u more of the core "
		             "have too few: those above are not known",
		             STR_ARG(first->name), first->bits, bits, count - 1);
}

/* A64 has no X31; it may stand for SP, if that is not there, and for the zero register. */
static void check_x31(const struct snap_core *core, struct diag_list *facts)
{
	const struct snap_register *sp = snap_device_register(core->device, STR("SP"));
	const struct snap_register *reg = snap_device_register(core->device, STR("X31"));

	if (core->arch == CORE_A64 && sp && reg && snap_register_value(reg) != 0 &&
	    snap_registers_differ(sp, reg))
		diag_warning(facts, reg->place, "register \"%.*s\" is not used: there is \"%.*s\"",
		             STR_ARG(reg->name), STR_ARG(sp->name));
}

void register_check(const struct snap_core *core, struct diag_list *facts)
{
	const struct register_file file = register_file_of(core->arch);
	const struct snap_register *first = NULL;
	unsigned int bits = 0;
	unsigned int count = 0;

	for (unsigned int i = 0; i < file.trace; i++) {
		const struct snap_register *reg;
		const struct snap_register *other;
		enum register_fault fault = register_examine(&file, i, core->device, &reg, &other);

		tell(fault, &file.table[i], reg, other, facts);
		if (fault == REGISTER_PARTLY && count++ == 0) {
			first = reg;
			bits = file.table[i].bits;
		}
	}
	if (first)
		tell_partly(first, bits, count, facts);
	check_x31(core, facts);
}
