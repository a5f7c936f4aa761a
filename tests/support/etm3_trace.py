# SPDX-License-Identifier: Apache-2.0
"""An encoder of ETMv3 with data trace, A32: ARM IHI 0014Q, chapter 7. It shares no code with the decoder.

Nothing is checked: packets come in the order of the calls, atoms before what follows them."""

ATOMS_MOST = 15
ABORT_VECTOR, DATA_ABORT = 0x10, 12


class Trace:
    """`values` and `addresses`: what ETMCR bits 2 and 3 say."""

    def __init__(self, values, addresses):
        self.out = bytearray()
        self.atoms = 0  # E, not written yet
        self.values, self.addresses = values, addresses
        self.data_address = None  # the last one
        self.places = []  # tags that are in use

    def begin(self, pc):
        self.out += bytes(5) + b"\x80"
        self.isync(pc, 1)

    def isync(self, pc, reason):
        self.flush()
        self.out += bytes([0x08, reason << 5 | 1]) + pc.to_bytes(4, "little")

    def flush(self):
        if self.atoms:
            self.out.append(0x80 | self.atoms << 2)
        self.atoms = 0

    def atom(self, executed):
        if not executed:  # up to 15 E and then an N
            self.out.append(0xc0 | self.atoms << 2)
            self.atoms = 0
            return
        self.atoms += 1
        if self.atoms == ATOMS_MOST:
            self.flush()

    def branch(self, pc):
        self.flush()
        self.out += bytes([0x81 | (pc >> 2 & 0x3f) << 1] +
                          [0x80 | (pc >> at & 0x7f) for at in (8, 15, 22)] + [0x08 | pc >> 29])

    def data_abort(self):
        """Taken instead of the last instruction."""
        self.flush()
        pc = ABORT_VECTOR
        self.out += bytes([0x81 | (pc >> 2 & 0x3f) << 1] +
                          [0x80 | (pc >> at & 0x7f) for at in (8, 15, 22)] +
                          [0x48 | pc >> 29, 0x20 | DATA_ABORT << 1])

    def address_bytes(self, address):
        """As few as show what changed since the last one."""
        changed = (address ^ self.data_address if self.data_address is not None else 0xffffffff)
        count = next((n for n in range(1, 5) if changed >> 7 * n == 0), 5)
        self.data_address = address
        low = [address >> 7 * i & 0x7f for i in range(4)] + [address >> 28]
        return bytes(low[i] | (0x80 if i < count - 1 else 0) for i in range(count))

    def value_bytes(self, value):
        """The size in a header, and the bytes."""
        if not self.values:
            return 0, b""
        code = next(i for i, limit in enumerate((1, 1 << 8, 1 << 16, 1 << 32)) if value < limit)
        return code << 2, value.to_bytes((0, 1, 2, 4)[code], "little")

    def packet(self, header, has_address, address):
        """A header whose bit 5 says that an address follows."""
        self.flush()
        self.out.append(header | (0x20 if has_address else 0))
        if has_address and self.addresses:
            self.out += self.address_bytes(address)

    def data(self, address, value, is_first):
        size, raw = self.value_bytes(value)
        self.packet(0x02 | size, is_first, address)
        self.out += raw

    def place(self, tag, address, is_first):
        self.packet(0x50 | tag << 2, is_first, address)

    def late(self, tag, value):
        self.flush()
        size, raw = self.value_bytes(value)
        self.out += bytes([tag << 5 | size]) + raw

    def not_traced(self, address, is_first):
        self.flush()
        self.out.append(0x6a | (0x10 if is_first else 0))
        if is_first and self.addresses:
            self.out += self.address_bytes(address)

    def suppressed(self):
        self.flush()
        self.out.append(0x62)
