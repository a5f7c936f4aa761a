#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`monitor why` of an unknown value, in gdb: what is said, for each kind of thing that keeps one
from being known (replay/values/explain/why_unknown.c). Each is a snapshot of a few A64 instructions, made for it.

usage: values_blockers.py SYNTH"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import material
import serving

CODE, DATA = 0x1000, 0x8000
DATA_FAULT = 12  # ETMv4's exception type
NOP, SVC_0, B_0 = 0xD503201F, 0xD4000001, 0x14000000
MOV_X1_0, MOV_X3_0, MOV_X4_0, MOV_X5_0 = 0xD2800001, 0xD2800003, 0xD2800004, 0xD2800005
MUL_X1_X4_X5, FADD_D1_D2_D3 = 0x9B057C81, 0x1E632841
LDR_X1_X2, LDR_X1_X3, LDR_X5_X2 = 0xF9400041, 0xF9400061, 0xF9400045
STR_X1_X2, STR_X4_X2, STR_X4_X3 = 0xF9000041, 0xF9000044, 0xF9000064
LDR_X4_X3, LDR_X1_SP, MOV_SP_X4 = 0xF9400064, 0xF94003E1, 0x9100009F
STR_X4_X3_X5 = 0xF8256864
ST1B_Z0_X2 = 0xE400E040  # st1b {z0.b}, p0, [x2]
MSR_TTBR0_X4 = 0xD5182004
A32_SETEND_LE, A32_NOP = 0xF1010000, 0xE320F000
UNDEFINED = 0x80800000  # SME left this one unallocated
M_CORE = os.path.join(material.SHARED, "corpus", "opencsd", "armv8_1m_branches")
LONG = 2_200_000  # instructions: more than a window that begins at the halt has

# What it is, the opcodes, a position and a subject there, what is said of it. At the halt X2
# and SP are DATA, X8 the number of no system call, X9 CODE, the others 0.
CASES = (
    ("an opcode that no table has", [UNDEFINED, NOP], 0, "x9",
     r"0  0x1000  .*: an opcode that the tables do not have: anything may have changed$"),
    ("memory before an opcode that no table has", [NOP, STR_X1_X2, UNDEFINED], 1, "0x8000",
     r"2  0x1008  .*: an opcode that the tables do not have; it may have hit 0x8000$"),
    ("memory of another address space", [NOP, MSR_TTBR0_X4], 0, "0x8000",
     r"1  0x1004  msr ttbr0_el1, x4: memory before it is another address space's; "
     r"it may have hit 0x8000$"),
    ("memory before a system call", [NOP, SVC_0, NOP], 0, "0x8000",
     r"2  .*: any memory may have changed; it may have hit 0x8000$"),
    ("registers before a system call", [NOP, SVC_0, NOP], 0, "x9",
     r"2  .*: nothing is known to be the same before and after it$"),
    ("a store through an unknown register", [NOP, STR_X4_X3, MOV_X3_0, MOV_X4_0], 1, "0x8000",
     r"1  0x1004  str x4, \[x3\]: through x3, which is not known; it may have hit 0x8000$"),
    ("a store to an unknown sum", [NOP, STR_X4_X3_X5, MOV_X3_0, MOV_X4_0, MOV_X5_0], 1, "0x8000",
     r"1  0x1004  str x4, \[x3, x5\]: at an address that is not known; it may have hit 0x8000$"),
    ("a store of unknown extent", [NOP, ST1B_Z0_X2], 1, "0x8000",
     r"writes a range with what is not known; it may have hit 0x8000$"),
    ("memory that was overwritten", [NOP, STR_X1_X2], 0, "0x8000",
     r"1  0x1004  str x1, \[x2\]: overwrites it, and nobody had read it: 0x8000$"),
    ("memory that was read, and what was read was lost",
     [NOP, LDR_X1_X2, MOV_X1_0, STR_X1_X2], 0, "0x8000",
     r"1  0x1004  ldr x1, \[x2\]: reads it, and what it read is not known: 0x8000$"),
    ("memory after it was read", [LDR_X1_X2, MOV_X1_0, STR_X1_X2], 1, "0x8000",
     r"0  0x1000  ldr x1, \[x2\]: reads it, and what it read is not known: 0x8000$"),
    ("memory after a store of what was lost", [STR_X4_X2, MOV_X4_0, STR_X1_X2], 1, "0x8000",
     r"0  0x1000  str x4, \[x2\]: stores there what is not known: 0x8000$"),
    ("memory from before the trace", [NOP, STR_X1_X2], 0, "0x8000",
     r"0  nothing is known to have been there from here on, where what is looked at begins$"),
    ("memory that is in no dump", [NOP], 0, "0x9000",
     r"no dump holds all of 0x9000: it may be a device$"),
    ("memory that a device may change", [NOP], 0, "0x8000",
     r"0x8000 is in the memory of a device, which may change it at any time \(--device\)$"),
    ("memory that another core may have written", [NOP], 0, "0x8000",
     r"single-writer is off: another core may have written it\n"
     r"  assuming single-writer, which is off, it is 0x0$"),
    ("memory of a stack that another core may have used", [NOP, LDR_X4_X3, MOV_SP_X4, LDR_X1_SP, MOV_X4_0, MOV_X3_0], 0, "0x8000",
     r"SP went to another stack and came back from memory: meanwhile another core may have run on this one\n"
     r"  assuming single-writer, which is off, it is 0x0$"),
    ("a load through an unknown register", [LDR_X1_X3, NOP, MOV_X1_0, MOV_X3_0], 1, "x1",
     r"0  0x1000  ldr x1, \[x3\]: loads it through x3, which is not known$"),
    ("a load of unknown memory", [LDR_X1_X2, MOV_X1_0, STR_X1_X2], 1, "x1",
     r"0  0x1000  ldr x1, \[x2\]: loads it from 0x8000, which is not known then$"),
    ("a register that was overwritten", [NOP, MOV_X1_0], 0, "x1",
     r"1  0x1004  movz? x1, #0(x0)?: overwrites it, and nothing before says what it was$"),
    ("a register from before the trace", [NOP, MOV_X1_0], 0, "x1",
     r"0  it is from before what is looked at$"),
    ("an unknown operand", [MUL_X1_X4_X5, MOV_X1_0, MOV_X4_0, MOV_X5_0], 1, "x1",
     r"0  0x1000  mul x1, x4, x5: makes it of what is not known$"),
    ("a result that is not reconstructed", [FADD_D1_D2_D3, FADD_D1_D2_D3], 1, "v1",
     r"0  0x1000  fadd d1, d2, d3: its result is not reconstructed$"),
    ("a register that the snapshot does not have", [NOP], 0, "v9",
     r"1  the halt: the snapshot does not have v9\.lo$"),
    ("a register long before the halt", [NOP] * 1000, 0, "x9",
     r"  what is looked at ends before the halt, with x9$"),
    ("memory long before the halt", [NOP] * 1000, 0, "0x8000",
     r"  the window ends here, before the halt$"),
    ("data of another byte order", [A32_SETEND_LE, A32_NOP], 0, "r9",
     r"not known: nothing is before position 1, where code or the byte order of data changed$"),
)


