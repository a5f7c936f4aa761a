# SPDX-License-Identifier: Apache-2.0
"""Callers by the flow against those of a recorded kernel, through exceptions, interrupt stacks and switches of tasks:
at the halt, at each core's fault and at random positions.

usage: kernel.py NAME CORE POSITIONS SHORT      a snapshot of corpus/kernel in the reference material

Fails on one wrong caller, and where more than SHORT positions lack callers whose calls are in the trace.

The truth takes nothing from csreplay: every instruction of the recording, its opcode and SP. A call (BL, BLR) is pending
until a return goes to its return address with its SP. An exception interrupts what is at its ELR, until ERET goes
there; one from EL0 begins a stack, as ERET to EL0 ends it. Where SP is another task's from one instruction to the
next, in cpu_switch_to, that task's calls go on."""
import lzma
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

from material import shared
from recorded_kernel import RECORD, read, run, true_rows

SEED, MOST = 14, 999
STACK = 15  # bits of an address in a task's stack and the guard below it (VMAP_STACK)
RET, ERET = 0xd65f03c0, 0xd69f03e0


def is_call(opcode):
    return opcode >> 26 == 0x25 or opcode & 0xfffffc1f == 0xd63f0000


class TrueCalls:
    def __init__(self, folder, core, switch):
        number = core.replace("_", "")
        self.records = read(folder, "truth", core)
        self.opcodes = memoryview(read(folder, "ops", core)).cast("I")
        self.switch = switch  # first and last address of cpu_switch_to
        self.exceptions = {}
        with open(os.path.join(folder, f"exceptions_{number}.tsv"), encoding="ascii") as file:
            for line in file:
                words = line.split("\t")
                if words[0].isdigit():
                    self.exceptions[int(words[0])] = int(words[3], 16), words[5]

    def at(self, record):
        """PC, SP and EL before an instruction."""
        pc, = struct.unpack_from("<Q", self.records, RECORD * record)
        sp, state = struct.unpack_from("<QI", self.records, RECORD * record + 8 * 32)
        return pc, sp, state >> 2 & 3

    def stacks(self, wanted):
        """{record: [(return address, record of the call)], innermost first}"""
        frames, parked, found = [], {}, {}
        count = len(self.records) // RECORD
        for i in range(count):
            pc, sp, level = self.at(i)
            if i in self.exceptions:
                frames = self.take(i, frames, sp)
            if i in wanted:
                found[i] = [(ret, made) for ret, _, _, made in reversed(frames)]
            if i + 1 == count:
                break
            to, to_sp, to_level = self.at(i + 1)
            if i + 1 in self.exceptions:
                # Where the instruction led to, before anything of that ran; itself, if it did not complete.
                to, source = self.exceptions[i + 1]
                to_level = 0 if source == "EL0" else 1
            opcode = self.opcodes[i]
            if level == 0 or to == pc:
                frames = frames if level else []
            elif is_call(opcode):
                frames.append((pc + 4, sp, False, i))
            elif opcode == ERET:
                frames = self.leave(frames, to, to_sp, True) if to_level else []
            elif opcode == RET:
                frames = self.leave(frames, to, to_sp, False)
            elif to_sp >> STACK != sp >> STACK and self.switch[0] <= pc <= self.switch[1]:
                parked[sp >> STACK] = frames
                frames = parked.pop(to_sp >> STACK, [])
        return found

    def take(self, i, frames, sp):
        address, source = self.exceptions[i]
        # Of EL0 nothing is pending in the kernel.
        return [] if source == "EL0" else [*frames, (address, sp, True, i)]

    @staticmethod
    def leave(frames, to, sp, is_exception):
        for n in range(len(frames) - 1, -1, -1):
            ret, at, was_exception, _ = frames[n]
            if ret == to and was_exception == is_exception and at == sp:
                return frames[:n]
        return frames


def images(scratch):
    """vmlinux, unpacked, and the options that name it and the module."""
    vmlinux = os.path.join(scratch, "vmlinux")
    with lzma.open(shared("corpus", "kernel", "elf", "vmlinux.xz")) as packed, open(vmlinux, "wb") as out:
        out.write(packed.read())
    return vmlinux, ["--image", vmlinux, "--module", shared("corpus", "kernel", "elf", "kcrash.ko")]


