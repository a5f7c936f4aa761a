/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a Tarmac text: its dialect, by what its first lines are. */
#include <stdlib.h>

#include "replay/tarmac/tarmac_lex.h"
#include "replay/tarmac/tarmac_reader.h"

enum { DETECT_MOST = 1 << 16 }; /* bytes that decide */

/* gem5 writes two blanks at least before most instructions. */
static bool is_gem5(const struct tarmac_event *event)
{
	struct str disassembly = event->instruction.disassembly;

	return disassembly.n > 0 && disassembly.p[-1] == ' ' && disassembly.p[-2] == ' ';
}

/* Whose file the event speaks for; NONE if several have such lines. */
static enum tarmac_dialect vote(const struct tarmac *t, const struct tarmac_event *event)
{
	if (event->dialect == TARMAC_DIALECT_REV3 || event->dialect == TARMAC_DIALECT_RTL)
		return event->dialect;
	if (event->kind != TARMAC_INSTRUCTION)
		return TARMAC_DIALECT_NONE;
	if (event->core >= t->core_count)
		return TARMAC_DIALECT_FM;
	if (lex_class[(uint8_t)t->cores[event->core].p[0]] & LEX_DECIMAL)
		return TARMAC_DIALECT_ISP;
	return is_gem5(event) ? TARMAC_DIALECT_GEM5 : TARMAC_DIALECT_FM;
}

static enum tarmac_dialect detect(struct tarmac *t)
{
	unsigned int votes[TARMAC_DIALECT_ISP + 1] = {0};
	unsigned int found = TARMAC_DIALECT_FM;
	struct tarmac_event event;
	uint64_t events = 0;

	for (; tarmac_next(t, &event) == STATUS_OK; events++)
		votes[vote(t, &event)]++;
	if (2 * t->stats.malformed >= events)
		return TARMAC_DIALECT_NONE;
	for (unsigned int i = TARMAC_DIALECT_NONE + 1; i <= TARMAC_DIALECT_ISP; i++) {
		if (votes[i] > votes[found])
			found = i;
	}
	return (enum tarmac_dialect)found;
}

enum status tarmac_detect(struct bytes text, enum tarmac_dialect *dialect)
{
	struct tarmac *t;

	*dialect = TARMAC_DIALECT_NONE;
	if (text.begin == text.end)
		return STATUS_OK;
	t = calloc(1, sizeof(*t));
	if (!t)
		return STATUS_NO_MEM;
	t->text = text;
	if ((size_t)(text.end - text.begin) > DETECT_MOST)
		t->text.end = text.begin + DETECT_MOST;
	*dialect = detect(t);
	free(t);
	return STATUS_OK;
}

enum status tarmac_open(struct bytes text, const struct tarmac_options *options,
                        struct diag_list *diags, struct tarmac **reader)
{
	enum tarmac_dialect dialect;
	struct tarmac *t;

	TRY(tarmac_detect(text, &dialect));
	t = calloc(1, sizeof(*t));
	if (!t)
		return STATUS_NO_MEM;
	t->text = text;
	t->options = *options;
	t->diags = diags;
	t->dialect = dialect;
	*reader = t;
	return STATUS_OK;
}
