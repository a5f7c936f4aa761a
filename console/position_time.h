/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Positions by time: "@TIME", in ticks of the timestamps; "@10us-before-end", "@2ms-after-begin",
 * from the core's last or first timestamp, if the snapshot says how long a tick is. Private to
 * console/.
 */
#ifndef CSREPLAY_CONSOLE_POSITION_TIME_H
#define CSREPLAY_CONSOLE_POSITION_TIME_H

#include "console/console.h"

/* As position_parse(), of a word that begins with "@": the first at which it may have been then. */
bool position_find_time(const struct console *console, struct str word, uint64_t *position,
                        struct text *wrong);

/* Why a core's position at a time is not known: session_positions_at()'s answer, as a clause. */
void position_say_no_time(enum status status, uint64_t position, struct text *out);

#endif
