#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`record btrace bts`: gdb's own walk over the branches before a position is the recorded one, and leaving it leads back.

usage: branch_trace.py CRASH [SNAPSHOT]   and a snapshot of corpus/opencsd whose history has gaps"""
import os
import re
import sys
import tempfile
import unittest

import lines
import material
import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
N = len(PCS) - 1
ON = ["csreplay-btrace"]
COUNT = 200  # instructions
SHOW = 'printf "AT %lx\\n", $pc'


def symbols(pcs):
    """The function of each PC."""
    distinct = sorted(set(pcs))
    out = serving.gdb(None, [f"info symbol {pc:#x}" for pc in distinct], CRASH.program,
                      allowed=["^No symbol matches"])
    found = re.findall(r"^(?:(\S+)(?: \+ \d+)? in section|No symbol)", out, re.MULTILINE)
    assert len(found) == len(distinct)
    of = dict(zip(distinct, (name or "??" for name in found)))
    return [of[pc] for pc in pcs]


class BranchTrace(unittest.TestCase):
    def gdb(self, *commands, arguments=None, program=CRASH.program, **more):
        with serving.Server(arguments or CRASH.arguments()) as server:
            return serving.gdb(server.address, commands, program, ["-x", serving.GDBINIT],
                               allowed=[*serving.UNKNOWN_MEMORY, *more.pop("allowed", ())], **more)

    def recorded(self, out):
        return int(re.search(r"^Recorded (\d+) instructions in \d+ functions \(0 gaps\)", out, re.MULTILINE)[1])

    def test_41_instructions_and_functions_are_the_recorded_ones(self):
        """zlib has a gap further back: tracing was off at a system call."""
        for end in (N, N - 5000):
            out = self.gdb(f"set $trace_pos = {end}", *ON, "info record", "set record function-call-history-size 0",
                           "set record instruction-history-size 0", "echo ==\\n", "record function-call-history", "echo ==\\n",
                           "record instruction-history")
            head, functions, instructions = out.split("==\n")
            count = self.recorded(head)
            self.assertGreater(count, 2000)
            expected = PCS[end - count:end]
            self.assertEqual([int(pc, 16) for pc in re.findall(r"^\d+\t.*?0x([0-9a-f]+)", instructions, re.MULTILINE)], expected)
            self.assertEqual(re.findall(r"^\d+\t(\S+)", functions, re.MULTILINE), lines.without_repeats(symbols(expected)))

    def test_41_steps_are_the_recorded_sequence_and_stop_leads_back(self):
        here = 'printf "AT %lu %lx\\n", $trace_pos, $pc'
        out = self.gdb(f"set $trace_pos = {N - 5}", *ON, serving.loop(COUNT, "reverse-stepi", SHOW), "record stop", here,
                       "reverse-stepi", here)
        stops = [int(pc, 16) for pc in re.findall(r"^AT ([0-9a-f]+)$", out, re.MULTILINE)]
        self.assertEqual(stops, PCS[N - 6:N - 6 - COUNT:-1])
        self.assertEqual(re.findall(r"^AT (\d+) ([0-9a-f]+)$", out, re.MULTILINE),
                         [(str(at), f"{PCS[at]:x}") for at in (N - 5, N - 6)])

    def test_41_it_is_not_on_before_it_is_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            out = self.gdb("info record", "reverse-stepi", log=log)
            self.assertFalse([packet for packet in serving.packets(log) if "btrace" in packet])
        self.assertIn("No recording is currently active", out)

    def test_41_a_gap_is_shown(self):
        folder = material.shared("corpus", "opencsd", *sys.argv[2].split("/"))
        with serving.Server([folder]) as server:
            out = serving.gdb(server.address, [*ON, "info record", "record function-call-history"], None, ["-x", serving.GDBINIT],
                              allowed=[*serving.UNKNOWN_MEMORY, "^warning: Recorded trace may be corrupted at instruction"])
        self.assertGreater(int(re.search(r"functions \((\d+) gaps?\)", out)[1]), 0, out)
        self.assertIn("[decode error (1): instruction overflow]", out)


if __name__ == "__main__":
    if not sys.argv[2:]:
        del BranchTrace.test_41_a_gap_is_shown
    serving.main()
