/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that no register file has; see tarmac_system.h. */
#include "replay/tarmac/tarmac_system.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/tarmac/tarmac_line.h"

enum { NAME_MOST = 64 };

/* AArch32's names of registers that AArch64 calls otherwise (Arm ARM G8, architectural mapping). */
static const struct {
	struct str name;
	struct str stem;
} mapped[] = {
#define MAP(name, stem) {{(name), sizeof(name) - 1}, {(stem), sizeof(stem) - 1}},
        // clang-format off
	MAP("adfsr", "afsr0") MAP("aifsr", "afsr1") MAP("amair0", "amair") MAP("amair1", "amair")
	MAP("dacr", "dacr32") MAP("dbgdscrext", "mdscr") MAP("dbgdscrint", "mdscr")
	MAP("dfar", "far") MAP("dfsr", "esr") MAP("fpexc", "fpexc32") MAP("hactlr", "actlr")
	MAP("hadfsr", "afsr0") MAP("haifsr", "afsr1") MAP("hamair0", "amair")
	MAP("hamair1", "amair") MAP("hcptr", "cptr") MAP("hcr2", "hcr") MAP("hdcr", "mdcr")
	MAP("hdfar", "far") MAP("hifar", "far") MAP("hmair0", "mair") MAP("hmair1", "mair")
	MAP("hsctlr", "sctlr") MAP("hsr", "esr") MAP("htcr", "tcr") MAP("htpidr", "tpidr")
	MAP("httbr", "ttbr0") MAP("hvbar", "vbar") MAP("ifar", "far") MAP("ifsr", "ifsr32")
	MAP("mair0", "mair") MAP("mair1", "mair") MAP("mvbar", "vbar") MAP("nmrr", "mair")
	MAP("prrr", "mair") MAP("sder", "sder32") MAP("tpidrprw", "tpidr")
	MAP("tpidruro", "tpidrro") MAP("tpidrurw", "tpidr") MAP("ttbcr", "tcr")
	MAP("ttbcr2", "tcr")
// clang-format on
#undef MAP
};

/* How the names begin of registers that a page table is chosen by, and of TLB maintenance. */
static const char *const translation[] = {
        "contextidr", "hcr",  "hsctlr", "htcr",  "httbr",  "sctlr", "tcr",   "tlbi",
        "ttbcr",      "ttbr", "vsctlr", "vstcr", "vsttbr", "vtcr",  "vttbr",
};

bool tarmac_system_is_translation(struct str name)
{
	for (size_t i = 0; i < sizeof(translation) / sizeof(translation[0]); i++) {
		if (str_has_prefix_nocase(name, str_of(translation[i])))
			return true;
	}
	return false;
}

/* Parts of CPSR (Arm ARM, C5.2 and SPSR_EL1) and of xPSR (Armv8-M ARM, XPSR). */
static const struct {
	struct str name;
	uint32_t bits;
} psr_parts[] = {
#define PART(name, bits) {{(name), sizeof(name) - 1}, (bits)},
        // clang-format off
	PART("nzcv", 0xf0000000) PART("tco", 1U << 25) PART("dit", 1U << 24)
	PART("uao", 1U << 23) PART("pan", 1U << 22) PART("allint", 1U << 13)
	PART("ssbs", 1U << 12) PART("daif", 0x3c0) PART("currentel", 0xc) PART("spsel", 1)
	PART("ipsr", 0x1ff) PART("epsr", 0x0700fc00)
// clang-format on
#undef PART
};

uint32_t tarmac_system_psr_part(struct str name)
{
	for (size_t i = 0; i < sizeof(psr_parts) / sizeof(psr_parts[0]); i++) {
		if (str_eq_nocase(name, psr_parts[i].name))
			return psr_parts[i].bits;
	}
	return 0;
}

static bool is_level(struct str token)
{
	return (token.n == 3 || token.n == 4) && token.p[0] == 'e' && token.p[1] == 'l' &&
	       token.p[2] >= '0' && token.p[2] <= '3';
}

