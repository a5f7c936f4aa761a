/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings by qemu user mode. In: its log (-singlestep -d cpu,nochain, with or without fpu), a
 * list of dumps of all memory at the start and at the end of the part. Out: the recording; changes
 * of memory are what the stores say, which has to lead from one set of dumps to the other, and
 * what was loaded has to be what memory held.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/uop/uop_run.h"
#include "tests/values/truth/m_frames.h"
#include "tests/values/truth/step.h"

enum { LINE_MOST = 512, CPSR_T = 1 << 5, PATH_MOST = 400, RANGES_MOST = 256 };

struct log {
	FILE *file;
	char line[LINE_MOST];
	struct recording *r;
	struct m_events *events;
	size_t capacity;
	size_t vector_capacity;
	struct state state;
	uint64_t vectors[VECTOR_WORDS];
	bool has_state;
	bool is_inside;
	bool is_done;
	uint64_t from;
	uint64_t to;
};

/* A hexadecimal number; `*at` moves after it. */
static uint64_t take_hex(const char **at)
{
	uint64_t value = 0;

	for (;; ++*at) {
		unsigned int c = (unsigned char)**at;

		if (c - '0' < 10)
			value = value << 4 | (c - '0');
		else if (c - 'a' < 6)
			value = value << 4 | (c - 'a' + 10);
		else
			return value;
	}
}

/* "X07=", of two digits: the number, and `*at` after it; 99 at the line's end. */
static unsigned int take_name(const char **at, char letter)
{
	for (; **at != 0; ++*at) {
		const char *p = *at;

		if (p[0] == letter && p[1] >= '0' && p[1] <= '9' && p[2] >= '0' && p[2] <= '9' &&
		    p[3] == '=') {
			*at += 4;
			return (unsigned int)(p[1] - '0') * 10 + (unsigned int)(p[2] - '0');
		}
	}
	return 99;
}

/* The state that the lines so far have told. */
static void end_state(struct log *log)
{
	struct recording *r = log->r;
	const struct state *last = r->count > 0 ? &r->states[r->count - 1] : NULL;

	if (!log->has_state || log->is_done)
		return;
	log->has_state = false;
	log->is_inside |= log->state.pc == log->from;
	if (!log->is_inside)
		return;
	/* A breakpoint shows its instruction twice. */
	if (last && r->count == 1 && last->pc == log->state.pc)
		return;
	recording_room((void *)&r->states, &log->capacity, r->count + 1, sizeof(*r->states));
	if (log->state.has_vectors) {
		recording_room((void *)&r->vectors, &log->vector_capacity, r->count + 1,
		               sizeof(*r->vectors));
		memcpy(r->vectors[r->count], log->vectors, sizeof(log->vectors));
	}
	log->is_done = log->state.pc == log->to;
	r->states[r->count++] = log->state;
}

static void take_psr(struct log *log, const char *at)
{
	log->state.psr = (uint32_t)take_hex(&at);
	log->state.has_flags = true;
	log->has_state = true;
}

static void take_a64(struct log *log)
{
	const char *at = log->line;
	unsigned int number;

	if (strncmp(at, " PC=", 4) == 0) {
		end_state(log);
		memset(&log->state, 0, sizeof(log->state));
		log->state.isa = ISA_A64;
		at += 4;
		log->state.pc = take_hex(&at);
	}
	if (!log->is_inside && log->state.pc != log->from)
		return;
	if (strncmp(at, "PSTATE=", 7) == 0) {
		take_psr(log, at + 7);
		return;
	}
	if (at[0] == 'Q' || at[0] == 'Z') {
		char letter = at[0];

		while ((number = take_name(&at, letter)) < 32) {
			log->vectors[2 * (size_t)number + 1] = take_hex(&at);
			at++;
			log->vectors[2 * (size_t)number] = take_hex(&at);
		}
		log->state.has_vectors = true;
		return;
	}
	while ((number = take_name(&at, 'X')) < 31) {
		log->state.x[number] = take_hex(&at);
		log->state.known |= 1u << number;
	}
	at = strstr(log->line, " SP=");
	if (!at)
		return;
	at += 4;
	log->state.x[31] = take_hex(&at);
	log->state.known |= 1u << 31;
}

