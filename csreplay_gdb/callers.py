# SPDX-License-Identifier: Apache-2.0
"""Callers as the trace proves them, from what the server says: `monitor stack`."""
import gdb

from csreplay_gdb import frames, server

class Callers:
    """The stacks that the trace's calls and returns prove: `monitor stack --raw THREAD`. What a position has, it has
until a command of the server's changes what is known."""

    def __init__(self):
        self.near = {}  # by thread, innermost frames: first and last position that have it, words
        self.known = {}  # by thread and first position that has the innermost one, the frames by level
        self.before_asking = None  # called with the thread's number
        self.older = {}  # by thread, what gdb saw at the halt: the call that is older than the trace, and its callers

    def frame(self, level, at):
        """The words of a frame of the selected thread at a position, or None."""
        thread = gdb.selected_thread()
        if thread is None:
            return None
        number = thread.ptid[1] or thread.num
        first, words = self.innermost(number, at)
        if level > 0 and words:
            words = self.caller(number, level, first)
        return self.with_older(level, at, dict(words)) if words else self.older_frame(level, at)

    def innermost(self, thread, at):
        """That of positions near it comes with it: a step asks for it seldom."""
        for _ in range(2):
            for first, last, words in self.near.get(thread, ()):
                if first <= at <= last:
                    return first, words
            if self.before_asking:
                self.before_asking(thread)
            self.near[thread] = []
            for words in self.lines("stack --raw %x near" % thread):
                if "first" in words:
                    self.near[thread].append((int(words["first"]), int(words["last"]), words))
                    levels = self.known.setdefault((thread, int(words["first"])), {})
                    levels[1] = None
                else:
                    levels[1] = words
        return at, None

    def caller(self, thread, level, first):
        levels = self.known.setdefault((thread, first), {})
        if level not in levels:
            newer = levels.get(level - 1, {"caller": None})
            levels[level] = None
            if newer and "caller" in newer:
                levels.update(enumerate(self.lines("stack --raw %x %d" % (thread, level)), level))
        return levels[level]

    def all(self, most):
        """The words of all frames from the newest on, without registers; None after the last."""
        thread = gdb.selected_thread()
        lines = self.lines("stack --raw %x" % (thread.ptid[1] or thread.num))[:most]
        yield from lines
        if len(lines) < most:
            yield None

    def lines(self, command):
        """The words of each frame that the server says."""
        lines = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in server.ask(command).splitlines()]
        return [words for words in lines if "position" in words]

    def with_older(self, level, at, words):
        """What was called before the trace began has the callers that it has at the halt."""
        call, older = self.older.get(gdb.selected_thread().num, (None, None))
        if older and "caller" not in words and words["call"] == call:
            words.update(older[0])
        elif older and "sp" in older[0] and "sp" not in words and "outer_sp" not in words:
            # Where no frame of the flow has an SP, the outermost may have that of the halt.
            last = [frame for frame in self.all(1000) if frame][-1]
            if last["call"] == call:
                words.update(outer_sp=older[0]["sp"], outer=str(int(words["depth"]) - int(last["depth"])))
        return words

    def older_frame(self, level, at):
        """One of these callers, or None."""
        newer = self.frame(level - 1, at) if level > 0 else None
        if not newer or "next" not in newer:
            return None
        older = self.older[gdb.selected_thread().num][1]
        words = dict(newer, pc=newer["caller"], function=newer["next_function"], depth="0")
        for name in [name for name in words if name in older[0] or name in ("caller", "back", "enter")]:
            del words[name]
        if newer["next"] < len(older):
            words.update(older[newer["next"]])
        return words

    def remember_older(self, frame, call):
        """What gdb says at the halt of the callers of a frame, the call of which is older than the trace."""
        older = []
        frame = frames.outer(frame)
        while frame is not None and frames.knows(frame, "sp") and not frames.is_exception_return(frame):
            function = frames.whole(frame).function()
            words = {"caller": hex(frame.pc()), "next": len(older) + 1,
                     "next_function": hex(int(function.value().address) if function else frame.pc())}
            for name in ("sp", "lr", *("x%d" % i for i in range(19, 31)), *("r%d" % i for i in range(4, 12))):
                if frames.knows(frame, name):
                    words[name] = hex(frames.unsigned(frame.read_register(name)))
            older.append(words)
            frame = frames.outer(frame)
        self.older[gdb.selected_thread().num] = (call, older)

    def forget(self, *_):
        self.near.clear()
        self.known.clear()
        server.asked.clear()

callers = Callers()
gdb.events.new_thread.connect(callers.forget)  # of another connection, maybe

class Refresh(gdb.Command):
    """Read anew what a command of the server may have made another: position, registers, memory."""

    def __init__(self):
        super().__init__("csreplay-refresh", gdb.COMMAND_SUPPORT)

    def invoke(self, argument, from_tty):
        if server.is_silent or gdb.selected_thread() is None:
            return
        try:
            level = gdb.selected_frame().level()
        except gdb.error:
            level = 0
        at = server.position() if level > 0 else None
        callers.forget()
        server.forget()
        if level > 0 and server.position() == at:
            self.select(level)

    def select(self, level):
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < level:
            frame = frame.older()
        if frame is not None:
            frame.select()

Refresh()
gdb.execute("define hookpost-monitor\ncsreplay-refresh\nend")
