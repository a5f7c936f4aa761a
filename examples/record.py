#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a crash: runs a program instruction by instruction under qemu-aarch64, through the gdb
stub of qemu's user mode, until a signal stops it.

In: a static AArch64 ELF in the snapshot's folder. Out, in that folder: the dumps of its writable
memory and of its stack, `truth.gz` (one line a run: first address and number of instructions, of
the part that the trace covers), and, made by `synth` from the recipe written here, the snapshot.
"""
import argparse
import gzip
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time

PT_LOAD = 1
PF_W = 2
SP, PC, CPSR, V0, FPSR, FPCR = 31, 32, 33, 34, 66, 67  # register numbers of qemu's stub
EXCEPTION_DATA_FAULT, EXCEPTION_INSTRUCTION_FAULT = 12, 11  # ETMv4 exception types


class Stub:
    """A client of qemu's gdb stub, as small as the job allows."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.wait_for(path)
        self.buffer = b""
        # qemu answers register requests of clients that have read its description.
        self.ask("qXfer:features:read:target.xml:0,ffb")

    def wait_for(self, path):
        for _ in range(500):
            try:
                return self.socket.connect(path)
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.02)
        sys.exit("record.py: qemu does not listen")

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
                sys.exit("record.py: qemu is gone")
            self.buffer += more
        reply = self.buffer[start + 1:end].decode()
        self.buffer = self.buffer[end + 3:]
        self.socket.sendall(b"+")
        return reply

    def register(self, number):
        return int.from_bytes(bytes.fromhex(self.ask("p%x" % number)), "little")

    def memory(self, address, length):
        data = b""
        while len(data) < length:
            part = min(1024, length - len(data))
            data += bytes.fromhex(self.ask("m%x,%x" % (address + len(data), part)))
        return data


def segments_of(path):
    """(address, size in memory, size in file, offset, flags) of each PT_LOAD."""
    elf = open(path, "rb").read()
    offset, size, count = struct.unpack_from("<Q", elf, 32)[0], *struct.unpack_from("<HH", elf, 54)
    segments = []
    for i in range(count):
        kind, flags, start, address, _, in_file, in_memory, _ = struct.unpack_from(
            "<IIQQQQQQ", elf, offset + i * size)
        if kind == PT_LOAD:
            segments.append((address, in_memory, in_file, start, flags))
    return segments


def runs_of(pcs):
    """[first address, number of instructions] for each stretch of addresses without a jump."""
    runs = []
    for pc in pcs:
        if runs and pc == runs[-1][0] + 4 * runs[-1][1]:
            runs[-1][1] += 1
        else:
            runs.append([pc, 1])
    return runs


def step_to_crash(stub):
    """The addresses executed, the lowest stack pointer, and the signal that ended it."""
    pcs = []
    lowest = stub.register(SP)
    while True:
        pcs.append(stub.register(PC))
        stop = stub.ask("s")
        if stop[:1] not in "TS":
            sys.exit("record.py: the program ended: " + stop)
        if int(stop[1:3], 16) != 5:
            return pcs, lowest, int(stop[1:3], 16)
        lowest = min(lowest, stub.register(SP))


def register_lines(stub):
    lines = ["reg X%d(size:64) 0x%016x" % (n, stub.register(n)) for n in range(31)]
    lines.append("reg SP(size:64) 0x%016x" % stub.register(SP))
    lines.append("reg PC(size:64) 0x%016x" % stub.register(PC))
    lines.append("reg CPSR(size:32) 0x%08x" % stub.register(CPSR))
    lines += ["reg V%d(size:128) 0x%032x" % (n, stub.register(V0 + n)) for n in range(32)]
    lines.append("reg FPSR(size:32) 0x%08x" % stub.register(FPSR))
    lines.append("reg FPCR(size:32) 0x%08x" % stub.register(FPCR))
    return lines


def dump_lines(stub, folder, elf, stack_low, stack_high):
    """Writes what the program can have written; code stays in the ELF, which is a dump itself."""
    lines = []
    dumps = [("stack.bin", stack_low & ~15, stack_high)]
    for address, in_memory, in_file, offset, flags in segments_of(os.path.join(folder, elf)):
        if flags & PF_W:
            dumps.insert(0, ("data_%x.bin" % address, address, address + in_memory))
        else:
            lines.append("dump %s 0x%x 0x%x 0x%x" % (elf, address, in_file, offset))
    for name, low, high in dumps:
        with open(os.path.join(folder, name), "wb") as f:
            f.write(stub.memory(low, high - low))
        lines.append("dump %s 0x%x" % (name, low))
    return lines


def write_recipe(path, state, pcs, end):
    lines = ["description %s: a crash recorded under qemu-aarch64" % end["program"],
             "repeat 16", "core cpu_0 Cortex-A53"]
    lines += state
    lines += ["source ETM_0 ETM4.2 0x10", "option return-stack 8", "option sync 1024",
              "option timestamp 1000", "option context-id 0x51"]
    lines += ["run 0x%x %d" % tuple(run) for run in runs_of(pcs)]
    lines.append("exception %d 0x%x" % (end["exception"], end["pc"]))
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def record(stub, options):
    top = stub.register(SP)
    pcs, lowest, signal = step_to_crash(stub)
    crash = stub.register(PC)
    executed = pcs[:-1]  # the last one was begun and did not end
    if pcs[-1] != crash:
        executed = pcs  # the target of the last branch cannot be fetched
    traced = executed[-options.last:]
    fault = EXCEPTION_DATA_FAULT if pcs[-1] == crash else EXCEPTION_INSTRUCTION_FAULT
    state = register_lines(stub) + dump_lines(stub, options.folder, options.elf, lowest, top)
    end = {"program": options.elf.split(".")[0], "exception": fault, "pc": crash}
    with tempfile.NamedTemporaryFile("w", suffix=".recipe") as recipe:
        write_recipe(recipe.name, state, traced, end)
        subprocess.run([options.synth, "snapshot", recipe.name, options.folder], check=True)
    text = "".join("%x %d\n" % tuple(run) for run in runs_of(traced))
    with open(os.path.join(options.folder, "truth.gz"), "wb") as f:
        f.write(gzip.compress(text.encode(), 9, mtime=0))
    print("%d instructions, %d of them in the trace; signal %d at 0x%x"
          % (len(executed), len(traced), signal, crash))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", help="the snapshot's folder, with the ELF in it")
    parser.add_argument("elf", help="the ELF's name")
    parser.add_argument("--last", type=int, default=40000, help="instructions that are traced")
    parser.add_argument("--synth", default="synth", help="the trace encoder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "gdb")
        # No environment, a fixed name and fixed random bytes: the stack is the same every time.
        qemu = subprocess.Popen(["qemu-aarch64", "-seed", "1", "-0", options.elf, "-g", path,
                                 options.elf], cwd=options.folder, env={"PATH": os.environ["PATH"]},
                                stderr=subprocess.DEVNULL)
        try:
            record(Stub(path), options)
        finally:
            qemu.kill()
            qemu.wait()


if __name__ == "__main__":
    main()
