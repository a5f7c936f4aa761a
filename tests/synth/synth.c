/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth: makes trace for tests.
 *
 *	synth packets FILE             packets as text -> ETMv4 bytes on stdout
 *	synth frames TURN REPEAT ID=FILE...  bytes a trace ID -> CoreSight frames on stdout
 *	synth snapshot RECIPE FOLDER   recipe (recipe.h) -> a snapshot in FOLDER
 */
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "base/file.h"
#include "tests/synth/etm4_script.h"
#include "tests/synth/frames.h"
#include "tests/synth/recipe.h"

enum { STREAMS_MOST = 16 };

static struct str map_text(const struct file_map *map)
{
	return (struct str){map->data, map->size};
}

static enum status write_out(struct buf *out)
{
	enum status status = STATUS_NO_MEM;

	if (!out->failed)
		status = fwrite(out->data, 1, out->size, stdout) == out->size ? STATUS_OK
		                                                              : STATUS_IO;
	buf_fini(out);
	return status;
}

static enum status run_packets(int argc, char **argv, struct diag_list *diags)
{
	struct file_map map;
	struct buf out = {0};
	struct str file = str_of(argv[0]);

	if (argc != 1)
		return STATUS_USAGE;
	TRY(file_map_open(argv[0], place_file(file), diags, &map));
	struct str text = map_text(&map);

	for (uint64_t line = 1; text.p; line++) {
		struct str packet = str_next_part(&text, '\n');
		enum status status = etm4_script_line(&out, packet);

		if (status != STATUS_OK)
			return diag_error(diags, status, place_line(file, line),
			                  "no such packet: \"%.*s\"", STR_ARG(packet));
	}
	file_map_close(&map);
	return write_out(&out);
}

static enum status run_frames(int argc, char **argv, struct diag_list *diags)
{
	struct frame_stream streams[STREAMS_MOST];
	struct file_map maps[STREAMS_MOST];
	struct frame_options options;
	struct buf out = {0};
	uint64_t turn;
	uint64_t repeat;
	size_t count = 0;

	if (argc < 3 || argc - 2 > STREAMS_MOST)
		return STATUS_USAGE;
	TRY(str_to_u64(str_of(argv[0]), &turn));
	TRY(str_to_u64(str_of(argv[1]), &repeat));
	options = (struct frame_options){(size_t)turn, (unsigned int)repeat};
	for (int i = 2; i < argc; i++) {
		struct str file = str_of(argv[i]);
		struct str id = str_next_part(&file, '=');
		uint64_t number;

		if (!file.p)
			return STATUS_USAGE;
		TRY(str_to_u64(id, &number));
		TRY(file_map_open(file.p, place_file(file), diags, &maps[count]));
		streams[count] = (struct frame_stream){(unsigned int)number, maps[count].data,
		                                       maps[count].size};
		count++;
	}
	frames_put(&out, streams, count, &options);
	for (size_t i = 0; i < count; i++)
		file_map_close(&maps[i]);
	return write_out(&out);
}

static enum status run_snapshot(int argc, char **argv, struct diag_list *diags)
{
	struct file_map map;
	enum status status;

	if (argc != 2)
		return STATUS_USAGE;
	TRY(file_map_open(argv[0], place_file(str_of(argv[0])), diags, &map));
	status = recipe_run(str_of(argv[0]), map_text(&map), argv[1], diags);
	file_map_close(&map);
	return status;
}

static const struct {
	const char *name;
	enum status (*run)(int argc, char **argv, struct diag_list *diags);
} commands[] = {
        {"packets", run_packets},
        {"frames", run_frames},
        {"snapshot", run_snapshot},
};

int main(int argc, char **argv)
{
	struct diag_list diags = {0};
	struct text text = {0};
	enum status status = STATUS_USAGE;

	for (size_t i = 0; argc > 2 && i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			status = commands[i].run(argc - 2, argv + 2, &diags);
	}
	for (size_t i = 0; i < diags.count; i++) {
		diag_format(&diags.items[i], &text);
		text_char(&text, '\n');
	}
	if (text.data)
		(void)fputs(text.data, stderr);
	else if (status != STATUS_OK)
		(void)fprintf(stderr, "synth: %s\n", status_text(status));
	text_fini(&text);
	diag_list_fini(&diags);
	return status == STATUS_OK ? 0 : status == STATUS_USAGE ? 2 : 1;
}
