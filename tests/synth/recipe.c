/* SPDX-License-Identifier: Apache-2.0 */
/* Recipes of snapshots, carried out; see recipe.h. Snapshot format 1.0, section 3. */
#include "tests/synth/recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "base/vec.h"
#include "tests/synth/etm4_script.h"
#include "tests/synth/etm4_walk.h"
#include "tests/synth/frames.h"

enum { CORES_MOST = 8, DUMPS_MOST = 32, WORDS_MOST = 8 };

struct core {
	struct text ini;
	struct str name;
	struct str source; /* empty if it has none */
	struct str source_type;
	unsigned int id;
	struct code code[DUMPS_MOST];     /* in the order in which the core sees them */
	const uint8_t *dumps[DUMPS_MOST]; /* their bytes, by number */
	struct file_map files[DUMPS_MOST];
	size_t dump_count;
	struct walk_options options;
	struct walk_state walk;
	bool is_walking;
	struct buf trace;
	struct run *runs;
	size_t run_count;
	size_t run_capacity;
	uint32_t random; /* of what happens between runs that are carried out again */
};

/* Instructions executed one after the other. */
struct run {
	uint64_t address;
	uint64_t count;
};

struct recipe {
	const char *folder;
	struct str description;
	struct core cores[CORES_MOST];
	size_t core_count;
	struct core *core; /* the last one, or NULL */
	bool is_bare;
	size_t skip; /* bytes of the buffer */
	struct frame_options frames;
	struct diag_list *diags;
	struct place place;
};

struct words {
	struct str line; /* after the first word */
	struct str text[WORDS_MOST];
	uint64_t number[WORDS_MOST]; /* 0 where the word is none */
	bool is_number[WORDS_MOST];
	unsigned int count;
};

static enum status write_file(struct recipe *r, const char *name, const void *data, size_t size)
{
	struct text path = {0};
	enum status status = STATUS_IO;
	FILE *f;

	text_printf(&path, "%s/%s", r->folder, name);
	f = path.failed ? NULL : fopen(path.data, "wb");
	if (f) {
		bool written = fwrite(data, 1, size, f) == size;

		status = fclose(f) == 0 && written ? STATUS_OK : STATUS_IO;
	}
	if (status != STATUS_OK)
		diag_error(r->diags, status, place_none(), "cannot write %s", name);
	text_fini(&path);
	return status;
}

static enum status do_description(struct recipe *r, const struct words *w)
{
	r->description = w->line;
	return STATUS_OK;
}

static enum status do_core(struct recipe *r, const struct words *w)
{
	if (r->core_count == CORES_MOST)
		return diag_error(r->diags, STATUS_USAGE, r->place, "more than %d cores",
		                  CORES_MOST);
	r->core = &r->cores[r->core_count++];
	r->core->name = w->text[0];
	r->core->options.context = (struct emit_context){.is_64bit = true, .non_secure = true};
	text_printf(&r->core->ini, "[device]\nname=%.*s\nclass=core\ntype=%.*s\n\n[regs]\n",
	            STR_ARG(w->text[0]), STR_ARG(w->text[1]));
	return STATUS_OK;
}

static enum status do_reg(struct recipe *r, const struct words *w)
{
	text_printf(&r->core->ini, "%.*s=%.*s\n", STR_ARG(w->text[0]), STR_ARG(w->text[1]));
	return STATUS_OK;
}

static enum status do_dump(struct recipe *r, const struct words *w)
{
	struct core *c = r->core;
	struct text path = {0};
	struct file_map *map = &c->files[c->dump_count];
	uint64_t offset = w->number[3];
	uint64_t length = w->number[2];
	enum status status;

	if (c->dump_count == DUMPS_MOST)
		return diag_error(r->diags, STATUS_USAGE, r->place, "more than %d dumps",
		                  DUMPS_MOST);
	text_printf(&path, "%s/%.*s", r->folder, STR_ARG(w->text[0]));
	status = file_map_open(path.data, r->place, r->diags, map);
	text_fini(&path);
	TRY(status);
	if (length == 0 && offset <= map->size)
		length = map->size - offset;
	if (offset > map->size || length > map->size - offset)
		return diag_error(r->diags, STATUS_BAD_DATA, r->place,
		                  "dump is longer than its file of %zu bytes", map->size);
	text_printf(&c->ini, "\n[dump%zu]\nfile=%.*s\naddress=0x%016llx\nlength=0x%llx\n",
	            c->dump_count, STR_ARG(w->text[0]), (unsigned long long)w->number[1],
	            (unsigned long long)length);
	if (offset)
		text_printf(&c->ini, "offset=0x%llx\n", (unsigned long long)offset);
	c->dumps[c->dump_count] = (const uint8_t *)map->data + offset;
	c->code[c->dump_count] =
	        (struct code){w->number[1], c->dumps[c->dump_count], (size_t)length};
	c->dump_count++;
	return STATUS_OK;
}

