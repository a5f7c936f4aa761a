#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint.py looks at the sources that a change touches, and fails on a finding in them."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LINT = os.path.join(HERE, "lint.py")
GOOD = '#include "base/a.h"\n\nint a(int x)\n{\n\treturn x;\n}\n'
BAD = '#include "base/a.h"\n\nint a(int x)\n{\n\tif (x)\n\t\treturn x;\n\telse\n\t\treturn 0;\n}\n'


class Tree:
    """A repository of two sources, one of them with a finding in its first commit."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copy(os.path.join(HERE, os.pardir, ".clang-tidy"), folder)
        self.git("init", "-q")
        self.write("base/a.h", "int a(int x);\n")
        self.write("base/a.c", GOOD)
        self.write("stub/old.c", BAD)
        entries = [{"directory": folder, "file": os.path.join(folder, name),
                    "command": f"cc -w -I{folder} -c {name}"} for name in ("base/a.c", "stub/old.c")]
        self.write("build/compile_commands.json", json.dumps(entries))
        self.commit()

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.folder, "-c", "user.name=t", "-c", "user.email=t@t",
                        *arguments], check=True, capture_output=True)

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def commit(self):
        self.git("add", "base", "stub")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def lint(self, *arguments):
        """(exit code, the last line)"""
        done = subprocess.run([sys.executable, LINT, os.path.join(self.folder, "build"),
                               "--root", self.folder, *arguments], capture_output=True, text=True,
                              check=False)
        return done.returncode, (done.stdout.splitlines() or [done.stderr])[-1]


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Tree(os.path.realpath(folder.name))

    def test_first_commit_touches_nothing(self):
        self.assertEqual(self.tree.lint(), (0, "no commit before this one: nothing is touched"))

    def test_what_is_not_touched_is_not_looked_at(self):
        self.tree.commit()
        self.assertEqual(self.tree.lint(), (0, "0 files, 0 with findings"))
        self.assertEqual(self.tree.lint("--all"), (1, "2 files, 1 with findings"))
        self.assertEqual(self.tree.lint("--all", "--seconds", "0.000001"),
                         (0, "2 files, 0 with findings, 2 for want of time not looked at"))

    def test_a_finding_in_a_touched_file_fails_committed_or_not(self):
        self.tree.commit()
        self.tree.write("base/a.c", BAD)
        self.assertEqual(self.tree.lint(), (1, "1 files, 1 with findings"))
        self.tree.commit()
        self.assertEqual(self.tree.lint(), (1, "1 files, 1 with findings"))
        self.assertEqual(self.tree.lint("HEAD"), (0, "0 files, 0 with findings"))
        self.assertEqual(self.tree.lint("HEAD~9")[0], 1)

    def test_a_header_is_seen_through_a_source_that_includes_it(self):
        self.tree.commit()
        self.tree.write("base/a.h", "int a(int y);\n")
        self.assertEqual(self.tree.lint()[1].split(",")[0], "1 files")

    def test_a_branch_is_held_against_where_it_left_main(self):
        self.tree.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.tree.write("base/a.c", BAD)
        self.tree.commit()
        self.tree.commit()
        self.assertEqual(self.tree.lint(), (1, "1 files, 1 with findings"))


if __name__ == "__main__":
    for program in ("clang-tidy", "git"):
        if not shutil.which(program):
            print(f"SKIPPED: {program} is not there")
            sys.exit(77)
    unittest.main(verbosity=2, argv=sys.argv[:1])
