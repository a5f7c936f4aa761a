#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stepping both ways by instruction and by line; where nothing of the past is known but the PC, too.
What needs the past SP (reverse-next, reverse-finish and the like) is in values_gdb.py.

usage: stepping.py CRASH BACK ON [gdbinit [SCENARIO...]]   the least shares, in percent, of the executed lines that
steps back and steps on meet: gdb passes over a line that it enters after the line's first statement.
With gdbinit: of T32 code gdb needs it where the past CPSR is not known, of a static program of a C
library to step by lines at all. Only the SCENARIOs run, if some are named"""
import os
import re
import shutil
import sys
import tempfile
import unittest

import lines
import serving

CRASH = serving.Crash(sys.argv[1])
BACK, ON = (float(share) for share in sys.argv[2:4])
PCS = CRASH.pcs()
COUNT = 1000
LINES = 150
OPTIONS = ["-x", serving.GDBINIT] if sys.argv[4:5] == ["gdbinit"] else \
    ["-ex", "set trust-readonly-sections on", *serving.UNCACHED]
FIRST = "x0" if CRASH.is_a64() else "r0"


def without_registers(folder):
    """A copy of the snapshot whose core has no register but the PC."""
    copy = os.path.join(folder, "snapshot")
    shutil.copytree(CRASH.folder, copy)
    core = os.path.join(copy, "cpu_0.ini")
    with open(core, encoding="utf-8") as file:
        kept = [line for line in file if not re.match(r"(?i)([XRVD]\d+|[MP]?SP|LR|CPSR|xPSR|CONTROL)\b", line)]
    with open(core, "w", encoding="utf-8") as file:
        file.writelines(kept)
    return copy


class Stepping(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def gdb(self, commands, **more):
        return serving.gdb(self.server.address, commands, CRASH.program, more.pop("options", OPTIONS),
                           allowed=serving.UNKNOWN_MEMORY, **more)

    def test_7_reverse_stepi_is_the_recorded_sequence_and_stepi_returns(self):
        show = 'printf "AT %lx\\n", $pc'
        out = self.gdb(["info registers", "echo ==back\\n",
                        serving.loop(COUNT, "reverse-stepi", show), "echo ==on\\n",
                        serving.loop(COUNT, "stepi", show), "echo ==end\\n", "info registers"])
        before, out = out.split("==back\n")
        out, after = out.split("==end\n")
        back, on = ([int(pc, 16) for pc in re.findall(r"^AT ([0-9a-f]+)$", part, re.MULTILINE)]
                    for part in out.split("==on\n"))
        self.assertEqual(back, PCS[-2:-2 - COUNT:-1])
        self.assertEqual(on, PCS[-COUNT:])
        shown = re.compile(rf"^(?:{FIRST}|sp|pc|trace_pos) .*", re.MULTILINE)
        self.assertEqual(len(shown.findall(before)), 4)
        self.assertEqual(shown.findall(before), shown.findall(after))

    def test_7_reverse_stepi_takes_few_packets(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            self.gdb(["reverse-stepi"] * 51, log=log,
                     # Without it gdb reads of an M profile core what it takes for the caller of the outermost frame.
                     options=["-x", serving.GDBINIT] if CRASH.is_m or OPTIONS[0] == "-x" else
                     ["-ex", "set trust-readonly-sections on"])
            sent = serving.packets(log)
        first = sent.index("bs")
        last = len(sent) - 1 - sent[::-1].index("bs")
        self.assertEqual(sent.count("bs"), 51)
        print("packets a reverse-stepi:", (last - first) / 50)
        # Of an M profile core a frame comes up whose stack is not known: seven reads, once, look for where no memory is (FlowId).
        self.assertLessEqual(last - first, 3 * 50 + (17 if CRASH.is_m else 3), sent[first:first + 12])

    def test_8_reverse_step_visits_the_recorded_lines(self):
        out = self.gdb([serving.loop(LINES, "reverse-step",
                                     'printf "AT %lx %lu\\n", $pc, $trace_pos')])
        stops = self.stops(out)
        self.assertEqual(len(stops), LINES)
        share = lines.check_stops(self, CRASH.program, PCS, len(PCS) - 1, stops)
        print(f"{CRASH.name}: {share:.1f} % of the lines met stepping back")
        self.assertGreaterEqual(share, BACK)

    def stops(self, out):
        return [(int(pc, 16), int(position))
                for pc, position in re.findall(r"^AT ([0-9a-f]+) (\d+)$", out, re.MULTILINE)]

    def with_line(self, start):
        """The first position from there on whose code has a line."""
        of = lines.line_table(CRASH.program, sorted(set(PCS[start:])))
        return next(position for position in range(start, len(PCS)) if of[PCS[position]])

    def test_13_range_stepping_on_and_off_stop_alike(self):
        start, found = self.with_line(len(PCS) // 2), {}
        for setting in ("on", "off"):
            out = self.gdb([f"set range-stepping {setting}", f"set $trace_pos = {start}",
                            serving.loop(60, "step", 'printf "AT %lx %lu\\n", $pc, $trace_pos')])
            found[setting] = self.stops(out)
        self.assertEqual(len(found["on"]), 60)
        self.assertEqual(found["on"], found["off"])
        share = lines.check_stops(self, CRASH.program, PCS, start, found["on"])
        print(f"{CRASH.name}: {share:.1f} % of the lines met stepping on")
        self.assertGreaterEqual(share, ON)

    def test_33_everything_but_the_pc_unknown_is_no_crash(self):
        commands = [f"set $trace_pos = {len(PCS) // 2}", "info registers", "bt", "step", "next",
                    "reverse-step", "reverse-stepi", "info locals", "p $sp", "p $sp + 1", "p $pc",
                    "p $trace_pos"]
        with tempfile.TemporaryDirectory() as folder:
            copy = without_registers(folder)
            with serving.Server(["--image", CRASH.program, copy]) as server:
                out = serving.gdb(server.address, commands, CRASH.program, OPTIONS,
                                  allowed=[*serving.UNKNOWN_MEMORY, "^value is not available$", "^No symbol table info available",
                                           "^Backtrace stopped: previous frame identical"])
        self.assertRegex(out, r"(?m)^sp +<unavailable>$")
        self.assertIn("value is not available", out)
        self.assertRegex(out, r"(?m)^\$\d+ = <unavailable>$")
        self.assertRegex(out, r"(?m)^\$\d+ = \(.*\) 0x[0-9a-f]+.*\n\$\d+ = \d+$")
        self.assertNotIn("Remote connection closed", out)

    def test_34_no_reply_holds_half_a_register(self):
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:xmlRegisters=i386;swbreak+")
            description = client.ask("qXfer:features:read:target.xml:0,ffff")
            # Hexadecimal digits of each register, in the order of g.
            sizes = [int(bits) // 4 for bits in re.findall(r'bitsize="(\d+)"', description)]
            self.assertGreaterEqual(len(sizes), 34 if CRASH.is_a64() else 17)
            for _ in range(3000):
                stop, _ = client.move("bs")
                self.assertNotIn("x", stop)
                self.assertIn(";thread:1;", ";" + stop)
                registers = client.ask("g")
                self.assertEqual(len(registers), sum(sizes))
                at = 0
                for size in sizes:
                    self.assertIn(registers[at:at + size].count("x"), (0, size))
                    at += size
                self.assertNotIn("x", registers[:sizes[0]])  # the PC


if __name__ == "__main__":
    for test in [one for one in vars(Stepping) if one.startswith("test_")]:
        if sys.argv[5:] and test.split("_")[1] not in sys.argv[5:]:
            delattr(Stepping, test)
    serving.main()
