/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ETMv4 traces to elements: hand-made bytes whose meaning is known, from decoder_open() on. And
 * what no bytes may do: crash, hang, or yield elements without end.
 */
#include "tests/decoder/etm4_world.h"

static void atoms_follow_the_code(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) E E N, 0x1108,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1008, 2, "E BR  ")
	               RANGE(26, 1010, 1014, 1, "E BR  b+link ")
	                       RANGE(27, 1100, 1108, 2, "N iBR A64:ret ") END(27));
}

static void atoms_of_one_packet_are_ranges_of_one_index(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) "\xdb", 0x1100,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1008, 2, "E BR  ")
	               RANGE(25, 1010, 1014, 1, "E BR  b+link ") END(25));
}

static void indirect_branch_needs_an_address(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) E E GO(A_1000) E, 0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ")
	               RANGE(36, 1000, 1008, 2, "E BR  ") END(36));
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) E, 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ") END(25));
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) E GO(A_1000), 0x1000,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1018, 101c, 1, "E iBR ") END(26));
}

static void return_stack_gives_the_address(void **state)
{
	(void)state;
	ASSERT(RETURN_STACK, SYNC ON AT(A_1010) E E N, 0x1018,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1010, 1014, 1, "E BR  b+link ")
	               RANGE(26, 1100, 1108, 2, "E iBR A64:ret ")
	                       RANGE(27, 1014, 1018, 1, "N BR   <cond>") END(27));
	ASSERT(RETURN_STACK, SYNC ON AT(A_1010) E E, 0x1014,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1010, 1014, 1, "E BR  b+link ")
	               RANGE(26, 1100, 1108, 2, "E iBR A64:ret ") END(26));
}

static void return_stack_empty_loses_synchronisation(void **state)
{
	(void)state;
	ASSERT(RETURN_STACK, SYNC ON AT(A_1100) E E E, 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 1100, 1108, 2,
	                     "E iBR A64:ret ") "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( "
	                                       "[bad-packet])\n" END(27));
}

/* The exception packet says where the branch went: the entry is for the return after it. */
static void return_stack_is_kept_by_an_exception_at_the_target(void **state)
{
	(void)state;
	ASSERT(RETURN_STACK,
	       SYNC ON AT(A_1010) E AT(A_1018) E "\x06\x58" GO("\x01\x08") GO(A_1100) E N, 0x1018,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1010, 1014, 1,
	                                                 "E BR  b+link ") CONTEXT(26)
	               RANGE(36, 1018, 101c, 1,
	                     "E iBR ") "Idx:37; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret "
	                               "addr:0x1004 [addr also prev br tgt]; excep num "
	                               "(0x0c) )\n" RANGE(57, 1100, 1108, 2, "E iBR A64:ret ")
	                                       RANGE(58, 1014, 1018, 1, "N BR   <cond>") END(58));
}

static void code_not_in_memory_is_nacc(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT("\x42\x08") E E, 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(
	               25, 1108, 1110, 2, "E --- ") "Idx:25; ID:10; OCSD_GEN_TRC_ELEM_ADDR_NACC( "
	                                            "0x1110; Memspace [0x2:EL1N] )\n" END(26));
}

static void exception_shows_what_ran_before_it(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) "\x06\x19" GO("\x01\x08"), 0x1004,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 1000, 1004, 1,
	                     "E --- ") "Idx:25; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret "
	                               "addr:0x1004; excep num (0x0c) )\n" END(27));
}

static void exception_at_a_branch_target_has_no_range(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1018) E "\x06\x58" GO(A_1000), 0x1000,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 1018, 101c, 1,
	                     "E iBR ") "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret "
	                               "addr:0x1000 [addr also prev br "
	                               "tgt]; excep num (0x0c) )\n" END(28));
}

