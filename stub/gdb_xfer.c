/* SPDX-License-Identifier: Apache-2.0 */
/* qXfer: documents that the client reads in parts. gdb manual, "General Query Packets". */
#include "console/threads.h"
#include "stub/gdb.h"
#include "stub/rsp_request.h"
#include "stub/target_desc.h"

static bool write_features(struct gdb *gdb, struct str annex, struct text *out)
{
	if (!str_eq(annex, STR("target.xml")))
		return false;
	target_desc_write(session_registers(gdb->session), out);
	return true;
}

static bool write_threads(struct gdb *gdb, struct str annex, struct text *out)
{
	if (annex.n > 0)
		return false;
	text_puts(out, "<?xml version=\"1.0\"?>\n<threads>\n");
	for (size_t i = 0; i < threads_count(gdb->session); i++) {
		struct text line = {0};

		if (!threads_is_listed(gdb->session, i))
			continue;
		text_printf(out, "<thread id=\"%zx\" core=\"%zu\" name=\"", i + 1,
		            session_base_core(gdb->session, i));
		threads_name(gdb->session, i, &line);
		xml_escape(out, text_str(&line));
		text_clear(&line);
		text_puts(out, "\">");
		threads_describe(gdb->session, i, &line);
		threads_place(gdb->session, i, gdb->chosen, &line);
		xml_escape(out, text_str(&line));
		text_puts(out, "</thread>\n");
		text_fini(&line);
	}
	text_puts(out, "</threads>\n");
	return true;
}

/* The annex is a process number; there is one process. */
static bool write_exec_file(struct gdb *gdb, struct str annex, struct text *out)
{
	const struct elf_image *program = gdb_program(gdb);

	(void)annex;
	if (!program)
		return false;
	text_add(out, program->path);
	return true;
}

static const struct {
	const char *object;
	/* False if there is no such annex. */
	bool (*write)(struct gdb *, struct str, struct text *);
} objects[] = {
        {"features", write_features},
        {"threads", write_threads},
        {"exec-file", write_exec_file},
};

enum { OBJECT_COUNT = sizeof(objects) / sizeof(objects[0]) };

/* OBJECT:read:ANNEX:OFFSET,LENGTH */
void gdb_transfer(struct gdb *gdb, struct str args)
{
	struct str object = rsp_next(&args, ':');
	struct str verb = rsp_next(&args, ':');
	struct str annex = rsp_next(&args, ':');
	struct text document = {0};

	if (str_eq(object, STR("btrace")) && str_eq(verb, STR("read"))) {
		gdb_btrace_read(gdb, annex, args);
		return;
	}
	if (str_eq(object, STR("btrace-conf")) && str_eq(verb, STR("read"))) {
		gdb_btrace_read_conf(gdb, args);
		return;
	}
	for (size_t i = 0; i < OBJECT_COUNT; i++) {
		if (!str_eq(object, str_of(objects[i].object)) || !str_eq(verb, STR("read")))
			continue;
		if (!objects[i].write(gdb, annex, &document))
			gdb_error(gdb, 0);
		else
			gdb_reply_part(gdb, text_str(&document), args);
		break;
	}
	gdb->reply.failed |= document.failed;
	text_fini(&document);
}
