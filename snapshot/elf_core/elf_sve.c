/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of NT_ARM_SVE; see elf_sve.h. */
#include "snapshot/elf_core/elf_sve.h"

enum {
	HEADER = 16,         /* SVE_PT_REGS_OFFSET: size, max_size, vl, max_vl, flags, reserved */
	FLAG_SVE = 1,        /* SVE_PT_REGS_MASK: else SVE_PT_REGS_FPSIMD */
	FPSIMD_SIZE = 520,   /* V0 to V31, FPSR, FPCR; the kernel's two words of padding after it */
	VECTOR_FLAGS_AT = 12 /* of `flags` in the header */
};

static enum status read_sve(struct bytes note, size_t length, struct elf_sve *sve)
{
	struct bytes b = note;
	size_t predicates = (SVE_P + 1) * (length / 8);

	TRY(bytes_skip(&b, HEADER));
	TRY(bytes_take(&b, SVE_Z * length, &sve->z));
	TRY(bytes_take(&b, predicates, &sve->p));
	/* FPSR stands at a multiple of a quadword. */
	TRY(bytes_skip(&b, -predicates & (SVE_QUADWORD - 1)));
	return bytes_take(&b, 8, &sve->status);
}

static enum status read_fpsimd(struct bytes note, struct elf_sve *sve)
{
	TRY(bytes_skip(&note, HEADER));
	return bytes_take(&note, FPSIMD_SIZE, &sve->fp);
}

static enum status read_header(struct bytes note, struct bytes *vl, uint64_t *length,
                               uint64_t *flags)
{
	struct bytes b;

	TRY(bytes_skip(&note, 8));
	TRY(bytes_take(&note, 2, vl));
	TRY(bytes_skip(&note, VECTOR_FLAGS_AT - 10));
	TRY(bytes_le(&note, 2, flags));
	TRY(bytes_skip(&note, HEADER - VECTOR_FLAGS_AT - 2));
	b = *vl;
	return bytes_le(&b, 2, length);
}

enum status elf_sve_read(struct bytes note, struct elf_sve *sve)
{
	struct elf_sve read = {.length = 0};
	uint64_t length;
	uint64_t flags;

	TRY(read_header(note, &read.vl, &length, &flags));
	if (length == 0 || length % SVE_QUADWORD != 0 || length > SVE_LENGTH_MOST)
		return STATUS_BAD_DATA;
	if ((flags & FLAG_SVE) != 0) {
		TRY(read_sve(note, (size_t)length, &read));
		read.length = (size_t)length;
	} else {
		TRY(read_fpsimd(note, &read));
	}
	*sve = read;
	return STATUS_OK;
}
