/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the snapshot loader share; private to snapshot/. */
#ifndef CSREPLAY_SNAPSHOT_LOAD_H
#define CSREPLAY_SNAPSHOT_LOAD_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/elf_core/elf_core.h"
#include "snapshot/file/files.h"
#include "snapshot/file/ini.h"
#include "snapshot/snapshot.h"

#define SNAPSHOT_HEAD "snapshot.ini"
#define PACKAGE_HEAD  "contents.ini"

struct snapshot_private {
	struct arena arena;
	struct snap_files files;
	struct elf_image *core_dump; /* or NULL */
	struct elf_core core_notes;  /* what its notes say */
	struct file_map events;      /* the file of --events */
	struct snap_files beside;    /* files beside it */
};

struct loader {
	struct snapshot *snapshot;
	struct arena *arena;
	struct snap_files *files;
	struct diag_list *diags;
};

/* A loader of a new snapshot, to be ended with loader_end() in any case. NO_MEM. */
MUST_USE enum status loader_begin(struct loader *loader, struct diag_list *diags);
/* The snapshot goes to the caller if `status` is OK, else away. Returns `status`. */
enum status loader_end(struct loader *loader, enum status status, struct snapshot **snapshot);

/* Zeroed room for `count` items in the arena; a pointer to keep even if count is 0. */
MUST_USE enum status load_array(struct loader *loader, size_t count, size_t size, void **items);

/* The INI file `name`, named at `place`; diagnosed if it cannot be had. */
MUST_USE enum status load_ini(struct loader *loader, struct str name, struct place place,
                              struct ini_file *file);

/*
 * The value of a key as a number; *value stays as it is if the section has no such key. BAD_DATA,
 * diagnosed, if it is no number.
 */
MUST_USE enum status load_number(struct loader *loader, const struct ini_file *file,
                                 const struct ini_section *section, struct str key,
                                 uint64_t *value);

/* snapshot.c: a copy of the memory that a device may change, for the maps. NO_MEM. */
MUST_USE enum status load_device_ranges(struct loader *loader,
                                        const struct snapshot_options *options);

/* snapshot.c: images of --image, and where their debug files are. The status of the first that
 * cannot be had: USAGE for a wrong path. */
MUST_USE enum status load_images(struct loader *loader, const struct snapshot_options *options);

/* snapshot.c: all cores in one cluster without a name, if there is none. NO_MEM. */
MUST_USE enum status load_one_cluster(struct loader *loader);

/*
 * core_dump.c: a snapshot that is the core file at `path`: a core a thread. USAGE if the options
 * have a core file too.
 */
MUST_USE enum status load_core_alone(struct loader *loader, const char *path,
                                     const struct snapshot_options *options);

/*
 * core_dump.c: registers and memory of options->core_dump for cores that have none; devices and
 * cores are there already. OK without one. USAGE for a wrong path, NOT_FOUND without the thread,
 * BAD_DATA where a core cannot be a thread's.
 */
MUST_USE enum status load_core_beside(struct loader *loader,
                                      const struct snapshot_options *options);

/*
 * core_dump.c: images of the files that the core file says were mapped, after those of --image; OK
 * without a core file. Looked for under options->sysroot and beside the core file, nowhere else.
 * One that has another build ID than the core file says, or without one another first page, is not
 * used, nor is one of which the core file holds neither: a warning says so. NO_MEM.
 */
MUST_USE enum status load_core_files(struct loader *loader, const struct snapshot_options *options);

/*
 * kernel_offset.c: moves vmlinux of --image to where memory has it, if that is proved to be
 * elsewhere than it was linked and the user does not say where it lies; a note says by how much.
 * Devices and their dumps are there already. NO_MEM.
 */
MUST_USE enum status load_kernel_offsets(struct loader *loader,
                                         const struct snapshot_options *options);

/* locate.c: whether the file at `path` is an ELF file; one that cannot be read is none. NO_MEM. */
MUST_USE enum status load_is_elf(const char *path, bool *is_elf);

