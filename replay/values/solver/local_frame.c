/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of calls, and when an address in them was taken; see local_frame.h. */
#include "replay/values/solver/local_frame.h"

#include <stdlib.h>

#include "base/vec.h"
#include "replay/values/solver/memdep_clobber.h"
#include "replay/values/ssa/ssa.h"

enum {
	RETURNS_SEARCHED = 64, /* calls that a return may leave open, as longjmp() does */
	CALLERS_SEARCHED = 64, /* frames that are looked at for a granule */
};

/* What an instruction makes of SP and the frame pointer. */
struct taken {
	bool is_looked_at;
	bool takes;      /* an address of the frame */
	bool is_unclear; /* which; may be of the caller's, too */
	bool stores_fp;  /* through SP: the caller's, or such an address */
	bool sets_fp;
	bool makes_fp;   /* of SP or of itself, and does not load it */
	int64_t from_sp; /* else counted from SP */
};

/* A call that did not return yet. */
struct open_call {
	uint64_t after; /* the address after it */
	struct sp_track sp;
	uint32_t frame;
	bool has_own_fp;   /* what made it had made the frame pointer of SP */
	uint32_t switched; /* the first access after SP was made of something else in it */
};

struct find {
	struct local_frames *frames;
	const struct window *w;
	struct taken *taken; /* of each template */
	struct open_call *open;
	size_t open_count;
	size_t open_capacity;
	struct sp_track sp;
	bool has_own_fp; /* the function that runs has made the frame pointer of SP */
	uint32_t now[REG_COUNT];
};

/* Notes an address that is put where it may be used as a pointer. */
static void note_address(const struct template *template, unsigned int slot, struct taken *taken)
{
	struct sp_sum sum;
	int64_t from_sp;

	if (slot == SLOT_NONE || !sp_track_is_of_frame(template, slot))
		return;
	if (!sp_track_sum(template, slot, &sum) || sum.base != sp_track_sp(template)) {
		taken->takes = true;
		taken->is_unclear = true;
		return;
	}
	from_sp = (int64_t)(template->isa == ISA_A64 ? sum.constant
	                                             : (uint64_t)(int32_t)sum.constant);
	if (!taken->takes || from_sp > taken->from_sp)
		taken->from_sp = from_sp;
	taken->takes = true;
}

static struct taken look_at(const struct template *template)
{
	const struct uop_insn *insn = template->insn;
	unsigned int sp = sp_track_sp(template);
	unsigned int fp = sp_track_fp(template);
	struct taken taken = {.is_looked_at = true};

	for (size_t i = 0; i < insn->def_count && template->is_code; i++) {
		unsigned int reg = insn->defs[i].reg;

		if (reg < REG_NZCV && reg != sp && reg != fp)
			note_address(template, insn->defs[i].slot, &taken);
	}
	taken.sets_fp = template->is_code && uop_insn_after(insn, fp) != fp;
	taken.makes_fp = taken.sets_fp && sp_track_is_of_frame(template, uop_insn_after(insn, fp));
	for (size_t i = 0; i < insn->access_count && template->is_code; i++) {
		const struct uop_access *access = &insn->accesses[i];

		if (access->kind != ACCESS_STORE ||
		    (access->data == fp && sp_track_is_of_frame(template, access->address))) {
			taken.stores_fp |= access->kind == ACCESS_STORE;
			continue;
		}
		note_address(template, access->data, &taken);
	}
	return taken;
}

static uint32_t access_at(const struct find *f, size_t dyn)
{
	return window_access(f->w, dyn);
}

/* From the access on nothing is said of the frame of so manieth open call from the last. */
static void give_up(struct find *f, size_t back, uint32_t access)
{
	struct local_frame *frame;

	if (back >= f->open_count)
		return;
	frame = &f->frames->items[f->open[f->open_count - 1 - back].frame];
	if (frame->last > access)
		frame->last = access;
}

/*
 * The function of the open call `of`, or none at the window's end, returned, and those after it
 * have not. Where SP was made of something else in one of these it was left by that, as by an
 * exception of C++ or a longjmp(), and not by an alloca(): from there on execution was in any
 * before it.
 */
