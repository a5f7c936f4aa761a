/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass over a Tarmac text: its events go to their cores (tarmac_pass.c), and what came of them
 * becomes a snapshot, histories and logs; see tarmac_store.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/tarmac/tarmac_gap.h"
#include "replay/tarmac/tarmac_pass.h"
#include "replay/tarmac/tarmac_source.h"
#include "snapshot/synthetic.h"

enum {
	EVENTS_PER_PROGRESS = 1 << 14,
	FORGET = 1 << 23, /* bytes of text that are let go at once */
};

struct reading {
	struct tarmac_source *source;
	const struct history_options *options;
	struct tarmac_pass *passes[TARMAC_CORES_MOST]; /* one a core */
	struct tarmac_tick tick;
	bool has_turn;
	enum core_arch arch; /* of the first instruction */
	uint64_t forgotten;  /* bytes of text */
};

static enum status add_core(struct reading *r)
{
	struct tarmac_source *source = r->source;
	struct tarmac_core *core;
	size_t index = source->core_count;

	TRY(vec_reserve((void **)&source->cores, &source->core_capacity, index + 1,
	                sizeof(struct tarmac_core *)));
	core = calloc(1, sizeof(*core));
	if (!core)
		return STATUS_NO_MEM;
	source->cores[source->core_count++] = core;
	core->source = source;
	core->index = (uint32_t)index;
	r->passes[index] = calloc(1, sizeof(**r->passes));
	return r->passes[index] ? tarmac_pass_init(r->passes[index], core, r->arch) : STATUS_NO_MEM;
}

/* Lines of another core than before begin a turn, which is a tick. */
static enum status begin_turn(struct reading *r, uint32_t index)
{
	struct tarmac_source *source = r->source;
	struct tarmac_core *core;

	if (r->has_turn && source->turns[source->turn_count - 1].core == index)
		return STATUS_OK;
	while (index >= source->core_count)
		TRY(add_core(r));
	core = source->cores[index];
	r->has_turn = true;
	r->tick.clock++;
	r->tick.has_written = false;
	TRY(vec_reserve((void **)&source->turns, &source->turn_capacity, source->turn_count + 1,
	                sizeof(*source->turns)));
	TRY(vec_reserve((void **)&core->turns, &core->turn_capacity, core->turn_count + 1,
	                sizeof(*core->turns)));
	core->turns[core->turn_count++] = source->turn_count;
	source->turns[source->turn_count++] = (struct tarmac_turn){
	        .clock = r->tick.clock, .position = core->length, .core = index};
	return STATUS_OK;
}

static enum status note_place(struct tarmac_core *core, const struct tarmac_mark *mark)
{
	if (core->length % TARMAC_MARK_STEP != 0)
		return STATUS_OK;
	TRY(vec_reserve((void **)&core->marks, &core->mark_capacity, core->mark_count + 1,
	                sizeof(*core->marks)));
	core->marks[core->mark_count++] = *mark;
	return STATUS_OK;
}

/* Lines that say nothing of what a core did. */
static bool is_idle(const struct tarmac_event *event)
{
	struct gap gap;

	if (event->kind == TARMAC_NOTE)
		return !tarmac_gap_read(event, &gap);
	if (event->kind == TARMAC_OPERATION)
		return !tarmac_system_is_translation(event->reg.name);
	return event->kind == TARMAC_HEADER;
}

/* `mark` is the place of the event's line. */
static enum status add_event(struct reading *r, const struct tarmac_event *event,
                             const struct tarmac_mark *mark)
{
	if (is_idle(event))
		return STATUS_OK;
	TRY(begin_turn(r, event->core));
	if (tarmac_is_counted(event)) {
		TRY(note_place(r->source->cores[event->core], mark));
		r->tick.clock++;
		r->tick.has_written = false;
	}
	return tarmac_pass_add(r->passes[event->core], event, &r->tick);
}

/* Pages of the text that were read are let go. */
static void forget(struct reading *r, uint64_t offset)
{
	struct bytes text = file_map_bytes(&r->source->map);

	if (offset - r->forgotten < FORGET)
		return;
	text.end = text.begin + offset;
	text.pos = text.begin + r->forgotten;
	file_forget(text);
	r->forgotten = offset;
}

static enum status report_progress(struct reading *r, uint64_t offset)
{
	const struct history_options *options = r->options;

	forget(r, offset);
	if (options->progress && !options->progress(options->context, offset, r->source->map.size))
		return STATUS_INTERRUPTED;
	return STATUS_OK;
}

