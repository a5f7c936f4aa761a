#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tables say of opcodes equals what qemu user mode does.

usage: qemu.py CHECK_CASES a64|a32|t32 rows|any FIRST_SEED RUNS

Each run is 16,000 cases: with `rows` an equal share for each row of the table, with `any` random
opcodes. Without qemu or a cross compiler the test is skipped. A longer run: qemu.py ... a64 rows 100 500.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

CASES = 16000
# Compiler, emulator, where the oracle is linked: where no random register points to, since a branch
# must not end in the oracle's own code (ORACLE_BASE of case.h).
A64 = ("aarch64-linux-gnu-gcc", "qemu-aarch64", "0x6d35a00000")
A32 = ("arm-linux-gnueabihf-gcc", "qemu-arm", "0x6d000000")

# Rows of A64 that kill everything although qemu runs some of their opcodes: see sem_losses.def.
KILLING = {"MSR_SVCR", "SME_LENGTH"}
# Of A32 and T32 qemu also runs what is unpredictable, which kills everything: no more of a row.
UNPREDICTABLE = 0.6
RESERVED = {"UNCONDITIONAL", "LOAD_RESERVED", "STORE_RESERVED", "EXTRA_RESERVED", "MISC_RESERVED", "(none)"}
LOOPS = {"LE_LR", "LETP", "LE", "WLS", "WLSTP"}  # not modelled


def kills(name):
    """All of the row kills everything: it is there for its flow."""
    return name in RESERVED | LOOPS or name.endswith("_WIDE")


def rows_killed(isa, sums, columns):
    """Rows with opcodes that kill everything although they did something in qemu."""
    for name, numbers in sums.items():
        run, killed = (numbers[columns.index(column)] for column in ("run", "killed"))
        if isa == "a64" and killed and name not in KILLING | {"(none)"}:
            yield name
        if isa != "a64" and run > 30 and killed > UNPREDICTABLE * run and not kills(name):
            yield name


def rows_by_hand(isa):
    """The rows with cases of their own, which no user-mode program completes or qemu 7.2 lacks."""
    path = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "arch", f"sem_case_{isa}.def")
    with open(path, encoding="ascii") as file:
        return {match[1] for match in re.finditer(r"^X\((\w+),", file.read(), re.MULTILINE)}


def build_oracle(folder, machine):
    source = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "semantics", "oracle.c")
    program = os.path.join(folder, "oracle")
    compiler, _, base = machine
    done = subprocess.run([compiler, "-O2", "-static", "-fno-stack-protector", f"-Wl,-Ttext-segment={base}",
                           "-o", program, source], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{done.stderr}SKIPPED: {compiler} cannot build the oracle")
        sys.exit(77)
    return program


def cpu_of(isa, seed):
    """One with everything, and all vector lengths that are a power of two; or an old one."""
    if isa != "a64":
        return ["max", "cortex-a7", "max", "cortex-a15", "max", "cortex-a8"][seed % 6]
    if seed % 6 == 0:
        return "cortex-a57"  # DC ZVA of 64 bytes
    return f"max,pauth-impdef=on,sve-default-vector-length={16 << seed % 6 - 1}"


def run(checker, machine, oracle, folder, isa, mode, seed):
    """The checker's lines for one file of cases; exits if it found a difference."""
    cases, results = os.path.join(folder, "cases"), os.path.join(folder, "results")
    with open(cases, "wb") as file:
        subprocess.run([checker, "make", str(seed), str(CASES), mode, isa], stdout=file, check=True)
    with open(cases, "rb") as source, open(results, "wb") as file:
        subprocess.run([machine[1], "-cpu", cpu_of(isa, seed), oracle], stdin=source, stdout=file, check=True)
    done = subprocess.run([checker, "check", cases, results], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"seed {seed}:\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()


def add_counts(sums, lines):
    """Adds the table's lines to the sums by row; returns the names of its columns."""
    head = next(i for i, line in enumerate(lines) if line.startswith("row "))
    for line in lines[head + 1:-1]:
        name, *numbers = line.split()
        sums[name] = [a + int(b) for a, b in zip(sums.get(name, [0] * len(numbers)), numbers)]
    return lines[head].split()[1:]


def main():
    checker, isa, mode, first, runs = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
    machine = A64 if isa == "a64" else A32
    if not shutil.which(machine[0]) or not shutil.which(machine[1]):
        print(f"SKIPPED: {machine[0]} or {machine[1]} is not there")
        sys.exit(77)
    sums = {}
    with tempfile.TemporaryDirectory() as folder:
        oracle = build_oracle(folder, machine)
        for seed in range(first, first + runs):
            columns = add_counts(sums, run(checker, machine, oracle, folder, isa, mode, seed))
    print(f"{'row':16}" + "".join(f"{name:>9}" for name in columns))
    for name, numbers in sums.items():
        print(f"{name:16}" + "".join(f"{number:9}" for number in numbers))
    totals = dict(zip(columns, map(sum, zip(*sums.values()))))
    print(totals)
    if mode == "rows":
        silent = {name for name, numbers in sums.items() if numbers[columns.index("run")] == 0}
        silent -= rows_by_hand(isa)
        if silent:
            sys.exit(f"rows that were never run: {sorted(silent)}")
        killed = sorted(rows_killed(isa, sums, columns))
        if killed:
            sys.exit(f"rows of which an opcode that ran is said to be none: {killed}")
    if totals["run"] < CASES * runs / 5:
        sys.exit("too few cases were run to prove anything")


if __name__ == "__main__":
    main()
