/* SPDX-License-Identifier: Apache-2.0 */
/* Tarmac: lines of every kind and dialect, what is around them, and what is wrong with them. */
#include <stdio.h>
#include <stdlib.h>

#include "tarmac_world.h"

#define OPEN_BYTES(w, literal) world_open_bytes(w, bytes_of(literal, sizeof(literal) - 1), false)

/* The example of Tarmac Text Rev 3, 2.4, as its columns are in real files. */
static const char rev3[] =
        "Tarmac Text Rev 3t\n"
        "       1715 ns  IT  (00000000:e59ff038) A svc:          LDR      pc,{pc}+0x40 ; 0x40\n"
        "                    LD 00000040  ........ ........ ........ 00001c98  S:0000000040/20 SO\n"
        "                    BR (00001c98) A\n"
        "       2225 ns  IT  (00001c98:e10f0000) A svc_ns:       MRS      r0,APSR\n"
        "                    R R0 (USR) 000001d3\n"
        "-----------         ES  (00001ca4:1a00000e) A svc: CCFAIL BNE      {pc}+0x40\n"
        "      10625 ns  ES  (0000d800:df02)     T svc:          SVC      #0x2\n"
        "                    EXC [0x08] System Call\n"
        "                    R LR (SVC) 0000d804\n"
        "      10700 ns  ES  External Debug Event\n"
        "                    EXC Debug Halt Mode Entry\n";

static void rev3_example_gives_its_events(void **state)
{
	const struct tarmac_event *event;
	struct world w;

	(void)state;
	world_open(&w, rev3);
	assert_int_equal(tarmac_dialect(w.reader), TARMAC_DIALECT_REV3);
	event = world_next(&w, TARMAC_HEADER);
	assert_int_equal(event->header.revision, 3);
	assert_true(event->header.has_timestamps);
	assert_false(event->has_timestamp);
	event = world_next(&w, TARMAC_INSTRUCTION);
	assert_true(event->has_timestamp);
	assert_int_equal(event->timestamp, 1715);
	assert_int_equal(event->unit, TARMAC_UNIT_NS);
	assert_true(event->instruction.address == 0 && event->instruction.opcode == 0xe59ff038);
	assert_int_equal(event->instruction.isa, ISA_A32);
	assert_int_equal(event->instruction.mode, TARMAC_MODE_SVC);
	assert_int_equal(event->instruction.security, TARMAC_SECURITY_NOT_SAID);
	assert_str(event->instruction.disassembly, "LDR      pc,{pc}+0x40 ; 0x40");
	event = world_next(&w, TARMAC_MEMORY);
	assert_int_equal(event->timestamp, 1715);
	assert_true(event->memory.address == 0x40 && event->memory.physical == 0x40);
	assert_int_equal(event->memory.security, TARMAC_SECURE);
	assert_str(event->memory.attributes, "/20 SO");
	assert_value(event->memory.value, "------------------------00001c98");
	event = world_next(&w, TARMAC_BRANCH);
	assert_true(event->branch.target == 0x1c98 && event->branch.isa == ISA_A32);
	event = world_next(&w, TARMAC_INSTRUCTION);
	assert_int_equal(event->instruction.security, TARMAC_NON_SECURE);
	assert_int_equal(event->dialect, TARMAC_DIALECT_FM);
	world_next(&w, TARMAC_REGISTER);
	event = world_next(&w, TARMAC_INSTRUCTION);
	assert_false(event->has_timestamp);
	assert_int_equal(event->instruction.effect, TARMAC_CCFAIL);
	assert_str(event->instruction.disassembly, "BNE      {pc}+0x40");
	event = world_next(&w, TARMAC_INSTRUCTION);
	assert_int_equal(event->instruction.isa, ISA_T32);
	assert_int_equal(event->instruction.size, 2);
	event = world_next(&w, TARMAC_EXCEPTION);
	assert_true(event->exception.has_vector && event->exception.vector == 8);
	assert_str(event->exception.name, "System Call");
	world_next(&w, TARMAC_REGISTER);
	event = world_next(&w, TARMAC_ASYNC);
	assert_str(event->exception.name, "External Debug Event");
	event = world_next(&w, TARMAC_EXCEPTION);
	assert_false(event->exception.has_vector);
	assert_str(event->exception.name, "Debug Halt Mode Entry");
	assert_int_equal(event->timestamp, 10700);
	world_end(&w);
	assert_int_equal(w.diags.count, 0);
	world_close(&w);
}

struct insn_line {
	const char *line;
	uint64_t address;
	uint64_t opcode;
	enum isa isa;
	unsigned int size;
	enum tarmac_effect effect;
	enum tarmac_mode mode;
	enum tarmac_security security;
	const char *disassembly;
};