static enum status do_space(struct recipe *r, const struct words *w)
{
	text_printf(&r->core->ini, "space=%.*s\n", STR_ARG(w->text[0]));
	return STATUS_OK;
}

/* Of several dumps with the address of an instruction the first one has its opcode. */
static enum status do_sees(struct recipe *r, const struct words *w)
{
	struct core *c = r->core;
	size_t at = 0;
	struct code seen;

	if (w->number[0] >= c->dump_count)
		return diag_error(r->diags, STATUS_USAGE, r->place, "no dump %llu",
		                  (unsigned long long)w->number[0]);
	while (c->code[at].data != c->dumps[w->number[0]])
		at++;
	seen = c->code[at];
	memmove(c->code + 1, c->code, at * sizeof(seen));
	c->code[0] = seen;
	return STATUS_OK;
}

static enum status do_source(struct recipe *r, const struct words *w)
{
	r->core->source = w->text[0];
	r->core->source_type = w->text[1];
	r->core->id = (unsigned int)w->number[2];
	return STATUS_OK;
}

static enum status do_option(struct recipe *r, const struct words *w)
{
	struct walk_options *o = &r->core->options;
	unsigned int n = (unsigned int)w->number[1];
	const struct {
		const char *name;
		unsigned int *value;
	} options[] = {
	        {"return-stack", &o->return_stack},     {"sync", &o->sync_bytes},
	        {"timestamp", &o->timestamp_every},     {"cycles", &o->cycles_every},
	        {"context-id", &o->context.context_id}, {"vmid", &o->context.vmid},
	        {"level", &o->context.level},           {"speculation", &o->speculation},
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (!str_eq(w->text[0], str_of(options[i].name)))
			continue;
		*options[i].value = n;
		if (options[i].value == &o->context.context_id)
			o->context.context_id_size = 4;
		if (options[i].value == &o->context.vmid)
			o->context.vmid_size = 1;
		return STATUS_OK;
	}
	if (str_eq(w->text[0], STR("broadcast"))) {
		o->branch_broadcast = n != 0;
		return STATUS_OK;
	}
	if (str_eq(w->text[0], STR("commit-by-cycles"))) {
		o->commit_by_cycles = n != 0;
		return STATUS_OK;
	}
	return diag_error(r->diags, STATUS_USAGE, r->place, "unknown option \"%.*s\"",
	                  STR_ARG(w->text[0]));
}

static struct walk_state *walk_of(struct recipe *r)
{
	struct core *c = r->core;

	if (!c->is_walking)
		walk_init(&c->walk, &c->trace, c->code, c->dump_count, &c->options);
	c->is_walking = true;
	return &c->walk;
}

static enum status execute(struct recipe *r, const struct run *run)
{
	struct walk_state *walk = walk_of(r);

	for (uint64_t i = 0; i < run->count; i++) {
		uint64_t pc = run->address + 4 * i;

		if (walk_step(walk, pc) != STATUS_OK)
			return diag_error(r->diags, STATUS_NO_MEMORY_AT, r->place,
			                  "no code at 0x%llx", (unsigned long long)pc);
	}
	return STATUS_OK;
}

static enum status do_run(struct recipe *r, const struct words *w)
{
	const struct run run = {w->number[0], w->number[1]};
	struct core *c = r->core;

	TRY(vec_reserve((void **)&c->runs, &c->run_capacity, c->run_count + 1, sizeof(*c->runs)));
	c->runs[c->run_count++] = run;
	return execute(r, &run);
}

/* A number below `limit`. */
static uint32_t pick(struct core *c, uint32_t limit)
{
	c->random = c->random * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)c->random * limit) >> 32);
}

/* What may happen before the instruction at `next`. */
static void interrupt(struct core *c, struct walk_state *walk, uint64_t next)
{
	enum { OF_RUNS = 10000, INTERRUPTS = 50, GAPS = 20, OVERFLOWS = 4, IRQ = 14, THREADS = 5 };
	uint32_t what = pick(c, OF_RUNS);

	if (what < INTERRUPTS) {
		struct emit_context context = walk->options.context;

		walk_exception(walk, IRQ, next);
		walk_gap(walk, next);
		context.context_id = c->options.context.context_id + pick(c, THREADS);
		walk_context(walk, &context);
	} else if (what < INTERRUPTS + GAPS) {
		walk_gap(walk, next);
	} else if (what < INTERRUPTS + GAPS + OVERFLOWS) {
		walk_overflow(walk, next);
	}
}

