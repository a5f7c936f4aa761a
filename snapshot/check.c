/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a snapshot lacks for a debugger or a trace decoder, and where its parts contradict each
 * other. In: a loaded snapshot. Out: diagnostics; an error is what takes something from the user, a
 * warning what is odd. Snapshot format 1.0, section 4.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot/build_id.h"
#include "snapshot/line_table/elf_sections.h"
#include "snapshot/load.h"
#include "snapshot/snapshot.h"
#include "snapshot/source_option.h"

enum {
	CODE_WORD = 4,
	CODE_WORDS_LEAST = 1024, /* to compare; and so many percent of them equal: */
	CODE_PERCENT_LEAST = 90,
};

enum need {
	OPTIONAL,
	REQUIRED,
};

/* The first of several names: the one that the format gives it. */
static struct str format_name(const char *names)
{
	struct str rest = str_of(names);

	return str_next_part(&rest, '|');
}

struct context {
	const struct snapshot *snapshot;
	struct diag_list *diags;
};

/* True if the snapshot says which clusters there are. */
static bool is_clustered(const struct snapshot *snapshot)
{
	return snapshot->cluster_count > 0 && snapshot->clusters[0].name.n > 0;
}

static void check_core(const struct context *c, const struct snap_core *core)
{
	static const struct {
		enum core_arch arch;
		const char *names;
	} rows[] = {
#define CORE_REGISTER(arch, names) {CORE_##arch, names},
#include "snapshot/device_type.def"
#undef CORE_REGISTER
	};
	const struct snap_device *device = core->device;

	if (core->cluster.n == 0 && is_clustered(c->snapshot))
		diag_warning(c->diags, device->place, "core \"%.*s\" is in no cluster",
		             STR_ARG(device->name));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].arch != core->arch ||
		    snap_device_any_register(device, str_of(rows[i].names)))
			continue;
		(void)diag_error(c->diags, STATUS_NOT_FOUND, device->place,
		                 "core \"%.*s\" (%s) has no register %.*s", STR_ARG(device->name),
		                 core_arch_name(core->arch), STR_ARG(format_name(rows[i].names)));
	}
}

/* A register that a trace package's options may stand in for; the others are not needed there. */
static void check_options(const struct context *c, const struct snap_source *source,
                          const char *names)
{
	uint32_t value;
	enum status reported;

	if (!source_option_stands_for(source, format_name(names)))
		return;
	reported = snap_source_register(source, str_of(names), c->diags, &value);
	(void)reported;
}

static void check_source_registers(const struct context *c, const struct snap_source *source)
{
	static const struct {
		const char *names;
		enum protocol protocol;
		enum need need;
	} rows[] = {
#define SOURCE_REGISTER(protocol, names, need) {names, PROTOCOL_##protocol, need},
#include "snapshot/device_type.def"
#undef SOURCE_REGISTER
	};
	const struct snap_device *device = source->device;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].protocol != source->protocol ||
		    snap_device_any_register(device, str_of(rows[i].names)))
			continue;
		if (source->options)
			check_options(c, source, rows[i].names);
		else if (rows[i].need == REQUIRED)
			(void)diag_error(c->diags, STATUS_NOT_FOUND, device->place,
			                 "trace source \"%.*s\" (%s) has no register %.*s",
			                 STR_ARG(device->name), protocol_name(source->protocol),
			                 STR_ARG(format_name(rows[i].names)));
		else
			diag_warning(c->diags, device->place,
			             "trace source \"%.*s\" (%s) has no register %.*s",
			             STR_ARG(device->name), protocol_name(source->protocol),
			             STR_ARG(format_name(rows[i].names)));
	}
}