// clang-format off
#define ROW(line, address, opcode, isa, size, effect, mode, security, disassembly)                 \
	{line, address, opcode, ISA_##isa, size, TARMAC_##effect, TARMAC_MODE_##mode,              \
	 TARMAC_##security, disassembly}
static const struct insn_line instructions[] = {
	ROW("0 clk IT (0) 00008000 940011de O EL3h_s : BL       {pc}+0x4778", 0x8000, 0x940011de,
	    A64, 4, EXECUTED, EL3H, SECURE, "BL       {pc}+0x4778"),
	ROW("12 clk IS (12) 0000802c 1afb T svc_s : SUBNE    r3,r7,r3", 0x802c, 0x1afb, T32, 2,
	    CCFAIL, SVC, SECURE, "SUBNE    r3,r7,r3"),
	ROW("23 clk IT (23) 0000815c:00000000815c_NS,00000000815e_NS f7ffef76 T hyp_n : BLX", 0x815c,
	    0xf7ffef76, T32, 4, EXECUTED, HYP, NON_SECURE, "BLX"),
	ROW("6 cs IT (00000000004d6eb8) 54fffea1 O  ---_- :        b.ne\t0x4d6e8c", 0x4d6eb8,
	    0x54fffea1, A64, 4, EXECUTED, NONE, SECURITY_NOT_SAID, "b.ne\t0x4d6e8c"),
	ROW("3041 cyc IT (00022a7c:00000006) 00022a7c     48f6 T16 LDR      r0,[pc,#984]", 0x22a7c,
	    0x48f6, T32, 2, EXECUTED, NONE, SECURITY_NOT_SAID, "LDR      r0,[pc,#984]"),
	ROW("9 ns IT (01000250:000000bb) 01000250 ee064f12 A :    MCR p15", 0x1000250, 0xee064f12, A32,
	    4, EXECUTED, NONE, SECURITY_NOT_SAID, "MCR p15"),
	ROW("7 tic ES  (0000aaaaabaf59f0:--------) O el0t_ns:", 0xaaaaabaf59f0, 0, A64, 4,
	    FETCH_FAILED, EL0T, NON_SECURE, ""),
	ROW("9 tic ES (10000b58:--------) T thrd_s:", 0x10000b58, 0, T32, 4, FETCH_FAILED, THREAD,
	    SECURE, ""),
	ROW("ES (000000008000d1fc:a90d8be1) O el3t_rt:   STP      x1,x2,[sp,#0xd8] ", 0x8000d1fc,
	    0xa90d8be1, A64, 4, EXECUTED, EL3T, ROOT, "STP      x1,x2,[sp,#0xd8] "),
	ROW("ES (00001000:4770) E usr: BX lr", 0x1000, 0x4770, TEE, 2, EXECUTED, USR,
	    SECURITY_NOT_SAID, "BX lr"),
	ROW("1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1", 4, 0x3c080001, A32, 4, EXECUTED,
	    SVC, SECURITY_NOT_SAID, "lui t0,0x1"),
	ROW("1 clk 3 IS (9) 0000000000000004 d503201f X usr_ns : nop", 4, 0xd503201f, A64, 4, CCFAIL,
	    USR, NON_SECURE, "nop"),
	ROW("1 clk IF (1) 00000004 bf00 T handler : NOP", 4, 0xbf00, T32, 2, EXECUTED, HANDLER,
	    SECURITY_NOT_SAID, "NOP"),
	ROW("1 clk IT 00000004 bf00 T thread : NOP", 4, 0xbf00, T32, 2, EXECUTED, THREAD,
	    SECURITY_NOT_SAID, "NOP"),
};
#undef ROW
// clang-format on

static void instruction_of_each_form_is_read(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]); i++) {
		const struct insn_line *row = &instructions[i];
		const struct tarmac_instruction *found;

		world_open(&w, row->line);
		found = &world_next(&w, TARMAC_INSTRUCTION)->instruction;
		assert_true(found->has_address && found->address == row->address);
		assert_true(found->opcode == row->opcode);
		assert_int_equal(found->isa, row->isa);
		assert_int_equal(found->size, row->size);
		assert_int_equal(found->effect, row->effect);
		assert_int_equal(found->mode, row->mode);
		assert_int_equal(found->security, row->security);
		assert_str(found->disassembly, row->disassembly);
		world_end(&w);
		world_close(&w);
	}
}

static void instruction_has_index_and_physical_address(void **state)
{
	const struct tarmac_instruction *found;
	struct world w;

	(void)state;
	world_open(&w, "3 clk IT (30) 0000800a:00010000800a,00010000800c e8900c00 T svc_s : LDM\n"
	               "4 clk IT (1f) 00008000 e3a00000 A svc_s : MOV\n"
	               "3041 cyc IT (00022a7c:0000001f) 00022a7c 48f6 T16 LDR\n"
	               "ES (--------:--------) A svc:\n");
	found = &world_next(&w, TARMAC_INSTRUCTION)->instruction;
	assert_true(found->has_index && found->index == 30);
	assert_true(found->has_physical && found->physical == 0x10000800a);
	/* Decimal it would be none. */
	found = &world_next(&w, TARMAC_INSTRUCTION)->instruction;
	assert_true(found->has_index && found->index == 0x1f && found->address == 0x8000);
	found = &world_next(&w, TARMAC_INSTRUCTION)->instruction;
	assert_true(found->has_index && found->index == 0x1f && !found->has_physical);
	found = &world_next(&w, TARMAC_INSTRUCTION)->instruction;
	assert_false(found->has_address);
	world_close(&w);
}

