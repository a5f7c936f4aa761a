/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions about the past of one core whose trace has no data: the public face of the room. Each
 * question is asked of replay/values, and answered with positions of the core's history.
 *
 * What is said rests on what is proved. Where the user trusts assumptions about code (values.h),
 * values and addresses that are not proved are those of the assumed tier, and each that is says so.
 */
#ifndef CSREPLAY_REPLAY_PAST_PAST_H
#define CSREPLAY_REPLAY_PAST_PAST_H

#include "replay/past/accesses.h"
#include "replay/past/origin.h"
#include "replay/past/past_text.h"
#include "replay/past/values_over_time.h"

#endif
