/* SPDX-License-Identifier: Apache-2.0 */
/* See fake_session.h. */
#include "fake_session.h"

#include "tests/history/made_exception.h"

#include <inttypes.h>
#include <string.h>

enum { CORES = 4, BREAKPOINTS = 4 };

struct history {
	const struct snap_core *core;
	uint64_t length;
};

struct session {
	struct history histories[CORES];
	uint64_t positions[CORES];
	uint64_t breakpoints[BREAKPOINTS];
	size_t breakpoint_count;
	bool has_data;
	bool is_beside;
	bool assumes[ASSUMPTIONS];
	bool has_watch;
	bool watches_after;
	bool is_asking;
	bool was_asking;
	struct watch watch;
	enum possible_access possible;
	session_condition *holds;
	void *holds_context;
	enum gap_policy gap_policy;
	bool caught[SESSION_CAUGHT];
};

const char fake_image_bytes[9] = {'E', 'L', 'F', '}', '#', '$', '*', 0, 1};

static struct snap_device devices[CORES];
static struct snap_core cores[CORES];
static struct snap_source source = {.protocol = PROTOCOL_ETM4};
static struct snap_source *sources[] = {&source};
static struct elf_image image;
static struct elf_image library;
static struct elf_image *images[] = {&image, &library};
static struct snapshot snapshot;
static struct session session;
static bool has_fault;
static const struct system_register system_registers[] = {
        {{"esr_el1", 7}, {"ESR_EL1", 7}, 32},
        {{"sctlr_el1", 9}, {"SCTLR_EL1", 9}, 64},
};
static bool has_returned;
static void (*step_hook)(void);
static bool has_pc;
static size_t core_count;
static struct values_may_alias doubt;
static struct stop met;
static struct {
	uint8_t before;
	uint8_t after;
} watched;
static struct register_file registers;
static const struct history_code codes[] = {
        {.start = FAKE_T32, .isa = ISA_T32},      {.start = FAKE_T32 + 128, .isa = ISA_A64},
        {.start = FAKE_CODE, .isa = ISA_A32},     {.start = FAKE_T32 + 8, .isa = ISA_T32},
        {.start = FAKE_CODE + 8, .isa = ISA_A32}, {.start = FAKE_T32 + 64, .isa = ISA_A32},
        {.start = FAKE_T32 + 96, .isa = ISA_TEE},
};
static struct history_event many_events[FAKE_GAPS_MOST];
static size_t event_count;
static bool is_exhausted;
static struct history_event events[] = {
        {2, {.type = ELEMENT_EXCEPTION, .exception = {.number = 0xb}}},
        {FAKE_LENGTH, {.type = ELEMENT_EXCEPTION, .exception = {.number = 0xc}}},
};

struct session *fake_session(void)
{
	static const char *const names[CORES] = {"cpu_0", "cpu<1>", "cpu_2", "cpu_3"};

	memset(&session, 0, sizeof(session));
	for (size_t i = 0; i < CORES; i++) {
		devices[i].name = str_of(names[i]);
		devices[i].type = STR("Cortex-A53");
		cores[i] = (struct snap_core){
		        .device = &devices[i], .index = i, .sources = sources, .source_count = 1};
		source.protocol = PROTOCOL_ETM4;
		session.histories[i].core = &cores[i];
	}
	cores[3].arch = CORE_A32;
	session.histories[0].length = FAKE_LENGTH;
	session.positions[0] = FAKE_LENGTH;
	image.path = STR(FAKE_IMAGE);
	image.file = bytes_of(fake_image_bytes, sizeof(fake_image_bytes));
	image.load_bias = 0x10000;
	library.path = STR(FAKE_LIBRARY);
	library.file = bytes_of(FAKE_LIBRARY, sizeof(FAKE_LIBRARY) - 1);
	snapshot = (struct snapshot){
	        .cores = cores, .core_count = CORES, .images = images, .image_count = 2};
	has_fault = true;
	has_returned = false;
	step_hook = NULL;
	fake_session_set_halt_gap(false);
	has_pc = true;
	core_count = CORES;
	doubt = (struct values_may_alias){0};
	met = (struct stop){.reason = STOP_STEPPED};
	watched.before = 0x11;
	watched.after = 0x11;
	events[1].element.exception.number = 0xc;
	tell_exception(&events[1].element, PROTOCOL_ETM4, CORE_A64);
	fake_session_set_gaps(0);
	event_count = 0;
	is_exhausted = false;
	registers = register_file_of(CORE_A64);
	return &session;
}

