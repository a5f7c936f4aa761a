#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers of a Linux kernel's past, against the truth of the recording: none is wrong, and no fewer are known than
before. Positions are drawn among the last 100, 1,000, 10,000 and 100,000 of a core.

usage: kernel.py NAME CORE SHARE... [OPTION...]      a snapshot of corpus/kernel in the reference material; of each
                                                     distance the least share in percent of X0 to X30 and SP
       kernel.py NAME CORE [OPTION...]               tells the shares of the registers that the executing instructions
                                                     read, of more positions, and how many are wrong

Options such as --trust=assumed go to `csreplay state`.
"""
import gzip
import os
import random
import struct
import subprocess
import sys

from material import shared
from values import read_by

RECORD = 272  # bytes: u64 pc, x0..x30, sp, u32 pstate, u32 padding
NAMES = [f"x{i}" for i in range(31)] + ["sp"]
DISTANCES, DRAWN, DRAWN_TO_TELL, SEED = (100, 1000, 10000, 100000), 60, 1500, 5


def run(command, folder, *options, asked=None):
    return subprocess.run([os.environ["CSREPLAY"], command, *options, folder], input=asked, capture_output=True,
                          text=True, timeout=300, check=True).stdout


def read(folder, name, core):
    with gzip.open(os.path.join(folder, f"{name}_{core.replace('_', '')}.bin.gz")) as file:
        return file.read()


def true_rows(folder, core, records):
    """Of each row of the history its record, and its disassembly: those that were traced, matched from the last one back."""
    done = read(folder, "done", core)
    at, rows = len(done) - 1, []
    for line in reversed(run("history", folder, "--core", core).splitlines()[1:]):
        if line.startswith("#"):
            continue
        _, pc, _, _, text = line.split("\t")[:5]
        while at >= 0 and not (done[at] and struct.unpack_from("<Q", records, RECORD * at)[0] == int(pc, 16)):
            at -= 1
        if at < 0:
            sys.exit(f"0x{pc} was not executed there")
        rows.append((at, text))
        at -= 1
    return rows[::-1]


def score(folder, core, records, rows, asked, options):
    """How many of (position, number of a register) are known; and which are wrong, in words."""
    told = run("state", folder, "--core", core, "--batch", *options,
               asked="".join(f"{position}\t{NAMES[i]}\n" for position, i in asked)).splitlines()
    known, wrong = 0, []
    for (position, i), line in zip(asked, told, strict=True):
        value = line.split("\t")[2]
        if value == "-":
            continue
        known += 1
        true = struct.unpack_from("<Q", records, RECORD * rows[position][0] + 8 * (i + 1))[0]
        if int(value, 16) != true:
            wrong.append(f"{NAMES[i]} at position {position} is said to be {value}, the truth is {true:#x}")
    return known, wrong


def draw(rng, rows, distance, count):
    first = max(0, len(rows) - distance)
    return sorted(rng.sample(range(first, len(rows)), min(count, len(rows) - first)))


def read_there(rows, position):
    mnemonic, _, operands = rows[position][1].partition(" ")
    return read_by(mnemonic, operands)


def tell_reads(folder, core, options):
    records = read(folder, "truth", core)
    rows = true_rows(folder, core, records)
    rng = random.Random(SEED)
    for distance in DISTANCES:
        asked = [(position, i) for position in draw(rng, rows, distance, DRAWN_TO_TELL)
                 for i in read_there(rows, position)]
        known, wrong = score(folder, core, records, rows, asked, options)
        print(f"last {distance}: {100 * known / len(asked):.1f} % of {len(asked)} reads known, {len(wrong)} wrong")
        for line in wrong:
            print(f"  {line}")


def main():
    name, core, *rest = sys.argv[1:]
    options = [word for word in rest if word.startswith("--")]
    least = [float(word) for word in rest if not word.startswith("--")]
    folder = shared("corpus", "kernel", name)
    if not least:
        tell_reads(folder, core, options)
        return
    records = read(folder, "truth", core)
    rows = true_rows(folder, core, records)
    rng, fewer = random.Random(SEED), False
    for distance, share in zip(DISTANCES, least, strict=True):
        asked = [(position, i) for position in draw(rng, rows, distance, DRAWN) for i in range(len(NAMES))]
        known, wrong = score(folder, core, records, rows, asked, options)
        if wrong:
            sys.exit("\n".join(wrong))
        found = 100 * known / len(asked)
        print(f"last {distance}: {found:.1f} % known, none wrong")
        fewer |= found < share
    if fewer:
        sys.exit(f"fewer than {least}")


if __name__ == "__main__":
    main()
