# SPDX-License-Identifier: Apache-2.0
"""gdb's part of csreplay, which gdbinit loads into a gdb with Python: the server's commands as gdb's, callers as the trace
proves them, positions in all their forms, and fewer packets. In: what the server says to lines of `monitor`. Out: commands
and unwinders; gdbinit has settings, and what a gdb without Python has of the commands."""
import re
import zlib

import gdb.unwinder

# A 32-bit core's status registers, of A and R and of M profile, and where the instruction set is.
STATUS = {"cpsr": 1 << 5, "xpsr": 1 << 24}

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

class UnknownStack(gdb.unwinder.Unwinder):
    """A 32-bit core's frame where SP is not known: one frame, whose caller is not known. gdb's own
    unwinders for these cores read SP in any case and give up the command where it has none."""

    class Id:
        """Outside of all other frames (FlowId): gdb would call the stack corrupt where an outer one is inside."""

        def __init__(self, pc):
            self.sp = gdb.Value(0xfffffffffffffff0 if pc >> 63 else 0x00f0fffffffffff0)
            self.pc = gdb.Value(0)

    NOWHERE = (0, 1 << 63)

    def __call__(self, frame):
        if frame.level() > 0 and int(frame.read_register("pc")) & 0xffffffffffffffff in self.NOWHERE:
            return self.end(frame)  # a stack ends there; gdb would read what code is at it
        if not frame.architecture().name().startswith("arm") or knows(frame, "sp"):
            return None
        return self.end(frame)

    @classmethod
    def end(cls, frame):
        pc = frame.read_register("pc")
        bits = int(pc) & 0xffffffffffffffff
        info = frame.create_unwind_info(cls.Id(bits))
        # An equal frame after it ends the backtrace; without a PC that would be an error. Where a function may be inlined it is
        # not: gdb 13 has no check for an equal frame behind an inlined one, and ends itself.
        nowhere = cls.NOWHERE[bits >> 63].to_bytes(8, "little")[:pc.type.sizeof]
        info.add_saved_register("pc", gdb.Value(nowhere, pc.type))
        return info

gdb.unwinder.register_unwinder(None, UnknownStack("csreplay"), True)

class Refresh(gdb.Command):
    """Read anew what a command of the server may have made another: position, registers, memory."""

    def __init__(self):
        super().__init__("csreplay-refresh", gdb.COMMAND_SUPPORT)
        self.is_off = False

    def invoke(self, argument, from_tty):
        if self.is_off or gdb.selected_thread() is None:
            return
        try:
            level = gdb.selected_frame().level()
        except gdb.error:
            level = 0
        at = position() if level > 0 else None
        callers.forget()
        gdb.execute("maintenance flush register-cache", to_string=True)
        gdb.execute("maintenance flush dcache", to_string=True)
        if level > 0 and position() == at:
            self.select(level)

    def select(self, level):
        frame = gdb.newest_frame()
        while frame is not None and frame.level() < level:
            frame = frame.older()
        if frame is not None:
            frame.select()

def register(name):
    """Its value, or None. Not by a gdb.Frame: to make one, gdb looks for its caller."""
    try:
        return int(gdb.parse_and_eval(name)) & 0xffffffffffffffff
    except (gdb.error, ValueError):
        return None

def position():
    """The selected thread's position, or None."""
    return register("$trace_pos")

def ask(command):
    """The server's answer to what changes nothing; empty without one."""
    if command in asked:
        return asked.pop(command)
    refresh.is_off = True
    try:
        return gdb.execute("monitor " + command, to_string=True)
    except gdb.error:
        return ""
    finally:
        refresh.is_off = False

asked = {}  # answers that came with another's

def ask_all(*commands):
    """Asks them in one packet; `ask` has the answers, once each."""
    answers = ask("--each " + ";".join(commands)).split(";\n")
    asked.update(zip(commands, answers[:-1]))

class Piecewise:
    """While it is on, gdb reads the stack in pieces of a size, and keeps them: for when nothing moves."""

    def __init__(self):
        self.line = None

    def on(self, size=None):
        if self.line is None:
            self.line = gdb.parameter("dcache line-size")
            gdb.execute("set dcache line-size %d" % (size or self.line))
            gdb.execute("set stack-cache on")

    def off(self):
        if self.line is not None:
            gdb.execute("set stack-cache off")
            gdb.execute("set dcache line-size %d" % self.line)
            self.line = None

