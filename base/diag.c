/* SPDX-License-Identifier: Apache-2.0 */
/* The list of diagnostics, and one diagnostic's text form. */
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static char *copy_str(struct str s)
{
	char *copy = malloc(s.n + 1);

	if (!copy)
		return NULL;
	if (s.n > 0)
		memcpy(copy, s.p, s.n);
	copy[s.n] = '\0';
	return copy;
}

PRINTF_LIKE(3, 0)
static void append(struct diag_list *list, struct diag diag, const char *format, va_list args)
{
	struct text text = {0};
	char *file = NULL;

	if (diag.severity == SEVERITY_ERROR)
		list->errors++;
	if (list->count >= DIAG_MOST ||
	    vec_reserve((void **)&list->items, &list->capacity, list->count + 1,
	                sizeof(*list->items)) != STATUS_OK)
		goto drop;
	text_vprintf(&text, format, args);
	file = copy_str(diag.place.file);
	if (text.failed || !file)
		goto drop;
	diag.place.file.p = file;
	diag.file = file;
	diag.text = text.data;
	list->items[list->count++] = diag;
	return;
drop:
	list->dropped++;
	text_fini(&text);
	free(file);
}

enum status diag_error(struct diag_list *list, enum status status, struct place place,
                       const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(list, (struct diag){SEVERITY_ERROR, status, place, NULL, NULL}, format, args);
	va_end(args);
	return status;
}

void diag_warning(struct diag_list *list, struct place place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(list, (struct diag){SEVERITY_WARNING, STATUS_OK, place, NULL, NULL}, format, args);
	va_end(args);
}

void diag_note(struct diag_list *list, struct place place, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(list, (struct diag){SEVERITY_NOTE, STATUS_OK, place, NULL, NULL}, format, args);
	va_end(args);
}

const char *severity_name(enum severity severity)
{
	switch (severity) {
	case SEVERITY_NOTE:
		return "note";
	case SEVERITY_WARNING:
		return "warning";
	case SEVERITY_ERROR:
		break;
	}
	return "error";
}

void diag_format(const struct diag *diag, struct text *out)
{
	const struct place *place = &diag->place;

	if (place->file.n > 0) {
		text_add(out, place->file);
		if (place->line > 0)
			text_printf(out, ":%llu", (unsigned long long)place->line);
		else if (place->has_offset)
			text_printf(out, "+0x%llx", (unsigned long long)place->offset);
		text_puts(out, ": ");
	}
	text_printf(out, "%s: %s", severity_name(diag->severity), diag->text);
}

void diag_list_move(struct diag_list *to, struct diag_list *from)
{
	size_t kept = from->count < DIAG_MOST - to->count ? from->count : DIAG_MOST - to->count;

	if (vec_reserve((void **)&to->items, &to->capacity, to->count + kept, sizeof(*to->items)) !=
	    STATUS_OK)
		kept = 0;
	to->errors += from->errors;
	to->dropped += from->dropped + (from->count - kept);
	if (kept > 0) {
		memcpy(to->items + to->count, from->items, kept * sizeof(*to->items));
		to->count += kept;
		/* What was moved is not freed with the rest. */
		from->count -= kept;
		memmove(from->items, from->items + kept, from->count * sizeof(*from->items));
	}
	diag_list_fini(from);
}

void diag_list_cut(struct diag_list *list, size_t count)
{
	while (list->count > count) {
		struct diag *last = &list->items[--list->count];

		list->errors -= last->severity == SEVERITY_ERROR;
		free(last->file);
		free(last->text);
	}
}

void diag_list_fini(struct diag_list *list)
{
	diag_list_cut(list, 0);
	free(list->items);
	*list = (struct diag_list){0};
}
