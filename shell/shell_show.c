/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the shell shows of a position: registers, memory, instructions. In: names, addresses. Out:
 * text, in which a digit or a byte that is not known is `?`, and a value that is assumed and not
 * proved has a `~` after it.
 */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/threads.h"
#include "shell/shell_command.h"

enum {
	LINE = 16,  /* bytes */
	BYTES = 64, /* where no count is given */
	BYTES_MOST = 65536,
	DELETE_CODE = 0x7f, /* the first of ASCII after those that are printed */
	ROWS = 10,          /* of `list` where no number is given */
	ROWS_MOST = 1000,
	INSTRUCTIONS = 16, /* of `disassemble` outside of functions */
	INSTRUCTIONS_MOST = 2000,
	CPSR_T = 1 << 5, /* Arm ARM, "Process state, PSTATE": in T32 */
};

/* Escape sequences of a terminal: ECMA-48, SGR. */
static void begin_mark(const struct shell *shell, struct text *out)
{
	text_puts(out, shell->options.has_colour ? "\033[1m" : "");
}

static void end_mark(const struct shell *shell, struct text *out)
{
	text_puts(out, shell->options.has_colour ? "\033[0m" : "");
}

static bool knows_some(const struct value *value)
{
	for (unsigned int i = 0; i < value->size; i++) {
		if (value->known[i] != 0)
			return true;
	}
	return false;
}

/* All digits, `?` for those of which a bit is not known. */
static void write_value(const struct value *value, struct text *out)
{
	if (!knows_some(value)) {
		text_puts(out, "not known");
		return;
	}
	text_puts(out, "0x");
	for (unsigned int i = 2U * value->size; i-- > 0;) {
		unsigned int shift = 4 * (i % 2);

		if ((value->known[i / 2] >> shift & 15) == 15)
			text_hex(out, value->bits[i / 2] >> shift & 15, 1);
		else
			text_char(out, '?');
	}
	text_puts(out, value->is_assumed ? "~" : "");
}

static bool is_same_value(const struct value *a, const struct value *b)
{
	for (unsigned int i = 0; i < a->size; i++) {
		if (a->known[i] != b->known[i] || ((a->bits[i] ^ b->bits[i]) & a->known[i]) != 0)
			return false;
	}
	return true;
}

static void write_name(const struct register_file *file, unsigned int number, struct text *out)
{
	const struct system_register *system = register_system(file, number);
	struct str name = system ? system->name : str_of(file->table[number].name);

	text_printf(out, "%-*.*s ", 8, STR_ARG(name));
}

/* The function that a register points into, if it does. */
static void write_pointee(struct shell *shell, const struct value *value, struct text *out)
{
	struct function_symbol function;

	if (value->size > 8 || !value_is_known(value) ||
	    !symbols_find(shell_names(shell)->symbols, value_u64(value), &function))
		return;
	text_puts(out, "  ");
	symbols_format(shell->names.symbols, value_u64(value), out);
}

static void write_register(struct shell *shell, unsigned int number, struct text *out)
{
	const struct console *console = &shell->console;
	struct value value;
	struct value before;
	bool is_other = false;

	session_register(console->session, console->core, number, &value);
	if (shell->has_moved && shell->from_core == console->core) {
		session_register_at(console->session, console->core, shell->from, number, &before);
		is_other = !is_same_value(&value, &before);
	}
	if (is_other)
		begin_mark(shell, out);
	text_puts(out, is_other ? "* " : "  ");
	write_name(session_core_registers(console->session, console->core), number, out);
	write_value(&value, out);
	write_pointee(shell, &value, out);
	if (is_other) {
		text_puts(out, "  (was ");
		write_value(&before, out);
		text_char(out, ')');
		end_mark(shell, out);
	}
	text_char(out, '\n');
}

