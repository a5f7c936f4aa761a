/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Agent expressions: a condition that gdb compiled to bytecode, evaluated where the values are. In:
 * the bytes, and who knows registers and memory. Out: whether it holds. gdb manual, appendix "The
 * GDB Agent Expression Mechanism".
 *
 * Where anything is not known, and where the bytes are not sound, nothing is said, and gdb is to
 * decide: it evaluates a condition again at each stop.
 */
#ifndef CSREPLAY_STUB_AGENT_EXPRESSION_H
#define CSREPLAY_STUB_AGENT_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum agent_verdict {
	AGENT_UNKNOWN,
	AGENT_HOLDS,
	AGENT_FAILS,
};

/* What the expression is about; false: not known. Multi-byte values are as the host's. */
struct agent_target {
	/* `number`: of the target description. */
	bool (*read_register)(void *context, unsigned int number, uint64_t *value);
	/* Little-endian, of 1, 2, 4 or 8 bytes. */
	bool (*read_memory)(void *context, uint64_t address, unsigned int size, uint64_t *value);
	void *context;
};

enum {
	AGENT_STACK_MOST = 64,
	AGENT_STEPS_MOST = 4096, /* a loop ends there, UNKNOWN */
};

/* Runs the expression from its beginning to its `end`. */
enum agent_verdict agent_evaluate(struct bytes code, const struct agent_target *target);

#endif