void fake_session_set_arch(enum core_arch arch)
{
	for (size_t i = 0; i < CORES - 1; i++)
		cores[i].arch = arch;
	cores[CORES - 1].arch = CORE_A64;
	source.protocol = arch == CORE_A32 ? PROTOCOL_PTM : PROTOCOL_ETM4;
	registers = register_file_of(arch);
	snapshot.image_count = 0;
}

void fake_session_set_clusters(size_t count)
{
	static const char *const names[] = {"A", "B"};

	snapshot.cluster_count = count;
	for (size_t i = 0; i < count; i++)
		cores[i].cluster = str_of(names[i]);
}

void fake_session_set_fault(bool fault)
{
	has_fault = fault;
}

void fake_session_set_exception(enum protocol protocol, uint32_t number)
{
	source.protocol = protocol;
	cores[0].source_count = protocol == PROTOCOL_UNKNOWN ? 0 : 1;
	events[1].element.exception.number = number;
	tell_exception(&events[1].element, protocol, cores[0].arch);
}

void fake_session_set_traced(size_t core)
{
	for (size_t i = 0; i < CORES; i++)
		session.positions[i] = session.histories[i].length = i == core ? FAKE_LENGTH : 0;
}

void fake_session_set_doubt(const struct values_may_alias *value)
{
	doubt = *value;
}

void fake_session_set_met(const struct stop *stop)
{
	met = *stop;
}

void fake_session_set_watched(uint8_t before, uint8_t after)
{
	watched.before = before;
	watched.after = after;
}

void fake_session_set_on_step(void (*on_step)(void))
{
	step_hook = on_step;
}

void fake_session_set_returned(bool returned)
{
	has_returned = returned;
}

void fake_session_set_pc(bool pc)
{
	has_pc = pc;
}

void fake_session_set_cores(size_t count)
{
	core_count = count;
}

void fake_session_set_image(const void *bytes, size_t size)
{
	image.file = bytes_of(bytes, size);
}

bool fake_session_was_asking(void)
{
	return session.was_asking;
}

bool fake_session_is_asking(void)
{
	return session.is_asking;
}

void fake_session_set_events(size_t count)
{
	event_count = count;
	for (size_t i = 0; i < count; i++)
		many_events[i] = (struct history_event){
		        i / 4, {.type = ELEMENT_EXCEPTION, .exception = {.number = (uint32_t)i}}};
}

void fake_session_set_exhausted(bool exhausted)
{
	is_exhausted = exhausted;
}

bool fake_session_is_exhausted(void)
{
	return is_exhausted;
}

void fake_session_set_system(bool system)
{
	registers.system = system_registers;
	registers.system_count = system ? 2 : 0;
}

const struct snapshot *session_snapshot(const struct session *s)
{
	(void)s;
	return &snapshot;
}

size_t session_core_count(const struct session *s)
{
	(void)s;
	return core_count;
}

const struct snap_core *session_core(const struct session *s, size_t core)
{
	(void)s;
	return &cores[core];
}

const struct history *session_history(const struct session *s, size_t core)
{
	return &s->histories[core];
}

bool session_core_has_pc(const struct session *s, size_t core)
{
	(void)s;
	return has_pc && core != 2;
}

