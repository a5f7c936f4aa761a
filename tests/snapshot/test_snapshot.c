/* SPDX-License-Identifier: Apache-2.0 */
/* The model that a sound snapshot gives: devices, associations, memory. */
#include "model.h"

#include "elf_bytes.h"

static void open_sound(struct model *m, const struct snapshot_options *options)
{
	assert_int_equal(model_open(m, options), STATUS_OK);
	assert_diags(&m->diags, "");
}

static void snapshot_model_is_sound(void **state)
{
	struct model *m = *state;
	const struct snap_core *core;
	uint8_t id;

	open_sound(m, NULL);
	assert_true(str_eq(m->snapshot->description, STR("a model")));
	assert_int_equal(m->snapshot->device_count, 2);
	assert_int_equal(m->snapshot->core_count, 1);
	core = &m->snapshot->cores[0];
	assert_true(str_eq(core->device->name, STR("cpu_0")));
	assert_int_equal(core->arch, CORE_A64);
	assert_int_equal(core->source_count, 1);
	assert_ptr_equal(core->sources[0], &m->snapshot->sources[0]);
	assert_ptr_equal(core->sources[0]->core, core);
	assert_int_equal(core->sources[0]->protocol, PROTOCOL_ETM4);
	assert_int_equal(core->sources[0]->buffer_count, 1);
	assert_int_equal(core->sources[0]->buffers[0], 0);
	assert_true(snap_source_trace_id(core->sources[0], &id));
	assert_int_equal(id, 0x12);
	assert_ptr_equal(snapshot_buffer(m->snapshot, STR("ETB_0")), &m->snapshot->buffers[0]);
	assert_null(snapshot_buffer(m->snapshot, STR("ETB_1")));
	assert_int_equal(m->snapshot->buffers[0].format, BUFFER_CORESIGHT);
	assert_int_equal(bytes_left(&m->snapshot->buffers[0].data), 32);
}

static void snapshot_head_file_stands_for_its_folder(void **state)
{
	struct model *m = *state;
	char path[PATH_MAX];

	(void)scratch_path(&m->scratch, "snapshot.ini", path);
	assert_int_equal(snapshot_open(path, NULL, &m->diags, &m->snapshot), STATUS_OK);
	assert_int_equal(m->snapshot->device_count, 2);
}

static void assert_register(const struct model *m, const char *name, int64_t id, uint32_t bits,
                            uint64_t value)
{
	const struct snap_register *reg =
	        snap_device_register(&m->snapshot->devices[0], str_of(name));

	assert_non_null(reg);
	assert_int_equal(reg->has_id, id >= 0);
	if (id >= 0)
		assert_int_equal(reg->id, id);
	assert_int_equal(reg->bits, bits);
	assert_int_equal(snap_register_value(reg), value);
}