/* Code that a context does not belong to yet is not what ran in it. */
static void context_of_a_return_address_comes_before_the_exception(void **state)
{
	(void)state;
	/* At a branch's target: EL0 after an ERET; and where execution came without a packet. */
	ASSERT(NO_OPTIONS, SYNC ON AT("\x07\x08") E "\x06\x58" AT_EL0(A_1000), 0x1000,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 101c, 1020, 1, "E iBR A64:eret ")
	               CONTEXT_EL0(26) "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret "
	                               "addr:0x1000 [addr also prev br "
	                               "tgt]; excep num (0x0c) )\n" END(28));
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) "\x06\x19" AT_EL0("\x01\x08"), 0x1004,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) CONTEXT_EL0(25) RANGE(
	               25, 1000, 1004, 1, "E --- ") "Idx:25; ID:10; "
	                                            "OCSD_GEN_TRC_ELEM_EXCEPTION(pref ret "
	                                            "addr:0x1004; excep num (0x0c) )\n" END(27));
}

static void exception_without_address_loses_synchronisation(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) "\x06\x18" E, 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(
	               15) "Idx:27; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [bad-packet])\n" END(27));
}

static void exception_return_is_told_when_committed(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT("\x07\x08") E "\x07" GO(A_1000) E, 0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 101c, 1020, 1,
	                     "E iBR A64:eret ") "Idx:26; ID:10; "
	                                        "OCSD_GEN_TRC_ELEM_EXCEPTION_RET()\n" RANGE(
	                                                36, 1000, 1008, 2, "E BR  ") END(36));
	ASSERT(NO_OPTIONS, SYNC ON AT("\x07\x08") E "\x07" GO(A_1000), 0x1000,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 101c, 1020, 1, "E iBR A64:eret ")
	               END(27));
}

/* IHI 0064, "P0 elements": of the M profile, whichever its architecture, a return is one more. */
static void exception_return_of_m_profile_is_committed(void **state)
{
	(void)state;
	ASSERT(M_PROFILE | SPECULATION,
	       SYNC ON "\x83\x20\x10\0\0\x20" E "\x07\x2d\x02" GO_T32_1040 E "\x2d\x01", 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT_T32(15) RANGE_T32(
	               21, 1040,
	               1042) "Idx:22; ID:10; OCSD_GEN_TRC_ELEM_EXCEPTION_RET()\n" RANGE_T32(30,
	                                                                                    1040,
	                                                                                    1042)
	               END(31));
}

static void facts_are_told_at_the_end(void **state)
{
	(void)state;
	ASSERT(CYCLES,
	       SYNC ON AT(A_1000) E "\x73"
	                            "\x02\x05"
	                            "\x0e\x00\x07",
	       0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(
	               25, 1000, 1008, 2,
	               "E BR  ") "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EVENT( Numbered:3; )\n"
	                         "Idx:27; ID:10; OCSD_GEN_TRC_ELEM_TIMESTAMP( [ "
	                         "TS=0x000000000005];  [CC=0]; )\n"
	                         "Idx:29; ID:10; OCSD_GEN_TRC_ELEM_CYCLE_COUNT( [CC=7]; )\n" END(
	                                 29));
}

static void speculation_commits_beyond_its_depth(void **state)
{
	(void)state;
	ASSERT(SPECULATION, SYNC ON AT(A_1000) E E "\xd9" N, 0x1010,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1008, 2, "E BR  ") END(28));
}

static void speculation_ends_with_commit_cancel_and_mispredict(void **state)
{
	(void)state;
	/* E E committed; E (1100) cancelled; the branch at 1100 was N after all. */
	ASSERT(SPECULATION,
	       SYNC ON AT(A_1000) E E "\x2d\x02" E E "\x2f\x01"
	                              "\x2d\x01",
	       0x1108,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1008, 2, "E BR  ")
	               RANGE(26, 1010, 1014, 1, "E BR  b+link ")
	                       RANGE(29, 1100, 1108, 2, "N iBR A64:ret ") END(33));
}

static void cancel_keeps_facts(void **state)
{
	(void)state;
	ASSERT(SPECULATION, SYNC ON AT(A_1000) E "\x73" E "\x2e\x02" GO(A_1010) E "\x2d\x01",
	       0x1100,
	       NO_SYNC(0) TRACE_ON(14)
	               CONTEXT(15) "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EVENT( Numbered:3; )\n" RANGE(
	                       39, 1010, 1014, 1, "E BR  b+link ") END(40));
	ASSERT(SPECULATION,
	       SYNC ON AT(A_1000) E "\x73"
	                            "\x2e\x02" E,
	       0,
	       NO_SYNC(0) "Idx:27; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [bad-packet])\n"
	                  "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EVENT( Numbered:3; )\n" END(29));
}

