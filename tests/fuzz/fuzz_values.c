/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of the past of any program and any way through it: the input is a core's registers at the
 * halt, a little data, opcodes, and what the trace says was executed. The opcodes, the way and the
 * halt need not fit together. Holds: unknown bits are zero, no more memory is said than was asked
 * for, why a value is known can be said, accesses that are found are in the range asked for.
 *
 * Its bytes: one each for the core and the assumptions; the registers, the data, the opcodes, each
 * after how many there are; two for what is asked; the elements of the trace.
 */
#include "arch/insn.h"
#include "arch/register.h"
#include "fuzz.h"
#include "replay/session/session.h"
#include "replay/values/explain/explain.h"
#include "replay/values/values.h"
#include "replay/values/values_access.h"
#include "tests/history/made_decoder.h"

enum {
	CODE = 0x1000,
	CODE_MOST = 64, /* opcodes of 4 bytes */
	DATA_AT = 0x8000,
	DATA_SIZE = 0x80,
	REGISTERS_MOST = 48,
	ELEMENTS_MOST = 48,
	RUN_MOST = 16,      /* instructions of a range */
	POSITIONS_MOST = 8, /* that are asked for */
};

struct made {
	struct snapshot snapshot;
	struct snap_core core;
	struct snap_device device;
	struct snap_source source;
	struct snap_source *sources[1];
	struct snap_buffer buffer;
	size_t buffers[1];
	struct session *session;
	const struct history *history;
	struct register_file file;
	enum isa isa; /* of the next instruction */
	uint64_t pc;
	uint8_t code[4 * CODE_MOST];
	size_t code_size;
	uint8_t data[DATA_SIZE];
	uint8_t contents[REGISTERS_MOST][16];
	struct snap_register registers[REGISTERS_MOST];
	size_t register_count;
	struct element elements[ELEMENTS_MOST];
	size_t element_count;
	struct values_options options;
	bool is_read_only; /* the code */
};

