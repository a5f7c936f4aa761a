#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory of a recorded kernel's core that had stopped when another core wrote there, as `state` has it at the core's
end with every assumption, against what the other core had loaded from there last.

usage: kernel_memory.py NAME CORE OTHER LEAST      a snapshot of corpus/kernel in the reference material; at least so
                                                   many words are compared"""
import struct
import sys

import a64_accesses
from material import shared
from recorded_kernel import RECORD, Core, run

BACK = 10  # instructions before the core's end
WORD = 8
DRAWN = 100


def is_word_load(opcode):
    """LDR of 64 bits to a general register, with an immediate or a register as offset."""
    return opcode & 0xffc00000 in (0xf9400000, 0xf8400000) and opcode & 31 != 31


def loaded(core, position):
    """What the load at a position found."""
    record = core.rows[position]
    opcode = struct.unpack_from("<I", core.opcodes, 4 * record)[0]
    if not is_word_load(opcode):
        return None
    return struct.unpack_from("<Q", core.records, RECORD * (record + 1) + 8 + 8 * (opcode & 31))[0]


def accesses(core):
    """(time, access, what a load of a word found) of all positions, of a kernel's memory."""
    for position, time in enumerate(core.times):
        access = core.access(position)
        if access and access.kind and access.address >> 63:
            yield time, access, loaded(core, position)


def words(access):
    return range(access.address & -WORD, access.address + access.size, WORD)


def written_after(core, other, end):
    """Word by address, of those that the other core wrote after a time: what they held then."""
    held, after = {}, {}
    for time, access, found in sorted([*accesses(core), *accesses(other)], key=lambda entry: entry[0]):
        for address in words(access):
            if access.kind == a64_accesses.READ:
                if time < end and found is not None and address == access.address:
                    held[address] = found
            elif time < end:
                held.pop(address, None)
            elif address in held:
                after.setdefault(address, held[address])
    return after


def main():
    name, this, that, least = sys.argv[1:]
    folder = shared("corpus", "kernel", name)
    core, other = Core(folder, this), Core(folder, that)
    position = len(core.rows) - BACK
    after = written_after(core, other, core.times[position])
    asked = sorted(after)[::max(1, len(after) // DRAWN)]
    said = run("state", folder, "--core", this, "--trust", "assumed", "--batch",
               asked="".join(f"{position}\tm{address:x}\n" for address in asked)).splitlines()
    known = 0
    for address, line in zip(asked, said, strict=True):
        value = line.split("\t")[2]
        known += value != "-"
        if value != "-" and int(value, 16) != after[address]:
            sys.exit(f"{line}, and it was {after[address]:016x}")
    print(f"{len(asked)} words, {known} known")
    if len(asked) < int(least):
        sys.exit(f"fewer than {least}")


if __name__ == "__main__":
    main()
