/* SPDX-License-Identifier: Apache-2.0 */
/* Bad snapshots: each says exactly what is wrong, and what can be used is there in spite of it. */
#include "model.h"

#include "elf_bytes.h"

#define K50  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
#define K200 K50 K50 K50 K50
#define N50  "99999999999999999999999999999999999999999999999999"
#define N200 N50 N50 N50 N50

/* The model with `file` replaced by `content`. */
struct bad {
	const char *name;
	const char *file;
	const char *content;
	enum status status;
	const char *diags;
};

// clang-format off
static const struct bad bad_snapshots[] = {
	{"version 2.0", "snapshot.ini",
	 "[snapshot]\nversion=2.0\n[device_list]\nd=cpu_0.ini\n", STATUS_UNSUPPORTED,
	 "snapshot.ini:2: error: version \"2.0\" is not supported, expected \"1.0\"\n"},
	{"no version", "snapshot.ini",
	 "[snapshot]\ndescription=x\n[device_list]\nd=cpu_0.ini\n", STATUS_BAD_DATA,
	 "snapshot.ini:1: error: section [snapshot] has no key \"version\"\n"},
	{"no snapshot section", "snapshot.ini",
	 "[device_list]\nd=cpu_0.ini\n", STATUS_BAD_DATA,
	 "snapshot.ini: error: section [snapshot] is missing\n"},
	{"no device list", "snapshot.ini",
	 "[snapshot]\nversion=1.0\n", STATUS_BAD_DATA,
	 "snapshot.ini: error: section [device_list] is missing\n"},
	{"empty file", "snapshot.ini", "", STATUS_BAD_DATA,
	 "snapshot.ini: error: section [snapshot] is missing\n"},
	{"no device can be used", "snapshot.ini",
	 "[snapshot]\nversion=1.0\n[device_list]\nd=none.ini\n", STATUS_BAD_DATA,
	 "snapshot.ini:4: error: cannot open \"none.ini\": No such file or directory\n"
	 "snapshot.ini:3: error: no device of the device list can be used\n"},
	{"device file outside", "snapshot.ini",
	 "[snapshot]\nversion=1.0\n[device_list]\nd=cpu_0.ini\ne=../etm_0.ini\n", STATUS_OK,
	 "snapshot.ini:5: error: \"../etm_0.ini\" leaves the snapshot's folder; see --allow-outside\n"
	 "warning: the snapshot has no trace buffer\n"},
	{"two devices of one name", "etm_0.ini",
	 "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0\nSP=0\nCPSR=0\n",
	 STATUS_OK,
	 "etm_0.ini:1: error: the name \"cpu_0\" is that of the device in \"cpu_0.ini\" too\n"
	 "trace.ini:8: error: there is no trace source \"ETM_0\"\n"
	 "trace.ini:10: error: there is no trace source \"ETM_0\"\n"
	 "trace.ini:3: warning: no trace source is in buffer \"ETB_0\"\n"},
	{"device without section", "cpu_0.ini",
	 "[regs]\nPC=1\n", STATUS_OK,
	 "cpu_0.ini: error: section [device] is missing\n"
	 "trace.ini:8: warning: there is no core \"cpu_0\"\n"
	 "warning: the snapshot has no core\n"
	 "etm_0.ini:1: error: trace source \"ETM_0\" belongs to no core\n"},
	{"line that is no entry", "cpu_0.ini",
	 MODEL_CORE "nonsense\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: expected KEY=VALUE, got \"nonsense\"\n"},
	{"key over inih's limit", "cpu_0.ini",
	 MODEL_CORE K200 "=1\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: key \"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...\" is 200 bytes, "
	 "expected at most 197\n"},
	{"register over its size", "cpu_0.ini",
	 MODEL_CORE "X0=0x1FFFFFFFF\nX1(size:63)=0x8000000000000000\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: register \"X0\": value 0x1FFFFFFFF needs 33 bits, its size is 32\n"
	 "cpu_0.ini:10: error: register \"X1\": value 0x8000000000000000 needs 64 bits, its size is 63\n"},
	{"register that is no number", "cpu_0.ini",
	 MODEL_CORE "X0=abc\nX1=\nX2=0x\nX3=0x1g\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: register \"X0\": value \"abc\" is not a number\n"
	 "cpu_0.ini:10: error: register \"X1\": value \"\" is not a number\n"
	 "cpu_0.ini:11: error: register \"X2\": value \"0x\" is not a number\n"
	 "cpu_0.ini:12: error: register \"X3\": value \"0x1g\" is not a number\n"},
	{"register with a bad key", "cpu_0.ini",
	 MODEL_CORE "X0(size:0)=1\nX1(id:0x100000000)=1\nX2(colour:3)=1\nX3(size:64=1\n(3)=1\n"
	 MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: register \"X0\": size \"0\" is not a number of at most 1048576\n"
	 "cpu_0.ini:10: error: register \"X1\": id \"0x100000000\" is not a number of at most 4294967295\n"
	 "cpu_0.ini:11: warning: register \"X2\": \"colour\" is neither id nor size and is ignored\n"
	 "cpu_0.ini:12: error: \"X3(size:64\" is not a register, expected NAME or NAME(id:N,size:N)\n"
	 "cpu_0.ini:13: error: \"(3)\" is not a register, expected NAME or NAME(id:N,size:N)\n"},
	{"register of more than 64 bits in decimal, and too long a one", "cpu_0.ini",
	 MODEL_CORE "X0(size:64)=18446744073709551616\n"
	 "X1=4" K200 "\n" "X2=1844674407370955161 \n" "X3=1_0\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: register \"X0\": value 18446744073709551616 needs 65 bits, its size is 64\n"
	 "cpu_0.ini:10: error: register \"X1\": value \"4" K200 "\" is not a number\n"
	 "cpu_0.ini:11: error: register \"X2\": value 1844674407370955161 needs 61 bits, its size is 32\n"
	 "cpu_0.ini:12: error: register \"X3\": value \"1_0\" is not a number\n"},
	{"register of more bits than decimal is read in", "cpu_0.ini",
	 MODEL_CORE "X0=" N200 N200 N200 N50 "\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:9: error: register \"X0\": value " N200 N200 N200 N50 " needs more than 2048 "
	 "bits, which is read in hexadecimal alone\n"},
	{"register given twice in another case", "cpu_0.ini",
	 MODEL_CORE "x0=1\nX1=1\nX0=2\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:11: warning: register \"X0\" has another value in line 9: it is not known\n"},
	{"register given twice", "cpu_0.ini",
	 MODEL_CORE "X0=1\nX0=2\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:10: warning: register \"X0\" has another value in line 9: it is not known\n"},
	{"core without registers", "cpu_0.ini",
	 "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:1: error: core \"cpu_0\" (AArch64) has no register SP\n"
	 "cpu_0.ini:1: error: core \"cpu_0\" (AArch64) has no register PC\n"
	 "cpu_0.ini:1: error: core \"cpu_0\" (AArch64) has no register CPSR\n"},
	{"core of unknown type", "cpu_0.ini",
	 "[device]\nname=cpu_0\nclass=core\ntype=Z80\n"
	 "[regs]\nPC(size:64)=0x1000\nSP(size:64)=0x2000\nCPSR=0x3C5\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:1: warning: core \"cpu_0\": unknown type \"Z80\", its registers say AArch64\n"},
	{"dump longer than its file", "cpu_0.ini",
	 MODEL_CORE MODEL_DUMP "length=65\n", STATUS_OK,
	 "cpu_0.ini:9: error: dump \"dump0\": file \"mem.bin\" has 64 bytes at offset 0x0, expected 65\n"},
	{"dump offset beyond its file", "cpu_0.ini",
	 MODEL_CORE MODEL_DUMP "offset=0x50\n", STATUS_OK,
	 "cpu_0.ini:9: error: dump \"dump0\": offset 0x50 is beyond file \"mem.bin\" of 64 bytes\n"},
	{"dump with numbers that are none", "cpu_0.ini",
	 MODEL_CORE MODEL_DUMP "length=0x1ffffffffffffffff\n"
	 "[dump1]\nfile=mem.bin\naddress=-1\n", STATUS_OK,
	 "cpu_0.ini:12: error: section [dump0]: length \"0x1ffffffffffffffff\" does not fit in 64 bits\n"
	 "cpu_0.ini:15: error: section [dump1]: address \"-1\" is not a number\n"},
	{"dump beyond the address space", "cpu_0.ini",
	 MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0xfffffffffffffff0\n", STATUS_OK,
	 "cpu_0.ini:9: error: dump \"dump0\" goes beyond the end of the address space\n"},
	{"dump without keys", "cpu_0.ini",
	 MODEL_CORE "[dump]\ncolour=red\n", STATUS_OK,
	 "cpu_0.ini:9: error: section [dump] has no key \"file\"\n"
	 "cpu_0.ini:9: error: section [dump] has no key \"address\"\n"
	 "cpu_0.ini:10: warning: section [dump]: unknown key \"colour\" is ignored\n"},
	{"dump in an unknown space", "cpu_0.ini",
	 MODEL_CORE MODEL_DUMP "space=EL9\n", STATUS_OK,
	 "cpu_0.ini:9: error: dump \"dump0\": unknown space \"EL9\"\n"},
	{"dump file outside", "cpu_0.ini",
	 MODEL_CORE "[dump0]\nfile=/etc/passwd\naddress=0\n", STATUS_OK,
	 "cpu_0.ini:9: error: \"/etc/passwd\" leaves the snapshot's folder; see --allow-outside\n"},
	{"dump file missing", "cpu_0.ini",
	 MODEL_CORE "[dump0]\nfile=none.bin\naddress=0\n", STATUS_OK,
	 "cpu_0.ini:9: error: cannot open \"none.bin\": No such file or directory\n"},
	{"dumps that contradict each other", "cpu_0.ini",
	 MODEL_CORE MODEL_DUMP "[dump1]\nfile=mem.bin\naddress=0x1010\n"
	 "[dump2]\nfile=mem.bin\naddress=0x1020\noffset=0x20\n", STATUS_OK,
	 "cpu_0.ini:12: error: dump \"dump1\" and the dump in line 9 hold different bytes at 0x1010\n"
	 "cpu_0.ini:15: error: dump \"dump2\" and the dump in line 12 hold different bytes at 0x1020\n"},
	{"source of unknown type", "etm_0.ini",
	 "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM9\n", STATUS_OK,
	 "etm_0.ini:1: error: trace source \"ETM_0\": unknown type \"ETM9\"\n"},
	{"source without type", "etm_0.ini",
	 "[device]\nname=ETM_0\nclass=trace_source\n" MODEL_SOURCE_REGS, STATUS_OK,
	 "etm_0.ini:1: error: trace source \"ETM_0\" has no type, such as \"ETM4.0\"\n"},
	{"device without name", "cpu_0.ini",
	 "[device]\nclass=core\ntype=Cortex-A53\n[regs]\nPC(size:64)=0x1000\nSP(size:64)=0x2000\n"
	 "CPSR=0x3C5\n" MODEL_DUMP, STATUS_OK,
	 "cpu_0.ini:1: error: section [device] has no key \"name\"\n"
	 "trace.ini:8: warning: there is no core \"cpu_0\"\n"
	 "etm_0.ini:1: error: trace source \"ETM_0\" belongs to no core\n"},
	{"other keys of a device are the client's", "cpu_0.ini",
	 "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\nvendor_key=anything\n"
	 "[regs]\nPC(size:64)=0x1000\nSP(size:64)=0x2000\nCPSR=0x3C5\n" MODEL_DUMP, STATUS_OK, ""},
	{"version is looked at before all else", "snapshot.ini",
	 "[snapshot]\nversion=2.0\n[device_list]\nd=none.ini\n[oddity]\n[trace]\nmetadata=none.ini\n",
	 STATUS_UNSUPPORTED,
	 "snapshot.ini:2: error: version \"2.0\" is not supported, expected \"1.0\"\n"},
	{"source without registers", "etm_0.ini",
	 "[device]\nname=ETM_0\nclass=trace_source\ntype=ETM3.5\n", STATUS_OK,
	 "etm_0.ini:1: error: trace source \"ETM_0\" (ETMv3) has no register ETMCR\n"
	 "etm_0.ini:1: error: trace source \"ETM_0\" (ETMv3) has no register ETMCCER\n"
	 "etm_0.ini:1: error: trace source \"ETM_0\" (ETMv3) has no register ETMIDR\n"
	 "etm_0.ini:1: error: trace source \"ETM_0\" (ETMv3) has no register ETMTRACEIDR\n"},
	{"trace ID that is none", "etm_0.ini",
	 MODEL_SOURCE "[regs]\nTRCTRACEIDR=0x7f\n" MODEL_SOURCE_REGS, STATUS_OK,
	 "etm_0.ini:17: warning: register \"TRCTRACEIDR\" is ignored: line 6 has another value of it\n"
	 "etm_0.ini:1: warning: trace source \"ETM_0\": trace ID 0x7f is reserved\n"},
	{"dump of a trace source", "etm_0.ini",
	 MODEL_SOURCE MODEL_SOURCE_REGS MODEL_DUMP, STATUS_OK,
	 "etm_0.ini:18: warning: dump \"dump0\" is ignored: device \"ETM_0\" is neither a core nor a "
	 "memory space\n"},
	{"dump of a device of another class", "etm_0.ini",
	 "[device]\nname=ETM_0\nclass=cti\ntype=CTI\n" MODEL_DUMP, STATUS_OK,
	 "etm_0.ini:5: warning: dump \"dump0\" is ignored: device \"ETM_0\" is neither a core nor a "
	 "memory space\n"
	 "trace.ini:8: error: there is no trace source \"ETM_0\"\n"
	 "trace.ini:10: error: there is no trace source \"ETM_0\"\n"
	 "trace.ini:3: warning: no trace source is in buffer \"ETB_0\"\n"},
	{"sections of a device file that the format has not", "cpu_0.ini",
	 MODEL_CORE MODEL_DUMP "[memory]\nfile=mem.bin\n[registers]\nX0=1\n", STATUS_OK,
	 "cpu_0.ini:12: warning: section [memory] is ignored\n"
	 "cpu_0.ini:14: warning: section [registers] is ignored\n"},
	{"section of snapshot.ini that the format has not, and a key twice", "snapshot.ini",
	 "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\na=etm_0.ini\n"
	 "[cluster]\nx=cpu_0\n[trace]\nmetadata=trace.ini\n", STATUS_OK,
	 "snapshot.ini:6: warning: section [cluster] is ignored\n"
	 "snapshot.ini:5: warning: key \"a\" of the device list is that of line 4 too; both devices "
	 "are read\n"},
	{"no metadata key", "snapshot.ini",
	 "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=etm_0.ini\n[trace]\n", STATUS_OK,
	 "snapshot.ini:6: error: section [trace] has no key \"metadata\"\n"
	 "warning: the snapshot has no trace buffer\n"},
	{"metadata missing and a device twice", "snapshot.ini",
	 "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=etm_0.ini\nc=etm_0.ini\n"
	 "[trace]\nmetadata=trace2.ini\n", STATUS_OK,
	 "etm_0.ini:1: error: the name \"ETM_0\" is that of the device in \"etm_0.ini\" too\n"
	 "snapshot.ini:8: error: cannot open \"trace2.ini\": No such file or directory\n"
	 "warning: the snapshot has no trace buffer\n"},
	{"no metadata", "trace.ini", "", STATUS_OK,
	 "trace.ini: error: section [trace_buffers] is missing\n"
	 "trace.ini: error: section [core_trace_sources] is missing\n"
	 "warning: the snapshot has no trace buffer\n"},
	{"buffer IDs that conflict, and a section of none", "trace.ini",
	 "[trace_buffers]\nbuffers=buffer0,buffer0,Source_Buffers\n" MODEL_BUFFER
	 "[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n[timestamp]\n"
	 "frequency=25000000\n", STATUS_OK,
	 "trace.ini:2: error: buffer ID \"buffer0\" is in the list already\n"
	 "trace.ini:2: error: buffer ID \"Source_Buffers\" is a section of the format\n"},
	{"a frequency that is none", "trace.ini",
	 MODEL_TRACE "[timestamp]\nfrequency=25 MHz\nscale=2\n", STATUS_OK,
	 "trace.ini:13: warning: section [timestamp]: unknown key \"scale\" is ignored\n"
	 "trace.ini:12: warning: frequency \"25 MHz\" is no number of ticks a second, and is ignored\n"},
	{"buffer without keys", "trace.ini",
	 "[trace_buffers]\nbuffers=b\n[b]\nname=ETB_0\n"
	 "[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n", STATUS_OK,
	 "trace.ini:3: error: section [b] has no key \"file\"\n"
	 "trace.ini:3: error: section [b] has no key \"format\"\n"
	 "trace.ini:3: error: buffer \"ETB_0\": file \"\" is empty\n"
	 "trace.ini:3: error: buffer \"ETB_0\": unknown format \"\"\n"},
	{"no list of buffers", "trace.ini",
	 "[trace_buffers]\n[core_trace_sources]\ncpu_0=ETM_0\n", STATUS_OK,
	 "trace.ini:1: error: section [trace_buffers] has no key \"buffers\"\n"
	 "warning: the snapshot has no trace buffer\n"},
	{"buffer without section", "trace.ini",
	 "[trace_buffers]\nbuffers=buffer0,buffer1\n" MODEL_BUFFER
	 "[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n", STATUS_OK,
	 "trace.ini:2: error: buffer \"buffer1\" has no section\n"},
	{"buffer of an unknown format", "trace.ini",
	 "[trace_buffers]\nbuffers=b\n[b]\nname=ETB_0\nfile=trace.bin\nformat=morse\n"
	 "[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n", STATUS_OK,
	 "trace.ini:3: error: buffer \"ETB_0\": unknown format \"morse\"\n"},
	{"associations of what is not there", "trace.ini",
	 "[trace_buffers]\nbuffers=buffer0\n" MODEL_BUFFER
	 "[core_trace_sources]\ncpu_9=ETM_0\ncpu_0=@nowhere\n[source_buffers]\nETM_0=ETB_9\n"
	 "ETM_0(x:0)=ETB_0\n", STATUS_OK,
	 "trace.ini:8: warning: there is no core \"cpu_9\"\n"
	 "trace.ini:9: error: there is no trace source at \"nowhere\"\n"
	 "trace.ini:11: error: there is no trace buffer \"ETB_9\"\n"
	 "trace.ini:12: error: \"ETM_0(x:0)\" is no trace source, expected NAME or NAME(stream:N)\n"
	 "etm_0.ini:1: warning: trace source \"ETM_0\" is in no buffer\n"
	 "trace.ini:3: warning: no trace source is in buffer \"ETB_0\"\n"},
	{"buffer that is no multiple of 16", "trace.bin", "0123456789abcdefX", STATUS_OK,
	 "trace.ini:3: error: buffer \"ETB_0\": file \"trace.bin\" is 17 bytes, expected a multiple "
	 "of 16\n"},
	{"empty buffer", "trace.bin", "", STATUS_OK,
	 "trace.ini:3: error: buffer \"ETB_0\": file \"trace.bin\" is empty\n"},
};
// clang-format on

