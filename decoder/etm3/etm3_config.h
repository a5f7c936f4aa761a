/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of an ETMv3 trace unit, as far as its trace depends on it. In: the registers of
 * its device in the snapshot. Out: what the packets and the flow must know. ETM IHI 0014,
 * chapter "Programmers' model"; snapshot format 1.0, section 4.2.1.
 */
#ifndef CSREPLAY_DECODER_ETM3_ETM3_CONFIG_H
#define CSREPLAY_DECODER_ETM3_ETM3_CONFIG_H

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
	bool has_alt_branch;    /* alternative encoding of branch packets */
	bool has_virtual;       /* virtualization extensions: Hyp mode is traced */
	bool is_timestamp_64;   /* else timestamps have 48 bits */
	bool is_timestamp_gray; /* else they are binary */
	bool is_cycle_accurate;
	bool traces_instructions; /* else data alone */
	bool traces_data_values;
	bool traces_data_addresses;
};

/* Reads the registers of `source`. BAD_DATA if one is missing; errors in `diags`. */
MUST_USE enum status etm3_config_load(const struct snap_source *source, struct diag_list *diags,
                                      struct etm3_config *config);

#endif
