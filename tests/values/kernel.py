#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers of a Linux kernel's past, against the truth of the recording: none is wrong, and no fewer are known than
before. Positions are drawn among the last 100, 1,000, 10,000 and 100,000 of a core.

usage: kernel.py NAME CORE TRUST SHARE...      a snapshot of corpus/kernel in the reference material; of each
distance the least share in percent of X0 to X30 and SP
"""
import gzip
import os
import random
import struct
import subprocess
import sys

from material import shared

RECORD = 272  # bytes: u64 pc, x0..x30, sp, u32 pstate, u32 padding
NAMES = [f"x{i}" for i in range(31)] + ["sp"]
DISTANCES, DRAWN, SEED = (100, 1000, 10000, 100000), 60, 5


def run(command, folder, *options, asked=None):
    return subprocess.run([os.environ["CSREPLAY"], command, *options, folder], input=asked, capture_output=True,
                          text=True, timeout=300, check=True).stdout


def read(folder, name, core):
    with gzip.open(os.path.join(folder, f"{name}_{core.replace('_', '')}.bin.gz")) as file:
        return file.read()


def true_rows(folder, core, records):
    """Of each row of the history its record: those that were traced, matched from the last one back."""
    done = read(folder, "done", core)
    at, rows = len(done) - 1, []
    for line in reversed(run("history", folder, "--core", core).splitlines()[1:]):
        if line.startswith("#"):
            continue
        pc = int(line.split("\t")[1], 16)
        while at >= 0 and not (done[at] and struct.unpack_from("<Q", records, RECORD * at)[0] == pc):
            at -= 1
        if at < 0:
            sys.exit(f"{pc:#x} was not executed there")
        rows.append(at)
        at -= 1
    return rows[::-1]


def main():
    name, core, trust, *least = sys.argv[1:]
    folder = shared("corpus", "kernel", name)
    records = read(folder, "truth", core)
    rows = true_rows(folder, core, records)
    rng, fewer = random.Random(SEED), False
    for distance, share in zip(DISTANCES, map(float, least), strict=True):
        drawn = sorted(rng.sample(range(max(0, len(rows) - distance), len(rows)), DRAWN))
        asked = [(position, i) for position in drawn for i in range(len(NAMES))]
        told = run("state", folder, "--core", core, "--trust", trust, "--batch",
                   asked="".join(f"{position}\t{NAMES[i]}\n" for position, i in asked)).splitlines()
        known = 0
        for (position, i), line in zip(asked, told, strict=True):
            value = line.split("\t")[2]
            if value == "-":
                continue
            known += 1
            true = struct.unpack_from("<Q", records, RECORD * rows[position] + 8 * (i + 1))[0]
            if int(value, 16) != true:
                sys.exit(f"{NAMES[i]} at position {position} is said to be {value}, the truth is {true:#x}")
        found = 100 * known / len(asked)
        print(f"last {distance}: {found:.1f} % known, none wrong")
        fewer |= found < share
    if fewer:
        sys.exit(f"fewer than {least}")


if __name__ == "__main__":
    main()
