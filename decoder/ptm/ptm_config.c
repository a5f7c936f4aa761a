/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration of a PTM from its registers. PFT IHI 0035, "Programmers' model". */
#include "decoder/ptm/ptm_config.h"

#include "decoder/flow/flow.h"

enum {
	/* ETMCR */
	CR_CYCLE_ACCURATE = 12,
	CR_RETURN_STACK = 29,
	/* ETMCCER */
	CCER_RETURN_STACK = 23,
	CCER_DSB_DMB = 24,
	CCER_TIMESTAMP_BINARY = 28,
	CCER_TIMESTAMP_64 = 29,
};

static bool bit(uint32_t value, unsigned int number)
{
	return (value >> number & 1) != 0;
}

enum status ptm_config_load(const struct snap_source *source, struct diag_list *diags,
                            struct ptm_config *config)
{
	struct etm_registers regs;
	bool is_pft_1_0;

	TRY(etm_registers_load(source, diags, &regs));
	is_pft_1_0 = etm_registers_minor(&regs) == 0;
	*config = (struct ptm_config){
	        .trace_id = regs.traceidr & 0x7f,
	        .context_id_size = etm_registers_context_id_size(&regs),
	        /* Both bits came with PFT 1.1. */
	        .is_timestamp_64 = !is_pft_1_0 && bit(regs.ccer, CCER_TIMESTAMP_64),
	        .is_timestamp_binary = !is_pft_1_0 && bit(regs.ccer, CCER_TIMESTAMP_BINARY),
	        .is_cycle_accurate = bit(regs.cr, CR_CYCLE_ACCURATE),
	        .has_return_stack =
	                bit(regs.ccer, CCER_RETURN_STACK) && bit(regs.cr, CR_RETURN_STACK),
	        .dsb_dmb_is_waypoint = bit(regs.ccer, CCER_DSB_DMB),
	};
	return STATUS_OK;
}
