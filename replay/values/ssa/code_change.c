/* SPDX-License-Identifier: Apache-2.0 */
/* Code and translation that may have changed; see code_change.h. */
#include "replay/values/ssa/code_change.h"

#include <string.h>

#include "arch/a32/a32.h"
#include "replay/history/history.h"
#include "replay/values/ssa/control_event.h"
#include "replay/values/ssa/template_code.h"

static bool is_writable(const struct memmap *memory, const struct history_code *e)
{
	struct mem_span span;
	uint64_t at = e->start;

	/* What is known to have been written is looked up for each time that it ran. */
	while (at != e->end && memmap_is_past(memory, at))
		at++;
	return at != e->end &&
	       (memmap_find(memory, e->view, at, &span) != STATUS_OK || !span.region->read_only);
}

static bool is_svc(const struct template *template)
{
	if (template->isa == ISA_T32)
		return template->size == 2 && template->opcode >> 8 == 0xdf;
	return template->isa == ISA_A32 && (template->opcode & 0x0f000000) == 0x0f000000;
}

static bool makes_code(const struct memmap *memory, struct template *template)
{
	(void)memory;
	return template_maintains_icache((enum isa) template->isa, template->size,
	                                 template->opcode) ||
	       is_svc(template);
}

/* Flags of an instruction that changes what addresses mean, else 0. */
static unsigned int translation_flags(const struct memmap *memory, struct template *template)
{
	struct uop_builder b;

	/* MSR and SYS, MSRR and SYSP, MCR and MCRR: the others need not be expanded. */
	if (template->size != 4 ||
	    (template->isa == ISA_A64 ? template->opcode >> 23 != 0xd5000000 >> 23
	                              : (template->opcode & 0x0c000000) != 0x0c000000))
		return 0;
	template_code(memory, template, &b);
	return (b.insn.flags & UOP_CHANGES_TRANSLATION) != 0 ? b.insn.flags : 0;
}

static bool changes_translation(const struct memmap *memory, struct template *template)
{
	return translation_flags(memory, template) != 0;
}

static bool changes_byte_order(const struct memmap *memory, struct template *template)
{
	enum data_order order =
	        template_byte_order((enum isa) template->isa, template->size, template->opcode);

	(void)memory;
	return order != DATA_ORDER_KEPT && order != DATA_ORDER_RESTORED;
}

static bool changes_kernel(const struct memmap *memory, struct template *template)
{
	unsigned int flags = translation_flags(memory, template);

	return flags != 0 && (flags & (UOP_SPARES_KERNEL | UOP_KEEPS_KERNEL)) == 0;
}

static bool changes_tables(const struct memmap *memory, struct template *template)
{
	return (translation_flags(memory, template) & UOP_KEEPS_KERNEL) != 0;
}

/* The run has such an instruction. */
static bool has_any(const struct memmap *memory, const struct history_code *e,
                    bool (*is_such)(const struct memmap *, struct template *))
{
	struct template template = {
	        .address = e->start, .isa = (uint8_t)e->isa, .view = e->view, .it = SEM_NO_IT};

	for (;;) {
		template.size = template_size(memory, &template);
		if (e->end - template.address < template.size ||
		    !template_read_opcode(memory, &template))
			return false;
		if (is_such(memory, &template))
			return true;
		if (e->end - template.address == template.size)
			return false;
		template.address += template.size;
	}
}

#define CACHEFLUSH UINT32_C(0xf0002) /* the number of Linux's system call, in R7 */

/* The word at an offset from the PC of the instruction, aligned, is that number. */
static bool has_literal(const struct memmap *memory, const struct template *template,
                        uint32_t ahead, uint32_t offset)
{
	uint64_t at = ((template->address + ahead) & ~UINT64_C(3)) + offset;
	uint32_t word;

	return memmap_read_word(memory, template->view, at, &word) && word == CACHEFLUSH;
}

