#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gdb makes of reconstructed values: backtraces, moves over calls, unknown registers and memory.
Numbers are those of the acceptance scenarios that the names of tests in this folder have.

usage: values_gdb.py CRASH DEEP FRAMES ASSUMED [SCENARIO...]

Of 100 backtraces at least DEEP are as deep as what really was called, and ASSUMED are if functions
keep their frames; they have FRAMES true frames in all. Of the scenarios in SOME those run that are
named: the others have no case in this crash."""
import random
import re
import shutil
import sys
import tempfile
import unittest

import flow
import lines
import serving

CRASH = serving.Crash(sys.argv[1])
LEAST, FRAMES, LEAST_ASSUMED = (int(number) for number in sys.argv[2:5])
SOME = {"9", "10", "12", "18", "19", "31", "32"}
PCS = CRASH.pcs()
N = len(PCS) - 1
WHERE = 'printf "AT %lx %lu\\n", $pc, $trace_pos'


FLOW = flow.Flow(CRASH)
IT = 0x600fc00  # of CPSR and xPSR: gdb has no breakpoint within an IT block
IPSR = 0x1ff  # of xPSR: a handler runs
STATES = [] if CRASH.is_a64() else CRASH.states()
GUARDED = {i for i, state in enumerate(STATES) if state & IT}
GENERAL = [f"x{i}" for i in range(31)] if CRASH.is_a64() else [f"r{i}" for i in range(13)]
LR = "x30" if CRASH.is_a64() else "lr"


def call_stacks(halt):
    """The return addresses at each position, innermost first. `halt` is what gdb says of the halt:
    the trace may begin within calls."""
    stacks, stack, popped = [], [], []
    for position in range(N + 1):
        stacks.append((tuple(stack), len(popped)))
        if position == N:
            break
        for back in FLOW.frames(position):
            if back is not None:
                stack.append(back)
            elif stack:
                stack.pop()
            else:
                popped.append(PCS[position + 1])
    outer = popped + list(halt[len(stack):])
    return [list(reversed(own)) + outer[begin:] for own, begin in stacks]


def seek(position):
    """gdb keeps the frame that was selected, if it finds it in the new backtrace."""
    return f"set $trace_pos = {position}\nframe 0\n".split("\n")


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(CRASH.arguments())

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            pass

    def gdb(self, *commands, address=None, **more):
        if not address:  # a program that is linked to libraries has gdb read their list when it connects
            with serving.Client(self.server.address) as client:
                client.ask("qSupported:swbreak+")
                raw_seek(client, client.number_of("trace_pos"), N)
        return serving.gdb(address or self.server.address, list(commands), CRASH.program,
                           ["-x", serving.GDBINIT],
                           allowed=[*serving.UNKNOWN_MEMORY, *more.pop("allowed", ())], **more)

    def frames(self, text):
        """Return addresses of a backtrace."""
        return [int(pc, 16) for pc in re.findall(r"^#[1-9]\d* +0x([0-9a-f]+) in ", text,
                                                 re.MULTILINE)]

    def where(self, out):
        return [(int(pc, 16), int(position))
                for pc, position in re.findall(r"^AT ([0-9a-f]+) (\d+)$", out, re.MULTILINE)]

    def deep_backtraces(self, *commands):
        """(how many of 100 are as deep as what was called, how many frames they have); all have to be
        true."""
        chance = random.Random(35)
        positions = chance.sample(range(N), 100)
        if CRASH.is_m:
            positions[:20] = chance.sample([i for i in range(N) if STATES[i] & IPSR], 20)
        positions.sort(reverse=True)
        commands = [*commands, seek(N), "bt"]
        for position in positions:
            commands += ["echo ==\\n", seek(position), "bt"]
        # A server of its own: gdb sees the halt first, as it does when one attaches.
        with serving.Server(CRASH.arguments()) as server:
            # The last caller that the trace shows, where its SP is not known.
            out = self.gdb(*commands, address=server.address,
                           allowed=["^Backtrace stopped: previous frame identical"])
        parts = out.split("==\n")
        stacks = call_stacks(self.frames(parts[0]))
        deep = frames = 0
        for position, part in zip(positions, parts[1:]):
            seen = self.frames(part)
            self.assertEqual(seen, stacks[position][:len(seen)], f"at {position}:\n{part}")
            deep += seen == stacks[position]
            frames += len(seen)
        print(f"{CRASH.name}: {deep} of 100 backtraces as deep as what was called, {frames} frames")
        return deep, frames

    def test_35_backtraces_are_true_and_as_deep_as_they_can_be(self):
        deep, frames = self.deep_backtraces()
        self.assertGreaterEqual(deep, LEAST)
        self.assertGreaterEqual(frames, FRAMES)

    def test_35_backtraces_are_deep_if_functions_keep_their_frames(self):
        deep, _ = self.deep_backtraces("monitor assume abi on", "monitor assume single-writer on")
        self.assertGreaterEqual(deep, LEAST_ASSUMED)

    def test_main_and_process_stack_of_the_past(self):
        true, known = CRASH.column("<Q", 8 + 8 * 31), 0
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            trace_pos, msp, psp = (client.number_of(name) for name in ("trace_pos", "msp", "psp"))
            for position in random.Random(33).sample(range(N), 200):
                raw_seek(client, trace_pos, position)
                value = client.ask(f"p{msp if STATES[position] & IPSR else psp:x}")
                known += "x" not in value
                self.assertIn(value, ("xxxxxxxx", true[position].to_bytes(4, "little").hex()), position)
        print(f"{CRASH.name}: the stack pointer in use is known at {known} of 200 positions")
        self.assertGreater(known, 5)

    def moves(self, packets_most, *commands):
        with tempfile.NamedTemporaryFile() as log:
            out = self.gdb(*commands, log=log.name)
            sent = serving.packets(log.name)
        self.runs = sent.count("bc")
        if packets_most:
            self.assertLessEqual(len(sent) - sent.index("bs"), packets_most)
        return out

    def late_call(self, leaf, recursive=False):
        """(position of a call, position it returns to) of the last such call whose callee calls, or
        does not, and calls itself again, or does not; after which the caller goes on; and whose link
        register is known at its return, where gdb looks for the caller."""
        found = [(begin, end) for begin, end, is_leaf, is_recursive in FLOW.calls()
                 if (is_leaf, is_recursive) == (leaf, recursive) and end < N and not FLOW.frames(end)]
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            trace_pos, lr = (client.number_of(name) for name in ("trace_pos", LR))
            for begin, end in reversed(found[-200:]):
                raw_seek(client, trace_pos, end - 1)
                if "x" not in client.ask(f"p{lr:x}"):
                    return begin, end
        return self.fail("no such call")

    def check_reverse_next(self, call, packets):
        begin, end = call
        # The first one goes to the start of the line that the call returns to, if that is not one.
        out = self.moves(packets, seek(end + 1), "p $sp", "reverse-next", "reverse-next", WHERE,
                         "p $sp")
        pc, position = self.where(out)[0]
        self.assertEqual(pc, PCS[position], out)
        self.assertLessEqual(position, begin, out)
        stacks = call_stacks([])
        self.assertEqual(len(stacks[position]), len(stacks[begin]), out)
        self.assertEqual(*re.findall(r"^\$\d = (.*)", out, re.MULTILINE), out)

    def test_9_reverse_next_goes_over_a_call(self):
        self.check_reverse_next(self.late_call(False), 100)

    def test_10_reverse_next_goes_over_a_recursive_call(self):
        self.check_reverse_next(self.late_call(False, True), None)

    def test_11_reverse_finish_stops_at_the_call(self):
        begin, end = self.late_call(True)
        out = self.moves(None, seek((begin + end) // 2), "reverse-finish", WHERE)
        self.assertEqual(self.where(out), [(PCS[begin], begin)], out)

    def test_14_finish_returns_to_the_caller(self):
        begin, end = self.late_call(True)
        out = self.gdb(seek(begin + 1), "finish", WHERE)
        self.assertEqual(self.where(out), [(PCS[end], end)], out)

    def test_14_finish_says_that_a_result_is_unknown(self):
        caveat = f"csreplay: {GENERAL[0]} is not known here: a value that `finish` shows is none\n"
        done = set()
        calls = [(begin, end) for begin, end, _, _ in FLOW.calls()]
        random.Random(14).shuffle(calls)
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            trace_pos, lr, x0 = (client.number_of(name) for name in ("trace_pos", LR, GENERAL[0]))
            found = []
            for begin, end in calls[:300]:
                raw_seek(client, trace_pos, begin + 1)
                if "x" in client.ask(f"p{lr:x}"):
                    continue
                raw_seek(client, trace_pos, end)
                is_known = "x" not in client.ask(f"p{x0:x}")
                if is_known not in done:
                    done.add(is_known)
                    found.append((begin, end, is_known))
        for begin, end, is_known in found:
            out = self.gdb(seek(begin + 1), "finish", WHERE)
            self.assertEqual(self.where(out), [(PCS[end], end)], out)
            self.assertEqual(caveat in out, not is_known, out)
        print(f"{CRASH.name}: results known: {sorted(done)}")
        self.assertTrue(found)

    def test_12_exec_direction_reverse_reaches_the_same_places(self):
        begin, end = self.late_call(True)
        middle, entry = (begin + end) // 2, PCS[begin + 1]
        true = {"reverse-finish": begin, "reverse-stepi": middle - 1}
        for reverse, forward in (("reverse-finish", "finish"), ("reverse-stepi", "stepi"),
                                 ("reverse-step", "step"), ("reverse-next", "next")):
            one, two = (self.where(self.gdb(seek(middle), *commands, WHERE))
                        for commands in ([reverse], ["set exec-direction reverse", forward]))
            self.assertEqual(one, two)
            self.assertEqual(len(one), 1)
            pc, position = one[0]
            self.assertEqual(pc, PCS[position])
            if reverse in true:
                self.assertEqual(position, true[reverse])
            else:
                # The begin of this line or of the one before, but for one entered in its middle.
                self.assertGreaterEqual(
                    lines.check_stops(self, CRASH.program, PCS, middle, one), 50)
        entered = max(i for i in range(end + 1) if PCS[i] == entry)
        for place, command in ((entered, [f"tbreak *{entry:#x}", "continue"]),
                               (entered, [f"advance *{entry:#x}"]),
                               # Of the frame itself, and not of one that it calls.
                               (begin, [f"until *{PCS[begin]:#x}"])):
            out = self.gdb(seek(end + 1), "set exec-direction reverse", *command, WHERE)
            self.assertEqual(self.where(out), [(PCS[place], place)], out)

    def known_argument(self):
        """(address of a function, name of a register of an argument, its value, position) of the newest entry with that
        value, after which come others; of all these it is known."""
        entries = {}
        for begin, *_ in FLOW.calls():
            entries.setdefault(PCS[begin + 1], []).append(begin + 1)
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            trace_pos, first = (client.number_of(name) for name in ("trace_pos", GENERAL[0]))
            for entry, positions in entries.items():
                if len(positions) < 4 or PCS.count(entry) != len(positions):
                    continue
                for number in range(4):
                    truth, values = CRASH.column("<Q", 8 + 8 * number), {}
                    for position in sorted(positions, reverse=True)[:60]:
                        raw_seek(client, trace_pos, position)
                        if "x" in client.ask(f"p{first + number:x}"):
                            break
                        values.setdefault(truth[position], position)
                    if len(values) >= 3:
                        return entry, GENERAL[number], *min(values.items(), key=lambda item: item[1])
        return self.fail("no such function")

    def test_18_the_stub_stops_where_the_condition_is_true(self):
        entry, name, argument, position = self.known_argument()
        kind = "unsigned long" if CRASH.is_a64() else "unsigned int"
        out = self.moves(None, f"break *{entry:#x} if ({kind}) ${name} == {argument:#x}", "reverse-continue", WHERE)
        self.assertEqual(self.where(out), [(entry, position)], out)
        self.assertEqual(self.runs, 1)

    def unknown_register(self):
        """(name, position) of a general register that is not known."""
        chance = random.Random(31)
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            trace_pos, first = (client.number_of(name) for name in ("trace_pos", GENERAL[0]))
            for _ in range(50):
                position = chance.randrange(N)
                if position in GUARDED:
                    continue
                raw_seek(client, trace_pos, position)
                for number, name in enumerate(GENERAL):
                    if "x" in client.ask(f"p{first + number:x}"):
                        return name, position
        return self.fail("all registers are known everywhere")

    def test_19_condition_on_an_unknown_register_stops(self):
        name, position = self.unknown_register()
        out = self.gdb(f"break *{PCS[position]:#x} if ${name} == 4711",
                       seek(position + 1), "reverse-continue", WHERE,
                       allowed=["^Error in testing breakpoint condition:$",
                                "^value is not available$"])
        self.assertEqual(self.where(out), [(PCS[position], position)], out)
        self.assertIn("Error in testing breakpoint condition", out)
        self.assertIn("value is not available", out)

    def test_31_unknown_register_is_never_a_number(self):
        name, position = self.unknown_register()
        out = self.gdb(seek(position), f"p ${name}", f"p ${name} + 1",
                       allowed=["^value is not available$"])
        self.assertIn("$1 = <unavailable>", out)
        self.assertIn("value is not available", out)
        self.assertNotIn("$2", out)

    @unittest.skipUnless(shutil.which(serving.LLDB), "no " + serving.LLDB)
    def test_31_unknown_register_is_never_a_number_in_lldb(self):
        name, position = self.unknown_register()
        out = serving.lldb([f"gdb-remote {self.server.address}",
                            f"register write trace_pos {position}", f"register read {name}",
                            "register read pc", "process detach"],
                           allowed=[rf"^error: Register `{name}` is unavailable|unavailable"])
        self.assertIn("unavailable", out)
        self.assertNotRegex(out, rf"(?m)^ *{name} = 0x")
        self.assertRegex(out, rf"pc = 0x0*{PCS[position]:x}\b")

    def test_32_memory_is_read_up_to_the_first_unknown_byte(self):
        chance = random.Random(32)
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            number, sp = (client.number_of(name) for name in ("trace_pos", "sp"))
            for _ in range(300):
                position = chance.randrange(N)
                raw_seek(client, number, position)
                stack = int.from_bytes(bytes.fromhex(client.ask(f"p{sp:x}").replace("x", "0")),
                                       "little")
                known = client.ask(f"m{stack:x},80")
                if stack and known[0] != "E" and 0 < len(known) // 2 < 0x80:
                    break
            else:
                self.fail("no stack that is known in part")
        count = len(known) // 2
        out = self.gdb(seek(position), f"x/{count + 1}bx {stack:#x}",
                       f"p/x *(char *) {stack:#x}",
                       allowed=[rf"(^|\t)Cannot access memory at address {stack + count:#x}$"])
        self.assertIn(f"Cannot access memory at address {stack + count:#x}", out)
        bytes_shown = re.findall(r"\t0x([0-9a-f]{2})\b", out)
        self.assertEqual("".join(bytes_shown), known, out)
        self.assertIn(f"$1 = 0x{int(known[:2], 16):x}", out)


def raw_seek(client, number, position):
    assert client.ask(f"P{number:x}={position.to_bytes(8, 'little').hex()}") == "OK"


if __name__ == "__main__":
    assert SOME.issuperset(sys.argv[5:])
    if not CRASH.is_m:
        del Values.test_main_and_process_stack_of_the_past
    for test in [one for one in vars(Values) if one.startswith("test_")]:
        if test.split("_")[1] in SOME.difference(sys.argv[5:]):
            delattr(Values, test)
    serving.main()
