/* SPDX-License-Identifier: Apache-2.0 */
/* Trace packages: contents.ini and its metadata as a snapshot; options in place of registers. */
#include "scratch.h"

#include "snapshot/snapshot.h"
#include "snapshot/source_option.h"

#define CONTENTS "[trace]\nmetadata=trace.ini\nbuffer0=a.bin\n"
#define BUFFER   "[buffer]\nvendor: ARM\ncomponent: ETB\nformat: coresight\n"
#define ETM3_OPTIONS                                                                               \
	"format: ETM3.5\ncyclecount: 1\ntimestamp_bits: 48\ntimestamp_gray: 0\ncontext_id: 32\n"

struct fixture {
	struct scratch scratch;
	struct diag_list diags;
	struct snapshot *snapshot;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	uint8_t frames[32] = {0};

	assert_non_null(f);
	scratch_open(&f->scratch);
	frames[0] = 0x10 << 1 | 1; /* trace ID 0x10 */
	scratch_text(&f->scratch, "contents.ini", CONTENTS);
	scratch_write(&f->scratch, "a.bin", frames, sizeof(frames));
	frames[0] = 0x11 << 1 | 1;
	scratch_write(&f->scratch, "b.bin", frames, sizeof(frames));
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	snapshot_destroy(f->snapshot);
	diag_list_fini(&f->diags);
	scratch_close(&f->scratch);
	free(f);
	return 0;
}

static enum status open_package(struct fixture *f)
{
	snapshot_destroy(f->snapshot);
	return snapshot_open(f->scratch.folder, NULL, &f->diags, &f->snapshot);
}

static enum status open_with(struct fixture *f, const char *metadata)
{
	scratch_text(&f->scratch, "trace.ini", metadata);
	return open_package(f);
}

static void assert_str(struct str s, const char *expected)
{
	assert_true(str_eq(s, str_of(expected)));
}

static void contents_sections_become_sources_and_cores(void **state)
{
	struct fixture *f = *state;
	const struct snapshot *s;

	assert_int_equal(open_with(f,
	                           BUFFER "[trace_16]\n" ETM3_OPTIONS "[trace_0x11]\nformat: STM\n"
	                                  "[trace_18]\nformat: ETM4.2\n"),
	                 STATUS_OK);
	s = f->snapshot;
	assert_true(s->is_trace_package);
	assert_int_equal(s->buffer_count, 1);
	assert_str(s->buffers[0].name, "buffer0");
	assert_int_equal(s->buffers[0].format, BUFFER_CORESIGHT);
	assert_int_equal(bytes_left(&s->buffers[0].data), 32);
	assert_int_equal(s->source_count, 3);
	assert_int_equal(s->sources[0].protocol, PROTOCOL_ETM3);
	assert_int_equal(s->sources[1].protocol, PROTOCOL_STM);
	assert_null(s->sources[1].core);
	assert_int_equal(s->core_count, 2);
	assert_ptr_equal(s->sources[0].core, &s->cores[0]);
	assert_ptr_equal(s->cores[1].sources[0], &s->sources[2]);
	assert_str(s->cores[0].device->name, "core_16");
	assert_int_equal(s->cores[0].arch, CORE_A32);
	assert_int_equal(s->cores[1].arch, CORE_A64);
	assert_diags(&f->diags, "");
}

static void contents_trace_id_is_in_the_sections_name(void **state)
{
	struct fixture *f = *state;
	uint8_t id = 0;

	/* A register that says another does not count. */
	assert_int_equal(open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS "ETMTRACEIDR: 0x22\n"),
	                 STATUS_OK);
	assert_true(snap_source_trace_id(&f->snapshot->sources[0], &id));
	assert_int_equal(id, 16);
	assert_diags(&f->diags, "trace.ini:11: warning: trace source \"trace_16\": register "
	                        "ETMTRACEIDR is 0x22, which contradicts the section's name, trace "
	                        "ID 16; the name counts\n");
}