/* Its MOVT, MOV, ORR or ADD makes the number's upper half in R7, or LDR (literal) all of it. */
static bool names_cacheflush(const struct memmap *memory, struct template *template)
{
	uint32_t opcode = template->opcode;

	if (template->isa == ISA_T32 && template->size == 2)
		return opcode >> 8 == 0x4f && has_literal(memory, template, 4, (opcode & 0xff) * 4);
	if (template->isa == ISA_T32)
		return opcode == 0xf2c0070f || opcode == 0xf44f2770 || opcode == 0xf4472770 ||
		       opcode == 0xf5072770 ||
		       (opcode >> 12 == 0xf8df7 &&
		        has_literal(memory, template, 4, opcode & 0xfff));
	opcode &= 0x0fffffff;
	return template->isa == ISA_A32 &&
	       (opcode == 0x0340700f || opcode == 0x03a0780f || opcode == 0x0387780f ||
	        opcode == 0x0287780f ||
	        (opcode >> 12 == 0x59f7 && has_literal(memory, template, 8, opcode & 0xfff)));
}

/*
 * Of MCR p15, c7, c1 or c5 those that invalidate the branch predictor alone (opc2 6 and 7), and the
 * barriers (4): what switches address spaces does that, and no code can be written without more.
 */
static bool leaves_icache(const struct template *template)
{
	return template->isa != ISA_A64 && (template->opcode >> 5 & 7) >= 4;
}

/* Maintenance of the instruction cache, or what makes the number of cacheflush. */
static bool announces_code(const struct memmap *memory, struct template *template)
{
	return (template_maintains_icache((enum isa) template->isa, template->size,
	                                  template->opcode) &&
	        !leaves_icache(template)) ||
	       names_cacheflush(memory, template);
}

/* A SYS instruction is among these A64 opcodes: most runs have none, and need no look at each. */
static bool may_announce(const struct memmap *memory, const struct history_code *e,
                         struct mem_recent *recent)
{
	struct mem_span span;
	const uint8_t *start;
	const uint8_t *end;

	if (e->isa != ISA_A64 ||
	    memmap_find_near(memory, e->view, e->start, recent, &span) != STATUS_OK ||
	    bytes_left(&span.bytes) < e->end - e->start)
		return true;
	start = span.bytes.pos;
	end = start + (e->end - e->start);
	/* 1101 0101 0000 1xxx in the upper half of an opcode, found by its last byte. */
	for (const uint8_t *at = start; (at = memchr(at, 0xd5, (size_t)(end - at))) != NULL; at++) {
		if ((at - start) % 4 == 3 && at[-1] >> 3 == 1)
			return true;
	}
	return false;
}

/* Code ran from memory that can be written. */
static bool runs_writable(const struct history *history)
{
	struct history_code code;

	for (size_t i = 0; history_code(history, i, &code); i++) {
		if (is_writable(history_memory(history), &code))
			return true;
	}
	return false;
}

/* One of all runs has such an instruction. */
static bool runs_any(const struct history *history,
                     bool (*is_such)(const struct memmap *, struct template *))
{
	struct history_code code;

	for (size_t i = 0; history_code(history, i, &code); i++) {
		if (has_any(history_memory(history), &code, is_such))
			return true;
	}
	return false;
}

bool code_change_is_likely(const struct history *history)
{
	const struct memmap *memory = history_memory(history);
	struct mem_recent recent = {.is_found = false};
	struct history_code code;

	if (!runs_writable(history))
		return false;
	for (size_t i = 0; history_code(history, i, &code); i++) {
		if (may_announce(memory, &code, &recent) && has_any(memory, &code, announces_code))
			return true;
	}
	return false;
}

bool code_change_of_byte_order(const struct history *history)
{
	return history_core(history)->arch != CORE_M && runs_any(history, changes_byte_order);
}

bool code_change_of_code(const struct history *history)
{
	return runs_writable(history) && runs_any(history, makes_code);
}

struct code_changes code_changes_of(const struct history *history)
{
	bool of_translation = runs_any(history, changes_translation);

	return (struct code_changes){
	        .of_code = code_change_of_code(history),
	        .of_byte_order = code_change_of_byte_order(history),
	        .of_translation = of_translation,
	        .of_kernel = of_translation && runs_any(history, changes_kernel),
	        .of_tables = of_translation && runs_any(history, changes_tables),
	        .same_space_from = control_event_space_change(history, false),
	        .same_kernel_from = control_event_space_change(history, true),
	};
}
