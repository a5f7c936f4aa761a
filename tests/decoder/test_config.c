/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the registers of a trace unit mean (ETMv4 IHI 0064 and Arm ARM DDI 0487, "Register
 * descriptions"; ETM IHI 0014 and PFT IHI 0035, "Programmers' model"), bit by bit, and which
 * sources and buffers are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/decoder.h"
#include "decoder/etm3/etm3_config.h"
#include "decoder/etm4/etm4_config.h"
#include "decoder/ptm/ptm_config.h"

enum { REGISTERS_MOST = 7 };

struct unit {
	struct snap_register registers[REGISTERS_MOST];
	uint8_t values[REGISTERS_MOST][4];
	struct snap_device device;
	struct snap_device core_device;
	struct snap_core core;
	struct snap_source source;
	struct diag_list diags;
};

static void add_register(struct unit *unit, const char *name, uint32_t value)
{
	size_t i = unit->device.register_count++;

	assert_true(i < REGISTERS_MOST);
	for (unsigned int k = 0; k < 4; k++)
		unit->values[i][k] = (uint8_t)(value >> 8 * k);
	unit->registers[i] =
	        (struct snap_register){.name = str_of(name), .bits = 32, .value = unit->values[i]};
}

static void make_unit(struct unit *unit, enum protocol protocol)
{
	*unit = (struct unit){.device = {.name = STR("UNIT"), .type = STR("a type")},
	                      .core_device = {.type = STR("Cortex-A53")}};
	unit->device.registers = unit->registers;
	unit->core.device = &unit->core_device;
	unit->source = (struct snap_source){
	        .device = &unit->device, .protocol = protocol, .core = &unit->core};
}

static const char *const etm4_names[] = {"TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0",   "TRCIDR1",
                                         "TRCIDR2",    "TRCIDR8",     "TRCDEVARCH"};

/* Of ETMv4 or ETE, with these values in the order of the names above. */
static struct etm4_config etm4_of(enum protocol protocol, const uint32_t values[REGISTERS_MOST])
{
	struct etm4_config config;
	struct unit unit;

	make_unit(&unit, protocol);
	for (unsigned int i = 0; i < REGISTERS_MOST; i++)
		add_register(&unit, etm4_names[i], values[i]);
	assert_int_equal(etm4_config_load(&unit.source, &unit.diags, &config), STATUS_OK);
	assert_int_equal(unit.diags.count, 0);
	return config;
}

enum { CONFIGR, TRACEIDR, IDR0, IDR1, IDR2, IDR8, DEVARCH };

/* ETMv4.0 with one register changed. */
static struct etm4_config etm4_with(unsigned int which, uint32_t value)
{
	uint32_t values[REGISTERS_MOST] = {[IDR1] = 0x400, [DEVARCH] = 0};

	values[which] = value;
	return etm4_of(PROTOCOL_ETM4, values);
}

/* ETE of a revision, with TRCIDR0. */
static struct etm4_config ete_with(uint32_t revision, uint32_t idr0)
{
	uint32_t values[REGISTERS_MOST] = {[DEVARCH] = 0x47705a13 | revision << 16, [IDR0] = idr0};

	return etm4_of(PROTOCOL_ETE, values);
}

static void config_of_etm4_is_in_trcconfigr(void **state)
{
	(void)state;
	assert_false(etm4_with(CONFIGR, 0xffffffef & ~6U).has_cycle_count);
	assert_true(etm4_with(CONFIGR, 1U << 4).has_cycle_count);
	assert_false(etm4_with(CONFIGR, 0xffffefff & ~6U).has_return_stack);
	assert_true(etm4_with(CONFIGR, 1U << 12).has_return_stack);
	/* What cannot be decoded: loads or stores as P0 elements (INSTP0). */
	for (uint32_t instp0 = 1; instp0 < 4; instp0++) {
		struct etm4_config config;
		struct unit unit;

		make_unit(&unit, PROTOCOL_ETM4);
		for (unsigned int i = 0; i < REGISTERS_MOST; i++)
			add_register(&unit, etm4_names[i], i == IDR1 ? 0x400 : 0);
		unit.values[CONFIGR][0] = (uint8_t)(instp0 << 1);
		assert_int_equal(etm4_config_load(&unit.source, &unit.diags, &config),
		                 STATUS_UNSUPPORTED);
		assert_int_equal(unit.diags.errors, 1);
		diag_list_fini(&unit.diags);
	}
}

static void config_of_etm4_is_in_its_id_registers(void **state)
{
	uint32_t values[REGISTERS_MOST] = {[IDR1] = 0x400};

	(void)state;
	assert_int_equal(etm4_with(TRACEIDR, 0xffffff92).trace_id, 0x12);
	assert_int_equal(etm4_with(IDR8, 0x12345678).max_speculation, 0x12345678);
	assert_true(etm4_with(IDR0, 1U << 15).has_q);
	assert_true(etm4_with(IDR0, 1U << 16).has_q);
	assert_false(etm4_with(IDR0, ~(3U << 15)).has_q);
	/* COMMOPT says that they do not commit; without TRCCCI there are none of that kind. */
	assert_false(etm4_with(IDR0, 1U << 29 | 1U << 7).cycle_count_commits);
	assert_true(etm4_with(IDR0, 1U << 7).cycle_count_commits);
	assert_true(etm4_with(IDR0, 1U << 29).cycle_count_commits);
	assert_true(etm4_with(IDR0, ~(1U << 30)).transaction_is_p0);
	assert_false(etm4_with(IDR0, 1U << 30).transaction_is_p0);
	assert_true(etm4_with(IDR2, 8).is_64bit);
	assert_false(etm4_with(IDR2, 4).is_64bit);
	assert_int_equal(etm4_with(IDR2, 4U << 5).context_id_size, 4);
	assert_int_equal(etm4_with(IDR2, 0).context_id_size, 0);
	/* CCSIZE: that many bits more than 12. */
	assert_int_equal(etm4_with(IDR2, 0).cycle_mask, 0xfff);
	assert_int_equal(etm4_with(IDR2, 8U << 25).cycle_mask, 0xfffff);
	assert_int_equal(etm4_with(IDR2, ~(15U << 25)).cycle_mask, 0xfff);
	/* Conditional tracing is there and is on. */
	values[IDR0] = 1U << 6;
	assert_false(etm4_of(PROTOCOL_ETM4, values).has_conditional);
	for (unsigned int bit = 8; bit <= 10; bit++) {
		values[CONFIGR] = 1U << bit;
		assert_true(etm4_of(PROTOCOL_ETM4, values).has_conditional);
	}
	values[CONFIGR] = 1U << 11 | 1U << 7;
	assert_false(etm4_of(PROTOCOL_ETM4, values).has_conditional);
	assert_false(etm4_with(CONFIGR, 7U << 8).has_conditional);
}

static void config_of_etm4_depends_on_its_version(void **state)
{
	static const struct {
		uint32_t idr1;
		uint8_t version;
		uint8_t vmid_sizes[5]; /* for VMIDSIZE of 0 to 4 */
		bool has_wfxmode;
	} rows[] = {
	        {0xfffff40f, 0x40, {0, 1, 0, 0, 0}, false}, {0x410, 0x41, {0, 1, 2, 0, 4}, false},
	        {0x420, 0x42, {0, 1, 2, 0, 4}, false},      {0x430, 0x43, {0, 1, 2, 0, 4}, true},
	        {0x450, 0x45, {0, 1, 2, 0, 4}, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t values[REGISTERS_MOST] = {[IDR1] = rows[i].idr1};

		assert_int_equal(etm4_of(PROTOCOL_ETM4, values).version, rows[i].version);
		assert_false(config_is_ete(&(struct etm4_config){.version = rows[i].version}));
		for (uint32_t size = 0; size < 5; size++) {
			values[IDR2] = size << 10;
			assert_int_equal(etm4_of(PROTOCOL_ETM4, values).vmid_size,
			                 rows[i].vmid_sizes[size]);
		}
		assert_false(etm4_of(PROTOCOL_ETM4, values).wfi_wfe_is_branch);
		values[IDR2] = 1U << 31;
		assert_int_equal(etm4_of(PROTOCOL_ETM4, values).wfi_wfe_is_branch,
		                 rows[i].has_wfxmode);
	}
}

/* Timestamp markers came with ETE 1.1. */
static void config_of_ete_has_its_revision_in_trcdevarch(void **state)
{
	struct etm4_config config = ete_with(0, 1U << 23);

	(void)state;
	assert_int_equal(config.version, 0x50);
	assert_true(config_is_ete(&config));
	assert_false(config.has_timestamp_marker);
	config = ete_with(1, 1U << 23);
	assert_int_equal(config.version, 0x51);
	assert_true(config.has_timestamp_marker);
	assert_false(ete_with(1, ~(1U << 23)).has_timestamp_marker);
	assert_int_equal(ete_with(3, 0).version, 0x53);
}

static void config_of_etm4_knows_the_profile_of_its_core(void **state)
{
	static const struct {
		const char *type;
		enum core_arch arch;
		uint32_t idr1; /* version 4.0, 4.2 */
		bool is_m;
		bool has_function_return;
	} rows[] = {
	        {"Cortex-A53", CORE_A64, 0x420, false, false},
	        {"Cortex-A53", CORE_A32, 0x420, false, false},
	        {"Cortex-M3", CORE_M, 0x420, true, false},
	        {"cortex-m4", CORE_M, 0x420, true, false},
	        {"Cortex-M7", CORE_M, 0x420, true, false},
	        {"ARMv7-M", CORE_M, 0x420, true, false},
	        {"ARMv7E-M", CORE_M, 0x420, true, false},
	        {"Cortex-M33", CORE_M, 0x420, true, true},
	        {"Cortex-M55", CORE_M, 0x420, true, true},
	        {"Cortex-M55", CORE_M, 0x400, true, false},
	        {"Cortex-M99", CORE_M, 0x420, true, true},
	        {"ARMv8.1-M", CORE_M, 0x420, true, true},
	};
	struct etm4_config config;
	struct unit unit;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_unit(&unit, PROTOCOL_ETM4);
		for (unsigned int k = 0; k < REGISTERS_MOST; k++)
			add_register(&unit, etm4_names[k], k == IDR1 ? rows[i].idr1 : 0);
		unit.core_device.type = str_of(rows[i].type);
		unit.core.arch = rows[i].arch;
		assert_int_equal(etm4_config_load(&unit.source, &unit.diags, &config), STATUS_OK);
		assert_int_equal(config.is_m_profile, rows[i].is_m);
		assert_int_equal(config.has_function_return, rows[i].has_function_return);
	}
	unit.source.core = NULL;
	assert_int_equal(etm4_config_load(&unit.source, &unit.diags, &config), STATUS_OK);
	assert_false(config.is_m_profile || config.has_function_return);
}

/* Another major version is another protocol. */
static void config_of_another_version_is_refused(void **state)
{
	static const struct {
		enum protocol protocol;
		unsigned int which;
		uint32_t value;
		const char *text;
	} rows[] = {
	        {PROTOCOL_ETM4, IDR1, 0x300,
	         "trace source \"UNIT\" has architecture version 3 in TRCIDR1, expected 4"},
	        {PROTOCOL_ETM4, IDR1, 0xfff,
	         "trace source \"UNIT\" has architecture version 15 in TRCIDR1, expected 4"},
	        {PROTOCOL_ETE, DEVARCH, 0x47704a13,
	         "trace source \"UNIT\" has architecture version 4 in TRCDEVARCH, expected 5"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct etm4_config config;
		struct unit unit;

		make_unit(&unit, rows[i].protocol);
		for (unsigned int k = 0; k < REGISTERS_MOST; k++)
			add_register(&unit, etm4_names[k], k == rows[i].which ? rows[i].value : 0);
		assert_int_equal(etm4_config_load(&unit.source, &unit.diags, &config),
		                 STATUS_UNSUPPORTED);
		assert_int_equal(unit.diags.count, 1);
		assert_string_equal(unit.diags.items[0].text, rows[i].text);
		diag_list_fini(&unit.diags);
	}
}

/* Those of an ETE that may be missing are told with what is taken for them. */
static void config_of_ete_goes_without_some_registers(void **state)
{
	struct etm4_config config;
	struct unit unit;

	(void)state;
	make_unit(&unit, PROTOCOL_ETE);
	add_register(&unit, "TRCCONFIGR", 0);
	add_register(&unit, "TRCTRACEIDR", 5);
	add_register(&unit, "TRCIDR0", 1U << 23);
	add_register(&unit, "TRCIDR2", 8);
	assert_int_equal(etm4_config_load(&unit.source, &unit.diags, &config), STATUS_OK);
	assert_int_equal(config.version, 0x50);
	assert_int_equal(config.max_speculation, 0);
	assert_int_equal(unit.diags.count, 2);
	assert_int_equal(unit.diags.errors, 0);
	assert_string_equal(unit.diags.items[0].text,
	                    "trace source \"UNIT\" has no register TRCIDR8; taken as 0");
	assert_string_equal(
	        unit.diags.items[1].text,
	        "trace source \"UNIT\" has no register TRCDEVARCH; taken as 0x47705a13");
	diag_list_fini(&unit.diags);
}

/* Of ETMv3 or PTM. */
static void make_etm3(struct unit *unit, enum protocol protocol, uint32_t cr, uint32_t ccer,
                      uint32_t idr)
{
	make_unit(unit, protocol);
	add_register(unit, "ETMCR", cr);
	add_register(unit, "ETMCCER", ccer);
	add_register(unit, "ETMIDR", idr);
	add_register(unit, "ETMTRACEIDR", 0xffffff92);
}

static struct etm3_config etm3_with(uint32_t cr, uint32_t ccer, uint32_t idr)
{
	struct etm3_config config;
	struct unit unit;

	make_etm3(&unit, PROTOCOL_ETM3, cr, ccer, idr);
	assert_int_equal(etm3_config_load(&unit.source, &unit.diags, &config), STATUS_OK);
	return config;
}

static void config_of_etm3_is_in_its_registers(void **state)
{
	static const uint8_t sizes[] = {0, 1, 2, 4};
	struct etm3_config config = etm3_with(0, 0, 0x4100f250);

	(void)state;
	assert_int_equal(config.trace_id, 0x12);
	assert_int_equal(config.minor, 5);
	assert_false(config.has_alt_branch || config.has_virtual || config.is_timestamp_64 ||
	             config.is_cycle_accurate || config.traces_data_values ||
	             config.traces_data_addresses || config.is_m_profile);
	assert_true(config.traces_instructions);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(etm3_with(i << 14, 0, 0).context_id_size, sizes[i]);
	assert_true(etm3_with(1U << 2, 0, 0).traces_data_values);
	assert_false(etm3_with(1U << 2, 0, 0).traces_data_addresses);
	assert_true(etm3_with(1U << 3, 0, 0).traces_data_addresses);
	assert_false(etm3_with(1U << 3, 0, 0).traces_data_values);
	assert_true(etm3_with(1U << 12, 0, 0).is_cycle_accurate);
	assert_false(etm3_with(1U << 20, 0, 0).traces_instructions);
	assert_true(etm3_with(0, 1U << 26, 0).has_virtual);
	assert_false(etm3_with(0, ~(1U << 26), 0).has_virtual);
	assert_true(etm3_with(0, 1U << 29, 0).is_timestamp_64);
	assert_false(etm3_with(0, ~(1U << 29), 0).is_timestamp_64);
	/* Timestamps came with ETM 3.5; bit 28 set is binary. */
	assert_true(etm3_with(0, ~(1U << 28), 0x4100f250).is_timestamp_gray);
	assert_false(etm3_with(0, 1U << 28, 0x4100f250).is_timestamp_gray);
	assert_false(etm3_with(0, 0, 0x4100f240).is_timestamp_gray);
	/* The alternative branch encoding came with ETM 3.4. */
	assert_true(etm3_with(0, 0, 1U << 20 | 4U << 4).has_alt_branch);
	assert_false(etm3_with(0, 0, 1U << 20 | 3U << 4).has_alt_branch);
	assert_false(etm3_with(0, 0, 4U << 4).has_alt_branch);
}

static struct ptm_config ptm_with(uint32_t cr, uint32_t ccer, uint32_t idr)
{
	struct ptm_config config;
	struct unit unit;

	make_etm3(&unit, PROTOCOL_PTM, cr, ccer, idr);
	assert_int_equal(ptm_config_load(&unit.source, &unit.diags, &config), STATUS_OK);
	return config;
}

static void config_of_ptm_is_in_its_registers(void **state)
{
	enum { PFT_1_0 = 0x300, PFT_1_1 = 0x310 };

	(void)state;
	assert_int_equal(ptm_with(0, 0, PFT_1_0).trace_id, 0x12);
	assert_int_equal(ptm_with(3U << 14, 0, PFT_1_0).context_id_size, 4);
	assert_true(ptm_with(1U << 12, 0, PFT_1_0).is_cycle_accurate);
	assert_false(ptm_with(~(1U << 12), 0, PFT_1_0).is_cycle_accurate);
	assert_true(ptm_with(0, 1U << 29, PFT_1_1).is_timestamp_64);
	assert_false(ptm_with(0, 1U << 29, PFT_1_0).is_timestamp_64);
	assert_false(ptm_with(0, ~(1U << 29), PFT_1_1).is_timestamp_64);
	assert_true(ptm_with(0, 1U << 28, PFT_1_1).is_timestamp_binary);
	assert_false(ptm_with(0, 1U << 28, PFT_1_0).is_timestamp_binary);
	assert_false(ptm_with(0, ~(1U << 28), PFT_1_1).is_timestamp_binary);
	assert_true(ptm_with(0, 1U << 24, PFT_1_0).dsb_dmb_is_waypoint);
	assert_false(ptm_with(0, ~(1U << 24), PFT_1_0).dsb_dmb_is_waypoint);
	/* It is there and it is on. */
	assert_true(ptm_with(1U << 29, 1U << 23, PFT_1_1).has_return_stack);
	assert_false(ptm_with(1U << 29, ~(1U << 23), PFT_1_1).has_return_stack);
	assert_false(ptm_with(~(1U << 29), 1U << 23, PFT_1_1).has_return_stack);
}

static enum status open_source(struct unit *unit, enum buffer_format format)
{
	static const uint8_t data[16];
	struct snap_buffer buffer = {.name = STR("ETB"),
	                             .format = format,
	                             .format_name = STR("morse"),
	                             .data = bytes_of(data, sizeof(data))};
	struct snapshot snapshot = {.sources = &unit->source, .source_count = 1};
	struct decoder_options options = {0};
	struct decoder *decoder;
	enum status status =
	        decoder_open(&snapshot, &unit->source, &buffer, &options, &unit->diags, &decoder);

	assert_int_equal(status == STATUS_OK, decoder != NULL);
	decoder_destroy(decoder);
	return status;
}

static void config_without_registers_is_refused(void **state)
{
	static const struct {
		enum protocol protocol;
		size_t errors;
		const char *first;
	} rows[] = {
	        {PROTOCOL_ETM3, 4, "has no register ETMCR"},
	        {PROTOCOL_PTM, 4, "has no register ETMCR"},
	        {PROTOCOL_ETM4, 5, "has no register TRCCONFIGR"},
	        {PROTOCOL_ETE, 4, "has no register TRCCONFIGR"},
	        {PROTOCOL_ITM, 1, "has no register that holds its trace ID"},
	        {PROTOCOL_STM, 1, "has no register that holds its trace ID"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct unit unit;

		make_unit(&unit, rows[i].protocol);
		assert_true(decoder_supports(rows[i].protocol));
		assert_int_equal(open_source(&unit, BUFFER_CORESIGHT), STATUS_BAD_DATA);
		assert_int_equal(unit.diags.errors, rows[i].errors);
		assert_non_null(strstr(unit.diags.items[0].text, rows[i].first));
		diag_list_fini(&unit.diags);
	}
}

static void config_of_no_known_kind_is_refused(void **state)
{
	struct unit unit;

	(void)state;
	make_unit(&unit, PROTOCOL_UNKNOWN);
	assert_false(decoder_supports(PROTOCOL_UNKNOWN));
	assert_int_equal(open_source(&unit, BUFFER_CORESIGHT), STATUS_UNSUPPORTED);
	assert_string_equal(unit.diags.items[0].text,
	                    "trace source \"UNIT\" has the type \"a type\" (unknown), which is not "
	                    "decoded");
	diag_list_fini(&unit.diags);
	make_unit(&unit, PROTOCOL_STM);
	add_register(&unit, "STMTCSR", 0x120000);
	assert_int_equal(open_source(&unit, BUFFER_OTHER), STATUS_UNSUPPORTED);
	assert_string_equal(
	        unit.diags.items[0].text,
	        "trace source \"UNIT\": buffer \"ETB\" has the format \"morse\", which is "
	        "not decoded");
	diag_list_fini(&unit.diags);
	assert_int_equal(open_source(&unit, BUFFER_SOURCE_DATA), STATUS_OK);
	assert_int_equal(open_source(&unit, BUFFER_DSTREAM), STATUS_OK);
	assert_int_equal(unit.diags.errors, 0);
	diag_list_fini(&unit.diags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(config_of_etm4_is_in_trcconfigr),
	        cmocka_unit_test(config_of_etm4_is_in_its_id_registers),
	        cmocka_unit_test(config_of_etm4_depends_on_its_version),
	        cmocka_unit_test(config_of_ete_has_its_revision_in_trcdevarch),
	        cmocka_unit_test(config_of_etm4_knows_the_profile_of_its_core),
	        cmocka_unit_test(config_of_another_version_is_refused),
	        cmocka_unit_test(config_of_ete_goes_without_some_registers),
	        cmocka_unit_test(config_of_etm3_is_in_its_registers),
	        cmocka_unit_test(config_of_ptm_is_in_its_registers),
	        cmocka_unit_test(config_without_registers_is_refused),
	        cmocka_unit_test(config_of_no_known_kind_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