static void check_source(const struct context *c, const struct snap_source *source)
{
	const struct snap_device *device = source->device;

	if (device->type.n == 0)
		(void)diag_error(c->diags, STATUS_NOT_FOUND, device->place,
		                 "trace source \"%.*s\" has no type, such as \"ETM4.0\"",
		                 STR_ARG(device->name));
	else if (source->protocol == PROTOCOL_UNKNOWN)
		(void)diag_error(c->diags, STATUS_UNSUPPORTED, device->place,
		                 "trace source \"%.*s\": unknown type \"%.*s\"",
		                 STR_ARG(device->name), STR_ARG(device->type));
	check_source_registers(c, source);
	if (source->buffer_count == 0 && c->snapshot->buffer_count > 0)
		diag_warning(c->diags, device->place, "trace source \"%.*s\" is in no buffer",
		             STR_ARG(device->name));
	else if (source->buffer_count > 0 && !source->core &&
	         protocol_is_program_flow(source->protocol))
		(void)diag_error(c->diags, STATUS_NOT_FOUND, device->place,
		                 "trace source \"%.*s\" belongs to no core", STR_ARG(device->name));
}

static bool is_in(const struct snap_source *source, size_t buffer)
{
	for (size_t i = 0; i < source->buffer_count; i++) {
		if (source->buffers[i] == buffer)
			return true;
	}
	return false;
}

enum { RESERVED_IDS = 0x70 }; /* IHI0029, ATB: 0 and those from here on are no sources */

static bool is_reserved(uint8_t id)
{
	return id == 0 || id >= RESERVED_IDS;
}

bool snap_source_shares_id(const struct snapshot *snapshot, const struct snap_source *source,
                           size_t buffer)
{
	uint8_t own;
	uint8_t id;

	if (snapshot->source_count < 2 || snapshot->buffers[buffer].format == BUFFER_SOURCE_DATA ||
	    !is_in(source, buffer) || !snap_source_trace_id(source, &own) || is_reserved(own))
		return false;
	for (size_t i = 0; i < snapshot->source_count; i++) {
		const struct snap_source *other = &snapshot->sources[i];

		if (other->device != source->device && is_in(other, buffer) &&
		    snap_source_trace_id(other, &id) && id == own)
			return true;
	}
	return false;
}

static void check_trace_ids(const struct context *c, size_t buffer)
{
	for (size_t i = 0; i < c->snapshot->source_count; i++) {
		const struct snap_source *source = &c->snapshot->sources[i];
		uint8_t id;

		if (is_in(source, buffer) && snap_source_trace_id(source, &id) && is_reserved(id))
			diag_warning(c->diags, source->device->place,
			             "trace source \"%.*s\": trace ID 0x%02x is reserved",
			             STR_ARG(source->device->name), id);
	}
}

/* Of several sources with one trace ID each but the first is told. */
static void check_shared_ids(const struct context *c, size_t buffer)
{
	const struct snap_source *owners[128] = {NULL};

	for (size_t i = 0; i < c->snapshot->source_count; i++) {
		const struct snap_source *source = &c->snapshot->sources[i];
		uint8_t id;

		if (!snap_source_shares_id(c->snapshot, source, buffer) ||
		    !snap_source_trace_id(source, &id))
			continue;
		if (!owners[id]) {
			owners[id] = source;
			continue;
		}
		(void)diag_error(c->diags, STATUS_BAD_DATA, source->device->place,
		                 "trace source \"%.*s\" has trace ID 0x%02x, which is that of "
		                 "\"%.*s\" in the same buffer: neither of them is decoded",
		                 STR_ARG(source->device->name), id,
		                 STR_ARG(owners[id]->device->name));
	}
}

static void check_buffer_use(const struct context *c, size_t index)
{
	const struct snap_buffer *buffer = &c->snapshot->buffers[index];
	size_t users = 0;

	for (size_t i = 0; i < c->snapshot->source_count; i++)
		users += is_in(&c->snapshot->sources[i], index);
	if (users == 0)
		diag_warning(c->diags, buffer->place, "no trace source is in buffer \"%.*s\"",
		             STR_ARG(buffer->name));
	if (buffer->format != BUFFER_SOURCE_DATA)
		check_trace_ids(c, index);
	else if (users > 1)
		diag_warning(c->diags, buffer->place,
		             "buffer \"%.*s\" has the data of one source, but %zu are said to be "
		             "in it",
		             STR_ARG(buffer->name), users);
	for (size_t i = 0; i < index; i++) {
		if (str_eq(c->snapshot->buffers[i].name, buffer->name))
			(void)diag_error(c->diags, STATUS_BAD_DATA, buffer->place,
			                 "the name \"%.*s\" is that of the buffer in line %llu too",
			                 STR_ARG(buffer->name),
			                 (unsigned long long)c->snapshot->buffers[i].place.line);
	}
}

