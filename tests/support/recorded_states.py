# SPDX-License-Identifier: Apache-2.0
"""The state of a recorded core at each position, its registers and its memory, as an ELF core file: for gdb to say what is true."""
import gzip
import json
import os
import re
import struct

import elf_core

RECORD = struct.Struct("<33QI4x")  # PC, X0 to X30, SP, PSTATE


class Recording:
    """Of a folder of the reference material, in which memory is in files `mem_KIND_ADDRESS.bin`. Positions are those of csreplay."""

    def __init__(self, folder, program):
        with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
            trace = json.load(file)["trace"]
        self.first = trace["first_index"]
        self.halt = trace["last_index"] + 1 - self.first
        with gzip.open(os.path.join(folder, "truth.bin.gz")) as file:
            self.records = file.read()
        with open(program, "rb") as file:
            self.is_64bit = file.read(5)[4] == 2
        self.dumps = []
        for name in sorted(os.listdir(folder)):
            found = re.fullmatch(r"mem_\w+_([0-9a-f]+)\.bin", name)
            if found:
                with open(os.path.join(folder, name), "rb") as file:
                    self.dumps.append((int(found[1], 16), bytearray(file.read())))
        self.changes = self.read_changes(folder)

    def read_changes(self, folder):
        """(position, address, old bytes), rising."""
        with gzip.open(os.path.join(folder, "memtruth.bin.gz")) as file:
            data = file.read()
        at, found = 0, []
        while at < len(data):
            step, length, address = struct.unpack_from("<IIQ", data, at)
            found.append((step - self.first, address, data[at + 16:at + 16 + length]))
            at += 16 + 2 * length
        return found

    def registers(self, position):
        return RECORD.unpack_from(self.records, 272 * (self.first + position))

    def core_file(self, position):
        """Positions have to fall: changes are undone."""
        while self.changes and self.changes[-1][0] >= position:
            _, address, old = self.changes.pop()
            for begin, data in self.dumps:
                if begin <= address < begin + len(data):
                    data[address - begin:address - begin + len(old)] = old
        pc, *general = self.registers(position)
        sp, status = general[31], general[32]
        if self.is_64bit:
            notes = elf_core.prstatus_64(1, [*general[:31], sp, pc, status])
        else:
            notes = elf_core.prstatus_32(1, [*general[:13], sp, general[14], pc, status, 0])
        return elf_core.core_file(notes, [(address, bytes(data), 7, len(data)) for address, data in self.dumps],
                                  self.is_64bit)
