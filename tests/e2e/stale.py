#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After a seek, what gdb and lldb with csreplay's scripts show is what is there: PC, SP and words of the stack as a
client without any memory of its own reads them. Each position is met twice, in two orders: its backtraces are equal."""
import os
import random
import re
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash("example")
N = len(CRASH.pcs()) - 1
STACK = 0x5500800c00
WORDS = 12
RANDOM = random.Random(9)
ONCE = RANDOM.sample(range(N), int(sys.argv[1]) // 2)
POSITIONS = ONCE + RANDOM.sample(ONCE, len(ONCE))

GDB = """
import zlib

def value(text):
    try:
        return "%x" % (int(gdb.parse_and_eval(text)) & (1 << 64) - 1)
    except gdb.error:
        return "-"

for position in POSITIONS:
    gdb.execute(SEEK % position, to_string=True)
    trace = gdb.execute("bt 3", to_string=True)
    words = [value("*(unsigned long *) %d" % (STACK + 8 * i)) for i in range(WORDS)]
    print("AT", position, value("$pc"), value("$sp"), *words, zlib.crc32(trace.encode()))
"""

LLDB = """
import re, zlib, lldb

def run(command):
    result = lldb.SBCommandReturnObject()
    lldb.debugger.GetCommandInterpreter().HandleCommand(command, result)
    return result.GetOutput() or ""

def look(process, position):
    run(SEEK % position)
    trace = re.sub("stop reason.*", "", run("bt 3"))
    frame = process.GetSelectedThread().GetFrameAtIndex(0)
    error = lldb.SBError()
    sp = frame.FindRegister("sp").GetValueAsUnsigned(error)
    words = ["%x" % frame.GetPC(), "%x" % sp if error.Success() else "-"]
    for i in range(WORDS):
        error = lldb.SBError()
        word = process.ReadUnsignedFromMemory(STACK + 8 * i, 8, error)
        words.append("%x" % word if error.Success() else "-")
    print("AT", position, *words, zlib.crc32(trace.encode()))

def __lldb_init_module(debugger, _):
    for position in POSITIONS:
        look(debugger.GetSelectedTarget().GetProcess(), position)
"""


class Stale(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(CRASH.arguments())
        with serving.Client(cls.server.address) as client:
            numbers = [client.number_of(name) for name in ("pc", "sp", "trace_pos")]
            cls.truth = {position: cls.read(client, numbers, position) for position in ONCE}

    @classmethod
    def tearDownClass(cls):
        if cls.server.stop() != 0:
            raise AssertionError("the server ended badly")

    @staticmethod
    def read(client, numbers, position):
        """PC, SP and the stack's words as hexadecimal digits; "-" is not known."""
        pc, sp, trace_pos = numbers
        client.ask(f"P{trace_pos:x}={position.to_bytes(8, 'little').hex()}")
        said = [client.ask(f"p{number:x}") for number in (pc, sp)]
        said += [client.ask(f"m{STACK + 8 * i:x},8") for i in range(WORDS)]
        return [f"{int.from_bytes(bytes.fromhex(one), 'little'):x}"
                if re.fullmatch("[0-9a-f]{16}", one) else "-" for one in said]

    def check(self, out):
        traces = {}
        looks = re.findall(r"^AT (\d+) (.*) (\d+)$", out, re.MULTILINE)
        self.assertEqual(len(looks), len(POSITIONS))
        for position, words, trace in looks:
            self.assertEqual(words.split(), self.truth[int(position)], position)
            self.assertEqual(traces.setdefault(position, trace), trace, position)
        self.assertGreater(len(set(traces.values())), len(ONCE) / 4)

    def prepared(self, folder, program, seek):
        path = os.path.join(folder, "look.py")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"POSITIONS, SEEK, STACK, WORDS = {POSITIONS}, {seek!r}, {STACK}, {WORDS}\n{program}")
        return path

    def test_36_gdb(self):
        for seek in ("seek %d", "monitor seek %d"):
            with self.subTest(seek), tempfile.TemporaryDirectory() as folder:
                self.check(serving.gdb(self.server.address, [f"source {self.prepared(folder, GDB, seek)}"], CRASH.program,
                                       ["-x", serving.GDBINIT], allowed=serving.UNKNOWN_MEMORY))

    def test_36_lldb(self):
        with tempfile.TemporaryDirectory() as folder:
            self.check(serving.lldb([f"target create {CRASH.program}", f"command source -s 1 {serving.LLDBINIT}",
                                     f"gdb-remote {self.server.address}",
                                     f"command script import {self.prepared(folder, LLDB, 'seek %d')}"]))


if __name__ == "__main__":
    serving.main()