pieces = Piecewise()

class Selected(gdb.Command):
    """Tell the server which thread is selected, if there are several."""

    def __init__(self):
        super().__init__("csreplay-selected", gdb.COMMAND_SUPPORT)
        self.seen = set()  # numbers of threads; to list them, gdb would ask the server
        gdb.events.new_thread.connect(lambda event: self.seen.add(event.inferior_thread.num))

    def invoke(self, argument, from_tty):
        thread = gdb.selected_thread()
        if thread is not None and self.seen != {thread.num}:
            gdb.execute("maintenance packet T%x" % (thread.ptid[1] or thread.num), to_string=True)

    def forget_others(self, *_):
        """Where one thread alone is resumed (scheduler-locking), gdb goes on showing what it has read of the others: the
        server may take them along (`monitor set cores always`)."""
        thread = gdb.selected_thread()
        if thread is not None and self.seen != {thread.num} and gdb.parameter("scheduler-locking") == "on":
            gdb.execute("maintenance flush register-cache", to_string=True)
            gdb.execute("maintenance flush dcache", to_string=True)

class FrontEnd(gdb.Command):
    """Have the selected thread move, as a front end means it, and the other cores go along."""

    def __init__(self):
        super().__init__("csreplay-front-end", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("set scheduler-locking on")
        ask("--reread set cores always")

FrontEnd()
selected = Selected()
gdb.events.stop.connect(selected.forget_others)
refresh = Refresh()
gdb.execute("define hookpost-monitor\ncsreplay-refresh\nend")

class Callers:
    """The stacks that the trace's calls and returns prove: `monitor stack --raw THREAD`. What a position has, it has
until a command of the server's changes what is known."""

    def __init__(self):
        self.near = {}  # by thread, innermost frames: first and last position that have it, words
        self.known = {}  # by thread and first position that has the innermost one, the frames by level
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
            connecting.ask(thread)
            self.near[thread] = []
            for words in self.lines("stack --raw %x near" % thread):
                if "first" in words:
                    self.near[thread].append((int(words["first"]), int(words["last"]), words))
                    frames = self.known.setdefault((thread, int(words["first"])), {})
                    frames[1] = None
                else:
                    frames[1] = words
        return at, None

    def caller(self, thread, level, first):
        frames = self.known.setdefault((thread, first), {})
        if level not in frames:
            frames[level] = None
            frames.update(enumerate(self.lines("stack --raw %x %d" % (thread, level)), level))
        return frames[level]

    def all(self, most):
        """The words of all frames from the newest on, without registers; None after the last."""
        thread = gdb.selected_thread()
        lines = self.lines("stack --raw %x" % (thread.ptid[1] or thread.num))[:most]
        yield from lines
        if len(lines) < most:
            yield None

    def lines(self, command):
        """The words of each frame that the server says."""
        lines = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in ask(command).splitlines()]
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
        frame = outer(frame)
        while frame is not None and knows(frame, "sp"):
            function = whole(frame).function()
            words = {"caller": hex(frame.pc()), "next": len(older) + 1,
                     "next_function": hex(int(function.value().address) if function else frame.pc())}
            for name in ("sp", "lr", *("x%d" % i for i in range(19, 31)), *("r%d" % i for i in range(4, 12))):
                if knows(frame, name):
                    words[name] = hex(int(frame.read_register(name)))
            older.append(words)
            frame = outer(frame)
        self.older[gdb.selected_thread().num] = (call, older)

    def forget(self, *_):
        self.near.clear()
        self.known.clear()
        asked.clear()

callers = Callers()
gdb.events.new_thread.connect(callers.forget)  # of another connection, maybe

