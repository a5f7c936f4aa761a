#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Watchpoints on memory of the past that is reconstructed: no write is passed over in silence, no
stop is for what did not happen; gdb finds the store that broke a pointer. The argument is a crash."""
import gzip
import os
import random
import re
import struct
import sys
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
N = len(PCS) - 1
WHERE = 'printf "AT %lu\\n", $trace_pos'


def writes():
    """(position, address, old bytes, new bytes) of every change of memory."""
    with gzip.open(os.path.join(CRASH.folder, "memtruth.bin.gz")) as file:
        data = file.read()
    at, found = 0, []
    while at < len(data):
        step, size, address = struct.unpack_from("<IIQ", data, at)
        at += 16
        found.append((step, address, data[at:at + size], data[at + size:at + 2 * size]))
        at += 2 * size
    return found


class Truth(unittest.TestCase):
    """Against what was recorded."""

    def move(self, client, packet):
        """(stop reply, what was announced before it)"""
        client.send(serving.frame(packet.encode()))
        said = ""
        while (reply := client.payload().decode()).startswith("O"):
            said += bytes.fromhex(reply[1:]).decode()
        return reply, said

    def position(self, client, number):
        return int.from_bytes(bytes.fromhex(client.ask(f"p{number:x}")), "little")

    def check(self, client, number, address, size, true):
        """`true`: positions that wrote one of the bytes, rising."""
        client.ask(f"P{number:x}={N.to_bytes(8, 'little').hex()}")
        self.assertEqual(client.ask(f"Z2,{address:x},{size:x}"), "OK")
        at, hits = N, 0
        while True:
            reply, said = self.move(client, "bc")
            stop = self.position(client, number)
            is_hit = "watch:" in reply
            # Backwards a stop is behind the instruction, which is yet to be undone.
            passed = [p for p in true if stop <= p < at]
            if passed:
                self.assertIn("may have accessed what is watched", said,
                              f"{address:#x}: {passed} between {stop} and {at}")
            if not is_hit and "replaylog" in reply:
                break
            if is_hit:
                hits += 1
                self.assertLessEqual(stop, at)
                # gdb makes this step itself, without its watchpoints.
                client.ask(f"z2,{address:x},{size:x}")
                self.move(client, "bs")
                at = stop - 1
                client.ask(f"Z2,{address:x},{size:x}")
            else:
                at = stop
        client.ask(f"z2,{address:x},{size:x}")
        return hits

    def test_no_write_is_passed_over_in_silence(self):
        changes = writes()
        first = N - (PCS_TOTAL - 1)
        chance = random.Random(24)
        hits = 0
        with serving.Server(CRASH.arguments()) as server, \
                serving.Client(server.address) as client:
            client.ask("qSupported:swbreak+;hwbreak+")
            number = client.number_of("trace_pos")
            for _, address, old, _ in chance.sample(changes, min(25, len(changes))):
                address &= ~7
                true = sorted({step + first for step, at, before, _ in changes
                               if at < address + 8 and at + len(before) > address})
                hits += self.check(client, number, address, 8, [p for p in true if p >= 0])
        print(f"{CRASH.name}: {hits} stops")
        self.assertGreater(hits, 0)


class Interrupt(unittest.TestCase):
    def test_interrupt_ends_the_reconstruction(self):
        with serving.Server(CRASH.arguments()) as server, serving.Client(server.address) as client:
            client.ask("qSupported:swbreak+")
            number = client.number_of("trace_pos")
            stack = int.from_bytes(bytes.fromhex(client.ask("p1f")), "little")
            self.assertEqual(client.ask(f"Z2,{stack:x},8"), "OK")
            # The interrupt is there as soon as somebody looks.
            client.send(serving.frame(b"bc") + b"\x03")
            self.assertEqual(client.payload()[:3], b"T02")
            self.assertEqual(client.ask(f"p{number:x}"), N.to_bytes(8, "little").hex())
            self.assertNotEqual(client.ask("bc")[:3], "T02")


class Gdb(unittest.TestCase):
    """What a user does."""

    def gdb(self, *commands):
        with serving.Server(CRASH.arguments()) as server:
            return serving.gdb(server.address, list(commands), CRASH.program,
                               ["-x", serving.GDBINIT])

    def test_store_that_broke_the_pointer_of_the_example_is_found(self):
        if CRASH.name != "example":
            self.skipTest("another crash")
        out = self.gdb("watch sensors[2].driver", "reverse-continue", WHERE, "info locals",
                       "x/i $pc")
        self.assertRegex(out, r"Old value = .* 0x322d7261\n")
        self.assertIn('in set_label (sensor=0x401648 <sensors+256>, text=text@entry=0x400500 '
                      '<inbox+80> "winecellar-2", length=12)', out)
        self.assertRegex(out, r"=> 0x\w+ <set_label\+\d+>:\tstrb\t")

    def test_store_that_broke_the_list_of_the_hash_table_is_found(self):
        if CRASH.name != "hash_corrupt_O1":
            self.skipTest("another crash")
        # The `next` that the last round read; it has itself written it since.
        out = self.gdb("monitor assume single-writer on", "watch *(long *) 0x4200f0",
                       "reverse-continue", WHERE, "reverse-continue", WHERE, "x/i $pc")
        self.assertIn("single-writer is on", out)
        broken = max(step for step, address, _, new in writes() if b"   " in new)
        self.assertEqual([int(p) for p in re.findall(r"^AT (\d+)$", out, re.MULTILINE)][1], broken,
                         out)
        self.assertRegex(out, r"Old value = 538976288\n")


if __name__ == "__main__":
    if CRASH.name == "example":
        del Truth
    else:
        with gzip.open(os.path.join(CRASH.folder, "truth.bin.gz")) as records:
            PCS_TOTAL = len(records.read()) // 272
    unittest.main(verbosity=2, argv=sys.argv[:1])
