/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a store may have gone whose address was loaded from memory that it may itself have hit: to
 * its target or to one of the words that the address came from (replay/values/solver/points_to.c).
 * In: programs whose pointer lies at DATA and is DATA + 0x80 at the end. Out: the words that are
 * not known at their start.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/values/adversary.h"

#define LDR_X3_X2      UINT32_C(0xf9400043)
#define STR_X3_X2_8    UINT32_C(0xf9000443)
#define STR_X3_X2_16   UINT32_C(0xf9000843)
#define STP_X3_X5_X2_8 UINT32_C(0xa9009443)
#define LDR_X0_X2_8    UINT32_C(0xf9400440)
#define LDR_X0_X2_16   UINT32_C(0xf9400840)
#define LDR_W0_X2_8    UINT32_C(0xb9400840)
#define STP_XZR_X2_8   UINT32_C(0xa900fc5f)
#define STRB_W5_X2_8   UINT32_C(0x39002045)
#define STR_W3_X2_8    UINT32_C(0xb9000843)
#define STR_W5_X2_12   UINT32_C(0xb9000c45)
#define LSR_X5_X3_32   UINT32_C(0xd360fc65)
#define STUR_X3_X2_12  UINT32_C(0xf800c043)
#define LDUR_X0_X2_12  UINT32_C(0xf840c040)
#define STR_X0_X2      UINT32_C(0xf9000040)
#define STR_W0_X2      UINT32_C(0xb9000040)
#define ADD_X0_X3_16   UINT32_C(0x91004060)
#define STR_X4_X0_8    UINT32_C(0xf9000404)
#define STRH_W4_X0     UINT32_C(0x79000004)
#define STR_X4_X0_M128 UINT32_C(0xf8180004) /* stur x4, [x0, #-128] */

enum { STEPS_MOST = 12, WORDS = 64 };

struct example {
	uint32_t code[STEPS_MOST];
	size_t count;
	uint64_t lost; /* bit i: word i of the data is not known at the start */
	bool is_far;   /* nor is one in another page */
};

/* Words by their offset. */
#define WORD(offset) (UINT64_C(1) << (offset) / 8)
#define POINTER      WORD(0)
#define TARGET       WORD(0x80)
#define BEHIND       (WORD(8) | WORD(16))

/* What was in X0, X3, X4 and X5 is lost, and so is what was in the two words after the pointer. */
static const uint32_t forgets[] = {MOV_X0_0, MOV_X3_0, MOV_X4_0, MOV_X5_0, STP_XZR_X2_8};

static void check(const struct example *e)
{
	static const unsigned int overwritten[] = {0, 3, 4, 5};
	uint32_t code[CODE_MOST];
	struct program p;
	size_t count = e->count;

	memcpy(code, e->code, sizeof(e->code));
	memcpy(code + count, forgets, sizeof(forgets));
	begin(&p, code, count + sizeof(forgets) / sizeof(forgets[0]));
	for (size_t i = 0; i < sizeof(overwritten) / sizeof(overwritten[0]); i++)
		set(&p, overwritten[i], 0);
	put_u64(p.data, DATA + 0x80);
	put_u64(p.data + 8, 0);
	put_u64(p.data + 16, 0);
	run(&p);
	for (size_t i = 0; i < WORDS; i++)
		assert_int_equal(bytes_known(&p, 0, DATA + 8 * i) < 8, e->lost >> i & 1);
	assert_int_equal(bytes_known(&p, 0, DATA + 0x1f00) < 8, e->is_far);
	end(&p);
}