static void take_a32(struct log *log)
{
	const char *at = log->line;
	unsigned int number;

	if (strncmp(at, "R00=", 4) == 0) {
		end_state(log);
		memset(&log->state, 0, sizeof(log->state));
		log->state.known = 0x7fff;
	}
	at += at[0] == 'X';
	if (strncmp(at, "PSR=", 4) == 0) {
		take_psr(log, at + 4);
		log->state.isa =
		        at != log->line || (log->state.psr & CPSR_T) != 0 ? ISA_T32 : ISA_A32;
	} else if (at[0] == 's' && log->is_inside) {
		number = take_name(&at, 'd');
		if (number < 32)
			log->vectors[number] = take_hex(&at);
		log->state.has_vectors = true;
	} else if (at[0] == 'R') {
		while ((number = take_name(&at, 'R')) < 16)
			*(number == 15 ? &log->state.pc : &log->state.x[number]) = take_hex(&at);
	} else if (log->r->arch == CORE_M) {
		end_state(log);
		if (log->is_inside && !log->is_done)
			m_events_take(log->events, at, log->r->count);
	}
}

static bool read_log(struct recording *r, struct m_events *events, const char *path, uint64_t from,
                     uint64_t to)
{
	struct log *log = calloc(1, sizeof(*log));

	log->file = fopen(path, "r");
	log->r = r;
	log->events = events;
	log->from = from;
	log->to = to;
	while (log->file && fgets(log->line, sizeof(log->line), log->file)) {
		if (log->is_done)
			continue; /* whoever writes it has to come to its end */
		if (r->arch == CORE_A64)
			take_a64(log);
		else
			take_a32(log);
	}
	end_state(log);
	if (log->file)
		(void)fclose(log->file);
	r->count -= r->count > 0;
	from = log->is_done;
	free(log);
	if (r->count == 0 || !from)
		printf("%s: the log does not go from the start to the end (%zu states)\n", path,
		       r->count);
	return r->count > 0 && from;
}

static bool read_file(const char *path, uint8_t *bytes, uint64_t length)
{
	FILE *file = fopen(path, "rb");
	bool is_whole = file && fread(bytes, 1, length, file) == length;

	if (file)
		(void)fclose(file);
	return is_whole;
}

/* Lines "ADDRESS LENGTH r|w FILE FILE-AT-THE-END", of which the last may be "-". */
static bool read_dumps(struct recording *r, const char *list, bool at_end, uint8_t **ends)
{
	FILE *file = fopen(list, "r");
	uint64_t address;
	uint64_t length;
	char kind;
	char begin[PATH_MOST];
	char end[PATH_MOST];
	bool is_fine = file != NULL;

	for (size_t i = 0; is_fine && i < RANGES_MOST; i++) {
		/* NOLINTNEXTLINE(cert-err34-c): programs.py wrote the numbers */
		if (fscanf(file, "%" SCNx64 " %" SCNx64 " %c %399s %399s", &address, &length, &kind,
		           begin, end) != 5)
			break;
		if (at_end) {
			ends[i] = strcmp(end, "-") == 0 ? NULL : malloc(length);
			is_fine = !ends[i] || read_file(end, ends[i], length);
			continue;
		}
		recording_add_range(r, (struct range){.address = address,
		                                      .length = length,
		                                      .bytes = malloc(length),
		                                      .read_only = kind == 'r'});
		is_fine = read_file(begin, r->ranges[i].bytes, length);
	}
	if (file)
		(void)fclose(file);
	return is_fine;
}

struct derive {
	struct recording *r;
	struct insn_view step;
	struct uop_run run;
	struct bits registers[REG_COUNT];
	uint64_t differing;
};