static void assert_register(struct fixture *f, const char *name, uint32_t expected)
{
	uint32_t value = 0;

	assert_int_equal(
	        snap_source_register(&f->snapshot->sources[0], str_of(name), &f->diags, &value),
	        STATUS_OK);
	assert_int_equal(value, expected);
}

static void contents_options_stand_in_for_etm3_registers(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS "ETMIDR: 0x412CF250\n"),
	                 STATUS_OK);
	assert_register(f, "ETMCR", 0x0000d000);
	assert_register(f, "ETMCCER", 0x10000000); /* binary */
	assert_register(f, "ETMTRACEIDR", 16);
	assert_register(f, "ETMIDR", 0x412cf250); /* given */
	assert_diags(&f->diags,
	             "trace.ini:5: note: trace source \"trace_16\" has no register ETMCR; "
	             "taken as 0xd000 from cyclecount, context_id; not said, taken as 0: "
	             "data_value, data_address, data-only trace\n"
	             "trace.ini:5: note: trace source \"trace_16\" has no register "
	             "ETMCCER; taken as 0x10000000 from timestamp_bits, timestamp_gray; not said, "
	             "taken as 0: virtualization extensions\n");
}

/* Trace metadata, 4.4.1: bits 2 and 3 of ETMCR. */
static void contents_options_say_that_data_are_traced(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
	        open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS "data_value: 0\ndata_address: 1\n"),
	        STATUS_OK);
	assert_register(f, "ETMCR", 0x0000d008);
	assert_diags(
	        &f->diags,
	        "trace.ini:5: note: trace source \"trace_16\" has no register ETMCR; "
	        "taken as 0xd008 from data_value, data_address, cyclecount, context_id; not said, "
	        "taken as 0: data-only trace\n");
}

static void contents_options_stand_in_for_ptm_registers(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_with(f, BUFFER "[trace_16]\nformat: PFT1.1\ncyclecount: 0\n"
	                                     "timestamp_bits: 64\ntimestamp_gray: 0\n"
	                                     "context_id: 8\ndmb_dsb_are_waypoints: 1\n"),
	                 STATUS_OK);
	assert_register(f, "ETMCR", 0x00004000);
	assert_register(f, "ETMCCER", 0x31000000);
	assert_register(f, "ETMIDR", 0x310);
	assert_diags(
	        &f->diags,
	        "trace.ini:5: note: trace source \"trace_16\" has no register ETMCR; taken as "
	        "0x4000 from cyclecount, context_id; not said, taken as 0: return stack\n"
	        "trace.ini:5: note: trace source \"trace_16\" has no register ETMCCER; taken as "
	        "0x31000000 from timestamp_bits, timestamp_gray, dmb_dsb_are_waypoints\n"
	        "trace.ini:5: note: trace source \"trace_16\" has no register ETMIDR; taken as "
	        "0x310 from format\n");
}

static void contents_options_stand_in_for_etm4_registers(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_with(f, BUFFER "[trace_16]\nformat: ETMv4.3\ncyclecount: 1\n"
	                                     "context_id: 32\nvmid: 8\n"),
	                 STATUS_OK);
	assert_register(f, "TRCCONFIGR", 0x10);
	assert_register(f, "TRCIDR1", 0x430);
	assert_register(f, "TRCIDR2", 0x488);
	assert_register(f, "TRCTRACEIDR", 0x10);
	diag_list_fini(&f->diags);
	assert_register(f, "TRCIDR0", 0x280000a1);
	assert_diags(&f->diags, "trace.ini:5: warning: trace source \"trace_16\" has no register "
	                        "TRCIDR0 and no option says it; taken as 0x280000a1\n");
}

static void assert_no_register(struct fixture *f, const char *name, const char *message)
{
	uint32_t value = 7;

	assert_int_equal(
	        snap_source_register(&f->snapshot->sources[0], str_of(name), &f->diags, &value),
	        STATUS_BAD_DATA);
	assert_int_equal(value, 7);
	assert_diags(&f->diags, message);
}

