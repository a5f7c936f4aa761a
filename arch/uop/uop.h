/* SPDX-License-Identifier: Apache-2.0 */
/* Micro-operations, and the abstract domains they run over: the public face of uop. */
#ifndef CSREPLAY_ARCH_UOP_UOP_H
#define CSREPLAY_ARCH_UOP_UOP_H

#include "arch/uop/bits.h"
#include "arch/uop/interval.h"
#include "arch/uop/interval_map.h"
#include "arch/uop/uop_build.h"
#include "arch/uop/uop_elements.h"
#include "arch/uop/uop_insn.h"
#include "arch/uop/uop_mode.h"
#include "arch/uop/uop_run.h"

#endif
