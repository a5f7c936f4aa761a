/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Breakpoints: Z0 and Z1 mean the same here, but a stop says which of them it was. Watchpoints (Z2
 * to Z4) need the values of the past and are refused.
 */
#include "base/vec.h"
#include "stub/gdb.h"
#include "stub/rsp_request.h"

struct breakpoint_args {
	uint64_t type;
	uint64_t address;
	uint64_t kind; /* bytes of the instruction it is for */
};

static bool parse(struct str args, struct breakpoint_args *parsed)
{
	/* Behind ';' there would be conditions and commands, which are not offered. */
	if (rsp_next_hex(&args, ',', &parsed->type) != STATUS_OK ||
	    rsp_next_hex(&args, ',', &parsed->address) != STATUS_OK ||
	    rsp_next_hex(&args, ';', &parsed->kind) != STATUS_OK)
		return false;
	/* gdb sends what the user wrote, and "break *0x8001" is how he says T32. */
	if (parsed->kind == 2 || parsed->kind == 3)
		parsed->address &= ~UINT64_C(1);
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

static enum status insert(struct gdb *gdb, uint64_t address, bool hardware)
{
	if (find(gdb, address, hardware) < gdb->breakpoint_count)
		return STATUS_OK;
	if (gdb->breakpoint_count == GDB_BREAKPOINTS_MOST)
		return STATUS_UNSUPPORTED;
	TRY(vec_reserve((void **)&gdb->breakpoints, &gdb->breakpoint_capacity,
	                gdb->breakpoint_count + 1, sizeof(*gdb->breakpoints)));
	TRY(session_break_set(gdb->session, address));
	gdb->breakpoints[gdb->breakpoint_count++] = (struct gdb_breakpoint){address, hardware};
	return STATUS_OK;
}

void gdb_insert_breakpoint(struct gdb *gdb, struct str args)
{
	struct breakpoint_args parsed = {0};
	bool is_sound = parse(args, &parsed) && parsed.type <= 4;
	const char *wrong = wrong_place(session_registers(gdb->session)->arch, &parsed);

	if (!is_sound)
		gdb_error(gdb, 1);
	else if (parsed.type > 1)
		gdb_error_text(gdb, "watchpoints need past values of memory, which are not known");
	else if (wrong)
		gdb_error_text(gdb, "%s", wrong);
	else if (insert(gdb, parsed.address, parsed.type == 1) != STATUS_OK)
		gdb_error_text(gdb, "no more than %d breakpoints", GDB_BREAKPOINTS_MOST);
	else
		gdb_ok(gdb);
}

void gdb_remove_breakpoint(struct gdb *gdb, struct str args)
{
	struct breakpoint_args parsed;
	size_t i;

	if (!parse(args, &parsed) || parsed.type > 1) {
		gdb_error(gdb, 1);
		return;
	}
	i = find(gdb, parsed.address, parsed.type == 1);
	if (i < gdb->breakpoint_count)
		gdb->breakpoints[i] = gdb->breakpoints[--gdb->breakpoint_count];
	if (!gdb_find_breakpoint(gdb, parsed.address))
		session_break_clear(gdb->session, parsed.address);
	gdb_ok(gdb);
}