/* Where an address leads to whose top byte is ignored; those of A32 have none. */
static uint64_t without_tag(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 8) >> 8);
}

static struct bits read_word(void *context, uint64_t address, unsigned int size)
{
	struct derive *d = context;
	struct bits value = {0, 0};

	for (unsigned int i = 0; i < size; i++) {
		const uint8_t *byte = recording_byte(d->r, without_tag(address) + i);

		if (!byte)
			continue;
		value.value |= (uint64_t)*byte << 8 * i;
		value.known |= UINT64_C(0xff) << 8 * i;
	}
	return value;
}

static void load_registers(struct derive *d, size_t at)
{
	const struct state *s = &d->r->states[at];

	memset(d->registers, 0, sizeof(d->registers));
	for (unsigned int i = 0; i < GENERAL; i++) {
		if ((s->known >> i & 1) != 0)
			d->registers[i] = bits_of(s->x[i]);
	}
	d->registers[REG_NZCV] = bits_of(UINT64_C(1) << (s->psr >> 28 & 15));
	d->registers[REG_DCZID] = bits_of(7); /* what qemu has: blocks of 512 bytes */
	for (unsigned int i = 0; i < VECTOR_WORDS && s->has_vectors; i++)
		d->registers[REG_V0 + i] = bits_of(d->r->vectors[at][i]);
}

static void differ(struct derive *d, size_t at, const char *what, uint64_t computed, uint64_t truth)
{
	if (d->differing++ < 5)
		printf("state %zu pc %#" PRIx64 " opcode %08" PRIx32 ": %s: computed %#" PRIx64
		       ", recorded %#" PRIx64 "\n",
		       at, d->r->states[at].pc, d->step.opcode, what, computed, truth);
}

/* The general registers after it are those that were recorded. */
static void check_registers(struct derive *d, size_t at)
{
	const struct state *next = &d->r->states[at + 1];

	for (unsigned int i = 0; i < GENERAL; i++) {
		struct bits b;

		if ((next->known >> i & 1) == 0)
			continue;
		b = uop_run_after(&d->run, i);
		if (((b.value ^ next->x[i]) & b.known) != 0)
			differ(d, at, "register", b.value, next->x[i]);
	}
}

/* Whether an access happens: the register that tells it may be one that the instruction writes. */
static bool happens(const struct derive *d, size_t at, const struct uop_access *access)
{
	const struct uop_insn *insn = &d->step.builder.insn;
	struct bits b = uop_run_happens(&d->run, access);

	for (size_t i = 0; i < insn->def_count && b.known == 0; i++) {
		if (insn->defs[i].slot == access->when && insn->defs[i].reg < GENERAL)
			return (d->r->states[at + 1].x[insn->defs[i].reg] & 1) ==
			       access->when_value;
	}
	return b.value != 0;
}

static void store(struct derive *d, size_t at, const struct uop_access *access)
{
	struct recording *r = d->r;
	struct bits address = uop_run_address(&d->run, access);
	struct bits data = {0, UINT64_MAX};
	uint64_t length = access->size;
	struct change c = {.step = at, .address = address.value};

	if (!happens(d, at, access))
		return;
	if (access->kind == ACCESS_STORE)
		data = uop_run_slot(&d->run, access->data);
	else
		length = uop_run_length(&d->run, access); /* zeroes, of DC ZVA */
	if (!bits_all_known(&address, 64) || !bits_all_known(&data, (unsigned int)length * 8)) {
		differ(d, at, "a store that is not known", address.value, data.value);
		return;
	}
	for (uint64_t i = 0; i < length; i += 8) {
		c.address = without_tag(address.value) + i;
		c.length = (uint8_t)(length - i < 8 ? length - i : 8);
		for (unsigned int k = 0; k < c.length; k++) {
			const uint8_t *byte = recording_byte(r, c.address + k);

			c.old[k] = byte ? *byte : 0;
			c.new[k] = (uint8_t)(data.value >> 8 * k);
		}
		recording_add_change(r, &c);
		recording_write(r, c.address, c.new, c.length);
		r->at_change = r->change_count;
	}
}

