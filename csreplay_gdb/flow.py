# SPDX-License-Identifier: Apache-2.0
"""gdb's unwinder of the callers that the trace proves."""
import re

import gdb
import gdb.unwinder

from csreplay_gdb import frames, server
from csreplay_gdb.callers import callers
from csreplay_gdb.pieces import PiecewiseAtHalt, pieces

class Nowhere:
    """An address at and below which the server has no memory."""

    CANDIDATES = (0x8000, 0x0fff8000, 0x1fff8000, 0x3fff8000, 0x5fff8000, 0x7fff8000, 0xdfff8000)
    DISTANCES = (-0x10, 0, 0x10, 0x100, 0x400, 0x1000, 0x4000)

    def __init__(self):
        self.found = {}  # by candidate, whether it is one

    def below(self, sp):
        """The highest that is known below an SP; or None."""
        for address in reversed(self.CANDIDATES):
            if address < sp and self.is_one(address):
                return address
        return None

    def is_one(self, address):
        if address not in self.found:
            self.found[address] = not any(self.is_memory(address - distance) for distance in self.DISTANCES)
        return self.found[address]

    @staticmethod
    def is_memory(address):
        try:
            gdb.selected_inferior().read_memory(address, 1)
        except gdb.MemoryError:
            return False
        return True

    def forget(self, *_):
        self.found.clear()

nowhere = Nowhere()
gdb.events.new_thread.connect(nowhere.forget)  # of another connection, maybe

class FlowId:
    """A frame's identity. That of DWARF where SP at the call is known, so that it is the same whoever
    unwinds. Else below that of the next outer frame with an SP: where no memory is, since gdb reads variables there; but after
    an inner frame with an SP, which must be lower, just below it, where no SP can be. If no outer frame has one, an
    address where no memory can be (bit 55 is not that of a sign; of a kernel the last there are), outer frames higher."""

    def __init__(self, words, is_innermost):
        self.pc = gdb.Value(int(words["function"], 16))
        if "sp" in words:
            self.sp = gdb.Value(int(words["sp"], 16))
        else:
            if "outer_sp" in words:
                sp = int(words["outer_sp"], 16)
                sp = (is_innermost and nowhere.below(sp) or sp) - int(words["outer"])
            else:
                sp = (0xffffffffffffff00 if int(words["function"], 16) >> 63 else 0x00f0ffffffffff00) \
                    - 16 * int(words["depth"])
            self.sp = gdb.Value(sp)
            self.special = gdb.Value(int(words["call"]) + 1)

