#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends the reading of a long trace, of which the terminal shows how far it is.

environment: CSREPLAY
"""
import os
import pty
import select
import signal
import subprocess
import tempfile
import time
import unittest

LINES = 3_000_000
PATIENCE = 60  # seconds


class Interrupt(unittest.TestCase):
    def test_ctrl_c_ends_a_long_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "long.tarmac")
            with open(path, "w", encoding="ascii") as file:
                for first in range(0, LINES, 1000):
                    file.write("".join(f"{n} clk IT (0) 00001000 d503201f A EL1h_s : NOP\n"
                                       for n in range(first, first + 1000)))
            main, terminal = pty.openpty()
            process = subprocess.Popen([os.environ["CSREPLAY"], "history", "--count", "1", path],
                                       stdout=subprocess.PIPE, stderr=terminal)
            os.close(terminal)
            said = b""
            end = time.monotonic() + PATIENCE
            sent = False
            while time.monotonic() < end and select.select([main], [], [], PATIENCE)[0]:
                try:
                    said += os.read(main, 4096)
                except OSError:  # the other side is closed
                    break
                if not sent and b"%" in said:
                    process.send_signal(signal.SIGINT)
                    sent = True
            out = process.communicate(timeout=PATIENCE)[0]
            os.close(main)
            self.assertTrue(sent, said)
            self.assertIn(b"csreplay: interrupted while decoding", said)
            self.assertEqual((process.returncode, out), (128 + signal.SIGINT, b""))


if __name__ == "__main__":
    unittest.main()
