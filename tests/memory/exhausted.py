#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Without memory no command crashes, and none says what is not so.

usage: exhausted.py FAILING_MALLOC

Each run of a command has one allocation that fails. It then ends with an error and says that there was no
memory; or it could do without: then it says the same as ever, or says `-` where it would have said a
value, with a note.
"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = os.path.join(os.environ["CSREPLAY_SOURCE"], "examples", "sensorhub")
IMAGE = ["--image", os.path.join(EXAMPLE, "sensorhub.elf")]
LIBRARY = os.path.abspath(sys.argv[1])
NO_MEMORY = r"(?m)(out of memory|Cannot allocate memory)$"
LOG = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "memory", "events.log")
# Every so many-th allocation of the command fails, one after the other.
TEXT = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "fuzz", "corpus", "tarmac_history",
                    "spaces_and_system")
COMMANDS = {
    "info": (["info", "--threads", "2", *IMAGE, EXAMPLE], 5),
    "history": (["history", "--count", "20", "--from", "39980", "--registers", *IMAGE, EXAMPLE], 2),
    "check": (["check", *IMAGE, EXAMPLE], 3),
    "decode": (["decode", *IMAGE, EXAMPLE], 4),
    "why": (["why", "--at", "39990", "--of", "x0", *IMAGE, EXAMPLE], 4),
    "compare": (["compare", EXAMPLE, EXAMPLE], 8),
    "export": (["export", EXAMPLE], 8),
    "events": (["history", "--count", "20", "--events", LOG, *IMAGE, EXAMPLE], 3),
    "text": (["history", "--registers", TEXT], 2),
}

SOURCE_LINE = re.compile(r"  \S+\.c:\d+  ")


def run(arguments, environment):
    done = subprocess.run([CSREPLAY, *arguments], capture_output=True, text=True, timeout=120,
                          check=False, env={**os.environ, "LD_PRELOAD": LIBRARY, **environment})
    return done.returncode, done.stdout, done.stderr


def is_part(line, whole):
    """Whether a line says no more than that of a run with all the memory that it wants."""
    words, true = line.split("\t"), whole.split("\t")
    return len(words) == len(true) and all(w in ("-", t) for w, t in zip(words, true))


class Exhausted(unittest.TestCase):
    def check_run(self, arguments, at, whole):
        code, out, said = run(arguments, {"FAIL_AT": str(at)})
        if code in (1, 2, 3):
            self.assertRegex(said, NO_MEMORY, f"allocation {at}")
            return 1
        self.assertEqual(code, 0, f"allocation {at}: {said}")
        # libdw without memory says as little of an address as one that has no line.
        if arguments[0] == "why" and out == SOURCE_LINE.sub("  ", whole):
            return 0
        if out != whole:
            self.assertRegex(said + out, NO_MEMORY, f"allocation {at}")
        if out != whole and arguments[0] == "history":
            lines, true = out.splitlines(), whole.splitlines()
            self.assertEqual(len(lines), len(true))
            for line, other in zip(lines, true):
                self.assertTrue(is_part(line, other), f"allocation {at}:\n{line}\n{other}")
        return 0

    def check_command(self, name):
        arguments, stride = COMMANDS[name]
        with tempfile.NamedTemporaryFile() as count:
            code, whole, said = run(arguments, {"FAIL_COUNT": count.name})
            self.assertEqual((code, said), (0, ""))
            allocations = int(count.read())
        self.assertGreater(allocations, 20)
        ended = sum(self.check_run(arguments, at, whole)
                    for at in range(1, allocations + 1, stride))
        print(f"{name}: {allocations} allocations; {ended} of every {stride}th ended it")
        self.assertGreater(ended, 0)


def add_test(name):
    def test(self):
        self.check_command(name)
    setattr(Exhausted, f"test_{name}", test)


for command in COMMANDS:
    add_test(command)

if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