static void put(uint8_t *to, uint64_t value)
{
	for (unsigned int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* A number as programs have them: an address of data or code, a small one, or any. */
static uint64_t take_value(struct bytes *in)
{
	uint8_t form = (uint8_t)fuzz_number(in, 1);

	switch (form & 3) {
	case 0:
		return DATA_AT + 2U * (form >> 2);
	case 1:
		return CODE + 2U * (form >> 2);
	case 2:
		return (uint64_t)(int64_t)(int8_t)form >> 2;
	default:
		return fuzz_number(in, 8);
	}
}

static void take_core(struct made *m, struct bytes *in)
{
	static const enum core_arch archs[] = {CORE_A64, CORE_A32, CORE_A32, CORE_M};
	static const enum isa isas[] = {ISA_A64, ISA_A32, ISA_T32, ISA_T32};
	static const enum protocol protocols[] = {PROTOCOL_ETM4, PROTOCOL_PTM, PROTOCOL_ETM3,
	                                          PROTOCOL_ETE};
	uint8_t kind = (uint8_t)fuzz_number(in, 1);
	uint8_t assumed = (uint8_t)fuzz_number(in, 1);

	m->core.arch = archs[kind & 3];
	m->isa = isas[kind & 3];
	m->source.protocol = protocols[kind >> 2 & 3];
	m->device.type = m->core.arch == CORE_M && kind & 0x10 ? STR("Cortex-M4") : STR("");
	m->is_read_only = (kind & 0x20) != 0;
	m->options = (struct values_options){
	        .single_writer = assumed & 1,
	        .handler_preserves = assumed >> 1 & 1,
	        .abi = assumed >> 2 & 1,
	        .register_window = assumed >> 3 & 7,
	};
	m->pc = CODE;
	m->file = register_file_of(m->core.arch);
}

/* Of each number: whether the snapshot lacks the register, its value. */
static void take_registers(struct made *m, struct bytes *in)
{
	size_t count = fuzz_number(in, 1);

	for (unsigned int i = 0; i < count && i < m->file.trace && i < REGISTERS_MOST; i++) {
		struct str names = str_of(m->file.table[i].snapshot_names);
		size_t n = m->register_count;

		if ((fuzz_number(in, 1) & 7) == 7)
			continue;
		put(m->contents[n], take_value(in));
		if (m->file.table[i].bits > 64)
			put(m->contents[n] + 8, take_value(in));
		m->registers[n] = (struct snap_register){.name = str_next_part(&names, '|'),
		                                         .bits = m->file.table[i].bits,
		                                         .value = m->contents[n]};
		m->register_count++;
	}
}

static void take_memory(struct made *m, struct bytes *in)
{
	size_t words = fuzz_number(in, 1) % (DATA_SIZE / 8 + 1);
	size_t opcodes = 1 + fuzz_number(in, 1) % CODE_MOST;

	for (size_t i = 0; i < words; i++)
		put(m->data + 8 * i, take_value(in));
	m->code_size = 4 * opcodes;
	for (size_t i = 0; i < m->code_size; i++)
		m->code[i] = (uint8_t)fuzz_number(in, 1);
}

static uint32_t halfword_at(const struct made *m, uint64_t address)
{
	size_t at = (size_t)(address - CODE);

	return (uint32_t)m->code[at] | (uint32_t)m->code[at + 1] << 8;
}

/* False if none begins there. */
static bool classify(const struct made *m, uint64_t address, struct insn *insn)
{
	static const struct insn_options options = {0};
	uint64_t left = address < CODE ? 0 : CODE + m->code_size - address;
	uint32_t opcode;

	if (address < CODE || address >= CODE + m->code_size || left < 2)
		return false;
	opcode = halfword_at(m, address);
	if (m->isa == ISA_T32 && insn_t32_size(opcode) == 2) {
		insn_t32_classify(opcode, address, &options, insn);
		return true;
	}
	if (left < 4)
		return false;
	if (m->isa == ISA_T32)
		insn_t32_classify(opcode << 16 | halfword_at(m, address + 2), address, &options,
		                  insn);
	else if (m->isa == ISA_A32)
		insn_a32_classify(opcode | halfword_at(m, address + 2) << 16, address, &options,
		                  insn);
	else
		insn_a64_classify(opcode | halfword_at(m, address + 2) << 16, address, &options,
		                  insn);
	return true;
}

/* Somewhere in the code. */
static uint64_t take_address(const struct made *m, struct bytes *in)
{
	uint64_t at = fuzz_number(in, 1) * 2 % m->code_size;

	return CODE + (m->isa == ISA_T32 ? at : at & ~(uint64_t)3);
}

/* What is executed from here to the next branch; goes on where it goes. */
static bool take_range(struct made *m, struct bytes *in, uint8_t byte, struct element *e)
{
	unsigned int most = 1 + (byte & (RUN_MOST - 1));
	bool is_taken = (byte & 0x40) == 0;
	struct insn insn = {.class = INSN_OTHER};

	*e = (struct element){.type = ELEMENT_INSTR_RANGE, .isa = m->isa};
	e->range.start = m->pc;
	while (e->range.count < most && classify(m, m->pc, &insn)) {
		m->pc += insn.size;
		e->range.count++;
		if (insn.class == INSN_BRANCH || insn.class == INSN_BRANCH_INDIRECT)
			break;
	}
	if (e->range.count == 0)
		return false;
	e->range.end = m->pc;
	e->range.last_size = insn.size;
	e->range.last_class = insn.class;
	e->range.last_subclass = insn.subclass;
	e->range.last_conditional = insn.is_conditional;
	e->range.last_executed = is_taken || !insn.is_conditional;
	if (!e->range.last_executed || insn.class == INSN_OTHER)
		return true;
	if (insn.class == INSN_BRANCH && insn.next_isa != ISA_UNKNOWN)
		m->isa = insn.next_isa;
	if (insn.class == INSN_BRANCH)
		m->pc = insn.target;
	else if (insn.class == INSN_BRANCH_INDIRECT)
		m->pc = take_address(m, in);
	return true;
}

/* Of a word of the data, or anywhere; whether the instruction before it transfers any is its
 * affair. */
static struct element take_data(struct bytes *in)
{
	uint8_t flags = (uint8_t)fuzz_number(in, 1);
	struct element e = {.type = ELEMENT_DATA};

	e.data.kind = (enum data_kind)(flags % (DATA_SUPPRESSED + 1));
	e.data.has_address = flags & 0x10;
	e.data.has_value = flags & 0x20;
	e.data.is_big_endian = (flags & 0xc0) == 0xc0;
	e.data.tag = flags >> 6;
	if (e.data.has_address)
		e.data.address = DATA_AT + fuzz_number(in, 1) - 8;
	if (e.data.has_value)
		e.data.value = fuzz_number(in, flags & 0x40 ? 4 : 1);
	return e;
}

static struct element take_other(struct made *m, struct bytes *in, uint8_t byte)
{
	static const enum element_type types[] = {
	        ELEMENT_EXCEPTION, ELEMENT_EXCEPTION_RET, ELEMENT_TRACE_ON,     ELEMENT_NO_SYNC,
	        ELEMENT_ADDR_NACC, ELEMENT_MEMTRANS,      ELEMENT_ADDR_UNKNOWN, ELEMENT_TIMESTAMP};
	struct element e = {.type = types[byte & 7], .isa = m->isa};

	if (e.type == ELEMENT_EXCEPTION) {
		uint8_t flags = (uint8_t)fuzz_number(in, 1);

		e.exception.number = (uint32_t)fuzz_number(in, 1);
		e.exception.has_return_address = flags & 1;
		e.exception.return_is_branch_target = flags >> 1 & 1;
		e.exception.is_data_marker = (flags >> 2 & 7) == 7;
		e.exception.cancels_last = (flags >> 5 & 3) == 3;
		e.exception.return_address = flags & 0x80 ? m->pc : take_address(m, in);
	} else if (e.type == ELEMENT_ADDR_NACC) {
		e.nacc.address = m->pc;
	} else if (e.type == ELEMENT_MEMTRANS) {
		e.memtrans = byte >> 3 & 1 ? MEMTRANS_START : MEMTRANS_FAIL;
	}
	if (e.type != ELEMENT_TIMESTAMP && e.type != ELEMENT_MEMTRANS)
		m->pc = take_address(m, in);
	return e;
}

static void take_elements(struct made *m, struct bytes *in)
{
	while (m->element_count < ELEMENTS_MOST && bytes_left(in) > 0) {
		struct element *e = &m->elements[m->element_count];
		uint8_t byte = (uint8_t)fuzz_number(in, 1);

		if ((byte & 0xef) == 0xef)
			*e = take_data(in);
		else if (byte >= 0xe0)
			*e = take_other(m, in, byte);
		else if (!take_range(m, in, byte, e)) {
			m->pc = take_address(m, in);
			continue;
		}
		m->element_count++;
	}
}

static void add_region(struct made *m, uint64_t address, const uint8_t *bytes, size_t size,
                       bool read_only)
{
	struct mem_region region = {.address = address,
	                            .length = size,
	                            .space = SPACE_ANY,
	                            .read_only = read_only,
	                            .data = bytes,
	                            .origin = STR("fuzz")};

	FUZZ_CHECK(memmap_add(m->core.memory, &region) == STATUS_OK);
}

static void open_made(struct made *m)
{
	const struct history_options options = {0};
	struct diag_list diags = {0};

	script.elements = m->elements;
	script.count = m->element_count;
	leads_to(m->pc);
	m->device.name = STR("cpu_0");
	m->device.class = DEVICE_CORE;
	m->device.registers = m->registers;
	m->device.register_count = m->register_count;
	m->source.device = &m->device;
	m->source.buffers = m->buffers;
	m->source.buffer_count = 1;
	m->sources[0] = &m->source;
	m->core.device = &m->device;
	m->core.memory = memmap_create();
	m->core.sources = m->sources;
	m->core.source_count = 1;
	FUZZ_CHECK(m->core.memory);
	add_region(m, CODE, m->code, m->code_size, m->is_read_only);
	add_region(m, DATA_AT, m->data, DATA_SIZE, false);
	FUZZ_CHECK(memmap_freeze(m->core.memory) == STATUS_OK);
	m->snapshot.cores = &m->core;
	m->snapshot.core_count = 1;
	m->snapshot.buffers = &m->buffer;
	m->snapshot.buffer_count = 1;
	FUZZ_CHECK(session_open(&m->snapshot, &options, &diags, &m->session) == STATUS_OK);
	m->history = session_history(m->session, 0);
	diag_list_fini(&diags);
}

static void ask_position(const struct made *m, struct values *values, uint64_t position)
{
	uint8_t bytes[DATA_SIZE + 16];

	for (unsigned int number = 0; number < m->file.trace; number++) {
		struct value value;

		values_register(values, position, number, &value);
		FUZZ_CHECK(value.size == m->file.table[number].bits / 8);
		for (unsigned int i = 0; i < value.size; i++)
			FUZZ_CHECK((value.bits[i] & ~value.known[i]) == 0);
	}
	for (unsigned int at = 0; at < DATA_SIZE; at += 8)
		FUZZ_CHECK(values_memory(values, position, DATA_AT + at + position % 8, bytes, 8) <=
		           8);
	FUZZ_CHECK(values_memory(values, position, DATA_AT - 8, bytes, sizeof(bytes)) <=
	           sizeof(bytes));
}

static void ask_why(struct values *values, uint64_t position, uint8_t what)
{
	struct why_subject subject = {.is_memory = (what & 1) != 0,
	                              .number = what >> 2,
	                              .address = DATA_AT + (what >> 2) % DATA_SIZE};
	struct why_options options = {.all = (what & 2) != 0};
	struct text out = {0};
	enum status status = why_value(values, position, &subject, &options, &out);

	FUZZ_CHECK(status == STATUS_OK || status == STATUS_UNSUPPORTED);
	FUZZ_CHECK(text_status(&out) == STATUS_OK);
	text_fini(&out);
}

static void ask_accesses(struct values *values, uint64_t length)
{
	for (unsigned int i = 0; i < 8; i++) {
		struct values_range range = {0, length, i & 1};
		struct values_target target = {DATA_AT + 16 * i, 1 + 5 * i, i & 2, i & 4};
		struct values_access access;
		struct values_may_alias doubt;

		if (values_find_access(values, &range, &target, &access)) {
			FUZZ_CHECK(access.position < length);
			FUZZ_CHECK(access.address - target.address < target.size);
		}
		values_find_may_alias(values, &range, &target, &doubt);
		FUZZ_CHECK(doubt.count == 0 || doubt.position < length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes in = bytes_of(data, size);
	struct made m = {.register_count = 0};
	struct values *values;
	struct text trouble = {0};
	uint8_t asked;
	uint8_t about;
	uint64_t length;

	take_core(&m, &in);
	take_registers(&m, &in);
	take_memory(&m, &in);
	asked = (uint8_t)fuzz_number(&in, 1);
	about = (uint8_t)fuzz_number(&in, 1);
	take_elements(&m, &in);
	open_made(&m);
	values = values_create(m.history, &m.options);
	FUZZ_CHECK(values);
	length = history_length(m.history);
	for (uint64_t i = 0; i <= POSITIONS_MOST; i++)
		ask_position(&m, values, length * i / POSITIONS_MOST);
	ask_why(values, asked % (length + 1), m.file.trace > about >> 2 ? about : about & 3);
	ask_accesses(values, length);
	why_trouble(values, &trouble);
	text_fini(&trouble);
	values_destroy(values);
	session_destroy(m.session);
	memmap_destroy(m.core.memory);
	return 0;
}
