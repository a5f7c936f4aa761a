/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agent expressions: each opcode by hand, as the gdb manual has it ("Bytecode Descriptions"), and
 * what is not sound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stub/agent_expression.h"

enum { CODE_MOST = 64 };

/* Register 3 holds 0xfffffffffffffffe, no other is known. */
static bool made_register(void *context, unsigned int number, uint64_t *value)
{
	(void)context;
	*value = UINT64_C(0xfffffffffffffffe);
	return number == 3;
}

/* Memory is known at 0x10..0x17: 0x88 0x99 .. 0xff. */
static bool made_memory(void *context, uint64_t address, unsigned int size, uint64_t *value)
{
	(void)context;
	if (address < 0x10 || address + size > 0x18)
		return false;
	*value = 0;
	for (unsigned int i = size; i-- > 0;)
		*value = *value << 8 | (0x88 + 0x11 * (address - 0x10 + i));
	return true;
}

static const struct agent_target target = {made_register, made_memory, NULL};

static unsigned int digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static enum agent_verdict verdict_of(const char *hex)
{
	uint8_t code[CODE_MOST];
	size_t size = strlen(hex) / 2;

	assert_in_range(size, 0, CODE_MOST);
	for (size_t i = 0; i < size; i++)
		code[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
	return agent_evaluate(bytes_of(code, size), &target);
}

/* The value that is expected is compared by `const64 VALUE; equal` (0x25, 0x13). */
static const struct {
	const char *code;
	const char *value;
} opcodes[] = {
        {"2207220502", "000000000000000c"},             /* 7 + 5 */
        {"2207220503", "0000000000000002"},             /* 7 - 5 */
        {"2207220504", "0000000000000023"},             /* 7 * 5 */
        {"22f91608220205", "fffffffffffffffd"},         /* -7 / 2 */
        {"22f91608220206", "7ffffffffffffffc"},         /* the same without signs */
        {"22f91608220207", "ffffffffffffffff"},         /* -7 % 2 */
        {"2207220508", "0000000000000002"},             /* 7 % 5 */
        {"2203220409", "0000000000000030"},             /* 3 << 4 */
        {"22f9160822010a", "fffffffffffffffc"},         /* -7 >> 1 */
        {"22f9160822000a", "fffffffffffffff9"},         /* -7 >> 0 */
        {"22f9160822010b", "7ffffffffffffffc"},         /* and without a sign */
        {"22050e", "0000000000000000"},                 /* !5 */
        {"22000e", "0000000000000001"},                 /* !0 */
        {"220c220a0f", "0000000000000008"},             /* 12 & 10 */
        {"220c220a10", "000000000000000e"},             /* 12 | 10 */
        {"220c220a11", "0000000000000006"},             /* 12 ^ 10 */
        {"220012", "ffffffffffffffff"},                 /* ~0 */
        {"2205220513", "0000000000000001"},             /* 5 == 5 */
        {"2205220613", "0000000000000000"},             /* 5 == 6 */
        {"22ff1608220014", "0000000000000001"},         /* -1 < 0 */
        {"22ff1608220015", "0000000000000000"},         /* 0xff..ff < 0 */
        {"2200220115", "0000000000000001"},             /* 0 < 1 */
        {"22801608", "ffffffffffffff80"},               /* ext 8 */
        {"227f1608", "000000000000007f"},               /* ext 8 */
        {"25123456789abcdef01640", "123456789abcdef0"}, /* ext 64 */
        {"2600032a20", "00000000fffffffe"},             /* reg 3; zero_ext 32 */
        {"221017", "0000000000000088"},                 /* ref8 */
        {"221018", "0000000000009988"},                 /* ref16 */
        {"221019", "00000000bbaa9988"},                 /* ref32 */
        {"22101a", "ffeeddccbbaa9988"},                 /* ref64 */
        {"220120000722092205", "0000000000000005"},     /* if_goto over a const */
        {"22002000072209", "0000000000000009"},         /* not taken */
        {"22092100072207", "0000000000000009"},         /* goto over a const */
        {"231234", "0000000000001234"},                 /* const16 */
        {"2412345678", "0000000012345678"},             /* const32 */
        {"22032802", "0000000000000006"},               /* dup; add */
        {"2203220429", "0000000000000003"},             /* pop */
        {"220322072b03", "0000000000000004"},           /* swap; sub: 7 - 3 */
        {"2203220732010329", "0000000000000003"},       /* pick 1; sub; pop */
        {"220122022204330303", "0000000000000005"},     /* rot: 4 1 2, 4 - (1 - 2) */
};

static void each_opcode_does_what_the_manual_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		char code[2 * CODE_MOST + 1];

		strcpy(code, opcodes[i].code);
		strcat(code, "25");
		strcat(code, opcodes[i].value);
		strcat(code, "1327");
		if (verdict_of(code) != AGENT_HOLDS)
			fail_msg("%s is not %s", opcodes[i].code, opcodes[i].value);
	}
}

static void condition_of_gdb_is_evaluated(void **state)
{
	(void)state;
	/* What gdb 13.1 sends for "$x3 == -2" and for "$x3 == 4". */
	assert_int_equal(verdict_of("26000322fe16081327"), AGENT_HOLDS);
	assert_int_equal(verdict_of("2600032a4022041327"), AGENT_FAILS);
	/* "5" and "0". */
	assert_int_equal(verdict_of("220527"), AGENT_HOLDS);
	assert_int_equal(verdict_of("220027"), AGENT_FAILS);
}

static void what_is_not_known_is_not_decided(void **state)
{
	static const char *const codes[] = {
	        "",         /* nothing */
	        "27",       /* an empty stack */
	        "2205",     /* no end */
	        "22",       /* no operand */
	        "2500",     /* cut operand */
	        "26000427", /* a register that is not known */
	        "26ffff27", /* that there is not */
	        "22181727", /* memory that is not known */
	        "22111a27", /* a part of it */
	        "0227",     /* add of nothing */
	        "22010227", /* add of one */
	        "2b27",
	        "22012b27", /* swap */
	        "3327",
	        "2201220133", /* rot */
	        "2827",       /* dup */
	        "2927",       /* pop */
	        "22013201"
	        "27", /* pick what is not there */
	        "22012200"
	        "0527", /* division by zero */
	        "22012200"
	        "0827",
	        "258000000000000000"
	        "22ff1608"
	        "0527", /* a quotient of 65 bits */
	        "22012240"
	        "0927", /* shift by 64 */
	        "22011600"
	        "27",         /* ext 0 */
	        "210000",     /* for ever */
	        "2200210000", /* for ever, until the stack is full */
	        "21ffff",     /* out of the bytes */
	        "0127",
	        "0c27",
	        "3427",
	        "ff27", /* float, trace, printf, none */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (verdict_of(codes[i]) != AGENT_UNKNOWN)
			fail_msg("\"%s\" is decided", codes[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(each_opcode_does_what_the_manual_says),
	        cmocka_unit_test(condition_of_gdb_is_evaluated),
	        cmocka_unit_test(what_is_not_known_is_not_decided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