static void snapshot_register_keys_have_every_form(void **state)
{
	struct model *m = *state;
	const struct snap_register *wide;

	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE
	             "R_A=0x1\nR_B(77)=10\nR_C(id:78)=0XfF\n"
	             "R_D(id:0x80,size:64)=0x1234000012340000\n"
	             "R_E (size:64, 0x82) = \"0x8000000000000000\"\n"
	             "R_F(size:64)=18446744073709551615\nR_G(size:1)=1\n"
	             "V0(size:128)=0x000102030405060708090A0B0C0D0E0F\n"
	             "V1(size:128)=13349639646525398235987214510702663705\n"
	             "R_H(size:8)=0x00000000000000000000000000000000000007f\n" MODEL_DUMP);
	open_sound(m, NULL);
	assert_register(m, "R_A", -1, 32, 1);
	assert_register(m, "r_b", 77, 32, 10);
	assert_register(m, "R_C", 78, 32, 0xff);
	assert_register(m, "R_D", 0x80, 64, UINT64_C(0x1234000012340000));
	assert_register(m, "R_E", 0x82, 64, UINT64_C(0x8000000000000000));
	assert_register(m, "R_F", -1, 64, UINT64_MAX);
	assert_register(m, "R_G", -1, 1, 1);
	assert_register(m, "V0", -1, 128, UINT64_C(0x08090A0B0C0D0E0F));
	assert_register(m, "R_H", -1, 8, 0x7f);
	wide = snap_device_register(&m->snapshot->devices[0], STR("V0"));
	assert_int_equal(wide->value[15], 0);
	assert_int_equal(wide->value[14], 1);
	/* In decimal: 0x0A0B0C0D0E0F10111213141516171819. */
	assert_register(m, "V1", -1, 128, UINT64_C(0x1213141516171819));
	wide = snap_device_register(&m->snapshot->devices[0], STR("V1"));
	for (int i = 0; i < 16; i++)
		assert_int_equal(wide->value[i], 0x19 - i);
	assert_ptr_equal(snap_device_any_register(&m->snapshot->devices[0], STR("R15|PC")),
	                 snap_device_register(&m->snapshot->devices[0], STR("PC")));
	assert_null(snap_device_any_register(&m->snapshot->devices[0], STR("R15|R16")));
}

static void assert_memory(const struct model *m, enum space space, uint64_t address, int expected)
{
	uint8_t byte;
	size_t size = memmap_read(m->snapshot->cores[0].memory, space, address, &byte, 1);

	assert_int_equal(size, expected >= 0);
	if (expected >= 0)
		assert_int_equal(byte, expected);
}

static void snapshot_dump_has_space_length_and_offset(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump]\nfile=mem.bin\naddress=0x1000\nspace=el1n\nlength=0x8\n"
	                        "offset=0x10\n[dump]\nfile=mem.bin\naddress=0x2000\n"
	                        "[dump.text]\nfile='mem.bin'\naddress=0x1000\nspace=S\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags,
	             "cpu_0.ini:18: warning: dump \"dump.text\" is in space Any S; a core "
	             "of this type (AArch64) has EL3, EL2, EL1S or EL1N\n");
	assert_int_equal(m->snapshot->devices[0].dump_count, 3);
	assert_memory(m, SPACE_EL1N, 0x1000, 0x10);
	assert_memory(m, SPACE_EL1N, 0x1007, 0x17);
	assert_memory(m, SPACE_EL1N, 0x1008, -1);
	assert_memory(m, SPACE_EL1S, 0x1008, 8);
	assert_memory(m, SPACE_EL3, 0x203f, 0x3f);
	assert_memory(m, SPACE_EL3, 0x2040, -1);
}

static void snapshot_sources_are_found_by_location_and_stream(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "etm_0.ini",
	             MODEL_SOURCE "location=dap:2,ap:1,address:0x80010000\n" MODEL_SOURCE_REGS);
	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=a,b,c\n"
	             "[a]\nname=A\nfile=trace.bin\nformat=coresight\n"
	             "[b]\nname=B\nfile=trace.bin,trace.bin\nformat=coresight\n"
	             "[c]\nname=C\nfile=trace.bin\nformat=source_data\n"
	             "[core_trace_sources]\ncpu_0=@dap:2,ap:1,address:0x80010000\n"
	             "[source_buffers]\nETM_0=C\nETM_0(stream:1)=C\nETM_0(stream:0)=B,A\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags,
	             "trace.ini:19: warning: stream 1 of trace source \"ETM_0\" is not decoded: "
	             "program flow comes in stream 0\n"
	             "trace.ini:11: warning: no trace source is in buffer \"C\"\n");
	assert_ptr_equal(m->snapshot->sources[0].core, &m->snapshot->cores[0]);
	assert_int_equal(m->snapshot->sources[0].buffer_count, 2);
	assert_int_equal(m->snapshot->sources[0].buffers[0], 1);
	assert_int_equal(m->snapshot->sources[0].buffers[1], 0);
	assert_int_equal(bytes_left(&m->snapshot->buffers[1].data), 64);
	assert_int_equal(m->snapshot->buffers[2].format, BUFFER_SOURCE_DATA);
}

