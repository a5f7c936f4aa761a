/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target description: a register file as gdb's XML. gdb manual, appendix "Target Descriptions".
 */
#ifndef CSREPLAY_STUB_TARGET_DESC_H
#define CSREPLAY_STUB_TARGET_DESC_H

#include "arch/isa.h"
#include "base/text.h"

/*
 * Appends the XML with the file's features, and its system registers as feature
 * org.csreplay.system.
 */
void target_desc_write(const struct register_file *file, struct text *out);

/* Appends `s` so that it can stand in XML text and attributes. */
void xml_escape(struct text *out, struct str s);

#endif
