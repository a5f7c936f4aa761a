/* SPDX-License-Identifier: Apache-2.0 */
/* Processes over time: trace metadata 5.3 and 5.5 to 5.7, message by message. */
#include "scratch.h"

#include "snapshot/events/events.h"

struct fixture {
	struct arena arena;
	struct diag_list diags;
	struct event_log events;
	struct process_log log;
};

static void load(struct fixture *f, const char *content)
{
	memset(f, 0, sizeof(*f));
	assert_int_equal(
	        event_log_read(&f->arena, STR("log"), str_of(content), &f->diags, &f->events),
	        STATUS_OK);
	assert_int_equal(f->diags.count, 0);
	assert_int_equal(process_log_make(&f->arena, &f->events, &f->log), STATUS_OK);
}

static void unload(struct fixture *f)
{
	diag_list_fini(&f->diags);
	arena_fini(&f->arena);
}

/* Whose `id` is in states first to end; -1: nobody's, -2: not known. */
static long owner(const struct fixture *f, enum contextidr_form form, uint32_t id, uint32_t first,
                  uint32_t end)
{
	uint64_t pid;
	enum status status =
	        process_log_owner(&f->log, form, id, (struct state_range){first, end}, &pid);

	if (status == STATUS_OK)
		return (long)pid;
	return status == STATUS_NOT_FOUND ? -1 : -2;
}

static void assert_code(const struct fixture *f, size_t i, uint64_t address, uint32_t first,
                        uint32_t end)
{
	assert_true(i < f->log.code_count);
	assert_int_equal(f->log.code[i].event->address, address);
	assert_int_equal(f->log.code[i].states.first, first);
	assert_int_equal(f->log.code[i].states.end, end);
}

/* 5.6: what is CURRENT is there all the time; nothing changes. */
static void a_system_snapshot_has_one_state(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "9 declare_process(CURRENT, 0, 0x0000, \"kernel.exe\")\n"
	         "9 declare_process(CURRENT, 1, 0x8000, \"/bin/ls\")\n"
	         "9 declare_library(CURRENT, 1, 0x10000, \"libc\")\n");
	assert_int_equal(f.log.states, 1);
	assert_int_equal(f.log.code_count, 3);
	assert_code(&f, 2, 0x10000, 0, 1);
	assert_true(f.log.has_processes);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 0, 0, 1), 0);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 1, 0, 1), 1);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 2, 0, 1), -1);
	unload(&f);
}

/* START begins a state, END ends what is there; a process takes all it has along (5.5.2). */
static void code_comes_and_goes(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "10 declare_process(CURRENT, 1, 0x8000, a)\n"
	         "20 declare_library(START, 1, 0x20000, b)\n"
	         "30 declare_library(END, 1, 0x20000, b)\n"
	         "30 declare_library(START, 1, 0x30000, c)\n"
	         "40 patch_code(1, 0x8000, 4)\n"
	         "50 declare_process(END, 1, 0x8000, a)\n"
	         "60 declare_process(START, 1, 0x9000, d)\n");
	assert_int_equal(f.log.states, 6);
	assert_int_equal(f.log.code_count, 5);
	assert_code(&f, 0, 0x8000, 0, 4);
	assert_code(&f, 1, 0x20000, 1, 2);
	assert_code(&f, 2, 0x30000, 2, 4);
	assert_code(&f, 3, 0x8000, 3, 4);
	assert_code(&f, 4, 0x9000, 5, 6);
	assert_int_equal(owner(&f, CONTEXTIDR_PID, 1, 4, 5), -1);
	assert_int_equal(owner(&f, CONTEXTIDR_PID, 1, 5, 6), 1);
	unload(&f);
}

/* 5.5.1: all parameters are in an END, so that what began unseen was there before it. */
static void an_end_says_what_was_there(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "10 declare_process(END, 7, 0x8000, a)\n"
	         "20 declare_asid(END, 3, 7)\n"
	         "20 declare_asid(START, 3, 8)\n"
	         "30 declare_library(CURRENT, 8, 0x20000, b)\n");
	assert_int_equal(f.log.states, 3);
	assert_code(&f, 0, 0x8000, 0, 1);
	assert_code(&f, 1, 0x20000, 0, 3);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 3, 0, 1), 7);
	/* Process 7 is gone before its ASID is. */
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 3, 1, 2), -1);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 3, 2, 3), 8);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 3, 0, 3), -2);
	unload(&f);
}

