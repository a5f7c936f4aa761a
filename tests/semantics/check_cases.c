/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes cases and judges results; see case.h.
 *
 *	check_cases make SEED COUNT rows|any a64|a32|t32 > CASES
 *	check_cases check CASES RESULTS        exit 1 if a result differs from what the tables say
 *
 * A result may differ from what is unknown, never from what is known; a register that no
 * definition names, and a byte that no access covers, must be as before. Then every micro-operation
 * is asked again with parts of the truth hidden: it must neither deny it nor learn anything else.
 * A line a row goes to stdout.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/uop/uop_run.h"
#include "tests/semantics/make_cases.h"
#include "tests/support/opcode_rows.h"

enum {
	ROWS_MOST = 400,
	BYTES_MOST = 512,
	HIDDEN_ROUNDS = 4,
	FAILURES_SHOWN = 20,
	SIGNAL_ILL = 4,
	SIGNAL_TRAP = 5,
};

struct row_count {
	unsigned int cases;
	unsigned int executed;
	unsigned int exact;   /* everything was known */
	unsigned int partial; /* parts unknown */
	unsigned int killed;
	unsigned int undefined;
	unsigned int faulted;
	unsigned int failed;
};

/* A byte that a case has stored, or may have. */
struct stored {
	uint64_t address;
	uint8_t value;
	bool is_known;
};

struct world {
	const struct test_case *test;
	const struct test_result *result;
	uint64_t slot;
	struct bits registers[REG_COUNT];
	struct bits before[REG_COUNT]; /* the last opcode */
	struct stored bytes[BYTES_MOST];
	size_t byte_count;
	struct bits clobbers[8]; /* value: first byte; known: length */
	size_t clobber_count;
	bool memory_killed;
	bool registers_killed;
	bool has_unknown;
	struct random random;
	struct uop_builder builder;
	struct uop_run run;
	bool failed;
};

static struct row_count counts[ROWS_MOST + 1];
static unsigned int failures;

static void fail(struct world *w, const char *what, uint64_t expected, uint64_t found)
{
	struct text text = {0};

	w->failed = true;
	if (++failures > FAILURES_SHOWN)
		return;
	uop_insn_format(&w->builder.insn, &text);
	printf("FAIL opcode %08" PRIx32 " %08" PRIx32 ": %s: expected %#" PRIx64 " found %#" PRIx64
	       "\n%s",
	       w->test->opcodes[0], w->test->opcodes[1], what, expected, found,
	       text.data ? text.data : "");
	text_fini(&text);
}

static bool is_data(uint64_t address)
{
	return address >= DATA_BASE && address < DATA_BASE + (uint64_t)DATA_SIZE;
}

static uint8_t pattern_byte(uint64_t address)
{
	return (uint8_t)(case_pattern((address - DATA_BASE) / 8) >> (address % 8 * 8));
}

/* True for what lies after the opcodes of an A32 or T32 case, where its literals are. */
static bool is_trap(const struct world *w, uint64_t address)
{
	return w->test->isa != CASE_A64 && address - w->slot >= 8 && address - w->slot < CASE_SLOT;
}

static uint8_t trap_byte(const struct world *w, uint64_t address)
{
	uint32_t trap = case_trap(w->test->isa, address - w->slot);

	return (uint8_t)(trap >> (address % 4 * 8));
}

static struct bits read_byte(const struct world *w, uint64_t address)
{
	for (size_t i = w->byte_count; i-- > 0;) {
		if (w->bytes[i].address == address)
			return w->bytes[i].is_known ? (struct bits){w->bytes[i].value, 0xff}
			                            : (struct bits){0, 0};
	}
	if (is_trap(w, address))
		return (struct bits){trap_byte(w, address), 0xff};
	if (!is_data(address) || w->memory_killed)
		return (struct bits){0, 0};
	for (size_t i = 0; i < w->clobber_count; i++) {
		if (address - w->clobbers[i].value < w->clobbers[i].known)
			return (struct bits){0, 0};
	}
	return (struct bits){pattern_byte(address), 0xff};
}

static struct bits read_memory(void *context, uint64_t address, unsigned int size)
{
	struct bits value = {0, 0};

	for (unsigned int i = 0; i < size; i++) {
		struct bits byte = read_byte(context, address + i);

		value.value |= byte.value << (8 * i);
		value.known |= byte.known << (8 * i);
	}
	return value;
}

