# SPDX-License-Identifier: Apache-2.0
"""Which functions a program ran, from the files that gcc's --coverage leaves after.

In: .gcno files (functions and where they are) and .gcda files (how often their arcs were taken), in the
format of gcc 12 (gcc/gcov-io.h): records of a tag, a length in bytes and that many bytes. Out: names of
functions, and the function of a line.
"""
import os
import struct

FUNCTION = 0x01000000
ARCS = 0x01a10000


def records(data, header):
    at = header
    while at + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, at)
        if tag == 0:
            return
        at += 8
        size = max(length, 0)
        # A negative length: so many counters, all of them zero.
        yield tag, length, data[at:at + size]
        at += size


def string_at(data, at):
    length = struct.unpack_from("<I", data, at)[0]
    return data[at + 4:at + 4 + length].split(b"\0")[0].decode(), at + 4 + length


def functions_of(gcno):
    """ident -> (name, source, first line, last line)."""
    with open(gcno, "rb") as file:
        data = file.read()
    found = {}
    header = 16  # magic, version, stamp, checksum
    folder, header = string_at(data, header)
    header += 4  # has_unexecuted_blocks
    for tag, _, body in records(data, header):
        if tag != FUNCTION:
            continue
        ident = struct.unpack_from("<I", body, 0)[0]
        name, at = string_at(body, 12)
        at += 4  # artificial
        source, at = string_at(body, at)
        first, _, last = struct.unpack_from("<III", body, at)
        found[ident] = (name, os.path.normpath(os.path.join(folder, source)), first, last)
    return found


def executed_in(gcda):
    """Idents of the functions that ran."""
    with open(gcda, "rb") as file:
        data = file.read()
    ran, ident = set(), None
    for tag, length, body in records(data, 16):
        if tag == FUNCTION and length > 0:
            ident = struct.unpack_from("<I", body, 0)[0]
        elif tag == ARCS and length > 0 and any(body):
            ran.add(ident)
    return ran
