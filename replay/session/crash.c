/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers record a fault, and whether the halt is that fault's; see crash.h. */
#include "replay/session/crash.h"
#include "replay/session/thread_view.h"

#include <string.h>

#include "replay/session/crash_access.h"
#include "replay/session/crash_source.h"

/* Instructions of a handler that registers are followed back through. */
enum { FOLLOW_MOST = 20000 };

enum {
	MODE_ABORT = 0x17,
	MODE_MASK = 0x1f,
	STATE_T32 = 1 << 5,
	STATE_AARCH32 = 1 << 4,
	VECTORS_A64 = 0x800,
	VECTOR_KIND = 0x180, /* bits of an offset in the vectors: 0 synchronous, 0x180 SError */
	VECTOR_PREFETCH = 0x0c,
	VECTOR_DATA = 0x10,
	RETURN_DATA = 8, /* LR_abt less the instruction's address */
	RETURN_PREFETCH = 4,
	SEGV_MTEAERR = 8,
	SI_KERNEL = 0x80,
};

/* Registers of one exception level; names as for snap_device_any_register(). */
static const struct bank {
	const char *status;
	const char *address;
	const char *fetch_address; /* of instruction aborts, where it is another */
	const char *link;
	const char *saved;
	const char *vectors;
	int level;
} banks[] = {
        {"ESR_EL1", "FAR_EL1", NULL, "ELR_EL1", "SPSR_EL1", "VBAR_EL1", 1},
        {"ESR_EL2", "FAR_EL2", NULL, "ELR_EL2", "SPSR_EL2", "VBAR_EL2", 2},
        {"ESR_EL3", "FAR_EL3", NULL, "ELR_EL3", "SPSR_EL3", "VBAR_EL3", 3},
        {"HSR", "HDFAR", "HIFAR", "ELR_HYP", "SPSR_HYP", "HVBAR", 2},
        {"ESR", "FAR", NULL, "ELR", "SPSR", "VBAR", -1},
};

static bool get(const struct crash_core *c, const char *names, uint64_t *value)
{
	return names && crash_register(c, names, value);
}

/* The halt's PC is in the vectors of synchronous exceptions, or of SErrors. */
static bool is_in_vectors(const struct crash_core *c, const struct bank *bank, bool is_error)
{
	uint64_t base;
	uint64_t offset;

	if (!c->has_pc || !get(c, bank->vectors, &base))
		return false;
	offset = c->pc - base;
	return offset < VECTORS_A64 && (offset & VECTOR_KIND) == (is_error ? VECTOR_KIND : 0U);
}

static bool is_same_place(uint64_t a, uint64_t b)
{
	return ((a ^ b) & ~UINT64_C(3)) == 0;
}

/*
 * The trace's fault is this one: where it says that it returns to is what the link register says.
 * Address bits that the trace cannot have are not compared.
 */
static bool is_traced(const struct crash_core *c, bool has_pc, uint64_t pc)
{
	return c->has_fault && c->fault.has_address && has_pc &&
	       is_same_place(c->fault.address, pc);
}

static void take_trace(const struct crash_core *c, struct crash *crash)
{
	crash->has_position = true;
	crash->position = c->fault.position;
}

/* Nothing says where the exception was taken, and so nothing that the halt is not its. */
static bool is_alone(const struct crash_core *c, bool has_link)
{
	return !has_link && history_length(c->history) == 0;
}

static int level_of(uint64_t state)
{
	return state & STATE_AARCH32 ? ((state & 15U) == 0 ? 0 : -1) : (int)(state >> 2 & 3);
}

/* The trace's fault is an access to data, or none, as the status says. */
static bool is_of_kind(const struct crash_core *c, const struct syndrome *syndrome)
{
	bool is_data = syndrome->access != SYNDROME_NO_ACCESS && syndrome->access != SYNDROME_FETCH;

	return syndrome->signal != SYNDROME_NONE &&
	       (exception_kind_of(c->fault.info) == EXCEPTION_DATA_FAULT) == is_data;
}

