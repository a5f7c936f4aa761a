#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cores that go together on the timeline, against what is known of two that synth has traced.

usage: together.py SYNTH      moves, the order of stops of both cores, seeks, watchpoints; by the protocol
       together.py uaf_k      corpus/kernel/uaf_k: where the other core was, by the true order of both
       together.py TC2        corpus/opencsd/TC2: no core is certainly ahead of another after any move
"""
import bisect
import random
import re
import struct
import sys
import tempfile
import unittest

import recorded_kernel
import serving
import two_cores
from material import shared

UNKNOWN = "which came first is not known"


class Cores:
    """A client that runs all threads, as gdb does where scheduler-locking is off."""

    def __init__(self, address, count):
        self.client = serving.Client(address)
        self.client.ask("qSupported:swbreak+")
        self.count, self.said = count, ""
        self.number = self.client.number_of("trace_pos")

    def close(self):
        self.client.close()

    def position(self, core):
        self.client.ask(f"Hg{core + 1:x}")
        return int.from_bytes(bytes.fromhex(self.client.ask(f"p{self.number:x}")), "little")

    def positions(self):
        return [self.position(core) for core in range(self.count)]

    def move(self, core, verb):
        """Which core stopped, and the reply: the first packet of a move names the core, and lets the others run."""
        if verb in ("bs", "bc"):
            self.client.ask(f"T{core + 1:x}")
            self.client.ask("Hc0")
            reply, self.said = self.client.move(verb)
        else:
            reply, self.said = self.client.move(f"vCont;{verb}:{core + 1:x};c")
        return int(re.search(r"thread:(\w+);", reply)[1], 16) - 1, reply

    def moment(self, core, position):
        """Bounds of when the core came to a position; None where there is none."""
        self.client.ask(f"T{core + 1:x}")
        said = self.client.monitor(f"time {position}").splitlines()[0]
        for pattern, names in ((r"time (\d+) to (\d+)", "el"), (r"time up to (\d+)", "l"), (r"time (\d+) or later", "e"),
                               (r"time (\d+)", "b"), (r"time unknown", "")):
            found = re.search(pattern, said)
            if found:
                got = dict(zip(names, map(int, found.groups())))
                return got.get("e", got.get("b")), got.get("l", got.get("b"))
        raise AssertionError(said)


def is_before(a, b):
    return a[1] is not None and b[0] is not None and a[1] < b[0]


class Case(unittest.TestCase):
    def serve(self, arguments, count):
        server = self.enterContext(serving.Server(arguments))
        self.cores = Cores(server.address, count)
        self.addCleanup(self.cores.close)

    def assert_one_time(self, lengths, chosen=None):
        """By the bounds that `time` gives no core has certainly left where it is before another got where it is."""
        at = self.cores.positions()
        spans = [(self.cores.moment(core, position)[0],
                  self.cores.moment(core, position + 1)[1] if position < lengths[core] else None)
                 for core, position in enumerate(at) if lengths[core]]
        for a in spans:
            for b in spans:
                self.assertFalse(is_before((None, a[1]), (b[0], None)), (at, spans))
        return at


class Synthetic(Case):
    synth = None

    def scene(self, **options):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        scene = two_cores.Scene(self.synth, folder, **options)
        self.lengths = [len(pcs) - 1 for pcs in scene.pcs]
        self.serve([folder], 2)
        return scene

    def test_the_other_core_is_where_it_was_then(self):
        scene = self.scene()
        rng = random.Random(3)
        for _ in range(150):
            core, verb = rng.randrange(2), rng.choice(("bs", "s"))
            if rng.random() < 0.3:
                self.cores.client.ask(f"T{core + 1:x}")
                self.cores.client.monitor(f"seek {rng.randrange(self.lengths[core])}")
            else:
                for _ in range(rng.randrange(1, 40)):
                    self.assertEqual(self.cores.move(core, verb)[0], core)
            at = self.assert_one_time(self.lengths)
            if at[core] in (0, self.lengths[core]):
                continue  # that is any time before, or after
            # The other one is at that time, as far as timestamps can say: some 64 instructions and a wait apart.
            time = scene.times[core][at[core]]
            other = scene.times[1 - core]
            apart = abs(min(max(time, other[0]), other[-1]) - other[at[1 - core]])
            self.assertLessEqual(apart, 6 * 64 * two_cores.STEP, (core, at))

    def run_through(self, scene, addresses, core, forward):
        """All stops of a run of continues from one end to the other: (core, position, what was said)."""
        found = []
        end = "replaylog:end" if forward else "replaylog:begin"
        while True:
            core, reply = self.cores.move(core, "c" if forward else "bc")
            if end in reply:
                return found
            at = self.cores.position(core)
            self.assertIn(scene.pcs[core][at], addresses)
            found.append((core, at, self.cores.said))
            self.assert_one_time(self.lengths)

    def check_order(self, scene, forward, **_):
        rng = random.Random(forward)
        addresses = rng.sample(scene.rare(), 3)
        for address in addresses:
            self.assertEqual(self.cores.client.ask(f"Z0,{address:x},4"), "OK")
        for core in range(2):
            self.cores.client.ask(f"T{core + 1:x}")
            self.cores.client.monitor("seek begin" if forward else "seek end")
        found = self.run_through(scene, addresses, rng.randrange(2), forward)
        wanted = sorted((place for address in addresses for place in scene.places(address)))
        if forward:  # where a run begins is no stop
            wanted = [place for place in wanted if place[1] > 0]
        self.assertEqual(sorted(one[:2] for one in found), wanted)
        inverted = 0
        for (core, at, said), (next_core, next_at, _) in zip(found, found[1:]):
            if core == next_core:
                self.assertEqual(at < next_at, forward)
            elif (scene.times[core][at] > scene.times[next_core][next_at]) == forward:
                inverted += 1
                self.assertIn(UNKNOWN, said)
        self.assertLess(inverted, len(found) // 4)
        turns = sum(a[0] != b[0] for a, b in zip(found, found[1:]))
        self.assertGreater(turns, 5)
        self.assertEqual(self.cores.positions(), self.lengths if forward else [0, 0])

    def test_stops_of_both_come_in_the_order_of_time(self):
        self.check_order(self.scene(seed=3), True)

    def test_and_backward(self):
        self.check_order(self.scene(seed=4), False)

    def test_a_core_that_was_put_somewhere_alone_finds_the_other_where_it_was_then(self):
        """By `set $trace_pos`: what the next move meets is what it meets after a seek."""
        scene = self.scene(seed=6, kind=two_cores.Loop, size=120)
        number = self.cores.client.number_of("trace_pos")
        rng = random.Random(9)
        self.cores.client.ask(f"Z0,{scene.rare(0, 40)[0]:x},4")
        places = {}
        for _ in range(12):
            start, at, verb = rng.randrange(self.lengths[0]), rng.randrange(self.lengths[1]), rng.choice(("c", "bc"))
            for alone in (False, True):
                for core, position in enumerate((start, at)):
                    self.cores.client.ask(f"Hg{core + 1}")
                    self.cores.client.ask(f"T{core + 1}")
                    if not alone:
                        self.cores.client.monitor(f"seek {position}")
                        continue
                    digits = position.to_bytes(8, "little").hex()
                    self.assertEqual(self.cores.client.ask(f"P{number:x}={digits}"), "OK")
                self.cores.move(1, verb)
                places[alone] = self.cores.positions()
            self.assertEqual(places[True], places[False], (start, at, verb))

    def test_order_within_the_precision_is_said_not_to_be_known(self):
        """Timestamps so far apart that most stops of the two cores lie within one distance."""
        scene = self.scene(seed=2, every=(700, 700))
        address = scene.rare(1, 400)[0]
        self.cores.client.ask(f"Z0,{address:x},4")
        core, reply = self.cores.move(0, "bc")
        self.assertIn("swbreak", reply)
        self.assertEqual(core, 0)  # its own is told where nothing is known
        self.assertRegex(self.cores.said, r"within the precision of time cpu_1 would have stopped, too \(position \d+\): "
                         + UNKNOWN)

    def test_a_store_of_the_other_core_stops_a_continue(self):
        scene = self.scene(seed=6, kind=two_cores.Loop, size=120)
        stores = [[i for i in range(length) if scene.opcode(core, i) == two_cores.STORE]
                  for core, length in enumerate(self.lengths)]
        self.cores.client.ask("Hg1")
        self.assertEqual(self.cores.client.ask(f"Z2,{two_cores.STORED:x},8"), "OK")
        self.cores.client.monitor("set possible-writes skip")
        found, core, last = [], 0, None
        for _ in range(400):
            core, reply = self.cores.move(core, "bc")
            if "replaylog" in reply:
                break
            at = self.cores.position(core)
            # The stub stops where gdb is to step over the access, or after it where gdb would not show it.
            place = (core, at if at in stores[core] else at - 1)
            if place != last:
                found.append(place)
            last = place
            self.cores.client.ask(f"Hc{core + 1:x}")
            self.cores.client.move("bs")
        self.assertEqual([at for core, at in found if core == 1], stores[1][::-1])
        self.assertEqual([at for core, at in found if core == 0], stores[0][::-1])

    def test_a_thread_that_is_not_to_run_stays(self):
        """Of gdb: what it does not resume it does not read anew."""
        self.scene()
        before = self.cores.position(1)
        self.cores.client.ask("Hc1")
        for _ in range(5):
            self.cores.client.move("bs")
        self.cores.client.monitor("seek 700")
        self.cores.client.ask("Hc1")
        self.assertNotEqual(self.cores.position(1), before)
        at = self.cores.position(1)
        self.cores.client.move("bc")
        self.assertEqual(self.cores.positions(), [0, at])
        self.cores.client.move("vCont;c:1")
        self.assertEqual(self.cores.positions(), [self.lengths[0], at])
        # The next move of all finds the place again.
        self.cores.client.ask("T1")
        self.cores.client.monitor("seek 700")
        self.cores.move(0, "bs")
        self.assert_one_time(self.lengths)

    def test_a_signal_of_another_thread_does_not_choose_it(self):
        """gdb names first, of a continue, a thread that has stopped with a signal, as that of the crash has."""
        self.scene()
        client = self.cores.client
        pc = int(re.search(r"PC (0x\w+)", client.monitor("seek 700"))[1], 16)
        self.assertEqual(self.cores.position(0), 700)
        for core, position in ((0, 200), (1, 900)):  # $trace_pos takes none along
            client.ask(f"T{core + 1}")
            client.ask(f"Hg{core + 1}")
            client.ask(f"P{self.cores.number:x}={position.to_bytes(8, 'little').hex()}")
        client.ask("T2")
        client.ask(f"Z0,{pc:x},4")
        reply, _ = client.move("vCont;C0b:1;c")
        self.assertGreater(self.cores.position(1), 900, reply)
        self.assert_one_time(self.lengths)

    def test_a_step_of_one_thread_of_lldb_keeps_others_before_its_address(self):
        """lldb takes a breakpoint away where a thread steps off it: the others would run past it."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        scene = two_cores.Scene(self.synth, folder, seed=6, size=40)
        server = self.enterContext(serving.Server([folder]))
        client = self.enterContext(serving.Client(server.address))
        client.ask("QStartNoAckMode")
        client.ask("T1")
        client.monitor("seek 800")
        moved, kept = 0, 0
        for _ in range(500):
            before, pc = [self.place(client, core) for core in range(2)], scene.pcs[0][self.place(client, 0)]
            client.move("vCont;s:1")
            after = [self.place(client, core) for core in range(2)]
            self.assertNotIn(pc, scene.pcs[1][before[1] + 1:after[1] + 1])
            moved += after[1] > before[1]
            kept += scene.pcs[1][after[1] + 1] == pc
        self.assertGreater(moved, 3)
        self.assertGreater(kept, 0)

    def place(self, client, core):
        return int(re.search(rf"cpu_{core}: position (\d+)", client.monitor("position"))[1])

    def test_alone(self):
        self.scene()
        self.assertIn("cores is alone", self.cores.client.monitor("set cores alone"))
        before = self.cores.position(1)
        self.cores.move(0, "bc")
        self.assertEqual(self.cores.positions(), [0, before])
        self.assertIn("cores is together", self.cores.client.monitor("set cores together"))
        self.cores.move(0, "s")
        self.assert_one_time(self.lengths)

    def test_without_a_time_in_common_it_is_said_once(self):
        self.scene(every=(64, 0))
        before = self.cores.position(1)
        self.cores.move(0, "bs")
        self.assertRegex(self.cores.said, r"no time in common with others, by their traces: cpu_1; ")
        self.cores.move(0, "bc")
        self.assertNotIn("no time in common", self.cores.said)
        self.assertEqual(self.cores.positions(), [0, before])

    def test_threads_say_where_and_when(self):
        scene = self.scene()
        self.cores.client.ask("T1")
        self.cores.client.monitor("seek 10")
        said = [bytes.fromhex(self.cores.client.ask(f"qThreadExtraInfo,{thread}")).decode() for thread in (1, 2)]
        self.assertRegex(said[0], r"^cpu_0: Cortex-A53, 3000 instructions, at position 10, time \d+ to \d+$")
        self.assertRegex(said[1], r"at position [0-9], time up to \d+; its trace begins about here, or later$")
        late = next(i for i, time in enumerate(scene.times[0]) if time > scene.times[1][-1] + 1000)
        self.cores.client.monitor(f"seek {late}")
        said = bytes.fromhex(self.cores.client.ask("qThreadExtraInfo,2")).decode()
        self.assertRegex(said, r"at position 1[78]\d\d, time .*; its trace ends about here, or ended before$")
        middle = next(i for i, time in enumerate(scene.times[0]) if time > scene.times[1][900])
        self.cores.client.monitor(f"seek {middle}")
        said = bytes.fromhex(self.cores.client.ask("qThreadExtraInfo,2")).decode()
        found = re.search(r"at position (\d+), time (\d+) to (\d+)$", said)
        self.assertTrue(int(found[2]) <= scene.times[1][int(found[1])] <= int(found[3]), said)


