#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the first reverse-continue of a watchpoint stops, against the recording of what happened: at
the last instruction that changed the word, or after it, at an access that is said to be possible or
before a stretch that is said not to be known; at a store that is proved only if it is one. Never
before it.

usage: watch_last.py PAIRS LEAST CRASH...    random words and positions of each; so many of all stop
at the last change itself, and proved, at least"""
import bisect
import collections
import gzip
import os
import random
import re
import struct
import sys
import unittest

import serving

PAIRS = int(sys.argv[1])
MET = re.compile(r"csreplay: (possible )?write of the 8 bytes at 0x\w+: position (\d+)")
BLIND = re.compile(r"csreplay: from here on it is not known what instructions accessed, (\d+) to ")
LATE = 3  # instructions: the recorder met stores of vectors at the next store that it knew


def changes_of(folder, first):
    """word -> rising positions of the instructions that changed it."""
    with gzip.open(os.path.join(folder, "memtruth.bin.gz")) as file:
        data = file.read()
    found, at = collections.defaultdict(set), 0
    while at < len(data):
        step, size, address = struct.unpack_from("<IIQ", data, at)
        for byte in range(address, address + size):
            found[byte & ~7].add(step - first)
        at += 16 + 2 * size
    return {word: sorted(positions) for word, positions in found.items()}


class Moves:
    """A client that goes backward."""

    def __init__(self, client):
        self.client = client
        client.ask("qSupported:swbreak+;hwbreak+")
        self.number = client.number_of("trace_pos")

    def position(self):
        return int.from_bytes(bytes.fromhex(self.client.ask(f"p{self.number:x}")), "little")

    def first_stop(self, word, position):
        """(kind, position of the instruction) of what is met first; gaps and breakpoints are passed,
        as they say so themselves."""
        self.client.ask(f"P{self.number:x}={position.to_bytes(8, 'little').hex()}")
        self.client.ask(f"Z2,{word:x},8")
        while True:
            reply, said = self.client.move("bc")
            if "watch:" in reply:
                found = "proved", self.position() - 1
            elif met := MET.search(said):
                found = "possible" if met[1] else "proved", int(met[2])
            elif blind := BLIND.search(said):
                found = "blind", int(blind[1])
            elif "replaylog" in reply:
                found = "none", -1
            else:
                continue
            self.client.ask(f"z2,{word:x},8")
            return found


class Last(unittest.TestCase):
    def check(self, name):
        crash = serving.Crash(name)
        folder = crash.folder
        trace = crash.truth()["trace"]
        first, halt = trace["first_index"], trace["last_index"] + 1 - trace["first_index"]
        changes = changes_of(folder, first)
        chance, tally = random.Random(14), collections.Counter()
        server = serving.Server(crash.arguments())
        with server, serving.Client(server.address) as client:
            moves = Moves(client)
            self.assertEqual(moves.position(), halt, name)
            words = sorted(changes)
            for _ in range(PAIRS):
                word, position = chance.choice(words), chance.randrange(1, halt + 1)
                at = bisect.bisect_left(changes[word], position)
                last = changes[word][at - 1] if at > 0 else -1
                kind, stop = moves.first_stop(word, position)
                what = f"{name}: {word:#x} from {position}: {kind} at {stop}, changed at {last}"
                if stop < last and stop >= last - LATE and kind == "proved":
                    tally["late"] += 1  # what the recorder met later
                    continue
                self.assertGreaterEqual(stop, last, what)
                tally["true" if stop == last and kind == "proved" else kind] += 1
        print(f"{name}: {dict(tally)}", flush=True)
        return tally

    def test_no_older_write_is_shown_as_the_last(self):
        total = collections.Counter()
        for name in sys.argv[3:]:
            total += self.check(name)
        print(f"all: {dict(total)}", flush=True)
        self.assertGreaterEqual(total["true"], int(sys.argv[2]))


if __name__ == "__main__":
    serving.main()
