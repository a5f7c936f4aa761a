/* SPDX-License-Identifier: Apache-2.0 */
/* What is read through the connection: memory, files, documents, the map of instruction sets. */
#include <stdio.h>
#include <stdlib.h>

#include "gdb_rig.h"

/* The request's reply; what was sent for it must not be longer than what qSupported promises. */
static struct str fitting_reply(const char *request)
{
	struct str reply = ask_bytes(str_of(request));

	assert_true(rig.gdb.out.length >= reply.n + 4);
	assert_true(rig.gdb.out.length - 4 <= RSP_PACKET_SIZE);
	return reply;
}

/* Each byte is two digits, or in binary one that needs an escape: half a packet, or nearly. */
static void memory_of_any_size_fits_the_packet(void **state)
{
	struct str reply;

	(void)state;
	connect_gdb();
	reply = fitting_reply("m100000,20000");
	assert_in_range(reply.n, RSP_PACKET_SIZE - 64, RSP_PACKET_SIZE);
	for (size_t i = 0; i < reply.n; i += 2)
		assert_memory_equal(reply.p + i, "7d", 2);
	reply = fitting_reply("x100000,ffffffffffffffff");
	assert_in_range(reply.n, RSP_PACKET_SIZE / 2 - 32, RSP_PACKET_SIZE / 2);
	assert_int_equal(reply.p[0], 'b');
	for (size_t i = 1; i < reply.n; i++)
		assert_int_equal(reply.p[i], '}');
}

static void memory_is_read_in_pieces_without_seams(void **state)
{
	static const unsigned int lengths[] = {1, 511, 512, 513, 1023, 1024, 1025};
	char packet[64];

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		(void)snprintf(packet, sizeof(packet), "m100000,%x", lengths[i]);
		assert_int_equal(ask_bytes(str_of(packet)).n, 2 * lengths[i]);
		/* As long as there are bytes. */
		(void)snprintf(packet, sizeof(packet), "x%llx,2000",
		               (unsigned long long)FAKE_LARGE + FAKE_LARGE_SIZE - lengths[i]);
		assert_int_equal(ask_bytes(str_of(packet)).n, 1 + lengths[i]);
	}
	assert_string_equal(ask("m1026,1"), "26");
	assert_string_equal(ask("m100000,0"), "");
}

/* There is memory at address 0, too. */
static void memory_ends_with_the_address_space(void **state)
{
	struct str reply;

	(void)state;
	connect_gdb();
	assert_string_equal(ask("m0,2"), "3030");
	reply = ask_bytes(STR("xfffffffffffffe00,400"));
	assert_int_equal(reply.n, 1 + 512);
	for (size_t i = 1; i < reply.n; i++)
		assert_int_equal(reply.p[i], 'T');
}

/* Hg names the thread that gdb means with m. */
static void memory_is_as_the_thread_of_gdb_has_it(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("Hg2"), "OK");
	assert_string_equal(ask("m200000,10"), "61616161");
	assert_string_equal(ask("Hg1"), "OK");
	assert_string_equal(ask("m200000,10"), "61616161616161616161616161616161");
}

/*
 * lldb's memory has no thread, and its Hg is of registers that it may keep: once it has looked at
 * another thread either may be meant.
 */
static void memory_is_as_any_thread_has_it_that_lldb_may_mean(void **state)
{
	(void)state;
	connect_lldb();
	assert_string_equal(ask("m200000,10"), "61616161616161616161616161616161");
	assert_string_equal(ask("Hg2"), "OK");
	assert_string_equal(ask("m200000,10"), "61616161");
	assert_string_equal(ask("m200008,8"), "E14");
	assert_string_equal(ask("Hg1"), "OK");
	assert_string_equal(ask("m200000,10"), "61616161");
	/* What one does not know contradicts nothing where both are at one time. */
	fake_session_set_in_step(true);
	assert_string_equal(ask("m200000,10"), "6161616161616161");
	fake_session_set_in_step(false);
	/* After a stop it has the registers of the thread that stopped, */
	ask("bs");
	assert_string_equal(ask("m200000,10"), "61616161616161616161616161616161");
	ask("qThreadStopInfo2");
	assert_string_equal(ask("m200000,10"), "61616161616161616161616161616161");
	/* until a script says who is selected: thread 1 may be again, without a word. */
	assert_string_equal(ask("T2"), "OK");
	assert_string_equal(ask("m200008,8"), "E14");
	assert_string_equal(ask("m200000,10"), "61616161");
}