static void snapshot_unqualified_source_stands_for_its_streams(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=a\n[a]\nname=A\nfile=trace.bin\nformat=coresight\n"
	             "[core_trace_sources]\ncpu_0=etm_0\n"
	             "[source_buffers]\nETM_0=A\nETM_0(stream:1)=A\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags, "trace.ini:11: warning: stream 1 of trace source \"ETM_0\" is not "
	                        "decoded: program flow comes in stream 0\n");
	assert_int_equal(m->snapshot->sources[0].buffer_count, 1);
}

/* Names count as they are written first, then without regard to case if only one is meant. */
static void snapshot_names_in_metadata_need_not_be_exact(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=a.ini\nb=b.ini\nc=c.ini\n"
	             "d=d.ini\ne=e.ini\n[trace]\nmetadata=trace.ini\n");
	scratch_text(&m->scratch, "a.ini", "[device]\nname=cpu_0\nclass=core\ntype=Cortex-A9\n");
	scratch_text(&m->scratch, "b.ini", "[device]\nname=Cpu_1\nclass=core\ntype=Cortex-A9\n");
	scratch_text(&m->scratch, "c.ini", "[device]\nname=cpu_2\nclass=core\ntype=Cortex-A9\n");
	scratch_text(&m->scratch, "d.ini", "[device]\nname=ETM_x\nclass=trace_source\ntype=ITM\n");
	scratch_text(&m->scratch, "e.ini", "[device]\nname=ETM_X\nclass=trace_source\ntype=ITM\n");
	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=a,b\n"
	             "[a]\nname=A\nfile=trace.bin\nformat=coresight\n"
	             "[b]\nname=Buf\nfile=trace.bin\nformat=coresight\n"
	             "[core_trace_sources]\nCPU_1=ETM_X\ncpu_0=etm_x\n"
	             "[source_buffers]\nETM_x=bUF\nETM_X=a\n");
	assert_int_equal(snapshot_open(m->scratch.folder, NULL, &m->diags, &m->snapshot),
	                 STATUS_OK);
	assert_diags(&m->diags, "trace.ini:13: error: there is no trace source \"etm_x\"\n");
	assert_int_equal(m->snapshot->cores[0].source_count, 0);
	assert_int_equal(m->snapshot->cores[1].source_count, 1);
	assert_ptr_equal(m->snapshot->cores[1].sources[0], &m->snapshot->sources[1]);
	assert_ptr_equal(m->snapshot->sources[1].core, &m->snapshot->cores[1]);
	assert_null(m->snapshot->sources[0].core);
	assert_int_equal(m->snapshot->sources[0].buffer_count, 1);
	assert_int_equal(m->snapshot->sources[0].buffers[0], 1);
	assert_int_equal(m->snapshot->sources[1].buffers[0], 0);
}

/* A second core for a source, an empty place and a buffer without files are told; the rest holds.
 */
