# SPDX-License-Identifier: Apache-2.0
"""Which memory an AArch32 instruction loads or stores whose registers are those of floating point and Advanced SIMD, from its
opcode and the general registers before it: written from the Arm Architecture Reference Manual (DDI 0487, F3.1.9, F3.1.11,
F4.1.15, F4.1.18), and with nothing of csreplay's."""

READ, WRITE = "read", "write"
PC = 15
# Bits 11 to 8 of a load or store of whole registers -> how many of eight bytes. F4.1.18.
STRUCTURES = {0b0000: 4, 0b0001: 4, 0b0010: 4, 0b0011: 4, 0b0100: 3, 0b0101: 3, 0b0110: 3, 0b0111: 1, 0b1000: 2, 0b1001: 2,
              0b1010: 2}


def bits(opcode, low, count):
    return opcode >> low & ((1 << count) - 1)


def floating_point(opcode, pc, registers):
    """VLDR, VSTR, VLDM, VSTM and what they are called beside that; the upper byte is not looked at, but for its lowest bit. `pc`
    is what the instruction reads as such, as a multiple of four."""
    number, words = bits(opcode, 16, 4), bits(opcode, 0, 8)
    is_indexed, is_up, is_written = (bits(opcode, bit, 1) for bit in (24, 23, 21))
    if not (is_indexed or is_up or is_written):
        return None  # moves of two general registers
    kind = (WRITE, READ)[bits(opcode, 20, 1)]
    base = pc if number == PC else registers[number]
    if is_indexed and not is_written:
        return kind, base + 4 * (words if is_up else -words), (2, 4, 8)[bits(opcode, 8, 2) - 1]
    return kind, base if is_up else base - 4 * words, 4 * words


def structures(opcode, registers):
    """VLD1 to VLD4, VST1 to VST4."""
    kind, base = (WRITE, READ)[bits(opcode, 21, 1)], registers[bits(opcode, 16, 4)]
    if not bits(opcode, 23, 1):
        return kind, base, 8 * STRUCTURES[bits(opcode, 8, 4)]
    size, count = bits(opcode, 10, 2), bits(opcode, 8, 2) + 1
    return kind, base, count << (size if size < 3 else bits(opcode, 6, 2))
