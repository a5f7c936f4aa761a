# SPDX-License-Identifier: Apache-2.0
"""lldb's part of csreplay, which lldbinit loads: the server's commands (`monitor help`) as commands of lldb, and
continues of the selected core in the direction that they say; and nothing of the program's file in place of memory
that is not known. In: what the server says. Out: text, the core's place."""
import itertools
import re

import lldb

try:  # since lldb 20; without it commands are not completed
    from lldb.plugins.parsed_cmd import ParsedCommand
except ImportError:
    ParsedCommand = None
try:  # since lldb 22; without it callers are what lldb takes for them
    from lldb.plugins.scripted_frame_provider import ScriptedFrameProvider
except ImportError:
    ScriptedFrameProvider = None


def run(debugger, command, thread=None):
    """What an lldb command says, of a thread or of the selected one; RuntimeError with lldb's reason if it fails."""
    result = lldb.SBCommandReturnObject()
    if thread is None:
        debugger.GetCommandInterpreter().HandleCommand(command, result)
    else:
        debugger.GetCommandInterpreter().HandleCommand(command, lldb.SBExecutionContext(thread.GetFrameAtIndex(0)), result, False)
    if not result.Succeeded():
        raise RuntimeError((result.GetError() or "it failed").strip())
    return result.GetOutput() or ""


def ask(debugger, command):
    """The server's answer to a line of `monitor`, of the selected core. Without the packet that lldb tells
    of."""
    choose(debugger)
    said = run(debugger, "process plugin packet monitor --reread " + command)
    return "".join(line for line in said.splitlines(keepends=True)
                   if not re.match(r"\s*(packet|response): ", line))


def choose(debugger):
    """Tells the server the selected thread: lldb asks nothing when one is selected, so that it cannot know."""
    thread = debugger.GetSelectedTarget().GetProcess().GetSelectedThread()
    if not thread.IsValid():
        raise RuntimeError("no core to ask about: connect with gdb-remote HOST:PORT")
    run(debugger, f"process plugin packet send T{thread.GetThreadID():x}")
    return thread.GetThreadID()


def positions(debugger):
    """Where the server has each core: by the number of its thread."""
    found = re.findall(r"^[* ] (\d+) .*: position (\d+) of ", ask(debugger, "position"), re.MULTILINE)
    return {int(number): int(at) for number, at in found}


def forget_steps(debugger):
    """A step that met an end of the history is not over for lldb: it would go on with it, forward, at the next continue."""
    process = debugger.GetSelectedTarget().GetProcess()
    selected = process.GetSelectedThread()
    for thread in process:
        process.SetSelectedThread(thread)
        try:
            run(debugger, "thread plan discard 1")
        except RuntimeError:
            pass  # it has none
    process.SetSelectedThread(selected)


def refresh(debugger, at, now):
    """Reads anew what may be another where cores are now: lldb does so of a thread after it has written a register of it. A
    core may have taken others along."""
    process = debugger.GetSelectedTarget().GetProcess()
    for thread in process:
        if thread.GetThreadID() in now:
            run(debugger, f"register write trace_pos {now[thread.GetThreadID()]}", thread)
    # Frames that it finds again keep the values of their variables until a stop, or a write of memory, be it refused.
    process.WriteMemory(0, b"\0", lldb.SBError())
    selected = choose(debugger)
    said = limit_frames(process.GetSelectedThread())
    return said + run(debugger, "frame select 0") if now.get(selected) != at.get(selected) else said


def parts(section):
    """The sections of a segment, which lldb has as a section around them."""
    found = [part for inner in section for part in parts(inner)]
    return found or ([section] if section.GetByteSize() else [])


def is_code(section):
    return bool(section.GetPermissions() & lldb.ePermissionsExecutable)


def leave_files(target):
    """Where the server does not know memory, lldb shows what the program's file has there: zeros, or what a variable was at
    the start. It has two tables, of the address of each section and of the section at each address, and finds the file
    by the second: all but code is taken out of it. Variables are found by the first. Code stays, for the names of
    addresses. The names of files that lldb still finds: one without segments cannot be taken out."""
    for module in target.module_iter():
        segments = [section for section in module.section_iter()
                    if section.GetNumSubSections() and section.GetLoadAddress(target) != lldb.LLDB_INVALID_ADDRESS]
        loaded = [(part, part.GetLoadAddress(target)) for segment in segments for part in parts(segment)]
        if not any(target.ResolveLoadAddress(address).GetSection() for part, address in loaded if not is_code(part)):
            continue
        # This unloads all segments of the module, but no section in them, and takes breakpoints out.
        target.ClearSectionLoadAddress(segments[0])
        for part, address in loaded:
            if not is_code(part):
                target.SetSectionLoadAddress(part, address)
                # The segment takes the address's place in the second table, and leaves with it.
                target.SetSectionLoadAddress(segments[0], address)
                target.ClearSectionLoadAddress(segments[0])
        # Last, as breakpoints are set again when something is loaded.
        for part, address in loaded:
            if is_code(part):
                target.SetSectionLoadAddress(part, address)
    return [module.GetFileSpec().GetFilename() for module in target.module_iter()
            if any(target.ResolveLoadAddress(part.GetLoadAddress(target)).GetSection()
                   for section in module.section_iter() for part in parts(section)
                   if part.GetLoadAddress(target) != lldb.LLDB_INVALID_ADDRESS and not is_code(part))]


