#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breakpoints in both directions: every hit, in order, once."""
import os
import re
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
END = "No more reverse-execution history."


def hits_backward(addresses, start):
    return [i for i in range(start - 1, -1, -1) if PCS[i] in addresses]


def hits_forward(addresses, start):
    return [i for i in range(start + 1, len(PCS) - 1) if PCS[i] in addresses]


def rare_addresses(count, most):
    """Addresses that were executed 2 to `most` times, spread over the history."""
    seen = {}
    for pc in PCS[:-1]:
        seen[pc] = seen.get(pc, 0) + 1
    rare = sorted(pc for pc, times in seen.items() if 2 <= times <= most)
    return rare[::max(1, len(rare) // count)][:count]


class Breakpoints(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def positions(self, commands, **more):
        """Positions that the commands print, and all the output."""
        out = serving.gdb(self.server.address, commands, CRASH.program,
                          ["-ex", "set trust-readonly-sections on", *more.pop("options", serving.UNCACHED)],
                          allowed=serving.UNKNOWN_MEMORY, **more)
        return [int(position) for position in re.findall(r"^AT (\d+)$", out, re.MULTILINE)], out

    def run_to(self, command, kind, addresses, count, before=(), **more):
        """Sets the breakpoints and repeats the command `count` times."""
        return self.positions([*[f"{kind} *{address:#x}" for address in addresses], *before,
                               serving.loop(count, command,
                                            'printf "AT %lu\\n", $trace_pos')], **more)

    def test_15_every_call_is_visited_newest_first(self):
        entry = rare_addresses(1, 40)
        expected = hits_backward(entry, len(PCS) - 1)
        seen, out = self.run_to("reverse-continue", "break", entry, len(expected) + 1)
        self.assertEqual(seen, expected + [0])
        self.assertEqual(out.count("Breakpoint 1, "), len(expected))
        self.assertEqual(out.count(END), 1)

    def test_16_where_it_stands_is_not_reported_again(self):
        entry = rare_addresses(1, 40)
        hits = hits_backward(entry, len(PCS) - 1)
        seen, _ = self.positions([f"break *{entry[0]:#x}", *["reverse-continue",
                                  'printf "AT %lu\\n", $trace_pos'] * 2, "continue",
                                  'printf "AT %lu\\n", $trace_pos', "continue"])
        self.assertEqual(seen, [hits[0], hits[1], hits[0]])

    def test_16_bare_continue_does_not_report_its_start(self):
        entry = rare_addresses(1, 40)[0]
        hits = hits_backward([entry], len(PCS) - 1)
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:xmlRegisters=i386;swbreak+")
            self.assertEqual(client.ask(f"Z0,{entry:x},4"), "OK")
            for hit in hits[:2]:
                self.assertIn("swbreak:;", client.ask("bc"))
                position = int.from_bytes(bytes.fromhex(client.ask(f"p{client.number_of('trace_pos'):x}")), "little")
                self.assertEqual(position, hit)

    def test_17_ten_breakpoints_hit_in_recorded_order(self):
        addresses = rare_addresses(10, 60)
        self.assertEqual(len(addresses), 10)
        expected = hits_backward(addresses, len(PCS) - 1)[:40]
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            seen, _ = self.run_to("reverse-continue", "break", addresses, len(expected), log=log, options=[])
            sent = serving.packets(log)
        self.assertEqual(seen, expected)
        first = sent.index("bc")
        last = len(sent) - 1 - sent[::-1].index("bc")
        each = (last - first) / (sent.count("bc") - 1)
        print("packets a continue with ten breakpoints:", each)
        self.assertLessEqual(each, 30)

    def test_17_forward_too(self):
        addresses = rare_addresses(10, 60)
        expected = hits_forward(addresses, 0)[:20]
        seen, _ = self.run_to("continue", "break", addresses, len(expected),
                              before=["set $trace_pos = 0"])
        self.assertEqual(seen, expected)

    def test_20_hardware_breakpoints_hit_alike(self):
        entry = rare_addresses(1, 40)
        expected = hits_backward(entry, len(PCS) - 1)[:3]
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            seen, _ = self.run_to("reverse-continue", "hbreak", entry, len(expected), log=log)
            sent = serving.packets(log)
        self.assertEqual(seen, expected)
        self.assertTrue([packet for packet in sent if packet.startswith("Z1,")])
        self.assertFalse([packet for packet in sent if packet.startswith(f"Z0,{entry[0]:x}")])


if __name__ == "__main__":
    serving.main()
