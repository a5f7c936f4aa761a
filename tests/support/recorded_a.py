# SPDX-License-Identifier: Apache-2.0
"""A Cortex-A9 in A32 as a snapshot, recorded under qemu's system emulation: a program of tests/values/programs as one of
the tasks of a_tasks.c, which SVC and a timer's interrupt switch, or a function that changes SP; or in the modes of
a_modes.c, with exceptions of all kinds; or as that of a_handover.c, whose stubs hand over as those of Linux. synth makes the trace of an ETMv4.

The truth lies beside it, as recorded_m.py has it; in place of xPSR is CPSR, and nothing of memory."""
import os
import re
import struct
import subprocess
import sys

VALUES = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "values")
sys.path.append(VALUES)
import m_programs  # noqa: E402, pylint: disable=wrong-import-position
import programs  # noqa: E402, pylint: disable=wrong-import-position
import recorded_m  # noqa: E402, pylint: disable=wrong-import-position
import recordings  # noqa: E402, pylint: disable=wrong-import-position
import wild  # noqa: E402, pylint: disable=wrong-import-position
from recorded_m import LR, PC, SP, Event, State  # noqa: E402, pylint: disable=wrong-import-position

CODE, RAM = 0x60010000, 0x60100000
OPTIONS = ["-mcpu=cortex-a9", "-marm", "-mfloat-abi=soft", "-g", "-ffreestanding", "-nostdlib", "-Wl,-e,reset",
           f"-Wl,--defsym=code={CODE:#x},--defsym=ram={RAM:#x}"]
SYSTEM_MODE = 0x1f
MACHINE = [m_programs.EMULATOR, "-M", "vexpress-a9", "-audiodev", "none,id=none", "-display", "none", "-serial", "none",
           "-monitor", "none", "-icount", "shift=6", "-kernel", "elf", "-singlestep", "-d", "cpu,int,nochain", "-D",
           recordings.LOG, "-gdb", "unix:gdb,server=on,wait=off", "-S"]
# Where the program runs, the options to compile it, and where the recording begins.
KINDS = {"atasks": ("a_tasks.c", [], "start_first"), "rtasks": ("a_tasks.c", ["-DBY_RETURN"], "start_first"),
         "amodes": ("a_modes.c", [], "start"), "ahandover": ("a_handover.c", [], "start")}
END = "finished"
TASKS, STACK_SIZE = 3, 2048  # of a_tasks.c
UNDEFINED, CALL, BREAKPOINT, ALIGNMENT, IRQ, FIQ = 3, 2, 6, 10, 14, 15  # as an ETMv4 numbers them
NUMBERS = {1: UNDEFINED, 2: CALL, 3: BREAKPOINT, 4: ALIGNMENT, 5: IRQ, 6: FIQ, 7: BREAKPOINT}  # and as qemu does
# What LR is more than the preferred return address. But for a call's, the instruction there has not been executed.
LINK_OFFSET = {UNDEFINED: 4, CALL: 0, BREAKPOINT: 4, ALIGNMENT: 8, IRQ: 4, FIQ: 4}
STACK_TOP = 0x40000  # of m.ld
# What the program runs on, beside what it is linked to, if that is to be dumped.
MORE = {"ahandover": [(RAM + STACK_TOP - 0x1000, RAM + STACK_TOP)]}
FRAME_SIZE = 8  # which SRS puts on the stack of a_tasks.c
ENTRY_SIZE = {CALL: 3, IRQ: 4}  # instructions from the vector on until the mode, and SP, are those of the task


def read_log(path, begin):
    """The states from the first at `begin` on, and {index of a handler's first state: number of the exception}."""
    states, taken, registers = [], {}, []
    with open(path, encoding="ascii", errors="replace") as file:
        for line in file:
            found = re.match(r"Taking exception (\d+)", line)
            if line.startswith("R"):
                registers += [int(value, 16) for value in re.findall(r"R\d\d=(\w+)", line)]
            elif line.startswith("PSR="):
                if states or registers[PC] == begin:
                    states.append(State(tuple(registers), int(line[4:12], 16)))
                registers = []
            elif found and states:
                taken[len(states)] = NUMBERS[int(found[1])]
    return states, taken


