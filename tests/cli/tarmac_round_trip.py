#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
history -> Tarmac -> history. Each text that csreplay writes is read twice: by csreplay, whose history
must be the same with its registers and gaps and which must not find fault with it; and by the few
lines below, which must find the same instructions, register updates and bytes of memory in it as in
the text that it was written of. With "corpus" as argument for real files.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import material

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
SHARED = Path(material.SHARED)
TARMAC = SHARED / "corpus" / "tarmac"
TEXTS = ["calculator-aarch64-fastmodel", "calculator-aarch64-gem5",
         "calculator-aarch64-es-ld-st-style", "calculator-aarch32-fastmodel", "calltest32",
         "crash32", "crash32m", "crash64", "loop", "nontruncate"]
# How Rev 3 and ISP RAS lines look, and nothing else.
REV3_LINES = [
    r"Tarmac Text Rev 3t?",
    r"([ 0-9]{11}\d* [a-z ]{3} )?ES  \(([0-9a-f]{8}|[0-9a-f]{16}):([0-9a-f]{4}|[0-9a-f]{8}|-{8})\) +"
    r"[ATEO] (usr|sys|svc|abt|und|irq|fiq|hyp|mon|el[0-3][th]?|thread|handler|-)(_ns)?: .*",
    r"([ 0-9]{11}\d* [a-z ]{3} )?ES  EXC (\[(0x)?[0-9a-f]+\] )?.+",
    r" {20}EXC (\[(0x)?[0-9a-f]+\] )?.+",
    r" {20}(LD|ST|LA|SA|SX) ([0-9a-f]{8}|[0-9a-f]{16})( ([0-9a-f.#]{2}){4}){4}"
    r"(    (N?S:)?[0-9a-f]{10}(/\d+)?.*)?",
    r" {20}R \w+ (\(\w+\) )?[0-9a-fx-]+",
    r" {20}R (DC|IC|TLBI|AT) .*",
    r" {20}BR \([0-9a-f]+\) [ATEO]",
    r" {20}(E DebugEvent_|CADI |CACHE |SIGNAL:|INFO_EXCEPTION_REASON:|TTW|P ).*",
]
ISP_LINES = [
    r"\d+ [a-z]+ \d+ I[TS] \(\d+\) [0-9a-f]+ ([0-9a-f]+|-+) [ATX] [\w-]+ : .*",
    r"\d+ [a-z]+ M[RW]\d+[XT]? [0-9a-f]+ [0-9a-fx]+",
    r"\d+ [a-z]+ R [a-z0-9_]+ [0-9a-fx-]+",
    # Not of the format: a history without its gaps would be another.
    r"\d+ [a-z]+ (\d+ )?E DebugEvent_TraceGap .+",
]


