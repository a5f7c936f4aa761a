/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The console's commands on calls: the stack at the position, calls of a function, and to go to
 * where a call began or ended. In: frames by level, names. Out: text, and the core's new position;
 * for gdbinit's unwinder one line of words, `stack --raw`.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/threads.h"

enum {
	LINES_MOST = 1000,
	OUTER_MOST = 16,
	LEVELS_MOST = 8,     /* frames with registers in one answer */
	NEAR_MOST = 8,       /* stretches before the position, and after it */
	NEAR_WITHIN = 256,   /* positions from it */
	VECTOR_KIND = 0x600, /* bits of an offset in the vectors of A64 (Arm ARM D1.3.1.5) */
	VECTOR_OWN_SP = 0x200,
};

static const struct calls *calls_of(struct console *console, size_t core, struct text *out)
{
	const struct calls *calls = NULL;
	enum status status = session_calls(console->session, core, &calls);

	if (status != STATUS_OK) {
		text_puts(out, "calls are not known: ");
		console_say_status(console, status, out);
	}
	return calls;
}

static void write_frame(const struct calls *calls, uint32_t level, const struct call_frame *frame,
                        const struct call_frame *newer, struct text *out)
{
	const struct call *call = calls_get(calls, frame->call);

	text_printf(out, "#%-3" PRIu32 " ", level);
	call_frame_format(calls, frame, newer, out);
	if (call->enter == CALL_NOT_KNOWN)
		text_puts(out, ", called before the trace or a gap");
	else
		text_printf(out, ", %s at position %" PRIu64,
		            call->begin == CALL_BEGIN_CALL ? "called" : call_begin_text(call),
		            call->enter);
	text_char(out, '\n');
}

/* Says of a stack that it was reached by a return to what was not the caller. */
static void write_stray(const struct calls *calls, const struct call *call, struct text *out)
{
	const struct call *left;

	if (call->begin != CALL_BEGIN_STRAY || call->replaced == CALL_NONE)
		return;
	left = calls_get(calls, call->replaced);
	text_puts(out, "     ");
	call_name(calls, left, out);
	text_puts(out, " ");
	call_oddity(calls, left, out);
	if (calls_first_stray(calls) == call->replaced)
		text_puts(out, ": the first such return of the history");
	text_char(out, '\n');
}

/* Why no caller is known of the call that a stack ends with, or of what it came in place of. */
static const char *end_of_stack(const struct calls *calls, const struct call *oldest)
{
	static const char *const by_begin[] = {
	        [CALL_BEGIN_FIRST] =
	                "the trace begins in it; what called it, if anything did, is older",
	        [CALL_BEGIN_GAP] =
	                "its callers are older than a gap, and it has not returned to them",
	        [CALL_BEGIN_BEFORE] =
	                "its callers are older than the trace, or than a gap, and it has not "
	                "returned to them",
	        [CALL_BEGIN_STRAY] = "its callers are not known: what ran before it did not return "
	                             "to its caller",
	        [CALL_BEGIN_LANDED] =
	                "its callers are not known: which call of this function goes on "
	                "here the flow does not show",
	        [CALL_BEGIN_STACK] = "another stack than what ran before it",
	};

	while (oldest->begin == CALL_BEGIN_TAIL && oldest->replaced != CALL_NONE)
		oldest = calls_get(calls, oldest->replaced);
	return oldest->begin < sizeof(by_begin) / sizeof(by_begin[0]) && by_begin[oldest->begin]
	               ? by_begin[oldest->begin]
	               : "its callers are not known";
}

static void write_stack(struct console *console, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	const struct calls *calls = calls_of(console, console->core, out);
	struct call_frame frame = {.call = CALL_NONE};
	struct call_frame newer = frame;
	uint32_t level = 0;

	while (calls && level < LINES_MOST &&
	       calls_frame(calls, position, level, &frame) == STATUS_OK) {
		write_frame(calls, level, &frame, level > 0 ? &newer : NULL, out);
		newer = frame;
		write_stray(calls, calls_get(calls, frame.call), out);
		level++;
	}
	if (frame.call == CALL_NONE) {
		text_puts(out, calls ? "the core has no history\n" : "");
		return;
	}
	if (calls_get(calls, frame.call)->parent == CALL_NONE)
		text_printf(out, "(%s)\n", end_of_stack(calls, calls_get(calls, frame.call)));
	else
		text_printf(out, "(and %" PRIu32 " older ones)\n",
		            calls_get(calls, frame.call)->depth);
}

