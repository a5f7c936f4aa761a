/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `csreplay compare` prints: differences as diff does, with the instructions around them, or
 * as one JSON document. In: differences, oldest first. Out: text.
 */
#ifndef CSREPLAY_CLI_COMPARE_PRINT_H
#define CSREPLAY_CLI_COMPARE_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/isa.h"
#include "base/text.h"
#include "replay/compare/compare.h"

struct compare_printer {
	struct compare_side sides[COMPARE_SIDES];
	const char *names[COMPARE_SIDES]; /* as the user gave them */
	struct disasm *disasm;
	struct text *out;
	bool json;
	/* The difference that was printed last, and whether there was one. */
	struct compare_difference last;
	bool has_last;
};

void compare_print_begin(struct compare_printer *p);
void compare_print(struct compare_printer *p, const struct compare_difference *difference);
/*
 * Ends the last one that is printed: `after` pairs without a difference follow it. Without effect
 * if none was.
 */
void compare_print_tail(struct compare_printer *p, uint64_t after);
/* `hidden` differences were not printed; `is_whole` is false if the search ended at the first. */
void compare_print_summary(struct compare_printer *p, const struct compare_summary *summary,
                           uint64_t hidden, bool is_whole);

#endif
