/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers at the halt, held against the trace and against memory; see halt_check.h.
 *
 * The solver says that a window contradicts itself, not what of it is wrong: a register, a dump, or
 * an instruction. Where no register at the halt contradicts anything if just one of them is left
 * out, that one may be wrong, and what may be wrong is not shown.
 */
#include "replay/trust/halt_check.h"

#include "arch/isa.h"
#include "replay/values/solver/solver.h"

/* False, too, if that cannot be told. */
static bool agrees_without(const struct history *history, unsigned int number,
                           const struct solve_options *options, enum status *status)
{
	struct solve_options without = *options;
	struct solver s;
	bool agrees;

	without.without = number;
	*status = solve_init(&s, history, &without);
	agrees = *status == STATUS_OK && !s.has_conflict;
	solve_fini(&s);
	return agrees;
}

static enum status find_suspects(const struct history *history, const struct solve_options *options,
                                 bool suspects[REGISTER_FILE_MOST], unsigned int *count)
{
	const struct register_file file = register_file_of(history_core(history)->arch);
	enum status status = STATUS_OK;

	/* What contradicts itself without all of them does so without any one. */
	if (!agrees_without(history, WITHOUT_ALL, options, &status))
		return status;
	for (unsigned int i = REGISTER_PC + 1; i < file.trace && status == STATUS_OK; i++) {
		suspects[i] = history_halt_register(history, i) &&
		              register_slot_of(history_core(history)->arch, i).count > 0 &&
		              agrees_without(history, i, options, &status);
		*count += suspects[i];
	}
	return status;
}

/* "x1 (0x5), sp (0x5500040cd0)"; the place is that of the first. */
static struct place list_suspects(const struct history *history, const bool *suspects,
                                  struct text *out)
{
	const struct register_file file = register_file_of(history_core(history)->arch);
	struct place place = history_core(history)->device->place;

	for (unsigned int i = REGISTER_PC + 1; i < file.trace; i++) {
		const struct snap_register *reg = history_halt_register(history, i);

		if (!suspects[i])
			continue;
		if (out->length == 0)
			place = reg->place;
		text_printf(out, "%s%s (0x%llx)", out->length > 0 ? ", " : "", file.table[i].name,
		            (unsigned long long)snap_register_value(reg));
	}
	return place;
}

static void say_suspects(const struct history *history, const bool *suspects, unsigned int count,
                         uint64_t position, struct diag_list *facts)
{
	struct text list = {0};
	struct place place = list_suspects(history, suspects, &list);
	struct str name = history_core(history)->device->name;

	if (count == 0)
		diag_warning(facts, place,
		             "core \"%.*s\": memory or code of the snapshot contradicts the trace "
		             "at position %llu; the core's past is not shown",
		             STR_ARG(name), (unsigned long long)position);
	else
		diag_warning(facts, place,
		             "core \"%.*s\": %s%.*s at the halt contradicts the trace at position "
		             "%llu, or memory or code does; %s and the core's past are not shown",
		             STR_ARG(name), count == 1 ? "" : "one of ", STR_ARG(text_str(&list)),
		             (unsigned long long)position, count == 1 ? "it" : "they");
	text_fini(&list);
}

enum status halt_check_values(struct history *history, struct values *values,
                              struct diag_list *facts)
{
	bool suspects[REGISTER_FILE_MOST] = {false};
	struct solve_options options;
	const struct solver *s;
	unsigned int count = 0;
	uint64_t position;

	/* To be asked of the halt is enough for a window to be solved. */
	s = values_solved(values, history_length(history));
	if (!s)
		return values_status(values) == STATUS_UNSUPPORTED ? STATUS_OK
		                                                   : values_status(values);
	if (!values_conflict(values, &options, &position))
		return STATUS_OK;
	if (!solve_conflict_is_parted(s))
		TRY(find_suspects(history, &options, suspects, &count));
	say_suspects(history, suspects, count, position, facts);
	for (unsigned int i = 0; i < REGISTER_FILE_MOST; i++) {
		if (suspects[i])
			history_leave_out(history, i);
	}
	return STATUS_OK;
}

static bool find_memory(const struct history *history, uint64_t address, struct mem_span *span)
{
	return memmap_find(history_memory(history), history_view(history, history_length(history)),
	                   address, span) == STATUS_OK;
}

static bool has_memory(const struct history *history, uint64_t address)
{
	struct mem_span span;

	return find_memory(history, address, &span);
}

static const unsigned int stack_pointer[] = {
        [CORE_A64] = A64_sp,
        [CORE_A32] = A32_sp,
        [CORE_M] = M_sp,
};

