/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target description: the registers of replay/register.def as gdb's XML. gdb manual, appendix
 * "Target Descriptions".
 */
#ifndef CSREPLAY_STUB_TARGET_DESC_H
#define CSREPLAY_STUB_TARGET_DESC_H

#include <stdbool.h>

#include "base/text.h"
#include "replay/register.h"

/* True if the description has the register; `fpu` as for target_desc_write(). */
bool target_desc_has(enum register_number number, bool fpu);

/* Appends the XML; the FPU feature only if `fpu`. */
void target_desc_write(bool fpu, struct text *out);

/* Appends `s` so that it can stand in XML text and attributes. */
void xml_escape(struct text *out, struct str s);

#endif
