/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of calls; see call_model.h. */
#include "arch/call_model.h"

enum {
	CALL_RESULT = REG_NZCV, /* as base: what the call returns */
	CALL_PAGES = 0x80,      /* in the bound: and as much as makes whole pages of it */
	PAGE_MOST = 0x10000,
	CACHEFLUSH = 0xf0002, /* number of the A32 call */
	RT_SIGRETURN_A64 = 139,
	RT_SIGRETURN_A32 = 173,
	SIGRETURN_A32 = 119,
	KILL_A64 = 129, /* and two more */
	TGKILL_A64 = 131,
	KILL_A32 = 37,
	TKILL_A32 = 238,
	TGKILL_A32 = 268,

	SEMIHOSTING_NONE = 0xff, /* no word of the block */
};

struct call_write {
	uint8_t base; /* SLOT_NONE: none */
	uint32_t length;
	uint8_t bound; /* SLOT_NONE: always `length` */
};

struct system_call {
	uint32_t number;
	struct call_write writes[2];
};

#define X(number, name, base_1, length_1, bound_1, base_2, length_2)                               \
	{number, {{base_1, length_1, bound_1}, {base_2, length_2, SLOT_NONE}}},
static const struct system_call a64_calls[] = {
#include "arch/system_call.def"
};
static const struct system_call a32_calls[] = {
#include "arch/system_call_a32.def"
};
#undef X

#define WORDS(n) ((n) | IS_WORDS)
#define IS_WORDS UINT32_C(0x40000000)

static const struct semihosting {
	uint8_t operation;
	uint8_t pointer;
	uint8_t bound;
	uint32_t length;
	uint32_t at;
} semihosting[] = {
#define X(operation, name, pointer, bound, length, at) {operation, pointer, bound, length, at},
#include "arch/semihosting.def"
#undef X
};

bool call_model_is_linux(enum isa isa, uint32_t opcode)
{
	switch (isa) {
	case ISA_A64:
		return opcode == 0xd4000001;
	case ISA_A32:
		return (opcode & 0x0fffffff) == 0x0f000000;
	case ISA_T32:
		return opcode == 0xdf00;
	case ISA_UNKNOWN:
	case ISA_TEE:
	case ISA_JAZELLE:
		return false;
	}
	return false;
}

static const struct system_call *find_call(const struct call_site *site)
{
	bool is_a64 = site->isa == ISA_A64;
	const struct system_call *calls = is_a64 ? a64_calls : a32_calls;
	size_t count = is_a64 ? sizeof(a64_calls) / sizeof(a64_calls[0])
	                      : sizeof(a32_calls) / sizeof(a32_calls[0]);

	for (size_t i = 0; i < count; i++) {
		if (site->has_number && calls[i].number == site->number)
			return &calls[i];
	}
	return NULL;
}

static void add_write(struct uop_builder *b, const struct call_write *w, unsigned int result)
{
	struct uop_place at = {w->base == CALL_RESULT ? result : w->base, 0};
	unsigned int bound = w->bound & ~(unsigned int)CALL_PAGES;

	if (w->base == SLOT_NONE)
		return;
	if (w->bound == SLOT_NONE) {
		uop_clobber(b, at, w->length, 0);
		return;
	}
	if ((w->bound & CALL_PAGES) != 0)
		bound = uop_sum(b, 64, bound, uop_constant(b, PAGE_MOST), false);
	uop_clobber_bounded(b, at, w->length, bound);
}

static unsigned int begin(const struct call_site *site, struct uop_builder *b)
{
	uop_begin(b);
	return uop_unknown(b, site->isa == ISA_A64 ? 64 : 32);
}

static void finish(const struct call_site *site, struct uop_builder *b, unsigned int result)
{
	uop_define(b, REG_X0, result);
	uop_finish(b);
	if (site->isa != ISA_A64)
		b->insn.flags |= UOP_AARCH32;
}

