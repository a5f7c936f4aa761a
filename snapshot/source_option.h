/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of a trace source in a trace package. In: keys of [trace_N] and its format. Out:
 * values, and from those the registers that decoders want (snap_source_register() of snapshot.h).
 * Trace metadata, sections 4.4, 4.6 and 6.3. Tables: source_option.def.
 */
#ifndef CSREPLAY_SNAPSHOT_SOURCE_OPTION_H
#define CSREPLAY_SNAPSHOT_SOURCE_OPTION_H

#include "snapshot/snapshot.h"

/* The option with that key, without regard to case; SOURCE_OPTIONS if there is none. */
enum source_option source_option_find(struct str key);

/* The values that it may have, separated by blanks. */
struct str source_option_values(enum source_option option);

/* BAD_DATA if `text` is not one of those values; nothing is set then. */
MUST_USE enum status source_option_set(struct source_options *options, enum source_option option,
                                       struct str text);

/* Sets MINOR from a format such as "ETM3.5": 5. "ETM4" is 4.0. Nothing is set if it has no number.
 */
void source_option_set_version(struct source_options *options, struct str format);

/* A warning for each register of the source that contradicts an option. */
void source_option_check(const struct snap_source *source, struct diag_list *diags);

/* True if options of this source may stand in for the register. */
bool source_option_stands_for(const struct snap_source *source, struct str reg);

#endif
