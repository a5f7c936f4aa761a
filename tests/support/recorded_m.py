# SPDX-License-Identifier: Apache-2.0
"""A Cortex-M3 with a program and lines, as a snapshot: a program of tests/values/programs on the bare core of m_main.c,
with interrupts that nest and are chained, or as one of the tasks of m_tasks.c, recorded under qemu's system emulation.
synth makes the trace of an ETMv4.

The truth lies beside it in the form of the reference material: truth.json, truth.bin.gz, memtruth.bin.gz. In truth.json
are `exceptions`, [position, what comes before the instruction there: "entry", "return" or "chained", the address that an
entry will return to], `turns`, [position, number of the task's stack] of returns to tasks, and `accesses`, [position,
read|write, address, size]."""
import collections
import gzip
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import material
import t32_accesses

VALUES = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "values")
sys.path.append(VALUES)
import m_programs  # noqa: E402, pylint: disable=wrong-import-position
import programs  # noqa: E402, pylint: disable=wrong-import-position
import recordings  # noqa: E402, pylint: disable=wrong-import-position
import wild  # noqa: E402, pylint: disable=wrong-import-position

# Where the recording begins; the stacks of Thread mode: their symbol, how many there are, bytes of each.
Program = collections.namedtuple("Program", "begin stacks count size")
PROGRAMS = {"m": Program("start", "process_stack", 1, 2048), "mtasks": Program("svcall", "stacks", 3, 1024)}
END = "finished"
SP, LR, PC = 13, 14, 15
IPSR = 0x1ff  # 0 in Thread mode
SVC_SIZE = 2
ISB = 0x8f6ff3bf
HANDLER = "handler"
PENDSV = 14
FRAME_SIZE = 32  # bytes that an exception puts on a stack
CHAINED = 0xfffffffe  # in place of a return address: IHI 0064, exceptions of the M profile
State = collections.namedtuple("State", "registers psr")  # R0 to R15
# `stack`: of a return, whose goes on, of those of Program or HANDLER.
Event = collections.namedtuple("Event", "position has_returned number is_chained stack")


def read_log(path, begin):
    """The states from the first at `begin` on, and [(index of the next state, line of qemu's)]."""
    states, notes, registers = [], [], []
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith("R"):
                registers += [int(value, 16) for value in re.findall(r"R\d\d=(\w+)", line)]
            elif line.startswith("XPSR="):
                if states or registers[PC] == begin:
                    states.append(State(tuple(registers), int(line[5:13], 16)))
                registers = []
            elif states:
                notes.append((len(states), line))
    return states, notes


def events_of(notes):
    """What happened before each state: a return, an entry, both; chained: one handler after another."""
    found = {}
    for position, line in notes:
        old = found.get(position, Event(position, False, 0, False, None))
        taken = re.match(r"\.\.\.taking pending nonsecure exception (\d+)", line)
        found[position] = old._replace(
            has_returned=old.has_returned or line.startswith("Exception return:"),
            number=int(taken[1]) if taken else old.number,
            is_chained=old.is_chained or line.startswith("...tail"))
    return [event for event in found.values() if event.has_returned or event.number]


def stack_of(stacks, size, sp):
    """Whose stack it is, by SP in Thread mode: its number, or "main"."""
    return (sp - 1 - stacks.start) // size if sp - 1 in stacks else "main"


def through_entries(resumed):
    """The same, where no instruction is between two handlers: what goes on does so after the last of them."""
    found = {}
    for entry, position in resumed.items():
        while position in resumed:
            position = resumed[position]
        found[entry] = position
    return found