enum { FRAME = 16 }; /* IHI0029, CoreSight formatter: bytes in a frame */

static void check_buffer(const struct context *c, size_t index)
{
	const struct snap_buffer *buffer = &c->snapshot->buffers[index];
	size_t size = bytes_left(&buffer->data);

	if (size == 0)
		(void)diag_error(c->diags, STATUS_END, buffer->place,
		                 "buffer \"%.*s\": file \"%.*s\" is empty", STR_ARG(buffer->name),
		                 STR_ARG(buffer->file));
	else if (buffer->format == BUFFER_CORESIGHT && size % FRAME != 0)
		(void)diag_error(c->diags, STATUS_TRUNCATED, buffer->place,
		                 "buffer \"%.*s\": file \"%.*s\" is %zu bytes, expected a multiple "
		                 "of %d",
		                 STR_ARG(buffer->name), STR_ARG(buffer->file), size, FRAME);
	if (buffer->format == BUFFER_OTHER)
		(void)diag_error(c->diags, STATUS_UNSUPPORTED, buffer->place,
		                 "buffer \"%.*s\": unknown format \"%.*s\"", STR_ARG(buffer->name),
		                 STR_ARG(buffer->format_name));
	check_buffer_use(c, index);
}

/* The second of two registers of one name; `differs`: only if they have two values, else only if
 * not. */
static void check_second(const struct context *c, const struct snap_register *first,
                         const struct snap_register *second, bool differs)
{
	unsigned long long line = first->place.line;

	if (snap_registers_differ(first, second) != differs)
		return;
	diag_warning(c->diags, second->place,
	             !differs ? "register \"%.*s\" is ignored: it is in line %llu too"
	             : second->is_contested
	                     ? "register \"%.*s\" has another value in line %llu: it is "
	                       "not known"
	                     : "register \"%.*s\" is ignored: line %llu has another "
	                       "value of it",
	             STR_ARG(second->name), line);
}

static void check_register_names(const struct context *c, const struct snap_device *device,
                                 bool differs)
{
	struct snap_register *order = load_registers_by_name(device);

	for (size_t i = 1; order && i < device->register_count; i++) {
		if (str_eq_nocase(order[i].name, order[i - 1].name))
			check_second(c, &order[i - 1], &order[i], differs);
	}
	free(order);
}

static void check_location(const struct context *c, size_t index)
{
	const struct snap_device *device = &c->snapshot->devices[index];

	for (size_t i = 0; i < index && device->location.n > 0; i++) {
		const struct snap_device *other = &c->snapshot->devices[i];

		if (str_eq(other->location, device->location))
			diag_warning(c->diags, device->place,
			             "the location of device \"%.*s\" is that of \"%.*s\" too",
			             STR_ARG(device->name), STR_ARG(other->name));
	}
}

/* Index of the first byte that differs, or `length`. */
static uint64_t first_difference(const uint8_t *a, const uint8_t *b, uint64_t length)
{
	if (memcmp(a, b, (size_t)length) == 0)
		return length;
	for (uint64_t i = 0; i < length; i++) {
		if (a[i] != b[i])
			return i;
	}
	return length;
}

/*
 * True with the address of the first byte in which `dump` and the `length` bytes at `address`
 * differ.
 */
static bool contradicts(const struct snap_dump *dump, uint64_t address, uint64_t length,
                        const uint8_t *data, uint64_t *where)
{
	uint64_t first = dump->address > address ? dump->address : address;
	uint64_t last = dump->address + (dump->length - 1);
	uint64_t size;

	if (dump->length == 0 || length == 0)
		return false;
	if (address + (length - 1) < last)
		last = address + (length - 1);
	if (first > last)
		return false;
	size = last - first + 1;
	*where = first + first_difference(dump->data + (first - dump->address),
	                                  data + (first - address), size);
	return *where - first < size;
}