static void snapshot_bad_file_gives_its_message(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_snapshots) / sizeof(bad_snapshots[0]); i++) {
		const struct bad *bad = &bad_snapshots[i];
		void *model;
		struct model *m;
		enum status status;

		assert_int_equal(model_set_up(&model), 0);
		m = model;
		scratch_text(&m->scratch, bad->file, bad->content);
		status = model_open(m, NULL);
		if (status != bad->status)
			print_error("%s: %s\n", bad->name, status_name(status));
		assert_int_equal(status, bad->status);
		assert_int_equal(status == STATUS_OK, m->snapshot != NULL);
		assert_diags(&m->diags, bad->diags);
		assert_int_equal(model_tear_down(&model), 0);
	}
}

static void snapshot_missing_folder_is_an_error(void **state)
{
	struct model *m = *state;

	assert_int_equal(snapshot_open("/none/such", NULL, &m->diags, &m->snapshot),
	                 STATUS_NOT_FOUND);
	assert_null(m->snapshot);
	assert_diags(&m->diags, "error: cannot open \"/none/such\": No such file or directory\n");
}

static void snapshot_file_in_place_of_folder_is_an_error(void **state)
{
	struct model *m = *state;
	char path[PATH_MAX];
	char expected[PATH_MAX + 100];

	(void)scratch_path(&m->scratch, "mem.bin", path);
	assert_int_equal(snapshot_open(path, NULL, &m->diags, &m->snapshot), STATUS_BAD_DATA);
	(void)snprintf(expected, sizeof(expected),
	               "error: \"%s\" is a file, expected a folder, an archive, a snapshot.ini "
	               "or a contents.ini\n",
	               path);
	assert_diags(&m->diags, expected);
}