static void wrong_requests_of_memory_are_refused(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("x"), "E01");
	assert_string_equal(ask("x1000,"), "E01");
	assert_string_equal(ask("X1000"), "E01");
	assert_string_equal(ask("X1000,0"), "OK");
	assert_string_equal(ask("Xzz,0:"), "E01");
	assert_string_equal(ask("X1000,z:"), "E01");
}

/* Answers to a vFile:open of this name with these flags. */
static const char *open_file(const char *name, const char *flags)
{
	static struct text packet;

	text_clear(&packet);
	text_puts(&packet, "vFile:open:");
	hex_of(&packet, name);
	text_puts(&packet, flags);
	(void)ask(packet.data);
	text_fini(&packet);
	return rig.replies.data;
}

static void each_image_is_a_file_of_its_own(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(open_file(FAKE_LIBRARY, ",0,0"), "F0");
	assert_string_equal(open_file(FAKE_IMAGE, ",0,0"), "F1");
	assert_string_equal(open_file(FAKE_LIBRARY, ",0,0"), "F2");
	assert_string_equal(ask("vFile:pread:0,100,0"), "F10;" FAKE_LIBRARY);
	assert_memory_equal(ask("vFile:pread:1,3,0"), "F3;ELF", 7);
	assert_string_equal(ask("vFile:close:0"), "F0");
	assert_string_equal(ask("vFile:pread:0,1,0"), "F-1,9");
	assert_string_equal(ask("vFile:pread:2,1,1"), "F1;f");
	assert_string_equal(open_file(FAKE_IMAGE, ",0,0"), "F0"); /* the first that is free */
	assert_string_equal(ask("vFile:close:8"), "F-1,9");
	assert_string_equal(ask("vFile:close:x"), "F-1,9");
	assert_string_equal(ask("vFile:fstat:8"), "F-1,9");
	assert_string_equal(ask("vFile:other:0"), "");
	assert_string_equal(ask("vFile"), "");
}

/* Error numbers: gdb manual, "Errno Values". */
static void files_are_not_opened_otherwise(void **state)
{
	char name[4200];

	(void)state;
	connect_gdb();
	assert_string_equal(open_file(FAKE_IMAGE, ",601,1b6"), "F-1,1e");
	assert_string_equal(open_file(FAKE_IMAGE, ""), "F-1,16");
	assert_string_equal(open_file(FAKE_IMAGE, ",,"), "F-1,16");
	assert_string_equal(ask("vFile:open:2,0,0"), "F-1,2");
	assert_string_equal(ask("vFile:open:zz,0,0"), "F-1,2");
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_string_equal(open_file(name, ",0,0"), "F-1,2");
	for (unsigned int i = 0; i < GDB_FILES; i++)
		assert_null(rig.gdb.files[i]);
}

static void file_is_read_at_any_place(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(open_file(FAKE_LIBRARY, ",0,0"), "F0");
	assert_string_equal(ask("vFile:pread:0,100,f"), "F1;o");
	assert_string_equal(ask("vFile:pread:0,1,f"), "F1;o");
	assert_string_equal(ask("vFile:pread:0,1,10"), "F0;");
	assert_string_equal(ask("vFile:pread:0,1,11"), "F0;");
	assert_string_equal(ask("vFile:pread:0,1,ffffffffffffffff"), "F0;");
	assert_string_equal(ask("vFile:pread:0,0,0"), "F0;");
	assert_string_equal(ask("vFile:pread:0,1"), "F-1,16");
	assert_string_equal(ask("vFile:pread:0,x,0"), "F-1,16");
	assert_string_equal(ask("vFile:pread:0,1,x"), "F-1,16");
	assert_string_equal(ask("vFile:pread:0"), "F-1,16");
}

