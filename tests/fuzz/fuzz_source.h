/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace source made from a fuzz input. In: the bytes. Out: a source with its registers, a core
 * with memory, a buffer with trace: what decoder_open() takes. The input's layout, all numbers
 * little endian:
 *
 *	u8          options, enum fuzz_option
 *	u8          bits 0-1: core (A64, A32, Armv7-M, Armv8-M); bits 2-4: packing of the buffer
 *	u32[8]      the registers of the protocol, in the order of fuzz_source.c
 *	u64         address of the memory
 *	u16         its size
 *	...         the memory
 *	...         the trace
 */
#ifndef CSREPLAY_TESTS_FUZZ_FUZZ_SOURCE_H
#define CSREPLAY_TESTS_FUZZ_FUZZ_SOURCE_H

#include <stdint.h>

#include "base/bytes.h"
#include "decoder/decoder.h"
#include "snapshot/memmap.h"
#include "snapshot/snapshot.h"

enum fuzz_option {
	FUZZ_ETE = 1, /* the trace unit is an ETE, if it could be an ETMv4 */
	FUZZ_SPLITS_SOURCES = 2,
	FUZZ_NO_CORE = 4,
	FUZZ_PACKETS = 8, /* decode once more, with the packets listed, and by the atom batch */
	FUZZ_KEEPS_TO_CODE = 16, /* as a history wants it */
};

enum { FUZZ_REGISTERS = 8 };

struct fuzz_source {
	struct snap_source source;
	struct snap_buffer buffer;
	struct decoder_options options;
	struct bytes trace;
	bool compares; /* FUZZ_PACKETS */
	/* What the above refers to. */
	struct snap_core core;
	struct snap_device core_device;
	struct snap_device device;
	struct snap_register registers[FUZZ_REGISTERS];
	uint8_t values[FUZZ_REGISTERS][4];
};

/* `data` must outlive it. */
void fuzz_source_init(struct fuzz_source *fuzz, enum protocol protocol, const uint8_t *data,
                      size_t size);
void fuzz_source_fini(struct fuzz_source *fuzz);

/*
 * Decodes the trace, and with FUZZ_PACKETS again with its packets and by the atom batch
 * (fuzz_batches.h). What must hold: the elements are the same each time, their number is bounded by
 * the trace's length, the last one alone is EO_TRACE, the position never goes back or beyond the
 * buffer, no instruction range is empty or lies where there is no memory, every element can be
 * printed, and after END there is nothing but END.
 */
void fuzz_decode(enum protocol protocol, const uint8_t *data, size_t size);

#endif
