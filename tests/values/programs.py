#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of programs of our own is what qemu user mode saw.

usage: programs.py CHECK_VALUES PROGRAM a64|new|a32|t32 [OPTION=NUMBER ...]

The program (tests/values/programs) is built with -O0 and with -O2 and recorded instruction by
instruction; CHECK_VALUES then scores the end of the recording and random ends of it, with all or
a part of its memory in the snapshot. PROGRAM `random` is made by random_program.py, `number=N` says
which, `programs=N` how many from there on. `rounds=N` says how long the program runs; other options
are those of check_values.c. Without compiler or emulator the test is skipped.
"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import random_program

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
    """`program` is a file of programs/, or the path of one."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
    elf = os.path.join(folder, "elf")
    done = subprocess.run(target[0] + [level, "-static", "-o", elf,
                                       os.path.join(source, program),
                                       os.path.join(source, "main.c"), "-lm"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print("SKIPPED: it cannot be built\n" + done.stderr)
        sys.exit(SKIPPED)
    return elf


def write_random(isa, number, folder):
    path = os.path.join(folder, "program.s")
    with open(path, "w", encoding="ascii") as f:
        f.write(random_program.program(isa, number))
    return path


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
            name = os.path.join(self.folder, "%x.%s" % (address, when))
            data = stub.memory(address, length)
            # What a segment's last page lacks is not there.
            with open(name, "wb") as f:
                f.write(data.ljust(length, b"\0"))
            names.append(name)
        return names

    def run(self, check, options, rounds):
        log, path = (os.path.join(self.folder, name) for name in ("log", "gdb"))
        dumps = os.path.join(self.folder, "dumps")
        if not os.path.exists(log):
            os.mkfifo(log)
        architecture = "a64" if self.target[2] == 8 else "a32"
        begin, end = self.symbols["program"], self.symbols["finished"]
        checker = subprocess.Popen([check] + options + [
            "qemu", architecture, log, "%x" % begin, "%x" % end, dumps],
            stdout=subprocess.PIPE, text=True)
        keep = os.open(log, os.O_RDWR)
        what = "cpu,fpu,nochain"
        qemu = subprocess.Popen(self.target[1] + ["-seed", "1", "-g", path, "-singlestep",
                                                  "-d", what, "-D", log, self.elf, str(rounds)])
        try:
            stub = Stub(path)
            stub.run_to(begin)
            ranges = self.ranges(stub)
            at_begin = self.dump(stub, ranges, "begin")
            stub.run_to(end)
            at_end = self.dump(stub, ranges, "end")
            stub.ask("s")  # so that the log shows the state there
        finally:
            qemu.kill()
            qemu.wait()
            with open(dumps, "w", encoding="ascii") as f:
                for (address, length, kind), first, last in zip(ranges, at_begin, at_end):
                    f.write("%x %x %s %s %s\n" % (address, length, kind, first, last))
            os.close(keep)
        text = checker.communicate()[0]
        return checker.returncode, text


def main():
    check, program, isa = sys.argv[1:4]
    options = sys.argv[4:]
    own = {"rounds": ROUNDS[program], "number": 1, "programs": 1}
    for option in list(options):
        name, _, value = option.partition("=")
        if name in own:
            own[name] = int(value)
            options.remove(option)
    target = NEWEST if isa == "new" else TARGETS[isa]
    for tool in (target[0][0], target[1][0], target[0][0].replace("-gcc", "-nm")):
        if not shutil.which(tool):
            print("SKIPPED: %s is not there" % tool)
            return SKIPPED
    what = [(program + ".c", level) for level in ("-O0", "-O2")]
    if program == "random":
        what = [(number, "number=%d" % number) for number in range(own["number"], own["number"] + own["programs"])]
    failed = False
    for source, variant in what:
        with tempfile.TemporaryDirectory() as folder:
            level = variant
            if program == "random":
                source = write_random(isa, source, folder)
                level = "-g"
            elf = build(target, source, level, folder)
            code, text = Recorder(target, elf, folder).run(check, options, own["rounds"])
            print("%s %s %s\n%s" % (program, isa, variant, text), end="", flush=True)
            failed |= code != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
