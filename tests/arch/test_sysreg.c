/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each row of sem_a64_sysreg.def has the encoding of the register that it names: capstone is asked,
 * and for what came after it the list of the Arm ARM (D19.2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include <capstone/capstone.h>

struct row {
	const char *name;
	uint32_t op0, op1, crn, crm, op2;
};

static const struct row rows[] = {
#define X(name, op0, op1, crn, crm, op2, kind, reg) {#name, op0, op1, crn, crm, op2},
#include "arch/a64/sem_a64_sysreg.def"
#undef X
};

/* Registers that capstone 4 has no name for. */
static const struct {
	const char *name;
	const char *encoding;
} newer[] = {
        {"SVCR", "s3_3_c4_c2_2"},       {"DIT", "s3_3_c4_c2_5"},
        {"SSBS", "s3_3_c4_c2_6"},       {"TCO", "s3_3_c4_c2_7"},
        {"UAO", "s3_0_c4_c2_4"},        {"ALLINT", "s3_0_c4_c3_0"},
        {"PM", "s3_0_c4_c3_1"},         {"ZCR_EL1", "s3_0_c1_c2_0"},
        {"ZCR_EL2", "s3_4_c1_c2_0"},    {"ZCR_EL3", "s3_6_c1_c2_0"},
        {"ZCR_EL12", "s3_5_c1_c2_0"},   {"SMCR_EL1", "s3_0_c1_c2_6"},
        {"SMCR_EL2", "s3_4_c1_c2_6"},   {"SMCR_EL3", "s3_6_c1_c2_6"},
        {"SMCR_EL12", "s3_5_c1_c2_6"},  {"RNDR", "s3_3_c2_c4_0"},
        {"RNDRRS", "s3_3_c2_c4_1"},     {"PAN", "s3_0_c4_c2_3"},
        {"VSTTBR_EL2", "s3_4_c2_c6_0"}, {"VSTCR_EL2", "s3_4_c2_c6_2"},
};

/* MRS X1 of the row, as capstone writes the register's name. */
static void name_of(csh handle, const struct row *row, char name[32])
{
	uint32_t opcode = 0xd5300001 | (row->op0 & 1) << 19 | row->op1 << 16 | row->crn << 12 |
	                  row->crm << 8 | row->op2 << 5;
	uint8_t bytes[4] = {(uint8_t)opcode, (uint8_t)(opcode >> 8), (uint8_t)(opcode >> 16),
	                    (uint8_t)(opcode >> 24)};
	cs_insn *insn = NULL;
	const char *comma;

	assert_int_equal(row->op0, 3);
	assert_true(row->op1 < 8 && row->crn < 16 && row->crm < 16 && row->op2 < 8);
	assert_int_equal(cs_disasm(handle, bytes, sizeof(bytes), 0, 1, &insn), 1);
	assert_string_equal(insn->mnemonic, "mrs");
	comma = strstr(insn->op_str, ", ");
	assert_non_null(comma);
	(void)snprintf(name, 32, "%s", comma + 2);
	cs_free(insn, 1);
}

static const char *expected_name(const char *name)
{
	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		if (strcmp(newer[i].name, name) == 0)
			return newer[i].encoding;
	}
	return NULL;
}

static void rows_have_the_encodings_of_their_names(void **state)
{
	csh handle;

	(void)state;
	assert_int_equal(cs_open(CS_ARCH_ARM64, CS_MODE_ARM, &handle), CS_ERR_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *encoding = expected_name(rows[i].name);
		char name[32];

		name_of(handle, &rows[i], name);
		if (strcasecmp(name, rows[i].name) != 0 &&
		    (!encoding || strcasecmp(name, encoding) != 0))
			fail_msg("%s is the number of %s", rows[i].name, name);
	}
	(void)cs_close(&handle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_have_the_encodings_of_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