/* Registers that a function keeps for its caller (AAPCS64 6.1.1, AAPCS32 6.1.1), and SP. */
static const struct {
	unsigned int sp;
	unsigned int first;
	unsigned int last;
} kept[] = {
        [CORE_A64] = {A64_sp, A64_x19, A64_x29},
        [CORE_A32] = {A32_sp, A32_r4, A32_r11},
        [CORE_M] = {M_sp, M_r4, M_r11},
};

static void write_register(const struct console *console, uint64_t site, unsigned int number,
                           struct text *out)
{
	const struct register_file *file = session_core_registers(console->session, console->core);
	struct value value;

	session_register_at(console->session, console->core, site, number, &value);
	if (value_is_known(&value))
		text_printf(out, " %s=0x%" PRIx64, file->table[number].name, value_u64(&value));
}

static bool read_sp(const struct console *console, uint64_t position, uint64_t *sp)
{
	enum core_arch arch = session_core_registers(console->session, console->core)->arch;
	struct value value;

	session_register_at(console->session, console->core, position, kept[arch].sp, &value);
	*sp = value_u64(&value);
	return value_is_known(&value);
}

/* What they were there, as far as is known. */
static void write_registers(const struct console *console, uint64_t position, bool has_sp,
                            struct text *out)
{
	enum core_arch arch = session_core_registers(console->session, console->core)->arch;

	if (has_sp)
		write_register(console, position, kept[arch].sp, out);
	for (unsigned int i = kept[arch].first; i <= kept[arch].last; i++)
		write_register(console, position, i, out);
}

/*
 * Where what an exception interrupted still has its registers: before the first instruction of the
 * handler, which jumps may have left since. A64 alone: elsewhere modes have some of their own.
 */
static bool find_entry(const struct calls *calls, const struct call *call, uint64_t *position)
{
	while (call->begin == CALL_BEGIN_TAIL && call->replaced != CALL_NONE)
		call = calls_get(calls, call->replaced);
	*position = call->enter;
	return call->begin == CALL_BEGIN_EXCEPTION && call->enter != CALL_NOT_KNOWN &&
	       history_core(calls_history(calls))->arch == CORE_A64;
}

/* SP is the interrupted code's: the vector is one for the same level with its own SP. */
static bool keeps_sp(const struct calls *calls, uint64_t entry)
{
	uint64_t pc;

	return history_pc(calls_history(calls), entry, &pc) == STATUS_OK &&
	       (pc & VECTOR_KIND) == VECTOR_OWN_SP;
}

/* Where the caller's SP is that of the call; false: nowhere. */
static bool find_sp_place(const struct calls *calls, const struct call *call, uint64_t *position)
{
	if (call->is_exception)
		return find_entry(calls, call, position) && keeps_sp(calls, *position);
	*position = call->site;
	return call->site != CALL_NOT_KNOWN;
}

/*
 * Of a frame whose SP is not known the first one outward of which it is known, and how many frames
 * that is: it is no higher, which is all that a debugger wants to be told.
 */
static void write_outer(const struct console *console, const struct calls *calls,
                        const struct call *call, struct text *out)
{
	uint64_t position;
	uint64_t sp;

	for (unsigned int i = 0; i < OUTER_MOST && call->parent != CALL_NONE; i++) {
		if (find_sp_place(calls, call, &position) && read_sp(console, position, &sp)) {
			if (i > 0)
				text_printf(out, " outer_sp=0x%" PRIx64 " outer=%u", sp, i);
			return;
		}
		call = calls_get(calls, call->parent);
	}
}