/* NULL, too, if the snapshot says a part of it alone. */
static const struct snap_register *whole_register(const struct history *history,
                                                  unsigned int number)
{
	const struct register_file file = register_file_of(history_core(history)->arch);
	const struct snap_register *reg = history_halt_register(history, number);

	return reg && register_known_bits(&file, number, reg) == file.table[number].bits ? reg
	                                                                                 : NULL;
}

/*
 * A register leads to memory of the snapshot that is no code that ran: then the snapshot has data.
 * Many have none.
 */
static bool has_data(const struct history *history)
{
	const struct register_file file = register_file_of(history_core(history)->arch);

	for (unsigned int i = REGISTER_PC + 1; i < file.trace; i++) {
		const struct snap_register *reg = whole_register(history, i);
		struct mem_span span;

		if (reg && snap_register_value(reg) != 0 &&
		    find_memory(history, snap_register_value(reg), &span) &&
		    !span.region->read_only && history_executed_extent(history, &span) == 0)
			return true;
	}
	return false;
}

/* Of a stack that is empty it is the address behind it. */
static void check_sp(const struct snap_core *core, const struct history *history,
                     const struct snap_register *reg, struct diag_list *facts)
{
	unsigned int alignment = core->arch == CORE_A64 ? 16 : 4;
	uint64_t sp = snap_register_value(reg);

	if (sp % alignment != 0)
		diag_warning(facts, reg->place,
		             "core \"%.*s\": sp at the halt is 0x%llx, no multiple of %u",
		             STR_ARG(core->device->name), (unsigned long long)sp, alignment);
	if (!has_memory(history, sp) && !has_memory(history, sp - 1) && has_data(history))
		diag_warning(facts, reg->place,
		             "core \"%.*s\": sp at the halt is 0x%llx, where the snapshot has no "
		             "memory, though it has data: sp is wrong, or no stack was dumped",
		             STR_ARG(core->device->name), (unsigned long long)sp);
}

/* Both are in one piece of memory of the snapshot. */
static bool lie_together(const struct history *history, uint64_t a, uint64_t b)
{
	struct mem_span x;
	struct mem_span y;

	return find_memory(history, a, &x) && find_memory(history, b, &y) && x.region == y.region;
}

/*
 * What is wrong with an A64 frame pointer, or NULL. Where the stack is in the snapshot, so is what
 * was called last; a frame record is two doublewords at or above the stack pointer (AAPCS64,
 * "The Frame Pointer"). Go's compiler has LR where SP points, and so the record 8 bytes below it.
 */
static const char *frame_fault(const struct history *history, uint64_t sp, uint64_t frame)
{
	enum { GO_RECORD = 8 };

	if (!has_memory(history, sp))
		return NULL;
	if (!has_memory(history, frame))
		return "where the snapshot has no memory, though it has the stack";
	if (!lie_together(history, sp, frame))
		return NULL;
	if (frame < sp && frame != sp - GO_RECORD)
		return "below the stack pointer";
	return frame % 8 != 0 ? "on the stack, and no multiple of 8" : NULL;
}

/* Of A64, whose procedure call standard keeps x29 for it. 0 ends the frames. */
static void check_frame(const struct history *history, uint64_t sp, struct diag_list *facts)
{
	const struct snap_core *core = history_core(history);
	const struct snap_register *frame =
	        core->arch == CORE_A64 ? whole_register(history, A64_x29) : NULL;
	uint64_t address = frame ? snap_register_value(frame) : 0;
	const char *fault = address != 0 ? frame_fault(history, sp, address) : NULL;

	if (fault)
		diag_warning(facts, frame->place,
		             "core \"%.*s\": x29 at the halt is 0x%llx, %s: as a frame pointer it "
		             "leads nowhere",
		             STR_ARG(core->device->name), (unsigned long long)address, fault);
}

void halt_check_places(const struct history *history, struct diag_list *facts)
{
	const struct snap_core *core = history_core(history);
	const struct snap_register *sp = whole_register(history, stack_pointer[core->arch]);
	const struct snap_register *pc = history_halt_register(history, REGISTER_PC);

	/* Snapshots of trace alone have registers that nobody filled in. */
	if (!sp || snap_register_value(sp) == 0 || core->device->dump_count == 0)
		return;
	check_sp(core, history, sp, facts);
	check_frame(history, snap_register_value(sp), facts);
	if (pc && !has_memory(history, snap_register_value(pc)))
		diag_warning(facts, pc->place,
		             "core \"%.*s\": pc at the halt is 0x%llx, where the snapshot has no "
		             "memory",
		             STR_ARG(core->device->name),
		             (unsigned long long)snap_register_value(pc));
}
