/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 opcodes to micro-operations, by the table sem_a32.def; see sem_a32.h. Each function takes
 * the operands of one family out of the opcode: Arm ARM DDI 0487 F4.1.
 */
#include "arch/a32/a32.h"

#include "arch/a32/sem_a32_expand.h"

/* A byte rotated right by an even number; a rotation makes its top bit the carry. */
static struct arm_operand immediate(struct arm *s)
{
	unsigned int rotation = 2 * at_8(s);
	uint32_t value = arm_bits(s, 0, 8);
	struct arm_operand operand;

	if (rotation > 0)
		value = value >> rotation | value << (32 - rotation);
	operand = arm_immediate(s, value);
	if (rotation > 0)
		operand.carry = uop_constant(s->b, value >> 31);
	return operand;
}

/* form: 0 immediate, 1 shifted by an immediate, 2 shifted by a register */
static void a32_data(struct arm *s, unsigned int form)
{
	struct arm_data data = {.op = (enum arm_data_op)arm_bits(s, 21, 4),
	                        .rd = at_12(s),
	                        .sets_flags = arm_bit(s, 20)};
	enum arm_shift type = (enum arm_shift)arm_bits(s, 5, 2);
	bool compares = data.op >= DATA_TST && data.op <= DATA_CMN;
	bool has_pc =
	        at_0(s) == ARM_PC || at_8(s) == ARM_PC || at_12(s) == ARM_PC || at_16(s) == ARM_PC;

	if ((compares && !data.sets_flags) || (compares && data.rd == ARM_PC) ||
	    (form == 2 && has_pc)) {
		arm_reject(s);
		return;
	}
	data.rn = arm_r(s, at_16(s));
	if (form == 0)
		arm_data(s, data, immediate(s));
	else if (form == 1)
		arm_data(s, data, arm_shifted(s, at_0(s), type, arm_bits(s, 7, 5)));
	else
		arm_data(s, data, arm_shifted_by(s, at_0(s), type, at_8(s), data.sets_flags));
}

static uint32_t wide_immediate(const struct arm *s)
{
	return at_16(s) << 12 | arm_bits(s, 0, 12);
}

static void a32_move_wide(struct arm *s, unsigned int is_top)
{
	if (is_top != 0)
		arm_move_top(s, at_12(s), wide_immediate(s));
	else
		arm_set(s, at_12(s), arm_constant(s, wide_immediate(s)));
}

static void a32_mrs(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_mrs(s, arm_bit(s, 22));
}

static void a32_msr_immediate(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_msr_fields(s, immediate(s).slot, at_16(s));
}

static bool any_is_pc(unsigned int a, unsigned int second, unsigned int third, unsigned int fourth)
{
	return a == ARM_PC || second == ARM_PC || third == ARM_PC || fourth == ARM_PC;
}

/* MUL, MLA; MLS */
static void a32_multiply(struct arm *s, unsigned int subtracts)
{
	bool adds = arm_bit(s, 21);
	unsigned int product;

	if (any_is_pc(at_16(s), at_8(s), at_0(s), adds ? at_12(s) : 0)) {
		arm_reject(s);
		return;
	}
	product = uop_make(s->b, UOP_MUL, 32, at_0(s), at_8(s));
	if (subtracts != 0)
		arm_set(s, at_16(s), uop_sum(s->b, 32, at_12(s), product, true));
	else
		arm_multiply(s, at_16(s), product, adds ? at_12(s) : SLOT_NONE, arm_bit(s, 20));
}

/* kind: bit 0 accumulates, bit 1 signed */
static void a32_multiply_long(struct arm *s, unsigned int kind)
{
	struct arm_long product = {.low = at_12(s),
	                           .high = at_16(s),
	                           .rn = at_0(s),
	                           .rm = at_8(s),
	                           .is_signed = (kind & 2) != 0,
	                           .accumulates = (kind & 1) != 0,
	                           .sets_flags = arm_bit(s, 20)};

	if (any_is_pc(at_0(s), at_8(s), at_12(s), at_16(s)))
		arm_reject(s);
	else
		arm_multiply_long(s, product);
}