static void snapshot_odd_metadata_is_told_and_the_rest_holds(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=b.ini\n"
	             "c=etm_0.ini\n[trace]\nmetadata=trace.ini\n");
	scratch_text(&m->scratch, "b.ini", "[device]\nname=cpu_1\nclass=core\ntype=Cortex-A9\n");
	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=a,,b\n"
	             "[a]\nname=A\nfile=trace.bin\nformat=Source_Data\n"
	             "[b]\nfile=none.bin\nformat=DSTREAM-ST\n"
	             "[core_trace_sources]\ncpu_1=ETM_0\ncpu_0=ETM_0\n"
	             "[source_buffers]\nETM_0( Stream : 0 )=A,B\n");
	assert_int_equal(snapshot_open(m->scratch.folder, NULL, &m->diags, &m->snapshot),
	                 STATUS_OK);
	assert_diags(&m->diags,
	             "trace.ini:2: warning: the list of buffers has an empty place\n"
	             "trace.ini:7: error: section [b] has no key \"name\"\n"
	             "trace.ini:7: error: cannot open \"none.bin\": No such file or directory\n"
	             "trace.ini:12: warning: trace source \"ETM_0\" has a core already: "
	             "\"cpu_1\"\n");
	assert_int_equal(m->snapshot->buffer_count, 2);
	assert_int_equal(m->snapshot->buffers[0].format, BUFFER_SOURCE_DATA);
	assert_true(m->snapshot->buffers[0].is_one_file);
	assert_int_equal(m->snapshot->buffers[1].format, BUFFER_DSTREAM);
	assert_true(str_eq(m->snapshot->buffers[1].name, STR("b")));
	assert_int_equal(bytes_left(&m->snapshot->buffers[1].data), 0);
	assert_ptr_equal(m->snapshot->sources[0].core, &m->snapshot->cores[1]);
	assert_int_equal(m->snapshot->cores[0].source_count, 0);
	assert_int_equal(m->snapshot->sources[0].buffer_count, 2);
}

static void snapshot_one_buffer_needs_no_source_buffers(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=buffer0\n" MODEL_BUFFER
	             "[core_trace_sources]\ncpu_0=ETM_0\n");
	open_sound(m, NULL);
	assert_int_equal(m->snapshot->sources[0].buffer_count, 1);
}

static void snapshot_several_buffers_without_source_buffers_are_all_searched(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=buffer0,b\n" MODEL_BUFFER
	             "[b]\nname=B\nfile=trace.bin\nformat=coresight\n"
	             "[core_trace_sources]\ncpu_0=ETM_0\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags,
	             "trace.ini: warning: section [source_buffers] is missing and there are 2 "
	             "buffers: each source is looked for in all\n");
	assert_int_equal(m->snapshot->sources[0].buffer_count, 2);
}

static void snapshot_core_may_have_several_sources(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=etm_0.ini\n"
	             "c=etm_1.ini\n[clusters]\nCluster 0=cpu_0\n[trace]\nmetadata=trace.ini\n");
	scratch_text(&m->scratch, "etm_1.ini",
	             "[device]\nname=ETE_1\nclass=trace_source\ntype=ETE1.0\n" MODEL_SOURCE_REGS
	             "TRCDEVARCH=0x47705A13\n");
	scratch_text(&m->scratch, "trace.ini",
	             "[trace_buffers]\nbuffers=a,b\n"
	             "[a]\nname=A\nfile=trace.bin\nformat=source_data\n"
	             "[b]\nname=B\nfile=trace.bin\nformat=source_data\n"
	             "[core_trace_sources]\ncpu_0=ETE_1\ncpu_0=ETM_0\n"
	             "[source_buffers]\nETM_0=A\nETE_1=B\n");
	open_sound(m, NULL);
	assert_int_equal(m->snapshot->cores[0].source_count, 2);
	assert_int_equal(m->snapshot->cores[0].sources[0]->protocol, PROTOCOL_ETE);
	assert_int_equal(m->snapshot->cores[0].sources[1]->protocol, PROTOCOL_ETM4);
	assert_true(str_eq(m->snapshot->cores[0].cluster, STR("Cluster 0")));
}

/* Type and registers of a core, and what they make of it. */
struct arch_case {
	const char *type;
	const char *registers;
	enum core_arch arch;
};