def read_functions(vmlinux):
    """{name: (first address, last one)}"""
    found = {}
    for line in subprocess.run(["nm", "-n", "-S", vmlinux], capture_output=True, text=True, check=True).stdout.splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            found[words[3]] = int(words[0], 16), int(words[0], 16) + int(words[1], 16) - 1
    return found


def check_names(folder, core, options, functions, want):
    """The callers at the halt are named by the function that the call is in, be it its last instruction."""
    told = run("shell", folder, "--core", core, *options, "--command", "stack")
    frames = re.findall(r"^#([1-9]\d*) +(\S+?),? ", told, re.MULTILINE)
    if len(frames) < 3:
        sys.exit(f"no callers: {told}")
    for level, place in frames[:len(want)]:
        ret, _ = want[int(level) - 1]
        # What an exception interrupted is where it was, not after a call.
        names = {name: first for name, (first, last) in functions.items() if first <= ret - 4 <= last or first <= ret <= last}
        if names and place not in {f"{name}+{ret - first:#x}" for name, first in names.items() if ret - 4 <= functions[name][1]}:
            sys.exit(f"{place} is not where {ret:#x} returns to")


def ask(folder, core, options, positions):
    thread = int(core[-1]) + 1
    commands = ";".join(f"seek {position};stack --raw {thread}" for position in positions)
    told = run("shell", folder, "--core", core, *options, "--command", commands)
    parts = re.split(rf"^{core} \d+: .*\n", told, flags=re.MULTILINE)[1:]
    if len(parts) != len(positions):
        sys.exit(f"{len(parts)} stacks for {len(positions)} positions: {told[:300]}")
    return [[int(pc, 16) for pc in re.findall(r" pc=0x([0-9a-f]+)", part)][1:] for part in parts]


def judge(places, told, stacks, begin, most=None, enough=sys.maxsize):
    """How many of the callers told of places are wrong, and how many lack some whose calls are in the trace, which has
    the records from `begin` on: of the `most` innermost, and no more than `enough`. Prints the first of each."""
    wrong, short = [], []
    for (position, record), seen in zip(places.items(), told, strict=True):
        want = [ret for ret, _ in stacks[record]][:most]
        traced = sum(made >= begin for _, made in stacks[record][:most])
        if seen[:len(want)] != want[:len(seen)]:
            wrong.append((position, seen, want))
        elif len(seen) < min(traced, enough):
            short.append((position, seen, want[:traced]))
    for kind, cases in ("wrong", wrong), ("short", short):
        for position, seen, want in cases[:6]:
            print(f"{kind} at {position}: {[hex(pc) for pc in seen]}\n   expected {[hex(ret) for ret in want]}")
    return len(wrong), len(short)


def main():
    name, core, count, short_most = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    folder = shared("corpus", "kernel", name)
    with tempfile.TemporaryDirectory() as scratch:
        vmlinux, options = images(scratch)
        functions = read_functions(vmlinux)
        true = TrueCalls(folder, core, functions["cpu_switch_to"])
        rows = true_rows(folder, core, true.records)
        positions = sorted(random.Random(SEED).sample(range(len(rows)), count))
        crash = re.search(rf"{core}: .* at position (\d+)\n", run("shell", folder, *options, "--command", "crash"))
        if crash:
            positions += [int(crash.group(1))]
        told = ask(folder, core, options, [*positions, "end"])
        places = {position: rows[position][0] for position in positions}
        places["end"] = len(true.records) // RECORD - 1
        stacks = true.stacks(set(places.values()))
        check_names(folder, core, options, functions, stacks[places["end"]])
    wrong, short = judge(places, told, stacks, rows[0][0], most=MOST)
    deepest = max(len(stacks[record][:MOST]) for record in places.values())
    print(f"{name} {core}: of {len(places)} positions {wrong} wrong, {short} short, the deepest of {deepest} callers")
    sys.exit(bool(wrong) or short > short_most)


if __name__ == "__main__":
    main()
