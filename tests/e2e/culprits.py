#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Transcripts of gdb: from the crash to its culprit in at most six commands, by `monitor origin` of what is
wrong and a seek to one of its steps. Culprits are those that reading the source finds; the values beside them
are those of the recordings (tests/past/origin.py)."""
import os
import re
import unittest

import material
import serving

COMMANDS_MOST = 6

# (kind, snapshot): (command, what its answer has). Of two cores nothing is switched by hand.
TRANSCRIPTS = {
    # book_remove() leaves a list without its end, which the walk of it has no test for: x2 is `n->next` of the tail.
    # That the store was to the tail is coherent, and not proved.
    ("crashes", "list_null_O1"): [
        ("x/i $pc", r"ldr\s+w\d+, \[x2, #\d+\]"),
        ("monitor trust assumed", r"assumed"),
        ("monitor origin x2", r"(?s)#1 +90323  book_best\+0x24  list_null\.c:53  ldr x2, \[x2\]: x2 = 0x0, loaded from"
                              r".*#2 +77497  book_remove\+0x38  list_null\.c:38  str x1, \[x3\]: stored 0x0 \(assumed\)"),
        ("seek 77497", r"#0 .*book_remove .*list_null\.c:38"),
        ("monitor why x3", r"x3 at position 77497 is 0x4203a0, assumed"),
    ],
    # The loop that fills the new table writes past its end, over the pointer that is followed later.
    ("crashes", "hash_corrupt_O1"): [
        ("x/i $pc", r"ldr\s+w\d+, \[x19\b"),
        ("monitor origin x19", r"#2 +13432  rehash\+0x88  hash_corrupt\.c:42  str x2, .*stored 0x20202020"),
        ("seek 13432", r"#0 .*rehash .*hash_corrupt\.c:42"),
        ("print/x $x2", r"= 0x20202020"),
    ],
    # copy_in() copies past the end of its caller's buffer, over the return address.
    ("programs", "smash_lr8_O2"): [
        ("print/x $pc", r"= 0x41414100000028"),
        ("monitor origin pc", r"(?s)#1 .*smash_lr\.c:27 .*#3 +3071  copy_in\+0x14  smash_lr\.c:8  str"),
        ("seek 3071", r"#0 .*copy_in.*smash_lr\.c:8"),
        ("bt 2", r"(?s)#0 .*copy_in.*#1 "),
    ],
    ("programs", "smash_lr_A32_O1"): [
        ("print/x $pc", r"= 0x41414140"),
        ("monitor origin pc", r"(?s)#1 .*smash_lr\.c:19 .*#2 +3645  copy_in\+0x14  smash_lr\.c:8  vst"),
        ("seek 3645", r"#0 .*copy_in.*smash_lr\.c:8"),
        ("bt 2", r"(?s)#0 .*copy_in.*#1 .* victim "),
    ],
}


class Culprits(unittest.TestCase):
    def test_each_is_found_in_a_few_commands(self):
        for (kind, name), transcript in TRANSCRIPTS.items():
            with self.subTest(name):
                self.assertLessEqual(len(transcript), COMMANDS_MOST)
                self.replay(material.shared("corpus", kind, name), transcript)

    def replay(self, folder, transcript):
        program = os.path.join(folder, "program.elf")
        typed = [line for command, _ in transcript for line in ("echo @@\\n", command)]
        with serving.Server(["--image", program, folder]) as server:
            out = serving.gdb(server.address, typed, program, ["-x", serving.GDBINIT],
                              allowed=[*serving.UNKNOWN_MEMORY, "^Backtrace stopped: previous frame"])
        answers = out.split("@@\n")[1:]
        print(out)
        self.assertEqual(len(answers), len(transcript))
        for (command, expected), answer in zip(transcript, answers):
            self.assertRegex(answer, expected, command)


if __name__ == "__main__":
    unittest.main()