static enum status do_again(struct recipe *r, const struct words *w)
{
	struct walk_state *walk = walk_of(r);
	struct core *c = r->core;

	for (uint64_t n = 0; n < w->number[0] && c->run_count > 0; n++) {
		walk_gap(walk, c->runs[0].address);
		for (size_t i = 0; i < c->run_count; i++) {
			if (i > 0)
				interrupt(c, walk, c->runs[i].address);
			TRY(execute(r, &c->runs[i]));
		}
	}
	return STATUS_OK;
}

static enum status do_exception(struct recipe *r, const struct words *w)
{
	walk_exception(walk_of(r), (unsigned int)w->number[0], w->number[1]);
	return STATUS_OK;
}

static enum status do_gap(struct recipe *r, const struct words *w)
{
	walk_gap(walk_of(r), w->number[0]);
	return STATUS_OK;
}

static enum status do_overflow(struct recipe *r, const struct words *w)
{
	walk_overflow(walk_of(r), w->number[0]);
	return STATUS_OK;
}

static enum status do_discard(struct recipe *r, const struct words *w)
{
	walk_discard(walk_of(r), w->number[0]);
	return STATUS_OK;
}

static enum status do_context(struct recipe *r, const struct words *w)
{
	struct walk_state *walk = walk_of(r);
	struct emit_context c = walk->options.context;

	c.level = (unsigned int)w->number[0];
	c.non_secure = w->number[1] != 0;
	if (w->count > 2)
		c.context_id = (uint32_t)w->number[2];
	if (w->count > 3)
		c.vmid = (uint32_t)w->number[3];
	walk_context(walk, &c);
	return STATUS_OK;
}

static enum status do_idle(struct recipe *r, const struct words *w)
{
	walk_idle(walk_of(r), w->number[0]);
	return STATUS_OK;
}

static enum status do_event(struct recipe *r, const struct words *w)
{
	walk_event(walk_of(r), (unsigned int)w->number[0]);
	return STATUS_OK;
}

static enum status do_packet(struct recipe *r, const struct words *w)
{
	enum status status;

	walk_end(walk_of(r));
	status = etm4_script_line(&r->core->trace, w->line);
	if (status != STATUS_OK)
		diag_error(r->diags, status, r->place, "no such packet: \"%.*s\"",
		           STR_ARG(w->line));
	return status;
}

static enum status do_bare(struct recipe *r, const struct words *w)
{
	(void)w;
	r->is_bare = true;
	return STATUS_OK;
}

static enum status do_turn(struct recipe *r, const struct words *w)
{
	r->frames.turn = (size_t)w->number[0];
	return STATUS_OK;
}

static enum status do_repeat(struct recipe *r, const struct words *w)
{
	r->frames.repeat = (unsigned int)w->number[0];
	return STATUS_OK;
}

static enum status do_skip(struct recipe *r, const struct words *w)
{
	r->skip = (size_t)w->number[0];
	return STATUS_OK;
}

enum { NO_CORE, OF_CORE };

/* `numbers`: a bit a word that must be a number. */
// clang-format off
static const struct {
	const char *name;
	unsigned int fewest;
	unsigned int numbers;
	int of;
	enum status (*run)(struct recipe *r, const struct words *w);
} things[] = {
	{"description", 1, 0,    NO_CORE, do_description},
	{"core",        2, 0,    NO_CORE, do_core},
	{"reg",         2, 0,    OF_CORE, do_reg},
	{"dump",        2, 0xe,  OF_CORE, do_dump},
	{"space",       1, 0,    OF_CORE, do_space},
	{"sees",        1, 1,    OF_CORE, do_sees},
	{"source",      3, 4,    OF_CORE, do_source},
	{"option",      2, 2,    OF_CORE, do_option},
	{"run",         2, 3,    OF_CORE, do_run},
	{"again",       1, 1,    OF_CORE, do_again},
	{"exception",   2, 3,    OF_CORE, do_exception},
	{"gap",         1, 1,    OF_CORE, do_gap},
	{"overflow",    1, 1,    OF_CORE, do_overflow},
	{"discard",     1, 1,    OF_CORE, do_discard},
	{"context",     2, 0xf,  OF_CORE, do_context},
	{"idle",        1, 1,    OF_CORE, do_idle},
	{"event",       1, 1,    OF_CORE, do_event},
	{"packet",      1, 0,    OF_CORE, do_packet},
	{"bare",        0, 0,    NO_CORE, do_bare},
	{"turn",        1, 1,    NO_CORE, do_turn},
	{"repeat",      1, 1,    NO_CORE, do_repeat},
	{"skip",        1, 1,    NO_CORE, do_skip},
};
// clang-format on

