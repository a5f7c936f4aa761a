/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace unit's registers that ETMv3 and PTM have in common, as the snapshot has them. ETM
 * IHI 0014 and PFT IHI 0035, "Programmers' model"; snapshot format 1.0, section 4.2.1.
 */
#ifndef CSREPLAY_DECODER_FLOW_ETM_REGISTERS_H
#define CSREPLAY_DECODER_FLOW_ETM_REGISTERS_H

#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

struct etm_registers {
	uint32_t cr;   /* ETMCR, main control */
	uint32_t ccer; /* ETMCCER, configuration code extension */
	uint32_t idr;  /* ETMIDR, architecture and version */
	uint32_t traceidr;
};

/* Their values. BAD_DATA if one is missing, with one error in `diags` for each. */
MUST_USE enum status etm_registers_load(const struct snap_source *source, struct diag_list *diags,
                                        struct etm_registers *registers);

/* ETMIDR's minor architecture version: 5 for ETMv3.5. */
uint8_t etm_registers_minor(const struct etm_registers *registers);

/* ETMCR.ContextIDsize as bytes. */
uint8_t etm_registers_context_id_size(const struct etm_registers *registers);

#endif