def is_return(opcode):
    """RFEIA SP!; LDM of the PC, and of CPSR; MOVS and SUBS to the PC."""
    return opcode == 0xf8bd0a00 or opcode & 0xfe508000 == 0xe8508000 or opcode in (0xe1b0f00e, 0xe25ef004)


def back_of(number, state):
    """The preferred return address, from a handler's first state."""
    return state.registers[LR] - LINK_OFFSET[number]


def drop_unexecuted(states, taken):
    """qemu logs a state before it finds that an interrupt comes first or that the instruction faults, and that of an access
    to a device twice."""
    kept, moved = [], {}
    for index, state in enumerate(states):
        after = states[index + 1] if index + 1 < len(states) else None
        if taken.get(index + 1, CALL) != CALL:
            is_lost = back_of(taken[index + 1], after) == state.registers[PC]
        else:
            is_lost = state == after
        if index in taken:
            moved[len(kept)] = taken[index]
        if not is_lost:
            kept.append(state)
    return kept, moved


def events_of(states, taken, stacks, opcode_at, stubs):
    """recorded_m.Event of each return and entry; and position of an entry -> where its handler returns to. What is in `stubs`
    hands over, and returns nowhere."""
    events, backs = [], {}
    for position in range(1, len(states)):
        number = taken.get(position, 0)
        pc = states[position - 1].registers[PC]
        has_returned = is_return(opcode_at(pc)) and pc not in stubs
        if not number and not has_returned:
            continue
        sp = states[position].registers[SP]
        if number:
            backs[position] = back_of(number, states[position])
        if number in ENTRY_SIZE:
            sp = states[position + ENTRY_SIZE[number]].registers[SP] + FRAME_SIZE
        events.append(Event(position, has_returned, number, False,
                            recorded_m.stack_of(stacks, STACK_SIZE, sp) if has_returned else None))
    return events, backs


def turns_of(states, stacks):
    """[position, number of the task's stack] where SP goes to another one."""
    turns, running = [], None
    for position, state in enumerate(states):
        stack = recorded_m.stack_of(stacks, STACK_SIZE, state.registers[SP])
        if state.psr & SYSTEM_MODE == SYSTEM_MODE and stack not in (running, "main"):
            turns.append([position, stack])
            running = stack
    return turns


def packets_of(states, events, backs, branches):
    """The trace: an atom a branch, an address after an indirect branch and after an exception."""
    of = {event.position: event for event in events}
    pcs = [state.registers[PC] for state in states]
    lines = ["async", "trace_info 0", "trace_on", f"address_context_32 0 {pcs[0]} 1 0 0"]
    for position, pc in enumerate(pcs[:-1]):
        event, after = of.get(position + 1), pcs[position + 1]
        to = backs.get(position + 1, after)
        if pc in branches:
            size, is_indirect = branches[pc]
            lines.append("atoms %d 1" % (to != pc + size))
            if is_indirect and to != pc + size:
                lines.append(f"address_32 0 {to}")
        if event and event.number:
            lines += [f"exception {event.number} 1", f"address_32 0 {to}", f"address_32 0 {after}"]
    return lines


class Machine:
    """qemu with the program, driven by its gdb stub; the dumps are of the halt."""

    def __init__(self, kind, folder, symbols):
        qemu = recordings.emulate(MACHINE, folder, stderr=subprocess.DEVNULL)
        try:
            stub = programs.Stub(os.path.join(folder, "gdb"))
            stub.run_to(symbols[END])
            self.dumps = {address: stub.memory(address, end - address) for address, end in
                          ((CODE, symbols["data_load"]), (RAM, symbols["bss_end"]), *MORE.get(kind, []))}
            values = stub.ask("g")
            self.halt = State(struct.unpack("<16I", bytes.fromhex(values[:128])),
                              int.from_bytes(bytes.fromhex(values[-8:]), "little"))
        finally:
            qemu.kill()
            qemu.wait()
        os.remove(os.path.join(folder, "gdb"))


