/* SPDX-License-Identifier: Apache-2.0 */
/* When something was, as far as it is known, in words. In: bounds. Out: a clause. */
#ifndef CSREPLAY_CONSOLE_MOMENT_TEXT_H
#define CSREPLAY_CONSOLE_MOMENT_TEXT_H

#include "base/text.h"
#include "replay/session/session.h"

/* "time 100 to 140, about 116 by cycles" */
void moment_text(const struct moment *moment, struct text *out);

#endif
