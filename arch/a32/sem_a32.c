/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A32 opcodes to micro-operations, by the table sem_a32.def; see a32.h. Each function takes
 * the operands of one family out of the opcode: Arm ARM DDI 0487 F4.1.
 */
#include "arch/a32/a32.h"

#include "arch/a32/flow.h"
#include "arch/a32/sem_a32_expand.h"

/* A byte rotated right by an even number; a rotation makes its top bit the carry. */
static struct arm_operand immediate(struct arm *s)
{
	unsigned int rotation = 2 * FIELD(s, rotate);
	uint32_t value = FIELD(s, imm8);
	struct arm_operand operand;

	if (rotation > 0)
		value = value >> rotation | value << (32 - rotation);
	operand = arm_immediate(s, value);
	if (rotation > 0)
		operand.carry = uop_constant(s->b, value >> 31);
	return operand;
}

static struct arm_operand shifted_by_immediate(struct arm *s)
{
	return arm_shifted(s, FIELD(s, Rm), (enum arm_shift)FIELD(s, type), FIELD(s, imm5));
}

/* form: 0 immediate, 1 shifted by an immediate, 2 shifted by a register */
static void a32_data(struct arm *s, unsigned int form)
{
	struct arm_data data = {.op = (enum arm_data_op)FIELD(s, opcode),
	                        .rd = FIELD(s, Rd),
	                        .sets_flags = FLAG(s, S)};
	bool compares = data.op >= DATA_TST && data.op <= DATA_CMN;
	bool has_pc = form == 2 && (FIELD(s, Rm) == ARM_PC || FIELD(s, Rs) == ARM_PC ||
	                            data.rd == ARM_PC || FIELD(s, Rn) == ARM_PC);

	if ((compares && !data.sets_flags) || (compares && data.rd == ARM_PC) || has_pc) {
		opcode_reject(&s->opcode);
		return;
	}
	data.rn = arm_r(s, FIELD(s, Rn));
	if (form == 0)
		arm_data(s, data, immediate(s));
	else if (form == 1)
		arm_data(s, data, shifted_by_immediate(s));
	else
		arm_data(s, data,
		         arm_shifted_by(s, FIELD(s, Rm), (enum arm_shift)FIELD(s, type),
		                        FIELD(s, Rs), data.sets_flags));
}

static uint32_t wide_immediate(const struct arm *s)
{
	return FIELD(s, imm16);
}

static void a32_move_wide(struct arm *s, unsigned int is_top)
{
	if (is_top != 0)
		arm_move_top(s, FIELD(s, Rd), wide_immediate(s));
	else
		arm_set(s, FIELD(s, Rd), arm_constant(s, wide_immediate(s)));
}

static void a32_mrs(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_mrs(s, FLAG(s, R));
}

static void a32_msr_immediate(struct arm *s, unsigned int is_saved)
{
	unsigned int slot = immediate(s).slot;

	if (is_saved != 0)
		arm_msr_saved(s, slot, FIELD(s, mask));
	else
		arm_msr_fields(s, slot, FIELD(s, mask));
}

static bool any_is_pc(unsigned int a, unsigned int second, unsigned int third, unsigned int fourth)
{
	return a == ARM_PC || second == ARM_PC || third == ARM_PC || fourth == ARM_PC;
}

/* MUL, MLA; MLS */
static void a32_multiply(struct arm *s, unsigned int subtracts)
{
	bool adds = FLAG(s, A);
	unsigned int product;

	if (any_is_pc(FIELD(s, Rd), FIELD(s, Rm), FIELD(s, Rn), adds ? FIELD(s, Ra) : 0)) {
		opcode_reject(&s->opcode);
		return;
	}
	product = uop_make(s->b, UOP_MUL, 32, FIELD(s, Rn), FIELD(s, Rm));
	if (subtracts != 0)
		arm_set(s, FIELD(s, Rd), uop_sum(s->b, 32, FIELD(s, Ra), product, true));
	else
		arm_multiply(s, FIELD(s, Rd), product, adds ? FIELD(s, Ra) : SLOT_NONE, FLAG(s, S));
}