class TC2(Case):
    """Real timestamps, five cores of two clusters; what is true is not known, but no bound may be broken."""

    def test_no_core_is_certainly_ahead(self):
        self.serve([shared("corpus", "opencsd", "TC2")], 5)
        threads = self.cores.client.ask("qfThreadInfo")[1:].split(",")
        listed = [int(thread, 16) - 1 for thread in threads]
        said = self.cores.client.monitor("position")
        lengths = [0] * 5
        for core, length in re.findall(r"^[ *] (\d) .*: position \d+ of (\d+)", said, re.MULTILINE):
            lengths[int(core) - 1] = int(length)
        self.cores.move(listed[0], "bs")
        no_clock = re.search(r"by their traces: (.*);", self.cores.said)
        names = dict(re.findall(r"^[ *] (\d) ([^:]*):", said, re.MULTILINE))
        for core, name in names.items():
            if no_clock and name in no_clock[1].split(", "):
                lengths[int(core) - 1] = 0
        self.assertGreater(sum(length > 0 for length in lengths), 2)
        rng = random.Random(9)
        moved = set()
        for _ in range(40):
            core = rng.choice([core for core in listed if lengths[core]])
            before = self.cores.positions()
            self.cores.client.ask(f"T{core + 1:x}")
            self.cores.client.monitor(f"seek {rng.randrange(lengths[core])}")
            for _ in range(5):
                self.cores.move(core, rng.choice(("bs", "s")))
            at = self.assert_one_time(lengths)
            moved |= {i for i in range(5) if at[i] != before[i] and i != core}
        self.assertGreater(len(moved), 1)


