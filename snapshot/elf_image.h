/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ELF file as an image of memory: its loadable segments. Read with libelf (elf_image.c is the
 * only file that includes it).
 */
#ifndef CSREPLAY_SNAPSHOT_ELF_IMAGE_H
#define CSREPLAY_SNAPSHOT_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/elf_object/elf_segment.h"
#include "snapshot/space.h"

struct elf_image {
	struct str path;   /* absolute, NUL-terminated: what the debugger is told */
	struct bytes file; /* the whole file, mapped */
	bool is_64bit;
	bool is_core;       /* a core file: what its segments hold was so at the halt */
	bool is_big_endian; /* its data is, as a program loads and stores it */
	bool is_movable;    /* made to be loaded anywhere (ET_DYN) */
	bool is_object;     /* relocatable (ET_REL): its sections lie where the user says */
	bool is_mapped;     /* a core file says where it was mapped */
	bool is_logged;     /* an event log says where and when it was loaded */
	uint16_t machine;   /* e_machine: EM_AARCH64 or EM_ARM */
	uint64_t entry;     /* moved by the load address */
	uint64_t load_bias; /* what was added to the file's addresses */
	/* Who sees it: as the user says, by default everyone. */
	enum space space;
	struct memory_context context;
	/* PT_LOAD, in file order; of an object what is known of its sections, relocated. */
	struct elf_segment *segments;
	size_t segment_count;
	struct bytes *notes; /* PT_NOTE, in file order; of an object SHT_NOTE */
	size_t note_count;
	/* Of an object, by number of the section: where it lies; 0: it is not placed. */
	uint64_t *section_addresses;
	size_t section_count;
	bool is_cut; /* a core file that ends before its segments do: these are what is there */
};

/* What the program was loaded with, and may have written since: mem_region.is_initial. */
static inline bool elf_segment_is_initial(const struct elf_image *image,
                                          const struct elf_segment *segment)
{
	return segment->writable && !image->is_core;
}

/* True if the bytes begin with the ELF magic. */
bool elf_image_is_elf(struct bytes file);

/* Where a section of an object lies. */
struct elf_section_address {
	struct str name; /* such as ".data" */
	uint64_t address;
};

struct elf_placement {
	const uint64_t
	        *load_address; /* of the lowest segment, or an object's .text; NULL: not said */
	const struct elf_section_address *sections; /* of an object */
	size_t section_count;
};

/*
 * Opens the ELF at `path` for an Arm machine, little or big endian. With `load_address` not NULL
 * its lowest segment lies there and all its addresses move along. BAD_DATA if it is no sound ELF,
 * UNSUPPORTED for another machine; one error in `diags` at `place`. The caller closes it; NULL is
 * fine there.
 *
 * Of an object (ET_REL, little endian) what is placed is relocated (elf_object/relocate.h). A place
 * whose symbol is not in a placed section, or whose relocation is not carried out, is in no
 * segment: its bytes are not known. UNSUPPORTED if nothing is placed, BAD_DATA for a section that
 * it has not.
 *
 * Code that a Linux kernel writes over, as tables in vmlinux and in modules say, is in no segment
 * either (elf_object/patch_table.h); a note in `diags`.
 */
MUST_USE enum status elf_image_open_placed(const char *path, const struct elf_placement *placement,
                                           struct place place, struct diag_list *diags,
                                           struct elf_image **image);
MUST_USE enum status elf_image_open(const char *path, const uint64_t *load_address,
                                    struct place place, struct diag_list *diags,
                                    struct elf_image **image);
/* The same of a file in memory, which outlives the image as `path` does. */
MUST_USE enum status elf_image_open_bytes(struct bytes file, struct str path, struct place place,
                                          struct diag_list *diags, struct elf_image **image);
void elf_image_close(struct elf_image *image);

/* NT_GNU_BUILD_ID; empty if there is none. */
struct bytes elf_image_build_id(const struct elf_image *image);

/* Moves all addresses by `bias`. BAD_DATA, and nothing moved, if a segment would wrap. */
MUST_USE enum status elf_image_move(struct elf_image *image, uint64_t bias);

#endif
