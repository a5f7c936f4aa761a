#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attaching: the state at the halt, the program from the server, transports, leaving and coming
back, a second client, the target description; and how many packets that takes.

usage: attach.py CRASH [TEST]   only those tests whose names begin so, if it is given"""
import os
import re
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
LOOK = ["bt", "info registers"]
GENERAL = [f"x{i}" for i in range(31)] if CRASH.is_a64() else [f"r{i}" for i in range(13)]
REGISTERS = GENERAL + (["sp"] if CRASH.is_a64() else ["sp", "lr"]) + ["pc", "xpsr" if CRASH.is_m else "cpsr"]
SYSTEM = ["msp", "psp", "primask", "basepri", "faultmask", "control"] if CRASH.is_m else []
# What gdb says of _start, which has no caller and does not say so.
OUTERMOST = ["^Backtrace stopped: previous frame identical to this frame"]
TRACE = ["trace_pos", "trace_timestamp", "trace_cycles", "contextid"]


def snapshot_registers():
    """Core registers of the first core file of the snapshot."""
    values = {}
    for name in sorted(os.listdir(CRASH.folder)):
        if not name.endswith(".ini"):
            continue
        with open(os.path.join(CRASH.folder, name), encoding="utf-8") as file:
            text = file.read()
        if not re.search(r"^class\s*=\s*core", text, re.MULTILINE):
            continue
        for key, value in re.findall(r"^(\w+)[^=\n]*=\s*(0x[0-9A-Fa-f]+|\d+)\s*$", text,
                                     re.MULTILINE):
            if key.lower() in REGISTERS:
                values[key.lower()] = int(value, 0)
        break
    return values


def shown_registers(out):
    """name -> text of `info registers`."""
    return dict(re.findall(r"^(\w+) +(0x[0-9a-f]+|<unavailable>)", out, re.MULTILINE))


class Attach(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def test_1_halt_state_is_the_snapshots(self):
        out = serving.gdb(self.server.address, LOOK, CRASH.program, allowed=OUTERMOST)
        shown = shown_registers(out)
        expected = snapshot_registers()
        self.assertGreaterEqual(len(expected), len(REGISTERS) - 1)
        for name, value in expected.items():
            self.assertEqual(int(shown[name], 16), value, name)
        frames = re.findall(r"^#\d+ .*? in (\w+) |^#0 +(\w+) \(", out, re.MULTILINE)
        self.assertGreaterEqual(len(frames), 2)
        self.assertNotIn("warning", out)

    def packets_at_attach(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            before = [part for option in options for part in ("-ex", option)]
            serving.gdb(self.server.address, [], CRASH.program, before, log)
            return [packet for packet in serving.packets(log) if not packet.startswith("D")]

    def test_1_attach_takes_at_most_20_packets(self):
        # To compare build IDs gdb also reads the served program, where it has one itself.
        checked = self.packets_at_attach("set trust-readonly-sections on")
        sent = self.packets_at_attach("set trust-readonly-sections on",
                                      "set exec-file-mismatch off")
        print("packets at attach:", len(sent), "and to compare the program:",
              len(checked) - len(sent))
        self.assertGreater(len(sent), 5)
        self.assertLessEqual(len(sent), 20, sent)
        self.assertLessEqual(len([packet for packet in checked
                                  if not packet.startswith("vFile:")]), 20, checked)

    def test_2_program_comes_from_the_server(self):
        with_file = serving.gdb(self.server.address, LOOK, CRASH.program)
        without = serving.gdb(self.server.address, LOOK)
        self.assertIn("Reading symbols from target:", without)
        self.assertEqual(with_file[with_file.index("#0"):], without[without.index("#0"):])

    def test_2_no_other_file_can_be_opened(self):
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:xmlRegisters=i386")
            for name in ("/etc/passwd", CRASH.folder + "/snapshot.ini",
                         os.path.dirname(CRASH.program) + "/./" +
                         os.path.basename(CRASH.program)):
                self.assertEqual(client.ask(f"vFile:open:{name.encode().hex()},0,0"), "F-1,2")
            program = os.path.realpath(CRASH.program).encode().hex()
            self.assertEqual(client.ask(f"vFile:open:{program},201,1b6"), "F-1,1e")
            self.assertEqual(client.ask(f"vFile:open:{program},0,0"), "F0")

    def test_3_transports_give_the_same(self):
        commands = LOOK + ["reverse-stepi", "reverse-stepi", "info registers"]
        transcripts = [serving.gdb(self.server.address, commands, CRASH.program)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            with serving.Server(CRASH.arguments(), "unix:" + path):
                transcripts.append(serving.gdb(path, commands, CRASH.program))
            self.assertFalse(os.path.exists(path))
        pipe = " ".join(["|", serving.CSREPLAY, "serve", "--listen", "stdio",
                         *CRASH.arguments(), "2>/dev/null"])
        transcripts.append(serving.gdb(pipe, commands, CRASH.program))
        self.assertIn("trace_pos", transcripts[0])
        self.assertEqual(transcripts[0], transcripts[1])
        self.assertEqual(transcripts[0], transcripts[2])

    def test_4_position_outlives_a_detach(self):
        show = ["p $trace_pos", "p $pc"]
        first = serving.gdb(self.server.address, ["reverse-stepi", "reverse-stepi", *show, "detach"],
                            CRASH.program)
        second = serving.gdb(self.server.address, show, CRASH.program)
        values = re.findall(r"^\$\d+ = (.*)$", first, re.MULTILINE)
        self.assertEqual(len(values), 2)
        self.assertEqual(values, re.findall(r"^\$\d+ = (.*)$", second, re.MULTILINE))

    def test_4_kill_ends_the_session_and_once_the_server(self):
        server = serving.Server(CRASH.arguments(), once=True)
        out = serving.gdb(server.address, ["kill", "info registers"], CRASH.program,
                          allowed=[r"^The program has no registers now\.$"])
        self.assertIn("killed", out)
        self.assertEqual(server.wait(), 0)

    def test_5_second_client_does_not_disturb_the_first(self):
        with serving.Client(self.server.address) as first:
            position = first.ask("?")
            with serving.Client(self.server.address) as second:
                self.assertRegex(second.ask("?"), r"^E\.busy: .+ since \d\d:\d\d:\d\d$")
            self.assertEqual(first.ask("?"), position)

    def test_6_description_is_accepted_and_complete(self):
        out = serving.gdb(self.server.address, ["info registers", f"p ${REGISTERS[-1]}", f"p ${'w0' if CRASH.is_a64() else 'r0'}",
                                                f"ptype ${REGISTERS[-1]}"], CRASH.program)
        self.assertNotIn("rejected", out)
        names = re.findall(r"^(\w+) +(?:0x|<unav)", out, re.MULTILINE)
        self.assertEqual(names[:len(REGISTERS)], REGISTERS)
        # `info registers` leaves out the vector registers, but not their status and control.
        fpu = [name for name in ("fpsr", "fpcr", "fpscr") if name in names]
        self.assertEqual(names[len(REGISTERS):], fpu + SYSTEM + TRACE)
        self.assertRegex(out, r"\$1 = \[ .*EL=\d.*\]" if CRASH.is_a64() else r"\$1 = \[ .*T .*\]" if CRASH.is_m else
                         r"\$1 = \[ M=16 .*\]")


if __name__ == "__main__":
    for test in [one for one in vars(Attach) if one.startswith("test_")]:
        if sys.argv[2:] and not test.startswith("test_" + sys.argv[2]):
            delattr(Attach, test)
    serving.main()
