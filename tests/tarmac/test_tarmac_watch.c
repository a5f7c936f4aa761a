/* SPDX-License-Identifier: Apache-2.0 */
/* Watchpoints on the accesses that a Tarmac text has. */
#include "made_text.h"

#define STORE(n, address, value) NOP(n, address) #n " clk MW8 00008000 " value "\n"

static const char stores[] = STORE(1, "00001000", "0000000000000001") NOP(2, "00001004")
        NOP(3, "00001008") "3 clk MR4 00008004 00000000\n" NOP(4, "0000100c")
                STORE(5, "00001010", "0000000000000005") NOP(6, "00001014");

static struct stop move(enum direction direction)
{
	return session_continue(rig.session, 0, direction, NULL, NULL);
}

static void watch_write_stops_in_front_of_it_in_both_directions(void **state)
{
	struct watch watch = {WATCH_WRITE, 0x8000, 4};
	struct stop stop;

	(void)state;
	open_text(stores);
	assert_true(session_can_watch(rig.session));
	assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
	stop = move(DIRECTION_BACKWARD);
	assert_int_equal(stop.reason, STOP_WATCH);
	assert_int_equal(stop.access.address, 0x8000);
	assert_int_equal(session_position(rig.session, 0), 5);
	/* The same again, until somebody steps over it. */
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_WATCH);
	assert_int_equal(session_step(rig.session, 0, DIRECTION_BACKWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 5);
	assert_int_equal(session_seek(rig.session, 0, 4), STATUS_OK);
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 1);
	assert_int_equal(session_seek(rig.session, 0, 0), STATUS_OK);
	assert_int_equal(move(DIRECTION_FORWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 0);
	assert_int_equal(session_seek(rig.session, 0, 1), STATUS_OK);
	assert_int_equal(move(DIRECTION_FORWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 4);
	session_watch_clear(rig.session, &watch);
	assert_int_equal(move(DIRECTION_FORWARD).reason, STOP_END);
}

static void watch_after_stops_after_the_access(void **state)
{
	struct watch watch = {WATCH_WRITE, 0x8000, 4};

	(void)state;
	open_text(stores);
	session_watch_after(rig.session, true);
	assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 4);
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 0);
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_BEGIN);
	assert_int_equal(session_step(rig.session, 0, DIRECTION_FORWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 1);
	assert_int_equal(move(DIRECTION_FORWARD).reason, STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 5);
}

static void watch_read_is_of_the_bytes_read_and_fetches_are_none(void **state)
{
	struct watch low = {WATCH_READ, 0x8000, 4};
	struct watch high = {WATCH_READ, 0x8002, 4};
	struct watch code = {WATCH_ACCESS, 0x1000, 64};
	struct stop stop;

	(void)state;
	open_text(stores);
	assert_int_equal(session_watch_set(rig.session, &low), STATUS_OK);
	assert_int_equal(session_watch_set(rig.session, &code), STATUS_OK);
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_BEGIN);
	assert_int_equal(session_watch_set(rig.session, &high), STATUS_OK);
	stop = move(DIRECTION_FORWARD);
	assert_int_equal(stop.reason, STOP_WATCH);
	assert_int_equal(stop.watch.kind, WATCH_READ);
	assert_int_equal(stop.access.address, 0x8004);
	assert_int_equal(session_position(rig.session, 0), 2);
}

static void watch_gives_way_to_a_breakpoint_before_it_and_ends_a_range(void **state)
{
	struct watch watch = {WATCH_WRITE, 0x8000, 1};

	(void)state;
	open_text(stores);
	assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
	assert_int_equal(session_break_set(rig.session, 0x1010), STATUS_OK);
	assert_int_equal(session_seek(rig.session, 0, 1), STATUS_OK);
	assert_int_equal(move(DIRECTION_FORWARD).reason, STOP_BREAKPOINT);
	assert_int_equal(session_position(rig.session, 0), 4);
	assert_int_equal(move(DIRECTION_FORWARD).reason, STOP_WATCH);
	session_break_clear(rig.session, 0x1010);
	assert_int_equal(session_seek(rig.session, 0, 1), STATUS_OK);
	assert_int_equal(session_step_range(rig.session, 0, 0x1000, 0x2000, NULL, NULL).reason,
	                 STOP_WATCH);
	assert_int_equal(session_position(rig.session, 0), 4);
}

static void watch_is_of_the_core_that_moves_and_of_those_that_go_along(void **state)
{
	struct watch watch = {WATCH_WRITE, 0x8000, 4};
	struct stop stop;

	(void)state;
	open_text("1 clk cpu0 IT (1) 00001000 d503201f O EL1h_s : NOP\n"
	          "1 clk cpu1 IT (1) 00002000 d503201f O EL1h_s : NOP\n"
	          "1 clk cpu1 MW4 00008000 00000007\n"
	          "2 clk cpu0 IT (2) 00001004 d503201f O EL1h_s : NOP\n");
	assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
	stop = move(DIRECTION_BACKWARD);
	assert_int_equal(stop.reason, STOP_WATCH);
	assert_true(stop.is_of_other);
	assert_int_equal(stop.core, 1);
	session_set_together(rig.session, false);
	assert_int_equal(move(DIRECTION_BACKWARD).reason, STOP_BEGIN);
	assert_int_equal(session_continue(rig.session, 1, DIRECTION_BACKWARD, NULL, NULL).reason,
	                 STOP_WATCH);
	assert_int_equal(session_position(rig.session, 1), 1);
}

/* Each range of bytes around one access of four: it is met if they share a byte, at the first. */
static void watch_is_met_by_the_bytes_that_it_shares(void **state)
{
	(void)state;
	open_text(NOP(1, "00001000")
	                  NOP(2, "00001004") "2 clk MW4 00008006 01020304\n" NOP(3, "00001008"));
	for (uint64_t address = 0x7ff8; address < 0x8014; address++) {
		for (uint64_t size = 1; size < 20; size++) {
			struct watch watch = {WATCH_WRITE, address, size};
			bool shares = address < 0x800a && address + size > 0x8006;
			struct stop stop;

			assert_int_equal(session_watch_set(rig.session, &watch), STATUS_OK);
			assert_int_equal(session_seek(rig.session, 0, 3), STATUS_OK);
			stop = move(DIRECTION_BACKWARD);
			assert_int_equal(stop.reason, shares ? STOP_WATCH : STOP_BEGIN);
			if (shares)
				assert_int_equal(stop.access.address,
				                 address > 0x8006 ? address : 0x8006);
			session_watch_clear(rig.session, &watch);
		}
	}
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(name, tear_down)
	const struct CMUnitTest tests[] = {
	        T(watch_write_stops_in_front_of_it_in_both_directions),
	        T(watch_after_stops_after_the_access),
	        T(watch_read_is_of_the_bytes_read_and_fetches_are_none),
	        T(watch_gives_way_to_a_breakpoint_before_it_and_ends_a_range),
	        T(watch_is_of_the_core_that_moves_and_of_those_that_go_along),
	        T(watch_is_met_by_the_bytes_that_it_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
