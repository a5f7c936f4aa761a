/* SPDX-License-Identifier: Apache-2.0 */
/* See line_edit.h; editline(3), editrc(5). */
#include "cli/line_edit.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/vec.h"

enum {
	HISTORY_MOST = 1000, /* lines that are kept */
	WORDS_MOST = 200,    /* that are shown */
	COLUMNS = 80,
};

struct line_edit {
	struct line_edit_options options;
	EditLine *edit;
	History *history;
	sigset_t waiting; /* signals that do not come while it waits for a key */
	struct text prompt;
	struct text line;
};

/* Words that complete one, each its own memory. */
struct words {
	char **all;
	size_t count;
	size_t capacity;
};

static void take_word(void *context, struct str word)
{
	struct words *words = context;
	char *copy;

	/* Without memory for it one is missing. */
	if (vec_reserve((void **)&words->all, &words->capacity, words->count + 1,
	                sizeof(*words->all)) != STATUS_OK)
		return;
	copy = strndup(word.p, word.n);
	if (copy)
		words->all[words->count++] = copy;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* In order, each once. */
static void tidy(struct words *words)
{
	size_t kept = 0;

	if (words->count > 0)
		qsort(words->all, words->count, sizeof(*words->all), compare_words);
	for (size_t i = 0; i < words->count; i++) {
		if (kept > 0 && strcmp(words->all[kept - 1], words->all[i]) == 0)
			free(words->all[i]);
		else
			words->all[kept++] = words->all[i];
	}
	words->count = kept;
}

static void words_fini(struct words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->all[i]);
	free(words->all);
}

/* How many characters all of them begin with. */
static size_t common_length(const struct words *words)
{
	const char *first = words->all[0];
	const char *last = words->all[words->count - 1];
	size_t length = 0;

	while (first[length] != '\0' && first[length] == last[length])
		length++;
	return length;
}

static void show_words(const struct words *words)
{
	size_t shown = words->count < WORDS_MOST ? words->count : WORDS_MOST;
	size_t width = 0;
	size_t columns;

	for (size_t i = 0; i < shown; i++) {
		size_t length = strlen(words->all[i]) + 2;

		width = length > width ? length : width;
	}
	columns = width < COLUMNS ? COLUMNS / width : 1;
	for (size_t i = 0; i < shown; i++)
		(void)printf("%s%-*s", i % columns == 0 ? "\n" : "", (int)width, words->all[i]);
	if (shown < words->count)
		(void)printf("\n... and %zu more", words->count - shown);
	(void)putchar('\n');
}

static unsigned char complete(EditLine *edit, int key)
{
	struct line_edit *e;
	const LineInfo *info = el_line(edit);
	struct str line = {info->buffer, (size_t)(info->cursor - info->buffer)};
	struct words words = {0};
	unsigned char answer = CC_ERROR;
	size_t length;
	size_t typed;

	(void)key;
	if (el_get(edit, EL_CLIENTDATA, &e) != 0)
		return CC_ERROR;
	typed = line.n - e->options.complete(e->options.context, line, take_word, &words);
	tidy(&words);
	length = words.count > 0 ? common_length(&words) : 0;
	if (length > typed || words.count == 1) {
		char *rest = words.all[0] + typed;

		words.all[0][length] = '\0';
		if (el_insertstr(edit, rest) == 0 &&
		    (words.count > 1 || el_insertstr(edit, " ") == 0))
			answer = CC_REFRESH;
	} else if (words.count > 1) {
		show_words(&words);
		answer = CC_REDISPLAY;
	}
	words_fini(&words);
	return answer;
}

static char *prompt(EditLine *edit)
{
	static char empty[] = "";
	struct line_edit *e;

	if (el_get(edit, EL_CLIENTDATA, &e) != 0)
		return empty;
	text_clear(&e->prompt);
	e->options.prompt(e->options.context, &e->prompt);
	return e->prompt.data ? e->prompt.data : empty;
}

/*
 * A byte of the terminal: 1, or 0 at the end, or -1 after a signal that ends the line. SIGINT comes
 * while it waits and at no other time, so that none is overlooked. A NUL is passed over: it is what
 * Linux makes of a Ctrl-D that was typed before libedit took the terminal over.
 */