def resumed_at(events, states, whose):
    """Position of an entry -> that at which what it interrupted goes on: of a task, when that has its turn again. And the
    events, with the stack that goes on. A return and an entry at once, not chained, are of two frames. `whose`: an SP of
    Thread mode -> what stack_of() says."""
    found, handlers, waiting, stacks, told = {}, [], {}, [], []
    for event in events:
        before, after = states[event.position - 1], states[event.position]
        left = None
        if event.has_returned and not event.is_chained:
            stack = stacks.pop() if stacks else None
            if event.number and before.psr & IPSR == PENDSV:
                left = whose(before.registers[0] + FRAME_SIZE)  # m_tasks.c: R0 is the PSP that it has set
            elif event.number:
                left = stack
            else:
                left = HANDLER if after.psr & IPSR else whose(after.registers[SP])
            entry = handlers.pop() if left == HANDLER else waiting.pop(left, None)
            if entry is not None:
                found[entry] = event.position
        if event.number and not event.is_chained:
            stack = left if left is not None else HANDLER if before.psr & IPSR else whose(before.registers[SP])
            stacks.append(stack)
            if stack == HANDLER:
                handlers.append(event.position)
            else:
                waiting[stack] = event.position
        told.append(event._replace(stack=left))
    if handlers:
        sys.exit("recorded_m.py: a handler does not return")
    return through_entries(found), told


def drop_unexecuted(states, events, resumed):
    """qemu logs a state before it finds that an interrupt comes first, and that of an access to a device twice. What is
    left of all three."""
    of = {event.position: event for event in events}
    kept, moved = [], {}
    for index, state in enumerate(states):
        moved[index] = len(kept)
        event = of.get(index + 1)
        if event is None:
            is_lost = index + 1 < len(states) and states[index + 1] == state
        else:
            is_lost = event.position in resumed and states[resumed[event.position]] == state
        if not is_lost:
            kept.append(state)
    merged = {}
    for event in events:
        position = moved[event.position]
        old = merged.get(position)
        # A return to an instruction before which the next exception was taken.
        merged[position] = event._replace(position=position) if not old else \
            old._replace(number=event.number, is_chained=False)
    left = {moved[entry]: moved[position] for entry, position in resumed.items()}
    return kept, list(merged.values()), through_entries(left)


class Memory:
    """The program's data, as the recording goes on; `changes` and `accesses` are what happened to it. What an exception
    puts on a stack is not followed, and no stack is part of it."""

    def __init__(self, base, data, stacks):
        self.base, self.data, self.stacks = base, bytearray(data), stacks
        self.changes, self.accesses = [], []

    def has(self, address, size):
        return self.base <= address and address + size <= self.base + len(self.data) and \
            address not in self.stacks

    def check(self, at_end):
        """What the stores have made of it is what it was in the end."""
        for at, (mine, true) in enumerate(zip(self.data, at_end)):
            if mine != true and self.has(self.base + at, 1):
                sys.exit(f"recorded_m.py: {self.base + at:#x} is {mine:#x} and not {true:#x}")

    def write(self, position, address, new):
        at = address - self.base
        old = bytes(self.data[at:at + len(new)])
        self.data[at:at + len(new)] = new
        if old != new:
            self.changes.append((position, address, old, new))


def stored(opcode, size, registers):
    """What an instruction that stores writes."""
    first, second = opcode & 0xffff, opcode >> 16
    if t32_accesses.size_of(opcode) == 4:
        if size == 8 and first >> 9 == 0b1110100 and first & 1 << 6:
            numbers = [second >> 12, second >> 8 & 15]
        elif first >> 9 == 0b1110100:
            numbers = [number for number in range(16) if second >> number & 1]
        else:
            numbers = [second >> 12]
    elif first >> 9 == 0b1011010:
        numbers = [number for number in range(8) if first >> number & 1] + [LR] * (first >> 8 & 1)
    elif first >> 12 == 0b1100:
        numbers = [number for number in range(8) if first >> number & 1]
    elif first >> 12 == 0b1001:
        numbers = [first >> 8 & 7]
    else:
        numbers = [first & 7]
    return b"".join(struct.pack("<I", registers[number]) for number in numbers)[:size]


def run_memory(memory, states, opcode_at):
    """Carries out each store."""
    for position, state in enumerate(states[:-1]):
        pc = state.registers[PC]
        access = t32_accesses.access(opcode_at(pc), pc, state.registers)
        if access and t32_accesses.does_execute(state.psr) and memory.has(access.address, access.size):
            memory.accesses.append((position, *access))
            if access.kind == t32_accesses.WRITE:
                memory.write(position, access.address, stored(opcode_at(pc), access.size, state.registers))