void shell_registers(struct console *console, struct str args, struct text *out)
{
	const struct register_file *file = session_core_registers(console->session, console->core);
	unsigned int number;

	for (unsigned int i = 0; args.n == 0 && i < file->trace; i++) {
		if (file->table[i].feature == REGISTER_CORE)
			write_register(shell_of(console), i, out);
	}
	while (args.n > 0) {
		struct str word = {args.p, str_find(args, ' ')};

		args = str_trim(str_skip(args, word.n));
		if (!register_file_find(file, word, &number)) {
			console_say_wrong(console, "no register", word, "", out);
			return;
		}
		write_register(shell_of(console), number, out);
	}
}

/* Bytes of memory, and which of them are known. */
struct memory_line {
	uint8_t bytes[LINE];
	bool known[LINE];
	size_t size;
	bool is_assumed; /* some of them */
};

bool shell_read_memory(const struct console *console, uint64_t address, size_t size, uint8_t *bytes,
                       bool *known)
{
	uint64_t position = session_position(console->session, console->core);
	bool is_assumed = false;
	size_t at = 0;

	for (size_t i = 0; i < size; i++)
		known[i] = false;
	while (at < size) {
		size_t got = session_memory(console->session, console->core, address + at,
		                            bytes + at, size - at);

		for (size_t i = at; i < at + got; i++)
			known[i] = true;
		is_assumed =
		        is_assumed || session_memory_is_assumed(console->session, console->core,
		                                                position, address + at, got);
		at += got + 1; /* the one after them is not known */
	}
	return is_assumed;
}

static void read_memory(const struct console *console, uint64_t address, size_t size,
                        struct memory_line *line)
{
	*line = (struct memory_line){.size = size};
	line->is_assumed = shell_read_memory(console, address, size, line->bytes, line->known);
}

/* A blank for what is not known, and a point, not `?`, for what is not printed. */
static char character_of(const struct memory_line *line, size_t i)
{
	uint8_t byte = line->bytes[i];

	if (!line->known[i])
		return ' ';
	if (byte < ' ' || byte >= DELETE_CODE)
		return '.';
	return (char)byte;
}

/* After the bytes, if there are any that are known. */
static void write_characters(const struct memory_line *line, struct text *out)
{
	bool is_any = false;

	for (size_t i = 0; i < line->size; i++)
		is_any = is_any || line->known[i];
	if (!is_any)
		return;
	text_printf(out, "%*s|", (int)(2 + 3 * (LINE - line->size)), "");
	for (size_t i = 0; i < line->size; i++)
		text_char(out, character_of(line, i));
	text_char(out, '|');
}

static void dump(const struct console *console, uint64_t address, uint64_t count, struct text *out)
{
	struct memory_line line;

	for (uint64_t done = 0; done < count && address + done >= address; done += LINE) {
		read_memory(console, address + done,
		            count - done < LINE ? (size_t)(count - done) : LINE, &line);
		text_printf(out, "0x%" PRIx64 ":", address + done);
		for (size_t i = 0; i < line.size; i++) {
			if (line.known[i])
				text_printf(out, " %02x", line.bytes[i]);
			else
				text_puts(out, " ??");
		}
		write_characters(&line, out);
		text_puts(out, line.is_assumed ? "~\n" : "\n");
	}
}

void shell_x(struct console *console, struct str args, struct text *out)
{
	struct str word = {args.p, str_find(args, ' ')};
	struct str number = str_trim(str_skip(args, word.n));
	struct past_subject subject;
	uint64_t count;

	if (str_find(args, ':') < args.n) {
		console_x(console, args, out);
		return;
	}
	if (!console_find_subject(console, word, &subject, out))
		return;
	if (!subject.is_memory) {
		struct value value;

		session_register(console->session, console->core, subject.number, &value);
		if (!value_is_known(&value)) {
			console_say_wrong(console, "not known here:", word, "", out);
			return;
		}
		subject.address = value_u64(&value);
		subject.size = BYTES;
	} else if (str_to_u64(word, &subject.address) == STATUS_OK) {
		subject.size = BYTES;
	}
	count = subject.size;
	if (number.n > 0 && str_to_u64(number, &count) != STATUS_OK) {
		console_say_wrong(console, "not a number of bytes:", number, "", out);
		return;
	}
	dump(console, subject.address, count < BYTES_MOST ? count : BYTES_MOST, out);
	if (count > BYTES_MOST)
		text_printf(out, "(%d bytes at most)\n", BYTES_MOST);
}

