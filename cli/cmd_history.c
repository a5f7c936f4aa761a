/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `csreplay history`: the instructions that a core executed, oldest first, one a line, with the
 * events and gaps between them on lines that start with "# " (TSV) or as objects of their own
 * (JSON lines).
 */
#include <stdio.h>

#include "arch/isa.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/position_argument.h"
#include "replay/session/session.h"

enum { FLUSH_AT = 1 << 16 };

struct writer {
	const struct session *session;
	size_t core;
	const struct history *history;
	struct register_file file;
	struct disasm *disasm;
	bool json;
	bool registers;
	uint64_t next_event; /* index of the first event not yet written */
	uint64_t next_gap;
	struct text out;
};

static void write_header(struct writer *w)
{
	text_puts(&w->out, "index\tpc\tisa\topcode\tdisassembly");
	for (unsigned int i = 0; w->registers && i < w->file.count; i++) {
		if (w->file.table[i].feature == REGISTER_CORE)
			text_printf(&w->out, "\t%s", w->file.table[i].name);
	}
	text_char(&w->out, '\n');
}

static void write_event(struct writer *w, const struct history_event *event)
{
	if (w->json) {
		text_puts(&w->out, "{\"event\":");
		element_format_json(&event->element, &w->out);
		json_u64(&w->out, "position", event->position);
		text_puts(&w->out, "}\n");
		return;
	}
	text_puts(&w->out, "# ");
	element_format_text(&event->element, &w->out);
	text_char(&w->out, '\n');
}

static void write_gap(struct writer *w, const struct gap *gap)
{
	if (!w->json) {
		text_puts(&w->out, "# ");
		gap_format(gap, &w->out);
		text_char(&w->out, '\n');
		return;
	}
	json_open(&w->out, '{');
	json_str(&w->out, "gap", str_of(gap_reason_text(gap->reason)));
	json_u64(&w->out, "position", gap->position);
	if (gap->has_address)
		json_hex(&w->out, "address", gap->address);
	if (gap->has_store)
		json_u64(&w->out, "store", gap->store);
	text_puts(&w->out, "}\n");
}

/* Everything between instruction position - 1 and instruction `position`. */
static void write_between(struct writer *w, uint64_t position)
{
	struct history_event event;
	struct gap gap;

	for (; history_event(w->history, w->next_event, &event) && event.position <= position;
	     w->next_event++)
		write_event(w, &event);
	for (; history_gap(w->history, w->next_gap, &gap) && gap.position <= position;
	     w->next_gap++)
		write_gap(w, &gap);
}

/*
 * Full-width hexadecimal, most significant digit first, with a `~` after it if it is assumed; "-"
 * if not wholly known.
 */
static void write_value(struct text *out, const struct value *value)
{
	if (!value_is_known(value)) {
		text_char(out, '-');
		return;
	}
	cli_put_number(out, value->bits, value->size);
	if (value->is_assumed)
		text_char(out, '~');
}

/* The core's registers at the position: a column each. */
static void write_registers(struct writer *w, uint64_t position)
{
	for (unsigned int i = 0; i < w->file.count; i++) {
		struct value value;

		if (w->file.table[i].feature != REGISTER_CORE)
			continue;
		session_register_at(w->session, w->core, position, i, &value);
		text_char(&w->out, '\t');
		write_value(&w->out, &value);
	}
}

/* Those that are known, as members; and the names of those of which that is assumed, if any is. */
static void write_json_registers(struct writer *w, uint64_t position)
{
	struct text assumed = {0};

	json_key(&w->out, "registers");
	json_open(&w->out, '{');
	for (unsigned int i = 0; i < w->file.count; i++) {
		const char *name = w->file.table[i].name;
		struct value value;

		if (w->file.table[i].feature != REGISTER_CORE)
			continue;
		session_register_at(w->session, w->core, position, i, &value);
		if (!value_is_known(&value))
			continue;
		json_hex(&w->out, name, value_u64(&value));
		if (!value.is_assumed)
			continue;
		text_puts(&assumed, assumed.length > 0 ? "," : "");
		json_quote(&assumed, str_of(name));
	}
	json_close(&w->out, '}');
	if (assumed.length > 0) {
		json_key(&w->out, "assumed");
		json_open(&w->out, '[');
		text_add(&w->out, text_str(&assumed));
		json_close(&w->out, ']');
	}
	w->out.failed |= assumed.failed;
	text_fini(&assumed);
}

static void write_disassembly(struct writer *w, const struct instruction *insn, struct text *out)
{
	if (insn->has_opcode)
		disasm_text(w->disasm, insn->address, insn->opcode, insn->size, insn->isa, out);
}

static void write_json_instruction(struct writer *w, uint64_t position,
                                   const struct instruction *insn)
{
	struct text disassembly = {0};

	write_disassembly(w, insn, &disassembly);
	json_open(&w->out, '{');
	json_u64(&w->out, "index", position);
	json_hex(&w->out, "pc", insn->address);
	json_str(&w->out, "isa", str_of(isa_name(insn->isa)));
	if (insn->has_opcode) {
		json_hex(&w->out, "opcode", insn->opcode);
		json_str(&w->out, "disassembly", text_str(&disassembly));
	}
	if (w->registers)
		write_json_registers(w, position);
	text_puts(&w->out, "}\n");
	text_fini(&disassembly);
}