static void contents_missing_option_is_named_with_its_register(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_with(f, BUFFER "[trace_16]\nformat: PTM\ncyclecount: 0\n"
	                                     "timestamp_bits: 64\n"),
	                 STATUS_OK);
	assert_no_register(
	        f, "ETMCR",
	        "trace.ini:5: error: trace source \"trace_16\" has neither register ETMCR "
	        "nor option context_id, which its trace cannot be decoded without\n");
	assert_no_register(f, "ETMCCER",
	                   "trace.ini:5: error: trace source \"trace_16\" has neither register "
	                   "ETMCCER nor option timestamp_gray, which its trace cannot be decoded "
	                   "without\n");
	assert_no_register(
	        f, "ETMIDR",
	        "trace.ini:5: error: trace source \"trace_16\" has neither register ETMIDR "
	        "nor option format, which its trace cannot be decoded without\n");
	assert_no_register(f, "TRCIDR8",
	                   "trace.ini:5: error: trace source \"trace_16\" has no register TRCIDR8, "
	                   "which its trace cannot be decoded without\n");
}

/*
 * What timestamps look like is asked where the trace may have some, and in a version that has a
 * choice: from ETMv3.5 and PFT 1.1 on, and if ETMCR enables them.
 */
static void contents_option_that_is_not_needed_may_be_missing(void **state)
{
	static const char *const needless[] = {
	        "format: PFT1.1\ntimestamp_bits: 0\n",
	        "format: PFT1.0\n",
	        "format: ETM3.4\n",
	        "format: ETM3.1\n",
	        "format: ETM3.5\nETMCR: 0x1000\n",
	        "format: PFT1.1\nETMCR: 0x20000000\n",
	        "format: ETM3.5\nETMIDR: 0x410cf240\n",
	};
	static const char *const needed[] = {
	        "format: PFT1.1\n",
	        "format: ETM3.5\n",
	        "format: ETM3.5\nETMCR: 0x10001000\n",
	        "format: ETM3.4\nETMIDR: 0x410cf250\n",
	        "format: PTM\n",
	};
	struct fixture *f = *state;
	char text[200];

	for (size_t i = 0; i < sizeof(needless) / sizeof(needless[0]); i++) {
		(void)snprintf(text, sizeof(text), BUFFER "[trace_16]\n%s", needless[i]);
		assert_int_equal(open_with(f, text), STATUS_OK);
		assert_register(f, "ETMCCER", 0);
		diag_list_fini(&f->diags);
	}
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		(void)snprintf(text, sizeof(text), BUFFER "[trace_16]\n%s", needed[i]);
		assert_int_equal(open_with(f, text), STATUS_OK);
		diag_list_fini(&f->diags);
		assert_no_register(f, "ETMCCER",
		                   "trace.ini:5: error: trace source \"trace_16\" has neither "
		                   "register ETMCCER nor option timestamp_bits, which its trace "
		                   "cannot be decoded without\n");
		diag_list_fini(&f->diags);
	}
}

/* Trace metadata 6.3.1 has 0, 8, 16 and 32; TRCIDR2.CIDSIZE knows none and 32 (ARM IHI 0064). */
static void contents_context_id_of_an_etm4_has_32_bits_or_none(void **state)
{
	static const char *const formats[] = {"ETM4.2", "ETE1.1"};
	static const char *const names[] = {"ETMv4", "ETE"};
	struct fixture *f = *state;
	char text[200];
	char expected[200];

	for (unsigned int i = 0; i < 4; i++) {
		unsigned int bits = i % 2 == 0 ? 8 : 16;

		(void)snprintf(text, sizeof(text),
		               BUFFER "[trace_16]\nformat: %s\ncontext_id: %u\n", formats[i / 2],
		               bits);
		(void)snprintf(
		        expected, sizeof(expected),
		        "trace.ini:5: error: trace source \"trace_16\": context_id is %u, but "
		        "context IDs of %s have 0 or 32 bits; its trace cannot be decoded\n",
		        bits, names[i / 2]);
		assert_int_equal(open_with(f, text), STATUS_OK);
		assert_no_register(f, "TRCIDR2", expected);
		diag_list_fini(&f->diags);
	}
}

