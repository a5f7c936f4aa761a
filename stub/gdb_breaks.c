/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakpoints: Z0 and Z1 mean the same here, but a stop says which of them it was. Watchpoints (Z2
 * to Z4) need the accesses of the past and are refused where the trace does not carry them.
 */
#include "base/vec.h"
#include "stub/gdb.h"
#include "stub/rsp_request.h"

struct breakpoint_args {
	uint64_t type;
	uint64_t address;
	uint64_t kind; /* bytes of the instruction it is for, or that are watched */
	bool is_odd;   /* gdb_breakpoint */
	struct str conditions;
};

enum {
	TYPE_HARDWARE = 1,
	TYPE_WATCH = 2, /* the first of three: write, read, access */
	TYPES = 5,
};

static bool parse(struct str args, struct breakpoint_args *parsed)
{
	if (rsp_next_hex(&args, ',', &parsed->type) != STATUS_OK ||
	    rsp_next_hex(&args, ',', &parsed->address) != STATUS_OK ||
	    rsp_next_hex(&args, ';', &parsed->kind) != STATUS_OK)
		return false;
	parsed->conditions = args;
	/* gdb sends what the user wrote, and "break *0x8001" is how he says T32. */
	parsed->is_odd = parsed->type < TYPE_WATCH && (parsed->kind == 2 || parsed->kind == 3) &&
	                 parsed->address % 2 != 0;
	parsed->address -= parsed->is_odd;
	return true;
}

/*
 * Why no instruction can be at that place, or NULL. Kinds are gdb's: 4 is A64 or A32, 2 and 3 are
 * T32 of 2 and 4 bytes. Without symbols gdb guesses between A32 and T32, so the kind is not held
 * against the address.
 */
static const char *wrong_place(enum core_arch arch, const struct breakpoint_args *args)
{
	if (arch == CORE_A64)
		return args->kind == 4 && args->address % 4 == 0
		               ? NULL
		               : "an A64 instruction has 4 bytes and lies at a multiple of 4";
	return args->kind >= 2 && args->kind <= 4 && args->address % 2 == 0
	               ? NULL
	               : "an instruction has 2 or 4 bytes and lies at a multiple of 2";
}

/* Index of the breakpoint, or breakpoint_count. */
static size_t find(const struct gdb *gdb, uint64_t address, bool hardware)
{
	size_t i = 0;

	while (i < gdb->breakpoint_count &&
	       (gdb->breakpoints[i].address != address || gdb->breakpoints[i].hardware != hardware))
		i++;
	return i;
}

const struct gdb_breakpoint *gdb_find_breakpoint(const struct gdb *gdb, uint64_t address)
{
	for (size_t i = 0; i < gdb->breakpoint_count; i++) {
		if (gdb->breakpoints[i].address == address)
			return &gdb->breakpoints[i];
	}
	return NULL;
}

static enum status insert(struct gdb *gdb, const struct breakpoint_args *args)
{
	uint64_t address = args->address;
	bool hardware = args->type == TYPE_HARDWARE;
	size_t i = find(gdb, address, hardware);

	if (i < gdb->breakpoint_count) {
		gdb_set_conditions(&gdb->breakpoints[i], args->conditions);
		gdb->breakpoints[i].is_odd &= args->is_odd;
		return STATUS_OK;
	}
	if (gdb->breakpoint_count == GDB_BREAKPOINTS_MOST)
		return STATUS_UNSUPPORTED;
	TRY(vec_reserve((void **)&gdb->breakpoints, &gdb->breakpoint_capacity,
	                gdb->breakpoint_count + 1, sizeof(*gdb->breakpoints)));
	TRY(session_break_set(gdb->session, address));
	gdb->breakpoints[i] = (struct gdb_breakpoint){
	        .address = address, .hardware = hardware, .is_odd = args->is_odd};
	gdb_set_conditions(&gdb->breakpoints[i], args->conditions);
	gdb->breakpoint_count++;
	return STATUS_OK;
}

static struct watch watch_of(const struct breakpoint_args *args)
{
	static const enum watch_kind kinds[] = {WATCH_WRITE, WATCH_READ, WATCH_ACCESS};

	return (struct watch){kinds[args->type - TYPE_WATCH], args->address, args->kind};
}

static void insert_watchpoint(struct gdb *gdb, const struct breakpoint_args *args)
{
	struct watch watch = watch_of(args);

	if (!session_can_watch(gdb->session)) {
		gdb_error_text(gdb, "watchpoints need past values of memory, which are not known");
		return;
	}
	/* gdb looks at the access as yet to come and makes one step of its own; lldb does not. */
	session_watch_after(gdb->session, gdb->client == CLIENT_LLDB);
	if (session_watch_set(gdb->session, &watch) != STATUS_OK) {
		gdb_error_text(gdb, "a watchpoint has 1 to %d bytes", WATCH_MOST);
		return;
	}
	gdb_watch_set(gdb, &watch);
	gdb_ok(gdb);
}

void gdb_insert_breakpoint(struct gdb *gdb, struct str args)
{
	struct breakpoint_args parsed = {0};
	bool is_sound = parse(args, &parsed) && parsed.type < TYPES;
	const char *wrong = wrong_place(session_registers(gdb->session)->arch, &parsed);

	if (!is_sound)
		gdb_error(gdb, 1);
	else if (parsed.type >= TYPE_WATCH)
		insert_watchpoint(gdb, &parsed);
	else if (wrong)
		gdb_error_text(gdb, "%s", wrong);
	else if (insert(gdb, &parsed) != STATUS_OK)
		gdb_error_text(gdb, "no more than %d breakpoints", GDB_BREAKPOINTS_MOST);
	else
		gdb_ok(gdb);
	gdb->has_inserted = is_sound && parsed.type < TYPE_WATCH;
	gdb->inserted = parsed.address;
}

void gdb_remove_breakpoint(struct gdb *gdb, struct str args)
{
	struct breakpoint_args parsed;
	struct watch watch;
	size_t i;

	if (!parse(args, &parsed) || parsed.type >= TYPES ||
	    (parsed.type >= TYPE_WATCH && !session_can_watch(gdb->session))) {
		gdb_error(gdb, 1);
		return;
	}
	if (parsed.type >= TYPE_WATCH) {
		watch = watch_of(&parsed);
		session_watch_clear(gdb->session, &watch);
		gdb_ok(gdb);
		return;
	}
	i = find(gdb, parsed.address, parsed.type == TYPE_HARDWARE);
	if (i < gdb->breakpoint_count) {
		text_fini(&gdb->breakpoints[i].conditions);
		gdb->breakpoints[i] = gdb->breakpoints[--gdb->breakpoint_count];
	}
	if (!gdb_find_breakpoint(gdb, parsed.address)) {
		session_break_clear(gdb->session, parsed.address);
		gdb->has_lifted = true;
		gdb->lifted = parsed.address;
	}
	gdb_ok(gdb);
}
