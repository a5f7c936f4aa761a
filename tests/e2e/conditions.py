#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Conditions of breakpoints, that gdb evaluates itself or has the stub evaluate: they stop in the same
places. The program is a loop that adds 1 to X1 and stores it; the encoder makes its trace.

usage: conditions.py SYNTH"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import serving

CODE, DATA = 0x400000, 0x500000
ADD_X1_1, STR_X1_X2, B_LOOP = 0x91000421, 0xF9000041, 0x17FFFFFE
LOOP = struct.pack("<3I", ADD_X1_1, STR_X1_X2, B_LOOP)
SMALL, LARGE = 170, 100001
WHERE = 'printf "AT %lu %ld\\n", $trace_pos, $x1'
# What gdb is given, and which values of x1 it is true of.
CONDITIONS = {
    "$x1 == 7": lambda x: x == 7,
    "$x1 == 7 && $x2 == 0x500000": lambda x: x == 7,
    "$x1 == 7 || $x1 == 90": lambda x: x in (7, 90),
    "!($x1 - 7)": lambda x: x == 7,
    "$x1 / 50 == 3": lambda x: x // 50 == 3,
    "$x1 % 70 == 7": lambda x: x % 70 == 7,
    "$x1 * $x1 == 49": lambda x: x == 7,
    "($x1 & 0xf0) == 0x70": lambda x: x & 0xf0 == 0x70,
    "($x1 | 1) == 7": lambda x: x | 1 == 7,
    "($x1 ^ 6) == 1": lambda x: x ^ 6 == 1,
    "~$x1 == -8": lambda x: x == 7,
    "($x1 << 3) == 56": lambda x: x == 7,
    "($x1 >> 4) == 2": lambda x: x >> 4 == 2,
    "$x1 < 3": lambda x: x < 3,
    "(long) $x1 - 9 > 150": lambda x: x - 9 > 150,
    "(signed char) $x1 == -100": lambda x: x == 156,
    "(unsigned char) $x1 == 0x9c": lambda x: x == 156,
    "(int) $x1 == 7": lambda x: x == 7,
    "*(long *) $x2 == 7": lambda x: x == 7,
    "*(int *) 0x500000 == 7": lambda x: x == 7,
    "*(signed char *) ($x2 + 0) == -100": lambda x: x == 156,
    "((unsigned short *) $x2)[0] == 7": lambda x: x == 7,
    "$trace_pos == 21": lambda x: x == 7,
    "$pc == 0x400000 && $x1 == 7": lambda x: x == 7,
    "$x1 == 7 && $x9 == 0": lambda x: x == 7}

