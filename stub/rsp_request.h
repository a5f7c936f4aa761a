/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the remote serial protocol: a payload to which packet it is and its arguments. */
#ifndef CSREPLAY_STUB_RSP_REQUEST_H
#define CSREPLAY_STUB_RSP_REQUEST_H

#include "base/str.h"

enum rsp_request {
#define X(id, name, form, handler) RSP_##id,
#include "stub/rsp_request.def"
#undef X
	RSP_UNKNOWN, /* also their number */
};

/*
 * Finds the packet by its whole name: "qC" is not "qCRC". `*args` is what follows the name, or
 * what follows its ':', ';' or ','.
 */
enum rsp_request rsp_request_parse(struct str payload, struct str *args);

/* Cuts the part before the first `separator` off `*rest`, untrimmed; all of it if there is none. */
struct str rsp_next(struct str *rest, char separator);

/* Cuts a hexadecimal number that ends at `separator` or the end off `*rest`. */
MUST_USE enum status rsp_next_hex(struct str *rest, char separator, uint64_t *value);

#endif
