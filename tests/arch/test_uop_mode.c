/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modes of AArch32 against a model that has the registers of each mode by themselves (Arm ARM
 * G1.9.1): what is known of registers after random changes of the mode, entries of exceptions, and
 * reads and writes of registers by name is what the model has, and all is known that is followed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch/uop/uop.h"

enum { SP = 13, LR = 14, STEPS = 20000, SEQUENCES = 8 };

static const uint8_t modes[] = {A32_USR, A32_SYS, A32_FIQ, A32_IRQ, A32_SVC,
                                A32_ABT, A32_UND, A32_HYP, A32_MON};

enum { MODES = sizeof(modes) };

/* By the number of the mode in `modes`; User and System mode are one. */
struct model {
	unsigned int mode;
	uint32_t sp[MODES];
	uint32_t lr[MODES]; /* Hyp mode has User mode's */
	uint32_t spsr[MODES];
	uint32_t r8[2][5]; /* of FIQ mode, of all others */
	bool is_spsr_known[MODES];
};

struct machine {
	struct model model;
	struct bits registers[REG_COUNT];
	uint64_t random;
};

static uint32_t next_random(struct machine *m)
{
	m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(m->random >> 32);
}

static unsigned int number_of(unsigned int mode)
{
	unsigned int i = 0;

	while (modes[i] != mode)
		i++;
	return i;
}

static unsigned int of_sp(unsigned int mode)
{
	return number_of(mode == A32_SYS ? A32_USR : mode);
}

static unsigned int of_lr(unsigned int mode)
{
	return number_of(mode == A32_SYS || mode == A32_HYP ? A32_USR : mode);
}

/* What can be known: Monitor mode's registers are not followed. */
static bool is_followed(unsigned int mode)
{
	return mode != A32_MON;
}

static void assert_is(struct bits found, uint32_t value, bool is_known)
{
	assert_int_equal(found.value & UINT32_MAX, value & found.known & UINT32_MAX);
	if (is_known)
		assert_int_equal(found.known & UINT32_MAX, UINT32_MAX);
}

static void check(const struct machine *m)
{
	const struct model *model = &m->model;

	assert_is(m->registers[REG_A32_MODE], model->mode, true);
	assert_is(m->registers[SP], model->sp[of_sp(model->mode)], is_followed(model->mode));
	assert_is(m->registers[LR], model->lr[of_lr(model->mode)], is_followed(model->mode));
	if (model->mode != A32_USR && model->mode != A32_SYS)
		assert_is(m->registers[REG_A32_SPSR], model->spsr[number_of(model->mode)],
		          model->is_spsr_known[number_of(model->mode)]);
	for (unsigned int i = 0; i < 5; i++)
		assert_is(m->registers[8 + i], model->r8[model->mode != A32_FIQ][i], true);
}

static void run(struct machine *m, struct uop_builder *b)
{
	static struct uop_run run;

	uop_finish(b);
	assert_int_equal(b->insn.flags, 0);
	assert_true(uop_run(&b->insn, m->registers, NULL, &run));
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		m->registers[reg] = uop_run_after(&run, reg);
}

/* What is not in a slot of its own is lost as its mode is left. */
static void leave(struct model *model, unsigned int to)
{
	if (model->mode != to && (model->mode == A32_HYP || model->mode == A32_MON))
		model->is_spsr_known[number_of(model->mode)] = false;
	model->mode = to;
}

/* By a constant, or by what a register has. */
static void change(struct machine *m, bool is_constant)
{
	unsigned int mode = modes[next_random(m) % MODES];
	struct uop_builder b;

	uop_begin(&b);
	m->registers[0] = bits_of(mode | 0x6000);
	uop_mode_change(
	        &b, is_constant ? uop_constant(&b, mode)
	                        : uop_field(&b, UOP_FIELD, 32, 0, (struct bits_field){0, 5, 0}));
	leave(&m->model, mode);
	run(m, &b);
}

