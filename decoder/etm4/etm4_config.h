/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of an ETMv4 or ETE trace unit, as far as its trace depends on it. In: the registers
 * of its device in the snapshot. Out: what the packets and the flow must know. ETMv4 IHI 0064,
 * register descriptions; ETE: Arm ARM DDI 0487, chapter D; snapshot format 1.0, section 4.2.
 */
#ifndef CSREPLAY_DECODER_ETM4_ETM4_CONFIG_H
#define CSREPLAY_DECODER_ETM4_ETM4_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "snapshot/snapshot.h"

struct etm4_config {
	uint8_t trace_id;
	uint8_t version;   /* major in the high four bits, minor in the low: 0x40 is ETMv4.0, 0x50
	                      ETE 1.0 */
	uint8_t vmid_size; /* bytes of a virtual context identifier; 0 if not traced */
	uint8_t context_id_size;  /* bytes */
	uint32_t cycle_mask;      /* bits of a cycle count that a timestamp carries */
	uint32_t max_speculation; /* P0 elements that may await their commit; 0: none */
	bool is_m_profile;        /* exception returns are P0 elements */
	bool has_function_return; /* Armv8-M: returns to the other security state are traced */
	bool is_64bit;            /* instruction addresses have 64 bits */
	bool has_cycle_count;     /* TRCCONFIGR.CCI: timestamps carry one too */
	bool has_return_stack;    /* TRCCONFIGR.RS */
	bool has_conditional;     /* conditional instructions are traced */
	bool has_data;            /* data trace is on: synchronisation markers may appear */
	bool has_q;               /* Q elements are implemented */
	bool cycle_count_commits; /* cycle count packets carry a commit: TRCIDR0.COMMOPT is 0 */
	bool wfi_wfe_is_branch;   /* TRCIDR2.WFXMODE */
	/* ETE only. */
	bool transaction_is_p0;    /* a transaction start is a P0 element: TRCIDR0.COMMTRANS is 0 */
	bool has_timestamp_marker; /* timestamps mean nothing before the first marker */
};

static inline bool config_is_ete(const struct etm4_config *config)
{
	return config->version >= 0x50;
}

/*
 * Reads the registers of `source`. BAD_DATA if one that is needed is missing, UNSUPPORTED if the
 * unit is set to trace in a way that is not decoded; each with an error in `diags`.
 */
MUST_USE enum status etm4_config_load(const struct snap_source *source, struct diag_list *diags,
                                      struct etm4_config *config);

#endif