static void contents_register_that_contradicts_an_option_is_told(void **state)
{
	struct fixture *f = *state;

	/* As they should be: the sizes of what is not traced are no contradiction. */
	assert_int_equal(
	        open_with(f, BUFFER
	                  "[trace_16]\n" ETM3_OPTIONS "ETMCR: 0x1000d000\nETMIDR: 0x412CF250\n"
	                  "ETMCCER: 0x10000000\nETMTRACEIDR: 16\n"
	                  "[trace_17]\nformat: ETM4.2\ncyclecount: 0\ncontext_id: 0\nvmid: 0\n"
	                  "TRCIDR1: 0x4100f422\nTRCIDR2: 0x488\nTRCCONFIGR: 1\n"
	                  "[trace_18]\nformat: PFT1.1\ntimestamp_bits: 0\nETMCCER: 0x30000000\n"),
	        STATUS_OK);
	assert_diags(&f->diags, "");
	assert_int_equal(open_with(f,
	                           BUFFER "[trace_16]\n" ETM3_OPTIONS "data_value: 1\n"
	                                  "ETMCR: 0x10004000\nETMIDR: 0x412CF240\n"
	                                  "[trace_17]\nformat: PFT1.1\ntimestamp_bits: 48\n"
	                                  "timestamp_gray: 1\nETMCCER: 0x30000000\n"
	                                  "[trace_18]\nformat: ETM4.2\ncontext_id: 32\nvmid: 16\n"
	                                  "TRCIDR2: 0x400\n"),
	                 STATUS_OK);
#define AT(line, source, reg, value, against)                                                      \
	"trace.ini:" line ": warning: trace source \"trace_" source "\": register " reg            \
	" is " value ", which contradicts " against "; the register counts\n"
	assert_diags(&f->diags,
	             AT("12", "16", "ETMCR", "0x10004000", "data_value 1") AT(
	                     "12", "16", "ETMCR", "0x10004000",
	                     "cyclecount 1") AT("12", "16", "ETMCR", "0x10004000", "context_id 32")
	                     AT("13", "16", "ETMIDR", "0x412cf240", "format, version 5") AT(
	                             "18", "17", "ETMCCER", "0x30000000", "timestamp_bits 48")
	                             AT("18", "17", "ETMCCER", "0x30000000", "timestamp_gray 1")
	                                     AT("23", "18", "TRCIDR2", "0x400", "context_id 32")
	                                             AT("23", "18", "TRCIDR2", "0x400", "vmid 16"));
#undef AT
}

/* Trace metadata 4.6: the metadata of an unformatted buffer are those of one source. */
static void contents_raw_buffers_are_of_one_source_each(void **state)
{
	static const char raw[] = "[buffer]\nformat: source_data\n[trace_16]\nformat: ITM\n"
	                          "[trace_17]\nformat: STM\n";
	struct fixture *f = *state;

	scratch_text(&f->scratch, "contents.ini", CONTENTS "buffer1=b.bin\n");
	assert_int_equal(open_with(f, raw), STATUS_OK);
	assert_int_equal(f->snapshot->sources[0].buffer_count, 0);
	assert_int_equal(f->snapshot->sources[1].buffer_count, 0);
#define NOBODYS(line, buffer)                                                                      \
	"contents.ini:" line ": error: buffer \"" buffer "\" has the data of one source, and "     \
	"\"trace.ini\" describes 2 for 2 buffers: name a metadata file for each source, in a "     \
	"[trace...] section with its buffers\n"
	assert_diags(&f->diags, NOBODYS("3", "buffer0") NOBODYS("4", "buffer1"));
#undef NOBODYS
	diag_list_fini(&f->diags);

	scratch_text(&f->scratch, "contents.ini",
	             CONTENTS "[trace_1]\nmetadata=one.ini\nbuffer1=b.bin\n");
	scratch_text(&f->scratch, "one.ini",
	             "[buffer]\nformat: source_data\n[trace_17]\nformat: STM\n");
	assert_int_equal(open_with(f, "[buffer]\nformat: source_data\n[trace_16]\nformat: ITM\n"),
	                 STATUS_OK);
	assert_diags(&f->diags, "");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(f->snapshot->sources[i].buffer_count, 1);
		assert_int_equal(f->snapshot->sources[i].buffers[0], i);
	}
}

