/* SPDX-License-Identifier: Apache-2.0 */
/* What the dialects of Tarmac have in common when they are written. */
#include "replay/export/line_write.h"

enum { TEXT_MOST = 1000 };

void export_losses_write(const struct export_losses *losses, struct text *out)
{
	static const char *const names[EXPORT_LOSSES][2] = {
#define X(name, one, several) {one, several},
#include "replay/export/export_loss.def"
#undef X
	};
	const char *before = "";

	for (unsigned int i = 0; i < EXPORT_LOSSES; i++) {
		uint64_t count = losses->count[i];

		if (count == 0)
			continue;
		text_printf(out, "%s%llu %s", before, (unsigned long long)count,
		            names[i][count > 1]);
		before = ", ";
	}
}

unsigned int line_known_bytes(const struct tarmac_value *value, unsigned int at, unsigned int most,
                              bool *is_known)
{
	unsigned int count = 0;

	for (; at + count < value->size && count < most; count++) {
		bool known = value->known[at + count] == 0xff;

		if (value->touched[at + count] == 0 || (count > 0 && known != *is_known))
			break;
		*is_known = known;
	}
	return count;
}

/* Digit `i` of the bytes, from the lowest. */
static unsigned int digit_at(const uint8_t *bytes, unsigned int i)
{
	return (unsigned int)bytes[i / 2] >> (i % 2 * 4) & 0xfU;
}

void line_put_register(struct text *out, const struct tarmac_value *value)
{
	for (unsigned int i = 2U * value->size; i-- > 0;) {
		if (digit_at(value->touched, i) == 0)
			text_char(out, '-');
		else if (digit_at(value->known, i) == 0xf)
			text_char(out, "0123456789abcdef"[digit_at(value->bits, i)]);
		else
			text_char(out, 'x');
	}
}

bool line_has_holes(const struct tarmac_value *value)
{
	for (unsigned int i = 0; i < value->size; i++) {
		if (value->known[i] != 0xff)
			return true;
	}
	return false;
}

void line_put_mode(struct text *out, const struct tarmac_instruction *insn)
{
	const char *name = tarmac_mode_name(insn->mode);

	text_puts(out, insn->mode == TARMAC_MODE_NONE ? "-" : name);
}

void line_put_text(struct text *out, struct str text)
{
	text = str_trim(text);
	for (size_t i = 0; i < text.n && i < TEXT_MOST; i++)
		text_char(out, str_printable(text.p[i]));
}

bool line_hides_effect(struct str word)
{
	static const char *const kinds[] = {"IT", "IS", "IF", "ES", "R",
	                                    "LD", "ST", "LA", "SA", "SX"};
	bool found = word.n >= 2 && word.p[0] == 'M';

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		found |= str_eq(word, str_of(kinds[i]));
	return found || (word.n == 3 && (word.p[0] == 'R' || word.p[0] == 'W')); /* R08, of RTL */
}