def run(*arguments, code=0):
    done = subprocess.run([CSREPLAY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=300)
    if done.returncode != code:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout, done.stderr


def cores(path):
    """The names of those with trace."""
    document = json.loads(run("info", "--format", "json", path)[0])
    return [core["name"] for core in document["cores"] if core.get("instructions", 0) > 0]


def history(path, registers=True, core=None):
    """Instructions, and gaps without their place in the trace."""
    out, _ = run("history", *(["--registers"] if registers else []),
                 *(["--core", core] if core else []), path)
    lines = out.splitlines()
    gaps = [re.sub(r" \(trace byte.*|, \d+ more like it here", "", line)
            for line in lines if line.startswith("# gap")]
    return [line for line in lines if not line.startswith("#")], gaps


class Step:
    """An instruction and what it does, as any of the dialects tells it."""

    def __init__(self, address=None, opcode=None):
        self.address, self.opcode = address, opcode
        self.registers, self.memory = {}, {}

    def key(self):
        return self.address, self.opcode, self.registers, self.memory

    def __repr__(self):
        return repr(self.key())


def add_bytes(step, kind, address, digits):
    """Digits of a value, highest first; two that are no number are bytes that are not known."""
    size = len(digits) // 2
    for i in range(size):
        byte = digits[2 * (size - 1 - i):2 * (size - i)]
        if byte != "..":
            step.memory[kind, address + i] = byte if byte not in ("##", "xx") else "??"


def read_steps(text):
    """The lines of Rev 3, Fast Models, gem5 and ISP RAS that a text with data has."""
    steps = [Step()]
    for line in text.splitlines():
        line = re.sub(r"^ *(\d+ (clk|ps|ns|tic) +)?((cpu)?\d+ )?", "", line, 1)
        match = re.match(r"ES +\(([0-9a-f]+):([0-9a-f]+)\)|I[TS] \(\d+\) ([0-9a-f]+)\S* ([0-9a-f]+)",
                         line)
        if match:
            address, opcode = match[1] or match[3], match[2] or match[4]
            steps.append(Step(int(address, 16), opcode))
            continue
        match = re.match(r"(LD|ST) ([0-9a-f]+) +(\S+) +(\S+) +(\S+) +(\S+)", line)
        if match:
            add_bytes(steps[-1], "R" if match[1] == "LD" else "W", int(match[2], 16),
                      "".join(match.groups()[2:]))
            continue
        match = re.match(r"M([RW])(\d+)\w* ([0-9a-f]+)\S* ([0-9a-fA-Fx_]+)$", line)
        if match:
            add_bytes(steps[-1], match[1], int(match[3], 16),
                      match[4].replace("_", "").lower())
            continue
        match = re.match(r"R (\w+) (?:\((\w+)\) )?([0-9A-Fa-fx_:-]+)$", line)
        if match and match[1] not in ("DC", "IC", "TLBI", "AT"):
            name = match[1] + ("_" + match[2] if match[2] else "")
            steps[-1].registers[name.lower()] = re.sub("[_:]", "", match[3]).lower()
    return steps


class RoundTrip(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name) / "made.tarmac"
        self.again = Path(self.folder.name) / "again.tarmac"

    def export(self, source, *options):
        out, err = run("export", *options, source)
        return out, err

    def accept(self, text, forms):
        """Every line is of a known form, and csreplay finds no fault."""
        whole = re.compile("|".join(f"(?:{form})" for form in forms))
        for line in text.splitlines():
            self.assertTrue(whole.fullmatch(line), line)
        self.again.write_text(text)
        _, err = run("history", "--count", "1", self.again)
        self.assertEqual(err, "")

    def check_steps(self, before, after):
        before, after = read_steps(before), read_steps(after)
        self.assertEqual(len(before), len(after))
        for index, (a, b) in enumerate(zip(before, after)):
            self.assertEqual(a.key(), b.key(), index)

    def check_notes(self, err):
        """What is left out is said in one line, and nothing else is."""
        self.assertRegex(err, r"^(csreplay: note: [\w ]+ has no place for \d+ [^\n]*\n)?$")

    def check_text(self, source):
        for options, forms in (([], REV3_LINES), (["--dialect", "isp"], ISP_LINES)):
            text, err = self.export(source, *options)
            self.check_notes(err)
            self.accept(text, forms)
            self.check_steps(source.read_text(), text)
            # In ISP RAS a reset has no record, and so not which stack pointer it chose.
            registers = forms is REV3_LINES or source.stem != "crash32m"
            self.assertEqual(history(source, registers), history(self.again, registers))
            run("compare", "--registers", "--memory", source, self.again)
        # What is written of what was written is the same text.
        text, _ = self.export(source)
        self.again.write_text(text)
        self.assertEqual(self.export(self.again)[0], text)

    def check_flow(self, source):
        """A CoreSight snapshot, which has no data."""
        notes = run("history", "--count", "1", source)[1]
        for core in cores(source):
            text, err = self.export(source, "--core", core)
            self.check_notes(err.replace(notes, ""))
            self.accept(text, REV3_LINES)
            self.assertEqual(history(source, False, core), history(self.again, False))
            run("compare", "--strict", "--core", f"{core}:cpu0", source, self.again)
            self.assertEqual(self.export(self.again)[0], text)
        text, err = self.export(source, "--dialect", "isp")
        gaps = any(history(source, False, core)[1] for core in cores(source))
        self.assertEqual(bool(re.search(r"has no place.* gaps?\b", err)), gaps)
        self.accept(text, ISP_LINES)
        for core, again in zip(cores(source), cores(self.again), strict=True):
            self.assertEqual(history(source, False, core), history(self.again, False, again))


class Made(RoundTrip):
    A64 = """\
0 clk R cpsr 000003c5
0 clk R X0 0000000000000000
0 clk R SP_EL1 0000000000010000
1 clk IT (1) 00400000 f81f0fe1 O EL1h_n : STR      x1,[sp,#-0x10]!
1 clk MW8 0000fff0:00000000fff0_NS 00000000_11223344
1 clk R SP_EL1 000000000000fff0
2 clk IT (2) 00400004 a9400fe2 O EL1h_n : LDP      x2,x3,[sp,#0]
2 clk MR8 0000fff0:00000000fff0_NS 00000000_11223344
2 clk MR8 0000fff8:00000000fff8_NS ffffffff_ffffffff
2 clk R X2 0000000011223344
2 clk R X3 ffffffffffffffff
3 clk IT (3) 00400008 4ea11c20 O EL1h_n : MOV      v0.16b,v1.16b
3 clk R q0 0123456789abcdef_0011223344556677
4 clk IT (4) 0040000c b8402c05 O EL1h_n : LDR      w5,[x0,#2]!
4 clk MR4 00001ffe 55667788
4 clk R X5 0000000055667788
5 clk IS (5) 00400010 54000040 O EL1h_n : B.EQ     0x400018
6 clk IT (6) 00400014 d4000021 O EL1h_n : SVC      #1
6 clk E 00400014 00000002 CoreEvent_CURRENT_SPx_SYNC
6 clk R ELR_EL1 0000000000400018
6 clk R SPSR_EL1 00000000400003c5
7 clk IT (7) 00080200 d69f03e0 O EL1h_n : ERET
"""
    A32 = """\
1 ns IT (1) 00008000 e1a00000 A svc_s : NOP
1 ns R r13_svc 00100000
2 ns IT (2) 00008004 4770 T svc_s : BX       lr
3 ns IS (3) 00009000 1afb T usr_ns : SUBNE    r3,r7,r3
4 ns IT (4) 00009002 f8531b04 T usr_ns : LDR      r1,[r3],#4
4 ns MR4 00002000 0000abcd
4 ns R r1 0000abcd
"""
    PARTIAL = """\
Tarmac Text Rev 3t
       1000 ns  ES  (0000000000400000:d503201f) O el2t_ns:        NOP
                    R V3<127:64> 0011223344556677
                    R X9 --------00112233
                    R X10 xxxxxxxx00112233
                    ST 0000000000001000 ........ ######## 44332211 ......##    NS:0000001000/12 NM ISH
                    LD 0000000000001ff0 00112233 ........ ........ ........
       2000 ns  ES  EXC [0x480] IRQ/vIRQ Lower EL using AArch64
"""

    def test_a64_text_comes_back(self):
        self.path.write_text(self.A64)
        self.check_text(self.path)
        text, _ = self.export(self.path)
        self.assertEqual(text.splitlines()[:9], [
            "Tarmac Text Rev 3t",
            "                    R cpsr 000003c5",
            "                    R X0 0000000000000000",
            "                    R SP_EL1 0000000000010000",
            "          1 clk ES  (0000000000400000:f81f0fe1) O el1h_ns:        "
            "STR      x1,[sp,#-0x10]!",
            "                    ST 000000000000fff0 ........ ........ 00000000 11223344    "
            "NS:000000fff0",
            "                    R SP_EL1 000000000000fff0",
            "          2 clk ES  (0000000000400004:a9400fe2) O el1h_ns:        "
            "LDP      x2,x3,[sp,#0]",
            "                    LD 000000000000fff0 ........ ........ 00000000 11223344    "
            "NS:000000fff0",
        ])
        # An access over the border of 16 bytes is two lines, an exception has its vector.
        self.assertIn("LD 0000000000001ff0 7788.... ........ ........ ........", text)
        self.assertIn("LD 0000000000002000 ........ ........ ........ ....5566", text)
        self.assertIn(" EXC [0x200] Synchronous Current EL with SP_ELx\n", text)

    def test_isp_text_follows_its_format(self):
        self.path.write_text(self.A32)
        text, _ = self.export(self.path, "--dialect", "isp")
        self.assertEqual(text.splitlines(), [
            "1 ns 0 IT (1) 00008000 e1a00000 A svc_s : NOP",
            "1 ns R r13_svc 00100000",
            "2 ns 0 IT (2) 00008004 4770 T svc_s : BX       lr",
            "3 ns 0 IS (3) 00009000 1afb T usr_ns : SUBNE    r3,r7,r3",
            "4 ns 0 IT (4) 00009002 f8531b04 T usr_ns : LDR      r1,[r3],#4",
            "4 ns MR4 00002000 0000abcd",
            "4 ns R r1 0000abcd",
        ])

    def test_a32_text_comes_back(self):
        self.path.write_text(self.A32)
        self.check_text(self.path)

    def test_partial_values_come_back(self):
        self.path.write_text(self.PARTIAL)
        text, err = self.export(self.path)
        self.assertEqual(err, "")
        self.accept(text, REV3_LINES)
        for line in ("R V3 0011223344556677----------------", "R X9 --------00112233",
                     "R X10 xxxxxxxx00112233",
                     "ST 0000000000001000 ........ ######## 44332211 ......##    "
                     "NS:0000001000/12 NM ISH",
                     "ES  EXC [0x480] IRQ/vIRQ Lower EL using AArch64"):
            self.assertIn(line + "\n", text)
        self.assertEqual(history(self.path), history(self.again))
        run("compare", "--registers", "--memory", self.path, self.again)

    def test_malformed_line_becomes_a_gap(self):
        self.path.write_text("1 clk IT (1) 00400000 d503201f O EL1h_n : NOP\n"
                             "1 clk R X1 00zz\n"
                             "2 clk IT (2) 00400004 d503201f O EL1h_n : NOP\n"
                             "# a comment\n"
                             "3 clk IT (3) 00400008 d503201f O EL1h_n : NOP\n"
                             "4 clk IT (4) 0040000c d503201f O EL1h_n : NOP\n")
        text, err = self.export(self.path)
        self.assertIn(":2: warning: ", err)
        self.accept(text, REV3_LINES)
        self.assertIn(" E DebugEvent_TraceGap the trace is damaged\n", text)
        self.assertNotIn("comment", text)
        self.assertEqual(history(self.again)[1], ["# gap before position 1: the trace is damaged"])

    def test_snapshot_comes_back(self):
        self.check_flow(SENSORHUB)

    def test_part_of_a_history_is_written(self):
        text, _ = self.export(SENSORHUB, "--from", "100", "--count", "50")
        self.again.write_text(text)
        out, _ = run("history", "--from", "100", "--count", "50", SENSORHUB)
        expected = [line.split("\t")[1:] for line in out.splitlines() if line[0].isdigit()]
        got = [line.split("\t")[1:] for line in history(self.again, registers=False)[0][1:]]
        self.assertEqual(got, expected)
        # The exception level was said before.
        self.assertRegex(text.splitlines()[1], r"\) O el0t")

    def test_history_writes_the_same(self):
        self.assertEqual(run("history", "--format", "tarmac", SENSORHUB)[0],
                         self.export(SENSORHUB)[0])
        self.assertEqual(run("history", "--format", "tarmac", "--dialect", "isp", SENSORHUB)[0],
                         self.export(SENSORHUB, "--dialect", "isp")[0])

    def test_wrong_use_ends_with_2(self):
        for arguments, message in (
                (["--format", "xml"], 'export has no format "xml"; it has tarmac'),
                (["--dialect", "gem5"], 'no dialect "gem5" is written; rev3 and isp are'),
                (["--core", "x"], f'{SENSORHUB} has no core "x"')):
            _, err = run("export", *arguments, SENSORHUB, code=2)
            self.assertEqual(err, f"csreplay: error: {message}\n")


class Corpus(RoundTrip):
    def test_texts_come_back(self):
        for name in TEXTS:
            with self.subTest(name):
                self.check_text(TARMAC / f"{name}.tarmac")

    def test_lines_of_every_kind_come_back_without_fault(self):
        text, _ = self.export(TARMAC / "line-variants.txt")
        self.again.write_text(text)
        _, err = run("history", "--count", "1", self.again)
        # The lines are samples of several texts: one branch leads elsewhere.
        self.assertRegex(err, r"^[^\n]*: warning: instruction at 0x164, but the branch before it leads "
                         r"to 0x80: lines are missing, a gap\n$")

    def test_snapshots_come_back(self):
        for name in ("juno_r1_1", "TC2", "tc2-ptm-rstk-t32", "armv8_1m_branches", "q_elem"):
            with self.subTest(name):
                self.check_flow(SHARED / "corpus" / "opencsd" / name)


if __name__ == "__main__":
    is_corpus = sys.argv[1:] == ["corpus"]
    if is_corpus:
        material.shared("corpus")
    unittest.main(verbosity=2, argv=sys.argv[:1], defaultTest="Corpus" if is_corpus else "Made")
