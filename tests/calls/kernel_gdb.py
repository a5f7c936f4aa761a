# SPDX-License-Identifier: Apache-2.0
"""gdb's backtraces of a recorded kernel with gdbinit, through exceptions: at the halt, at a core's fault and at random
positions, against the truth (kernel.py).

usage: kernel_gdb.py NAME CORE POSITIONS SHORT

Fails on one wrong caller, and where more than SHORT backtraces lack callers whose calls are in the trace."""
import os
import random
import re
import sys
import tempfile

import kernel
import serving
from material import shared
from recorded_kernel import RECORD, run, true_rows

DEEP = 60
ALLOWED = [".*Backtrace stopped", "^#.*", ".*No such file or directory", r"^\[flow\]", ".*unavailable"]


def backtraces(options, folder, vmlinux, thread, positions):
    commands = [f"thread {thread}"]
    for position in positions:
        commands += ["echo ==\\n", f"set $trace_pos = {position}", "frame 0", f"bt {DEEP}"]
    with serving.Server([*options, folder]) as server:
        out = serving.gdb(server.address, commands, vmlinux, ["-x", serving.GDBINIT], allowed=ALLOWED)
    parts = out.split("==\n")[1:]
    if len(parts) != len(positions):
        sys.exit(f"{len(parts)} answers: {out[:2000]}")
    # What is inlined has no address.
    return [[int(pc, 16) for pc in re.findall(r"^#[1-9]\d* +0x([0-9a-f]+) in ", part, re.MULTILINE)] for part in parts]


def main():
    name, core, count, short_most = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    folder = shared("corpus", "kernel", name)
    with tempfile.TemporaryDirectory() as scratch:
        vmlinux, options = kernel.images(scratch)
        true = kernel.TrueCalls(folder, core, kernel.read_functions(vmlinux)["cpu_switch_to"])
        rows = true_rows(folder, core, true.records)
        positions = sorted(random.Random(kernel.SEED).sample(range(len(rows)), count))
        crash = re.search(rf"{core}: .* at position (\d+)\n", run("shell", folder, *options, "--command", "crash"))
        positions += [int(crash.group(1))] if crash else []
        places = {position: rows[position][0] for position in positions}
        places[len(rows)] = len(true.records) // RECORD - 1
        told = backtraces(options, folder, vmlinux, int(core[-1]) + 1, list(places))
    stacks = true.stacks(set(places.values()))
    wrong, short = kernel.judge(places, told, stacks, rows[0][0], enough=DEEP // 2)
    print(f"{name} {core}: of {len(places)} backtraces {wrong} wrong, {short} short")
    sys.exit(bool(wrong) or short > short_most)


if __name__ == "__main__":
    main()
