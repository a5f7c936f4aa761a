/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration of an ETMv4 trace unit from its registers. ETMv4 IHI 0064, chapter "Registers". */
#include "decoder/etm4_config.h"

enum etm4_register {
	TRCCONFIGR,
	TRCTRACEIDR,
	TRCIDR0,
	TRCIDR1,
	TRCIDR2,
	TRCIDR8,
	REGISTERS,
};

static const struct {
	const char *name;
	bool is_optional; /* reads as zero if absent: the trace unit then has no such feature */
} register_table[REGISTERS] = {
        [TRCCONFIGR] = {"TRCCONFIGR", false}, [TRCTRACEIDR] = {"TRCTRACEIDR", false},
        [TRCIDR0] = {"TRCIDR0", false},       [TRCIDR1] = {"TRCIDR1", false},
        [TRCIDR2] = {"TRCIDR2", false},       [TRCIDR8] = {"TRCIDR8", true},
};

/* `count` bits of `value` from bit `low` on. */
static uint32_t field(uint32_t value, unsigned int low, unsigned int count)
{
	return value >> low & ((UINT32_C(1) << count) - 1);
}

static enum status read_registers(const struct snap_source *source, struct diag_list *diags,
                                  uint32_t values[REGISTERS])
{
	const struct snap_device *device = source->device;
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < REGISTERS; i++) {
		const char *name = register_table[i].name;
		const struct snap_register *reg = snap_device_register(device, str_of(name));

		values[i] = reg ? (uint32_t)snap_register_value(reg) : 0;
		if (!reg && register_table[i].is_optional)
			diag_warning(diags, device->place,
			             "trace source \"%.*s\" has no register %s; taken as 0",
			             STR_ARG(device->name), name);
		else if (!reg)
			status = diag_error(diags, STATUS_BAD_DATA, device->place,
			                    "trace source \"%.*s\" has no register %s, which its "
			                    "trace cannot be decoded without",
			                    STR_ARG(device->name), name);
	}
	return status;
}

/* TRCIDR2.VMIDSIZE; more than 8 bits came with ETMv4.1. */
static uint8_t vmid_size(uint32_t idr2, uint8_t version)
{
	uint32_t size = field(idr2, 10, 5);

	if (size == 1 || ((size == 2 || size == 4) && (version & 0xf) > 0))
		return (uint8_t)size;
	return 0;
}

/* M-profile cores of architecture Armv7-M that have an ETMv4. */
static bool is_v7m(const struct snap_core *core)
{
	static const char *const types[] = {"Cortex-M3", "Cortex-M4", "Cortex-M7"};

	for (unsigned int i = 0; core && i < sizeof(types) / sizeof(types[0]); i++) {
		if (str_eq_nocase(core->device->type, str_of(types[i])))
			return true;
	}
	return false;
}

static enum status check(const struct snap_source *source, const uint32_t values[REGISTERS],
                         struct diag_list *diags)
{
	const struct snap_device *device = source->device;

	if (field(values[TRCIDR1], 8, 4) != 4)
		return diag_error(diags, STATUS_UNSUPPORTED, device->place,
		                  "trace source \"%.*s\" has architecture version %u in TRCIDR1, "
		                  "expected 4",
		                  STR_ARG(device->name),
		                  (unsigned int)field(values[TRCIDR1], 8, 4));
	if (field(values[TRCCONFIGR], 1, 2) != 0)
		return diag_error(diags, STATUS_UNSUPPORTED, device->place,
		                  "trace source \"%.*s\" traces loads or stores as P0 elements "
		                  "(TRCCONFIGR.INSTP0 is %u), which is not decoded",
		                  STR_ARG(device->name),
		                  (unsigned int)field(values[TRCCONFIGR], 1, 2));
	return STATUS_OK;
}

enum status etm4_config_load(const struct snap_source *source, struct diag_list *diags,
                             struct etm4_config *config)
{
	uint32_t v[REGISTERS];
	uint8_t version;

	TRY(read_registers(source, diags, v));
	TRY(check(source, v, diags));
	version = (uint8_t)(field(v[TRCIDR1], 8, 4) << 4 | field(v[TRCIDR1], 4, 4));
	*config = (struct etm4_config){
	        .trace_id = (uint8_t)field(v[TRCTRACEIDR], 0, 7),
	        .version = version,
	        .vmid_size = vmid_size(v[TRCIDR2], version),
	        .context_id_size = field(v[TRCIDR2], 5, 5) == 4 ? 4 : 0,
	        .cycle_mask = (UINT32_C(1) << (field(v[TRCIDR2], 25, 4) + 12)) - 1,
	        .max_speculation = v[TRCIDR8],
	        .is_m_profile = source->core && source->core->arch == CORE_M,
	        .is_v7m = is_v7m(source->core),
	        .is_64bit = field(v[TRCIDR2], 0, 5) == 8,
	        .has_cycle_count = field(v[TRCCONFIGR], 4, 1) != 0,
	        .has_return_stack = field(v[TRCCONFIGR], 12, 1) != 0,
	        .has_conditional = field(v[TRCIDR0], 6, 1) != 0 && field(v[TRCCONFIGR], 8, 3) != 0,
	        .has_data = false, /* needs INSTP0, see check() */
	        .has_q = field(v[TRCIDR0], 15, 2) != 0,
	        .cycle_count_commits =
	                field(v[TRCIDR0], 29, 1) == 0 || field(v[TRCIDR0], 7, 1) == 0,
	        .wfi_wfe_is_branch = field(v[TRCIDR2], 31, 1) != 0 && version >= 0x43,
	};
	return STATUS_OK;
}