/* All bytes of it need an escape. */
static void large_file_fits_the_packet(void **state)
{
	enum { SIZE = 200000 };
	char *bytes = malloc(SIZE);
	struct str reply;

	(void)state;
	assert_non_null(bytes);
	memset(bytes, '#', SIZE);
	fake_session_set_image(bytes, SIZE);
	connect_gdb();
	assert_string_equal(open_file(FAKE_IMAGE, ",0,0"), "F0");
	reply = fitting_reply("vFile:pread:0,ffffff,10");
	assert_in_range(reply.n, RSP_PACKET_SIZE / 2 - 64, RSP_PACKET_SIZE / 2);
	assert_int_equal(strtoul(reply.p + 1, NULL, 16), reply.n - strlen("Fffff;"));
	assert_string_equal(ask("vFile:pread:0,ffffff,30d3e"), "F2;##");
	free(bytes);
}

/* gdb manual, "struct stat": big endian; a block is of 512 bytes. */
static void status_counts_blocks(void **state)
{
	static const struct {
		unsigned int size;
		unsigned int blocks;
	} cases[] = {{0, 0}, {1, 1}, {511, 1}, {512, 1}, {513, 2}, {1024, 2}, {70000, 137}};
	static const char bytes[70000];

	(void)state;
	connect_gdb();
	assert_string_equal(open_file(FAKE_IMAGE, ",0,0"), "F0");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t expected[24] = {[14] = 2};

		for (unsigned int b = 0; b < 4; b++) {
			expected[7 - b] = (uint8_t)(cases[i].size >> 8 * b);
			expected[23 - b] = (uint8_t)(cases[i].blocks >> 8 * b);
		}
		fake_session_set_image(bytes, cases[i].size);
		assert_int_equal(ask_bytes(STR("vFile:fstat:0")).n, 4 + 64);
		assert_memory_equal(rig.replies.data + 4 + 28, expected, sizeof(expected));
	}
}

/* gdb manual, "qXfer read": 'm' is followed by more, 'l' is the last. */
static void documents_have_no_seams(void **state)
{
	char packet[80];
	struct text whole = {0};
	struct text joined = {0};
	size_t offset = 0;

	(void)state;
	connect_gdb();
	text_add(&whole, str_skip(ask_bytes(STR("qXfer:features:read:target.xml:0,ffff")), 1));
	assert_int_equal(rig.replies.data[0], 'l');
	while (joined.length == 0 || rig.replies.data[0] == 'm') {
		(void)snprintf(packet, sizeof(packet), "qXfer:features:read:target.xml:%zx,3e7",
		               offset);
		text_add(&joined, str_skip(ask_bytes(str_of(packet)), 1));
		offset += 999;
	}
	assert_string_equal(joined.data, whole.data);
	/* At its end there is the empty last part, after it nothing. */
	(void)snprintf(packet, sizeof(packet), "qXfer:features:read:target.xml:%zx,5",
	               whole.length);
	assert_string_equal(ask(packet), "l");
	(void)snprintf(packet, sizeof(packet), "qXfer:features:read:target.xml:%zx,1",
	               whole.length - 1);
	assert_string_equal(ask(packet), "l\n");
	(void)snprintf(packet, sizeof(packet), "qXfer:features:read:target.xml:%zx,5",
	               whole.length + 1);
	assert_string_equal(ask(packet), "E01");
	assert_string_equal(ask("qXfer:features:read:target.xml:0"), "E01");
	assert_string_equal(ask("qXfer:features:read:target.xml:,5"), "E01");
	assert_string_equal(ask("qXfer:threads:read:1:0,5"), "E00");
	text_fini(&whole);
	text_fini(&joined);
}

