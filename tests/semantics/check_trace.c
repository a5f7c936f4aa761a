/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes every instruction of a recorded program forward, from the recorded state before it, and
 * compares with the recorded state after it: general registers, SP, flags, and memory.
 *
 *	check_trace SNAPSHOT TRUTH MEMTRUTH FIRST LAST a64|a32
 *
 * TRUTH and MEMTRUTH are those of corpus/crashes, unpacked. Vector registers are not recorded; they
 * are what the instructions before made of them, as far as that is known. Exit 1 on any
 * difference. Of a32 the recorded CPSR says what is T32, and in an IT block. Prints which rows
 *killed everything, or left a general register unknown, how often.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/uop/uop_run.h"
#include "base/file.h"
#include "snapshot/snapshot.h"
#include "tests/support/opcode_rows.h"

enum {
	PAGE = 4096,
	BUCKETS = 1 << 12,
	ROWS_MOST = 400,
	RECORD_WORDS = 34, /* pc, x0..x30, sp, pstate and padding */
	RECORD_PC = 0,
	RECORD_X0 = 1,
	RECORD_SP = 32,
	RECORD_PSTATE = 33,
	FAILURES_SHOWN = 20,
	CPSR_T = 1 << 5,
};

/* Statistics by row of a table, one after the other. */
enum table { TABLE_A64, TABLE_A32, TABLE_T32, TABLES };

typedef bool row_function(size_t index, struct sem_row_info *row);

static row_function *const row_functions[TABLES] = {sem_a64_row, sem_a32_row, sem_t32_row};

/* Memory as it was at the current step. */
struct page {
	uint64_t address;
	struct page *next;
	uint8_t bytes[PAGE];
	uint8_t known[PAGE];
};

struct trace {
	const struct memmap *map;
	struct page *pages[BUCKETS];
	struct arena arena;
	struct bytes truth;
	struct bytes changes;
	uint64_t first;
	uint64_t last;
	bool is_a32;
	struct bits registers[REG_COUNT];
	struct uop_builder builder;
	struct uop_run run;
	uint64_t unknown_registers[TABLES][ROWS_MOST];
	uint64_t killed[TABLES][ROWS_MOST];
	uint64_t executed;
	uint64_t compared;
	uint64_t bytes_compared;
	uint64_t failures;
};

struct change {
	uint64_t step;
	uint64_t length;
	uint64_t address;
	const uint8_t *old;
	const uint8_t *new;
};

static struct page *page_of(struct trace *t, uint64_t address)
{
	uint64_t first = address & ~(uint64_t)(PAGE - 1);
	struct page **bucket = &t->pages[first / PAGE % BUCKETS];
	struct page *page = *bucket;

	while (page && page->address != first)
		page = page->next;
	if (page)
		return page;
	page = arena_alloc(&t->arena, sizeof(*page));
	if (!page)
		exit(2);
	page->address = first;
	page->next = *bucket;
	*bucket = page;
	for (unsigned int i = 0; i < PAGE; i++)
		page->known[i] = memmap_read(t->map, SPACE_ANY, first + i, &page->bytes[i], 1) == 1;
	return page;
}

static struct bits read_memory(void *context, uint64_t address, unsigned int size)
{
	struct bits value = {0, 0};

	address &= bits_mask(56);
	for (unsigned int i = 0; i < size; i++) {
		struct page *page = page_of(context, address + i);
		unsigned int at = (address + i) % PAGE;

		if (!page->known[at])
			continue;
		value.value |= (uint64_t)page->bytes[at] << (8 * i);
		value.known |= (uint64_t)0xff << (8 * i);
	}
	return value;
}

static void write_memory(struct trace *t, uint64_t address, const uint8_t *bytes, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++) {
		struct page *page = page_of(t, address + i);

		page->bytes[(address + i) % PAGE] = bytes[i];
		page->known[(address + i) % PAGE] = 1;
	}
}