static void contents_source_is_in_the_buffers_that_have_its_id(void **state)
{
	struct fixture *f = *state;
	const struct snap_source *sources;

	scratch_text(&f->scratch, "contents.ini", CONTENTS "buffer1=b.bin\n");
	assert_int_equal(open_with(f, BUFFER "[trace_16]\nformat: ITM\n[trace_17]\nformat: STM\n"
	                                     "[trace_18]\nformat: STM\n"),
	                 STATUS_OK);
	sources = f->snapshot->sources;
	assert_int_equal(f->snapshot->buffer_count, 2);
	assert_int_equal(sources[0].buffer_count, 1);
	assert_int_equal(sources[0].buffers[0], 0);
	assert_int_equal(sources[1].buffer_count, 1);
	assert_int_equal(sources[1].buffers[0], 1);
	assert_int_equal(sources[2].buffer_count, 0);
}

/*
 * Trace metadata 6.3.1: where IDs are used twice there are several metadata files, each with
 * buffers of its own.
 */
static void contents_several_metadata_files_have_ids_of_their_own(void **state)
{
	struct fixture *f = *state;
	const struct snapshot *snapshot;

	scratch_text(&f->scratch, "contents.ini",
	             "[trace]\nmetadata=trace.ini\nbuffer0=a.bin\n"
	             "[trace_cluster1]\nmetadata=one.ini\nbuffer0=a.bin\nbuffer1=b.bin\n"
	             "[trace]\nmetadata=trace.ini\nbuffer1=b.bin\n"
	             "[tracing]\na=b\n");
	scratch_text(&f->scratch, "one.ini",
	             "[buffer]\nformat: coresight\n"
	             "[trace_16]\nformat: ETM4.2\n[trace_17]\nformat: STM\n");
	assert_int_equal(open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS), STATUS_OK);
	assert_diags(&f->diags, "contents.ini:11: warning: section [tracing] is ignored\n");
	snapshot = f->snapshot;
	assert_int_equal(snapshot->buffer_count, 4);
	assert_str(snapshot->buffers[0].name, "buffer0@trace.ini");
	assert_str(snapshot->buffers[1].name, "buffer0@one.ini");
	assert_str(snapshot->buffers[2].name, "buffer1@one.ini");
	assert_str(snapshot->buffers[3].name, "buffer1@trace.ini");
	assert_int_equal(snapshot->source_count, 3);
	assert_str(snapshot->sources[0].device->name, "trace_16@trace.ini");
	assert_int_equal(snapshot->sources[0].protocol, PROTOCOL_ETM3);
	assert_int_equal(snapshot->sources[0].buffer_count, 1);
	assert_int_equal(snapshot->sources[0].buffers[0], 0);
	assert_str(snapshot->sources[1].device->name, "trace_16@one.ini");
	assert_int_equal(snapshot->sources[1].protocol, PROTOCOL_ETM4);
	assert_int_equal(snapshot->sources[1].buffer_count, 1);
	assert_int_equal(snapshot->sources[1].buffers[0], 1);
	assert_int_equal(snapshot->sources[2].buffer_count, 1);
	assert_int_equal(snapshot->sources[2].buffers[0], 2);
	assert_int_equal(snapshot->core_count, 2);
	assert_str(snapshot->cores[0].device->name, "core_16@trace.ini");
	assert_str(snapshot->cores[1].device->name, "core_16@one.ini");
	assert_int_equal(snapshot->cores[0].arch, CORE_A32);
	assert_int_equal(snapshot->cores[1].arch, CORE_A64);
}