void session_interrupt(struct session *s, bool (*asked)(void *), void *context)
{
	(void)context;
	s->is_asking = asked != NULL;
}

bool session_has_returned(const struct session *s, size_t core)
{
	(void)s;
	(void)core;
	return has_returned;
}

uint64_t session_position(const struct session *s, size_t core)
{
	return s->positions[core];
}

enum status session_seek(struct session *s, size_t core, uint64_t position)
{
	if (position > s->histories[core].length)
		return STATUS_NOT_FOUND;
	s->positions[core] = position;
	return STATUS_OK;
}

enum status session_seek_alone(struct session *s, size_t core, uint64_t position)
{
	return session_seek(s, core, position);
}

struct moment session_execution(const struct session *s, size_t core, uint64_t position)
{
	return session_moment(s, core, position);
}

struct moment session_moment(const struct session *s, size_t core, uint64_t position)
{
	uint64_t length = s->histories[core].length;

	return (struct moment){
	        .earliest = 100 + 10 * position,
	        .estimate = 105 + 10 * position,
	        .latest = 110 + 10 * position,
	        .has_earliest = core == 0 && position > 0,
	        .has_estimate = core == 0 && position > 0 && position < length,
	        .has_latest = core == 0 && position < length,
	};
}

enum status session_positions_at(const struct session *s, size_t core, uint64_t time,
                                 uint64_t *first, uint64_t *last)
{
	uint64_t length = s->histories[core].length;

	*first = time > 9000 ? 7 : (time - 100) / 10;
	*last = *first < length ? *first : length;
	if (core != 0)
		return STATUS_UNAVAILABLE;
	return time > 9000 ? STATUS_BAD_DATA : STATUS_OK;
}

enum status session_break_set(struct session *s, uint64_t address)
{
	if (s->breakpoint_count < BREAKPOINTS)
		s->breakpoints[s->breakpoint_count++] = address;
	return STATUS_OK;
}

void session_break_clear(struct session *s, uint64_t address)
{
	for (size_t i = 0; i < s->breakpoint_count; i++) {
		if (s->breakpoints[i] == address)
			s->breakpoints[i] = s->breakpoints[--s->breakpoint_count];
	}
}

void session_break_clear_all(struct session *s)
{
	s->breakpoint_count = 0;
	s->has_watch = false;
}

bool session_reconstructs(const struct session *s)
{
	return !s->has_data;
}

bool session_assumes(const struct session *s, enum assumption assumption)
{
	return s->assumes[assumption];
}

bool session_trusts_assumed(const struct session *s)
{
	return s->assumes[ASSUME_ABI] || s->assumes[ASSUME_COHERENT];
}

enum status session_trust(struct session *s, bool assumed)
{
	for (enum assumption i = 0; i < ASSUMPTIONS; i++)
		TRY(assumption_is_of_code(i) ? session_assume(s, i, assumed) : STATUS_OK);
	return STATUS_OK;
}

enum status session_assume(struct session *s, enum assumption assumption, bool on)
{
	if (is_exhausted)
		return STATUS_NO_MEM;
	s->assumes[assumption] = on;
	return STATUS_OK;
}

const struct diag_list *session_facts(const struct session *s)
{
	static const struct diag_list none;

	(void)s;
	return &none;
}

void session_trouble(const struct session *s, size_t core, struct text *text)
{
	(void)core;
	if (s->assumes[ASSUME_SINGLE_WRITER])
		text_puts(text, "snapshot and trace disagree at position 3");
}

enum status session_why(const struct session *s, size_t core, const struct why_subject *subject,
                        bool all, struct why_places *places, struct text *text)
{
	(void)s;
	(void)core;
	(void)places;
	if (is_exhausted)
		return STATUS_NO_MEM;
	text_printf(text, "%s%s %llx\n", all ? "all of " : "",
	            subject->is_memory ? "memory" : "register",
	            (unsigned long long)(subject->is_memory ? subject->address : subject->number));
	return STATUS_OK;
}

