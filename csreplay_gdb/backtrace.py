# SPDX-License-Identifier: Apache-2.0
"""What a backtrace says of the frames that the trace proves, and the way back to their calls."""
import gdb

from csreplay_gdb import frames, server
from csreplay_gdb.callers import callers
from csreplay_gdb.flow import flow, pieces_at_halt

class Backtrace(gdb.Command):
    """Before a backtrace, and after it: tell of the frames that were shown which nothing but calls and returns prove.
A line after the backtrace, and no frame decorator: with a frame filter gdb 13 ends a frame's line, and
tells of a Python exception, at the first argument that cannot be read."""

    def __init__(self):
        super().__init__("csreplay-backtrace", gdb.COMMAND_SUPPORT)

    def levels(self):
        for level in sorted(flow.bare):
            whole = min((seen for seen in flow.frames if seen > level), default=level + 1)
            yield from range(level + 1, whole + 1)  # what was inlined there, too

    def invoke(self, argument, from_tty):
        if argument == "begin":
            pieces_at_halt.on()
        else:
            pieces_at_halt.off()
            self.tell()

    def tell(self):
        try:
            at = (gdb.selected_thread().num, int(gdb.newest_frame().read_register("trace_pos")))
        except (gdb.error, AttributeError):
            return
        levels = ["#%d" % level for level in self.levels()] if at == flow.at else []
        if levels:
            more = " ..." if len(levels) > 8 else ""
            print("[flow] %s%s: proved by calls and returns alone; where the stack is there is not known, and what is shown as "
                  "an address on it is none" % (" ".join(levels[:8]), more))

Backtrace()

class ReverseFinish(gdb.Command):
    """Go back to the call of the selected frame's function: reverse-finish
The trace's calls and returns say which call it was, in a recursion, too. Breakpoints, watchpoints and
gaps on the way are stopped at."""

    def __init__(self):
        super().__init__("reverse-finish", gdb.COMMAND_RUNNING)

    def selected(self):
        """The selected frame's level, name, and which frame of the flow's it is."""
        try:
            frame, index = gdb.selected_frame(), 0
            newer = gdb.newest_frame()
            while newer.level() < frame.level():
                index += newer.type() != gdb.INLINE_FRAME
                newer = newer.older()
            return frame.level(), frame.name() or hex(frame.pc()), index
        except gdb.error:
            return None, "??", 0  # too little is known for a frame; the flow has one

    def invoke(self, argument, from_tty):
        level, name, index = self.selected()
        at = server.position()
        if at is None:
            callers.forget()  # too little is known for a frame, and so for where it is
        words = callers.frame(index, at or 0)
        if at is None:
            callers.forget()
        if not words:
            raise gdb.GdbError("the trace does not say what called this function")
        if "back" not in words:
            raise gdb.GdbError("the call of this function is older than the trace, or a gap")
        print("Run back to call of #%d in %s" % (level or 0, name))
        if level is None:
            self.seek(words["back"])
        else:
            self.run_back(words["back"], words["back_pc"])

    def seek(self, position):
        try:
            gdb.execute("set $trace_pos = " + position)
        except gdb.error:
            pass  # it is there, and has no frame to show there either

    # A call under a condition lies in an IT block: gdb puts a breakpoint there on the IT, which is so many instructions older at most.
    OLDER = 4

    def place(self, position, pc):
        """A breakpoint at the call; where gdb says that it puts it elsewhere nobody needs to know."""
        def make():
            self.call = gdb.Breakpoint("*" + pc, internal=True)
        self.make = make
        gdb.execute("python __import__('csreplay_gdb').backtrace.reverse_finish.make()", to_string=True)
        self.call.silent = True
        self.call.condition = "$trace_pos <= %s && $trace_pos + %d >= %s" % (position, self.OLDER, position)

    def run_back(self, position, pc):
        """As reverse-continue, to a position at the latest."""
        self.place(position, pc)
        try:
            gdb.execute("reverse-continue")
        finally:
            self.call.delete()
        older = int(position) - int(gdb.parse_and_eval("$trace_pos"))
        if 0 < older <= self.OLDER:
            self.seek(position)
            older = 0
        if older == 0:
            gdb.write(gdb.execute("frame 0", to_string=True).replace("#0  ", "", 1))

reverse_finish = ReverseFinish()

class Finish(gdb.Command):
    """Before `finish`: into the trace's oldest function of a 32-bit core, where its status register is not known, gdb does
not find the frame that it began with. A breakpoint at the return ends it, where SP is what it was at the call."""

    def __init__(self):
        super().__init__("csreplay-finish", gdb.COMMAND_SUPPORT)
        self.end = None
        gdb.events.stop.connect(self.forget)

    def invoke(self, argument, from_tty):
        self.forget()
        level, _, index = reverse_finish.selected()
        at = server.position()
        words = callers.frame(index, at) if level is not None and at is not None else None
        older = callers.frame(index + 1, at) if words and "caller" in words else None
        if older and "sp" in words and "caller" not in older and not flow.knows_again(older) and self.is_unknown():
            self.words = words
            gdb.execute("python __import__('csreplay_gdb').backtrace.finish.make()", to_string=True)

    @staticmethod
    def is_unknown():
        frame = gdb.selected_frame()
        caller = frame.older() if frame.type() != gdb.INLINE_FRAME and frame.architecture().name().startswith("arm") else None
        return caller is not None and not any(frames.knows(caller, name) for name in frames.STATUS)

    def make(self):
        self.end = gdb.Breakpoint("*" + self.words["caller"], internal=True)
        self.end.condition = "$sp == " + self.words["sp"]

    def forget(self, *_):
        if self.end and self.end.is_valid():
            self.end.delete()
        self.end = None

finish = Finish()