static void enter(struct machine *m)
{
	unsigned int mode = modes[2 + next_random(m) % (MODES - 2)];
	uint32_t lr = next_random(m);
	unsigned int flags = next_random(m) % 16;
	struct uop_builder b;
	unsigned int ge = next_random(m) % 16;
	uint32_t cpsr = flags << 28 | ge << A32_GE_AT | m->model.mode;

	m->registers[REG_NZCV] = bits_of(UINT64_C(1) << flags);
	m->registers[REG_A32_GE] = bits_of(ge);
	uop_begin(&b);
	uop_mode_enter(&b, uop_constant(&b, mode), uop_constant(&b, lr));
	leave(&m->model, mode);
	if (mode != A32_HYP)
		m->model.lr[of_lr(mode)] = lr;
	run(m, &b);
	assert_int_equal(m->registers[REG_A32_SPSR].known & 0xf00f001f, 0xf00f001f);
	assert_int_equal(m->registers[REG_A32_SPSR].value & 0xf00f001f, cpsr);
	m->registers[REG_A32_SPSR] = bits_of(cpsr);
	m->model.spsr[number_of(mode)] = cpsr;
	m->model.is_spsr_known[number_of(mode)] = true;
}

/* The model's value of a register, and whether that is followed. */
static uint32_t *find(struct machine *m, struct mode_register reg, bool *is_known)
{
	struct model *model = &m->model;
	bool is_used = reg.mode == model->mode;

	*is_known = is_followed(reg.mode);
	if (reg.in_use == SP)
		return &model->sp[of_sp(reg.mode)];
	if (reg.in_use == LR)
		return &model->lr[of_lr(reg.mode)];
	if (reg.in_use == REG_A32_SPSR) {
		*is_known = model->is_spsr_known[number_of(reg.mode)] &&
		            (is_used || (reg.mode != A32_MON && reg.mode != A32_HYP));
		return &model->spsr[number_of(reg.mode)];
	}
	*is_known = true;
	return &model->r8[reg.mode != A32_FIQ][reg.in_use - 8];
}

static struct mode_register any_register(struct machine *m)
{
	unsigned int mode = modes[next_random(m) % MODES];
	unsigned int number = 8 + next_random(m) % 8;

	if (number == 15 && (mode == A32_USR || mode == A32_SYS))
		number = SP; /* they have no SPSR */
	return (struct mode_register){(enum a32_mode)mode, number == 15 ? REG_A32_SPSR : number};
}

static void read_one(struct machine *m)
{
	struct mode_register reg = any_register(m);
	bool is_known;
	uint32_t *value = find(m, reg, &is_known);
	struct uop_builder b;

	uop_begin(&b);
	uop_define(&b, 1, uop_mode_read(&b, reg));
	run(m, &b);
	assert_is(m->registers[1], *value, is_known && is_followed(m->model.mode));
}

static void write_one(struct machine *m)
{
	struct mode_register reg = any_register(m);
	bool is_known;
	uint32_t *value = find(m, reg, &is_known);
	struct uop_builder b;

	m->registers[2] = bits_of(*value = next_random(m));
	if (reg.in_use == REG_A32_SPSR)
		m->model.is_spsr_known[number_of(reg.mode)] =
		        reg.mode == m->model.mode || (reg.mode != A32_MON && reg.mode != A32_HYP);
	uop_begin(&b);
	uop_mode_write(&b, reg, 2);
	run(m, &b);
	if (reg.mode == A32_MON && m->model.mode == A32_MON && reg.in_use != REG_A32_SPSR)
		assert_is(m->registers[reg.in_use], *value, true);
}

