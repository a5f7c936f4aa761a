#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several contents at one address: what ran, what gdb sees and what is said of values is that of the
address space that the core was in. Snapshots of a few instructions, made for it by the encoder.

usage: spaces.py SYNTH"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import serving

CODE, DATA = 0x400000, 0x500000
NOP, B_0, B_8, SMC = 0xD503201F, 0x14000000, 0x14000002, 0xD4000003
ADD_X1_1, ADD_X1_2, MOV_X1_5, MOV_X1_7 = 0x91000421, 0x91000821, 0xD28000A1, 0xD28000E1


def words(*opcodes):
    return struct.pack(f"<{len(opcodes)}I", *opcodes)


def run(*arguments):
    done = subprocess.run([serving.CSREPLAY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def history(*arguments):
    """(PC, opcode) of each instruction, and the gaps."""
    code, out, err = run("history", "--format", "json", *arguments)
    assert code == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    return ([(int(line["pc"], 0), int(line["opcode"], 0)) for line in lines if "pc" in line],
            [line for line in lines if "gap" in line])


class Spaces(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "snapshot")
        os.mkdir(self.folder)

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def make(self, *lines, pc=CODE, registers=("CPSR(size:32) 0x60000005",), files=(),
             core="Cortex-A53"):
        """A snapshot by its recipe; `files` are pairs of a name and bytes."""
        for name, data in files:
            self.file(name, data)
        head = [f"core cpu_0 {core}", f"reg PC(size:64) {pc:#x}", "reg SP(size:64) 0x0",
                *(f"reg X{i}(size:64) 0x0" for i in range(31)),
                *(f"reg {register}" for register in registers)]
        recipe = self.file("recipe", "\n".join([*head, *lines, ""]).encode())
        subprocess.run([sys.argv[1], "snapshot", recipe, self.folder], check=True)

    def gdb(self, *commands, options=(), allowed=()):
        with serving.Server([*options, self.folder]) as server:
            return serving.gdb(server.address, commands, allowed=allowed)


SECURE = words(NOP, ADD_X1_1, B_0)
NORMAL = words(ADD_X1_2, ADD_X1_2, B_0)
TWO_STATES = ("dump s.bin 0x400000", "space EL1S", "dump n.bin 0x400000", "space EL1N",
              "source ETM_0 ETM4.2 0x10", "context 1 1", "sees 1", "run 0x400000 3",
              "exception 14 0x400008", "context 1 0", "sees 0", "run 0x400000 3",
              "exception 14 0x400008", "context 1 1", "sees 1", "run 0x400000 3",
              "exception 14 0x400008")
RAN = [(CODE + 4 * i, opcode) for part in (NORMAL, SECURE, NORMAL)
       for i, opcode in enumerate(struct.unpack("<3I", part))]


class States(Spaces):
    def make_states(self):
        self.make(*TWO_STATES, pc=CODE + 8, files=[("s.bin", SECURE), ("n.bin", NORMAL)])

    def test_history_has_the_opcodes_that_ran(self):
        self.make_states()
        self.assertEqual(history(self.folder)[0], RAN)

    def test_export_has_them(self):
        self.make_states()
        code, out, err = run("export", self.folder)
        self.assertEqual((code, err), (0, ""))
        found = re.findall(r"ES +\((\w+):(\w+)\)", out)
        self.assertEqual([(int(pc, 16), int(opcode, 16)) for pc, opcode in found], RAN)

    def test_gdb_shows_them(self):
        """gdb's own disassembly of the memory at each position."""
        self.make_states()
        commands = []
        for position in (7, 4, 3, 1, 0):
            commands += [f"set $trace_pos = {position}", "x/i $pc"]
        out = self.gdb(*commands)
        texts = re.findall(r"=> 0x\w+:\s+(.*)", out)
        self.assertEqual([text.replace("\t", " ") for text in texts],
                         ["add x1, x1, #0x2", "add x1, x1, #0x1", "nop", "add x1, x1, #0x2",
                          "add x1, x1, #0x2"])

    def test_values_go_through_what_ran(self):
        """X1 is 0 at the halt: 2 less for each ADD of the normal world, 1 of the secure one."""
        self.make_states()
        out = self.gdb(*[command for position in (6, 5, 4, 3)
                         for command in (f"set $trace_pos = {position}", "p/d (long)$x1")],
                       allowed=[r"value is not available|<unavailable>"])
        found = re.findall(r"\$\d+ = (.*)", out)
        for text, value in zip(found, (-4, -4, -5, -5)):
            self.assertIn(text, (str(value), "<unavailable>"))
        self.assertEqual(found[0], "-4")

    def test_halt_is_seen_as_the_registers_say(self):
        """Snapshot format 1.0, 4.1: each exception level in each security state."""
        spaces = ("EL1S", "EL1N", "EL2", "EL3")
        dumps = [line for i, space in enumerate(spaces)
                 for line in (f"dump {space}.bin {DATA:#x}", f"space {space}")]
        for cpsr, scr, seen in ((0x0, 0, "EL1S"), (0x0, 1, "EL1N"), (0x3C5, 0x530, "EL1S"),
                                (0x3C5, 0x531, "EL1N"), (0x3C9, 0x531, "EL2"), (0x3CD, 0, "EL3"),
                                (0x3CD, 1, "EL3"), (0x3C5, None, "EL1N")):
            registers = [f"CPSR(size:32) {cpsr:#x}"]
            registers += [f"SCR_EL3(size:32) {scr:#x}"] if scr is not None else []
            self.make(*dumps, registers=registers,
                      files=[(f"{s}.bin", words(i + 1)) for i, s in enumerate(spaces)])
            out = self.gdb(f"x/1xw {DATA:#x}")
            self.assertIn(f"{DATA:#x}:\t0x{spaces.index(seen) + 1:08x}", out, (cpsr, scr))


if __name__ == "__main__":
    serving.main()