class Kernel(Case):
    """A recorded kernel on two cores, with the number of each instruction over both: where the other core is after a move,
    and where it is said to be, against where it was."""

    def rows_of(self, core):
        records = recorded_kernel.read(self.folder, "truth", core)
        return [record for record, _ in recorded_kernel.true_rows(self.folder, core, records)]

    def order_of(self, core):
        order = recorded_kernel.read(self.folder, "order", core)
        return [struct.unpack_from("<I", order, 4 * row)[0] for row in self.rows_of(core)]

    def test_the_other_core_was_there(self):
        self.folder = shared("corpus", "kernel", "uaf_k")
        orders = [self.order_of(f"cpu_{core}") for core in range(2)]
        self.serve([self.folder], 2)
        rng = random.Random(2)
        apart = []
        for _ in range(200):
            core = rng.randrange(2)
            other = orders[1 - core]
            self.cores.client.ask(f"T{core + 1:x}")
            self.cores.client.monitor(f"seek {rng.randrange(len(orders[core]))}")
            for _ in range(rng.randrange(1, 5)):
                self.cores.move(core, rng.choice(("s", "bs")))
            at = self.cores.positions()
            said = self.cores.client.monitor("time")
            first, last = re.search(rf"{2 - core} cpu_{1 - core}: positions? (\d+)(?: to (\d+))?$", said, re.M).groups()
            first, last = int(first), int(last or first)
            # Of the other one the instruction that it was at, or about to execute.
            true = bisect.bisect_left(other, orders[core][at[core]])
            self.assertTrue(first <= true <= last, (core, at, true, first, last))
            self.assertTrue(first <= at[1 - core] <= last, (core, at, first, last))
            apart.append(abs(true - at[1 - core]))
        print("instructions apart, median and most:", sorted(apart)[100], max(apart))
        self.assertLess(sorted(apart)[100], 700)

    def test_it_was_about_to_execute_an_instruction_when_it_is_said(self):
        """When it had executed the one before, traced or not."""
        self.folder = shared("corpus", "kernel", "sysrq_rs8")
        self.serve([self.folder], 2)
        with_bounds = 0
        for core in range(2):
            rows = self.rows_of(f"cpu_{core}")
            order = recorded_kernel.read(self.folder, "order", f"cpu_{core}")
            after_gap = [p for p in range(1, len(rows)) if rows[p] != rows[p - 1] + 1]
            self.assertGreater(len(after_gap), 20)
            self.cores.client.ask(f"T{core + 1:x}")
            for position in after_gap + random.Random(core).sample(range(1, len(rows)), 100):
                said = self.cores.client.monitor(f"time {position}")
                found = re.search(r"time (\d+) to (\d+)", said)
                with_bounds += found is not None
                if found:
                    came = 0x123450000 + 2 * struct.unpack_from("<I", order, 4 * (rows[position] - 1))[0]
                    self.assertTrue(int(found[1]) <= came <= int(found[2]), (said, came))
        self.assertGreater(with_bounds, 200)

    def test_what_lies_after_a_gap_comes_when_the_gap_is_over(self):
        """cpu_1 is at EL0, which is not there, until an interrupt; cpu_0 comes to its breakpoint before that."""
        self.folder = shared("corpus", "kernel", "sysrq_rs8")
        mine, other = 97940, 113580
        self.assertLess(self.order_of("cpu_0")[mine], self.order_of("cpu_1")[other])
        self.serve([self.folder], 2)
        self.cores.client.ask("T1")
        self.cores.client.monitor("seek 96000")
        self.cores.client.ask("Z0,ffffffc0080aad10,4")
        self.cores.client.ask("Z0,ffffffc008010c80,4")  # the vector of interrupts
        for at in (97785, mine):  # a gap is first
            core, _ = self.cores.move(0, "c")
            self.assertEqual((core, self.cores.position(0)), (0, at))
            self.assertIn(UNKNOWN, self.cores.said)
            self.assertLess(self.cores.position(1), other)
        self.cores.client.ask("T1")
        self.cores.client.monitor("seek @4887617466")
        first, last = re.search(r"cpu_1: positions? (\d+)(?: to (\d+))?$", self.cores.client.monitor("time"), re.M).groups()
        self.assertEqual((int(first), int(last or first)), (other, other))


if __name__ == "__main__":
    if sys.argv[1] == "TC2":
        del Synthetic, Kernel
    elif sys.argv[1] == "uaf_k":
        del Synthetic, TC2
    else:
        Synthetic.synth = sys.argv[1]
        del TC2, Kernel
    serving.main()
