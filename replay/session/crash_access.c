/* SPDX-License-Identifier: Apache-2.0 */
/* Of one instruction, by its micro-operations; see crash_access.h. */
#include "replay/session/crash_access.h"

#include "arch/a32/a32.h"
#include "arch/a64/a64.h"
#include "arch/uop/uop.h"

enum { ADDRESS_BITS = 56 }; /* what is above may be a tag (Arm ARM D8.8, TBI) */

static uint32_t view_of(const struct session *session, const struct crash_instruction *at)
{
	/* The instruction before the exception was seen from where this one was. */
	uint64_t position = at->is_other_mode && at->position > 0 ? at->position - 1 : at->position;

	return history_view(session_history(session, at->core), position);
}

bool crash_opcode(const struct session *session, const struct crash_instruction *at,
                  uint32_t *opcode, unsigned int *size)
{
	const struct memmap *memory = history_memory(session_history(session, at->core));
	uint8_t bytes[4] = {0};
	size_t count = memmap_read(memory, view_of(session, at), at->address, bytes, sizeof(bytes));

	*size = at->isa == ISA_T32 ? insn_t32_size(insn_opcode(bytes, 2, ISA_T32)) : 4;
	*opcode = insn_opcode(bytes, *size, at->isa);
	return count >= *size;
}

/* False if it is in no table. */
static bool expand(const struct session *session, const struct crash_instruction *at,
                   struct uop_builder *b)
{
	uint32_t opcode;
	unsigned int size;

	if (!crash_opcode(session, at, &opcode, &size))
		return false;
	if (at->isa == ISA_A64)
		sem_a64(opcode, at->address, b);
	else if (at->isa == ISA_T32)
		sem_t32(opcode, (uint32_t)at->address, SEM_NO_IT, b);
	else if (at->isa == ISA_A32)
		sem_a32(opcode, (uint32_t)at->address, b);
	else
		return false;
	return (b->insn.flags & UOP_NOT_IN_TABLE) == 0;
}

/* The general registers that the slot's value is made of, each operation's operands in turn. */
static uint32_t roots(const struct uop_insn *insn, unsigned int slot)
{
	uint32_t registers = slot <= REG_SP ? UINT32_C(1) << slot : 0;
	bool wanted[UOP_TEMPS] = {false};

	if (slot >= SLOT_TEMP && slot < SLOT_CONSTANT)
		wanted[slot - SLOT_TEMP] = true;
	/* A temporary is written before it is read: backward, all of its readers come first. */
	for (size_t i = insn->op_count; i-- > 0;) {
		const struct uop *op = &insn->ops[i];
		const uint8_t operands[] = {op->a, op->b, op->c};

		if (op->op == UOP_STORE || !wanted[op->dst - SLOT_TEMP])
			continue;
		for (size_t j = 0; j < sizeof(operands); j++) {
			if (operands[j] <= REG_SP)
				registers |= UINT32_C(1) << operands[j];
			else if (operands[j] >= SLOT_TEMP && operands[j] < SLOT_CONSTANT)
				wanted[operands[j] - SLOT_TEMP] = true;
		}
	}
	return registers;
}

/* The register's number in the register file, or -1 if its value at the position is another. */
static int number_of(const struct session *session, const struct crash_instruction *at,
                     unsigned int slot)
{
	switch (session_core(session, at->core)->arch) {
	case CORE_A64:
		if (at->isa != ISA_A64 || (slot == REG_SP && at->is_other_mode))
			return -1;
		return slot == REG_SP ? A64_sp : A64_x0 + (int)slot;
	case CORE_A32:
	case CORE_M:
		if (slot > 14 || (slot >= 13 && at->is_other_mode))
			return -1;
		return A32_r0 + (int)slot;
	}
	return -1;
}

static void read_registers(const struct session *session, const struct crash_instruction *at,
                           const struct uop_insn *insn, struct bits *registers)
{
	for (unsigned int i = 0; at->has_values && i <= REG_SP; i++) {
		int number = uop_insn_uses(insn, i) ? number_of(session, at, i) : -1;
		struct value value;

		if (number < 0)
			continue;
		session_register_at(session, at->core, at->position, (unsigned int)number, &value);
		if (value_is_known(&value))
			registers[i] = bits_of(value_u64(&value));
	}
}

static struct bits read_nothing(void *context, uint64_t address, unsigned int size)
{
	(void)context;
	(void)address;
	(void)size;
	return (struct bits){0, 0};
}

static bool covers(uint64_t address, uint64_t length, uint64_t fault)
{
	return ((fault - address) & bits_mask(ADDRESS_BITS)) < length;
}

static bool is_wanted(const struct uop_access *access, enum syndrome_access wanted)
{
	if (wanted == SYNDROME_READ)
		return access->kind == ACCESS_LOAD;
	return wanted != SYNDROME_WRITE || access->kind != ACCESS_LOAD;
}

/* Index of the access in question, or access_count. */
static size_t choose(const struct uop_run *run, const uint64_t *fault, enum syndrome_access wanted)
{
	const struct uop_insn *insn = run->insn;
	unsigned int width = (insn->flags & UOP_AARCH32) != 0 ? 32 : 64;
	size_t open = insn->access_count;

	for (size_t i = insn->access_count; i-- > 0;) {
		const struct uop_access *access = &insn->accesses[i];
		struct bits address = uop_run_address(run, access);

		if (!is_wanted(access, wanted))
			continue;
		if (!fault || !bits_all_known(&address, width))
			open = i;
		else if (covers(address.value, uop_run_length(run, access), *fault))
			return i;
	}
	return open;
}

bool crash_access_find(const struct session *session, const struct crash_instruction *at,
                       const uint64_t *fault, enum syndrome_access access,
                       struct crash_access *found)
{
	static const struct uop_memory nothing = {.read = read_nothing};
	struct bits registers[REG_COUNT] = {{0, 0}};
	struct uop_builder b;
	struct uop_run run;
	struct bits address;
	size_t index;

	if (!expand(session, at, &b))
		return false;
	read_registers(session, at, &b.insn, registers);
	if (!uop_run(&b.insn, registers, &nothing, &run))
		return false;
	index = choose(&run, fault, access);
	if (index == b.insn.access_count)
		return false;
	address = uop_run_address(&run, &b.insn.accesses[index]);
	found->access = b.insn.accesses[index].kind == ACCESS_LOAD ? SYNDROME_READ : SYNDROME_WRITE;
	found->registers = roots(&b.insn, b.insn.accesses[index].address);
	found->has_address = bits_all_known(&address, (b.insn.flags & UOP_AARCH32) != 0 ? 32 : 64);
	found->address = address.value;
	return true;
}

uint32_t crash_branch_registers(const struct session *session, const struct crash_instruction *at)
{
	struct uop_builder b;

	if (!expand(session, at, &b) || (b.insn.branch.kind != BRANCH_INDIRECT &&
	                                 b.insn.branch.kind != BRANCH_CONDITIONAL_INDIRECT))
		return 0;
	return roots(&b.insn, b.insn.branch.slot);
}
