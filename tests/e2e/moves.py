#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Real lldb at a crash, against what was recorded: both directions, breakpoints, watchpoints with values; and real gdb at
the same watchpoints. Numbers are those of the acceptance scenarios.

usage: moves.py CRASH [SCENARIO]   only that one, if it is named"""
import collections
import gzip
import os
import re
import struct
import shutil
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
N = len(PCS) - 1
TIMES = 3
SHOW = "register read trace_pos pc"
WHERE = 'printf "trace_pos = 0x%lx\\n pc = 0x%lx\\n", $trace_pos, $pc'


def changes():
    """word of 4 bytes -> [(position of an instruction that changed it, its bytes before, after, what is not in the change as
    None)], rising."""
    with gzip.open(os.path.join(CRASH.folder, "memtruth.bin.gz")) as file:
        data = file.read()
    found, at, first = collections.defaultdict(list), 0, CRASH.truth()["trace"]["first_index"]
    while at < len(data):
        step, size, address = struct.unpack_from("<IIQ", data, at)
        old, new = data[at + 16:at + 16 + size], data[at + 16 + size:at + 16 + 2 * size]
        at += 16 + 2 * size
        for word in range(address & ~3, address + size, 4):
            inside = [word + i - address if 0 <= word + i - address < size else None for i in range(4)]
            found[word].append((step - first, *([None if i is None else part[i] for i in inside] for part in (old, new))))
    return found


class Moves(unittest.TestCase):
    def setUp(self):
        server = serving.Server(CRASH.arguments())
        self.addCleanup(lambda: self.assertEqual(server.stop(), 0))
        self.address = server.address

    def lldb(self, *commands):
        """Not `-b` alone: in batch mode lldb ends at a fault that it stops at."""
        if not shutil.which(serving.LLDB):
            self.skipTest("no " + serving.LLDB)
        script = [f"script lldb.debugger.HandleCommand({command!r})" for command in commands]
        return serving.lldb([f"target create {CRASH.program}", f"command source -s 1 {serving.LLDBINIT}",
                             f"gdb-remote {self.address}", *script])

    def stops(self, out):
        """(position, PC) as they were shown."""
        return [(int(position, 16), int(pc, 16)) for position, pc in
                re.findall(r"^trace_pos = 0x([0-9a-f]+)\n +pc = 0x([0-9a-f]+)", out, re.MULTILINE)]

    def places(self, *positions):
        return [(position, PCS[position]) for position in positions]

    def test_43_both_ends(self):
        out = self.lldb("bt", "process continue -R", SHOW, "process continue -R", SHOW, "process continue -F", SHOW)
        self.assertRegex(out, rf"(?m)^  \* frame #0: 0x0*{PCS[N]:x} ")
        self.assertRegex(out, r"(?m)^    frame #1: ")
        self.assertEqual(self.stops(out), self.places(0, 0, N))
        self.assertEqual(re.findall(r"stop reason = (begin|end) of the history", out), ["begin", "begin", "end"])

    def test_43_breakpoints(self):
        times = collections.Counter(PCS)
        address = next(pc for pc in PCS if 3 <= times[pc] <= 40)
        hits = [position for position in range(N) if PCS[position] == address]
        out = self.lldb(f"breakpoint set -a {address:#x}", *["process continue -R", SHOW] * 2, "process continue -F", SHOW)
        self.assertEqual(self.stops(out), self.places(hits[-1], hits[-2], hits[-1]))
        self.assertEqual(out.count("stop reason = breakpoint 1.1"), 3)

    def test_43_steps(self):
        out = self.lldb("process continue -R", "thread step-inst", SHOW, "thread step-inst", SHOW)
        self.assertEqual(self.stops(out), self.places(1, 2))

    def proved(self):
        """(word, its last changes) of one whose last stores are proved."""
        with serving.Client(self.address) as client:
            client.ask("qSupported:swbreak+;hwbreak+")
            number = client.number_of("trace_pos")
            for word, times in sorted(changes().items(), key=lambda item: -len(item[1])):
                if len(times) < TIMES:
                    continue
                client.ask(f"P{number:x}={N.to_bytes(8, 'little').hex()}")
                client.ask(f"Z2,{word:x},4")
                found = []
                for _ in range(TIMES):
                    if "watch:" not in client.move("bc")[0]:
                        break
                    client.ask(f"z2,{word:x},4")  # the debugger makes this step itself
                    client.move("bs")
                    client.ask(f"Z2,{word:x},4")
                    found.append(int.from_bytes(bytes.fromhex(client.ask(f"p{number:x}")), "little"))
                client.ask(f"z2,{word:x},4")
                if found == [position for position, *_ in times[:-TIMES - 1:-1]]:
                    client.ask(f"P{number:x}={N.to_bytes(8, 'little').hex()}")  # lldb comes where this leaves
                    return word, times[-TIMES:]
        return self.fail("no such word")

    def check_value(self, shown, digits):
        """Of a value that lldb shows, the bytes that changed; the others did not."""
        shown = (int(shown) & 0xffffffff).to_bytes(4, "little")
        self.assertTrue(all(true is None or mine == true for mine, true in zip(shown, digits)), (shown, digits))

    def gdb(self, *commands, log=None):
        return serving.gdb(self.address, commands, CRASH.program, ["-x", serving.GDBINIT], log,
                           allowed=serving.UNKNOWN_MEMORY)

    def test_22_watchpoints_in_gdb(self):
        word, times = self.proved()
        positions = [position for position, *_ in times]
        out = self.gdb(f"watch *(int *) {word:#x}", *["reverse-continue", WHERE] * TIMES, *["continue", WHERE] * TIMES)
        self.assertEqual(self.stops(out), self.places(*positions[::-1], *(position + 1 for position in positions)))
        told = re.findall(r"^Old value = (-?\d+)\nNew value = (-?\d+)$", out, re.MULTILINE)
        self.assertEqual(len(told), 2 * TIMES, out)
        for (before, after), (_, old, new) in zip(told, [(0, n, o) for _, o, n in times[::-1]] + times):
            self.check_value(before, old)
            self.check_value(after, new)

    def test_23_turns_at_a_watchpoint(self):
        word, times = self.proved()
        last = times[-1][0]
        out = self.gdb(f"watch *(int *) {word:#x}", *["reverse-continue", WHERE, "continue", WHERE] * 2, "reverse-stepi",
                       WHERE, "stepi", WHERE)
        self.assertEqual(self.stops(out), self.places(*[last, last + 1] * 3))
        self.assertEqual(out.count("Old value = "), 6, out)

    def test_26_a_watchpoint_that_nothing_meets(self):
        with tempfile.NamedTemporaryFile() as log:
            out = self.gdb(f"watch *(int *) {PCS[N] & ~3:#x}", "monitor set gap pass",
                           "monitor set possible-writes skip", "reverse-continue", WHERE,
                           log=log.name)
            self.assertEqual(serving.packets(log.name).count("bc"), 1)
        self.assertEqual(self.stops(out), self.places(0))
        self.assertIn("No more reverse-execution history", out)

    def test_25_watchpoints(self):
        word, times = self.proved()
        positions = [position for position, *_ in times]
        out = self.lldb(f"watchpoint set expression -w write -s 4 -- {word:#x}", *["process continue -R", SHOW] * TIMES,
                        *["process continue -F", SHOW] * TIMES)
        # Back on the store, on after it.
        self.assertEqual(self.stops(out), self.places(*positions[::-1], *(position + 1 for position in positions)))
        self.assertEqual(out.count("stop reason = watchpoint 1"), 2 * TIMES)
        told = re.findall(r"^old value: (-?\d+)\nnew value: (-?\d+)$", out, re.MULTILINE)
        self.assertEqual(len(told), 2 * TIMES, out)
        for (after, before), (_, old, new) in zip(told, times[::-1] + [(0, n, o) for _, o, n in times]):
            self.check_value(before, old)
            self.check_value(after, new)


if __name__ == "__main__":
    for test in [one for one in vars(Moves) if one.startswith("test_")]:
        if sys.argv[2:] and test.split("_")[1] not in sys.argv[2:]:
            delattr(Moves, test)
    serving.main()
