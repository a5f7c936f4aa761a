/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a DWARF expression says of a variable (DWARF 5, 2.5 and 2.6), where it is of a simple form.
 * In: a unit, the expression, a machine. Out: the variable's bytes, as many as it has.
 */
#ifndef CSREPLAY_SNAPSHOT_VARIABLES_EXPRESSION_H
#define CSREPLAY_SNAPSHOT_VARIABLES_EXPRESSION_H

#include "snapshot/variables/debug_list.h"

struct expression_scope {
	const struct variable_unit *unit;
	const struct variable_machine *machine;
	uint64_t pc;              /* in the file: of lists */
	bool has_function;        /* `function` is there */
	uint64_t function;        /* in memory: where the function begins */
	struct debug_place frame; /* what DW_OP_fbreg adds to */
};

/*
 * Fills value->bytes of `value->size`. NOT_FOUND: it is nowhere there (optimized out). UNSUPPORTED:
 * in a form that is not read, or damaged.
 */
MUST_USE enum status expression_value(const struct expression_scope *scope,
                                      const struct bytes *expression, struct variable_bytes *value);

#endif
