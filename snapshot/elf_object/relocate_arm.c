/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Relocations of Arm and Thumb code and of data; see relocate.h. A call to code of the other state
 * becomes BLX, as linkers and Linux make it; a branch to it would need a veneer.
 */
#include "snapshot/elf_object/relocate_rows.h"

/* IHI 0044, "Relocation codes". */
enum type {
	R_NONE = 0,
	R_ABS32 = 2,
	R_REL32 = 3,
	R_THM_CALL = 10,
	R_CALL = 28,
	R_JUMP24 = 29,
	R_THM_JUMP24 = 30,
	R_TARGET1 = 38, /* as Linux and by default linkers have it: ABS32 */
	R_V4BX = 40,    /* marks a BX; nothing changes */
	R_PREL31 = 42,
	R_MOVW_ABS_NC = 43,
	R_MOVT_ABS = 44,
	R_MOVW_PREL_NC = 45,
	R_MOVT_PREL = 46,
	R_THM_MOVW_ABS_NC = 47,
	R_THM_MOVT_ABS = 48,
	R_THM_MOVW_PREL_NC = 49,
	R_THM_MOVT_PREL = 50,
};

size_t relocation_size_arm(uint32_t type)
{
	if (type == R_NONE || type == R_V4BX)
		return 0;
	return 4; /* no type has more */
}

/* An opcode of Thumb has its first halfword in the high half here. */
static uint32_t read_thumb(const uint8_t *at)
{
	return (uint32_t)relocate_read(at, 2) << 16 | (uint32_t)relocate_read(at + 2, 2);
}

static void write_thumb(uint8_t *at, uint32_t opcode)
{
	relocate_write(at, 2, opcode >> 16);
	relocate_write(at + 2, 2, opcode & 0xffff);
}

static uint32_t bits_of(uint64_t value, unsigned int high, unsigned int low)
{
	return (uint32_t)(value >> low) & ((UINT32_C(1) << (high - low + 1)) - 1);
}

/* S + A, without the bit of the state. Addresses have 32 bits. */
static uint32_t target_of(const struct relocation *r, int64_t addend)
{
	return (uint32_t)(r->symbol + (uint64_t)(r->has_addend ? r->addend : addend));
}

/* The distance that a branch has, which fits or not. */
static bool distance_of(const struct relocation *r, int64_t addend, uint32_t place,
                        unsigned int bits, uint32_t *distance)
{
	*distance = target_of(r, addend) - place;
	return relocate_fits((uint64_t)(int64_t)(int32_t)*distance, bits);
}

/* B, BL, BLX of A32: A1.8 bits 23:0 are words, of BLX bit 24 is a halfword. */
static enum status relocate_branch(const struct relocation *r, uint8_t *at)
{
	uint32_t opcode = (uint32_t)relocate_read(at, 4);
	bool is_blx = opcode >> 25 == 0x7d;
	bool is_call = is_blx || opcode >> 24 == 0xeb;
	int64_t addend =
	        relocate_extend((uint64_t)opcode << 2, 26) + (is_blx ? (opcode >> 23 & 2) : 0);
	bool is_thumb = r->is_function ? r->is_thumb : is_blx;
	uint32_t distance;

	if (is_thumb && !is_call)
		return STATUS_UNSUPPORTED;
	if (!distance_of(r, addend, (uint32_t)r->place, 26, &distance) ||
	    (distance & (is_thumb ? 1 : 3)) != 0)
		return STATUS_BAD_DATA;
	if (is_thumb)
		opcode = 0xfa000000 | (distance & 2) << 23;
	else if (is_call && is_blx)
		opcode = 0xeb000000;
	relocate_write(at, 4, (opcode & 0xff000000) | bits_of(distance, 25, 2));
	return STATUS_OK;
}

static int64_t thumb_addend(uint32_t opcode)
{
	uint32_t s = opcode >> 26 & 1;
	uint32_t i1 = ~(opcode >> 13 ^ s) & 1;
	uint32_t i2 = ~(opcode >> 11 ^ s) & 1;

	return relocate_extend((uint64_t)s << 24 | i1 << 23 | i2 << 22 |
	                               bits_of(opcode, 25, 16) << 12 | bits_of(opcode, 10, 0) << 1,
	                       25);
}

static uint32_t put_thumb(uint32_t opcode, uint32_t distance)
{
	uint32_t s = distance >> 24 & 1;
	uint32_t j1 = ~(distance >> 23 ^ s) & 1;
	uint32_t j2 = ~(distance >> 22 ^ s) & 1;

	return (opcode & 0xf800d000) | s << 26 | bits_of(distance, 21, 12) << 16 | j1 << 13 |
	       j2 << 11 | bits_of(distance, 11, 1);
}

