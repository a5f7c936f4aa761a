/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Status codes: what a fallible function answers.
 *
 * END (nothing left), TRUNCATED (a unit is cut), BAD_DATA (does not follow its format) and
 * UNSUPPORTED (valid but not handled) are four different answers and are never merged.
 */
#ifndef CSREPLAY_BASE_STATUS_H
#define CSREPLAY_BASE_STATUS_H

enum status {
#define X(name, text) STATUS_##name,
#include "base/status.def"
#undef X
};

/* A result that must be looked at. */
#define MUST_USE __attribute__((warn_unused_result))

/* A way seldom taken out of a hot function, which is the faster for not holding its variables. */
#define SELDOM                   __attribute__((noinline, cold))
#define PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))

/* Returns the status of `expr` from the calling function unless it is STATUS_OK. */
#define TRY(expr)                                                                                  \
	do {                                                                                       \
		enum status try_status_ = (expr);                                                  \
		if (try_status_ != STATUS_OK)                                                      \
			return try_status_;                                                        \
	} while (0)

/* The enumerator's name without its prefix, such as "TRUNCATED". Never NULL. */
const char *status_name(enum status status);

/* One line of text for a user, such as "data is cut short". Never NULL. */
const char *status_text(enum status status);

#endif