static bool is_bank(struct str token)
{
	enum tarmac_mode mode;
	enum tarmac_security security;

	if (is_level(token) || str_eq(token, STR("s")) || str_eq(token, STR("ns")))
		return true;
	tarmac_read_mode(token, &mode, &security);
	return mode != TARMAC_MODE_NONE;
}

/* The last part of a name, after a '_'; empty if it has none. */
static struct str last_token(struct str name)
{
	size_t begin = name.n;

	while (begin > 0 && name.p[begin - 1] != '_')
		begin--;
	return begin > 0 ? str_skip(name, begin) : (struct str){name.p, 0};
}

static void cut_token(struct str *name, struct str token)
{
	name->n -= token.n + 1;
}

/* Takes the name apart. */
static void analyse(struct tarmac_system_register *r)
{
	struct str token = last_token(r->name);

	r->stem = r->name;
	r->bank = (struct str){r->name.p, 0};
	if (token.n > 0 && is_bank(token)) {
		r->bank = token;
		cut_token(&r->stem, token);
		token = last_token(r->stem);
	}
	if (str_eq(token, STR("64")))
		cut_token(&r->stem, token);
	r->is_a64 = is_level(r->bank);
	if (r->is_a64) /* SCTLR_EL12 is SCTLR_EL1 */
		r->bank.n = 3;
	r->a64_stem = r->stem;
	for (size_t i = 0; i < sizeof(mapped) / sizeof(mapped[0]) && !r->is_a64; i++) {
		if (str_eq(r->stem, mapped[i].name))
			r->a64_stem = mapped[i].stem;
	}
}

/* True if the two may be one register. */
static bool may_alias(const struct tarmac_system_register *a,
                      const struct tarmac_system_register *b)
{
	if (a->is_a64 != b->is_a64)
		return str_eq(a->a64_stem, b->a64_stem);
	return str_eq(a->stem, b->stem) &&
	       (a->bank.n == 0 || b->bank.n == 0 || str_eq(a->bank, b->bank));
}

static unsigned int size_of(unsigned int bytes)
{
	unsigned int size = 1;

	while (size < bytes)
		size *= 2;
	return size;
}

/* "r13_svc" of "R13 (SVC)". */
static struct str name_of(const struct tarmac_register *reg, char *out)
{
	struct str context = reg->context;
	size_t n = 0;

	for (size_t i = 0; i < reg->name.n && n < NAME_MOST; i++)
		out[n++] = str_lower(reg->name.p[i]);
	if (context.n == 0 || str_eq_nocase(context, STR("AARCH32")) ||
	    str_eq_nocase(context, STR("AARCH64")))
		return (struct str){out, n};
	if (n < NAME_MOST)
		out[n++] = '_';
	for (size_t i = 0; i < context.n && n < NAME_MOST; i++)
		out[n++] = str_lower(context.p[i]);
	return (struct str){out, n};
}

/* The item of the name, which is new if it is the first time. */
static enum status find_item(struct tarmac_system *system, struct str name, unsigned int slot,
                             size_t *index)
{
	struct tarmac_system_register item = {.slot = slot};

	for (*index = 0; *index < system->count; ++*index) {
		if (str_eq(system->items[*index].name, name))
			return STATUS_OK;
	}
	TRY(vec_reserve((void **)&system->items, &system->capacity, system->count + 1,
	                sizeof(*system->items)));
	item.name = arena_str(&system->texts, name);
	if (!item.name.p)
		return STATUS_NO_MEM;
	analyse(&item);
	system->items[system->count++] = item;
	return STATUS_OK;
}

static uint64_t key_of(size_t index, unsigned int word)
{
	return SLOT_COUNT + 2 * (uint64_t)index + word;
}

/* Word `word` of the register: what the line says of it; what it does not say is not known. */
static struct word_event word_of(const struct tarmac_value *value, size_t index, unsigned int word,
                                 uint64_t time)
{
	struct word_event e = {
	        .key = key_of(index, word), .time = time, .kind = WORD_WRITE, .touched = 0xff};

	for (unsigned int i = 0; i < 8; i++) {
		unsigned int at = 8 * word + i;

		if (at >= value->size)
			continue;
		if (value->touched[at] == 0)
			e.touched &= (uint8_t) ~(1U << i);
		if (value->known[at] != 0xff)
			continue;
		e.known |= (uint8_t)(1U << i);
		e.value |= (uint64_t)value->bits[at] << (8 * i);
	}
	return e;
}

