/* SPDX-License-Identifier: Apache-2.0 */
/* Registers, memory and opcodes of a core at its halt; see crash_source.h. */
#include "replay/session/crash_source.h"

#include "replay/session/crash_access.h"

/* Opcodes that an exception is all there is of: Arm ARM, BRK, BKPT, UDF. */
static const struct {
	enum isa isa;
	uint32_t mask;
	uint32_t match;
	enum syndrome_signal signal;
	const char *what;
	struct {
		uint8_t low;   /* bits of the immediate's lowest bits in the opcode */
		uint8_t count; /* of them */
		uint8_t high;  /* and of what comes above these, as far as the mask is clear */
		uint8_t high_count;
	} immediate;
} opcodes[] = {
        {ISA_A64, 0xffe0001f, 0xd4200000, SYNDROME_TRAP, "BRK instruction", {5, 16, 0, 0}},
        {ISA_A64, 0xffe0001f, 0xd4400000, SYNDROME_TRAP, "HLT instruction", {5, 16, 0, 0}},
        {ISA_A64, 0xffff0000, 0x00000000, SYNDROME_ILL, "UDF instruction", {0, 16, 0, 0}},
        {ISA_A32, 0xfff000f0, 0xe1200070, SYNDROME_TRAP, "BKPT instruction", {0, 4, 8, 12}},
        {ISA_A32, 0xfff000f0, 0xe7f000f0, SYNDROME_ILL, "UDF instruction", {0, 4, 8, 12}},
        {ISA_T32, 0xffffff00, 0x0000be00, SYNDROME_TRAP, "BKPT instruction", {0, 8, 0, 0}},
        {ISA_T32, 0xffffff00, 0x0000de00, SYNDROME_ILL, "UDF instruction", {0, 8, 0, 0}},
        {ISA_T32, 0xfff0f000, 0xf7f0a000, SYNDROME_ILL, "UDF instruction", {0, 12, 16, 4}},
};

/*
 * Linux system calls that send a thread a signal (asm/unistd.h), and the register that its number
 * is in. kill() is not here: it may be of another process.
 */
static const struct {
	bool is_a64;
	uint32_t number; /* in X8, R7 */
	const char *how;
	const char *signal;
} senders[] = {
        {true, 130, "sent by its own tkill()", "X1"},
        {true, 131, "sent by its own tgkill()", "X2"},
        {true, 240, "sent by its own rt_tgsigqueueinfo()", "X2"},
        {false, 238, "sent by its own tkill()", "R1|X1"},
        {false, 268, "sent by its own tgkill()", "R2|X2"},
        {false, 363, "sent by its own rt_tgsigqueueinfo()", "R2|X2"},
};

/* Where handlers return, in AArch32 state, calls know alone; they are not made for nothing. */
static bool find_fault(struct session *session, struct crash_core *c)
{
	const struct calls *calls;

	if (crash_fault_find(c->history, &c->fault))
		return true;
	return c->core->arch == CORE_A32 && crash_fault_may_be(c->history) &&
	       session_calls(session, c->index, &calls) == STATUS_OK &&
	       crash_fault_on_stack(calls, &c->fault);
}

void crash_core_begin(struct crash_core *c, struct session *session, size_t core)
{
	*c = (struct crash_core){.session = session,
	                         .history = session_history(session, core),
	                         .core = session_core(session, core),
	                         .index = core};
	c->has_pc = history_pc(c->history, history_length(c->history), &c->pc) == STATUS_OK;
	c->has_fault = find_fault(session, c);
}

bool crash_register(const struct crash_core *c, const char *names, uint64_t *value)
{
	const struct snap_register *reg = snap_device_any_register(c->core->device, str_of(names));

	if (reg)
		*value = snap_register_value(reg);
	return reg != NULL;
}

bool crash_word(const struct crash_core *c, uint64_t address, uint32_t *value)
{
	return c->core->memory && memmap_read_word(c->core->memory, SPACE_ANY, address, value);
}

bool crash_read_opcode(const struct crash_core *c, uint64_t address, enum isa isa,
                       struct crash *crash)
{
	const struct crash_instruction at = {.core = c->index,
	                                     .address = address,
	                                     .isa = isa,
	                                     .position = history_length(c->history)};
	uint32_t opcode;
	unsigned int size;

	if (!crash_opcode(c->session, &at, &opcode, &size))
		return false;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		uint32_t low;
		uint32_t high;

		if (opcodes[i].isa != isa || (opcode & opcodes[i].mask) != opcodes[i].match)
			continue;
		low = opcode >> opcodes[i].immediate.low &
		      ((UINT32_C(1) << opcodes[i].immediate.count) - 1);
		high = opcode >> opcodes[i].immediate.high &
		       ((UINT32_C(1) << opcodes[i].immediate.high_count) - 1);
		crash->syndrome = (struct syndrome){
		        .what = opcodes[i].what,
		        .signal = opcodes[i].signal,
		        .has_immediate = true,
		        .immediate = (uint16_t)(low | high << opcodes[i].immediate.count),
		};
		return true;
	}
	return false;
}

/* The last instruction is a system call, after which the core halted with nothing in between. */
static bool find_last_call(const struct crash_core *c, struct instruction *insn)
{
	if (c->core->arch == CORE_M || !crash_ends_in_call(c->history))
		return false;
	history_at(c->history, history_length(c->history) - 1, insn);
	return insn->has_opcode && call_model_is_linux(insn->isa, (uint32_t)insn->opcode) &&
	       c->has_pc && c->pc == insn->address + insn->size;
}

bool crash_read_call(const struct crash_core *c, struct crash *crash)
{
	struct instruction insn;
	uint64_t number;
	uint64_t sent;

	/* A call returns in X0 or R0 and leaves the other registers as they were. */
	if (!find_last_call(c, &insn) ||
	    !crash_register(c, insn.isa == ISA_A64 ? "X8" : "R7|X7", &number))
		return false;
	for (size_t i = 0; i < sizeof(senders) / sizeof(senders[0]); i++) {
		if (senders[i].is_a64 != (insn.isa == ISA_A64) || senders[i].number != number ||
		    !crash_register(c, senders[i].signal, &sent))
			continue;
		crash->syndrome = (struct syndrome){
		        .signal = syndrome_signal_of_linux((uint32_t)sent),
		        .details = {senders[i].how},
		        .detail_count = 1,
		};
		crash->syndrome.what = syndrome_signal_name(crash->syndrome.signal);
		crash->has_pc = true;
		crash->pc = insn.address;
		return crash->syndrome.what != NULL;
	}
	return false;
}