static void snapshot_folder_without_head_is_an_error(void **state)
{
	struct model *m = *state;
	char path[PATH_MAX];
	char expected[PATH_MAX + 100];

	(void)snprintf(expected, sizeof(expected),
	               "%s: error: cannot open \"snapshot.ini\": No such file or directory\n",
	               m->scratch.folder);
	assert_int_equal(unlink(scratch_path(&m->scratch, "snapshot.ini", path)), 0);
	assert_int_equal(model_open(m, NULL), STATUS_NOT_FOUND);
	assert_diags(&m->diags, expected);
}

static void snapshot_two_sources_of_one_trace_id_are_an_error(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=etm_0.ini\n"
	             "c=etm_1.ini\n[trace]\nmetadata=trace.ini\n");
	scratch_text(&m->scratch, "etm_1.ini",
	             "[device]\nname=ETM_1\nclass=trace_source\ntype=ETM4.0\n" MODEL_SOURCE_REGS);
	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=buffer0\n" MODEL_BUFFER
	             "[core_trace_sources]\ncpu_0=ETM_0,ETM_1\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_int_equal(m->snapshot->cores[0].source_count, 2);
	assert_diags(&m->diags,
	             "etm_1.ini:1: error: trace source \"ETM_1\" has trace ID 0x12, "
	             "which is that of \"ETM_0\" in the same buffer: neither of them is decoded\n");
}

