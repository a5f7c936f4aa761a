#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of programs of our own is what qemu user mode saw.

usage: programs.py CHECK_VALUES PROGRAM a64|new|a32|t32 [OPTION=NUMBER ...]

The program (tests/values/programs) is built with -O0 and with -O2 and recorded instruction by
instruction; CHECK_VALUES then scores the end of the recording and random ends of it, with all or
a part of its memory in the snapshot. PROGRAM `random` is made by random_program.py, `number=N` says
which, `programs=N` how many from there on. `rounds=N` says how long the program runs; other options
are those of check_values.c, also several sets of them with `and` between. `known=TEST`: what is known
is held against known.tsv. Without compiler or emulator the test is skipped.
"""
import os
import socket
import subprocess
import sys
import time

import known
import random_program
import recordings

SKIPPED = 77
PT_LOAD = 1
PF_W = 2
PAGE = 4096
BELOW_SP = 1 << 16
STACK_MOST = 1 << 20
# Compiler, emulator, bytes of a register, number of SP.
TARGETS = {
    "a64": (["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "-cpu", "cortex-a53"], 8, 31),
    "a32": (["arm-linux-gnueabihf-gcc", "-marm"], ["qemu-arm", "-cpu", "cortex-a15"], 4, 13),
    "t32": (["arm-linux-gnueabihf-gcc", "-mthumb"], ["qemu-arm", "-cpu", "cortex-a15"], 4, 13),
}
# Beside those of TARGETS: an A64 core with atomics, pointer authentication and SVE.
NEWEST = (["aarch64-linux-gnu-gcc", "-march=armv8.3-a"],
          ["qemu-aarch64", "-cpu", "max,sve-max-vq=1"], 8, 31)
# Some 5,000 to 20,000 instructions at -O2, so that a test takes two seconds.
ROUNDS = {"sort": 2, "alloc": 4, "sched": 5, "vm": 10, "digest": 1, "format": 2, "strings": 3,
          "table": 5, "lists": 2, "matrix": 2, "glibc": 1, "hostile": 30, "jump": 12,
          "random": 20}


class Stub:
    """A client of qemu's gdb stub, as small as the job allows."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        for _ in range(500):
            try:
                self.socket.connect(path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.02)
        self.buffer = b""

    def ask(self, text):
        body = text.encode()
        self.socket.sendall(b"$%s#%02x" % (body, sum(body) & 0xff))
        while True:
            start = self.buffer.find(b"$")
            end = self.buffer.find(b"#", start)
            if start >= 0 and end >= 0 and len(self.buffer) >= end + 3:
                break
            more = self.socket.recv(65536)
            if not more:
                sys.exit("programs.py: qemu is gone")
            self.buffer += more
        reply = self.buffer[start + 1:end].decode()
        self.buffer = self.buffer[end + 3:]
        self.socket.sendall(b"+")
        return reply

    def run_to(self, address):
        self.ask("Z0,%x,%d" % (address, 4))
        stop = self.ask("c")
        if not stop.startswith("T05"):
            sys.exit("programs.py: the program ended: " + stop)
        self.ask("z0,%x,%d" % (address, 4))

    def memory(self, address, length):
        """What can be read from there on, up to `length` bytes."""
        data = b""
        while len(data) < length:
            part = min(1024, length - len(data))
            reply = self.ask("m%x,%x" % (address + len(data), part))
            if reply.startswith("E") or not reply:
                break
            data += bytes.fromhex(reply)
        return data


def segments_of(path):
    """(address, size in memory, flags) of each PT_LOAD."""
    with open(path, "rb") as f:
        elf = f.read()

    def number(at, size):
        return int.from_bytes(elf[at:at + size], "little")

    is_64 = elf[4] == 2
    offset, size, count = ((number(32, 8), number(54, 2), number(56, 2)) if is_64
                           else (number(28, 4), number(42, 2), number(44, 2)))
    segments = []
    for i in range(count):
        at = offset + i * size
        if number(at, 4) != PT_LOAD:
            continue
        if is_64:
            segments.append((number(at + 16, 8), number(at + 40, 8), number(at + 4, 4)))
        else:
            segments.append((number(at + 8, 4), number(at + 20, 4), number(at + 24, 4)))
    return segments


def symbols_of(compiler, path):
    nm = compiler.replace("-gcc", "-nm")
    done = subprocess.run([nm, path], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[2]: int(line[0], 16) for line in lines if len(line) == 3}


