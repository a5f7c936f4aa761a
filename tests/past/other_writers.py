#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes of the other core that csreplay tells of, against the truth of a recorded kernel of two cores: each was
executed, at the address and with the value that is told, and while this core was where it is said to have been.

usage: other_writers.py NAME CORE OTHER LEAST      a snapshot of corpus/kernel in the reference material; of the writes
                                                   to memory that the other core wrote so many are told at least
"""
import bisect
import json
import random
import sys

import a64_accesses
from material import shared
from recorded_kernel import Core, run

DRAWN, LAST, SEED = 15, 2000, 3


def check(told, address, size, core, other):
    if not other.access(told["position"]):
        return
    kind, first, length = other.access(told["position"])
    assert kind in (a64_accesses.WRITE, a64_accesses.BOTH), told
    assert first < address + size and address < first + length, (told, hex(first), length)
    # The instruction that this core was about to execute then.
    here = bisect.bisect_left(core.times, other.times[told["position"]])
    assert told["own_first"] <= here <= told["own_last"], (told, here)


def main():
    name, this, that, least = sys.argv[1:]
    folder = shared("corpus", "kernel", name)
    core, other = Core(folder, this), Core(folder, that)
    stores = [other.access(position) for position in range(len(other.rows))][-LAST:]
    stores = [store for store in stores if store and store.kind == a64_accesses.WRITE and store.size <= 8]
    count = 0
    for store in random.Random(SEED).sample(stores, DRAWN):
        lines = run("writes", folder, "--core", this, "--of", f"{store.address:#x}+{store.size}", "--count", "20",
                    "--format", "json").splitlines()
        for told in map(json.loads, lines):
            if told.get("core") != that:
                continue
            check(told, store.address, store.size, core, other)
            count += 1
    print(f"{count} writes of {that} told at {DRAWN} addresses, all of them true")
    assert count >= int(least), f"fewer than {least}"


if __name__ == "__main__":
    main()
