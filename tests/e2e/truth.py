#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdb's reverse-stepi gives what really was executed: over the whole history of the bundled example,
and over the last instructions of the longer crashes."""
import re
import sys
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
COUNT = 10 ** 6 if sys.argv[1] == "example" else 2000


class Truth(unittest.TestCase):
    def test_reverse_stepi_is_the_recorded_sequence(self):
        pcs = CRASH.pcs()
        count = min(COUNT, len(pcs) - 1)
        with serving.Server(CRASH.arguments()) as server:
            out = serving.gdb(server.address,
                              ['printf "AT %lx\\n", $pc',
                               serving.loop(count, "reverse-stepi", 'printf "AT %lx\\n", $pc')],
                              CRASH.program, ["-ex", "set trust-readonly-sections on"],
                              allowed=serving.UNKNOWN_MEMORY)
        seen = [int(pc, 16) for pc in re.findall(r"^AT ([0-9a-f]+)$", out, re.MULTILINE)]
        self.assertEqual(len(seen), count + 1)
        self.assertEqual(seen, pcs[-1:-2 - count:-1])


if __name__ == "__main__":
    serving.main()
