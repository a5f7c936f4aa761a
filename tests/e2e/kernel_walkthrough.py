# SPDX-License-Identifier: Apache-2.0
"""docs/kernel.md is a real session: types its commands into the shell and compares its lines. What they lead to is
true: the store of cmd_note that they name put the object into the list that the faulting core took its pointer from."""
import lzma
import os
import re
import subprocess
import tempfile
import unittest

import page
import recorded_kernel
import serving
from material import shared

PAGE = os.path.join(serving.SOURCE, "docs", "kernel.md")
PROMPT = "    (csreplay) "
OBJECT = 0xffffff8000add500  # as the material's README has it


class KernelWalkthrough(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = shared("corpus", "kernel", "uaf_k")
        cls.module = shared("corpus", "kernel", "elf", "kcrash.ko")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.vmlinux = os.path.join(cls.scratch.name, "vmlinux")
        with lzma.open(shared("corpus", "kernel", "elf", "vmlinux.xz")) as packed, open(cls.vmlinux, "wb") as out:
            out.write(packed.read())

    def ask(self, command):
        done = subprocess.run([serving.CSREPLAY, "shell", "--image", self.vmlinux, "--module", self.module, "--command",
                               command, self.folder], capture_output=True, text=True, timeout=120, check=True)
        return done.stdout.rstrip("\n").split("\n")

    def test_the_shell_says_what_the_page_says(self):
        with open(PAGE, encoding="utf-8") as file:
            typed = page.exchanges(file.read().split("\n"), PROMPT)
        self.assertLessEqual(len(typed), 4)
        for command, lines in typed:
            self.assertEqual(self.ask(command), lines, command)
        self.assertRegex("\n".join(typed[-1][1]), r"cpu_1 \d+ +cmd_note\+0x8c ")

    def test_the_store_is_the_one(self):
        said = "\n".join(self.ask("last-write notes"))
        position, first, last = (int(found) for found in re.search(
            r"cpu_1 (\d+)  cmd_note.*; this core was at (\d+) to (\d+) then", said).groups())
        records = recorded_kernel.read(self.folder, "truth", "cpu_1")
        record = recorded_kernel.true_rows(self.folder, "cpu_1", records)[position][0]
        # str x19, [x1, #0x18]
        self.assertEqual(recorded_kernel.registers(records, record)[19], OBJECT)
        records_0 = recorded_kernel.read(self.folder, "truth", "cpu_0")
        rows = recorded_kernel.true_rows(self.folder, "cpu_0", records_0)
        order = [memoryview(recorded_kernel.read(self.folder, "order", core)).cast("I") for core in ("cpu_0", "cpu_1")]
        self.assertLess(order[0][rows[first][0] - 1], order[1][record])
        self.assertLess(order[1][record], order[0][rows[last][0]])
        # The fault: blr x2, loaded from the object, whose text it is.
        crash = int(re.search(r"taken at position (\d+)", "\n".join(self.ask("crash"))).group(1))
        branch = recorded_kernel.registers(records_0, rows[crash - 1][0])
        self.assertEqual((branch[2] & (1 << 56) - 1).to_bytes(7, "little"), b"panel0=")


if __name__ == "__main__":
    serving.main()
