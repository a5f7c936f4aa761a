/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on stdout; see report.h. */
#include "bench/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void must(enum status status, const char *what)
{
	if (status == STATUS_OK)
		return;
	(void)fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
	              status_text(status));
	exit(1);
}

void say(const char *name, uint64_t value)
{
	(void)printf("%s %" PRIu64 "\n", name, value);
}

int compare_times(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}