/* Registers in lines before the first instruction are of the state that it is in. */
static enum status find_arch(struct reading *r)
{
	struct tarmac_options options = {.file = STR("")};
	unsigned int countdown = EVENTS_PER_PROGRESS;
	enum status stop = STATUS_OK;
	struct tarmac_mark mark;
	struct tarmac *reader;
	struct tarmac_event event;
	enum status status;

	TRY(tarmac_open(file_map_bytes(&r->source->map), &options, NULL, &reader));
	do {
		status = tarmac_next(reader, &event);
		if (--countdown == 0) {
			countdown = EVENTS_PER_PROGRESS;
			tarmac_tell(reader, &mark);
			stop = report_progress(r, mark.offset);
		}
	} while (status == STATUS_OK && stop == STATUS_OK && event.kind != TARMAC_INSTRUCTION);
	r->arch = status == STATUS_OK && event.kind == TARMAC_INSTRUCTION
	                  ? tarmac_arch_of(&event.instruction)
	                  : CORE_A64;
	r->forgotten = 0;
	tarmac_close(reader);
	return stop;
}

static enum status read_all(struct reading *r, bool is_strict)
{
	struct tarmac *reader = r->source->reader;
	unsigned int countdown = EVENTS_PER_PROGRESS;
	bool is_wrong = false;
	struct tarmac_event event;
	struct tarmac_mark mark;

	for (;;) {
		enum status status;

		tarmac_tell(reader, &mark);
		status = tarmac_next(reader, &event);
		if (status == STATUS_END)
			break;
		if (status != STATUS_OK && status != STATUS_BAD_DATA && status != STATUS_TRUNCATED)
			return status;
		is_wrong |= status != STATUS_OK;
		TRY(add_event(r, &event, &mark));
		if (--countdown == 0) {
			countdown = EVENTS_PER_PROGRESS;
			TRY(report_progress(r, mark.offset));
		}
	}
	return is_wrong && is_strict ? STATUS_BAD_DATA : STATUS_OK;
}

static uint8_t image_base(void *context, uint64_t key, uint64_t *value)
{
	const struct tarmac_source *source = context;
	uint32_t frame = (uint32_t)(key / TARMAC_PAGE_WORDS);

	return tarmac_image_word(source, tarmac_frame_is_physical(&source->frames, frame),
	                         tarmac_frame_address(&source->frames, key), value);
}

static enum status make_cores(struct reading *r, const struct snapshot_options *images,
                              struct diag_list *diags, struct snapshot **snapshot)
{
	struct tarmac_source *source = r->source;
	size_t count = source->core_count;
	struct synthetic_core *cores = calloc(count + 1, sizeof(*cores));
	struct text description = {0};
	enum status status = cores ? STATUS_OK : STATUS_NO_MEM;

	for (size_t i = 0; i < count && status == STATUS_OK; i++) {
		struct tarmac_core *core = source->cores[i];

		core->name = tarmac_core_name(source->reader, (uint32_t)i);
		status = tarmac_code_finish(&core->code, str_of(source->path));
		cores[i] = (struct synthetic_core){core->name.n > 0 ? core->name : STR("cpu0"),
		                                   STR("Tarmac"), core->arch, core->code.regions,
		                                   core->code.region_count};
	}
	text_printf(&description, "Tarmac text, dialect %s, %llu lines",
	            tarmac_dialect_name(tarmac_dialect(source->reader)),
	            (unsigned long long)tarmac_stats(source->reader).lines);
	if (status == STATUS_OK && cores)
		status = snapshot_make(&(struct synthetic_snapshot){source->path,
		                                                    text_str(&description), cores,
		                                                    count},
		                       images, diags, snapshot);
	text_fini(&description);
	free(cores);
	return status;
}

/* Finishing the logs of a long text takes seconds, too. */
static bool go_on(void *context)
{
	struct reading *r = context;

	return report_progress(r, r->source->map.size) == STATUS_OK;
}

static enum status finish_log(struct reading *r, struct word_log *log, word_base *base)
{
	log->go_on = go_on;
	log->go_on_context = r;
	return word_log_finish(log, base, r->source);
}

static enum status make_history(struct reading *r, const struct snapshot *snapshot, size_t index)
{
	struct tarmac_core *core = r->source->cores[index];
	struct tarmac_pass *pass = r->passes[index];
	uint64_t end = 0;
	bool has_end;

	TRY(tarmac_pass_end(pass, &has_end, &end));
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): add_core() gives each core one */
	TRY(history_of_part(&snapshot->cores[index], &pass->graph, pass->part,
	                    has_end ? &end : NULL, &core->history));
	history_set_data(core->history, core, tarmac_correct_opcode);
	TRY(finish_log(r, &core->registers, NULL));
	TRY(finish_log(r, &core->patched, NULL));
	tarmac_code_fini(&core->logged);
	r->source->has_moved |= core->pages.has_moved;
	TRY(tarmac_pages_finish(&core->pages));
	tarmac_pass_fini(pass);
	return STATUS_OK;
}

