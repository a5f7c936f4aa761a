#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trace packages, whole program: the reference snapshot TC2 (ETMv3, PTM, ITM), repacked.

With registers and with options alone, as a folder and as an archive, every element is that of the
snapshot. Skipped without the reference material.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import frames
from material import shared

CSREPLAY = os.environ["CSREPLAY"]
SNAPSHOT = shared("corpus", "opencsd", "TC2")
CONTENTS = """[trace]
metadata=trace.ini
buffer0=cstrace.bin

[dump0]
file=kernel_dump.bin
address=0xC0008000
length=0x00050000
"""
BUFFER = """[buffer]
vendor: ARM
component: ETB
format: coresight
"""


def decode(path):
    return subprocess.run([CSREPLAY, "decode", path], capture_output=True, text=True, timeout=60,
                          check=False)


def registers_of(text):
    return {key: int(value, 16)
            for key, value in re.findall(r"^(\w+)(?:\(\w+\))?=(0x\w+)", text, re.MULTILINE)}


def options_of(registers):
    """Section 6.3 of the trace metadata, from the registers that section 4.4.1 names."""
    control, code = registers["ETMCR"], registers["ETMCCER"]
    return {"cyclecount": control >> 12 & 1, "timestamp_bits": 64 if code >> 29 & 1 else 48,
            "timestamp_gray": 1 - (code >> 28 & 1), "context_id": [0, 8, 16, 32][control >> 14 & 3]}


def sections():
    """(trace ID, format, registers) of each source of the snapshot."""
    for name in sorted(glob.glob(os.path.join(SNAPSHOT, "device_*.ini"))):
        with open(name, encoding="ascii") as file:
            text = file.read()
        kind = re.search(r"^type=(\S+)", text, re.MULTILINE).group(1)
        registers = registers_of(text)
        if kind == "ITM":
            yield registers["ITMTCR"] >> 16 & 0x7f, kind, {}
        else:
            yield registers.pop("ETMTRACEIDR"), kind.replace("PTM", "PFT"), registers


class TracePackage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.expected = decode(SNAPSHOT).stdout
        assert cls.expected.count("INSTR_RANGE") > 1000

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "package")
        os.mkdir(self.folder)
        for name in ("cstrace.bin", "kernel_dump.bin"):
            shutil.copy(os.path.join(SNAPSHOT, name), self.folder)
        self.write("contents.ini", CONTENTS)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(text)

    def write_metadata(self, describe):
        text = BUFFER
        for trace_id, kind, registers in sections():
            text += f"\n[trace_{trace_id}]\nformat: {kind}\n"
            if registers:
                text += "".join(f"{key}: {value}\n" for key, value in describe(registers).items())
        self.write("trace.ini", text)

    def check_decodes(self, path):
        done = decode(path)
        self.assertEqual(done.stdout, self.expected)
        self.assertEqual(done.returncode, 0)
        return done.stderr

    def test_registers(self):
        self.write_metadata(lambda registers: {key: f"0x{value:08x}"
                                               for key, value in registers.items()})
        self.assertEqual(self.check_decodes(self.folder), "")
        self.assertEqual(self.check_decodes(os.path.join(self.folder, "contents.ini")), "")

    def test_options(self):
        self.write_metadata(options_of)
        notes = self.check_decodes(self.folder)
        self.assertIn('trace source "trace_16" has no register ETMCR; taken as 0x1000 from '
                      'cyclecount, context_id; not said, taken as 0: data_value, data_address, '
                      'data-only trace\n', notes)
        self.assertEqual(notes.count("\n"), notes.count(": note: "))

    def test_missing_option_leaves_out_its_source_only(self):
        self.write_metadata(options_of)
        with open(os.path.join(self.folder, "trace.ini"), encoding="ascii") as file:
            text = file.read()
        self.write("trace.ini", text.replace("context_id: 0\n", "", 1))
        done = decode(self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout, "".join(
            line for line in self.expected.splitlines(keepends=True) if "; ID:10;" not in line))
        self.assertIn('error: trace source "trace_16" has neither register ETMCR nor option '
                      'context_id, which its trace cannot be decoded without\n', done.stderr)

    def test_archive(self):
        self.write_metadata(options_of)
        archive = os.path.join(os.path.dirname(self.folder), "package.zip")
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for name in os.listdir(self.folder):
                file.write(os.path.join(self.folder, name), "trace/" + name)
        self.check_decodes(archive)

    def test_trace_ids_that_are_used_twice(self):
        """Section 6.3.1: the PTM's trace under the ID of an ETM, in a buffer that another metadata file
        describes."""
        with open(os.path.join(SNAPSHOT, "cstrace.bin"), "rb") as file:
            trace = file.read()
        for name, trace_id, described in (("one", 16, 16), ("two", 19, 16)):
            data = frames.bytes_of(trace, trace_id)
            with open(os.path.join(self.folder, name + ".bin"), "wb") as file:
                file.write(frames.pack([(described, data)]))
            kind, registers = {one[0]: one[1:] for one in sections()}[trace_id]
            self.write(name + ".ini", BUFFER + f"\n[trace_{described}]\nformat: {kind}\n" + "".join(
                f"{key}: {value:#x}\n" for key, value in registers.items()))
        dump = CONTENTS[CONTENTS.index("[dump0]"):]
        self.write("contents.ini", "[trace]\nmetadata=one.ini\nbuffer0=one.bin\n"
                   "[trace_2]\nmetadata=two.ini\nbuffer0=two.bin\n" + dump)
        for core, package_core in (("cpu_0", "core_16@one.ini"), ("cpu_3", "core_16@two.ini")):
            pcs = [[line.split("\t")[1] for line in subprocess.run(
                [CSREPLAY, "history", "--core", name, folder], capture_output=True, text=True,
                timeout=60, check=True).stdout.splitlines() if not line.startswith("#")]
                for name, folder in ((core, SNAPSHOT), (package_core, self.folder))]
            self.assertGreater(len(pcs[0]), 1000)
            self.assertEqual(pcs[0], pcs[1])

    def test_check_and_info(self):
        self.write_metadata(options_of)
        done = subprocess.run([CSREPLAY, "check", self.folder], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "0 errors, 2 warnings\n"))
        self.assertIn('core "core_19": no dump or image has the code at ', done.stderr)
        self.assertIn("warning: a trace package has no core registers: none is known at the halt\n",
                      done.stderr)
        done = subprocess.run([CSREPLAY, "history", "--core", "core_16", self.folder],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertGreater(done.stdout.count("\tA32\t") + done.stdout.count("\tT32\t"), 1000)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
