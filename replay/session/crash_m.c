/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the M profile; see crash_source.h. */
#include "replay/session/crash_source.h"

enum {
	IPSR_MASK = 0x1ff,
	FAULT_FIRST = 3, /* HardFault */
	FAULT_LAST = 7,  /* SecureFault */
	FRAME_PC = 0x18, /* in the frame that exception entry stacks (B3.19) */
	RETURN_PSP = 1 << 2,
	RETURN_PREFIX = 0xff, /* EXC_RETURN[31:24] */
};

/* A register of the System Control Block: by its name, or where memory shows it. */
struct scb_register {
	const char *names;
	uint32_t address;
};

static const struct scb_register cfsr = {"CFSR", 0xe000ed28};
static const struct scb_register hfsr = {"HFSR", 0xe000ed2c};
static const struct scb_register mmfar = {"MMFAR|MMAR", 0xe000ed34};
static const struct scb_register bfar = {"BFAR", 0xe000ed38};
static const struct scb_register sfsr = {"SFSR", 0xe000ede4};
static const struct scb_register sfar = {"SFAR", 0xe000ede8};
static const struct scb_register vtor = {"VTOR", 0xe000ed08};

static bool get(const struct crash_core *c, const struct scb_register *from, uint32_t *value)
{
	uint64_t wide;

	if (!crash_register(c, from->names, &wide))
		return crash_word(c, from->address, value);
	*value = (uint32_t)wide;
	return true;
}

/* The PC is that of the first instruction of the exception's handler: SP is where it stacked. */
static bool is_at_entry(const struct crash_core *c, uint32_t exception)
{
	uint32_t vectors;
	uint32_t handler;

	return c->has_pc && get(c, &vtor, &vectors) &&
	       crash_word(c, vectors + 4 * exception, &handler) &&
	       (handler & ~UINT32_C(1)) == c->pc;
}

/* The return address that exception entry stacked, where LR still says which stack that is. */
static bool read_frame(const struct crash_core *c, uint32_t exception, uint64_t *pc)
{
	uint64_t lr;
	uint64_t frame;
	uint32_t stacked;

	if (!crash_register(c, "LR|R14", &lr) || lr >> 24 != RETURN_PREFIX)
		return false;
	if ((lr & RETURN_PSP) != 0) {
		if (!crash_register(c, "PSP", &frame))
			return false;
	} else if (!is_at_entry(c, exception) || !crash_register(c, "MSP|SP|R13", &frame)) {
		return false;
	}
	if (!crash_word(c, (uint32_t)frame + FRAME_PC, &stacked))
		return false;
	*pc = stacked & ~UINT32_C(1);
	return true;
}

static bool read_status(const struct crash_core *c, struct crash *crash, uint32_t *exception)
{
	struct m_fault_status status = {0};
	uint64_t xpsr = 0;
	bool has_xpsr = crash_register(c, "XPSR|IPSR", &xpsr);

	(void)get(c, &cfsr, &status.cfsr);
	(void)get(c, &hfsr, &status.hfsr);
	(void)get(c, &sfsr, &status.sfsr);
	status.exception = (uint32_t)xpsr & IPSR_MASK;
	*exception = status.exception;
	crash->is_halt =
	        !has_xpsr || (status.exception >= FAULT_FIRST && status.exception <= FAULT_LAST);
	crash->status = "CFSR";
	if (status.cfsr == 0)
		crash->status = status.hfsr != 0 ? "HFSR" : "SFSR";
	return syndrome_of_m(&status, &crash->syndrome);
}

static void read_address(const struct crash_core *c, struct crash *crash)
{
	const struct scb_register *from = NULL;
	uint32_t address;

	if (crash->syndrome.address == SYNDROME_MMFAR)
		from = &mmfar;
	if (crash->syndrome.address == SYNDROME_BFAR)
		from = &bfar;
	if (crash->syndrome.address == SYNDROME_SFAR)
		from = &sfar;
	if (!from || !get(c, from, &address))
		return;
	crash->has_address = true;
	crash->address = address;
}

bool crash_find_m(const struct crash_core *c, struct crash *crash)
{
	uint32_t exception;

	*crash = (struct crash){.level = -1, .from_level = -1};
	if (!read_status(c, crash, &exception))
		return false;
	read_address(c, crash);
	if (crash->is_halt && c->has_fault) {
		crash->has_position = true;
		crash->position = c->fault.position;
		crash->has_pc = c->fault.has_address;
		crash->pc = c->fault.address;
	} else if (crash->is_halt) {
		crash->has_pc = read_frame(c, exception, &crash->pc);
	}
	return true;
}