/* gdb manual, "General Query Packets": symbols are offered, and none is wanted. */
static void identity_is_that_of_the_core(void **state)
{
	(void)state;
	connect_gdb_to(CORE_A32);
	assert_string_equal(ask("qSymbol::"), "OK");
	assert_string_equal(ask("qAttached"), "1");
	fake_session_set_data(true);
	assert_string_equal(ask("qHostInfo"),
	                    "endian:little;ptrsize:4;watchpoint_exceptions_received:after;");
}

/* Hc with a number is for moves alone, until -1 or 0 takes it back. */
static void thread_that_resumes_is_taken_back(void **state)
{
	static const char *const back[] = {"Hc-1", "Hc0", "Hcp1.-1"};

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(back) / sizeof(back[0]); i++) {
		assert_string_equal(ask("T1"), "OK");
		assert_string_equal(ask("Hc2"), "OK");
		assert_string_equal(ask("qC"), "QC1");
		assert_string_equal(ask(back[i]), "OK");
		assert_non_null(strstr(ask("bs"), "thread:1;"));
	}
	assert_string_equal(ask("Hc4"), "E01");
	assert_string_equal(ask("H"), "E01");
	assert_string_equal(ask("Hc"), "E01");
	assert_non_null(strstr(ask("bs"), "thread:1;"));
	assert_string_equal(ask("qThreadExtraInfo,x"), "E01");
}

/* As many bytes as there are, least first, up to eight. */
static void position_is_written_in_any_size(void **state)
{
	static const struct {
		const char *digits;
		const char *reply;
		uint64_t position;
	} cases[] = {
	        {"03", "OK", 3},
	        {"0400", "OK", 4},
	        {"0001", "E.position out of range (0..10)", 4},
	        {"0a00000000000000", "OK", 10},
	        {"0500000000000001", "E.position out of range (0..10)", 10},
	        {"050000000000000000", "E01", 10},
	        {"5", "E01", 10},
	        {"0000000000000000", "OK", 0},
	};
	char packet[64];

	(void)state;
	connect_gdb();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(packet, sizeof(packet), "P%x=%s", (unsigned int)A64_trace_pos,
		               cases[i].digits);
		assert_string_equal(ask(packet), cases[i].reply);
		assert_int_equal(session_position(rig.gdb.session, 0), cases[i].position);
	}
	assert_string_equal(ask("P999=00"), "E45");
	assert_string_equal(ask("P=00"), "E45");
}

static void large_part_fits_the_packet(void **state)
{
	char bytes[80000];
	struct text frame = {0};

	(void)state;
	memset(bytes, '*', sizeof(bytes));
	gdb_reply_part(&rig.gdb, (struct str){bytes, sizeof(bytes)}, STR("0,ffffffff"));
	assert_int_equal(rig.gdb.reply.data[0], 'm');
	assert_true(rig.gdb.reply.length > RSP_PACKET_SIZE / 2 - 64);
	rsp_frame_append(&frame, text_str(&rig.gdb.reply));
	assert_true(frame.length - 4 <= RSP_PACKET_SIZE);
	text_fini(&frame);
}

/* The console's text comes in packets that fit; together they are the text. */
static void long_console_text_comes_in_packets(void **state)
{
	struct text joined = {0};
	const char *at;
	size_t packets = 0;

	(void)state;
	connect_gdb();
	fake_session_set_gaps(5000);
	(void)ask("qRcmd,6761707320616c6c"); /* gaps all */
	for (at = rig.replies.data; *at == 'O' && at[1] != 'K'; packets++) {
		size_t length = strcspn(at, "\n");

		assert_true(length <= RSP_PACKET_SIZE);
		for (size_t i = 1; i < length; i += 2) {
			char digits[3] = {at[i], at[i + 1]};

			text_char(&joined, (char)strtoul(digits, NULL, 16));
		}
		at += length + 1;
	}
	assert_string_equal(at, "OK");
	assert_true(packets > 1);
	for (unsigned int i = 0; i < 5000; i++) {
		char line[64];

		(void)snprintf(line, sizeof(line), "    gap before position %u: ", i);
		assert_non_null(strstr(joined.data, line));
	}
	text_fini(&joined);
}