class FlowId:
    """A frame's identity. That of DWARF where SP at the call is known, so that it is the same whoever
    unwinds. Else just below that of the next outer frame with an SP, where no SP can be; or, if there is none, an
    address where no memory can be (bit 55 is not that of a sign; of a kernel the last there are), outer frames higher."""

    def __init__(self, words):
        self.pc = gdb.Value(int(words["function"], 16))
        if "sp" in words:
            self.sp = gdb.Value(int(words["sp"], 16))
        else:
            if "outer_sp" in words:
                sp = int(words["outer_sp"], 16) - int(words["outer"])
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
        self.whole = set()  # threads at whose halt the stack leads where the flow does

    def index(self, frame):
        """Which frame of the flow's this one is at most: inlined functions have levels, too."""
        level = frame.level()
        at = (gdb.selected_thread().num, int(frame.read_register("trace_pos")))
        self.frames = [seen for seen in self.frames if seen < level and at == self.at]
        self.at = at
        if not self.frames:
            self.bare.clear()
            self.sp = int(frame.read_register("sp")) & 0xffffffffffffffff if knows(frame, "sp") else 0
        self.frames.append(level)
        return len(self.frames) - 1

    def words(self, frame):
        """What is known of a frame that the flow has a caller of; or None."""
        try:
            index = self.index(frame)
        except gdb.error:
            return None
        pc = int(frame.read_register("pc")) & 0xffffffffffffffff
        # What was inlined and is not shown now leaves levels that are none. The innermost frame has any PC of its call.
        for level in range(index, -1, -1):
            words = callers.frame(level, self.at[1])
            if words and (index == 0 or "pc" in words and int(words["pc"], 16) == pc):
                break
        else:
            return None
        if "halt" in words and gdb.selected_thread().num in self.whole:
            return None
        return words if "caller" in words else None

    def status(self, frame, words):
        """The status register as gdb's own unwinders have it of a 32-bit core's caller: this frame's,
        with the instruction set of the call, if this frame's is known."""
        for name, thumb in STATUS.items():
            if knows(frame, name):
                value = int(frame.read_register(name))
                return {name: hex(value | thumb if "thumb" in words else value & ~thumb)}
        return {}

    def __call__(self, frame):
        words = None if self.is_off else self.words(frame)
        if not words:
            return None if self.is_off else self.last(frame)
        if "sp" not in words:
            self.bare.add(frame.level())
        info = frame.create_unwind_info(FlowId(words))
        words = dict(words, pc=words["caller"], trace_pos=hex(self.at[1]), **self.status(frame, words))
        for name, value in words.items():
            if name in ("pc", "sp", "lr", "trace_pos", *STATUS) or re.match(r"[xr]\d+$", name):
                like = frame.read_register(name).type
                info.add_saved_register(name, gdb.Value(int(value, 16).to_bytes(like.sizeof, "little"), like))
        return info

    def last(self, frame):
        """A frame that the flow has no caller of, after frames that it has: gdb's own unwinders give up
        the command where these had no SP, or a 32-bit core's no status register."""
        is_arm = frame.architecture().name().startswith("arm")
        if frame.level() == 0 or (knows(frame, "sp") and
                                  (not is_arm or any(knows(frame, name) for name in STATUS))):
            return None
        return UnknownStack.end(frame)

    def look_at_halt(self, *_):
        """At the halt all of memory is known, and gdb's own unwinders say more where they are right."""
        if not self.enabled or connecting.is_on:
            return
        thread = gdb.selected_thread()
        at = position() if thread else None
        first = callers.frame(0, at) if at is not None else None
        if not first or "halt" not in first:
            return
        self.whole.discard(thread.num)
        callers.older.pop(thread.num, None)
        self.is_off = True
        pieces.on()
        past_main = gdb.parameter("backtrace past-main")
        try:
            gdb.execute("set backtrace past-main on")  # its caller, too: so that gdb looks for none
            if self.agrees():
                self.whole.add(thread.num)
        except gdb.error:
            pass
        self.is_off = False
        pieces.off()
        gdb.execute("set backtrace past-main " + ("on" if past_main else "off"))
        gdb.invalidate_cached_frames()

    def agrees(self):
        frame = gdb.newest_frame()
        for words in callers.all(64):
            if not words or "caller" not in words:
                if words:
                    callers.remember_older(frame, words["call"])
                return True
            frame = outer(frame)
            if frame is None or frame.pc() != int(words["caller"], 16):
                return False
        return True

flow = FlowUnwinder()
gdb.unwinder.register_unwinder(None, flow, True)
gdb.events.stop.connect(flow.look_at_halt)

