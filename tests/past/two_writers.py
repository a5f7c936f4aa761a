#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of memory that two cores write, of which synth has traced 801 instructions each: what the other one's trace
does not say is never left out.

usage: two_writers.py SYNTH"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

SYNTH = sys.argv.pop(1)
LENGTH, RUN = 800, 40  # instructions of a program, and of each run of it
NOP, STORE = 0xD503201F, 0xF90007E0  # STR X0, [SP, #8]
STORE_X9 = 0xF9000120  # STR X0, [X9]
CLEAR_X9 = 0xD2800009
LOAD_X1, LOAD_X2 = 0xF94007E1, 0xF94007E2  # LDR X1, [SP, #8]
LOAD_FAR = 0xF9400083  # LDR X3, [X4]
SP, AT, FAR = 0x1000, 0x1008, 0x1080
UNKNOWN = "other cores may have written it: their traces do not say what they did all that time"


def program(changed):
    """A branch to the next run after each, and from the last one back."""
    opcodes = [NOP] * LENGTH
    for i in range(RUN - 1, LENGTH, RUN):
        opcodes[i] = 0x14000001 if i < LENGTH - 1 else 0x14000000 | (1 - LENGTH & 0x3ffffff)
    for i, opcode in changed.items():
        opcodes[i] = opcode
    return struct.pack(f"<{LENGTH}I", *opcodes)


class TwoWriters(unittest.TestCase):
    def make(self, changed, registers, halt, timed=True, lost=None):
        """The snapshot of both cores: what each executes at some positions, registers at the halt, what memory has then;
        `lost`: what comes before cpu_1's run of that number."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines = ["description two cores that write the same memory"]
        for core in range(2):
            base = 0x400000 + 0x10000 * core
            with open(os.path.join(folder.name, f"code{core}"), "wb") as file:
                file.write(program(changed[core]))
            values = {**dict.fromkeys(range(31), 0), **registers[core]}
            lines += [f"core cpu_{core} Cortex-A53", *(f"reg X{i}(size:64) {values[i]:#x}" for i in range(31)),
                      f"reg SP(size:64) {SP:#x}", f"reg PC(size:64) {base:#x}", "dump code0 0x400000", "dump code1 0x410000",
                      f"dump data {SP:#x}", f"source ETM_{core} ETM4.2 {0x10 + core:#x}", "option sync 512"]
            lines += ["option timestamp 40"] if timed else []
            for run in [*range(LENGTH // RUN), 0]:
                start = base + 4 * RUN * run
                if core == 1 and run == lost:
                    lines += [f"overflow {start:#x}", "idle 100"]
                lines.append(f"run {start:#x} {RUN}")
        data = bytearray(0x100)
        struct.pack_into("<Q", data, AT - SP, halt)
        for name, content in (("data", data), ("recipe", ("\n".join(lines) + "\n").encode())):
            with open(os.path.join(folder.name, name), "wb") as file:
                file.write(content)
        subprocess.run([SYNTH, "snapshot", os.path.join(folder.name, "recipe"), folder.name], check=True)
        return folder.name

    def test_forms_for_programs_come_with_what_the_text_says_of_other_cores(self):
        folder = self.make([{}, {}], [{}, {}], 0, timed=False)
        for form, stream in (("text", "stdout"), ("tsv", "stderr"), ("json", "stderr")):
            done = subprocess.run([os.environ["CSREPLAY"], "writes", "--of", hex(AT), "--core", "cpu_0", "--format", form, folder],
                                  capture_output=True, text=True, timeout=60, check=True)
            self.assertEqual([UNKNOWN in done.stdout, UNKNOWN in done.stderr], [stream == "stdout", stream == "stderr"], done)

    def ask(self, folder, command, of, *options, asked=None):
        done = subprocess.run([os.environ["CSREPLAY"], command, *(["--of", of] if of else []), "--core", "cpu_0", *options,
                               folder], input=asked, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_younger_store_of_unknown_address_is_a_doubt(self):
        folder = self.make([{20: STORE, 600: STORE_X9, 601: CLEAR_X9}, {300: STORE}], [{}, {}], 0)
        said = self.ask(folder, "origin", hex(AT))
        self.assertRegex(said, r"#1 +cpu_1 300 .*stored 0x0, 8 bytes.*another core wrote it.*; possible: other writes may be younger")

    def test_one_that_left_something_else_is_not_where_it_came_from(self):
        folder = self.make([{20: STORE}, {300: STORE}], [{}, {0: 5}], 0)
        self.assertRegex(self.ask(folder, "origin", hex(AT)), r"#1 +20 .*stored 0x0, 8 bytes at 0x1008; possible: 1 younger")

    def test_a_store_is_told_with_its_own_size(self):
        folder = self.make([{}, {300: STORE}], [{}, {0: 5}], 5)
        for of in (f"{AT:#x}+16", f"{SP:#x}+16"):
            self.assertRegex(self.ask(folder, "origin", of),
                             r"#1 +cpu_1 300 .*stored 0x5, 8 bytes at 0x1008: .*; the other bytes are of other writes")

    def test_what_another_trace_does_not_say_is_told(self):
        for timed in (True, False):
            for lost in (None, 10):
                folder = self.make([{}, {}], [{}, {}], 0, timed, lost)
                doubtful = [UNKNOWN in self.ask(folder, "writes", hex(AT), "--from", str(first), "--to", str(first + 80))
                            for first in (160, 380, 600)]
                self.assertEqual(doubtful, [not timed, lost is not None or not timed, not timed], (timed, lost))

    def test_a_stretch_ends_where_another_core_writes(self):
        folder = self.make([{300: STORE, 330: LOAD_X1, 650: LOAD_X2}, {500: STORE}],
                           [{0: 1, 1: 1, 2: 5}, {0: 5}], 5)
        said = self.ask(folder, "values-of", hex(AT), "--trust", "assumed")
        stretches = [(int(first), int(last), value) for first, last, value in
                     re.findall(r"^#\d+ +(\d+) to (\d+)  (\S+)", said, re.MULTILINE)]
        for first, last, value in stretches:
            at = self.ask(folder, "state", None, "--batch", "--trust", "assumed",
                          asked="".join(f"{p}\tm{AT:x}\n" for p in range(first, last + 1, 10)))
            known = {line.split("\t")[2] for line in at.splitlines()} - {"-"}
            if value.startswith("0x"):
                self.assertLessEqual({int(one, 16) for one in known}, {int(value, 16)}, said)
        self.assertFalse([s for s in stretches if s[0] < 500 < s[1] and s[2].startswith("0x")], said)

    def test_what_a_shared_word_points_to_may_be_written_through_it(self):
        """cpu_0 alone is seen to use the line of FAR, and cpu_1 that of AT, in which a pointer may lie."""
        for halt, known in ((0, True), (FAR, False), (FAR - 0x40, False), (0x400000, True)):
            folder = self.make([{100: LOAD_FAR, 700: LOAD_FAR}, {50: LOAD_X1, 500: STORE_X9, 501: CLEAR_X9}],
                               [{4: FAR}, {1: halt}], halt)
            for trust in ("--assume-traced-writers", "--trust=assumed"):
                said = self.ask(folder, "state", None, "--batch", *trust.split("="), asked=f"300\tm{FAR:x}\n")
                self.assertEqual(said.split("\t")[2].strip() != "-", known, (hex(halt), trust, said))


if __name__ == "__main__":
    unittest.main(verbosity=2)
