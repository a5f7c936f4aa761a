# SPDX-License-Identifier: Apache-2.0
"""Which bytes of memory an A64 instruction reads and writes, from its opcode and the registers
before it: written from the Arm Architecture Reference Manual, section C4.1.94 (loads and stores),
for the encodings that the recorded crashes have, and with nothing of csreplay's. An encoding of the
class that is not here is an error, not an instruction without accesses."""
import collections

READ, WRITE, BOTH = "read", "write", "both"
Access = collections.namedtuple("Access", "kind address size")
MASK = (1 << 64) - 1
# Registers that LD1 to LD4 and ST1 to ST4 of whole registers name, by their bits 15 to 12.
STRUCTURE_REGISTERS = {0: 4, 2: 4, 4: 3, 6: 3, 7: 1, 8: 2, 10: 2}
DC_ZVA = 0xd50b7420


class Unknown(Exception):
    """A load or store that this file does not know."""


def bits(opcode, low, count):
    return opcode >> low & ((1 << count) - 1)


def signed(value, count):
    return value - (1 << count) if value >> (count - 1) else value


def is_access(opcode):
    """Whether the opcode is of the class of loads and stores: op0 is x1x0."""
    return bits(opcode, 25, 1) == 0 and bits(opcode, 27, 1) == 1


def literal(opcode, pc, _):
    size = (4, 8, 16)[bits(opcode, 30, 2)] if bits(opcode, 26, 1) else (4, 8, 4, 0)[opcode >> 30]
    return READ, pc + 4 * signed(bits(opcode, 5, 19), 19), size


def pair(opcode, _, registers):
    opc, is_vector, is_load = bits(opcode, 30, 2), bits(opcode, 26, 1), bits(opcode, 22, 1)
    if opc == 3 or (opc == 1 and not is_vector and not is_load):
        raise Unknown
    each = 4 << opc if is_vector else (4, 4, 8)[opc]
    is_post = bits(opcode, 23, 2) == 1
    offset = 0 if is_post else signed(bits(opcode, 15, 7), 7) * each
    return READ if is_load else WRITE, registers[bits(opcode, 5, 5)] + offset, 2 * each


def one(opcode):
    """(kind, log2 of the size) of a load or store of one register; no kind: a prefetch."""
    size, opc = bits(opcode, 30, 2), bits(opcode, 22, 2)
    if bits(opcode, 26, 1):
        scale = size | (opc >> 1) << 2
        if scale > 4:
            raise Unknown
        return (READ if opc & 1 else WRITE), scale
    if size == 3 and opc == 3 or size == 2 and opc == 3:
        raise Unknown
    if size == 3 and opc == 2:
        return None, 0
    return (READ if opc else WRITE), size


def scaled_immediate(opcode, _, registers):
    kind, scale = one(opcode)
    return kind, registers[bits(opcode, 5, 5)] + (bits(opcode, 10, 12) << scale), 1 << scale


def immediate(opcode, _, registers):
    kind, scale = one(opcode)
    is_post = bits(opcode, 10, 2) == 1
    offset = 0 if is_post else signed(bits(opcode, 12, 9), 9)
    return kind, registers[bits(opcode, 5, 5)] + offset, 1 << scale


def register_offset(opcode, _, registers):
    kind, scale = one(opcode)
    number, option = bits(opcode, 16, 5), bits(opcode, 13, 3)
    offset = 0 if number == 31 else registers[number]
    if option in (2, 6):
        offset &= 0xffffffff
        if option == 6:
            offset = signed(offset, 32)
    elif option not in (3, 7):
        raise Unknown
    offset <<= scale * bits(opcode, 12, 1)
    return kind, registers[bits(opcode, 5, 5)] + offset, 1 << scale


def ordered(opcode, _, registers):
    """LDAR, STLR and the like; those that are exclusive may fail, and are not known here."""
    if (bits(opcode, 23, 1), bits(opcode, 21, 1)) != (1, 0):
        raise Unknown
    return READ if bits(opcode, 22, 1) else WRITE, registers[bits(opcode, 5, 5)], 1 << (opcode >> 30)


def atomic(opcode, _, registers):
    """SWP, LDADD and the like; LDAPR is not known here."""
    if bits(opcode, 26, 1) or (bits(opcode, 15, 1) and bits(opcode, 12, 3)):
        raise Unknown
    return BOTH, registers[bits(opcode, 5, 5)], 1 << (opcode >> 30)


def compare_and_swap(opcode, _, registers):
    """Taken to write, as it may: where it differs it may write back what it read."""
    return BOTH, registers[bits(opcode, 5, 5)], 1 << (opcode >> 30)


def structures(opcode, _, registers):
    if bits(opcode, 12, 4) not in STRUCTURE_REGISTERS:
        raise Unknown
    size = STRUCTURE_REGISTERS[bits(opcode, 12, 4)] * (16 if bits(opcode, 30, 1) else 8)
    return READ if bits(opcode, 22, 1) else WRITE, registers[bits(opcode, 5, 5)], size


# mask, value, what it is.
CLASSES = (
    (0x3b000000, 0x18000000, literal),
    (0x3a000000, 0x28000000, pair),
    (0x3b000000, 0x39000000, scaled_immediate),
    (0x3b200000, 0x38000000, immediate),
    (0x3b200c00, 0x38200800, register_offset),
    (0x3b200c00, 0x38200000, atomic),
    (0x3fa07c00, 0x08a07c00, compare_and_swap),
    (0x3f000000, 0x08000000, ordered),
    (0xbfbf0000, 0x0c000000, structures),
    (0xbfa00000, 0x0c800000, structures),
)


class Vectors:
    """The SVE of the recorded memcpy: a length, a predicate, a load and a store of bytes. What they
    access depends on what the recordings do not hold; it follows from the instructions before."""

    WHILELO, CNTB, LD1B, ST1B = 0x25201c00, 0x0420e3e0, 0xa400a000, 0xe400e000

    def __init__(self):
        self.length = None  # of a vector, bytes
        self.active = {}  # predicate -> number of bytes, from the first

    def step(self, opcode, registers, after):
        """The access of an instruction of SVE, or None; `after` are the registers after it."""
        if opcode & 0xffe0fc10 == self.WHILELO:
            begin, end = (0 if n == 31 else registers[n]
                          for n in (bits(opcode, 5, 5), bits(opcode, 16, 5)))
            self.active[bits(opcode, 0, 4)] = max(0, end - begin)
            return None
        if opcode & 0xffffffe0 == self.CNTB:
            self.length = after[bits(opcode, 0, 5)]
            return None
        kind = {self.LD1B: READ, self.ST1B: WRITE}.get(opcode & 0xffffe000)
        if not kind or bits(opcode, 16, 5):
            raise Unknown(f"{opcode:08x}")
        size = min(self.active[bits(opcode, 10, 3)], self.length)
        return Access(kind, registers[bits(opcode, 5, 5)], size) if size else None


def is_vector(opcode):
    """Whether the opcode is of SVE."""
    return bits(opcode, 25, 4) == 2


def access(opcode, pc, registers):
    """The access of an instruction that is none of SVE, or None. `registers` are X0 to X30 and SP, as
    they are before."""
    if opcode & ~31 == DC_ZVA:
        raise Unknown(f"{opcode:08x}")
    if not is_access(opcode):
        return None
    for mask, value, decode in CLASSES:
        if opcode & mask == value:
            try:
                kind, address, size = decode(opcode, pc, registers)
            except Unknown:
                break
            return Access(kind, address & MASK, size) if kind and size else None
    raise Unknown(f"{opcode:08x}")
