/* SPDX-License-Identifier: Apache-2.0 */
/* JSON pieces; see json.h. */
#include "base/json.h"

/* Bytes of the UTF-8 sequence at the start of `s`, or 0 if it is none (RFC 3629, section 4). */
static size_t utf8_length(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t n;

	if (p[0] < 0x80)
		return 1;
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || s.n < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

void json_quote(struct text *out, struct str s)
{
	text_char(out, '"');
	while (s.n > 0) {
		unsigned char c = (unsigned char)s.p[0];
		size_t n = utf8_length(s);

		if (n == 0) {
			text_puts(out, "\\ufffd");
			n = 1;
		} else if (c == '"' || c == '\\') {
			text_char(out, '\\');
			text_char(out, (char)c);
		} else if (c < 0x20) {
			text_printf(out, "\\u%04x", c);
		} else {
			text_add(out, (struct str){s.p, n});
		}
		s = str_skip(s, n);
	}
	text_char(out, '"');
}

void json_open(struct text *out, char bracket)
{
	text_char(out, bracket);
}

void json_close(struct text *out, char bracket)
{
	text_char(out, bracket);
}

void json_item(struct text *out)
{
	char last = '\0';

	if (out->length > 0)
		last = out->data[out->length - 1];
	if (last != '\0' && last != '{' && last != '[' && last != ':' && last != '\n')
		text_char(out, ',');
}

void json_key(struct text *out, const char *key)
{
	json_item(out);
	json_quote(out, str_of(key));
	text_char(out, ':');
}

void json_str(struct text *out, const char *key, struct str value)
{
	json_key(out, key);
	json_quote(out, value);
}

void json_u64(struct text *out, const char *key, uint64_t value)
{
	json_key(out, key);
	text_decimal(out, value);
}

void json_hex(struct text *out, const char *key, uint64_t value)
{
	json_key(out, key);
	text_puts(out, "\"0x");
	text_hex(out, value, 1);
	text_char(out, '"');
}

void json_bool(struct text *out, const char *key, bool value)
{
	json_key(out, key);
	text_puts(out, value ? "true" : "false");
}
