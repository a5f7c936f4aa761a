#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""csreplay compare: made Tarmac texts against each other and against a CoreSight snapshot."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
NOP = 0xD503201F
BASE = 0x400000


def run(*arguments):
    done = subprocess.run([CSREPLAY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120)
    return done.returncode, done.stdout, done.stderr


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def compare(self, a, b, *options, code):
        """The JSON document."""
        got, out, err = run("compare", "--format", "json", *options, a, b)
        self.assertEqual((got, err), (code, ""), out)
        return json.loads(out)


def a64(steps, core=""):
    """Fast Models text: each step is the number of an instruction after BASE, or a tuple of it and
    its opcode or the lines after it."""
    lines = []
    for index, step in enumerate(steps):
        number, opcode, effects = step, NOP, []
        if isinstance(step, tuple):
            number = step[0]
            opcode = next((part for part in step[1:] if isinstance(part, int)), NOP)
            effects = [part for part in step[1:] if isinstance(part, str)]
        lines.append(f"{index} clk {core}IT ({index}) {BASE + 4 * number:08x} {opcode:08x} O EL1h_s : "
                     f"NOP")
        lines += [f"{index} clk {core}{effect}" for effect in effects]
    return "\n".join(lines) + "\n"


class Instructions(Scratch):
    def texts(self, a, b):
        return self.file("a.tarmac", a64(a)), self.file("b.tarmac", a64(b))

    def kinds(self, document):
        return [(d["kind"], d["a"]["position"], d["a"]["count"], d["b"]["position"],
                 d["b"]["count"]) for d in document["differences"]]

    def test_equal_texts_are_equal(self):
        a, b = self.texts(range(30), range(30))
        document = self.compare(a, b, code=0)
        self.assertEqual(document["differences"], [])
        self.assertTrue(document["summary"]["equal"])
        self.assertEqual(document["summary"]["matched"], 30)
        code, out, _ = run("compare", a, b)
        self.assertEqual(code, 0)
        self.assertEqual(out.splitlines()[-2:], ["matched: 30 instructions", "equal"])

    def test_insertion_is_found_and_what_follows_matches(self):
        a, b = self.texts(range(30), [*range(10), 100, 101, *range(10, 30)])
        document = self.compare(a, b, code=1)
        self.assertEqual(self.kinds(document), [("only-b", 10, 0, 10, 2)])
        self.assertEqual([i["pc"] for i in document["differences"][0]["b"]["instructions"]],
                         [hex(BASE + 400), hex(BASE + 404)])
        self.assertEqual(document["summary"]["only_b"], 2)
        self.assertEqual(document["summary"]["matched"], 30)

    def test_deletion_and_replacement_are_found(self):
        a, b = self.texts(range(50), [*range(10), *range(12, 30), 200, *range(31, 50)])
        self.assertEqual(self.kinds(self.compare(a, b, code=1)),
                         [("only-a", 10, 2, 10, 0), ("replaced", 30, 1, 28, 1)])

    def test_text_reads_as_diff_with_context(self):
        a, b = self.texts(range(20), [*range(10), 100, *range(10, 20)])
        code, out, err = run("compare", a, b)
        self.assertEqual((code, err), (1, ""))

        def line(sign, first, second, number):
            first = f"{first:9}" if first is not None else " " * 9
            second = f"{second:9}" if second is not None else " " * 9
            return f"{sign}{first} {second}  {BASE + 4 * number:016x}  A64  d503201f  nop"

        self.assertEqual(out.splitlines(), [
            f"--- {a}, core cpu0, 20 instructions",
            f"+++ {b}, core cpu0, 21 instructions",
            "@@ A 10 B 10 @@",
            line(" ", 7, 7, 7), line(" ", 8, 8, 8), line(" ", 9, 9, 9),
            line("+", None, 10, 100),
            line(" ", 10, 11, 10), line(" ", 11, 12, 11), line(" ", 12, 13, 12),
            "matched: 20 instructions",
            "only in B: 1 instructions",
            "different in 1 place",
        ])

    def test_near_differences_share_their_context(self):
        a, b = self.texts(range(40), [*range(10), 100, *range(11, 15), 101, *range(16, 40)])
        _, out, _ = run("compare", a, b)
        self.assertEqual(len(re.findall("^@@", out, re.M)), 1)
        signs = "".join(line[0] for line in out.splitlines()[3:-4])
        self.assertEqual(signs, "   -+    -+   ")

    def test_opcode_differs_unless_ignored(self):
        a, b = self.texts(range(5), [0, 1, (2, 0xD5033FDF), 3, 4])
        document = self.compare(a, b, code=1)
        self.assertEqual(document["differences"][0]["items"],
                         [{"aspect": "opcode", "name": "", "a": "d503201f", "b": "d5033fdf"}])
        self.assertEqual(self.kinds(document), [("pair", 2, 1, 2, 1)])
        self.compare(a, b, "--ignore", "opcode", code=0)
        self.compare(a, b, "--ignore", "timestamps, opcode", code=0)

    def test_first_ends_there_and_max_limits_what_is_shown(self):
        a, b = self.texts(range(100), [n if n % 20 else (n, 0xD5033FDF) for n in range(100)])
        document = self.compare(a, b, "--first", code=1)
        self.assertEqual(len(document["differences"]), 1)
        self.assertFalse(document["summary"]["complete"])
        document = self.compare(a, b, "--max", "2", code=1)
        self.assertEqual(len(document["differences"]), 2)
        self.assertEqual(document["summary"]["hidden"], 3)
        self.assertEqual(document["summary"]["opcode"], 5)
        _, out, _ = run("compare", "--max", "1", a, b)
        self.assertIn("\n... 4 more differences\n", out)
        _, out, _ = run("compare", "--first", a, b)
        self.assertEqual(len(re.findall("^@@", out, re.M)), 1)
        self.assertEqual(len(out.splitlines()), 2 + 1 + 5 + 3)

    def test_from_begins_there(self):
        a, b = self.texts([90, 91, *range(20)], [80, *range(20)])
        self.compare(a, b, code=1)
        self.compare(a, b, "--from", "2:1", code=0)
        document = self.compare(a, b, "--from", "2", code=1)
        self.assertEqual(self.kinds(document), [("only-a", 2, 1, 2, 0)])

    def test_cores_are_chosen_by_name(self):
        a = self.file("a.tarmac", a64(range(10), "cpu0 ") + a64(range(50, 60), "cpu1 "))
        b = self.file("b.tarmac", a64(range(50, 60), "cpu0 ") + a64(range(10), "cpu1 "))
        self.compare(a, b, code=1)
        self.compare(a, b, "--core", "cpu0:cpu1", code=0)
        self.compare(a, b, "--core", "cpu1:cpu0", code=0)
        self.compare(a, a, "--core", "cpu1", code=0)
        self.compare(a, b, "--core", "cpu1", code=1)

    def test_failed_condition_differs_unless_ignored(self):
        text = ("0 clk IT (0) 00008000 e3500000 A svc_s : CMP r0,#0\n"
                "1 clk {} (1) 00008004 03a01001 A svc_s : MOVEQ r1,#1\n"
                "2 clk IT (2) 00008008 e1a00000 A svc_s : NOP\n")
        a, b = self.file("a.tarmac", text.format("IT")), self.file("b.tarmac", text.format("IS"))
        document = self.compare(a, b, code=1)
        self.assertEqual(document["differences"][0]["items"],
                         [{"aspect": "executed", "name": "", "a": "yes", "b": "no"}])
        self.compare(a, b, "--ignore", "executed", code=0)

    def test_strict_compares_time_and_disassembly(self):
        text = "{} clk IT (1) 00400000 d503201f O EL1h_s : {}\n"
        a = self.file("a.tarmac", text.format(1, "NOP"))
        b = self.file("b.tarmac", text.format(7, "HINT #0"))
        self.compare(a, b, code=0)
        document = self.compare(a, b, "--strict", code=1)
        self.assertEqual([(i["aspect"], i["a"], i["b"])
                          for i in document["differences"][0]["items"]],
                         [("disassembly", "NOP", "HINT #0"), ("timestamps", "1", "7")])
        self.compare(a, b, "--strict", "--ignore", "timestamps,disassembly", code=0)


class Values(Scratch):
    def pair(self, a, b, *options, code):
        """Three instructions; after the second one the effects."""
        return self.compare(self.file("a.tarmac", a64([0, (1, *a), 2])),
                            self.file("b.tarmac", a64([0, (1, *b), 2])), *options, code=code)

    def items(self, document):
        return [(i["aspect"], i["name"], i["a"], i["b"])
                for d in document["differences"] for i in d["items"]]

    def test_registers_are_compared_if_asked_for(self):
        a, b = ["R X0 0000000000000001"], ["R X0 0000000000000002"]
        self.pair(a, b, code=0)
        document = self.pair(a, b, "--registers", code=1)
        self.assertEqual(self.items(document), [
            ("registers", "X0", "0000000000000001", "0000000000000002")])
        self.assertEqual(document["summary"]["registers"], 1)
        self.pair(a, b, "--registers", "--ignore", "registers", code=0)

    def test_other_names_of_a_register_are_the_same_one(self):
        self.pair(["R X0 0000000000000001"], ["R W0 00000001"], "--registers", code=0)
        document = self.pair(["R X0 0000000000000001"], ["R W0 00000002"], "--registers", code=1)
        self.assertEqual(self.items(document), [
            ("registers", "x0", "0000000000000001", "0000000000000002")])

    def test_value_that_one_does_not_know_is_no_difference(self):
        self.pair(["R X0 0000000000000001"], ["R X0 000000000000xx01"], "--registers", code=0)
        self.pair(["R X0 0000000000000001"], [], "--registers", code=0)

    def test_update_that_one_lacks_differs_where_it_knows_another_value(self):
        a = self.file("a.tarmac", a64([(0, "R X0 0000000000000001"),
                                       (1, "R X0 0000000000000002"), 2]))
        b = self.file("b.tarmac", a64([(0, "R X0 0000000000000001"), 1, 2]))
        document = self.compare(a, b, "--registers", code=1)
        self.assertEqual(self.items(document), [
            ("registers", "x0", "0000000000000002", "0000000000000001")])
        self.assertEqual(document["differences"][0]["a"]["position"], 1)

    def test_system_registers_are_compared_by_name(self):
        document = self.pair(["R ESR_EL1 0000000096000021"], ["R ESR_EL1 0000000096000004"],
                             "--registers", code=1)
        self.assertEqual(self.items(document)[0][1], "ESR_EL1")

    def test_memory_is_compared_by_byte(self):
        a, b = ["MW8 00001000 1122334455667788"], ["MW4 00001000 55667788", "MW4 00001004 11223344"]
        self.pair(a, b, "--memory", code=0)
        b[1] = "MW4 00001004 11aa3344"
        self.pair(a, b, code=0)
        self.assertEqual(self.items(self.pair(a, b, "--memory", code=1)),
                         [("memory", "write 0x1006", "22", "aa")])
        self.assertEqual(self.items(self.pair(a, ["MW4 00001000 55667788"], "--memory", code=1)),
                         [("memory", "write 0x1004", "44332211", "........")])
        self.assertEqual(
            self.items(self.pair(["MR1 00001000 01"], ["MW1 00001000 01"], "--memory", code=1)),
            [("memory", "read 0x1000", "01", ".."), ("memory", "write 0x1000", "..", "01")])

    def test_text_shows_both_values(self):
        a = self.file("a.tarmac", a64([(0, "R X0 0000000000000001")]))
        b = self.file("b.tarmac", a64([(0, "R X0 0000000000000002")]))
        _, out, _ = run("compare", "--registers", a, b)
        self.assertIn("\n!   registers X0: 0000000000000001 | 0000000000000002\n", out)


class Gaps(Scratch):
    GAP = "E DebugEvent_TraceGap the trace source overflowed"

    def test_what_one_has_in_the_others_gap_is_no_difference(self):
        a = self.file("a.tarmac", a64([*range(9), (9, self.GAP), *range(30, 50)]))
        b = self.file("b.tarmac", a64(range(50)))
        document = self.compare(a, b, code=0)
        self.assertEqual([d["kind"] for d in document["differences"]], ["gap"])
        self.assertEqual(document["summary"]["in_gap_b"], 20)
        self.assertEqual(document["summary"]["matched"], 30)
        self.compare(b, a, code=0)
        document = self.compare(a, b, "--strict", "--ignore", "timestamps", code=1)
        self.assertEqual([d["kind"] for d in document["differences"]], ["only-b"])
        _, out, _ = run("compare", a, b)
        self.assertIn("\n@@ A 10 B 10, A: the trace source overflowed @@\n", out)
        self.assertIn("\n~ ... 19 more\n", out)
        self.assertIn("\nonly in B, where A has gaps: 20 instructions\nequal\n", out)

    def test_gap_that_one_has_alone_is_a_strict_difference(self):
        """Also where both go on with the same instruction: one of them does not know that nothing ran between."""
        for step, name in ((9, "before it"), (29, "after it"), (0, "before it")):
            steps = [*range(step), (step, self.GAP), *range(step + 1, 30)]
            text = a64(steps) if step else f"0 clk {self.GAP}\n" + a64(range(30))
            a, b = self.file("a.tarmac", text), self.file("b.tarmac", a64(range(30)))
            for sides, texts in (((a, b), (self.GAP[22:], "none")), ((b, a), ("none", self.GAP[22:]))):
                self.assertTrue(self.compare(*sides, code=0)["summary"]["equal"])
                document = self.compare(*sides, "--strict", code=1)
                at = step + (step == 9)
                self.assertEqual([(d["kind"], d["a"]["position"], d["items"]) for d in document["differences"]],
                                 [("pair", at, [{"aspect": "gap", "name": name, "a": texts[0], "b": texts[1]}])])
                self.assertEqual(document["summary"]["gap"], 1)
                self.compare(*sides, "--strict", "--ignore", "gap", code=0)
            self.compare(a, a, "--strict", code=0)
        self.assertIn("\n!   gap before it: the trace source overflowed | none\n", run("compare", "--strict", a, b)[1])

    def test_what_has_no_gap_is_a_difference(self):
        a = self.file("a.tarmac", a64([*range(9), (9, self.GAP), *range(30, 50)]))
        b = self.file("b.tarmac", a64([*range(10), *range(33, 50)]))
        document = self.compare(a, b, code=1)
        self.assertEqual(document["summary"]["only_a"], 3)

    def test_trace_of_program_flow_is_the_end_of_a_longer_text(self):
        code, out, _ = run("export", SENSORHUB)
        self.assertEqual(code, 0)
        whole = self.file("whole.tarmac", out)
        self.assertTrue(self.compare(SENSORHUB, whole, code=0)["summary"]["equal"])
        head, first = out.split("\n", 1)
        more = "".join(f"ES  ({BASE + 4 * n:016x}:{NOP:08x}) O el0t: NOP\n" for n in range(10))
        longer = self.file("longer.tarmac", head + "\n" + more + first)
        document = self.compare(SENSORHUB, longer, code=0)
        self.assertEqual(document["summary"]["in_gap_b"], 10)
        self.assertEqual(self.compare(longer, whole, code=1)["summary"]["only_a"], 10)

    def test_strangers_are_different_though_both_have_gaps(self):
        other = self.file("other.tarmac", a64([(n, self.GAP) for n in range(9)]))
        document = self.compare(SENSORHUB, other, code=1)
        self.assertEqual(document["summary"]["matched"], 0)
        self.assertEqual(document["summary"]["gaps"], 0)

    def test_values_of_program_flow_are_not_compared_and_that_is_said(self):
        code, out, _ = run("export", SENSORHUB, "--count", "20")
        text = self.file("a.tarmac", out)
        code, out, err = run("compare", "--registers", "--max", "0", SENSORHUB, text)
        self.assertIn("registers and memory are not compared", err)


class Document(Scratch):
    """The whole JSON document, as it follows from the two texts."""

    ZEROS = {name: 0 for name in ("isa", "opcode", "executed", "exceptions", "gap", "registers", "memory",
                                  "disassembly", "timestamps")}

    def instructions(self, first, numbers):
        return [{"index": first + i, "pc": hex(BASE + 4 * number), "isa": "A64",
                 "opcode": "0xd503201f", "disassembly": "nop"} for i, number in enumerate(numbers)]

    def side(self, position, numbers, count=None):
        return {"position": position, "count": len(numbers) if count is None else count,
                "instructions": self.instructions(position, numbers)}

    def summary(self, **counts):
        return {"equal": False, "complete": True, "hidden": 0, "pairs": 0, "gaps": 0, "in_gap_a": 0,
                "in_gap_b": 0, **self.ZEROS, **counts}

    def test_stretches_of_one_side_and_of_both(self):
        a = self.file("a.tarmac", a64([*range(20), 90, *range(20, 40), *range(60, 80)], "cpu3 "))
        b = self.file("b.tarmac", a64([*range(40), 91, 92, *range(61, 80)]))
        document = self.compare(a, b, code=1)
        self.assertEqual(document, {
            "a": {"name": str(a), "core": "cpu3", "instructions": 61},
            "b": {"name": str(b), "core": "cpu0", "instructions": 61},
            "differences": [
                {"kind": "only-a", "a": self.side(20, [90]), "b": self.side(20, []), "items": []},
                {"kind": "replaced", "a": self.side(41, [60]), "b": self.side(40, [91, 92]),
                 "items": []}],
            "summary": self.summary(differences=2, matched=59, stretches=2, only_a=2, only_b=2)})

    def test_pair_has_what_differs(self):
        a = self.file("a.tarmac", a64([0, (1, "R X0 0000000000000001"), 2]))
        b = self.file("b.tarmac", a64([0, (1, 0xD5033FDF, "R X0 0000000000000002"), 2]))
        other = {**self.instructions(1, [1])[0], "opcode": "0xd5033fdf", "disassembly": "isb"}
        document = self.compare(a, b, "--registers", code=1)
        self.assertEqual(document["differences"], [{
            "kind": "pair", "a": self.side(1, [1]),
            "b": {"position": 1, "count": 1, "instructions": [other]},
            "items": [{"aspect": "opcode", "name": "", "a": "d503201f", "b": "d5033fdf"},
                      {"aspect": "registers", "name": "X0", "a": "0000000000000001",
                       "b": "0000000000000002"}]}])
        self.assertEqual(document["summary"], self.summary(
            differences=1, matched=3, pairs=1, stretches=0, only_a=0, only_b=0, opcode=1, registers=1))

    def test_gap_is_counted_and_is_no_difference(self):
        a = self.file("a.tarmac", a64([*range(9), (9, Gaps.GAP), *range(30, 50)]))
        b = self.file("b.tarmac", a64(range(50)))
        for first, second, key in ((a, b, "in_gap_b"), (b, a, "in_gap_a")):
            document = self.compare(first, second, code=0)
            self.assertEqual(document["summary"], self.summary(
                equal=True, differences=0, matched=30, stretches=0, only_a=0, only_b=0, gaps=1,
                **{key: 20}))
        self.assertEqual(document["differences"], [
            {"kind": "gap", "a": self.side(10, range(10, 20), 20), "b": self.side(10, []),
             "items": []}])

    def test_twelve_instructions_are_shown_and_of_more_ten(self):
        for count, shown in ((12, 12), (13, 10)):
            a = self.file("a.tarmac", a64(range(30)))
            b = self.file("b.tarmac", a64([*range(10), *range(100, 100 + count), *range(10, 30)]))
            document = self.compare(a, b, code=1)
            self.assertEqual(document["differences"], [
                {"kind": "only-b", "a": self.side(10, []),
                 "b": self.side(10, range(100, 100 + shown), count), "items": []}])

    def test_hidden_are_counted_but_no_gaps(self):
        a = self.file("a.tarmac", a64([*range(9), (9, Gaps.GAP), *range(30, 50), (50, 0xD5033FDF),
                                       *range(51, 70), (70, 0xD5033FDF), 71]))
        b = self.file("b.tarmac", a64(range(72)))
        for most, shown, hidden in ((0, 0, 2), (1, 1, 2), (2, 2, 1), (3, 3, 0)):
            document = self.compare(a, b, "--max", str(most), code=1)
            self.assertEqual(len(document["differences"]), shown)
            self.assertEqual(document["summary"]["hidden"], hidden)
        document = self.compare(a, b, "--first", code=1)
        self.assertEqual([d["kind"] for d in document["differences"]], ["gap", "pair"])
        self.assertEqual(document["summary"]["complete"], False)
        document = self.compare(a, b, "--first", "--max", "0", code=1)
        self.assertEqual([d["kind"] for d in document["differences"]], ["pair"])


class Exceptions(Scratch):
    """Exceptions between instructions (Tarmac Text Rev 3, 2.3.3); with --strict."""

    def text(self, name, *exceptions):
        """A NOP, the lines given, a NOP, and so on."""
        lines = ["Tarmac Text Rev 3"]
        for index, exception in enumerate((*exceptions, None)):
            lines.append(f"ES  ({0x1000 + 4 * index:08x}:e1a00000) A svc: NOP")
            lines += [exception] if exception else []
        return self.file(name, "\n".join(lines) + "\n")

    def items(self, a, b, *options, code=1):
        document = self.compare(a, b, "--strict", *options, code=code)
        self.assertEqual(document["summary"]["exceptions"] > 0, code == 1)
        return [(d["a"]["position"], i["aspect"], i["name"], i["a"], i["b"])
                for d in document["differences"] for i in d["items"]]

    def test_vectors_are_compared(self):
        a = self.text("a.tarmac", None, "    EXC [0x04] Undefined Instruction")
        b = self.text("b.tarmac", None, "    EXC [0x0c] Prefetch Abort")
        self.assertEqual(self.items(a, b), [
            (1, "exceptions", "", "[0x04] Undefined Instruction", "[0x0c] Prefetch Abort")])
        self.items(a, a, code=0)
        self.compare(a, b, code=0)
        self.compare(a, b, "--strict", "--ignore", "exceptions", code=0)

    def test_debug_entry_is_no_hypervisor_trap(self):
        a = self.text("a.tarmac", "    EXC Debug Halt Mode Entry")
        b = self.text("b.tarmac", "    EXC [0x14] Hypervisor Trap")
        self.assertEqual(self.items(a, b), [
            (0, "exceptions", "", "Debug Halt Mode Entry", "[0x14] Hypervisor Trap")])

    def test_one_that_only_one_has_is_a_difference(self):
        a = self.text("a.tarmac", "ES  EXC [0x18] IRQ Interrupt", None)
        b = self.text("b.tarmac", None, None)
        self.assertEqual(self.items(a, b), [(0, "exceptions", "", "[0x18] IRQ Interrupt", "-")])

    def test_before_the_first_instruction_and_after_the_last(self):
        a = self.file("a.tarmac", "Tarmac Text Rev 3\nES  EXC [0x00] Reset\n"
                                  "ES  (00001000:e1a00000) A svc: NOP\n    EXC [0x08] System Call\n")
        b = self.file("b.tarmac", "Tarmac Text Rev 3\nES  (00001000:e1a00000) A svc: NOP\n")
        self.assertEqual(self.items(a, b), [
            (0, "exceptions", "before the first instruction", "[0x00] Reset", "-"),
            (0, "exceptions", "", "[0x08] System Call", "-")])

    def test_dialects_that_name_it_otherwise_agree(self):
        a = self.text("a.tarmac", "    EXC [0x08] System Call")
        b = self.file("b.tarmac", "1 clk IT (1) 00001000 e1a00000 A svc_s : NOP\n"
                                  "1 clk E 00001004 00000003 CoreEvent_SWI\n"
                                  "2 clk IT (2) 00001004 e1a00000 A svc_s : NOP\n")
        self.items(a, b, "--ignore", "disassembly,timestamps", code=0)
        b.write_text(b.read_text().replace("SWI", "handleDataAbort"))
        self.assertEqual(self.items(a, b, "--ignore", "disassembly,timestamps"), [
            (0, "exceptions", "", "[0x08] System Call", "[0x10] CoreEvent_handleDataAbort")])


class Cores(Scratch):
    """All cores that have trace, by their names, else in their order."""

    def two(self, name, first, second, names=("cpu0", "cpu1")):
        return self.file(name, a64(first, names[0] + " ") + a64(second, names[1] + " "))

    def test_all_cores_are_compared(self):
        a = self.two("a.tarmac", range(9), range(20, 29))
        b = self.two("b.tarmac", range(9), [*range(20, 28), 40])
        document = self.compare(a, b, code=1)
        self.assertEqual([(c["a"]["core"], c["b"]["core"], c["summary"]["equal"])
                          for c in document["cores"]],
                         [("cpu0", "cpu0", True), ("cpu1", "cpu1", False)])
        self.assertEqual((document["equal"], document["complete"], document["only_a"],
                          document["only_b"]), (False, True, [], []))
        self.assertTrue(self.compare(a, a, code=0)["equal"])
        code, out, _ = run("compare", a, b)
        self.assertEqual((code, out.splitlines()[-1]), (1, "1 of 2 pairs of cores differ"))
        self.assertEqual(re.findall(r"^\+\+\+ .*, core (\w+),", out, re.M), ["cpu0", "cpu1"])
        self.compare(a, b, "--core", "cpu0", code=0)

    def test_names_go_before_order(self):
        a = self.two("a.tarmac", range(9), range(20, 29))
        b = self.two("b.tarmac", range(20, 29), range(9), ("cpu1", "cpu0"))
        self.assertEqual([(c["a"]["core"], c["b"]["core"])
                          for c in self.compare(a, b, code=0)["cores"]],
                         [("cpu0", "cpu0"), ("cpu1", "cpu1")])
        c = self.two("c.tarmac", range(9), range(20, 29), ("core8", "core9"))
        self.assertEqual([(c["a"]["core"], c["b"]["core"])
                          for c in self.compare(a, c, code=0)["cores"]],
                         [("cpu0", "core8"), ("cpu1", "core9")])

    def test_a_core_that_one_has_alone_is_a_difference(self):
        a = self.two("a.tarmac", range(9), range(20, 29))
        b = self.file("b.tarmac", a64(range(9), "cpu0 "))
        document = self.compare(a, b, code=1)
        self.assertEqual(len(document["cores"]), 1)
        self.assertEqual((document["only_a"], document["only_b"]),
                         ([{"core": "cpu1", "instructions": 9}], []))
        self.assertEqual(self.compare(b, a, code=1)["only_b"],
                         [{"core": "cpu1", "instructions": 9}])

    def test_first_ends_at_the_first_difference_of_any_core(self):
        a = self.two("a.tarmac", range(9), range(20, 29))
        b = self.two("b.tarmac", [*range(8), 40], [*range(20, 28), 40])
        document = self.compare(a, b, "--first", code=1)
        self.assertEqual((len(document["cores"]), document["complete"]), (1, False))
        self.assertNotIn("only_a", document)

    def test_export_to_isp_is_the_same(self):
        a = self.two("a.tarmac", [(0, "R X0 0000000000000001"), 1], [(20, "MW4 00008000 11223344"), 21])
        code, out, _ = run("export", "--dialect", "isp", a)
        b = self.file("b.tarmac", out)
        self.assertTrue(self.compare(a, b, "--registers", "--memory", code=0)["equal"])
        b.write_text(out.replace("11223344", "11223345"))
        self.assertFalse(self.compare(a, b, "--registers", "--memory", code=1)["equal"])


class Text(Scratch):
    """The text form, line for line."""

    def lines(self, a, b, *options, code=1):
        first, second = self.file("a.tarmac", a64(a)), self.file("b.tarmac", a64(b))
        got, out, err = run("compare", *options, first, second)
        self.assertEqual((got, err), (code, ""))
        return out.splitlines()[2:]

    def signs(self, lines):
        return "".join(line[0] for line in lines)

    def line(self, sign, first, second, number):
        first = f"{first:9}" if first is not None else " " * 9
        second = f"{second:9}" if second is not None else " " * 9
        return f"{sign}{first} {second}  {BASE + 4 * number:016x}  A64  d503201f  nop"

    def test_difference_at_begin_and_end_has_what_context_there_is(self):
        self.assertEqual(self.lines([90, *range(20), 91], range(20)), [
            "@@ A 0 B 0 @@", self.line("-", 0, None, 90),
            self.line(" ", 1, 0, 0), self.line(" ", 2, 1, 1), self.line(" ", 3, 2, 2),
            "@@ A 21 B 20 @@",
            self.line(" ", 18, 17, 17), self.line(" ", 19, 18, 18), self.line(" ", 20, 19, 19),
            self.line("-", 21, None, 91),
            "matched: 20 instructions", "only in A: 2 instructions", "different in 2 places"])

    def test_context_is_joined_up_to_six_between(self):
        """diff -U3 does it so."""
        for between, heads in ((5, 1), (6, 1), (7, 2), (8, 2)):
            a = [*range(20), (20, 0xD5033FDF), *range(21, 21 + between),
                 (21 + between, 0xD5033FDF), *range(22 + between, 60)]
            lines = self.lines(a, range(60))
            self.assertEqual(self.signs(lines).count("@"), heads)
            middle = " " * between if heads == 1 else " " * 3 + "@" + " " * 3
            self.assertEqual(self.signs(lines[:-3]), "@   !!" + middle + "!!   ")

    def test_twelve_lines_are_shown_and_of_more_ten(self):
        for count in (12, 13):
            inserted = [*range(10), *range(100, 100 + count), *range(10, 30)]
            more = [] if count == 12 else ["+ ... 3 more"]
            shown = [self.line("+", None, 10 + i, 100 + i) for i in range(12 if count == 12 else 10)]
            self.assertEqual(self.lines(range(30), inserted)[4:4 + len(shown + more)], shown + more)
            self.assertEqual(self.lines(inserted, range(30))[4 + len(shown):][:len(more)],
                             [line.replace("+", "-") for line in more])

    def test_three_lines_of_a_gap_are_shown_and_of_more_one(self):
        for count in (3, 4):
            a = [*range(9), (9, Gaps.GAP), *range(10 + count, 40)]
            lines = self.lines(a, range(40), code=0)
            self.assertEqual(lines[0], "@@ A 10 B 10, A: the trace source overflowed @@")
            shown = [self.line("~", None, 10 + i, 10 + i) for i in range(3 if count == 3 else 1)]
            self.assertEqual(lines[4:4 + len(shown)], shown)
            self.assertEqual("~ ... 3 more" in lines, count == 4)
            self.assertEqual(lines[-3:], [
                f"matched: {40 - count} instructions",
                f"only in B, where A has gaps: {count} instructions", "equal"])

    def test_gap_does_not_share_its_context(self):
        a = [*range(9), (9, Gaps.GAP), *range(20, 22), (22, 0xD5033FDF), *range(23, 40)]
        lines = self.lines(a, range(40))
        self.assertEqual(self.signs(lines[:-4]), "@   ~~@  !!   ")

    def test_what_is_left_out_is_counted(self):
        a = [n if n % 20 else (n, 0xD5033FDF) for n in range(100)]
        self.assertEqual(self.lines(a, range(100), "--max", "2")[-5:], [
            self.line(" ", 23, 23, 23), "... 3 more differences", "matched: 100 instructions",
            "of these differ in opcode: 5", "different in 5 places"])
        self.assertEqual(self.lines(a, range(100), "--first")[3:], [
            self.line(" ", 1, 1, 1), self.line(" ", 2, 2, 2), self.line(" ", 3, 3, 3),
            "matched: 1 instructions", "of these differ in opcode: 1",
            "different; not looked further than the first difference"])

    def test_context_behind_the_first_ends_where_the_two_part(self):
        a = [0, (1, 0xD5033FDF), 2, 3, *range(10, 30)]
        self.assertEqual(self.signs(self.lines(a, [0, 1, 2, 3, *range(40, 60)], "--first")[:-3]),
                         "@ !!  ")
        self.assertEqual(self.signs(self.lines([0, (1, 0xD5033FDF), 2], [0, 1, 2], "--first")[:-3]),
                         "@ !! ")

    def test_instructions_of_two_and_four_bytes_are_in_columns(self):
        text = ("0 clk IT (0) 00008000 4770 T svc_s : BX lr\n"
                "1 clk IT (1) 00009000 {} A svc_s : NOP\n"
                "2 clk IT (2) 00009004 e1a00000 A svc_s : NOP\n")
        a = self.file("a.tarmac", text.format("e1a00000"))
        b = self.file("b.tarmac", text.format("e320f000"))
        _, out, _ = run("compare", a, b)
        self.assertEqual(out.splitlines()[3:7], [
            "         0         0  00008000  T32  4770      bx lr",
            "!        1         1  00009000  A32  e1a00000  mov r0, r0",
            "!   opcode: e1a00000 | e320f000",
            "         2         2  00009004  A32  e1a00000  mov r0, r0"])


class Usage(Scratch):
    def test_wrong_use_ends_with_2(self):
        a = self.file("a.tarmac", a64(range(3)))
        cases = [
            ([a], "compare needs two SNAPSHOTs; see `csreplay compare --help`"),
            ([a, a, "third"], f'a pair of SNAPSHOTs is enough: "{a}", "third"'),
            (["--ignore", "colour", a, a],
             '--ignore: "colour" is not compared; see `csreplay compare --help`'),
            (["--from", "x", a, a], '--from "x": not a position: "x"; give N, -N, +N, back N, begin, end, 50%, @TIME, '
             '@10us-before-end, #N, '
             "FUNCTION#N, exception, gap, crash or a mark"),
            (["--from", "9", a, a], '--from "9": position out of range (0..3)'),
            (["--core", "cpu7", a, a], f'{a} has no core "cpu7"'),
            (["--format", "tsv", a, a], 'compare has no format "tsv"; it has text and json'),
        ]
        for arguments, message in cases:
            code, out, err = run("compare", *arguments)
            self.assertEqual((code, out, err), (2, "", f"csreplay: error: {message}\n"))

    def test_missing_file_is_said(self):
        a = self.file("a.tarmac", a64(range(3)))
        code, out, err = run("compare", a, a.with_name("none"))
        self.assertEqual((code, out), (1, ""))
        self.assertIn("none", err)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
