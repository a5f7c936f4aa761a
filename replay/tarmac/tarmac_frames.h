/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What addresses lead to, in frames of 4 KiB: of a physical address space, or of a translation
 * regime of a core where no line says a physical address. In: a space and the number of a page.
 * Out: a number by which memory is kept (word_log.h), equal where the two are one place.
 *
 * Spaces are a physical address space each (Secure, Non-secure, Root, Realm, and the one of lines
 * that do not say which), and one a core and regime for addresses that no line translates. S:5000
 * and NS:5000 are two frames, and so are 5000 of EL1 and 5000 of EL3. Which of them are one place
 * is settled after the last line, by tarmac_frames_settle():
 *   - in a text without any physical address an address is the same place in all regimes and cores;
 *   - else an address of a regime is the physical one of that number whose line says so first
 *     (tarmac_frames_join()), and one that no line translates is of unknown space: a write to
 *     such a place leaves unknown what every other space holds at that number, and the other way.
 */
#ifndef CSREPLAY_REPLAY_TARMAC_TARMAC_FRAMES_H
#define CSREPLAY_REPLAY_TARMAC_TARMAC_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "replay/tarmac/tarmac_slot.h"

enum {
	TARMAC_PAGE_BITS = 12,
	TARMAC_PAGE_WORDS = 1 << (TARMAC_PAGE_BITS - 3), /* of 8 bytes */
};

#define TARMAC_FRAME_NONE UINT32_MAX

struct tarmac_frame {
	uint64_t page;       /* number, of the address */
	uint32_t space;      /* tarmac_space_physical(), tarmac_space_regime() */
	uint32_t place;      /* the frame that this is, or itself */
	uint32_t beside;     /* the next frame of the same page, in a ring; set when settled */
	uint32_t perhaps[2]; /* places that what is written here may be, too; or itself */
};

struct tarmac_frames {
	uint32_t *table; /* numbers + 1, open addressing */
	size_t slots;
	struct tarmac_frame *frames;
	size_t count;
	size_t capacity;
	unsigned int physical; /* set of 1 << enum tarmac_security */
	uint64_t regimes;      /* set of 1 << regime, of any core */
};

uint32_t tarmac_space_physical(enum tarmac_security security);
uint32_t tarmac_space_regime(uint32_t core, uint8_t regime);

/* The frame of a page, which is new if it is the first time. NO_MEM. */
MUST_USE enum status tarmac_frame_of(struct tarmac_frames *frames, uint32_t space, uint64_t page,
                                     uint32_t *frame);
/* The same, TARMAC_FRAME_NONE if there is none. */
uint32_t tarmac_frame_find(const struct tarmac_frames *frames, uint32_t space, uint64_t page);

/* Lines say that the regime's `frame` has been `place` from the start of the text on. */
void tarmac_frames_join(struct tarmac_frames *frames, uint32_t frame, uint32_t place);

/*
 * A frame in place of `place`, for accesses whose lines do not say where the page is, which was
 * seen to be there before. NO_MEM.
 */
MUST_USE enum status tarmac_frames_stand_in(struct tarmac_frames *frames, uint32_t place,
                                            uint32_t *frame);

/*
 * What is written to the frame, a stand-in or a regime's, may have been written to either place,
 * which are both `place` if there is one.
 */
void tarmac_frames_doubt(struct tarmac_frames *frames, uint32_t frame, uint32_t place,
                         uint32_t other);

/* To be called once, after the last line. NO_MEM. */
MUST_USE enum status tarmac_frames_settle(struct tarmac_frames *frames);

/* The place that the frame is, once settled. */
uint32_t tarmac_frame_place(const struct tarmac_frames *frames, uint32_t frame);

bool tarmac_frame_is_physical(const struct tarmac_frames *frames, uint32_t frame);
/* True if all addresses are of one space: of the physical one, or of the one regime. */
bool tarmac_frames_are_alike(const struct tarmac_frames *frames, bool of_physical);

/* True if no line says a physical address. */
bool tarmac_frames_are_flat(const struct tarmac_frames *frames);

/*
 * For word_log_spread(): index 0 is the key of the place that `key` is; the others are those whose
 * bytes a write to it may be. False after the last.
 */
bool tarmac_frames_spread(void *frames, uint64_t key, unsigned int index, uint64_t *to);

/* Key of the doubleword at byte `address` % page of the frame, for word logs; and its address back.
 */
uint64_t tarmac_frame_key(uint32_t frame, uint64_t address);
uint64_t tarmac_frame_address(const struct tarmac_frames *frames, uint64_t key);

void tarmac_frames_fini(struct tarmac_frames *frames);

#endif