static void read_bank(const struct crash_core *c, const struct bank *bank, struct crash *crash)
{
	bool is_error = strcmp(crash->syndrome.what, "SError") == 0;
	const char *address = crash->syndrome.access == SYNDROME_FETCH && bank->fetch_address
	                              ? bank->fetch_address
	                              : bank->address;
	uint64_t state;

	crash->level = bank->level;
	crash->has_pc = get(c, bank->link, &crash->pc);
	if (crash->syndrome.address == SYNDROME_FAR)
		crash->has_address = get(c, address, &crash->address);
	if (get(c, bank->saved, &state))
		crash->from_level = level_of(state);
	if (!crash->has_pc && c->has_fault && is_of_kind(c, &crash->syndrome)) {
		crash->has_pc = c->fault.has_address;
		crash->pc = c->fault.address;
		take_trace(c, crash);
	} else if (is_traced(c, crash->has_pc, crash->pc)) {
		take_trace(c, crash);
	}
	crash->is_halt = crash->has_position || is_in_vectors(c, bank, is_error) ||
	                 is_alone(c, crash->has_pc) ||
	                 (crash->has_pc && c->has_pc && crash->pc == c->pc);
}

/* The one whose registers are the halt's, else that of the level that the core is at. */
static bool find_in_banks(const struct crash_core *c, struct crash *found)
{
	bool is_found = false;
	uint64_t state = 0;
	bool has_state = get(c, "CPSR|PSTATE", &state);

	for (size_t i = 0; i < sizeof(banks) / sizeof(banks[0]); i++) {
		struct crash crash = {.status = banks[i].status, .from_level = -1};
		uint64_t status;

		if (!get(c, banks[i].status, &status) ||
		    !syndrome_of_esr((uint32_t)status, &crash.syndrome))
			continue;
		read_bank(c, &banks[i], &crash);
		if (!is_found || (crash.is_halt && !found->is_halt) ||
		    (crash.is_halt == found->is_halt && has_state &&
		     level_of(state) == banks[i].level))
			*found = crash;
		is_found = true;
	}
	return is_found;
}

/* In Abort mode the handler of the last abort runs. */
static bool is_in_abort(const struct crash_core *c)
{
	uint64_t state;

	return get(c, "CPSR", &state) && (state & MODE_MASK) == MODE_ABORT;
}

static bool has_left_abort(const struct crash_core *c)
{
	uint64_t state;

	return get(c, "CPSR", &state) && (state & MODE_MASK) != MODE_ABORT;
}

/* Names of exception.def. */
static bool is_fetch_fault(const char *fault)
{
	return strcmp(fault, "instruction fault") == 0 || strcmp(fault, "prefetch abort") == 0;
}

/* The trace's fault is one that IFSR records, or DFSR. */
static bool is_traced_abort(const struct crash_core *c, bool is_fetch)
{
	const char *fault = c->has_fault ? c->fault.info->fault : NULL;

	if (!fault)
		return false;
	return is_fetch ? is_fetch_fault(fault)
	                : exception_kind_of(c->fault.info) == EXCEPTION_DATA_FAULT ||
	                          strcmp(fault, "alignment fault") == 0;
}

/* A data abort or a prefetch abort of AArch32. */
static bool read_abort(const struct crash_core *c, bool is_fetch, struct crash *crash)
{
	uint64_t value;
	uint64_t vectors;
	bool has_vectors = get(c, "VBAR", &vectors);

	*crash =
	        (struct crash){.status = is_fetch ? "IFSR" : "DFSR", .level = -1, .from_level = -1};
	if (!get(c, crash->status, &value) ||
	    !(is_fetch ? syndrome_of_ifsr : syndrome_of_dfsr)((uint32_t)value, &crash->syndrome))
		return false;
	if (crash->syndrome.address == SYNDROME_FAR)
		crash->has_address = get(c, is_fetch ? "IFAR" : "DFAR", &crash->address);
	crash->has_pc = get(c, "LR_ABT|R14_ABT", &crash->pc);
	crash->pc = (uint32_t)(crash->pc - (is_fetch ? RETURN_PREFETCH : RETURN_DATA));
	if (get(c, "SPSR_ABT", &value))
		crash->from_level = level_of(value);
	crash->is_halt = crash->has_pc && c->has_pc && crash->pc == c->pc;
	if (has_vectors && c->has_pc &&
	    c->pc == (uint32_t)(vectors + (is_fetch ? VECTOR_PREFETCH : VECTOR_DATA)))
		crash->is_halt = true;
	/*
	 * Which of the two it is does not follow from LR_abt: the trace says it by its kind.
	 * Outside of Abort mode LR_abt may be anything.
	 */
	if (is_traced_abort(c, is_fetch) && (!crash->has_pc || is_traced(c, true, crash->pc) ||
	                                     (c->fault.is_newest && has_left_abort(c)))) {
		take_trace(c, crash);
		crash->is_halt = true;
		crash->pc = c->fault.address;
		crash->has_pc = c->fault.has_address;
	}
	return true;
}

