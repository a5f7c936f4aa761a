#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay origin` on recorded crashes ends where their sources, read by hand, have the culprit: the
values along the way are those of the recording."""
import gzip
import json
import os
import struct
import subprocess
import unittest

import material

CSREPLAY = os.environ["CSREPLAY"]
RECORD = struct.Struct("<33Q8x")  # PC, X0 to X30, SP


def origin(kind, name, of, *options):
    folder = material.shared("corpus", kind, name)
    done = subprocess.run([CSREPLAY, "origin", "--format", "json", "--image",
                           os.path.join(folder, "program.elf"), "--of", of, *options, folder],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def places(steps):
    return [(step["kind"], step["file"], step["line"]) for step in steps if "file" in step]


class Culprits(unittest.TestCase):
    def check_registers(self, kind, name, steps):
        """What a step says that a register became is what the recording has after it."""
        folder = material.shared("corpus", kind, name)
        with gzip.open(os.path.join(folder, "truth.bin.gz")) as file:
            records = file.read()
        with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
            first = json.load(file)["trace"]["first_index"]
        checked = 0
        for step in steps:
            register = step.get("register", "")
            at = (first + step["position"]) * 272
            self.assertEqual(RECORD.unpack_from(records, at)[0], int(step.get("pc", "0"), 0) or
                             RECORD.unpack_from(records, at)[0])
            if not register.startswith("x") or "value" not in step or "known" in step:
                continue
            self.assertEqual(RECORD.unpack_from(records, at + 272)[1 + int(register[1:])],
                             int(step["value"], 0))
            checked += 1
        return checked

    def test_corrupt_pointer_of_the_hash_table_is_the_overrun_of_rehash(self):
        # x19, `node`, is dereferenced: 0x20202020. Line 46 walks the chain; line 42 fills the new
        # table, and more than that: the pattern 0x20 * 0x01010101.
        steps = origin("crashes", "hash_corrupt_O1", "x19")
        self.assertEqual(places(steps)[:2], [("load", "hash_corrupt.c", 46),
                                             ("store", "hash_corrupt.c", 42)])
        self.assertEqual([steps[0]["position"], steps[1]["position"]], [13703, 13432])
        self.assertEqual(steps[1]["value"], "0x20202020")
        self.assertEqual(steps[-1]["kind"], "combined")
        self.assertEqual({source["value"] for source in steps[-1]["sources"]}, {"0x2000", "0x20"})
        self.assertGreater(self.check_registers("crashes", "hash_corrupt_O1", steps), 3)

    def test_null_of_the_list_was_loaded_from_the_tail(self):
        # Line 53, `n = n->next`, has no test for the end of the list.
        steps = origin("crashes", "list_null_O1", "x2")
        self.assertEqual(places(steps)[0], ("load", "list_null.c", 53))
        self.assertEqual((steps[0]["position"], steps[0]["address"], steps[0]["value"]),
                         (90323, "0x4203a0", "0x0"))
        # 77497 unlinked what came behind the tail; it is not proved that no younger one did.
        self.assertEqual(steps[1]["kind"], "candidates")
        self.assertFalse(steps[1]["proved"])
        self.assertGreater(steps[1]["position"], 77497)
        self.assertGreater(steps[1]["possible_writes"], 1)
        # It is coherent.
        steps = origin("crashes", "list_null_O1", "x2", "--trust=assumed")
        self.assertEqual(places(steps)[1], ("store", "list_null.c", 38))
        self.assertEqual(steps[1]["position"], 77497)

    def test_smashed_return_address_is_that_of_the_copy(self):
        # smash_asc's payload is made four words at a time, of a counter that is loaded before the loop.
        for name, line in (("smash_lr8_O2", 37), ("smash_asc_O2", 36)):
            source = name.split("_O")[0].replace("lr8", "lr") + ".c"
            steps = origin("programs", name, "pc")
            self.assertEqual(places(steps)[:4], [
                ("move", source, 27),   # the return
                ("load", source, 27),   # of the caller's frame, x30
                ("store", source, 8),   # which copy_in() overran
                ("load", source, 8)])
            self.assertIn((source, 37), [place[1:] for place in places(steps)])  # where the payload is made
            self.assertEqual(places(steps)[-1][1:], (source, line))
            self.assertNotIn("possible_writes", {key for step in steps for key in step})
            self.assertGreater(self.check_registers("programs", name, steps), 1)

    def test_smashed_return_address_of_a32_is_that_of_the_copy(self):
        steps = origin("programs", "smash_lr_A32_O1", "pc")
        self.assertEqual(places(steps)[:2], [("load", "smash_lr.c", 19), ("store", "smash_lr.c", 8)])
        self.assertEqual(steps[0]["register"], "pc")
        self.assertEqual(int(steps[1]["value"], 0), 0x41414141)

    def test_position_and_bytes_are_those_that_are_asked_for(self):
        steps = origin("crashes", "hash_corrupt_O1", "0x4200f0", "--at", "13500")
        self.assertEqual((steps[0]["kind"], steps[0]["position"], steps[0]["value"]),
                         ("store", 13432, "0x20202020"))


if __name__ == "__main__":
    unittest.main()