/* locate.c: true if the snapshot's folder or archive has a file of that name. */
bool load_has_file(const struct loader *loader, const char *name);

/*
 * system_log.c: the system event log, if there is one, with the images that it names; those of
 * --image are there already. What is wrong with it is diagnosed; USAGE if --events cannot be had,
 * NO_MEM.
 */
MUST_USE enum status load_system_log(struct loader *loader, const struct snapshot_options *options);
/* source_change.c: further trace IDs of sources, as the log says. NO_MEM. */
MUST_USE enum status load_source_changes(struct loader *loader);
void load_system_log_fini(struct system_log *log); /* NULL is fine */

/* locate.c: finds the folder or archive that the argument `path` of snapshot_open() stands for. */
MUST_USE enum status load_locate(struct loader *loader, const char *path);

/* contents.c: all of a trace package but images and memory. */
MUST_USE enum status load_contents(struct loader *loader);

/* contents.c: what its cores are, from their trace and, in doubt, from the images. */
void load_contents_arch(struct snapshot *snapshot);

/* device.c: fills a device from its file. BAD_DATA or NOT_FOUND, diagnosed, if it has no use. */
MUST_USE enum status load_device(struct loader *loader, struct str file, struct place place,
                                 struct snap_device *device);

/* device.c: the [dump] sections of a file, as dumps of the device. */
MUST_USE enum status load_dumps(struct loader *loader, const struct ini_file *file,
                                struct snap_device *device);

/* register.c: one key of a [regs] section. BAD_DATA, diagnosed, if it cannot be used. */
MUST_USE enum status load_register(struct loader *loader, const struct ini_file *file,
                                   const struct ini_entry *entry, struct snap_register *reg);

/* register.c: finds what of a core's registers is contested (snap_register). NO_MEM. */
MUST_USE enum status load_contested(struct snap_device *device);

/* register.c: a copy of the registers by name, those of one name as in the file; one more than
 * there are. The caller frees it. NULL without memory. */
struct snap_register *load_registers_by_name(const struct snap_device *device);

/* trace_meta.c: buffers, and which source is traced where; cores and sources are there already. */
MUST_USE enum status load_trace(struct loader *loader, struct str file, struct place place);

/* trace_meta.c: the meaning of a buffer's format. */
enum buffer_format load_buffer_format(struct str name);

/* core_memory.c: the memory map of each core; devices and images are there already. */
MUST_USE enum status load_memory(struct loader *loader);

/*
 * logged_memory.c: the part of a memory map that a system event log says. In: the log, regions as
 * the snapshot has them. Out: regions of owners and states.
 *
 * A dump is what a core saw when it halted. Where the log names code of the kernel, it is the
 * kernel's, which all contexts have; where it names code of processes, it is the process' whose
 * CONTEXTIDR the core's registers have, else of nobody but the halted core; but that what was
 * patched without its code is found there, if one process alone has something there. It holds from
 * the last change on that the log tells of that place. Elsewhere contexts that are declared have
 * it.
 */

/* Adds regions to a map; `context` is the caller's. */
typedef enum status logged_memory_adder(void *context, const struct mem_region *region);

/*
 * Cuts the dump `region` of `device` into what the log makes of it and gives `add` each part; those
 * that changed are not read_only, of the others that is left to `add`.
 */
MUST_USE enum status logged_memory_cut_dump(const struct system_log *log,
                                            const struct snap_device *device,
                                            const struct mem_region *region,
                                            logged_memory_adder *add, void *context);

/* Makes a region of an image of the user one of the log's owners. */
void logged_memory_bind(const struct system_log *log, struct mem_region *region);

/* All pieces of the log, as regions. NO_MEM. */
MUST_USE enum status logged_memory_add_pieces(const struct snapshot *snapshot,
                                              logged_memory_adder *add, void *context);

#endif