/* kind: bit 0 accumulates, bit 1 signed */
static void a32_multiply_long(struct arm *s, unsigned int kind)
{
	struct arm_long product = {.low = FIELD(s, RdLo),
	                           .high = FIELD(s, RdHi),
	                           .rn = FIELD(s, Rn),
	                           .rm = FIELD(s, Rm),
	                           .is_signed = (kind & 2) != 0,
	                           .accumulates = (kind & 1) != 0,
	                           .sets_flags = FLAG(s, S)};

	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, RdLo), FIELD(s, RdHi)))
		opcode_reject(&s->opcode);
	else
		arm_multiply_long(s, product);
}

static void a32_umaal(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, RdLo), FIELD(s, RdHi)))
		opcode_reject(&s->opcode);
	else
		arm_umaal(s, FIELD(s, RdLo), FIELD(s, RdHi), FIELD(s, Rn), FIELD(s, Rm));
}

/* SMLAxy, SMULxy */
static void a32_half(struct arm *s, unsigned int is_plain)
{
	unsigned int product;

	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), is_plain ? 0 : FIELD(s, Ra), FIELD(s, Rd))) {
		opcode_reject(&s->opcode);
		return;
	}
	product = arm_product_of_halves(s, FIELD(s, Rn), FIELD(s, Rm), FIELD(s, tops));
	arm_accumulate(s, FIELD(s, Rd), product, is_plain != 0 ? ARM_PC : FIELD(s, Ra));
}

static void a32_word_half(struct arm *s, unsigned int is_plain)
{
	unsigned int product;

	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), is_plain ? 0 : FIELD(s, Ra), FIELD(s, Rd))) {
		opcode_reject(&s->opcode);
		return;
	}
	product = arm_product_word_half(s, FIELD(s, Rn), FIELD(s, Rm), FLAG(s, M));
	arm_accumulate(s, FIELD(s, Rd), product, is_plain != 0 ? ARM_PC : FIELD(s, Ra));
}

static void a32_half_long(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, RdLo), FIELD(s, RdHi)))
		opcode_reject(&s->opcode);
	else
		arm_accumulate_long(
		        s, FIELD(s, RdLo), FIELD(s, RdHi),
		        arm_product_of_halves(s, FIELD(s, Rn), FIELD(s, Rm), FIELD(s, tops)));
}

static void a32_product_top(struct arm *s, unsigned int subtracts)
{
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), subtracts ? FIELD(s, Ra) : 0, FIELD(s, Rd)))
		opcode_reject(&s->opcode);
	else
		arm_product_top(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Ra),
		                subtracts | FIELD(s, R));
}

/* SMLAD, SMLSD; SMUAD, SMUSD */
static void a32_two_products(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Rd), 0))
		opcode_reject(&s->opcode);
	else
		arm_sum_of_products(
		        s, FIELD(s, Rd),
		        arm_two_products(s, FIELD(s, Rn), FIELD(s, Rm), FLAG(s, M), FLAG(s, S)),
		        FIELD(s, Ra));
}

static void a32_two_products_long(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, RdLo), FIELD(s, RdHi)))
		opcode_reject(&s->opcode);
	else
		arm_accumulate_long(
		        s, FIELD(s, RdLo), FIELD(s, RdHi),
		        arm_two_products(s, FIELD(s, Rn), FIELD(s, Rm), FLAG(s, M), FLAG(s, S)));
}

static void a32_absolute_differences(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Rd), 0))
		opcode_reject(&s->opcode);
	else
		arm_absolute_differences(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Ra));
}

static void a32_select(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Rd), 0))
		opcode_reject(&s->opcode);
	else
		arm_select_bytes(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm));
}