static bool find_aborts(const struct crash_core *c, struct crash *found)
{
	struct crash fetch;
	bool has_data = read_abort(c, false, found);
	bool has_fetch = read_abort(c, true, &fetch);
	bool is_here = is_in_abort(c) || is_alone(c, found->has_pc || fetch.has_pc);

	if (has_data && has_fetch && !found->is_halt && !fetch.is_halt) {
		/* Both keep what they had: which was last shows where IFAR is the instruction. */
		if (fetch.has_address && fetch.has_pc && is_same_place(fetch.address, fetch.pc))
			has_data = false;
		else
			is_here = false;
	}
	if (has_fetch && (!has_data || (fetch.is_halt && !found->is_halt)))
		*found = fetch;
	if (!has_data && !has_fetch)
		return false;
	found->is_halt = found->is_halt || is_here;
	/* What has left Abort mode may have put anything there, as the vectors of Linux do. */
	if (!found->is_halt) {
		found->has_pc = false;
		found->from_level = -1;
	}
	return true;
}

static enum isa isa_of(const struct crash_core *c, uint64_t pc)
{
	uint64_t state;

	if (c->core->arch == CORE_A64)
		return ISA_A64;
	if (c->core->arch == CORE_M)
		return ISA_T32;
	if (c->has_fault && c->fault.has_address && c->fault.address == pc &&
	    c->fault.isa != ISA_UNKNOWN)
		return c->fault.isa;
	if (get(c, c->has_pc && c->pc == pc ? "CPSR" : "SPSR_ABT", &state))
		return state & STATE_T32 ? ISA_T32 : ISA_A32;
	return ISA_UNKNOWN;
}

/* Its registers can be read before its handler, if that is near, or at the halt. */
static struct crash_instruction locate(const struct crash_core *c, const struct crash *crash)
{
	uint64_t length = history_length(c->history);
	struct crash_instruction at = {.core = c->index,
	                               .address = crash->pc,
	                               .isa = isa_of(c, crash->pc),
	                               .position = length};

	at.is_other_mode = !c->has_pc || crash->pc != c->pc;
	at.has_values = !at.is_other_mode;
	if (crash->has_position) {
		at.position = crash->position;
		at.has_values = length - at.position <= FOLLOW_MOST;
	}
	return at;
}

static void add_branch(const struct crash_core *c, struct crash *crash)
{
	struct instruction before;
	struct crash_instruction at = {.core = c->index};

	if (!crash->has_position || crash->position == 0 ||
	    history_has_gap_at(c->history, crash->position))
		return;
	history_at(c->history, crash->position - 1, &before);
	at.address = before.address;
	at.isa = before.isa;
	at.position = crash->position - 1;
	if (before.class != INSN_BRANCH_INDIRECT || !before.executed)
		return;
	crash->has_branch = true;
	crash->branch = before.address;
	crash->registers = crash_branch_registers(c->session, &at);
}

static void add_access(const struct crash_core *c, struct crash *crash)
{
	const uint64_t *fault = crash->has_address ? &crash->address : NULL;
	const struct crash_instruction at = locate(c, crash);
	struct crash_access access;

	if (crash->syndrome.access == SYNDROME_FETCH) {
		add_branch(c, crash);
		return;
	}
	if (!crash->has_pc ||
	    !crash_access_find(c->session, &at, fault, crash->syndrome.access, &access))
		return;
	crash->registers = access.registers;
	if (crash->syndrome.access == SYNDROME_NO_ACCESS)
		crash->syndrome.access = access.access;
	if (!crash->has_address && access.has_address) {
		crash->has_address = true;
		crash->address = access.address;
	}
}

/*
 * Traces call a misaligned PC and a misaligned SP alike, and do not have the bits of an address of
 * A64 that are wrong: the halt's PC does.
 */
static bool is_pc_alignment(const struct crash_core *c)
{
	struct instruction before;

	if (strcmp(c->fault.info->fault, "alignment fault") != 0 || !c->has_pc ||
	    (c->pc & 3) == 0 || !is_traced(c, true, c->pc) || c->fault.position == 0)
		return false;
	history_at(c->history, c->fault.position - 1, &before);
	return before.isa == ISA_A64;
}

