/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of a PTM, as far as its trace depends on it. In: the registers of its device in
 * the snapshot. Out: what the packets and the flow must know. PFT IHI 0035, chapter
 * "Programmers' model"; snapshot format 1.0, section 4.2.2.
 */
#ifndef CSREPLAY_DECODER_PTM_PTM_CONFIG_H
#define CSREPLAY_DECODER_PTM_PTM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

struct ptm_config {
	uint8_t trace_id;
	uint8_t context_id_size;  /* bytes of a context ID; 0 if not traced */
	bool is_timestamp_64;     /* else timestamps have 48 bits */
	bool is_timestamp_binary; /* else they are Gray-coded */
	bool is_cycle_accurate;
	bool has_return_stack; /* implemented and enabled */
	bool dsb_dmb_is_waypoint;
};

/* Reads the registers of `source`. BAD_DATA if one is missing; errors in `diags`. */
MUST_USE enum status ptm_config_load(const struct snap_source *source, struct diag_list *diags,
                                     struct ptm_config *config);

#endif
