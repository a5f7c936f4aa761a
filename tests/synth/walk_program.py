# SPDX-License-Identifier: Apache-2.0
"""Random A64 programs of branches and fillers, random walks through them, and their recipes for
synth (recipe.h): what test_walks.py compares with `csreplay history`."""
import random
import struct

FILLERS = (0xD503201F, 0x91000400, 0xF9400021, 0xD4000001)  # NOP, ADD, LDR, SVC
ISB = 0xD5033FDF
DATA_FAULT, IRQ = 12, 14  # ETMv4 exception types


def field(offset, bits):
    return (offset // 4) & ((1 << bits) - 1)


def direct(kind, offset, rng):
    """The opcode of a direct branch by `offset` bytes."""
    if kind == "b":
        return 0x14000000 | field(offset, 26)
    if kind == "bl":
        return 0x94000000 | field(offset, 26)
    if kind == "bcond":
        return 0x54000000 | field(offset, 19) << 5 | rng.randrange(14)
    if kind == "cbz":
        return rng.choice((0x34000000, 0xB5000000)) | field(offset, 19) << 5 | rng.randrange(31)
    return rng.choice((0x36000000, 0xB7000000)) | field(offset, 14) << 5 | rng.randrange(31)


def indirect(kind, rng):
    return {"br": 0xD61F0000, "blr": 0xD63F0000, "ret": 0xD65F0000}[kind] | rng.randrange(30) << 5


class Program:
    """`size` instructions at `base`; `what[i]` is (kind, index of the target or None)."""

    def __init__(self, rng, base, size):
        self.base, self.size, self.rng = base, size, rng
        self.what, opcodes = [], []
        kinds = ["fill"] * 14 + ["bcond"] * 3 + ["cbz", "tbz", "b", "bl", "bl", "br", "blr",
                                                 "ret", "ret", "isb"]
        for i in range(size):
            kind = rng.choice(kinds) if i < size - 1 else "b"
            target = None
            if kind in ("b", "bl", "bcond", "cbz", "tbz"):
                near = [t for t in range(max(0, i - 60), min(size, i + 60)) if t != i]
                target = rng.choice(near)
                opcodes.append(direct(kind, 4 * (target - i), rng))
            elif kind in ("br", "blr", "ret"):
                opcodes.append(indirect(kind, rng))
            else:
                opcodes.append(ISB if kind == "isb" else rng.choice(FILLERS))
            self.what.append((kind, target))
        self.code = struct.pack("<%dI" % size, *opcodes)
        self.entries = [rng.randrange(size) for _ in range(12)]  # targets of indirect branches

    def address(self, index):
        return self.base + 4 * index

    def next_of(self, index, calls):
        """The index that a walk goes to; `calls` is its stack of return indexes."""
        kind, target = self.what[index]
        if kind in ("bl", "blr"):
            calls.append(index + 1)
            del calls[:-40]
        if kind in ("b", "bl"):
            return target
        if kind in ("bcond", "cbz", "tbz"):
            return self.rng.choice((target, index + 1))
        if kind == "ret" and calls and self.rng.random() < 0.9:
            return calls.pop()
        if kind in ("br", "blr", "ret"):
            return self.rng.choice(self.entries)
        return index + 1

    def is_traced_at_once(self, index):
        """True if the trace says that it was executed, whatever comes after it."""
        return self.what[index][0] != "fill"


class Walk:
    """A walk of `length` instructions: its recipe lines and the addresses executed."""

    def __init__(self, program, length, gaps=0.0, exceptions=0.0):
        rng = program.rng
        self.lines, self.pcs, self.gaps = [], [], 0
        calls, index = [], 0
        for _ in range(length):
            self.pcs.append(program.address(index))
            self.lines.append("run 0x%x 1" % program.address(index))
            last, index = index, program.next_of(index, calls)
            following = program.address(index)
            if rng.random() < exceptions:  # its handler is not traced
                self.lines += ["exception %d 0x%x" % (IRQ, following), "gap 0x%x" % following]
                self.gaps += 1
            elif program.is_traced_at_once(last) and rng.random() < gaps:
                self.lines.append("%s 0x%x" % (rng.choice(("gap", "overflow", "discard")),
                                               following))
                index = rng.choice(program.entries)
                self.gaps += 1
        self.halt = program.address(index)
        self.lines.append("exception %d 0x%x" % (DATA_FAULT, self.halt))


def core_lines(name, program, walk, code_file, source):
    """The recipe of one core; `source` is its name, trace ID and a list of options."""
    lines = ["core %s Cortex-A53" % name, "reg PC(size:64) 0x%x" % walk.halt,
             "reg SP(size:64) 0x1000", "reg CPSR 0x60000000"]
    lines += ["reg X%d(size:64) 0x%x" % (n, n) for n in range(31)]
    lines.append("dump %s 0x%x" % (code_file, program.base))
    lines.append("source %s ETM4.2 0x%x" % (source[0], source[1]))
    lines += ["option " + option for option in source[2]]
    return lines + walk.lines


def rng_of(seed):
    return random.Random(seed)
