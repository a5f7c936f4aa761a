# SPDX-License-Identifier: Apache-2.0
"""Bytes of an ITM and of an STM with what is sent when, and how they get into a snapshot. By the manuals, and of no
code with the decoder."""
import os


def septets(value, count):
    return bytes((value >> 7 * i & 0x7F) | (0x80 if i < count - 1 else 0) for i in range(count))


class Itm:
    """Armv7-M ARM, appendix D4."""
    kind, register = "ITM", "ITM_TCR=0x00000000"

    def __init__(self):
        self.bytes = bytes(5) + b"\x80"

    def write(self, port, value, size=1):
        self.bytes += bytes([port << 3 | {1: 1, 2: 2, 4: 3}[size]]) + value.to_bytes(size, "little")

    def time(self, time):
        self.bytes += b"\x94" + septets(time & (1 << 26) - 1, 4) + b"\xb4" + septets(time >> 26, 4)


class Stm:
    """MIPI STPv2: nibbles, the low one of a byte first, values highest nibble first."""
    kind, register = "STM", "STMTCSR(0x3A0)=0x00A00007"

    def __init__(self):
        self.nibbles = [0xF] * 21 + [0, 0xF, 0, 0, 3]

    def number(self, value, digits):
        self.nibbles += [value >> 4 * i & 0xF for i in reversed(range(digits))]

    def channel(self, master, channel):
        self.nibbles += [1]
        self.number(master, 2)
        self.nibbles += [0xF, 3]
        self.number(channel, 4)

    def write(self, value, digits, time=None):
        plain = {2: 4, 4: 5, 8: 6, 16: 7}[digits]
        self.nibbles += [plain] if time is None else [0xF, plain]
        self.number(value, digits)
        if time is not None:
            self.nibbles += [0xC]
            self.number(time, 12)

    @property
    def bytes(self):
        padded = self.nibbles + [0] * (len(self.nibbles) % 2)
        return bytes(low | high << 4 for low, high in zip(padded[::2], padded[1::2]))


def add(folder, name, source):
    """A trace source with a buffer of its own, in a snapshot that has cores."""
    def change(file, *pairs):
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for old, new in pairs:
            assert old in text, (old, text)
            text = text.replace(old, new, 1)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    with open(os.path.join(folder, name + ".bin"), "wb") as f:
        f.write(source.bytes)
    with open(os.path.join(folder, name + ".ini"), "w", encoding="utf-8") as f:
        f.write(f"[device]\nname={name}\nclass=trace_source\ntype={source.kind}\n\n[regs]\n{source.register}\n")
    change("snapshot.ini", ("[device_list]\n", f"[device_list]\ndevice_{name}={name}.ini\n"))
    change("trace.ini", ("buffers=", f"buffers={name}_buffer,"),
           ("[source_buffers]\n", f"[source_buffers]\n{name}={name}_bytes\n"),
           ("[source_buffers]\n",
            f"[{name}_buffer]\nname={name}_bytes\nfile={name}.bin\nformat=source_data\n\n[source_buffers]\n"))