static void a32_umaal(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(at_0(s), at_8(s), at_12(s), at_16(s)))
		arm_reject(s);
	else
		arm_umaal(s, at_12(s), at_16(s), at_0(s), at_8(s));
}

/* SMLAxy, SMULxy */
static void a32_half(struct arm *s, unsigned int is_plain)
{
	unsigned int product;

	if (any_is_pc(at_0(s), at_8(s), is_plain ? 0 : at_12(s), at_16(s))) {
		arm_reject(s);
		return;
	}
	product = arm_product_of_halves(s, at_0(s), at_8(s), arm_bits(s, 5, 2));
	arm_accumulate(s, at_16(s), product, is_plain != 0 ? ARM_PC : at_12(s));
}

static void a32_word_half(struct arm *s, unsigned int is_plain)
{
	unsigned int product;

	if (any_is_pc(at_0(s), at_8(s), is_plain ? 0 : at_12(s), at_16(s))) {
		arm_reject(s);
		return;
	}
	product = arm_product_word_half(s, at_0(s), at_8(s), arm_bit(s, 6));
	arm_accumulate(s, at_16(s), product, is_plain != 0 ? ARM_PC : at_12(s));
}

static void a32_half_long(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(at_0(s), at_8(s), at_12(s), at_16(s)))
		arm_reject(s);
	else
		arm_accumulate_long(s, at_12(s), at_16(s),
		                    arm_product_of_halves(s, at_0(s), at_8(s), arm_bits(s, 5, 2)));
}

static void a32_product_top(struct arm *s, unsigned int subtracts)
{
	if (any_is_pc(at_0(s), at_8(s), subtracts ? at_12(s) : 0, at_16(s)))
		arm_reject(s);
	else
		arm_product_top(s, at_16(s), at_0(s), at_8(s), at_12(s),
		                subtracts | arm_bits(s, 5, 1));
}

/* Rd at 16: a sum of products */
static void a32_opaque_product(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, arm_r(s, at_12(s)));
	arm_opaque(s, at_16(s), at_0(s), at_8(s));
}

static void a32_opaque_long(struct arm *s, unsigned int arg)
{
	(void)arg;
	uop_use(s->b, arm_r(s, at_16(s)));
	uop_use(s->b, arm_r(s, at_12(s)));
	arm_set_unknown(s, at_12(s));
	arm_opaque(s, at_16(s), at_0(s), at_8(s));
}

/* Rd at 12, Rn at 16, Rm at 0 */
static void a32_opaque_dnm(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_opaque(s, at_12(s), at_16(s), at_0(s));
}

static void a32_opaque_nm(struct arm *s, unsigned int arg)
{
	a32_opaque_dnm(s, arg);
}

static void a32_saturate(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_opaque(s, at_12(s), at_0(s), at_0(s));
}

static void a32_divide(struct arm *s, unsigned int op)
{
	if (any_is_pc(at_0(s), at_8(s), at_16(s), 0) || at_12(s) != 15)
		arm_reject(s);
	else
		arm_divide(s, (enum uop_op)op, at_16(s), at_0(s), at_8(s));
}

static void a32_clz(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_clz(s, at_12(s), at_0(s));
}

static void a32_crc(struct arm *s, unsigned int arg)
{
	unsigned int size = arm_bits(s, 21, 2);

	(void)arg;
	if (size == 3 || any_is_pc(at_0(s), at_12(s), at_16(s), 0))
		arm_reject(s);
	else
		arm_crc(s, at_12(s), at_16(s), at_0(s), 1U << size, arm_bit(s, 9));
}

static void a32_pack(struct arm *s, unsigned int arg)
{
	bool is_tb = arm_bit(s, 6);
	struct arm_operand second =
	        arm_shifted(s, at_0(s), is_tb ? ARM_ASR : ARM_LSL, arm_bits(s, 7, 5));

	(void)arg;
	if (any_is_pc(at_0(s), at_12(s), at_16(s), 0))
		arm_reject(s);
	else
		arm_pack_halves(s, at_12(s), at_16(s), second.slot, is_tb);
}

static void a32_extend(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_extend(s, arm_bits(s, 20, 3), at_12(s), at_16(s), at_0(s), 8 * arm_bits(s, 10, 2));
}