/* A process that starts where one is becomes another: exec. */
static void a_process_may_become_another(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "10 declare_process(START, 1, 0x8000, a)\n"
	         "20 declare_library(START, 1, 0x20000, b)\n"
	         "30 declare_process(START, 1, 0x8000, a)\n");
	assert_int_equal(f.log.code_count, 3);
	assert_code(&f, 0, 0x8000, 1, 3);
	assert_code(&f, 1, 0x20000, 2, 3);
	assert_code(&f, 2, 0x8000, 3, 4);
	unload(&f);
}

/* Between what was said of a number and what contradicts it, it may be either. */
static void a_number_that_changed_unseen_is_either(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "1 declare_process(CURRENT, 1, 0, a)\n1 declare_process(CURRENT, 2, 0, b)\n"
	         "10 declare_asid(START, 5, 1)\n"
	         "20 declare_library(START, 1, 0x20000, b)\n"
	         "30 declare_asid(CURRENT, 5, 2)\n"
	         "40 declare_library(START, 1, 0x30000, b)\n");
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 5, 0, 1), -1);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 5, 1, 2), -2);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 5, 2, 3), -2);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 5, 3, 4), 2);
	unload(&f);
}

/* The forms of 5.3.1; where two readings name two processes, neither counts. */
static void contextidr_has_several_forms(void **state)
{
	struct fixture f;

	(void)state;
	load(&f, "declare_process(CURRENT, 100, 0, a)\ndeclare_process(CURRENT, 3, 0, b)\n"
	         "declare_thread(CURRENT, 101, 100)\n"
	         "declare_asid(CURRENT, 7, 100)\ndeclare_asid(CURRENT, 3, 100)\n");
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 100, 0, 1), 100);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 101, 0, 1), 100);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 7, 0, 1), 100);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 3, 0, 1), -2);
	assert_int_equal(owner(&f, CONTEXTIDR_PID, 3, 0, 1), 3);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 3, 0, 1), 100);
	assert_int_equal(owner(&f, CONTEXTIDR_ASID, 0x12307, 0, 1), 100);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 101 << 8 | 7, 0, 1), 100);
	/* The ASID is one process', the number above it another's; or no ASID at all. */
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 3 << 8 | 7, 0, 1), -2);
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 101 << 8 | 9, 0, 1), -1);
	assert_int_equal(owner(&f, CONTEXTIDR_BOTH, 101 << 8 | 9, 0, 1), 100);
	unload(&f);
	/* Without ASIDs a number is the whole register: 5.7.1. */
	load(&f, "declare_process(CURRENT, 1, 0, a)\n");
	assert_int_equal(owner(&f, CONTEXTIDR_AS_LOGGED, 0x123, 0, 1), -1);
	assert_int_equal(owner(&f, CONTEXTIDR_BOTH, 0x123, 0, 1), 1);
	unload(&f);
}

/* A moment lies in all states of which one may have been it; at a change in either. */
static void moments_have_states(void **state)
{
	static const uint64_t times[] = {9, 10, 11, 19, 20, 21};
	static const uint32_t firsts[] = {0, 0, 1, 1, 1, 2};
	static const uint32_t ends[] = {1, 2, 2, 2, 3, 3};
	struct fixture f;
	struct state_range all;

	(void)state;
	load(&f,
	     "10 patch_code(0, 0x1000, 4)\n10 patch_code(0, 0x2000, 4)\n20 patch_code(0, 0, 4)\n");
	assert_int_equal(f.log.states, 3);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(process_log_states(&f.log, &times[i], NULL).first, firsts[i]);
		assert_int_equal(process_log_states(&f.log, NULL, &times[i]).end, ends[i]);
	}
	all = process_log_states(&f.log, NULL, NULL);
	assert_true(all.first == 0 && all.end == 3);
	unload(&f);
	/* Without times a moment may be in any. */
	load(&f, "patch_code(0, 0x1000, 4)\n");
	all = process_log_states(&f.log, &times[5], &times[5]);
	assert_true(all.first == 0 && all.end == 2);
	unload(&f);
}

