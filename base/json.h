/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON pieces (RFC 8259) appended to a text. Objects are written with json_open()/json_close();
 * a comma is put before each member but the first.
 */
#ifndef CSREPLAY_BASE_JSON_H
#define CSREPLAY_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "base/text.h"

/* "..." with what must be escaped; bytes that are no UTF-8 become U+FFFD. */
void json_quote(struct text *out, struct str s);

void json_open(struct text *out, char bracket);   /* '{' or '[' */
void json_close(struct text *out, char bracket);  /* '}' or ']' */
void json_key(struct text *out, const char *key); /* comma where needed, then "key": */
void json_item(struct text *out);                 /* comma where needed, before an array's item */

void json_str(struct text *out, const char *key, struct str value);
void json_u64(struct text *out, const char *key, uint64_t value);
/* Addresses and register values: a string such as "0xffff0000", exact in every reader. */
void json_hex(struct text *out, const char *key, uint64_t value);
void json_bool(struct text *out, const char *key, bool value);

#endif
