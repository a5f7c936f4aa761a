/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pass over a Tarmac text: opcodes and accesses become entries of the log of memory, by the
 * places that lines say they are. See pass_parts.h.
 */
#include "base/vec.h"
#include "replay/tarmac/pass_parts.h"

/* Little-endian bytes of the opcode, in memory's order. */
static uint64_t memory_order(const struct tarmac_instruction *insn)
{
	bool halfwords = insn->isa == ISA_T32 || insn->isa == ISA_TEE;

	return halfwords && insn->size == LONGEST_OPCODE
	               ? (insn->opcode >> 16 | insn->opcode << 16) & 0xffffffff
	               : insn->opcode;
}

static enum status add_word(struct tarmac_tick *tick, const struct word_event *event)
{
	return event->touched != 0 ? word_log_add(tick->memory, event) : STATUS_OK;
}

/* Where the block that the address is in is said to be; NULL: none is. */
static const struct tarmac_block *block_of(const struct tarmac_pass *p, uint64_t address)
{
	for (size_t i = 0; i < p->block_count; i++) {
		const struct tarmac_block *block = &p->blocks[i];

		if (block->space == p->space && (address ^ block->address) >> block->order == 0)
			return block;
	}
	return NULL;
}

/* Another page table is in force: of large pages the one that the address is in alone is known. */
static void leave_blocks(struct tarmac_pass *p, uint64_t address)
{
	const struct tarmac_block *known = block_of(p, address);

	if (known)
		p->blocks[0] = *known;
	p->block_count = known ? 1 : 0;
}

void pass_end_translations(struct tarmac_pass *p)
{
	tarmac_pages_end(&p->core->pages, pass_time_after(p));
	p->block_count = 0;
}

/*
 * A line says the physical address of an address; or, if `is_implied`, that of another address in
 * the same large page.
 */
static enum status see_page(struct tarmac_pass *p, uint64_t address, uint64_t physical,
                            enum tarmac_security security, bool is_implied,
                            struct tarmac_tick *tick)
{
	uint64_t page = address >> TARMAC_PAGE_BITS;
	uint64_t to = physical >> TARMAC_PAGE_BITS;
	uint32_t stand_in = 0;
	uint32_t from;
	uint32_t frame;
	uint32_t before;
	bool is_over;
	bool is_first;

	/* What a Non-secure core accesses is Non-secure. */
	if (security == TARMAC_SECURITY_NOT_SAID && p->context.security == TARMAC_NON_SECURE)
		security = TARMAC_NON_SECURE;
	TRY(tarmac_frame_of(tick->frames, p->space, page, &from));
	TRY(tarmac_frame_of(tick->frames, tarmac_space_physical(security), to, &frame));
	before = tarmac_pages_now(&p->core->pages, from);
	is_over = tarmac_pages_is_over(&p->core->pages, from);
	if (before != from || is_over)
		stand_in = *tarmac_pages_stand_in(&p->core->pages, from);
	TRY(tarmac_pages_see(&p->core->pages, from, frame, page == to, 2 * tick->clock, &is_first));
	if (is_first && page == to && !is_implied)
		tarmac_frames_join(tick->frames, from, frame);
	else if (is_first)
		tarmac_frames_doubt(tick->frames, from, frame, frame);
	else if ((before != frame || is_over) && stand_in != 0)
		tarmac_frames_doubt(tick->frames, stand_in, before, frame);
	if (!is_first && before != frame && !is_over)
		leave_blocks(p, address);
	return STATUS_OK;
}

/* A line says where a large page is: what was said of addresses in it before is over. */
static enum status see_block(struct tarmac_pass *p, const struct tarmac_memory *line)
{
	const struct tarmac_block *known = block_of(p, line->address);
	uint8_t order = line->page_order > TARMAC_PAGE_BITS ? line->page_order : TARMAC_PAGE_BITS;
	size_t left = 0;

