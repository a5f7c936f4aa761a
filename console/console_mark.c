/* SPDX-License-Identifier: Apache-2.0 */
/* The console's commands on marks. In: names, positions. Out: text, and the file of marks. */
#include <inttypes.h>

#include "console/console_command.h"
#include "console/marks.h"
#include "console/position.h"

static void say_why_not(struct console *console, struct str name, enum status status,
                        struct text *out)
{
	struct text path = {0};

	console->failed = true;
	marks_path(console->session, &path);
	if (status == STATUS_USAGE) {
		console_wrong(out, "no name:", name);
		text_puts(out, "; give letters, digits, _ . and -, the first a letter or _");
	} else if (status == STATUS_IO) {
		text_printf(out, "%s cannot be read or written", path.data);
	} else if (status == STATUS_UNSUPPORTED && path.length == 0) {
		text_puts(out, "there is no folder to keep marks in: set XDG_STATE_HOME or HOME");
	} else if (status == STATUS_UNSUPPORTED &&
	           console->core >= session_core_count(console->session)) {
		text_puts(out, "marks are of cores: `threads core` shows these");
	} else if (status == STATUS_UNSUPPORTED) {
		text_printf(out, "there are %d marks already", MARKS_MOST);
	} else {
		text_puts(out, status_text(status));
	}
	text_char(out, '\n');
	text_fini(&path);
}

void console_mark(struct console *console, struct str args, struct text *out)
{
	size_t end = str_find(args, ' ');
	struct str name = {args.p, end};
	struct str word = str_trim(str_skip(args, end));
	uint64_t position = session_position(console->session, console->core);
	enum status status;

	if (word.n > 0 && !console_parse_position(console, word, &position, out))
		return;
	if (position_is_form(name)) {
		console_say_wrong(console, "a position by itself:", name, "", out);
		return;
	}
	status = marks_set(console->session, name, console->core, position);
	if (status != STATUS_OK) {
		say_why_not(console, name, status, out);
		return;
	}
	text_add(out, name);
	text_printf(out, " is position %" PRIu64 "\n", position);
}

void console_unmark(struct console *console, struct str args, struct text *out)
{
	struct marks marks;
	enum status status = marks_read(console->session, &marks);
	const struct user_mark *mark = marks_find(&marks, args);

	if (status == STATUS_OK && mark)
		status = marks_set(console->session, args, mark->core, UINT64_MAX);
	if (status != STATUS_OK) {
		say_why_not(console, args, status, out);
	} else if (!mark) {
		console_say_wrong(console, "no mark", args, "; `marks` lists them", out);
	}
	marks_fini(&marks);
}

void console_marks(struct console *console, struct str args, struct text *out)
{
	struct marks marks;
	enum status status = marks_read(console->session, &marks);

	(void)args;
	if (status != STATUS_OK)
		say_why_not(console, args, status, out);
	else if (marks.count == 0)
		text_puts(out, "no marks; `mark NAME` makes one of the position\n");
	for (size_t i = 0; status == STATUS_OK && i < marks.count; i++) {
		const struct user_mark *mark = &marks.all[i];

		console_core(console, mark->core, out);
		text_puts(out, ": ");
		text_add(out, mark->name);
		text_puts(out, " is ");
		session_format_place(console->session, mark->core, mark->position, out);
		text_char(out, '\n');
	}
	marks_fini(&marks);
}