/* A line each kind of trouble; how often is in it. */
static void report_astray(const struct reading *r, struct diag_list *diags)
{
	for (size_t i = 0; i < r->source->core_count; i++) {
		const struct tarmac_pass *p = r->passes[i];
		struct text more = {0};

		if (!p || p->astray == 0)
			continue;
		if (p->astray > 1)
			text_printf(&more, "; %" PRIu64 " more", p->astray - 1);
		diag_warning(diags, place_line(str_of(r->source->path), p->first_astray),
		             "instruction at 0x%" PRIx64 ", but the branch before it leads to "
		             "0x%" PRIx64 ": lines are missing, a gap%.*s",
		             p->astray_at, p->astray_target, STR_ARG(text_str(&more)));
		text_fini(&more);
	}
}

/* The first core with another unit than a record before has, or NULL. */
static const struct tarmac_core *find_other_unit(const struct tarmac_source *source,
                                                 enum tarmac_unit *unit, enum tarmac_unit *other)
{
	bool has_unit = false;

	for (size_t i = 0; i < source->core_count; i++) {
		const struct tarmac_times *times = &source->cores[i]->times;

		if (!times->has_any)
			continue;
		if (!has_unit)
			*unit = times->unit;
		has_unit = true;
		*other = times->unit != *unit ? times->unit : times->other;
		if (times->unit != *unit || times->is_mixed)
			return source->cores[i];
	}
	return NULL;
}

static const char *unit_text(enum tarmac_unit unit)
{
	return unit == TARMAC_UNIT_NONE ? "no unit" : tarmac_unit_name(unit);
}

/* Times that cannot be compared are none that another core's place follows from; that is said where
 * there is another. */
static void look_at_times(struct reading *r, struct diag_list *diags)
{
	struct tarmac_source *source = r->source;
	enum tarmac_unit unit;
	enum tarmac_unit other;
	const struct tarmac_core *core = find_other_unit(source, &unit, &other);

	source->has_units = core != NULL;
	if (source->core_count < 2)
		return;
	if (core)
		diag_warning(diags, place_line(str_of(source->path), core->times.odd_line),
		             "timestamps are of more than one unit, %s and %s: they are not "
		             "compared, and each core moves alone",
		             unit_text(unit), unit_text(other));
	for (size_t i = 0; i < source->core_count && !core; i++) {
		const struct tarmac_times *times = &source->cores[i]->times;
		struct str name = tarmac_core_name(source->reader, (uint32_t)i);

		if (times->goes_back)
			diag_warning(diags, place_line(str_of(source->path), times->odd_line),
			             "timestamps of %.*s go back: they are not compared, and it "
			             "moves alone",
			             STR_ARG(name.n > 0 ? name : STR("cpu0")));
	}
}

static enum status finish(struct reading *r, const struct snapshot_options *images,
                          struct diag_list *diags, struct snapshot **snapshot)
{
	struct tarmac_source *source = r->source;

	while (source->core_count == 0)
		TRY(add_core(r));
	TRY(make_cores(r, images, diags, snapshot));
	source->snapshot = *snapshot;
	for (size_t i = 0; i < source->core_count; i++)
		TRY(make_history(r, *snapshot, i));
	TRY(tarmac_frames_settle(&source->frames));
	TRY(word_log_spread(&source->memory, tarmac_frames_spread, &source->frames));
	return finish_log(r, &source->memory, image_base);
}

enum status tarmac_read(struct tarmac_source *source, bool is_strict,
                        const struct history_options *options,
                        const struct snapshot_options *images, struct diag_list *diags,
                        struct snapshot **snapshot)
{
	struct reading r = {.source = source,
	                    .options = options,
	                    .tick = {.memory = &source->memory, .frames = &source->frames}};
	enum status status = find_arch(&r);

	*snapshot = NULL;
	if (status == STATUS_OK)
		status = read_all(&r, is_strict);
	if (status == STATUS_OK) {
		tarmac_report_oddities(source->reader, diags);
		report_astray(&r, diags);
		look_at_times(&r, diags);
	}
	if (status == STATUS_OK)
		status = finish(&r, images, diags, snapshot);
	if (status != STATUS_OK) {
		snapshot_destroy(*snapshot);
		*snapshot = NULL;
	}
	for (size_t i = 0; i < source->core_count; i++) {
		if (r.passes[i])
			tarmac_pass_fini(r.passes[i]);
		free(r.passes[i]);
	}
	return status;
}
