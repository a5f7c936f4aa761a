/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `check` says of snapshots that can be read: registers that are missing (format 1.0, section
 * 4), trace IDs (IHI0029), bytes that contradict each other. Where nothing is to be said, nothing
 * is.
 */
#include "model.h"

#include "elf_bytes.h"

#define CORE_WITH(type, registers)                                                                 \
	"[device]\nname=cpu_0\nclass=core\ntype=" type "\n[regs]\n" registers
#define SOURCE_OF(type) "[device]\nname=ETM_0\nclass=trace_source\ntype=" type "\n"
#define NO_CORE_OF_SOURCE                                                                          \
	"[trace_buffers]\nbuffers=buffer0\n" MODEL_BUFFER                                          \
	"[core_trace_sources]\n[source_buffers]\nETM_0=ETB_0\n"
#define DUMP_AT(number, address) "[dump" number "]\nfile=mem.bin\naddress=" address "\n"
#define LACKS(protocol, name)                                                                      \
	"etm_0.ini:1: error: trace source \"ETM_0\" (" protocol ") has no register " name "\n"
#define MAY_LACK(protocol, name)                                                                   \
	"etm_0.ini:1: warning: trace source \"ETM_0\" (" protocol ") has no register " name "\n"
#define CORE_LACKS(arch, name)                                                                     \
	"cpu_0.ini:1: error: core \"cpu_0\" (" arch ") has no register " name "\n"
#define BELONGS_TO_NONE "etm_0.ini:1: error: trace source \"ETM_0\" belongs to no core\n"

/* The model with one or two files replaced. */
struct check {
	const char *name;
	const char *file;
	const char *content;
	const char *diags;
	const char *trace; /* trace.ini, or NULL for that of the model */
};

static void check_all(const struct check *checks, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct check *check = &checks[i];
		void *model;
		struct model *m;
		char *said;

		assert_int_equal(model_set_up(&model), 0);
		m = model;
		scratch_text(&m->scratch, check->file, check->content);
		if (check->trace)
			scratch_text(&m->scratch, "trace.ini", check->trace);
		assert_int_equal(model_open(m, NULL), STATUS_OK);
		said = diags_take(&m->diags);
		if (strcmp(said, check->diags) != 0)
			print_error("%s\n", check->name);
		assert_string_equal(said, check->diags);
		free(said);
		assert_int_equal(model_tear_down(&model), 0);
	}
}

#define CHECK_ALL(checks) check_all(checks, sizeof(checks) / sizeof((checks)[0]))

// clang-format off
static void check_source_registers_are_those_of_its_protocol(void **state)
{
	static const struct check checks[] = {
		{"PTM", "etm_0.ini", SOURCE_OF("PFT1.1"),
		 LACKS("PTM", "ETMCR") LACKS("PTM", "ETMCCER") LACKS("PTM", "ETMIDR")
		 LACKS("PTM", "ETMTRACEIDR"), NULL},
		{"ETM4", "etm_0.ini", SOURCE_OF("ETM4.0"),
		 LACKS("ETMv4", "TRCIDR0") LACKS("ETMv4", "TRCIDR1") LACKS("ETMv4", "TRCIDR2")
		 LACKS("ETMv4", "TRCIDR8") LACKS("ETMv4", "TRCIDR9") LACKS("ETMv4", "TRCIDR10")
		 LACKS("ETMv4", "TRCIDR11") LACKS("ETMv4", "TRCIDR12") LACKS("ETMv4", "TRCIDR13")
		 LACKS("ETMv4", "TRCTRACEIDR") LACKS("ETMv4", "TRCCONFIGR")
		 LACKS("ETMv4", "TRCAUTHSTATUS"), NULL},
		{"ETE", "etm_0.ini", SOURCE_OF("ETE1.0"),
		 LACKS("ETE", "TRCIDR0") MAY_LACK("ETE", "TRCIDR1") LACKS("ETE", "TRCIDR2")
		 MAY_LACK("ETE", "TRCIDR8") LACKS("ETE", "TRCTRACEIDR") LACKS("ETE", "TRCCONFIGR")
		 MAY_LACK("ETE", "TRCDEVARCH"), NULL},
		{"ITM", "etm_0.ini", SOURCE_OF("ITM"), LACKS("ITM", "CONTROL_REGISTER"), NULL},
		{"ITM of another name", "etm_0.ini", SOURCE_OF("ITM") "[regs]\nITMTCR=0x120000\n", "", NULL},
		{"STM", "etm_0.ini", SOURCE_OF("STM"), LACKS("STM", "STMTCSR"), NULL},
		{"one is missing", "etm_0.ini",
		 SOURCE_OF("ETM3.5") "[regs]\nETMCR=0\nETMIDR=0x4104F251\nETMTRACEIDR=0x12\n",
		 LACKS("ETMv3", "ETMCCER"), NULL},
	};

	(void)state;
	CHECK_ALL(checks);
}