static void a32_reverse(struct arm *s, unsigned int kind)
{
	if (at_0(s) == ARM_PC)
		arm_reject(s);
	else
		arm_reverse(s, (enum arm_reverse)kind, at_12(s), at_0(s));
}

/* BFI; BFC has 15 as its source */
static void a32_insert(struct arm *s, unsigned int arg)
{
	unsigned int lsb = arm_bits(s, 7, 5);
	unsigned int msb = arm_bits(s, 16, 5);
	unsigned int rd = at_12(s);

	(void)arg;
	if (msb < lsb || rd == ARM_PC) {
		arm_reject(s);
		return;
	}
	arm_set(s, rd,
	        uop_insert(s->b, 32, rd, at_0(s) == 15 ? (unsigned int)SLOT_ZERO : at_0(s),
	                   (struct bits_field){0, msb - lsb + 1, lsb}));
}

static void a32_extract(struct arm *s, unsigned int op)
{
	arm_bit_field(s, (enum uop_op)op, at_12(s), at_0(s), arm_bits(s, 7, 5),
	              arm_bits(s, 16, 5) + 1);
}

/* P, U and W of most loads and stores. */
static struct arm_address address_of(const struct arm *s)
{
	return (struct arm_address){.rn = at_16(s),
	                            .index = SLOT_NONE,
	                            .adds = arm_bit(s, 23),
	                            .is_before = arm_bit(s, 24),
	                            .writes_back = !arm_bit(s, 24) || arm_bit(s, 21)};
}

/* LDR, STR, LDRB, STRB; those with T differ only in what faults */
static void a32_single(struct arm *s, unsigned int has_register)
{
	struct arm_address a = address_of(s);
	struct arm_transfer t = {
	        .rt = at_12(s), .bytes = arm_bit(s, 22) ? 1 : 4, .is_load = arm_bit(s, 20)};

	a.immediate = arm_bits(s, 0, 12);
	if (has_register != 0 && at_0(s) == ARM_PC) {
		arm_reject(s);
		return;
	}
	if (has_register != 0)
		a.index = arm_shifted(s, at_0(s), (enum arm_shift)arm_bits(s, 5, 2),
		                      arm_bits(s, 7, 5))
		                  .slot;
	arm_transfer(s, &t, &a);
}

/* LDRH, STRH, LDRSB, LDRSH, LDRD, STRD */
static void a32_extra(struct arm *s, unsigned int arg)
{
	struct arm_address a = address_of(s);
	unsigned int kind = arm_bits(s, 5, 2);
	bool is_load = arm_bit(s, 20);
	bool is_dual = !is_load && kind != 1;
	bool is_unprivileged = !arm_bit(s, 24) && arm_bit(s, 21);
	struct arm_transfer t = {.rt = at_12(s),
	                         .rt2 = at_12(s) + 1,
	                         .bytes = kind == 2 ? 1 : 2,
	                         .is_load = is_load || kind == 2,
	                         .is_signed = kind != 1};

	(void)arg;
	if (is_dual)
		t.bytes = 8;
	a.immediate = arm_bits(s, 8, 4) << 4 | arm_bits(s, 0, 4);
	if (!arm_bit(s, 22))
		a.index = at_0(s);
	if ((is_dual && (is_unprivileged || at_12(s) % 2 != 0)) || a.index == ARM_PC ||
	    (is_dual && (a.index == t.rt || a.index == t.rt2))) {
		arm_reject(s);
		return;
	}
	arm_transfer(s, &t, &a);
}

static void a32_swap(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_swap(s, at_12(s), at_0(s), at_16(s), arm_bit(s, 22) ? 1 : 4);
}

/* LDREX, STREX, LDA, STL and the like: bit 9 is set of those with a monitor, bit 8 clear of ordered
 */
