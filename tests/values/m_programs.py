#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of a Cortex-M with interrupts is what qemu's system emulation saw.

usage: m_programs.py CHECK_VALUES PROGRAM m|m33|m33ns|mtasks|m33tasks [OPTION=NUMBER ...]

m is a Cortex-M3, m33 a Cortex-M33 that never leaves Secure state, m33ns one in Non-secure state.

As programs.py; PROGRAM runs on the bare core of programs/m_main.c, with exceptions that nest, are
chained and interrupt a thread on the process stack; or as one of the tasks of programs/m_tasks.c,
which PendSV switches. Without compiler or emulator it is skipped.
"""
import os
import subprocess
import sys

import known
import programs
import recordings

COMPILER = "arm-none-eabi-gcc"
EMULATOR = "qemu-system-arm"
STACK, STACK_SIZE = 0x3f000, 0x1000  # in RAM
# Processor, machine, where it begins, RAM.
CORES = {"m": ("cortex-m3", "mps2-an385", 0, 0x20000000),
         "m33": ("cortex-m33+nofp", "mps2-an505", 0x10000000, 0x38000000),
         "m33ns": ("cortex-m33+nofp", "mps2-an505", 0x8000, 0x28000000)}
CORES.update({core + "tasks": CORES[core] for core in ("m", "m33")})
TIME_MOST = 120


def main_of(core):
    return "m_tasks.c" if core.endswith("tasks") else "m_main.c"


def build(program, core, options, folder):
    """`options` of the compiler."""
    source = recordings.PROGRAMS
    elf = os.path.join(folder, "elf")
    cpu, _, code, ram = CORES[core]
    subprocess.run([COMPILER, "-mcpu=" + cpu, "-mthumb", *options, "-ffreestanding", "-nostdlib",
                    "-Wl,--defsym=code=%#x,--defsym=ram=%#x" % (code, ram),
                    *(["-DNON_SECURE"] if core == "m33ns" else []),
                    "-T", os.path.join(source, "m.ld"), "-o", elf,
                    os.path.join(source, program + ".c"), os.path.join(source, main_of(core)),
                    "-lgcc"], check=True)
    return elf


def symbols_of(elf):
    done = subprocess.run([COMPILER.replace("gcc", "nm"), elf], capture_output=True, text=True,
                          check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[2]: int(line[0], 16) for line in lines if len(line) == 3}


def write_dumps(elf, core, symbols, folder):
    """Memory at reset: the image, and zeroes."""
    subprocess.run([COMPILER.replace("gcc", "objcopy"), "-R", ".secure", "-O", "binary", elf, "image"],
                   cwd=folder, check=True)
    _, _, code, ram = CORES[core]
    lines = ["%x %x r image -\n" % (code, os.path.getsize(os.path.join(folder, "image")))]
    for address, length in ((ram, symbols["bss_end"] - ram), (ram + STACK, STACK_SIZE)):
        with open(os.path.join(folder, "%x" % address), "wb") as f:
            f.write(bytes(length))
        lines.append("%x %x w %x -\n" % (address, length, address))
    with open(os.path.join(folder, "dumps"), "w", encoding="ascii") as f:
        f.writelines(lines)


def record(program, core, level, folder):
    recordings.need(COMPILER, EMULATOR)
    elf = build(program, core, [level], folder)
    symbols = symbols_of(elf)
    write_dumps(elf, core, symbols, folder)
    # The program ends the emulator itself. Time is counted in instructions.
    qemu = recordings.emulate([EMULATOR, "-M", CORES[core][1], "-display", "none", "-serial", "none",
                               "-monitor", "none", "-semihosting", "-icount", "shift=6", "-kernel",
                               "elf", "-singlestep", "-d", "cpu,int,nochain", "-D",
                               recordings.LOG], folder)
    if qemu.wait(timeout=TIME_MOST) != 0:
        sys.exit("m_programs.py: the program did not come to its end")
    recordings.write_about(folder, recordings.tools_of(COMPILER, EMULATOR),
                           ["qemu", core, recordings.LOG, "%x" % symbols["reset"],
                            "%x" % symbols["finished"], "dumps"])


def main():
    check, program, core = sys.argv[1:4]
    sources = [os.path.join(recordings.PROGRAMS, program + ".c"), os.path.abspath(__file__),
               os.path.join(recordings.PROGRAMS, main_of(core))]
    own = {"known": ""}
    requests = programs.take_own(sys.argv[4:], own)
    failed = False
    table = known.Known(own["known"])
    for level in ("-O0", "-O2"):
        with recordings.recorded([core, CORES[core], program, level], sources,
                                 lambda folder: record(program, core, level, folder)) as folder:
            code, text = recordings.score(check, folder, requests)
            table.take_scores(level, text, requests, recordings.about(folder)["tools"])
        print("%s %s %s\n%s" % (program, core, level, text), end="", flush=True)
        failed |= code != 0
    return 0 if table.is_fine() and not failed else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except recordings.Skipped as skipped:
        print("SKIPPED: %s" % skipped)
        sys.exit(programs.SKIPPED)