enum {
	WRITE = 1,
	FETCH = 2,
	ABORTED = 4,
	EXCLUSIVE = 8,
	FAILED = 16,
	PRIVILEGED = 32,
	UNPRIVILEGED = 64,
	PHYSICAL = 128,
};

struct access {
	const char *line;
	uint64_t what; /* WRITE... */
	uint64_t address;
	uint64_t physical;
	uint64_t security;
	const char *value;
	const char *attributes;
};

// clang-format off
static const struct access accesses[] = {
	{"2 clk MR4 00008034 000029b4", 0, 0x8034, 0, 0, "000029b4", ""},
	{"2 clk MW1 0fffffb8 00", WRITE, 0xfffffb8, 0, 0, "00", ""},
	{"1 clk MR8 0000c7c8:00000000c7c8 00000000_0000ca68", PHYSICAL, 0xc7c8, 0xc7c8, 0,
	 "000000000000ca68", ""},
	{"1 clk MR8 0000010006fffcc0:010116fffcc0_NS 00000100_05101000", PHYSICAL, 0x10006fffcc0,
	 0x10116fffcc0, TARMAC_NON_SECURE, "0000010005101000", ""},
	{"1 clk MR16 400171e0 400f731b40000000 3ff87cc460000000", 0, 0x400171e0, 0, 0,
	 "400f731b400000003ff87cc460000000", ""},
	{"1 clk MW4X 00001000 00000001", WRITE | EXCLUSIVE, 0x1000, 0, 0, "00000001", ""},
	{"1 clk MR4T 00001000 00000001", UNPRIVILEGED, 0x1000, 0, 0, "00000001", ""},
	{"1 clk MR4 dfdfdfcf (ABORTED)", ABORTED, 0xdfdfdfcf, 0, 0, "", ""},
	{"1 ns MSW4___D 201fffec xxxxxxxx", WRITE, 0x201fffec, 0, 0, "xxxxxxxx", ""},
	{"1 cyc MNW4___D 2002fa00 01020304", WRITE, 0x2002fa00, 0, 0, "04030201", ""},
	{"1 cyc MNR4O__I 00022ae4 f7ffffcb", FETCH, 0x22ae4, 0, 0, "xxxxxxxx", ""},
	{"1 ns MNW4____ (00000050:000000a8) 05011000 00000003", WRITE, 0x5011000, 0, 0, "00000003", ""},
	{"1 cs R08 0000007f99d14af4 4305000042ea0000", 0, 0x7f99d14af4, 0, 0, "4305000042ea0000", ""},
	{"1 cs W04 X ffffffbdc3c15c30 010c010b", WRITE | EXCLUSIVE, 0xffffffbdc3c15c30, 0, 0,
	 "010c010b", ""},
	{"ST 0000cff0 00001ce8 ........ ........ ........ S:000000cff0/0 SO", WRITE | PHYSICAL, 0xcff0,
	 0xcff0, TARMAC_SECURE, "00001ce8------------------------", "/0 SO"},
	{"LD 00002f50 00c51879 ........ ........ ......## NS:0000002f50/12 NM NSH INC ONC", PHYSICAL,
	 0x2f50, 0x2f50, TARMAC_NON_SECURE, "00c51879----------------------xx", "/12 NM NSH INC ONC"},
	{"LD 00000020  ........ ........ ........ 00000080     0000000020    NM ISH INC", PHYSICAL, 0x20,
	 0x20, 0, "------------------------00000080", "NM ISH INC"},
	{"LD 00000020  ........ ........ ........ 00000080 NM", 0, 0x20, 0, 0,
	 "------------------------00000080", "NM"},
	{"LA 00000020  ........ ........ ........ ........", ABORTED, 0x20, 0, 0,
	 "--------------------------------", ""},
	{"LA 00000020", ABORTED, 0x20, 0, 0, "", ""},
	{"SA 00000020  ........ ........ ........ 12345678", WRITE | ABORTED, 0x20, 0, 0,
	 "------------------------12345678", ""},
	{"SX 00000020  ........ ........ ........ 12345678", WRITE | EXCLUSIVE | FAILED, 0x20, 0, 0,
	 "------------------------12345678", ""},
};
// clang-format on