def flow(debugger, thread):
    """The frames that the trace's calls and returns prove, innermost first, as words; with the registers that the caller of
    each had at the call, as far as they are known."""
    level, found = 0, [None]
    while found:
        said = ask(debugger, f"stack --raw {thread.GetThreadID():x} {level}")
        lines = [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in said.splitlines()]
        found = [words for words in lines if "position" in words]
        level += len(found)
        yield from found


def concrete(thread, index):
    """Of lldb's frames from an index on, those up to the next that is no inlined function's and no call in place of a
    return: the first of them that is none of these calls, or None; and the index after them."""
    first = None
    while True:
        frame = thread.GetFrameAtIndex(index)
        if not frame.IsValid():
            return None, index
        index += 1
        if not frame.IsArtificial():
            first = first or frame
            if not frame.IsInlined():
                return first, index


def is_caller(frame, words):
    """Whether a frame is the caller that the trace proves, with the stack and the registers that it had at the call."""
    if frame.GetPC() != int(words["caller"], 16):
        return False
    if "sp" not in words:
        return "halt" in words
    for name, value in words.items():
        if name == "sp" or re.match(r"[xr]\d+$", name):
            seen = frame.FindRegister(name)
            if seen.IsValid() and seen.GetValue() is not None and seen.GetValueAsUnsigned() != int(value, 16):
                return False
    return True


def proved_frames(debugger, thread):
    """How many frames lldb may show, if not all. Where a register or a word of the stack is not known lldb tries other ways
    to find the caller, and may take its caller for it, or another place for its stack. What is older than the trace is
    what lldb saw at the halt; so is all where the server has no calls."""
    index, words, older = concrete(thread, 0)[1], None, Frames.older
    for words in itertools.islice(flow(debugger, thread), FRAMES_MOST):
        if "caller" not in words:
            break
        frame, after = concrete(thread, index)
        if frame is None:
            return None
        if not is_caller(frame, words):
            return index
        index = after
    else:
        return None
    if "halt" in words:
        older[thread.GetThreadID()] = (words["call"], [])
    call, seen = older.get(thread.GetThreadID(), (None, []))
    for level in range(FRAMES_MOST):
        frame, after = concrete(thread, index)
        if frame is None:
            return None
        if "halt" in words:
            seen.append((frame.GetPC(), frame.GetSP()))
        elif call != words["call"] or level >= len(seen) or seen[level] != (frame.GetPC(), frame.GetSP()):
            return index
        index = after
    return None


FRAMES_MOST = 100  # that are looked at, from the newest on


class Frames(ScriptedFrameProvider or object):
    """The first frames of each thread, where not all that lldb has of the selected one are proved. What asks holds a lock of the
    frames, and another thread may wait for that one while it holds the lock that all of lldb's interface takes: nothing of it is
    called here, not even to ask which thread it is."""

    older = {}  # by thread, what lldb sees at the halt of callers that are older than the trace: the call, and their PC and SP
    number = None  # of this, where lldb has it
    count = 0

    @staticmethod
    def get_description():
        return "no callers but those that the trace proves"

    def __init__(self, _frames, _args):
        pass

    def get_frame_at_index(self, index):
        return index if index < Frames.count else None


def limit_frames(thread):
    """Has lldb show of a thread those frames that are proved; what it does not show is said."""
    target, error = thread.GetProcess().GetTarget(), lldb.SBError()
    if not ScriptedFrameProvider or not KINDS:
        return ""
    if Frames.number is not None:
        target.RemoveScriptedFrameProvider(Frames.number)
        Frames.number = None
    count = proved_frames(target.GetDebugger(), thread)
    if count is None:
        return ""
    Frames.count = count
    Frames.number = target.RegisterScriptedFrameProvider(f"{__name__}.Frames", lldb.SBStructuredData(), error)
    return f"csreplay: what lldb takes for frame #{count} is not proved; `stack` lists the callers that are\n"