/* Without what a core ignores: a tag, or outside of A64 all but 32 bits. */
static uint64_t bare_address(const struct world *w, uint64_t address)
{
	return address & bits_mask(w->test->isa == CASE_A64 ? 56 : 32);
}

static void store_bytes(struct world *w, const struct uop_access *access, uint64_t address)
{
	struct bits data = uop_run_slot(&w->run, access->data);

	for (unsigned int i = 0; i < access->size && w->byte_count < BYTES_MOST; i++)
		w->bytes[w->byte_count++] =
		        (struct stored){address + i, (uint8_t)(data.value >> (8 * i)),
		                        (data.known >> (8 * i) & 0xff) == 0xff};
}

static void apply_access(struct world *w, const struct uop_access *access)
{
	struct bits address = uop_run_address(&w->run, access);
	struct bits happens = uop_run_happens(&w->run, access);

	if (access->kind == ACCESS_LOAD)
		return;
	if (!bits_all_known(&address, 64) || (happens.known & 1) == 0) {
		w->memory_killed = true;
		return;
	}
	address.value = bare_address(w, address.value);
	if (happens.value == 0)
		return;
	if (access->kind == ACCESS_CLOBBER)
		w->clobbers[w->clobber_count++] =
		        (struct bits){address.value, uop_run_length(&w->run, access)};
	else
		store_bytes(w, access, address.value);
}

static struct bits actual_register_a32(const struct test_result *result, unsigned int reg)
{
	if (reg < 15)
		return bits_of(result->state.x[reg]);
	if (reg >= REG_V0)
		return reg < REG_V0 + 32 ? bits_of(result->state.v[reg - REG_V0])
		                         : (struct bits){0, 0};
	switch (reg) {
	case REG_NZCV:
		return bits_of(UINT64_C(1) << result->state.nzcv);
	case REG_PSTATE: /* all but T, GE and what IT keeps there */
		return bits_of(result->state.pstate & ~UINT64_C(0x060ffc20));
	case REG_A32_GE:
		return bits_of(result->state.pstate >> A32_GE_AT & 15);
	case REG_FPSR:
		return bits_of(result->state.fpsr);
	case REG_TPIDR_EL0:
		return bits_of(result->state.tpidr);
	default:
		return (struct bits){0, 0};
	}
}

static struct bits actual_register_a64(const struct test_result *result, unsigned int reg)
{
	if (reg < 31)
		return bits_of(result->state.x[reg]);
	if (reg >= REG_V0)
		return bits_of(result->state.v[reg - REG_V0]);
	switch (reg) {
	case REG_SP:
		return bits_of(result->state.sp);
	case REG_NZCV:
		return bits_of(UINT64_C(1) << result->state.nzcv);
	case REG_FPSR:
		return bits_of(result->state.fpsr);
	case REG_TPIDR_EL0:
		return bits_of(result->state.tpidr);
	case REG_VL:
		return bits_of(result->vector_bytes);
	case REG_DCZID:
		return bits_of(result->dczid);
	default:
		return (struct bits){0, 0};
	}
}

static struct bits actual_register(const struct world *w, const struct test_result *result,
                                   unsigned int reg)
{
	return w->test->isa == CASE_A64 ? actual_register_a64(result, reg)
	                                : actual_register_a32(result, reg);
}

static void start_registers(struct world *w)
{
	struct test_result before = {.vector_bytes = w->result->vector_bytes,
	                             .dczid = w->result->dczid,
	                             .state = w->test->state};

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		w->registers[reg] = actual_register(w, &before, reg);
}

/* A result that is unknown, and that a register shows, is known by the truth: a status. */
static void learn_unknowns(struct world *w, const struct uop_insn *insn)
{
	for (size_t i = 0; i < insn->def_count; i++) {
		unsigned int slot = insn->defs[i].slot;
		struct bits actual = actual_register(w, w->result, insn->defs[i].reg);

		if (slot < SLOT_TEMP || slot >= SLOT_CONSTANT)
			continue;
		if (!bits_all_known(&w->run.temps[slot - SLOT_TEMP], 64))
			w->has_unknown = true;
		if (bits_learn(&w->run.temps[slot - SLOT_TEMP], actual.value, actual.known))
			continue;
		fail(w, "result of an operation", w->run.temps[slot - SLOT_TEMP].value,
		     actual.value);
	}
}