/* A section of the file, by number; fields of gABI 4.1, "Section Header". */
static void assert_section(struct str file, unsigned int number, const char *name,
                           const uint32_t expected[9])
{
	size_t at = file_number(file, 32, 4) + 40U * number;
	size_t names = file_number(file, file_number(file, 32, 4) + 40U * 5 + 16, 4);

	assert_string_equal(file.p + names + file_number(file, at, 4), name);
	for (unsigned int i = 0; i < 9; i++)
		assert_int_equal(file_number(file, at + 4 + 4 * i, 4), expected[i]);
}

/* gABI 4.1, "ELF Header"; ELF for the Arm Architecture: EM_ARM is 40, EABI version 5. */
static void assert_header(struct str file)
{
	static const char ident[16] = "\x7f"
	                              "ELF\1\1\1";
	static const uint16_t last[] = {52, 0, 0, 40, 6, 5};

	assert_memory_equal(file.p, ident, sizeof(ident));
	assert_int_equal(file_number(file, 16, 2), 2); /* executable */
	assert_int_equal(file_number(file, 18, 2), 40);
	assert_int_equal(file_number(file, 20, 4), 1);
	assert_int_equal(file_number(file, 24, 4), 0); /* entry */
	assert_int_equal(file_number(file, 28, 4), 0); /* program headers */
	assert_int_equal(file_number(file, 36, 4), 0x05000000);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(file_number(file, 40 + 2 * i, 2), last[i]);
}

/*
 * DWARF 4, 6.4: a CIE (ID ffffffff, version 1, no augmentation, code factor 2, data factor -4,
 * return address in 14) that says CFA is r13 + 0 and r14 undefined, and an FDE of all addresses.
 */
static const uint8_t debug_frame[] = {16, 0,    0,  0, 255,  255, 255, 255, 1,   0,   2,   0x7c,
                                      14, 0x0c, 13, 0, 0x07, 14,  0,   0,   12,  0,   0,   0,
                                      0,  0,    0,  0, 0,    0,   0,   0,   254, 255, 255, 255};

static void map_of_instruction_sets_is_a_sound_elf_file(void **state)
{
	enum { FRAMES = 52, SYMBOLS = FRAMES + 36, NAMES = SYMBOLS + 5 * 16, TABLE = NAMES + 7 };
	/* type, flags, address, offset, size, link, info, alignment, size of an entry */
	static const uint32_t sections[6][9] = {
	        {0},
	        {8, 7, 0, 52, 0xfffffffe, 0, 0, 1, 0},
	        {1, 0, 0, FRAMES, sizeof(debug_frame), 0, 0, 1, 0},
	        {2, 0, 0, SYMBOLS, 5 * 16, 4, 5, 1, 16},
	        {3, 0, 0, NAMES, 7, 0, 0, 1, 0},
	        {3, 0, 0, TABLE, 46, 0, 0, 1, 0},
	};
	static const char *const names[] = {"",        ".text",   ".debug_frame",
	                                    ".symtab", ".strtab", ".shstrtab"};
	const struct elf_image *program;
	struct str file;

	(void)state;
	connect_gdb_to(CORE_A32);
	assert_string_equal(ask("qXfer:exec-file:read:1:0,100"), "l/csreplay/instruction-sets.elf");
	assert_string_equal(ask("qOffsets"), "Text=0;Data=0;Bss=0");
	assert_string_equal(open_file("/csreplay/instruction-sets.elf", ",0,0"), "F0");
	program = gdb_program(&rig.gdb);
	file = (struct str){(const char *)program->file.begin, bytes_left(&program->file)};
	assert_header(file);
	assert_int_equal(file_number(file, 32, 4), TABLE + 46);
	assert_int_equal(file.n, TABLE + 46 + 6 * 40);
	for (unsigned int i = 0; i < 6; i++)
		assert_section(file, i, names[i], sections[i]);
	assert_memory_equal(file.p + FRAMES, debug_frame, sizeof(debug_frame));
	assert_memory_equal(file.p + NAMES, "\0$a\0$t", 7);
}

