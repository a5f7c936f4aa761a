/* SPDX-License-Identifier: Apache-2.0 */
/* Names and places of registers in notes; see elf_registers.h. */
#include "snapshot/elf_core/elf_registers.h"

#include "base/text.h"

enum { REGISTERS_MOST = 90 }; /* but for those of SVE */

/* What stands in [regs] of the one, one after the other in memory: of `bits` each. */
static const struct group {
	const char *names; /* NULL: `letter` and a number */
	char letter;
	uint8_t count;
	uint8_t bits;
	uint16_t offset;
	uint16_t stride; /* bytes */
} groups_64[] =
        {
                {NULL, 'X', 31, 64, 0, 8},
                {"SP", 0, 1, 64, 248, 8},
                {"PC", 0, 1, 64, 256, 8},
                {"CPSR", 0, 1, 32, 264, 8},
},
  groups_32[] =
          {
                  {NULL, 'R', 13, 32, 0, 4}, {"SP", 0, 1, 32, 52, 4},   {"LR", 0, 1, 32, 56, 4},
                  {"PC", 0, 1, 32, 60, 4},   {"CPSR", 0, 1, 32, 64, 4},
},
  fp_64[] =
          {
                  {NULL, 'V', 32, 128, 0, 16},
                  {"FPSR", 0, 1, 32, 512, 4},
                  {"FPCR", 0, 1, 32, 516, 4},
},
  vfp_32[] =
          {
                  {NULL, 'D', 32, 64, 0, 8},
                  {"FPSCR", 0, 1, 32, 256, 4},
},
  tls_64[] =
          {
                  {"TPIDR_EL0", 0, 1, 64, 0, 8},
                  {"TPIDR2_EL0", 0, 1, 64, 8, 8},
},
  tls_32[] =
          {
                  {"TPIDRURO", 0, 1, 32, 0, 4},
},
  pac_64[] =
          {
                  {"PAC_DATA_MASK", 0, 1, 64, 0, 8},
                  {"PAC_CODE_MASK", 0, 1, 64, 8, 8},
},
  call_64[] =
          {
                  {"SYSTEM_CALL", 0, 1, 32, 0, 4},
},
  status_64[] =
          {
                  {"FPSR", 0, 1, 32, 0, 4},
                  {"FPCR", 0, 1, 32, 4, 4},
},
  length_64[] =
          {
                  {"SVE_VL", 0, 1, 16, 0, 2},
},
  signal_any[] =
          {
                  {"SI_SIGNO", 0, 1, 32, 0, 4},
},
  siginfo_64[] =
          {
                  {"SI_CODE", 0, 1, 32, 8, 4},
                  {"SI_ADDR", 0, 1, 64, 16, 8},
},
  siginfo_32[] = {
          {"SI_CODE", 0, 1, 32, 8, 4},
          {"SI_ADDR", 0, 1, 32, 12, 4},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A list that has room for what comes. */
struct list {
	struct arena *arena;
	struct elf_register *items;
	size_t count;
};

static enum status add_register(struct list *list, const struct text *name, unsigned int bits,
                                const uint8_t *value)
{
	struct elf_register *reg = &list->items[list->count];

	*reg = (struct elf_register){arena_str(list->arena, text_str(name)), bits, value};
	if (!reg->name.p)
		return STATUS_NO_MEM;
	list->count++;
	return STATUS_OK;
}

static enum status add_group(struct list *list, const struct group *group, const struct bytes *from)
{
	enum status status = STATUS_OK;

	for (unsigned int i = 0; i < group->count && status == STATUS_OK; i++) {
		size_t offset = group->offset + (size_t)i * group->stride;
		struct text name = {0};

		/* What a note is too short for is unknown. */
		if (bytes_left(from) < offset + group->bits / 8U)
			continue;
		if (group->names)
			text_puts(&name, group->names);
		else
			text_printf(&name, "%c%u", group->letter, i);
		status = add_register(list, &name, group->bits, from->pos + offset);
		text_fini(&name);
	}
	return status;
}

static enum status add_groups(struct list *list, const struct group *groups, size_t count,
                              const struct bytes *from)
{
	for (size_t i = 0; i < count; i++)
		TRY(add_group(list, &groups[i], from));
	return STATUS_OK;
}

#define ADD(groups, from) TRY(add_groups(list, groups, COUNT(groups), from))

/* How many registers a vector of so many bytes is shown as: a quadword each. */
static size_t quadwords(size_t length)
{
	return (length + SVE_QUADWORD - 1) / SVE_QUADWORD;
}

/* How many add_sve() makes at most. */
static size_t sve_registers(size_t length)
{
	return SVE_Z * quadwords(length) + (SVE_P + 1) * quadwords(length / 8) + 3;
}

/*
 * `count` registers of `size` bytes each, from quadword `first` on: the first one has the name, the
 * others are NAME_Q1 and so on.
 */
static enum status add_vectors(struct list *list, char letter, size_t count, size_t first,
                               struct bytes from, size_t size)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < count * quadwords(size) && status == STATUS_OK; i++) {
		size_t number = i / quadwords(size);
		size_t n = i % quadwords(size);
		size_t left = size - n * SVE_QUADWORD;
		struct text name = {0};

		if (n < first)
			continue;
		if (letter == 'P' && number == SVE_P)
			text_puts(&name, "FFR");
		else
			text_printf(&name, "%c%zu", letter, number);
		if (n > 0)
			text_printf(&name, "_Q%zu", n);
		status = add_register(list, &name,
		                      8 * (unsigned int)(left < SVE_QUADWORD ? left : SVE_QUADWORD),
		                      from.pos + number * size + n * SVE_QUADWORD);
		text_fini(&name);
	}
	return status;
}

