#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""analyze.py fails on a finding that has no reason, on a reason that has no finding, and where the tool fails."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ANALYZE = os.path.join(HERE, "analyze.py")
GOOD = "int a(int x)\n{\n\treturn x;\n}\n"
BAD = "#include <stdlib.h>\n\nint a(int x)\n{\n\tint *y = malloc(4);\n\n\tif (y)\n\t\treturn x + 1;\n\treturn x;\n}\n"
NAMES = {"gcc": "analyzer-malloc-leak", "cppcheck": "memleak"}
TOOLS = [tool for tool in NAMES if shutil.which(tool)]


class AnalyzeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        os.makedirs(os.path.join(self.folder, "base"))
        self.write("reasons", "# no reason\n")
        self.write("compile_commands.json", json.dumps([{
            "directory": self.folder, "file": "base/a.c",
            "command": f"cc -I{self.folder} -Werror -o a.o -c base/a.c"}]))

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def analyze(self, tool, source):
        """(exit code, what it says)"""
        self.write("base/a.c", source)
        done = subprocess.run([sys.executable, ANALYZE, self.folder, tool, "--root", self.folder, "--reasons",
                               os.path.join(self.folder, "reasons")], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def reason(self, tool, text):
        self.write("reasons", f"{tool}\t{NAMES[tool]}\tbase/a.c\t{text}\tit is a test\n")

    def test_source_without_finding_passes(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                code, said = self.analyze(tool, GOOD)
                self.assertEqual(code, 0, said)
                self.assertIn("1 files, 0 findings, 0 of them without a reason", said)

    def test_finding_without_reason_fails(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                code, said = self.analyze(tool, BAD)
                self.assertEqual(code, 1, said)
                self.assertIn("a.c:8:", said)
                self.assertIn(f"{NAMES[tool]}]", said)

    def test_finding_with_reason_passes(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                self.reason(tool, "return x + 1;")
                code, said = self.analyze(tool, BAD)
                self.assertEqual(code, 0, said)
                self.assertIn("1 findings, 0 of them without a reason", said)

    def test_reason_is_of_its_line_alone(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                self.reason(tool, "return y;")
                code, said = self.analyze(tool, BAD)
                self.assertEqual(code, 1, said)
                self.assertIn("of no finding any more", said)

    def test_reason_without_finding_fails(self):
        for tool in TOOLS:
            with self.subTest(tool=tool):
                self.reason(tool, "return x")
                code, said = self.analyze(tool, GOOD)
                self.assertEqual(code, 1, said)
                self.assertIn("of no finding any more", said)

    def test_tool_that_fails_is_a_failure(self):
        code, said = self.analyze("gcc", "int a(\n")
        self.assertEqual(code, 1, said)
        self.assertIn("gcc fails on base/a.c", said)


if __name__ == "__main__":
    if "gcc" not in TOOLS:
        print("SKIPPED: gcc is not there")
        sys.exit(77)
    unittest.main()