/* ELF for the Arm Architecture, "Mapping symbols": local, of no type and no size. */
static void map_has_a_symbol_where_the_instruction_set_changes(void **state)
{
	enum { SYMBOLS = 52 + 36, NAMES = SYMBOLS + 5 * 16 };
	static const uint32_t starts[] = {FAKE_CODE, FAKE_T32, FAKE_T32 + 64, FAKE_T32 + 96};
	static const char *const names[] = {"$a", "$t", "$a", "$t"};
	const struct elf_image *program;
	struct str file;

	(void)state;
	connect_gdb_to(CORE_A32);
	program = gdb_program(&rig.gdb);
	file = (struct str){(const char *)program->file.begin, bytes_left(&program->file)};
	for (size_t i = 0; i < 16; i++)
		assert_int_equal(file.p[SYMBOLS + i], 0);
	for (size_t i = 0; i < 4; i++) {
		size_t at = SYMBOLS + 16 * (i + 1);

		assert_string_equal(file.p + NAMES + file_number(file, at, 4), names[i]);
		assert_int_equal(file_number(file, at + 4, 4), starts[i]);
		assert_int_equal(file_number(file, at + 8, 4), 0);  /* size */
		assert_int_equal(file_number(file, at + 12, 2), 0); /* kind */
		assert_int_equal(file_number(file, at + 14, 2), 1); /* .text */
	}
}

static void map_of_nothing_is_none(void **state)
{
	(void)state;
	fake_session_set_pc(false);
	gdb_fini(&rig.gdb);
	fake_session_set_arch(CORE_M);
	rig.gdb = (struct gdb){.session = rig.gdb.session, .stopped = &rig.stopped};
	gdb_init(&rig.gdb);
	assert_null(gdb_program(&rig.gdb));
	assert_string_equal(ask("qOffsets"), "Text=0;Data=0;Bss=0");
	assert_string_equal(ask("qXfer:exec-file:read:1:0,100"), "E00");
	assert_string_equal(open_file("/csreplay/instruction-sets.elf", ",0,0"), "F-1,2");
}

/* Room for so many breakpoints is made as if they were set one by one. */
static void breakpoints_have_a_limit(void **state)
{
	(void)state;
	connect_gdb();
	rig.gdb.breakpoints = calloc(GDB_BREAKPOINTS_MOST, sizeof(*rig.gdb.breakpoints));
	assert_non_null(rig.gdb.breakpoints);
	rig.gdb.breakpoint_capacity = GDB_BREAKPOINTS_MOST;
	rig.gdb.breakpoint_count = GDB_BREAKPOINTS_MOST - 1;
	assert_string_equal(ask("Z0,1020,4"), "OK");
	assert_string_equal(ask("Z0,1020,4"), "OK"); /* that one again */
	assert_string_equal(ask("Z0,1024,4"), "E.no more than 65536 breakpoints");
	assert_string_equal(ask("Z1,1020,4"), "E.no more than 65536 breakpoints");
	assert_string_equal(ask("z0,1020,4"), "OK");
	assert_string_equal(ask("Z0,1024,4"), "OK");
}

static void breakpoint_that_is_removed_is_that_one(void **state)
{
	(void)state;
	connect_gdb();
	assert_string_equal(ask("Z0,1014,4"), "OK");
	assert_string_equal(ask("Z0,101c,4"), "OK");
	assert_string_equal(ask("Z1,1020,4;X1,0"), "OK"); /* conditions are not offered */
	assert_string_equal(ask("z0,1014,4"), "OK");
	assert_string_equal(ask("z0,1020,4"), "OK"); /* of the other kind */
	assert_int_equal(rig.gdb.breakpoint_count, 2);
	assert_non_null(strstr(ask("bc"), "hwbreak:;00:2010"));
	assert_non_null(strstr(ask("bc"), "swbreak:;00:1c10"));
	assert_non_null(strstr(ask("bc"), "00:0c10")); /* the gap */
	assert_string_equal(ask("z0,101c,4"), "OK");
	assert_string_equal(ask("z1,1020,4"), "OK");
	assert_string_equal(ask("z5,1020,4"), "E01");
	assert_string_equal(ask("Z5,1020,4"), "E01");
	assert_string_equal(ask("z0,1020"), "E01");
	assert_string_equal(ask("Z0,1020,"), "E01");
	assert_int_equal(rig.gdb.breakpoint_count, 0);
}