static enum status hide(struct word_log *log, size_t index, uint64_t time)
{
	for (unsigned int word = 0; word < 2; word++)
		TRY(word_log_add(log, &(struct word_event){.key = key_of(index, word),
		                                           .time = time,
		                                           .kind = WORD_WRITE,
		                                           .touched = 0xff}));
	return STATUS_OK;
}

static enum status write_item(struct tarmac_system *system, struct word_log *log, size_t index,
                              const struct tarmac_value *value, uint64_t time)
{
	for (unsigned int word = 0; word < 2; word++) {
		struct word_event e = word_of(value, index, word, time);

		TRY(word_log_add(log, &e));
	}
	for (size_t i = 0; i < system->count; i++) {
		if (i != index && system->items[i].slot == TARMAC_SLOT_NONE &&
		    may_alias(&system->items[i], &system->items[index]))
			TRY(hide(log, i, time));
	}
	return STATUS_OK;
}

enum status tarmac_system_hide_psr(struct tarmac_system *system, struct word_log *log,
                                   uint64_t time)
{
	for (size_t i = 0; i < system->count; i++) {
		if (tarmac_system_psr_part(system->items[i].name) != 0)
			TRY(hide(log, i, time));
	}
	return STATUS_OK;
}

/* A register of the slots that a name with a bank means always. */
static bool is_banked(const struct tarmac_register *reg, const struct slot_place *place)
{
	if (reg->bank == TARMAC_MODE_NONE || place->from != 0)
		return false;
	/* Which world's MSP it is the core's security state decides, unless the name does. */
	if (reg->bank == TARMAC_MODE_MAIN || reg->bank == TARMAC_MODE_PROCESS)
		return reg->security != TARMAC_SECURITY_NOT_SAID;
	if (reg->file == TARMAC_FILE_SP)
		return true;
	return reg->file == TARMAC_FILE_R &&
	       (reg->number > 12 || (reg->number > 7 && reg->bank == TARMAC_MODE_FIQ));
}

enum status tarmac_system_add(struct tarmac_system *system, struct word_log *log,
                              const struct tarmac_register *reg, const struct slot_place *place,
                              uint64_t time)
{
	unsigned int size = place->slot != TARMAC_SLOT_NONE ? place->size : reg->value->size;
	char text[NAME_MOST];
	struct str name = name_of(reg, text);
	size_t index;

	if (size == 0 || size > TARMAC_SYSTEM_BYTES_MOST || reg->file == TARMAC_FILE_PC ||
	    reg->file == TARMAC_FILE_Z)
		return STATUS_OK;
	if (place->slot != TARMAC_SLOT_NONE && !is_banked(reg, place))
		return STATUS_OK;
	TRY(find_item(system, name, place->slot, &index));
	if (size_of(size) > system->items[index].size)
		system->items[index].size = size_of(size);
	if (place->slot != TARMAC_SLOT_NONE)
		return STATUS_OK;
	return write_item(system, log, index, reg->value, time);
}

void tarmac_system_read(const struct tarmac_system *system, const struct word_log *log,
                        size_t index, uint64_t time, struct value *value)
{
	const struct tarmac_system_register *r = &system->items[index];
	uint64_t key = r->slot != TARMAC_SLOT_NONE ? r->slot : key_of(index, 0);

	*value = value_unknown(r->size);
	for (unsigned int i = 0; i < r->size; i++) {
		uint64_t word;
		bool is_there;
		uint8_t known = word_log_at(log, key + i / 8, time, &word, &is_there);

		if ((known & 1U << i % 8) == 0)
			continue;
		value->bits[i] = (uint8_t)(word >> (8 * (i % 8)));
		value->known[i] = 0xff;
	}
}

void tarmac_system_fini(struct tarmac_system *system)
{
	free(system->items);
	arena_fini(&system->texts);
	*system = (struct tarmac_system){0};
}
