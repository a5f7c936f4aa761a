#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of an ITM on the console of real gdb and lldb, as execution passes them. Usage: software_trace.py SYNTH"""
import re
import sys
import tempfile
import unittest

import serving
import software
import two_cores

SYNTH = sys.argv[1]


class Console(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        scene = two_cores.Scene(SYNTH, cls.folder, seed=3)
        itm = software.Itm()
        cls.lines = [f"tick {i}" for i in range(5)]
        for i, line in enumerate(cls.lines):
            for char in (line + "\n").encode():
                itm.write(0, char)
            itm.time(scene.times[0][1000 + 300 * i])
        software.add(cls.folder, "ITM_0", itm)

    def assert_shown(self, out, undone):
        said = re.findall(r"^time [\w ]+(, undone)?: ITM_0 port 0: \"(tick \d)\"$", out, re.M)
        self.assertEqual(said, [(", undone" if undone else "", line) for line in
                                (self.lines[::-1] if undone else self.lines)])

    def test_gdb(self):
        with serving.Server([self.folder]) as server:
            out = serving.gdb(server.address, ["monitor set software-trace on", "reverse-continue", "echo ==\\n", "continue"],
                              options=["-x", serving.GDBINIT])
        back, forth = out.split("==\n")
        self.assert_shown(back, True)
        self.assert_shown(forth, False)

    def test_gdb_catches(self):
        with serving.Server([self.folder]) as server:
            out = serving.gdb(server.address, ["monitor catch software-trace"] + ["reverse-continue"] * 6,
                              options=["-x", serving.GDBINIT])
        self.assertEqual(re.findall(r"csreplay: caught before position \d+: ITM_0 port 0: \"(.*)\"", out), self.lines[::-1])
        self.assertIn("No more reverse-execution history", out)

    def test_lldb(self):
        with serving.Server([self.folder]) as server:
            out = serving.lldb([f"command source -s 1 {serving.LLDBINIT}", f"gdb-remote {server.address}",
                                "set software-trace on", "reverse-continue", "script print('==')", "continue",
                                "software-trace all"])
        back, forth = out.split("\n==\n")
        self.assert_shown(back.split("reverse-continue")[1], True)
        self.assert_shown(forth.split("(lldb) software-trace")[0], False)
        self.assertEqual(re.findall(r"ITM_0 port 0: \"(.*)\"; then cpu_0 was at", forth), self.lines)


if __name__ == "__main__":
    serving.main()
