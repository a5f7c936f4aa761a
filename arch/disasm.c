/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembly by capstone. In: opcode, address, instruction set. Out: one line of text. */
#include "arch/disasm.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

enum engine_kind {
	ENGINE_A64,
	ENGINE_A32,
	ENGINE_T32,
	ENGINE_T32_M, /* M profile */
	ENGINE_COUNT,
};

struct engine {
	csh handle;    /* 0 if it could not be opened */
	cs_insn *insn; /* room for one result */
};

struct disasm {
	struct engine engines[ENGINE_COUNT];
};

static bool engine_open(struct engine *engine, cs_arch arch, unsigned int mode)
{
	if (cs_open(arch, (cs_mode)mode, &engine->handle) != CS_ERR_OK) {
		engine->handle = 0;
		return false;
	}
	engine->insn = cs_malloc(engine->handle);
	return engine->insn != NULL;
}

struct disasm *disasm_create(void)
{
	struct disasm *disasm = calloc(1, sizeof(*disasm));

	if (!disasm)
		return NULL;
	if (!engine_open(&disasm->engines[ENGINE_A64], CS_ARCH_ARM64, CS_MODE_ARM) ||
	    !engine_open(&disasm->engines[ENGINE_A32], CS_ARCH_ARM, CS_MODE_ARM | CS_MODE_V8) ||
	    !engine_open(&disasm->engines[ENGINE_T32], CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_V8) ||
	    !engine_open(&disasm->engines[ENGINE_T32_M], CS_ARCH_ARM,
	                 CS_MODE_THUMB | CS_MODE_V8 | CS_MODE_MCLASS)) {
		disasm_destroy(disasm);
		return NULL;
	}
	return disasm;
}

void disasm_destroy(struct disasm *disasm)
{
	if (!disasm)
		return;
	for (size_t i = 0; i < ENGINE_COUNT; i++) {
		struct engine *engine = &disasm->engines[i];

		if (engine->insn)
			cs_free(engine->insn, 1);
		if (engine->handle)
			(void)cs_close(&engine->handle);
	}
	free(disasm);
}

static struct engine *find_engine(struct disasm *disasm, enum isa isa)
{
	switch (isa) {
	case ISA_A64:
		return &disasm->engines[ENGINE_A64];
	case ISA_A32:
		return &disasm->engines[ENGINE_A32];
	case ISA_T32:
		return &disasm->engines[ENGINE_T32];
	case ISA_TEE:
	case ISA_JAZELLE:
	case ISA_UNKNOWN:
		break;
	}
	return NULL;
}

/* True if the last operand of the instruction is an address that the opcode gives. */
static bool has_label(uint32_t opcode, unsigned int size, enum isa isa)
{
	static const struct {
		enum isa isa;
		unsigned int size;
		uint32_t mask;
		uint32_t match;
	} rows[] = {
	        {ISA_A64, 4, 0x7c000000, 0x14000000}, /* B, BL */
	        {ISA_A64, 4, 0xff000010, 0x54000000}, /* B.cond */
	        {ISA_A64, 4, 0x7c000000, 0x34000000}, /* CBZ, CBNZ, TBZ, TBNZ */
	        {ISA_A64, 4, 0x1f000000, 0x10000000}, /* ADR, ADRP */
	        {ISA_A64, 4, 0x3b000000, 0x18000000}, /* LDR literal and the like */
	        {ISA_A32, 4, 0x0e000000, 0x0a000000}, /* B, BL, BLX */
	        {ISA_T32, 2, 0xf800, 0xd000},         /* B<c>, of any condition but 111x */
	        {ISA_T32, 2, 0xf400, 0xd000},         {ISA_T32, 2, 0xf200, 0xd000},
	        {ISA_T32, 2, 0xf800, 0xe000},         /* B */
	        {ISA_T32, 2, 0xf500, 0xb100},         /* CBZ, CBNZ */
	        {ISA_T32, 4, 0xfa00d000, 0xf0008000}, /* B<c>, as above */
	        {ISA_T32, 4, 0xf900d000, 0xf0008000}, {ISA_T32, 4, 0xf880d000, 0xf0008000},
	        {ISA_T32, 4, 0xf800d000, 0xf0009000}, /* B */
	        {ISA_T32, 4, 0xf800c000, 0xf000c000}, /* BL, BLX */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].isa == isa && rows[i].size == size &&
		    (opcode & rows[i].mask) == rows[i].match)
			return true;
	}
	return false;
}

static void put_operands(const char *operands, bool label, struct text *out)
{
	const char *hash = label ? strrchr(operands, '#') : NULL;

	if (operands[0] == '\0')
		return;
	text_char(out, ' ');
	if (!hash) {
		text_puts(out, operands);
		return;
	}
	text_add(out, (struct str){operands, (size_t)(hash - operands)});
	text_puts(out, hash + 1);
}

static void put_directive(uint32_t opcode, unsigned int size, enum isa isa, struct text *out)
{
	text_puts(out, ".inst");
	if (isa == ISA_T32)
		text_puts(out, size == 2 ? ".n" : ".w");
	text_puts(out, " 0x");
	text_hex(out, opcode, 2 * size);
}

/*
 * All `size` bytes are one instruction: a shorter one at their beginning is not what was executed.
 * Without an engine they are none.
 */
static bool is_decoded(const struct engine *engine, const uint8_t *code, size_t size,
                       uint64_t address)
{
	size_t left = size;

	return engine && cs_disasm_iter(engine->handle, &code, &left, &address, engine->insn) &&
	       left == 0;
}

void disasm_text(struct disasm *disasm, uint64_t address, uint64_t bits, unsigned int size,
                 enum isa isa, struct text *out)
{
	bool wide = isa == ISA_T32 && size == 4;
	uint32_t opcode = (uint32_t)bits;
	uint32_t bytes = wide ? opcode << 16 | opcode >> 16 : opcode; /* as memory holds them */
	const uint8_t code[4] = {(uint8_t)bytes, (uint8_t)(bytes >> 8), (uint8_t)(bytes >> 16),
	                         (uint8_t)(bytes >> 24)};
	const struct engine *engine = find_engine(disasm, isa);
	bool is_known;

	if (size > sizeof(code)) {
		text_puts(out, ".inst 0x");
		text_hex(out, bits, 2 * size);
		return;
	}
	is_known = is_decoded(engine, code, size, address);
	/* What the A and R profiles have no instruction for may be one of the M profile. */
	if (!is_known && isa == ISA_T32) {
		engine = &disasm->engines[ENGINE_T32_M];
		is_known = is_decoded(engine, code, size, address);
	}
	if (!is_known) {
		put_directive(opcode, size, isa, out);
		return;
	}
	text_puts(out, engine->insn->mnemonic);
	put_operands(engine->insn->op_str, has_label(opcode, size, isa), out);
}