def build(target, program, level, folder):
    """`program` is a file of programs/, or assembly in the folder. The ELF is named `elf`."""
    done = subprocess.run(target[0] + [level, "-static", "-o", "elf",
                                       os.path.join(recordings.PROGRAMS, program)
                                       if program.endswith(".c") else program,
                                       os.path.join(recordings.PROGRAMS, "main.c"), "-lm"],
                          cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise recordings.Skipped("it cannot be built\n" + done.stderr)
    return os.path.join(folder, "elf")


class Recorder:
    def __init__(self, target, elf, folder):
        self.target = target
        self.elf = elf
        self.folder = folder
        self.symbols = symbols_of(target[0][0], elf)

    def ranges(self, stub):
        """(address, length, kind) of all memory that the program can see."""
        size, sp_number = self.target[2:]
        found = []
        end = 0
        for address, length, flags in segments_of(self.elf):
            found.append((address, length, "w" if flags & PF_W else "r"))
            end = max(end, address + length)
        heap = -(-end // PAGE) * PAGE
        at = self.symbols["__curbrk"]
        stop = int.from_bytes(stub.memory(at, size), "little")
        if stop > heap:
            found.append((heap, stop - heap, "w"))
        registers = bytes.fromhex(stub.ask("g"))
        sp = int.from_bytes(registers[size * sp_number:size * sp_number + size], "little")
        stack = (sp - BELOW_SP) & -16
        found.append((stack, len(stub.memory(stack, STACK_MOST)), "w"))
        return found

    def dump(self, stub, ranges, when):
        names = []
        for address, length, _ in ranges:
            name = "%x.%s" % (address, when)
            data = stub.memory(address, length)
            # What a segment's last page lacks is not there.
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(data.ljust(length, b"\0"))
            names.append(name)
        return names

    def run(self, rounds):
        begin, end = self.symbols["program"], self.symbols["finished"]
        qemu = recordings.emulate_program(self.target[1] + ["-g", "gdb", "-d", "cpu,fpu,nochain"],
                                          rounds, self.folder)
        try:
            stub = Stub(os.path.join(self.folder, "gdb"))
            stub.run_to(begin)
            ranges = self.ranges(stub)
            at_begin = self.dump(stub, ranges, "begin")
            stub.run_to(end)
            at_end = self.dump(stub, ranges, "end")
            stub.ask("s")  # so that the log shows the state there
        finally:
            qemu.kill()
            qemu.wait()
        os.remove(os.path.join(self.folder, "gdb"))
        with open(os.path.join(self.folder, "dumps"), "w", encoding="ascii") as f:
            for (address, length, kind), first, last in zip(ranges, at_begin, at_end):
                f.write("%x %x %s %s %s\n" % (address, length, kind, first, last))
        return ["qemu", "a64" if self.target[2] == 8 else "a32", recordings.LOG, "%x" % begin,
                "%x" % end, "dumps"]


def record(target, source, level, rounds, folder):
    """`source`: the name of a file of programs/, or assembly."""
    recordings.need(target[0][0], target[1][0], target[0][0].replace("-gcc", "-nm"))
    if source.endswith("\n"):
        with open(os.path.join(folder, "program.s"), "w", encoding="ascii") as f:
            f.write(source)
        source = "program.s"
    elf = build(target, source, level, folder)
    arguments = Recorder(target, elf, folder).run(rounds)
    recordings.write_about(folder, recordings.tools_of(target[0][0], target[1][0]), arguments)


def take_own(arguments, own):
    """Takes the options that are `own` out of the arguments."""
    rest = []
    for argument in arguments:
        name, is_option, value = argument.partition("=")
        if is_option and name in own:
            own[name] = type(own[name])(value)
        else:
            rest.append(argument)
    return rest


def variants(program, isa, own):
    """(name, source, compiler's option) of each."""
    if program != "random":
        return [(level, program + ".c", level) for level in ("-O0", "-O2")]
    return [("number=%d" % n, random_program.program(isa, n), "-g")
            for n in range(own["number"], own["number"] + own["programs"])]


def main():
    check, program, isa = sys.argv[1:4]
    own = {"rounds": ROUNDS[program], "number": 1, "programs": 1, "known": ""}
    requests = take_own(sys.argv[4:], own)
    target = NEWEST if isa == "new" else TARGETS[isa]
    failed = False
    table = known.Known(own["known"])
    for name, source, level in variants(program, isa, own):
        sources = [os.path.join(recordings.PROGRAMS, source)] if program != "random" else []
        with recordings.recorded([target, source, level, own["rounds"]], sources,
                                 lambda folder: record(target, source, level, own["rounds"], folder)
                                 ) as folder:
            code, text = recordings.score(check, folder, requests)
            table.take_scores(name, text, requests, recordings.about(folder)["tools"])
        print("%s %s %s\n%s" % (program, isa, name, text), end="", flush=True)
        failed |= code != 0
    return 0 if table.is_fine() and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except recordings.Skipped as skipped:
        print("SKIPPED: %s" % skipped)
        sys.exit(SKIPPED)
