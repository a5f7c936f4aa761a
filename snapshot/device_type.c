/* SPDX-License-Identifier: Apache-2.0 */
/* Meaning of device types. */
#include "snapshot/device_type.h"

enum core_kind {
	CORE_KIND_M,
	CORE_KIND_32_BIT,
	CORE_KIND_BY_STATE, /* AArch64, or AArch32 if the CPSR says so */
};

enum { CPSR_M4 = 1 << 4 }; /* Arm ARM, SPSR_ELx.M[4]: execution state AArch32 */

static bool type_fits(struct str type, struct str row)
{
	bool open = row.n > 0 && row.p[row.n - 1] == '*';

	if (open)
		row.n--;
	if (!str_has_prefix_nocase(type, row))
		return false;
	return open || type.n == row.n || type.p[row.n] < '0' || type.p[row.n] > '9';
}

enum protocol device_type_protocol(struct str type)
{
	static const struct {
		const char *type;
		enum protocol protocol;
	} rows[] = {
#define PROTOCOL(type, protocol) {type, PROTOCOL_##protocol},
#include "snapshot/device_type.def"
#undef PROTOCOL
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (type_fits(type, str_of(rows[i].type)))
			return rows[i].protocol;
	}
	return PROTOCOL_UNKNOWN;
}

const char *protocol_name(enum protocol protocol)
{
	switch (protocol) {
	case PROTOCOL_ETM3:
		return "ETMv3";
	case PROTOCOL_PTM:
		return "PTM";
	case PROTOCOL_ETM4:
		return "ETMv4";
	case PROTOCOL_ETE:
		return "ETE";
	case PROTOCOL_ITM:
		return "ITM";
	case PROTOCOL_STM:
		return "STM";
	case PROTOCOL_UNKNOWN:
		break;
	}
	return "unknown";
}

bool protocol_is_program_flow(enum protocol protocol)
{
	return protocol == PROTOCOL_ETM3 || protocol == PROTOCOL_PTM || protocol == PROTOCOL_ETM4 ||
	       protocol == PROTOCOL_ETE;
}

static enum core_arch arch_by_state(const struct snap_device *device)
{
	const struct snap_register *cpsr = snap_device_register(device, STR("CPSR"));
	const struct snap_register *pc = snap_device_register(device, STR("PC"));

	if (cpsr)
		return snap_register_value(cpsr) & CPSR_M4 ? CORE_A32 : CORE_A64;
	if (pc && pc->bits < 64)
		return CORE_A32;
	return snap_device_register(device, STR("R15")) ? CORE_A32 : CORE_A64;
}

static enum core_arch arch_by_registers(const struct snap_device *device)
{
	const struct snap_register *pc = snap_device_register(device, STR("PC"));

	if (snap_device_register(device, STR("XPSR")))
		return CORE_M;
	if ((pc && pc->bits == 64) || snap_device_register(device, STR("X0")))
		return arch_by_state(device);
	return CORE_A32;
}

enum core_arch device_type_arch(const struct snap_device *device, bool *known)
{
	static const struct {
		const char *type;
		enum core_kind kind;
	} rows[] = {
#define CORE(type, kind) {type, CORE_KIND_##kind},
#include "snapshot/device_type.def"
#undef CORE
	};

	*known = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!type_fits(device->type, str_of(rows[i].type)))
			continue;
		switch (rows[i].kind) {
		case CORE_KIND_M:
			return CORE_M;
		case CORE_KIND_32_BIT:
			return CORE_A32;
		case CORE_KIND_BY_STATE:
			return arch_by_state(device);
		}
	}
	*known = false;
	return arch_by_registers(device);
}

const char *core_arch_name(enum core_arch arch)
{
	switch (arch) {
	case CORE_A64:
		return "AArch64";
	case CORE_A32:
		return "AArch32";
	case CORE_M:
		break;
	}
	return "M profile";
}

/* The register with the trace ID, and where that is in it; NULL if the source has none. */
static const struct snap_register *id_register(const struct snap_source *source,
                                               unsigned int *shift)
{
	static const struct {
		const char *names;
		enum protocol protocol;
		unsigned int shift;
	} rows[] = {
#define TRACE_ID(protocol, names, shift) {names, PROTOCOL_##protocol, shift},
#include "snapshot/device_type.def"
#undef TRACE_ID
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].protocol != source->protocol)
			continue;
		*shift = rows[i].shift;
		return snap_device_any_register(source->device, str_of(rows[i].names));
	}
	return NULL;
}

bool snap_source_trace_id(const struct snap_source *source, uint8_t *id)
{
	const struct snap_register *reg;
	unsigned int shift = 0;

	if (source->options) {
		*id = source->options->values[SOURCE_OPTION_TRACE_ID];
		return true;
	}
	reg = id_register(source, &shift);
	if (!reg)
		return false;
	*id = (uint8_t)(snap_register_value(reg) >> shift & 0x7f);
	return true;
}

struct str snap_source_id_name(const struct snap_source *source)
{
	const struct snap_register *reg;
	unsigned int shift;

	if (source->options)
		return STR("the section's name");
	reg = id_register(source, &shift);
	return reg ? reg->name : STR("");
}