/* One that cannot be had leaves the others. */
static void contents_a_metadata_file_that_is_missing_leaves_the_others(void **state)
{
	struct fixture *f = *state;

	scratch_text(&f->scratch, "contents.ini",
	             CONTENTS "[trace2]\nmetadata=none.ini\nbuffer0=b.bin\n");
	assert_int_equal(open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS), STATUS_OK);
	assert_diags(&f->diags, "contents.ini:5: error: cannot open \"none.ini\": No such file or "
	                        "directory\n");
	assert_int_equal(f->snapshot->buffer_count, 1);
	assert_str(f->snapshot->buffers[0].name, "buffer0");
	assert_int_equal(f->snapshot->core_count, 1);
}

static void contents_dumps_are_the_memory_of_all_cores(void **state)
{
	struct fixture *f = *state;
	uint8_t byte = 0;

	scratch_text(&f->scratch, "contents.ini",
	             CONTENTS "[dump0]\nfile=a.bin\naddress=0x8000\nlength=16\n");
	assert_int_equal(
	        open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS "[trace_17]\n" ETM3_OPTIONS),
	        STATUS_OK);
	for (size_t i = 0; i < 2; i++) {
		const struct memmap *memory = f->snapshot->cores[i].memory;

		assert_int_equal(memmap_read(memory, SPACE_ANY, 0x8000, &byte, 1), 1);
		assert_int_equal(byte, 0x21);
		assert_int_equal(memmap_read(memory, SPACE_ANY, 0x8010, &byte, 1), 0);
	}
	assert_diags(&f->diags, "");
}

static void contents_what_is_odd_is_reported(void **state)
{
	struct fixture *f = *state;

	scratch_text(&f->scratch, "contents.ini", CONTENTS "log=x\n[files]\na=b\n");
	assert_int_equal(open_with(f, BUFFER "[trace_0]\nformat: ITM\n"
	                                     "[trace_16]\n" ETM3_OPTIONS
	                                     "context_id: 8\nvmid: 24\ncolour: red\nETMCR: many\n"
	                                     "[trace_112]\nformat: ITM\n"
	                                     "[trace_0x10]\nformat: ITM\n"
	                                     "[notes]\na: b\n"),
	                 STATUS_OK);
	assert_int_equal(f->snapshot->source_count, 1);
	assert_diags(
	        &f->diags,
	        "contents.ini:5: warning: section [files] is ignored\n"
	        "contents.ini:4: warning: section [trace]: unknown key \"log\" is ignored\n"
	        "trace.ini:5: error: section [trace_0] names no trace source, expected trace_1 "
	        "to trace_111\n"
	        "trace.ini:13: warning: section [trace_16]: key \"context_id\" is ignored: it was "
	        "there before\n"
	        "trace.ini:14: error: section [trace_16]: vmid is \"24\", expected one of 0 8 16 "
	        "32\n"
	        "trace.ini:15: warning: section [trace_16]: unknown key \"colour\" is ignored\n"
	        "trace.ini:16: error: register \"ETMCR\": value \"many\" is not a number\n"
	        "trace.ini:17: error: section [trace_112] names no trace source, expected "
	        "trace_1 to trace_111\n"
	        "trace.ini:19: error: section [trace_0x10] is ignored: line 7 has that trace "
	        "source too\n"
	        "trace.ini:21: warning: section [notes] is ignored\n");
}

static void contents_without_what_is_needed_is_an_error(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_with(f, BUFFER), STATUS_BAD_DATA);
	assert_null(f->snapshot);
	assert_int_equal(open_with(f, "[trace_16]\nformat: ITM\n"), STATUS_BAD_DATA);
	scratch_text(&f->scratch, "contents.ini", "[trace]\nbuffer0=a.bin\n");
	assert_int_equal(open_package(f), STATUS_BAD_DATA);
	scratch_text(&f->scratch, "contents.ini", "[trace]\nmetadata=../x.ini\n");
	assert_int_equal(open_package(f), STATUS_BAD_DATA);
	assert_diags(&f->diags,
	             "trace.ini: error: no section [trace_N] describes a trace source\n"
	             "trace.ini: error: section [buffer] is missing\n"
	             "contents.ini:1: error: section [trace] has no key \"metadata\"\n"
	             "contents.ini:2: error: \"../x.ini\" leaves the snapshot's folder; see "
	             "--allow-outside\n");
}

