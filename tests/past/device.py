#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`--device` on a recorded crash: what is known of the memory that it names, and what was loaded from
there, is known no more before the halt; what is known nevertheless is what was recorded; `why`,
`origin` and `writes` say why. The device is the pool that list_null has its nodes in.
"""
import gzip
import json
import os
import struct
import subprocess
import unittest

import material

CSREPLAY = os.environ["CSREPLAY"]
RECORD = struct.Struct("<33Q8x")  # PC, X0 to X30, SP
DEVICE = "--device=0x420000+0xef8"
NEXT, BOOKS = "m420cd0", "m420ef8"  # `next` of a node; what is behind the pool


def folder():
    return material.shared("corpus", "crashes", "list_null_O1")


def run(command, *options, lines=()):
    return subprocess.run([CSREPLAY, command, *options, folder()], input="".join(lines),
                          capture_output=True, text=True, timeout=120, check=False)


def states(questions, *options):
    lines = [f"{position}\t{name}\n" for position, name in questions]
    done = run("state", "--batch", *options, lines=lines)
    assert done.returncode == 0, done.stderr
    return {tuple(line.split("\t")[:2]): line.split("\t")[2] for line in done.stdout.splitlines()}


def registers():
    """Of every position, as recorded."""
    with gzip.open(os.path.join(folder(), "truth.bin.gz")) as file:
        records = file.read()
    with open(os.path.join(folder(), "truth.json"), encoding="utf-8") as file:
        first = json.load(file)["trace"]["first_index"]
    return lambda position, x: RECORD.unpack_from(records, (first + position) * 272)[1 + x]


class Device(unittest.TestCase):
    def test_memory_of_the_device_is_that_of_the_halt_alone(self):
        # 90295 loads `n->next`, x2, from the node; nothing stores to it from there to the halt.
        asked = [(90290, NEXT), (90300, NEXT), (-1, NEXT), (90296, "x2"), (90290, BOOKS)]
        plain = states(asked)
        other = states(asked, DEVICE)
        self.assertEqual({plain[str(p), name] for p, name in asked[:4]}, {"0000000000420988"})
        for p in ("90290", "90300"):
            self.assertEqual(other[p, NEXT], "-")
        self.assertEqual(other["90296", "x2"], "-")
        self.assertEqual(other["-1", NEXT], "0000000000420988")
        self.assertNotEqual(other["90290", BOOKS], "-")
        self.assertEqual(other["90290", BOOKS], plain["90290", BOOKS])

    def test_less_is_known_and_it_is_true(self):
        truth = registers()
        asked = [(position, f"x{x}") for position in range(87000, 90329, 29) for x in range(20)]
        plain = states(asked)
        other = states(asked, DEVICE)
        lost = 0
        for position, name in asked:
            answer = other[str(position), name]
            if answer != "-":
                self.assertEqual(int(answer, 16), truth(position, int(name[1:])))
            lost += answer == "-" and plain[str(position), name] != "-"
            self.assertFalse(answer != "-" and plain[str(position), name] == "-")
        print(f"{lost} of {len(asked)} values are lost")
        self.assertGreater(lost, 10)

    def test_why_and_origin_and_writes_name_the_device(self):
        said = run("why", DEVICE, "--at", "90300", "--of", "0x420cd0").stdout
        self.assertIn("0x420cd0 is in the memory of a device, which may change it at any time (--device)", said)
        steps = [json.loads(line) for line in
                 run("origin", DEVICE, "--format", "json", "--of", "0x420cd0").stdout.splitlines()]
        self.assertEqual([(step["kind"], step["position"]) for step in steps], [("device", 90328)])
        done = run("writes", DEVICE, "--count", "3", "--of", "0x420cd0")
        self.assertEqual(len(done.stdout.splitlines()), 3)
        self.assertIn("which may have written it between these, too (--device)", done.stderr)
        values = run("values-of", DEVICE, "--format", "tsv", "--of", "0x420cd0").stdout
        self.assertNotIn("420988", values)
        self.assertIn("420988", run("values-of", "--format", "tsv", "--of", "0x420cd0").stdout)

    def test_wrong_ranges_are_refused(self):
        for wrong in ("0x1000", "0x1000+", "0x1000+0", "+1", "x+1", "0xffffffffffffffff+2"):
            done = run("state", "--device", wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f'--device "{wrong}": expected ADDRESS+SIZE', done.stderr)


if __name__ == "__main__":
    unittest.main()
