#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers of the past of a Cortex-A9 that changes its mode, R0 to R14, against the recording: none is wrong, and no fewer
are known than before. Positions are drawn among the last 100, 1,000, 10,000 and 100,000.

usage: a_modes.py NAME SHARE... [OPTION...]    a recording of recorded_a.py, such as "amodes_sort_O1"; of each distance
                                               the least share in percent. Options such as --trust=assumed go to
                                               `csreplay state`
"""
import os
import random
import subprocess
import sys

import serving
from kernel import DISTANCES, draw

NAMES = [f"r{i}" for i in range(13)] + ["sp", "lr"]
DRAWN, SEED = 150, 3


def told(folder, options, asked):
    run = subprocess.run([os.environ["CSREPLAY"], "state", folder, "--batch", *options], check=True, capture_output=True,
                         text=True, input="".join(f"{position}\t{NAMES[number]}\n" for position, number in asked))
    return [line.split("\t")[2] for line in run.stdout.splitlines()]


def share_known(crash, columns, options, positions):
    """In percent; ends with the first value that is not true."""
    asked = [(position, number) for position in positions for number in range(len(NAMES))]
    known = 0
    for (position, number), value in zip(asked, told(crash.folder, options, asked), strict=True):
        known += value != "-"
        if value != "-" and int(value, 16) != columns[number][position]:
            sys.exit(f"{NAMES[number]} at position {position} is said to be {value}, the truth is "
                     f"{columns[number][position]:#x}")
    return 100 * known / len(asked)


def main():
    name, *rest = sys.argv[1:]
    options = [word for word in rest if word.startswith("--")]
    least = [float(word) for word in rest if not word.startswith("--")]
    crash = serving.Crash(name)
    columns = [crash.column("<Q", 8 * (1 + number)) for number in range(len(NAMES))]
    positions = range(len(columns[0]) - 1)
    rng = random.Random(SEED)
    found = [share_known(crash, columns, options, draw(rng, positions, distance, DRAWN)) for distance in DISTANCES]
    for distance, share in zip(DISTANCES, found):
        print(f"last {distance}: {share:.1f} % known, none wrong")
    if any(share < floor for share, floor in zip(found, least, strict=True)):
        sys.exit(f"fewer than {least}")


if __name__ == "__main__":
    main()
