/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for the packet reader of any protocol. In: a reader, twice, and bytes. */
#ifndef CSREPLAY_TESTS_FUZZ_FUZZ_PACKETS_H
#define CSREPLAY_TESTS_FUZZ_FUZZ_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/text.h"

struct fuzz_packet {
	int type;
	uint32_t size;     /* bytes */
	bool is_searching; /* the reader was not synchronised before it */
	struct text text;  /* printed */
};

/* Reads one packet; `reader` and statuses are those of the protocol's reader. */
typedef enum status (*fuzz_next_packet)(void *reader, struct bytes *in, struct fuzz_packet *packet);

/*
 * Reads all packets with `once`, and again with `cut`, another reader in the same state, which is
 * shown each packet cut short before it is shown it whole. Holds: every packet takes the bytes that
 * its size says, at least one; END and TRUNCATED are told apart and come at the end alone; a
 * packet cut anywhere is TRUNCATED and leaves no trace in the reader; every packet can be printed.
 */
void fuzz_packets(fuzz_next_packet next, void *once, void *cut, struct bytes in);

#endif
