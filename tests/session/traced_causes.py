#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a core halted at where no fault status register says it: the exception that its trace ends in, and what stopped it.

usage: traced_causes.py SYNTH

Snapshots are made by synth; what ran, and what is to be said of it, is written by hand.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

CODE = 0x400000
NOP, SVC, SVC_1, BLR_X3 = 0xD503201F, 0xD4000001, 0xD4000021, 0xD63F0060
A32_NOP, A32_SVC, A32_SVC_NE = 0xE320F000, 0xEF000000, 0x1F000000
CALL, ALIGNMENT = 2, 10  # IHI 0064, exception packet, TYPE
A64, A32 = "Cortex-A53", "Cortex-A15"
A64_START = ["async", "trace_info 0", "trace_on", "address_context_64 0 %d 1 1 0" % CODE]
A32_START = ["async", "trace_info 0", "trace_on", "address_context_32 0 %d 0 0 0" % CODE]
AFTER = CODE + 8
ABORT = {"PC": AFTER, "X8": 131, "X2": 6}
ABORT_A32 = {"PC": AFTER, "R7": 268, "R2": 6}


def taken(exception, address, width=64):
    return [f"exception {exception} 1", f"address_{width} 0 {address}"]


def jump(target):
    """BLR there, and the exception that comes of it; the trace has no bits [1:0]."""
    return A64_START + ["atoms 1 1", "address_64 0 %d" % (target & ~3)] + taken(ALIGNMENT, target & ~3)


CALLED = A64_START + taken(CALL, AFTER)
CALLED_A32 = A32_START + taken(CALL, AFTER, 32)
SENT = "SIGABRT at 0x400004: sent by its own tgkill()"

# name, core, code, packets, registers, what is said
CASES = (
    ("tgkill", A64, (NOP, SVC, NOP), CALLED, ABORT, SENT),
    ("tgkill of SIGSEGV", A64, (NOP, SVC, NOP), CALLED, dict(ABORT, X2=11), SENT.replace("ABRT", "SEGV")),
    ("tgkill of SIGBUS, which gdb numbers otherwise", A64, (NOP, SVC, NOP), CALLED, dict(ABORT, X2=7),
     SENT.replace("ABRT", "BUS")),
    ("tkill", A64, (NOP, SVC, NOP), CALLED, {"PC": AFTER, "X8": 130, "X1": 6}, SENT.replace("tgk", "tk")),
    ("a signal that stops nothing", A64, (NOP, SVC, NOP), CALLED, dict(ABORT, X2=17), None),
    ("no signal", A64, (NOP, SVC, NOP), CALLED, dict(ABORT, X2=0), None),
    ("a signal that is not known", A64, (NOP, SVC, NOP), CALLED, {"PC": AFTER, "X8": 131}, None),
    ("kill, which may be of another process", A64, (NOP, SVC, NOP), CALLED, dict(ABORT, X8=129, X1=6), None),
    ("no call of Linux", A64, (NOP, SVC_1, NOP), CALLED, ABORT, None),
    ("a halt elsewhere", A64, (NOP, SVC, NOP), CALLED, dict(ABORT, PC=CODE + 4), None),
    ("no exception", A64, (NOP, SVC, NOP), A64_START, ABORT, None),
    ("tgkill in A32", A32, (A32_NOP, A32_SVC, A32_NOP), CALLED_A32, ABORT_A32, SENT),
    ("tgkill in A32, if", A32, (A32_NOP, A32_SVC_NE, A32_NOP), CALLED_A32, ABORT_A32, SENT),
    ("a number of A64", A32, (A32_NOP, A32_SVC, A32_NOP), CALLED_A32, dict(ABORT_A32, R7=131), None),
    ("a jump to no multiple of 4", A64, (NOP, BLR_X3, NOP), jump(0x12346b), {"PC": 0x12346b},
     "PC alignment fault at 0x12346b: fetch; branched to from 0x400004; register x3; taken at position 2"),
    ("SP is not aligned", A64, (NOP, BLR_X3, NOP), jump(0x123468), {"PC": 0x123468},
     "alignment fault at 0x123468; taken at position 2"),
)


def check(synth, case, folder):
    name, core, code, packets, registers, expected = case
    with open(os.path.join(folder, "code.bin"), "wb") as file:
        file.write(struct.pack("<%dI" % len(code), *code))
    width = 64 if core == A64 else 32
    lines = ["core cpu_0 " + core, "reg CPSR(size:32) " + ("0x0" if core == A64 else "0x10"),
             *(f"reg {register}(size:{width}) {value:#x}" for register, value in registers.items()),
             f"dump code.bin {CODE:#x}", "source ETM_0 ETM4.2 0x10", *("packet " + packet for packet in packets)]
    with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([synth, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
    done = subprocess.run([os.environ["CSREPLAY"], "info", "--format", "json", folder], capture_output=True, text=True,
                          timeout=60, check=True)
    crash = json.loads(done.stdout)["cores"][0].get("crash")
    said = crash and crash["text"]
    if said != expected or (crash and "SIG" in said and crash["signal"] != said.split(" ")[0]):
        print(f"{name}: {crash}\nexpected {expected}\n{done.stderr}")
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