static void split_words(struct str line, struct words *w)
{
	w->line = line;
	while (line.p && w->count < WORDS_MOST) {
		struct str word = str_next_part(&line, ' ');

		if (word.n == 0)
			continue;
		w->text[w->count] = word;
		w->is_number[w->count] = str_to_u64(word, &w->number[w->count]) == STATUS_OK;
		w->count++;
	}
}

static enum status run_line(struct recipe *r, struct str line)
{
	struct words w = {0};
	struct str name = str_next_part(&line, ' ');

	if (name.n == 0 || name.p[0] == '#')
		return STATUS_OK;
	split_words(line.p ? str_trim(line) : (struct str){0}, &w);
	for (size_t i = 0; i < sizeof(things) / sizeof(things[0]); i++) {
		if (!str_eq(name, str_of(things[i].name)))
			continue;
		bool fine = w.count >= things[i].fewest;

		for (unsigned int n = 0; n < w.count; n++)
			fine = fine && (w.is_number[n] || (things[i].numbers >> n & 1) == 0);
		if (!fine)
			return diag_error(r->diags, STATUS_USAGE, r->place,
			                  "\"%s\" wants other arguments", things[i].name);
		if (things[i].of == OF_CORE && !r->core)
			return diag_error(r->diags, STATUS_USAGE, r->place, "there is no core yet");
		return things[i].run(r, &w);
	}
	return diag_error(r->diags, STATUS_NOT_FOUND, r->place, "unknown: \"%.*s\"", STR_ARG(name));
}

/* TRCCONFIGR: what the walk was told to trace. IHI 0064, register descriptions. */
static unsigned int config_register(const struct walk_options *o)
{
	return 1U | (o->branch_broadcast ? 1U << 3 : 0) | (o->cycles_every ? 1U << 4 : 0) |
	       (o->context.context_id_size ? 1U << 6 : 0) | (o->context.vmid_size ? 1U << 7 : 0) |
	       (o->timestamp_every ? 1U << 11 : 0) | (o->return_stack ? 1U << 12 : 0);
}

static enum status write_source(struct recipe *r, const struct core *c, size_t number)
{
	struct text t = {0};
	char name[32];
	struct str type = c->source_type;
	uint64_t minor = 0;
	enum status status;

	if (type.n > 5 && str_to_u64(str_skip(type, 5), &minor) != STATUS_OK)
		return STATUS_USAGE;
	text_printf(&t, "[device]\nname=%.*s\nclass=trace_source\ntype=%.*s\n\n[regs]\n",
	            STR_ARG(c->source), STR_ARG(type));
	text_printf(&t, "TRCCONFIGR(0x004)=0x%08x\n", config_register(&c->options));
	text_printf(&t, "TRCTRACEIDR(0x010)=0x%08x\n", c->id);
	text_puts(&t, "TRCAUTHSTATUS(0x3EE)=0x000000cc\n");
	/* TSSIZE 64, RETSTACK, CCI, BB; bit 29 is COMMOPT. */
	text_printf(&t, "TRCIDR0(0x078)=0x%08x\n",
	            c->options.commit_by_cycles ? 0x08000ea1U : 0x28000ea1U);
	text_printf(&t, "TRCIDR1(0x079)=0x4100f4%02x\n", (unsigned int)(minor << 4) | 3);
	text_puts(&t, "TRCIDR2(0x07A)=0x00000488\n"); /* 64-bit addresses, CID 32, VMID 8 bits */
	text_printf(&t, "TRCIDR8(0x060)=0x%08x\n", c->options.speculation);
	for (unsigned int i = 9; i <= 13; i++)
		text_printf(&t, "TRCIDR%u(0x%03x)=0x00000000\n", i, 0x58 + i);
	(void)snprintf(name, sizeof(name), "device_%zu.ini", number);
	status = text_status(&t);
	if (status == STATUS_OK)
		status = write_file(r, name, t.data, t.length);
	text_fini(&t);
	return status;
}

