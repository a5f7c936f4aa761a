#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where no exception packet closes the trace, a history goes on to the halt PC if no waypoint lies between; else
there is a gap before the halt.

usage: halt_tail.py SYNTH

Snapshots are made by synth. What ran is written by hand.
"""
import os
import struct
import subprocess
import sys
import tempfile

CODE = 0x400000
NOP, B_8, B_EQ, B_SELF, RET = 0xD503201F, 0x14000002, 0x54000040, 0x14000000, 0xD65F03C0
DSB, ISB = 0xD5033F9F, 0xD5033FDF
T_NOP, T_B, T_LDM = 0xBF00, 0xE7FE, (0xE890, 0x0006)
A64_START = ["async", "trace_info 0", "trace_on", "address_context_64 0 %d 1 1 1" % CODE]
T32_START = ["async", "trace_info 0", "trace_on", "address_context_32 1 %d 0 0 0" % CODE]
INTERRUPT = ["exception 14 1", "address_64 0 %d" % CODE]


def a64(*opcodes):
    return struct.pack("<%dI" % len(opcodes), *opcodes)


def t32(*halfwords):
    flat = [h for item in halfwords for h in (item if isinstance(item, tuple) else (item,))]
    return struct.pack("<%dH" % len(flat), *flat)


# name, core, code, packets, offset of the halt PC, offsets of what ran, is there a gap before the halt
CASES = (
    ("straight on", "Cortex-A53", a64(B_8, NOP, NOP, NOP, NOP, B_SELF), A64_START + ["atoms 1 1"], 20, (0, 8, 12, 16),
     False),
    ("there already", "Cortex-A53", a64(B_8, NOP, NOP), A64_START + ["atoms 1 1"], 8, (0,), False),
    ("past a branch", "Cortex-A53", a64(B_8, NOP, NOP, B_EQ, NOP, NOP), A64_START + ["atoms 1 1"], 20, (0,), True),
    ("past a barrier", "Cortex-A53", a64(B_8, NOP, NOP, DSB, NOP), A64_START + ["atoms 1 1"], 16, (0, 8, 12), False),
    ("past an ISB", "Cortex-A53", a64(B_8, NOP, NOP, ISB, NOP), A64_START + ["atoms 1 1"], 16, (0,), True),
    ("before", "Cortex-A53", a64(B_8, NOP, NOP, NOP), A64_START + ["atoms 1 1"], 4, (0,), True),
    ("past memory", "Cortex-A53", a64(B_8, NOP, NOP, NOP), A64_START + ["atoms 1 1"], 20, (0,), True),
    ("after a return to nowhere", "Cortex-A53", a64(RET, NOP, NOP, NOP), A64_START + ["atoms 1 1"], 8, (0,), True),
    ("after an exception", "Cortex-A53", a64(B_8, NOP, NOP, NOP), A64_START + INTERRUPT, 8, (), True),
    ("T32", "Cortex-M55", t32(T_B, T_NOP, T_LDM, T_NOP), T32_START + ["atoms 1 1"], 8, (0,), True),
    ("T32 straight on", "Cortex-M55", t32(0xE000, T_NOP, T_LDM, T_NOP, T_NOP), T32_START + ["atoms 1 1"], 10, (0, 4, 8),
     False),
    ("T32 within an instruction", "Cortex-M55", t32(0xE000, T_NOP, T_LDM, T_NOP), T32_START + ["atoms 1 1"], 6, (0,),
     True),
)


def check(synth, case, folder):
    name, core, code, packets, halt, ran, has_gap = case
    is_t32 = core == "Cortex-M55"
    with open(os.path.join(folder, "code.bin"), "wb") as file:
        file.write(code)
    registers = (["xPSR 0x01000000", "PC 0x%x" % (CODE + halt), "SP 0x20000000"] if is_t32 else
                 ["CPSR(size:32) 0x3c5", "PC(size:64) 0x%x" % (CODE + halt), "SP(size:64) 0x20000000"])
    lines = ["core cpu_0 " + core, *("reg " + register for register in registers), "dump code.bin 0x%x" % CODE,
             "source ETM_0 ETM4.2 0x10", *("packet " + packet for packet in packets)]
    with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([synth, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
    done = subprocess.run([os.environ["CSREPLAY"], "history", folder], capture_output=True, text=True, timeout=60,
                          check=True)
    rows = [line for line in done.stdout.splitlines()[1:]]
    found = tuple(int(row.split("\t")[1], 16) - CODE for row in rows if not row.startswith("#"))
    gap = any("does not lead to the halt" in row for row in rows)
    if (found, gap) != (ran, has_gap):
        print(f"{name}: found {found}, gap {gap}; expected {ran}, {has_gap}\n{done.stdout}{done.stderr}")
        return False
    return True


def main():
    passed = []
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            passed.append(check(sys.argv[1], case, folder))
    print(f"{sum(passed)} of {len(passed)} as expected")
    sys.exit(not all(passed))


if __name__ == "__main__":
    main()
