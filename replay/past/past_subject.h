/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked about: a register of the core, or bytes of memory; and what is known of a value. */
#ifndef CSREPLAY_REPLAY_PAST_PAST_SUBJECT_H
#define CSREPLAY_REPLAY_PAST_PAST_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/uop/uop.h"

enum { PAST_WRITES_COUNTED = 1000 }; /* possible ones, no more */

struct past_subject {
	bool is_memory;
	unsigned int number; /* of a register in the register file (arch/register.h) */
	uint64_t address;    /* of memory: the first byte, without a tag: values_untagged() */
	uint64_t size;       /* bytes, at least 1 */
};

/* Up to 8 bytes. */
struct past_value {
	struct bits bits;
	unsigned int width; /* bits that it has */
	bool is_assumed;    /* what is known of it is not all proved */
};

/* An instruction of a history, or none: what lies between two. */
struct past_code {
	bool is_there;
	uint64_t pc;
	uint32_t opcode;
	uint8_t size; /* bytes */
	uint8_t isa;  /* enum isa */
};

/* All that it has is known. */
static inline bool past_value_is_known(const struct past_value *value)
{
	return bits_all_known(&value->bits, value->width);
}

#endif