static struct bits *node(struct bits *nodes, const struct uop_insn *insn, unsigned int slot)
{
	static struct bits zero;

	zero = bits_of(0);
	if (slot == SLOT_NONE || slot == SLOT_ZERO)
		return &zero;
	if (slot >= SLOT_CONSTANT)
		nodes[slot] = bits_of(insn->constants[slot - SLOT_CONSTANT]);
	return &nodes[slot];
}

static struct bits hide(struct random *r, struct bits truth)
{
	uint64_t mask = random_next(r);

	switch (random_below(r, 6)) {
	case 0:
		mask = 0;
		break;
	case 1:
	case 2:
		mask = UINT64_MAX;
		break;
	case 3:
		mask = bits_mask((unsigned int)random_below(r, 65));
		break;
	case 4:
		mask |= random_next(r);
		break;
	default:
		break;
	}
	truth.known &= mask;
	truth.value &= mask;
	return truth;
}

/* True if nothing that is known of the node denies the truth. */
static bool is_true(const struct bits *found, const struct bits *truth)
{
	return ((found->value ^ truth->value) & found->known & truth->known) == 0;
}

/* Micro-operations between partly hidden values must be true of the whole ones. */
static void check_hidden(struct world *w, const struct uop_insn *insn)
{
	struct bits truth[256] = {{0, 0}};
	struct bits nodes[256];
	bool holds = true;

	memcpy(truth, w->before, sizeof(w->before));
	memcpy(truth + SLOT_TEMP, w->run.temps, sizeof(w->run.temps));
	for (unsigned int i = 0; i < 256; i++)
		nodes[i] = hide(&w->random, truth[i]);
	for (unsigned int round = 0; round < 3 && holds; round++) {
		for (size_t i = 0; i < insn->op_count && holds; i++) {
			const struct uop *op = &insn->ops[i];

			holds = uop_refine(op, node(nodes, insn, op->dst), node(nodes, insn, op->a),
			                   node(nodes, insn, op->b), node(nodes, insn, op->c));
		}
	}
	if (!holds)
		fail(w, "the truth is denied", 0, 0);
	for (unsigned int i = 0; i < SLOT_CONSTANT && holds; i++) {
		if (!is_true(&nodes[i], &truth[i]))
			fail(w, "a hidden value is found wrong", truth[i].value, nodes[i].value);
	}
}

static unsigned int opcode_size(const struct test_case *test, uint32_t index)
{
	return test->isa == CASE_T32 && test->opcodes[index] < 0x10000 ? 2 : 4;
}

/* Bytes of the first `count` opcodes. */
static uint64_t code_size(const struct test_case *test, uint32_t count)
{
	uint64_t size = 0;

	for (uint32_t i = 0; i < count; i++)
		size += opcode_size(test, i);
	return size;
}

static void expand(struct world *w, uint32_t index, uint64_t address)
{
	const struct test_case *test = w->test;
	bool is_last = index + 1 == test->count;

	if (test->isa == CASE_A64)
		sem_a64(test->opcodes[index], address, &w->builder);
	else if (test->isa == CASE_A32)
		sem_a32(test->opcodes[index], (uint32_t)address, &w->builder);
	else
		sem_t32(test->opcodes[index], (uint32_t)address,
		        is_last ? test->it : (unsigned int)SEM_NO_IT, &w->builder);
}

/* Runs one opcode of the case on what is known. */
static void step(struct world *w, uint32_t index)
{
	const struct uop_insn *insn = &w->builder.insn;
	struct uop_memory memory = {read_memory, w};
	bool is_last = index + 1 == w->test->count;

	memcpy(w->before, w->registers, sizeof(w->before));
	expand(w, index, w->slot + code_size(w->test, index));
	if (!uop_run(insn, w->before, &memory, &w->run)) {
		fail(w, "contradiction", 0, 0);
		return;
	}
	if ((insn->flags & UOP_KILLS_MEMORY) != 0)
		w->memory_killed = true;
	if ((insn->flags & UOP_KILLS_REGISTERS) != 0) {
		w->registers_killed = true;
		return;
	}
	if (is_last)
		learn_unknowns(w, insn);
	for (unsigned int i = 0; i < HIDDEN_ROUNDS; i++)
		check_hidden(w, insn);
	for (size_t i = 0; i < insn->access_count; i++)
		apply_access(w, &insn->accesses[i]);
	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		w->registers[reg] = uop_run_after(&w->run, reg);
}

