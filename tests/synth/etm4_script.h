/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 packets as text: one packet a line, its name and then its numbers (decimal or 0x...).
 * In: a line such as "address_short 0 0x400514 2". Out: bytes. The names and their numbers are
 * the rows of etm4_script.def.
 */
#ifndef CSREPLAY_TESTS_SYNTH_ETM4_SCRIPT_H
#define CSREPLAY_TESTS_SYNTH_ETM4_SCRIPT_H

#include "base/status.h"
#include "base/str.h"
#include "tests/synth/buf.h"

/*
 * Appends the packet of one line. Empty lines and lines that start with '#' are nothing. NOT_FOUND
 * for an unknown name, USAGE for wrong numbers of numbers, BAD_DATA for a number that is none.
 */
MUST_USE enum status etm4_script_line(struct buf *out, struct str line);

#endif
