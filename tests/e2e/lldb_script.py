#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lldbinit in real lldb: the server's commands as lldb's, nothing stale after them, directions, and the selected core."""
import random
import re
import unittest

import material
import serving

CRASH = serving.Crash("example")
PCS = CRASH.pcs()
N = len(PCS) - 1
LABELLED = 18175  # the store of a loop that overwrites what is used later
BEHIND_LABEL = 0x400368  # where its function returns to
SOURCED = f"command source -s 1 {serving.LLDBINIT}"


def select(thread):
    """lldb's `thread select`, which in batch mode shows the thread while the next command runs already."""
    return f"script lldb.process.SetSelectedThreadByID({thread})"


class Script(unittest.TestCase):
    def setUp(self):
        serving.own_state(self)

    def lldb(self, *commands, arguments=None, allowed=()):
        with serving.Server(arguments or CRASH.arguments()) as server:
            return serving.lldb([f"target create {CRASH.program}", SOURCED, f"gdb-remote {server.address}", *commands],
                                allowed)

    def test_commands_of_the_server_are_those_of_lldb(self):
        out = self.lldb("when", "mark here 7", "marks", "calls publish", "seek here", "why pc", "help why")
        self.assertNotRegex(out, "packet: |response: |gdb notices")
        self.assertIn(f"position {N}, time ", out)
        self.assertIn("here is position 7", out)
        self.assertRegex(out, r"publish, returns to main")
        self.assertIn("why [-v] REG|ADDRESS", out)

    def test_arguments_are_completed(self):
        """Positions, marks, registers, functions and words that a command takes; and `-10` is an argument, no option."""
        lines = ("seek be", "seek he", "seek cr", "why x2", "calls pub", "trust ", "stack x")
        ask = "script m = lldb.SBStringList(); i = lldb.debugger.GetCommandInterpreter(); " \
              "_ = i.HandleCompletion({0!r}, len({0!r}), 0, -1, m); print('GOT', [m.GetStringAtIndex(n) for n in range(1, m.GetSize())])"
        out = self.lldb("mark here 7", *(ask.format(line) for line in lines), "seek -10", "when")
        got = [re.findall(r"'(.*?)'", found) for found in re.findall(r"^GOT (.*)$", out, re.M)]
        self.assertEqual(got[0], ["begin"])
        self.assertEqual(got[1], ["here"])
        self.assertEqual(got.pop(2), ["crash"])
        self.assertEqual(got[2], ["x2"] + [f"x{n}" for n in range(20, 30)])
        self.assertEqual(got[3], ["publish"])
        self.assertEqual(got[4], ["assumed", "proved"])
        self.assertEqual(got[5], [])
        self.assertIn(f"position {N - 10}, time ", out)

    def test_connecting_shows_where_it_is_once(self):
        out = self.lldb("when").split("(lldb) when")[0]
        self.assertEqual(out.count("stop reason = at the halt: data fault"), 1, out)

    def test_reason_that_a_seek_leaves_is_the_halts(self):
        """lldb shows the reason of the last stop on: nothing crashed at the position that it is at."""
        out = self.lldb("seek 7", "thread list").split("thread list")[1]
        self.assertRegex(out, r"\* thread #1: .*, stop reason = at the halt: data fault")

    def test_a_name_that_lldb_has_is_not_shadowed(self):
        out = self.lldb("x/2xw $sp", "help x", "settings show prompt")
        self.assertRegex(out, r"0x\w+: 0x\w{8} 0x\w{8}")
        self.assertIn("memory read", out)

    def test_43_a_plain_continue_is_forward(self):
        for word in ("continue", "c"):
            out = self.lldb("script lldb.debugger.HandleCommand('process continue -R')", word)
            self.assertEqual(re.findall(r"stop reason = (begin|end) of the history", out), ["begin", "end"])

    def test_43_steps_out_and_over_calls_are_forward_after_a_continue_backward(self):
        returned = PCS.index(BEHIND_LABEL, LABELLED)
        out = self.lldb(f"breakpoint set -a {PCS[LABELLED]:#x}", "reverse-continue", "breakpoint delete 1", "when", "thread step-out", "when")
        self.assertEqual(re.findall(r"position (\d+), time", out), [str(LABELLED), str(returned)])
        # Over the call from its own line.
        call = max(i for i in range(LABELLED) if PCS[i] == BEHIND_LABEL - 4)
        out = self.lldb(f"seek {call + 1}", f"breakpoint set -a {PCS[call]:#x}", "reverse-continue", "breakpoint delete 1", "when",
                        "thread step-inst-over", "when")
        self.assertEqual(re.findall(r"position (\d+), time", out), [str(call), str(returned)])

    def test_36_nothing_is_stale_after_a_seek(self):
        """What lldb shows after a seek from elsewhere is what an lldb shows that has just connected there."""
        show = ["script print('==')", "register read pc sp x29 trace_pos", "bt 5", "x/8xg $sp", "frame variable"]
        for position in random.Random(5).sample(range(N), 4):
            with self.subTest(position), serving.Server(CRASH.arguments()) as server:
                out = [serving.lldb([f"target create {CRASH.program}", SOURCED, f"gdb-remote {server.address}",
                                     *commands, *show], (r"^error: (memory|unavailable|core)", r"error: "))
                       for commands in (["bt", "frame variable", "x/8xg $sp", f"seek {position}"], [])]
                out = [one.split("\n==\n")[1] for one in out]
                self.assertIn(f"{PCS[position]:x}", out[1])
                # Why it stopped is told to the one, and where its program came from.
                self.assertEqual(*(re.sub(r"(\* thread #1).*", r"\1", one) for one in out))

    def test_36_variables_of_a_frame_that_goes_on_are_not_stale(self):
        """As editors ask for them, where lldb finds the frame again that it had before: in the rounds of a loop."""
        show = "script print('GOT', lldb.process.GetSelectedThread().GetNumFrames(), [(one.GetName(), one.GetValue()) for one in " \
               "lldb.process.GetSelectedThread().GetFrameAtIndex(0).GetVariables(True, True, False, True)])"
        rounds = [i for i, pc in enumerate(PCS) if pc == PCS[LABELLED]][-6:]
        moves = [command for position in rounds for command in (f"seek {position}", show)]
        got = re.findall(r"^GOT (.*)$", self.lldb(*moves), re.MULTILINE)
        alone = [re.search(r"^GOT (.*)$", self.lldb("seek 0", f"seek {position}", show), re.MULTILINE)[1] for position in rounds]
        self.assertEqual(got, alone)
        self.assertEqual(len(set(got)), len(rounds))

    def test_memory_that_is_not_known_is_not_the_files(self):
        """Of .data and .bss: lldb reads them in the program's file. What is known is read as before, and breakpoints of before
        connecting are met."""
        names = ("noise", "hub_mode")  # one that the file has a value of, one of .bss
        find = [f"script {name} = lldb.target.FindFirstGlobalVariable({name!r}).GetLoadAddress()" for name in names]
        show = []
        for name in names:
            show += [f"target variable {name}",
                     f"script print(lldb.target.ReadMemory(lldb.SBAddress({name}, lldb.target), 4, lldb.SBError()))",
                     *(f"script lldb.debugger.HandleCommand(f'{command} {{{name}}}')"
                       for command in ("memory read -s4 -fx -c1", "x/1xw", "disassemble -c1 -s"))]
        with serving.Server(CRASH.arguments()) as server:
            out = serving.lldb([f"target create {CRASH.program}", "breakpoint set -n publish", SOURCED,
                                f"gdb-remote {server.address}", *find, *show, "script print('==')", "seek 100", *show,
                                "script print('==')", "seek end", "reverse-continue", "bt", "watchpoint set variable noise"],
                               (r"^error: (memory read|Failed to disassemble)",))
        halt, past, stop = out.split("\n==\n")
        values = [int(value) for value in re.findall(r"^\(uint32_t\) noise = (\d+)$", halt, re.M)]
        self.assertEqual(re.findall(r"^0x\w+: (0x\w{8})$", halt, re.M)[:2], [f"{values[0]:#010x}"] * 2)
        self.assertIn(str(values[0].to_bytes(4, "little")), halt)
        self.assertIn("hub_mode = MODE_PUBLISHING", halt)
        self.assertNotIn("what the program's file has", halt)
        self.assertEqual(past.count("error: memory read failed for 0x"), 3 * len(names))
        self.assertEqual(re.findall(r"^None$", past, re.M), ["None"] * len(names))
        self.assertEqual(len(re.findall(r"= <read memory from 0x\w+ failed", past)), len(names))
        self.assertNotRegex(past, r"(?m)^0x\w+: |udf")
        self.assertIn("stop reason = breakpoint 1.1", stop)
        self.assertRegex(stop, r"frame #1: .* sensorhub.elf`main")
        self.assertIn("Watchpoint created", stop)

    def test_text_that_is_not_known_is_not_empty(self):
        texts = ["p inbox[0].text", "p (char *)inbox[0].text", "p (char *)&inbox[0]", "p (char *)0", "p (char *)&sensors"]
        out = self.lldb(*texts, "seek 100", *texts)
        lines = re.findall(r"^\((?:const )?(?:char \*|uint8_t\[16\])\) (?:0x\w+)? ?(.*)$", out, re.M)
        self.assertEqual(lines[:4], ['"kitchen"', '"kitchen"', r'"\x02"', ""])
        self.assertEqual(lines[4:], ['"kitchen"', *lines[:4], "not known"])

    def test_42_the_selected_core_moves(self):
        folder = material.shared("corpus", "opencsd", "juno_r1_1")
        out = self.lldb(select(3), "reverse-continue", arguments=[folder])
        self.assertRegex(out.split("reverse-continue")[1], r"\* thread #3, stop reason = ")

    def test_42_commands_are_about_the_selected_core(self):
        folder = material.shared("corpus", "opencsd", "juno_r1_1")
        out = self.lldb(select(3), "position", select(2), "back 5", arguments=[folder])
        self.assertEqual(re.findall(r"^\* (\d) cpu_\d: position", out, re.MULTILINE), ["3", "2"])


if __name__ == "__main__":
    serving.main()
