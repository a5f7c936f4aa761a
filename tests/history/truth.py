#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay history` of a recorded crash equals the recorded truth: same count, same PCs.

usage: truth.py NAME      a snapshot of corpus/crashes or corpus/programs in the reference material
"""
import gzip
import json
import os
import struct
import subprocess
import sys

from material import shared

RECORD = 272  # bytes: u64 pc, x0..x30, sp, u32 pstate, u32 padding


def read_history(folder, isa):
    """The PCs that the tool lists, and its event and gap lines."""
    done = subprocess.run([os.environ["CSREPLAY"], "history", folder],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"csreplay history ended with {done.returncode}: {done.stderr}")
    lines = done.stdout.splitlines()
    if lines[0].split("\t") != ["index", "pc", "isa", "opcode", "disassembly"]:
        sys.exit(f"unexpected header: {lines[0]}")
    rows = [line.split("\t") for line in lines[1:] if not line.startswith("# ")]
    for number, row in enumerate(rows):
        if int(row[0]) != number or row[2] != isa:
            sys.exit(f"unexpected row {number}: {row}")
    return [int(row[1], 16) for row in rows], [line for line in lines if line.startswith("# ")]


def main():
    folder = os.path.join(shared("corpus", "programs"), sys.argv[1])
    if not os.path.isdir(folder):
        folder = shared("corpus", "crashes", sys.argv[1])
    with open(os.path.join(folder, "truth.json"), encoding="ascii") as file:
        facts = json.load(file)
    trace = facts["trace"]
    with gzip.open(os.path.join(folder, "truth.bin.gz")) as file:
        records = file.read()
    truth = [struct.unpack_from("<Q", records, RECORD * i)[0]
             for i in range(trace["first_index"], trace["last_index"] + 1)]
    pcs, notes = read_history(folder, facts.get("architecture", "A64"))
    for i, (found, expected) in enumerate(zip(pcs, truth)):
        if found != expected:
            sys.exit(f"instruction {i}: found {found:#x}, the truth is {expected:#x}")
    if len(pcs) != len(truth):
        sys.exit(f"found {len(pcs)} instructions, the truth has {len(truth)}")
    halt = [line for line in notes if "does not lead to the halt" in line]
    if halt:
        sys.exit(f"the trace leads to the halt, but: {halt}")
    print(f"{len(pcs)} instructions equal")


if __name__ == "__main__":
    main()
