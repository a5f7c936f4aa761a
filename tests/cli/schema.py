#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
What each command prints with --format json follows its schema in docs/schema: on the bundled example,
whole and damaged, and on small texts; with "corpus" as argument on snapshots of each protocol.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import material
from json_schema import Schema, Wrong, parse

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
CORPUS = Path(material.SHARED) / "corpus"
TEXTS = Path(os.environ["CSREPLAY_SOURCE"]) / "tests" / "fuzz" / "corpus" / "tarmac_history"
SPACES, CORES = TEXTS / "spaces_and_system", TEXTS / "cores"
COMMANDS = ("calls", "check", "compare", "decode", "history", "info", "last-write", "origin",
            "reads", "values-of", "why", "writes")
SNAPSHOTS = ["opencsd/" + name for name in (
    "TC2", "armv8_1m_branches", "ete_ip", "ete_spec_1", "event_test", "feat_cmpbr", "infrastructure",
    "itm_only_csformat", "juno_r1_1", "q_elem", "stm_only", "tc2-ptm-rstk-t32", "tme_test",
    "trace_cov_a15", "ts_marker")] + ["crashes/list_null_O1", "crashes/sort_cmp_A32_O1"]
TEXT = """\
1 clk IT (1) 00400000 d503201f O EL1h_s : NOP
1 clk R X0 0000000000000001
1 clk MW4 00001000 55667788
2 clk IT (2) 00400004 {opcode} O EL1h_s : NOP
2 clk R X0 {value}
3 clk IT (3) 00400008 d503201f O EL1h_s : NOP
"""
# Of the lines of a listing that differ in these numbers alone one is checked.
NUMBERS = re.compile(r'("(?:index|position|timestamp|exception_number)":)(?:0|[1-9]\d{0,18})(?=[,}])')
ADDRESSES = re.compile(r'"0x(?:0|[1-9a-f][0-9a-f]{0,7})"')