/* The instruction set of the caller: its status register says it. */
static void write_isa(const struct console *console, const struct calls *calls, uint64_t site,
                      struct text *out)
{
	enum core_arch arch = session_core_registers(console->session, console->core)->arch;
	struct instruction insn;

	history_at(calls_history(calls), site, &insn);
	if (arch != CORE_A64 && insn.isa == ISA_T32)
		text_puts(out, " thumb=1");
}

/* Where one comes to that goes back out of the call. */
static uint64_t before_call(const struct call *call)
{
	if (call->site != CALL_NOT_KNOWN)
		return call->site;
	return call->enter != CALL_NOT_KNOWN && call->enter > 0 && call->parent != CALL_NONE
	               ? call->enter - 1
	               : CALL_NOT_KNOWN;
}

static void write_back(const struct calls *calls, const struct call *call, struct text *out)
{
	uint64_t position = before_call(call);
	uint64_t pc;

	if (position != CALL_NOT_KNOWN &&
	    history_pc(calls_history(calls), position, &pc) == STATUS_OK)
		text_printf(out, " back=%" PRIu64 " back_pc=0x%" PRIx64, position, pc);
}

/* A frame as "key=value" words; with `registers` what its caller had at the call. */
static void write_words(const struct console *console, const struct calls *calls, uint64_t position,
                        const struct call_frame *frame, bool registers, struct text *out)
{
	const struct call *call = calls_get(calls, frame->call);
	uint64_t entry;

	text_printf(out,
	            "position=%" PRIu64 " call=%" PRIu32 " depth=%" PRIu32 " function=0x%" PRIx64
	            " begin=%s",
	            position, frame->call, call->depth, call->function, call_begin_text(call));
	if (position == history_last(calls_history(calls)))
		text_puts(out, " halt=1");
	if (frame->has_pc)
		text_printf(out, " pc=0x%" PRIx64, frame->pc);
	if (call->is_exception)
		text_puts(out, " exception=1");
	if (call->enter != CALL_NOT_KNOWN)
		text_printf(out, " enter=%" PRIu64, call->enter);
	if (call->site != CALL_NOT_KNOWN)
		text_printf(out, " site=%" PRIu64, call->site);
	write_back(calls, call, out);
	if (call->parent != CALL_NONE && call->has_return) {
		text_printf(out, " caller=0x%" PRIx64, call->return_address);
		if (registers && call->site != CALL_NOT_KNOWN) {
			write_registers(console, call->site, true, out);
			write_isa(console, calls, call->site, out);
		} else if (registers && call->is_exception && find_entry(calls, call, &entry)) {
			write_registers(console, entry, keeps_sp(calls, entry), out);
		}
		if (registers)
			write_outer(console, calls, call, out);
	}
	text_char(out, '\n');
}

/* Which frames of a stack are written, and whether with registers. */
struct levels {
	uint64_t first;
	unsigned int most;
	bool registers;
};

static void write_levels(const struct console *console, const struct calls *calls,
                         uint64_t position, struct levels which, struct text *out)
{
	struct call_frame frame;

	for (uint64_t i = which.first; i - which.first < which.most; i++) {
		if (i > UINT32_MAX ||
		    calls_frame(calls, position, (uint32_t)i, &frame) != STATUS_OK)
			return;
		write_words(console, calls, position, &frame, which.registers, out);
	}
}

/*
 * The two innermost frames where the call is that of `position`, after the first and last position
 * of these. The halt is one of its own.
 */
static bool write_stretch(const struct console *console, const struct calls *calls,
                          uint64_t position, uint64_t *first, uint64_t *last, struct text *out)
{
	uint64_t halt = history_last(calls_history(calls));

	if (calls_stretch(calls, position, first, last) != STATUS_OK)
		return false;
	if (*last == halt && halt > *first && position < halt)
		*last = halt - 1;
	if (position == halt)
		*first = halt;
	text_printf(out, "first=%" PRIu64 " last=%" PRIu64 " ", *first, *last);
	write_levels(console, calls, position, (struct levels){0, 2, true}, out);
	return true;
}

/*
 * The innermost frame and its caller at the position and at those near it, a line each: who steps
 * asks once for what the next steps need.
 */