	if (known ? known->order == order && known->security == line->security &&
	                    known->physical - known->address == line->physical - line->address
	          : order == TARMAC_PAGE_BITS)
		return STATUS_OK;
	for (size_t i = 0; i < p->block_count; i++) {
		const struct tarmac_block *old = &p->blocks[i];
		uint8_t larger = old->order > order ? old->order : order;

		if (old->space != p->space || (line->address ^ old->address) >> larger != 0)
			p->blocks[left++] = *old;
	}
	p->block_count = left;
	if (order == TARMAC_PAGE_BITS)
		return STATUS_OK;
	TRY(vec_reserve((void **)&p->blocks, &p->block_capacity, left + 1, sizeof(*p->blocks)));
	p->blocks[p->block_count++] = (struct tarmac_block){p->space, line->security, order,
	                                                    line->address, line->physical};
	return STATUS_OK;
}

/* A page of which no line said anything, in a block of which one did. */
static enum status see_part(struct tarmac_pass *p, uint64_t address, struct tarmac_tick *tick)
{
	const struct tarmac_block *block = block_of(p, address);

	if (!block)
		return STATUS_OK;
	return see_page(p, address, address - block->address + block->physical, block->security,
	                true, tick);
}

/*
 * The frame that the core's address is, as far as lines said so. Where this line does not it may be
 * another one by now, which the next line that says it tells: until then a stand-in has it.
 */
static enum status frame_of(struct tarmac_pass *p, uint64_t address, bool is_said,
                            struct tarmac_tick *tick, uint32_t *frame)
{
	uint32_t *stand_in;
	uint32_t page;
	bool is_own;

	TRY(tarmac_frame_of(tick->frames, p->space, address >> TARMAC_PAGE_BITS, &page));
	*frame = tarmac_pages_now(&p->core->pages, page);
	if (!is_said && *frame == page && p->block_count > 0) {
		TRY(see_part(p, address, tick));
		*frame = tarmac_pages_now(&p->core->pages, page);
	}
	is_own = *frame == page && !tarmac_pages_is_over(&p->core->pages, page);
	if (is_said || is_own)
		return STATUS_OK;
	stand_in = tarmac_pages_stand_in(&p->core->pages, page);
	if (*stand_in == 0)
		TRY(tarmac_frames_stand_in(tick->frames, *frame, stand_in));
	*frame = *stand_in;
	return STATUS_OK;
}

/*
 * Logs bytes of memory by the places that they are; `event` says when and what kind. The line says
 * where the first `said` pages are.
 */
static enum status add_bytes(struct tarmac_pass *p, const struct tarmac_value *value,
                             uint64_t address, unsigned int said, struct word_event event,
                             struct tarmac_tick *tick)
{
	uint32_t frame = 0;

	for (unsigned int i = 0; i < value->size; i++) {
		uint64_t at = address + i;

		if (i > 0 && at % 8 == 0) {
			TRY(add_word(tick, &event));
			event.touched = event.known = 0;
			event.value = 0;
		}
		if (i == 0 || at % 8 == 0)
			TRY(frame_of(p, at,
			             (at >> TARMAC_PAGE_BITS) - (address >> TARMAC_PAGE_BITS) <
			                     said,
			             tick, &frame));
		event.key = tarmac_frame_key(frame, at);
		if (value->touched[i] != 0)
			event.touched |= (uint8_t)(1U << at % 8);
		if (value->known[i] != 0xff)
			continue;
		event.known |= (uint8_t)(1U << at % 8);
		event.value |= (uint64_t)value->bits[i] << (8 * (at % 8));
	}
	return add_word(tick, &event);
}