/* The core's own stores and loads before the next state; false if there are none. */
static bool take_exception(struct derive *d, const struct m_events *events, size_t at)
{
	struct m_event *e = m_event_at(events, at + 1);

	if (!e)
		return false;
	if (e->entered != 0 && !e->chained)
		m_event_stack(events, e, d->r, &d->run);
	else if (e->returned && !e->chained && !m_event_unstacks(events, e, d->r))
		differ(d, at, "what is unstacked", 0, 0);
	return true;
}

static bool derive_changes(struct recording *r, const struct m_events *events)
{
	struct derive *d = calloc(1, sizeof(*d));
	struct uop_memory memory = {read_word, d};
	uint64_t differing;

	d->r = r;
	for (size_t at = 0; at < r->count; at++) {
		const struct uop_insn *insn;

		r->at = at;
		step_expand(r, at, &d->step);
		insn = &d->step.builder.insn;
		/* What the tables do not know writes no memory here: the end would tell. */
		if ((insn->flags & UOP_KILLS_ALL) != 0)
			continue;
		load_registers(d, at);
		if (!uop_run(insn, d->registers, &memory, &d->run))
			differ(d, at, "contradiction", 0, 0);
		for (size_t i = 0; i < insn->access_count; i++) {
			if (insn->accesses[i].kind != ACCESS_LOAD)
				store(d, at, &insn->accesses[i]);
		}
		if (!take_exception(d, events, at))
			check_registers(d, at);
	}
	r->at = r->count;
	differing = d->differing;
	free(d);
	return differing == 0;
}

/* What the stores made of memory is what memory was. */
static bool is_end_right(const struct recording *r, uint8_t **ends)
{
	uint64_t differing = 0;

	for (size_t i = 0; i < r->range_count; i++) {
		for (uint64_t k = 0; ends[i] && k < r->ranges[i].length; k++) {
			if (r->ranges[i].bytes[k] != ends[i][k] && differing++ < 5)
				printf("memory at %#" PRIx64
				       " is %02x at the end, %02x was stored\n",
				       r->ranges[i].address + k, ends[i][k], r->ranges[i].bytes[k]);
		}
	}
	return differing == 0;
}

/* One state an instruction: qemu's log has some twice, that were interrupted before they began. */
static bool keep_seen(struct recording *r, FILE *pcs)
{
	size_t kept = 0;
	uint64_t pc;

	for (size_t i = 0; fread(&pc, sizeof(pc), 1, pcs) == 1; i++, kept++) {
		while (i < r->count && r->states[i].pc != pc)
			i++;
		if (r->states[i].pc != pc) {
			printf("no state %zu at pc %#" PRIx64 "\n", kept, pc);
			return false;
		}
		r->states[kept] = r->states[i];
		if (r->vectors)
			memcpy(r->vectors[kept], r->vectors[i], sizeof(r->vectors[i]));
	}
	r->count = kept - (kept > 0);
	return kept > 0;
}

/* Changes as tests/values/memory_plugin.c writes them. */
static bool read_changes(struct recording *r, FILE *file)
{
	uint64_t head[3];

	while (fread(head, sizeof(head), 1, file) == 1) {
		uint8_t *bytes = malloc(2 * head[2]);
		bool is_whole = bytes && fread(bytes, 2 * head[2], 1, file) == 1;

		for (uint64_t at = 0; is_whole && at < head[2]; at += CHANGE_MOST) {
			struct change c = {.step = head[0], .address = head[1] + at};

			c.length =
			        (uint8_t)(head[2] - at < CHANGE_MOST ? head[2] - at : CHANGE_MOST);
			memcpy(c.old, bytes + at, c.length);
			memcpy(c.new, bytes + head[2] + at, c.length);
			recording_add_change(r, &c);
			recording_write(r, c.address, c.new, c.length);
		}
		free(bytes);
		if (!is_whole)
			return false;
	}
	r->at = r->count;
	r->at_change = r->change_count;
	return true;
}

