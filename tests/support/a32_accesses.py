# SPDX-License-Identifier: Apache-2.0
"""What an A32 instruction transfers to or from memory, word by word, from its opcode and the registers
before and after it: written from the Arm Architecture Reference Manual (DDI 0487), F4.1.7 to F4.1.10,
for loads and stores of general registers, and with nothing of csreplay's."""
import collections

READ, WRITE = "read", "write"
# `value` is what is transferred, before any extension; `size` is 1, 2 or 4 bytes.
Transfer = collections.namedtuple("Transfer", "kind address size value")
MASK = (1 << 32) - 1
PC = 15


class Unknown(Exception):
    """May transfer data, and this file does not know which."""


def bits(opcode, low, count):
    return opcode >> low & ((1 << count) - 1)


def passes(opcode, flags):
    """Whether the condition holds; `flags` are NZCV."""
    n, z, c, v = (bool(flags >> i & 1) for i in (3, 2, 1, 0))
    cond = opcode >> 28
    if cond >= 14:
        return True
    holds = (z, c, n, v, c and not z, n == v, n == v and not z)[cond >> 1]
    return holds != bool(cond & 1)


def shifted(opcode, value, carry):
    """A register operand, shifted by an immediate."""
    kind, amount = bits(opcode, 5, 2), bits(opcode, 7, 5)
    if kind == 0:
        return value << amount & MASK
    if kind == 3:
        if amount == 0:
            return carry << 31 | value >> 1
        return (value >> amount | value << (32 - amount)) & MASK
    amount = amount or 32
    if kind == 2 and value >> 31:
        value -= 1 << 32
    return value >> amount & MASK


class Step:
    """One execution: `before` and `after` are R0 to R14, then the PC."""

    def __init__(self, opcode, flags, before, after):
        self.opcode, self.flags, self.before, self.after = opcode, flags, before, after

    def read(self, register):
        return self.before[register] + 8 if register == PC else self.before[register]

    def address(self, offset):
        base = self.read(bits(self.opcode, 16, 4))
        if not bits(self.opcode, 24, 1):  # post-indexed
            return base
        return (base + offset if bits(self.opcode, 23, 1) else base - offset) & MASK

    def word(self, kind, address, size, register):
        """The transfer of a register. A register that is its own base holds what was loaded."""
        value = self.after[register] if kind == READ else self.read(register)
        return Transfer(kind, address & MASK, size, value & ((1 << 8 * size) - 1))

    def single(self):
        opcode = self.opcode
        offset = bits(opcode, 0, 12)
        if bits(opcode, 25, 1):
            offset = shifted(opcode, self.read(bits(opcode, 0, 4)), self.flags >> 1 & 1)
        kind = READ if bits(opcode, 20, 1) else WRITE
        size = 1 if bits(opcode, 22, 1) else 4
        return [self.word(kind, self.address(offset), size, bits(opcode, 12, 4))]

    def extra(self):
        opcode, register = self.opcode, bits(self.opcode, 12, 4)
        offset = self.read(bits(opcode, 0, 4))
        if bits(opcode, 22, 1):
            offset = bits(opcode, 8, 4) << 4 | bits(opcode, 0, 4)
        address = self.address(offset)
        kind, is_load = bits(opcode, 5, 2), bits(opcode, 20, 1)
        if not is_load and kind >= 2:  # LDRD, STRD
            kind = READ if kind == 2 else WRITE
            return [self.word(kind, address, 4, register),
                    self.word(kind, address + 4, 4, register + 1)]
        return [self.word(READ if is_load else WRITE, address, 1 if kind == 2 else 2, register)]

    def multiple(self):
        opcode = self.opcode
        if bits(opcode, 22, 1):
            raise Unknown
        registers = [r for r in range(16) if opcode >> r & 1]
        base = self.read(bits(opcode, 16, 4))
        begin = base if bits(opcode, 23, 1) else base - 4 * len(registers)
        begin += 4 if bits(opcode, 24, 1) == bits(opcode, 23, 1) else 0
        kind = READ if bits(opcode, 20, 1) else WRITE
        return [self.word(kind, begin + 4 * i, 4, r) for i, r in enumerate(registers)]

    def transfers(self):
        """In order; none of an instruction that transfers nothing."""
        opcode = self.opcode
        if not passes(opcode, self.flags):
            return []
        kind = bits(opcode, 25, 3)
        if opcode >> 28 == 15 or kind == 6 or (kind == 7 and not bits(opcode, 24, 1)):
            raise Unknown
        if kind == 2 or (kind == 3 and not bits(opcode, 4, 1)):
            return self.single()
        if kind == 4:
            return self.multiple()
        if kind == 0 and bits(opcode, 4, 1) and bits(opcode, 7, 1):
            if bits(opcode, 5, 2):
                return self.extra()
            if bits(opcode, 24, 1):  # SWP, exclusives
                raise Unknown
        return []


def direct_target(opcode, pc):
    """Where B or BL goes, if it is taken; None of others."""
    if bits(opcode, 25, 3) != 5 or opcode >> 28 == 15:
        return None
    offset = bits(opcode, 0, 24)
    return (pc + 8 + 4 * (offset - (1 << 24) if offset >> 23 else offset)) & MASK