static void snapshot_core_state_comes_from_type_and_registers(void **state)
{
	static const struct arch_case cases[] = {
	        {"Cortex-A53", "PC(size:64)=0\nSP=0\nCPSR=0x60000000", CORE_A64},
	        {"Cortex-A53", "PC=0\nSP=0\nCPSR=0x1D3", CORE_A32},
	        {"cortex-a5", "PC=0\nSP=0\nCPSR=0", CORE_A32},
	        {"Cortex-A15", "R15=0\nR13=0\nCPSR=0", CORE_A32},
	        {"ARMv7-A", "R15=0\nR13=0\nCPSR=0", CORE_A32},
	        {"ARMv7-M", "R15=0\nR13=0\nxPSR=0", CORE_M},
	        {"ARMv8-A", "PC(size:64)=0\nSP=0", CORE_A64},
	        {"ARMv9-A", "PC=0\nSP=0", CORE_A32},
	        {"ARM-AA64", "PC(size:64)=0\nSP=0\nCPSR=0", CORE_A64},
	        {"Cortex-M55", "PC=0\nSP=0\nCPSR=0x1C5", CORE_M},
	        {"Cortex-R52", "PC=0\nSP=0\nCPSR=0", CORE_A32},
	        {"Neoverse-N1", "PC(size:64)=0\nSP=0\nCPSR=0", CORE_A64},
	        {"strange", "PC(size:64)=0\nSP=0\nCPSR=0", CORE_A64},
	        {"strange", "PC=0\nSP=0\nCPSR=0", CORE_A32},
	        {"strange", "PC=0\nSP=0\nxPSR=0", CORE_M},
	};
	struct model *m = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char content[300];

		(void)snprintf(content, sizeof(content),
		               "[device]\nname=cpu_0\nclass=core\ntype=%s\n[regs]\n%s\n",
		               cases[i].type, cases[i].registers);
		scratch_text(&m->scratch, "cpu_0.ini", content);
		assert_int_equal(model_open(m, NULL), STATUS_OK);
		assert_int_equal(m->snapshot->cores[0].arch, cases[i].arch);
		diag_list_fini(&m->diags);
	}
}

static void snapshot_protocol_comes_from_type(void **state)
{
	static const struct {
		const char *type;
		enum protocol protocol;
	} cases[] = {
	        {"ETM3.5", PROTOCOL_ETM3}, {"ETMv3.3", PROTOCOL_ETM3}, {"ETM4", PROTOCOL_ETM4},
	        {"etm4.1", PROTOCOL_ETM4}, {"PFT1.1", PROTOCOL_PTM},   {"PTM1.1", PROTOCOL_PTM},
	        {"ETE", PROTOCOL_ETE},     {"ETE1.0", PROTOCOL_ETE},   {"ITM", PROTOCOL_ITM},
	        {"STM", PROTOCOL_STM},     {"ETM", PROTOCOL_UNKNOWN},  {"ETM40", PROTOCOL_UNKNOWN},
	};
	struct model *m = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char content[200];

		(void)snprintf(content, sizeof(content),
		               "[device]\nname=ETM_0\nclass=trace_source\ntype=%s\n",
		               cases[i].type);
		scratch_text(&m->scratch, "etm_0.ini", content);
		assert_int_equal(model_open(m, NULL), STATUS_OK);
		assert_int_equal(m->snapshot->sources[0].protocol, cases[i].protocol);
		diag_list_fini(&m->diags);
	}
}

/* An ELF of 0x3000 bytes of code (zeros, but for the headers) and 64 of data, at 0x10000. */
static void write_elf(const struct model *m, const char *name)
{
	static uint8_t elf[0x3100];
	static const struct elf_part parts[] = {
	        {PF_R | PF_X, 0, 0x10000, 0x3000, 0x3000},
	        {PF_R | PF_W, 0x3000, 0x20000, 0x40, 0x1000},
	};

	elf_build(elf, sizeof(elf), &(struct elf_form){true, false, EM_AARCH64}, parts, 2);
	elf[0x100] = 0x77;
	scratch_write(&m->scratch, name, elf, sizeof(elf));
}

static const struct mem_region *region_at(const struct model *m, uint64_t address)
{
	struct mem_span span;

	if (memmap_find(m->snapshot->cores[0].memory, SPACE_ANY, address, &span) != STATUS_OK)
		return NULL;
	return span.region;
}

