#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Six cores as threads: each goes back through its own history and leaves the others alone. What
they executed is the reference's."""
import re
import unittest

import reference
import material
import serving

FOLDER = material.shared("corpus", "opencsd", "juno_r1_1")
REFERENCE = reference.Reference("juno_r1_1", "ETB_0")
CORES = [f"cpu_{i}" for i in range(6)]
STEPS = 40


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        executed = {name: REFERENCE.executed(name) for name in CORES}
        cls.executed = {name: executed[name][0] for name in CORES}
        cls.histories = {name: [one.pc for one in executed[name][0]] for name in CORES}
        cls.gaps = {name: sorted(executed[name][1]) for name in CORES}

    def setUp(self):
        self.server = serving.Server([FOLDER])

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def test_42_cores_are_named_threads(self):
        out = serving.gdb(self.server.address, ["info threads", "thread apply all p $trace_pos"])
        found = re.findall(r"^[* ] (\d) +Thread \d \"(cpu_\d)\"", out, re.MULTILINE)
        self.assertEqual(found, [(str(i + 1), name) for i, name in enumerate(CORES)])
        lengths = dict(re.findall(r"Thread (\d) .*:\n\$\d+ = (\d+)", out))
        self.assertEqual([int(lengths[str(i + 1)]) for i in range(6)],
                         [len(self.histories[name]) for name in CORES])

    def check_steps_of_each(self, options):
        commands = []
        for i in range(6):
            commands += [f"thread {i + 1}", f"echo ==thread {i + 1}\\n", "info threads",
                         serving.loop(STEPS, "reverse-stepi", 'printf "AT %d %lx %lu\\n", '
                                      "$_thread, $pc, $trace_pos")]
        out = serving.gdb(self.server.address, commands, options=options)
        for i, part in enumerate(out.split("==thread ")[1:]):
            pcs = self.histories[CORES[i]]
            seen = [(int(thread), int(pc, 16), int(position)) for thread, pc, position in
                    re.findall(r"^AT (\d) ([0-9a-f]+) (\d+)$", part, re.MULTILINE)]
            count = min(STEPS, len(pcs))
            expected = [(i + 1, pcs[position], position)
                        for position in range(len(pcs) - 1, len(pcs) - 1 - count, -1)]
            self.assertEqual(seen[:count], expected)
        self.assertNotIn("SIGTRAP", out)

    def test_42_each_steps_back_through_its_own_history(self):
        self.check_steps_of_each(["-x", serving.GDBINIT])

    def test_42_without_gdbinit_too(self):
        self.check_steps_of_each([])

    def test_42_the_others_stay(self):
        out = serving.gdb(self.server.address, ["thread 3", "reverse-stepi 5",
                                                "thread apply all p $trace_pos"])
        positions = dict(re.findall(r"Thread (\d) .*:\n\$\d+ = (\d+)", out))
        for i, name in enumerate(CORES):
            moved = min(5, len(self.histories[name])) if i == 2 else 0
            self.assertEqual(int(positions[str(i + 1)]), len(self.histories[name]) - moved)

    def test_21_breakpoint_of_a_thread_is_hit_on_that_core_alone(self):
        here, other = 4, 1
        pcs, elsewhere = (self.histories[CORES[thread - 1]] for thread in (here, other))
        pc = next(pc for pc in reversed(pcs[:-1]) if pc in elsewhere)
        last = max(i for i, one in enumerate(pcs[:-1]) if one == pc)
        where = 'printf "AT %d %lx %lu\\n", $_thread, $pc, $trace_pos'
        out = serving.gdb(self.server.address, [
            "monitor set gap pass", f"break *{pc:#x} thread {here}", f"thread {other}", "reverse-continue", where,
            f"thread {here}", "reverse-continue", where], options=["-x", serving.GDBINIT])
        self.assertEqual(re.findall(r"^AT (\d) ([0-9a-f]+) (\d+)$", out, re.MULTILINE),
                         [(str(other), f"{elsewhere[0]:x}", "0"), (str(here), f"{pc:x}", str(last))])

    def test_29_gaps_are_named_with_their_reason(self):
        out = serving.gdb(self.server.address, ["monitor gaps all"])
        blocks = dict(zip(CORES, self.gap_blocks(out)))
        totals = dict((name, int(count)) for name, count in
                      re.findall(r"^[* ] \d (cpu_\d): (\d+) gaps? in", out, re.MULTILINE))
        self.assertEqual(sorted(totals), CORES)
        for name, block in blocks.items():
            self.assertEqual(totals[name], len(re.findall(r"gap before position \d+: ", block)))
            found, lost = self.places(block)
            self.assertEqual(sorted(found | lost & set(self.gaps[name])), self.gaps[name], name)
            for at in lost:
                self.assertEqual(int(self.executed[name][at - 1].opcode, 16) >> 25, 0x6b, at)  # BR, BLR, RET
        listed = re.findall(r"^    gap before position \d+: \w.*$", out, re.MULTILINE)
        self.assertEqual(len(listed), sum(totals.values()))
        by_reason = re.findall(r"^    (\d+): \w", out, re.MULTILINE)
        self.assertEqual(sum(map(int, by_reason)), sum(totals.values()))

    def gap_blocks(self, out):
        return re.split(r"^[* ] \d cpu_\d: ", out, flags=re.MULTILINE)[1:]

    def places(self, block):
        """Positions before which a core has gaps, of which there may be several; and apart from these of atoms between an indirect
        branch and the address that comes for it, which the reference passes over."""
        found = set(), set()
        for at, why in re.findall(r"gap before position (\d+): (.*)", block):
            found["does not say which instructions were executed" in why].add(int(at))
        return found

    def test_29_continue_stops_at_each_gap_and_says_why(self):
        most = max(range(6), key=lambda i: len(self.gaps[CORES[i]]))
        found, lost = self.places(self.gap_blocks(serving.gdb(self.server.address, ["monitor gaps all"]))[most])
        wanted = [position for position in sorted(found | lost)[::-1] if position > 1][:5]
        out = serving.gdb(self.server.address, [f"thread {most + 1}", *[
            "reverse-continue", 'printf "AT %lu\\n", $trace_pos'] * len(wanted)],
            options=["-x", serving.GDBINIT])
        self.assertEqual([int(at) for at in re.findall(r"^AT (\d+)$", out, re.MULTILINE)],
                         [position - 1 for position in wanted])
        self.assertEqual(
            [int(at) for at in re.findall(r"csreplay: stopped after a gap before position (\d+): ",
                                          out)], wanted)


if __name__ == "__main__":
    serving.main()