class Conditions(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "snapshot")
        os.mkdir(self.folder)
        self.log = os.path.join(scratch.name, "log")

    def serve(self, count):
        for name, data in (("code.bin", LOOP), ("data.bin", struct.pack("<Q", count))):
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(data)
        recipe = os.path.join(self.folder, "recipe")
        registers = {1: count, 2: DATA, 9: 0}
        # The loop begins at ADD; its branch leads there, and the halt is before the next ADD.
        with open(recipe, "w", encoding="utf-8") as file:
            print("core cpu_0 Cortex-A53", f"reg PC(size:64) {CODE:#x}", "reg SP(size:64) 0x0",
                  "reg CPSR(size:32) 0x60000005",
                  *(f"reg X{n}(size:64) {value:#x}" for n, value in registers.items()),
                  f"dump code.bin {CODE:#x}", f"dump data.bin {DATA:#x}",
                  "source ETM_0 ETM4.2 0x10", "context 1 1", sep="\n", file=file)
            file.writelines([f"run {CODE:#x} 3\n"] * (count + 1))  # the last is not traced whole
        subprocess.run([sys.argv[1], "snapshot", recipe, self.folder], check=True)
        return serving.Server([self.folder])

    def test_18_the_stub_stops_where_the_condition_is_true(self):
        with self.serve(SMALL) as server:
            for condition, is_true in CONDITIONS.items():
                with self.subTest(condition=condition):
                    out = serving.gdb(server.address, [
                        f"set $trace_pos = {3 * SMALL}",
                        "set breakpoint condition-evaluation target",
                        f"break *{CODE:#x} if {condition}",
                        *["reverse-continue", WHERE] * 12], log=self.log,
                        # Before the first store nothing is known of the word.
                        allowed=("^Error in testing breakpoint condition",
                                 "^Cannot access memory at address 0x500000$"))
                    found = [(int(p), int(x)) for p, x in
                             re.findall(r"^AT (\d+) (-?\d+)$", out, re.MULTILINE)]
                    true = [(3 * x, x) for x in range(SMALL - 1, -1, -1) if is_true(x)]
                    # At the end of the history it stays where it is.
                    self.assertEqual(found, (true + 12 * [(0, 0)])[:12])
                    runs = serving.packets(self.log).count("bc")
                    self.assertLessEqual(runs, 12)

    def test_18_gdb_evaluates_what_it_is_told_to(self):
        with self.serve(40) as server:
            out = serving.gdb(server.address, [
                "set breakpoint condition-evaluation host", f"break *{CODE:#x} if $x1 == 31",
                "reverse-continue", WHERE])
        self.assertIn("AT 93 31\n", out)

    def test_19_gdb_decides_where_something_is_not_known(self):
        with self.serve(40) as server:
            out = serving.gdb(server.address, [
                f"break *{CODE:#x} if $x3 == 0", "reverse-continue", WHERE],
                allowed=("^Error in testing breakpoint condition", "value is not available"))
        self.assertIn("Error in testing breakpoint condition", out)
        self.assertIn("AT 117 39\n", out)

    def test_20_hbreak_tbreak_and_ignore_counts(self):
        with self.serve(SMALL) as server:
            out = serving.gdb(server.address, [
                f"hbreak *{CODE:#x} if $x1 == 50", "reverse-continue", WHERE, "delete",
                f"tbreak *{CODE:#x} if $x1 == 20", "reverse-continue", WHERE, "info breakpoints",
                f"break *{CODE:#x} if $x1 > 30", "ignore 3 10", "continue", WHERE,
                f"break *{CODE:#x} if $x1 == 45", "continue", WHERE], allowed=("No breakpoints",))
        self.assertEqual(re.findall(r"^AT (\d+) (-?\d+)$", out, re.MULTILINE),
                         [("150", "50"), ("60", "20"), ("123", "41"), ("126", "42")])
        self.assertIn("No breakpoints or watchpoints.", out)

    def test_18_100000_misses_take_few_packets_and_a_second(self):
        with self.serve(LARGE) as server:
            begun = time.monotonic()
            out = serving.gdb(server.address, [
                f"break *{CODE:#x} if $x1 == 0", "reverse-continue", WHERE], log=self.log,
                options=["-x", serving.GDBINIT])
            took = time.monotonic() - begun
            sent = serving.packets(self.log)
            run = sent[next(i for i, p in enumerate(sent) if p.startswith("Z0")):]
            print(f"{len(run)} packets, {took:.2f} s with gdb's own start")
            self.assertIn("AT 0 0\n", out)
            self.assertLessEqual(len(run), 20, run)
            self.assertLess(self.seconds_forward(server), 10)  # a debug build on a busy machine

    def seconds_forward(self, server):
        """What the stub needs from begin to halt: `$x1 == 0` holds nowhere on the way."""
        with serving.Client(server.address) as client:
            client.ask("qSupported:swbreak+")
            code = f"26{client.number_of('x1'):04x}22001327"  # reg, const8, equal, end
            client.ask(f"Z0,{CODE:x},4;X{len(code) // 2:x},{code}")
            begun = time.monotonic()
            answer, _ = client.move("vCont;c")
            self.assertTrue(answer.startswith("T05replaylog:end"), answer)
            took = time.monotonic() - begun
        print(f"{LARGE} misses: {took:.2f} s in the stub")
        return took


if __name__ == "__main__":
    serving.main()