static void check_access(const struct tarmac_memory *found, const struct access *row)
{
	assert_int_equal(found->is_write, (row->what & WRITE) != 0);
	assert_int_equal(found->is_fetch, (row->what & FETCH) != 0);
	assert_int_equal(found->is_aborted, (row->what & ABORTED) != 0);
	assert_int_equal(found->is_exclusive, (row->what & EXCLUSIVE) != 0);
	assert_int_equal(found->is_exclusive_failed, (row->what & FAILED) != 0);
	assert_int_equal(found->is_privileged, (row->what & PRIVILEGED) != 0);
	assert_int_equal(found->is_unprivileged, (row->what & UNPRIVILEGED) != 0);
	assert_int_equal(found->has_physical, (row->what & PHYSICAL) != 0);
	assert_true(found->address == row->address);
	assert_true(!found->has_physical || found->physical == row->physical);
	assert_int_equal(found->security, row->security);
	assert_value(found->value, row->value);
	assert_str(found->attributes, row->attributes);
}

static void access_of_each_form_is_read(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(accesses) / sizeof(accesses[0]); i++) {
		world_open(&w, accesses[i].line);
		check_access(&world_next(&w, TARMAC_MEMORY)->memory, &accesses[i]);
		world_end(&w);
		assert_int_equal(w.diags.count, 0);
		world_close(&w);
	}
}

static void isp_letters_mean_privilege(void **state)
{
	static const struct access rows[] = {
	        {"", PRIVILEGED, 0x103fc4, 0, 0, "0010400000000000", ""},
	        {"", WRITE | UNPRIVILEGED, 0x103fc4, 0, 0, "00104000", ""},
	};
	const struct tarmac_event *event;
	struct world w;

	(void)state;
	world_open(&w, "1 clk 1 IT (1) 00000004 3c080001 A svc_ns : lui t0,0x1\n"
	               "10 clk MR8X 00103fc4 0010400000000000\n"
	               "11 clk MW4T 00103fc4 00104000\n"
	               "14 clk R r8 00000000\n");
	assert_int_equal(tarmac_dialect(w.reader), TARMAC_DIALECT_ISP);
	world_next(&w, TARMAC_INSTRUCTION);
	check_access(&world_next(&w, TARMAC_MEMORY)->memory, &rows[0]);
	check_access(&world_next(&w, TARMAC_MEMORY)->memory, &rows[1]);
	event = world_next(&w, TARMAC_REGISTER);
	assert_int_equal(event->dialect, TARMAC_DIALECT_ISP);
	assert_str(tarmac_core_name(w.reader, event->core), "1");
	world_close(&w);
}

/* A line goes on with an access only if its address is in the column of the address before. */
static void continuation_is_told_by_its_column(void **state)
{
	const struct tarmac_event *event;
	struct world w;

	(void)state;
	world_open(&w,
	           "3981 tic ES (000000d8:c878) T thrd_s: LDMCS    r0!,{r3-r6}\n"
	           "           ST 00004020  ........ 626d654d 2043424d 4545203e\n"
	           "              00004010  3e000a73 ........ ........ ........   S:00004010 NM\n"
	           "              00004000  ........ ........ ........ 00000001\n"
	           "             00003ff0 tic R r0 00000007\n"
	           "              00003fe0  ........ ........ ........ 00000002\n");
	world_next(&w, TARMAC_INSTRUCTION);
	world_next(&w, TARMAC_MEMORY);
	event = world_next(&w, TARMAC_MEMORY);
	assert_str(event->word, "ST");
	assert_int_equal(event->timestamp, 3981);
	assert_true(event->memory.is_write && event->memory.address == 0x4010);
	assert_value(event->memory.value, "3e000a73------------------------");
	assert_str(event->memory.attributes, "NM");
	assert_true(world_next(&w, TARMAC_MEMORY)->memory.address == 0x4000);
	/* One column to the left it is no such line, and what follows it is none either. */
	world_next(&w, TARMAC_UNKNOWN);
	world_next(&w, TARMAC_UNKNOWN);
	world_end(&w);
	world_close(&w);
}

static void event_of_fast_models_is_an_exception_or_a_note(void **state)
{
	const struct tarmac_event *event;
	struct world w;

	(void)state;
	world_open(&w, "2 ps E 000200b8 abt 00000019 CoreEvent_ModeChange\n"
	               "0 clk E 00000000:000000000000 00000001 CoreEvent_Reset\n"
	               "4 ps E 0000000c 00dfdfdf00000003 CoreEvent_SWI\n"
	               "0 clk cpu0 E DebugEvent_HaltingDebugState 00000000\n"
	               "4541 clk CADI E simulation_stopped\n"
	               "0 clk SIGNAL: SIGNAL=Abort STATE=N\n");
	event = world_next(&w, TARMAC_EXCEPTION);
	assert_str(event->exception.name, "CoreEvent_ModeChange");
	assert_str(event->exception.mode_text, "abt");
	assert_true(event->exception.address == 0x200b8 && event->exception.number == 0x19);
	event = world_next(&w, TARMAC_EXCEPTION);
	assert_str(event->exception.name, "CoreEvent_Reset");
	event = world_next(&w, TARMAC_EXCEPTION);
	assert_true(event->exception.number == 0xdfdfdf00000003);
	event = world_next(&w, TARMAC_NOTE);
	assert_str(event->word, "E");
	assert_str(event->rest, "DebugEvent_HaltingDebugState 00000000");
	event = world_next(&w, TARMAC_NOTE);
	assert_str(event->word, "CADI");
	assert_str(event->rest, "E simulation_stopped");
	world_next(&w, TARMAC_NOTE);
	world_end(&w);
	world_close(&w);
}