static void check_registers(struct world *w)
{
	for (unsigned int reg = 0; reg < REG_COUNT && !w->registers_killed; reg++) {
		struct bits actual = actual_register(w, w->result, reg);
		struct text name = {0};

		if (((w->registers[reg].value ^ actual.value) & w->registers[reg].known &
		     actual.known) == 0)
			continue;
		uop_register_name(reg, &name);
		fail(w, name.data ? name.data : "?", w->registers[reg].value, actual.value);
		text_fini(&name);
	}
}

/* What the byte is now, by the result. */
static uint8_t actual_byte(const struct world *w, uint64_t address)
{
	for (unsigned int i = 0; i < w->result->changes && i < CASE_CHANGES; i++) {
		if (w->result->change[i].address == (address & ~UINT64_C(7)))
			return (uint8_t)(w->result->change[i].value >> (address % 8 * 8));
	}
	return pattern_byte(address);
}

static void check_byte(struct world *w, uint64_t address)
{
	struct bits expected = read_byte(w, address);
	uint8_t found = actual_byte(w, address);

	if (((expected.value ^ found) & expected.known) != 0)
		fail(w, "byte in memory", expected.value | address << 8, found);
}

static void check_memory(struct world *w)
{
	if (w->memory_killed || w->result->changes > CASE_CHANGES)
		return;
	for (size_t i = 0; i < w->byte_count; i++) {
		if (is_data(w->bytes[i].address))
			check_byte(w, w->bytes[i].address);
	}
	for (unsigned int i = 0; i < w->result->changes; i++) {
		for (unsigned int byte = 0; byte < 8; byte++)
			check_byte(w, w->result->change[i].address + byte);
	}
}

static void check_indirect(struct world *w, const struct uop_branch *branch)
{
	uint64_t mask = bits_mask(branch->target_bits < 56 ? branch->target_bits : 56);
	struct bits target = uop_run_slot(&w->run, branch->slot);
	struct bits state;

	if (((target.value ^ w->result->pc) & target.known & mask) != 0)
		fail(w, "indirect target", target.value, w->result->pc);
	if (w->test->isa == CASE_A64)
		return;
	state = bits_of(w->test->isa == CASE_T32);
	if (branch->interworks)
		state = uop_run_slot(&w->run, branch->state);
	if ((state.known & 1) != 0 &&
	    (state.value & 1) != (w->result->state.pstate & CPSR_T) / CPSR_T)
		fail(w, "state of the target", state.value & 1, w->result->state.pstate & CPSR_T);
}

/* Where the last opcode went, by the PC that the trap is at. */
static void check_branch(struct world *w)
{
	const struct uop_branch *branch = &w->builder.insn.branch;
	uint64_t next = w->slot + code_size(w->test, w->test->count);
	uint64_t pc = w->result->pc;
	struct bits taken;

	if (w->registers_killed)
		return;
	switch (branch->kind) {
	case BRANCH_NONE:
		if (pc != next)
			fail(w, "next PC", next, pc);
		break;
	case BRANCH_DIRECT:
		if (pc != branch->target)
			fail(w, "target", branch->target, pc);
		break;
	case BRANCH_CONDITIONAL:
		if (branch->slot == SLOT_NONE)
			break;
		taken = uop_run_slot(&w->run, branch->slot);
		if ((taken.known & 1) == 0)
			fail(w, "condition is unknown", 0, pc);
		else if (pc != (taken.value == branch->taken_value ? branch->target : next))
			fail(w, "conditional target", branch->target, pc);
		break;
	case BRANCH_CONDITIONAL_INDIRECT:
		taken = uop_run_slot(&w->run, branch->when);
		if ((taken.known & 1) == 0)
			fail(w, "condition is unknown", 0, pc);
		else if (taken.value != 0)
			check_indirect(w, branch);
		else if (pc != next)
			fail(w, "next PC", next, pc);
		break;
	case BRANCH_INDIRECT:
		check_indirect(w, branch);
		break;
	default:
		break;
	}
}