static void give_up_left(struct find *f, size_t of)
{
	uint32_t switched = UINT32_MAX;

	for (size_t i = f->open_count; i-- > of;) {
		const struct open_call *call = &f->open[i];

		if (i > of && call->switched < switched)
			switched = call->switched;
		give_up(f, f->open_count - 1 - i, switched);
	}
	/* A parameter on the stack is in its caller's. */
	if (of > 0)
		give_up(f, f->open_count - of, switched);
}

/* Leaves the last `count` open calls. */
static void leave(struct find *f, size_t count, uint32_t access)
{
	for (size_t i = 0; i < count; i++) {
		struct local_frame *frame = &f->frames->items[f->open[--f->open_count].frame];

		frame->end = access;
		if (frame->last > access)
			frame->last = access;
	}
}

/* How far SP is from where it was as the last open call was made. */
static int64_t distance(const struct find *f, const struct template *template)
{
	uint64_t moved = f->sp.moved - f->open[f->open_count - 1].sp.moved;

	return (int64_t)(template->isa == ISA_A64 ? moved : (uint64_t)(int32_t)moved);
}

static enum status enter(struct find *f, const struct template *template, size_t dyn)
{
	struct local_frames *frames = f->frames;
	struct local_frame frame = {
	        .first = access_at(f, dyn + 1),
	        .last = UINT32_MAX,
	        .end = UINT32_MAX,
	        .caller = LOCAL_FRAME_NONE,
	        .sp = f->now[sp_track_sp(template)],
	};

	if (f->open_count > 0) {
		struct local_frame *caller;
		int64_t low = distance(f, template);

		frame.caller = f->open[f->open_count - 1].frame;
		caller = &frames->items[frame.caller];
		if (!caller->calls || low > caller->low)
			caller->low = low;
		caller->calls = true;
	}
	TRY(vec_reserve((void **)&frames->items, &frames->capacity, frames->count + 1,
	                sizeof(*frames->items)));
	TRY(vec_reserve((void **)&f->open, &f->open_capacity, f->open_count + 1, sizeof(*f->open)));
	f->open[f->open_count++] =
	        (struct open_call){template->address + template->size, f->sp,
	                           (uint32_t)frames->count, f->has_own_fp, UINT32_MAX};
	f->has_own_fp = false;
	frames->items[frames->count++] = frame;
	return STATUS_OK;
}

/* Execution is at `dyn`, after a return. */
static void arrive(struct find *f, size_t dyn)
{
	uint64_t address = window_template(f->w, dyn)->address;

	for (size_t i = 0; i < RETURNS_SEARCHED && i < f->open_count; i++) {
		const struct open_call *call = &f->open[f->open_count - 1 - i];

		if (call->after == address) {
			/* SP is where it was, also where the function made it of its frame pointer.
			 */
			if (f->sp.switches == call->sp.switches) {
				f->sp.moved = call->sp.moved;
				f->sp.restores = call->sp.restores;
			}
			f->has_own_fp = call->has_own_fp;
			give_up_left(f, f->open_count - 1 - i);
			leave(f, i + 1, access_at(f, dyn));
			return;
		}
	}
}

/* After the dynamic instruction. */
static void follow(struct find *f, const struct template *template, size_t dyn)
{
	struct sp_track before = f->sp;
	const struct taken *taken = &f->taken[f->w->dyns[dyn].template];
	struct local_frame *frame;
	int64_t low;
	/* A prologue stores the caller's frame pointer. */
	bool stores_own = taken->stores_fp && f->has_own_fp;

	if (taken->sets_fp)
		f->has_own_fp = taken->makes_fp;

	if ((taken->takes || stores_own) && f->open_count > 0) {
		give_up(f, 0, access_at(f, dyn));
		if (taken->is_unclear || stores_own ||
		    f->sp.restores != f->open[f->open_count - 1].sp.restores ||
		    distance(f, template) + taken->from_sp >= 0)
			give_up(f, 1, access_at(f, dyn));
	}
	sp_track_follow(&f->sp, template);
	if (f->open_count == 0)
		return;
	if (f->sp.switches != before.switches || f->sp.restores != before.restores)
		give_up(f, 0, access_at(f, dyn + 1));
	if (f->sp.switches != before.switches && f->open[f->open_count - 1].switched == UINT32_MAX)
		f->open[f->open_count - 1].switched = access_at(f, dyn + 1);
	frame = &f->frames->items[f->open[f->open_count - 1].frame];
	low = distance(f, template);
	if (!frame->calls && low < frame->low)
		frame->low = low;
}