void fake_session_set_data(bool data)
{
	session.has_data = data;
}

bool session_can_watch(const struct session *s)
{
	return s->has_data;
}

enum status session_watch_set(struct session *s, const struct watch *watch)
{
	if (watch->size == 0 || watch->size > WATCH_MOST)
		return STATUS_UNSUPPORTED;
	s->has_watch = true;
	s->watch = *watch;
	return STATUS_OK;
}

void session_watch_clear(struct session *s, const struct watch *watch)
{
	if (s->watch.kind == watch->kind && s->watch.address == watch->address &&
	    s->watch.size == watch->size)
		s->has_watch = false;
}

bool session_watches_beside(const struct session *s, const struct watch *watch)
{
	(void)watch;
	return s->is_beside;
}

void fake_session_set_beside(bool beside)
{
	session.is_beside = beside;
}

void session_watch_after(struct session *s, bool after)
{
	s->watches_after = after;
}

/* The one access is a write of 8 bytes to FAKE_DATA by instruction FAKE_STORE. */
void session_break_condition(struct session *s, session_condition *holds, void *context)
{
	s->holds = holds;
	s->holds_context = context;
}

void session_set_gap_policy(struct session *s, enum gap_policy policy)
{
	s->gap_policy = policy;
}

enum gap_policy session_gap_policy(const struct session *s)
{
	return s->gap_policy;
}

void session_catch(struct session *s, enum session_caught what, bool on)
{
	s->caught[what] = on;
}

bool session_catches(const struct session *s, enum session_caught what)
{
	return s->caught[what];
}

void session_set_possible(struct session *s, enum possible_access what)
{
	s->possible = what;
}

enum possible_access session_possible(const struct session *s)
{
	return s->possible;
}

void session_list_possible(struct session *s, size_t core, uint64_t from, struct text *out)
{
	text_printf(out, "  from %" PRIu64 " to %" PRIu64 "\n", from, s->positions[core]);
}

void session_why_blind(const struct session *s, size_t core, uint64_t position, struct text *out)
{
	(void)s;
	(void)core;
	(void)position;
	text_puts(out, "so it is");
}

void session_format_place(struct session *s, size_t core, uint64_t position, struct text *out)
{
	(void)s;
	(void)core;
	text_printf(out, "position %" PRIu64, position);
}

bool session_is_later_halt(const struct session *s, size_t core, uint64_t position)
{
	(void)s;
	(void)core;
	(void)position;
	return false;
}

size_t session_watched_at(const struct session *s, size_t core, uint64_t position, uint64_t address,
                          void *out, size_t size)
{
	(void)s;
	(void)core;
	(void)address;
	memset(out, position > FAKE_STORE ? watched.after : watched.before, size);
	return (position > FAKE_STORE ? watched.after : watched.before) != 0 ? size : 0;
}

static bool meets_watch(const struct session *s, uint64_t position)
{
	return s->has_watch && s->watch.address <= FAKE_DATA &&
	       FAKE_DATA < s->watch.address + s->watch.size &&
	       position == FAKE_STORE + (s->watches_after ? 1U : 0U);
}

/* No kernel runs here. */
bool session_task(struct session *s, size_t core, uint64_t position, struct session_task *task)
{
	return s == NULL && core == position && !task;
}

void session_task_format(const struct session_task *task, struct text *out)
{
	(void)task;
	(void)out;
}

enum status session_list_modules(struct session *s, struct text *out)
{
	(void)s;
	(void)out;
	return STATUS_OK;
}

/* The fault that the trace names at the end, if any. */
bool session_crash(struct session *s, size_t core, struct crash *crash)
{
	const struct exception_info *info = events[1].element.exception.info;

	*crash = (struct crash){.source = CRASH_TRACE, .is_halt = true};
	crash->level = crash->from_level = -1;
	if (core != 0 || !has_fault || history_has_gap_at(&s->histories[core], FAKE_LENGTH) ||
	    !info || !info->fault)
		return false;
	crash->syndrome.what = info->fault;
	crash->syndrome.signal = syndrome_signal_of(info->fault);
	return true;
}