static void contents_beside_a_snapshot_does_not_count(void **state)
{
	struct fixture *f = *state;
	char path[PATH_MAX];

	scratch_text(&f->scratch, "snapshot.ini",
	             "[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\n");
	scratch_text(&f->scratch, "cpu.ini", "[device]\nname=cpu\nclass=core\ntype=Cortex-A53\n");
	assert_int_equal(open_package(f), STATUS_OK);
	assert_false(f->snapshot->is_trace_package);
	snapshot_destroy(f->snapshot);
	assert_int_equal(snapshot_open(scratch_path(&f->scratch, "contents.ini", path), NULL,
	                               &f->diags, &f->snapshot),
	                 STATUS_OK);
	assert_false(f->snapshot->is_trace_package);
	assert_str(f->snapshot->cores[0].device->name, "cpu");
	assert_diags(&f->diags, "");
}

static void contents_version_is_after_the_dot(void **state)
{
	/* `minor` is -1 where no version is said. */
	static const struct {
		const char *format;
		size_t size;
		int minor;
	} rows[] = {
	        {"ETM3.5", 6, 5},   {"ETM4", 4, 0},     {"PFT1.1", 6, 1},
	        {"ETE", 3, -1},     {"", 0, -1},        {"ETM4.", 5, -1},
	        {"ETM4.15", 7, 15}, {"ETM4.16", 7, -1}, {"ETM4.25", 6, 2},
	        {"ETM43.2", 7, 2},  {"ETM4.2-x", 8, 2}, {"ETM4.99999999999999999999", 25, -1},
	        {"ETM4x.2", 7, 0},  {"9.3", 3, 3},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct source_options options = {.values = {[SOURCE_OPTION_MINOR] = 77}};

		source_option_set_version(&options, (struct str){rows[i].format, rows[i].size});
		assert_int_equal(options.given[SOURCE_OPTION_MINOR], rows[i].minor >= 0);
		assert_int_equal(options.values[SOURCE_OPTION_MINOR],
		                 rows[i].minor >= 0 ? rows[i].minor : 77);
	}
}

static void contents_option_has_one_of_its_values(void **state)
{
	static const struct {
		const char *key;
		const char *values;
		enum source_option option;
	} rows[] = {
	        {"cyclecount", "0 1", SOURCE_OPTION_CYCLECOUNT},
	        {"Timestamp_Bits", "0 48 64", SOURCE_OPTION_TIMESTAMP_BITS},
	        {"timestamp_gray", "0 1", SOURCE_OPTION_TIMESTAMP_GRAY},
	        {"context_id", "0 8 16 32", SOURCE_OPTION_CONTEXT_ID},
	        {"vmid", "0 8 16 32", SOURCE_OPTION_VMID},
	        {"dmb_dsb_are_waypoints", "0 1", SOURCE_OPTION_WAYPOINTS},
	        {"data_value", "0 1", SOURCE_OPTION_DATA_VALUE},
	        {"data_address", "0 1", SOURCE_OPTION_DATA_ADDRESS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str rest = str_of(rows[i].values);

		assert_int_equal(source_option_find(str_of(rows[i].key)), rows[i].option);
		assert_str(source_option_values(rows[i].option), rows[i].values);
		while (rest.p) {
			struct source_options options = {0};
			struct str value = str_next_part(&rest, ' ');
			uint64_t number;

			assert_int_equal(str_to_u64(value, &number), STATUS_OK);
			assert_int_equal(source_option_set(&options, rows[i].option, value),
			                 STATUS_OK);
			assert_true(options.given[rows[i].option]);
			assert_int_equal(options.values[rows[i].option], number);
			options = (struct source_options){0};
			assert_int_equal(source_option_set(&options, rows[i].option, STR("3")),
			                 STATUS_BAD_DATA);
			assert_false(options.given[rows[i].option]);
		}
	}
	assert_int_equal(source_option_find(STR("colour")), SOURCE_OPTIONS);
	assert_int_equal(source_option_find(STR("")), SOURCE_OPTIONS);
}

/* There is no core whose memory it could be. */
static void contents_dumps_of_no_core_are_not_looked_at(void **state)
{
	struct fixture *f = *state;

	scratch_text(&f->scratch, "contents.ini",
	             CONTENTS "[dump0]\nfile=none.bin\naddress=0x8000\n");
	assert_int_equal(open_with(f, BUFFER "[trace_16]\nformat: ITM\n"), STATUS_OK);
	assert_int_equal(f->snapshot->core_count, 0);
	assert_diags(&f->diags, "");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* 6.3.1: without `format` nobody knows how to decode the source; others are there. */
static void contents_format_is_needed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
	        open_with(f, BUFFER "[trace_16]\ncyclecount: 1\n[trace_17]\nformat: STM\n"),
	        STATUS_OK);
	assert_int_equal(f->snapshot->source_count, 2);
	assert_int_equal(f->snapshot->sources[0].protocol, PROTOCOL_UNKNOWN);
	assert_int_equal(f->snapshot->sources[1].protocol, PROTOCOL_STM);
	assert_diags(&f->diags, "trace.ini:5: error: section [trace_16] has no key \"format\"\n");
}

