/* SPDX-License-Identifier: Apache-2.0 */
/* A window of a history as instructions, values and who uses them: the public face of ssa. */
#ifndef CSREPLAY_REPLAY_VALUES_SSA_SSA_H
#define CSREPLAY_REPLAY_VALUES_SSA_SSA_H

#include "replay/values/ssa/code_change.h"
#include "replay/values/ssa/m_exception.h"
#include "replay/values/ssa/refuted_code.h"
#include "replay/values/ssa/sp_track.h"
#include "replay/values/ssa/window.h"
#include "replay/values/ssa/window_ssa.h"

#endif
