/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the commands that ask about the past share: the core and its position, the word that they
 * are about, and the form of the answer.
 */
#ifndef CSREPLAY_CLI_PAST_PRINT_H
#define CSREPLAY_CLI_PAST_PRINT_H

#include "cli/cli.h"

enum past_form {
	PAST_TEXT,
	PAST_TSV,
	PAST_JSON,
};

/* A question, on its way to its answer. */
struct past_question {
	struct session *session;
	size_t core;
	uint64_t length; /* of the core's history */
	uint64_t at;     /* --at, or the halt */
	struct str word; /* --of */
	struct past_subject subject;
	struct past_names names;
	enum past_form form;
	struct text out;
};

/* From the options; what is wrong with them is said. */
enum cli_exit past_question_begin(const struct cli_args *args, struct session *session,
                                  struct past_question *q);
/* --from and --to, by default the whole history; --count, or `otherwise`. */
enum cli_exit past_question_range(const struct cli_args *args, const struct past_question *q,
                                  uint64_t *first, uint64_t *end);
enum cli_exit past_question_count(const struct cli_args *args, uint64_t otherwise, size_t *most);
/* A note, if a device may have written between the writes that are listed. */
void past_question_note_device(const struct past_question *q);
/* Prints what is in `out` if `status` is OK, else says what is wrong; frees it. */
enum cli_exit past_question_end(struct past_question *q, enum status status);

/* "function" and "source", as far as there are: keys of an object, or two fields after tabs. */
void past_json_code(const struct past_question *q, uint64_t pc, struct text *out);
void past_tsv_code(const struct past_question *q, uint64_t pc, struct text *out);
/* "value" and "known", a mask where not all of it is known, and "assumed". */
void past_json_value(unsigned int reg, const struct past_value *value, struct text *out);

#endif
