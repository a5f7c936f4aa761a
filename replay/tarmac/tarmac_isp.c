/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ISP RAS traces (the trace format of their Trace Matcher): lines as of Fast Models, but the core
 * is a plain number, "1 clk 0 IT (1) ...", and two letters of memory accesses mean something else.
 * In: these letters. Out: the access's attributes.
 */
#include "replay/tarmac/tarmac_line.h"

/* X: privileged. T: not. */
void tarmac_isp_attributes(struct tarmac_line *line, struct str letters)
{
	struct tarmac_memory *memory = &line->event->memory;

	for (size_t i = 0; i < letters.n; i++) {
		memory->is_privileged |= letters.p[i] == 'X';
		memory->is_unprivileged |= letters.p[i] == 'T';
		if (letters.p[i] != 'X' && letters.p[i] != 'T')
			tarmac_note_oddity(line, TARMAC_ODD_ATTRIBUTE,
			                   (struct str){letters.p + i, 1});
	}
}