#define IN_SPACE(dump, line, space, arch, has)                                                     \
	"cpu_0.ini:" line ": warning: dump \"dump" dump "\" is in space " space                    \
	"; a core of this type (" arch ") has " has "\n"
#define OF_A64     "EL3, EL2, EL1S or EL1N"
#define OF_A32     "S, N or H"
#define OF_M       "no address spaces"
#define SPACED(type, registers, name)                                                              \
	CORE_WITH(type, registers) DUMP_AT("0", "0x1000") "space=" name "\n"
#define A32_REGS "SP=0\nPC=0\nCPSR=0x1D3\n"
#define A64_REGS "SP(size:64)=0\nPC(size:64)=0\nCPSR=0x3C5\n"
#define M_REGS   "SP=0\nPC=0\nxPSR=0\n"

/* Format 1.0, 4.1: which memory spaces are valid. */
static void check_spaces_are_those_of_the_architecture(void **state)
{
	static const struct check checks[] = {
		{"v7, S", "cpu_0.ini", SPACED("Cortex-A9", A32_REGS, "S"), "", NULL},
		{"v7, N", "cpu_0.ini", SPACED("Cortex-A9", A32_REGS, "N"), "", NULL},
		{"v7, H", "cpu_0.ini", SPACED("Cortex-A15", A32_REGS, "h"), "", NULL},
		{"v7, none", "cpu_0.ini", CORE_WITH("Cortex-A9", A32_REGS) DUMP_AT("0", "0x1000"), "", NULL},
		{"v7, EL1N", "cpu_0.ini", SPACED("Cortex-A9", A32_REGS, "EL1N"),
		 IN_SPACE("0", "9", "EL1N", "AArch32", OF_A32), NULL},
		{"v7, EL3", "cpu_0.ini", SPACED("Cortex-A9", A32_REGS, "EL3"),
		 IN_SPACE("0", "9", "EL3", "AArch32", OF_A32), NULL},
		{"v8 in AArch32 state", "cpu_0.ini", SPACED("Cortex-A53", A32_REGS, "S"), "", NULL},
		{"v8, EL2", "cpu_0.ini", SPACED("Cortex-A53", A64_REGS, "EL2"), "", NULL},
		{"v8, EL3", "cpu_0.ini", SPACED("Cortex-A53", A64_REGS, "EL3"), "", NULL},
		{"v8, EL1S", "cpu_0.ini", SPACED("Cortex-A53", A64_REGS, "EL1S"), "", NULL},
		{"v8, N", "cpu_0.ini", SPACED("Cortex-A53", A64_REGS, "N"),
		 IN_SPACE("0", "9", "Any NS", "AArch64", OF_A64), NULL},
		{"v7-M, N", "cpu_0.ini", SPACED("Cortex-M4", M_REGS, "N"),
		 IN_SPACE("0", "9", "Any NS", "M profile", OF_M), NULL},
		{"v7-M by its name, S", "cpu_0.ini", SPACED("ARMv7-M", M_REGS, "S"),
		 IN_SPACE("0", "9", "Any S", "M profile", OF_M), NULL},
		{"v7-M, none", "cpu_0.ini", CORE_WITH("Cortex-M4", M_REGS) DUMP_AT("0", "0x1000"), "", NULL},
		{"v8-M has security states", "cpu_0.ini", SPACED("Cortex-M33", M_REGS, "N"), "", NULL},
		{"v8-M, EL2", "cpu_0.ini", SPACED("Cortex-M33", M_REGS, "EL2"),
		 IN_SPACE("0", "9", "EL2", "M profile", "S or N"), NULL},
	};

	(void)state;
	CHECK_ALL(checks);
}

