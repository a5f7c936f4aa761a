# SPDX-License-Identifier: Apache-2.0
"""Calls and returns of a recorded program: what its opcodes are by the Arm Architecture Reference Manual (DDI 0487), and
whether they were taken, by where execution went on."""
import struct

THUMB = 1 << 5  # of CPSR


def code_bytes(program):
    """[(address, bytes)] of the segments of the program that can be executed."""
    with open(program, "rb") as file:
        elf = file.read()
    is_64 = elf[4] == 2
    offset = struct.unpack_from("<Q" if is_64 else "<I", elf, 32 if is_64 else 28)[0]
    size, count = struct.unpack_from("<HH", elf, 54 if is_64 else 42)
    found = []
    for at in range(offset, offset + size * count, size):
        if is_64:
            kind, flags, start, address, _, length = struct.unpack_from("<IIQQQQ", elf, at)
        else:
            kind, start, address, _, length, _, flags = struct.unpack_from("<7I", elf, at)
        if kind == 1 and flags & 1:
            found.append((address, elf[start:start + length]))
    return found


def a64(word):
    """(kind of flow or None, size) of an instruction."""
    if word >> 26 == 0x25 or word & 0xfffffc1f == 0xd63f0000:
        return "call", 4
    return "return" if word & 0xfffffc1f == 0xd65f0000 else None, 4


def a32(word):
    if word & 0x0f000000 == 0x0b000000 or word & 0xfe000000 == 0xfa000000 or word & 0x0ffffff0 == 0x012fff30:
        return "call", 4
    is_return = (word & 0x0fffffff in (0x012fff1e, 0x01a0f00e, 0x049df004)  # BX LR, MOV PC, LR, POP {PC}
                 or word & 0x0fff8000 == 0x08bd8000)
    return "return" if is_return else None, 4


def t32(word):
    first, second = word & 0xffff, word >> 16
    if first >> 11 < 0x1d:
        if first & 0xff87 == 0x4780:  # BLX register
            return "call", 2
        return "return" if first == 0x4770 or first & 0xff00 == 0xbd00 else None, 2
    if first & 0xf800 == 0xf000 and second & 0xc000 == 0xc000:
        return "call", 4
    is_return = first == 0xe8bd and second & 0x8000 or (first, second) == (0xf85d, 0xfb04)
    return "return" if is_return else None, 4


class Flow:
    """`is_call` and `is_return`: whether the instruction at a position was one; `after`: where the next one in memory is.
    Of the M profile an instruction that ends a handler is neither."""

    def __init__(self, crash):
        self.code = code_bytes(crash.program)
        self.pcs = crash.pcs()
        states = None if crash.is_a64() else crash.states()
        self.kinds, known = [], {}
        for position, pc in enumerate(self.pcs[:-1]):
            of = a64 if states is None else t32 if crash.is_m or states[position] & THUMB else a32
            if (pc, of) not in known:
                known[pc, of] = of(self.word(pc))
            kind, size = known[pc, of]
            is_taken = of is a64 or self.pcs[position + 1] != pc + size
            self.kinds.append((kind if is_taken else None, pc + size))
        self.exceptions = {position - 1: (what, back)
                           for position, what, back in (crash.truth()["exceptions"] if crash.is_m else ())}
        for position, (what, _) in self.exceptions.items():
            if what != "entry":
                self.kinds[position] = None, self.kinds[position][1]

    def word(self, pc):
        for address, data in self.code:
            if address <= pc < address + len(data):
                return int.from_bytes(data[pc - address:pc - address + 4], "little")
        return 0

    def is_call(self, position):
        return self.kinds[position][0] == "call"

    def is_return(self, position):
        return self.kinds[position][0] == "return"

    def after(self, position):
        return self.kinds[position][1]

    def frames(self, position):
        """What the instruction and an exception after it do to the call stack, in order: the address that is pushed, or
        None for one that is popped."""
        found = [self.after(position)] if self.is_call(position) else [None] if self.is_return(position) else []
        what, back = self.exceptions.get(position, ("", 0))
        return found + [None] * (what in ("return", "both")) + [back] * (what in ("entry", "both"))

    def calls(self):
        """[position of a call, that which it returns to, whether it calls nothing, whether its function is in it again] in
        the order of their returns. An exception is no call, but the frame of one that ends in its time."""
        stack, found = [], []
        for position in range(len(self.pcs) - 1):
            for back in self.frames(position):
                if back is None:
                    call = stack.pop() if stack else None
                    if call and call[1] == self.pcs[position + 1] and not call[4]:
                        found.append((call[0], position + 1, *call[2:4]))
                    continue
                is_exception = not self.is_call(position) or len(self.frames(position)) > 1
                for call in stack:
                    call[2] = False
                    call[3] |= not is_exception and self.pcs[position + 1] == self.pcs[call[0] + 1]
                stack.append([position, back, True, False, is_exception])
        return found
