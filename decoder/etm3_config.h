/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of an ETMv3 trace unit, as far as its trace depends on it. In: the registers of
 * its device in the snapshot. Out: what the packets and the flow must know. ETM IHI 0014,
 * chapter "Programmers' model"; snapshot format 1.0, section 4.2.1.
 *
 * PTM has the same four registers, so their reading is shared with ptm_config.c.
 */
#ifndef CSREPLAY_DECODER_ETM3_CONFIG_H
#define CSREPLAY_DECODER_ETM3_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

struct etm3_config {
	uint8_t trace_id;
	uint8_t minor;           /* 5 is ETMv3.5 */
	uint8_t context_id_size; /* bytes of a context ID; 0 if not traced */
	bool is_m_profile;
	bool has_alt_branch;  /* alternative encoding of branch packets */
	bool has_virtual;     /* virtualization extensions: Hyp mode is traced */
	bool is_timestamp_64; /* else timestamps have 48 bits */
	bool is_cycle_accurate;
	bool traces_instructions; /* else data alone */
	bool traces_data_values;
	bool traces_data_addresses;
};

/* The registers that ETMv3 and PTM have in common. */
struct etm3_registers {
	uint32_t cr;   /* ETMCR, main control */
	uint32_t ccer; /* ETMCCER, configuration code extension */
	uint32_t idr;  /* ETMIDR, architecture and version */
	uint32_t traceidr;
};

/* Their values. BAD_DATA if one is missing, with one error in `diags` for each. */
MUST_USE enum status etm3_registers_load(const struct snap_source *source, struct diag_list *diags,
                                         struct etm3_registers *registers);

/* ETMIDR's minor architecture version: 5 for ETMv3.5. */
uint8_t etm3_registers_minor(const struct etm3_registers *registers);

/* ETMCR.ContextIDsize as bytes. */
uint8_t etm3_registers_context_id_size(const struct etm3_registers *registers);

/* Reads the registers of `source`. BAD_DATA if one is missing; errors in `diags`. */
MUST_USE enum status etm3_config_load(const struct snap_source *source, struct diag_list *diags,
                                      struct etm3_config *config);

#endif
