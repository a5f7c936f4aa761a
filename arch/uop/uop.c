/* SPDX-License-Identifier: Apache-2.0 */
/* Micro-operations: their relations between values, copies, names; see uop.h. */
#include "arch/uop/uop_insn.h"

#include <string.h>

unsigned int uop_insn_after(const struct uop_insn *insn, unsigned int reg)
{
	for (size_t i = 0; i < insn->def_count; i++) {
		if (insn->defs[i].reg == reg)
			return insn->defs[i].slot;
	}
	return reg;
}

/* memcpy, but for nothing to be copied from nowhere. */
static void copy(void *to, const void *from, size_t size)
{
	if (size > 0)
		memcpy(to, from, size);
}

const struct uop_insn *uop_insn_store(struct arena *arena, const struct uop_insn *insn)
{
	size_t constants = insn->constant_count * sizeof(*insn->constants);
	size_t accesses = insn->access_count * sizeof(*insn->accesses);
	size_t ops = insn->op_count * sizeof(*insn->ops);
	size_t defs = insn->def_count * sizeof(*insn->defs);
	struct uop_insn *stored =
	        arena_alloc(arena, sizeof(*stored) + constants + accesses + ops + defs);
	char *at;

	if (!stored)
		return NULL;
	at = (char *)(stored + 1);
	*stored = *insn;
	/* in falling order of alignment; the header's size is a multiple of the first */
	stored->constants = (const uint64_t *)(const void *)at;
	copy(at, insn->constants, constants);
	at += constants;
	stored->accesses = (const struct uop_access *)(const void *)at;
	copy(at, insn->accesses, accesses);
	at += accesses;
	stored->ops = (const struct uop *)(const void *)at;
	copy(at, insn->ops, ops);
	at += ops;
	stored->defs = (const struct uop_def *)(const void *)at;
	copy(at, insn->defs, defs);
	return stored;
}

static struct bits_sum sum_of(const struct uop *op, struct bits *a, struct bits *b, struct bits *c)
{
	return (struct bits_sum){a, b, c, op->op == UOP_SUB || op->op == UOP_SUB_FLAGS};
}

static struct bits_field field_of(const struct uop *op)
{
	return (struct bits_field){op->field.lsb, op->field.len, op->field.to};
}

static struct bits_lanes lanes_of(const struct uop *op)
{
	return (struct bits_lanes){
	        .kind = (enum bits_lane_kind)op->lanes.kind,
	        .condition = op->lanes.condition,
	        .size = op->lanes.size,
	        .is_pairwise = op->op == UOP_PAIRS,
	};
}

/* Those with at most one operand. */
static bool refine_unary(const struct uop *op, struct bits *dst, struct bits *a)
{
	switch (op->op) {
	case UOP_TEST:
		return bits_test_flags(dst, a, op->size);
	case UOP_FIELD:
	case UOP_SIGNED:
		return bits_field(dst, a, field_of(op), op->op == UOP_SIGNED, op->width);
	case UOP_SWIZZLE:
		return bits_swizzle(dst, a, op->flip, op->width);
	case UOP_LOW:
		return bits_low(dst, a, op->count);
	case UOP_CLZ:
		return bits_clz(dst, a, op->width);
	case UOP_CLS:
		return bits_cls(dst, a, op->width);
	case UOP_CONDITION:
		return bits_condition(dst, a, op->condition);
	case UOP_PACK:
		return bits_pack_flags(dst, a);
	case UOP_UNPACK:
		return bits_pack_flags(a, dst);
	case UOP_MAP_FLAGS:
		return bits_map_flags(dst, a, (enum bits_flag_map)op->flag_map);
	default: /* UNKNOWN, LOAD, STORE: nothing to learn */
		return true;
	}
}

static bool refine(const struct uop *op, struct bits *dst, struct bits *a, struct bits *b,
                   struct bits *c)
{
	struct bits_sum sum = sum_of(op, a, b, c);