static void snapshot_image_gives_code_and_data_but_no_bss(void **state)
{
	struct model *m = *state;
	char path[PATH_MAX];
	struct image_option image = {.path = str_of(scratch_path(&m->scratch, "x.elf", path)),
	                             .load_address = 0x50000,
	                             .has_load_address = true};
	struct snapshot_options options = {.images = &image, .image_count = 1};

	write_elf(m, "x.elf");
	open_sound(m, &options);
	assert_int_equal(m->snapshot->image_count, 1);
	assert_int_equal(m->snapshot->mapped_images, 1);
	assert_memory(m, SPACE_EL1N, 0x50100, 0x77);
	assert_true(region_at(m, 0x50100)->read_only);
	assert_false(region_at(m, 0x50100)->is_initial);
	assert_false(region_at(m, 0x60000)->read_only);
	assert_true(region_at(m, 0x60000)->is_initial);
	assert_memory(m, SPACE_ANY, 0x60040, -1);
	assert_memory(m, SPACE_ANY, 0x10100, -1);
	/* The dump of the core counts more than an image. */
	assert_memory(m, SPACE_ANY, 0x1001, 1);
}

/* Pages in which a dump and the image differ may have been written; the others were not. */
static void snapshot_dump_of_equal_code_is_read_only_by_the_page(void **state)
{
	struct model *m = *state;
	uint8_t zeros[0x1800] = {0};
	char path[PATH_MAX];
	struct image_option image = {.path = str_of(scratch_path(&m->scratch, "x.elf", path))};
	struct snapshot_options options = {.images = &image, .image_count = 1};

	write_elf(m, "x.elf");
	zeros[0x1000] = 1; /* at 0x12000 */
	scratch_write(&m->scratch, "mem.bin", zeros, sizeof(zeros));
	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=mem.bin\naddress=0x11000\n");
	assert_int_equal(model_open(m, &options), STATUS_OK);
	assert_int_equal(m->diags.count, 1); /* the difference */
	assert_true(region_at(m, 0x10000)->read_only);
	assert_true(region_at(m, 0x11000)->read_only);
	assert_true(str_eq(region_at(m, 0x11000)->origin, STR("mem.bin")));
	assert_true(region_at(m, 0x11fff)->read_only);
	assert_false(region_at(m, 0x12000)->read_only);
	assert_false(region_at(m, 0x12fff)->read_only);
	assert_memory(m, SPACE_ANY, 0x12000, 1);
}

static void snapshot_elf_that_a_dump_names_is_an_image_where_the_dump_is(void **state)
{
	struct model *m = *state;

	write_elf(m, "program");
	scratch_text(&m->scratch, "cpu_0.ini",
	             MODEL_CORE "[dump0]\nfile=program\naddress=0x50100\noffset=0x100\n"
	                        "length=0x1000\n");
	open_sound(m, NULL);
	assert_int_equal(m->snapshot->image_count, 1);
	assert_int_equal(m->snapshot->mapped_images, 0);
	assert_int_equal(m->snapshot->images[0]->segments[0].address, 0x50000);
	assert_memory(m, SPACE_ANY, 0x50100, 0x77);
	assert_true(region_at(m, 0x50100)->read_only);
	assert_memory(m, SPACE_ANY, 0x50000, -1); /* no dump shows it */
}

