#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay history` of a kernel whose cores halted in two processes, each dumped at one virtual address: every row
is an instruction that the core executed, in order, or there is a gap.

usage: processes.py NAME CORE LEAST LEAST_OF_USERS [--image ...]      a snapshot of corpus/kernel in the reference
material; LEAST: rows, all of them and those of EL0
"""
import bisect
import gzip
import os
import struct
import subprocess
import sys

from material import shared

RECORD = 272  # bytes: u64 pc, x0..x30, sp, u32 pstate, u32 padding
PSTATE = 8 * 33
MOST_TRIES = 20000


def executed(folder, core):
    """What the core executed and was traced: (PC, opcode), and of each whether it was at EL0."""
    def read(name):
        with gzip.open(os.path.join(folder, f"{name}_{core.replace('_', '')}.bin.gz")) as file:
            return file.read()
    records, opcodes, done = read("truth"), read("ops"), read("done")
    rows = [((struct.unpack_from("<Q", records, RECORD * i)[0], struct.unpack_from("<I", opcodes, 4 * i)[0]),
             struct.unpack_from("<I", records, RECORD * i + PSTATE)[0] >> 2 & 3 == 0)
            for i in range(len(done)) if done[i]]
    return [row for row, _ in rows], [is_user for _, is_user in rows]


def listed(folder, core, options):
    """The rows between gaps, as (PC, opcode)."""
    images = [o.replace("ELF/", os.path.join(folder, "..", "elf", "")) for o in options]
    done = subprocess.run([os.environ["CSREPLAY"], "history", "--core", core, *images, folder],
                          capture_output=True, text=True, timeout=300, check=True)
    pieces = [[]]
    for line in done.stdout.splitlines()[1:]:
        if line.startswith("# gap"):
            pieces.append([])
        elif not line.startswith("#"):
            columns = line.split("\t")
            pieces[-1].append((int(columns[1], 16), int(columns[3], 16)))
    return [piece for piece in pieces if piece], done.stderr


def place(piece, truth, ends, before):
    """The last place in the truth, ending at `before` or earlier, at which the piece was executed."""
    found = ends.get(piece[-1], [])
    last = bisect.bisect_left(found, before)
    for end in reversed(found[max(0, last - MOST_TRIES):last]):
        start = end + 1 - len(piece)
        if start >= 0 and truth[start:end + 1] == piece:
            return start
    sys.exit(f"not executed there: {len(piece)} instructions from {piece[0][0]:#x} to {piece[-1][0]:#x}")


def main():
    name, core, least, least_users, *options = sys.argv[1:]
    folder = shared("corpus", "kernel", name)
    truth, is_user = executed(folder, core)
    ends = {}
    for at, row in enumerate(truth):
        ends.setdefault(row, []).append(at)
    pieces, said = listed(folder, core, options)
    before, users = len(truth), 0
    for piece in reversed(pieces):
        before = place(piece, truth, ends, before)
        users += sum(is_user[before:before + len(piece)])
    count = sum(map(len, pieces))
    print(f"{count} rows, {users} of EL0, all executed; the core executed {len(truth)}, {sum(is_user)} in EL0")
    if count < int(least) or users < int(least_users):
        sys.exit("these are fewer than before")
    if "of two processes" not in said:
        sys.exit(f"nothing says that dumps are of two processes: {said}")


if __name__ == "__main__":
    main()
