#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tables say of opcodes equals what qemu user mode does.

usage: qemu.py CHECK_CASES a64|a32|t32 rows|any FIRST_SEED RUNS

Each run is 16,000 cases: with `rows` an equal share for each row of the table, with `any` random
opcodes. Without qemu or a cross compiler the test is skipped. A longer run: qemu.py ... a64 rows 100 500.
"""
import os
import shutil
import subprocess
import sys
import tempfile

CASES = 16000
# Compiler, emulator, where the oracle is linked: where no random register points to, since a branch
# must not end in the oracle's own code (ORACLE_BASE of case.h).
A64 = ("aarch64-linux-gnu-gcc", "qemu-aarch64", "0x6d35a00000")
A32 = ("arm-linux-gnueabihf-gcc", "qemu-arm", "0x6d000000")

# Of A64: rows that no user-mode program can complete.
PRIVILEGED = {"ERET", "ERETA", "DRPS", "SVC_HVC_SMC", "BRK", "HLT", "DCPS", "UDF", "MSR_SPSEL", "MSR_UAO",
              "MSR_PAN", "MSR_ALLINT_PM"}
# Rows of extensions that qemu 7.2 does not have, and of opcodes that are not allocated.
NEWER = {"MIN_MAX_IMM", "MIN_MAX_REG", "CTZ", "CNT", "ABS", "AUTIASPPC", "RETASPPC", "RETASPPC_REG", "CB_REG",
         "CBB_CBH", "CB_IMM", "WFET_WFIT", "DSB_NXS", "SYSL", "LDAPUR_STLUR_V", "CPY_SET", "SVE_04_REST",
         "SVE_LDNQ_IMM", "SVE_LDNQ"}
# Hardly any of its opcodes is allocated.
RARE = {"SVE_25_10"}
# Of A32 and T32: rows that no user-mode program can complete, and those of other architectures.
SILENT_A32 = {"UDF", "UDF_W", "SVC", "HVC", "SMC", "HLT", "BKPT", "ERET", "SRS", "SRS_DB", "SRS_IA", "RFE", "RFE_DB",
              "RFE_IA", "SETPAN", "MRS_BANKED", "MSR_BANKED", "DCPS", "MSR_IMM_SPSR", "TT", "SG", "MCRR_MRRC",
              "UNCONDITIONAL"}


def build_oracle(folder, machine):
    source = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "semantics", "oracle.c")
    program = os.path.join(folder, "oracle")
    compiler, _, base = machine
    done = subprocess.run([compiler, "-O2", "-static", "-fno-stack-protector", f"-Wl,-Ttext-segment={base}",
                           "-o", program, source], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{compiler} cannot build the oracle: {done.stderr}")
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
        print(f"no {machine[0]} or no {machine[1]}")
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
        silent -= PRIVILEGED | NEWER | RARE if isa == "a64" else SILENT_A32
        if silent:
            sys.exit(f"rows that were never run: {sorted(silent)}")
    if totals["run"] < CASES * runs / 5:
        sys.exit("too few cases were run to prove anything")


if __name__ == "__main__":
    main()
