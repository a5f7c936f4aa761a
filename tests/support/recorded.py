# SPDX-License-Identifier: Apache-2.0
"""The recording of an A64 crash: each access to memory, also one that changed nothing, and memory at
each position. Of the recording come registers and changes of memory; accesses follow from them and
the opcodes (a64_accesses.py), and each change must be of one of them."""
import bisect
import gzip
import json
import os
import re
import struct

import a64_accesses

LATE = 3  # instructions, see place_changes()


def program_code(program):
    """address -> opcode of the program's code."""
    with open(program, "rb") as file:
        elf = file.read()
    offset = struct.unpack_from("<Q", elf, 32)[0]
    size, count = struct.unpack_from("<HH", elf, 54)
    code = {}
    for i in range(count):
        kind, flags, start, address, _, in_file = struct.unpack_from("<IIQQQQ", elf,
                                                                     offset + i * size)
        if kind == 1 and flags & 1:
            code.update((address + at, struct.unpack_from("<I", elf, start + at)[0])
                        for at in range(0, in_file - 3, 4))
    return code


class Recording:
    """`accesses` are (position, access), rising; positions are those of csreplay. `vector_loads` are
    the positions of those that SVE loads make."""

    RECORD = struct.Struct("<33Q8x")  # PC, X0 to X30, SP

    def __init__(self, crash):
        with open(os.path.join(crash.folder, "truth.json"), encoding="utf-8") as file:
            trace = json.load(file)["trace"]
        self.first = trace["first_index"]
        self.halt = trace["last_index"] + 1 - self.first
        with gzip.open(os.path.join(crash.folder, "truth.bin.gz")) as file:
            records = file.read()
        self.records = [self.RECORD.unpack_from(records, at) for at in range(0, len(records), self.RECORD.size)]
        self.dumps = self.read_dumps(crash.folder)
        self.vector_loads = set()
        steps = self.walk(crash)
        self.accesses = [(step - self.first, access) for step, access in steps]
        self.changes = self.place_changes(crash.folder, dict(steps))
        self.old = {}  # byte -> the positions that changed it, and what it was before
        for position, address, old, _ in self.changes:
            for i, byte in enumerate(old):
                positions, values = self.old.setdefault(address + i, ([], []))
                positions.append(position)
                values.append(byte)

    def walk(self, crash):
        """(step, access) of each instruction that has one."""
        code, vectors, found = program_code(crash.program), a64_accesses.Vectors(), []
        for step, (pc, *registers) in enumerate(self.records[:-1]):
            opcode = code[pc]
            if a64_accesses.is_vector(opcode):
                access = vectors.step(opcode, registers, self.records[step + 1][1:])
            else:
                access = a64_accesses.access(opcode, pc, registers)
            if access:
                found.append((step, access))
            if access and access.kind == a64_accesses.READ and a64_accesses.is_vector(opcode):
                self.vector_loads.add(step - self.first)
        return found

    def place_changes(self, folder, accesses):
        """(position, address, old bytes, new bytes) of every change of memory. The recorder did not
        know that SVE stores: it met such a change at the next store that it knew."""
        with gzip.open(os.path.join(folder, "memtruth.bin.gz")) as file:
            data = file.read()
        at, found = 0, []
        while at < len(data):
            step, size, address = struct.unpack_from("<IIQ", data, at)
            at += 16
            for true in range(step, max(step - LATE, -1), -1):
                access = accesses.get(true)
                if access and access.kind != a64_accesses.READ and access.address <= address and \
                        address + size <= access.address + access.size:
                    break
            else:
                raise AssertionError(f"no store changed {size} bytes at {address:#x} at {step}")
            found.append((true - self.first, address, data[at:at + size],
                          data[at + size:at + 2 * size]))
            at += 2 * size
        return sorted(found)

    def read_dumps(self, folder):
        with open(os.path.join(folder, "cpu_0.ini"), encoding="utf-8") as file:
            sections = re.findall(r"\nfile=(.*)\naddress=(\w+)", file.read())
        dumps = []
        for name, address in sections:
            with open(os.path.join(folder, name), "rb") as file:
                dumps.append((int(address, 0), file.read()))
        return dumps

    def memory(self, address, size, position):
        """Bytes as they are before the instruction at the position; of the first that no dump has
        on, none."""
        found = bytearray()
        for at in range(address, address + size):
            positions, values = self.old.get(at, ((), ()))
            i = bisect.bisect_left(positions, position)
            byte = values[i] if i < len(positions) else self.at_halt(at)
            if byte is None:
                break
            found.append(byte)
        return bytes(found)

    def at_halt(self, address):
        return next((data[address - begin] for begin, data in self.dumps
                     if begin <= address < begin + len(data)), None)

    def touching(self, address, size, kinds):
        """Positions of the accesses of these kinds that touch the bytes, rising."""
        return [position for position, access in self.accesses
                if position >= 0 and access.kind in kinds
                and access.address < address + size and address < access.address + access.size]
