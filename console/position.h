/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positions as users write them, the same in every command: of `monitor`, and of
 * --at, --from and --to. In: a word, the core that it is about, and where that is. Out: a position
 * of its history, 0 to N.
 *
 *	N           that position
 *	-N          so many before the halt
 *	+N          so many after here; also "forward N"
 *	back N      so many before here
 *	begin, end  the oldest instruction, the halt
 *	50%         the part of the history, with up to six digits after a point
 *	@TIME       the first at which it may have been that time
 *	@10us-before-end, @2ms-after-begin  the same, of the core's last or first timestamp
 *	exception   where the last exception before here was taken, after it
 *	gap         after the last gap before here
 *	crash       where the fault was taken that the core halted at, after it
 *	#N          that number of the last answer, origin#N: if it was of `origin`
 *	FUNCTION#N  where the function's Nth call begins
 *	MARK        a name that `mark` gave it (marks.h)
 *
 * Numbers are decimal, or hexadecimal after 0x.
 */
#ifndef CSREPLAY_CONSOLE_POSITION_H
#define CSREPLAY_CONSOLE_POSITION_H

#include "console/console.h"

/* What of it is listed where there is room for a line. */
#define POSITION_FORMS                                                                             \
	"N, -N, +N, back N, begin, end, 50%, @TIME, @10us-before-end, #N, FUNCTION#N, exception, " \
	"gap, crash or a mark"

/*
 * False if it is none, with a clause that says why appended to `wrong`; *position is as it was.
 */
bool position_parse(const struct console *console, struct str word, uint64_t *position,
                    struct text *wrong);

/* Both ends of a range, the second one included. */
struct position_range {
	uint64_t from;
	uint64_t to;
};

/*
 * "FROM..TO", either of which may be left out, FROM-TO, FROM- where these are numbers, a position
 * alone, or "all". False as above.
 */
bool position_parse_range(const struct console *console, struct str word,
                          struct position_range *range, struct text *wrong);

/* The words that begin one, for completion: from 0 on, NULL after the last. */
const char *position_word(size_t i);

/* True of a word that is a position by itself, and no name that could be given to one. */
bool position_is_form(struct str word);

#endif