static void exception_vectors_of_all_profiles_are_read(void **state)
{
	static const struct {
		const char *line;
		int64_t vector;
	} rows[] = {
	        {"EXC [0x780] SError/vSError Lower EL using AArch32", 0x780},
	        {"EXC [-8] Array Bound Check", -8},
	        {"1 ns ES EXC [11] SVCall", 11},
	};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		world_open(&w, rows[i].line);
		assert_true(world_next(&w, TARMAC_EXCEPTION)->exception.vector == rows[i].vector);
		world_close(&w);
	}
}

static void timestamp_of_each_unit_is_read(void **state)
{
	static const char *const units[] = {"s",  "ms",  "us",  "ns",  "ps",
	                                    "fs", "clk", "cyc", "tic", "cs"};
	const struct tarmac_event *event;
	char line[64];
	struct world w;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(units) / sizeof(units[0]); i++) {
		const char *unit = units[i / 2];

		(void)snprintf(line, sizeof(line), "18446744073709551615%s%s R r0 00000000",
		               i % 2 ? " " : "", unit);
		world_open(&w, line);
		event = world_next(&w, TARMAC_REGISTER);
		assert_true(event->has_timestamp && event->timestamp == UINT64_MAX);
		assert_string_equal(tarmac_unit_name(event->unit), unit);
		world_close(&w);
	}
	world_open(&w, "12 R r0 00000000");
	event = world_next(&w, TARMAC_REGISTER);
	assert_true(event->timestamp == 12 && event->unit == TARMAC_UNIT_NONE);
	world_close(&w);
}

static void core_of_each_line_is_told(void **state)
{
	static const char *const names[] = {"cpu0", "cluster1.cpu0", "cpu0", "cpu0", "7"};
	struct world w;

	(void)state;
	world_open(&w, "0 clk cpu0 R r0 00000000\n0 clk cluster1.cpu0 R r1 00000000\n"
	               "0 clk cpu0 R r2 00000000\n           R r3 00000000\n"
	               "1 clk 7 IT (1) 00000004 3c080001 A svc : lui t0,0x1\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(tarmac_next(w.reader, &w.event), STATUS_OK);
		assert_str(tarmac_core_name(w.reader, w.event.core), names[i]);
	}
	assert_int_equal(tarmac_core_count(w.reader), 3);
	world_close(&w);
	world_open(&w, "0 clk R r0 00000000");
	assert_int_equal(world_next(&w, TARMAC_REGISTER)->core, 0);
	assert_int_equal(tarmac_core_count(w.reader), 1);
	assert_str(tarmac_core_name(w.reader, 0), "");
	world_close(&w);
}

static void core_beyond_the_limit_is_malformed(void **state)
{
	struct text text = {0};
	struct world w;

	(void)state;
	for (unsigned int i = 0; i <= TARMAC_CORES_MOST; i++)
		text_printf(&text, "0 clk cpu%u R r0 00000000\n", i);
	world_open_bytes(&w, bytes_of(text.data, text.length), false);
	for (unsigned int i = 0; i < TARMAC_CORES_MOST; i++)
		assert_int_equal(world_next(&w, TARMAC_REGISTER)->core, i);
	world_next(&w, TARMAC_UNKNOWN);
	world_end(&w);
	world_close(&w);
	text_fini(&text);
}

static void lines_end_in_any_way_and_are_counted(void **state)
{
	static const struct {
		uint64_t line, offset;
	} places[] = {{1, 0}, {2, 14}, {4, 29}, {5, 43}, {8, 62}};
	struct world w;

	(void)state;
	OPEN_BYTES(&w, "R r0 00000000"
	               "\rR r1 00000000"
	               "\r\rR r2 00000000"
	               "\nR r3 00000000"
	               "\r\n \n\r\nR r4 00000000");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const struct tarmac_event *event = world_next(&w, TARMAC_REGISTER);

		assert_int_equal(event->reg.number, i);
		assert_int_equal(event->line, places[i].line);
		assert_int_equal(event->offset, places[i].offset);
		assert_int_equal(event->text.n, 13);
		assert_int_equal(event->is_unended, i == 4);
	}
	world_end(&w);
	world_close(&w);
}

static void line_with_nul_and_other_bytes_is_read(void **state)
{
	const struct tarmac_event *event;
	struct world w;

	(void)state;
	OPEN_BYTES(&w, "0 clk IT (0) 00008000 fa000000 A svc_s : a\0b\xff\n\0\nR r0 0000\0000\n"
	               "R r1 00000000\n");
	event = world_next(&w, TARMAC_INSTRUCTION);
	assert_int_equal(event->instruction.disassembly.n, 4);
	assert_memory_equal(event->instruction.disassembly.p, "a\0b\xff", 4);
	world_next(&w, TARMAC_UNKNOWN);
	world_next(&w, TARMAC_UNKNOWN);
	assert_int_equal(world_next(&w, TARMAC_REGISTER)->line, 4);
	world_end(&w);
	assert_string_equal(w.diags.items[0].text,
	                    "unknown line: expected a kind of line, found \"\"");
	world_close(&w);
}

