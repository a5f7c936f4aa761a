#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a continue does at gaps, and at events: juno_r1_1, whose core 0 lacks most of its code."""
import re
import subprocess
import unittest

import serving
from material import shared

JUNO = shared("corpus", "opencsd", "juno_r1_1")
# What lies between the instructions of core 0: positions, each with what is listed before it.
LISTED = subprocess.run([serving.CSREPLAY, "history", "--core", "cpu_0", JUNO], check=True,
                        capture_output=True, text=True).stdout
GAPS = [(int(p), why) for p, why in re.findall(r"^# gap before position (\d+): (.*)$", LISTED,
                                               re.MULTILINE)]
LAST = int(re.findall(r"^(\d+)\t", LISTED, re.MULTILINE)[-1]) + 1
WHERE = 'printf "AT %lu\\n", $trace_pos'


class Gaps(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server([JUNO])

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def gdb(self, *commands, **more):
        return serving.gdb(self.server.address, ["monitor --reread seek end", "maintenance flush "
                                                 "register-cache", *commands], **more)

    def where(self, out):
        return [int(position) for position in re.findall(r"^AT (\d+)$", out, re.MULTILINE)]

    def gaps(self, out):
        return [int(count) for count in re.findall(r"passed (\d+) gaps? on the way", out)]

    def test_29_one_command_from_halt_to_begin_and_back(self):
        out = self.gdb("monitor set gap pass", "reverse-continue", WHERE, "continue", WHERE,
                       "monitor set gap ask")
        self.assertEqual(self.where(out), [0, LAST])
        self.assertGreater(len(GAPS), 2800)
        self.assertEqual(self.gaps(out), [len(GAPS)] * 2)

    def test_29_each_gap_is_a_stop_if_that_is_wanted(self):
        out = self.gdb("monitor set gap stop", *["reverse-continue", WHERE] * 30,
                       "monitor set gap ask")
        found = self.where(out)
        listed = sorted({position for position, _ in GAPS}, reverse=True)
        self.assertEqual(found, [position - 1 for position in listed[:30]])

    def test_29_as_it_is_nothing_but_a_plain_filter_is_passed(self):
        out = self.gdb(*["reverse-continue", WHERE] * 300)
        stops = [position + 1 for position in self.where(out)]
        way = [(position, why) for position, why in GAPS if position >= stops[-1]]
        passed = [(position, why) for position, why in way if position not in stops]
        self.assertEqual(sum(self.gaps(out)), len(passed))
        for position, why in passed:
            self.assertRegex(why, r"^tracing was off \(trace byte \d+\)$")
            self.assertTrue(self.is_next(position), position)

    def is_next(self, position):
        """The instruction is the one after that before it: neither has branched."""
        pcs = [int(pc, 16) for pc in re.findall(rf"^(?:{position - 1}|{position})\t([0-9a-f]+)\t",
                                                LISTED, re.MULTILINE)]
        return pcs[1] == pcs[0] + 4

    def test_exceptions_are_stopped_at(self):
        out = self.gdb("monitor set gap pass", "monitor catch exception",
                       *["reverse-continue", WHERE] * 10, "monitor catch exception off",
                       "reverse-continue", WHERE, "monitor set gap ask")
        found = self.where(out)
        self.assertEqual(found[-1], 0)
        position, listed = 0, set()
        for line in LISTED.splitlines()[1:]:
            if line.startswith("#"):
                if "GEN_TRC_ELEM_EXCEPTION" in line:
                    listed.add(position)
            else:
                position = int(line.split("\t")[0]) + 1
        self.assertEqual(found[:10], [p - 1 for p in sorted(listed, reverse=True)[:10]])

    def test_what_is_watched_may_have_been_written_in_a_gap(self):
        out = self.gdb("monitor set gap pass", "watch *(char *) 0xffffffc000081000",
                       "reverse-continue", "monitor set gap ask",
                       allowed=[*serving.UNKNOWN_MEMORY])
        self.assertNotIn("No more reverse-execution history", out)
        self.assertRegex(out, "what is watched may have been accessed in it|"
                              "from here on it is not known what instructions accessed")


if __name__ == "__main__":
    serving.main()
