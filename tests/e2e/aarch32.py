#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdb on 32-bit cores: the description, A32 and T32 breakpoints, stepping back over both, with no
program but what the stub offers.

usage: aarch32.py NAME CORE   a snapshot of corpus/opencsd and a core of it
"""
import re
import subprocess
import sys
import unittest

import reference
import material
import serving

FOLDER = material.shared("corpus", "opencsd", sys.argv[1])
CORE = sys.argv[3]
COUNT = 1000
SHOW = 'printf "AT %lu %lx\\n", $trace_pos, $pc'


HISTORY, GAPS = reference.Reference(*sys.argv[1:3]).executed(CORE)
N = len(HISTORY)


def thread_number():
    done = subprocess.run([serving.CSREPLAY, "info", FOLDER], text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return re.search(rf"(?m)^ +(\d+) +{re.escape(CORE)} ", done.stdout)[1]


def rare(isa):
    """The address of the instruction set that was executed least often, but twice if any was."""
    times = {}
    for pc, of, _ in HISTORY:
        if of == isa:
            times[pc] = times.get(pc, 0) + 1
    return min(times, key=lambda pc: (times[pc] < 2, times[pc], pc)) if times else None


def stops_backward(address, start):
    """Where reverse-continue stops: at the address, and after gaps seen from the future."""
    stops = []
    for i in range(start - 1, -1, -1):
        if HISTORY[i][0] == address or i + 1 in GAPS or i == 0:
            stops.append(i)
    return stops


class Aarch32(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server([FOLDER])

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def gdb(self, *commands, options=("-x", serving.GDBINIT), allowed=()):
        return serving.gdb(self.server.address, [f"thread {thread_number()}", *commands],
                           options=options, allowed=allowed)

    def stops(self, *commands, **more):
        out = self.gdb(*commands, **more)
        return [(int(position), int(pc, 16))
                for position, pc in re.findall(r"^AT (\d+) ([0-9a-f]+)$", out, re.MULTILINE)], out

    def test_reverse_stepi_and_stepi_follow_the_history(self):
        count = min(COUNT, N)
        seen, out = self.stops(serving.loop(count, "reverse-stepi", SHOW),
                               serving.loop(count - 1, "stepi", SHOW))
        expected = [(i, HISTORY[i][0]) for i in range(N - 1, N - 1 - count, -1)]
        expected += [(i, HISTORY[i][0]) for i in range(N - count + 1, N)]
        self.assertEqual(seen, expected, out[-2000:])
        self.assertNotIn("is not available", out)

    def test_breakpoints_of_each_instruction_set_stop_there(self):
        self.check_breakpoints(20)

    def test_first_breakpoint_is_hit_without_gdbinit(self):
        # Not more: after a T32 instruction that ends what is known of the code, gdb 13 wants SP.
        self.check_breakpoints(1, options=(), allowed=[
            "^/.*: Error in sourced command file:$", "^Register 13 is not available$"])

    def check_breakpoints(self, most, **more):
        addresses = [pc for pc in (rare("A32"), rare("T32")) if pc is not None]
        self.assertTrue(addresses)
        for address in addresses:
            start = min(N, max(i for i in range(N) if HISTORY[i][0] == address) + 3)
            expected = stops_backward(address, start)[:most]
            # Other cores would stop at theirs.
            seen, out = self.stops("monitor set cores alone", f"set $trace_pos = {start}", f"break *{address:#x}",
                                   serving.loop(len(expected), "reverse-continue", SHOW),
                                   **more)
            self.assertEqual(seen, [(i, HISTORY[i][0]) for i in expected], out[-2000:])
            hits = [i for i in expected if HISTORY[i][0] == address]
            self.assertTrue(hits)
            # After a gap or at the beginning gdb is told of that and not of the breakpoint.
            hits = [i for i in hits if i + 1 not in GAPS and i > 0]
            self.assertGreaterEqual(out.count("Breakpoint 1, "), len(hits), out[-2000:])

    def test_breakpoint_with_bit_0_is_t32(self):
        # The last one that is followed by an instruction without a gap, seen from there.
        hit = max(i for i in range(N - 1) if HISTORY[i].isa == "T32" and i + 1 not in GAPS)
        address = HISTORY[hit].pc
        seen, out = self.stops(f"set $trace_pos = {hit + 1}", f"break *{address | 1:#x}",
                               "reverse-continue", SHOW,
                               allowed=[r"^warning: Breakpoint .*address (previously )?adjusted"])
        self.assertEqual(seen, [(hit, address)], out)

    def test_disassembly_in_the_past_is_of_the_right_instruction_set(self):
        samples = [next(i for i in range(N) if HISTORY[i][1] == isa)
                   for isa in sorted({isa for _, isa, _ in HISTORY})]
        commands = []
        for i in samples:
            commands += [f"set $trace_pos = {i}", "echo CODE\\n", "disassemble /r $pc, +1"]
        out = self.gdb(*commands)
        shown = [found.replace(" ", "")
                 for found in re.findall(r"(?m)^=> .*?:\t([0-9a-f ]+)\t", out)]
        expected = [HISTORY[i][2] for i in samples]
        self.assertEqual(shown, expected, out)

    def test_27_28_both_ends_are_ends(self):
        seen, out = self.stops("monitor set cores alone", "monitor set gap pass", "reverse-continue", SHOW, "reverse-stepi",
                               SHOW, "continue", 'printf "AT %lu %lx\\n", $trace_pos, 0')
        self.assertEqual(seen, [(0, HISTORY[0][0])] * 2 + [(N, 0)], out)
        self.assertEqual(out.count("No more reverse-execution history"), 3)

    def test_36_seeks_go_there(self):
        places = sorted({0, 1, N // 3, N // 2, N - 1})
        commands = []
        for i in places:
            commands += [f"seek {i}", SHOW, f"monitor seek {N - 1 - i}", SHOW]
        seen, out = self.stops(*commands)
        wanted = [at for i in places for at in (i, N - 1 - i)]
        self.assertEqual(seen, [(at, HISTORY[at][0]) for at in wanted], out[-2000:])

    def test_status_register_is_unavailable_in_the_past(self):
        out = self.gdb("info registers", f"set $trace_pos = {N - 1}", "echo PAST\\n", "info registers",
                       "p $pc")
        name = "xpsr" if re.search(r"(?m)^xpsr ", out) else "cpsr"
        self.assertRegex(out, r"(?m)^r12 ")
        self.assertEqual(len(re.findall(rf"(?m)^{name} ", out)), 2)
        self.assertRegex(out.split("PAST\n")[1], rf"(?m)^{name} +<unavailable>$")
        self.assertRegex(out, rf"(?m)^\$1 = .* {HISTORY[N - 1][0]:#x}")


if __name__ == "__main__":
    serving.main()