bool call_model_system(const struct call_site *site, struct uop_builder *b)
{
	const struct system_call *call =
	        call_model_is_linux(site->isa, site->opcode) ? find_call(site) : NULL;
	unsigned int result;

	if (!call)
		return false;
	result = begin(site, b);
	for (size_t i = 0; i < 2; i++)
		add_write(b, &call->writes[i], result);
	/* The kernel may change keys, and drop what SVE registers have beyond the vectors. */
	for (unsigned int reg = REG_SCTLR_EL1; reg < REG_NAMED_END && site->isa == ISA_A64; reg++)
		uop_define_unknown(b, reg, 64);
	if (site->isa != ISA_A64)
		uop_mode_forget_others(b);
	finish(site, b, result);
	return true;
}

static bool is_numbered(const struct call_site *site)
{
	return site->has_number && call_model_is_linux(site->isa, site->opcode);
}

bool call_model_is_sigreturn(const struct call_site *site)
{
	if (site->isa == ISA_A64)
		return is_numbered(site) && site->number == RT_SIGRETURN_A64;
	return is_numbered(site) &&
	       (site->number == RT_SIGRETURN_A32 || site->number == SIGRETURN_A32);
}

bool call_model_sends_signal(const struct call_site *site)
{
	if (site->isa == ISA_A64)
		return is_numbered(site) && site->number >= KILL_A64 && site->number <= TGKILL_A64;
	return is_numbered(site) && (site->number == KILL_A32 || site->number == TKILL_A32 ||
	                             site->number == TGKILL_A32);
}

bool call_model_may_flush(const struct call_site *site)
{
	return site->isa != ISA_A64 && (!site->has_number || site->number == CACHEFLUSH);
}

/* HLT 0xf000; SVC 0x123456, HLT 0xf000; SVC 0xab; BKPT 0xab of the M profile. */
static bool is_trap(const struct call_site *site, bool is_m_profile)
{
	switch (site->isa) {
	case ISA_A64:
		return site->opcode == 0xd45e0000;
	case ISA_A32:
		return site->opcode == 0xef123456 || site->opcode == 0xe10f0070;
	case ISA_T32:
		return is_m_profile ? site->opcode == 0xbeab : site->opcode == 0xdfab;
	case ISA_UNKNOWN:
	case ISA_TEE:
	case ISA_JAZELLE:
		return false;
	}
	return false;
}

static uint32_t bytes_of(uint32_t length, unsigned int word)
{
	return (length & IS_WORDS) != 0 && length != UINT32_MAX ? (length & ~IS_WORDS) * word
	                                                        : length;
}

static unsigned int load_word(struct uop_builder *b, unsigned int index, unsigned int word)
{
	return uop_load(b, (struct uop_place){REG_X0 + 1, (int64_t)index * word}, word);
}

static void add_writes(struct uop_builder *b, const struct semihosting *op, unsigned int word)
{
	struct uop_place at = {SLOT_NONE, 0};
	unsigned int bound = SLOT_NONE;

	if (op->pointer != SEMIHOSTING_NONE)
		at.base = load_word(b, op->pointer, word);
	if (op->bound != SEMIHOSTING_NONE)
		bound = load_word(b, op->bound, word);
	if (op->at != 0)
		uop_clobber(b, (struct uop_place){REG_X0 + 1, 0}, bytes_of(op->at, word), 0);
	if (at.base != SLOT_NONE)
		uop_clobber_bounded(b, at, bytes_of(op->length, word), bound);
}

bool call_model_semihosting(const struct call_site *site, bool is_m_profile, struct uop_builder *b)
{
	const struct semihosting *op = NULL;
	unsigned int result;

	for (size_t i = 0; i < sizeof(semihosting) / sizeof(semihosting[0]); i++) {
		if (site->has_operation &&
		    semihosting[i].operation == (site->operation & UINT32_MAX))
			op = &semihosting[i];
	}
	if (!op || !is_trap(site, is_m_profile))
		return false;
	result = begin(site, b);
	add_writes(b, op, site->isa == ISA_A64 ? 8 : 4);
	finish(site, b, result);
	return true;
}