static void commit_of_more_than_there_is_loses_synchronisation(void **state)
{
	(void)state;
	ASSERT(SPECULATION, SYNC ON AT(A_1000) E "\x2d\x02" E, 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(
	               15) "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [bad-packet])\n" END(28));
}

static void unseen_elements_are_committed_silently(void **state)
{
	(void)state;
	ASSERT(SPECULATION,
	       "\0\0\0\0\0\0\0\0\0\0\0\x80\x01\x04\x02" ON AT(A_1000) E "\x2d\x02"
	                                                                "\x2d\x01",
	       0x1010,
	       NO_SYNC(0) TRACE_ON(15) CONTEXT(16) RANGE(26, 1000, 1008, 2, "E BR  ") END(29));
}

static void overflow_and_discard_wait_for_async(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) E "\x73\x00\x05" E SYNC ON AT(A_1010) E, 0x1100,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(
	               25, 1000, 1008, 2,
	               "E BR  ") "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EVENT( Numbered:3; )\n"
	                         "Idx:27; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [overflow])\n"
	                         "Idx:44; ID:10; OCSD_GEN_TRC_ELEM_TRACE_ON( [overflow])\n" CONTEXT(
	                                 45) RANGE(55, 1010, 1014, 1, "E BR  b+link ") END(55));
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) E "\x00\x03", 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(
	               25, 1000, 1008, 2,
	               "E BR  ") "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [discard])\n" END(26));
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) E "\x00\x05", 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 1000, 1008, 2,
	                     "E BR  ") "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( [overflow])\n"
	                               "Idx:26; ID:10; OCSD_GEN_TRC_ELEM_EO_TRACE( [overflow])\n");
}

static void bad_packet_is_told_at_the_next_one(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) E "\x08" E SYNC ON AT(A_1010) E, 0x1100,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 1000, 1008, 2,
	                     "E BR  ") "Idx:27; ID:10; OCSD_GEN_TRC_ELEM_NO_SYNC( "
	                               "[bad-packet])\n" TRACE_ON(42) CONTEXT(43)
	                                       RANGE(53, 1010, 1014, 1, "E BR  b+link ") END(53));
}

static void packet_cut_by_the_end_takes_back_what_was_pending(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, SYNC ON AT(A_1000) E "\x73\x9d\x00", 0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1008, 2, "E BR  ") END(27));
}

static void q_counts_instructions(void **state)
{
	(void)state;
	/* Two instructions that end at a branch; five that cannot be followed over it. */
	ASSERT(Q_ELEMENTS, SYNC ON AT(A_1000) "\xac\x02" GO(A_1010) "\xac\x05" GO(A_1100), 0x1100,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15)
	               RANGE(25, 1000, 1008, 2,
	                     "E BR  ") "Idx:36; ID:10; OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH(first "
	                               "0x1010:[next 0x1100] "
	                               "num_i(5) )\n" END(38));
}

/* The reference decoder drops it. */
static void what_comes_after_q_is_kept(void **state)
{
	(void)state;
	ASSERT(Q_ELEMENTS, SYNC ON AT(A_1000) "\xac\x05" AT_EL0(A_1100) E, 0,
	       NO_SYNC(0) TRACE_ON(14)
	               CONTEXT(15) "Idx:25; ID:10; OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH(first "
	                           "0x1000:[next 0x1100] "
	                           "num_i(5) )\n" CONTEXT_EL0(27)
	                                   RANGE(37, 1100, 1108, 2, "E iBR A64:ret ") END(37));
	/* More than one element in doubt; 0x1010 with Q itself. */
	ASSERT(Q_ELEMENTS | SPECULATION, SYNC ON AT(A_1000) "\xaa" A_1010 "\0\0\x02" E E "\x2d\x03",
	       0,
	       NO_SYNC(0) TRACE_ON(14) CONTEXT(15) RANGE(25, 1000, 1008, 2, "E BR  ")
	               RANGE(31, 1010, 1014, 1, "E BR  b+link ")
	                       RANGE(32, 1100, 1108, 2, "E iBR A64:ret ") END(33));
}

