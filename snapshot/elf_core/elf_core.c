/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of core files, read with the bounded cursor; see elf_core.h. */
#include "snapshot/elf_core/elf_core.h"

enum {
	NOTE_PRSTATUS = 1,
	NOTE_FPREGSET = 2,
	NOTE_ARM_VFP = 0x400,
	NOTE_ARM_TLS = 0x401,
	NOTE_ARM_SYSTEM_CALL = 0x404,
	NOTE_ARM_SVE = 0x405,
	NOTE_ARM_PAC_MASK = 0x406,
	NOTE_FILE = 0x46494c45,
	NOTE_SIGINFO = 0x53494749,
	THREADS_MOST = 1 << 16,
	MAPPINGS_MOST = 1 << 20,
};

/* struct elf_prstatus: where its fields are, and how many bytes of registers it has. */
struct prstatus_layout {
	uint8_t pid;
	uint8_t registers;
	uint16_t size;
};

static const struct prstatus_layout layouts[2] = {{24, 72, 18 * 4}, {32, 112, 34 * 8}};

struct note {
	uint32_t type;
	struct bytes name;
	struct bytes data;
};

struct reader {
	const struct elf_core_notes *notes;
	struct arena *arena;
	struct diag_list *diags;
	struct elf_core *core;
	bool counts;      /* the first pass: threads are counted */
	bool has_started; /* a NT_PRSTATUS was there */
	bool is_left_out; /* the last one could not be used: nor can what follows it */
};

/* `size` bytes rounded up to words, of which the padding of the last may be missing. */
static enum status take_padded(struct bytes *b, uint64_t size, struct bytes *taken)
{
	size_t pad = (size_t)(-size & 3U);

	if (size > bytes_left(b))
		return STATUS_TRUNCATED;
	TRY(bytes_take(b, (size_t)size, taken));
	return bytes_skip(b, pad < bytes_left(b) ? pad : bytes_left(b));
}

static enum status next_note(struct bytes *b, struct note *note)
{
	uint64_t name_size;
	uint64_t data_size;
	uint64_t type;

	if (bytes_left(b) == 0)
		return STATUS_END;
	TRY(bytes_le(b, 4, &name_size));
	TRY(bytes_le(b, 4, &data_size));
	TRY(bytes_le(b, 4, &type));
	note->type = (uint32_t)type;
	TRY(take_padded(b, name_size, &note->name));
	return take_padded(b, data_size, &note->data);
}

static bool is_named(const struct note *note, const char *name)
{
	struct str said = {(const char *)note->name.pos, bytes_left(&note->name)};

	said.n = said.n > 0 && said.p[said.n - 1] == '\0' ? said.n - 1 : said.n;
	return str_eq(said, str_of(name));
}

static void read_thread(struct reader *r, const struct note *note)
{
	const struct prstatus_layout *layout = &layouts[r->core->is_64bit];
	struct elf_thread thread = {.tid = 0};
	struct bytes b = note->data;
	bool is_first = !r->has_started;
	uint64_t tid;

	r->has_started = true;
	r->is_left_out = true;
	if (r->core->thread_count == THREADS_MOST)
		return;
	if (bytes_take(&b, 4, &thread.signal) != STATUS_OK ||
	    bytes_skip(&b, layout->pid - 4U) != STATUS_OK || bytes_le(&b, 4, &tid) != STATUS_OK ||
	    bytes_skip(&b, layout->registers - layout->pid - 4U) != STATUS_OK ||
	    bytes_take(&b, layout->size, &thread.general) != STATUS_OK) {
		if (r->counts)
			diag_warning(
			        r->diags, r->notes->place,
			        "a thread is left out: its NT_PRSTATUS has %zu bytes, expected "
			        "at least %d",
			        bytes_left(&note->data), layout->registers + layout->size);
		r->core->lacks_first |= is_first;
		return;
	}
	r->is_left_out = false;
	thread.tid = (uint32_t)tid;
	/* The kernel writes the signal into the note of each thread. */
	if (!is_first)
		thread.signal = (struct bytes){0};
	if (!r->counts)
		r->core->threads[r->core->thread_count] = thread;
	r->core->thread_count++;
}

static void add_sve(struct reader *r, const struct note *note, struct elf_thread *thread)
{
	enum status status = elf_sve_read(note->data, &thread->sve);

	if (status == STATUS_BAD_DATA)
		diag_warning(
		        r->diags, r->notes->place,
		        "NT_ARM_SVE of thread %u is left out: no multiple of 16 bytes, up to %d, "
		        "is its vector length",
		        (unsigned int)thread->tid, SVE_LENGTH_MOST);
	else if (status != STATUS_OK)
		diag_warning(r->diags, r->notes->place,
		             "NT_ARM_SVE of thread %u is left out: %zu bytes are too few for what "
		             "its header says",
		             (unsigned int)thread->tid, bytes_left(&note->data));
}

/* What a thread has of a note, if the note has as many bytes as are read of it; else NULL. */
static struct bytes *part_of(struct elf_thread *thread, const struct note *note, bool is_64bit)
{
	size_t size = bytes_left(&note->data);

	if (is_named(note, "CORE")) {
		if (note->type == NOTE_FPREGSET && is_64bit && size >= 520)
			return &thread->fp;
		return note->type == NOTE_SIGINFO && size >= 24 ? &thread->siginfo : NULL;
	}
	if (!is_named(note, "LINUX"))
		return NULL;
	if (note->type == NOTE_ARM_VFP && !is_64bit && size >= 260)
		return &thread->vfp;
	if (note->type == NOTE_ARM_TLS && size >= (is_64bit ? 8U : 4U))
		return &thread->tls;
	if (note->type == NOTE_ARM_PAC_MASK && size >= 16)
		return &thread->pac;
	return note->type == NOTE_ARM_SYSTEM_CALL && is_64bit && size >= 4 ? &thread->call : NULL;
}

