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
import random
import sys

from material import shared
from recorded_kernel import read, registers, run, true_rows
from values import read_by

NAMES = [f"x{i}" for i in range(31)] + ["sp"]
DISTANCES, DRAWN, DRAWN_TO_TELL, SEED = (100, 1000, 10000, 100000), 60, 1500, 5


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
        true = registers(records, rows[position][0])[i]
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
