#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A history has no instruction that cannot have run: where the code does not lead to the address that the trace
says an exception was taken at, it ends there with a gap. `csreplay decode` goes on as OpenCSD 1.8 does.

usage: unreached.py SYNTH

Snapshots are made by synth. What ran is written by hand.
"""
import os
import re
import struct
import subprocess
import sys
import tempfile

GAP = re.compile(r"# gap before position (\d+): the code in the snapshot does not lead to where the trace "
                 r"says that execution came, (0x[0-9a-f]+)")
CODE = 0x400000
NOP, B_SELF, B_EQ, RET, LDR = 0xD503201F, 0x14000000, 0x54000040, 0xD65F03C0, 0xF9400021
T_NOP, T_LDM, T_BX_LR, T_IT_EQ, T_B = 0xBF00, (0xE890, 0x0006), 0x4770, 0xBF08, 0xE7FE


def a64(*opcodes):
    """A page of code: zeros after it."""
    return struct.pack("<%dI" % len(opcodes), *opcodes).ljust(8192, b"\0")


def t32(*halfwords):
    flat = [h for item in halfwords for h in (item if isinstance(item, tuple) else (item,))]
    return struct.pack("<%dH" % len(flat), *flat).ljust(4096, b"\0")


def a64_trace(start, returns, atoms=""):
    """Execution from `start`, and an interrupt whose return address is `returns`."""
    return (["async", "trace_info 0", "trace_on", "address_context_64 0 %d 1 1 1" % start]
            + ["atoms %s" % atoms] * bool(atoms)
            + ["exception 14 1", "address_64 0 %d" % returns])


def t32_trace(start, returns):
    return ["async", "trace_info 0", "trace_on", "address_context_32 1 %d 0 0 0" % start,
            "exception 16 1", "address_32 1 %d" % returns]


# name, type of the core, code, packets, offsets of what ran, (position, address) of the gap
CASES = (
    ("reached", "Cortex-A53", a64(NOP, NOP, LDR, NOP), a64_trace(CODE, CODE + 12), (0, 4, 8), None),
    ("past a branch", "Cortex-A53", a64(NOP, LDR, B_SELF, NOP, NOP, NOP), a64_trace(CODE, CODE + 20),
     (0, 4), (2, CODE + 20)),
    ("past a return, into zeros", "Cortex-A53", a64(NOP, LDR, NOP, RET), a64_trace(CODE, CODE + 0x1000),
     (0, 4, 8), (3, CODE + 0x1000)),
    ("behind", "Cortex-A53", a64(NOP, NOP, NOP, RET), a64_trace(CODE + 8, CODE), (), (0, CODE)),
    ("behind what ran", "Cortex-A53", a64(NOP, NOP, B_EQ, NOP, NOP), a64_trace(CODE + 4, CODE + 8, "0 1"),
     (4, 8), (2, CODE + 8)),
    ("after a return to nowhere", "Cortex-A53", a64(NOP, RET, NOP, NOP, NOP, NOP),
     a64_trace(CODE, CODE + 16, "1 1"), (0, 4), (2, CODE + 16)),
    ("T32 reached", "Cortex-M55", t32(T_NOP, T_LDM, T_NOP), t32_trace(CODE, CODE + 6), (0, 2), None),
    ("T32 within an LDM", "Cortex-M55", t32(T_NOP, T_NOP, T_LDM, T_NOP), t32_trace(CODE, CODE + 6),
     (0, 2), (2, CODE + 6)),
    ("T32 within the first instruction", "Cortex-M55", t32(T_LDM, T_NOP), t32_trace(CODE, CODE + 2),
     (), (0, CODE + 2)),
    ("T32 past a branch", "Cortex-M55", t32(T_NOP, T_B, T_NOP, T_NOP), t32_trace(CODE, CODE + 6),
     (0,), (1, CODE + 6)),
    ("T32 past a branch of an IT block", "Cortex-M55", t32(T_IT_EQ, T_BX_LR, T_NOP, T_NOP),
     t32_trace(CODE, CODE + 6), (0, 2, 4), None),
)


def run(*arguments):
    done = subprocess.run([os.environ["CSREPLAY"], *arguments], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{arguments}: {done.returncode} {done.stderr}")
    return done.stdout.splitlines()


def check(synth, case, folder):
    name, core, code, packets, ran, gap = case
    is_t32 = core == "Cortex-M55"
    registers = ["reg PC 0x0", "reg SP 0x1000", "reg xPSR 0x1000000"]
    if not is_t32:
        registers = ["reg PC(size:64) 0x0", "reg SP(size:64) 0x1000", "reg CPSR 0x5"]
    with open(os.path.join(folder, "code.bin"), "wb") as file:
        file.write(code)
    with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as file:
        file.write("\n".join(["bare", f"core cpu_0 {core}", *registers, f"dump code.bin {CODE:#x}",
                              "source ETM_0 ETM4.2 0x10", *("packet " + line for line in packets)]) + "\n")
    subprocess.run([synth, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
    lines = run("history", folder)
    pcs = [int(line.split("\t")[1], 16) - CODE for line in lines[1:] if not line.startswith("#")]
    gaps = [(int(found[1]), int(found[2], 16)) for found in map(GAP.match, lines) if found]
    if tuple(pcs) != ran:
        sys.exit(f"{name}: {len(pcs)} instructions, {[hex(pc) for pc in pcs[:8]]}, expected {ran}")
    if gaps != ([gap] if gap else []):
        sys.exit(f"{name}: gaps {gaps}, expected {gap}: {lines}")
    if any("I_RANGE_NOPATH" in line for line in run("decode", folder)):
        sys.exit(f"{name}: decode does not list what OpenCSD 1.8 does")
    print(f"{name}: {len(pcs)} instructions, gap {gap}")


def main():
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            check(sys.argv[1], case, folder)


if __name__ == "__main__":
    main()
