/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the "type" of a device means: the protocol of a trace source, the architecture of a core.
 * Snapshot format 1.0, sections 3.2.1 and 4.1. Tables: device_type.def.
 */
#ifndef CSREPLAY_SNAPSHOT_DEVICE_TYPE_H
#define CSREPLAY_SNAPSHOT_DEVICE_TYPE_H

#include "snapshot/snapshot.h"

/* PROTOCOL_UNKNOWN for a type that is not in the table. */
enum protocol device_type_protocol(struct str type);

/*
 * The architecture from the type and, for a core of Armv8-A or later, from its CPSR, or else from
 * the width of its PC. `*known` is false if the type is not in the table and the registers alone
 * had to say it.
 */
enum core_arch device_type_arch(const struct snap_device *device, bool *known);

#endif
