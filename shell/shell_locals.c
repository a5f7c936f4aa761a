/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `locals`: variables of a function at the position of the core. In: the number of a frame of
 * `stack`. Out: text of snapshot/variables/variables.h.
 *
 * No call frame information is read. Where a function was called SP is what DWARF calls the frame's
 * address, and registers that a function keeps for its caller are of the caller there: the history
 * has both. Memory is that of the position, whichever frame it is.
 */
#include "console/console_command.h"
#include "shell/shell_command.h"
#include "snapshot/variables/variables.h"

/* DWARF's numbers of registers: AADWARF64 4.1, AADWARF32 4.1. */
enum {
	NUMBER_GENERAL_LAST = 31,
	NUMBER_VECTOR = 64, /* of 32-bit cores: S0, half of a D register */
	NUMBER_VECTOR_LAST = 95,
	NUMBER_DOUBLE = 256,
	NUMBER_DOUBLE_LAST = 287,
};

/* Registers by DWARF's numbers; `kept`: for a caller (AAPCS64 6.1.1, AAPCS32 6.1.1). */
static const struct registers {
	unsigned int general; /* number 0 in the register file */
	unsigned int sp;
	uint64_t sp_number;
	unsigned int pc_number; /* which has no register before it in the file */
	unsigned int vector;
	unsigned int vector_count;
	unsigned int kept_first;
	unsigned int kept_last;
} registers[] = {
        [CORE_A64] = {A64_x0, A64_sp, 31, 32, A64_v0, 32, 19, 29},
        [CORE_A32] = {A32_r0, A32_sp, 13, 15, A32_d0, 32, 4, 11},
        [CORE_M] = {M_r0, M_sp, 13, 15, M_d0, 16, 4, 11},
};

struct frame {
	struct console *console;
	const struct registers *registers;
	const struct call *call; /* NULL: not known */
	bool is_caller;
	bool has_registers;
	uint64_t at; /* the position whose registers are the frame's */
};

static void take_value(const struct value *value, unsigned int from, unsigned int size,
                       struct variable_bytes *bytes)
{
	bytes->size = size;
	bytes->is_assumed = value->is_assumed;
	for (unsigned int i = 0; i < size; i++) {
		bytes->bytes[i] = value->bits[from + i];
		bytes->known[i] = value->known[from + i] == 0xff;
	}
}

/* The register of a number of DWARF's, at a position; of no size if there is none. */
static void read_at(const struct frame *frame, uint64_t position, uint64_t number,
                    struct variable_bytes *bytes)
{
	const struct console *console = frame->console;
	const struct registers *r = frame->registers;
	bool is_a64 = r->sp_number == NUMBER_GENERAL_LAST;
	unsigned int half = 0;
	unsigned int found;
	struct value value;

	bytes->size = 0;
	if (number < r->pc_number) {
		found = r->general + (unsigned int)number;
	} else if (is_a64 && number >= NUMBER_VECTOR && number <= NUMBER_VECTOR_LAST) {
		found = r->vector + (unsigned int)number - NUMBER_VECTOR;
	} else if (!is_a64 && number >= NUMBER_VECTOR && number <= NUMBER_VECTOR_LAST) {
		found = r->vector + (unsigned int)(number - NUMBER_VECTOR) / 2;
		half = 1 + (unsigned int)number % 2;
	} else if (!is_a64 && number >= NUMBER_DOUBLE && number < NUMBER_DOUBLE + r->vector_count) {
		found = r->vector + (unsigned int)number - NUMBER_DOUBLE;
	} else {
		return;
	}
	session_register_at(console->session, console->core, position, found, &value);
	take_value(&value, half == 2 ? 4 : 0, half > 0 ? 4 : value.size, bytes);
}

static void not_known(struct variable_bytes *bytes)
{
	for (size_t i = 0; i < bytes->size; i++)
		bytes->known[i] = false;
}

static bool is_kept(const struct registers *r, uint64_t number)
{
	return number == r->sp_number || (number >= r->kept_first && number <= r->kept_last);
}

static void read_register(void *context, uint64_t number, struct variable_bytes *bytes)
{
	const struct frame *frame = context;

	read_at(frame, frame->at, number, bytes);
	if (!frame->has_registers || (frame->is_caller && !is_kept(frame->registers, number)))
		not_known(bytes);
}