static void trace_without_sync_has_one_element_and_the_end(void **state)
{
	(void)state;
	ASSERT(NO_OPTIONS, "", 0, END(0));
	ASSERT(NO_OPTIONS, E E, 0, NO_SYNC(0) END(0));
	ASSERT(NO_OPTIONS, E E E E E E E E E E, 0, NO_SYNC(0) END(8));
}

static void packets_are_listed_before_what_they_cause(void **state)
{
	static const char trace[] = E SYNC ON;
	struct world w;
	struct decoder *decoder;
	struct element element;
	struct text out = {0};

	(void)state;
	world_init(&w, NO_OPTIONS, trace, sizeof(trace) - 1);
	decoder = open_decoder(&w, true);
	while (decoder_next(decoder, &element) == STATUS_OK) {
		element_format_text(&element, &out);
		text_char(&out, '\n');
	}
	assert_string_equal(
	        out.data,
	        "Idx:0; ID:10; [0xf7 ];\tI_NOT_SYNC : I Stream not synchronised\n" NO_SYNC(
	                0) "Idx:1; ID:10; [0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 0x00 "
	                   "0x80 ];\tI_ASYNC : Alignment Synchronisation.\n"
	                   "Idx:13; ID:10; [0x01 0x00 ];\tI_TRACE_INFO : Trace Info.; INFO=0x0 { "
	                   "CC.0 }\n"
	                   "Idx:15; ID:10; [0x04 ];\tI_TRACE_ON : Trace On.\n" END(15));
	text_fini(&out);
	decoder_destroy(decoder);
	world_fini(&w);
}

/* The place, name and size of each packet. */
static void assert_packets(const char *frames, size_t size, const char *expected)
{
	struct world w;
	struct decoder *decoder;
	struct element element;
	struct text out = {0};

	world_init(&w, NO_OPTIONS | FRAMES, frames, size);
	decoder = open_decoder(&w, true);
	while (decoder_next(decoder, &element) == STATUS_OK) {
		if (element.type == ELEMENT_PACKET)
			text_printf(&out, "%u %s of %u, ", (unsigned int)element.offset,
			            element.packet.name, (unsigned int)element.packet.size);
	}
	assert_string_equal(out.data, expected);
	text_fini(&out);
	decoder_destroy(decoder);
	world_fini(&w);
}

/*
 * Bytes before synchronisation are passed over in groups of eight, or up to a zero. A group has the
 * Idx where the last one ended, though the next frame's first byte has 16: the 14 bytes of the
 * first frame, in one block, have 0 to 13. One that begins with a zero has its own; zeros in a row
 * have the first one's, and so has the A-Sync that ends them.
 */
static void bytes_without_sync_have_the_place_of_their_search(void **state)
{
	static const char ended[] =
	        "\x21\xf7\xf6\xf7\xf6\xf7\xf6\x00\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xfe"
	        "\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xff";
	static const char zero[] =
	        "\x21\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xfe"
	        "\x00\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xf7\xf6\xfe";
	static const char zeros[] = "\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
	                            "\x80\x04\x01\0\0\0\0\0\0\0\0\0\0\0\0\0";

	(void)state;
	assert_packets(ended, sizeof(ended) - 1,
	               "0 I_NOT_SYNC of 6, 6 I_NOT_SYNC of 8, 14 I_NOT_SYNC of 8, "
	               "24 I_INCOMPLETE_EOT of 7, ");
	assert_packets(zero, sizeof(zero) - 1,
	               "0 I_NOT_SYNC of 8, 8 I_NOT_SYNC of 6, 16 I_NOT_SYNC of 8, "
	               "24 I_INCOMPLETE_EOT of 7, ");
	assert_packets(zeros, sizeof(zeros) - 1,
	               "0 I_NOT_SYNC of 1, 0 I_NOT_SYNC of 1, 0 I_NOT_SYNC of 1, 0 I_ASYNC of 12, "
	               "17 I_TRACE_ON of 1, ");
}