static void t32_breakpoints_have_kinds_of_their_own(void **state)
{
	static const char *const wrong = "E.an instruction has 2 or 4 bytes and lies at a multiple "
	                                 "of 2";

	(void)state;
	connect_gdb_to(CORE_M);
	assert_string_equal(ask("Z0,1000,1"), wrong);
	assert_string_equal(ask("Z0,1001,1"), wrong);
	assert_string_equal(ask("Z0,1001,4"), wrong);
	assert_string_equal(ask("Z0,1001,2"), "OK");
	assert_string_equal(ask("Z1,1003,3"), "OK");
	assert_string_equal(ask("Z1,1006,4"), "OK");
	assert_non_null(gdb_find_breakpoint(&rig.gdb, 0x1000));
	assert_non_null(gdb_find_breakpoint(&rig.gdb, 0x1002));
	assert_non_null(gdb_find_breakpoint(&rig.gdb, 0x1006));
}

/* Of a watchpoint of 2 or 3 bytes bit 0 is no instruction set. */
static void watchpoints_lie_anywhere(void **state)
{
	(void)state;
	fake_session_set_data(true);
	connect_lldb();
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE), STATUS_OK);
	assert_string_equal(ask("Z2,7007,2"), "OK");
	assert_non_null(strstr(ask("c"), "T05watch:7007;"));
	assert_string_equal(ask("z3,7007,2"), "OK"); /* another */
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE), STATUS_OK);
	assert_non_null(strstr(ask("c"), "T05watch:7007;"));
	assert_string_equal(ask("z2,7007,2"), "OK");
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE), STATUS_OK);
	assert_non_null(strstr(ask("c"), "replaylog:end;"));
	assert_string_equal(ask("Z2,7007,0"), "E01");
}

/* gdb would compare what the others watch, too: the stop is after the access, and in words. */
static void gdb_watchpoints_that_share_a_byte_are_told_in_words(void **state)
{
	(void)state;
	fake_session_set_data(true);
	fake_session_set_beside(true);
	connect_gdb();
	assert_int_equal(session_seek(rig.gdb.session, 0, FAKE_STORE), STATUS_OK);
	assert_string_equal(ask("Z3,7008,1"), "OK");
	assert_null(strstr(ask("c"), "watch:"));
	assert_int_equal(session_position(rig.gdb.session, 0), FAKE_STORE + 1);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
	        T(memory_of_any_size_fits_the_packet),
	        T(memory_is_read_in_pieces_without_seams),
	        T(memory_ends_with_the_address_space),
	        T(memory_is_as_the_thread_of_gdb_has_it),
	        T(memory_is_as_any_thread_has_it_that_lldb_may_mean),
	        T(wrong_requests_of_memory_are_refused),
	        T(each_image_is_a_file_of_its_own),
	        T(files_are_not_opened_otherwise),
	        T(file_is_read_at_any_place),
	        T(large_file_fits_the_packet),
	        T(status_counts_blocks),
	        T(documents_have_no_seams),
	        T(identity_is_that_of_the_core),
	        T(thread_that_resumes_is_taken_back),
	        T(position_is_written_in_any_size),
	        T(large_part_fits_the_packet),
	        T(long_console_text_comes_in_packets),
	        T(map_of_instruction_sets_is_a_sound_elf_file),
	        T(map_has_a_symbol_where_the_instruction_set_changes),
	        T(map_of_nothing_is_none),
	        T(breakpoints_have_a_limit),
	        T(breakpoint_that_is_removed_is_that_one),
	        T(t32_breakpoints_have_kinds_of_their_own),
	        T(watchpoints_lie_anywhere),
	        T(gdb_watchpoints_that_share_a_byte_are_told_in_words),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