class Connecting(gdb.Command):
    """Between `on` and `off` gdb connects."""

    def __init__(self):
        super().__init__("csreplay-connecting", gdb.COMMAND_SUPPORT)
        self.is_on = False
        self.has_asked = False
        self.build_id = None  # of the program that gdb has
        self.has_set_osabi = False
        gdb.events.new_objfile.connect(self.pass_over_no_loader)  # the server's program
        gdb.events.before_prompt.connect(self.end)  # where it could not

    def ask(self, thread):
        """What the server is asked when gdb connects, in one packet."""
        if not self.is_on or self.has_asked:
            return
        self.has_asked = True
        program = "--program " + (self.build_id or "0")
        sections = trust.question()
        stack = "stack --raw %x" % thread
        line = "--line %x" % flow.sp
        ask_all(*([sections] if sections else []), stack + " near", stack, line, program, "help --raw")
        if sections:
            trust.invoke(None, False)
        pieces.on(int(ask(line) or 0))
        served = ask(program).strip()
        if self.build_id and served != "same":
            gdb.write("warning: %s is not the program of the snapshot, %s: the build IDs differ\n"
                      % (gdb.current_progspace().filename, served), gdb.STDERR)

    def find_program(self):
        """gdb asks for the server's program if it has one itself only to read the build ID of that, in 20 packets."""
        program = gdb.current_progspace().filename
        self.build_id = next((file.build_id for file in gdb.objfiles() if file.filename == program), None)
        gdb.execute("set remote pid-to-exec-file-packet " + ("off" if program else "auto"))

    def pass_over_no_loader(self, *_):
        """A static program has the symbols of the dynamic loader, and no loader: gdb 13 takes the section that has the
        loader's breakpoint for it, which is all code, and passes over it: a `step` would go on to the end."""
        if not self.is_on:
            return
        try:
            gdb.parse_and_eval("&_r_debug")
        except gdb.error:
            return
        if gdb.parameter("osabi") == "auto":
            gdb.execute("set osabi none")
            self.has_set_osabi = True

    def finish(self):
        """What gdb had no need of a frame for."""
        thread = gdb.selected_thread()
        if thread and not self.has_asked:
            flow.sp = register("$sp") or 0
            self.ask(thread.ptid[1] or thread.num)
        trust.invoke(None, False)
        self.is_on = False
        if "big endian" in gdb.execute("show endian", to_string=True):
            gdb.write("warning: gdb takes the core for big endian: all registers that it shows are reversed; "
                      "`set endian little`, and data in memory is reversed\n", gdb.STDERR)
        flow.look_at_halt()
        self.end()

    def end(self):
        if self.is_on:
            trust.distrust()
        self.is_on = False
        pieces.off()

    def invoke(self, argument, from_tty):
        self.is_on = argument == "on"
        if self.is_on:
            self.has_asked = False
            callers.forget()
            callers.older.clear()
            flow.whole.clear()
            trust.forget()
            self.find_program()
            if trust.question():
                # Until the server answers: gdb reads code of `longjmp` and its like now, a packet each.
                gdb.execute("set trust-readonly-sections on")
            if self.has_set_osabi:
                gdb.execute("set osabi auto")
                self.has_set_osabi = False
            self.pass_over_no_loader()
        else:
            self.finish()

connecting = Connecting()

class FlowFrames(gdb.Command):
    """Tell of the frames that were shown last which nothing but calls and returns prove.
A line after the backtrace, and no frame decorator: with a frame filter gdb 13 ends a frame's line, and
tells of a Python exception, at the first argument that cannot be read."""

    def __init__(self):
        super().__init__("csreplay-flow-frames", gdb.COMMAND_SUPPORT)

    def levels(self):
        for level in sorted(flow.bare):
            whole = min((seen for seen in flow.frames if seen > level), default=level + 1)
            yield from range(level + 1, whole + 1)  # what was inlined there, too

    def invoke(self, argument, from_tty):
        try:
            at = (gdb.selected_thread().num, int(gdb.newest_frame().read_register("trace_pos")))
        except (gdb.error, AttributeError):
            return
        levels = ["#%d" % level for level in self.levels()] if at == flow.at else []
        if levels:
            more = " ..." if len(levels) > 8 else ""
            print("[flow] %s%s: proved by calls and returns alone; where the stack is there is not known"
                  % (" ".join(levels[:8]), more))