def packets_of(states, events, backs, branches, opcode_at):
    """The trace: an atom a branch and ISB, an address after an indirect branch and after an exception."""
    of = {event.position: event for event in events}
    pcs = [state.registers[PC] for state in states]
    lines = ["async", "trace_info 0", "trace_on", f"address_context_32 1 {pcs[0]} 0 0 0"]
    for position, pc in enumerate(pcs[:-1]):
        event, after = of.get(position + 1), pcs[position + 1]
        back = CHAINED if event and event.is_chained else backs.get(position + 1, after)
        if opcode_at(pc) == ISB:
            lines.append("atoms 1 1")
        elif pc in branches:
            size, is_indirect = branches[pc]
            is_taken = back != pc + size
            lines.append("atoms %d 1" % is_taken)
            if event and event.has_returned:
                lines.append("exception_return")
            elif is_indirect and is_taken:
                lines.append(f"address_32 1 {back}")
            if event and event.has_returned and not event.is_chained:
                lines.append(f"address_32 1 {back}")
        if event and event.number:
            lines += [f"exception {event.number} 1", f"address_32 1 {back}", f"address_32 1 {after}"]
    return lines


def code_of(image, base):
    """The opcode at an address, with its first halfword in the lower half."""
    return lambda pc: int.from_bytes(image[pc - base:pc - base + 4], "little")


def returns_to(states, events, resumed):
    """Position of an entry -> the address that its handler will return to."""
    pcs = [state.registers[PC] for state in states]
    return {event.position: pcs[resumed[event.position]] if event.position in resumed else
            pcs[event.position - 1] + SVC_SIZE  # a task that ended itself
            for event in events if event.number and not event.is_chained}


def write_truth(folder, states, events, backs, memory, turns=None):
    """`turns`: None where returns from exceptions alone have them."""
    if turns is None:
        turns = [[event.position, event.stack] for event in events if event.stack not in (None, HANDLER)]
    about = {"trace": {"first_index": 0, "last_index": len(states) - 2}, "exceptions": [
        [event.position, "chained" if event.is_chained else "both" if event.has_returned and event.number else
         "return" if event.has_returned else "entry",
         backs.get(event.position, 0)] for event in events],
        "turns": turns, "accesses": memory.accesses}
    with open(os.path.join(folder, "truth.json"), "w", encoding="ascii") as file:
        json.dump(about, file)
    with gzip.open(os.path.join(folder, "truth.bin.gz"), "wb", 1) as file:
        for state in states:
            values = [*state.registers[:15], *[0] * 16, state.registers[SP]]
            file.write(struct.pack("<Q32QI4x", state.registers[PC], *values, state.psr))
    with gzip.open(os.path.join(folder, "memtruth.bin.gz"), "wb", 1) as file:
        for position, address, old, new in memory.changes:
            file.write(struct.pack("<IIQ", position, len(old), address) + old + new)


class Machine:
    """qemu with the program, driven by its gdb stub; the dumps are of the halt."""

    def __init__(self, core, folder, symbols):
        self.base, self.ram = m_programs.CORES[core][2:]
        qemu = recordings.emulate(
            [m_programs.EMULATOR, "-M", m_programs.CORES[core][1], "-display", "none", "-serial", "none", "-monitor",
             "none", "-semihosting", "-icount", "shift=6", "-kernel", "elf", "-singlestep", "-d", "cpu,int,nochain", "-D",
             recordings.LOG, "-gdb", "unix:gdb,server=on,wait=off", "-S"], folder)
        try:
            stub = programs.Stub(os.path.join(folder, "gdb"))
            stub.run_to(symbols[PROGRAMS[core].begin])
            self.at_begin = stub.memory(self.ram, symbols["bss_end"] - self.ram)
            stub.run_to(symbols[END])
            self.at_end = stub.memory(self.ram, symbols["bss_end"] - self.ram)
            self.stack = stub.memory(self.ram + m_programs.STACK, m_programs.STACK_SIZE)
            values = stub.ask("g")
            words = struct.unpack("<16I", bytes.fromhex(values[:128]))
            self.halt = State(words, int.from_bytes(bytes.fromhex(values[-8:]), "little"))
        finally:
            qemu.kill()
            qemu.wait()
        os.remove(os.path.join(folder, "gdb"))