static void write_instruction(struct writer *w, uint64_t position)
{
	struct instruction insn;

	history_at(w->history, position, &insn);
	if (w->json) {
		write_json_instruction(w, position, &insn);
		return;
	}
	text_decimal(&w->out, position);
	text_char(&w->out, '\t');
	text_hex(&w->out, insn.address, w->file.table[REGISTER_PC].bits / 4);
	text_printf(&w->out, "\t%s\t", isa_name(insn.isa));
	if (insn.has_opcode)
		text_hex(&w->out, insn.opcode, 2U * insn.size);
	else
		text_char(&w->out, '-');
	text_char(&w->out, '\t');
	write_disassembly(w, &insn, &w->out);
	if (w->registers)
		write_registers(w, position);
	text_char(&w->out, '\n');
}

static enum cli_exit write_history(struct writer *w, uint64_t from, uint64_t count)
{
	uint64_t length = history_length(w->history);
	uint64_t end = count < length - from ? from + count : length;

	w->next_event = from > 0 ? history_event_index(w->history, from) : 0;
	w->next_gap = history_gap_index(w->history, from);
	if (!w->json)
		write_header(w);
	for (uint64_t position = from; position < end; position++) {
		enum cli_exit code = CLI_FINE;

		write_between(w, position);
		write_instruction(w, position);
		if (w->out.length >= FLUSH_AT || w->out.failed)
			code = cli_flush(&w->out);
		if (code != CLI_FINE)
			return code;
	}
	if (end == length)
		write_between(w, length);
	return cli_flush(&w->out);
}

/* Several views of a context that the user did not name a core for. */
static enum cli_exit fail_parted(const struct session *session, uint32_t context_id)
{
	size_t cores = session_core_count(session);
	struct text why = {0};
	enum cli_exit code;

	for (size_t i = cores; i < cores + session_thread_view_count(session) && why.length == 0;
	     i++)
		session_why_parted(session, i, &why);
	code = cli_fail(CLI_USAGE, "context 0x%x ran on several cores, name one with --core: %.*s",
	                (unsigned int)context_id, STR_ARG(text_str(&why)));
	text_fini(&why);
	return code;
}

/* The number of the context's view: of the core that the user names, else of all together. */
static enum cli_exit choose_context(const struct cli_args *args, struct session *session,
                                    size_t *core)
{
	uint64_t wanted = 0;
	enum cli_exit code = cli_number(args, CLI_OPTION_CONTEXT, 0, &wanted);
	bool has_core = args->given[CLI_OPTION_CORE];
	enum status status = STATUS_NOT_FOUND;

	if (code != CLI_FINE || !args->given[CLI_OPTION_CONTEXT])
		return code;
	if (wanted <= UINT32_MAX)
		status = session_make_context(session, (uint32_t)wanted, has_core ? core : NULL);
	if (status == STATUS_NOT_FOUND && has_core)
		return cli_fail(CLI_USAGE, "the trace of \"%.*s\" names no context 0x%llx",
		                STR_ARG(session_core(session, *core)->device->name),
		                (unsigned long long)wanted);
	if (status == STATUS_NOT_FOUND)
		return cli_fail(CLI_USAGE, "the trace names no context 0x%llx",
		                (unsigned long long)wanted);
	if (status != STATUS_OK)
		return cli_fail(CLI_INTERNAL, "%s", status_text(status));
	if (session_thread_view_count(session) > 1)
		return fail_parted(session, (uint32_t)wanted);
	*core = session_core_count(session);
	return CLI_FINE;
}

/* `context`: a bool, JSON is wanted. */
static enum cli_exit list(const struct cli_args *args, struct session *session, void *context)
{
	struct writer w = {.session = session,
	                   .json = *(const bool *)context,
	                   .registers = args->given[CLI_OPTION_REGISTERS]};
	uint64_t from = 0;
	uint64_t count = UINT64_MAX;
	size_t core = 0;
	enum cli_exit code = cli_choose_core(args, session, &core);

	if (code == CLI_FINE)
		code = choose_context(args, session, &core);
	if (code == CLI_FINE)
		code = cli_position(args, CLI_OPTION_FROM, session, core, 0, &from);
	if (code == CLI_FINE)
		code = cli_number(args, CLI_OPTION_COUNT, UINT64_MAX, &count);
	if (code != CLI_FINE)
		return code;
	w.core = core;
	w.history = session_history(session, core);
	w.file = register_file_of(session_core(session, core)->arch);
	w.disasm = disasm_create();
	if (!w.disasm)
		return cli_fail(CLI_INTERNAL, "%s", status_text(STATUS_NO_MEM));
	code = write_history(&w, from, count);
	if (code == CLI_FINE)
		code = cli_history_exit(session, session_base_core(session, core));
	if (w.registers)
		cli_note_trouble(session, core);
	disasm_destroy(w.disasm);
	text_fini(&w.out);
	return code;
}

enum cli_exit cmd_history(const struct cli_args *args)
{
	bool json = false;
	enum cli_exit code;

	if (cli_is_tarmac(args) && args->given[CLI_OPTION_CONTEXT])
		return cli_fail(CLI_USAGE, "--context is not for --format tarmac");
	if (cli_is_tarmac(args))
		return cmd_export(args);
	code = cli_format(args, "tsv", &json);
	return code == CLI_FINE ? cli_with_session(args, list, &json) : code;
}