static void write_near(const struct console *console, const struct calls *calls, uint64_t position,
                       struct text *out)
{
	uint64_t first;
	uint64_t last;
	uint64_t begin;
	uint64_t end;

	if (!write_stretch(console, calls, position, &begin, &last, out))
		return;
	end = last;
	for (unsigned int i = 0; i < NEAR_MOST && begin > 0 && position - begin < NEAR_WITHIN;
	     i++) {
		if (!write_stretch(console, calls, begin - 1, &begin, &last, out))
			return;
	}
	for (unsigned int i = 0; i < NEAR_MOST && end < history_last(calls_history(calls)) &&
	                         end - position < NEAR_WITHIN;
	     i++) {
		if (!write_stretch(console, calls, end + 1, &first, &end, out))
			return;
	}
}

/* "--raw THREAD [near|LEVEL]": all frames, or some with registers. */
static void write_raw(struct console *console, struct str args, struct text *out)
{
	struct console of = *console;
	size_t space = str_find(args, ' ');
	struct str word = str_trim(str_skip(args, space));
	bool near = str_eq(word, STR("near"));
	struct levels which = {0, word.n > 0 ? LEVELS_MOST : LINES_MOST, word.n > 0};
	const struct calls *calls;
	uint64_t position;

	if (threads_parse(console->session, (struct str){args.p, space}, &of.core) != THREAD_ONE ||
	    (word.n > 0 && !near && str_to_u64(word, &which.first) != STATUS_OK)) {
		console_say_usage(console, "stack --raw THREAD [near|LEVEL]", out);
		return;
	}
	position = session_position(console->session, of.core);
	calls = calls_of(&of, of.core, out);
	if (calls && near)
		write_near(&of, calls, position, out);
	else if (calls)
		write_levels(&of, calls, position, which, out);
}

void console_stack(struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');

	if (args.n == 0) {
		write_stack(console, out);
	} else if (str_eq((struct str){args.p, end}, STR("--raw"))) {
		write_raw(console, str_trim(str_skip(args, end)), out);
	} else {
		console_say_wrong(console, "stack takes no", args, "", out);
	}
}

static void write_call(const struct calls *calls, const struct call *call, struct text *out)
{
	if (call->enter == CALL_NOT_KNOWN)
		text_puts(out, "before the trace");
	else
		text_printf(out, "%" PRIu64, call->enter);
	if (call->leave == CALL_NOT_KNOWN)
		text_puts(out, " to the halt");
	else
		text_printf(out, " to %" PRIu64, call->leave);
	text_puts(out, "  ");
	call_name(calls, call, out);
	if (call->parent != CALL_NONE && call->has_return) {
		text_puts(out, ", returns to ");
		symbols_format(calls_symbols(calls), call->return_address, out);
	}
	if (call->end == CALL_END_STRAY || call->end == CALL_END_UNWOUND) {
		text_puts(out, "; ");
		call_oddity(calls, call, out);
	}
	text_char(out, '\n');
}

/* "NAME where EXPR": the name is left in *name. False, and it is said, if EXPR is none. */
static bool parse_where(struct console *console, struct str args, struct str *name,
                        struct call_filter *filter, bool *has_filter, struct text *out)
{
	const struct str where = STR(" where ");
	struct str rest = args;

	*name = args;
	*has_filter = false;
	while (rest.n > 0 && !str_has_prefix(rest, where))
		rest = str_skip(rest, 1);
	if (rest.n == 0)
		return true;
	*name = str_trim((struct str){args.p, args.n - rest.n});
	*has_filter = true;
	rest = str_trim(str_skip(rest, where.n));
	if (session_call_filter(console->session, console->core, rest, filter))
		return true;
	console_say_wrong(console, "neither REGISTER == NUMBER nor != nor of `result`:", rest, "",
	                  out);
	return false;
}

static void write_values(const struct console *console, const struct call *call, struct text *out)
{
	struct call_values values;

	session_call_values(console->session, console->core, call, &values);
	text_puts(out, "      ");
	call_values_format(&values, out);
	text_char(out, '\n');
}

