#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/walkthrough.md is a real session: types its commands into gdb and looks for its lines. With
--write it puts what gdb says now in their place."""
import os
import re
import sys
import unittest

import serving

PAGE = os.path.join(serving.SOURCE, "docs", "walkthrough.md")
PROMPT = "    (gdb) "
# What may become better as more is proved.
NOT_HELD = re.compile(r"csreplay: |New value|Backtrace stopped|to = |  \d+  0x")


def read():
    with open(PAGE, encoding="utf-8") as file:
        return file.read().split("\n")


def commands(lines):
    return [line[len(PROMPT):] for line in lines if line.startswith(PROMPT)]


def session(typed):
    """The lines that gdb answered to each command."""
    crash = serving.Crash("example")
    script = [f"directory {crash.folder}", "set print frame-arguments all"]
    for command in typed:
        script += ["echo @@\\n", command]
    with serving.Server(crash.arguments()) as server:
        out = serving.gdb(server.address, script + ["echo @@\\n"], crash.program,
                          ["-x", serving.GDBINIT])
    parts = out.split("@@\n")[1:-1]
    return [[line.replace("\t", "        ") for line in part.split("\n") if line]
            for part in parts]


def write():
    lines = read()
    answers = iter(session(commands(lines)))
    page, in_answer = [], False
    for line in lines:
        if line.startswith(PROMPT):
            page += [line] + ["    " + answer for answer in next(answers)]
            in_answer = True
        elif not (in_answer and line.startswith("    ")):
            page.append(line)
            in_answer = False
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write("\n".join(page))


class Walkthrough(unittest.TestCase):
    def test_gdb_says_what_the_page_says(self):
        lines = read()
        answers = session(commands(lines))
        command, answer, held = None, [], 0
        pending = iter(answers)
        for line in lines:
            if line.startswith(PROMPT):
                command, answer = line, next(pending)
            elif not line.startswith("    "):
                command = None
            elif command and not NOT_HELD.match(line[4:]):
                self.assertIn(line[4:], answer, f"{command}; `walkthrough.py --write`?")
                held += 1
        self.assertGreater(held, 25)


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        unittest.main(verbosity=2)
