/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions by address, from the symbol tables of ELF images (System V ABI, "Symbol Table"; ELF for
 * the Arm Architecture, "Mapping symbols"), of an object where its sections lie. In: images. Out:
 * the function that an address lies in.
 *
 * A function is a symbol of type FUNC or GNU_IFUNC, or one without a type in executable code, which
 * is how assembler names its entries. A sized one has the addresses of its size; one without
 * reaches to the next, or to the end of its section. Mapping symbols are none, and what lies inside
 * a sized function is none. A table that is damaged gives what is sound of it, one of a big-endian
 * file nothing. Where two images that different contexts see have the address, no name is given.
 */
#ifndef CSREPLAY_SNAPSHOT_SYMBOLS_SYMBOLS_H
#define CSREPLAY_SNAPSHOT_SYMBOLS_SYMBOLS_H

#include "base/text.h"
#include "snapshot/elf_image.h"

struct symbols;

struct function_symbol {
	uint64_t start;
	uint64_t end;    /* after its last byte */
	uint64_t key;    /* of the image: equal names of two images are two functions */
	struct str name; /* lives as long as the image */
};

/* The images outlive it. NO_MEM. */
MUST_USE enum status symbols_open(struct elf_image *const *images, size_t count,
                                  struct symbols **symbols);
void symbols_close(struct symbols *symbols); /* NULL is fine */

/* False if no image says it; NULL as `symbols` is none. */
bool symbols_find(const struct symbols *symbols, uint64_t address, struct function_symbol *found);

/*
 * The object (a variable) of this name, a symbol of type OBJECT, or of data with a size and no
 * type: its first byte and how many it has. How many there are: one that all files see hides those
 * of one file; else, of several, none is it.
 */
size_t symbols_find_object(const struct symbols *symbols, struct str name, uint64_t *address,
                           uint64_t *size);

/* Appends "table+0x8" of an address in an object with a size; false, and nothing, if it is in none.
 */
bool symbols_format_object(const struct symbols *symbols, uint64_t address, struct text *out);

/*
 * Tells of every function and every object whose name begins with `prefix`, a name as often as
 * there are; `name` lives as long as the image.
 */
typedef void symbols_name(void *context, struct str name, uint64_t address, bool is_function);
void symbols_visit(const struct symbols *symbols, struct str prefix, symbols_name *visit,
                   void *context);

/*
 * Appends "main+0x1c", or "main" at its start; without a symbol the address in hexadecimal.
 */
void symbols_format(const struct symbols *symbols, uint64_t address, struct text *out);

#endif
