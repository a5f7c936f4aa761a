#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a replay cannot do is refused with one clear sentence and changes nothing."""
import os
import re
import sys
import tempfile
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
STATE = ["info registers", "x/4xw $sp"]


class Refusals(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def check(self, command, message, back=0):
        state = STATE[:1 if back else 2]  # where SP is not known there is no stack to show
        out = serving.gdb(self.server.address,
                          [*["reverse-stepi"] * back, *state, "echo ==\\n", command,
                           "echo ==\\n", *state], CRASH.program,
                          allowed=["^" + re.escape(message),
                                   r"^Could not write register .* 'E\.the replay is read-only'$"])
        before, answer, after = out.split("==\n")
        self.assertIn(message, answer)
        self.assertIn(before[before.index("x0 "):], after)

    def test_39_memory_write(self):
        self.check("set var *(int *)$sp = 1", "Cannot access memory at address 0x")

    def test_39_register_write(self):
        for register in ("x0", "sp", "pc", "cpsr", "trace_timestamp"):
            self.check(f"set ${register} = 1", f'Could not write register "{register}"; remote '
                       "failure reply 'E.the replay is read-only'")

    def test_39_jump(self):
        self.check("jump *($pc + 4)", "the replay is read-only")

    def test_39_call(self):
        # gdb writes the link register or the stack first, whichever is refused ends the call.
        self.check("print ((int (*)(int)) $pc)(1)", "Could not write register")

    def test_39_return(self):
        self.check("return", "Could not write register")

    def test_39_load(self):
        self.check(f"load {CRASH.program}", "Load failed")

    def test_39_run(self):
        self.check("run", 'The "remote" target does not support "run"')

    def test_39_writes_in_the_past(self):
        self.check("set $x0 = 1", "the replay is read-only", back=3)

    def test_watchpoint_of_no_bytes_or_too_many(self):
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            for size in 0, 0x100001:
                self.assertEqual(client.ask(f"Z2,1000,{size:x}"),
                                 "E.a watchpoint has 1 to 1048576 bytes")
            self.assertEqual(client.ask("Z2,1000,8"), "OK")

    def test_40_non_stop(self):
        out = serving.gdb(None, ["set non-stop on", f"target remote {self.server.address}"],
                          CRASH.program, allowed=["^Non-stop mode requested"])
        self.assertIn("Non-stop mode requested, but remote does not support non-stop", out)
        out = serving.gdb(self.server.address, ["p $pc"], CRASH.program)
        self.assertRegex(out, r"\$1 = ")


class Script(unittest.TestCase):
    def test_commands_that_are_not_for_a_replay_are_refused_by_gdbinit(self):
        commands = ("record", "gcore x", "call 1", "load", "run", "starti")
        with serving.Server(CRASH.arguments()) as server:
            out = serving.gdb(server.address, [*commands, "p $trace_pos"], CRASH.program,
                              ["-x", serving.GDBINIT])
        self.assertEqual(len(re.findall(r"^(?:the history is there|the snapshot is what|a replay "
                                        r"|the replay is read-only)", out, re.MULTILINE)), 6, out)
        self.assertRegex(out, r"\$1 = \d+\n")

    def test_36_seek_is_few_packets_and_keeps_the_limit_of_backtraces(self):
        with serving.Server(CRASH.arguments()) as server, \
                tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "log")
            out = serving.gdb(server.address, [
                "set backtrace limit 77", "maintenance packet qHere", "back 100", "maintenance packet qHere",
                "seek 99999999", "show backtrace limit"], CRASH.program, ["-x", serving.GDBINIT],
                log=log, allowed=("position out of range",))
            sent = serving.packets(log)
        first, last = [i for i, p in enumerate(sent) if p == "qHere"]
        self.assertTrue(any(p.startswith("P") for p in sent[first:last]))
        self.assertLessEqual(last - first - 1, 5, sent[first:last])
        self.assertIn("backtrace levels is 77.", out)


if __name__ == "__main__":
    serving.main()