/* By address, and then as in the file. */
static int compare_dumps(const void *a, const void *b)
{
	const struct snap_dump *x = a;
	const struct snap_dump *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->place.line < y->place.line ? -1 : x->place.line > y->place.line;
}

/* Of a core file's segments none has a line; they are by number there, as in the list. */
static void check_dump_pair(const struct context *c, const struct snap_dump *a,
                            const struct snap_dump *b)
{
	bool in_order = a->place.line <= b->place.line;
	const struct snap_dump *later = in_order ? b : a;
	const struct snap_dump *earlier = in_order ? a : b;
	uint64_t where;

	if (!space_meets(a->space, b->space) ||
	    !contradicts(later, earlier->address, earlier->length, earlier->data, &where))
		return;
	if (earlier->place.line == 0)
		(void)diag_error(c->diags, STATUS_BAD_DATA, later->place,
		                 "segments \"%.*s\" and \"%.*s\" hold different bytes at 0x%llx",
		                 STR_ARG(earlier->section), STR_ARG(later->section),
		                 (unsigned long long)where);
	else
		(void)diag_error(
		        c->diags, STATUS_BAD_DATA, later->place,
		        "dump \"%.*s\" and the dump in line %llu hold different bytes at 0x%llx",
		        STR_ARG(later->section), (unsigned long long)earlier->place.line,
		        (unsigned long long)where);
}

/* Threads of a core file have one list of dumps; it is checked with the first. */
static bool is_checked(const struct context *c, const struct snap_device *device)
{
	for (const struct snap_device *d = c->snapshot->devices; d < device; d++) {
		if (device->dump_count > 0 && d->dumps == device->dumps)
			return true;
	}
	return false;
}

/* Dumps of one device that overlap and differ. */
static void check_dumps(const struct context *c, const struct snap_device *device)
{
	struct snap_dump *order;
	size_t count = 0;

	if (is_checked(c, device))
		return;
	order = calloc(device->dump_count + 1, sizeof(*order));
	if (!order)
		return;
	for (size_t i = 0; i < device->dump_count; i++) {
		if (device->dumps[i].length > 0)
			order[count++] = device->dumps[i];
	}
	qsort(order, count, sizeof(*order), compare_dumps);
	for (size_t i = 0; i < count; i++) {
		uint64_t last = order[i].address + (order[i].length - 1);

		for (size_t j = i + 1; j < count && order[j].address <= last; j++)
			check_dump_pair(c, &order[i], &order[j]);
	}
	free(order);
}

/* Armv6-M and Armv7-M have one address space; M profiles after them have security states. */
static bool is_early_m(struct str type)
{
	static const char *const early[] = {"ARMv6", "ARMv7", "SC000", "SC300", "Cortex-M"};

	for (size_t i = 0; i < sizeof(early) / sizeof(early[0]); i++) {
		struct str begin = str_of(early[i]);

		/* Cortex-M0 to M7; those of Armv8-M have two digits. */
		if (str_has_prefix_nocase(type, begin) &&
		    !(type.p[begin.n - 1] == 'M' && type.n > begin.n + 1 &&
		      isdigit((unsigned char)type.p[begin.n + 1])))
			return true;
	}
	return false;
}

/* The spaces that a core of its kind has; NULL if the dump's is one of them (format 1.0, 4.1). */
static const char *expected_spaces(const struct snap_core *core, enum space space)
{
	if (space == SPACE_ANY)
		return NULL;
	if (core->arch == CORE_M && is_early_m(core->device->type))
		return "no address spaces";
	if (core->arch == CORE_A64)
		return space == SPACE_S || space == SPACE_N || space == SPACE_R
		               ? "EL3, EL2, EL1S or EL1N"
		               : NULL;
	if (space == SPACE_S || space == SPACE_N || (core->arch == CORE_A32 && space == SPACE_EL2))
		return NULL;
	return core->arch == CORE_M ? "S or N" : "S, N or H";
}