static enum status find_frames(struct find *f)
{
	const struct window *w = f->w;

	for (size_t dyn = 0; dyn < w->dyn_count; dyn++) {
		const struct template *template = window_template(w, dyn);
		struct taken *taken = &f->taken[w->dyns[dyn].template];

		if (!taken->is_looked_at)
			*taken = look_at(template);
		if (dyn > 0 && template->is_code && sp_track_is_return(window_template(w, dyn - 1)))
			arrive(f, dyn);
		if ((template->insn->flags & UOP_KILLS_REGISTERS) != 0)
			leave(f, f->open_count, access_at(f, dyn));
		if (template->is_code)
			follow(f, template, dyn);
		if (sp_track_is_call(template))
			TRY(enter(f, template, dyn));
		window_advance(w, dyn, f->now);
	}
	give_up_left(f, 0);
	leave(f, f->open_count, w->access_count);
	return STATUS_OK;
}

enum status local_frames_init(struct local_frames *frames, const struct solver *s)
{
	struct find *f = calloc(1, sizeof(*f));
	enum status status = STATUS_NO_MEM;

	*frames = (struct local_frames){.is_assumed = true};
	if (!f)
		return STATUS_NO_MEM;
	f->frames = frames;
	f->w = &s->w;
	for (uint32_t reg = 0; reg < REG_COUNT; reg++)
		f->now[reg] = reg;
	f->taken = calloc(s->w.template_count + 1, sizeof(*f->taken));
	if (f->taken)
		status = find_frames(f);
	free(f->taken);
	free(f->open);
	free(f);
	return status;
}

void local_frames_fini(struct local_frames *frames)
{
	free(frames->items);
	*frames = (struct local_frames){.is_assumed = false};
}

bool local_frames_place(struct solver *s)
{
	bool any = false;

	for (size_t i = 0; i < s->frames.count; i++) {
		struct local_frame *frame = &s->frames.items[i];

		if (frame->is_placed || ~s->ssa_values[frame->sp].known != 0)
			continue;
		frame->is_placed = true;
		any |= frame->last > frame->first && frame->low < 0;
	}
	return any;
}

/* The frame of the function that makes the access, or LOCAL_FRAME_NONE. */
static uint32_t innermost(const struct local_frames *frames, uint32_t access)
{
	size_t low = 0;
	size_t high = frames->count;
	uint32_t at;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (frames->items[middle].first <= access)
			low = middle + 1;
		else
			high = middle;
	}
	at = low == 0 ? LOCAL_FRAME_NONE : (uint32_t)low - 1;
	while (at != LOCAL_FRAME_NONE && frames->items[at].end <= access)
		at = frames->items[at].caller;
	return at;
}

static bool is_in(const struct solver *s, const struct local_frame *frame, uint64_t granule)
{
	uint64_t end = s->ssa_values[frame->sp].value;
	uint64_t begin = end + (uint64_t)frame->low;

	return frame->is_placed && begin < end && granule >= begin && granule < end &&
	       end - granule >= 8;
}

/* Through SP or the frame pointer. */
static bool is_of_frame(const struct solver *s, const struct memdep_access *a)
{
	return sp_track_is_of_frame(window_template(&s->w, a->dyn),
	                            memdep_access_of(s, a)->address);
}

bool local_frames_are_apart(const struct solver *s, uint64_t granule, uint32_t access)
{
	const struct local_frames *frames = &s->frames;
	const struct memdep_access *a = &s->memory.accesses[access];
	uint32_t at;

	if (!frames->is_assumed || a->index == ACCESS_KILL || a->kind == ACCESS_LOAD ||
	    is_of_frame(s, a))
		return false;
	at = innermost(frames, access);
	for (unsigned int i = 0; i < CALLERS_SEARCHED && at != LOCAL_FRAME_NONE; i++) {
		const struct local_frame *frame = &frames->items[at];

		if (is_in(s, frame, granule))
			return access >= frame->first && access < frame->last;
		at = frame->caller;
	}
	return false;
}
