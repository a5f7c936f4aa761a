/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of a core by position, built and read: the public face of history. */
#ifndef CSREPLAY_REPLAY_HISTORY_HISTORY_H
#define CSREPLAY_REPLAY_HISTORY_HISTORY_H

#include "replay/history/histories.h"
#include "replay/history/history_builder.h"
#include "replay/history/history_read.h"
#include "replay/history/history_slice.h"
#include "replay/history/interrupt.h"
#include "replay/history/run_insn.h"
#include "replay/history/timeline.h"

#endif