def banked(symbols):
    """The stack pointers of a_modes.c's modes at the halt, and what a_handover.c's last abort has left, which qemu's gdb stub does
    not tell; of a_tasks.c they stay unknown."""
    if "stubs" in symbols:
        return ["reg DFSR 0x1", f"reg DFAR {symbols['history'] + 2:#x}", f"reg LR_ABT {symbols['abort_svc']:#x}"]
    if "fast_count" not in symbols:
        return []
    stacks = symbols["stacks"]
    return [f"reg SP_{mode} {stacks + 4096 * (1 + number):#x}" for number, mode in enumerate(("FIQ", "IRQ", "ABT", "UND"))] + \
           [f"reg SP_SVC {RAM + STACK_TOP:#x}"]


def write_recipe(folder, machine, symbols, lines):
    registers = machine.halt.registers
    recipe = ["bare", "core cpu_0 Cortex-A9", *(f"reg R{n} {registers[n]:#x}" for n in range(13)),
              f"reg SP {registers[SP]:#x}", f"reg LR {registers[LR]:#x}", f"reg PC {registers[PC]:#x}",
              f"reg CPSR {machine.halt.psr:#x}", *banked(symbols)]
    for address, data in machine.dumps.items():
        recipe.append(f"dump {address:x} {address:#x}")
        with open(os.path.join(folder, f"{address:x}"), "wb") as file:
            file.write(data)
    recipe += ["source ETM_0 ETM4.2 0x10", *("packet " + line for line in lines)]
    with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as file:
        file.write("\n".join(recipe) + "\n")


def record(kind, program, level, folder):
    recordings.need(m_programs.COMPILER, m_programs.EMULATOR)
    source, options, begin = KINDS[kind]
    elf = os.path.join(folder, "elf")
    sources = [os.path.join(recordings.PROGRAMS, name) for name in (program + ".c", source)]
    subprocess.run([m_programs.COMPILER, *OPTIONS, *options, level, "-T", os.path.join(recordings.PROGRAMS, "m.ld"), "-o", elf,
                    *sources, "-lgcc"], check=True)
    symbols = m_programs.symbols_of(elf)
    machine = Machine(kind, folder, symbols)
    states, taken = read_log(os.path.join(folder, recordings.LOG), symbols[begin])
    while states[-1] == machine.halt:
        states.pop()
    states.append(machine.halt)
    states, taken = drop_unexecuted(states, taken)
    stacks = range(symbols["stacks"], symbols["stacks"] + TASKS * STACK_SIZE) if "stacks" in symbols else range(0)
    opcode_at = recorded_m.code_of(machine.dumps[CODE], CODE)
    stubs = range(symbols.get("stubs", 0), symbols.get("stubs_end", 0))
    events, backs = events_of(states, taken, stacks, opcode_at, stubs)
    turns = turns_of(states, stacks) if kind == "rtasks" else None if stacks else []
    recorded_m.write_truth(folder, states, events, backs, recorded_m.Memory(RAM, b"", stacks), turns)
    branches = wild.branches_of(m_programs.COMPILER, elf)
    branches.update((state.registers[PC], (4, True)) for state in states if is_return(opcode_at(state.registers[PC])))
    write_recipe(folder, machine, symbols, packets_of(states, events, backs, branches))


def make(name):
    """The folder of the recording "KIND_PROGRAM_LEVEL" as a snapshot, kept by what is returned; `elf` is in it. The test
    is skipped where no such program can be built or run."""
    sources = [os.path.join(recordings.PROGRAMS, one) for one in ("a_tasks.c", "a_modes.c", "a_handover.c", "tasks.h")]
    return recorded_m.make_by(record, name, [*sources, __file__, recorded_m.__file__, wild.__file__])
