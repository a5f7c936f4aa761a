#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions of a program without symbols begin where calls lead, also those through a register. synth has traced it.

usage: no_symbols.py SYNTH"""
import json
import os
import struct
import subprocess
import sys
import tempfile

BASE, HALT = 0x400000, 0x400010
NOP, RET, BL, BLR_X1 = 0xD503201F, 0xD65F03C0, 0x94000000, 0xD63F0020
DIRECT, INDIRECT = 0x400100, 0x400140
CODE = {BASE: BL | (DIRECT - BASE) >> 2, BASE + 8: BLR_X1, DIRECT + 4: RET, INDIRECT + 4: RET}
RUNS = ((BASE, 1), (DIRECT, 2), (BASE + 4, 2), (INDIRECT, 2), (BASE + 12, 1))


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "code"), "wb") as file:
            file.write(struct.pack("<128I", *(CODE.get(BASE + 4 * i, NOP) for i in range(128))))
        lines = ["description calls", "core cpu_0 Cortex-A53", f"reg PC(size:64) {HALT:#x}", f"dump code {BASE:#x}",
                 "source ETM_0 ETM4.2 0x10", *(f"run {start:#x} {count}" for start, count in RUNS), f"exception 12 {HALT:#x}"]
        with open(os.path.join(folder, "recipe"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        subprocess.run([sys.argv[1], "snapshot", os.path.join(folder, "recipe"), folder], check=True)
        out = subprocess.run([os.environ["CSREPLAY"], "calls", "--format", "json", folder], stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    functions = [(call["enter"], int(call["function"], 0)) for call in map(json.loads, out.splitlines()) if "caller" in call]
    assert functions == [(1, DIRECT), (5, INDIRECT)], out


if __name__ == "__main__":
    main()
