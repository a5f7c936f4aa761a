#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code of the example whose dump has another word than the program's file: gdb with gdbinit shows the memory's."""
import os
import re
import tempfile
import unittest

import serving

CRASH = serving.Crash("example")
SHOW = ["show trust-readonly-sections", "p/x *(unsigned int*)main"]


class PatchedCode(unittest.TestCase):
    def shown(self, program, folder):
        with serving.Server([folder]) as server:
            out = serving.gdb(server.address, SHOW, program, ["-x", serving.GDBINIT])
        return re.search(r"sections is (\w+)\.", out)[1], re.search(r"\$1 = (0x[0-9a-f]+)", out)[1]

    def test_file_is_read_where_memory_has_the_same(self):
        self.assertEqual(self.shown(CRASH.program, CRASH.folder)[0], "on")

    def test_memory_is_shown_where_the_file_has_another_word(self):
        was = self.shown(CRASH.program, CRASH.folder)[1]
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.elf")
            with open(CRASH.program, "rb") as file, open(other, "wb") as patched:
                patched.write(file.read().replace(int(was, 16).to_bytes(4, "little"), bytes(4)))
            trust, word = self.shown(other, CRASH.folder)
        self.assertEqual((trust, word), ("off", was))


if __name__ == "__main__":
    serving.main()
