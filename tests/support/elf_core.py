# SPDX-License-Identifier: Apache-2.0
"""ELF core files of A64 and AArch32 as the kernel lays them out (fs/binfmt_elf.c, struct elf_prstatus of arm64 and
arm)."""
import struct

SIGSEGV = 11


def note(name, kind, data):
    name += b"\0"
    return (struct.pack("<III", len(name), len(data), kind) + name + bytes(-len(name) % 4) + data +
            bytes(-len(data) % 4))


def prstatus_64(tid, registers, signal=SIGSEGV):
    head = struct.pack("<iiihhQQiiii", signal, 0, 0, signal, 0, 0, 0, tid, 1, tid, tid) + bytes(64)
    assert len(head) == 112
    return note(b"CORE", 1, head + struct.pack("<34Q", *registers) + struct.pack("<ii", 1, 0))


def prstatus_32(tid, registers, signal=SIGSEGV):
    head = struct.pack("<iiihhIIiiii", signal, 0, 0, signal, 0, 0, 0, tid, 1, tid, tid) + bytes(32)
    assert len(head) == 72
    return note(b"CORE", 1, head + struct.pack("<18I", *registers) + struct.pack("<i", 1))


def core_file(notes, segments, is_64bit=True):
    """ELF with PT_NOTE and PT_LOADs: (address, bytes, flags, size in memory)."""
    header, entry = (64, 56) if is_64bit else (52, 32)
    offset = header + entry * (1 + len(segments))
    rows = [(4, 0, 0, notes, len(notes))] + [(1, f, a, d, m) for a, d, f, m in segments]
    table = body = b""
    for kind, flags, address, data, size in rows:
        at = offset + len(body)
        table += (struct.pack("<IIQQQQQQ", kind, flags, at, address, 0, len(data), size, 4)
                  if is_64bit else
                  struct.pack("<IIIIIIII", kind, at, address, 0, len(data), size, flags, 4))
        body += data
    ident = b"\x7fELF" + bytes([2 if is_64bit else 1, 1, 1]) + bytes(9)
    layout = "<HHIQQQIHHHHHH" if is_64bit else "<HHIIIIIHHHHHH"
    return ident + struct.pack(layout, 4, 183 if is_64bit else 40, 1, 0, header, 0, 0, header,
                               entry, len(rows), 0, 0, 0) + table + body
