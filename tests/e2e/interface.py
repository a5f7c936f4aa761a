#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What front ends and users see: gdb's machine interface, and the commands of gdbinit.

usage: interface.py CRASH [LEAST]   the least share, in percent, of the executed lines that steps back over MI meet; of
another than the example the machine interface alone"""
import re
import sys
import unittest

import lines
import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
N = len(PCS) - 1
UNKNOWN = (*serving.UNKNOWN_MEMORY, r"^0x\w+:.*Cannot access memory")


class Mi(unittest.TestCase):
    def run_mi(self, address, commands):
        return serving.mi(address, commands, CRASH.program)

    def test_44_mi_reverse_commands_stop_with_their_frame(self):
        with serving.Server(CRASH.arguments()) as server:
            out = self.run_mi(server.address, [
                "-list-target-features", "-exec-step-instruction --reverse",
                "-exec-step-instruction --reverse", "-exec-step-instruction",
                "-exec-continue --reverse", "-gdb-set exec-direction reverse",
                "-exec-continue", "-gdb-set exec-direction forward", "-exec-continue"])
        self.assertRegex(out, r'\^done,features=\[.*"reverse".*\]')
        stops = re.findall(r'^\*stopped,.*?addr="0x([0-9a-f]+)"', out, re.MULTILINE)
        self.assertEqual([int(pc, 16) for pc in stops][-6:],
                         [PCS[N - 1], PCS[N - 2], PCS[N - 1], PCS[0], PCS[0], PCS[N]])

    def test_44_mi_reverse_step_by_line(self):
        with serving.Server(CRASH.arguments()) as server:
            out = self.run_mi(server.address, [
                *["-exec-step --reverse", "-data-evaluate-expression $trace_pos"] * 20])
        stops = re.findall(r'^\*stopped,.*?addr="0x([0-9a-f]+)"', out, re.MULTILINE)
        positions = re.findall(r'^\^done,value="(\d+)"', out, re.MULTILINE)
        self.assertEqual(len(stops), 21)
        share = lines.check_stops(self, CRASH.program, PCS, N, [
            (int(pc, 16), int(position)) for pc, position in zip(stops[1:], positions, strict=True)])
        print(f"{share:.1f} % of the lines met over MI")
        self.assertGreaterEqual(share, float(sys.argv[2]) if sys.argv[2:] else 84)

    # As such front ends do, to our knowledge of them (not recorded): what they send at a start, at each stop, and for their buttons back.
    FRONT_ENDS = {
        "cppdbg": (["-enable-pretty-printing", "-break-insert -f publish"],
                   ["-thread-info", "-stack-list-frames 0 19", "-stack-list-variables 0",
                    "-var-create - * sensor", "-data-list-register-names", "-data-list-register-values x 32",
                    "-data-read-memory-bytes $sp 16", "-data-disassemble -s $pc -e $pc+16 -- 2"]),
        "CLion": (["-gdb-set print object on", "-break-insert publish"],
                  ["-thread-info", "-stack-info-depth --thread 1 11", "-stack-list-frames --thread 1 0 5",
                   "-stack-list-arguments --thread 1 1 0 0", "-stack-list-locals --thread 1 --frame 0 1",
                   "-var-create here @ $pc", "-var-list-children here", "-var-update 1 *", "-var-delete here"]),
        "Eclipse CDT": (["-environment-cd .", "-gdb-set breakpoint pending on",
                         "-break-insert publish"],
                        ["-list-thread-groups i1", "-stack-info-depth --thread 1 2", "-stack-list-frames --thread 1",
                         "-stack-list-locals --thread 1 --frame 0 1", "-data-list-changed-registers",
                         "-data-evaluate-expression $pc", "-data-read-memory $sp x 1 1 16"]),
    }

    def test_44_what_front_ends_send_is_answered(self):
        back = ("-exec-continue --reverse", "-exec-next --reverse", "-exec-step-instruction --reverse",
                "-exec-next-instruction --reverse", "-exec-finish --reverse", "-exec-continue")
        for name, (start, stop) in self.FRONT_ENDS.items():
            with self.subTest(name), serving.Server(CRASH.arguments()) as server:
                out = self.run_mi(server.address, [*start, *stop, *(one for move in back for one in (move, *stop))])
                failed = [line for line in re.findall(r"^\^error,.*", out, re.MULTILINE) if not self.is_unknown(line)]
                self.assertEqual(failed, [])
                self.assertEqual(len(re.findall(r"^\*stopped", out, re.MULTILINE)), 1 + len(back))
                stops = [int(pc, 16) for pc in re.findall(r'^\*stopped,.*?addr="0x([0-9a-f]+)"', out, re.MULTILINE)]
                self.assertTrue(all(pc in PCS for pc in stops))
                # The first stop is gdb's at the halt; what the stack is said to be begins with each.
                tops = re.findall(r'\^done,stack=\[frame={level="0",addr="0x([0-9a-f]+)"', out)
                self.assertEqual([int(pc, 16) for pc in tops], stops)

    @staticmethod
    def is_unknown(line):
        """What a replay has no value of: the answer that a front end shows in place of one."""
        return re.search("value is not available|[Cc]annot access memory|Unable to read memory|-var-create: unable", line)


class Gdbinit(unittest.TestCase):
    def setUp(self):
        serving.own_state(self)

    def gdb(self, *commands):
        with serving.Server(CRASH.arguments()) as server:
            return serving.gdb(server.address, commands, CRASH.program, ["-x", serving.GDBINIT])

    def test_commands_move_and_show(self):
        out = self.gdb("where-am-i", "back 7", "mark here", "where-am-i", "forward 3", "where-am-i",
                       "go here", "where-am-i", "seek 5", "where-am-i", "crash", "where-am-i",
                       "gaps")
        self.assertEqual(re.findall(r"^position (\d+)$", out, re.MULTILINE),
                         [str(position) for position in (N, N - 7, N - 4, N - 7, 5, N)])
        self.assertIn(f"here is position {N - 7}", out)
        self.assertNotIn("Error", out)
        self.assertRegex(out, r"gaps? in \d+ instructions")

    def test_each_command_has_help(self):
        out = self.gdb("csreplay")
        names = re.findall(r"^  ([a-z-]+) ", out, re.MULTILINE)
        self.assertEqual(names, ["where-am-i", "seek", "crash", "mark", "go", "back", "forward",
                                 "gaps"])
        for name in names:
            self.assertNotIn("User-defined.", self.gdb(f"help {name}"))

    def test_commands_of_the_server_are_those_of_gdb(self):
        out = self.gdb("why sp", "calls", "events", "when", "unmark nothing", "help why", "origin x0", "last-write x0")
        self.assertIn(f"position {N}, time ", out)
        self.assertIn('no mark "nothing"', out)
        self.assertIn("why [-v] REG|ADDRESS", out)
        self.assertNotIn("Undefined command", out)

    def test_each_command_of_the_server_is_there_once(self):
        raw = self.gdb("echo ==\\n", "monitor help --raw").split("==\n")[1]
        names = {line.split("\t")[0] for line in raw.splitlines() if "\t" in line}
        self.assertIn("POSITION", names)
        names.discard("POSITION")
        self.assertGreater(len(names), 30)
        out = self.gdb(*(f"help {name}" for name in names))
        self.assertNotIn("Undefined", out)

    def test_a_name_that_gdb_has_is_not_shadowed(self):
        out = self.gdb("info registers pc", "x/i $pc", "set $five = 5", "p $five", "catch throw", "tbreak *$pc")
        self.assertRegex(out, r"pc +0x")
        self.assertIn("$1 = 5", out)
        self.assertIn("Catchpoint 1 (throw)", out)

    def test_marks_registers_and_functions_complete(self):
        out = self.gdb("mark here", "mark here-too 5", "complete unmark he", "complete unmark here-", "complete why x2",
                       "complete calls mai", "complete trust a", "complete last-w")
        for line in ("unmark here", "unmark here-too", "why x29", "calls main", "trust assumed", "last-write"):
            self.assertIn(line + "\n", out)

    def test_words_that_are_positions_complete(self):
        out = self.gdb("mark called 5", "complete seek c", "complete when ex", "complete events beg", "echo ==\\n")
        self.assertEqual(re.search(r"is position 5\n(.*)==", out, re.DOTALL)[1],
                         "seek called\nseek crash\nwhen exception\nevents begin\n")

    def test_positions_are_written_as_the_server_has_them(self):
        out = self.gdb("mark here 7", "seek here", "p $trace_pos", "seek -10", "p $trace_pos", "seek begin", "p $trace_pos",
                       "seek 50%", "p $trace_pos", "seek 5+1", "p $trace_pos", "go here", "p $trace_pos")
        self.assertEqual(re.findall(r"^\$\d+ = (\d+)$", out, re.MULTILINE),
                         [str(position) for position in (7, N - 10, 0, N // 2, 6, 7)])

    def test_a_seek_of_the_server_shows_nothing_stale(self):
        """Of each position that `monitor` goes to, what gdb shows is what a gdb shows that connects there."""
        show = ["printf \"AT %lu %lx\\n\", $trace_pos, $pc", "x/4gx $sp", "bt 3"]
        for move in ("monitor seek 7", "monitor back 20", "back 20", "up-in-time"):
            with self.subTest(move), serving.Server(CRASH.arguments()) as server:
                out = [serving.gdb(server.address, [*commands, "echo ==\\n", *show], CRASH.program,
                                   ["-x", serving.GDBINIT], allowed=UNKNOWN)
                       for commands in (["bt", move], [])]
            self.assertEqual(*(one.split("==\n")[1] for one in out))
            self.assertNotIn("flush", out[0])

    def test_a_selected_caller_stays_selected(self):
        out = self.gdb("up", "why pc", "frame")
        self.assertEqual(re.findall(r"^#1 +0x\w+ in (\w+)", out, re.MULTILINE), ["main"] * 2)


if __name__ == "__main__":
    if CRASH.name != "example":  # whose names these have
        del Gdbinit, Mi.test_44_what_front_ends_send_is_answered
    serving.main()