/* Megabytes of '\r' and of one line take the time that their length asks for. */
static void text_of_one_long_line_or_none_is_read(void **state)
{
	enum { LONG = 8 << 20 };
	static const char last[] = "R r0 00000000";
	static const char head[] = "1 clk IT (1) 00000004 bf00 T thread : ";
	char *text = malloc(LONG);
	struct world w;

	(void)state;
	assert_non_null(text);
	memset(text, 'A', LONG);
	memmove(text, head, sizeof(head) - 1);
	world_open_bytes(&w, bytes_of(text, LONG), false);
	assert_int_equal(world_next(&w, TARMAC_INSTRUCTION)->instruction.disassembly.n,
	                 LONG - (sizeof(head) - 1));
	world_end(&w);
	world_close(&w);
	memset(text, '\r', LONG);
	memmove(text + LONG - 13, last, sizeof(last) - 1);
	world_open_bytes(&w, bytes_of(text, LONG), false);
	assert_int_equal(world_next(&w, TARMAC_REGISTER)->line, LONG - 12);
	world_close(&w);
	free(text);
}

struct malformed {
	const char *line;
	const char *text;
};

static const struct malformed malformed[] = {
        {"FOO bar", "unknown line: expected a kind of line, found \"FOO\""},
        {"?", "unknown line: expected a kind of line, found \"\""},
        {"18446744073709551616 ns R r0 00000000",
         "unknown line: expected a timestamp of 64 bits, found \"18446744073709551616\""},
        {"12xx R r0 00000000", "unknown line: expected a timestamp, found \"12xx\""},
        {"1 clk IT (1) 00000004 bf0 T thread : NOP",
         "instruction line: expected an opcode of 16, 32 or 64 bits, found \"bf0\""},
        {"1 clk IT (1) 00000004 bf00 Q thread : NOP",
         "instruction line: expected an instruction set, found \"Q\""},
        {"1 clk IT (1) 00000004 bf00 T thread NOP",
         "instruction line: expected ':' after the mode, found \"NOP\""},
        {"1 clk IT (1", "instruction line: expected ')', found \"\""},
        {"1 clk IT (z) 0", "instruction line: expected the instruction's index or address, "
                           "found \"z\""},
        {"1 clk IT (1) 00000004:xyz bf00 T thread : NOP",
         "instruction line: expected a physical address, found \"xyz\""},
        {"ES (1000:)", "instruction line: expected an opcode of 16, 32 or 64 bits, found \")\""},
        {"ES Elevenses",
         "instruction line: expected an instruction or an asynchronous event, found "
         "\"Elevenses\""},
        {"EXC [x] Reset", "exception line: expected a vector, found \"x\""},
        {"BR 0000", "branch line: expected the address of a branch in parentheses, found "
                    "\"0000\""},
        {"BR (00000000) Z", "branch line: expected the instruction set of a branch, found \"\""},
        {"MR4 0000", "memory line: expected a value, found \"\""},
        {"MR4 00001000 00000", "memory line: \"MR4\": 5 digits, expected 8"},
        {"MR4 00001000 000012", "memory line: \"MR4\": 6 digits, expected 8"},
        {"MR0 00001000 00", "memory line: expected an access of 1 to 256 bytes, found \"MR0\""},
        {"MR257 00001000 00", "memory line: expected an access of 1 to 256 bytes, found "
                              "\"MR257\""},
        {"MR4 00001000 (WOBBLED)", "memory line: expected \"(ABORTED)\", found \")\""},
        {"MODE_CHANGE 00001000", "memory line: expected a memory access, found \"MODE_CHANGE\""},
        {"MNW9___D 00001000 00", "memory line: expected a memory access, found \"MNW9___D\""},
        {"LD 00001000 ........ ........ ........", "memory line: \"LD\": 24 digits, expected 32"},
        {"LD zzz", "memory line: expected the address of an access, found \"zzz\""},
        {"E 00001000 CoreEvent_X", "exception line: expected the number and the name of an event, "
                                   "found \"\""},
        {"Tarmac Text Rev", "header line: expected \"Text Rev\" and a number, found \"\""},
        {"1 clk IT (1) 00000004:12xy bf00 T thread : NOP",
         "instruction line: expected a physical address, found \"12xy\""},
        {"MR4 00001000:00001000_QQ 00000000",
         "memory line: expected a physical address, found \"00001000_QQ\""},
        {"1 clk IT (00008000:e3a00000 A svc : NOP", "instruction line: expected ')', found \"A\""},
        {"1 clk IT (1:2) zz",
         "instruction line: expected the instruction's index and address, found \"zz\""},
        {"1 clk IT zz", "instruction line: expected the instruction's address, found \"zz\""},
        {"1 clk IT (1) zz", "instruction line: expected the instruction's address, found \"zz\""},
        {"ES (zz:00000000)", "instruction line: expected the instruction's address, found \"zz\""},
        {"ES (00001000 e1a00000)",
         "instruction line: expected ':' before the opcode, found \"e1a00000\""},
        {"ES (00001000:e1a00000 A svc",
         "instruction line: expected ')' after the opcode, found \"A\""},
        {"ES (00001000:-----) A svc",
         "instruction line: expected an opcode of 16, 32 or 64 bits, found \"-----\""},
        {"ES (00001000:-----------------) A svc",
         "instruction line: expected an opcode of 16, 32 or 64 bits, found \"-----------------\""},
        {"EXC [1 Reset", "exception line: expected ']' after the vector, found \"Reset\""},
        {"EXC [2147483648] Reset", "exception line: expected a vector, found \"2147483648\""},
        {"EXC [-2147483648] Reset", "exception line: expected a vector, found \"-2147483648\""},
        {"BR (zz) A", "branch line: expected the address of a branch in parentheses, found \"zz\""},
        {"BR (00001000 A",
         "branch line: expected the address of a branch in parentheses, found \"A\""},
        {"LD 00001004 00000000 00000000 00000000 00000000",
         "memory line: expected an address on a boundary of 16 bytes, found \"00001004\""},
        {"ST 00001000 00000000 00000000 00000000 00000000 S:0000003008/12",
         "memory line: expected a physical address on a boundary of 16 bytes, found "
         "\"S\""},
        {"ST 00001000 00000000 00000000 00000000 00000000 S:0000003010/12",
         "memory line: expected a physical address with the virtual one's place in its page, found "
         "\"S\""},
        {"ST 00001000 00000000 00000000 00000000 00000000 S:0000003000/10",
         "memory line: expected the order of a page of 4 KiB (12) or more, found \"S\""},
        {"MR4 zz 00000000", "memory line: expected the address of an access, found \"zz\""},
        {"R08 zz", "memory line: expected the address of an access, found \"zz\""},
        {"MNW4___D zz", "memory line: expected the address of an access, found \"zz\""},
        {"MNW4___D (1;2) 00001000 00000000",
         "memory line: expected an instruction's address and index, found \";\""},
        {"MNW4___D (1:2 00001000 00000000",
         "memory line: expected an instruction's address and index, found \"00001000\""},
        {"MNX4___D 00001000 00000000", "memory line: expected a memory access, found \"MNX4___D\""},
        {"MNR0___D 00001000 00000000", "memory line: expected a memory access, found \"MNR0___D\""},
        {"E 00001000:zz 12 CoreEvent_X",
         "exception line: expected a physical address, found \"zz\""},
        {"E 00001000 12",
         "exception line: expected the number and the name of an event, found \"\""},
        {"E 00001000 12 34 ?",
         "exception line: expected the number and the name of an event, found \"\""},
        {"Tarmac Text Rev x", "header line: expected \"Text Rev\" and a number, found \"x\""},
};