/* The opcode of an address that had another: `value` has its bytes. */
static enum status add_patched(struct tarmac_pass *p, const struct tarmac_value *value,
                               uint64_t address)
{
	struct word_event event = {.time = 2 * p->core->length + 2, .kind = WORD_WRITE};

	for (unsigned int i = 0; i < value->size; i++) {
		uint64_t at = address + i;

		if (i > 0 && at % 8 == 0) {
			TRY(word_log_add(&p->core->patched, &event));
			event.touched = 0;
			event.value = 0;
		}
		event.key = at / 8;
		event.touched |= (uint8_t)(1U << at % 8);
		event.known = event.touched;
		event.value |= (uint64_t)value->bits[i] << (8 * (at % 8));
	}
	return word_log_add(&p->core->patched, &event);
}

/* True if the log of memory has these bytes of the place, and none else were there. */
static enum status is_logged(struct tarmac_pass *p, const struct tarmac_instruction *insn,
                             uint64_t bytes, struct tarmac_tick *tick, bool *logged)
{
	const uint64_t in_page = (UINT64_C(1) << TARMAC_PAGE_BITS) - 1;
	enum tarmac_code_update update;
	uint64_t at = insn->address & in_page;
	uint32_t frame;

	*logged = false;
	if (at + insn->size > in_page + 1)
		return STATUS_OK;
	TRY(frame_of(p, insn->address, insn->has_physical, tick, &frame));
	TRY(tarmac_code_add(&p->core->logged, (uint64_t)frame << TARMAC_PAGE_BITS | at, bytes,
	                    insn->size, &update));
	*logged = update == CODE_SEEN;
	return STATUS_OK;
}

/* Where the line says that the instruction is. */
static enum status see_pages(struct tarmac_pass *p, const struct tarmac_instruction *insn,
                             struct tarmac_tick *tick)
{
	if (insn->has_physical)
		TRY(see_page(p, insn->address, insn->physical, insn->physical_security, false,
		             tick));
	if (insn->has_second)
		TRY(see_page(p, insn->address + SHORTEST_OPCODE, insn->second,
		             insn->physical_security, false, tick));
	return STATUS_OK;
}

enum status pass_code(struct tarmac_pass *p, const struct tarmac_instruction *insn,
                      struct tarmac_tick *tick, bool *is_changed)
{
	struct tarmac_value value = {.size = insn->size};
	uint64_t bytes = memory_order(insn);
	enum tarmac_code_update update;
	bool logged;

	TRY(see_pages(p, insn, tick));
	TRY(tarmac_code_add(&p->core->code, insn->address, bytes, insn->size, &update));
	*is_changed = update == CODE_CHANGED;
	TRY(is_logged(p, insn, bytes, tick, &logged));
	if (logged && !*is_changed)
		return STATUS_OK;
	for (unsigned int i = 0; i < value.size; i++) {
		value.bits[i] = (uint8_t)(bytes >> (8 * i));
		value.touched[i] = value.known[i] = 0xff;
	}
	if (*is_changed)
		TRY(add_patched(p, &value, insn->address));
	return add_bytes(p, &value, insn->address, insn->has_physical + insn->has_second,
	                 (struct word_event){.time = 2 * tick->clock, .kind = WORD_FETCH}, tick);
}

enum status pass_memory(struct tarmac_pass *p, const struct tarmac_event *event,
                        struct tarmac_tick *tick)
{
	const struct tarmac_memory *line = &event->memory;
	struct word_event e = {.kind = line->is_write ? WORD_WRITE : WORD_READ};

	if (line->is_aborted || line->is_exclusive_failed)
		return STATUS_OK;
	if (line->is_fetch)
		e.kind = WORD_FETCH;
	tick->has_written |= line->is_write;
	e.time = 2 * tick->clock + tick->has_written;
	if (line->has_physical) {
		TRY(see_page(p, line->address, line->physical, line->security, false, tick));
		TRY(see_block(p, line));
	}
	if (!line->is_write && tarmac_value_is_whole(line->value)) {
		p->run.has_loaded = true;
		p->run.loaded = tarmac_value_u64(line->value);
	}
	return add_bytes(p, line->value, line->address, line->has_physical, e, tick);
}