/* What the trace shows where no register does: the halt is in the handler of a fault. */
static bool find_in_trace(const struct crash_core *c, struct crash *crash)
{
	*crash = (struct crash){
	        .source = CRASH_TRACE, .level = -1, .from_level = -1, .is_halt = true};
	if (!c->has_fault)
		return false;
	crash->has_pc = c->fault.has_address;
	crash->pc = c->fault.address;
	take_trace(c, crash);
	if (crash->has_pc && crash_read_opcode(c, crash->pc, isa_of(c, crash->pc), crash))
		return true;
	if (!c->fault.info->fault)
		return false;
	crash->syndrome.what = c->fault.info->fault;
	crash->syndrome.signal = syndrome_signal_of(c->fault.info->fault);
	if (is_pc_alignment(c)) {
		crash->syndrome.what = "PC alignment fault";
		crash->syndrome.access = SYNDROME_FETCH;
		crash->pc = c->pc;
		return true;
	}
	crash->is_access = exception_kind_of(c->fault.info) == EXCEPTION_DATA_FAULT;
	if (exception_kind_of(c->fault.info) == EXCEPTION_FAULT &&
	    is_fetch_fault(c->fault.info->fault))
		crash->syndrome.access = SYNDROME_FETCH;
	return true;
}

/* What stops a program by itself: the system call before the halt, or the instruction there. */
static bool find_opcode(const struct crash_core *c, struct crash *crash)
{
	*crash = (struct crash){
	        .source = CRASH_OPCODE, .level = -1, .from_level = -1, .is_halt = true};
	if (crash_read_call(c, crash))
		return true;
	crash->has_pc = c->has_pc;
	crash->pc = c->pc;
	return c->has_pc && !history_has_gap_at(c->history, history_length(c->history)) &&
	       crash_read_opcode(c, c->pc, isa_of(c, c->pc), crash);
}

/*
 * si_addr is the address of an access: not of a signal that another program sent (0 or less) or the
 * kernel without a fault, nor of a tag check that was late (asm-generic/siginfo.h).
 */
static bool is_of_access(enum syndrome_signal signal, uint32_t code)
{
	bool is_late = signal == SYNDROME_SEGV && code == SEGV_MTEAERR;

	return (signal == SYNDROME_SEGV || signal == SYNDROME_BUS) && code > 0 &&
	       code < SI_KERNEL && !is_late;
}

/* The signal that a core file's thread got. */
static bool find_signal(const struct crash_core *c, struct crash *crash)
{
	uint64_t number;
	uint64_t code;

	*crash = (struct crash){
	        .status = "SI_SIGNO", .level = -1, .from_level = -1, .is_halt = true};
	if (!get(c, "SI_SIGNO", &number))
		return false;
	crash->syndrome.signal = syndrome_signal_of_linux((uint32_t)number);
	crash->syndrome.what = syndrome_signal_name(crash->syndrome.signal);
	crash->has_pc = c->has_pc;
	crash->pc = c->pc;
	if (get(c, "SI_CODE", &code) && is_of_access(crash->syndrome.signal, (uint32_t)code))
		crash->has_address = get(c, "SI_ADDR", &crash->address);
	if (is_traced(c, c->has_pc, c->pc)) {
		take_trace(c, crash);
		crash->is_access = exception_kind_of(c->fault.info) == EXCEPTION_DATA_FAULT;
	}
	return crash->syndrome.what != NULL;
}

static bool find_in_registers(const struct crash_core *c, struct crash *crash)
{
	if (find_signal(c, crash))
		return true;
	if (c->core->arch == CORE_M)
		return crash_find_m(c, crash);
	return (c->core->arch == CORE_A32 && find_aborts(c, crash)) || find_in_banks(c, crash);
}

/* It is known to be of the access that the instruction makes, or of the fetch after a branch. */
static bool has_instruction(const struct crash *crash)
{
	return crash->source != CRASH_OPCODE && crash->is_halt &&
	       (crash->syndrome.access != SYNDROME_NO_ACCESS || crash->has_address ||
	        crash->is_access);
}

bool session_crash(struct session *session, size_t core, struct crash *crash)
{
	const struct session_place at =
	        session_place(session, core, history_length(session_history(session, core)));
	struct crash_core c;
	struct crash other;
	bool is_found;

	core = at.core;
	if (at.position != history_length(session_history(session, core)))
		return false;
	crash_core_begin(&c, session, core);
	is_found = find_in_registers(&c, crash);
	if (is_found && !crash->is_halt && (find_in_trace(&c, &other) || find_opcode(&c, &other)))
		*crash = other;
	else if (!is_found)
		is_found = find_in_trace(&c, crash) || find_opcode(&c, crash);
	/* A call of the system that returned long ago is no crash. */
	if (!is_found || (!crash->is_halt && crash->syndrome.signal == SYNDROME_NONE))
		return false;
	crash->arch = c.core->arch;
	if (has_instruction(crash))
		add_access(&c, crash);
	return true;
}

enum syndrome_signal crash_signal(const struct crash *crash)
{
	return crash->is_halt ? crash->syndrome.signal : SYNDROME_NONE;
}