static void check_core_registers_are_those_of_its_state(void **state)
{
	static const struct check checks[] = {
		{"A32", "cpu_0.ini", CORE_WITH("Cortex-A9", "R0=0\n"),
		 CORE_LACKS("AArch32", "SP") CORE_LACKS("AArch32", "PC") CORE_LACKS("AArch32", "CPSR"), NULL},
		{"A32, by number", "cpu_0.ini", CORE_WITH("Cortex-A9", "R13=0\nR15=0\nCPSR=0x1D3\n"), "", NULL},
		{"A32 has no xPSR", "cpu_0.ini", CORE_WITH("Cortex-R5", "R13=0\nR15=0\nxPSR=0\n"),
		 CORE_LACKS("AArch32", "CPSR"), NULL},
		{"M", "cpu_0.ini", CORE_WITH("Cortex-M4", "R0=0\n"),
		 CORE_LACKS("M profile", "SP") CORE_LACKS("M profile", "PC") CORE_LACKS("M profile", "xPSR"),
		 NULL},
		{"M, by number", "cpu_0.ini", CORE_WITH("Cortex-M4", "R13=0\nR15=0\nxPSR=0\n"), "", NULL},
		{"A64 with PSTATE", "cpu_0.ini",
		 CORE_WITH("Cortex-A53", "PC(size:64)=0\nSP(size:64)=0\nPSTATE=0x3C5\n"), "", NULL},
		{"A64 has no R13", "cpu_0.ini",
		 CORE_WITH("Cortex-A53", "PC(size:64)=0\nR13(size:64)=0\nCPSR=0x3C5\n"),
		 CORE_LACKS("AArch64", "SP"), NULL},
		{"A32 of a core that knows A64 too", "cpu_0.ini",
		 CORE_WITH("Cortex-A53", "PC=0\nSP=0\nCPSR=0x1D3\n"), "", NULL},
		{"names are not told apart by case", "cpu_0.ini",
		 CORE_WITH("Cortex-A53", "pc(size:64)=0\nsp(size:64)=0\ncpsr=0x3C5\n"), "", NULL},
		{"register that is there three times", "cpu_0.ini",
		 MODEL_CORE "X1=1\nX10=2\nX1=3\nX=4\nX1=5\n",
		 "cpu_0.ini:11: warning: register \"X1\" has another value in line 9: it is not known\n"
		 "cpu_0.ini:13: warning: register \"X1\" has another value in line 11: it is not known\n", NULL},
		{"register that is there three times with one value", "cpu_0.ini",
		 MODEL_CORE "X1=5\nX10=2\nX1(size:64)=5\nX1=0x05\n",
		 "cpu_0.ini:11: warning: register \"X1\" is ignored: it is in line 9 too\n"
		 "cpu_0.ini:12: warning: register \"X1\" is ignored: it is in line 11 too\n", NULL},
		{"registers whose names begin alike", "cpu_0.ini", MODEL_CORE "X10=1\nX1=1\nX=1\nX100=1\n", "",
		 NULL},
	};

	(void)state;
	CHECK_ALL(checks);
}