/* An opcode that did not complete has no result: it is undefined, or its address is bad. */
static bool has_run(const struct world *w, struct row_count *count)
{
	uint64_t end = w->slot + code_size(w->test, w->test->count);

	if (w->result->pc < w->slot || w->result->pc >= end)
		return true;
	if (w->result->signal == SIGNAL_ILL)
		count->undefined++;
	else
		count->faulted++;
	return false;
}

static void judge(struct world *w, struct row_count *count)
{
	count->cases++;
	if (!has_run(w, count))
		return;
	count->executed++;
	start_registers(w);
	for (unsigned int i = 0; i < w->test->count && !w->registers_killed; i++)
		step(w, i);
	check_registers(w);
	check_memory(w);
	check_branch(w);
	if (w->registers_killed)
		count->killed++;
	else if (w->has_unknown || w->memory_killed || w->clobber_count > 0)
		count->partial++;
	else
		count->exact++;
	count->failed += w->failed;
}

typedef bool row_function(size_t index, struct sem_row_info *row);

static row_function *const row_of[] = {
        [CASE_A64] = sem_a64_row, [CASE_A32] = sem_a32_row, [CASE_T32] = sem_t32_row};

static void print_counts(enum case_isa isa)
{
	struct sem_row_info info;

	printf("%-16s %8s %8s %8s %8s %8s %8s %8s %8s\n", "row", "cases", "run", "exact", "partial",
	       "killed", "undef", "fault", "failed");
	for (size_t row = 0; row <= ROWS_MOST; row++) {
		const struct row_count *c = &counts[row];

		if (!row_of[isa](row, &info))
			info.name = "(none)";
		if (c->cases > 0)
			printf("%-16s %8u %8u %8u %8u %8u %8u %8u %8u\n", info.name, c->cases,
			       c->executed, c->exact, c->partial, c->killed, c->undefined,
			       c->faulted, c->failed);
	}
}

static int check(FILE *cases, FILE *results)
{
	static struct test_case test;
	static struct test_result result;
	static struct world w;

	for (uint64_t index = 0; fread(&test, sizeof(test), 1, cases) == 1; index++) {
		if (fread(&result, sizeof(result), 1, results) != 1) {
			printf("results end at case %" PRIu64 "\n", index);
			return 1;
		}
		memset(&w, 0, sizeof(w));
		w.test = &test;
		w.result = &result;
		w.slot = case_slot(index);
		w.random.state = index;
		judge(&w, &counts[test.row < ROWS_MOST ? test.row : ROWS_MOST]);
	}
	print_counts((enum case_isa)test.isa);
	printf("%u failures\n", failures);
	return failures > 0;
}

static size_t row_count(enum case_isa isa)
{
	struct sem_row_info info;
	size_t rows = 0;

	while (row_of[isa](rows, &info))
		rows++;
	return rows;
}

static int make(uint64_t seed, uint64_t count, bool any, enum case_isa isa)
{
	struct random random = {seed * 1000003};
	size_t rows = row_count(isa);
	struct test_case test;

	for (uint64_t i = 0; rows > 0 && i < count && i < CASE_MOST; i++) {
		if (isa == CASE_A64)
			make_case(&random, any ? rows : i % rows, i, &test);
		else
			make_case_a32(&random, isa, any ? rows : i % rows, i, &test);
		if (fwrite(&test, sizeof(test), 1, stdout) != 1)
			return 1;
	}
	return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	static const char *const isas[] = {"a64", "a32", "t32"};
	enum case_isa isa = CASE_A64;
	FILE *cases;
	FILE *results;
	int failed;

	while (argc == 6 && isa < CASE_T32 && strcmp(argv[5], isas[isa]) != 0)
		isa++;
	if (argc == 6 && strcmp(argv[1], "make") == 0)
		return make(strtoull(argv[2], NULL, 0), strtoull(argv[3], NULL, 0),
		            strcmp(argv[4], "any") == 0, isa);
	if (argc != 4 || strcmp(argv[1], "check") != 0)
		return 2;
	cases = fopen(argv[2], "rb");
	results = fopen(argv[3], "rb");
	failed = !cases || !results || check(cases, results) != 0;
	if (cases)
		(void)fclose(cases);
	if (results)
		(void)fclose(results);
	return failed;
}
