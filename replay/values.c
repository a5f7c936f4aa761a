/* SPDX-License-Identifier: Apache-2.0 */
/* Windows as they are asked for; see values.h. */
#include "replay/values.h"

#include <stdlib.h>
#include <string.h>

#include "replay/history_store.h"
#include "replay/register.h"
#include "replay/solve.h"

enum {
	LOOK_BACK = 10000, /* instructions before what is asked for, at first */
	GROWTH = 4,
	WINDOW_MOST = 2000000, /* instructions; positions further back have windows of their own */
};

struct values {
	const struct history *history;
	struct values_options options;
	struct solver solver;
	bool has_solver;
	uint64_t asked_from; /* the window asked for; what was solved may begin later */
	enum status status;
	struct values_stats stats;
};

struct values_options values_options_of(size_t cores)
{
	return (struct values_options){.single_writer = cores <= 1, .handler_preserves = true};
}

struct values *values_create(const struct history *history, const struct values_options *options)
{
	struct values *values = calloc(1, sizeof(*values));

	if (!values)
		return NULL;
	values->history = history;
	values->options = *options;
	return values;
}

void values_destroy(struct values *values)
{
	if (!values)
		return;
	if (values->has_solver)
		solve_fini(&values->solver);
	free(values);
}

static void solve_from(struct values *values, uint64_t from, uint64_t to)
{
	struct solve_options options = {
	        .window = {from, to, values->options.handler_preserves},
	        .single_writer = values->options.single_writer,
	};

	if (values->has_solver)
		solve_fini(&values->solver);
	values->has_solver = true;
	values->asked_from = from;
	values->status = solve_init(&values->solver, values->history, &options);
	values->stats.windows++;
	values->stats.steps = values->solver.w.step_count;
	values->stats.runs += values->solver.runs;
}

/* Has a window with the position in it. False if there is none. */
static bool cover(struct values *values, uint64_t position)
{
	const struct window_options *w = &values->solver.w.options;
	uint64_t length = history_length(values->history);
	uint64_t to = length;
	uint64_t from = position > LOOK_BACK ? position - LOOK_BACK : 0;

	if (values->history->core->arch != CORE_A64)
		return false;
	if (to - from > WINDOW_MOST)
		to = from + WINDOW_MOST;
	if (!values->has_solver || position < values->asked_from || position > w->to)
		solve_from(values, from, to);
	return values->status == STATUS_OK;
}

/* Makes the window larger; false if that is not possible, or there is no point in it. */
static bool grow(struct values *values)
{
	const struct window_options *w = &values->solver.w.options;
	uint64_t to = w->to;
	uint64_t now = to - values->asked_from;

	/* What it could not cross it will not cross. */
	if (values->solver.has_conflict || values->asked_from == 0 || now >= WINDOW_MOST ||
	    w->from != values->asked_from)
		return false;
	now = now * GROWTH < WINDOW_MOST ? now * GROWTH : WINDOW_MOST;
	solve_from(values, to > now ? to - now : 0, to);
	return values->status == STATUS_OK;
}

/* Slots of a register of the register file; how many there are. */
static unsigned int slots_of(unsigned int number, unsigned int *slot)
{
	if (number >= A64_x0 && number <= A64_x30)
		*slot = number - A64_x0;
	else if (number == A64_sp)
		*slot = REG_SP;
	else if (number == A64_fpsr)
		*slot = REG_FPSR;
	else if (number == A64_fpcr)
		*slot = REG_FPCR;
	else if (number >= A64_v0 && number <= A64_v31)
		*slot = slot_of_vector(number - A64_v0, 0);
	else
		return 0;
	return number >= A64_v0 && number <= A64_v31 ? 2 : 1;
}

static void put(struct value *value, unsigned int at, struct bits b)
{
	for (unsigned int i = 0; i < 8 && at + i < value->size; i++) {
		value->bits[at + i] = (uint8_t)(b.value >> 8 * i);
		value->known[at + i] = (uint8_t)(b.known >> 8 * i);
	}
}

static void read_register(const struct values *values, uint64_t position, unsigned int number,
                          struct value *value)
{
	unsigned int slot;
	unsigned int count = slots_of(number, &slot);
	struct bits b;

	if (number == A64_cpsr) {
		b = solve_register(&values->solver, position, REG_NZCV);
		b = bits_flags_packed(&b);
		put(value, 0, (struct bits){b.value << 28, b.known << 28 & 0xf0000000u});
		return;
	}
	for (unsigned int i = 0; i < count; i++)
		put(value, 8 * i, solve_register(&values->solver, position, slot + i));
}

void values_register(struct values *values, uint64_t position, unsigned int number,
                     struct value *value)
{
	const struct register_file file = register_file_of(CORE_A64);

	*value = value_unknown(file.table[number].bits / 8);
	if (!cover(values, position))
		return;
	read_register(values, position, number, value);
	while (!value_is_known(value) && number != A64_cpsr && grow(values))
		read_register(values, position, number, value);
}

static size_t read_memory(const struct values *values, uint64_t position, uint64_t address,
                          uint8_t *out, size_t size)
{
	struct bits word = {0, 0};
	uint64_t of = 1;
	size_t done;

	for (done = 0; done < size; done++) {
		uint64_t at = address + done;
		unsigned int shift = 8u * (unsigned int)(at & 7);

		if (of != (at & ~UINT64_C(7))) {
			of = at & ~UINT64_C(7);
			word = solve_word(&values->solver, position, of);
		}
		if ((word.known >> shift & 0xff) != 0xff || at < address)
			break;
		out[done] = (uint8_t)(word.value >> shift);
	}
	return done;
}

size_t values_memory(struct values *values, uint64_t position, uint64_t address, void *out,
                     size_t size)
{
	size_t done;

	if (!cover(values, position))
		return 0;
	done = read_memory(values, position, address, out, size);
	while (done < size && grow(values))
		done = read_memory(values, position, address, out, size);
	return done;
}

void values_trouble(const struct values *values, struct text *out)
{
	if (!values->has_solver)
		return;
	if (values->status != STATUS_OK)
		text_puts(out, status_text(values->status));
	else if (values->solver.has_conflict)
		text_printf(out,
		            "snapshot and trace disagree at position %llu: no value of the past is "
		            "shown",
		            (unsigned long long)window_position_of(&values->solver.w,
		                                                   values->solver.conflict));
}

struct values_stats values_stats(const struct values *values)
{
	return values->stats;
}