static void check_program_flow_is_that_of_a_core(void **state)
{
	static const struct check checks[] = {
		{"ETM4", "etm_0.ini", MODEL_SOURCE MODEL_SOURCE_REGS, BELONGS_TO_NONE, NO_CORE_OF_SOURCE},
		{"ETM3", "etm_0.ini",
		 SOURCE_OF("ETM3.5") "[regs]\nETMCR=0\nETMCCER=0\nETMIDR=0\nETMTRACEIDR=1\n",
		 BELONGS_TO_NONE, NO_CORE_OF_SOURCE},
		{"PTM", "etm_0.ini", SOURCE_OF("PTM1.1") "[regs]\nETMCR=0\nETMCCER=0\nETMIDR=0\nETMTRACEIDR=1\n",
		 BELONGS_TO_NONE, NO_CORE_OF_SOURCE},
		{"ETE", "etm_0.ini", SOURCE_OF("ETE") MODEL_SOURCE_REGS "TRCDEVARCH=0x47705A13\n",
		 BELONGS_TO_NONE, NO_CORE_OF_SOURCE},
		{"ITM", "etm_0.ini", SOURCE_OF("ITM") "[regs]\nCONTROL_REGISTER=0x120000\n", "",
		 NO_CORE_OF_SOURCE},
		{"STM", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0x120000\n", "", NO_CORE_OF_SOURCE},
		{"a source that is nowhere", "trace.ini",
		 "[trace_buffers]\nbuffers=buffer0\n" MODEL_BUFFER "[core_trace_sources]\n[source_buffers]\n",
		 "etm_0.ini:1: warning: trace source \"ETM_0\" is in no buffer\n"
		 "trace.ini:3: warning: no trace source is in buffer \"ETB_0\"\n", NULL},
	};

	(void)state;
	CHECK_ALL(checks);
}

#define RESERVED(id) "etm_0.ini:1: warning: trace source \"ETM_0\": trace ID " id " is reserved\n"

static void check_trace_id_is_one_of_a_source(void **state)
{
	static const struct check checks[] = {
		{"0", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0\n", RESERVED("0x00"), NULL},
		{"the first", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0x10000\n", "", NULL},
		{"the last", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0x6f0000\n", "", NULL},
		{"after the last", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0x700000\n",
		 RESERVED("0x70"), NULL},
		{"all ones", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0xffffffff\n", RESERVED("0x7f"),
		 NULL},
		{"bits beside it", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0xff81ffff\n", "", NULL},
		{"no frames, no IDs", "etm_0.ini", SOURCE_OF("STM") "[regs]\nSTMTCSR=0\n", "",
		 "[trace_buffers]\nbuffers=b\n[b]\nname=ETB_0\nfile=trace.bin\nformat=source_data\n"
		 "[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n"},
	};

	(void)state;
	CHECK_ALL(checks);
}

#define DIFFER(line, later, earlier, at)                                                           \
	"cpu_0.ini:" line ": error: dump \"dump" later "\" and the dump in line " earlier          \
	" hold different bytes at " at "\n"

/* mem.bin is 64 bytes, each with its own value; dump0 is in line 9 and 3 lines long. */
static void check_dumps_may_touch_and_agree(void **state)
{
	static const struct check checks[] = {
		{"side by side", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000") DUMP_AT("1", "0x1040")
		 DUMP_AT("2", "0xfc0"), "", NULL},
		{"one byte in common", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000") DUMP_AT("1", "0x103f"),
		 DIFFER("12", "1", "9", "0x103f"), NULL},
		{"one byte in common, the later below", "cpu_0.ini",
		 MODEL_CORE DUMP_AT("0", "0x103f") DUMP_AT("1", "0x1000"), DIFFER("12", "1", "9", "0x103f"), NULL},
		{"the same", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000") DUMP_AT("1", "0x1000"), "", NULL},
		{"equal where both are", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000")
		 DUMP_AT("1", "0x1008") "offset=8\nlength=16\n", "", NULL},
		{"within a longer one", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000")
		 DUMP_AT("1", "0x1008") "offset=8\nlength=4\n" DUMP_AT("2", "0x1010") "length=4\n",
		 DIFFER("17", "2", "9", "0x1010"), NULL},
		{"spaces that share nothing", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000") "space=EL1S\n"
		 DUMP_AT("1", "0x1001") "space=EL1N\n", "", NULL},
		{"spaces that share a state", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000") "space=S\n"
		 DUMP_AT("1", "0x1001") "space=EL1S\n",
		 DIFFER("13", "1", "9", "0x1001") IN_SPACE("0", "9", "Any S", "AArch64", OF_A64), NULL},
		{"at the last address", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0xffffffffffffffc0")
		 DUMP_AT("1", "0xffffffffffffffff") "offset=62\nlength=1\n",
		 DIFFER("12", "1", "9", "0xffffffffffffffff"), NULL},
		{"at the last address, equal", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0xffffffffffffffc0")
		 DUMP_AT("1", "0xfffffffffffffff0") "offset=48\n", "", NULL},
		{"the last address and the first", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0xffffffffffffffc0")
		 DUMP_AT("1", "0"), "", NULL},
		{"each pair is told", "cpu_0.ini", MODEL_CORE DUMP_AT("0", "0x1000")
		 DUMP_AT("1", "0x1001") DUMP_AT("2", "0x1002"),
		 DIFFER("12", "1", "9", "0x1001") DIFFER("15", "2", "9", "0x1002")
		 DIFFER("15", "2", "12", "0x1002"), NULL},
	};

	(void)state;
	CHECK_ALL(checks);
}
// clang-format on

/* The core sees as many bytes from the address on. */
static void assert_known(const struct model *m, uint64_t address, size_t expected)
{
	struct memmap *sure = memmap_share(m->snapshot->cores[0].memory, MEMMAP_SURE);
	uint8_t bytes[64];

	assert_non_null(sure);
	assert_int_equal(memmap_read(sure, SPACE_ANY, address, bytes, sizeof(bytes)), expected);
	memmap_destroy(sure);
}

/* A difference that is not in the first byte, nor in the file's. */
static void check_dump_difference_is_told_by_its_address(void **state)
{
	struct model *m = *state;
	uint8_t bytes[64];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	bytes[37] = 0;
	scratch_write(&m->scratch, "other.bin", bytes, sizeof(bytes));
	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE DUMP_AT("0", "0x1000") "[dump1]\nfile=other.bin\naddress=0x1020\n"
	                                               "offset=32\nlength=32\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags, DIFFER("12", "1", "9", "0x1025"));
	assert_known(m, 0x1020, 5);
	assert_known(m, 0x1025, 0);
	assert_known(m, 0x1026, 26);
	/* Just before the difference it ends. */
	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE DUMP_AT("0", "0x1000") "[dump1]\nfile=other.bin\naddress=0x1020\n"
	                                               "offset=32\nlength=5\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags, "");
}

/* What a program may have written says nothing; of a dump and an image one difference is told. */
static void check_image_contradicts_where_it_cannot_be_written(void **state)
{
	struct model *m = *state;
	static const struct elf_part parts[] = {{PF_R | PF_W, 256, 0x1000, 16, 16},
	                                        {PF_R, 256, 0x1010, 16, 32},
	                                        {PF_R, 256, 0x1030, 8, 8}};
	uint8_t elf[512];
	char path[PATH_MAX];
	char expected[2 * PATH_MAX];
	struct image_option image = {.path = str_of(scratch_path(&m->scratch, "x.elf", path))};
	struct snapshot_options options = {.images = &image, .image_count = 1};

	elf_build(elf, sizeof(elf), &(struct elf_form){true, false, EM_AARCH64}, parts, 3);
	for (size_t i = 0; i < 16; i++)
		elf[256 + i] = (uint8_t)(0x10 + i);
	scratch_write(&m->scratch, "x.elf", elf, sizeof(elf));
	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE MODEL_DUMP "[dump1]\nfile=mem.bin\naddress=0x1038\noffset=56\n"
	                                   "length=8\n");
	assert_int_equal(model_open(m, &options), STATUS_OK);
	(void)snprintf(expected, sizeof(expected),
	               "cpu_0.ini:9: warning: dump \"dump0\" and image \"%s\" hold different bytes "
	               "at 0x1030, the last at 0x1037; the dump counts\n",
	               path);
	assert_diags(&m->diags, expected);
}

static void check_location_is_that_of_one_device(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=a.ini\nb=b.ini\nc=c.ini\nd=d.ini\n"
	             "e=cpu_0.ini\n");
	scratch_text(&m->scratch, "a.ini", "[device]\nname=a\nclass=x\nlocation=address:1\n");
	scratch_text(&m->scratch, "b.ini", "[device]\nname=b\nclass=x\nlocation=address:2\n");
	scratch_text(&m->scratch, "c.ini", "[device]\nname=c\nclass=x\nlocation=address:1\n");
	scratch_text(&m->scratch, "d.ini", "[device]\nname=d\nclass=x\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags,
	             "warning: the snapshot has no trace buffer\n"
	             "c.ini:1: warning: the location of device \"c\" is that of \"a\" too\n");
}

#define BUFFER(id, name, format) "[" id "]\nname=" name "\nfile=trace.bin\nformat=" format "\n"

/* ETM_0 and ETM_1 have one trace ID. */
static void two_sources(struct model *m, const char *trace)
{
	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=etm_0.ini\n"
	             "c=etm_1.ini\n[trace]\nmetadata=trace.ini\n");
	scratch_text(&m->scratch, "etm_1.ini",
	             "[device]\nname=ETM_1\nclass=trace_source\ntype=ETM4.0\n" MODEL_SOURCE_REGS);
	scratch_text(&m->scratch, "trace.ini", trace);
	assert_int_equal(model_open(m, NULL), STATUS_OK);
}

static void check_trace_id_is_its_own_in_each_buffer(void **state)
{
	struct model *m = *state;

	two_sources(m, "[trace_buffers]\nbuffers=a,b\n" BUFFER("a", "A", "coresight") BUFFER(
	                       "b", "B", "coresight") "[core_trace_sources]\ncpu_0=ETM_0,ETM_1\n"
	                                              "[source_buffers]\nETM_0=A\nETM_1=B\n");
	assert_diags(&m->diags, "");
	two_sources(m,
	            "[trace_buffers]\nbuffers=a\n" BUFFER(
	                    "a", "A", "source_data") "[core_trace_sources]\ncpu_0=ETM_0,ETM_1\n");
	assert_diags(&m->diags,
	             "trace.ini:3: warning: buffer \"A\" has the data of one source, but 2 "
	             "are said to be in it\n");
}

/* Whose bytes it is cannot be told where both are in one buffer. */
static void check_trace_id_of_two_sources_is_nobodys(void **state)
{
	struct model *m = *state;
	const struct snap_source *sources;

	two_sources(m, "[trace_buffers]\nbuffers=a,b\n" BUFFER("a", "A", "coresight") BUFFER(
	                       "b", "B", "coresight") "[core_trace_sources]\ncpu_0=ETM_0,ETM_1\n"
	                                              "[source_buffers]\nETM_0=A,B\nETM_1=B\n");
	sources = m->snapshot->sources;
	assert_false(snap_source_shares_id(m->snapshot, &sources[0], 0));
	assert_true(snap_source_shares_id(m->snapshot, &sources[0], 1));
	assert_false(snap_source_shares_id(m->snapshot, &sources[1], 0));
	assert_true(snap_source_shares_id(m->snapshot, &sources[1], 1));
	diag_list_fini(&m->diags);
	snapshot_check_contradictions(m->snapshot, &m->diags);
	assert_diags(&m->diags,
	             "etm_1.ini:1: error: trace source \"ETM_1\" has trace ID 0x12, which is that "
	             "of \"ETM_0\" in the same buffer: neither of them is decoded\n");
}

static void check_buffer_has_a_name_of_its_own(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=a,b,c\n" BUFFER("a", "A", "coresight")
	                     BUFFER("b", "B", "coresight") BUFFER(
	                             "c", "A", "coresight") "[core_trace_sources]\ncpu_0=ETM_0\n"
	                                                    "[source_buffers]\nETM_0=A,B\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags,
	             "trace.ini:11: warning: no trace source is in buffer \"A\"\n"
	             "trace.ini:11: error: the name \"A\" is that of the buffer in line 3 too\n");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, model_set_up, model_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(check_source_registers_are_those_of_its_protocol),
	        cmocka_unit_test(check_core_registers_are_those_of_its_state),
	        cmocka_unit_test(check_spaces_are_those_of_the_architecture),
	        cmocka_unit_test(check_program_flow_is_that_of_a_core),
	        cmocka_unit_test(check_trace_id_is_one_of_a_source),
	        cmocka_unit_test(check_dumps_may_touch_and_agree),
	        CASE(check_dump_difference_is_told_by_its_address),
	        CASE(check_image_contradicts_where_it_cannot_be_written),
	        CASE(check_location_is_that_of_one_device),
	        CASE(check_trace_id_is_its_own_in_each_buffer),
	        CASE(check_trace_id_of_two_sources_is_nobodys),
	        CASE(check_buffer_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
