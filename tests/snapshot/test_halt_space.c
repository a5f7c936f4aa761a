/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose memory a core saw when it stopped: by hand from snapshot format 1.0, 4.1, and the layout of
 * CPSR (DDI 0487 C5.2, G1.9), SCR_EL3 (D19.2) and DSCSR (DDI 0553).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "snapshot/snapshot.h"

enum { NONE = -1 };

struct row {
	enum core_arch arch;
	int64_t cpsr; /* NONE: not in the snapshot, as the next */
	int64_t scr;  /* M profile: DSCSR */
	enum space traced;
	enum space expected;
};

static enum space space_of(const struct row *row)
{
	uint8_t cpsr[8];
	uint8_t scr[8];
	struct snap_register registers[2];
	struct snap_device device = {.registers = registers};
	struct snap_core core = {.device = &device, .arch = row->arch};

	for (unsigned int i = 0; i < 8; i++) {
		cpsr[i] = (uint8_t)((uint64_t)row->cpsr >> 8 * i);
		scr[i] = (uint8_t)((uint64_t)row->scr >> 8 * i);
	}
	if (row->cpsr != NONE)
		registers[device.register_count++] =
		        (struct snap_register){.name = STR("cpsr"), .bits = 32, .value = cpsr};
	if (row->scr != NONE)
		registers[device.register_count++] =
		        (struct snap_register){.name = row->arch == CORE_M     ? STR("DSCSR")
		                                       : row->arch == CORE_A64 ? STR("SCR_EL3")
		                                                               : STR("SCR"),
		                               .bits = 64,
		                               .value = scr};
	return snap_core_halt_space(&core, row->traced);
}

static void halt_space_follows_the_registers(void **state)
{
	static const int64_t nse = INT64_C(1) << 62;
	const enum space any = SPACE_ANY;
	const struct row rows[] = {
	        /* AArch64: each exception level in each security state. */
	        {CORE_A64, 0x60000000, 0, any, SPACE_EL1S},
	        {CORE_A64, 0x60000000, 1, any, SPACE_EL1N},
	        {CORE_A64, 0x3c5, 0x530, any, SPACE_EL1S},
	        {CORE_A64, 0x3c5, 0x531, any, SPACE_EL1N},
	        {CORE_A64, 0x3c9, 0x530, any, SPACE_EL2S},
	        {CORE_A64, 0x3c9, 0x531, any, SPACE_EL2},
	        {CORE_A64, 0x3cd, 0x530, any, SPACE_EL3},
	        {CORE_A64, 0x3cd, 0x531, any, SPACE_EL3},
	        /* Realm, and Root. */
	        {CORE_A64, 0x3c5, nse | 1, any, SPACE_EL1R},
	        {CORE_A64, 0x3c9, nse | 1, any, SPACE_EL2R},
	        {CORE_A64, 0x3cd, nse, any, SPACE_ROOT},
	        /* AArch32: User, Supervisor, Hyp, Monitor. */
	        {CORE_A32, 0x10, 1, any, SPACE_EL1N},
	        {CORE_A32, 0x1d3, 1, any, SPACE_EL1N},
	        {CORE_A32, 0x1d3, 0, any, (enum space)(SPACE_EL1S | SPACE_EL3)},
	        {CORE_A32, 0x1da, 1, any, SPACE_EL2},
	        {CORE_A32, 0x1d6, 1, any, (enum space)(SPACE_EL1S | SPACE_EL3)},
	        /* No SCR: what the trace said, else non-secure. */
	        {CORE_A64, 0x3c5, NONE, any, SPACE_EL1N},
	        {CORE_A64, 0x3c9, NONE, any, SPACE_EL2},
	        {CORE_A64, 0x3cd, NONE, any, SPACE_EL3},
	        {CORE_A32, 0x1d3, NONE, any, SPACE_EL1N},
	        {CORE_A64, 0x3c5, NONE, SPACE_EL1S, SPACE_EL1S},
	        {CORE_A64, 0x3cd, NONE, SPACE_ROOT, SPACE_ROOT},
	        {CORE_A32, 0x1d3, NONE, SPACE_S, (enum space)(SPACE_EL1S | SPACE_EL3)},
	        /* The trace ended elsewhere: it does not tell of the halt. */
	        {CORE_A64, 0x3c9, NONE, SPACE_EL1S, SPACE_EL2},
	        {CORE_A64, 0x3c5, 0x530, SPACE_EL1N, SPACE_EL1S},
	        /* No CPSR either. */
	        {CORE_A64, NONE, 1, SPACE_EL1S, SPACE_EL1S},
	        {CORE_A64, NONE, NONE, any, any},
	        /* M profile: DSCSR.CDS, else the trace. An SCR there is about sleep. */
	        {CORE_M, NONE, 0x10000, any, SPACE_EL1S},
	        {CORE_M, NONE, 0x3, SPACE_EL1S, SPACE_EL1N},
	        {CORE_M, NONE, NONE, SPACE_EL1N, SPACE_EL1N},
	        {CORE_M, 0x3c5, NONE, any, any},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (space_of(&rows[i]) != rows[i].expected)
			fail_msg("row %zu: 0x%x, expected 0x%x", i,
			         (unsigned int)space_of(&rows[i]), (unsigned int)rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(halt_space_follows_the_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
