# SPDX-License-Identifier: Apache-2.0
"""Registers of [regs] and of Tarmac texts beyond the core's own, in gdb: `info registers system`, at the
halt and before. The example ends in a data abort, which wrote ESR_EL1 and FAR_EL1."""
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import serving

SYSTEM = {"ESR_EL1": 0x92000005, "FAR_EL1": 0x322d7261, "SCTLR_EL1": 0x30d0199d, "CNTVCT_EL0": 77}
MICRO = {"CFSR": 0x8200, "HFSR": 0x40000000}
TARMAC = """0 clk R SCTLR_EL1 0000000030d00800
0 clk R ESR_EL1 00000000
1 clk IT (1) 00001000 d503201f O EL1h_n : NOP
1 clk R SCTLR_EL1 0000000030d00801
2 clk IT (2) 00001004 d503201f O EL1h_n : NOP
3 clk IT (3) 00001008 d503201f O EL1h_n : NOP
"""


def run(*arguments, text=None):
    done = subprocess.run([serving.CSREPLAY, *arguments], input=text, check=True,
                          capture_output=True, text=True, timeout=60)
    return done.stdout


def state(folder, questions, *options):
    out = run("state", "--batch", *options, str(folder), text=questions)
    return [line.split("\t")[2] for line in out.splitlines()]


def system_of(path):
    """What info says of each core's."""
    cores = json.loads(run("info", "--format", "json", str(path)))["cores"]
    return [core["system_registers"] for core in cores]


def listed(values, bits):
    return [{"name": name.lower(), "value": f"0x{value:0{bits // 4}x}"}
            for name, value in sorted(values.items())]


class SystemRegisters(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "snapshot"
        self.crash = serving.Crash("example")
        shutil.copytree(self.crash.folder, self.folder)
        path = self.folder / "cpu_0.ini"
        added = "".join(f"{name}(size:64)={value:#x}\n" for name, value in SYSTEM.items())
        path.write_text(path.read_text().replace("[regs]\n", "[regs]\n" + added))

    def test_gdb_lists_them_at_the_halt_and_what_is_kept_before(self):
        with serving.Server([str(self.folder)]) as server:
            out = serving.gdb(server.address, [
                "info registers system", "info registers", "p/x $sctlr_el1", "reverse-stepi",
                "p/x $x2", "p/x $sctlr_el1", "p $esr_el1", "monitor crash"], self.crash.program)
        lines = [line.split() for line in out.splitlines()]
        for name, value in SYSTEM.items():
            self.assertIn([name.lower(), hex(value), str(value)], lines)
        self.assertIn("$1 = 0x30d0199d", out)
        self.assertIn("$3 = 0x30d0199d", out)
        self.assertIn("$4 = <unavailable>", out)
        self.assertIn("data abort at 0x400404: read of 0x322d7261, translation fault level 1; "
                      "register x2", out)

    def test_state_and_info_have_them(self):
        self.assertEqual(
            state(self.folder, "-1\tESR_EL1\n-1\tesr_el1\n-2\tESR_EL1\n-2\tSCTLR_EL1\n"),
            ["0000000092000005"] * 2 + ["-", "0000000030d0199d"])
        self.assertEqual(system_of(self.folder), [listed(SYSTEM, 64)])

    def add_micro(self, first):
        """A microcontroller beside the core, before or after it in the device list."""
        registers = "".join(f"R{i}(size:32)=0x{i:x}\n" for i in range(16))
        system = "".join(f"{name}(size:32)={value:#x}\n" for name, value in MICRO.items())
        (self.folder / "micro.ini").write_text(
            "[device]\nname=micro\nclass=core\ntype=Cortex-M4\n\n[regs]\n"
            f"{registers}XPSR(size:32)=0x1000003\n{system}")
        path = self.folder / "snapshot.ini"
        text = path.read_text()
        old = "device0=cpu_0.ini\n"
        self.assertIn(old, text)
        new = "device2=micro.ini\n"
        path.write_text(text.replace(old, new + old if first else old + new))

    def test_each_core_has_those_of_its_architecture(self):
        """Numbers after a table of one architecture are in the table of another."""
        for first in (False, True):
            with self.subTest(first=first):
                self.setUp()
                self.add_micro(first)
                found = system_of(self.folder)
                self.assertEqual(found[not first], listed(MICRO, 32))
                self.assertEqual(found[first], listed(SYSTEM, 64))
                core = ["--core", "cpu_0"]
                vectors = "".join(f"-1\tV{i}\n" for i in range(32))
                self.assertEqual(state(self.folder, vectors, *core), state(
                    self.crash.folder, vectors))
                self.assertEqual(state(self.folder, "-1\tESR_EL1\n", *core), ["0000000092000005"])
                self.assertEqual(state(self.folder, "-1\tHFSR\n-1\tR3\n", "--core", "micro"),
                                 ["40000000", "00000003"])

    def test_why_says_what_keeps_one_unknown(self):
        self.assertIn("those of the snapshot", run("why", "--of", "esr_el1", str(self.folder)))
        with serving.Server([str(self.folder)]) as server:
            out = serving.gdb(server.address, [
                "reverse-stepi", "monitor why $esr_el1", "monitor why sctlr_el1",
                "monitor why CNTVCT_EL0"], self.crash.program)
        self.assertIn("the exception there has written it", out)
        self.assertIn("it is what it is at the halt", out)
        self.assertIn("more than MSR and exceptions may change it", out)

    def test_those_of_a_tarmac_text_are_known_at_each_position(self):
        path = self.folder / "text.tarmac"
        path.write_text(TARMAC)
        with serving.Server([str(path)]) as server:
            out = serving.gdb(server.address, [
                "info registers system", "set $trace_pos = 0", "p/x $sctlr_el1",
                "set $trace_pos = 1", "p/x $sctlr_el1", "monitor why sctlr_el1"])
        lines = [line.split() for line in out.splitlines()]
        self.assertIn(["esr_el1", "0x0", "0"], lines)
        self.assertIn(["sctlr_el1", "0x30d00801", "818939905"], lines)
        self.assertIn("$1 = 0x30d00800", out)
        self.assertIn("$2 = 0x30d00801", out)
        self.assertIn("the trace has the data", out)
        self.assertEqual(system_of(path), [[{"name": "esr_el1", "value": "0x00000000"},
                                            {"name": "sctlr_el1",
                                             "value": "0x0000000030d00801"}]])


if __name__ == "__main__":
    serving.main()
