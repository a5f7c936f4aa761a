# SPDX-License-Identifier: Apache-2.0
"""The Linux task that each core of a recorded kernel runs, at the halt and before, against the context ID of every
instruction, which has the thread's number in it (CONFIG_PID_IN_CONTEXTIDR); and the kernel's module, placed by what
its memory says.

usage: linux_tasks.py NAME CORE NAME_AT_HALT PID KNOWN      of 60 positions at least so many are known
"""
import json
import lzma
import os
import random
import re
import struct
import sys
import tempfile

from material import shared
from recorded_kernel import read, run, true_rows

SEED, DRAWN, REACH, SWITCH = 11, 60, 40000, 400
MODULE_TEXT, MODULE_BSS = 0xffffffc000290000, 0xffffffc0002922c0  # as the material's README has them


def task_lines(folder, core, vmlinux, positions):
    """Of each position its line of `threads` for the core."""
    commands = ";".join(f"seek {position};threads" for position in positions)
    told = run("shell", folder, "--core", core, "--image", vmlinux, "--command", commands)
    lines = [line for line in told.splitlines() if re.match(rf"\d+ {core}: ", line)]
    if len(lines) != len(positions):
        sys.exit(f"{len(lines)} lines for {len(positions)} positions")
    return lines


def check_past(folder, core, vmlinux, least):
    records = read(folder, "truth", core)
    rows = true_rows(folder, core, records)
    contexts = memoryview(read(folder, "ctx", core)).cast("I")
    rng = random.Random(SEED)
    positions = []
    while len(positions) < DRAWN:
        position = rng.randrange(max(SWITCH, len(rows) - REACH), len(rows) - SWITCH)
        # The number is written some instructions before SP_EL0.
        if len({contexts[rows[position + by][0]] for by in (-SWITCH, 0, SWITCH)}) == 1:
            positions.append(position)
    known = 0
    for position, line in zip(positions, task_lines(folder, core, vmlinux, positions), strict=True):
        pid = re.search(r", pid (\d+)", line)
        if not pid:
            continue
        known += 1
        if int(pid.group(1)) != contexts[rows[position][0]]:
            sys.exit(f"position {position}: {line}, the context was {contexts[rows[position][0]]}")
    print(f"{known} of {DRAWN} known, none wrong")
    if known < least:
        sys.exit(f"fewer than {least}")


def check_module(folder, vmlinux):
    module = shared("corpus", "kernel", "elf", "kcrash.ko")
    told = run("shell", folder, "--image", vmlinux, "--module", module, "--command", "modules")
    assert re.fullmatch(rf"kcrash +0x{MODULE_TEXT:016x} +16384 bytes\n", told), told
    images = run("info", folder, "--image", vmlinux, "--module", module)
    assert re.search(rf"--image +0x{MODULE_TEXT:x} .*kcrash.ko", images), images
    # What the file has there is what the kernel had: no image contradicts a dump.
    assert run("check", folder, "--image", vmlinux, "--module", module) == run("check", folder, "--image", vmlinux)
    # Its variables have names, and its code, with lines.
    run("shell", folder, "--image", vmlinux, "--module", module, "--command", "values-of total")


def main():
    name, core, task, pid, least = sys.argv[1:]
    folder = shared("corpus", "kernel", name)
    with tempfile.TemporaryDirectory() as scratch:
        vmlinux = os.path.join(scratch, "vmlinux")
        with lzma.open(shared("corpus", "kernel", "elf", "vmlinux.xz")) as packed, open(vmlinux, "wb") as out:
            out.write(packed.read())
        line = task_lines(folder, core, vmlinux, ["end"])[0]
        assert f", runs {task}, pid {pid}, at position" in line, line
        assert "runs" not in run("shell", folder, "--command", "threads")
        told = json.loads(run("info", folder, "--image", vmlinux, "--format", "json"))
        told = next(of["task"] for of in told["cores"] if of["name"] == core)
        assert (told["name"], told["pid"]) == (task, int(pid)), told
        assert re.search(rf"^tasks at the halt\n.*\n(.*\n)? +{core} +{task}, pid {pid}$",
                         run("info", folder, "--image", vmlinux), re.MULTILINE)
        check_past(folder, core, vmlinux, int(least))
        check_module(folder, vmlinux)


if __name__ == "__main__":
    main()