static void snapshot_other_cores_dumps_come_last(void **state)
{
	struct model *m = *state;
	uint8_t bytes[49];

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\nb=cpu_1.ini\n");
	scratch_text(&m->scratch, "cpu_1.ini",
	             "[device]\nname=cpu_1\nclass=core\ntype=Cortex-A53\n"
	             "[regs]\nPC(size:64)=0\nSP(size:64)=0\nCPSR=0\n"
	             "[dump0]\nfile=mem.bin\naddress=0x1030\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_memory(m, SPACE_ANY, 0x1030, 0x30);
	assert_memory(m, SPACE_ANY, 0x1040, 0x10);
	assert_int_equal(region_at(m, 0x1040)->address, 0x1030);
	/* The second core sees its own first, and the first core's then. */
	assert_int_equal(memmap_read(m->snapshot->cores[1].memory, SPACE_ANY, 0x1000, bytes, 49),
	                 49);
	assert_int_equal(bytes[47], 0x2f);
	assert_int_equal(bytes[48], 0);
}

static void snapshot_device_without_class_is_what_its_registers_say(void **state)
{
	struct model *m = *state;

	scratch_text(&m->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu_0.ini\n");
	scratch_text(&m->scratch, "cpu_0.ini",
	             "[device]\nname=c\ntype=Cortex-A53\n"
	             "[regs]\nPC(size:64)=0\nSP(size:64)=0\nCPSR=0\n");
	assert_int_equal(model_open(m, NULL), STATUS_OK);
	assert_diags(&m->diags, "cpu_0.ini:1: warning: device \"c\" has no class\n"
	                        "warning: the snapshot has no trace buffer\n");
	assert_int_equal(m->snapshot->core_count, 1);
}

/* Whatever is changed in its files, opening and checking a snapshot ends. */
static void snapshot_random_changes_are_survived(void **state)
{
	static const char *const files[] = {"snapshot.ini", "cpu_0.ini", "etm_0.ini", "trace.ini"};
	static const char *const contents[] = {MODEL_HEAD, MODEL_CORE MODEL_DUMP,
	                                       MODEL_SOURCE MODEL_SOURCE_REGS, MODEL_TRACE};
	static const char alphabet[] = "=:()[]0x19,\n @./-kF";
	struct model *m = *state;
	uint64_t seed = 5;
	size_t opened = 0;

	for (int round = 0; round < 800; round++) {
		size_t which = next_random(&seed) % 4;
		char content[1024];
		size_t size = strlen(contents[which]);

		memcpy(content, contents[which], size);
		for (uint32_t i = 0; i <= next_random(&seed) % 6; i++)
			content[next_random(&seed) % size] =
			        alphabet[next_random(&seed) % (sizeof(alphabet) - 1)];
		scratch_write(&m->scratch, files[which], content, size);
		opened += model_open(m, NULL) == STATUS_OK;
		assert_true(m->snapshot || m->diags.errors > 0);
		diag_list_fini(&m->diags);
		scratch_text(&m->scratch, files[which], contents[which]);
	}
	assert_true(opened > 100);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, model_set_up, model_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	        CASE(snapshot_model_is_sound),
	        CASE(snapshot_head_file_stands_for_its_folder),
	        CASE(snapshot_register_keys_have_every_form),
	        CASE(snapshot_dump_has_space_length_and_offset),
	        CASE(snapshot_sources_are_found_by_location_and_stream),
	        CASE(snapshot_unqualified_source_stands_for_its_streams),
	        CASE(snapshot_names_in_metadata_need_not_be_exact),
	        CASE(snapshot_odd_metadata_is_told_and_the_rest_holds),
	        CASE(snapshot_one_buffer_needs_no_source_buffers),
	        CASE(snapshot_several_buffers_without_source_buffers_are_all_searched),
	        CASE(snapshot_core_may_have_several_sources),
	        CASE(snapshot_core_state_comes_from_type_and_registers),
	        CASE(snapshot_protocol_comes_from_type),
	        CASE(snapshot_image_gives_code_and_data_but_no_bss),
	        CASE(snapshot_dump_of_equal_code_is_read_only_by_the_page),
	        CASE(snapshot_elf_that_a_dump_names_is_an_image_where_the_dump_is),
	        CASE(snapshot_other_cores_dumps_come_last),
	        CASE(snapshot_device_without_class_is_what_its_registers_say),
	        CASE(snapshot_random_changes_are_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