static void missing_registers_are_named(void **state)
{
	struct decoder_options options = {.packets = false};
	struct diag_list diags = {0};
	struct decoder *decoder;
	struct world w;

	(void)state;
	world_init(&w, NO_OPTIONS, NULL, 0);
	w.registers[2].name = STR("OTHER");
	w.registers[4].name = STR("OTHER");
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_BAD_DATA);
	assert_null(decoder);
	assert_int_equal(diags.errors, 2);
	assert_non_null(strstr(diags.items[0].text, "\"ETM\" has no register TRCIDR0"));
	assert_non_null(strstr(diags.items[1].text, "\"ETM\" has no register TRCIDR2"));
	diag_list_fini(&diags);
	world_fini(&w);
}

static void what_is_not_decoded_is_unsupported(void **state)
{
	struct decoder_options options = {.packets = false};
	struct diag_list diags = {0};
	struct decoder *decoder;
	struct world w;

	(void)state;
	world_init(&w, NO_OPTIONS, NULL, 0);
	w.source.protocol = PROTOCOL_UNKNOWN;
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_UNSUPPORTED);
	w.source.protocol = PROTOCOL_ETM4;
	w.buffer.format = BUFFER_OTHER;
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_UNSUPPORTED);
	w.buffer.format = BUFFER_SOURCE_DATA;
	put_register(&w, 0, "TRCCONFIGR", 0x3);
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_UNSUPPORTED);
	assert_int_equal(diags.errors, 3);
	diag_list_fini(&diags);
	world_fini(&w);
}

static void buffer_of_part_of_a_frame_is_reported(void **state)
{
	static const uint8_t frames[27] = {0x21, 0xf7};
	struct decoder_options options = {.packets = false};
	struct diag_list diags = {0};
	struct decoder *decoder;
	struct world w;

	(void)state;
	world_init(&w, FRAMES, frames, sizeof(frames));
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_OK);
	decoder_destroy(decoder);
	w.buffer.data = bytes_of(NULL, 0);
	assert_int_equal(
	        decoder_open(&w.snapshot, &w.source, &w.buffer, &options, &diags, &decoder),
	        STATUS_OK);
	decoder_destroy(decoder);
	assert_int_equal(diags.count, 2);
	assert_int_equal(diags.errors, 0);
	assert_string_equal(diags.items[0].text,
	                    "trace source \"ETM\": buffer \"B\" is 27 bytes, expected a multiple "
	                    "of 16; the last 11 are not decoded");
	assert_string_equal(diags.items[1].text, "trace source \"ETM\": buffer \"B\" is empty");
	diag_list_fini(&diags);
	world_fini(&w);
}

static const char good[] = E E SYNC ON AT(A_1000)
E E N "\x73" E GO(A_1000) "\xdb"
                          "\x06\x19" GO(A_1100) "\x07" GO(A_1018) E
        GO(A_1010) "\x02\x85\x05"
                   "\x2d\x01" E "\x2f\x01" N "\x00\x05" SYNC ON AT(A_1010)
E E "\xd4"
    "\xac\x05" GO(A_1000) E;

/* Decodes to the end: each byte yields a bounded number of elements. */
static void assert_ends(unsigned int options, const void *trace, size_t size)
{
	struct world w;
	struct decoder *decoder;
	struct element element;
	struct text out = {0};
	uint64_t last = 0;
	uint64_t address;
	size_t count = 0;
	enum status status;

	world_init(&w, options, trace, size);
	decoder = open_decoder(&w, (options & CYCLES) != 0);
	while ((status = decoder_next(decoder, &element)) == STATUS_OK) {
		assert_true(decoder_position(decoder) >= last);
		last = decoder_position(decoder);
		assert_true(++count < 64 * size + 8);
		text_clear(&out);
		element_format_text(&element, &out);
		element_format_json(&element, &out);
	}
	assert_int_equal(status, STATUS_END);
	(void)decoder_next_address(decoder, &address);
	text_fini(&out);
	decoder_destroy(decoder);
	world_fini(&w);
}

static void each_prefix_of_a_trace_ends(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(good); size++) {
		/* A copy of its own size, so that one byte too far is seen. */
		uint8_t *copy = malloc(size + 1);

		assert_non_null(copy);
		memcpy(copy, good, size);
		assert_ends(NO_OPTIONS, copy, size);
		assert_ends(SPECULATION | RETURN_STACK | Q_ELEMENTS | CYCLES, copy, size);
		free(copy);
	}
}