/* The change at the cursor, which moves after it; false at the end. */
static bool next_change(struct bytes *at, struct change *change)
{
	uint64_t address;

	if (bytes_le(at, 4, &change->step) != STATUS_OK ||
	    bytes_le(at, 4, &change->length) != STATUS_OK || bytes_le(at, 8, &address) != STATUS_OK)
		return false;
	change->address = address;
	change->old = at->pos;
	if (bytes_skip(at, change->length) != STATUS_OK)
		return false;
	change->new = at->pos;
	return bytes_skip(at, change->length) == STATUS_OK;
}

/* From the memory at the end to that before step `first`. */
static void rewind_memory(struct trace *t)
{
	struct bytes at = t->changes;
	struct change change;
	size_t count = 0;
	size_t *offsets;

	while (next_change(&at, &change))
		count++;
	offsets = calloc(count + 1, sizeof(*offsets));
	if (!offsets)
		exit(2);
	at = t->changes;
	for (size_t i = 0; i < count; i++) {
		offsets[i] = bytes_offset(&at);
		(void)next_change(&at, &change);
	}
	while (count-- > 0) {
		at = t->changes;
		if (bytes_seek(&at, offsets[count]) != STATUS_OK || !next_change(&at, &change) ||
		    change.step < t->first)
			break;
		write_memory(t, change.address, change.old, change.length);
	}
	free(offsets);
}

static uint64_t truth_word(const struct trace *t, uint64_t record, unsigned int word)
{
	struct bytes at = t->truth;
	uint64_t value;

	if (bytes_seek(&at, (record * RECORD_WORDS + word) * 8) != STATUS_OK ||
	    bytes_le(&at, 8, &value) != STATUS_OK) {
		printf("the truth has no record %" PRIu64 "\n", record);
		exit(2);
	}
	return value;
}

/* What is recorded of a register before step `record`; nothing of vectors and of the rest. */
static struct bits true_register(const struct trace *t, uint64_t record, unsigned int reg)
{
	if (reg < (t->is_a32 ? 15 : 31))
		return bits_of(truth_word(t, record, RECORD_X0 + reg));
	if (reg == REG_SP && !t->is_a32)
		return bits_of(truth_word(t, record, RECORD_SP));
	if (reg == REG_NZCV)
		return bits_of(UINT64_C(1) << (truth_word(t, record, RECORD_PSTATE) >> 28 & 15));
	return (struct bits){0, 0};
}

static void fail(struct trace *t, uint64_t step, const char *what, uint64_t expected,
                 uint64_t found)
{
	struct text text = {0};

	if (++t->failures > FAILURES_SHOWN)
		return;
	uop_insn_format(&t->builder.insn, &text);
	printf("step %" PRIu64 " pc %#" PRIx64 ": %s: computed %#" PRIx64 ", recorded %#" PRIx64
	       "\n%s",
	       step, truth_word(t, step, RECORD_PC), what, expected, found,
	       text.data ? text.data : "");
	text_fini(&text);
}

static void check_registers(struct trace *t, uint64_t step, uint64_t *unknown)
{
	struct bits after[REG_COUNT];

	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		struct bits actual = true_register(t, step + 1, reg);
		struct text name = {0};

		after[reg] = uop_run_after(&t->run, reg);
		if ((actual.known & ~after[reg].known) != 0)
			++*unknown;
		t->compared++;
		if (((after[reg].value ^ actual.value) & after[reg].known & actual.known) == 0)
			continue;
		uop_register_name(reg, &name);
		fail(t, step, name.data ? name.data : "?", after[reg].value, actual.value);
		text_fini(&name);
	}
	memcpy(t->registers, after, sizeof(after));
}

/*
 * True if an access of the instruction may have changed the byte. The recorder noticed what SVE
 * stored only some instructions later: a byte that may have been overwritten is covered from then
 * on.
 */
