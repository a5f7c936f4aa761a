/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a core executed and no dump or image has; see missing_code.h. */
#include "replay/survey/missing_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "replay/history/history.h"
#include "replay/survey/survey.h"
#include "snapshot/memmap.h"

enum {
	PAGE = 4096,
	NEAR = 16 << 20,   /* bytes: pages no further apart may be of one image */
	REPORTED_MOST = 4, /* ranges of a core */
};

static uint64_t page_of(uint64_t address)
{
	return address / PAGE;
}

/* Index of the first page at or after that of `address`. */
static size_t find_page(const struct missing_code *missing, uint64_t address)
{
	size_t low = 0;
	size_t high = missing->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (page_of(missing->pages[middle].first) < page_of(address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum status missing_code_add(struct missing_code *missing, uint64_t address, uint64_t bytes)
{
	size_t at = find_page(missing, address);
	struct missing_range *page;

	if (at >= missing->count || page_of(missing->pages[at].first) != page_of(address)) {
		TRY(vec_reserve((void **)&missing->pages, &missing->capacity, missing->count + 1,
		                sizeof(*missing->pages)));
		memmove(&missing->pages[at + 1], &missing->pages[at],
		        (missing->count - at) * sizeof(*missing->pages));
		missing->pages[at] = (struct missing_range){address, address, 0, 0};
		missing->count++;
	}
	page = &missing->pages[at];
	page->first = address < page->first ? address : page->first;
	page->last = address > page->last ? address : page->last;
	page->gaps++;
	page->bytes += bytes;
	return STATUS_OK;
}

void missing_code_fini(struct missing_code *missing)
{
	free(missing->pages);
	*missing = (struct missing_code){0};
}

/* True if they lie near each other, and nothing that the core has lies between. */
static bool lie_together(const struct snap_core *core, const struct missing_range *a,
                         const struct missing_range *b)
{
	struct mem_span span;

	if (b->first - a->last > NEAR)
		return false;
	for (uint64_t page = page_of(a->last) + 1; page < page_of(b->first); page++) {
		if (memmap_find(core->memory, SPACE_ANY, page * PAGE, &span) == STATUS_OK)
			return false;
	}
	return true;
}

static int compare_cost(const void *a, const void *b)
{
	const struct missing_range *x = a;
	const struct missing_range *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->gaps != y->gaps)
		return x->gaps < y->gaps ? 1 : -1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* Joins pages to ranges, ordered by cost. Returns how many they are; `ranges` has room for all. */
static size_t join_pages(const struct missing_code *missing, const struct snap_core *core,
                         struct missing_range *ranges)
{
	size_t count = 0;

	for (size_t i = 0; i < missing->count; i++) {
		const struct missing_range *page = &missing->pages[i];

		if (count > 0 && lie_together(core, &ranges[count - 1], page)) {
			ranges[count - 1].last = page->last;
			ranges[count - 1].gaps += page->gaps;
			ranges[count - 1].bytes += page->bytes;
		} else {
			ranges[count++] = *page;
		}
	}
	qsort(ranges, count, sizeof(*ranges), compare_cost);
	return count;
}

/* An image that has the code and adds no memory, as it was named by a dump of a part of it. */
static const struct elf_image *image_with(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = snapshot->mapped_images; i < snapshot->image_count; i++) {
		const struct elf_image *image = snapshot->images[i];

		for (size_t j = 0; j < image->segment_count; j++) {
			if (address - image->segments[j].address < image->segments[j].file_size)
				return image;
		}
	}
	return NULL;
}

/* A dump that is said to have the code, and of whose file there is not as much. */
static const struct snap_dump *dump_with(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = 0; i < snapshot->device_count; i++) {
		const struct snap_device *device = &snapshot->devices[i];

		for (size_t j = 0; j < device->dump_count; j++) {
			const struct snap_dump *dump = &device->dumps[j];

			if (address - dump->address < dump->said_length &&
			    address - dump->address >= dump->length)
				return dump;
		}
	}
	return NULL;
}

static void put_advice(const struct snapshot *snapshot, const struct snap_core *core,
                       const struct missing_range *range, struct text *out)
{
	const struct snap_dump *dump = dump_with(snapshot, range->first);
	const struct elf_image *image = image_with(snapshot, range->first);

	if (dump)
		text_printf(out, "dump \"%.*s\" should have it, but not its file \"%.*s\"",
		            STR_ARG(dump->section), STR_ARG(dump->file));
	else if (image)
		text_printf(out, "give \"%.*s\", which has it, with --image", STR_ARG(image->path));
	else if (core->arch == CORE_A64 && range->first >> 48 == 0xffff)
		text_puts(out, "give the kernel's vmlinux, or the module, with --image");
	else
		text_puts(out, "give the program or library there with --image ELF, or, if it is "
		               "relocatable, --image ELF@ADDRESS");
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void report_range(const struct missing_code *missing, const struct snapshot *snapshot,
                         const struct snap_core *core, const struct missing_range *range,
                         struct diag_list *diags)
{
	struct text advice = {0};

	put_advice(snapshot, core, range, &advice);
	diag_warning(diags, core->device->place,
	             "core \"%.*s\": " SURVEY_MISSING_CODE
	             " the code at 0x%llx to 0x%llx: %llu gap%s, "
	             "in which %llu of %llu bytes of its trace are lost; %.*s",
	             STR_ARG(core->device->name), (unsigned long long)range->first,
	             (unsigned long long)range->last, (unsigned long long)range->gaps,
	             plural(range->gaps), (unsigned long long)range->bytes,
	             (unsigned long long)missing->total, STR_ARG(text_str(&advice)));
	text_fini(&advice);
}

enum status missing_code_report(const struct missing_code *missing, const struct snapshot *snapshot,
                                const struct snap_core *core, struct diag_list *diags)
{
	struct missing_range *ranges = calloc(missing->count + 1, sizeof(*ranges));
	struct missing_range rest = {0};
	size_t count;

	if (!ranges)
		return STATUS_NO_MEM;
	count = join_pages(missing, core, ranges);
	for (size_t i = 0; i < count; i++) {
		if (i < REPORTED_MOST) {
			report_range(missing, snapshot, core, &ranges[i], diags);
			continue;
		}
		rest.gaps += ranges[i].gaps;
		rest.bytes += ranges[i].bytes;
	}
	if (count > REPORTED_MOST)
		diag_warning(diags, core->device->place,
		             "core \"%.*s\": code is missing in %zu more range%s: %llu gap%s, in "
		             "which %llu of %llu bytes of its trace are lost",
		             STR_ARG(core->device->name), count - REPORTED_MOST,
		             plural(count - REPORTED_MOST), (unsigned long long)rest.gaps,
		             plural(rest.gaps), (unsigned long long)rest.bytes,
		             (unsigned long long)missing->total);
	free(ranges);
	return STATUS_OK;
}

static enum status warn_of_all(const struct missing_code *missing, const struct snapshot *snapshot,
                               const struct snap_core *core, struct diag_list *diags)
{
	struct missing_range *ranges = calloc(missing->count + 1, sizeof(*ranges));
	struct text advice = {0};
	struct text where = {0};
	uint64_t gaps = 0;
	size_t count;

	if (!ranges)
		return STATUS_NO_MEM;
	count = join_pages(missing, core, ranges);
	for (size_t i = 0; i < count; i++)
		gaps += ranges[i].gaps;
	if (count > 0) {
		put_advice(snapshot, core, &ranges[0], &advice);
		text_printf(&where, "%s at 0x%llx", count > 1 ? "most" : "all",
		            (unsigned long long)ranges[0].first);
		if (ranges[0].last != ranges[0].first)
			text_printf(&where, " to 0x%llx", (unsigned long long)ranges[0].last);
		diag_warning(diags, core->device->place,
		             "core \"%.*s\": in %llu gap%s code ran that " SURVEY_MISSING_CODE
		             ", %.*s; %.*s",
		             STR_ARG(core->device->name), (unsigned long long)gaps, plural(gaps),
		             STR_ARG(text_str(&where)), STR_ARG(text_str(&advice)));
	}
	text_fini(&where);
	text_fini(&advice);
	free(ranges);
	return STATUS_OK;
}

enum status survey_warn_of_missing_code(const struct snapshot *snapshot,
                                        const struct history *history, struct diag_list *diags)
{
	struct missing_code missing = {0};
	enum status status = STATUS_OK;
	struct gap gap;

	if (history_gap_count_of(history, GAP_NO_MEMORY) == 0)
		return STATUS_OK;
	for (size_t i = 0; status == STATUS_OK && history_gap(history, i, &gap); i++) {
		if (gap.reason == GAP_NO_MEMORY && gap.has_address)
			status = missing_code_add(&missing, gap.address, 0);
	}
	if (status == STATUS_OK)
		status = warn_of_all(&missing, snapshot, history_core(history), diags);
	missing_code_fini(&missing);
	return status;
}
