#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What tests/values/known.py lets pass, and what not."""
import contextlib
import io
import os
import sys
import tempfile
import unittest

import known

SHARES = ["90.0", "80.0", "70.0", "-", "60.0", "50.0", "40.0", "-", "30.0"]
SCORE = ("%-8s     1 trials  read  90.0  80.0  70.0     -  all  60.0  50.0  40.0     -  memory %5s"
         "  of 100  wrong 0  conflicts 0\n")


class KnownTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(setattr, known, "TABLE", known.TABLE)
        known.TABLE = os.path.join(self.folder, "known.tsv")
        os.environ.pop("CSREPLAY_MEASURED", None)
        self.write({("test", "-O2", "end"): SHARES})

    def write(self, rows):
        known.write_rows(known.TABLE, rows, ["gcc 12, qemu 7"], ["# A table."])

    def printed(self, shares, tools=None, line="end"):
        """What a test with these shares prints; empty if it passes in silence."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            table = known.Known("test")
            table.take("-O2", line, shares, tools)
            is_fine = table.is_fine()
        self.assertEqual(is_fine, "KNOWN:" not in output.getvalue())
        return output.getvalue()

    def changed(self, column, value):
        shares = list(SHARES)
        shares[known.COLUMNS.index(column)] = value
        return shares

    def test_slack(self):
        for column in known.COLUMNS:
            floor = SHARES[known.COLUMNS.index(column)]
            if floor == "-":
                continue
            self.assertEqual(self.printed(self.changed(column, "%.1f" % (float(floor) - 0.5))), "")
            self.assertEqual(self.printed(self.changed(column, "99.9")), "")
            below = "%.1f" % (float(floor) - 0.6)
            self.assertEqual(self.printed(self.changed(column, below)),
                             "KNOWN: test, -O2, end: %s is %s, floor %s\n" % (column, below, floor))

    def test_nothing_is_no_number(self):
        self.assertIn("read 100000 is 1.0, floor -", self.printed(self.changed("read 100000", "1.0")))
        self.assertIn("memory is -, floor 30.0", self.printed(self.changed("memory", "-")))

    def test_rows(self):
        self.assertIn("test, -O2, ends: no row", self.printed(SHARES, line="ends"))
        self.assertIn("test, -O2, end: not measured", self.printed(SHARES, line="ends"))

    def test_no_name(self):
        with contextlib.redirect_stdout(io.StringIO()):
            table = known.Known("")
            table.take("-O2", "ends", SHARES)
            self.assertTrue(table.is_fine())

    def test_tools(self):
        less = self.changed("memory", "29.0")
        self.assertIn("memory is 29.0", self.printed(less, "gcc 12, qemu 7"))
        self.assertEqual(self.printed(less, "gcc 13, qemu 7"),
                         "-O2: measured with other tools (gcc 13, qemu 7), within 15 points\n")
        self.assertIn("memory is 14.9", self.printed(self.changed("memory", "14.9"), "gcc 13, qemu 7"))

    def test_scores(self):
        text = "5 instructions\n" + SCORE % ("end", "30.0") + "and\n" + SCORE % ("end", "31.0")
        found = list(known.shares_in(text, ["ends=1", "and", "abi=1"]))
        self.assertEqual(found, [("", "end", SHARES), (" abi", "end", self.changed("memory", "31.0"))])

    def measure(self, shares, *options, tools="gcc 12, qemu 7"):
        """The table's rows after an update."""
        new = os.path.join(self.folder, "new")
        os.makedirs(new, exist_ok=True)
        known.write_rows(os.path.join(new, "test"), {("test", "-O2", "end"): shares}, [tools])
        argv, sys.argv = sys.argv, ["known.py", new, *options]
        try:
            known.main()
        finally:
            sys.argv = argv
        return known.read_rows(known.TABLE)

    def test_update(self):
        more, less = self.changed("memory", "31.0"), self.changed("memory", "29.0")
        key = ("test", "-O2", "end")
        self.assertEqual(self.measure(more), ({key: more}, ["gcc 12, qemu 7"]))
        self.assertEqual(self.measure(less)[0], {key: more})
        self.assertEqual(self.measure(less, "--lower")[0], {key: less})
        with self.assertRaises(SystemExit):
            self.measure(more, tools="gcc 13, qemu 7")
        self.assertEqual(self.measure(less, "--lower", tools="gcc 13, qemu 7"),
                         ({key: less}, ["gcc 13, qemu 7"]))
        with open(known.TABLE, encoding="ascii") as f:
            self.assertEqual(f.readline(), "# A table.\n")


if __name__ == "__main__":
    unittest.main()
