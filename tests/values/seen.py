#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of programs that make system calls, use SVE, or get signals, is true.

usage: seen.py CHECK_VALUES PLUGIN PROGRAM a64|sve|a32|t32 [OPTION=NUMBER ...]

As programs.py, but what memory was is what PLUGIN (memory_plugin.c) saw: nothing that csreplay
knows of instructions and calls is taken as true. Vectors are not recorded where they are long.
Beside its options: `cpu=NAME` of qemu, `flags=A,B` for the compiler, `levels=A,B`. Without compiler
or emulator, or with one that takes no plugins, the test is skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile

import programs

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
        path = os.path.join(folder, "%x.code" % address)
        with open(path, "wb") as f:
            f.write(data[offset:offset + length])
        lines.append("%x %x r %s -\n" % (address, length, path))
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


def record(target, elf, plugin, rounds, folder):
    """The command line of check_values for the recording."""
    symbols = programs.symbols_of(target[0][0], elf)
    begin, end = symbols["program"], symbols["finished"]
    with open(elf, "rb") as f:
        base = next(segments_of(f.read()))[0]
    log = os.path.join(folder, "log")
    what = "cpu,nochain" if has_long_vectors(target) else "cpu,fpu,nochain"
    arguments = "%s,begin=%x,end=%x,base=%x,elf=%s,folder=%s" % (plugin, begin, end, base, elf, folder)
    subprocess.run(target[1] + ["-seed", "1", "-s", str(STACK), "-singlestep", "-plugin", arguments,
                                "-d", what, "-D", log, elf, str(rounds)],
                   check=False, stdout=subprocess.DEVNULL, timeout=300, cwd=folder)
    ranges = os.path.join(folder, "ranges")
    if not os.path.exists(ranges):
        sys.exit("seen.py: the program did not come to its end")
    with open(ranges, "a", encoding="ascii") as f:
        f.writelines(read_only_lines(elf, folder))
    return ["qemu", "a64" if target[2] == 8 else "a32", log, "%x" % begin, "%x" % end, ranges, folder]


def can_plug(target, plugin):
    done = subprocess.run([target[1][0], "-plugin", plugin, "-version"], capture_output=True, check=False)
    return done.returncode == 0


def main():
    check, plugin, program, isa = sys.argv[1:5]
    own = {"rounds": str(ROUNDS.get(program, 1)), "cpu": "", "flags": "", "levels": "-O0,-O2"}
    options = []
    for option in sys.argv[5:]:
        name, _, value = option.partition("=")
        if name in own:
            own[name] = value
        else:
            options.append(option)
    compiler, emulator, size, sp = SVE if isa == "sve" else programs.TARGETS[isa]
    if own["cpu"]:
        emulator = [emulator[0], "-cpu", own["cpu"]]
    target = (compiler + [flag for flag in own["flags"].split(",") if flag], emulator, size, sp)
    for tool in (compiler[0], emulator[0]):
        if not shutil.which(tool):
            print("SKIPPED: %s is not there" % tool)
            return programs.SKIPPED
    if not can_plug(target, plugin):
        print("SKIPPED: %s takes no plugins" % emulator[0])
        return programs.SKIPPED
    failed = False
    for level in own["levels"].split(","):
        with tempfile.TemporaryDirectory() as folder:
            elf = programs.build(target, program + ".c", level, folder)
            arguments = record(target, elf, plugin, int(own["rounds"]), folder)
            done = subprocess.run([check] + options + arguments, stdout=subprocess.PIPE, text=True, check=False)
            print("%s %s %s\n%s" % (program, isa, level, done.stdout), end="", flush=True)
            failed |= done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
