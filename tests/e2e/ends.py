#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Both ends of the history, and going anywhere in between by writing $trace_pos."""
import re
import sys
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
N = len(PCS) - 1
END = "No more reverse-execution history."
WHERE = 'printf "AT %lx %lu\\n", $pc, $trace_pos'


class Ends(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def gdb(self, *commands, allowed=()):
        return serving.gdb(self.server.address, commands, CRASH.program,
                           ["-ex", "set trust-readonly-sections on", *serving.UNCACHED], allowed=allowed)

    def where(self, out):
        return [(int(pc, 16), int(position))
                for pc, position in re.findall(r"^AT ([0-9a-f]+) (\d+)$", out, re.MULTILINE)]

    def test_27_reverse_continue_ends_at_the_oldest_instruction(self):
        out = self.gdb("reverse-continue", WHERE, "reverse-continue", WHERE,
                       "reverse-stepi 1000", WHERE)
        self.assertEqual(self.where(out), [(PCS[0], 0)] * 3)
        self.assertGreaterEqual(out.count(END), 3)

    def test_28_continue_ends_at_the_halt(self):
        out = self.gdb("info registers", "echo ==\\n", "reverse-stepi 500", "continue", WHERE,
                       "stepi", WHERE, "continue", WHERE, "echo ==\\n", "info registers")
        before, between, after = out.split("==\n")
        self.assertEqual(self.where(between), [(PCS[N], N)] * 3)
        self.assertEqual(between.count(END), 3)
        first = "x0 " if CRASH.is_a64() else "r0 "
        self.assertEqual(before[before.index(first):],
                         after[after.index(first):after.index("[Inferior")]
                         if "[Inferior" in after else after)

    def test_36_writing_trace_pos_seeks(self):
        middle = N // 2
        out = self.gdb("p $trace_pos", f"set $trace_pos = {middle}", WHERE, "bt 1", "reverse-stepi",
                       WHERE, f"set $trace_pos = {N + 1}", WHERE, "set $trace_pos = -1", WHERE,
                       "set $trace_pos = 0", WHERE, f"set $trace_pos = {N}",
                       # gdb keeps the frame that was selected, if it finds it there.
                       "frame 0", WHERE,
                       allowed=[*serving.UNKNOWN_MEMORY, r'^Could not write register "trace_pos"; remote failure reply '
                                r"'E\.position out of range \(0\.\.\d+\)'$"])
        self.assertIn(f"$1 = {N}\n", out)
        self.assertEqual(self.where(out), [
            (PCS[middle], middle), *[(PCS[middle - 1], middle - 1)] * 3, (PCS[0], 0),
            (PCS[N], N)])
        self.assertEqual(out.count(f"position out of range (0..{N})"), 2)

    def test_37_monitor_commands_print(self):
        out = self.gdb("monitor help", "monitor cores", "monitor position", "monitor gaps",
                       "monitor events", "monitor seek 1", WHERE, "stepi",
                       WHERE, "monitor flyaway", f"monitor seek {N + 1}", WHERE)
        for word in ("help", "position", "seek", "events", "gaps", "cores"):
            self.assertRegex(out, rf"(?m)^{word} ")
        self.assertIn(f"position {N} of {N} (the halt)", out)
        self.assertRegex(out, r"\d+ gaps? in \d+ instructions")
        self.assertRegex(out, r"\d+ events in all")
        self.assertIn('no command "flyaway"; `monitor help` lists them', out)
        self.assertIn(f"position out of range (0..{N})", out)
        self.assertIn("stops at position 1; nothing has moved yet", out)
        self.assertEqual(self.where(out), [(PCS[N], N), *[(PCS[1], 1)] * 2])


if __name__ == "__main__":
    serving.main()
