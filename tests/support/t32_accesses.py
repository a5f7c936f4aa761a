# SPDX-License-Identifier: Apache-2.0
"""Which memory a T32 instruction loads or stores, from its opcode and the registers before it: written from the Arm
Architecture Reference Manual (DDI 0403, A5.2 and A5.3) for general registers, and with nothing of csreplay's."""
import collections

READ, WRITE = "read", "write"
# `address` is the lowest; `size` of all that is transferred, in bytes.
Access = collections.namedtuple("Access", "kind address size")
MASK = (1 << 32) - 1
SP, PC = 13, 15
# Opcode of a load or store with an immediate of five bits -> kind and size. A5.2.4.
IMMEDIATE = {0b01100: (WRITE, 4), 0b01101: (READ, 4), 0b01110: (WRITE, 1), 0b01111: (READ, 1),
             0b10000: (WRITE, 2), 0b10001: (READ, 2)}
REGISTER = ((WRITE, 4), (WRITE, 2), (WRITE, 1), (READ, 1), (READ, 4), (READ, 2), (READ, 1), (READ, 2))


def bits(opcode, low, count):
    return opcode >> low & ((1 << count) - 1)


def size_of(opcode):
    """Bytes of the instruction; `opcode` has its first halfword in its lower half."""
    return 2 if bits(opcode, 11, 5) < 0b11101 else 4


def does_execute(psr):
    """Whether the condition of an IT block, if it is in one, holds: ITSTATE and the flags of xPSR or CPSR."""
    it = psr >> 25 & 3 | psr >> 8 & 0xfc
    if it & 15 == 0:
        return True
    n, z, c, v = (psr >> bit & 1 for bit in (31, 30, 29, 28))
    cond = it >> 4
    holds = (z, c, n, v, c and not z, n == v, n == v and not z, True)[cond >> 1]
    return bool(holds) != bool(cond & 1 and cond != 15)


def access_16(opcode, pc, registers):
    op, base = bits(opcode, 11, 5), registers[bits(opcode, 3, 3)]
    if op in IMMEDIATE:
        kind, size = IMMEDIATE[op]
        return Access(kind, base + bits(opcode, 6, 5) * size & MASK, size)
    if bits(opcode, 12, 4) == 0b0101:
        kind, size = REGISTER[bits(opcode, 9, 3)]
        return Access(kind, base + registers[bits(opcode, 6, 3)] & MASK, size)
    if op == 0b01001:
        return Access(READ, (pc + 4 & ~3) + 4 * bits(opcode, 0, 8), 4)
    if bits(opcode, 12, 4) == 0b1001:
        return Access((WRITE, READ)[op & 1], registers[SP] + 4 * bits(opcode, 0, 8) & MASK, 4)
    if bits(opcode, 9, 7) in (0b1011010, 0b1011110):
        size = 4 * bits(opcode, 0, 9).bit_count()
        is_pop = bits(opcode, 11, 1)
        return Access(READ, registers[SP], size) if is_pop else Access(WRITE, registers[SP] - size, size)
    if bits(opcode, 12, 4) == 0b1100:
        return Access((WRITE, READ)[op & 1], registers[bits(opcode, 8, 3)], 4 * bits(opcode, 0, 8).bit_count())
    return None


def multiple(first, second, registers):
    size, base = 4 * second.bit_count(), registers[bits(first, 0, 4)]
    return Access((WRITE, READ)[bits(first, 4, 1)], base - size if bits(first, 8, 1) else base, size)


def double(first, second, pc, registers):
    number = bits(first, 0, 4)
    base = pc + 4 & ~3 if number == PC else registers[number]
    offset = 4 * bits(second, 0, 8) * (1 if bits(first, 7, 1) else -1)
    return Access((WRITE, READ)[bits(first, 4, 1)], base + (offset if bits(first, 8, 1) else 0) & MASK, 8)


def single(first, second, pc, registers):
    """One register: an immediate of 12 or 8 bits, a register, or the literal."""
    kind, size, number = (WRITE, READ)[bits(first, 4, 1)], 1 << bits(first, 5, 2), bits(first, 0, 4)
    if number == PC:
        return Access(kind, (pc + 4 & ~3) + bits(second, 0, 12) * (1 if bits(first, 7, 1) else -1) & MASK, size)
    base = registers[number]
    if bits(first, 7, 1):
        base += bits(second, 0, 12)
    elif not bits(second, 11, 1):
        base += registers[bits(second, 0, 4)] << bits(second, 4, 2)
    elif bits(second, 10, 1):  # else after the access
        base += bits(second, 0, 8) * (1 if bits(second, 9, 1) else -1)
    return Access(kind, base & MASK, size)


def access(opcode, pc, registers):
    """The Access of an instruction that is executed, or None. It raises ValueError of one that transfers and is not
    here: exclusive ones, table branches, coprocessors."""
    first, second = opcode & 0xffff, opcode >> 16
    if size_of(opcode) == 2:
        return access_16(first, pc, registers)
    if bits(first, 9, 7) == 0b1110100:
        if not bits(first, 6, 1):
            return multiple(first, second, registers)
        if bits(first, 7, 2) == 0 or (bits(first, 7, 2) == 1 and not bits(first, 5, 1)):
            raise ValueError(f"{opcode:#x} at {pc:#x} is not known")
        return double(first, second, pc, registers)
    if bits(first, 9, 7) == 0b1111100:
        if bits(second, 12, 4) == PC and bits(first, 4, 1) and bits(first, 5, 2) != 2:
            return None  # a hint of what will be loaded
        return single(first, second, pc, registers)
    if bits(first, 10, 2) == 3:
        raise ValueError(f"{opcode:#x} at {pc:#x} is not known")
    return None