static void a32_exclusive(struct arm *s, unsigned int arg)
{
	static const uint8_t sizes[] = {4, 8, 1, 2};
	bool is_exclusive = arm_bit(s, 9);
	struct arm_transfer t = {.rt = arm_bit(s, 20) ? at_12(s) : at_0(s),
	                         .bytes = sizes[arm_bits(s, 21, 2)],
	                         .is_load = arm_bit(s, 20)};
	bool is_pair = t.bytes == 8;

	(void)arg;
	t.rt2 = t.rt + 1;
	if ((is_pair && (t.rt % 2 != 0 || !is_exclusive)) || (!is_exclusive && arm_bit(s, 8))) {
		arm_reject(s);
		return;
	}
	if (is_exclusive)
		s->b->insn.flags |= UOP_EXCLUSIVE;
	if (!arm_bit(s, 8))
		s->b->insn.flags |= UOP_ORDERED;
	if (is_exclusive && !t.is_load && at_12(s) == ARM_PC)
		arm_reject(s);
	arm_exclusive(s, &t, (struct uop_place){at_16(s), 0},
	              is_exclusive ? at_12(s) : (unsigned int)ARM_PC);
}

static struct arm_multiple multiple_of(const struct arm *s)
{
	return (struct arm_multiple){.rn = at_16(s),
	                             .list = arm_bits(s, 0, 16),
	                             .is_load = arm_bit(s, 20),
	                             .is_up = arm_bit(s, 23),
	                             .is_before = arm_bit(s, 24),
	                             .writes_back = arm_bit(s, 21)};
}

static void a32_multiple(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = multiple_of(s);

	(void)arg;
	arm_multiple(s, &m);
}

/* Defines R8 to R14 as unknown once more, whatever the list made of them. */
static void forget_banked(struct arm *s)
{
	for (unsigned int n = 8; n < REG_NZCV; n++)
		uop_define_unknown(s->b, n, 32);
}

/*
 * LDM and STM of the registers of User mode, and the LDM that returns from an exception: R8 to R14
 * need not be those in use, all else is as ever.
 */
static void a32_multiple_user(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = multiple_of(s);
	bool returns = m.is_load && (m.list >> ARM_PC & 1) != 0;

	(void)arg;
	if (!returns && m.writes_back) {
		arm_reject(s);
		return;
	}
	m.is_user = true;
	arm_multiple(s, &m);
	if (returns)
		arm_return_from_exception(s);
	else if (m.is_load)
		forget_banked(s);
}

static uint32_t branch_target(const struct arm *s)
{
	uint32_t offset = arm_bits(s, 0, 24) << 2;

	return s->pc + ((offset ^ 0x2000000) - 0x2000000);
}

static void a32_branch(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_branch_to(s, branch_target(s));
	if (arm_bit(s, 24))
		uop_define(s->b, ARM_LR, arm_constant(s, s->address + 4));
}

/* BLX to T32 */
static void a32_branch_exchange(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_branch_to(s, branch_target(s) + 2 * arm_bits(s, 24, 1));
	uop_define(s->b, ARM_LR, arm_constant(s, s->address + 4));
}

static void a32_srs(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_srs(s, arm_bits(s, 23, 1) << 1 | arm_bits(s, 24, 1), arm_bit(s, 21));
}

static void a32_rfe(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_rfe(s, at_16(s), arm_bits(s, 23, 1) << 1 | arm_bits(s, 24, 1), arm_bit(s, 21));
}

static const struct arm_row rows[] = {
#define X(name, mask, match, expand, arg) {{#name, mask, match}, expand, arg},
#include "arch/a32/sem_a32.def"
#undef X
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool is_of(const struct sem_row_info *row, uint32_t opcode)
{
	/* 1111 is no condition */
	if ((row->mask >> 28) == 0 && opcode >> 28 == 15)
		return false;
	return (opcode & row->mask) == row->match;
}

size_t sem_a32_row_of(uint32_t opcode)
{
	size_t i = 0;

	while (i < ROWS && !is_of(&rows[i].info, opcode))
		i++;
	return i;
}

bool sem_a32_row(size_t index, struct sem_row_info *row)
{
	if (index >= ROWS)
		return false;
	*row = rows[index].info;
	return true;
}

void sem_a32(uint32_t opcode, uint32_t address, struct uop_builder *b)
{
	struct arm s = {.b = b, .opcode = opcode, .address = address, .pc = address + 8};
	size_t row = sem_a32_row_of(opcode);

	arm_run(&s, row < ROWS ? &rows[row] : NULL, opcode >> 28);
}