static void check_spaces(const struct context *c, const struct snap_core *core)
{
	for (size_t i = 0; i < core->device->dump_count; i++) {
		const struct snap_dump *dump = &core->device->dumps[i];
		const char *expected = expected_spaces(core, dump->space);

		if (expected)
			diag_warning(
			        c->diags, dump->place,
			        "dump \"%.*s\" is in space %s; a core of this type (%s) has %s",
			        STR_ARG(dump->section), space_text(dump->space),
			        core_arch_name(core->arch), expected);
	}
}

/* The last byte in which they differ, of what both have. */
static uint64_t last_difference(const struct snap_dump *dump, const struct elf_segment *segment)
{
	uint64_t a = dump->address + (dump->length - 1);
	uint64_t b = segment->address + (segment->file_size - 1);
	uint64_t at = a < b ? a : b;

	while (dump->data[at - dump->address] == segment->data[at - segment->address])
		at--;
	return at;
}

/* Where the device halted, as its registers say, and the image's context. */
enum whereabouts { HALTED_UNKNOWN, HALTED_ELSEWHERE, HALTED_IN_CONTEXT };

static enum whereabouts whereabouts_of(const struct snap_device *device,
                                       const struct elf_image *image)
{
	const struct snap_register *id =
	        snap_device_any_register(device, STR("CONTEXTIDR_EL1|CONTEXTIDR"));

	if (!image->context.has_id || !id)
		return HALTED_UNKNOWN;
	return (uint32_t)snap_register_value(id) == image->context.id ? HALTED_IN_CONTEXT
	                                                              : HALTED_ELSEWHERE;
}

/* Which of the two is read; of a context's image, in that context. */
static const char *what_counts(const struct snap_dump *dump, const struct elf_image *image,
                               enum whereabouts whereabouts)
{
	if (whereabouts != HALTED_IN_CONTEXT && (image->context.has_id || image->context.has_vmid))
		return "in its context the image counts";
	return ((unsigned int)dump->space & ~(unsigned int)image->space) != 0 ? "the image counts"
	                                                                      : "the dump counts";
}

/* Addresses, none if first > last. */
struct difference {
	uint64_t first;
	uint64_t last;
};

static void compare_segment(const struct snap_dump *dump, const struct elf_segment *segment,
                            struct difference *found)
{
	uint64_t where;
	uint64_t end;

	if (!contradicts(dump, segment->address, segment->file_size, segment->data, &where))
		return;
	end = last_difference(dump, segment);
	found->first = where < found->first ? where : found->first;
	found->last = end > found->last ? end : found->last;
}

/* How much of an image's code dumps have as it is in the file, in words. */
struct agreement {
	uint64_t compared;
	uint64_t equal;
	uint64_t first; /* address of the first one that differs */
};

/* What the dump has of `length` bytes at an address. */
static void count_equal(const struct snap_dump *dump, uint64_t address, uint64_t length,
                        const uint8_t *data, struct agreement *found)
{
	uint64_t first = dump->address > address ? dump->address : address;
	uint64_t begin = first + (CODE_WORD - first % CODE_WORD) % CODE_WORD;
	uint64_t last = dump->address + (dump->length - 1);

	last = address + (length - 1) < last ? address + (length - 1) : last;
	if (dump->length == 0 || begin < first || begin > last)
		return;
	for (uint64_t i = 0; i < (last - begin + 1) / CODE_WORD; i++) {
		uint64_t at = begin + i * CODE_WORD;

		found->compared++;
		if (memcmp(dump->data + (at - dump->address), data + (at - address), CODE_WORD) ==
		    0)
			found->equal++;
		else if (at < found->first)
			found->first = at;
	}
}

/* The part of a segment that is the section .text, as it was linked. */
static bool find_text(const struct elf_image *image, const struct elf_segment *segment,
                      struct elf_sections *sections, struct elf_segment *text)
{
	uint64_t last = segment->address + (segment->file_size - 1);
	uint64_t begin;
	uint64_t size;
	uint64_t end;

