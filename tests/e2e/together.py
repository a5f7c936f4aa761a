#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cores on one timeline in real gdb and lldb: the other core's breakpoint, times in `info threads`, nothing stale of any
thread. Usage: together.py SYNTH"""
import os
import re
import struct
import sys
import tempfile
import unittest

import serving
import two_cores

SYNTH = sys.argv[1]
SHOW = 'printf "AT %d %lu %lx\\n", $_thread, $trace_pos, $pc'
ALL = "thread apply all -q " + SHOW


def shown(out):
    """(thread, position, PC) of each line that SHOW has printed."""
    return [(int(thread), int(at), int(pc, 16)) for thread, at, pc in re.findall(r"^AT (\d) (\d+) ([0-9a-f]+)$", out, re.M)]


class Together(unittest.TestCase):
    CALLER = 0x7654320

    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.scene = two_cores.Scene(SYNTH, cls.folder, seed=4)
        cls.lengths = [len(pcs) - 1 for pcs in cls.scene.pcs]
        cls.address = cls.scene.rare(4, 20)[0]

    def gdb(self, *commands, options=("-x", serving.GDBINIT)):
        with serving.Server([self.folder]) as server:
            return serving.gdb(server.address, list(commands), options=options)

    def lldb(self, *commands):
        with serving.Server([self.folder]) as server:
            return serving.lldb([f"command source -s 1 {serving.LLDBINIT}", f"gdb-remote {server.address}", *commands])

    def assert_true(self, states):
        for thread, at, pc in states:
            self.assertEqual(pc, self.scene.pcs[thread - 1][at], (thread, at))

    def check_stops(self, options):
        """All stops of both cores at one address, back to the begin, whichever is selected."""
        places = self.scene.places(self.address)
        block = ["reverse-continue", SHOW]
        out = self.gdb(f"break *{self.address:#x}", "thread 1", serving.loop(len(places) + 1, *block), "info threads",
                       options=options)
        found = shown(out)
        self.assert_true(found)
        met = [(thread - 1, at) for thread, at, pc in found if pc == self.address and at > 0]
        self.assertEqual(sorted(met), sorted(place for place in places if place[1] > 0))
        self.assertEqual(len(re.findall(r'^Thread 2 "cpu_1" hit Breakpoint 1', out, re.M)),
                         sum(core == 1 for core, _ in met))
        for core in range(2):
            self.assertEqual([at for of, at in met if of == core], sorted((at for of, at in met if of == core), reverse=True))
        self.assertIn("No more reverse-execution history", out)

    def test_42_breakpoints_of_both_cores(self):
        self.check_stops(["-x", serving.GDBINIT])

    def test_42_without_gdbinit_too(self):
        self.check_stops([])

    def test_44_a_front_end_moves_both(self):
        """Over MI, without scheduler-locking: the other thread goes along, and is what is there."""
        look = [f"-data-evaluate-expression --thread 2 --frame 0 {what}" for what in ("$trace_pos", "(long)$pc")]
        moves = [*["-exec-continue --thread 1 --reverse", *look] * 6, "-exec-step-instruction --thread 1 --reverse", *look]
        with serving.Server([self.folder]) as server:
            out = serving.mi(server.address, [*look, f"-break-insert *{self.address:#x}", *moves])
        self.assertNotIn("^error", out)
        values = [int(value) for value in re.findall(r'^\^done,value="(\d+)', out, re.M)]
        positions, pcs = values[::2], values[1::2]
        self.assertEqual(positions[0], self.lengths[1])
        self.assertEqual(positions, sorted(positions, reverse=True))
        self.assertLess(positions[-1], positions[0])
        self.assertEqual(pcs, [self.scene.pcs[1][at] for at in positions])

    def front_end(self, *commands):
        """What a front end's gdb says that names the thread by scheduler-locking and has the cores go together."""
        console = [f"source {serving.GDBINIT}", "csreplay-front-end"]
        with serving.Server([self.folder]) as server:
            return serving.mi(server.address, [*(f'-interpreter-exec console "{line}"' for line in console), *commands])

    def test_44_a_front_end_that_locks_the_scheduler_moves_both(self):
        """Each stop is told of its own thread, whichever was resumed, and registers of neither are stale."""
        look = [f"-data-evaluate-expression --thread {thread} --frame 0 {what}"
                for thread in (1, 2) for what in ("$trace_pos", "(long)$pc")]
        places = self.scene.places(self.address)
        moves = []
        for i in range(len(places) + 1):
            moves += [f"-exec-continue --thread {1 + i % 2} --reverse", *look]
        out = self.front_end(*look, f"-break-insert *{self.address:#x}", *moves)
        values = [int(value) for value in re.findall(r'^\^done,value="(\d+)', out, re.M)]
        states = [values[i:i + 4] for i in range(0, len(values), 4)]
        for first, first_pc, second, second_pc in states:
            self.assert_true([(1, first, first_pc), (2, second, second_pc)])
        met = []
        for state, stop in zip(states[1:], re.split(r"^\^running", out, flags=re.M)[1:]):
            own = re.search(r'^\*stopped,reason="breakpoint-hit".*thread-id="(\d)"', stop, re.M)
            other = re.search(r"csreplay: thread (\d) \(cpu_\d\) met a breakpoint at position (\d+); all stopped there", stop)
            if own or other:
                core = int((own or other)[1]) - 1
                met.append((core, state[2 * core]))
                self.assertTrue(own or int(other[2]) == state[2 * core])
        self.assertEqual(sorted(met), sorted(place for place in places if place[1] > 0))
        self.assertEqual(states[-1][::2], [0, 0])

    def test_44_such_a_front_end_steps_the_thread_that_it_names(self):
        looks = [f"-data-evaluate-expression --thread {thread} --frame 0 $trace_pos" for thread in (1, 2)]
        steps = []
        threads = [2, 2, 1, 2, 1, 1]
        for thread in threads:
            steps += [f"-exec-step-instruction --thread {thread} --reverse", *looks]
        out = self.front_end(*looks, *steps, *["-exec-step-instruction --thread 1 --reverse"] * 1000, *looks)
        values = [int(value) for value in re.findall(r'^\^done,value="(\d+)', out, re.M)]
        states = [values[i:i + 2] for i in range(0, len(values), 2)]
        for i, thread in enumerate(threads):
            self.assertEqual(states[i + 1][thread - 1], states[i][thread - 1] - 1, states)
        self.assertEqual(states[-1][0], states[-2][0] - 1000)
        self.assertLess(states[-1][1], states[-2][1])  # the other went along

    def test_44_no_breakpoint_is_missed_where_gdb_steps_off_one(self):
        """gdb takes the breakpoint away meanwhile: the other core waits."""
        places = self.scene.places(self.address)
        out = self.front_end(f"-break-insert *{self.address:#x}", '-interpreter-exec console "seek 0"',
                             *["-exec-continue --thread 1"] * (len(places) + 1))
        stops = re.findall(r'^\*stopped,reason="breakpoint-hit".*thread-id="(\d)"|csreplay: thread (\d) .* met a breakpoint',
                           out, re.M)
        self.assertEqual(sorted(int(own or other) - 1 for own, other in stops), sorted(core for core, at in places if at > 0))

    def test_always_is_refused_without_the_script(self):
        out = self.gdb("monitor set cores always", "monitor set cores", options=[])
        self.assertIn('for gdb with gdbinit and Python alone: "always"', out)
        self.assertIn("cores is together:", out)

    def test_42_no_thread_is_stale(self):
        """Registers of the thread that was not stepped are read anew, or it has not moved."""
        moves = ["reverse-stepi 40", "stepi 25", "thread 2", "reverse-stepi 70", "stepi", "thread 1", "nexti 3",
                 f"break *{self.address:#x}", "reverse-continue", "reverse-continue", "continue", "stepi", "stepi 3"]
        for options in (["-x", serving.GDBINIT], []):
            commands = [ALL]
            for move in moves:
                commands += [move, ALL]
            states = shown(self.gdb(*commands, "thread apply all -q maint flush register-cache", ALL, options=options))
            self.assert_true(states)
            self.assertEqual(states[-2:], states[-4:-2])
            if options:  # else `thread apply` makes thread 1 the one that moves
                self.assertGreater(len({at for thread, at, _ in states if thread == 2}), 4)

    def test_42_the_selected_core_moves_after_thread_apply(self):
        out = self.gdb("thread 2", ALL, "reverse-stepi", SHOW, "thread 1", ALL, "reverse-stepi", SHOW)
        found = shown(out)
        self.assertEqual([found[2][0], found[5][0]], [2, 1])
        self.assertEqual(found[2][1], self.lengths[1] - 1)

    def test_12_callers_older_than_the_trace_of_a_core_that_did_not_stop(self):
        """gdb connects to thread 1; the stack of the other one, where gdb looks for it by X29, is known at its halt alone."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        two_cores.Scene(SYNTH, folder, seed=4, kind=two_cores.Loop)
        with open(os.path.join(folder, "stack"), "wb") as file:
            file.write(struct.pack("<6Q", 0, 0, 0, 0, 0, self.CALLER))
        for core in range(2):
            with open(os.path.join(folder, f"cpu_{core}.ini"), "r+", encoding="utf-8") as file:
                text = re.sub(r"(?m)^(X29\(size:64\))=.*", r"\1=0x1010", file.read())
                file.seek(0)
                file.write(text + "\n[dump2]\nfile=stack\naddress=0x1000\nlength=48\n")
        caller = rf"^#1  0x0*{self.CALLER:x} in "
        for looks in (["thread 2"], ["thread 1", "reverse-stepi", "thread 2", "seek end"]):
            with serving.Server([folder]) as server:
                out = serving.gdb(server.address, [*looks, "seek 50%", "x/gx 0x1028", "echo ==\\n", "bt"], options=("-x", serving.GDBINIT),
                                  allowed=["^Backtrace stopped: ", "Cannot access memory at address 0x1028"])
            self.assertIn("Cannot access memory at address 0x1028", out)
            self.assertRegex(out.split("==")[1], "(?m)" + caller)

    def test_42_scheduler_locking_leaves_the_others(self):
        out = self.gdb("set scheduler-locking on", "thread 1", "reverse-stepi 300", ALL)
        self.assertIn((2, self.lengths[1], self.scene.pcs[1][-1]), shown(out))

    def test_42_info_threads_says_position_and_time(self):
        out = self.gdb("thread 1", "monitor seek 1500", "info threads", "monitor when", "monitor seek 20", "info threads")
        found = re.findall(r"Thread (\d) \"cpu_\d\" \(Cortex-A53, \d+ instructions, at position (\d+), "
                           r"time (\d+) to (\d+)\)", out)
        self.assertEqual([one[0] for one in found[:2]], ["1", "2"], out)
        for thread, at, earliest, latest in found[:2]:
            time = self.scene.times[int(thread) - 1][int(at)]
            self.assertTrue(int(earliest) <= time <= int(latest), (thread, at, time))
        self.assertRegex(out, r"cpu_0: position 1500, time \d+ to \d+, precision \d+\n")
        self.assertRegex(out, r'"cpu_1" \(.*; its trace begins about here, or later\)')

    def test_42_lldb_stops_at_the_other_core(self):
        places = self.scene.places(self.address)
        out = self.lldb(f"breakpoint set -a {self.address:#x}",
                        *["reverse-continue", "register read trace_pos pc"] * (len(places) + 1), "thread list")
        found = re.findall(r"trace_pos = (0x\w+)\s+pc = (0x\w+)", out)
        threads = re.findall(r"^\* thread #(\d), .*stop reason = breakpoint", out, re.M)
        met = [int(at, 16) for at, pc in found if int(pc, 16) == self.address]
        self.assertEqual(sorted(met), sorted(at for _, at in places if at > 0))
        self.assertEqual(threads.count("2"), sum(core == 1 for core, _ in places))

    def test_42_lldb_steps_take_others_along_and_not_past_their_breakpoints(self):
        """lldb names one thread where it steps: nothing of another is told then, and it waits before its breakpoint."""
        first = next(at for core, at in self.scene.places(self.address) if core == 1 and at > 200)
        begin = next(at for at, time in enumerate(self.scene.times[0]) if time >= self.scene.times[1][first - 100])
        steps = ["thread step-inst"] * 400
        for breakpoint, last in (([f"breakpoint set -a {self.address:#x}"], first - 1), ([], first + 50)):
            out = self.lldb("script lldb.process.SetSelectedThreadByID(1)", f"seek {begin}", "position", *breakpoint,
                            *steps, "position", "thread list")
            positions = [int(at) for at in re.findall(r"cpu_1: position (\d+)", out)]
            self.assertLess(positions[0], first)
            self.assertRegex(out.split("thread list")[1], r"\* thread #1: .* stop reason = instruction step")
            (self.assertEqual if breakpoint else self.assertGreater)(positions[-1], last)

    def test_45_lldb_passes_nothing_of_others_where_it_steps_off_a_place_that_was_left(self):
        """lldb takes the breakpoint away where the thread stopped, although it was led elsewhere since."""
        places = self.scene.places(self.address)
        stopped = [at for core, at in places if core == 0][-3]
        wanted = [at for core, at in places if core == 1][:5]
        commands = []
        for at in wanted:
            commands += ["thread select 1", f"seek {stopped + 1}", "reverse-continue", "register read trace_pos",
                         "thread select 2", f"seek {at - 1}", "continue", "register read trace_pos"]
        out = self.lldb(f"breakpoint set -a {self.address:#x}", *commands)
        found = [int(at, 16) for at in re.findall(r"trace_pos = (0x\w+)", out)]
        self.assertEqual(found[0::2], [stopped] * len(wanted))
        self.assertEqual(found[1::2], wanted)

    def test_36_lldb_shows_no_core_where_it_was_before_a_seek_took_it_along(self):
        """lldb keeps the frames of each thread that it has shown."""
        show = "script print([(one.GetThreadID(), one.frames[0].FindRegister('trace_pos').GetValueAsUnsigned(), " \
               "one.frames[0].GetPC()) for one in lldb.process])"
        moves = ["seek 1500", "back 700", "seek begin", "forward 900", "seek end"]
        out = self.lldb("thread list", *(command for move in moves for command in (move, "position", show)))
        told = [[int(at) for at in part] for part in re.findall(r"cpu_0: position (\d+) .*\n.*cpu_1: position (\d+) of "
                                                                r".*\n(?=\(lldb\) script)", out)]
        seen = [[tuple(map(int, one)) for one in re.findall(r"\((\d), (\d+), (\d+)\)", line)]
                for line in re.findall(r"^\[\(1, .*\]$", out, re.M)]
        self.assertEqual(len(seen), len(moves), out)
        self.assertEqual([[at for _, at, _ in states] for states in seen], told)
        self.assertGreater(len({at[1] for at in told}), 2)
        for states in seen:
            self.assert_true(states)

    def test_43_lldb_goes_back_after_a_step_that_met_the_end(self):
        """For lldb that step goes on. (Commands by `script`: in batch mode lldb ends at an end that it steps to.)"""
        commands = ["thread select 2", f"breakpoint set -a {self.address:#x}", "reverse-continue", "thread select 1", "seek end",
                    "thread step-inst", "reverse-continue", "position"]
        out = self.lldb(*(f"script lldb.debugger.HandleCommand({command!r})" for command in commands))
        core, at = self.scene.places(self.address)[-1]
        self.assertIn("stop reason = breakpoint 1.1", out.split("thread step-inst")[1])
        self.assertIn(f"cpu_{core}: position {at} of", out)


if __name__ == "__main__":
    serving.main()
