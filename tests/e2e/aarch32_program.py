#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdb on a 32-bit core with its program: what a step costs, and what is told of the halt.

usage: aarch32_program.py NAME   a snapshot of corpus/crashes"""
import os
import re
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])


class Program(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def gdb(self, *commands, **more):
        return serving.gdb(self.server.address, commands, CRASH.program,
                           ["-ex", "set trust-readonly-sections on"], **more)

    def test_reverse_stepi_takes_3_packets(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            self.gdb(*["reverse-stepi"] * 51, log=log)
            sent = serving.packets(log)
        first = sent.index("bs")
        last = len(sent) - 1 - sent[::-1].index("bs")
        self.assertEqual(sent.count("bs"), 51)
        print("packets a reverse-stepi:", (last - first) / 50)
        self.assertLessEqual(last - first, 3 * 50, sent[first:first + 12])

    def test_halt_is_the_snapshot_and_a_fault(self):
        out = self.gdb("info registers", "p $d0", "info program")
        self.assertRegex(out, r"(?m)^r12 +0x3 ")
        self.assertRegex(out, r"(?m)^cpsr +0x20000010 +\[.* C \]$")
        self.assertRegex(out, r"(?m)^\$1 = 0$")
        self.assertIn("SIGSEGV", out)

    def test_lines_and_functions_are_found_in_the_past(self):
        out = self.gdb("break cmp_bad", "reverse-continue", "reverse-continue", "reverse-step",
                       "x/i $pc", "p $cpsr", "frame")
        self.assertEqual(len(re.findall(r"(?m)^Breakpoint 1, .*cmp_bad ", out)), 2)
        self.assertRegex(out, r"(?m)^=> 0x[0-9a-f]+ <insert_unguarded\+\d+>:\t")
        self.assertRegex(out, r"(?m)^\$1 = <unavailable>$")
        self.assertRegex(out, r"(?m)^#0 .*insert_unguarded ")

    def test_program_of_the_user_is_kept_where_the_stub_offers_its_own(self):
        with serving.Server([CRASH.folder]) as server:
            out = serving.gdb(server.address, ["info inferiors", "info symbol $pc"], CRASH.program)
            self.assertIn(os.path.basename(CRASH.program), out)
            self.assertNotIn("instruction-sets", out)
            self.assertRegex(out, r"(?m)^cmp_bad \+ 20 in section \.text")
            out = serving.gdb(server.address, ["info inferiors", "reverse-stepi", "x/i $pc"])
            self.assertIn("target:/csreplay/instruction-sets.elf", out)
            self.assertRegex(out, r"(?m)^=> 0x103ec:\tstr\t")


if __name__ == "__main__":
    serving.main()
