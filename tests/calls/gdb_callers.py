#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gdb makes of callers by the flow, against what the recording's SP says, at random positions:
backtraces have every caller since the trace began, `up` shows it, reverse-finish ends at the call and finish
after the return.

usage: gdb_callers.py FOLDER NAME POSITIONS     of ../shared/corpus"""
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
# The level of the newest frame that is no inlined function's, by a function of csreplay_gdb.
WHOLE = 'python import csreplay_gdb.frames as frames; print("WHOLE %d" % frames.whole(gdb.newest_frame()).level())'
RETURNS = 12  # to an address, that are looked at


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
                                        "^#.*error reading variable", "^No frame at level",
                                        "^the call of this function is older"])

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

    def test_the_halt_has_the_same_callers_when_it_is_come_back_to(self):
        """gdb, which connects there, has frames of the flow already when it is asked what the stack in memory says."""
        parts = self.gdb(["echo ==\\n", f"bt {DEEP}", "reverse-stepi", "stepi", "echo ==\\n", f"bt {DEEP}"]).split("==\n")[1:]
        first, second = (re.findall(r"^#.*", part, re.MULTILINE) for part in parts)
        self.assertEqual(first, second)

    def test_up_shows_the_caller_and_a_seek_from_there_is_one(self):
        commands = []
        for position in self.positions:
            commands += ["echo ==\\n", f"seek {position}", "up", 'printf "UP %x AT %lu\\n", $pc, $trace_pos']
        for position, part in zip(self.positions, self.gdb(commands).split("==\n")[1:]):
            # What is inlined there has the PC of the frame that it is in.
            pc = int(re.search(r"^UP ([0-9a-f]+) AT (\d+)$", part, re.MULTILINE)[1], 16)
            self.assertEqual(int(re.search(r" AT (\d+)$", part, re.MULTILINE)[1]), position)
            first, at = self.stacks[position][0]
            if at >= 0:
                self.assertIn(pc, (first, TRUE.pcs()[position]), f"at {position}")

    def test_frames_without_a_stack_are_told(self):
        """Those that the line after the backtrace names have no SP that is known, the others have."""
        commands = []
        for position in self.positions:
            commands += ["echo ==\\n", f"seek {position}", "bt 4", "echo SP\\n", WHOLE]
            for level in range(1, 4):
                commands += [f"frame {level}", f'printf "LEVEL {level} "', "output/x $sp", "echo \\n"]
        told = 0
        for position, part in zip(self.positions, self.gdb(commands).split("==\n")[1:]):
            trace, rest = part.split("SP\n")
            line = re.search(r"^\[flow\] ((?:#\d+ )*#\d+).*: proved by calls .* address on it is none$", trace, re.MULTILINE)
            marked = {int(level) for level in re.findall(r"#(\d+)", line[1])} if line else set()
            newest = int(re.search(r"^WHOLE (\d+)$", rest, re.MULTILINE)[1])
            shown = {int(level) for level in re.findall(r"^#([1-3]) ", trace, re.MULTILINE) if int(level) > newest}
            known = {int(level) for level in re.findall(r"^LEVEL (\d) 0x", rest, re.MULTILINE)}
            self.assertEqual(marked & shown, shown - known, f"at {position}:\n{part}")
            told += len(marked & shown)
        print(f"{told} frames are told")

    def test_nothing_is_read_on_a_stack_of_unknown_place(self):
        """gdb takes the identity of a frame for where its variables are."""
        words = '{"function": "0x1000", "call": "1", "outer_sp": hex(sp), "outer": "2"}'
        out = self.gdb(["python from csreplay_gdb.flow import FlowId, Nowhere", 'python sp = int(gdb.parse_and_eval("$sp"))',
                        f"python at = int(FlowId({words}, True).sp)",
                        'python print("READS", *map(Nowhere.is_memory, (sp, at - 8, at, at + 8)))'])
        self.assertIn("READS True False False False\n", out)

    def test_finish_ends_after_the_return(self):
        pcs = TRUE.pcs()
        after = {}
        for position in self.positions:
            ret, at = self.stacks[position][0]
            if at >= 0:
                after[position] = [i for i in range(position + 1, TRUE.length) if pcs[i] == ret][:RETURNS]
        stacks = TRUE.stacks({i for some in after.values() for i in some}, DEEP)
        want = {}
        for position, some in after.items():
            callers = self.stacks[position][1:]
            ends = [i for i in some if stacks[i][:len(callers)] == callers[:len(stacks[i])]]
            if ends and callers:
                want[position] = ends[0]
        commands = ["monitor set gap pass"]
        for position in want:
            commands += ["echo ==\\n", f"seek {position}", WHOLE, "finish", 'printf "AT %lu\\n", $trace_pos']
        parts = self.gdb(commands).split("==\n")[1:]
        for (position, end), part in zip(want.items(), parts):
            if "WHOLE 0" not in part:
                continue  # gdb ends what is inlined there
            self.assertEqual(int(re.search(r"^AT (\d+)$", part, re.MULTILINE)[1]), end, f"from {position}:\n{part}")
        print(f"{len(want)} functions were finished")


    def test_finish_ends_in_the_oldest_function(self):
        """Its call is older than the trace; of a 32-bit core gdb cannot unwind it where CPSR is not known."""
        self.check_oldest([])

    def test_finish_ends_in_an_oldest_function_that_is_not_active_at_the_halt(self):
        """It has returned, or another is there in its place: the halt does not say what gdb would take it for."""
        if TRUE.wide:
            return  # gdb unwinds it
        self.check_oldest(["python from csreplay_gdb.callers import callers", "python from csreplay_gdb.flow import flow",
                           "python for each in (callers.older, flow.outermost, flow.whole): each.clear()"])

    def check_oldest(self, first):
        pcs, some = TRUE.pcs(), range(0, TRUE.length, max(1, TRUE.length // 200))
        stacks, want = TRUE.stacks(set(some), DEEP), {}
        for position in some:
            ret, at = stacks[position][0] if stacks[position] else (0, -1)
            if at >= 0 and all(older < 0 for _, older in stacks[position][1:]) and ret not in want.values():
                want[position] = ret
        after = {position: next((i for i in range(position + 1, TRUE.length) if pcs[i] == ret), None)
                 for position, ret in want.items()}
        commands = [*first]
        for position in after:
            commands += ["echo ==\\n", f"seek {position}", WHOLE, "finish", 'printf "AT %lu\\n", $trace_pos']
        count = 0
        for (position, end), part in zip(after.items(), self.gdb(commands).split("==\n")[1:]):
            if end is None or "WHOLE 0" not in part:
                continue
            self.assertEqual(int(re.search(r"^AT (\d+)$", part, re.MULTILINE)[1]), end, f"from {position}:\n{part}")
            count += 1
        print(f"{count} functions ended in the oldest one")


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
    serving.main()
