#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.py counts what passed, failed and was skipped, and ends accordingly."""
import os
import subprocess
import sys
import tempfile
import unittest

REPORT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.py")
PASSED = '<testcase name="good" status="run"><system-out>fine</system-out></testcase>'
PARTLY = ('<testcase name="part" status="run"><system-out>fine\nSKIPPED: no lldb\n</system-out>'
          '</testcase>')
SKIPPED = ('<testcase name="none" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
           '<system-out>SKIPPED: no lldb\n</system-out></testcase>')
SILENT = ('<testcase name="mute" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
          '<system-out></system-out></testcase>')
FAILED = '<testcase name="bad" status="fail"><failure message=""/></testcase>'
MISSING = '<testcase name="lost" status="notrun"><system-out>Unable to find it</system-out></testcase>'


def report(*cases, options=()):
    """(exit code, lines)"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dev.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("<testsuite>" + "".join(cases) + "</testsuite>")
        done = subprocess.run([sys.executable, REPORT, *options, path], capture_output=True,
                              text=True, check=False)
    return done.returncode, done.stdout.splitlines()


class Report(unittest.TestCase):
    def test_all_passed(self):
        self.assertEqual(report(PASSED), (0, ["1 passed, 0 failed, 0 skipped"]))

    def test_nothing_ran(self):
        self.assertEqual(report(), (1, ["0 passed, 0 failed, 0 skipped"]))

    def test_failures_have_names(self):
        self.assertEqual(report(PASSED, FAILED, MISSING),
                         (1, ["failed: dev/bad", "failed: dev/lost", "1 passed, 2 failed, 0 skipped"]))

    def test_skips_have_reasons(self):
        self.assertEqual(report(PASSED, PARTLY, SKIPPED, SILENT),
                         (0, ["skipped: no lldb: 2 tests: dev/part dev/none",
                              "skipped: no reason given: 1 test: dev/mute",
                              "1 passed, 0 failed, 3 skipped"]))

    def test_skips_fail_if_strict(self):
        for case in (PARTLY, SKIPPED, SILENT):
            self.assertEqual(report(PASSED, case, options=["--strict"])[0], 1)
        self.assertEqual(report(PASSED, options=["--strict"])[0], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