	if (!segment->writable || !segment->executable || segment->file_size == 0 ||
	    !elf_sections_place(sections, STR(".text"), &begin, &size) || size == 0)
		return false;
	begin += image->load_bias;
	end = begin + (size - 1);
	if (end < begin || begin > last || end < segment->address)
		return false;
	*text = *segment;
	text->address = begin > segment->address ? begin : segment->address;
	text->file_size = (end < last ? end : last) - text->address + 1;
	text->data += text->address - segment->address;
	return true;
}

/*
 * The code of a segment that may be written, as that of a kernel or of a program for a bare
 * machine, need not be what the file has in every word: such programs write some of it. But most of
 * it is, if it is that program, and lies there.
 */
static void check_text(const struct context *c, const struct elf_image *image,
                       const struct snap_device *device)
{
	struct agreement found = {.first = UINT64_MAX};
	struct elf_sections *sections = elf_sections_open(image->file);

	for (size_t i = 0; sections && i < image->segment_count; i++) {
		struct elf_segment text;

		if (!find_text(image, &image->segments[i], sections, &text))
			continue;
		for (size_t k = 0; k < device->dump_count; k++) {
			const struct snap_dump *dump = &device->dumps[k];

			if (space_meets(dump->space, image->space))
				count_equal(dump, text.address, text.file_size, text.data, &found);
		}
	}
	elf_sections_close(sections);
	if (found.compared < CODE_WORDS_LEAST ||
	    found.equal >= found.compared / 100 * CODE_PERCENT_LEAST)
		return;
	diag_warning(
	        c->diags, device->place,
	        "core \"%.*s\": of the code of image \"%.*s\" that dumps have, %llu of %llu "
	        "words are others, the first at 0x%llx: it is of another build, or lies elsewhere",
	        STR_ARG(device->name), STR_ARG(image->path),
	        (unsigned long long)(found.compared - found.equal),
	        (unsigned long long)found.compared, (unsigned long long)found.first);
}

/* An image whose code or constants are not what the snapshot has in memory; true if it was said. */
static bool check_image(const struct context *c, const struct elf_image *image,
                        const struct snap_dump *dump, enum whereabouts whereabouts)
{
	struct difference found = {UINT64_MAX, 0};

	if (!space_meets(dump->space, image->space))
		return false;
	for (size_t i = 0; i < image->segment_count; i++) {
		if (!image->segments[i].writable)
			compare_segment(dump, &image->segments[i], &found);
	}
	if (found.first > found.last)
		return false;
	diag_warning(c->diags, dump->place,
	             "dump \"%.*s\" and image \"%.*s\" hold different bytes at 0x%llx, the last "
	             "at 0x%llx; %s",
	             STR_ARG(dump->section), STR_ARG(image->path), (unsigned long long)found.first,
	             (unsigned long long)found.last, what_counts(dump, image, whereabouts));
	return true;
}

/* An image that is not the core's code at the halt may well differ from its dumps. */
static bool is_to_check(enum whereabouts whereabouts, const struct elf_image *image, bool others)
{
	if (whereabouts == HALTED_ELSEWHERE)
		return false;
	return others || whereabouts == HALTED_IN_CONTEXT ||
	       !(image->context.has_id || image->context.has_vmid);
}

static bool has_written_code(const struct elf_image *image)
{
	for (size_t i = 0; i < image->segment_count && !image->is_object && !image->is_core; i++) {
		if (image->segments[i].writable && image->segments[i].executable)
			return true;
	}
	return false;
}

static void check_dumps_of_image(const struct context *c, const struct elf_image *image,
                                 bool others)
{
	bool said = false;

	for (size_t j = 0; j < c->snapshot->core_count && !said; j++) {
		const struct snap_device *device = c->snapshot->cores[j].device;
		enum whereabouts whereabouts = whereabouts_of(device, image);

		if (!is_to_check(whereabouts, image, others))
			continue;
		for (size_t k = 0; k < device->dump_count && !said; k++)
			said = check_image(c, image, &device->dumps[k], whereabouts);
		if (!said && has_written_code(image))
			check_text(c, image, device);
	}
}