/* 6.4: the file of a buffer is not there: the rest is. */
static void contents_buffer_without_its_file_has_no_data(void **state)
{
	struct fixture *f = *state;

	scratch_text(&f->scratch, "contents.ini",
	             "[trace]\nmetadata=trace.ini\nbuffer0=a.bin\nbuffer1=none.bin\n");
	assert_int_equal(open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS), STATUS_OK);
	assert_diags(
	        &f->diags,
	        "contents.ini:4: error: cannot open \"none.bin\": No such file or directory\n");
	assert_int_equal(bytes_left(&f->snapshot->buffers[0].data), 32);
}

/* 4.4.1: what was filtered is not in the trace; registers that say how do not matter. */
static void contents_registers_of_filters_are_kept(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(open_with(f, BUFFER "[trace_16]\n" ETM3_OPTIONS
	                                     "ETMTEEVR: 0x6f\nETMACVR1: 0x1000\nETMTECR1: 0x1\n"),
	                 STATUS_OK);
	assert_register(f, "ETMTEEVR", 0x6f);
	assert_register(f, "ETMACVR1", 0x1000);
	assert_diags(&f->diags, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test_setup_teardown(contents_format_is_needed, set_up, tear_down),
	        cmocka_unit_test_setup_teardown(contents_buffer_without_its_file_has_no_data,
	                                        set_up, tear_down),
	        cmocka_unit_test_setup_teardown(contents_registers_of_filters_are_kept, set_up,
	                                        tear_down),
	        CASE(contents_sections_become_sources_and_cores),
	        CASE(contents_trace_id_is_in_the_sections_name),
	        CASE(contents_options_stand_in_for_etm3_registers),
	        CASE(contents_options_say_that_data_are_traced),
	        CASE(contents_options_stand_in_for_ptm_registers),
	        CASE(contents_options_stand_in_for_etm4_registers),
	        CASE(contents_missing_option_is_named_with_its_register),
	        CASE(contents_option_that_is_not_needed_may_be_missing),
	        CASE(contents_context_id_of_an_etm4_has_32_bits_or_none),
	        CASE(contents_register_that_contradicts_an_option_is_told),
	        CASE(contents_raw_buffers_are_of_one_source_each),
	        CASE(contents_source_is_in_the_buffers_that_have_its_id),
	        CASE(contents_dumps_are_the_memory_of_all_cores),
	        CASE(contents_several_metadata_files_have_ids_of_their_own),
	        CASE(contents_a_metadata_file_that_is_missing_leaves_the_others),
	        cmocka_unit_test(contents_version_is_after_the_dot),
	        cmocka_unit_test(contents_option_has_one_of_its_values),
	        CASE(contents_dumps_of_no_core_are_not_looked_at),
	        CASE(contents_what_is_odd_is_reported),
	        CASE(contents_without_what_is_needed_is_an_error),
	        CASE(contents_beside_a_snapshot_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