def run(*arguments, codes=(0,)):
    done = subprocess.run([CSREPLAY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120, check=False)
    if done.returncode not in codes:
        raise AssertionError(f"{arguments}: {done.returncode}: {done.stderr}")
    return done.stdout


class Checked(unittest.TestCase):
    def setUp(self):
        self.schemas = {name: Schema(name) for name in COMMANDS}
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return Path(self.folder.name) / name

    def document(self, command, *arguments, codes=(0,)):
        out = run(command, "--format", "json", *arguments, codes=codes)
        self.assertTrue(out.endswith("}\n"))
        value = parse(out)
        self.schemas[command].check(value)
        return value

    def lines(self, command, *arguments, codes=(0,)):
        """The lines checked, one of each kind."""
        out = run(command, "--format", "json", *arguments, codes=codes)
        self.assertTrue(out == "" or out.endswith("\n"))
        kinds = {ADDRESSES.sub('"0x1"', NUMBERS.sub(r"\g<1>1", line)): line
                 for line in out.splitlines()}
        values = [parse(line) for line in kinds.values()]
        for value in values:
            self.schemas[command].check(value)
        return values


class Example(Checked):
    def text(self, name, opcode="d503201f", value="0000000000000002"):
        self.path(name).write_text(TEXT.format(opcode=opcode, value=value))
        return self.path(name)

    def damaged(self):
        """The example with a hole in its trace."""
        folder = self.path("damaged")
        shutil.copytree(SENSORHUB, folder)
        trace = bytearray((folder / "trace.bin").read_bytes())
        del trace[800:816]
        (folder / "trace.bin").write_bytes(trace)
        return folder

    def test_every_command_with_json_has_a_schema(self):
        help_text = run("--help")
        commands = re.findall(r"^  ([\w-]+)  ", help_text, re.MULTILINE)
        with_json = sorted(name for name in commands if "json" in run(name, "--help"))
        self.assertEqual(with_json, sorted(COMMANDS))

    def test_check_says_the_same_as_without_json(self):
        folder = self.damaged()
        with open(folder / "cpu_0.ini", "a", encoding="ascii") as file:
            file.write("[dump9]\nfile=none.bin\naddress=0x900000\n")
        text = subprocess.run([CSREPLAY, "check", folder], capture_output=True, text=True, timeout=120, check=False)
        found = self.lines("check", folder, codes=(text.returncode,))
        self.assertEqual(text.returncode, 1)
        self.assertEqual(len(found), len(text.stderr.splitlines()))
        for value, line in zip(found, text.stderr.splitlines()):
            place = value.get("file", "")
            place += f":{value['line']}" if "line" in value else f"+{value['offset']:#x}" if "offset" in value else ""
            self.assertEqual(f"{place}: {value['severity']}: {value['text']}".removeprefix(": "), line)
        self.assertEqual({value["severity"] for value in found}, {"error", "warning"})
        self.assertEqual(run("check", "--format", "json", SENSORHUB), "")

    def test_info_follows_its_schema(self):
        for arguments in ([SENSORHUB], ["--image", SENSORHUB / "sensorhub.elf", SENSORHUB],
                          [self.damaged()], [self.text("a.tarmac")]):
            self.document("info", *arguments)

    def test_decode_follows_its_schema(self):
        for arguments in ([SENSORHUB], ["--packets", SENSORHUB], [self.damaged()]):
            self.assertGreater(len(self.lines("decode", *arguments)), 3)

    def test_history_follows_its_schema(self):
        found = set()
        for arguments in ([SENSORHUB], [self.damaged()],
                          ["--registers", "--from", 39000, SENSORHUB],
                          ["--registers", self.text("a.tarmac")], [SPACES]):
            for value in self.lines("history", *arguments):
                found |= set(value)
        self.assertEqual(found, {"index", "pc", "isa", "opcode", "disassembly", "registers", "event",
                                 "gap", "position", "address"})

    def test_origin_follows_its_schema(self):
        found = set()
        for name in ("x0", "x1", "x19", "x29", "x30", "pc", "sp", "0x420000+3"):
            for at in ("100", "20000", "39000"):
                for value in self.lines("origin", "--image", SENSORHUB / "sensorhub.elf", "--at", at,
                                        "--of", name, SENSORHUB):
                    found |= set(value)
        self.assertLess({"step", "position", "kind", "pc", "function", "register", "value", "address",
                         "size"}, found)

    def test_why_follows_its_schema(self):
        """Each line of the text is there, with the place that it is about."""
        found, places, known = set(), set(), set()
        for name in ("x0", "x5", "pc", "v0", "0x5500800b48"):
            for at in ("39700", "39980", "end"):
                trust = "proved" if name == "x5" else "assumed"
                arguments = ("--image", SENSORHUB / "sensorhub.elf", "--at", at, "--of", name, "--trust", trust, SENSORHUB)
                value, = self.lines("why", *arguments)
                found |= set(value)
                known.add(value["known"])
                lines = run("why", *arguments).splitlines()
                self.assertEqual(len(lines), len(value["why"]))
                for line, part in zip(lines, value["why"]):
                    places |= set(part)
                    self.assertTrue(line.endswith(part["text"]), (line, part))
                    if "position" not in part:
                        self.assertEqual(line.strip(), part["text"])
                        continue
                    words = [str(part["position"])] + ([part["pc"]] if "pc" in part else [])
                    self.assertEqual(line.split()[:len(words)], words)
                    self.assertTrue(line.endswith("%s: %s" % (part.get("instruction", part.get("between")), part["text"])))
                state = subprocess.run([CSREPLAY, "state", "--batch", "--image", str(SENSORHUB / "sensorhub.elf"), "--trust",
                                        trust, str(SENSORHUB)], capture_output=True, text=True, check=True,
                                       input=f"{value['position']}\t{name}\n").stdout if not name.startswith("0x") else None
                if state is not None:
                    self.assertEqual(value.get("value", "-").removeprefix("0x"), state.split("\t")[2].strip().removeprefix("0x"))
        self.assertEqual(found, {"core", "position", "of", "known", "value", "assumed", "why", "address"})
        self.assertEqual(known, {True, False})
        self.assertLess({"position", "pc", "instruction", "text"}, places | {"between"})
        self.assertEqual(run("why", "--of", "x0", "--format", "tsv", SENSORHUB, codes=(2,)), "")

    def test_accesses_follow_their_schemas(self):
        found = set()
        for command in ("last-write", "writes", "reads"):
            for name in ("x0", "x19", "0x401648+16", "0x0"):
                for value in self.lines(command, "--of", name, "--count", 1000, SENSORHUB):
                    found |= set(value)
        self.assertLess({"position", "verdict", "pc", "function", "value"}, found)

    def test_values_of_follows_its_schema(self):
        found = set()
        for name in ("x0", "x19", "0x401648+16", "0x0"):
            for value in self.lines("values-of", "--of", name, "--count", 1000, SENSORHUB):
                found |= set(value)
        self.assertEqual(found, {"first", "last", "value", "known"})

    def test_calls_follows_its_schema(self):
        found = set()
        for arguments in ([SENSORHUB], ["--image", SENSORHUB / "sensorhub.elf", SENSORHUB],
                          [self.damaged()], ["--arguments", SENSORHUB]):
            for value in self.lines("calls", *arguments):
                found |= set(value)
        self.assertGreater(len(found), 9)
        self.assertLess({"arguments", "result"}, found)

    def test_compare_follows_its_schema(self):
        a, b = self.text("a.tarmac"), self.text("b.tarmac", "d5033fdf", "0000000000000003")
        for arguments, code in (([a, a], 0), ([a, b], 1), (["--registers", "--memory", a, b], 1),
                                (["--strict", "--first", a, b], 1), ([SENSORHUB, a], 1),
                                (["--strict", SPACES, a], 1), (["--strict", CORES, CORES], 0),
                                ([CORES, a], 1),
                                ([SENSORHUB, self.damaged()], 1)):
            self.document("compare", *arguments, codes=(code,))


class Validator(unittest.TestCase):
    """The validator itself: for each keyword something that it lets in, and something not."""

    def check(self, schema, good, bad):
        made = Schema("s", {"s.schema.json": schema})
        made.check(good)
        with self.assertRaises(Wrong):
            made.check(bad)

    def test_each_keyword_refuses(self):
        pair = {"type": "object", "properties": {"a": {"type": "integer"}},
                "required": ["a"], "additionalProperties": False}
        for schema, good, bad in (
                ({"type": "integer"}, 1, True), ({"type": "integer"}, 1, 1.5),
                ({"type": "string"}, "", 1), ({"type": "array"}, [], {}),
                ({"type": "boolean"}, False, 0), (pair, {"a": 1}, {}), (pair, {"a": 1}, {"a": ""}),
                (pair, {"a": 1}, {"a": 1, "b": 1}), ({"const": "x"}, "x", "y"),
                ({"enum": [1, "x"]}, "x", True), ({"pattern": "^a$"}, "a", "a\n"),
                ({"minLength": 1}, "a", ""), ({"minimum": 0}, 0, -1), ({"maximum": 1}, 1, 2),
                ({"maxItems": 1}, [1], [1, 2]), ({"items": {"type": "string"}}, ["a"], ["a", 1]),
                ({"dependentRequired": {"a": ["b"]}}, {"b": 1}, {"a": 1}),
                ({"oneOf": [{"const": 1}, {"enum": [1, 2]}]}, 2, 1),
                ({"oneOf": [{"const": 1}, {"const": 2}]}, 2, 3),
                ({"patternProperties": {"^a": {"const": 1}}, "additionalProperties": False},
                 {"ab": 1}, {"ab": 2}),
                ({"patternProperties": {"^a$": {"const": 1}}, "additionalProperties": False},
                 {"a": 1}, {"ab": 1}),
                ({"$ref": "#/$defs/n", "$defs": {"n": {"const": 1}}}, 1, 2)):
            self.check(schema, good, bad)

    def test_unknown_keyword_is_refused(self):
        with self.assertRaises(Wrong):
            Schema("s", {"s.schema.json": {"format": "uri"}}).check("x")

    def test_what_is_no_json_is_refused(self):
        for text in ('{"a":1,"a":1}', '{"a":NaN}', "[1,]", "{} {}", '"\x01"'):
            with self.assertRaises((Wrong, json.JSONDecodeError)):
                parse(text)


class Corpus(Checked):
    def test_snapshots_follow_the_schemas(self):
        kinds = set()
        for name in SNAPSHOTS:
            with self.subTest(name):
                folder = CORPUS / name
                info = self.document("info", folder)
                for value in self.lines("decode", "--packets", folder, codes=(0, 1)):
                    kinds.add(value["elem_type"])
                for core in info["cores"]:
                    self.lines("history", "--count", 3000, "--core", core["name"], folder)
        print("elements seen:", *sorted(kinds))
        self.assertGreaterEqual(len(kinds), 17)

    def test_texts_follow_the_schemas(self):
        one, other = (CORPUS / "tarmac" / f"calculator-aarch64-{kind}.tarmac"
                      for kind in ("fastmodel", "gem5"))
        self.document("info", one)
        self.lines("history", "--registers", "--count", 300, one)
        self.document("compare", "--registers", "--memory", one, other, codes=(1,))


if __name__ == "__main__":
    is_corpus = sys.argv[1:] == ["corpus"]
    if is_corpus:
        material.shared("corpus")
    suite = unittest.TestSuite(map(unittest.defaultTestLoader.loadTestsFromTestCase,
                                   (Corpus,) if is_corpus else (Example, Validator)))
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
