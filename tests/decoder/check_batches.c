/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_batches SNAPSHOT: every source of the snapshot, in every buffer, by decoder_pull() and by
 * decoder_next(); what must hold is said in tests/fuzz/fuzz_batches.h. Out: what was looked at, one
 * line; the program ends at once if a property does not hold.
 */
#include <stdio.h>

#include "tests/fuzz/fuzz_batches.h"

int main(int argc, char **argv)
{
	const struct snapshot_options options = {.allow_outside = true};
	struct diag_list diags = {0};
	struct batches_seen seen = {0};
	struct snapshot *snapshot;

	if (argc != 2)
		return 2;
	if (snapshot_open(argv[1], &options, &diags, &snapshot) != STATUS_OK)
		return 1;
	for (size_t i = 0; i < snapshot->source_count; i++) {
		const struct snap_source *source = &snapshot->sources[i];

		for (size_t k = 0; k < source->buffer_count; k++) {
			const struct snap_buffer *buffer = &snapshot->buffers[source->buffers[k]];
			struct decoder_options how = {.dstream = buffer->format == BUFFER_DSTREAM};

			fuzz_check_batches(source, buffer, &how, &seen);
		}
	}
	(void)printf("elements %llu batches %llu joined %llu counts %llu sync_points %llu pauses "
	             "%llu resumed %llu\n",
	             (unsigned long long)seen.elements, (unsigned long long)seen.batches,
	             (unsigned long long)seen.joined, (unsigned long long)seen.counts,
	             (unsigned long long)seen.sync_points, (unsigned long long)seen.pauses,
	             (unsigned long long)seen.resumed);
	snapshot_destroy(snapshot);
	diag_list_fini(&diags);
	return 0;
}
