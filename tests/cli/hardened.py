#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as it was linked: at an address of each run's own, with nothing that is written and
executed, its linkage resolved and read-only before it begins, and none of its functions a library's; on x86-64 its functions begin with a
landing pad."""
import os
import platform
import re
import subprocess
import unittest

CSREPLAY = os.environ["CSREPLAY"]


def readelf(option):
    return subprocess.run(["readelf", "-W", option, CSREPLAY], capture_output=True, text=True, check=True).stdout


class Hardened(unittest.TestCase):
    def test_it_is_loaded_anywhere(self):
        self.assertRegex(readelf("-h"), r"Type: +DYN ")

    def test_its_linkage_is_resolved_at_the_start(self):
        self.assertRegex(readelf("-d"), r"\(FLAGS_1\).*\bNOW\b")
        self.assertIn("GNU_RELRO", readelf("-l"))

    def test_nothing_is_written_and_executed(self):
        segments = re.findall(r"^ +(\S+) +0x\S+ 0x\S+ 0x\S+ 0x\S+ 0x\S+ ([RWE ]{3})", readelf("-l"), re.MULTILINE)
        self.assertIn("GNU_STACK", [name for name, _ in segments])
        self.assertEqual([name for name, flags in segments if "W" in flags and "E" in flags], [])

    def test_no_library_gets_a_function_of_it(self):
        """Names of the program that libraries are linked to: of the C library's variables alone, which have a version."""
        names = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", CSREPLAY], capture_output=True, text=True, check=True)
        self.assertEqual([line for line in names.stdout.splitlines() if "@" not in line.split()[0]], [])

    @unittest.skipUnless(platform.machine() == "x86_64", "another architecture's marks")
    def test_functions_begin_with_a_landing_pad(self):
        code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=main", CSREPLAY],
                              capture_output=True, text=True, check=True).stdout
        self.assertRegex(code, r"<main>:\n +[0-9a-f]+:\s+endbr64")


if __name__ == "__main__":
    unittest.main()