/* B.W, BL, BLX of T32; BLX counts from the word that its address lies in. */
static enum status relocate_thumb_branch(const struct relocation *r, uint8_t *at)
{
	uint32_t opcode = read_thumb(at);
	bool is_call = (opcode & 0xf800c000) == 0xf000c000;
	bool is_blx = is_call && (opcode & 0x1000) == 0;
	bool is_thumb = r->is_function ? r->is_thumb : !is_blx;
	uint32_t place = (uint32_t)r->place & (is_thumb ? UINT32_MAX : ~UINT32_C(3));
	uint32_t distance;

	if (!is_thumb && !is_call)
		return STATUS_UNSUPPORTED;
	if (!distance_of(r, thumb_addend(opcode), place, 25, &distance) ||
	    (distance & (is_thumb ? 1 : 3)) != 0)
		return STATUS_BAD_DATA;
	if (is_call)
		opcode = is_thumb ? opcode | 0x1000 : opcode & ~UINT32_C(0x1000);
	write_thumb(at, put_thumb(opcode, distance));
	return STATUS_OK;
}

/* MOVW takes the low half, MOVT the high one. */
static enum status relocate_move(const struct relocation *r, bool is_relative, bool is_top,
                                 bool is_thumb_code, uint8_t *at)
{
	uint32_t opcode = is_thumb_code ? read_thumb(at) : (uint32_t)relocate_read(at, 4);
	uint32_t imm = is_thumb_code
	                       ? bits_of(opcode, 19, 16) << 12 | bits_of(opcode, 26, 26) << 11 |
	                                 bits_of(opcode, 14, 12) << 8 | bits_of(opcode, 7, 0)
	                       : bits_of(opcode, 19, 16) << 12 | bits_of(opcode, 11, 0);
	uint32_t value = target_of(r, relocate_extend(imm, 16)) | (r->is_thumb && !is_top);

	if (is_relative)
		value -= (uint32_t)r->place;
	value = is_top ? value >> 16 : value & 0xffff;
	if (!is_thumb_code) {
		relocate_write(at, 4,
		               (opcode & 0xfff0f000) | bits_of(value, 15, 12) << 16 |
		                       bits_of(value, 11, 0));
		return STATUS_OK;
	}
	write_thumb(at, (opcode & 0xfbf08f00) | bits_of(value, 15, 12) << 16 |
	                        bits_of(value, 11, 11) << 26 | bits_of(value, 10, 8) << 12 |
	                        bits_of(value, 7, 0));
	return STATUS_OK;
}

static enum status relocate_word(const struct relocation *r, bool is_relative, uint8_t *at)
{
	uint32_t value = target_of(r, relocate_extend(relocate_read(at, 4), 32)) | r->is_thumb;

	relocate_write(at, 4, value - (is_relative ? (uint32_t)r->place : 0));
	return STATUS_OK;
}

/* Bit 31 is not of it. */
static enum status relocate_prel31(const struct relocation *r, uint8_t *at)
{
	uint32_t word = (uint32_t)relocate_read(at, 4);
	uint32_t value =
	        (target_of(r, relocate_extend(word, 31)) | r->is_thumb) - (uint32_t)r->place;

	if (!relocate_fits((uint64_t)(int64_t)(int32_t)value, 31))
		return STATUS_BAD_DATA;
	relocate_write(at, 4, (word & 0x80000000) | (value & 0x7fffffff));
	return STATUS_OK;
}

enum status relocate_arm(const struct relocation *r, uint8_t *at)
{
	switch ((int)r->type) {
	case R_NONE:
	case R_V4BX:
		return STATUS_OK;
	case R_ABS32:
	case R_TARGET1:
	case R_REL32:
		return relocate_word(r, r->type == R_REL32, at);
	case R_PREL31:
		return relocate_prel31(r, at);
	case R_CALL:
	case R_JUMP24:
		return relocate_branch(r, at);
	case R_THM_CALL:
	case R_THM_JUMP24:
		return relocate_thumb_branch(r, at);
	case R_MOVW_ABS_NC:
	case R_MOVT_ABS:
	case R_MOVW_PREL_NC:
	case R_MOVT_PREL:
		return relocate_move(r, r->type >= R_MOVW_PREL_NC, (r->type & 1) == 0, false, at);
	case R_THM_MOVW_ABS_NC:
	case R_THM_MOVT_ABS:
	case R_THM_MOVW_PREL_NC:
	case R_THM_MOVT_PREL:
		return relocate_move(r, r->type >= R_THM_MOVW_PREL_NC, (r->type & 1) == 0, true,
		                     at);
	default:
		return STATUS_UNSUPPORTED;
	}
}
