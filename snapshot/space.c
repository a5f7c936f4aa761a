/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces: their names, and that of a core when it stopped. */
#include "snapshot/space.h"

#include <stddef.h>

#include "snapshot/snapshot.h"

/*
 * What a snapshot may call a space. The older names (H, P, NP, SP) mean what OpenCSD's snapshot
 * reader takes them for, so that both decode a snapshot alike.
 */
static const struct {
	const char *name;
	enum space space;
} names[] = {
        {"", SPACE_ANY},    {"ANY", SPACE_ANY},   {"S", SPACE_S},       {"N", SPACE_N},
        {"R", SPACE_R},     {"EL1S", SPACE_EL1S}, {"EL1N", SPACE_EL1N}, {"EL1R", SPACE_EL1R},
        {"EL2", SPACE_EL2}, {"EL2N", SPACE_EL2},  {"EL2S", SPACE_EL2S}, {"EL2R", SPACE_EL2R},
        {"EL3", SPACE_EL3}, {"ROOT", SPACE_ROOT}, {"H", SPACE_EL2},     {"P", SPACE_EL1N},
        {"NP", SPACE_EL1N}, {"SP", SPACE_EL1S},
};

const char *space_text(enum space space)
{
	static const struct {
		unsigned int bits;
		const char *text;
	} texts[] = {
#define X(name, bits, text) {bits, text},
#include "snapshot/space.def"
#undef X
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].bits == (unsigned int)space)
			return texts[i].text;
	}
	return "?";
}

static enum status add_number(struct str value, bool *has, uint32_t *number)
{
	uint64_t parsed;

	if (str_to_u64(value, &parsed) != STATUS_OK || parsed > UINT32_MAX)
		return STATUS_BAD_DATA;
	*has = true;
	*number = (uint32_t)parsed;
	return STATUS_OK;
}

enum status address_space_add(struct str word, struct address_space *key)
{
	size_t equals = str_find(word, '=');
	struct str name = {word.p, equals};
	struct str value = str_skip(word, equals + 1);
	struct memory_context *context = &key->context;

	if (equals == word.n)
		return word.n > 0 ? space_parse(word, &key->space) : STATUS_NOT_FOUND;
	if (str_eq(name, STR("context")))
		return add_number(value, &context->has_id, &context->id);
	if (str_eq(name, STR("vmid")))
		return add_number(value, &context->has_vmid, &context->vmid);
	if (!str_eq(name, STR("space")))
		return STATUS_NOT_FOUND;
	return value.n > 0 && space_parse(value, &key->space) == STATUS_OK ? STATUS_OK
	                                                                   : STATUS_BAD_DATA;
}

enum status space_parse(struct str name, enum space *space)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!str_eq_nocase(name, str_of(names[i].name)))
			continue;
		*space = names[i].space;
		return STATUS_OK;
	}
	return STATUS_NOT_FOUND;
}

/*
 * Where a core stopped: its registers, and what the trace said last. Snapshot format 1.0, 4.1; Arm
 * ARM DDI 0487, C5.2.19 (CurrentEL), D19.2 (SCR_EL3), G1.9 (modes of AArch32); Armv8-M ARM DDI
 * 0553, DSCSR.
 */

#define SCR_NS    UINT64_C(1)
#define SCR_NSE   (UINT64_C(1) << 62)
#define DSCSR_CDS (UINT64_C(1) << 16)

enum {
	CPSR_AARCH32 = 0x10,
	MODE_MONITOR = 0x16,
	MODE_HYP = 0x1a,
	OF_EL1 = SPACE_EL1S | SPACE_EL1N | SPACE_EL1R,
	OF_EL2 = SPACE_EL2 | SPACE_EL2S | SPACE_EL2R,
	OF_EL3 = SPACE_EL3 | SPACE_ROOT,
	/* Where EL3 is in AArch32 state, all secure modes see what it sees. */
	OF_MODES = OF_EL1 | SPACE_EL3,
	OF_MONITOR = SPACE_EL1S | SPACE_EL3,
};

/* The states of this exception level or mode, of all security states. */
static unsigned int states_of_level(uint64_t cpsr)
{
	static const unsigned int levels[] = {OF_EL1, OF_EL1, OF_EL2, OF_EL3};
	unsigned int mode = cpsr & 0x1f;

	if (!(cpsr & CPSR_AARCH32))
		return levels[cpsr >> 2 & 3];
	if (mode == MODE_HYP)
		return OF_EL2;
	return mode == MODE_MONITOR ? OF_MONITOR : OF_MODES;
}

/* The states of this security state, of all levels that are in one. */
static unsigned int states_of_security(uint64_t scr)
{
	if (scr & SCR_NSE)
		return scr & SCR_NS ? (unsigned int)SPACE_R : (unsigned int)SPACE_ROOT;
	return scr & SCR_NS ? (unsigned int)SPACE_N : (unsigned int)SPACE_S;
}

static enum space meet(unsigned int states, enum space other)
{
	return (enum space)((states & (unsigned int)other) != 0 ? states & (unsigned int)other
	                                                        : states);
}

static enum space halt_of_m(const struct snap_device *device, enum space traced)
{
	const struct snap_register *dscsr = snap_device_register(device, STR("DSCSR"));

	if (!dscsr)
		return traced;
	return snap_register_value(dscsr) & DSCSR_CDS ? SPACE_EL1S : SPACE_EL1N;
}

enum space snap_core_halt_space(const struct snap_core *core, enum space traced)
{
	const struct snap_device *device = core->device;
	const struct snap_register *cpsr = snap_device_any_register(device, STR("CPSR|PSTATE"));
	const struct snap_register *scr = snap_device_any_register(device, STR("SCR_EL3|SCR"));
	unsigned int states;

	if (core->arch == CORE_M)
		return halt_of_m(device, traced);
	if (!cpsr)
		return traced;
	states = states_of_level(snap_register_value(cpsr));
	if (states == OF_EL3 && scr && (snap_register_value(scr) & SCR_NSE) == 0)
		return meet(SPACE_EL3, traced);
	if (scr && states != OF_MONITOR)
		return meet(meet(states, (enum space)states_of_security(snap_register_value(scr))),
		            traced);
	/* What the trace said of the security state; if it did not, it is non-secure (4.1). */
	if (traced != SPACE_ANY && (states & (unsigned int)traced) != 0)
		return meet(states, traced);
	if (states == OF_EL3)
		return SPACE_EL3;
	return states == OF_MONITOR ? (enum space)states : meet(states, SPACE_N);
}