/*
 * The V registers are the first quadword of each vector, the others are registers of their own.
 * They and the predicates have no place in a table, whose sizes are fixed.
 */
static enum status add_sve(struct list *list, const struct elf_thread *thread)
{
	const struct elf_sve *sve = &thread->sve;

	if (sve->length == 0)
		return STATUS_OK;
	if (bytes_left(&thread->fp) == 0) {
		const struct group v = {NULL, 'V', SVE_Z, 128, 0, (uint16_t)sve->length};

		TRY(add_group(list, &v, &sve->z));
		ADD(status_64, &sve->status);
	}
	ADD(length_64, &sve->vl);
	TRY(add_vectors(list, 'Z', SVE_Z, 1, sve->z, sve->length));
	return add_vectors(list, 'P', SVE_P + 1, 0, sve->p, sve->length / 8);
}

static enum status add_a64(struct list *list, const struct elf_thread *thread)
{
	ADD(groups_64, &thread->general);
	ADD(fp_64, bytes_left(&thread->fp) > 0 ? &thread->fp : &thread->sve.fp);
	ADD(call_64, &thread->call);
	TRY(add_sve(list, thread));
	ADD(tls_64, &thread->tls);
	ADD(pac_64, &thread->pac);
	return add_groups(list, siginfo_64, COUNT(siginfo_64), &thread->siginfo);
}

static enum status add_a32(struct list *list, const struct elf_thread *thread)
{
	ADD(groups_32, &thread->general);
	ADD(vfp_32, &thread->vfp);
	ADD(tls_32, &thread->tls);
	return add_groups(list, siginfo_32, COUNT(siginfo_32), &thread->siginfo);
}

enum status elf_thread_registers(const struct elf_thread *thread, bool is_64bit,
                                 struct arena *arena, struct elf_register **registers,
                                 size_t *count)
{
	size_t most = REGISTERS_MOST + sve_registers(thread->sve.length);
	struct list made = {arena, arena_alloc(arena, most * sizeof(**registers)), 0};

	if (!made.items)
		return STATUS_NO_MEM;
	TRY(is_64bit ? add_a64(&made, thread) : add_a32(&made, thread));
	TRY(add_groups(&made, signal_any, COUNT(signal_any), &thread->signal));
	*registers = made.items;
	*count = made.count;
	return STATUS_OK;
}