static void malformed_line_is_reported_and_reading_goes_on(void **state)
{
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++) {
		char text[128];

		(void)snprintf(text, sizeof(text), "R r0 00000000\n%s\nR r1 00000000\n",
		               malformed[i].line);
		world_open(&w, text);
		world_next(&w, TARMAC_REGISTER);
		assert_str(world_next(&w, TARMAC_UNKNOWN)->text, malformed[i].line);
		assert_int_equal(world_next(&w, TARMAC_REGISTER)->reg.number, 1);
		world_end(&w);
		assert_int_equal(w.diags.count, 1);
		assert_int_equal(w.diags.errors, 0);
		assert_int_equal(w.diags.items[0].place.line, 2);
		assert_str(w.diags.items[0].place.file, "t.tarmac");
		assert_string_equal(w.diags.items[0].text, malformed[i].text);
		assert_int_equal(tarmac_stats(w.reader).malformed, 1);
		world_close(&w);
	}
}

static void malformed_line_is_an_error_where_that_is_wanted(void **state)
{
	static const char text[] = "FOO\nR r0 00000000\nR r1 0000";
	struct world w;

	(void)state;
	world_open_bytes(&w, bytes_of(text, strlen(text)), true);
	assert_int_equal(tarmac_next(w.reader, &w.event), STATUS_BAD_DATA);
	assert_int_equal(w.event.kind, TARMAC_UNKNOWN);
	assert_int_equal(w.event.line, 1);
	world_next(&w, TARMAC_REGISTER);
	assert_int_equal(tarmac_next(w.reader, &w.event), STATUS_TRUNCATED);
	assert_int_equal(w.event.line, 3);
	world_end(&w);
	assert_int_equal(w.diags.errors, 2);
	assert_string_equal(w.diags.items[1].text,
	                    "register line: \"r1\": 4 digits, expected 8; the text ends here");
	world_close(&w);
}

