/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configuration of an ETMv4 or ETE trace unit from its registers, or from the options that stand in
 * for them. ETMv4 IHI 0064, chapter "Registers"; Arm ARM DDI 0487, "External trace registers".
 */
#include "decoder/etm4/etm4_config.h"

#include "snapshot/source_option.h"

enum etm4_register {
	TRCCONFIGR,
	TRCTRACEIDR,
	TRCIDR0,
	TRCIDR1,
	TRCIDR2,
	TRCIDR8,
	TRCDEVARCH,
	REGISTERS,
};

enum presence {
	UNUSED, /* says nothing that this architecture's trace depends on */
	OPTIONAL,
	REQUIRED,
};

static const struct {
	const char *name;
	enum presence etm4;
	enum presence ete;
	uint32_t absent; /* value of one that is absent: the trace unit then has no such feature */
} register_table[REGISTERS] = {
        [TRCCONFIGR] = {"TRCCONFIGR", REQUIRED, REQUIRED, 0},
        [TRCTRACEIDR] = {"TRCTRACEIDR", REQUIRED, REQUIRED, 0},
        [TRCIDR0] = {"TRCIDR0", REQUIRED, REQUIRED, 0},
        [TRCIDR1] = {"TRCIDR1", REQUIRED, UNUSED, 0},
        [TRCIDR2] = {"TRCIDR2", REQUIRED, REQUIRED, 0},
        [TRCIDR8] = {"TRCIDR8", OPTIONAL, OPTIONAL, 0},
        [TRCDEVARCH] = {"TRCDEVARCH", UNUSED, OPTIONAL, 0x47705a13}, /* ETE 1.0 */
};

/* `count` bits of `value` from bit `low` on. */
static uint32_t field(uint32_t value, unsigned int low, unsigned int count)
{
	return value >> low & ((UINT32_C(1) << count) - 1);
}

static bool is_ete(const struct snap_source *source)
{
	return source->protocol == PROTOCOL_ETE;
}

static enum status read_register(const struct snap_source *source, enum etm4_register which,
                                 struct diag_list *diags, uint32_t *value)
{
	const struct snap_device *device = source->device;
	struct str name = str_of(register_table[which].name);
	uint32_t absent = register_table[which].absent;
	enum presence presence =
	        is_ete(source) ? register_table[which].ete : register_table[which].etm4;

	if (presence == REQUIRED || snap_device_register(device, name) ||
	    source_option_stands_for(source, name))
		return snap_source_register(source, name, diags, value);
	*value = absent;
	if (presence == OPTIONAL)
		diag_warning(diags, device->place,
		             "trace source \"%.*s\" has no register %.*s; taken as %s%x",
		             STR_ARG(device->name), STR_ARG(name), absent ? "0x" : "",
		             (unsigned int)absent);
	return STATUS_OK;
}

static enum status read_registers(const struct snap_source *source, struct diag_list *diags,
                                  uint32_t values[REGISTERS])
{
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < REGISTERS; i++) {
		values[i] = register_table[i].absent;
		if (read_register(source, (enum etm4_register)i, diags, &values[i]) != STATUS_OK)
			status = STATUS_BAD_DATA;
	}
	return status;
}

/* TRCIDR2.VMIDSIZE; more than 8 bits came with ETMv4.1. */
static uint8_t vmid_size(uint32_t idr2, uint8_t version)
{
	uint32_t size = field(idr2, 10, 5);

	if (size == 1 || ((size == 2 || size == 4) && version > 0x40))
		return (uint8_t)size;
	return 0;
}

/* M profile, but of an architecture before Armv8-M. */
static bool is_before_v8m(const struct snap_core *core)
{
	static const char *const types[] = {"Cortex-M3", "Cortex-M4", "Cortex-M7", "ARMv7-M",
	                                    "ARMv7E-M"};

	for (unsigned int i = 0; core && i < sizeof(types) / sizeof(types[0]); i++) {
		if (str_eq_nocase(core->device->type, str_of(types[i])))
			return true;
	}
	return false;
}

/* ETMv4 says its version in TRCIDR1; ETE, which is version 5, in TRCDEVARCH. */
static enum status read_version(const struct snap_source *source, const uint32_t values[REGISTERS],
                                struct diag_list *diags, uint8_t *version)
{
	const struct snap_device *device = source->device;
	enum etm4_register reg = is_ete(source) ? TRCDEVARCH : TRCIDR1;
	uint32_t expected = is_ete(source) ? 5 : 4;
	uint32_t major = is_ete(source) ? field(values[reg], 12, 4) : field(values[reg], 8, 4);
	uint32_t minor = is_ete(source) ? field(values[reg], 16, 4) : field(values[reg], 4, 4);

	if (major != expected)
		return diag_error(diags, STATUS_UNSUPPORTED, device->place,
		                  "trace source \"%.*s\" has architecture version %u in %s, "
		                  "expected %u",
		                  STR_ARG(device->name), (unsigned int)major,
		                  register_table[reg].name, (unsigned int)expected);
	*version = (uint8_t)(major << 4 | minor);
	return STATUS_OK;
}

static enum status check(const struct snap_source *source, const uint32_t values[REGISTERS],
                         struct diag_list *diags)
{
	const struct snap_device *device = source->device;

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
	uint8_t version = 0;
	bool is_m_profile = source->core && source->core->arch == CORE_M;

	TRY(read_registers(source, diags, v));
	TRY(read_version(source, v, diags, &version));
	TRY(check(source, v, diags));
	*config = (struct etm4_config){
	        .trace_id = (uint8_t)field(v[TRCTRACEIDR], 0, 7),
	        .version = version,
	        .vmid_size = vmid_size(v[TRCIDR2], version),
	        .context_id_size = field(v[TRCIDR2], 5, 5) == 4 ? 4 : 0,
	        .cycle_mask = (UINT32_C(1) << (field(v[TRCIDR2], 25, 4) + 12)) - 1,
	        .max_speculation = v[TRCIDR8],
	        .is_m_profile = is_m_profile,
	        .has_function_return =
	                is_m_profile && version >= 0x42 && !is_before_v8m(source->core),
	        .is_64bit = field(v[TRCIDR2], 0, 5) == 8,
	        .has_cycle_count = field(v[TRCCONFIGR], 4, 1) != 0,
	        .has_return_stack = field(v[TRCCONFIGR], 12, 1) != 0,
	        .has_conditional = field(v[TRCIDR0], 6, 1) != 0 && field(v[TRCCONFIGR], 8, 3) != 0,
	        .has_data = false, /* needs INSTP0, see check() */
	        .has_q = field(v[TRCIDR0], 15, 2) != 0,
	        .cycle_count_commits =
	                field(v[TRCIDR0], 29, 1) == 0 || field(v[TRCIDR0], 7, 1) == 0,
	        .wfi_wfe_is_branch = field(v[TRCIDR2], 31, 1) != 0 && version >= 0x43,
	        .transaction_is_p0 = field(v[TRCIDR0], 30, 1) == 0,
	        .has_timestamp_marker = field(v[TRCIDR0], 23, 1) != 0 && version >= 0x51,
	};
	return STATUS_OK;
}
