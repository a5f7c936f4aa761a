/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recorded execution: the state before each instruction, every change of memory, and what
 * interrupted it. In: readers of several recorders. Out: the truth at any position.
 */
#ifndef CSREPLAY_TESTS_VALUES_TRUTH_RECORDING_H
#define CSREPLAY_TESTS_VALUES_TRUTH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/element/element.h"
#include "snapshot/snapshot.h"

enum {
	GENERAL = 32,      /* X0 to X30 and SP; A32: R0 to R12, SP, LR and nothing */
	VECTOR_WORDS = 64, /* V0 to V31, low half first; A32: D0 to D31 */
	CHANGE_MOST = 16,
};

/* Registers before an instruction; those that were not recorded have no bit in the masks. */
struct state {
	uint64_t pc;
	uint64_t x[GENERAL];
	uint32_t known; /* of x */
	uint32_t psr;   /* as CPSR has it */
	enum isa isa;
	bool has_flags;
	bool has_vectors;
	bool has_stacks; /* M profile: both stack pointers are known */
	uint32_t msp;
	uint32_t psp;
};

/* One instruction changed at most so many bytes at once; longer changes are several. */
struct change {
	uint64_t step;
	uint64_t address;
	uint8_t length;
	uint8_t old[CHANGE_MOST];
	uint8_t new[CHANGE_MOST];
};

/* Memory that the snapshot will hold, at the moment that the recording stands at. */
struct range {
	uint64_t address;
	uint64_t length;
	uint8_t *bytes;
	uint32_t *
	        known_from; /* by byte, the state that it is known from; NULL: all from the first */
	bool read_only;
};

/* Before instruction `position`. */
struct between {
	uint64_t position;
	struct element element;
};

struct recording {
	enum core_arch arch;
	enum protocol protocol;            /* whose exceptions are those between */
	bool has_security;                 /* M profile with Security Extension */
	enum security_state security;      /* then: that it is in */
	struct state *states;              /* `count` and the one after */
	uint64_t (*vectors)[VECTOR_WORDS]; /* NULL: none recorded */
	size_t count;
	size_t first; /* where the trace begins */
	struct change *changes;
	size_t change_count;
	size_t change_capacity;
	struct range *ranges;
	size_t range_count;
	struct between *betweens;
	size_t between_count;
	size_t between_capacity;
	size_t at;        /* the moment: before state `at` */
	size_t at_change; /* changes before it are done */
};

void recording_fini(struct recording *r);

/* Ends the program without memory; `size` is that of an item. */
void recording_room(void *items, size_t *capacity, size_t count, size_t size);
void recording_add_change(struct recording *r, const struct change *change);
void recording_add_range(struct recording *r, struct range range);

/* Moves to a moment. */
void recording_go(struct recording *r, size_t at);
/* Whether a byte is known at the present moment. */
bool range_knows(const struct recording *r, const struct range *range, uint64_t offset);
/* The byte at the present moment, or NULL. */
const uint8_t *recording_byte(const struct recording *r, uint64_t address);
void recording_write(struct recording *r, uint64_t address, const uint8_t *bytes, size_t length);

/* Readers. False with a message on stdout. */
bool read_corpus(struct recording *r, const char *folder, const char *truth, const char *changes);
/* `seen`: the folder of memory_plugin.c's files; NULL if changes are to be what stores say. */
bool read_qemu(struct recording *r, const char *log, uint64_t from, uint64_t to, const char *dumps,
               const char *seen);
bool read_tarmac(struct recording *r, const char *path, const char *image, size_t core);

#endif