FlowFrames()

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
        at = position()
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

    def run_back(self, position, pc):
        """As reverse-continue, to a position at the latest."""
        call = gdb.Breakpoint("*" + pc, internal=True)
        call.silent = True
        call.condition = "$trace_pos == " + position
        try:
            gdb.execute("reverse-continue")
        finally:
            call.delete()
        if int(gdb.parse_and_eval("$trace_pos")) == int(position):
            gdb.write(gdb.execute("frame 0", to_string=True).replace("#0  ", "", 1))

ReverseFinish()

KINDS = {}  # of arguments, in capitals, the words that are one as they are; the server's

def position_words():
    """Words that are a position: the server's, and marks."""
    return [*KINDS.get("POSITION", ()), *re.findall(r": (\S+) is ", ask("marks"))]

class To(gdb.Command):
    """Go to a position of the selected core's history: an expression that begins as a number or with $, or what
the server takes for a position. gdb would look for the selected frame in the whole stack there: it is kept
from that."""

    EXPRESSION = re.compile(r"[\d$(][^%]*$")

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_RUNNING)

    def complete(self, text, word):
        last = text.split(" ")[-1]
        return [one[len(last) - len(word):] for one in position_words() if one.startswith(last)]

    def seek(self, argument):
        limit = gdb.parameter("backtrace limit")
        gdb.execute("set backtrace limit 1")
        try:
            gdb.execute("set $trace_pos = " + argument)
        finally:
            gdb.execute("set backtrace limit " + (str(limit) if limit else "unlimited"))

    def invoke(self, argument, from_tty):
        argument = argument.removeprefix("$mark_")  # the server keeps marks
        if self.EXPRESSION.match(argument):
            self.evaluate(argument)
        else:
            self.ask(argument)
        gdb.execute("frame 0")

    def ask(self, argument):
        """By the server. Nothing but the position is another then."""
        refresh.is_off = True
        try:
            gdb.execute("monitor --reread seek " + argument)
        finally:
            refresh.is_off = False
            for cache in ("register-cache", "dcache"):
                gdb.execute("maintenance flush " + cache, to_string=True)

    def evaluate(self, argument):
        try:
            try:
                self.seek(argument)
            except gdb.error as error:
                # What gdb says where a caller's frame is selected. To ask which one is would unwind it.
                if "unmodifiable" not in str(error):
                    raise
                gdb.newest_frame().select()
                self.seek(argument)
        except gdb.error as error:
            raise gdb.GdbError(str(error))

for name in ("csreplay-to", "seek"):
    To(name)

