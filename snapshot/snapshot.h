/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loaded snapshot: the validated model of what is on disk (snapshot format 1.0, or a trace
 * package of the trace metadata's section 6). In: a folder, its snapshot.ini or contents.ini, or an
 * archive with one of them, and images. Out: devices, cores, trace sources, trace buffers, memory
 * maps.
 *
 * A trace package has no devices: each [trace_N] is a trace source here, and each source of program
 * flow has a core without registers.
 *
 * Everything here is open to read, owned by the snapshot and unchanged after snapshot_open().
 * Slices point into its arena or its mapped files.
 */
#ifndef CSREPLAY_SNAPSHOT_SNAPSHOT_H
#define CSREPLAY_SNAPSHOT_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/str.h"
#include "snapshot/elf_image.h"
#include "snapshot/memmap.h"
#include "snapshot/system_log.h"

/* One key of a [regs] section: "NAME(id:0x80,size:64)=0x...". */
struct snap_register {
	struct str name; /* as written, without the parentheses */
	uint32_t id;
	bool has_id;
	uint32_t bits;        /* 32 unless the key says otherwise */
	const uint8_t *value; /* little endian, (bits + 7) / 8 bytes */
	bool is_contested;    /* of a core: it is there again, with another value */
	struct place place;
};

/* One [dump...] section: a region of memory. */
struct snap_dump {
	struct str section; /* such as "dump0" */
	struct str file;    /* as written */
	struct str path;    /* of the file, absolute; empty if it could not be opened */
	enum space space;
	uint64_t address;
	uint64_t length;      /* bytes; 0 if nothing of the file could be used */
	uint64_t said_length; /* as the section says; 0 if it does not */
	uint64_t offset;      /* of the first byte in the file */
	const uint8_t *data;  /* mapped; `length` bytes */
	struct place place;
};

enum device_class {
	DEVICE_CORE,
	DEVICE_TRACE_SOURCE,
	DEVICE_MEMORY_SPACE,
	DEVICE_OTHER,
};

/* Register set and execution state of a core, from its type and its CPSR. */
enum core_arch {
	CORE_A64, /* Armv8 or later in AArch64 state */
	CORE_A32, /* A or R profile in AArch32 state */
	CORE_M,   /* M profile */
};

struct snap_device {
	struct str name;
	enum device_class class;
	struct str class_name; /* as written */
	struct str type;       /* as written, such as "Cortex-A53" or "ETM4.1" */
	struct str location;   /* empty if none */
	struct str file;       /* the device's ini file, relative to the snapshot */
	struct snap_register *registers;
	size_t register_count;
	struct snap_dump *dumps;
	size_t dump_count;
	struct place place;
};

/* Protocol family of a trace source, from its type. */
enum protocol {
	PROTOCOL_UNKNOWN,
	PROTOCOL_ETM3,
	PROTOCOL_PTM,
	PROTOCOL_ETM4,
	PROTOCOL_ETE,
	PROTOCOL_ITM,
	PROTOCOL_STM,
};

enum buffer_format {
	BUFFER_CORESIGHT,   /* 16-byte formatted frames */
	BUFFER_SOURCE_DATA, /* one source's bytes, unformatted */
	BUFFER_DSTREAM,
	BUFFER_OTHER,
};

struct snap_core;

/* What a trace package says of a source in place of registers; table: source_option.def. */
enum source_option {
#define OPTION(id, key, values) SOURCE_OPTION_##id,
#include "snapshot/source_option.def"
#undef OPTION
	SOURCE_OPTIONS, /* how many */
};

struct source_options {
	bool given[SOURCE_OPTIONS];
	uint8_t values[SOURCE_OPTIONS]; /* flags 0 or 1, sizes in bits */
};

/* A trace source device and where its trace is. */
struct snap_source {
	const struct snap_device *device;
	enum protocol protocol;
	struct snap_core *core;               /* the core it traces, or NULL (ITM, STM) */
	const struct source_options *options; /* of a trace package, else NULL */
	/* Indexes into snapshot.buffers that may hold its stream 0, in the order given. */
	const size_t *buffers;
	size_t buffer_count;
	/* That it was under another trace ID, until it was set up anew; or NULL. */
	const struct snap_source *before;
};

/* A device of class core: one thread for the debugger, in device-list order. */
struct snap_core {
	const struct snap_device *device;
	size_t index; /* from 0, in device-list order */
	enum core_arch arch;
	bool runs_big_endian; /* an image in its memory is */
	struct memmap *memory;
	struct snap_source **sources; /* its sources, in the order of [core_trace_sources] */
	size_t source_count;
	struct str cluster; /* empty if the snapshot names none */
};

/*
 * Devices that belong together: [clusters], format 1.0, 3.1.3. Without that section one without a
 * name has all cores. A device is in one cluster at most.
 */
struct snap_cluster {
	struct str name;
	const struct snap_device **devices; /* of any class, in the order given */
	size_t device_count;
	struct place place;
};

struct snap_buffer {
	struct str id;   /* its section, such as "buffer0" */
	struct str name; /* such as "ETB_0" */
	enum buffer_format format;
	struct str format_name; /* as written */
	struct bytes data;      /* the files one after the other; mapped */
	bool is_one_file;       /* pages of `data` that were forgotten come back from it */
	struct str file;        /* as written, for messages */
	struct place place;
};

/* A device of class memory_space: a view of a bus, such as AHB, that has dumps of its own. */
struct snap_memory_space {
	const struct snap_device *device;
	struct memmap *memory;
};

/* A program or library that a core file says was mapped (NT_FILE). */
struct snap_module {
	struct str path;
	uint64_t address;              /* of the file's first byte */
	struct bytes header;           /* the file's first bytes, as the core file holds them */
	struct bytes build_id;         /* in them; empty if it is not */
	const struct elf_image *image; /* of `images`, which agrees with it; or NULL */
};

struct snapshot {
	struct str path; /* the folder or archive, as the user named it */
	bool is_trace_package;
	struct str description;
	struct snap_device *devices;
	size_t device_count;
	struct snap_core *cores;
	size_t core_count;
	struct snap_cluster *clusters; /* in the order given */
	size_t cluster_count;
	struct snap_memory_space *memory_spaces; /* in device-list order */
	size_t memory_space_count;
	struct snap_source *sources;
	size_t source_count;
	struct snap_buffer *buffers;
	size_t buffer_count;
	/*
	 * Images of --image, then files that a core file says were mapped, then ELF files that
	 * dumps name; those the dumps show already.
	 */
	struct elf_image **images;
	size_t image_count;
	size_t mapped_images; /* how many of them are in the memory maps: all but those of dumps */
	struct snap_module *modules; /* of the core file, by address */
	size_t module_count;
	uint64_t timestamp_hz;   /* ticks of timestamps a second, as trace.ini says; 0: unknown */
	struct str debug_folder; /* of the user, with debug files; or empty */
	struct system_log *log;  /* what the operating system said while it was traced, or NULL */
	const struct device_range *device_ranges; /* of the user: memory that a device may change */
	size_t device_range_count;
	struct snapshot_private *private; /* arena, mapped files */
	/* What a layer to the right keeps with a snapshot that it made, destroyed with it; or NULL.
	 */
	void *extension;
	void (*destroy_extension)(void *extension);
};

/* --image ELF[@LOADADDRESS][,.SECTION=ADDRESS][,context=ID][,vmid=ID][,space=NAME] */
struct image_option {
	struct str path;
	uint64_t load_address; /* of its lowest segment, or .text; valid if has_load_address */
	bool has_load_address;
	struct elf_section_address *sections; /* of a relocatable file */
	size_t section_count;
	struct memory_context context; /* that alone has it */
	enum space space;              /* of the states that see it; 0: all */
};

struct snapshot_options {
	bool allow_outside; /* files may lie outside the snapshot's folder */
	const struct image_option *images;
	size_t image_count;
	struct str events;               /* a system event log; empty: none but the package's */
	enum contextidr_form contextidr; /* what the log's processes have in CONTEXTIDR */
	/* An ELF core file whose memory and registers cores without them have; empty: none. */
	struct str core_dump;
	uint64_t core_thread; /* whose registers; valid if has_core_thread, else the first one's */
	bool has_core_thread;
	struct str sysroot; /* a folder with the files of the machine that a core file is of; or
	                       empty */
	struct str debug_folder; /* with debug files of images; or empty */
	/* Memory of all cores that a device may change. */
	const struct device_range *device_ranges;
	size_t device_range_count;
};

/*
 * Loads the snapshot at `path`: a folder, the snapshot.ini or contents.ini in it, or an archive of
 * the folder (zip, tar, tar.gz, tar.xz, whatever its name); or an ELF core file. Every problem
 * goes to `diags`; what can be used in spite of them is loaded. Fails (the status of the first
 * error, *snapshot NULL) only when there is no model to work with: an image or a core file of the
 * options that cannot be had (USAGE if its path is wrong), no such folder, no or unreadable
 * snapshot.ini, wrong version, no usable device, an archive beyond the limits. The caller destroys
 * the snapshot.
 */
MUST_USE enum status snapshot_open(const char *path, const struct snapshot_options *options,
                                   struct diag_list *diags, struct snapshot **snapshot);
void snapshot_destroy(struct snapshot *snapshot); /* NULL is fine */

/*
 * Adds to `diags` what a debugger or a trace decoder would lack: format 1.0 section 4, and
 * contradictions between the files (`csreplay check`).
 */
void snapshot_check(const struct snapshot *snapshot, struct diag_list *diags);

/*
 * Adds to `diags` where the snapshot contradicts itself: dumps of a device that hold different
 * bytes at an address, registers with two values, trace sources with one trace ID. Of the first
 * nothing is known there; registers of cores that are contested are not known, and of such sources
 * nothing is decoded.
 */
void snapshot_check_contradictions(const struct snapshot *snapshot, struct diag_list *diags);

/* The first register called `name` without regard to case, contested or not, or NULL. */
const struct snap_register *snap_device_find_register(const struct snap_device *device,
                                                      struct str name);
/* The same; NULL, too, if it is contested. */
const struct snap_register *snap_device_register(const struct snap_device *device, struct str name);

/* They have other values, as far as both say them. */
bool snap_registers_differ(const struct snap_register *a, const struct snap_register *b);

/* The first that is there of several names, "SP|R13", or NULL. */
const struct snap_register *snap_device_any_register(const struct snap_device *device,
                                                     struct str names);

/*
 * Whose memory the core saw when it stopped, from CPSR and SCR (snapshot format 1.0, 4.1), of an M
 * profile from DSCSR. What its registers leave open is what `traced` says, the state in which the
 * trace left it (SPACE_ANY: not known); a core whose security state nobody says is non-secure, and
 * one without CPSR in any state.
 */
enum space snap_core_halt_space(const struct snap_core *core, enum space traced);

/* What contradicts code that a core executed: another core's dump, which has other bytes there. */
struct snap_rival {
	const struct snap_core *core; /* whose dump it is */
	const struct snap_dump *dump;
	struct memory_context context; /* in which that core halted, as its registers say */
	uint64_t address;              /* in the stretch where they differ */
};

/* What a core executed: from `first` to `last`, both included, as seen in `space`. */
struct snap_code {
	uint64_t first;
	uint64_t last;
	enum space space;
};

/*
 * True if `other` has dumps and may have halted in another context than the core, which halted in
 * `halted`.
 */
bool snap_core_may_rival(const struct snap_core *core, const struct memory_context *halted,
                         const struct snap_core *other);

/*
 * True if a dump of such a core holds other bytes than the core's map has of the code, in memory
 * that each process has for itself.
 */
bool snap_core_find_rival(const struct snap_core *core, const struct snap_core *other,
                          const struct snap_code *code, struct snap_rival *rival);

/*
 * A memory map of the core in which dumps of memory that each process has for itself are of the
 * context in which their core halted (mem_region.of_halt), but for pages of which all cores that
 * dumped them have the same. For snapshots without a system event log. The caller destroys the map;
 * NO_MEM, and UNSUPPORTED as memmap_freeze().
 */
MUST_USE enum status snap_core_memory_by_context(const struct snapshot *snapshot,
                                                 const struct snap_core *core,
                                                 const struct memory_context *halted,
                                                 struct memmap **map);

/* The trace ID that the source's registers or options give; false if they do not. */
bool snap_source_trace_id(const struct snap_source *source, uint8_t *id);
/*
 * True if another source of the buffer, an index, has the same trace ID: which of them wrote its
 * bytes cannot be told. Of reserved IDs and buffers of one source's data it is not asked.
 */
bool snap_source_shares_id(const struct snapshot *snapshot, const struct snap_source *source,
                           size_t buffer);
/* What says it: a register as it is written, or of a trace package the section. */
struct str snap_source_id_name(const struct snap_source *source);

/*
 * The low 32 bits of a register of a trace source: the device's, or what the options of a trace
 * package say, with a note that says so. BAD_DATA, with an error, if neither is there. `names` as
 * for snap_device_any_register().
 */
MUST_USE enum status snap_source_register(const struct snap_source *source, struct str names,
                                          struct diag_list *diags, uint32_t *value);

/* The low 64 bits of a register's value. */
uint64_t snap_register_value(const struct snap_register *reg);

/*
 * Warns once of each image that a dump contradicts where both are seen, with the range and which of
 * them counts. An image of one context is that of the core's only where the registers say so.
 */
void snapshot_check_images(const struct snapshot *snapshot, struct diag_list *diags);

/* By name; NULL if there is none. */
const struct snap_memory_space *snapshot_memory_space(const struct snapshot *snapshot,
                                                      struct str name);
const struct snap_buffer *snapshot_buffer(const struct snapshot *snapshot, struct str name);

const char *protocol_name(enum protocol protocol);
/* True if the protocol says which instructions a core executed. */
bool protocol_is_program_flow(enum protocol protocol);
const char *core_arch_name(enum core_arch arch);

#endif