class Blocked(unittest.TestCase):
    def test_each_kind(self):
        for case in CASES:
            with self.subTest(case[0]):
                self.explain(*case)

    @unittest.skipUnless(os.path.isdir(M_CORE), "the reference material is not there")
    def test_register_that_no_instruction_is_followed_for(self):
        with serving.Server([M_CORE]) as server:
            out = serving.gdb(server.address, ["set $trace_pos = 1", "monitor why primask"])
        self.assertRegex(out, "(?m)^primask is not reconstructed$")

    def test_there_is_no_other_kind(self):
        """All that the file says of the lines that it writes is told above."""
        path = os.path.join(serving.SOURCE, "replay", "values", "explain", "why_unknown.c")
        with open(path, encoding="ascii") as file:
            code = re.sub(r"(?m)^#.*$", "", file.read())
        said = [text for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code)
                for text in re.findall(r"[^%\\]{9,}", literal)]
        told = "\n".join(case[4].replace("\\", "") for case in CASES)
        self.assertGreater(len(said), 20)
        for text in said:
            self.assertIn(text.strip(" ,:;"), told)

    def explain(self, what, opcodes, position, subject, expected):
        commands = [f"set $trace_pos = {position}", "echo ==\\n", f"monitor why {subject}",
                    "echo ==\\n"]
        if "another core" in what:
            commands[:0] = ["monitor assume single-writer off", "monitor assume stack-private on"]
        with tempfile.TemporaryDirectory() as folder:
            if "byte order" in what:
                make_a32(folder, opcodes)
            else:
                make(folder, opcodes, LONG // 1000 if "long before" in what else 1)
            device = ["--device", f"{DATA:#x}+8"] if "a device may change" in what else []
            with serving.Server([*device, folder]) as server:
                # SP is not known either where data may be big endian.
                out = serving.gdb(server.address, commands,
                                  allowed=["^Register 13 is not available"] if "byte order" in what else ())
        answer = out.split("==\n")[1]
        print(f"--- {what}\n(gdb) monitor why {subject}\n{answer}", end="")
        self.assertRegex(answer, "(?m)" + expected)


def write_words(folder, name, words):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(struct.pack("<%dI" % len(words), *words))


def write_snapshot(folder, lines):
    recipe = os.path.join(folder, "recipe")
    with open(recipe, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([sys.argv[1], "snapshot", recipe, folder], check=True)


def make_a32(folder, opcodes):
    """As make(), of a core in AArch32 state."""
    halt = CODE + 4 * len(opcodes)
    write_words(folder, "code.bin", [*opcodes, A32_NOP])
    write_snapshot(folder, [
        "core cpu_0 Cortex-A32", f"reg R15 {halt:#x}", "reg CPSR 0x60000010", *(f"reg R{i} {i}" for i in range(15)),
        f"dump code.bin {CODE:#x}", "source ETM_0 ETM4.2 0x10", "packet async", "packet trace_info 0", "packet trace_on",
        f"packet address_context_32 0 {CODE} 0 0 0", f"packet exception {DATA_FAULT} 1", f"packet address_32 0 {halt}"])


def make(folder, opcodes, times):
    """A snapshot whose core has executed these instructions."""
    halt = CODE + 4 * len(opcodes)
    if times > 1:
        opcodes = opcodes[:-1] + [B_0 | 0x3FFFFFF & (1 - len(opcodes))]
        halt = CODE
    count = len(opcodes)  # and one that faults
    write_words(folder, "code.bin", [*opcodes, NOP])
    write_words(folder, "data.bin", [0, 0])
    values = {2: DATA, 8: 0xFFFF, 9: CODE}
    lines = ["core cpu_0 Cortex-A53", f"reg PC(size:64) {halt:#x}", f"reg SP(size:64) {DATA:#x}", "reg CPSR(size:32) 0x60000000",
             *(f"reg X{i}(size:64) {values.get(i, 0):#x}" for i in range(31)),
             f"dump code.bin {CODE:#x}", f"dump data.bin {DATA:#x}", "source ETM_0 ETM4.2 0x10",
             *[f"run {CODE:#x} {count}"] * times, f"exception {DATA_FAULT} {halt:#x}"]
    write_snapshot(folder, lines)


if __name__ == "__main__":
    serving.main()