class ServerCommand(gdb.Command):
    """A command of the server's, for `monitor`, as one of gdb's."""

    def __init__(self, name, arguments, text):
        self.name = name
        self.kinds = set(re.findall(r"[A-Za-z][A-Za-z-]+", arguments))
        self.__doc__ = "%s: %s" % (text[0].upper() + text[1:], (name + " " + arguments).rstrip())
        super().__init__(name, gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        at = position()
        gdb.execute(("monitor %s %s" % (self.name, argument)).rstrip())
        if position() != at:
            gdb.execute("frame 0")

    def words(self):
        """What may be typed: words that are meant as they are, and what those in capitals stand for."""
        yield from (kind for kind in self.kinds if kind.islower())
        if self.kinds & {"POSITION", "RANGE", "MARK"}:
            yield from position_words()
        if self.kinds & {"REG", "NAME"}:
            yield from (str(one) for one in gdb.selected_frame().architecture().registers() if str(one))

    def complete(self, text, word):
        try:
            last = text.split(" ")[-1]
            found = [one[len(last) - len(word):] for one in self.words() if one.startswith(last)]
        except gdb.error:
            found = []
        if not found and self.kinds & {"ADDR", "FUNCTION", "NAME"}:
            return gdb.COMPLETE_SYMBOL
        return found

class Commands(gdb.Command):
    """Make gdb's commands of the server's. What gdb has by that name, or this file with more to it, stays."""

    PLAIN = ("gaps", "mark")  # of this file, for a gdb without Python: the server's do more

    def __init__(self):
        super().__init__("csreplay-commands", gdb.COMMAND_SUPPORT)

    def invoke(self, argument, from_tty):
        for line in ask("help --raw").splitlines():
            row = line.split("\t")
            if len(row) == 3 and row[0].isupper():
                KINDS[row[0]] = row[1].split("|")
            elif len(row) == 3 and (row[0] in self.PLAIN or not self.is_taken(row[0])):
                ServerCommand(*row)

    def is_taken(self, name):
        return name in gdb.execute("complete " + name, to_string=True).splitlines()

Commands()

class Trust(gdb.Command):
    """Read code and constants from the program's file if memory at the present position has all that is read-only
there, else from memory. Done when gdb connects; files that are added later end it."""

    def __init__(self):
        super().__init__("csreplay-trust", gdb.COMMAND_FILES)
        self.forget()
        gdb.events.new_objfile.connect(self.distrust)

    def invoke(self, argument, from_tty):
        self.distrust()
        if self.agrees():
            gdb.execute("set trust-readonly-sections on")

    def distrust(self, event=None):
        gdb.execute("set trust-readonly-sections off")

    def forget(self):
        self.answer = {}  # by question, when gdb connects

    SECTION = re.compile(r"^ \[\d+\] +0x([0-9a-f]+)->0x([0-9a-f]+) at 0x([0-9a-f]+): .*? (?=ALLOC|LOAD)(.*)$", re.MULTILINE)
    MIRROR = bytes(int("{:08b}".format(byte)[::-1], 2) for byte in range(256))

    def checksum(self, data):
        """That of qCRC, which takes bits the other way round than zlib, and inverts nothing."""
        return int("{:032b}".format(zlib.crc32(data.translate(self.MIRROR)) ^ 0xffffffff)[::-1], 2)

    def question(self):
        """Whether memory has the read-only sections of the program's file; None if there is no such file here."""
        program = gdb.current_progspace().filename
        ranges = []
        try:
            with open(program, "rb") as file:
                for begin, end, offset, flags in self.SECTION.findall(
                        gdb.execute("maintenance info sections", to_string=True)):
                    size = int(end, 16) - int(begin, 16)
                    if size > 0 and {"LOAD", "READONLY"} <= set(flags.split()):
                        file.seek(int(offset, 16))
                        ranges.append("%s,%x,%x" % (begin, size, self.checksum(file.read(size))))
        except (OSError, TypeError, gdb.error):
            return None
        return "--same " + " ".join(ranges) if ranges else None

    def agrees(self):
        program = gdb.current_progspace().filename
        if any(file.owner is None and file.filename != program for file in gdb.objfiles()):
            return False
        question = self.question()
        if question is None:
            return self.agrees_with_served()
        if question not in self.answer:
            if question not in asked:
                ask_all(question)
            self.answer = {question: ask(question)}
        return self.answer[question] == "same\n"

    def agrees_with_served(self):
        """The program that the server gives has no file here: gdb compares its sections, a packet each."""
        try:
            text = gdb.execute("compare-sections -r", to_string=True)
        except gdb.error:
            return False
        return ": matched." in text and "MIS-MATCHED" not in text

trust = Trust()

# What would end the session, or show something else than the history, and what to do instead.
REFUSED = {
    "record": "the history is there already: reverse-stepi, reverse-continue and their like go back in it",
    "gcore": "the snapshot is what there is of the memory: a core file cannot be made of it",
    "generate-core-file": "the snapshot is what there is of the memory: a core file cannot be made of it",
    "call": "a replay runs what has run: no function can be called. print shows values",
    "load": "the replay is read-only: nothing can be loaded",
    "run": "a replay is not started: seek N goes to a position, crash to the halt",
    "starti": "a replay is not started: seek 0 goes to the first instruction",
}

class Refuse(gdb.Command):
    """Say why a command is not for a replay."""

    def __init__(self):
        super().__init__("csreplay-refuse", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        raise gdb.GdbError(REFUSED[argument])

Refuse()
for name in REFUSED:
    gdb.execute("define hook-%s\ncsreplay-refuse %s\nend" % (name, name))
