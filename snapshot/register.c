/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One key of a [regs] section: "NAME", "NAME(77)", "NAME(id:0x80,size:64)" in any order, and its
 * value of any width. Snapshot format 1.0, section 3.2.2.
 */
#include "base/hex.h"
#include "snapshot/load.h"

enum {
	DEFAULT_BITS = 32,
	MOST_BITS = 1 << 20, /* SME's ZA at its largest is 2^19 bits */
};

struct context {
	struct loader *loader;
	struct place place;
	struct snap_register *reg;
};

/* A part of the parentheses: "size:64", "id:78" or "78". */
static enum status parse_part(const struct context *c, struct str part)
{
	size_t colon = str_find(part, ':');
	bool keyed = colon < part.n;
	struct str key = str_trim((struct str){part.p, colon});
	struct str number = keyed ? str_trim(str_skip(part, colon + 1)) : part;
	bool is_size = keyed && str_eq_nocase(key, STR("size"));
	uint64_t most = is_size ? MOST_BITS : UINT32_MAX;
	uint64_t value;

	if (keyed && !is_size && !str_eq_nocase(key, STR("id"))) {
		diag_warning(c->loader->diags, c->place,
		             "register \"%.*s\": \"%.*s\" is neither id nor size and is ignored",
		             STR_ARG(c->reg->name), STR_ARG(key));
		return STATUS_OK;
	}
	if (str_to_u64(number, &value) != STATUS_OK || value > most || (is_size && value == 0))
		return diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                  "register \"%.*s\": %s \"%.*s\" is not a number of at most %llu",
		                  STR_ARG(c->reg->name), is_size ? "size" : "id", STR_ARG(number),
		                  (unsigned long long)most);
	if (is_size) {
		c->reg->bits = (uint32_t)value;
	} else {
		c->reg->id = (uint32_t)value;
		c->reg->has_id = true;
	}
	return STATUS_OK;
}

static enum status parse_key(const struct context *c, struct str key)
{
	size_t open = str_find(key, '(');
	struct str rest = str_skip(key, open + 1);

	c->reg->name = str_trim((struct str){key.p, open});
	c->reg->bits = DEFAULT_BITS;
	if (c->reg->name.n == 0 || (open < key.n && (rest.n == 0 || rest.p[rest.n - 1] != ')')))
		return diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                  "\"%.*s\" is not a register, expected NAME or NAME(id:N,size:N)",
		                  STR_ARG(key));
	if (open == key.n)
		return STATUS_OK;
	rest.n--;
	while (rest.p)
		TRY(parse_part(c, str_next_part(&rest, ',')));
	return STATUS_OK;
}

/* How many bits the hexadecimal digits need; BAD_DATA if one is none. */
static enum status needed_bits(struct str digits, uint64_t *bits)
{
	*bits = 0;
	if (digits.n == 0)
		return STATUS_BAD_DATA;
	for (size_t i = 0; i < digits.n; i++) {
		int digit = hex_digit(digits.p[i]);

		if (digit < 0)
			return STATUS_BAD_DATA;
		if (*bits > 0)
			*bits += 4;
		else
			while (digit >> *bits)
				++*bits;
	}
	return STATUS_OK;
}

/* Decimal digits up to 64 bits, as hexadecimal ones in `buffer`. */
static enum status decimal_to_hex(struct str text, char buffer[16], struct str *digits)
{
	uint64_t value;

	TRY(str_to_u64(text, &value));
	for (size_t i = 0; i < 16; i++)
		buffer[i] = hex_digits[value >> (60 - 4 * i) & 15];
	*digits = (struct str){buffer, 16};
	return STATUS_OK;
}

static enum status parse_value(const struct context *c, struct str text)
{
	size_t size = (c->reg->bits + 7U) / 8U;
	char buffer[16];
	struct str digits = str_skip(text, 2);
	enum status status = STATUS_OK;
	uint64_t bits = 0;
	uint8_t *bytes;

	if (!str_has_prefix_nocase(text, STR("0x")))
		status = decimal_to_hex(text, buffer, &digits);
	if (status == STATUS_OK)
		status = needed_bits(digits, &bits);
	if (status != STATUS_OK)
		return diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                  "register \"%.*s\": value \"%.*s\" is not a number",
		                  STR_ARG(c->reg->name), STR_ARG(text));
	if (bits > c->reg->bits)
		return diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                  "register \"%.*s\": value %.*s needs %llu bits, its size is %u",
		                  STR_ARG(c->reg->name), STR_ARG(text), (unsigned long long)bits,
		                  c->reg->bits);
	bytes = arena_alloc(c->loader->arena, size);
	if (!bytes)
		return STATUS_NO_MEM;
	/* Digits before the last 2 * size are zero: they need no bits. */
	for (size_t i = 0; i < digits.n && i / 2 < size; i++)
		bytes[i / 2] |= (uint8_t)(hex_digit(digits.p[digits.n - 1 - i]) << i % 2 * 4);
	c->reg->value = bytes;
	return STATUS_OK;
}

enum status load_register(struct loader *loader, const struct ini_file *file,
                          const struct ini_entry *entry, struct snap_register *reg)
{
	struct snap_register parsed = {.place = ini_place(file, entry->line)};
	struct context c = {loader, parsed.place, &parsed};

	TRY(parse_key(&c, entry->key));
	TRY(parse_value(&c, ini_unquote(entry->value)));
	*reg = parsed;
	return STATUS_OK;
}