	switch (op->op) {
	case UOP_ADD:
	case UOP_SUB:
		return bits_add(dst, &sum, op->width);
	case UOP_ADD_FLAGS:
	case UOP_SUB_FLAGS:
		return bits_add_flags(dst, &sum, op->size);
	case UOP_AND:
		return bits_and(dst, a, b, op->width);
	case UOP_OR:
		return bits_or(dst, a, b, op->width);
	case UOP_XOR:
		return bits_xor(dst, a, b, op->width);
	case UOP_MUL:
		return bits_mul(dst, a, b, op->width);
	case UOP_UMULH:
		return bits_umulh(dst, a, b);
	case UOP_SMULH:
		return bits_smulh(dst, a, b);
	case UOP_UDIV:
		return bits_udiv(dst, a, b, op->width);
	case UOP_SDIV:
		return bits_sdiv(dst, a, b, op->width);
	case UOP_SHIFT:
		return bits_shift(dst, a, b, (enum bits_shift)op->direction, op->width);
	case UOP_EXTRACT:
		return bits_extract_pair(dst, a, b, op->amount, op->width);
	case UOP_INSERT:
		return bits_insert(dst, b, a, field_of(op), op->width);
	case UOP_CRC32:
	case UOP_CRC32C:
		return bits_crc32(dst, a, b, op->count, op->op == UOP_CRC32C);
	case UOP_SELECT:
		return bits_select(dst, c, a, b, op->width);
	case UOP_LANES:
	case UOP_PAIRS:
		return bits_each_lane(dst, a, b, lanes_of(op));
	case UOP_NARROW:
		return bits_narrow_lanes(dst, a, b, op->narrow.size, op->narrow.lsb);
	case UOP_EQUAL:
		return bits_equal(dst, a, b, op->size);
	default:
		return refine_unary(op, dst, a);
	}
}

bool uop_refine(const struct uop *op, struct bits *dst, struct bits *a, struct bits *b,
                struct bits *c)
{
	return (op->op == UOP_STORE || bits_narrow(dst, op->width)) && refine(op, dst, a, b, c);
}

const char *uop_op_name(enum uop_op op)
{
	static const char *const names[UOP_OPS] = {
#define X(name, parameter, text) [UOP_##name] = #name,
#include "arch/uop/uop.def"
#undef X
	};

	return op < UOP_OPS ? names[op] : "?";
}

void uop_register_name(unsigned int reg, struct text *out)
{
	static const char *const names[REG_P0] = {
	        [REG_SP] = "sp",
	        [REG_NZCV] = "nzcv",
	        [REG_PSTATE] = "pstate",
	        [REG_FPSR] = "fpsr",
	        [REG_FPCR] = "fpcr",
	        [REG_VL] = "vl",
	        [REG_DCZID] = "dczid_el0",
	        [REG_TPIDR_EL0] = "tpidr_el0",
	        [REG_TPIDRRO_EL0] = "tpidrro_el0",
	        [REG_TPIDR_EL1] = "tpidr_el1",
	        [REG_TPIDR_EL2] = "tpidr_el2",
	        [REG_TPIDR_EL3] = "tpidr_el3",
	        [REG_SCTLR_EL1] = "sctlr_el1",
	        [REG_TCR_EL1] = "tcr_el1",
	        [REG_DAIF] = "daif",
	        [REG_SP_EL0] = "sp_el0",
	        [REG_SP_EL1] = "sp_el1",
	        [REG_SP_EL2] = "sp_el2",
	        [REG_ELR_EL1] = "elr_el1",
	        [REG_ELR_EL2] = "elr_el2",
	        [REG_ELR_EL3] = "elr_el3",
	        [REG_SPSR_EL1] = "spsr_el1",
	        [REG_SPSR_EL2] = "spsr_el2",
	        [REG_SPSR_EL3] = "spsr_el3",
	};

	if (reg >= REG_V0)
		text_printf(out, "v%u.%s", (reg - REG_V0) / 2, reg % 2 == 0 ? "lo" : "hi");
	else if (reg >= REG_P0 && reg < REG_NAMED_END)
		text_printf(out, "p%u.bound", reg - REG_P0);
	else if (reg < REG_P0 && names[reg])
		text_puts(out, names[reg]);
	else
		text_printf(out, "x%u", reg);
}

static void slot_name(const struct uop_insn *insn, unsigned int slot, struct text *out)
{
	if (slot < REG_COUNT)
		uop_register_name(slot, out);
	else if (slot < SLOT_CONSTANT)
		text_printf(out, "t%u", slot - SLOT_TEMP);
	else if (slot == SLOT_ZERO || slot == SLOT_NONE)
		text_puts(out, slot == SLOT_ZERO ? "0" : "-");
	else
		text_printf(out, "0x%llx",
		            (unsigned long long)insn->constants[slot - SLOT_CONSTANT]);
}

enum parameter {
	PARAMETER_NONE,
	PARAMETER_ACCESS,
	PARAMETER_SIZE,
	PARAMETER_COUNT,
	PARAMETER_AMOUNT,
	PARAMETER_DIRECTION,
	PARAMETER_FIELD,
	PARAMETER_FLIP,
	PARAMETER_CONDITION,
	PARAMETER_LANES,
	PARAMETER_NARROW,
	PARAMETER_FLAG_MAP,
};