static int read_byte(const struct line_edit *e, char *byte)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	while (!e->options.interrupted(e->options.context)) {
		ssize_t got;

		if (ppoll(&in, 1, NULL, &e->waiting) < 0) {
			if (errno != EINTR)
				return -1;
			continue;
		}
		got = read(STDIN_FILENO, byte, 1);
		if (got <= 0 || *byte != '\0')
			return (int)got;
	}
	return -1;
}

/* A character, as libedit wants it. Its own way to read one goes on after a signal. */
static int read_character(EditLine *edit, wchar_t *character)
{
	struct line_edit *e;
	mbstate_t state = {0};

	if (el_get(edit, EL_CLIENTDATA, &e) != 0)
		return -1;
	for (;;) {
		char byte;
		int got = read_byte(e, &byte);

		if (got <= 0)
			return got;
		switch (mbrtowc(character, &byte, 1, &state)) {
		case (size_t)-1: /* no character of the user's locale: that byte alone */
			*character = (unsigned char)byte;
			return 1;
		case (size_t)-2:
			break;
		default:
			return 1;
		}
	}
}

static enum status set_up(struct line_edit *e)
{
	HistEvent event;

	e->history = history_init();
	e->edit = el_init("csreplay", stdin, stdout, stderr);
	if (!e->history || !e->edit)
		return STATUS_NO_MEM;
	(void)history(e->history, &event, H_SETSIZE, HISTORY_MOST);
	(void)history(e->history, &event, H_SETUNIQUE, 1);
	if (e->options.history)
		(void)history(e->history, &event, H_LOAD, e->options.history);
	(void)el_set(e->edit, EL_CLIENTDATA, e);
	(void)el_set(e->edit, EL_PROMPT, prompt);
	(void)el_set(e->edit, EL_HIST, history, e->history);
	(void)el_set(e->edit, EL_EDITOR, "emacs");
	(void)el_set(e->edit, EL_GETCFN, read_character);
	/* Its like for narrow characters copies these, for ever. */
	(void)el_wset(e->edit, EL_ADDFN, L"csreplay-complete", L"complete a word", complete);
	(void)el_set(e->edit, EL_BIND, "^I", "csreplay-complete", NULL);
	(void)el_set(e->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
	/* The user's ~/.editrc, if there is one. */
	(void)el_source(e->edit, NULL);
	return STATUS_OK;
}

enum status line_edit_open(const struct line_edit_options *options, struct line_edit **edit)
{
	struct line_edit *e = calloc(1, sizeof(*e));

	if (!e)
		return STATUS_NO_MEM;
	e->options = *options;
	if (set_up(e) != STATUS_OK) {
		line_edit_close(e);
		return STATUS_NO_MEM;
	}
	*edit = e;
	return STATUS_OK;
}

void line_edit_close(struct line_edit *edit)
{
	HistEvent event;

	if (!edit)
		return;
	/* A history that cannot be written is not worth an error at the end of a session. */
	if (edit->history && edit->options.history)
		(void)history(edit->history, &event, H_SAVE, edit->options.history);
	if (edit->edit)
		el_end(edit->edit);
	if (edit->history)
		history_end(edit->history);
	text_fini(&edit->prompt);
	text_fini(&edit->line);
	free(edit);
}

enum status line_edit_read(struct line_edit *edit, struct str *line)
{
	HistEvent event;
	sigset_t interrupts;
	int count = 0;
	const char *got;

	(void)sigemptyset(&interrupts);
	(void)sigaddset(&interrupts, SIGINT);
	(void)pthread_sigmask(SIG_BLOCK, &interrupts, &edit->waiting);
	got = el_gets(edit->edit, &count);
	(void)pthread_sigmask(SIG_SETMASK, &edit->waiting, NULL);
	if (edit->options.interrupted(edit->options.context)) {
		el_reset(edit->edit);
		(void)putchar('\n');
		return STATUS_INTERRUPTED;
	}
	if (!got || count <= 0)
		return STATUS_END;
	text_clear(&edit->line);
	text_add(&edit->line, str_trim((struct str){got, (size_t)count}));
	*line = text_str(&edit->line);
	if (line->n > 0)
		(void)history(edit->history, &event, H_ENTER, edit->line.data);
	return text_status(&edit->line);
}
