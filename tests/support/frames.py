# SPDX-License-Identifier: Apache-2.0
"""The CoreSight formatter in Python (IHI 0029, formatter frames), for tests that take trace buffers
apart and put them together. It shares no code with the decoder."""
FRAME = 16


def unpack(data):
    """(ID, byte) of each data byte; the ID is None before the first."""
    current = None
    for at in range(0, len(data) // FRAME * FRAME, FRAME):
        frame = data[at:at + FRAME]
        for place in range(0, FRAME - 1, 2):
            byte, flag = frame[place], frame[15] >> place // 2 & 1
            odd = frame[place + 1:place + 2] if place < 14 else b""
            if not byte & 1:
                yield from ((current, value) for value in (byte | flag, *odd))
            elif place == 14 or not flag:
                current = byte >> 1
                yield from ((current, value) for value in odd)
            else:
                yield current, odd[0]
                current = byte >> 1


def bytes_of(data, trace_id):
    return bytes(value for owner, value in unpack(data) if owner == trace_id)


def pack(runs):
    """Frames of the runs (ID, bytes), one after the other; the rest of the last has ID 0."""
    items = [(trace_id, value) for trace_id, data in runs for value in data]
    out, current, at = bytearray(), None, 0

    def item(index):
        return items[index] if index < len(items) else (0, 0)

    while at < len(items):
        frame = bytearray(FRAME)
        for place in range(0, FRAME - 1, 2):
            flag = 1 << place // 2
            trace_id, value = item(at)
            if trace_id != current or (place < 14 and item(at + 1)[0] != current):
                # A new ID, of the byte after it or, with the flag, of the one after that.
                is_late = trace_id == current
                current = item(at + 1)[0] if is_late else trace_id
                frame[place] = current << 1 | 1
                frame[15] |= flag if is_late else 0
            else:
                frame[place] = value & 0xfe
                frame[15] |= flag if value & 1 else 0
                at += 1
            if place < 14:
                frame[place + 1] = item(at)[1]
                at += 1
        out += frame
    return bytes(out)
