#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many packets gdb with gdbinit needs to attach, to step back and to seek, each within what is
promised (docs/debuggers.md); and that it is told of another program than the snapshot's."""
import os
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
OTHER = serving.Crash(sys.argv[2]) if len(sys.argv) > 2 else None  # of the same architecture; both have build IDs
STEPS = 50
# Of 50 steps so many may ask for the calls near them, or for a word of memory.
MORE = 4
SEEKS = ["seek 100", "seek 200", "seek -50", "seek 50%", "seek $trace_pos+10"]


class Packets(unittest.TestCase):
    def setUp(self):
        serving.own_state(self)

    def sent(self, arguments, commands, allowed=()):
        with serving.Server(arguments) as server, tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            serving.gdb(server.address, commands, CRASH.program, ["-x", serving.GDBINIT], log, allowed)
            return serving.packets(log)

    def parts(self, commands):
        """What each of the commands takes."""
        mark = "maintenance packet qHere"
        sent = self.sent(CRASH.arguments(), [mark, *(one for command in commands for one in (command, mark))],
                         (*serving.UNKNOWN_MEMORY, "^Backtrace stopped: previous frame identical"))
        marks = [i for i, packet in enumerate(sent) if packet == "qHere"]
        self.assertEqual(len(marks), len(commands) + 1)
        return [sent[first + 1:last] for first, last in zip(marks, marks[1:])]

    def test_1_attach_takes_15_packets(self):
        for arguments in ([CRASH.folder], CRASH.arguments()):
            sent = [packet for packet in self.sent(arguments, []) if not packet.startswith("D")]
            print(len(sent), "packets at attach, with", arguments[:-1])
            self.assertGreater(len(sent), 10)
            self.assertLessEqual(len(sent), 15, sent)
            self.assertFalse([packet for packet in sent if packet.startswith(("qCRC", "vFile"))])

    def test_7_reverse_stepi_takes_3_packets(self):
        for first in ("seek end", "seek 500"):
            # The first one asks for what the others need, and which kinds of steps there are.
            parts = self.parts([first, "reverse-stepi", *["reverse-stepi"] * STEPS])[2:]
            for part in parts:
                self.assertIn("bs", part)
            total = sum(map(len, parts))
            print(total, "packets for", STEPS, "steps back after", first)
            self.assertLessEqual(total, 3 * STEPS + MORE, [part for part in parts if len(part) > 3])

    def test_36_seek_takes_5_packets(self):
        for command, part in zip(SEEKS, self.parts(SEEKS)):
            print(len(part), "packets for", command)
            self.assertGreater(len(part), 0)
            self.assertLessEqual(len(part), 5, (command, part))

    def test_bt_10_takes_20_packets(self):
        commands = [one for seek in ("seek end", "seek -200", "seek 50%", "crash") for one in (seek, "bt 10")]
        for command, part in zip(commands, self.parts(commands)):
            print(len(part), "packets for", command)
            self.assertLessEqual(len(part), 20 if command == "bt 10" else 5, (command, part))

    def test_36_what_a_backtrace_has_read_ends_with_it(self):
        """One that was interrupted has no end: what it has read of the halt's memory is not shown elsewhere."""
        looks = [f"x/2wx $sp+{offset}" for offset in range(0, 512, 32)]
        commands = [*looks, *(one for n in (20, 200, 1500) for one in (f"set $trace_pos = $trace_pos-{n}", *looks))]
        said = []
        for first in ([], ["csreplay-backtrace begin"]):
            with serving.Server(CRASH.arguments()) as server:
                said.append(serving.gdb(server.address, ["crash", *first, *commands], CRASH.program, ["-x", serving.GDBINIT],
                                        allowed=(*serving.UNKNOWN_MEMORY, "Cannot access memory")))
        self.assertEqual(*said)

    def test_1_another_program_is_told(self):
        if not OTHER:
            return
        for program, is_told in ((OTHER.program, True), (CRASH.program, False)):
            with serving.Server(CRASH.arguments()) as server:
                out = serving.gdb(server.address, [], program, ["-x", serving.GDBINIT],
                                  allowed=("^warning: .*build IDs", *serving.UNKNOWN_MEMORY, "^Cannot access memory"))
            said = f"warning: {os.path.realpath(program)} is not the program of the snapshot"
            self.assertEqual(said in out, is_told, out)


if __name__ == "__main__":
    serving.main()