static void begin(struct machine *m, uint64_t seed)
{
	struct model *model = &m->model;

	*m = (struct machine){.random = seed};
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		m->registers[reg] = bits_of(next_random(m));
	m->registers[REG_NZCV] = bits_of(1);
	m->registers[REG_A32_MODE] = bits_of(A32_SYS);
	model->mode = A32_SYS;
	model->sp[of_sp(A32_SYS)] = (uint32_t)m->registers[SP].value;
	model->lr[of_lr(A32_SYS)] = (uint32_t)m->registers[LR].value;
	for (unsigned int i = 0; i < 5; i++) {
		model->r8[0][i] = (uint32_t)m->registers[24 + i].value;
		model->r8[1][i] = (uint32_t)m->registers[8 + i].value;
	}
	/* By the numbers of uop_mode.h. */
	model->sp[number_of(A32_HYP)] = (uint32_t)m->registers[15].value;
	model->lr[number_of(A32_IRQ)] = (uint32_t)m->registers[16].value;
	model->sp[number_of(A32_IRQ)] = (uint32_t)m->registers[17].value;
	model->lr[number_of(A32_SVC)] = (uint32_t)m->registers[18].value;
	model->sp[number_of(A32_SVC)] = (uint32_t)m->registers[19].value;
	model->lr[number_of(A32_ABT)] = (uint32_t)m->registers[20].value;
	model->sp[number_of(A32_ABT)] = (uint32_t)m->registers[21].value;
	model->lr[number_of(A32_UND)] = (uint32_t)m->registers[22].value;
	model->sp[number_of(A32_UND)] = (uint32_t)m->registers[23].value;
	model->sp[number_of(A32_FIQ)] = (uint32_t)m->registers[29].value;
	model->lr[number_of(A32_FIQ)] = (uint32_t)m->registers[30].value;
	for (unsigned int i = 0; i < 5; i++) {
		static const uint8_t saved[] = {A32_FIQ, A32_IRQ, A32_SVC, A32_ABT, A32_UND};

		model->spsr[number_of(saved[i])] =
		        (uint32_t)m->registers[REG_A32_SPSR_FIQ + i].value;
		model->is_spsr_known[number_of(saved[i])] = true;
	}
}

static void registers_are_those_of_their_modes(void **state)
{
	static struct machine m;

	(void)state;
	for (unsigned int sequence = 0; sequence < SEQUENCES; sequence++) {
		begin(&m, sequence + 1);
		check(&m);
		for (unsigned int step = 0; step < STEPS; step++) {
			unsigned int kind = next_random(&m) % 5;

			if (kind < 2)
				change(&m, kind == 0);
			else if (kind == 2)
				enter(&m);
			else if (kind == 3)
				read_one(&m);
			else
				write_one(&m);
			check(&m);
		}
	}
}

/* The mode is not known, or not all of it: nothing is known that goes by it. */
static void what_goes_by_an_unknown_mode_is_not_known(void **state)
{
	static struct machine m;
	struct uop_builder b;

	(void)state;
	begin(&m, 1);
	m.registers[REG_A32_MODE] = (struct bits){A32_SVC, 0xfffffffffffffffb}; /* or Abort mode */
	uop_begin(&b);
	uop_mode_change(&b, uop_constant(&b, A32_IRQ));
	run(&m, &b);
	assert_int_equal(m.registers[SP].value, m.model.sp[number_of(A32_IRQ)]);
	assert_true((m.registers[19].known & UINT32_MAX) != UINT32_MAX);
	assert_true((m.registers[21].known & UINT32_MAX) != UINT32_MAX);
	assert_int_equal(m.registers[23].value, m.model.sp[number_of(A32_UND)]);
	m.registers[REG_A32_MODE] = (struct bits){0, 0};
	uop_begin(&b);
	uop_mode_change(&b, uop_constant(&b, A32_UND));
	run(&m, &b);
	assert_true((m.registers[SP].known & UINT32_MAX) != UINT32_MAX);
	assert_int_equal(m.registers[REG_A32_MODE].value, A32_UND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(registers_are_those_of_their_modes),
	        cmocka_unit_test(what_goes_by_an_unknown_mode_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