static bool is_sve(const struct reader *r, const struct note *note)
{
	return note->type == NOTE_ARM_SVE && r->core->is_64bit && is_named(note, "LINUX");
}

/*
 * A note of the thread before. The kernel writes each once a thread: the second one is of another
 * thread, whose NT_PRSTATUS is damaged or missing.
 */
static void add_to_thread(struct reader *r, const struct note *note)
{
	struct elf_thread *thread = &r->core->threads[r->core->thread_count - 1];
	struct bytes *part = part_of(thread, note, r->core->is_64bit);

	if (part ? part->pos != NULL : is_sve(r, note) && thread->sve.length > 0) {
		diag_warning(r->diags, r->notes->place,
		             "a thread after %u is left out: it has notes, but no NT_PRSTATUS",
		             (unsigned int)thread->tid);
		r->is_left_out = true;
	} else if (part) {
		*part = note->data;
	} else if (is_sve(r, note)) {
		add_sve(r, note, thread);
	}
}

/* A note of a thread before all NT_PRSTATUS: that of the thread that got the signal is missing. */
static void lack_first(struct reader *r, const struct note *note)
{
	struct elf_thread none = {.tid = 0};

	if (r->has_started || (!part_of(&none, note, r->core->is_64bit) && !is_sve(r, note)))
		return;
	r->has_started = true;
	r->is_left_out = true;
	r->core->lacks_first = true;
	if (r->counts)
		diag_warning(r->diags, r->notes->place,
		             "the first thread is left out: it has notes, but no NT_PRSTATUS");
}

/* A string up to its NUL. */
static enum status take_string(struct bytes *b, struct str *s)
{
	struct str rest = {(const char *)b->pos, bytes_left(b)};

	*s = (struct str){rest.p, str_find(rest, '\0')};
	if (s->n == rest.n)
		return STATUS_TRUNCATED;
	return bytes_skip(b, s->n + 1);
}

/* A row of NT_FILE, with its string; offsets are in pages there. */
static enum status read_mapping(struct bytes *row, unsigned int word, struct bytes *names,
                                uint64_t page, struct elf_mapping *mapping)
{
	TRY(bytes_le(row, word, &mapping->start));
	TRY(bytes_le(row, word, &mapping->end));
	TRY(bytes_le(row, word, &mapping->offset));
	mapping->offset *= page;
	return take_string(names, &mapping->path);
}

/* NT_FILE: count, page size, rows of three numbers, then as many strings. */
static enum status read_files(struct reader *r, const struct note *note)
{
	unsigned int word = r->core->is_64bit ? 8 : 4;
	size_t row = (size_t)3 * word;
	struct bytes b = note->data;
	struct bytes names;
	uint64_t count;
	uint64_t page;

	TRY(bytes_le(&b, word, &count));
	TRY(bytes_le(&b, word, &page));
	if (count > MAPPINGS_MOST || count > bytes_left(&b) / row)
		return STATUS_TRUNCATED;
	names = b;
	TRY(bytes_skip(&names, (size_t)count * row));
	r->core->mappings = arena_alloc(r->arena, ((size_t)count + 1) * sizeof(*r->core->mappings));
	if (!r->core->mappings)
		return STATUS_NO_MEM;
	for (uint64_t i = 0; i < count; i++) {
		TRY(read_mapping(&b, word, &names, page, &r->core->mappings[i]));
		r->core->mapping_count++;
	}
	return STATUS_OK;
}

static enum status read_note(struct reader *r, const struct note *note)
{
	if (note->type == NOTE_PRSTATUS && is_named(note, "CORE")) {
		read_thread(r, note);
		return STATUS_OK;
	}
	lack_first(r, note);
	if (r->counts)
		return STATUS_OK;
	if (note->type == NOTE_FILE && is_named(note, "CORE") && !r->core->mappings) {
		enum status status = read_files(r, note);

		if (status != STATUS_OK && status != STATUS_NO_MEM)
			diag_warning(r->diags, r->notes->place, "NT_FILE is cut after %zu files",
			             r->core->mapping_count);
		return status == STATUS_NO_MEM ? status : STATUS_OK;
	}
	if (r->core->thread_count > 0 && !r->is_left_out)
		add_to_thread(r, note);
	return STATUS_OK;
}

static enum status read_all(struct reader *r)
{
	r->core->thread_count = 0;
	r->has_started = false;
	for (size_t i = 0; i < r->notes->count; i++) {
		struct bytes b = r->notes->items[i];
		struct note note;
		enum status status;

		while ((status = next_note(&b, &note)) == STATUS_OK)
			TRY(read_note(r, &note));
		/* The next segment's may begin in the midst of another thread's. */
		r->is_left_out |= status != STATUS_END;
		if (status != STATUS_END && !r->counts)
			diag_warning(r->diags, r->notes->place, "the core file's notes are cut");
	}
	return STATUS_OK;
}

enum status elf_core_read(const struct elf_core_notes *notes, struct arena *arena,
                          struct diag_list *diags, struct elf_core *core)
{
	struct reader r = {.notes = notes, .arena = arena, .diags = diags, .core = core};

	*core = (struct elf_core){.is_64bit = notes->is_64bit};
	r.counts = true;
	TRY(read_all(&r));
	if (core->thread_count == 0)
		return diag_error(diags, STATUS_BAD_DATA, notes->place,
		                  "the core file has no NT_PRSTATUS of a thread");
	core->threads = arena_alloc(arena, core->thread_count * sizeof(*core->threads));
	if (!core->threads)
		return STATUS_NO_MEM;
	r.counts = false;
	return read_all(&r);
}
