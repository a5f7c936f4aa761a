#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No register at the halt of a recording with truth is accused of contradicting the trace, and what is
said of places is so: of each snapshot the whole list of what is not trusted is here."""
import json
import os
import re
import subprocess
import unittest

import material
import serving

# Snapshot -> registers of which the snapshot has no memory where they point: jumps to what a smashed stack
# had, with the frame pointer that was beside it, and a coroutine that has ended.
NO_MEMORY = {"coro_O2": {"sp"}, "pac_clang_O1": {"pc", "x29"}, "smash_asc_O2": {"pc", "x29"},
             "smash_lr8_O2": {"pc", "x29"}, "smash_lr_A32_O1": {"pc"}, "uaf_alloc_O0": {"pc"}}


def not_trusted(folder):
    done = subprocess.run([serving.CSREPLAY, "info", "--format", "json", "--threads", "1", folder],
                          capture_output=True, text=True, timeout=60, check=True)
    return [fact["text"] for fact in json.loads(done.stdout)["not_trusted"]]


class TrueSnapshots(unittest.TestCase):
    def test_nothing_right_is_accused(self):
        for group in ("crashes", "programs"):
            parent = material.shared("corpus", group)
            for name in sorted(os.listdir(parent)):
                folder = os.path.join(parent, name)
                if not os.path.isdir(folder):
                    continue
                with self.subTest(name):
                    facts = not_trusted(folder)
                    self.assertFalse([fact for fact in facts if "contradicts" in fact])
                    places = {fact.split(": ")[1].split()[0] for fact in facts if "no memory" in fact}
                    self.assertLessEqual(places, NO_MEMORY.get(name, set()))
                    for other in ("no multiple", "below the stack", "no dump or image has", "general registers",
                                  "build ID"):
                        self.assertFalse([fact for fact in facts if other in fact])

    def test_little_that_is_known(self):
        """Cores of a kernel whose registers and most of whose code the snapshot lacks."""
        facts = not_trusted(material.shared("corpus", "opencsd", "juno_r1_1"))
        little = [fact for fact in facts if "general registers" in fact]
        self.assertEqual(len(little), 1, facts)
        self.assertRegex(little[0], r'^core "cpu_1": of general registers in the last \d+ instructions [0-4] % are known$')
        self.assertTrue([fact for fact in facts if re.search(r'^core "cpu_0": in \d+ gaps code ran that no dump or '
                                                             r"image has, most at 0xffffffc0.*vmlinux", fact)], facts)


if __name__ == "__main__":
    serving.main()
