/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call was given and what it returned, as far as is known: the registers in which the
 * calling standards pass arguments (AAPCS64 6.8.2: X0 to X7; AAPCS32 6.4: R0 to R3) where the
 * function is entered, and the first of them where it has returned. How many arguments the function
 * has they do not say. Part of session.h.
 */
#ifndef CSREPLAY_REPLAY_SESSION_CALL_VALUES_H
#define CSREPLAY_REPLAY_SESSION_CALL_VALUES_H

#include "arch/isa.h"
#include "base/str.h"
#include "base/text.h"
#include "replay/calls/calls.h"

struct session;

enum { CALL_ARGUMENTS = 8 };

struct call_values {
	const struct register_file *file;     /* names of registers */
	unsigned int count;                   /* of arguments: 8, or 4 */
	unsigned int numbers[CALL_ARGUMENTS]; /* registers of `file` */
	struct value arguments[CALL_ARGUMENTS];
	bool has_result; /* it returned */
	struct value result;
};

void session_call_values(const struct session *session, size_t core, const struct call *call,
                         struct call_values *values);

/* "x0=0x5 x1=0x10 returned 0x0", what is known; nothing if nothing is. */
void call_values_format(const struct call_values *values, struct text *out);

/* "REGISTER == VALUE", or !=, of a register where the function is entered, or `result`. */
struct call_filter {
	bool is_result;
	bool is_not;
	unsigned int number;
	uint64_t value;
};

/* False if the text is none. */
bool session_call_filter(const struct session *session, size_t core, struct str text,
                         struct call_filter *filter);

enum call_match {
	CALL_MATCHES,
	CALL_DIFFERS,
	CALL_MATCH_NOT_KNOWN, /* the register is not known there */
};
enum call_match session_call_matches(const struct session *session, size_t core,
                                     const struct call *call, const struct call_filter *filter);

#endif
