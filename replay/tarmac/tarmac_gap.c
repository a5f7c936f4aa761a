/* SPDX-License-Identifier: Apache-2.0 */
/* Gaps as lines of Tarmac text. */
#include "replay/tarmac/tarmac_gap.h"

static const struct str gap_word = {"DebugEvent_TraceGap ", sizeof("DebugEvent_TraceGap ") - 1};
static const struct str at_word = {" at 0x", sizeof(" at 0x") - 1};

void tarmac_gap_write(const struct gap *gap, struct text *out)
{
	text_puts(out, "E ");
	text_add(out, gap_word);
	text_puts(out, gap_reason_text(gap->reason));
	if (!gap->has_address)
		return;
	text_add(out, at_word);
	text_hex(out, gap->address, 1);
}

bool tarmac_gap_read(const struct tarmac_event *event, struct gap *gap)
{
	struct str rest = str_trim(event->rest);

	if (event->kind != TARMAC_NOTE || !str_eq(event->word, STR("E")) ||
	    !str_has_prefix(rest, gap_word))
		return false;
	rest = str_skip(rest, gap_word.n);
	for (unsigned int i = 0; i <= GAP_HALT; i++) {
		struct str reason = str_of(gap_reason_text((enum gap_reason)i));
		struct str at = str_skip(rest, reason.n);
		struct gap found = {.reason = (enum gap_reason)i, .offset = event->offset};

		if (!str_has_prefix(rest, reason))
			continue;
		found.has_address =
		        str_has_prefix(at, at_word) &&
		        str_hex_to_u64(str_skip(at, at_word.n), &found.address) == STATUS_OK;
		if (at.n > 0 && !found.has_address)
			continue;
		*gap = found;
		return true;
	}
	return false;
}
