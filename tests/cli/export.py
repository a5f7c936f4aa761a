#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
csreplay export: several cores, exceptions, and what a dialect has no place for. Expectations are the
lines of Tarmac Text Rev 3 (ARM-EPM-041435) and of the ISP RAS trace format, written by hand.
"""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
TWO_CORES = """\
0 clk cpu1 R X7 0000000000000007
1 clk cpu0 IT (1) 00001000 d503201f O EL1h_s : NOP
1 clk cpu0 R X0 0000000000000001
1 clk cpu1 IT (1) 00002000 d503201f O EL1h_n : NOP
1 clk cpu1 MW4 00008000 11223344
2 clk cpu1 IT (2) 00002004 d503201f O EL1h_n : NOP
2 clk cpu0 IT (2) 00001004 d503201f O EL1h_s : NOP
"""
# Each kind of exception entry that 2.3.3 has, and the debug entry before other addresses.
A32 = ["[0x00] Reset", "[0x04] Undefined Instruction", "[0x08] System Call", "[0x0c] Prefetch Abort",
       "[0x10] Data Abort", "[0x14] Hypervisor Trap", "[0x18] IRQ Interrupt", "[0x1c] FIQ Interrupt",
       "[-8] Array Bound Check", "[-4] Null Pointer Check", "Debug Halt Mode Entry"]
A64 = [f"[0x{place + kind:03x}] {name} {where}"
       for place, where in ((0, "Current EL with SP_EL0"), (0x200, "Current EL with SP_ELx"),
                            (0x400, "Lower EL using AArch64"), (0x600, "Lower EL using AArch32"))
       for kind, name in ((0, "Synchronous"), (0x80, "IRQ/vIRQ"), (0x100, "FIQ/vFIQ"),
                          (0x180, "SError/vSError"))] + ["Debug Halt Mode Entry", "Reset"]
V7M = ["[1] Reset", "[2] NMI", "[3] HardFault", "[4] MemManage", "[5] BusFault", "[6] UsageFault",
       "[11] SVCall", "[12] Debug Monitor", "[14] PendSV", "[15] SysTick", "[16] External Interrupt",
       "[99] External Interrupt", "Debug Halt Mode Entry"]
OTHERS = ("csreplay: note: what other cores wrote to memory is not in this text: a place that they share "
          "holds an older value where it is read back; --dialect isp without --core writes all cores\n")


class ExportOfTrace(unittest.TestCase):
    def test_a_trace_has_no_lines_of_data(self):
        """What CoreSight trace does not say is not written: memory, registers."""
        folder = os.path.join(os.environ["CSREPLAY_SOURCE"], "examples", "sensorhub")
        text = subprocess.run([CSREPLAY, "export", folder], capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r"^ *(?:LD|LA|ST|SA|SX|R) .*", text, re.M), [])
        self.assertGreater(text.count(" ES  ("), 1000)


class Export(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="a.tarmac"):
        path = Path(self.folder.name) / name
        path.write_text(text)
        return path

    def export(self, text, *options, code=0):
        done = subprocess.run([CSREPLAY, "export", *options, self.file(text)],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def test_all_cores_of_a_text_are_written_in_its_order(self):
        out, err = self.export(TWO_CORES, "--dialect", "isp")
        # Registers have no core in that format, so where the line before is another core's it is said.
        self.assertEqual(out.splitlines(), [
            "0 clk 1 R x7 0000000000000007",
            "1 clk 0 IT (1) 0000000000001000 d503201f X el1h_s : NOP",
            "1 clk R x0 0000000000000001",
            "1 clk 1 IT (1) 0000000000002000 d503201f X el1h_ns : NOP",
            "1 clk MW4 0000000000008000 11223344",
            "2 clk 1 IT (2) 0000000000002004 d503201f X el1h_ns : NOP",
            "2 clk 0 IT (2) 0000000000001004 d503201f X el1h_s : NOP",
        ])
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("1 core of a line that is no instruction's", err)

    def test_a_dialect_without_cores_asks_for_one(self):
        out, err = self.export(TWO_CORES, code=2)
        self.assertEqual(out, "")
        self.assertIn("2 cores", err)
        self.assertIn("--core", err)
        self.assertIn("--dialect isp", err)
        out, err = self.export(TWO_CORES, "--core", "cpu1")
        self.assertEqual(re.findall(r"ES  \(0+(\w+):", out), ["2000", "2004"])
        self.assertIn("R X7 0000000000000007", out)
        self.assertEqual(err, OTHERS)

    def test_one_core_of_several_is_written_with_its_number(self):
        out, err = self.export(TWO_CORES, "--dialect", "isp", "--core", "cpu1")
        self.assertEqual(out.splitlines()[:2], [
            "0 clk R x7 0000000000000007",
            "1 clk 1 IT (1) 0000000000002000 d503201f X el1h_ns : NOP"])
        self.assertEqual(err, "csreplay: note: the format of ISP RAS has no place for 2 modes that are "
                              "none of its eight\n" + OTHERS)

    def values(self, text, core, *questions, name="b.tarmac"):
        """What is known after positions: "2 m5000", memory of 8 bytes, or a register."""
        return [line.split("\t")[2] for line in subprocess.run(
            [CSREPLAY, "state", "--batch", "/dev/stdin", *(["--core", core] if core else []), self.file(text, name)],
            input="".join(question.replace(" ", "\t") + "\n" for question in questions),
            capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()]

    def test_lines_keep_their_order_among_cores(self):
        """A store that another core sees later than the instruction that made it."""
        text = ("0 clk 0 IT (1) 0000000000001000 d503201f X el1h_ns : NOP\n"
                "0 clk MW8 0000000000005000 0000000000000011\n"
                "1 clk 1 IT (1) 0000000000002000 d503201f X el1h_ns : NOP\n"
                "1 clk 0 IT (2) 0000000000001004 d503201f X el1h_ns : NOP\n"
                "2 clk 0 IT (3) 0000000000001008 d503201f X el1h_ns : NOP\n"
                "3 clk 1 MW8 0000000000005000 00000000000000aa\n"
                "3 clk R x3 0000000000000004\n"
                "4 clk 0 IT (4) 000000000000100c d503201f X el1h_ns : NOP\n")
        out, err = self.export(text, "--dialect", "isp")
        self.assertEqual(out, text)
        self.assertIn("1 core of a line that is no instruction's", err)
        for source in (text, out):
            self.assertEqual(self.values(source, "0", "1 m5000", "2 m5000", "3 m5000"),
                             ["0000000000000011", "0000000000000011", "00000000000000aa"])
            self.assertEqual(self.values(source, "1", "1 x3"), ["0000000000000004"])

    def test_what_a_malformed_line_made_unknown_stays_so(self):
        text = ("1 clk 0 IT (1) 00001000 e1a00000 A svc_s : NOP\n"
                "1 clk R r0 00000001\n"
                "1 clk MW4 00005000 00000002\n"
                "2 clk 0 IT (2) 00001004 e1a00000 A svc_s : NOP\n"
                "2 clk R r1 001\n"
                "3 clk 0 IT (3) 00001008 e1a00000 A svc_s : NOP\n"
                "3 clk MW4 000050\n"
                "4 clk 0 IT (4) 0000100c e1a00000 A svc_s : NOP\n")
        questions = ["1 r0", "2 r0", "2 m5000", "3 m5000"]
        out, err = self.export(text, "--dialect", "isp")
        self.assertIn("2 clk E DebugEvent_TraceGap the trace is damaged\n", out)
        self.assertIn("2 gaps", err)
        self.assertEqual(self.values(text, None, *questions)[:2], ["00000001", "-"])
        for there, here in zip(self.values(text, None, *questions), self.values(out, None, *questions)):
            self.assertIn(here, (there, "-"))

    def test_lines_that_are_missing_after_a_branch_stay_so(self):
        """ISP RAS has no line of where a branch leads, and a gap of a history is a note."""
        head = ("1 clk IT (1) 00001000 ea000002 A svc_s : B 0x1010\n"
                "1 clk R r0 00000001\n"
                "1 clk MW4 00005000 00000002\n")
        lines = {"BR (00001010) A\n": "", "BR (00001020) A\n": "# gap",
                 "E DebugEvent_TraceGap the trace is damaged\n": "# gap",
                 "BR (00001020) A\n1 clk E 00001000 10 00000001 CoreEvent_RESET\n": "",
                 "BR (00001020) A\n1 clk E 00001000 10 00000001 CoreEvent_ModeChange\n": "# gap"}
        for line, expected in lines.items():
            text = head + f"1 clk {line}2 clk IT (2) 00001010 e1a00000 A svc_s : NOP\n"
            out, _ = self.export(text, "--dialect", "isp")
            found = [[gap.split(" (")[0] for gap in subprocess.run(
                [CSREPLAY, "history", self.file(t, "c.tarmac")], capture_output=True, text=True, check=True,
                timeout=60).stdout.splitlines() if gap.startswith("# gap")] for t in (text, out)]
            self.assertEqual(found[0], found[1])
            self.assertEqual([gap[:5] for gap in found[1]], [expected] if expected else [], line)
            questions = ["1 r0", "2 r0", "2 m5000"]
            self.assertEqual(self.values(text, None, *questions), self.values(out, None, *questions))
            self.assertEqual(self.values(out, None, "2 r0"), ["-" if expected else "00000001"])

    def test_physical_addresses_come_back(self):
        """Two processes at one address; without physical addresses the second would be the first."""
        text = ("1 clk 0 IT (1) 00001000:000000081000 e1a00000 A usr_s : NOP\n"
                "1 clk MW4 00005000:000000085000_NS 00000011\n"
                "2 clk 0 IT (2) 00000ffe:000000090ffe,0000000a1000 f3af8000 T svc_s : NOP.W\n"
                "2 clk R TLBIALL 00000000\n"
                "3 clk 0 IT (3) 00001000:0000000a1000 e1a00000 A usr_s : NOP\n"
                "3 clk MW4 00005000:0000000a5000_NS 00000022\n"
                "4 clk 0 IT (4) 00001004:0000000a1004 e1a00000 A usr_s : NOP\n")
        out, err = self.export(text, "--dialect", "isp")
        self.assertEqual(out.replace("tlbiall", "TLBIALL"), text)
        self.assertIn("7 physical addresses", err)

    def test_instructions_keep_their_index(self):
        text = ("1 clk 0 IT (1000) 00001000 e1a00000 A svc_s : NOP\n"
                "2 clk 0 IT (1007) 00001004 e1a00000 A svc_s : NOP\n")
        self.assertEqual(self.export(text, "--dialect", "isp"), (text, ""))

    def test_timestamps_after_a_first_instruction_without(self):
        """Rev 3, 2.1, 2.2: the header's flag says that there are timestamps; a record may have none."""
        out, err = self.export("Tarmac Text Rev 3t\n-----------    ES (00001000:e1a00000) A svc: NOP\n"
                               "    LD 00008000 ........ ........ ........ 22222222 NM NSH\n"
                               "        200 ns ES (00001004:e1a00000) A svc: NOP\n"
                               "        300 ns ES (00001008:e1a00000) A svc: NOP\n")
        lines = out.splitlines()
        self.assertEqual(lines[0], "Tarmac Text Rev 3t")
        self.assertRegex(lines[1], r"^ {16}ES {2}?\(00001000:")
        self.assertEqual([line[:15] for line in lines if "ES" in line],
                         [" " * 15, "        200 ns ", "        300 ns "])
        self.assertEqual(err, "csreplay: note: Tarmac Text Rev 3 has no place for 1 attribute of an access\n")

    def test_from_and_count_are_of_each_core(self):
        out, _ = self.export(TWO_CORES, "--dialect", "isp", "--from", "1", "--count", "1")
        self.assertEqual([line.split()[5] for line in out.splitlines()],
                         ["0000000000002004", "0000000000001004"])

    def round_trip(self, exceptions, insn, mode):
        """Each exception before an address that another vector has."""
        lines = ["Tarmac Text Rev 3"]
        for index, exception in enumerate(exceptions):
            lines += [f"ES  ({insn.format(0x1000 + 4 * index)}) {mode}: NOP", f"    EXC {exception}"]
        lines += [f"ES  ({insn.format(0x14)}) {mode}: NOP"]
        out, err = self.export("\n".join(lines) + "\n")
        self.assertEqual(re.findall(r"EXC (.*)", out), exceptions)
        self.assertEqual(err, "")
        return lines

    def test_exceptions_are_written_as_they_were(self):
        self.round_trip(A32, "{:08x}:e1a00000", "A svc")
        self.round_trip(A64, "{:016x}:d503201f", "O el1h")
        self.round_trip(V7M, "{:08x}:bf00", "T thread")

    def test_exceptions_of_simulators_have_their_vectors(self):
        out, err = self.export(
            "1 clk E 00001000 00000001 CoreEvent_RESET\n"
            "1 clk IT (1) 00001000 d503201f O EL3h_s : NOP\n"
            "1 clk E 00001000 00000084 CoreEvent_CURRENT_SPx_SYNC\n"
            "2 clk IT (2) 00000200 d503201f O EL3h_s : NOP\n"
            "2 clk E 00000200 0000008d CoreEvent_LOWER_32_IRQ\n"
            "3 clk IT (3) 00000000 d503201f O EL3h_s : NOP\n"
            "3 clk E 00000000 000000ff CoreEvent_Odd\n"
            "4 clk IT (4) 00000180 d503201f O EL3h_s : NOP\n")
        self.assertEqual(re.findall(r"EXC (.*)", out), [
            "Reset", "[0x200] Synchronous Current EL with SP_ELx",
            "[0x680] IRQ/vIRQ Lower EL using AArch32", "CoreEvent_Odd"])
        self.assertEqual(err.count("\n"), 1)
        self.assertIn("1 vector of an exception", err)

    def test_what_isp_has_no_line_for_is_said_once_with_its_count(self):
        out, err = self.export(
            "Tarmac Text Rev 3\n"
            "ES  Reset\n    EXC [0x00] Reset\n"
            "ES  (00001000:e1a00000) A svc: NOP\n    BR (00001004) A\n"
            "    SA 00008000 ........ ........ ........ 11111111\n"
            "    LD 00008000 ........ ........ ........ 22222222 NS:0000008000/12 NM NSH INC ONC\n"
            "ES  (00001004:e1a00000) A svc: NOP\n    EXC [0x18] IRQ Interrupt\n"
            "ES  (DBGITR:e1a00000) A svc: NOP\n", "--dialect", "isp")
        self.assertEqual(out.splitlines(), [
            "1 clk 0 IT (1) 00001000 e1a00000 A svc_s : NOP",
            "1 clk MR4 00008000 22222222",
            "2 clk 0 IT (2) 00001004 e1a00000 A svc_s : NOP"])
        self.assertEqual(err, "csreplay: note: the format of ISP RAS has no place for 2 exceptions, 1 "
                              "asynchronous event, 1 branch target, 1 instruction of Debug state, 1 "
                              "aborted or failed access, 1 physical address, 1 attribute of an "
                              "access\n")

    def test_opcodes_of_64_bits_come_back(self):
        text = ("1 clk 0 IT (1) 00001000 0123456789abcdef A svc_s : VOP\n"
                "2 clk 0 IT (2) 00001008 e1a00000 A svc_s : NOP\n"
                "2 clk MW8X 00008000 1122334455667788\n"
                "2 clk MR2T 00008008 aabb\n")
        self.assertEqual(self.export(text, "--dialect", "isp"), (text, ""))
        out, err = self.export(text)
        self.assertIn("(00001000:0123456789abcdef)", out)
        self.assertIn("1 opcode of 64 bits", err)

    def test_asynchronous_events_are_written_as_they_were(self):
        text = ("Tarmac Text Rev 3\nES  Virtual IRQ\n"
                "                    EXC [0x18] IRQ Interrupt\n"
                "ES  (00000018:e1a00000) A irq:            NOP\n"
                "ES  Background Update\n"
                "ES  (EDITR:e1a00000) A irq:            NOP\n"
                "ES  (0000001c:e1a00000) A irq:            NOP\n")
        self.assertEqual(self.export(text), (text, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
