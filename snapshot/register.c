/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One key of a [regs] section: "NAME", "NAME(77)", "NAME(id:0x80,size:64)" in any order, and its
 * value of any width. Snapshot format 1.0, section 3.2.2.
 */
#include <stdlib.h>

#include "base/hex.h"
#include "snapshot/load.h"

enum {
	DEFAULT_BITS = 32,
	MOST_BITS = 1 << 20,  /* SME's ZA at its largest is 2^19 bits */
	DECIMAL_DIGITS = 512, /* hexadecimal ones of a value in decimal: an SVE register at most */
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

/* Decimal digits as hexadecimal ones in `buffer`. BAD_DATA if one is none; TRUNCATED if too many.
 */
static enum status decimal_to_hex(struct str text, char buffer[DECIMAL_DIGITS], struct str *digits)
{
	uint8_t value[DECIMAL_DIGITS] = {0}; /* lowest first */

	if (text.n == 0)
		return STATUS_BAD_DATA;
	for (size_t i = 0; i < text.n; i++) {
		unsigned int carry = (unsigned int)(text.p[i] - '0');

		if (text.p[i] < '0' || text.p[i] > '9')
			return STATUS_BAD_DATA;
		for (size_t j = 0; j < DECIMAL_DIGITS; j++) {
			carry += 10U * value[j];
			value[j] = carry & 15;
			carry >>= 4;
		}
		if (carry > 0)
			return STATUS_TRUNCATED;
	}
	for (size_t i = 0; i < DECIMAL_DIGITS; i++)
		buffer[i] = hex_digits[value[DECIMAL_DIGITS - 1 - i]];
	*digits = (struct str){buffer, DECIMAL_DIGITS};
	return STATUS_OK;
}

/* The value as hexadecimal digits, diagnosed if it has none. */
static enum status parse_digits(const struct context *c, struct str text,
                                char buffer[DECIMAL_DIGITS], struct str *digits, uint64_t *bits)
{
	enum status status = STATUS_OK;

	*digits = str_skip(text, 2);
	if (!str_has_prefix_nocase(text, STR("0x")))
		status = decimal_to_hex(text, buffer, digits);
	if (status == STATUS_TRUNCATED)
		return diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                  "register \"%.*s\": value %.*s needs more than %d bits, which is "
		                  "read in hexadecimal alone",
		                  STR_ARG(c->reg->name), STR_ARG(text), 4 * DECIMAL_DIGITS);
	if (status == STATUS_OK)
		status = needed_bits(*digits, bits);
	if (status != STATUS_OK)
		return diag_error(c->loader->diags, STATUS_BAD_DATA, c->place,
		                  "register \"%.*s\": value \"%.*s\" is not a number",
		                  STR_ARG(c->reg->name), STR_ARG(text));
	return STATUS_OK;
}

static enum status parse_value(const struct context *c, struct str text)
{
	size_t size = (c->reg->bits + 7U) / 8U;
	char buffer[DECIMAL_DIGITS];
	struct str digits;
	uint64_t bits = 0;
	uint8_t *bytes;

	TRY(parse_digits(c, text, buffer, &digits, &bits));
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

/* By name without regard to case, as it is looked up, and then as in the file. */
static int compare_names(const void *a, const void *b)
{
	const struct snap_register *x = a;
	const struct snap_register *y = b;
	int order = str_order_nocase(x->name, y->name);

	if (order != 0)
		return order;
	return x->place.line < y->place.line ? -1 : x->place.line > y->place.line;
}

struct snap_register *load_registers_by_name(const struct snap_device *device)
{
	struct snap_register *order = calloc(device->register_count + 1, sizeof(*order));

	if (!order)
		return NULL;
	for (size_t i = 0; i < device->register_count; i++)
		order[i] = device->registers[i];
	qsort(order, device->register_count, sizeof(*order), compare_names);
	return order;
}

bool snap_registers_differ(const struct snap_register *a, const struct snap_register *b)
{
	size_t bits = a->bits < b->bits ? a->bits : b->bits;

	return bits > 0 && memcmp(a->value, b->value, (bits + 7) / 8) != 0;
}

/* All of that name, which are in `order` one after the other. */
static void contest(struct snap_device *device, struct str name)
{
	for (size_t i = 0; i < device->register_count; i++) {
		if (str_eq_nocase(device->registers[i].name, name))
			device->registers[i].is_contested = true;
	}
}

enum status load_contested(struct snap_device *device)
{
	struct snap_register *order = load_registers_by_name(device);

	if (!order)
		return STATUS_NO_MEM;
	for (size_t i = 1; i < device->register_count; i++) {
		if (str_eq_nocase(order[i].name, order[i - 1].name) &&
		    snap_registers_differ(&order[i], &order[i - 1]))
			contest(device, order[i].name);
	}
	free(order);
	return STATUS_OK;
}

const struct snap_register *snap_device_find_register(const struct snap_device *device,
                                                      struct str name)
{
	for (size_t i = 0; i < device->register_count; i++) {
		if (str_eq_nocase(device->registers[i].name, name))
			return &device->registers[i];
	}
	return NULL;
}

const struct snap_register *snap_device_register(const struct snap_device *device, struct str name)
{
	const struct snap_register *reg = snap_device_find_register(device, name);

	return reg && !reg->is_contested ? reg : NULL;
}

const struct snap_register *snap_device_any_register(const struct snap_device *device,
                                                     struct str names)
{
	while (names.p) {
		const struct snap_register *reg =
		        snap_device_register(device, str_next_part(&names, '|'));

		if (reg)
			return reg;
	}
	return NULL;
}

uint64_t snap_register_value(const struct snap_register *reg)
{
	size_t size = (reg->bits + 7U) / 8U;
	uint64_t value = 0;

	for (size_t i = 0; i < size && i < 8; i++)
		value |= (uint64_t)reg->value[i] << 8 * i;
	return value;
}