void shell_print(struct console *console, struct str args, struct text *out)
{
	struct past_subject subject;
	struct memory_line line;
	struct value value = {.size = 0};

	if (!console_find_subject(console, args, &subject, out))
		return;
	if (subject.is_memory && subject.size > 8) {
		dump(console, subject.address, subject.size, out);
		return;
	}
	if (!subject.is_memory) {
		session_register(console->session, console->core, subject.number, &value);
	} else {
		read_memory(console, subject.address, (size_t)subject.size, &line);
		value.size = (uint8_t)subject.size;
		for (size_t i = 0; i < line.size; i++) {
			value.bits[i] = line.bytes[i];
			value.known[i] = line.known[i] ? 0xff : 0;
		}
	}
	text_add(out, args);
	text_puts(out, " = ");
	write_value(&value, out);
	if (subject.is_memory && line.is_assumed)
		text_char(out, '~');
	write_pointee(shell_of(console), &value, out);
	text_char(out, '\n');
}

/* False if memory does not have it at the position of the core. */
static bool read_code(const struct console *console, uint64_t address, enum isa isa,
                      struct past_code *code)
{
	uint8_t b[4];
	bool is_t32 = isa == ISA_T32 || isa == ISA_TEE;

	*code = (struct past_code){.pc = address, .isa = (uint8_t)isa};
	if (session_memory(console->session, console->core, address, b, 2) != 2)
		return false;
	code->size = is_t32 ? (uint8_t)insn_t32_size(insn_opcode(b, 2, isa)) : 4;
	if (code->size == 4 &&
	    session_memory(console->session, console->core, address + 2, b + 2, 2) != 2)
		return false;
	code->opcode = insn_opcode(b, code->size, isa);
	code->is_there = true;
	return true;
}

/* At the halt, or without history: what the architecture or the status register says. */
static enum isa isa_by_registers(const struct console *console)
{
	struct value cpsr;
	enum core_arch arch = session_core_registers(console->session, console->core)->arch;

	if (arch != CORE_A32)
		return arch == CORE_A64 ? ISA_A64 : ISA_T32;
	session_register(console->session, console->core, A32_cpsr, &cpsr);
	return value_is_known(&cpsr) && (value_u64(&cpsr) & CPSR_T) != 0 ? ISA_T32 : ISA_A32;
}

/* The instruction of a position; at the halt that which was not executed. */
static void find_code(const struct console *console, uint64_t position, struct past_code *code)
{
	const struct history *history = session_history(console->session, console->core);
	struct instruction insn;
	struct value pc;

	if (position < history_length(history)) {
		history_at(history, position, &insn);
		*code = (struct past_code){insn.has_opcode && insn.size <= 4, insn.address,
		                           (uint32_t)insn.opcode, insn.size, (uint8_t)insn.isa};
		return;
	}
	session_register_at(console->session, console->core, position, REGISTER_PC, &pc);
	(void)read_code(console, value_u64(&pc), isa_by_registers(console), code);
}

static void write_code(struct shell *shell, const struct past_code *code, struct text *out)
{
	if (code->is_there)
		past_code_text(shell_names(shell), code, out);
	else
		symbols_format(shell_names(shell)->symbols, code->pc, out);
}

void shell_here(struct shell *shell, struct text *out)
{
	const struct console *console = &shell->console;
	uint64_t position = session_position(console->session, console->core);
	struct source_line line;
	struct past_code code;

	find_code(console, position, &code);
	begin_mark(shell, out);
	threads_name(console->session, console->core, out);
	text_printf(out, " %" PRIu64, position);
	end_mark(shell, out);
	text_puts(out, ": ");
	write_code(shell, &code, out);
	if (position == console_length(console, console->core))
		text_puts(out, "  (the halt)");
	text_char(out, '\n');
	if (shell_source_line(shell, code.pc, &line))
		shell_source_text(shell, &line, out);
}