/* opc1: S, Q, SH, U, UQ, UH from 1 on, without 4; op2: ADD16, ASX, SAX, SUB16, ADD8, -, -, SUB8 */
static void a32_parallel(struct arm *s, unsigned int arg)
{
	static const uint8_t subtracts[] = {0, 1, 2, 3, 0, 0, 0, 0xf};
	unsigned int op2 = FIELD(s, op2);
	const struct arm_parallel p = {.rd = FIELD(s, Rd),
	                               .rn = FIELD(s, Rn),
	                               .rm = FIELD(s, Rm),
	                               .kind = (enum arm_parallel_kind)(FIELD(s, opc1) & 3),
	                               .is_unsigned = FIELD(s, opc1) >> 2 != 0,
	                               .size = (op2 & 4) != 0 ? 8 : 16,
	                               .subtracts = subtracts[op2],
	                               .exchanges = op2 == 1 || op2 == 2};

	(void)arg;
	if (p.kind == 0 || op2 == 5 || op2 == 6 || any_is_pc(p.rd, p.rn, p.rm, 0))
		opcode_reject(&s->opcode);
	else
		arm_parallel(s, &p);
}

/* QADD, QSUB, QDADD, QDSUB */
static void a32_saturating_sum(struct arm *s, unsigned int arg)
{
	const struct arm_saturating sum = {.rd = FIELD(s, Rd),
	                                   .rn = FIELD(s, Rn),
	                                   .rm = FIELD(s, Rm),
	                                   .doubles = FLAG(s, D),
	                                   .subtracts = FLAG(s, S)};

	(void)arg;
	if (any_is_pc(sum.rd, sum.rn, sum.rm, 0))
		opcode_reject(&s->opcode);
	else
		arm_saturating_sum(s, sum);
}

static void a32_saturate(struct arm *s, unsigned int arg)
{
	unsigned int bits = FIELD(s, widthm1) + !FLAG(s, U);

	(void)arg;
	if (any_is_pc(FIELD(s, Rd), FIELD(s, Rn), 0, 0))
		opcode_reject(&s->opcode);
	else
		arm_saturate(s, FIELD(s, Rd),
		             arm_shifted(s, FIELD(s, Rn), FLAG(s, sh) ? ARM_ASR : ARM_LSL,
		                         FIELD(s, imm5))
		                     .slot,
		             bits, FLAG(s, U));
}

static void a32_saturate_halves(struct arm *s, unsigned int arg)
{
	(void)arg;
	if (any_is_pc(FIELD(s, Rd), FIELD(s, Rn), 0, 0))
		opcode_reject(&s->opcode);
	else
		arm_saturate_halves(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, widthm1) + !FLAG(s, U),
		                    FLAG(s, U));
}

static void a32_divide(struct arm *s, unsigned int op)
{
	if (any_is_pc(FIELD(s, Rn), FIELD(s, Rm), FIELD(s, Rd), 0) || FIELD(s, Ra) != 15)
		opcode_reject(&s->opcode);
	else
		arm_divide(s, (enum uop_op)op, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm));
}

static void a32_clz(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_clz(s, FIELD(s, Rd), FIELD(s, Rm));
}

static void a32_crc(struct arm *s, unsigned int arg)
{
	unsigned int size = FIELD(s, sz);

	(void)arg;
	if (size == 3 || any_is_pc(FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn), 0))
		opcode_reject(&s->opcode);
	else
		arm_crc(s, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm), 1U << size, FLAG(s, C));
}

static void a32_pack(struct arm *s, unsigned int arg)
{
	bool is_tb = FLAG(s, tb);
	struct arm_operand second =
	        arm_shifted(s, FIELD(s, Rm), is_tb ? ARM_ASR : ARM_LSL, FIELD(s, imm5));

	(void)arg;
	if (any_is_pc(FIELD(s, Rm), FIELD(s, Rd), FIELD(s, Rn), 0))
		opcode_reject(&s->opcode);
	else
		arm_pack_halves(s, FIELD(s, Rd), FIELD(s, Rn), second.slot, is_tb);
}

static void a32_extend(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_extend(s, FIELD(s, opc), FIELD(s, Rd), FIELD(s, Rn), FIELD(s, Rm),
	           8 * FIELD(s, rotate));
}