/* Seen by the same, all the time. */
static bool are_together(const struct elf_image *a, const struct elf_image *b)
{
	return a->space == b->space && !a->is_core && !b->is_core && !a->is_logged &&
	       !b->is_logged && a->context.has_id == b->context.has_id &&
	       a->context.id == b->context.id && a->context.has_vmid == b->context.has_vmid &&
	       a->context.vmid == b->context.vmid;
}

/* Two images that have other code or constants at one address. */
static void check_image_pair(const struct context *c, const struct elf_image *a,
                             const struct elf_image *b)
{
	uint64_t first = UINT64_MAX;
	uint64_t where;

	for (size_t i = 0; i < a->segment_count; i++) {
		const struct elf_segment *one = &a->segments[i];
		const struct snap_dump dump = {
		        .address = one->address, .length = one->file_size, .data = one->data};

		for (size_t k = 0; k < b->segment_count; k++) {
			const struct elf_segment *other = &b->segments[k];

			if ((!one->writable || one->executable) &&
			    (!other->writable || other->executable) &&
			    contradicts(&dump, other->address, other->file_size, other->data,
			                &where) &&
			    where < first)
				first = where;
		}
	}
	if (first < UINT64_MAX)
		diag_warning(c->diags, place_none(),
		             "images \"%.*s\" and \"%.*s\" hold different bytes at 0x%llx; the "
		             "first counts",
		             STR_ARG(a->path), STR_ARG(b->path), (unsigned long long)first);
}

/* With `others` also those of one context, where it is not known whether dumps are of another. */
static void check_images(const struct context *c, bool others)
{
	for (size_t i = 0; i < c->snapshot->image_count; i++) {
		const struct elf_image *image = c->snapshot->images[i];

		for (size_t k = 0; k < i; k++) {
			if (are_together(c->snapshot->images[k], image))
				check_image_pair(c, c->snapshot->images[k], image);
		}
		check_dumps_of_image(c, image, others);
		build_id_check(c->snapshot, image, c->diags);
		if (image->is_big_endian)
			diag_warning(c->diags, place_none(),
			             "image \"%.*s\" is big endian: no value of the past is "
			             "reconstructed, and no "
			             "debugger is served",
			             STR_ARG(image->path));
	}
}

void snapshot_check_images(const struct snapshot *snapshot, struct diag_list *diags)
{
	struct context c = {snapshot, diags};

	check_images(&c, false);
}

static void check_device(const struct context *c, size_t index)
{
	const struct snap_device *device = &c->snapshot->devices[index];

	check_location(c, index);
	check_register_names(c, device, false);
}

void snapshot_check_contradictions(const struct snapshot *snapshot, struct diag_list *diags)
{
	struct context c = {snapshot, diags};

	for (size_t i = 0; i < snapshot->device_count; i++) {
		check_register_names(&c, &snapshot->devices[i], true);
		check_dumps(&c, &snapshot->devices[i]);
	}
	for (size_t i = 0; i < snapshot->buffer_count; i++)
		check_shared_ids(&c, i);
}

void snapshot_check(const struct snapshot *snapshot, struct diag_list *diags)
{
	struct context c = {snapshot, diags};

	if (snapshot->core_count == 0)
		diag_warning(diags, place_none(), "the snapshot has no core");
	if (snapshot->buffer_count == 0)
		diag_warning(diags, place_none(), "the snapshot has no trace buffer");
	for (size_t i = 0; i < snapshot->device_count; i++)
		check_device(&c, i);
	snapshot_check_contradictions(snapshot, diags);
	check_images(&c, true);
	if (snapshot->is_trace_package)
		diag_warning(diags, place_none(),
		             "a trace package has no core registers: none is known at the halt");
	for (size_t i = 0; i < snapshot->core_count && !snapshot->is_trace_package; i++)
		check_core(&c, &snapshot->cores[i]);
	for (size_t i = 0; i < snapshot->core_count; i++)
		check_spaces(&c, &snapshot->cores[i]);
	for (size_t i = 0; i < snapshot->source_count; i++)
		check_source(&c, &snapshot->sources[i]);
	for (size_t i = 0; i < snapshot->buffer_count; i++)
		check_buffer(&c, i);
}
