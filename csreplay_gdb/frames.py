# SPDX-License-Identifier: Apache-2.0
"""Frames of gdb: what is known of one, and the end of a stack that cannot be unwound."""
import re

import gdb
import gdb.unwinder

# A 32-bit core's status registers, of A and R and of M profile, and where the instruction set is.
STATUS = {"cpsr": 1 << 5, "xpsr": 1 << 24}

def is_big():
    """gdb takes registers for big endian, as its program is."""
    return "big endian" in gdb.execute("show endian", to_string=True)

def packed(number, kind):
    """A register's value of that type: what of the number has room there."""
    low = number & ((1 << 8 * kind.sizeof) - 1)
    return gdb.Value(low.to_bytes(kind.sizeof, "big" if is_big() else "little"), kind)

def knows(frame, register):
    """The frame has the register, and it is known."""
    try:
        int(frame.read_register(register))
    except (gdb.error, ValueError):
        return False
    return True

def whole(frame):
    """The frame of the function that it was inlined in."""
    while frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame

def outer(frame):
    """The caller's frame, or None."""
    return whole(frame).older()

def unsigned(value):
    """A register's value: gdb has some as signed, as those of an M profile core."""
    return int(value) & ((1 << 8 * value.type.sizeof) - 1)

def is_exception_return(frame):
    """What gdb has between an M profile handler, or what LR makes one, and the code that was interrupted: no PC of code."""
    return frame.type() == gdb.SIGTRAMP_FRAME and frame.pc() >> 24 == 0xff

class Id:
    """A frame's identity."""

    def __init__(self, sp, pc):
        self.sp = gdb.Value(sp)
        self.pc = gdb.Value(pc)

def identity(frame):
    """What gdb takes the frame for, as an Id, or None where SP is not known."""
    frame = whole(frame)
    if not knows(frame, "sp"):
        return None
    text = gdb.execute("maintenance print frame-id %d" % frame.level(), to_string=True)
    found = re.search(r"{stack=0x([0-9a-f]+),code=0x([0-9a-f]+),!special}", text)
    return found and Id(int(found[1], 16), int(found[2], 16))

class UnknownStack(gdb.unwinder.Unwinder):
    """A 32-bit core's frame where SP is not known: one frame, whose caller is not known. gdb's own
    unwinders for these cores read SP in any case and give up the command where it has none."""

    NOWHERE = (0, 1 << 63)
    ended = 0, None  # level and identity of the frame that the last stack ended at

    def __call__(self, frame):
        try:
            is_end = frame.level() > 0 and int(frame.read_register("pc")) & 0xffffffffffffffff in self.NOWHERE
        except gdb.error:
            return None  # behind one of which LR is not known
        if is_end:
            return self.end(frame)  # a stack ends there; gdb would read what code is at it
        if not frame.architecture().name().startswith("arm") or knows(frame, "sp"):
            return None
        return self.end(frame)

    @classmethod
    def end(cls, frame, identity=None):
        """Without an identity it is outside of all other frames (FlowId): gdb would call the stack corrupt where an outer one
        is inside."""
        pc = frame.read_register("pc")
        bits = int(pc) & 0xffffffffffffffff
        if bits in cls.NOWHERE and frame.level() == cls.ended[0] + 1:
            identity = cls.ended[1]  # equal to the frame that it is behind
        else:
            cls.ended = frame.level(), identity
        info = frame.create_unwind_info(identity or Id(0xfffffffffffffff0 if bits >> 63 else 0x00f0fffffffffff0, 0))
        # An equal frame after it ends the backtrace; without a PC that would be an error. Where a function may be inlined it is
        # not: gdb 13 has no check for an equal frame behind an inlined one, and ends itself.
        info.add_saved_register("pc", packed(cls.NOWHERE[bits >> 63], pc.type))
        return info

gdb.unwinder.register_unwinder(None, UnknownStack("csreplay"), True)
