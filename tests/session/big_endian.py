#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A core whose data is big endian: nothing of its past is said that would be another in the right byte order, and no debugger is
served that would read registers reversed.

usage: big_endian.py SYNTH"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import serving

CODE, DATA = 0x40017c, 0x41ffe8
# add: counter += x; return counter; and a loop that calls it.
OPCODES = (0xf00000e1, 0xf947f422, 0x8b000042, 0xf907f422, 0xf947f420, 0xd65f03c0,
           0xa9be7bfd, 0x910003fd, 0xf9000bf3, 0xd2800073, 0xaa1303e0, 0x97fffff5, 0x17fffffe)
TEXT = b"".join(struct.pack("<I", opcode) for opcode in OPCODES)
COUNTER = 0x112233445566778e
LOADED = 14  # the position after the load of the counter and the addition, before the store


def elf():
    """The program: an ELF file of big-endian data, as such a linker writes it."""
    header = b"\x7fELF\2\2\1" + bytes(9) + struct.pack(">HHIQQQIHHHHHH", 2, 183, 1, CODE, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    return header + struct.pack(">IIQQQQQQ", 1, 5, 120, CODE, CODE, len(TEXT), len(TEXT), 4) + TEXT


class BigEndian(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.program = self.write("be.elf", elf())
        self.write("text.bin", TEXT)
        self.write("data.bin", struct.pack(">Q", COUNTER))

    def write(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def snapshot(self, *registers):
        """Halted in the second call, before its return; what X0 and X2 are is not in it."""
        path = self.write("recipe", "\n".join([
            "core cpu_0 Cortex-A53", f"reg PC(size:64) {CODE + 20:#x}", "reg SP(size:64) 0x50000000",
            f"reg X1(size:64) {DATA & ~0xfff:#x}", f"reg X30(size:64) {CODE + 48:#x}", "reg CPSR 0x0", *registers,
            f"dump text.bin {CODE:#x}", f"dump data.bin {DATA:#x}", "source ETM_0 ETM4.2 0x10", "packet async",
            "packet trace_info 0", "packet trace_on", "packet context 0 1 1", f"packet address_64 0 {CODE + 40}",
            "packet atoms 1 1", "packet atoms 1 1", f"packet address_64 0 {CODE + 48}", "packet atoms 1 1",
            "packet atoms 1 1"]).encode())
        subprocess.run([sys.argv[1], "snapshot", path, self.folder], check=True)

    def known(self, *options):
        """Register -> value, of those that are known before the store."""
        done = subprocess.run([serving.CSREPLAY, "shell", "-c", f"seek {LOADED}; registers", *options, self.folder], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        self.assertIn("str x2, [x1, #0xfe8]", done.stdout)
        return dict(re.findall(r"^[* ] (x\d+) +(0x[0-9a-f]+)", done.stdout, re.MULTILINE)), done.stdout

    def test_little_endian_data_is_followed(self):
        self.snapshot()
        known, _ = self.known()
        self.assertEqual(known["x2"], f"{int.from_bytes(struct.pack('>Q', COUNTER), 'little'):#x}")

    def test_nothing_is_known_with_a_big_endian_program(self):
        self.snapshot()
        known, out = self.known("--image", self.program)
        self.assertEqual(known, {})
        self.assertIn(f'image "{self.program}" is big endian', out)

    def test_nothing_is_known_where_a_system_register_says_so(self):
        for name, bit in (("SCTLR_EL1", 24), ("SCTLR_EL1", 25), ("SCTLR_EL2", 25), ("SCTLR_EL3", 25)):
            with self.subTest(name, bit=bit):
                self.snapshot(f"reg {name}(size:64) {1 << bit:#x}")
                known, out = self.known()
                self.assertEqual(known, {})
                self.assertEqual(out.count("its data is big endian at the halt"), 1)

    def test_6_a_big_endian_program_is_not_served(self):
        self.snapshot()
        done = subprocess.run([serving.CSREPLAY, "serve", "--listen", "127.0.0.1:0", "--image", self.program, self.folder],
                              text=True, capture_output=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is big endian, expected little endian: a debugger would take registers for big endian, too", done.stderr)

    def registers(self, options, *first):
        """What gdb with such a program of its own prints of registers, after some commands; all that it printed."""
        self.snapshot()
        show = ['printf "AT %lu %lx %lx %lx\\n", $trace_pos, $pc, $sp, $x30', "x/i $pc"]
        with serving.Server([self.folder]) as server:
            out = serving.gdb(server.address, [*first, *show, "reverse-stepi", *show, "set $trace_pos = 3", *show, "stepi", *show],
                              self.program, options, allowed=["^warning: gdb takes the core for big endian", "^=> 0x8c0140+:", *serving.UNKNOWN_MEMORY])
        return re.findall(r"^AT (.*)$", out, re.MULTILINE), out

    WANTED = [f"{position} {pc:x} 50000000 {CODE + 48:x}" for position, pc in
              ((16, CODE + 20), (15, CODE + 16), (3, CODE + 4), (4, CODE + 8))]

    def test_6_gdb_with_such_a_program_of_its_own_has_registers_in_its_order(self):
        got, out = self.registers(["-x", serving.GDBINIT])
        self.assertEqual([line.split()[:2] for line in got], [line.split()[:2] for line in self.WANTED])
        self.assertEqual(got[0], self.WANTED[0])
        self.assertEqual(out.count("gdb takes the core for big endian, as its program is"), 1)
        self.assertIn("ldr\tx2, [x1, #4072]", out)

    def test_6_without_gdbinit_from_the_first_stop_on(self):
        got, out = self.registers(["-ex", "set stack-cache off"], "stepi", "reverse-stepi", "stepi")
        self.assertEqual([line.split()[:2] for line in got], [line.split()[:2] for line in self.WANTED])
        self.assertEqual(out.count("registers that it showed until now were reversed"), 1)

    def test_6_and_again_where_the_user_sets_it_little(self):
        got, _ = self.registers(["-ex", "set stack-cache off"], "stepi", "reverse-stepi", "set endian little", "x/i $pc", "reverse-stepi", "stepi",
                                "stepi")
        self.assertEqual([line.split()[:2] for line in got], [line.split()[:2] for line in self.WANTED])


if __name__ == "__main__":
    serving.main()