/* The pointer may have been hit, and so may what it points to; nothing else. */
static void store_through_a_copy_of_a_pointer_hits_it_or_its_target(void **state)
{
	static const uint64_t hit = POINTER | TARGET | BEHIND;
	static const struct example examples[] = {
	        {{LDR_X0_X2, STR_X4_X0}, 2, hit, false},
	        /* The copy is spilled and loaded again. */
	        {{LDR_X3_X2, STR_X3_X2_8, LDR_X0_X2_8, STR_X4_X0}, 4, hit, false},
	        {{LDR_X3_X2, STP_X3_X5_X2_8, LDR_X0_X2_8, STR_X4_X0}, 4, hit, false},
	        {{LDR_X3_X2, STR_X3_X2_16, LDR_X0_X2_16, STR_X4_X0}, 4, hit, false},
	        /* An older copy; it is the last one that counts. */
	        {{LDR_X3_X2, STRB_W5_X2_8, STR_X3_X2_8, LDR_X0_X2_8, STR_X4_X0}, 5, hit, false},
	        /* In two halves, over the end of a word, and of 32 bits. */
	        {{LDR_X3_X2, STR_W3_X2_8, LSR_X5_X3_32, STR_W5_X2_12, LDR_X0_X2_8, STR_X4_X0},
	         6,
	         hit,
	         false},
	        {{LDR_X3_X2, STUR_X3_X2_12, LDUR_X0_X2_12, STR_X4_X0}, 4, hit, false},
	        {{LDR_X3_X2, STR_X3_X2_8, LDR_W0_X2_8, STR_X4_X0}, 4, hit, false},
	        /* It was stored there before it was used. */
	        {{STR_X0_X2, STR_X4_X0}, 2, hit, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		check(&examples[i]);
}

static void store_beside_a_pointer_hits_it_or_what_is_there(void **state)
{
	static const struct example examples[] = {
	        {{LDR_X0_X2, STR_X4_X0_8}, 2, POINTER | WORD(0x88) | BEHIND, false},
	        {{LDR_X3_X2, ADD_X0_X3_16, STR_X4_X0}, 3, POINTER | WORD(0x90) | BEHIND, false},
	        /* Its target is the pointer. */
	        {{LDR_X0_X2, STR_X4_X0_M128}, 2, POINTER | BEHIND, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		check(&examples[i]);
}

/* What writes a range hits its target, or any bytes around the pointer. */
static void range_hits_what_its_pointer_leads_to_or_the_pointer(void **state)
{
	static const struct example examples[] = {
	        /* Up to 256 bytes. */
	        {{LDR_X3_X2, SVE_ST1B}, 2, (UINT64_C(1) << 48) - 1, false},
	        /* A block of up to 2 KiB. */
	        {{LDR_X3_X2, DC_ZVA_X3}, 2, UINT64_MAX, false},
	        {{DC_ZVA_X3}, 1, UINT64_MAX, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		check(&examples[i]);
}

/* Where bytes of the copy are not known, all that it may point to may be hit. */
static void store_through_half_a_copy_may_have_hit_more(void **state)
{
	/* A store of 8 bytes may begin at its last byte. */
	static const uint64_t page = (WORD(0x100) - 1) | WORD(0x100);
	static const struct example examples[] = {
	        /* The low byte. */
	        {{LDR_X3_X2, STR_X3_X2_8, STRB_W5_X2_8, LDR_X0_X2_8, STR_X4_X0}, 5, page, false},
	        /* The high half: any of 2^32 places, and in this page but one. */
	        {{LDR_X3_X2, STR_X3_X2_8, STR_W5_X2_12, LDR_X0_X2_8, STR_X4_X0},
	         5,
	         POINTER | TARGET | BEHIND,
	         false},
	        {{STR_W0_X2, STR_X4_X0}, 2, UINT64_MAX, true},
	        {{LDR_X0_X2_8, STR_X4_X0}, 2, UINT64_MAX, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		check(&examples[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(store_through_a_copy_of_a_pointer_hits_it_or_its_target),
	        cmocka_unit_test(store_beside_a_pointer_hits_it_or_what_is_there),
	        cmocka_unit_test(range_hits_what_its_pointer_leads_to_or_the_pointer),
	        cmocka_unit_test(store_through_half_a_copy_may_have_hit_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
