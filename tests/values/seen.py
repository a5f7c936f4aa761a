#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of programs that make system calls, use SVE, or get signals, is true.

usage: seen.py CHECK_VALUES PLUGIN PROGRAM a64|sve|a32|t32 [OPTION=NUMBER ...]

As programs.py, but what memory was is what PLUGIN (truth/memory_plugin.c) saw: nothing that csreplay
knows of instructions and calls is taken as true. Vectors are not recorded where they are long.
Beside its options: `cpu=NAME` of qemu, `flags=A,B` for the compiler, `levels=A,B`. Without compiler
or emulator, or with one that takes no plugins, the test is skipped.
"""
import os
import subprocess
import sys

import known
import programs
import recordings

STACK = 1 << 18
ROUNDS = {"stack": 7}
SVE = (["aarch64-linux-gnu-gcc", "-march=armv8.3-a+sve"],
       ["qemu-aarch64", "-cpu", "max,sve-default-vector-length=32"], 8, 31)


def read_only_lines(elf, folder):
    """Dump lines of what the program cannot write."""
    lines = []
    with open(elf, "rb") as f:
        data = f.read()
    for address, length, flags, offset in segments_of(data):
        if flags & programs.PF_W:
            continue
        name = "%x.code" % address
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data[offset:offset + length])
        lines.append("%x %x r %s -\n" % (address, length, name))
    return lines


def segments_of(elf):
    def number(at, size):
        return int.from_bytes(elf[at:at + size], "little")

    is_64 = elf[4] == 2
    offset, size, count = ((number(32, 8), number(54, 2), number(56, 2)) if is_64
                           else (number(28, 4), number(42, 2), number(44, 2)))
    for i in range(count):
        at = offset + i * size
        if number(at, 4) != programs.PT_LOAD:
            continue
        if is_64:
            yield number(at + 16, 8), number(at + 32, 8), number(at + 4, 4), number(at + 8, 8)
        else:
            yield number(at + 8, 4), number(at + 16, 4), number(at + 24, 4), number(at + 4, 4)


def has_long_vectors(target):
    return "sve-default-vector-length" in " ".join(target[1])


def run(target, elf, plugin, rounds, folder):
    """The command line of check_values for the recording."""
    symbols = programs.symbols_of(target[0][0], elf)
    begin, end = symbols["program"], symbols["finished"]
    with open(elf, "rb") as f:
        base = next(segments_of(f.read()))[0]
    what = "cpu,nochain" if has_long_vectors(target) else "cpu,fpu,nochain"
    arguments = "%s,begin=%x,end=%x,base=%x,elf=/memfd:%s,folder=." % (
        plugin, begin, end, base, recordings.ELF_IN_MEMORY)
    qemu = recordings.emulate_program(target[1] + ["-s", str(STACK), "-plugin", arguments, "-d", what],
                                      rounds, folder, stdout=subprocess.DEVNULL)
    qemu.wait(timeout=300)
    ranges = os.path.join(folder, "ranges")
    if not os.path.exists(ranges):
        sys.exit("seen.py: the program did not come to its end")
    with open(ranges, "a", encoding="ascii") as f:
        f.writelines(read_only_lines(elf, folder))
    return ["qemu", "a64" if target[2] == 8 else "a32", recordings.LOG, "%x" % begin, "%x" % end,
            "ranges", "."]


def record(target, plugin, program, level, rounds, folder):
    recordings.need(target[0][0], target[1][0])
    done = subprocess.run([target[1][0], "-plugin", plugin, "-version"], capture_output=True, check=False)
    if done.returncode != 0:
        raise recordings.Skipped("%s takes no plugins" % target[1][0])
    elf = programs.build(target, program, level, folder)
    arguments = run(target, elf, plugin, rounds, folder)
    recordings.write_about(folder, recordings.tools_of(target[0][0], target[1][0]), arguments)


def main():
    check, plugin, program, isa = sys.argv[1:5]
    own = {"rounds": ROUNDS.get(program, 1), "cpu": "", "flags": "", "levels": "-O0,-O2",
           "known": ""}
    requests = programs.take_own(sys.argv[5:], own)
    compiler, emulator, size, sp = SVE if isa == "sve" else programs.TARGETS[isa]
    if own["cpu"]:
        emulator = [emulator[0], "-cpu", own["cpu"]]
    target = (compiler + [flag for flag in own["flags"].split(",") if flag], emulator, size, sp)
    sources = [os.path.join(recordings.PROGRAMS, program + ".c"), os.path.abspath(__file__),
               os.path.join(recordings.HERE, "truth", "memory_plugin.c")]
    failed = False
    table = known.Known(own["known"])
    for level in own["levels"].split(","):
        with recordings.recorded([target, program, level, own["rounds"]], sources,
                                 lambda folder: record(target, plugin, program + ".c", level,
                                                       own["rounds"], folder)) as folder:
            code, text = recordings.score(check, folder, requests)
            table.take_scores(level, text, requests, recordings.about(folder)["tools"])
        print("%s %s %s\n%s" % (program, isa, level, text), end="", flush=True)
        failed |= code != 0
    return 0 if table.is_fine() and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except recordings.Skipped as skipped:
        print("SKIPPED: %s" % skipped)
        sys.exit(programs.SKIPPED)
