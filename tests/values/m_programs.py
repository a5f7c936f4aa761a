#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of a Cortex-M3 with interrupts is what qemu's system emulation saw.

usage: m_programs.py CHECK_VALUES PROGRAM [OPTION=NUMBER ...]

As programs.py; PROGRAM runs on the bare core of programs/m_main.c, with exceptions that nest, are
chained and interrupt a thread on the process stack. Without compiler or emulator it is skipped.
"""
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
COMPILER = "arm-none-eabi-gcc"
EMULATOR = "qemu-system-arm"
RAM, STACK, STACK_SIZE = 0x20000000, 0x2003f000, 0x1000
TIME_MOST = 120


def build(program, level, folder):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
    elf = os.path.join(folder, "elf")
    subprocess.run([COMPILER, "-mcpu=cortex-m3", "-mthumb", level, "-ffreestanding", "-nostdlib",
                    "-T", os.path.join(source, "m.ld"), "-o", elf,
                    os.path.join(source, program + ".c"), os.path.join(source, "m_main.c"),
                    "-lgcc"], check=True)
    return elf


def symbols_of(elf):
    done = subprocess.run([COMPILER.replace("gcc", "nm"), elf], capture_output=True, text=True,
                          check=True)
    lines = [line.split() for line in done.stdout.splitlines()]
    return {line[2]: int(line[0], 16) for line in lines if len(line) == 3}


def write_dumps(elf, symbols, folder):
    """Memory at reset: the image, and zeroes."""
    image = os.path.join(folder, "image")
    subprocess.run([COMPILER.replace("gcc", "objcopy"), "-O", "binary", elf, image], check=True)
    lines = ["0 %x r %s -\n" % (os.path.getsize(image), image)]
    for address, length in ((RAM, symbols["bss_end"] - RAM), (STACK, STACK_SIZE)):
        name = os.path.join(folder, "%x" % address)
        with open(name, "wb") as f:
            f.write(bytes(length))
        lines.append("%x %x w %s -\n" % (address, length, name))
    with open(os.path.join(folder, "dumps"), "w", encoding="ascii") as f:
        f.writelines(lines)


def record(check, elf, options, folder):
    symbols = symbols_of(elf)
    log = os.path.join(folder, "log")
    write_dumps(elf, symbols, folder)
    os.mkfifo(log)
    checker = subprocess.Popen([check] + options + [
        "qemu", "m", log, "%x" % symbols["reset"], "%x" % symbols["finished"],
        os.path.join(folder, "dumps")], stdout=subprocess.PIPE, text=True)
    keep = os.open(log, os.O_RDWR)
    try:
        # The program ends the emulator itself. Time is counted in instructions.
        subprocess.run([EMULATOR, "-M", "mps2-an385", "-display", "none", "-serial", "none",
                        "-monitor", "none", "-semihosting", "-icount", "shift=6", "-kernel", elf,
                        "-singlestep", "-d", "cpu,int,nochain", "-D", log], check=True,
                       timeout=TIME_MOST)
    finally:
        os.close(keep)
    text = checker.communicate()[0]
    return checker.returncode, text


def main():
    check, program = sys.argv[1:3]
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            print("SKIPPED: %s is not there" % tool)
            return SKIPPED
    failed = False
    for level in ("-O0", "-O2"):
        with tempfile.TemporaryDirectory() as folder:
            elf = build(program, level, folder)
            code, text = record(check, elf, sys.argv[3:], folder)
            print("%s m %s\n%s" % (program, level, text), end="", flush=True)
            failed |= code != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
