/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every packet of ETMv4 and ETE instruction trace: encoded, decoded, its fields compared; and every
 * proper prefix of it is TRUNCATED and changes nothing. A row is a packet in the script form,
 * packets before it that it depends on, and what the decoder must make of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "decoder/etm4/etm4_pkt.h"
#include "tests/synth/etm4_emit.h"
#include "tests/synth/etm4_script.h"

enum config_kind {
	FULL,      /* every option; cycle counts commit */
	NO_COMMIT, /* the same, cycle counts do not commit */
	PROFILE_M,
	ETE,
	CONFIGS,
};

#define FULL_CONFIG                                                                                \
	.version = 0x46, .vmid_size = 2, .context_id_size = 4, .cycle_mask = 0xfffff,              \
	.max_speculation = 20, .is_64bit = true, .has_cycle_count = true,                          \
	.has_return_stack = true, .has_conditional = true, .has_data = true, .has_q = true

static const struct etm4_config configs[CONFIGS] = {
        [FULL] = {FULL_CONFIG, .cycle_count_commits = true},
        [NO_COMMIT] = {FULL_CONFIG},
        [PROFILE_M] = {FULL_CONFIG, .is_m_profile = true, .has_function_return = true},
        [ETE] = {.version = 0x53, .cycle_mask = 0xfffff, .is_64bit = true},
};

struct row {
	const char *line;
	const char *before; /* packets, separated by ';' */
	enum config_kind config;
	struct etm4_packet want;
};

#define ADDRESS(v, is) .address = {.value = (v), .isa = (is)}
#define CONTEXT(el, sf, ns)                                                                        \
	.context = {.is_update = true, .level = (el), .is_64bit = (sf), .is_non_secure = (ns)}
#define CONTEXT_IDS(el, sf, ns, v, c)                                                              \
	.context = {.is_update = true,                                                             \
	            .level = (el),                                                                 \
	            .is_64bit = (sf),                                                              \
	            .is_non_secure = (ns),                                                         \
	            .has_vmid = true,                                                              \
	            .vmid = (v),                                                                   \
	            .has_context_id = true,                                                        \
	            .context_id = (c)}
#define ATOMS(n, bits) .atom_count = (n), .atoms = (bits)

