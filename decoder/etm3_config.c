/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of an ETMv3 trace unit from its registers, or from the options that stand in for
 * them. ETM IHI 0014, "Programmers' model".
 */
#include "decoder/etm3_config.h"

enum {
	/* ETMCR */
	CR_DATA_VALUE = 2,
	CR_DATA_ADDRESS = 3,
	CR_CYCLE_ACCURATE = 12,
	CR_CONTEXT_ID_SIZE = 14,
	CR_DATA_ONLY = 20,
	/* ETMCCER */
	CCER_VIRTUAL = 26,
	CCER_TIMESTAMP_64 = 29,
	/* ETMIDR */
	IDR_ALT_BRANCH = 20,
};

static bool bit(uint32_t value, unsigned int number)
{
	return (value >> number & 1) != 0;
}

enum status etm3_registers_load(const struct snap_source *source, struct diag_list *diags,
                                struct etm3_registers *registers)
{
	static const char *const names[] = {"ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR"};
	uint32_t values[4] = {0};
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < 4; i++) {
		if (snap_source_register(source, str_of(names[i]), diags, &values[i]) != STATUS_OK)
			status = STATUS_BAD_DATA;
	}
	*registers = (struct etm3_registers){
	        .cr = values[0], .ccer = values[1], .idr = values[2], .traceidr = values[3]};
	return status;
}

uint8_t etm3_registers_minor(const struct etm3_registers *registers)
{
	return registers->idr >> 4 & 0xf;
}

uint8_t etm3_registers_context_id_size(const struct etm3_registers *registers)
{
	static const uint8_t sizes[4] = {0, 1, 2, 4};

	return sizes[registers->cr >> CR_CONTEXT_ID_SIZE & 3];
}

enum status etm3_config_load(const struct snap_source *source, struct diag_list *diags,
                             struct etm3_config *config)
{
	struct etm3_registers regs;
	uint8_t minor;

	TRY(etm3_registers_load(source, diags, &regs));
	minor = etm3_registers_minor(&regs);
	*config = (struct etm3_config){
	        .trace_id = regs.traceidr & 0x7f,
	        .minor = minor,
	        .context_id_size = etm3_registers_context_id_size(&regs),
	        .is_m_profile = source->core && source->core->arch == CORE_M,
	        .has_alt_branch = bit(regs.idr, IDR_ALT_BRANCH) && minor >= 4,
	        .has_virtual = bit(regs.ccer, CCER_VIRTUAL),
	        .is_timestamp_64 = bit(regs.ccer, CCER_TIMESTAMP_64),
	        .is_cycle_accurate = bit(regs.cr, CR_CYCLE_ACCURATE),
	        .traces_instructions = !bit(regs.cr, CR_DATA_ONLY),
	        .traces_data_values = bit(regs.cr, CR_DATA_VALUE),
	        .traces_data_addresses = bit(regs.cr, CR_DATA_ADDRESS),
	};
	return STATUS_OK;
}