def record(core, program, level, folder):
    recordings.need(m_programs.COMPILER, m_programs.EMULATOR)
    elf = m_programs.build(program, core, [level, "-g", "-DPERIOD=15000"], folder)
    symbols = m_programs.symbols_of(elf)
    m_programs.write_dumps(elf, core, symbols, folder)  # of which the image is taken
    machine = Machine(core, folder, symbols)
    about = PROGRAMS[core]
    stacks = range(symbols[about.stacks], symbols[about.stacks] + about.count * about.size)
    states, notes = read_log(os.path.join(folder, recordings.LOG), symbols[about.begin])
    while states[-1] == machine.halt:
        states.pop()
    states.append(machine.halt)
    events = events_of(notes)
    resumed, events = resumed_at(events, states, lambda sp: stack_of(stacks, about.size, sp))
    states, events, resumed = drop_unexecuted(states, events, resumed)
    with open(os.path.join(folder, "image"), "rb") as file:
        image = file.read()
    memory = Memory(machine.ram, machine.at_begin, stacks)
    run_memory(memory, states, code_of(image, machine.base))
    memory.check(machine.at_end)
    backs = returns_to(states, events, resumed)
    write_truth(folder, states, events, backs, memory)
    lines = packets_of(states, events, backs, wild.branches_of(m_programs.COMPILER, elf), code_of(image, machine.base))
    # Of a thread a handler finds the main stack as the next one will.
    msp = [states[event.position].registers[SP] for event in events
           if event.number and states[event.position].registers[LR] & 0xc == 0xc][-1]
    write_recipe(folder, machine, msp, lines)


def write_recipe(folder, machine, msp, lines):
    halt = machine.halt
    dumps = (("image", machine.base, None), ("data", machine.ram, machine.at_end),
             ("stack", machine.ram + m_programs.STACK, machine.stack))
    registers = {**{f"R{n}": halt.registers[n] for n in range(13)}, "SP": halt.registers[SP], "LR": halt.registers[LR],
                 "PC": halt.registers[PC], "XPSR": halt.psr, "MSP": msp, "PSP": halt.registers[SP], "CONTROL": 2}
    recipe = ["bare", "core cpu_0 Cortex-M3", *(f"reg {name} {value:#x}" for name, value in registers.items())]
    for name, address, data in dumps:
        recipe.append(f"dump {name} {address:#x}")
        if data is not None:
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
    recipe += ["source ETM_0 ETM4.2 0x10", *("packet " + line for line in lines)]
    with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as file:
        file.write("\n".join(recipe) + "\n")


def make(name):
    """The folder of the recording "m_PROGRAM_LEVEL" or "mtasks_PROGRAM_LEVEL" as a snapshot, kept by what is returned;
    `elf` is in it. The test is skipped where no such program can be built or run."""
    sources = [os.path.join(VALUES, "m_programs.py"), __file__, t32_accesses.__file__, wild.__file__]
    return make_by(record, name, sources)


def make_by(recorder, name, sources):
    """`recorder`(CORE, PROGRAM, LEVEL, folder) makes a recording with a recipe in the folder; it depends on `sources`, too."""
    core, program, level = name.split("_")
    sources = [os.path.join(recordings.PROGRAMS, program + ".c"), *sources]
    scratch = tempfile.TemporaryDirectory()
    try:
        with recordings.recorded(["snapshot", core, program, level], sources,
                                 lambda folder: recorder(core, program, "-" + level, folder)) as folder:
            shutil.copytree(folder, scratch.name, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns(recordings.LOG, recordings.PACKED))
    except recordings.Skipped as skipped:
        material.skip(str(skipped))
    subprocess.run([os.environ["CSREPLAY_SYNTH"], "snapshot", os.path.join(scratch.name, "recipe"), scratch.name], check=True)
    return scratch
