/* SPDX-License-Identifier: Apache-2.0 */
/* What the operating system says of its address spaces: the public face of events. */
#ifndef CSREPLAY_SNAPSHOT_EVENTS_EVENTS_H
#define CSREPLAY_SNAPSHOT_EVENTS_EVENTS_H

#include "snapshot/events/code_past.h"
#include "snapshot/events/event_log.h"
#include "snapshot/events/logged_code.h"
#include "snapshot/events/process_log.h"

#endif
