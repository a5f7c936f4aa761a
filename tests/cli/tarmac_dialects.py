#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One program traced by three producers: the texts compare equal but for what is listed here."""
import collections
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from material import shared

CSREPLAY = os.environ["CSREPLAY"]
CORPUS = Path(shared("corpus", "tarmac"))
TEXTS = {name: CORPUS / f"calculator-aarch64-{name}.tarmac"
         for name in ("fastmodel", "es-ld-st-style", "gem5")}
INSTRUCTIONS = 4783


def compare(a, b, *options):
    done = subprocess.run([CSREPLAY, "compare", "--format", "json", "--max", "1000", *options,
                           TEXTS[a], TEXTS[b]], capture_output=True, text=True, timeout=120)
    return done.returncode, json.loads(done.stdout)


def count(document):
    """How often which instruction differs in what."""
    found = collections.Counter()
    for difference in document["differences"]:
        mnemonic = difference["a"]["instructions"][0]["disassembly"].split()[0]
        items = tuple((item["aspect"], item["name"].split()[0]) for item in difference["items"])
        found[mnemonic, items] += 1
    return found


class Dialects(unittest.TestCase):
    def test_instructions_of_all_pairs_are_equal(self):
        for a in TEXTS:
            for b in TEXTS:
                code, document = compare(a, b)
                self.assertEqual((code, document["summary"]["matched"]), (0, INSTRUCTIONS))

    def test_values_of_fast_models_and_rev3_are_equal(self):
        code, document = compare("fastmodel", "es-ld-st-style", "--registers", "--memory")
        self.assertEqual((code, document["summary"]["matched"]), (0, INSTRUCTIONS))

    def test_values_of_gem5_differ_in_what_is_listed(self):
        expected = {
            # gem5 shows a load of two registers as a write of 16 bytes, one of the values in it.
            ("ldp", (("memory", "read"), ("memory", "write"))): 143,
            # The answers of semihosting calls: gem5 does not show that they change X0.
            ("hlt", (("registers", "x0"),)): 2,
        }
        for other in ("fastmodel", "es-ld-st-style"):
            code, document = compare(other, "gem5", "--registers", "--memory")
            self.assertEqual(code, 1)
            self.assertEqual(count(document), expected)
            self.assertEqual(document["summary"]["matched"], INSTRUCTIONS)

    def test_gem5_against_itself_is_equal_in_every_aspect(self):
        code, _ = compare("gem5", "gem5", "--registers", "--memory", "--strict")
        self.assertEqual(code, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