static enum parameter parameter_of(const struct uop *op)
{
	static const uint8_t parameters[UOP_OPS] = {
#define X(name, parameter, text) [UOP_##name] = PARAMETER_##parameter,
#include "arch/uop/uop.def"
#undef X
	};

	return (enum parameter)parameters[op->op];
}

static void format_number(struct text *out, const char *name, unsigned int value)
{
	text_printf(out, " {%s %u}", name, value);
}

static void format_parameter(const struct uop *op, struct text *out)
{
	switch (parameter_of(op)) {
	case PARAMETER_NONE:
		break;
	case PARAMETER_ACCESS:
		format_number(out, "access", op->access);
		break;
	case PARAMETER_SIZE:
		format_number(out, "size", op->size);
		break;
	case PARAMETER_COUNT:
		format_number(out, "count", op->count);
		break;
	case PARAMETER_AMOUNT:
		format_number(out, "amount", op->amount);
		break;
	case PARAMETER_DIRECTION:
		format_number(out, "direction", op->direction);
		break;
	case PARAMETER_FIELD:
		text_printf(out, " {lsb %u len %u to %u}", op->field.lsb, op->field.len,
		            op->field.to);
		break;
	case PARAMETER_FLIP:
		format_number(out, "flip", op->flip);
		break;
	case PARAMETER_CONDITION:
		format_number(out, "condition", op->condition);
		break;
	case PARAMETER_LANES:
		text_printf(out, " {kind %u condition %u size %u}", op->lanes.kind,
		            op->lanes.condition, op->lanes.size);
		break;
	case PARAMETER_NARROW:
		text_printf(out, " {size %u lsb %u}", op->narrow.size, op->narrow.lsb);
		break;
	case PARAMETER_FLAG_MAP:
		format_number(out, "flag_map", op->flag_map);
		break;
	}
}

static void format_op(const struct uop_insn *insn, const struct uop *op, struct text *out)
{
	slot_name(insn, op->dst, out);
	text_printf(out, " = %s.%u ", uop_op_name((enum uop_op)op->op), op->width);
	slot_name(insn, op->a, out);
	text_char(out, ' ');
	slot_name(insn, op->b, out);
	text_char(out, ' ');
	slot_name(insn, op->c, out);
	format_parameter(op, out);
	text_char(out, '\n');
}

static void format_access(const struct uop_insn *insn, const struct uop_access *access,
                          struct text *out)
{
	static const char *const kinds[] = {"load", "store", "clobber"};

	text_printf(out, "%s %u [", kinds[access->kind], access->size);
	slot_name(insn, access->address, out);
	text_printf(out, " + %d] ", access->offset);
	slot_name(insn, access->data, out);
	if (access->kind == ACCESS_CLOBBER)
		text_printf(out, " length %u align %u", access->length, access->align);
	if (access->when != SLOT_NONE) {
		text_puts(out, " when ");
		slot_name(insn, access->when, out);
		text_printf(out, " is %d", access->when_value);
	}
	text_char(out, '\n');
}

void uop_insn_format(const struct uop_insn *insn, struct text *out)
{
	static const char *const branches[] = {
	        "",          "direct", "conditional",         "indirect",
	        "exception", "return", "conditional indirect"};

	if ((insn->flags & UOP_KILLS_REGISTERS) != 0)
		text_puts(out, "kills registers\n");
	if ((insn->flags & UOP_KILLS_MEMORY) != 0)
		text_puts(out, "kills memory\n");
	for (size_t i = 0; i < insn->access_count; i++)
		format_access(insn, &insn->accesses[i], out);
	for (size_t i = 0; i < insn->op_count; i++)
		format_op(insn, &insn->ops[i], out);
	for (size_t i = 0; i < insn->def_count; i++) {
		uop_register_name(insn->defs[i].reg, out);
		text_puts(out, " is ");
		slot_name(insn, insn->defs[i].slot, out);
		text_char(out, '\n');
	}
	if (insn->branch.kind == BRANCH_NONE)
		return;
	text_printf(out, "branch %s 0x%llx ", branches[insn->branch.kind],
	            (unsigned long long)insn->branch.target);
	slot_name(insn, insn->branch.slot, out);
	text_printf(out, " %u %u", insn->branch.taken_value, insn->branch.target_bits);
	if (insn->branch.kind == BRANCH_CONDITIONAL_INDIRECT) {
		text_puts(out, " when ");
		slot_name(insn, insn->branch.when, out);
	}
	if (insn->branch.interworks) {
		text_puts(out, " state ");
		slot_name(insn, insn->branch.state, out);
	}
	text_char(out, '\n');
}
