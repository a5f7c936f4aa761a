/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of an ETMv3 trace unit from its registers, or from the options that stand in for
 * them. ETM IHI 0014, "Programmers' model".
 */
#include "decoder/etm3/etm3_config.h"

#include "decoder/flow/flow.h"

enum {
	/* ETMCR */
	CR_DATA_VALUE = 2,
	CR_DATA_ADDRESS = 3,
	CR_CYCLE_ACCURATE = 12,
	CR_DATA_ONLY = 20,
	/* ETMCCER */
	CCER_VIRTUAL = 26,
	CCER_TIMESTAMP_BINARY = 28,
	CCER_TIMESTAMP_64 = 29,
	/* ETMIDR */
	IDR_ALT_BRANCH = 20,
};

static bool bit(uint32_t value, unsigned int number)
{
	return (value >> number & 1) != 0;
}

enum status etm3_config_load(const struct snap_source *source, struct diag_list *diags,
                             struct etm3_config *config)
{
	struct etm_registers regs;
	uint8_t minor;

	TRY(etm_registers_load(source, diags, &regs));
	minor = etm_registers_minor(&regs);
	*config = (struct etm3_config){
	        .trace_id = regs.traceidr & 0x7f,
	        .minor = minor,
	        .context_id_size = etm_registers_context_id_size(&regs),
	        .is_m_profile = source->core && source->core->arch == CORE_M,
	        .has_alt_branch = bit(regs.idr, IDR_ALT_BRANCH) && minor >= 4,
	        .has_virtual = bit(regs.ccer, CCER_VIRTUAL),
	        .is_timestamp_64 = bit(regs.ccer, CCER_TIMESTAMP_64),
	        /* The bit came with timestamps, in ETMv3.5. */
	        .is_timestamp_gray = minor >= 5 && !bit(regs.ccer, CCER_TIMESTAMP_BINARY),
	        .is_cycle_accurate = bit(regs.cr, CR_CYCLE_ACCURATE),
	        .traces_instructions = !bit(regs.cr, CR_DATA_ONLY),
	        .traces_data_values = bit(regs.cr, CR_DATA_VALUE),
	        .traces_data_addresses = bit(regs.cr, CR_DATA_ADDRESS),
	};
	return STATUS_OK;
}