TEXT_MOST = 1024
TEXTS = {r"^(unsigned )?char ?(\*|\[\])$": "-p -r", r"^((un)?signed )?char ?\[[0-9]+\]$": "-p -v"}  # as lldb's own
ESCAPES = {byte: f"\\x{byte:02x}" for byte in (*range(32), 127)}
ESCAPES.update({0xdc00 + byte: f"\\x{byte:02x}" for byte in range(128, 256)})  # what is no UTF-8 ("surrogateescape")
ESCAPES.update({ord("\n"): r"\n", ord("\r"): r"\r", ord("\t"): r"\t", ord('"'): r'\"', ord("\\"): r"\\"})


def text(value, _dict):
    """A pointer to char, or an array of it, as text. lldb's own is empty where memory is not known."""
    if value.GetType().GetCanonicalType().IsArrayType():
        data = bytes(value.GetData().uint8)
        is_whole = bool(data)
    else:
        address, target, error = value.GetValueAsUnsigned(), value.GetTarget(), lldb.SBError()
        if not address:
            return ""
        if target.GetProcess().IsValid():
            data = target.GetProcess().ReadMemory(address, TEXT_MOST, error) or b""
        else:
            data = target.ReadMemory(lldb.SBAddress(address, target), TEXT_MOST, error) or b""
        is_whole = b"\0" in data or len(data) == TEXT_MOST
    shown = data.split(b"\0")[0].decode("utf-8", "surrogateescape").translate(ESCAPES)
    if is_whole:
        return f'"{shown}"' + ("..." if len(data) == TEXT_MOST and b"\0" not in data else "")
    return f'"{shown}", then not known' if shown else "not known"


FROM_FILE = "csreplay: where memory is not known, lldb's `memory read`, `x` and `disassemble` show what the file {} has there\n"


class Command:
    """A command of lldb's; `text` is its help."""

    text = ""

    def __init__(self, *_):
        pass

    def get_short_help(self):
        return self.text

    def get_long_help(self):
        return self.text

    def __call__(self, debugger, argument, _context, result):
        try:
            result.Print(self.do(debugger, argument.strip()))
        except RuntimeError as error:
            result.SetError(str(error))

    def do(self, debugger, argument):
        """What it says."""
        raise NotImplementedError


def tell_stop(debugger, now):
    """Where no user types into lldb but an editor drives it (lldb-dap), that goes on with what it had at the last stop: it gets one,
    by a continue that ends where the core is."""
    if debugger.GetCommandInterpreter().IsInteractive() or not debugger.GetAsync():
        return
    forget_steps(debugger)
    number = choose(debugger)
    run(debugger, f"process plugin packet monitor seek {now[number]}")
    Stops.moved = number
    debugger.GetSelectedTarget().GetProcess().Continue()


class ServerCommand(Command):
    """A command of the server's."""

    name = ""

    def do(self, debugger, argument):
        at = positions(debugger)
        said = ask(debugger, f"{self.name} {argument}".rstrip())
        now = positions(debugger)
        said += refresh(debugger, at, now)
        if now != at:
            tell_stop(debugger, now)
        return said


KINDS = {}  # of arguments, in capitals, the words that are one as they are; the server's
WORDS_MOST = 200


def marks(debugger):
    return re.findall(r": (\S+) is ", ask(debugger, "marks"))


def registers(debugger):
    frame = debugger.GetSelectedTarget().GetProcess().GetSelectedThread().GetFrameAtIndex(0)
    return [register.GetName() for kind in frame.GetRegisters() for register in kind]


def functions(debugger):
    target = debugger.GetSelectedTarget()
    return [symbol.GetName() for module in target.module_iter() for symbol in module
            if symbol.GetType() == lldb.eSymbolTypeCode and symbol.GetName()]


def choices(arguments):
    """Words that a row of the server's help offers as they are: those in lower case between bars."""
    return [word for part in re.findall(r"[\w-]+(?:\|[\w-]+)+", arguments) for word in part.split("|") if word.islower()]


def candidates(debugger, arguments):
    """What may stand as an argument of a command, by what the server's help says of its arguments."""
    words = choices(arguments)
    if re.search(r"POSITION|RANGE|MARK", arguments):
        words += [*KINDS.get("POSITION", ()), *marks(debugger)]
    if "REG" in arguments:
        words += registers(debugger)
    if "FUNCTION" in arguments:
        words += functions(debugger)
    return words