enum syndrome_signal crash_signal(const struct crash *crash)
{
	return crash->syndrome.signal;
}

struct stop session_step(struct session *s, size_t core, enum direction direction)
{
	uint64_t *position = &s->positions[core];
	struct stop stop = {.reason = STOP_STEPPED};

	s->was_asking = s->is_asking;
	if (step_hook)
		step_hook();
	if (core == 0)
		stop.doubt = doubt;
	if (direction == DIRECTION_BACKWARD && *position == 0)
		return (struct stop){.reason = STOP_BEGIN};
	if (direction == DIRECTION_FORWARD && *position == s->histories[core].length)
		return (struct stop){.reason = STOP_END};
	if (direction == DIRECTION_BACKWARD && *position == FAKE_GAP)
		stop_set_gap(&stop, &fake_gap);
	*position += direction == DIRECTION_FORWARD ? 1 : UINT64_MAX;
	if (direction == DIRECTION_FORWARD && *position == FAKE_GAP)
		stop_set_gap(&stop, &fake_gap);
	return stop;
}

struct stop session_continue(struct session *s, size_t core, enum direction direction,
                             bool (*interrupted)(void *), void *context)
{
	if (met.has_access || met.is_of_other || met.others.unordered > 0 || met.says_alone)
		return met;
	for (;;) {
		struct stop stop;

		if (meets_watch(s, s->positions[core]))
			return (struct stop){
			        .reason = STOP_WATCH,
			        .has_access = true,
			        .watch = s->watch,
			        .access = {.position = FAKE_STORE, .address = FAKE_DATA},
			        .doubt = doubt,
			};
		stop = session_step(s, core, direction);
		if (stop.reason != STOP_STEPPED)
			return stop;
		if (stop.has_gap)
			return (struct stop){.reason = STOP_GAP, .has_gap = true, .gap = stop.gap};
		for (size_t i = 0; i < s->breakpoint_count; i++) {
			if (s->breakpoints[i] == FAKE_CODE + 4 * s->positions[core] &&
			    (!s->holds || s->holds(s->holds_context, core, s->positions[core])))
				return (struct stop){.reason = STOP_BREAKPOINT};
		}
		if (interrupted && interrupted(context))
			return (struct stop){.reason = STOP_INTERRUPTED};
	}
}

struct stop session_step_range(struct session *s, size_t core, uint64_t low, uint64_t high,
                               bool (*interrupted)(void *), void *context)
{
	(void)interrupted;
	(void)context;
	for (;;) {
		struct stop stop = session_step(s, core, DIRECTION_FORWARD);
		uint64_t pc = FAKE_CODE + 4 * s->positions[core];

		if (stop.reason != STOP_STEPPED || pc < low || pc >= high)
			return stop;
	}
}

void session_register(const struct session *s, size_t core, unsigned int number,
                      struct value *value)
{
	session_register_at(s, core, s->positions[core], number, value);
}

void session_register_at(const struct session *s, size_t core, uint64_t position,
                         unsigned int number, struct value *value)
{
	const struct register_info *info = &registers.table[number];
	const struct system_register *system = register_system(&registers, number);
	unsigned int size = (system ? system->bits : info->bits) / 8;
	bool at_halt = position == s->histories[core].length;

	*value = value_unknown(size);
	if (system) {
		if (number == registers.count + 1)
			*value = value_of_u64(UINT64_C(0x30d0) << 32 | position, size);
		return;
	}
	if (number == REGISTER_PC)
		*value = value_of_u64(core == 0 ? FAKE_CODE + 4 * position : FAKE_IDLE_PC, size);
	else if (number == registers.trace + TRACE_POSITION)
		*value = value_of_u64(position, size);
	else if (at_halt && number != A64_x5 && info->feature == REGISTER_CORE)
		*value = value_of_u64(0x1100 + number, size);
	else if (number == A64_x7)
		value->known[0] = 0xff; /* half known: to be treated as unknown */
}

