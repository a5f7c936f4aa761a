#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code of the snapshot that is not what ran, such as a program of another build: that is said, and only then.

usage: other_code.py SYNTH
"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import serving

SYNTH = sys.argv.pop(1)
CODE = 0x400000
NOP = 0xd503201f
GOES_TO, RAN_TO = 8, 16


def branch(offset):
    return 0x14000000 | offset >> 2 & 0x3ffffff


class OtherCode(unittest.TestCase):
    def said(self, command, ran_to):
        """`ran_to`: where what ran went to from the second instruction; there is a branch to itself."""
        opcodes = [NOP, branch(GOES_TO - 4), branch(0), NOP, branch(0)]
        recipe = ["core cpu_0 Cortex-A53", f"reg PC(size:64) {CODE + ran_to:#x}", "reg SP(size:64) 0x50000000",
                  "reg CPSR 0x0", f"dump text.bin {CODE:#x}", "source ETM_0 ETM4.2 0x10", "packet async",
                  "packet trace_info 0", "packet trace_on", "packet context 0 1 1", f"packet address_64 0 {CODE}",
                  "packet atoms 1 1", "packet async", "packet trace_info 0", "packet context 0 1 1",
                  f"packet address_64 0 {CODE + ran_to}", "packet atoms 1 1"]
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("text.bin", b"".join(struct.pack("<I", opcode) for opcode in opcodes)),
                               ("recipe", "\n".join(recipe).encode())):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
            subprocess.run([SYNTH, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
            done = subprocess.run([serving.CSREPLAY, command, folder], capture_output=True, text=True, timeout=60, check=False)
        return [line for line in done.stderr.splitlines() if "code does not lead to" in line]

    def test_code_that_ran(self):
        for command in ("check", "info", "history"):
            self.assertEqual(self.said(command, GOES_TO), [])

    def test_code_of_another_build(self):
        for command in ("check", "info", "history"):
            self.assertEqual(self.said(command, RAN_TO), [
                'cpu_0.ini:1: warning: core "cpu_0": in 1 gap the trace goes on where the snapshot\'s code does not lead to, in the '
                f"first, before position 2, at {CODE + RAN_TO:#x}: code is not what ran, or trace is damaged, and instructions before a gap may not have run"])


def image(words):
    """An ELF file of code that may be written, as that of a kernel: one segment, in it a section .text."""
    text = struct.pack(f"<{len(words)}I", *words)
    names = b"\0.text\0.shstrtab\0"
    offset = 64 + 56
    sections = [struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                struct.pack("<IIQQQQIIQQ", 1, 1, 6, CODE, offset, len(text), 0, 0, 4, 0),
                struct.pack("<IIQQQQIIQQ", 7, 3, 0, 0, offset + len(text), len(names), 0, 0, 1, 0)]
    header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 183, 1, CODE, 64, offset + len(text) + len(names), 0,
                                                         64, 56, 1, 64, len(sections), 2)
    return header + struct.pack("<IIQQQQQQ", 1, 7, offset, CODE, CODE, len(text), len(text), 4) + text + names + b"".join(sections)


class WrittenCode(unittest.TestCase):
    """Memory is that of the program but for some of its words, which it wrote."""
    WORDS = [NOP + (i << 5) * 7 for i in range(2048)]
    SAID = re.compile(r'cpu_0.ini:1: warning: core "cpu_0": of the code of image "it.elf" that dumps have, (\d+) of (\d+) words '
                      r"are others, the first at (0x[0-9a-f]+): it is of another build, or lies elsewhere")

    def said(self, words, place=""):
        return [tuple(int(number, 0) for number in found) for found in self.SAID.findall(self.ask(words, place))]

    def ask(self, words, place="", other=None):
        """What `info` says of the program, and an image that is loaded after it."""
        recipe = f"core cpu_0 Cortex-A53\nreg PC(size:64) {CODE:#x}\nreg SP(size:64) 0x50000000\nreg CPSR 0x0\ndump text.bin {CODE:#x}"
        with tempfile.TemporaryDirectory() as folder:
            for name, data in (("text.bin", struct.pack(f"<{len(self.WORDS)}I", *self.WORDS)), ("it.elf", image(words)),
                               ("other.elf", image(other or words)), ("recipe", recipe.encode())):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(data)
            subprocess.run([SYNTH, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
            images = ["--image", os.path.join(folder, "it.elf") + place]
            if other:
                images += ["--image", os.path.join(folder, "other.elf")]
            return subprocess.run([serving.CSREPLAY, "info", *images, folder], capture_output=True, text=True, timeout=60,
                                  check=True).stderr.replace(folder + "/", "")

    def test_the_program_itself(self):
        self.assertEqual(self.said(self.WORDS), [])
        self.assertEqual(self.said([word ^ 1 if i % 16 == 0 else word for i, word in enumerate(self.WORDS)]), [])

    def test_another_build(self):
        self.assertEqual(self.said(self.WORDS[:1024] + self.WORDS[1023:2047]), [(1024, 2048, CODE + 4096)])

    def test_elsewhere(self):
        self.assertEqual(self.said(self.WORDS, f"@{CODE + 256:#x}"), [(1984, 1984, CODE + 256)])

    def test_two_at_one_address(self):
        said = f'warning: images "it.elf" and "other.elf" hold different bytes at {CODE + 400:#x}; the first counts'
        self.assertIn(said, self.ask(self.WORDS, other=[word ^ (i >= 100) for i, word in enumerate(self.WORDS)]))
        self.assertNotIn("hold different bytes", self.ask(self.WORDS, other=self.WORDS))


if __name__ == "__main__":
    unittest.main(verbosity=2)