static bool is_covered(struct trace *t, uint64_t address)
{
	const struct uop_insn *insn = &t->builder.insn;

	if (!page_of(t, address)->known[address % PAGE])
		return true;

	if ((insn->flags & UOP_KILLS_MEMORY) != 0)
		return true;
	for (size_t i = 0; i < insn->access_count; i++) {
		const struct uop_access *access = &insn->accesses[i];
		struct bits first = uop_run_address(&t->run, access);
		uint64_t length = access->kind == ACCESS_CLOBBER ? access->length : access->size;

		if (access->kind != ACCESS_LOAD &&
		    (!bits_all_known(&first, 64) ||
		     address - (first.value & bits_mask(56)) < length))
			return true;
	}
	return false;
}

/* Makes the recorded changes of the step, each of which an access must explain. */
static void apply_changes(struct trace *t, struct bytes *at, uint64_t step, bool is_call)
{
	struct bytes ahead = *at;
	struct change change;

	while (next_change(&ahead, &change) && change.step <= step) {
		for (uint64_t i = 0; i < change.length && change.step == step && !is_call; i++) {
			if (change.old[i] != change.new[i] && !is_covered(t, change.address + i))
				fail(t, step, "change of memory", 0, change.address + i);
		}
		write_memory(t, change.address, change.new, change.length);
		*at = ahead;
	}
}

/* What may have been overwritten is unknown. */
static void apply_clobbers(struct trace *t)
{
	const struct uop_insn *insn = &t->builder.insn;

	for (size_t i = 0; i < insn->access_count; i++) {
		const struct uop_access *access = &insn->accesses[i];
		uint64_t first = uop_run_address(&t->run, access).value & bits_mask(56);

		if (access->kind != ACCESS_CLOBBER)
			continue;
		for (uint64_t k = 0; k < uop_run_length(&t->run, access); k++)
			page_of(t, first + k)->known[(first + k) % PAGE] = 0;
	}
}

/* What the instruction stored must be there now. */
static void check_stores(struct trace *t, uint64_t step)
{
	const struct uop_insn *insn = &t->builder.insn;

	for (size_t i = 0; i < insn->access_count; i++) {
		const struct uop_access *access = &insn->accesses[i];
		struct bits address = uop_run_address(&t->run, access);
		struct bits happens = uop_run_happens(&t->run, access);
		struct bits found;
		struct bits data;

		if (access->kind != ACCESS_STORE || !bits_all_known(&address, 64) ||
		    happens.value == 0)
			continue;
		data = uop_run_slot(&t->run, access->data);
		found = read_memory(t, address.value, access->size);
		t->bytes_compared += access->size;
		if (((data.value ^ found.value) & data.known & found.known) != 0)
			fail(t, step, "stored", data.value, found.value);
	}
}

/* The condition that the recorded IT state has for the instruction. */
static unsigned int it_of(uint64_t cpsr)
{
	unsigned int it = (unsigned int)((cpsr >> 25 & 3) | (cpsr >> 10 & 0x3f) << 2);

	return (it & 15) == 0 ? (unsigned int)SEM_NO_IT : it >> 4;
}

/* The instruction at the PC in the builder; its table and row. False if its memory is not there. */
static bool expand(struct trace *t, uint64_t step, enum table *table, size_t *row)
{
	uint64_t pc = truth_word(t, step, RECORD_PC);
	uint64_t cpsr = truth_word(t, step, RECORD_PSTATE);
	uint8_t b[4] = {0};
	size_t size = memmap_read(t->map, SPACE_ANY, pc, b, 4);
	uint32_t opcode =
	        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;

	if (!t->is_a32) {
		*table = TABLE_A64;
		*row = sem_a64_row_of(opcode);
		sem_a64(opcode, pc, &t->builder);
		return size == 4;
	}
	if ((cpsr & CPSR_T) == 0) {
		*table = TABLE_A32;
		*row = sem_a32_row_of(opcode);
		sem_a32(opcode, (uint32_t)pc, &t->builder);
		return size == 4;
	}
	opcode = (opcode & 0xffff) >> 11 < 0x1d ? opcode & 0xffff : opcode << 16 | opcode >> 16;
	*table = TABLE_T32;
	*row = sem_t32_row_of(opcode);
	sem_t32(opcode, (uint32_t)pc, it_of(cpsr), &t->builder);
	return size >= 2;
}