const struct register_file *session_registers(const struct session *s)
{
	(void)s;
	return &registers;
}

const struct register_file *session_core_registers(const struct session *s, size_t core)
{
	static struct register_file others;

	(void)s;
	others = register_file_of(cores[core].arch);
	return others.arch == registers.arch ? &registers : &others;
}

size_t session_memory(const struct session *s, size_t core, uint64_t address, void *out,
                      size_t size)
{
	uint8_t *to = out;
	size_t count = 0;

	(void)s;
	for (; count < size; count++) {
		uint64_t at = address + count;

		if (at >= FAKE_LARGE && at < FAKE_LARGE + FAKE_LARGE_SIZE)
			to[count] = '}';
		else if (at >= FAKE_TOP || at < 16)
			to[count] = at < 16 ? '0' : 'T';
		else if (at >= FAKE_CODE && at < FAKE_CODE + FAKE_CODE_SIZE)
			to[count] = (uint8_t)at;
		else if (!fake_session_apart(core, at, &to[count]))
			break;
	}
	return count;
}

/* Who is to see the memory, as the console said it last. */
static struct address_space seen_from = {.space = SPACE_EL1N};

void session_see(struct session *s, size_t core, const struct address_space *from)
{
	(void)s;
	(void)core;
	seen_from = from ? *from : (struct address_space){.space = SPACE_EL1N};
}

void session_seen_from(const struct session *s, size_t core, struct text *out)
{
	(void)s;
	(void)core;
	text_printf(out, "%s, context 0x%x", space_text(seen_from.space), seen_from.context.id);
}

/* Of all states but EL3, which has nothing. */
size_t session_memory_from(const struct session *s, size_t core, const struct address_space *from,
                           uint64_t address, void *out, size_t size)
{
	return from->space == SPACE_EL3 ? 0 : session_memory(s, core, address, out, size);
}

const struct snap_core *history_core(const struct history *history)
{
	return history->core;
}

bool history_code(const struct history *history, size_t index, struct history_code *code)
{
	if (history->length == 0 || index >= sizeof(codes) / sizeof(codes[0]))
		return false;
	*code = codes[index];
	return true;
}

uint64_t history_last(const struct history *history)
{
	return history->length;
}

enum status history_pc(const struct history *history, uint64_t position, uint64_t *pc)
{
	if (history->length == 0)
		return STATUS_NOT_FOUND;
	*pc = FAKE_CODE + 4 * position;
	return STATUS_OK;
}

void history_at(const struct history *history, uint64_t position, struct instruction *insn)
{
	(void)history;
	*insn = (struct instruction){
	        .address = FAKE_CODE + 4 * position, .size = 4, .isa = ISA_A64};
}

uint64_t history_length(const struct history *history)
{
	return history->length;
}

size_t history_event_count(const struct history *history)
{
	if (event_count > 0 && history->length > 0)
		return event_count;
	return history->length == 0 ? 0 : has_fault ? 2 : 1;
}

bool history_event(const struct history *history, size_t index, struct history_event *event)
{
	if (index >= history_event_count(history))
		return false;
	*event = event_count > 0 ? many_events[index] : events[index];
	return true;
}

size_t history_event_index(const struct history *history, uint64_t position)
{
	struct history_event event;
	size_t i = 0;

	while (history_event(history, i, &event) && event.position < position)
		i++;
	return i;
}

size_t session_memory_at(const struct session *s, size_t core, uint64_t position, uint64_t address,
                         void *out, size_t size)
{
	(void)position;
	return session_memory(s, core, address, out, size);
}
