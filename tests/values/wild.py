#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A crash through a wild pointer is as well known at an address that is not aligned as at one that is.

usage: wild.py SYNTH a64|a32|t32

programs/wild.c is built for either address and recorded under qemu user mode, instruction by instruction up
to its crash. synth makes the trace of an ETMv4, whose addresses lack the low bits. The history has to be
what ran, no value of the past wrong, and the shares known equal.
"""
import os
import re
import subprocess
import sys
import tempfile

import programs
import recordings

INSTRUCTION_FAULT = 11
LINE = re.compile(r"^ *([0-9a-f]+):\t([0-9a-f ]+)\t(\S+)(?:\t(.*))?$")
BRANCH = re.compile(r"(?:b|bl|blx|bx|br|blr|ret|cbn?z|tbn?z)(?:\.?(?:eq|ne|cs|cc|hs|lo|mi|pl|vs|vc|hi|ls"
                    r"|ge|lt|gt|le))?(?:\.[nw])?$")
LOADS_PC = re.compile(r"(?:pop|ldm)\S* .*\bpc\b.*}|ldr\S* pc,")
# Options of the compiler, wild addresses (the pointer, the PC that it gives), CPSR.T.
KINDS = {
    "a64": ("a64", [], ((0x777774, 0x777774), (0x777777, 0x777777)), 0),
    "a32": ("a32", [], ((0x777774, 0x777774), (0x777776, 0x777776)), 0),
    "t32": ("t32", [], ((0x777775, 0x777774), (0x777777, 0x777776)), 1),
}
STACK = 1 << 12


def build(target, wild, folder):
    elf = os.path.join(folder, "elf")
    source = os.path.join(recordings.PROGRAMS, "wild.c")
    subprocess.run(target[0] + ["-O1", "-g0", "-static", "-nostdlib", "-ffreestanding", "-fno-pie", "-no-pie",
                                "-fno-stack-protector", "-DWILD=%#x" % wild, "-o", elf, source], check=True)
    return elf


def branches_of(compiler, elf):
    """address -> (bytes, whether it is indirect) of each branch."""
    done = subprocess.run([compiler.replace("-gcc", "-objdump"), "-d", elf], capture_output=True,
                          text=True, check=True)
    found = {}
    for line in map(LINE.match, done.stdout.splitlines()):
        if line and (BRANCH.match(line[3]) or LOADS_PC.match(f"{line[3]} {line[4]}")):
            size = len(line[2].replace(" ", "")) // 2
            found[int(line[1], 16)] = (size, not re.search(r"[0-9a-f]+ <", line[4] or ""))
    return found


class Run:
    """`states` are (PC, registers, CPSR) before each instruction, and at the crash; `dumps` the memory then."""

    def __init__(self, target, elf, folder):
        self.size, self.sp = target[2:]
        self.folder = folder
        qemu = recordings.emulate(target[1] + ["-g", "gdb", "elf"], folder)
        try:
            stub = programs.Stub(os.path.join(folder, "gdb"))
            self.states = [self.state(stub)]
            while stub.ask("s").startswith("T05"):
                self.states.append(self.state(stub))
                if len(self.states) > 20000:
                    sys.exit("the program does not crash")
            if self.state(stub)[0] != self.states[-1][0]:
                self.states.append(self.state(stub))
            self.dumps = self.dump(stub, elf)
        finally:
            qemu.kill()
            qemu.wait()

    def state(self, stub):
        data = bytes.fromhex(stub.ask("g"))
        count = 33 if self.size == 8 else 16
        values = [int.from_bytes(data[self.size * i:self.size * (i + 1)], "little") for i in range(count)]
        at = 33 * 8 if self.size == 8 else 16 * 4 + 8 * 12 + 4  # after the registers of the FPA
        cpsr = int.from_bytes(data[at:at + 4], "little")
        return (values[32], values[:32], cpsr) if self.size == 8 else (values[15], values[:15], cpsr)

    def dump(self, stub, elf):
        ranges = [(address, length) for address, length, _ in programs.segments_of(elf)]
        low = min(state[1][self.sp] for state in self.states)
        ranges.append((low, self.states[0][1][self.sp] + 64 - low))
        dumps = []
        for address, length in ranges:
            name = "%x.bin" % address
            with open(os.path.join(self.folder, name), "wb") as file:
                file.write(stub.memory(address, length).ljust(length, b"\0"))
            dumps.append((name, address))
        return dumps


def packets_of(run, branches, is_64, is_t32):
    """The trace: an atom a branch, an address after an indirect one, and the fault that ends it."""
    form = "64 0" if is_64 else "32 %d" % is_t32
    pcs = [state[0] for state in run.states]
    lines = ["async", "trace_info 0", "trace_on",
             "address_context_%s %d 0 %d 1" % (form, pcs[0], is_64)]
    for pc, after in zip(pcs, pcs[1:]):
        if pc not in branches:
            continue
        size, is_indirect = branches[pc]
        taken = after != pc + size
        lines.append("atoms %d 1" % taken)
        if is_indirect and taken:
            lines.append("address_%s %d" % (form, after))
    return lines + ["exception %d 1" % INSTRUCTION_FAULT, "address_%s %d" % (form, pcs[-1])]


def names_of(is_64):
    return (["X%d" % n for n in range(31)] if is_64 else ["R%d" % n for n in range(13)]) + \
        (["SP"] if is_64 else ["SP", "LR"])


def write_snapshot(synth, run, lines, is_64):
    pc, values, cpsr = run.states[-1]
    width = "(size:64)" if is_64 else ""
    recipe = ["bare", "core cpu_0 Cortex-A53", "reg PC%s %#x" % (width, pc), "reg CPSR %#x" % cpsr]
    recipe += ["reg %s%s %#x" % (name, width, value) for name, value in zip(names_of(is_64), values)]
    recipe += ["dump %s %#x" % dump for dump in run.dumps]
    recipe += ["source ETM_0 ETM4.2 0x10"] + ["packet " + line for line in lines]
    path = os.path.join(run.folder, "recipe")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(recipe) + "\n")
    subprocess.run([synth, "snapshot", path, run.folder], check=True)


def csreplay(*arguments, text=None):
    done = subprocess.run([os.environ["CSREPLAY"], *arguments], input=text, capture_output=True,
                          text=True, timeout=120, check=True)
    return done.stdout.splitlines()


def share_of(run, is_64):
    """Of all registers at all positions; every answer is what was recorded."""
    lines = csreplay("history", run.folder)
    pcs = [int(line.split("\t")[1], 16) for line in lines[1:] if not line.startswith("#")]
    if pcs != [state[0] for state in run.states[:-1]] or any(line.startswith("# gap") for line in lines):
        sys.exit("%d instructions, %d ran: %s" % (len(pcs), len(run.states) - 1, lines[-4:]))
    names = names_of(is_64)
    asks = [(position, name) for position in range(len(pcs)) for name in names]
    answers = csreplay("state", "--batch", "/dev/stdin", run.folder,
                       text="".join("%d\t%s\n" % ask for ask in asks))
    known = 0
    for (position, name), line in zip(asks, answers):
        answer = line.split("\t")[2]
        truth = run.states[position][1][names.index(name)]
        if answer != "-" and int(answer, 16) != truth:
            sys.exit("position %d: %s is %s, it was %#x" % (position, name, answer, truth))
        known += answer != "-"
    return 100.0 * known / len(asks)


def main():
    synth, kind = os.path.abspath(sys.argv[1]), sys.argv[2]
    name, _, wilds, is_t32 = KINDS[kind]
    target, shares = programs.TARGETS[name], []
    recordings.need(target[0][0], target[1][0], target[0][0].replace("-gcc", "-objdump"))
    for wild, halt in wilds:
        with tempfile.TemporaryDirectory() as folder:
            elf = build(target, wild, folder)
            run = Run(target, elf, folder)
            if run.states[-1][0] != halt:
                sys.exit("the crash is at %#x, not at %#x" % (run.states[-1][0], halt))
            is_64 = target[2] == 8
            lines = packets_of(run, branches_of(target[0][0], elf), is_64, is_t32)
            write_snapshot(synth, run, lines, is_64)
            shares.append(share_of(run, is_64))
            print("%s at %#x: %d instructions, %.1f %% known" % (kind, halt, len(run.states) - 1, shares[-1]))
    if shares[0] != shares[1] or shares[0] < 50:
        sys.exit("shares differ, or nothing is known")


if __name__ == "__main__":
    try:
        main()
    except recordings.Skipped as skipped:
        print("SKIPPED: %s" % skipped)
        sys.exit(programs.SKIPPED)