static void read_at_entry(void *context, uint64_t function, uint64_t number,
                          struct variable_bytes *bytes)
{
	const struct frame *frame = context;
	const struct call *call = frame->call;

	if (call && call->has_function && call->function == function &&
	    call->enter != CALL_NOT_KNOWN)
		read_at(frame, call->enter, number, bytes);
}

static void read_frame(void *context, struct variable_bytes *bytes)
{
	const struct frame *frame = context;

	if (frame->call && frame->call->site != CALL_NOT_KNOWN)
		read_at(frame, frame->call->site, frame->registers->sp_number, bytes);
}

static void read_memory(void *context, uint64_t address, struct variable_bytes *bytes)
{
	const struct frame *frame = context;

	bytes->is_assumed =
	        shell_read_memory(frame->console, address, bytes->size, bytes->bytes, bytes->known);
}

/* Frame `level` as `stack` numbers them. False: there is none, or where it is is not known. */
static bool find_frame(struct console *console, uint32_t level, struct frame *frame, uint64_t *pc)
{
	uint64_t position = session_position(console->session, console->core);
	enum core_arch arch = session_core_registers(console->session, console->core)->arch;
	const struct calls *calls = NULL;
	struct call_frame found;
	struct call_frame newer;
	struct value value;

	*frame = (struct frame){.console = console, .registers = &registers[arch], .at = position};
	if (session_calls(console->session, console->core, &calls) == STATUS_OK &&
	    calls_frame(calls, position, level, &found) == STATUS_OK)
		frame->call = calls_get(calls, found.call);
	if (level == 0) {
		session_register(console->session, console->core, REGISTER_PC, &value);
		*pc = value_u64(&value);
		frame->has_registers = true;
		return value_is_known(&value);
	}
	if (!frame->call || !found.has_pc ||
	    calls_frame(calls, position, level - 1, &newer) != STATUS_OK)
		return false;
	*pc = found.pc;
	frame->is_caller = !calls_get(calls, newer.call)->is_exception;
	frame->at = calls_get(calls, newer.call)->site;
	frame->has_registers = frame->is_caller && frame->at != CALL_NOT_KNOWN;
	if (!frame->has_registers)
		frame->at = position;
	return true;
}

/* The first file that says something of the address. */
static enum status write_variables(struct shell *shell, struct frame *frame, uint64_t pc,
                                   struct text *out, struct variables_found *found)
{
	const struct source_lines *lines = shell_names(shell)->lines;
	const struct variable_machine machine = {frame, read_register, read_at_entry, read_frame,
	                                         read_memory};
	const struct variable_scope scope = {pc, frame->is_caller};

	for (size_t i = 0; i < source_lines_count(lines); i++) {
		uint64_t bias;
		struct elf_sections *file = source_lines_file(lines, i, &bias);
		enum status status = STATUS_NOT_FOUND;

		if (file) {
			const struct variable_sections sections = variables_sections(file, bias);

			status = variables_write(&sections, &scope, &machine, out, found);
		}
		if (status != STATUS_NOT_FOUND)
			return status;
	}
	return STATUS_NOT_FOUND;
}

void shell_locals(struct console *console, struct str args, struct text *out)
{
	struct variables_found found = {.count = 0};
	uint64_t level = 0;
	struct frame frame;
	enum status status;
	uint64_t pc;

	if (args.n > 0 && (str_to_u64(args, &level) != STATUS_OK || level > UINT32_MAX)) {
		console_say_wrong(console, "not the number of a frame:", args, "", out);
		return;
	}
	if (!find_frame(console, (uint32_t)level, &frame, &pc)) {
		text_puts(out, "no such frame here, or it is not known where it is; `stack` lists "
		               "them\n");
		console->failed = true;
		return;
	}
	status = write_variables(shell_of(console), &frame, pc, out, &found);
	if (status == STATUS_NOT_FOUND) {
		text_puts(out, "no debug information (DWARF) of images is of ");
		symbols_format(shell_names(shell_of(console))->symbols, pc, out);
		text_char(out, '\n');
	} else if (status != STATUS_OK) {
		console_say_status(console, status, out);
	} else if (found.unread > 0) {
		text_puts(out, "`csreplay gdb` shows what csreplay does not read\n");
	}
}
