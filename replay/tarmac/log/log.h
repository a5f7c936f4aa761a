/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of this room: doublewords over time by a key, opcodes by an address, and which
 * frame a page is over time. Nothing here knows what a line of a text is.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_LOG_LOG_H
#define CSREPLAY_REPLAY_TARMAC_LOG_LOG_H

#include "replay/tarmac/log/tarmac_code.h"
#include "replay/tarmac/log/tarmac_pages.h"
#include "replay/tarmac/log/word_log.h"

#endif
