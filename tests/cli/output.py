#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
What the commands print, to the letter: on the bundled example and on inputs made here, against what
the input files say.
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

import serving

CSREPLAY = os.environ["CSREPLAY"]
SOURCE = Path(os.environ["CSREPLAY_SOURCE"])
SENSORHUB = SOURCE / "examples" / "sensorhub"
LENGTH = 40000
CODE, CODE_SIZE = 0x400000, 0x540  # [dump0] of cpu_0.ini: the start of sensorhub.elf
NOP = "IT (1) 00400000 d503201f O EL1h_s : NOP\n"


def run(*arguments, text=None, folder=None):
    done = subprocess.run([CSREPLAY, *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=60, cwd=folder, check=False)
    return done.returncode, done.stdout, done.stderr


def without_damage(err):
    """Lines but for the one that trace is damaged, or code another."""
    return [line for line in err.splitlines() if "where the snapshot's code does not lead to" not in line]


def json_lines(*arguments):
    code, out, err = run("history", "--format", "json", *arguments)
    assert (code, without_damage(err)) == (0, []), err
    return [json.loads(line) for line in out.splitlines()]


def tsv_lines(*arguments):
    code, out, err = run("history", *arguments)
    assert (code, without_damage(err)) == (0, []), err
    return out.splitlines()


class Scratch(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def copy(self, *changes):
        """The example, with texts of its files replaced: (file, old, new)."""
        folder = self.folder / "copy"
        shutil.copytree(SENSORHUB, folder)
        for name, old, new in changes:
            text = (folder / name).read_text()
            self.assertIn(old, text)
            (folder / name).write_text(text.replace(old, new, 1))
        return folder

    def damaged(self):
        folder = self.copy()
        trace = bytearray((folder / "trace.bin").read_bytes())
        del trace[800:816]
        (folder / "trace.bin").write_bytes(trace)
        return folder

    def fails(self, code, message, *arguments, **how):
        self.assertEqual(run(*arguments, **how), (code, "", f"csreplay: error: {message}\n"))


class History(Scratch):
    def test_json_is_what_was_executed(self):
        """PCs from the recorded truth, opcodes from the program, text as capstone has it in TSV."""
        truth = serving.example_pcs(SENSORHUB)
        program = (SENSORHUB / "sensorhub.elf").read_bytes()
        found = [value for value in json_lines(SENSORHUB) if "index" in value]
        texts = [line.split("\t") for line in tsv_lines(SENSORHUB)[1:] if line[0] != "#"]
        self.assertEqual((len(found), len(texts), len(truth)), (LENGTH, LENGTH, LENGTH + 1))
        for i, (value, text) in enumerate(zip(found, texts)):
            at = truth[i] - CODE
            opcode = int.from_bytes(program[at:at + 4], "little")
            self.assertEqual(value, {"index": i, "pc": hex(truth[i]), "isa": "A64",
                                     "opcode": hex(opcode), "disassembly": text[4]})
            self.assertEqual(text[:4], [str(i), f"{truth[i]:016x}", "A64", f"{opcode:08x}"])

    def test_json_has_the_events_between(self):
        """Those of `decode`, which the lists of the reference decoder hold."""
        _, out, _ = run("decode", "--format", "json", SENSORHUB)
        elements = [json.loads(line) for line in out.splitlines()]
        elements = [e for e in elements if e["elem_type"] != "OCSD_GEN_TRC_ELEM_INSTR_RANGE"]
        events = [value for value in json_lines(SENSORHUB) if "event" in value]
        self.assertEqual([event["event"] for event in events], elements)
        positions = [event["position"] for event in events]
        self.assertEqual((positions, positions[-2:]), (sorted(positions), [LENGTH, LENGTH]))

    def test_part_is_what_lies_there(self):
        folder = self.damaged()
        for lines, options in ((json_lines(folder), ["--format", "json"]),
                               (tsv_lines(folder)[1:], [])):
            head = [] if options else ["index\tpc\tisa\topcode\tdisassembly"]
            whole = [json.dumps(line) for line in lines] if options else lines
            placed, index = [], 0  # each line with its position, that of the next instruction
            for line in whole:
                is_instruction = line[0].isdigit() or line.startswith('{"index"')
                placed.append((index, line))
                index += is_instruction
            gaps = [at for at, line in placed if line.startswith(("# gap", '{"gap"'))]
            self.assertGreater(len(gaps), 2)
            for first, count in ((0, 0), (0, 1), (0, 5), (gaps[0], 2), (gaps[0] + 1, 4),
                                 (gaps[1] - 2, 3), (gaps[1], 1), (index - 1, 1), (index - 2, 2),
                                 (index, 3), (index - 1, 1 << 63)):
                last = min(first + count, index)
                wanted = [line for at, line in placed if first <= at < last or
                          (at == index and last == index)]
                got = run("history", *options, "--from", first, "--count", count, folder)[1]
                got = got.splitlines()
                if options:
                    got = [json.dumps(json.loads(line)) for line in got]
                self.assertEqual(got, head + wanted, (first, count))

    def test_gap_has_its_reason_place_and_address(self):
        folder = self.damaged()
        gaps = [value for value in json_lines(folder) if "gap" in value]
        lines = [line for line in tsv_lines(folder) if line.startswith("# gap")]
        self.assertEqual(len(gaps), len(lines))
        for gap, line in zip(gaps, lines):
            text = f"# gap before position {gap['position']}: {gap['gap']}"
            if "address" in gap:
                text += f" at {gap['address']}"
            self.assertEqual(re.sub(r" \(trace byte.*|, \d+ more like it here", "", line), text)
        text = self.file("gap.tarmac", f"1 clk {NOP}1 clk E DebugEvent_TraceGap the trace is damaged\n"
                                       f"2 clk {NOP}")
        self.assertEqual(json_lines(text)[1], {"gap": "the trace is damaged", "position": 1})

    def test_registers_are_those_of_the_text(self):
        text = self.file("a.tarmac", "0 clk R X3 0000000000000005\n0 clk R SP_EL1 00000000fff0\n"
                         f"1 clk {NOP}1 clk R X3 00000000000000a0\n1 clk R X29 ffffffffffffffff\n"
                         f"1 clk R X4 00000000xxxxxxxx\n2 clk {NOP}")
        found = [value["registers"] for value in json_lines("--registers", text)]
        self.assertEqual([{k: r[k] for k in r if k in ("x3", "x4", "x29", "pc")} for r in found],
                         [{"x3": "0x5", "pc": "0x400000"},
                          {"x3": "0xa0", "x29": "0xffffffffffffffff", "pc": "0x400000"}])
        lines = [line.split("\t") for line in tsv_lines("--registers", text)]
        column = {name: i for i, name in enumerate(lines[0])}
        self.assertEqual(list(column)[:8],
                         ["index", "pc", "isa", "opcode", "disassembly", "x0", "x1", "x2"][:8])
        self.assertEqual([(line[column["x3"]], line[column["x29"]], line[column["x4"]])
                          for line in lines[1:]],
                         [("0000000000000005", "-", "-"),
                          ("00000000000000a0", "f" * 16, "-")])
        self.assertNotIn("registers", json_lines(text)[0])

    def test_instruction_without_opcode_has_none(self):
        text = self.file("a.tarmac", "Tarmac Text Rev 3\n       1 clk ES  "
                         "(0000000000400000:--------) O el1h_ns:        NOP\n")
        self.assertEqual(json_lines(text), [{"index": 0, "pc": "0x400000", "isa": "A64"}])
        self.assertEqual(tsv_lines(text)[1:], ["0\t0000000000400000\tA64\t-\t"])

    def test_core_is_the_named_or_the_first_with_trace(self):
        folder = self.copy(("snapshot.ini", "device0=", "device7=cpu_7.ini\ndevice0="))
        (folder / "cpu_7.ini").write_text("[device]\nname=cpu_7\nclass=core\ntype=Cortex-A53\n"
                                          "[regs]\nPC(size:64)=0x1000\nSP(size:64)=0\n"
                                          "CPSR(size:32)=0\n")
        cores = json.loads(run("info", "--format", "json", folder)[1])["cores"]
        self.assertEqual([(c["thread"], c["name"], c["instructions"]) for c in cores],
                         [(1, "cpu_7", 0), (2, "cpu_0", LENGTH)])
        self.assertEqual(json_lines("--count", 1, folder)[-1]["index"], 0)
        self.assertEqual(json_lines("--core", "cpu_7", folder), [])
        self.fails(2, f'{folder} has no core "cpu_"', "history", "--core", "cpu_", folder)


class State(Scratch):
    def test_comments_and_empty_lines_are_passed_over_and_counted(self):
        questions = "# a comment\n\n  # one after blanks\n\t\n-1\tpc\n#-1\tpc\n-1\t#pc\nx\n"
        code, out, err = run("state", "--batch", SENSORHUB, text=questions)
        self.assertEqual((code, out), (1, "-1\tpc\t0000000000400404\n"))
        self.assertEqual(err, 'csreplay: note: line 7 asks nothing: "-1\t#pc"\n'
                              'csreplay: note: line 8 asks nothing: "x"\n'
                              "csreplay: error: 2 lines ask nothing\n")

    def test_comments_alone_ask_nothing_and_are_fine(self):
        self.assertEqual(run("state", "--batch", SENSORHUB, text="# x\n#\n"), (0, "", ""))

    def test_ten_bad_lines_are_named_and_all_counted(self):
        code, out, err = run("state", "--batch", SENSORHUB, text="bad\n" * 12)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.splitlines(), [
            f'csreplay: note: line {i} asks nothing: "bad"' for i in range(1, 11)] + [
                "csreplay: error: 12 lines ask nothing"])

    def test_positions_outside_are_counted(self):
        _, out, err = run("state", "--batch", SENSORHUB, text="40001\tx0\n40000\tx0\n")
        self.assertEqual(out, "40001\tx0\t-\n40000\tx0\t00000000000007b1\n")
        self.assertEqual(err, "csreplay: note: 1 questions are about positions that the history "
                              "does not have\n")

    def test_names_are_those_of_the_snapshot(self):
        asked = {"x0": "00000000000007b1", "X0": "00000000000007b1", "w0": "000007b1",
                 "W30": "00400480", "sp": "0000005500800c80", "cpsr": "60000000",
                 "lr": "0000000000400480", "v0": "0000000000000000409d662aaaaaaaab",
                 "fpsr": "00000010"}
        _, out, err = run("state", "--batch", SENSORHUB,
                          text="".join(f"-1\t{name}\n" for name in asked))
        self.assertEqual((out, err),
                         ("".join(f"-1\t{name}\t{asked[name]}\n" for name in asked), ""))

    def test_memory_is_a_little_endian_number_of_eight_bytes(self):
        dump = (SENSORHUB / "data_401540.bin").read_bytes()
        asked = [("m401540", 0), ("m0x401541", 1), ("m401748", 0x208)]
        _, out, _ = run("state", "--batch", SENSORHUB,
                        text="".join(f"-1\t{name}\n" for name, _ in asked) + "-1\tm401749\n")
        self.assertEqual(out, "".join(
            f"-1\t{name}\t{int.from_bytes(dump[at:at + 8], 'little'):016x}\n"
            for name, at in asked) + "-1\tm401749\t-\n")

    def test_many_answers_are_all_written(self):
        """More than the command keeps before it writes."""
        lines = [f"-1\tx{i % 31}" for i in range(6000)]
        code, out, err = run("state", "--batch", SENSORHUB, text="\n".join(lines))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(["\t".join(line.split("\t")[:2]) for line in out.splitlines()], lines)

    def test_questions_come_from_the_file_wherever_it_stands(self):
        questions = self.file("q", "-1\tx0\n")
        answer = (0, "-1\tx0\t00000000000007b1\n", "")
        for arguments in (["--batch", questions, SENSORHUB], [SENSORHUB, "--batch", questions],
                          [f"--batch={questions}", SENSORHUB], [SENSORHUB, f"--batch={questions}"]):
            self.assertEqual(run("state", *arguments, text="none"), answer)
        for arguments in (["--batch", SENSORHUB], [SENSORHUB, "--batch"],
                          ["--batch", "--unknown", "?", SENSORHUB]):
            self.assertEqual(run("state", *arguments, text="-1\tx0\n"), answer)
        missing = self.folder / "none"
        self.fails(1, f"{missing}: No such file or directory", "state", "--batch", missing, SENSORHUB)
        self.fails(2, "state needs --batch", "state", SENSORHUB)

    def test_longest_line_is_one_under_the_limit(self):
        for length, code in ((254, 0), (255, 1)):
            line = "-1\tx0" + " " * (length - 5)
            self.assertEqual(run("state", "--batch", SENSORHUB, text=line + "\n")[0], code)


class Why(Scratch):
    def test_all_of_128_bits_are_shown(self):
        folder = self.copy(("cpu_0.ini", "V0(size:128)=0x0000000000000000409d662aaaaaaaab",
                            "V0(size:128)=0x0123456789abcdef409d662aaaaaaaab"),
                           ("cpu_0.ini", "V1(size:128)=0x00000000000000000000000000000000",
                            "V1(size:128)=0x00000000000000070000000000000009"))
        self.assertEqual(run("why", "--of", "v0", "--at", LENGTH - 1, folder), (
            0, "v0 at position 39999 is 0x123456789abcdef409d662aaaaaaaab, proved:\n"
               "  40000  the halt: v0.lo = 0x409d662aaaaaaaab in the snapshot\n"
               "  40000  the halt: v0.hi = 0x123456789abcdef in the snapshot\n", ""))
        self.assertEqual(run("why", "--of", "v1", "--at", LENGTH - 1, folder)[1].splitlines()[0],
                         "v1 at position 39999 is 0x70000000000000009, proved:")


class Info(Scratch):
    def test_tables_are_those_of_the_files(self):
        code, out, err = run("info", "--image", f"{SENSORHUB}/sensorhub.elf@0x10000", SENSORHUB)
        self.assertEqual((code, err), (0, ""))
        blocks = out.split("\n\n")
        self.assertEqual(blocks[:-1], [
            f"snapshot {SENSORHUB}\nsensorhub: a crash recorded under qemu-aarch64",
            "cores\n"
            "  thread  name   type        state    pc        sources  instructions  gaps  cluster\n"
            "  1       cpu_0  Cortex-A53  AArch64  0x400404  ETM_0    40000         0     -",
            "crash\n"
            "  core   cause\n"
            "  cpu_0  data fault at 0x400404: read of 0x322d7261; register x2; taken at position "
            "40000",
            "trace sources\n"
            "  name   type    protocol  id    core   buffers\n"
            "  ETM_0  ETM4.2  ETMv4     0x10  cpu_0  ETB_0",
            "trace buffers\n"
            "  name   format     bytes  file\n"
            "  ETB_0  coresight  1808   trace.bin",
            "images\n"
            "  from     address  segments  file\n"
            f"  --image  0x10000  2         {SENSORHUB}/sensorhub.elf",
            "memory dumps\n"
            "  device  dump   space  address       bytes  offset  file\n"
            "  cpu_0   dump0  Any    0x400000      1344   0x0     sensorhub.elf\n"
            "  cpu_0   dump1  Any    0x401540      528    0x0     data_401540.bin\n"
            "  cpu_0   dump2  Any    0x5500800ad0  496    0x0     stack.bin",
            "devices\n"
            "  name   class         type        location  registers  dumps  file\n"
            "  cpu_0  core          Cortex-A53  -         68         3      cpu_0.ini\n"
            "  ETM_0  trace_source  ETM4.2      -         12         0      device_1.ini"])
        rows = [re.split(r" {2,}", line.strip()) for line in blocks[-1].splitlines()]
        self.assertEqual(rows[0], ["values of the past"])
        self.assertEqual([row[:2] for row in rows[2:]], [
            ["single-writer", "on"], ["handler-preserves-registers", "on"], ["abi", "off"],
            ["private-locals", "off"], ["kernel-private", "off"], ["waiting-tasks", "off"], ["coherent", "off"],
            ["stack-private", "off"], ["traced-writers", "off"], ["own-dumps", "off"],
            ["code-unchanged", "off"], ["one-address-space", "off"]])

    def test_image_is_named_so_that_it_is_found_from_anywhere(self):
        out = run("info", "--image", "sensorhub.elf@0x10000", ".", folder=SENSORHUB)[1]
        self.assertIn(f"  --image  0x10000  2         {SENSORHUB.resolve()}/sensorhub.elf\n", out)

    def test_core_has_all_its_sources(self):
        folder = self.copy(("snapshot.ini", "device1=device_1.ini",
                            "device1=device_1.ini\ndevice2=device_2.ini"),
                           ("trace.ini", "cpu_0=ETM_0", "cpu_0=ETM_0\ncpu_0=ETM_1"),
                           ("trace.ini", "ETM_0=ETB_0", "ETM_0=ETB_0\nETM_1=ETB_0"))
        text = (folder / "device_1.ini").read_text().replace("ETM_0", "ETM_1")
        (folder / "device_2.ini").write_text(text)
        row = re.search(r"^  1 +cpu_0 .*$", run("info", folder)[1], re.MULTILINE)[0]
        self.assertEqual(row.split()[5], "ETM_0,ETM_1")

    def test_assumptions_are_switched_on(self):
        for options, wanted in (([], False), (["--assume-abi"], True)):
            out = run("info", "--format", "json", *options, SENSORHUB)[1]
            self.assertEqual(json.loads(out)["assumptions"]["abi"], wanted)

    def test_trust_turns_the_assumptions_about_code_on(self):
        for level, wanted in (("proved", False), ("assumed", True)):
            out = run("info", "--format", "json", "--trust", level, SENSORHUB)[1]
            found = json.loads(out)["assumptions"]
            self.assertEqual((found["abi"], found["coherent"], found["stack-private"]), (wanted,) * 3)
        code, _, err = run("info", "--trust", "blindly", SENSORHUB)
        self.assertEqual(code, 2)
        self.assertIn("--trust blindly: expected proved or assumed", err)

    def test_text_of_two_cores_has_both(self):
        text = self.file("two.tarmac", f"1 clk cpu0 {NOP}2 clk cpu1 {NOP}3 clk cpu1 {NOP}")
        self.assertEqual(run("info", text), (0, f"""\
snapshot {text}
Tarmac text, dialect fast-models, 3 lines

cores
  thread  name  type    state    pc  sources  instructions  gaps  cluster
  1       cpu0  Tarmac  AArch64  -   -        1             0     -
  2       cpu1  Tarmac  AArch64  -   -        2             0     -

devices
  name  class  type    location  registers  dumps  file
  cpu0  core   Tarmac  -         0          0      {text}
  cpu1  core   Tarmac  -         0          0      {text}
""", ""))
        self.assertEqual(run("check", text), (
            0, "Tarmac text, dialect fast-models, 3 lines\n0 errors, 0 warnings\n", ""))
        found = json.loads(run("info", "--format", "json", text)[1])
        self.assertNotIn("pc", found["cores"][0])
        self.assertEqual(found["assumptions"], {})

    def test_missing_fields_are_dashes(self):
        folder = self.copy(("trace.ini", "cpu_0=ETM_0", "cpu_9=ETM_0"),
                           ("cpu_0.ini", "type=Cortex-A53\n", ""),
                           ("device_1.ini", "TRCTRACEIDR(0x010)=0x00000010\n", ""))
        out = run("info", folder)[1]
        self.assertIn("\n  1       cpu_0  -     AArch64  0x400404  -        0             0     -\n",
                      out)
        self.assertIn("\n  ETM_0  ETM4.2  ETMv4     -   -     ETB_0\n", out)

    def test_diagnostics_over_the_limit_are_counted(self):
        text = self.file("bad.tarmac", f"1 clk {NOP}" * 2000 + "2 clk R X1 00zz\n" * 1004)
        code, _, err = run("info", text)
        self.assertEqual((code, len(err.splitlines())), (0, 1001))
        self.assertEqual(err.splitlines()[-1], "... and 4 more")
        code, out, err = run("check", "--strict", text)
        self.assertEqual(code, 1)
        self.assertTrue(err.splitlines()[0].startswith(f"{text}:2001: error: "), err[:200])


class Decode(Scratch):
    def test_sources_and_buffers_are_chosen(self):
        whole = run("decode", SENSORHUB)[1]
        for options in (["--source", "ETM_0"], ["--buffer", "ETB_0"]):
            self.assertEqual(run("decode", *options, SENSORHUB), (0, whole, ""))
        for option, kind, name in (("source", "trace source", "ETM_"),
                                   ("buffer", "trace buffer", "ETB_00")):
            self.fails(2, f'the snapshot has no {kind} "{name}"', "decode", f"--{option}", name,
                       SENSORHUB)

    def test_buffer_that_is_not_asked_for_is_left_out(self):
        folder = self.copy(("trace.ini", "buffers=buffer0", "buffers=buffer0,buffer1"),
                           ("trace.ini", "[buffer0]", "[buffer1]\nname=ETB_1\nfile=second.bin\n"
                            "format=coresight\n[buffer0]"))
        trace = (folder / "trace.bin").read_bytes()
        (folder / "second.bin").write_bytes(trace[:800])
        first, second = (run("decode", "--buffer", name, folder)[1] for name in ("ETB_0", "ETB_1"))
        self.assertGreater(len(first), len(second))
        self.assertEqual(run("decode", folder)[1], first + second)

    def test_source_that_cannot_be_decoded_leaves_the_others(self):
        folder = self.copy(("snapshot.ini", "device1=", "device2=etm_9.ini\ndevice1="),
                           ("trace.ini", "ETM_0=ETB_0", "ETM_9=ETB_0\nETM_0=ETB_0"))
        text = (folder / "device_1.ini").read_text()
        (folder / "etm_9.ini").write_text(text.replace("ETM_0", "ETM_9").replace(
            "0x00000010", "0x00000011").replace("0x4100f423", "0x4100f523"))
        self.assertEqual(run("decode", folder), (
            1, run("decode", SENSORHUB)[1], 'etm_9.ini:1: error: trace source "ETM_9" has '
            "architecture version 5 in TRCIDR1, expected 4\n"))

    def test_text_has_no_buffers(self):
        self.fails(2, "a Tarmac text has no trace buffers; `csreplay history` lists its instructions",
                   "decode", self.file("a.tarmac", f"1 clk {NOP}"))


class Export(Scratch):
    def test_gaps_that_isp_has_no_line_for_are_counted(self):
        folder = self.damaged()
        gaps = json.loads(run("info", "--format", "json", folder)[1])["cores"][0]["gaps"]
        code, out, err = run("export", "--dialect", "isp", folder)
        self.assertEqual((code, len(without_damage(err))), (0, 1))
        self.assertRegex(without_damage(err)[0], "^csreplay: note: the format of ISP RAS has no place for "
                              f"{len(gaps)} gaps, ")
        self.assertEqual(without_damage(run("export", "--count", 2, folder)[2]), [])

    def test_positions_at_the_end(self):
        for command in (["export"], ["history"], ["history", "--format", "json"]):
            self.assertEqual(run(*command, "--from", LENGTH, SENSORHUB)[0], 0)
            self.fails(2, f'--from "{LENGTH + 1}": position out of range (0..{LENGTH})',
                       *command, "--from", LENGTH + 1, SENSORHUB)
            self.fails(2, '"x" is not a number of 64 bits', *command, "--count", "x", SENSORHUB)
            code, out, err = run(*command, "--from", "x", SENSORHUB)
            self.assertEqual((code, out), (2, ""))
            self.assertIn('--from "x": not a position: "x"; give N, -N, ', err)
            # The same instruction, however it is said.
            wanted = run(*command, "--from", LENGTH - 10, SENSORHUB)[1]
            for same in ("-10", "end", hex(LENGTH - 10)):
                self.assertEqual(run(*command, "--from", same, SENSORHUB)[1] == wanted, same != "end")


class Threads(Scratch):
    def test_count_has_its_limits(self):
        for count in ("0", "65", "18446744073709551615"):
            self.fails(2, f"--threads {count}: expected 1 to 64", "info", "--threads", count,
                       SENSORHUB)
        self.fails(2, '"two" is not a number of 64 bits', "info", "--threads", "two", SENSORHUB)
        wanted = run("info", SENSORHUB)
        for count in (1, 2, 64):
            self.assertEqual(run("info", "--threads", count, SENSORHUB), wanted)


class Serve(Scratch):
    def test_address_that_is_none_is_refused(self):
        for address in ("nonsense", "1234", ":", "localhost:", "localhost:x", "::1:99", "h:65536"):
            code, out, err = run("serve", "--listen", address, SENSORHUB)
            self.assertEqual((code, out, err), (
                2, "", f'error: cannot listen on "{address}": it must be HOST:PORT, unix:PATH or '
                       "stdio\n"))
        for address in ("unix:", "unix:" + "x" * 108):
            self.assertEqual(run("serve", "--listen", address, SENSORHUB), (
                1, "", f"error: cannot listen on {address}: the path of a unix socket has 1 to 107 "
                       "bytes\n"))

    def test_core_without_pc_cannot_be_served(self):
        folder = self.copy(("cpu_0.ini", "PC(size:64)=0x0000000000400404\n", ""),
                           ("trace.ini", "cpu_0=ETM_0", "cpu_9=ETM_0"))
        code, out, err = run("serve", "--listen", "127.0.0.1:0", folder)
        self.assertEqual((code, out), (1, ""))
        self.assertTrue(err.endswith("error: no core of the snapshot can be served: of the first, "
                                     "the snapshot has no PC for it\n"), err)

    def test_what_is_listened_on_and_assumed_is_said(self):
        path = self.folder / "socket"
        for listen, said in (("127.0.0.1:0", r"127\.0\.0\.1:\d+"), (":0", r"127\.0\.0\.1:\d+"),
                             (f"unix:{path}", re.escape(f"unix:{path}"))):
            with serving.Server(["--assume-abi", str(SENSORHUB)], listen=listen) as server:
                self.assertRegex("".join(server.messages),
                                 r"\Anote: what is shown of the past rests on assumptions[^\n]*: abi\n"
                                 r"cpu_0: data fault at 0x400404: read of 0x322d7261; [^\n]*\n"
                                 rf"listening on {said}\n\Z")
        self.assertFalse(path.exists())
        with serving.Server([str(SENSORHUB)], listen="0.0.0.0:0") as server:
            self.assertRegex("".join(server.messages),
                             r"\Acsreplay: warning: whoever can reach 0\.0\.0\.0:(\d+) can read the "
                             r"snapshot\ncpu_0: data fault [^\n]*\nlistening on 0\.0\.0\.0:\1\n\Z")


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