/* A row of instructions: an arrow at the one that is here; then, what stands in between. */
static void begin_row(const struct shell *shell, bool is_here, struct text *out)
{
	if (is_here)
		begin_mark(shell, out);
	text_puts(out, is_here ? "=> " : "   ");
}

static void end_row(struct shell *shell, bool is_here, const struct past_code *code,
                    struct text *out)
{
	text_puts(out, "  ");
	write_code(shell, code, out);
	if (is_here)
		end_mark(shell, out);
	text_char(out, '\n');
}

/*
 * Row `position` of a list, and before it the gap, and the source line if it is another than that
 * `before`.
 */
static void write_row(struct shell *shell, uint64_t position, struct source_line *before,
                      struct text *out)
{
	const struct console *console = &shell->console;
	const struct history *history = session_history(console->session, console->core);
	bool is_here = position == session_position(console->session, console->core);
	struct source_line line;
	struct past_code code;
	struct gap gap;

	if (history_gap_at(history, position, &gap)) {
		text_puts(out, "   ");
		gap_format(&gap, out);
		text_char(out, '\n');
	}
	find_code(console, position, &code);
	if (shell_source_line(shell, code.pc, &line) &&
	    (line.line != before->line || line.file != before->file)) {
		shell_source_text(shell, &line, out);
		*before = line;
	}
	begin_row(shell, is_here, out);
	text_printf(out, "%" PRIu64, position);
	end_row(shell, is_here, &code, out);
}

void shell_list(struct console *console, struct str args, struct text *out)
{
	uint64_t position = session_position(console->session, console->core);
	uint64_t length = console_length(console, console->core);
	struct source_line before = {.line = 0};
	uint64_t rows = ROWS;
	uint64_t first;

	if (args.n > 0 && (str_to_u64(args, &rows) != STATUS_OK || rows == 0 || rows > ROWS_MOST)) {
		console_say_wrong(console, "not a number of 1 to 1000:", args, "", out);
		return;
	}
	first = position > rows / 2 ? position - rows / 2 : 0;
	for (uint64_t i = first; i - first < rows && i <= length; i++)
		write_row(shell_of(console), i, &before, out);
}

/* From `start`: the rest of its function, or so many instructions where there is none. */
static void disassemble(struct shell *shell, uint64_t start, enum isa isa, struct text *out)
{
	const struct console *console = &shell->console;
	struct function_symbol function;
	bool has_function = symbols_find(shell_names(shell)->symbols, start, &function);
	unsigned int most = has_function ? INSTRUCTIONS_MOST : INSTRUCTIONS;
	uint64_t address = start;
	struct past_code code;
	struct value pc;

	session_register(console->session, console->core, REGISTER_PC, &pc);
	for (unsigned int i = 0; i < most && (!has_function || address < function.end); i++) {
		bool is_here = address == value_u64(&pc);

		if (!read_code(console, address, isa, &code)) {
			text_printf(out, "   0x%" PRIx64 "  not known\n", address);
			return;
		}
		begin_row(shell, is_here, out);
		text_printf(out, "0x%" PRIx64, address);
		end_row(shell, is_here, &code, out);
		address += code.size;
	}
}

void shell_disassemble(struct console *console, struct str args, struct text *out)
{
	struct shell *shell = shell_of(console);
	struct function_symbol function;
	struct past_code here;
	uint64_t address;

	find_code(console, session_position(console->session, console->core), &here);
	if (args.n > 0) {
		if (shell_find_code(shell, args, &address, out))
			disassemble(shell, address, (enum isa)here.isa, out);
		return;
	}
	address = symbols_find(shell_names(shell)->symbols, here.pc, &function) ? function.start
	                                                                        : here.pc;
	disassemble(shell, address, (enum isa)here.isa, out);
}
