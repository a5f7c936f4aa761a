/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of an ETMv3 or PTM, or the options that stand in for them; see etm_registers.h. */
#include "decoder/flow/etm_registers.h"

enum { CR_CONTEXT_ID_SIZE = 14 }; /* bit of ETMCR */

enum status etm_registers_load(const struct snap_source *source, struct diag_list *diags,
                               struct etm_registers *registers)
{
	static const char *const names[] = {"ETMCR", "ETMCCER", "ETMIDR", "ETMTRACEIDR"};
	uint32_t values[4] = {0};
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < 4; i++) {
		if (snap_source_register(source, str_of(names[i]), diags, &values[i]) != STATUS_OK)
			status = STATUS_BAD_DATA;
	}
	*registers = (struct etm_registers){
	        .cr = values[0], .ccer = values[1], .idr = values[2], .traceidr = values[3]};
	return status;
}

uint8_t etm_registers_minor(const struct etm_registers *registers)
{
	return registers->idr >> 4 & 0xf;
}

uint8_t etm_registers_context_id_size(const struct etm_registers *registers)
{
	static const uint8_t sizes[4] = {0, 1, 2, 4};

	return sizes[registers->cr >> CR_CONTEXT_ID_SIZE & 3];
}