static enum status write_trace(struct recipe *r, const uint8_t *data, size_t size)
{
	size_t skip = r->skip < size ? r->skip : size;

	return write_file(r, "trace.bin", data + skip, size - skip);
}

static enum status write_buffer(struct recipe *r)
{
	struct frame_stream streams[CORES_MOST];
	struct buf frames = {0};
	size_t count = 0;
	enum status status;

	for (size_t i = 0; i < r->core_count; i++) {
		struct core *c = &r->cores[i];

		if (c->source.n == 0)
			continue;
		if (c->is_walking)
			walk_end(&c->walk);
		if (c->trace.failed)
			return STATUS_NO_MEM;
		streams[count++] = (struct frame_stream){c->id, c->trace.data, c->trace.size};
	}
	if (count == 0)
		return STATUS_OK;
	if (r->is_bare)
		return write_trace(r, streams[0].data, streams[0].size);
	frames_put(&frames, streams, count, &r->frames);
	status = frames.failed ? STATUS_NO_MEM : write_trace(r, frames.data, frames.size);
	buf_fini(&frames);
	return status;
}

static void add_trace_ini(const struct recipe *r, struct text *t)
{
	text_puts(t, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0\nfile=trace.bin\n");
	text_printf(t, "format=%s\n\n[source_buffers]\n", r->is_bare ? "source_data" : "coresight");
	for (size_t i = 0; i < r->core_count; i++) {
		if (r->cores[i].source.n)
			text_printf(t, "%.*s=ETB_0\n", STR_ARG(r->cores[i].source));
	}
	text_puts(t, "\n[core_trace_sources]\n");
	for (size_t i = 0; i < r->core_count; i++) {
		if (r->cores[i].source.n)
			text_printf(t, "%.*s=%.*s\n", STR_ARG(r->cores[i].name),
			            STR_ARG(r->cores[i].source));
	}
}

static enum status write_text(struct recipe *r, const char *name, const struct text *text)
{
	TRY(text_status(text));
	return write_file(r, name, text->data, text->length);
}

/* The ini files of the devices, and in `list` their names. */
static enum status write_devices(struct recipe *r, struct text *list)
{
	size_t devices = r->core_count;
	char name[32];

	for (size_t i = 0; i < r->core_count; i++) {
		struct core *c = &r->cores[i];

		text_printf(list, "device%zu=cpu_%zu.ini\n", i, i);
		(void)snprintf(name, sizeof(name), "cpu_%zu.ini", i);
		TRY(write_text(r, name, &c->ini));
		if (c->source.n == 0)
			continue;
		text_printf(list, "device%zu=device_%zu.ini\n", devices, devices);
		TRY(write_source(r, c, devices++));
	}
	if (devices > r->core_count)
		text_puts(list, "\n[trace]\nmetadata=trace.ini\n");
	return STATUS_OK;
}

static enum status write_snapshot(struct recipe *r)
{
	struct text snapshot = {0};
	struct text trace = {0};
	enum status status;

	text_printf(&snapshot, "[snapshot]\nversion=1.0\ndescription=%.*s\n\n[device_list]\n",
	            STR_ARG(r->description));
	add_trace_ini(r, &trace);
	status = write_buffer(r);
	if (status == STATUS_OK)
		status = write_devices(r, &snapshot);
	if (status == STATUS_OK)
		status = write_text(r, "snapshot.ini", &snapshot);
	if (status == STATUS_OK)
		status = write_text(r, "trace.ini", &trace);
	text_fini(&trace);
	text_fini(&snapshot);
	return status;
}

static void recipe_free(struct recipe *r)
{
	for (size_t i = 0; i < r->core_count; i++) {
		text_fini(&r->cores[i].ini);
		buf_fini(&r->cores[i].trace);
		free(r->cores[i].runs);
		for (size_t d = 0; d < r->cores[i].dump_count; d++)
			file_map_close(&r->cores[i].files[d]);
	}
	free(r);
}

enum status recipe_run(struct str name, struct str text, const char *folder,
                       struct diag_list *diags)
{
	struct recipe *r = calloc(1, sizeof(*r));
	enum status status = STATUS_OK;

	if (!r)
		return STATUS_NO_MEM;
	r->folder = folder;
	r->diags = diags;
	r->description = STR("synthetic");
	for (uint64_t line = 1; text.p && status == STATUS_OK; line++) {
		r->place = place_line(name, line);
		status = run_line(r, str_next_part(&text, '\n'));
	}
	if (status == STATUS_OK)
		status = write_snapshot(r);
	recipe_free(r);
	return status;
}
