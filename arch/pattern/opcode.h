/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of opcodes: one row an instruction, with its pattern and what it is to who follows the
 * program. In: the rows of an instruction set; then opcodes. Out: the row that an opcode belongs
 * to, its fields by name, its flow. What the instruction does is in an array of the table's owner,
 * with as many rows.
 */
#ifndef CSREPLAY_ARCH_PATTERN_OPCODE_H
#define CSREPLAY_ARCH_PATTERN_OPCODE_H

#include <pthread.h>
#include <stdatomic.h>

#include "arch/pattern/pattern.h"

/* An opcode in the light of the pattern that it matches: what expanders read. */
struct opcode {
	uint32_t bits;
	const struct pattern *pattern;
	bool rejected; /* fields are reserved: it kills everything */
};

static inline void opcode_reject(struct opcode *opcode)
{
	opcode->rejected = true;
}

/* Of what has a struct opcode named `opcode`: a field, one of one bit, one with a sign. */
#define FIELD(s, name) pattern_field((s)->opcode.pattern, (s)->opcode.bits, FIELD_##name)
#define FLAG(s, name)  (FIELD(s, name) != 0)
#define SIGNED_FIELD(s, name)                                                                      \
	pattern_signed_field((s)->opcode.pattern, (s)->opcode.bits, FIELD_##name)
#define HAS_FIELD(s, name) pattern_has((s)->opcode.pattern, FIELD_##name)

/* What an instruction is to who follows the program: IHI 0064, P0 instructions. */
enum flow {
	FLOW_NONE,      /* the next one follows */
	FLOW_BRANCH,    /* direct: the target is in the opcode; so are those up to CALL_EXCHANGE */
	FLOW_BRANCH_IF, /* under a condition of its own, not one that all of A32 or an IT has */
	FLOW_CALL,      /* with a link */
	FLOW_CALL_EXCHANGE, /* from A32 to T32 or back, with a link */
	FLOW_INDIRECT,
	FLOW_INDIRECT_CALL,
	FLOW_RETURN, /* from a function */
	FLOW_EXCEPTION_RETURN,
	FLOW_ISB,
	FLOW_DSB_DMB,
	FLOW_WFI_WFE,
	FLOW_TSTART, /* a transaction's start */
	FLOW_IT,     /* puts the next ones under a condition */
	FLOW_RULES,  /* from here on: rules of the table's owner, which ask the fields */
};

static inline bool flow_is_direct(enum flow flow)
{
	return flow >= FLOW_BRANCH && flow <= FLOW_CALL_EXCHANGE;
}

struct opcode_row {
	const char *name;
	const char *pattern;   /* as in pattern.h */
	unsigned int argument; /* of the function that says what the instruction does */
	unsigned int flow;     /* enum flow, or a rule */
};

/* Of a row's name, pattern, argument and flow; FLOW_NONE if it has no flow. */
#define OPCODE_ROW(row_name, row_pattern, ...)                                                     \
	{                                                                                          \
		.name = #row_name, .pattern = (row_pattern), .argument = __VA_ARGS__               \
	}

/* Made by OPCODE_TABLE(). All but the first five are for the functions below alone. */
struct opcode_table {
	const struct opcode_row *rows;
	size_t count;
	struct pattern *patterns; /* room for `count` of them */
	struct pattern_key key;   /* bits that tell most rows from each other */
	/* Of each rule a field that is all ones where the flow is not NONE, or FIELDS. */
	const enum field *rules;
	pthread_mutex_t lock;
	atomic_bool is_read;
	struct pattern_set set;
	/*
	 * Of each key the bits that are ones in all its opcodes which have a flow, all 32 if none
	 * has one; 0 before the patterns are read.
	 */
	_Atomic uint32_t ones[1U << PATTERN_KEY_BITS];
};

/* A table of an array of rows and one of as many patterns; rules, or NULL; key. */
/* NOLINTBEGIN(bugprone-macro-parentheses): the key is an initializer in braces */
#define OPCODE_TABLE(table_rows, table_patterns, table_rules, table_key)                           \
	{                                                                                          \
		.rows = (table_rows), .count = sizeof(table_rows) / sizeof((table_rows)[0]),       \
		.patterns = (table_patterns), .rules = (table_rules), .key = table_key,            \
		.lock = PTHREAD_MUTEX_INITIALIZER                                                  \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

/* Reads the patterns, if that is still to be done; the other functions do it themselves. */
void opcode_table_read(struct opcode_table *table);

/* Place of the first row whose pattern the opcode matches, or `count`. */
size_t opcode_find(struct opcode_table *table, uint32_t bits);

/*
 * False if its flow is FLOW_NONE, which this says of most opcodes without looking for the row.
 * `key`: the table's, as a constant.
 */
static inline bool opcode_may_flow(const struct opcode_table *table, struct pattern_key key,
                                   uint32_t bits)
{
	uint32_t ones = atomic_load_explicit(&table->ones[pattern_key_of(&key, bits)],
	                                     memory_order_relaxed);

	return (bits & ones) == ones;
}

#endif
