#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gdb's reverse-finish where the call is under a condition: in an IT block, where gdb 13 has no breakpoint and puts it on the IT.

usage: gdb_it_block.py SYNTH"""
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import serving

SYNTH = os.path.abspath(sys.argv[1])
CODE, FUNCTION, DATA = 0x1000, 0x1020, 0x8000
CALLER = (0x2001, 0x2800,          # movs r0, #1; cmp r0, #0
          0xbf1e,                  # ittt ne
          0x3001, 0x3001,          # addne r0, #1, twice
          0xf000, 0xf809,          # blne FUNCTION
          0xbf00)
CALL, ENTRY, IN_FUNCTION = 5, 6, 2  # positions; instructions of the function before the halt
RECIPE = """bare
core cpu_0 Cortex-A15
reg CPSR 0x30
reg PC {pc:#x}
reg SP {sp:#x}
reg LR {back:#x}
dump code {code:#x}
dump data {data:#x}
source ETM_0 ETM4.2 0x10
packet async
packet trace_info 0
packet trace_on
packet address_context_32 1 {code} 0 0 1
packet atoms 1 1
packet exception 1 1
packet address_32 1 {pc}
"""


def make(folder):
    code = struct.pack(f"<{len(CALLER)}H", *CALLER).ljust(FUNCTION - CODE, b"\0") + struct.pack("<4H", *[0xbf00] * 4)
    for name, data in (("code", code), ("data", bytes(64))):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    recipe = os.path.join(folder, "recipe")
    with open(recipe, "w", encoding="ascii") as file:
        file.write(RECIPE.format(code=CODE, data=DATA, sp=DATA + 32, pc=FUNCTION + 2 * IN_FUNCTION,
                                 back=CODE + 2 * len(CALLER) - 2 | 1))
    subprocess.run([SYNTH, "snapshot", recipe, folder], check=True)


class ItBlock(unittest.TestCase):
    def positions(self, *commands):
        with tempfile.TemporaryDirectory() as folder:
            make(folder)
            with serving.Server([folder]) as server:
                out = serving.gdb(server.address, commands, options=["-x", serving.GDBINIT])
        self.assertNotIn("adjusted", out)
        return [int(at) for at in re.findall(r"^AT (\d+)$", out, re.MULTILINE)], out

    def test_it_ends_at_the_call_and_goes_on_from_there(self):
        show = 'printf "AT %lu\\n", $trace_pos'
        found, out = self.positions(show, "reverse-finish", show, "x/i $pc", "stepi", show, "reverse-stepi", "reverse-stepi", show)
        self.assertEqual(found, [ENTRY + IN_FUNCTION, CALL, ENTRY, CALL - 1], out)
        self.assertRegex(out, r"(?m)^=> 0x100a:\tblne?\t0x1020")

    def test_a_breakpoint_on_the_way_stops_it(self):
        show = 'printf "AT %lu\\n", $trace_pos'
        found, out = self.positions(f"break *{FUNCTION:#x}", "reverse-finish", show)
        self.assertEqual(found, [ENTRY], out)


if __name__ == "__main__":
    serving.main()
