#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After a seek, what gdb and lldb show is what is there, with csreplay's scripts and without: PC, SP and words of the
stack as a client without any memory of its own reads them. Each position is met twice, in two orders: its backtraces
are equal. Without the scripts `monitor seek` waits for a step, and what is shown before it is still what was there."""
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

def look(position):
    gdb.execute("frame 0", to_string=True)  # gdb selects the frame that it had selected, wherever it finds it
    trace = gdb.execute("bt 3", to_string=True)
    words = [value("*(unsigned long *) %d" % (STACK + 8 * i)) for i in range(WORDS)]
    print("AT", position, value("$pc"), value("$sp"), *words, zlib.crc32(trace.encode()))

before = None
for position in POSITIONS:
    waits = GO and "monitor" in SEEK
    try:
        gdb.execute(SEEK % position, to_string=True)
    except gdb.error as error:
        print("REFUSED", error)
        gdb.execute("monitor seek %d" % position, to_string=True)
        waits = True
    if waits and before is not None:
        print("BEFORE")
        look(before)
    if waits:
        gdb.execute(GO, to_string=True)
    before = position
    look(position)
"""

LLDB = """
import re, zlib, lldb

seen = []  # shown in the end, since lldb writes what the server says between

def run(command):
    result = lldb.SBCommandReturnObject()
    lldb.debugger.GetCommandInterpreter().HandleCommand(command, result)
    return (result.GetOutput() or "") if result.Succeeded() else None

def look(process, position):
    trace = re.sub("stop reason.*", "", run("bt 3") or "")
    frame = process.GetSelectedThread().GetFrameAtIndex(0)
    error = lldb.SBError()
    sp = frame.FindRegister("sp").GetValueAsUnsigned(error)
    words = ["%x" % frame.GetPC(), "%x" % sp if error.Success() else "-"]
    for i in range(WORDS):
        error = lldb.SBError()
        word = process.ReadMemory(STACK + 8 * i, 8, error) or b""
        # Of a cache line that is cut short lldb reads nothing, without an error.
        words.append("%x" % int.from_bytes(word, "little") if len(word) == 8 else "-")
    seen.append(" ".join(["AT", str(position), *words, str(zlib.crc32(trace.encode()))]))

def __lldb_init_module(debugger, _):
    debugger.SetAsync(False)
    before = None
    process = debugger.GetSelectedTarget().GetProcess()
    for position in POSITIONS:
        waits = GO and "monitor" in SEEK
        if run(SEEK % position) is None:
            seen.append("REFUSED")
            run("process plugin packet monitor seek %d" % position)
            waits = True
        if waits and before is not None:
            seen.append("BEFORE")
            look(process, before)
        if waits:
            run(GO)
        before = position
        look(process, position)
    # lldb prints what the stub says from a thread of its own, in the middle of a line that is being printed here.
    with open(OUT, "w", encoding="ascii") as file:
        file.write("\\n".join(["", *seen]))
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

    def check(self, out, by_hand=False, in_lines=False):
        """`in_lines`: memory is read a cache line at a time, and none of one of which a byte is not known."""
        traces = {}
        looks = re.findall(r"^AT (\d+) (.*) (\d+)$", out, re.MULTILINE)
        before = len(re.findall("^BEFORE$", out, re.MULTILINE))
        self.assertEqual(len(looks), len(POSITIONS) + before)
        # One that was refused first has none before it.
        waits = len(POSITIONS) if by_hand else out.count("\nREFUSED")
        self.assertIn(waits - before, (0, 1))
        for position, words, trace in looks:
            words, truth = words.split(), list(self.truth[int(position)])
            if in_lines:
                truth[2:] = [one if shown != "-" else "-" for shown, one in zip(words[2:], truth[2:], strict=True)]
            self.assertEqual(words, truth, position)
            self.assertEqual(traces.setdefault(position, trace), trace, position)
        self.assertGreater(len(set(traces.values())), len(ONCE) / 4)

    def prepared(self, folder, program, seek, go=""):
        path = os.path.join(folder, "look.py")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"POSITIONS, SEEK, GO, STACK, WORDS, OUT = {POSITIONS}, {seek!r}, {go!r}, {STACK}, {WORDS}, {path + '.out'!r}\n{program}")
        return path

    def lldb(self, start, seek, go=""):
        """What lldb saw, after the commands `start`, at all the positions."""
        with tempfile.TemporaryDirectory() as folder:
            path = self.prepared(folder, LLDB, seek, go)
            serving.lldb([*start, f"command script import {path}"])
            with open(path + ".out", encoding="ascii") as file:
                return file.read()

    def test_36_gdb(self):
        for seek in ("seek %d", "monitor seek %d"):
            with self.subTest(seek), tempfile.TemporaryDirectory() as folder:
                self.check(serving.gdb(self.server.address, [f"source {self.prepared(folder, GDB, seek)}"], CRASH.program,
                                       ["-x", serving.GDBINIT], allowed=serving.UNKNOWN_MEMORY))

    def test_36_lldb(self):
        self.check(self.lldb([f"target create {CRASH.program}", f"command source -s 1 {serving.LLDBINIT}",
                              f"gdb-remote {self.server.address}"], "seek %d"))

    def test_36_gdb_without_a_script(self):
        for go in ("stepi", "continue", "reverse-stepi", "reverse-continue"):
            with self.subTest(go), tempfile.TemporaryDirectory() as folder:
                self.check(serving.gdb(self.server.address,
                                       [f"source {self.prepared(folder, GDB, 'monitor seek %d', go)}"], CRASH.program,
                                       allowed=serving.UNKNOWN_MEMORY), by_hand=True)

    def test_36_lldb_without_a_script(self):
        for go in ("thread step-inst", "process continue", "process continue --reverse"):
            with self.subTest(go):
                self.check(self.lldb([f"target create {CRASH.program}", f"gdb-remote {self.server.address}"],
                                     "process plugin packet monitor seek %d", go), by_hand=True, in_lines=True)

    # To write trace_pos runs nothing: where what the debugger keeps would be stale it is refused.
    def test_36_gdb_writes_trace_pos_without_a_script(self):
        seek = "set $trace_pos = %d"
        with tempfile.TemporaryDirectory() as folder:
            out = serving.gdb(self.server.address, [f"source {self.prepared(folder, GDB, seek, 'stepi')}"], CRASH.program,
                              allowed=(*serving.UNKNOWN_MEMORY, "^REFUSED Could not write register"))
            self.check(out)
            print(out.count("\nREFUSED"), "of", len(POSITIONS), "seeks refused")
            self.assertIn("\nREFUSED", out)
            self.assertIn("`set stack-cache off', `set code-cache off', stepi, and this again", out)
            out = serving.gdb(self.server.address, ["set stack-cache off", "set code-cache off", "reverse-stepi", f"source {self.prepared(folder, GDB, seek)}"],
                              CRASH.program, allowed=serving.UNKNOWN_MEMORY)
            self.check(out)
            self.assertNotIn("REFUSED", out)

    def test_36_lldb_writes_trace_pos_without_a_script(self):
        seek = "register write trace_pos %d"
        start = [f"target create {CRASH.program}", f"gdb-remote {self.server.address}"]
        out = self.lldb(start, seek, "thread step-inst")
        self.check(out, in_lines=True)
        print(out.count("\nREFUSED"), "of", len(POSITIONS), "seeks refused")
        self.assertIn("\nREFUSED", out)
        out = self.lldb(["settings set target.process.disable-memory-cache true", *start], seek)
        self.check(out)
        self.assertNotIn("REFUSED", out)


if __name__ == "__main__":
    serving.main()