static void add_between(struct recording *r, size_t position, const struct element *e)
{
	recording_room((void *)&r->betweens, &r->between_capacity, r->between_count,
	               sizeof(*r->betweens));
	r->betweens[r->between_count++] = (struct between){position, *e};
}

/* The core leaves what is traced before a state and comes back to it. */
static void add_exception(struct recording *r, size_t position, uint32_t number, uint64_t address)
{
	struct element e = {.type = ELEMENT_EXCEPTION};

	e.exception.number = number;
	e.exception.has_return_address = true;
	e.exception.return_address = address;
	add_between(r, position, &e);
	add_between(r, position, &(struct element){.type = ELEMENT_TRACE_ON});
}

/* States of instructions that a fault prevented are none. */
static void drop_state(struct recording *r, size_t at)
{
	memmove(&r->states[at], &r->states[at + 1], (r->count - at) * sizeof(*r->states));
	if (r->vectors)
		memmove(&r->vectors[at], &r->vectors[at + 1],
		        (r->count - at) * sizeof(*r->vectors));
	for (size_t i = 0; i < r->change_count; i++)
		r->changes[i].step -= r->changes[i].step >= at;
	r->count--;
	r->at--;
}

/*
 * What the trace of the program alone shows of calls and signals. An instruction that leads neither
 * to the next one nor is a branch faulted.
 */
static void add_calls(struct recording *r)
{
	bool is_a64 = r->arch == CORE_A64;

	for (size_t at = 0; at < r->count; at++) {
		uint64_t next = r->states[at + 1].pc;
		struct insn_view step;

		r->at = r->count;
		step_read(r, at, &step);
		if (step.opcode == 0xd4000001 ||
		    (!is_a64 && (step.opcode & 0x0fffffff) == 0x0f000000) ||
		    (step.size == 2 && step.opcode == 0xdf00)) {
			add_exception(r, at + 1, is_a64 ? 2 : 10, step.address + step.size);
		} else if (at > 0 && step.insn.class == INSN_OTHER &&
		           next != step.address + step.size) {
			drop_state(r, at);
			add_exception(r, at, 12, step.address);
			at--;
		}
	}
}

static FILE *open_in(const char *folder, const char *name)
{
	char path[PATH_MOST];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "rb");
}

/* The changes that a plugin has seen. */
static bool take_seen(struct recording *r, const char *folder)
{
	FILE *pcs = open_in(folder, "pcs");
	FILE *changes = open_in(folder, "changes");
	bool is_fine = pcs && changes && keep_seen(r, pcs) && read_changes(r, changes);

	if (pcs)
		(void)fclose(pcs);
	if (changes)
		(void)fclose(changes);
	if (is_fine)
		add_calls(r);
	return is_fine;
}

bool read_qemu(struct recording *r, const char *log, uint64_t from, uint64_t to, const char *dumps,
               const char *seen)
{
	struct m_events events = {NULL, 0, 0};
	uint8_t *ends[RANGES_MOST] = {NULL};
	bool is_fine;

	r->protocol = r->arch == CORE_A32 ? PROTOCOL_PTM : PROTOCOL_ETM4;
	is_fine = read_log(r, &events, log, from, to) && read_dumps(r, dumps, false, NULL) &&
	          read_dumps(r, dumps, true, ends) && m_events_resolve(&events, r);
	if (!is_fine)
		printf("the recording cannot be read\n");
	is_fine = is_fine && (seen ? take_seen(r, seen) : derive_changes(r, &events)) &&
	          is_end_right(r, ends);
	if (r->arch == CORE_M)
		m_events_stacks(&events, r);
	for (size_t i = 0; i < RANGES_MOST; i++)
		free(ends[i]);
	free(events.items);
	return is_fine;
}