static void check_step(struct trace *t, uint64_t step, struct bytes *changes)
{
	struct uop_memory memory = {read_memory, t};
	enum table table;
	size_t row;
	bool is_call;

	if (!expand(t, step, &table, &row))
		return;
	row = row < ROWS_MOST ? row : ROWS_MOST - 1;
	for (unsigned int reg = 0; reg <= REG_NZCV; reg++)
		t->registers[reg] = true_register(t, step, reg);
	t->executed++;
	is_call = t->builder.insn.branch.kind == BRANCH_EXCEPTION;
	if (!uop_run(&t->builder.insn, t->registers, &memory, &t->run))
		fail(t, step, "contradiction", 0, 0);
	apply_changes(t, changes, step, is_call);
	if (is_call || (t->builder.insn.flags & UOP_KILLS_REGISTERS) != 0) {
		if (!is_call)
			t->killed[table][row]++;
		memset(t->registers, 0, sizeof(t->registers));
		return;
	}
	check_stores(t, step);
	apply_clobbers(t);
	/* a status that is not known is what it was: it says whether a store happened */
	check_registers(t, step, &t->unknown_registers[table][row]);
}

static void print_table(const struct trace *t, enum table table)
{
	struct sem_row_info info;

	for (size_t row = 0; row_functions[table](row, &info); row++) {
		if (t->killed[table][row] > 0)
			printf("%-16s killed everything %" PRIu64 " times\n", info.name,
			       t->killed[table][row]);
		if (t->unknown_registers[table][row] > 0)
			printf("%-16s left registers unknown %" PRIu64 " times\n", info.name,
			       t->unknown_registers[table][row]);
	}
}

static void print_rows(const struct trace *t)
{
	for (unsigned int table = 0; table < TABLES; table++)
		print_table(t, (enum table)table);
	printf("%" PRIu64 " instructions, %" PRIu64 " registers and %" PRIu64
	       " stored bytes compared, %" PRIu64 " differ\n",
	       t->executed, t->compared, t->bytes_compared, t->failures);
}

static int run(struct trace *t, char **argv)
{
	struct diag_list diags = {0};
	struct snapshot_options options = {0};
	struct snapshot *snapshot;
	struct file_map truth = {0};
	struct file_map changes = {0};
	struct bytes at;
	bool is_open = snapshot_open(argv[1], &options, &diags, &snapshot) == STATUS_OK &&
	               file_map_open(argv[2], place_none(), &diags, &truth) == STATUS_OK &&
	               file_map_open(argv[3], place_none(), &diags, &changes) == STATUS_OK;

	if (!is_open || snapshot->core_count == 0)
		return 2;
	t->map = snapshot->cores[0].memory;
	t->truth = file_map_bytes(&truth);
	t->changes = file_map_bytes(&changes);
	t->first = strtoull(argv[4], NULL, 0);
	t->last = strtoull(argv[5], NULL, 0);
	t->is_a32 = strcmp(argv[6], "a32") == 0;
	rewind_memory(t);
	at = t->changes;
	for (uint64_t step = t->first; step <= t->last; step++)
		check_step(t, step, &at);
	print_rows(t);
	arena_fini(&t->arena);
	file_map_close(&truth);
	file_map_close(&changes);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	return t->failures > 0;
}

int main(int argc, char **argv)
{
	static struct trace trace;

	return argc == 7 ? run(&trace, argv) : 2;
}