static void a32_reverse(struct arm *s, unsigned int kind)
{
	if (FIELD(s, Rm) == ARM_PC)
		opcode_reject(&s->opcode);
	else
		arm_reverse(s, (enum arm_reverse)kind, FIELD(s, Rd), FIELD(s, Rm));
}

/* BFI; BFC has 15 as its source */
static void a32_insert(struct arm *s, unsigned int arg)
{
	unsigned int lsb = FIELD(s, lsb);
	unsigned int msb = FIELD(s, msb);
	unsigned int rd = FIELD(s, Rd);

	(void)arg;
	if (msb < lsb || rd == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_set(s, rd,
	        uop_insert(s->b, 32, rd,
	                   FIELD(s, Rn) == 15 ? (unsigned int)SLOT_ZERO : FIELD(s, Rn),
	                   (struct bits_field){0, msb - lsb + 1, lsb}));
}

static void a32_extract(struct arm *s, unsigned int op)
{
	arm_bit_field(s, (enum uop_op)op, FIELD(s, Rd), FIELD(s, Rn), FIELD(s, lsb),
	              FIELD(s, widthm1) + 1);
}

/* P, U and W of most loads and stores. */
static struct arm_address address_of(const struct arm *s)
{
	return (struct arm_address){.rn = FIELD(s, Rn),
	                            .index = SLOT_NONE,
	                            .adds = FLAG(s, U),
	                            .is_before = FLAG(s, P),
	                            .writes_back = !FLAG(s, P) || FLAG(s, W)};
}

/* LDR, STR, LDRB, STRB; those with T differ only in what faults */
static void a32_single(struct arm *s, unsigned int has_register)
{
	struct arm_address a = address_of(s);
	struct arm_transfer t = {
	        .rt = FIELD(s, Rt), .bytes = FLAG(s, B) ? 1 : 4, .is_load = FLAG(s, L)};

	if (has_register == 0) {
		a.immediate = FIELD(s, imm12);
	} else if (FIELD(s, Rm) == ARM_PC) {
		opcode_reject(&s->opcode);
		return;
	} else {
		a.index = shifted_by_immediate(s).slot;
	}
	arm_transfer(s, &t, &a);
}

/* LDRH, STRH, LDRSB, LDRSH, LDRD, STRD */
static void a32_extra(struct arm *s, unsigned int arg)
{
	struct arm_address a = address_of(s);
	unsigned int kind = FIELD(s, op2);
	bool is_load = FLAG(s, L);
	bool is_dual = !is_load && kind != 1;
	bool is_unprivileged = !FLAG(s, P) && FLAG(s, W);
	struct arm_transfer t = {.rt = FIELD(s, Rt),
	                         .rt2 = FIELD(s, Rt) + 1,
	                         .bytes = kind == 2 ? 1 : 2,
	                         .is_load = is_load || kind == 2,
	                         .is_signed = kind != 1};

	(void)arg;
	if (is_dual)
		t.bytes = 8;
	a.immediate = FIELD(s, imm4H) << 4 | FIELD(s, Rm);
	if (!FLAG(s, I))
		a.index = FIELD(s, Rm);
	if ((is_dual && (is_unprivileged || FIELD(s, Rt) % 2 != 0)) || a.index == ARM_PC ||
	    (is_dual && (a.index == t.rt || a.index == t.rt2))) {
		opcode_reject(&s->opcode);
		return;
	}
	arm_transfer(s, &t, &a);
}

static void a32_swap(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_swap(s, FIELD(s, Rt), FIELD(s, Rt2), FIELD(s, Rn), FLAG(s, B) ? 1 : 4);
}

/* LDREX, STREX, LDA, STL and the like: bit 9 is set of those with a monitor, bit 8 clear of ordered
 */
static void a32_exclusive(struct arm *s, unsigned int arg)
{
	static const uint8_t sizes[] = {4, 8, 1, 2};
	bool is_exclusive = FLAG(s, ex);
	struct arm_transfer t = {.rt = FLAG(s, L) ? FIELD(s, Rd) : FIELD(s, Rt),
	                         .bytes = sizes[FIELD(s, sz)],
	                         .is_load = FLAG(s, L)};
	bool is_pair = t.bytes == 8;

	(void)arg;
	t.rt2 = t.rt + 1;
	if ((is_pair && (t.rt % 2 != 0 || !is_exclusive)) || (!is_exclusive && FLAG(s, ord))) {
		opcode_reject(&s->opcode);
		return;
	}
	if (is_exclusive)
		s->b->insn.flags |= UOP_EXCLUSIVE;
	if (!FLAG(s, ord))
		s->b->insn.flags |= UOP_ORDERED;
	if (is_exclusive && !t.is_load && FIELD(s, Rd) == ARM_PC)
		opcode_reject(&s->opcode);
	arm_exclusive(s, &t, (struct uop_place){FIELD(s, Rn), 0},
	              is_exclusive ? FIELD(s, Rd) : (unsigned int)ARM_PC);
}

static struct arm_multiple multiple_of(const struct arm *s)
{
	return (struct arm_multiple){.rn = FIELD(s, Rn),
	                             .list = FIELD(s, list),
	                             .is_load = FLAG(s, L),
	                             .is_up = FLAG(s, U),
	                             .is_before = FLAG(s, P),
	                             .writes_back = FLAG(s, W)};
}

static void a32_multiple(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = multiple_of(s);

	(void)arg;
	arm_multiple(s, &m);
}

/*
 * LDM and STM of the registers of User mode; and the LDM that returns from an exception, which has
 * those of the mode in use.
 */
static void a32_multiple_user(struct arm *s, unsigned int arg)
{
	struct arm_multiple m = multiple_of(s);
	bool returns = m.is_load && (m.list >> ARM_PC & 1) != 0;

	(void)arg;
	if (!returns && m.writes_back) {
		opcode_reject(&s->opcode);
		return;
	}
	m.is_user = !returns;
	arm_multiple(s, &m);
	if (returns)
		arm_return_from_exception(s, REG_A32_SPSR);
}

static void a32_branch(struct arm *s, unsigned int links)
{
	arm_branch_to(s, s->pc + a32_branch_offset(s->opcode.pattern, s->opcode.bits));
	if (links != 0)
		uop_define(s->b, ARM_LR, arm_constant(s, s->address + 4));
}

static void a32_srs(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_srs(s, FIELD(s, U) << 1 | FIELD(s, P), FLAG(s, W));
}

static void a32_rfe(struct arm *s, unsigned int arg)
{
	(void)arg;
	arm_rfe(s, FIELD(s, Rn), FIELD(s, U) << 1 | FIELD(s, P), FLAG(s, W));
}

static const struct opcode_row rows[] = {
#define X(name, pattern, expand, ...) OPCODE_ROW(name, pattern, __VA_ARGS__),
#include "arch/a32/sem_a32.def"
#undef X
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static arm_expand *const expanders[ROWS] = {
#define X(name, pattern, expand, ...) expand,
#include "arch/a32/sem_a32.def"
#undef X
};

static struct pattern patterns[ROWS];
struct opcode_table a32_opcodes = OPCODE_TABLE(rows, patterns, arm_flow_fields, A32_KEY);

void sem_a32(uint32_t opcode, uint32_t address, struct uop_builder *b)
{
	size_t row = opcode_find(&a32_opcodes, opcode);
	struct arm s = {.b = b, .opcode = {.bits = opcode}, .address = address, .pc = address + 8};

	if (row == ROWS) {
		arm_run(&s, arm_kill, 0, opcode >> 28);
		return;
	}
	s.opcode.pattern = &patterns[row];
	arm_run(&s, expanders[row], rows[row].argument, opcode >> 28);
}

enum flow flow_a32(uint32_t opcode, uint32_t address, uint64_t *target)
{
	size_t row = opcode_find(&a32_opcodes, opcode);
	enum flow flow = FLOW_NONE;

	if (row < ROWS)
		flow = arm_flow(rows[row].flow, &patterns[row], opcode);
	if (flow_is_direct(flow))
		*target = (uint32_t)(address + 8 + a32_branch_offset(&patterns[row], opcode));
	return flow;
}