class FlowUnwinder(gdb.unwinder.Unwinder):
    """The caller as calls and returns of the trace prove it. The stack in memory is not read: callers
    are there where it is not known, or smashed. Registers are what they were at the call."""

    def __init__(self):
        super().__init__("csreplay-calls")
        self.frames = []  # levels of the frames that were seen; inlined functions are none
        self.at = None  # thread and position that they are of
        self.sp = 0  # of the innermost
        self.bare = set()  # levels of those whose caller's stack is not known
        self.is_off = False
        self.is_connecting = False
        self.whole = set()  # threads at whose halt the stack leads where the flow does
        self.outermost = {}  # by thread of which that is not so: the flow's oldest call, and its frame's identity for DWARF

    def index(self, frame):
        """Which frame of the flow's this one is at most: inlined functions have levels, too."""
        level = frame.level()
        at = (gdb.selected_thread().num, int(frame.read_register("trace_pos")))
        self.frames = [seen for seen in self.frames if seen < level and at == self.at]
        self.at = at
        if not self.frames:
            self.bare.clear()
            self.sp = int(frame.read_register("sp")) & 0xffffffffffffffff if frames.knows(frame, "sp") else 0
        self.frames.append(level)
        return len(self.frames) - 1

    def words(self, frame):
        """What is known of a frame of the flow; or None."""
        try:
            index = self.index(frame)
            pc = int(frame.read_register("pc")) & 0xffffffffffffffff
        except gdb.error:
            return None  # behind a frame of which LR is not known
        # What was inlined and is not shown now leaves levels that are none. The innermost frame has any PC of its call.
        for level in range(index, -1, -1):
            words = callers.frame(level, self.at[1])
            if words and (index == 0 or "pc" in words and int(words["pc"], 16) == pc):
                break
        else:
            return None
        return None if "halt" in words and gdb.selected_thread().num in self.whole else words

    def status(self, frame, words):
        """The status register as gdb's own unwinders have it of a 32-bit core's caller: this frame's,
        with the instruction set of the call, if this frame's is known."""
        for name, thumb in frames.STATUS.items():
            if frames.knows(frame, name):
                value = frames.unsigned(frame.read_register(name))
                return {name: hex(value | thumb if "thumb" in words else value & ~thumb)}
        return {}

    def __call__(self, frame):
        words = None if self.is_off else self.words(frame)
        if not words or "caller" not in words:
            return None if self.is_off else self.last(frame, words)
        if "sp" not in words:
            self.bare.add(frame.level())
        info = frame.create_unwind_info(FlowId(words, self.bare.issuperset(self.frames[:-1])))
        words = dict(words, pc=words["caller"], trace_pos=hex(self.at[1]), **self.status(frame, words))
        for name, value in words.items():
            if name in ("pc", "sp", "lr", "trace_pos", *frames.STATUS) or re.match(r"[xr]\d+$", name):
                info.add_saved_register(name, frames.packed(int(value, 16), frame.read_register(name).type))
        return info

    def last(self, frame, words):
        """A frame that the flow has no caller of, after frames that it has: gdb's own unwinders give up
        the command where these had no SP, or a 32-bit core's no status register. `finish` into it ends by its identity."""
        is_arm = frame.architecture().name().startswith("arm")
        if frame.level() == 0 or (frames.knows(frame, "sp") and
                                  (not is_arm or any(frames.knows(frame, name) for name in frames.STATUS))):
            return None
        if not frames.knows(frame, "pc"):
            return None
        return frames.UnknownStack.end(frame, self.outermost[gdb.selected_thread().num][1] if self.knows_again(words) else None)

    def knows_again(self, words):
        """The frame's identity is that which DWARF gives it: as it was at the halt."""
        return bool(words) and words["call"] == self.outermost.get(gdb.selected_thread().num, (None,))[0]

    def at_halt(self):
        """The selected thread is at its halt, as far as the flow is asked for callers."""
        at = server.position() if self.enabled and not self.is_connecting and gdb.selected_thread() else None
        return at is not None and "halt" in (callers.frame(0, at) or ())

    def look_at_halt(self, *_):
        """At the halt all of memory is known, and gdb's own unwinders say more where they are right."""
        if not self.at_halt():
            return
        thread = gdb.selected_thread()
        self.whole.discard(thread.num)
        self.outermost.pop(thread.num, None)
        callers.older.pop(thread.num, None)
        self.is_off = True
        gdb.invalidate_cached_frames()  # those of the flow, which would agree with itself
        pieces.on()
        past_main = gdb.parameter("backtrace past-main")
        try:
            gdb.execute("set backtrace past-main on")  # its caller, too: so that gdb looks for none
            if self.agrees():
                self.whole.add(thread.num)
        except gdb.error:
            pass
        self.is_off = False
        if thread.num not in self.whole:
            gdb.invalidate_cached_frames()
            self.remember_outermost(thread.num)
        pieces.off()
        gdb.execute("set backtrace past-main " + ("on" if past_main else "off"))
        gdb.invalidate_cached_frames()

    def look_at_halt_once(self):
        """Where nothing has stopped: another thread is selected, or a seek leads there."""
        thread = gdb.selected_thread()
        if thread and thread.num not in self.whole and thread.num not in self.outermost:
            self.look_at_halt()

    def agrees(self):
        frame = gdb.newest_frame()
        for words in callers.all(64):
            if not words or "caller" not in words:
                if words:
                    callers.remember_older(frame, words["call"])
                return True
            frame = frames.outer(frame)
            if frame is None or frame.pc() != int(words["caller"], 16):
                return False
        return True

    def remember_outermost(self, thread):
        """What gdb takes the flow's oldest frame for, where all that it needs for that is known: at the halt."""
        try:
            *found, end = callers.all(64)
            frame = gdb.newest_frame()
            for _ in found[1:]:
                frame = frames.outer(frame)
            identity = frames.identity(frame) if frame and found and end is None else None
            if identity:
                self.outermost[thread] = found[-1]["call"], identity
        except gdb.error:
            pass

flow = FlowUnwinder()
gdb.unwinder.register_unwinder(None, flow, True)
gdb.events.stop.connect(flow.look_at_halt)

class LookAtHalt(gdb.Command):
    """Keep what the stack of the selected thread says at its halt of callers that are older than the trace."""

    def __init__(self):
        super().__init__("csreplay-look", gdb.COMMAND_SUPPORT)

    def invoke(self, argument, from_tty):
        flow.look_at_halt_once()

LookAtHalt()
gdb.execute("define hookpost-thread\ncsreplay-look\nend")
pieces_at_halt = PiecewiseAtHalt(flow.at_halt)