static void snapshot_image_of_wrong_machine_is_refused(void **state)
{
	struct model *m = *state;
	struct elf_part part = {PF_R, 128, 0x1000, 16, 16};
	uint8_t elf[256];
	char path[PATH_MAX];
	char expected[PATH_MAX + 100];
	struct image_option image = {.path = str_of(scratch_path(&m->scratch, "x.elf", path))};
	struct snapshot_options options = {.images = &image, .image_count = 1};

	elf_build(elf, sizeof(elf), &(struct elf_form){true, false, EM_X86_64}, &part, 1);
	scratch_write(&m->scratch, "x.elf", elf, sizeof(elf));
	assert_int_equal(model_open(m, &options), STATUS_UNSUPPORTED);
	assert_null(m->snapshot);
	(void)snprintf(expected, sizeof(expected),
	               "error: ELF \"%s\" is for machine 62, expected 183 (AArch64) or 40 (Arm)\n",
	               path);
	assert_diags(&m->diags, expected);
}

static void snapshot_image_that_contradicts_a_dump_is_reported(void **state)
{
	struct model *m = *state;
	struct elf_part part = {PF_R | PF_X, 128, 0x1000, 16, 16};
	uint8_t elf[256];
	char path[PATH_MAX];
	char expected[PATH_MAX + 200];
	struct image_option image = {.path = str_of(scratch_path(&m->scratch, "x.elf", path))};
	struct snapshot_options options = {.images = &image, .image_count = 1};
	struct mem_span span;

	elf_build(elf, sizeof(elf), &(struct elf_form){true, false, EM_AARCH64}, &part, 1);
	scratch_write(&m->scratch, "x.elf", elf, sizeof(elf));
	assert_int_equal(model_open(m, &options), STATUS_OK);
	(void)snprintf(expected, sizeof(expected),
	               "cpu_0.ini:9: warning: dump \"dump0\" and image \"%s\" hold different bytes "
	               "at 0x1001, the last at 0x100f; the dump counts\n",
	               path);
	assert_diags(&m->diags, expected);
	assert_int_equal(memmap_find(m->snapshot->cores[0].memory, SPACE_ANY, 0x1001, &span),
	                 STATUS_OK);
	assert_int_equal(*span.bytes.pos, 1);
	assert_false(span.region->read_only);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, model_set_up, model_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(snapshot_bad_file_gives_its_message),
	        CASE(snapshot_missing_folder_is_an_error),
	        CASE(snapshot_file_in_place_of_folder_is_an_error),
	        CASE(snapshot_folder_without_head_is_an_error),
	        CASE(snapshot_two_sources_of_one_trace_id_are_an_error),
	        CASE(snapshot_image_of_wrong_machine_is_refused),
	        CASE(snapshot_image_that_contradicts_a_dump_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
