/* SPDX-License-Identifier: Apache-2.0 */
/* A reader of Tarmac: the place in its text, and what it carries on. For tarmac.c and
 * tarmac_detect.c. */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_READER_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_READER_H

#include "replay/tarmac/tarmac_line.h"

struct tarmac {
	struct bytes text;
	struct tarmac_options options;
	struct diag_list *diags; /* NULL: none are wanted */
	enum tarmac_dialect dialect;
	struct tarmac_mark state;
	struct tarmac_stats stats;
	const uint8_t *newline; /* the first after the state's offset; NULL: not known */
	const uint8_t
	        *clear; /* from the state's offset to here there is no '\r'; NULL: not known */
	struct str cores[TARMAC_CORES_MOST];
	uint32_t core_count;
	struct tarmac_value value;
	struct tarmac_last_mode last;
	struct tarmac_odd_lines odd[TARMAC_ODDITIES];
};

#endif