static void add_piece(struct code_pieces *pieces, uint64_t pid, uint64_t address, uint64_t last,
                      uint32_t first, uint32_t end, const uint8_t *data, bool is_patch)
{
	struct code_piece piece = {.pid = pid,
	                           .address = address,
	                           .last = last,
	                           .states = {first, end},
	                           .data = data,
	                           .is_patch = is_patch};

	assert_int_equal(code_pieces_add(pieces, &piece, true), STATUS_OK);
}

/* What process 1 has at an address in a state: the byte, -1 nothing, -2 not said. */
static int byte_at(const struct code_pieces *pieces, uint64_t address, uint32_t moment)
{
	int found = -1;

	for (size_t i = 0; i < pieces->count; i++) {
		const struct code_piece *p = &pieces->items[i];

		if (p->pid != 1 || address < p->address || address > p->last ||
		    moment < p->states.first || moment >= p->states.end)
			continue;
		assert_int_equal(found, -1);
		found = p->data ? p->data[address - p->address] : -2;
	}
	return found;
}

/* A patch lies over the image that it is in, and goes with it; places say who had what. */
static void patches_lie_over_images(void **state)
{
	static const uint8_t image[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	static const uint8_t patch[4] = {20, 21, 22, 23};
	struct code_pieces pieces = {0};
	struct code_places places = {0};
	size_t at;

	(void)state;
	add_piece(&pieces, 1, 0x100, 0x107, 0, 4, image, false);
	add_piece(&pieces, 2, 0x100, 0x107, 0, 5, image, false);
	add_piece(&pieces, 1, 0x102, 0x105, 1, 5, patch, true);
	add_piece(&pieces, 1, 0x106, 0x10a, 2, 5, NULL, true);
	assert_int_equal(byte_at(&pieces, 0x102, 0), 2);
	assert_int_equal(byte_at(&pieces, 0x102, 1), 20);
	assert_int_equal(byte_at(&pieces, 0x105, 3), 23);
	assert_int_equal(byte_at(&pieces, 0x105, 4), -1);
	assert_int_equal(byte_at(&pieces, 0x101, 3), 1);
	assert_int_equal(byte_at(&pieces, 0x101, 4), -1);
	assert_int_equal(byte_at(&pieces, 0x106, 1), 6);
	assert_int_equal(byte_at(&pieces, 0x107, 2), -2);
	assert_int_equal(byte_at(&pieces, 0x107, 4), -1);
	assert_int_equal(byte_at(&pieces, 0x10a, 4), -2);
	assert_int_equal(code_pieces_places(&pieces, 5, &places), STATUS_OK);
	at = code_places_find(&places, 0x103);
	assert_true(places.items[at].first <= 0x103 && places.items[at].last >= 0x103);
	assert_true(places.items[at].has_several && !places.items[at].has_kernel);
	at = code_places_find(&places, 0x108);
	assert_int_equal(places.items[at].first, 0x108);
	assert_int_equal(places.items[at].since, 2);
	assert_true(places.items[at].lacks_bytes && !places.items[at].has_several);
	assert_int_equal(places.items[at].pid, 1);
	assert_int_equal(code_places_find(&places, 0x10b), places.count);
	code_places_fini(&places);
	code_pieces_fini(&pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(a_system_snapshot_has_one_state),
	        cmocka_unit_test(code_comes_and_goes),
	        cmocka_unit_test(an_end_says_what_was_there),
	        cmocka_unit_test(a_process_may_become_another),
	        cmocka_unit_test(a_number_that_changed_unseen_is_either),
	        cmocka_unit_test(contextidr_has_several_forms),
	        cmocka_unit_test(moments_have_states),
	        cmocka_unit_test(patches_lie_over_images),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
