# SPDX-License-Identifier: Apache-2.0
"""The callers that really were there, from recordings with SP at each instruction: a call is pending
as long as SP is below what it was at the call. This takes nothing from csreplay; symbols serve for
landing pads alone, where SP is the caller's and the PC not after the call."""
import bisect
import gzip
import json
import os
import struct

RECORD = struct.Struct("<34Q")


class Program:
    """Code and functions of an ELF file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.elf = file.read()
        self.wide = self.elf[4] == 2
        self.segments = self.read_segments()
        self.starts = sorted(self.read_functions())

    def read_segments(self):
        elf = self.elf
        offset = struct.unpack_from("<Q" if self.wide else "<I", elf, 32 if self.wide else 28)[0]
        size, count = struct.unpack_from("<HH", elf, 54 if self.wide else 42)
        found = []
        for i in range(count):
            at = offset + i * size
            if self.wide:
                kind, _, start, address, _, length = struct.unpack_from("<IIQQQQ", elf, at)
            else:
                kind, start, address, _, length = struct.unpack_from("<IIIII", elf, at)
            if kind == 1:
                found.append((address, start, length))
        return found

    def read_functions(self):
        elf, wide = self.elf, self.wide
        offset = struct.unpack_from("<Q" if wide else "<I", elf, 40 if wide else 32)[0]
        size, count = struct.unpack_from("<HH", elf, 58 if wide else 46)
        for i in range(count):
            at = offset + i * size
            if struct.unpack_from("<I", elf, at + 4)[0] != 2:
                continue
            start, length = struct.unpack_from("<QQ" if wide else "<II", elf, at + (24 if wide else 16))
            for symbol in range(start, start + length, 24 if wide else 16):
                info = elf[symbol + (4 if wide else 12)]
                value = struct.unpack_from("<Q" if wide else "<I", elf, symbol + (8 if wide else 4))[0]
                if info & 15 in (2, 10):
                    yield value if wide else value & ~1

    def function(self, address):
        i = bisect.bisect_right(self.starts, address)
        return self.starts[i - 1] if i else None

    def halfword(self, address):
        for start, offset, length in self.segments:
            if 0 <= address - start <= length - 2:
                return struct.unpack_from("<H", self.elf, offset + address - start)[0]
        return 0

    def word(self, address):
        return self.halfword(address) | self.halfword(address + 2) << 16


class Step:
    """An instruction: its size, whether it may branch, and calls."""

    def __init__(self, program, pc, isa):
        word = program.word(pc)
        self.size, self.moves_sp = 4, False
        if isa == "A64":
            self.calls = word >> 26 == 0x25 or word & 0xfffff000 in (0xd63f0000, 0xd73f0000) \
                or word & 0xfffff800 == 0xd63f0800
            # Code that was made by the program is not in its file: it calls nothing, but may return.
            self.branches = (word == 0 or word >> 26 in (0x05, 0x25) or word >> 24 & 0x7e in (0x34, 0x36) or
                             word >> 24 == 0x54 or word >> 25 == 0x6b)
            self.moves_sp = word & 0xfffffc1f == 0x9100001f
        elif isa == "A32":
            self.calls = word & 0x0f000000 == 0x0b000000 or word & 0x0ffffff0 == 0x012fff30 or \
                word >> 25 == 0x7d
            self.branches = word >> 28 == 15 or word >> 24 & 15 != 15
        else:
            half = word & 0xffff
            self.size = 4 if half >> 11 in (0x1d, 0x1e, 0x1f) else 2
            self.calls = half & 0xff87 == 0x4780 or \
                (half & 0xf800 == 0xf000 and word >> 30 == 3)
            self.branches = half >> 8 != 0xdf


def read_truth(folder):
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        return json.load(file)


class TrueStacks:
    """A recording, and who had called whom in it."""

    def __init__(self, folder):
        truth = read_truth(folder)
        self.first = truth["trace"]["first_index"]
        self.length = truth["trace"]["last_index"] + 1 - self.first
        self.wide = truth["architecture"] == "A64"
        self.program = Program(os.path.join(folder, "program.elf"))
        with gzip.open(os.path.join(folder, "truth.bin.gz")) as file:
            data = file.read()
        self.records = [RECORD.unpack_from(data, at) for at in range(0, len(data) - 271, 272)]
    def pcs(self):
        return [record[0] for record in self.records[self.first:self.first + self.length]]

    def isa(self, record):
        return "A64" if self.wide else "T32" if record[33] >> 5 & 1 else "A32"

    def stacks(self, wanted, most):
        """{i: return addresses, innermost first, at most `most`, before instruction i of the trace}, with the
        position of the call, negative before the trace. None: SP is another stack's already, and the PC is not."""
        seen, found = {}, {}
        self.frames, self.left, self.is_between = [], [], False
        for i, record in enumerate(self.records):
            if i >= self.first and i - self.first in wanted:
                # The frames from before the trace are told apart: nobody can know them.
                found[i - self.first] = None if self.is_between else [
                    (ret, at - self.first) for ret, _, _, at in self.frames[:-most - 1:-1]]
            if i + 1 == len(self.records) or i + 1 - self.first > self.length:
                break
            key = record[0], self.isa(record)
            if key not in seen:
                seen[key] = Step(self.program, *key)
            self.step(i, record, self.records[i + 1], seen[key])
        return found

    def step(self, i, record, after, step):
        pc, sp, to, to_sp = record[0], record[32], after[0], after[32]
        if not self.wide:
            sp, to_sp = record[14], after[14]
        if step.moves_sp:
            self.switch(sp, to_sp)
        if step.calls and to != pc + step.size:
            self.frames.append((pc + step.size, sp, False, i))
        elif to != pc + step.size:
            self.is_between = False
            if step.branches:
                self.branch(pc, to, to_sp)
            else:
                self.exception(i, pc + step.size, sp, to, to_sp)

    def switch(self, sp, to_sp):
        """MOV SP to another stack than this one's."""
        if self.frames and sp <= to_sp <= self.frames[0][1]:
            return
        if not self.frames or abs(to_sp - sp) < 2048:
            return
        others = [entry for entry in self.left
                  if entry[1] and entry[0] <= to_sp <= entry[1][0][1] + 256]
        self.is_between = True
        self.left.append((sp, self.frames))
        if others:
            best = min(others, key=lambda entry: to_sp - entry[0])
            self.left.remove(best)
            self.frames = best[1]
        else:
            self.frames = []

    def branch(self, pc, to, to_sp):
        while self.frames:
            ret, sp, _, _ = self.frames[-1]
            if sp < to_sp:
                self.frames.pop()
                continue
            if sp == to_sp and to == ret:
                self.frames.pop()
                return
            inside = self.program.function
            if sp == to_sp and inside(to) == inside(ret) and to not in self.program.starts and \
                    inside(pc) != inside(to):
                self.frames.pop()
            return

    def exception(self, i, behind, sp, to, to_sp):
        """A signal's handler, or its end."""
        before = len(self.frames)
        while self.frames and self.frames[-1][1] < to_sp:
            self.frames.pop()
        if self.frames and self.frames[-1][2] and self.frames[-1][1] == to_sp:
            self.frames.pop()
        elif len(self.frames) == before and to_sp < sp:
            self.frames.append((behind, sp, True, i))
