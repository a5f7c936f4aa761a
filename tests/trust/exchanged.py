#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two cores that were given each other's trace, by their sources or by trace IDs: that is said, and only then.

usage: exchanged.py SYNTH
"""
import os
import subprocess
import sys
import tempfile
import unittest

import serving
import two_cores

SYNTH = sys.argv.pop(1)
SAID = ('cpu_0.ini:1: warning: the trace of core "cpu_0" leads to the halt of core "cpu_1", and that one\'s to the halt of "cpu_0": '
        "their trace IDs, or their trace sources, may be exchanged")


class Exchanged(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.scene = two_cores.Scene(SYNTH, self.folder)
        self.assertNotEqual(self.scene.pcs[0][-1], self.scene.pcs[1][-1])

    def replace(self, name, *pairs):
        path = os.path.join(self.folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for old, new in pairs:
            self.assertEqual(text.count(old), 1)
            text = text.replace(old, new)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def said(self, command="check"):
        done = subprocess.run([serving.CSREPLAY, command, self.folder], capture_output=True, text=True, timeout=60, check=False)
        return [line for line in done.stderr.splitlines() if "exchanged" in line]

    def test_cores_with_their_own_traces(self):
        self.assertEqual(self.said(), [])

    def test_sources_of_each_other(self):
        self.replace("trace.ini", ("cpu_0=ETM_0", "cpu_0=ETM_x"), ("cpu_1=ETM_1", "cpu_1=ETM_0"), ("ETM_x", "ETM_1"))
        for command in ("check", "info", "history"):
            self.assertEqual(self.said(command), [SAID])

    def test_trace_ids_of_each_other(self):
        self.replace("device_2.ini", ("0x00000010", "0x00000011"))
        self.replace("device_3.ini", ("0x00000011", "0x00000010"))
        self.assertEqual(self.said(), [SAID])

    def test_one_core_that_halted_elsewhere(self):
        """The trace of cpu_0 leads to the halt of cpu_1, whose own does, too."""
        self.replace("cpu_0.ini", (f"{self.scene.pcs[0][-1]:x}", f"{self.scene.pcs[0][-1] + 64:x}"))
        self.replace("cpu_1.ini", (f"{self.scene.pcs[1][-1]:x}", f"{self.scene.pcs[0][-1]:x}"))
        self.assertEqual(self.said(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
