/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `record btrace bts`: the history up to the core's position as the blocks of a branch trace store,
 * which gdb then goes back in by itself. gdb manual, "Branch Trace Format", "General Query Packets"
 * (Qbtrace). Not in qSupported: gdb would ask for it at each attach; a user who wants it turns the
 * packets on (docs/debuggers.md).
 */
#include "stub/gdb.h"
#include "stub/rsp_request.h"

enum {
	RECORD_SIZE =
	        24, /* bytes of a block in the buffer that gdb asks for, as of an x86 processor */
	BLOCKS_MOST = 100000,  /* gdb reads all of them anew at each stop */
	SIZE_DEFAULT = 0x10000 /* bytes */
};

static uint64_t blocks_most(const struct gdb *gdb)
{
	uint64_t count = gdb->trace_size / RECORD_SIZE;

	return count == 0 || count > BLOCKS_MOST ? BLOCKS_MOST : count;
}

static void add_block(struct text *out, uint64_t begin, uint64_t end)
{
	text_printf(out, "<block begin=\"0x%llx\" end=\"0x%llx\"/>\n", (unsigned long long)begin,
	            (unsigned long long)end);
}

/* The newest block ends with the instruction that is next; one that ends before it begins is to gdb
 * a gap. */
static bool write_blocks(const struct gdb *gdb, struct text *out)
{
	const struct history *history = session_history(gdb->session, gdb->general);
	uint64_t position = session_position(gdb->session, gdb->general);
	uint64_t left = blocks_most(gdb);
	uint64_t begin;
	uint64_t end;

	if (history_pc(history, position, &end) != STATUS_OK)
		return false;
	text_puts(out, "<!DOCTYPE btrace SYSTEM \"btrace.dtd\">\n<btrace version=\"1.0\">\n");
	for (begin = end; position > 0 && left > 0; position--) {
		bool is_gap = history_has_gap_at(history, position);
		struct instruction insn;

		history_at(history, position - 1, &insn);
		if (is_gap || insn.address + insn.size != begin) {
			add_block(out, begin, end);
			if (is_gap)
				add_block(out, insn.address, insn.address - 1);
			end = insn.address;
			left--;
		}
		begin = insn.address;
	}
	if (left > 0)
		add_block(out, begin, end);
	text_puts(out, "</btrace>\n");
	return true;
}

/* gdb reads the document in many parts, of one position. */
void gdb_btrace_read(struct gdb *gdb, struct str annex, struct str window)
{
	/* "delta": none can be had, and gdb asks for all. */
	if (!gdb->traces || (!str_eq(annex, STR("all")) && !str_eq(annex, STR("new")))) {
		gdb_error(gdb, 1);
		return;
	}
	if (str_has_prefix(window, STR("0,"))) {
		text_clear(&gdb->branches);
		if (!write_blocks(gdb, &gdb->branches)) {
			gdb_error(gdb, 1);
			return;
		}
	}
	gdb_reply_part(gdb, text_str(&gdb->branches), window);
	gdb->reply.failed |= gdb->branches.failed;
}

void gdb_btrace_read_conf(struct gdb *gdb, struct str window)
{
	struct text document = {0};

	if (!gdb->traces) {
		gdb_error(gdb, 1);
		return;
	}
	text_printf(
	        &document,
	        "<!DOCTYPE btrace-conf SYSTEM \"btrace-conf.dtd\">\n<btrace-conf version=\"1.0\">\n"
	        "<bts size=\"0x%llx\"/>\n</btrace-conf>\n",
	        (unsigned long long)gdb->trace_size);
	gdb_reply_part(gdb, text_str(&document), window);
	gdb->reply.failed |= document.failed;
	text_fini(&document);
}

/* "bts" or "off": of one thread after the other, which are on and off together; also of one without
 * trace, or none had any. */
void gdb_btrace(struct gdb *gdb, struct str args)
{
	bool turns_on = str_eq(args, STR("bts"));

	if (!turns_on && !str_eq(args, STR("off"))) {
		gdb_error_text(gdb, "there is no branch trace but bts");
		return;
	}
	gdb->traces = turns_on;
	if (gdb->trace_size == 0)
		gdb->trace_size = SIZE_DEFAULT;
	gdb_ok(gdb);
}

/* "bts:size=0xBYTES": how much of it gdb wants. */
void gdb_btrace_conf(struct gdb *gdb, struct str args)
{
	const struct str size = STR("bts:size=0x");
	uint64_t value;

	if (!str_has_prefix(args, size) ||
	    str_hex_to_u64(str_skip(args, size.n), &value) != STATUS_OK) {
		gdb_error(gdb, 1);
		return;
	}
	gdb->trace_size = value;
	gdb_ok(gdb);
}