static void say_rest(uint64_t count, uint64_t not_known, struct str name, struct text *out)
{
	if (count > LINES_MOST)
		text_printf(out, "(and %" PRIu64 " more; `csreplay calls` lists all)\n",
		            count - LINES_MOST);
	if (count == 0) {
		text_puts(out,
		          name.n > 0 ? "the history has no such call of " : "no call from here");
		text_add(out, name);
		text_char(out, '\n');
	}
	if (not_known > 0)
		text_printf(out, "(of %" PRIu64 " more it is not known)\n", not_known);
}

void console_calls(struct console *console, struct str args, struct text *out)
{
	struct call_filter filter;
	struct str name;
	bool has_filter;
	bool is_right = parse_where(console, args, &name, &filter, &has_filter, out);
	const struct calls *calls = is_right ? calls_of(console, console->core, out) : NULL;
	uint64_t position = session_position(console->session, console->core);
	uint32_t active = calls ? calls_at(calls, position) : CALL_NONE;
	uint64_t count = 0;
	uint64_t not_known = 0;

	for (uint32_t i = 0; calls && i < calls_count(calls); i++) {
		const struct call *call = calls_get(calls, i);
		enum call_match match = CALL_MATCHES;

		if (name.n > 0 ? !call_is_named(calls, call, name) : call->parent != active)
			continue;
		if (has_filter)
			match = session_call_matches(console->session, console->core, call,
			                             &filter);
		not_known += match == CALL_MATCH_NOT_KNOWN;
		if (match != CALL_MATCHES || count++ >= LINES_MOST)
			continue;
		write_call(calls, call, out);
		if (name.n > 0)
			write_values(console, call, out);
	}
	if (calls)
		say_rest(count, not_known, name, out);
}

/* The call of the frame that is meant: "" or LEVEL. NULL, and it is said, if there is none. */
static const struct call *find_frame(struct console *console, struct str args,
                                     const struct calls **calls, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	struct call_frame frame;
	uint64_t level = 0;

	if (args.n > 0 && (str_to_u64(args, &level) != STATUS_OK || level > UINT32_MAX)) {
		console_say_wrong(console, "not a level of the stack:", args, "", out);
		return NULL;
	}
	*calls = calls_of(console, console->core, out);
	if (!*calls)
		return NULL;
	if (calls_frame(*calls, position, (uint32_t)level, &frame) != STATUS_OK) {
		text_printf(out, "no such frame is known; `%sstack` lists those that are\n",
		            console_prefix(console));
		console->failed = true;
		return NULL;
	}
	return calls_get(*calls, frame.call);
}

static void go_to(struct console *console, uint64_t position, struct text *out)
{
	struct text number = {0};

	text_decimal(&number, position);
	console_seek(console, text_str(&number), out);
	text_fini(&number);
}

void console_up_in_time(struct console *console, struct str args, struct text *out)
{
	const struct calls *calls;
	const struct call *call = find_frame(console, args, &calls, out);

	if (!call)
		return;
	if (before_call(call) != CALL_NOT_KNOWN) {
		go_to(console, before_call(call), out);
	} else {
		call_name(calls, call, out);
		text_puts(out, " was called where there is no trace\n");
		console->failed = true;
	}
}

void console_return(struct console *console, struct str args, struct text *out)
{
	const struct calls *calls;
	const struct call *call = find_frame(console, args, &calls, out);

	/* A function that another came in place of returns when that does. */
	while (call && call->end == CALL_END_TAIL) {
		const struct call *next = calls_get(calls, calls_at(calls, call->leave));

		if (next == call || next->replaced == CALL_NONE ||
		    calls_get(calls, next->replaced) != call)
			break;
		call = next;
	}
	if (!call)
		return;
	if (call->leave != CALL_NOT_KNOWN && call->end != CALL_END_GAP) {
		go_to(console, call->leave, out);
		return;
	}
	console->failed = true;
	call_name(calls, call, out);
	text_puts(out, call->end == CALL_END_GAP ? " was running when a gap began\n"
	                                         : " had not returned at the halt\n");
}
