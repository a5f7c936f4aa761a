/* SPDX-License-Identifier: Apache-2.0 */
/* Entry of exceptions in AArch32; see a32_exception.h. */
#include "replay/values/ssa/a32_exception.h"

enum { VECTOR_CALL = 0x08 };

/* G1.12.3: what LR is more than the preferred return address. */
struct vector_row {
	uint8_t vector;
	uint8_t mode;
	uint8_t offset;
	uint8_t offset_t32;
	uint8_t scr_bit; /* by which it is Monitor mode instead, or for aborts may be; 0: never */
};

enum { SCR_IRQ = 1, SCR_FIQ = 2, SCR_EA = 3 };

static const struct vector_row rows[] = {
        {0x04, A32_UND, 4, 2, 0},       {VECTOR_CALL, A32_SVC, 0, 0, 0},
        {0x0c, A32_ABT, 4, 4, SCR_EA},  {0x10, A32_ABT, 8, 8, SCR_EA},
        {0x18, A32_IRQ, 4, 4, SCR_IRQ}, {0x1c, A32_FIQ, 4, 4, SCR_FIQ},
};

static const struct vector_row *find_row(const struct a32_entry *entry)
{
	const struct element *e = entry->exception;
	const struct exception_target target = {
	        .has_address = true, .address = entry->vector, .level = (int)EL_1, .from = -1};
	int64_t vector;

	if (!exception_vector_of(e->exception.info, e->exception.number, &target, &vector))
		return NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		/* Interrupts may have a vector of their own (SCTLR.VE). */
		if (rows[i].vector == vector &&
		    (exception_kind_of(e->exception.info) == EXCEPTION_INTERRUPT ||
		     (entry->vector & 0x1f) == vector))
			return &rows[i];
	}
	return NULL;
}

static bool is_svc(const struct call_site *site)
{
	if (site->isa == ISA_T32)
		return (site->opcode & 0xffffff00) == 0xdf00;
	return (site->opcode & 0x0f000000) == 0x0f000000;
}

/* Of aborts it is the external ones alone that SCR.EA is about. */
static unsigned int monitor_of(const struct vector_row *row, struct uop_builder *b)
{
	unsigned int monitor = uop_constant(b, A32_MON);

	if (row->mode != A32_ABT)
		return monitor;
	return uop_insert(b, 5, monitor, uop_unknown(b, 1), (struct bits_field){0, 1, 0});
}

static unsigned int mode_of(const struct a32_entry *entry, const struct vector_row *row,
                            struct uop_builder *b)
{
	bool may_be_monitor = entry->has_monitor && entry->to->level != EL_1 &&
	                      entry->to->security != SECURITY_NON_SECURE && row->scr_bit != 0;
	unsigned int mode = uop_constant(b, row->mode);

	if (!may_be_monitor)
		return mode;
	return uop_select(
	        b, 5,
	        uop_field(b, UOP_FIELD, 1, REG_A32_SCR, (struct bits_field){row->scr_bit, 1, 0}),
	        monitor_of(row, b), mode);
}

static unsigned int link_of(const struct a32_entry *entry, const struct vector_row *row,
                            struct uop_builder *b)
{
	const struct element *e = entry->exception;
	bool is_t32 = entry->site.isa == ISA_T32;

	if (!e->exception.has_return_address ||
	    (row->offset != row->offset_t32 && !entry->is_isa_known))
		return uop_unknown(b, 32);
	return uop_constant(b, (uint32_t)(e->exception.return_address +
	                                  (is_t32 ? row->offset_t32 : row->offset)));
}

bool a32_exception_enter(const struct a32_entry *entry, struct uop_builder *b)
{
	bool is_to_hyp = entry->to->level == EL_2;
	const struct vector_row *row = find_row(entry);
	unsigned int mode;
	unsigned int link;

	if (entry->from->security != entry->to->security || (!row && !is_to_hyp) ||
	    (!is_to_hyp && row->vector == VECTOR_CALL && !is_svc(&entry->site)))
		return false;
	if (entry->from->level == EL_0)
		uop_redefine(b, REG_A32_MODE, uop_constant(b, A32_USR));
	mode = is_to_hyp ? uop_constant(b, A32_HYP) : mode_of(entry, row, b);
	link = is_to_hyp ? uop_unknown(b, 32) : link_of(entry, row, b);
	uop_mode_enter(b, mode, link);
	uop_define_unknown(b, REG_PSTATE, 64);
	return true;
}