// clang-format off
static const struct row rows[] = {
	{"async", "", FULL, {.type = ETM4_ASYNC}},
	{"discard", "", FULL, {.type = ETM4_DISCARD}},
	{"overflow", "", FULL, {.type = ETM4_OVERFLOW}},
	{"trace_info 0", "", FULL, {.type = ETM4_TRACE_INFO}},
	{"trace_info 1 1", "", FULL, {.type = ETM4_TRACE_INFO, .info = {.info = 1}}},
	{"trace_info 15 1 300 16 70000", "", FULL, {.type = ETM4_TRACE_INFO,
		.info = {.info = 1, .key = 300, .speculation = 16, .threshold = 70000,
			 .has_speculation = true}}},
	{"trace_info 8 0 0 0 0x12", "", FULL, {.type = ETM4_TRACE_INFO, .info = {.threshold = 0x12}}},
	{"trace_on", "", FULL, {.type = ETM4_TRACE_ON}},
	{"function_return", "", PROFILE_M, {.type = ETM4_FUNCTION_RETURN}},
	{"exception 12 1", "", FULL, {.type = ETM4_EXCEPTION,
		.exception = {.type = 12, .address_follows = 1}}},
	{"exception 14 2", "", FULL, {.type = ETM4_EXCEPTION,
		.exception = {.type = 14, .address_follows = 2}}},
	{"exception 0x3ff 1", "", PROFILE_M, {.type = ETM4_EXCEPTION,
		.exception = {.type = 0x3ff, .address_follows = 1}}},
	{"exception 3 1 1", "", PROFILE_M, {.type = ETM4_EXCEPTION,
		.exception = {.type = 3, .address_follows = 1, .is_fault_pending = true}}},
	{"exception_return", "", FULL, {.type = ETM4_EXCEPTION_RETURN}},
	{"timestamp 0x55 1", "", FULL, {.type = ETM4_TIMESTAMP, .timestamp = 0x55}},
	{"timestamp 0x123456789abcdef0 9", "", FULL, {.type = ETM4_TIMESTAMP,
		.timestamp = 0x123456789abcdef0}},
	{"timestamp 0xf23456789abcdef0 9", "", FULL, {.type = ETM4_TIMESTAMP,
		.timestamp = 0xf23456789abcdef0}},
	{"timestamp 0x1fff 2", "timestamp 0x123456789abcdef0 9", FULL, {.type = ETM4_TIMESTAMP,
		.timestamp = 0x123456789abcdfff}},
	{"timestamp 0x1ffff 3", "timestamp 0x123456789abcdef0 9;trace_info 0", FULL,
		{.type = ETM4_TIMESTAMP, .timestamp = 0x1ffff}},
	{"timestamp_cycles 0x99 2 1000", "", FULL, {.type = ETM4_TIMESTAMP, .timestamp = 0x99,
		.has_cycles = true, .cycles = 1000}},
	{"timestamp_cycles 0x99 9 0xfffff", "", FULL, {.type = ETM4_TIMESTAMP, .timestamp = 0x99,
		.has_cycles = true, .cycles = 0xfffff}},
	{"cycles_f1 100000", "", NO_COMMIT, {.type = ETM4_CYCLES_F1, .cycles = 100000}},
	{"cycles_f1 5", "trace_info 8 0 0 0 16", NO_COMMIT, {.type = ETM4_CYCLES_F1, .cycles = 21}},
	{"cycles_f1_commit 200 5", "", FULL, {.type = ETM4_CYCLES_F1, .commit = 200, .cycles = 5}},
	{"cycles_f1_unknown", "", NO_COMMIT, {.type = ETM4_CYCLES_F1}},
	{"cycles_f1_unknown_commit 7", "", FULL, {.type = ETM4_CYCLES_F1, .commit = 7}},
	{"cycles_f2 0 3 12", "", FULL, {.type = ETM4_CYCLES_F2, .commit = 4, .cycles = 12}},
	{"cycles_f3 2 3", "", FULL, {.type = ETM4_CYCLES_F3, .commit = 3, .cycles = 3}},
	{"cycles_f3 0 1", "trace_info 8 0 0 0 16", NO_COMMIT, {.type = ETM4_CYCLES_F3, .cycles = 17}},
	{"commit 1", "", FULL, {.type = ETM4_COMMIT, .commit = 1}},
	{"commit 1000", "", FULL, {.type = ETM4_COMMIT, .commit = 1000}},
	{"cancel_f1 0 300", "", FULL, {.type = ETM4_CANCEL_F1, .cancel = 300}},
	{"cancel_f1 1 4", "", FULL, {.type = ETM4_CANCEL_F1_MISPREDICT, .cancel = 4}},
	{"cancel_f2 0", "", FULL, {.type = ETM4_CANCEL_F2, .cancel = 1}},
	{"cancel_f2 1", "", FULL, {.type = ETM4_CANCEL_F2, .cancel = 1, ATOMS(1, 1)}},
	{"cancel_f2 2", "", FULL, {.type = ETM4_CANCEL_F2, .cancel = 1, ATOMS(2, 3)}},
	{"cancel_f2 3", "", FULL, {.type = ETM4_CANCEL_F2, .cancel = 1, ATOMS(1, 0)}},
	{"cancel_f3 2 0", "", FULL, {.type = ETM4_CANCEL_F3, .cancel = 2}},
	{"cancel_f3 5 1", "", FULL, {.type = ETM4_CANCEL_F3, .cancel = 5, ATOMS(1, 1)}},
	{"mispredict 0", "", FULL, {.type = ETM4_MISPREDICT}},
	{"mispredict 1", "", FULL, {.type = ETM4_MISPREDICT, ATOMS(1, 1)}},
	{"mispredict 2", "", FULL, {.type = ETM4_MISPREDICT, ATOMS(2, 3)}},
	{"mispredict 3", "", FULL, {.type = ETM4_MISPREDICT, ATOMS(1, 0)}},
	{"data_sync_numbered 5", "", FULL, {.type = ETM4_MARKER_NUMBERED, .number = 5}},
	{"data_sync_unnumbered 4", "", FULL, {.type = ETM4_MARKER, .number = 4}},
	{"cond_instr_f1 0x12345", "", FULL, {.type = ETM4_COND_INSN_F1,
		.condition = {.keys = {0x12345}, .count = 1}}},
	{"cond_instr_f2 0", "", FULL, {.type = ETM4_COND_INSN_F2, .condition = {.count = 1}}},
	{"cond_instr_f3 0x2a 1", "", FULL, {.type = ETM4_COND_INSN_F3, .condition = {.count = 0x2b}}},
	{"cond_instr_f3 7 0", "", FULL, {.type = ETM4_COND_INSN_F3, .condition = {.count = 7}}},
	{"cond_flush", "", FULL, {.type = ETM4_COND_FLUSH}},
	{"cond_result_f1 1 5 9", "", FULL, {.type = ETM4_COND_RESULT_F1,
		.condition = {.keys = {5}, .results = {9}, .count = 1}}},
	{"cond_result_f1_two 0 0x12345 6 1 3 15", "", FULL, {.type = ETM4_COND_RESULT_F1,
		.condition = {.keys = {0x12345, 3}, .results = {6, 15}, .count = 2}}},
	{"cond_result_f2 0 2", "", FULL, {.type = ETM4_COND_RESULT_F2,
		.condition = {.count = 1, .tokens = 2}}},
	{"cond_result_f2 1 1", "", FULL, {.type = ETM4_COND_RESULT_F2,
		.condition = {.count = 2, .tokens = 1}}},
	{"cond_result_f3 0xabc", "", FULL, {.type = ETM4_COND_RESULT_F3,
		.condition = {.tokens = 0xabc}}},
	{"cond_result_f4 2", "", FULL, {.type = ETM4_COND_RESULT_F4, .condition = {.tokens = 2}}},
	{"ignore", "", FULL, {.type = ETM4_IGNORE}},
	{"event 1", "", FULL, {.type = ETM4_EVENT, .number = 1}},
	{"event 15", "", FULL, {.type = ETM4_EVENT, .number = 15}},
	{"context_same", "", FULL, {.type = ETM4_CONTEXT}},
	{"context 1 1 0", "", FULL, {.type = ETM4_CONTEXT, CONTEXT(1, true, false)}},
	{"context 3 0 1", "", FULL, {.type = ETM4_CONTEXT, CONTEXT(3, false, true)}},
	{"context 0 1 1 2 0xbeef 4 0x12345678", "", FULL, {.type = ETM4_CONTEXT,
		CONTEXT_IDS(0, true, true, 0xbeef, 0x12345678)}},
	{"address_short 0 0x400514 1", "address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_SHORT_IS0, ADDRESS(0xffff000012345714, 0)}},
	{"address_short 0 0x400514 2", "address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_SHORT_IS0, ADDRESS(0xffff000012340514, 0)}},
	{"address_short 1 0x1fe 1", "address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_SHORT_IS1, ADDRESS(0xffff0000123456fe, 1)}},
	{"address_short 1 0xabcd6 2", "address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_SHORT_IS1, ADDRESS(0xffff00001234bcd6, 1)}},
	/* A short form of 32 bits keeps the others where the context is of 64 bits. */
	{"address_32 0 0x89abcdec", "context 0 1 1;address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_32_IS0, ADDRESS(0xffff000089abcdec, 0)}},
	{"address_32 1 0x89abcdee", "context 0 1 1;address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_32_IS1, ADDRESS(0xffff000089abcdee, 1)}},
	{"address_32 0 0x89abcdec", "context 0 0 1;address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_32_IS0, ADDRESS(0x89abcdec, 0)}},
	{"address_64 0 0x123456789abcdef0", "", FULL,
		{.type = ETM4_ADDRESS_64_IS0, ADDRESS(0x123456789abcdef0, 0)}},
	{"address_64 1 0x123456789abcdef2", "", FULL,
		{.type = ETM4_ADDRESS_64_IS1, ADDRESS(0x123456789abcdef2, 1)}},
	{"address_match 0", "address_64 0 0x1000;address_64 0 0x2000;address_64 1 0x3002", FULL,
		{.type = ETM4_ADDRESS_MATCH, ADDRESS(0x3002, 1)}},
	{"address_match 2", "address_64 0 0x1000;address_64 0 0x2000;address_64 1 0x3002", FULL,
		{.type = ETM4_ADDRESS_MATCH, .match = 2, ADDRESS(0x1000, 0)}},
	/* An exact match becomes the newest address, and pushes the others back. */
	{"address_match 1", "address_64 0 0x1000;address_64 0 0x2000;address_match 1", FULL,
		{.type = ETM4_ADDRESS_MATCH, .match = 1, ADDRESS(0x2000, 0)}},
	{"address_match 0", "address_64 0 0x1000;trace_info 0", FULL,
		{.type = ETM4_ADDRESS_MATCH, ADDRESS(0, 0)}},
	{"address_context_32 0 0x89abcdec 1 1 1", "context 0 1 1;address_64 0 0xffff000012345600", FULL,
		{.type = ETM4_ADDRESS_CONTEXT_32_IS0, ADDRESS(0xffff000089abcdec, 0),
		 CONTEXT(1, true, true)}},
	{"address_context_32 1 0x89abcdee 0 0 0 2 3 4 5", "", FULL,
		{.type = ETM4_ADDRESS_CONTEXT_32_IS1, ADDRESS(0x89abcdee, 1),
		 CONTEXT_IDS(0, false, false, 3, 5)}},
	{"address_context_64 0 0x123456789abcdef0 2 1 1 2 0xfffe 4 0xfffffffd", "", FULL,
		{.type = ETM4_ADDRESS_CONTEXT_64_IS0, ADDRESS(0x123456789abcdef0, 0),
		 CONTEXT_IDS(2, true, true, 0xfffe, 0xfffffffd)}},
	{"address_context_64 1 0x123456789abcdef2 0 1 1", "", FULL,
		{.type = ETM4_ADDRESS_CONTEXT_64_IS1, ADDRESS(0x123456789abcdef2, 1),
		 CONTEXT(0, true, true)}},
	{"q", "", FULL, {.type = ETM4_Q, .match = ETM4_ADDRESSES}},
	{"q_count 1000", "", FULL,
		{.type = ETM4_Q, .match = ETM4_ADDRESSES, .has_count = true, .count = 1000}},
	{"q_match 1 3", "address_64 0 0x1000;address_64 0 0x2000", FULL, {.type = ETM4_Q,
		.has_count = true, .count = 3, .has_address = true, .match = 1, ADDRESS(0x1000, 0)}},
	{"q_short 0 0x514 2 200", "address_64 0 0x12345600", FULL,
		{.type = ETM4_Q, .match = ETM4_ADDRESSES, .has_count = true, .count = 200,
		 .has_address = true, ADDRESS(0x12340514, 0)}},
	{"q_short 1 0x16 1 1", "address_64 0 0x12345600", FULL,
		{.type = ETM4_Q, .match = ETM4_ADDRESSES, .has_count = true, .count = 1,
		 .has_address = true, ADDRESS(0x12345616, 1)}},
	{"q_32 0 0x89abcdec 70000", "", FULL,
		{.type = ETM4_Q, .match = ETM4_ADDRESSES, .has_count = true, .count = 70000,
		 .has_address = true, ADDRESS(0x89abcdec, 0)}},
	{"q_32 1 0x89abcdee 1", "", FULL,
		{.type = ETM4_Q, .match = ETM4_ADDRESSES, .has_count = true, .count = 1,
		 .has_address = true, ADDRESS(0x89abcdee, 1)}},
	{"atoms_f1 0", "", FULL, {.type = ETM4_ATOM_F1, ATOMS(1, 0)}},
	{"atoms_f1 1", "", FULL, {.type = ETM4_ATOM_F1, ATOMS(1, 1)}},
	{"atoms_f2 0", "", FULL, {.type = ETM4_ATOM_F2, ATOMS(2, 0)}},
	{"atoms_f2 1", "", FULL, {.type = ETM4_ATOM_F2, ATOMS(2, 1)}},
	{"atoms_f2 2", "", FULL, {.type = ETM4_ATOM_F2, ATOMS(2, 2)}},
	{"atoms_f2 3", "", FULL, {.type = ETM4_ATOM_F2, ATOMS(2, 3)}},
	{"atoms_f3 1", "", FULL, {.type = ETM4_ATOM_F3, ATOMS(3, 1)}},
	{"atoms_f3 6", "", FULL, {.type = ETM4_ATOM_F3, ATOMS(3, 6)}},
	{"atoms_f4 0", "", FULL, {.type = ETM4_ATOM_F4, ATOMS(4, 0xe)}},
	{"atoms_f4 1", "", FULL, {.type = ETM4_ATOM_F4, ATOMS(4, 0x0)}},
	{"atoms_f4 2", "", FULL, {.type = ETM4_ATOM_F4, ATOMS(4, 0xa)}},
	{"atoms_f4 3", "", FULL, {.type = ETM4_ATOM_F4, ATOMS(4, 0x5)}},
	{"atoms_f5 1", "", FULL, {.type = ETM4_ATOM_F5, ATOMS(5, 0x00)}},
	{"atoms_f5 2", "", FULL, {.type = ETM4_ATOM_F5, ATOMS(5, 0x0a)}},
	{"atoms_f5 3", "", FULL, {.type = ETM4_ATOM_F5, ATOMS(5, 0x15)}},
	{"atoms_f5 5", "", FULL, {.type = ETM4_ATOM_F5, ATOMS(5, 0x1e)}},
	{"atoms_f6 3 0", "", FULL, {.type = ETM4_ATOM_F6, ATOMS(4, 0xf)}},
	{"atoms_f6 3 1", "", FULL, {.type = ETM4_ATOM_F6, ATOMS(4, 0x7)}},
	{"atoms_f6 23 0", "", FULL, {.type = ETM4_ATOM_F6, ATOMS(24, 0xffffff)}},
	{"atoms_f6 23 1", "", FULL, {.type = ETM4_ATOM_F6, ATOMS(24, 0x7fffff)}},
	{"timestamp_marker", "", FULL, {.type = ETM4_TIMESTAMP_MARKER}},
	{"timestamp_marker", "", ETE, {.type = ETM4_TIMESTAMP_MARKER}},
	{"trace_info 1 0x41", "", ETE, {.type = ETM4_TRACE_INFO, .info = {.info = 0x41}}},
	{"instrumentation 2 0x123456789abcdef0", "", ETE, {.type = ETM4_INSTRUMENTATION,
		.instrumentation = {2, 0x123456789abcdef0}}},
	{"transaction_start", "", ETE, {.type = ETM4_TRANSACTION_START}},
	{"transaction_commit", "", ETE, {.type = ETM4_TRANSACTION_COMMIT}},
	{"transaction_fail", "address_64 0 0x4000", ETE, {.type = ETM4_TRANSACTION_FAIL}},
	{"pe_reset", "address_64 0 0x4000", ETE, {.type = ETM4_PE_RESET}},
	{"source_match 0", "address_64 0 0x4000;source_64 0 0x5000", ETE,
		{.type = ETM4_SOURCE_MATCH, .match = 0, ADDRESS(0x5000, 0)}},
	{"source_match 2", "address_64 1 0x4002;source_64 0 0x5000;address_64 0 0x6000", ETE,
		{.type = ETM4_SOURCE_MATCH, .match = 2, ADDRESS(0x4002, 1)}},
	{"source_match 1", "transaction_fail;source_64 0 0x5000", ETE,
		{.type = ETM4_SOURCE_MATCH, .match = 1, ADDRESS(0, 0)}},
	{"source_short 0 0x14 1", "address_64 0 0x12345600", ETE,
		{.type = ETM4_SOURCE_SHORT_IS0, ADDRESS(0x12345614, 0)}},
	{"source_short 0 0x1f1fc 2", "address_64 0 0x12340000", ETE,
		{.type = ETM4_SOURCE_SHORT_IS0, ADDRESS(0x1235f1fc, 0)}},
	{"source_short 1 0xfe16 2", "address_64 0 0x12340000", ETE,
		{.type = ETM4_SOURCE_SHORT_IS1, ADDRESS(0x1234fe16, 1)}},
	{"source_32 0 0x89abcdec", "", ETE, {.type = ETM4_SOURCE_32_IS0, ADDRESS(0x89abcdec, 0)}},
	{"source_32 1 0x89abcdee", "", ETE, {.type = ETM4_SOURCE_32_IS1, ADDRESS(0x89abcdee, 1)}},
	{"source_64 0 0xffff800089abcdec", "", ETE,
		{.type = ETM4_SOURCE_64_IS0, ADDRESS(0xffff800089abcdec, 0)}},
	{"source_64 1 0xffff800089abcdee", "", ETE,
		{.type = ETM4_SOURCE_64_IS1, ADDRESS(0xffff800089abcdee, 1)}},
};
// clang-format on

static void compare_context(const struct etm4_context *got, const struct etm4_context *want)
{
	assert_int_equal(got->is_update, want->is_update);
	assert_int_equal(got->level, want->level);
	assert_int_equal(got->is_non_secure, want->is_non_secure);
	assert_int_equal(got->is_realm_root, want->is_realm_root);
	assert_int_equal(got->is_64bit, want->is_64bit);
	assert_int_equal(got->has_vmid, want->has_vmid);
	assert_int_equal(got->has_context_id, want->has_context_id);
	assert_int_equal(got->vmid, want->vmid);
	assert_int_equal(got->context_id, want->context_id);
}

static void compare_condition(const struct etm4_condition *got, const struct etm4_condition *want)
{
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->tokens, want->tokens);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(got->keys[i], want->keys[i]);
		assert_int_equal(got->results[i], want->results[i]);
	}
}

static void compare_union(const struct etm4_packet *got, const struct etm4_packet *want)
{
	if (want->type == ETM4_TRACE_INFO) {
		assert_int_equal(got->info.info, want->info.info);
		assert_int_equal(got->info.key, want->info.key);
		assert_int_equal(got->info.speculation, want->info.speculation);
		assert_int_equal(got->info.threshold, want->info.threshold);
		assert_int_equal(got->info.has_speculation, want->info.has_speculation);
	} else if (want->type == ETM4_EXCEPTION) {
		assert_int_equal(got->exception.type, want->exception.type);
		assert_int_equal(got->exception.address_follows, want->exception.address_follows);
		assert_int_equal(got->exception.is_fault_pending, want->exception.is_fault_pending);
	} else if (want->type == ETM4_INSTRUMENTATION) {
		assert_int_equal(got->instrumentation.level, want->instrumentation.level);
		assert_int_equal(got->instrumentation.value, want->instrumentation.value);
	} else if (want->type != ETM4_PE_RESET && want->type != ETM4_TRANSACTION_FAIL) {
		compare_condition(&got->condition, &want->condition);
	}
}

static void compare_packets(const struct etm4_packet *got, const struct etm4_packet *want)
{
	assert_string_equal(etm4_type_name(got->type), etm4_type_name(want->type));
	assert_int_equal(got->atom_count, want->atom_count);
	if (want->atom_count > 0)
		assert_int_equal(got->atoms, want->atoms);
	assert_int_equal(got->commit, want->commit);
	assert_int_equal(got->cancel, want->cancel);
	assert_int_equal(got->cycles, want->cycles);
	assert_int_equal(got->has_count, want->has_count);
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->has_address, want->has_address);
	assert_int_equal(got->match, want->match);
	assert_int_equal(got->number, want->number);
	assert_int_equal(got->timestamp, want->timestamp);
	assert_int_equal(got->address.value, want->address.value);
	assert_int_equal(got->address.isa, want->address.isa);
	compare_context(&got->context, &want->context);
	compare_union(got, want);
}

static void put_lines(struct buf *out, const char *lines)
{
	struct str rest = str_of(lines);

	while (rest.p)
		assert_int_equal(etm4_script_line(out, str_next_part(&rest, ';')), STATUS_OK);
	assert_false(out->failed);
}

/* A reader that has read A-Sync, Trace Info and `before`. */
static void prepare(struct etm4_reader *reader, const struct row *row)
{
	struct buf b = {0};
	struct bytes in;

	put_lines(&b, "async;trace_info 0");
	if (row->before[0])
		put_lines(&b, row->before);
	etm4_reader_init(reader, &configs[row->config]);
	in = bytes_of(b.data, b.size);
	while (bytes_left(&in) > 0) {
		struct etm4_packet packet = {0};

		assert_int_equal(etm4_reader_next(reader, &in, &packet), STATUS_OK);
	}
	buf_fini(&b);
}

static void packet_encoded_is_decoded(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct etm4_reader reader;
		struct etm4_packet packet = {0};
		struct buf b = {0};
		struct bytes in;

		prepare(&reader, &rows[i]);
		put_lines(&b, rows[i].line);
		in = bytes_of(b.data, b.size);
		print_message("%s\n", rows[i].line);
		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
		assert_int_equal(bytes_left(&in), 0);
		assert_int_equal(packet.size, b.size);
		compare_packets(&packet, &rows[i].want);
		buf_fini(&b);
	}
}

static void packet_prefix_is_truncated(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct etm4_reader reader;
		struct buf b = {0};

		prepare(&reader, &rows[i]);
		put_lines(&b, rows[i].line);
		for (size_t size = 0; size < b.size; size++) {
			struct etm4_reader before = reader;
			struct etm4_packet packet = {0};
			struct bytes in = bytes_of(b.data, size);

			print_message("%s, %zu bytes\n", rows[i].line, size);
			assert_int_equal(etm4_reader_next(&reader, &in, &packet),
			                 size == 0 ? STATUS_END : STATUS_TRUNCATED);
			assert_int_equal(bytes_offset(&in), 0);
			assert_memory_equal(&reader, &before, sizeof(reader));
		}
		buf_fini(&b);
	}
}

/* Every packet type but those that are no packets has a row. */
static void packet_types_all_have_a_row(void **state)
{
	(void)state;
	for (int type = ETM4_ASYNC; type < ETM4_TYPES; type++) {
		bool found = false;

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			found = found || (int)rows[i].want.type == type;
		print_message("%s\n", etm4_type_name((enum etm4_type)type));
		assert_true(found);
	}
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525U + 1013904223U;
	return *seed >> 8;
}

static void read_atoms(const struct buf *b, uint64_t *bits, unsigned int *count)
{
	struct etm4_reader reader;
	struct bytes in = bytes_of(b->data, b->size);

	prepare(&reader, &rows[0]);
	*bits = 0;
	*count = 0;
	while (bytes_left(&in) > 0) {
		struct etm4_packet packet = {0};

		assert_int_equal(etm4_reader_next(&reader, &in, &packet), STATUS_OK);
		*bits |= (uint64_t)packet.atoms << *count;
		*count += packet.atom_count;
	}
}

static void atoms_random_are_the_same(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned int i = 0; i < 5000; i++) {
		unsigned int count = 1 + next_random(&seed) % 63;
		uint64_t mask = (UINT64_C(1) << count) - 1;
		uint64_t bits = (uint64_t)next_random(&seed) << 40 ^
		                (uint64_t)next_random(&seed) << 20 ^ next_random(&seed);
		uint64_t got_bits;
		unsigned int got_count;
		struct buf b = {0};

		if (i % 2)
			bits |= UINT64_C(0x3ffffffffff) << next_random(&seed) % 32;
		emit_atoms(&b, bits & mask, count);
		read_atoms(&b, &got_bits, &got_count);
		assert_int_equal(got_count, count);
		assert_int_equal(got_bits, bits & mask);
		buf_fini(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(packet_encoded_is_decoded),
	        cmocka_unit_test(packet_prefix_is_truncated),
	        cmocka_unit_test(packet_types_all_have_a_row),
	        cmocka_unit_test(atoms_random_are_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