if ParsedCommand:
    class Completed(ParsedCommand):
        """A command of the server's whose arguments lldb completes. They have no options: `-10` is an argument."""

        arguments = ""
        get_short_help = Command.get_short_help
        get_long_help = Command.get_long_help

        def setup_command_definition(self):
            parser = self.get_parser()
            parser.add_argument_set([parser.make_argument_element(lldb.eArgTypeName, "star")])

        def __call__(self, debugger, arguments, context, result):
            words = [arguments.GetItemAtIndex(i).GetStringValue(4096) for i in range(arguments.GetSize())]
            Command.__call__(self, debugger, " ".join(words), context, result)

        def handle_argument_completion(self, args, arg_pos, cursor_pos):
            begun = args[arg_pos][:cursor_pos] if arg_pos < len(args) else ""
            try:
                found = sorted({word for word in candidates(self.debugger, self.arguments) if word.startswith(begun)})
            except RuntimeError:
                return True
            if len(found) == 1:
                return {"completion": found[0], "mode": "complete"}
            return {"values": found[:WORDS_MOST]} if found else True


class ReverseContinue(Command):
    """lldb's `process continue --reverse`, of the selected core and not of that which stopped last."""

    text = "Run the selected core backward: reverse-continue"
    option = "--reverse"

    def do(self, debugger, argument):
        Stops.moved = choose(debugger)
        forget_steps(debugger)
        return run(debugger, f"process continue {self.option} {argument}".rstrip())


class ForwardContinue(ReverseContinue):
    """The same on. lldb's own `continue` goes on in the direction of the one before it."""

    text = "Run the selected core forward: forward-continue, continue or c"
    option = "--forward"


class Stops:
    """A stop hook. At the first stop, that of connecting, lldb gets the server's commands. At that of a core which
    was told to move it is selected: lldb would select the first one at the history's begin and end. At each the files
    that were added since are left, too."""

    moved = None

    def __init__(self, _target, _extra, _dict):
        self.is_first = True
        self.told = set()  # of files

    def handle_stop(self, context, stream):
        for name in leave_files(context.GetTarget()):
            if name not in self.told:
                self.told.add(name)
                stream.Print(FROM_FILE.format(name))
        if self.is_first:
            self.is_first = False
            try:
                add_commands(context.GetTarget().GetDebugger())
            except RuntimeError:
                pass  # another server than csreplay's: it has none
        if Stops.moved is not None:
            process = context.GetTarget().GetProcess()
            if not self.is_of_another(process):
                process.SetSelectedThreadByID(Stops.moved)
            Stops.moved = None
        try:
            stream.Print(limit_frames(context.GetTarget().GetProcess().GetSelectedThread()))
        except RuntimeError:
            pass
        return True

    def is_of_another(self, process):
        """Another core stopped first, of those that went along."""
        reasons = (lldb.eStopReasonBreakpoint, lldb.eStopReasonWatchpoint)
        return any(thread.GetThreadID() != Stops.moved and thread.GetStopReason() in reasons
                   for thread in process)


def add(debugger, name, made):
    """Makes a class the command `name`. What lldb has by that name stays."""
    interpreter = debugger.GetCommandInterpreter()
    if interpreter.CommandExists(name) or interpreter.AliasExists(name) or interpreter.UserCommandExists(name):
        return
    made.__name__ = "Command_" + name.replace("-", "_")
    globals()[made.__name__] = made
    kind = "-p " if ParsedCommand and issubclass(made, ParsedCommand) else ""
    # Else lldb would wait for stops, which an editor is not told of then.
    kind += "-s current "
    run(debugger, f"command script add {kind}-c {__name__}.{made.__name__} {name}")


def add_commands(debugger):
    for line in ask(debugger, "help --raw").splitlines():
        row = line.split("\t")
        if len(row) == 3:
            name, arguments, text = row
            if name.isupper():
                KINDS[name] = arguments.split("|")
                continue
            whole = f"{text[0].upper()}{text[1:]}: {name} {arguments}".rstrip()
            kinds = (Completed, ServerCommand) if ParsedCommand else (ServerCommand,)
            add(debugger, name, type(name, kinds, {"name": name, "text": whole, "arguments": arguments}))


def __lldb_init_module(debugger, _dict):
    add(debugger, "reverse-continue", ReverseContinue)
    add(debugger, "forward-continue", ForwardContinue)
    for name in ("c", "continue"):
        run(debugger, f"command alias {name} forward-continue")
    for types, options in TEXTS.items():
        run(debugger, f"type summary add -F {__name__}.text {options} -x '{types}'")
    run(debugger, f"target stop-hook add -P {__name__}.Stops")
