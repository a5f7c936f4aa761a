/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of the status codes, from base/status.def. */
#include "base/status.h"

#include <stddef.h>

static const struct {
	const char *name;
	const char *text;
} statuses[] = {
#define X(name, text) {#name, text},
#include "base/status.def"
#undef X
};

const char *status_name(enum status status)
{
	if ((size_t)status >= sizeof(statuses) / sizeof(statuses[0]))
		return "?";
	return statuses[status].name;
}

const char *status_text(enum status status)
{
	if ((size_t)status >= sizeof(statuses) / sizeof(statuses[0]))
		return "unknown status";
	return statuses[status].text;
}