/* No prefix of a text is read as anything but a prefix of its events, and at most one that is cut.
 */
static void prefix_of_a_text_gives_a_prefix_of_its_events(void **state)
{
	struct world whole;
	struct world cut;

	(void)state;
	for (size_t size = 0; size < sizeof(rev3) - 1; size++) {
		world_open(&whole, rev3);
		world_open_bytes(&cut, bytes_of(rev3, size), false);
		while (tarmac_next(cut.reader, &cut.event) == STATUS_OK && !cut.event.is_unended) {
			assert_int_equal(tarmac_next(whole.reader, &whole.event), STATUS_OK);
			assert_int_equal(cut.event.kind, whole.event.kind);
			assert_int_equal(cut.event.offset, whole.event.offset);
		}
		assert_true(tarmac_stats(cut.reader).malformed <= 1);
		world_close(&whole);
		world_close(&cut);
	}
}

static void mark_brings_back_to_its_line(void **state)
{
	struct tarmac_event again;
	struct tarmac_mark marks[16];
	struct world w;
	size_t count = 0;

	(void)state;
	world_open(&w, rev3);
	do {
		tarmac_tell(w.reader, &marks[count++]);
	} while (tarmac_next(w.reader, &w.event) == STATUS_OK);
	assert_int_equal(count, 13);
	for (size_t i = count; i-- > 1;) {
		tarmac_seek(w.reader, &marks[i - 1]);
		assert_int_equal(tarmac_next(w.reader, &again), STATUS_OK);
		assert_int_equal(again.line, i);
		assert_int_equal(again.timestamp, marks[i].timestamp);
		tarmac_tell(w.reader, &marks[15]);
		assert_memory_equal(&marks[15].offset, &marks[i].offset, sizeof(uint64_t));
	}
	world_close(&w);
}

static void dialect_of_each_text_is_detected(void **state)
{
	static const struct {
		const char *text;
		enum tarmac_dialect dialect;
	} rows[] = {
	        {"", TARMAC_DIALECT_NONE},
	        {"\n\n \r\n", TARMAC_DIALECT_NONE},
	        {"[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\n",
	         TARMAC_DIALECT_NONE},
	        {"\x7f"
	         "ELF\x02\x01\x01",
	         TARMAC_DIALECT_NONE},
	        {rev3, TARMAC_DIALECT_REV3},
	        {"0 clk R r0 00000000\n", TARMAC_DIALECT_FM},
	        {"0 clk cpu0 IT (1) 10001848 f64f6000 T thread_s : MOV      r0,#0xfe00\n",
	         TARMAC_DIALECT_FM},
	        {"0 clk cpu0 IT (1) 002105d4 d2a00200 O EL3h_s :   MOVZ   X0, #16, #16\n",
	         TARMAC_DIALECT_GEM5},
	        {"3039 cyc MNW4___D 2002fa00 efbeefbe\n"
	         "3041 cyc IT (00022a7c:00000006) 00022a7c     48f6 T16 LDR r0,[pc,#984]\n",
	         TARMAC_DIALECT_RTL},
	        {"14 clk R r8 00000000\n1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1\n",
	         TARMAC_DIALECT_ISP},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum tarmac_dialect found;

		assert_int_equal(
		        tarmac_detect(bytes_of(rows[i].text, strlen(rows[i].text)), &found),
		        STATUS_OK);
		assert_string_equal(tarmac_dialect_name(found),
		                    tarmac_dialect_name(rows[i].dialect));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rev3_example_gives_its_events),
	        cmocka_unit_test(instruction_of_each_form_is_read),
	        cmocka_unit_test(instruction_has_index_and_physical_address),
	        cmocka_unit_test(access_of_each_form_is_read),
	        cmocka_unit_test(isp_letters_mean_privilege),
	        cmocka_unit_test(continuation_is_told_by_its_column),
	        cmocka_unit_test(event_of_fast_models_is_an_exception_or_a_note),
	        cmocka_unit_test(exception_vectors_of_all_profiles_are_read),
	        cmocka_unit_test(timestamp_of_each_unit_is_read),
	        cmocka_unit_test(core_of_each_line_is_told),
	        cmocka_unit_test(core_beyond_the_limit_is_malformed),
	        cmocka_unit_test(lines_end_in_any_way_and_are_counted),
	        cmocka_unit_test(line_with_nul_and_other_bytes_is_read),
	        cmocka_unit_test(text_of_one_long_line_or_none_is_read),
	        cmocka_unit_test(malformed_line_is_reported_and_reading_goes_on),
	        cmocka_unit_test(malformed_line_is_an_error_where_that_is_wanted),
	        cmocka_unit_test(prefix_of_a_text_gives_a_prefix_of_its_events),
	        cmocka_unit_test(mark_brings_back_to_its_line),
	        cmocka_unit_test(dialect_of_each_text_is_detected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
