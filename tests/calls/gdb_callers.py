#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gdb makes of callers by the flow, against what the recording's SP says, at random positions:
backtraces have every caller since the trace began, and reverse-finish ends at the call.

usage: gdb_callers.py FOLDER NAME POSITIONS [backtraces]     of ../shared/corpus; these alone"""
import random
import re
import sys
import unittest

import material
import serving
import true_stack

FOLDER = material.shared("corpus", sys.argv[1], sys.argv[2])
COUNT = int(sys.argv[3])
TRUE = true_stack.TrueStacks(FOLDER)
DEEP = 30  # frames
BACKTRACES_ALONE = sys.argv[4:] == ["backtraces"]


class Callers(unittest.TestCase):
    """Random positions, and gdb."""

    def setUp(self):
        some = random.Random(24).sample(range(TRUE.length), min(COUNT, TRUE.length))
        self.stacks = TRUE.stacks(set(some), DEEP)
        self.positions = [at for at in some if self.stacks[at]]

    def gdb(self, commands):
        with serving.Server(["--image", FOLDER + "/program.elf", FOLDER]) as server:
            return serving.gdb(server.address, commands, FOLDER + "/program.elf",
                               ["-x", serving.GDBINIT],
                               allowed=[*serving.UNKNOWN_MEMORY, "^Backtrace stopped: previous frame",
                                        "^#.*error reading variable", "^the call of this function is older"])

    def finish_back(self, positions, before):
        """Where reverse-finish ends from each; and positions of gaps."""
        commands = ["monitor set gap stop", "monitor gaps"]
        for position in positions:
            commands += ["echo ==\\n", f"set $trace_pos = {position}", "frame 0", *before(position), "reverse-finish",
                         'printf "AT %lu\\n", $trace_pos', "delete"]
        gaps, *parts = self.gdb(commands).split("==\n")
        gaps = [int(gap) for gap in re.findall(r"position (\d+)", gaps)]
        return [int(re.search(r"^AT (\d+)$", part, re.MULTILINE)[1]) for part in parts], gaps


class Backtraces(Callers):
    def test_backtraces_have_every_caller(self):
        commands = []
        for position in self.positions:
            commands += ["echo ==\\n", f"set $trace_pos = {position}", "frame 0", f"bt {2 * DEEP}"]
        parts = self.gdb(commands).split("==\n")[1:]
        self.assertEqual(len(parts), len(self.positions))
        for position, part in zip(self.positions, parts):
            seen = [int(pc, 16) for pc in
                    re.findall(r"^#[1-9]\d* +0x([0-9a-f]+) in ", part, re.MULTILINE)]
            want = [ret for ret, at in self.stacks[position] if at >= 0][:DEEP - 8]
            self.assertEqual(seen[:len(want)], want, f"at {position}:\n{part}")


class ReverseFinish(Callers):
    """It stops at breakpoints on the way, and where the user says so at gaps, as reverse-continue does."""

    def setUp(self):
        super().setUp()
        self.positions = [at for at in self.positions if self.stacks[at][0][1] >= 0]

    def test_it_ends_at_the_call(self):
        ends, gaps = self.finish_back(self.positions, lambda _: [])
        want = [max([self.stacks[at][0][1]] + [gap - 1 for gap in gaps if gap < at]) for at in self.positions]
        self.assertEqual(ends, want)

    def test_it_stops_at_a_breakpoint_at_the_beginning_of_the_function(self):
        pcs = TRUE.pcs()
        first = {at: pcs[self.stacks[at][0][1] + 1] for at in self.positions}
        positions = [at for at in self.positions if pcs[at] != first[at]]
        ends, gaps = self.finish_back(positions, lambda at: [f"break *{first[at]:#x}"])
        want = [max([i for i in range(at) if pcs[i] == first[at]] + [gap - 1 for gap in gaps if gap < at])
                for at in positions]
        self.assertEqual(ends, want)


if __name__ == "__main__":
    if BACKTRACES_ALONE:  # gdb has no frame where CPSR is not known, and moves no more
        del ReverseFinish
    serving.main()