static uint32_t random_next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static void random_and_damaged_bytes_end(void **state)
{
	enum { ROUNDS = 1500, SIZE = 400 };
	uint8_t data[SIZE];
	uint32_t seed = 7;

	(void)state;
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int damage = round % 3 == 0 ? SIZE : random_next(&seed) % 12;

		for (size_t i = 0; i < SIZE; i++)
			data[i] = (uint8_t)good[i % (sizeof(good) - 1)];
		for (unsigned int i = 0; i < damage; i++)
			data[random_next(&seed) % SIZE] = (uint8_t)random_next(&seed);
		/* Always in step to begin with, unless in frames. */
		memcpy(data, SYNC, sizeof(SYNC) - 1);
		assert_ends(round & 31, data, SIZE);
	}
}

static void continued_field_without_end_is_bad(void **state)
{
	enum { SIZE = 20000 };
	uint8_t *data = malloc(SIZE);

	(void)state;
	assert_non_null(data);
	memset(data, 0xff, SIZE);
	memcpy(data, SYNC "\x2d", sizeof(SYNC));
	assert_ends(NO_OPTIONS, data, SIZE);
	free(data);
}

static void facts_without_end_are_bounded(void **state)
{
	enum { SIZE = 400000 };
	uint8_t *data = malloc(SIZE);

	(void)state;
	assert_non_null(data);
	memset(data, 0x71, SIZE);
	memcpy(data, SYNC, sizeof(SYNC) - 1);
	assert_ends(NO_OPTIONS, data, SIZE);
	assert_ends(SPECULATION, data, SIZE);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(atoms_follow_the_code),
	        cmocka_unit_test(atoms_of_one_packet_are_ranges_of_one_index),
	        cmocka_unit_test(indirect_branch_needs_an_address),
	        cmocka_unit_test(return_stack_gives_the_address),
	        cmocka_unit_test(return_stack_is_kept_by_an_exception_at_the_target),
	        cmocka_unit_test(return_stack_empty_loses_synchronisation),
	        cmocka_unit_test(code_not_in_memory_is_nacc),
	        cmocka_unit_test(exception_shows_what_ran_before_it),
	        cmocka_unit_test(exception_at_a_branch_target_has_no_range),
	        cmocka_unit_test(context_of_a_return_address_comes_before_the_exception),
	        cmocka_unit_test(exception_without_address_loses_synchronisation),
	        cmocka_unit_test(exception_return_is_told_when_committed),
	        cmocka_unit_test(exception_return_of_m_profile_is_committed),
	        cmocka_unit_test(facts_are_told_at_the_end),
	        cmocka_unit_test(speculation_commits_beyond_its_depth),
	        cmocka_unit_test(speculation_ends_with_commit_cancel_and_mispredict),
	        cmocka_unit_test(cancel_keeps_facts),
	        cmocka_unit_test(commit_of_more_than_there_is_loses_synchronisation),
	        cmocka_unit_test(unseen_elements_are_committed_silently),
	        cmocka_unit_test(overflow_and_discard_wait_for_async),
	        cmocka_unit_test(bad_packet_is_told_at_the_next_one),
	        cmocka_unit_test(packet_cut_by_the_end_takes_back_what_was_pending),
	        cmocka_unit_test(q_counts_instructions),
	        cmocka_unit_test(what_comes_after_q_is_kept),
	        cmocka_unit_test(trace_without_sync_has_one_element_and_the_end),
	        cmocka_unit_test(packets_are_listed_before_what_they_cause),
	        cmocka_unit_test(bytes_without_sync_have_the_place_of_their_search),
	        cmocka_unit_test(missing_registers_are_named),
	        cmocka_unit_test(what_is_not_decoded_is_unsupported),
	        cmocka_unit_test(buffer_of_part_of_a_frame_is_reported),
	        cmocka_unit_test(each_prefix_of_a_trace_ends),
	        cmocka_unit_test(random_and_damaged_bytes_end),
	        cmocka_unit_test(continued_field_without_end_is_bad),
	        cmocka_unit_test(facts_without_end_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
