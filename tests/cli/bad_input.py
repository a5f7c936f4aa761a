#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input, whole program: each case has its exact message and exit code, and nothing hangs.

Each case is the bundled example with one thing broken.
"""
import itertools
import os
import random
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = os.path.join(os.environ["CSREPLAY_SOURCE"], "examples", "sensorhub")
# Noise may hold what no formatter writes, an ID without a byte.
NO_FRAMES = (r"^(trace\.bin\+0x[0-9a-f]+: warning: buffer \"ETB_0\": there are no formatter frames "
             r"from here on; nothing after is decoded\n)?$")


def run(*arguments):
    done = subprocess.run([CSREPLAY, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class BadInput(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = os.path.join(self.scratch.name, "snapshot")
        shutil.copytree(EXAMPLE, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def replace(self, name, old, new):
        with open(self.path(name), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def line_of(self, name, text):
        with open(self.path(name), encoding="utf-8") as file:
            return next(n for n, line in enumerate(file, 1) if text in line)

    def test_an_elf_file_of_another_program_is_told_by_everything_that_shows_it(self):
        other = os.path.join(self.scratch.name, "other.elf")
        with open(self.path("sensorhub.elf"), "rb") as file:
            data = bytearray(file.read())
        data[0x3ec] ^= 1
        with open(other, "wb") as file:
            file.write(data)
        for command in (["info"], ["info", "--format", "json"], ["history", "--count", "1"], ["why", "--of", "x2"],
                        ["origin", "--of", "x2"], ["last-write", "--of", "x2"], ["calls"], ["export", "--count", "1"],
                        ["shell", "-c", "crash"], ["state", "--batch", os.devnull], ["check"]):
            _, _, err = run(*command, "--image", other, self.folder)
            told = [line for line in err.splitlines() if "hold different bytes at 0x4003ec" in line]
            self.assertEqual(len(told), 2, (command, err))
            self.assertIn("warning: dump \"dump0\" and image ", told[0])
            self.assertIn("the first counts", told[1])
            _, _, err = run(*command, "--image", self.path("sensorhub.elf"), self.folder)
            self.assertNotIn("hold different", err)

    def assert_all_tell(self, text):
        """Each command says it once on standard error."""
        for command in (["info"], ["info", "--format", "json"], ["history", "--count", "1"], ["why", "--of", "x2"],
                        ["origin", "--of", "x2"], ["last-write", "--of", "x2"], ["calls"], ["export", "--count", "1"],
                        ["shell", "-c", "position"], ["state", "--batch", os.devnull], ["check"]):
            _, _, err = run(*command, self.folder)
            self.assertEqual(len([line for line in err.splitlines() if line == text]), 1, (command, err))

    def test_dumps_that_contradict_each_other_are_told_by_everything_and_not_shown(self):
        with open(self.path("cpu_0.ini"), "a", encoding="ascii") as file:
            file.write("\n[dump3]\nfile=other.bin\naddress=0x401542\n")
        with open(self.path("data_401540.bin"), "rb") as file:
            data = file.read(16)
        self.write("other.bin", bytes([data[2], data[3] ^ 1]))
        self.assert_all_tell(f'cpu_0.ini:{self.line_of("cpu_0.ini", "[dump3]")}: error: dump "dump3" and the dump in line '
                             f'{self.line_of("cpu_0.ini", "[dump1]")} hold different bytes at 0x401543')
        _, out, _ = run("shell", "-c", "x 0x401540 8", self.folder)
        shown = [f"{byte:02x}" for byte in data[:8]]
        shown[3] = "??"
        self.assertTrue(out.startswith("0x401540: " + " ".join(shown)), out)

    def test_register_with_two_values_is_told_by_everything_and_not_shown(self):
        line = self.line_of("cpu_0.ini", "X19(")
        self.replace("cpu_0.ini", "X19(", "X19(size:64)=0x777\nX19(")
        self.assert_all_tell(f'cpu_0.ini:{line + 1}: warning: register "X19" has another value in line {line}: it is not '
                             "known")
        _, out, _ = run("shell", "-c", "print x19", self.folder)
        self.assertEqual(out, "x19 = not known\n")

    def test_two_sources_of_one_trace_id_are_told_by_everything_and_not_decoded(self):
        """No core has the other's instructions."""
        for name, other in (("cpu_0.ini", "cpu_1.ini"), ("device_1.ini", "device_3.ini")):
            shutil.copy(self.path(name), self.path(other))
        self.replace("cpu_1.ini", "name=cpu_0", "name=cpu_1")
        self.replace("device_3.ini", "name=ETM_0", "name=ETM_1")
        self.replace("snapshot.ini", "device1=device_1.ini", "device1=device_1.ini\ndevice2=cpu_1.ini\n"
                     "device3=device_3.ini")
        self.replace("trace.ini", "ETM_0=ETB_0", "ETM_0=ETB_0\nETM_1=ETB_0")
        self.replace("trace.ini", "cpu_0=ETM_0", "cpu_0=ETM_0\ncpu_1=ETM_1")
        self.assert_all_tell('device_3.ini:1: error: trace source "ETM_1" has trace ID 0x10, which is that of "ETM_0" in '
                             "the same buffer: neither of them is decoded")
        for core in ("cpu_0", "cpu_1"):
            code, out, _ = run("history", "--core", core, self.folder)
            self.assertEqual((code, [line for line in out.splitlines() if line[:1].isdigit()]), (1, []))
        code, out, err = run("decode", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "".join(f'{file}:1: error: the trace ID of trace source "{name}" is that of another source '
                                      'in buffer "ETB_0": neither of them is decoded\n'
                                      for file, name in (("device_1.ini", "ETM_0"), ("device_3.ini", "ETM_1"))))

    def check_says(self, *messages):
        """`check` ends with 1 and these lines on standard error, and `history` does not crash."""
        code, _, err = run("check", self.folder)
        errors = [line for line in err.splitlines() if ": error: " in line or
                  line.startswith("error: ")]
        self.assertEqual(errors, list(messages))
        self.assertEqual(code, 1)
        self.assertIn(run("history", self.folder)[0], (0, 1))

    def test_no_such_folder(self):
        folder = self.path("nowhere")
        for command in ("serve", "info", "check", "decode", "history"):
            code, out, err = run(command, folder)
            self.assertEqual(code, 1)
            self.assertEqual(out, "1 error, 0 warnings\n" if command == "check" else "")
            self.assertEqual(err, f'error: cannot open "{folder}": No such file or directory\n')

    def test_file_in_place_of_folder(self):
        code, out, err = run("info", self.path("trace.bin"))
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, f'error: "{self.path("trace.bin")}" is a file, expected a folder, '
                              'an archive, a snapshot.ini or a contents.ini\n')

    def test_wrong_version(self):
        self.replace("snapshot.ini", "version=1.0", "version=2.0")
        code, out, err = run("info", self.folder)
        line = self.line_of("snapshot.ini", "version=2.0")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, f'snapshot.ini:{line}: error: version "2.0" is not supported, '
                              'expected "1.0"\n')

    def test_missing_section(self):
        self.replace("snapshot.ini", "[device_list]", "[devices]")
        code, out, err = run("info", self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("snapshot.ini: error: section [device_list] is missing\n", err)

    def test_key_over_the_line_limit(self):
        key = "X" * 300
        self.replace("cpu_0.ini", "[regs]", f"[regs]\n{key}=1")
        line = self.line_of("cpu_0.ini", key)
        self.check_says(f'cpu_0.ini:{line}: error: key "{key[:40]}..." is 300 bytes, '
                        'expected at most 197')

    def test_register_value_over_its_size(self):
        self.replace("cpu_0.ini", "CPSR(size:32)=0x60000000", "CPSR(size:32)=0x160000000")
        line = self.line_of("cpu_0.ini", "CPSR")
        self.check_says(f'cpu_0.ini:{line}: error: register "CPSR": value 0x160000000 needs '
                        '33 bits, its size is 32',
                        'cpu_0.ini:1: error: core "cpu_0" (AArch64) has no register CPSR')

    def test_dump_longer_than_its_file(self):
        size = os.path.getsize(self.path("stack.bin"))
        self.write("stack.bin", b"\0" * (size - 1))
        line = self.line_of("cpu_0.ini", "[dump2]")
        self.check_says(f'cpu_0.ini:{line}: error: dump "dump2": file "stack.bin" has {size - 1} '
                        f'bytes at offset 0x0, expected {size}')

    def test_path_that_leaves_the_snapshot(self):
        self.replace("cpu_0.ini", "file=stack.bin", "file=../../stack.bin")
        line = self.line_of("cpu_0.ini", "[dump2]")
        self.check_says(f'cpu_0.ini:{line}: error: "../../stack.bin" leaves the snapshot\'s '
                        'folder; see --allow-outside')

    def test_buffer_that_is_no_multiple_of_16(self):
        with open(self.path("trace.bin"), "rb") as file:
            whole = file.read()
        self.write("trace.bin", whole[:-5])
        line = self.line_of("trace.ini", "[buffer0]")
        self.check_says(f'trace.ini:{line}: error: buffer "ETB_0": file "trace.bin" is '
                        f'{len(whole) - 5} bytes, expected a multiple of 16')
        count = len(run("history", self.folder)[1].splitlines())
        self.assertGreater(count, 39000)  # what is whole is decoded

    def test_empty_buffer(self):
        self.write("trace.bin", b"")
        line = self.line_of("trace.ini", "[buffer0]")
        self.check_says(f'trace.ini:{line}: error: buffer "ETB_0": file "trace.bin" is empty')
        self.assertEqual(run("history", self.folder)[0], 0)

    def test_trace_of_random_bytes(self):
        """No message but that it has no synchronization: elements and gaps say what was made of it."""
        noise = random.Random(7)
        for size in (16, 1024, 65536):
            self.write("trace.bin", noise.randbytes(size))
            code, out, err = run("decode", self.folder)
            self.assertEqual(code, 0)
            self.assertRegex(err, NO_FRAMES)
            for line in out.splitlines():
                self.assertRegex(line, r"^Idx:\d+; ID:10; OCSD_GEN_TRC_ELEM_[A-Z_]+\(")
            code, _, err = run("history", self.folder)
            self.assertEqual(code, 0)
            self.assertRegex(err, r'\A(device_1.ini:1: warning: nothing is known of what "cpu_0" executed: .* '
                                  r"no synchronization point .*\n)?\Z")

    def test_damaged_trace_is_a_gap(self):
        with open(self.path("trace.bin"), "rb") as file:
            trace = bytearray(file.read())
        trace[800:816] = bytes([0xff] * 16)
        self.write("trace.bin", trace)
        code, out, err = run("history", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\n# gap before position \d+: ")

    def test_damaged_trace_id_is_a_gap(self):
        """A reserved one: bytes of the source are left out, and what is before and after is not joined."""
        with open(self.path("trace.bin"), "rb") as file:
            trace = file.read()
        whole = run("history", self.folder)[1].splitlines()
        columns = [line.split("\t")[1:] for line in whole if line[0].isdigit()]
        for reserved, at in itertools.product((0x70, 0x7a, 0x7c, 0x7e, 0x7f), (0x100, 0x300, 0x500)):
            self.assertEqual(trace[at] & 1, 1)
            damaged = bytearray(trace)
            damaged[at] = reserved << 1 | 1
            self.write("trace.bin", damaged)
            code, out, err = run("history", self.folder)
            self.assertEqual((code, err), (0, ""))
            lines = out.splitlines()
            gaps = [i for i, line in enumerate(lines) if re.match(r"# gap .*: the trace is damaged", line)]
            self.assertEqual(len(gaps), 1)
            before = [line.split("\t")[1:] for line in lines[:gaps[0]] if line[0].isdigit()]
            after = [line.split("\t")[1:] for line in lines[gaps[0]:] if line[0].isdigit()]
            self.assertEqual(before, columns[:len(before)])
            self.assertEqual(after, columns[len(columns) - len(after):])
            self.assertGreater(len(before), 1000)

    def test_image_of_another_machine(self):
        with open(self.path("sensorhub.elf"), "rb") as file:
            elf = bytearray(file.read())
        struct.pack_into("<H", elf, 18, 62)
        other = os.path.join(self.scratch.name, "other.elf")
        with open(other, "wb") as file:
            file.write(elf)
        code, _, err = run("check", "--image", other, self.folder)
        self.assertEqual(code, 1)
        self.assertIn(f'error: ELF "{other}" is for machine 62, expected 183 (AArch64) or 40 '
                      '(Arm)\n', err)

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            address = f"127.0.0.1:{taken.getsockname()[1]}"
            code, out, err = run("serve", "--listen", address, self.folder)
        self.assertEqual((code, out, err), (1, "", f"error: cannot listen on {address}: Address "
                                                   "already in use\n"))

    def test_numbers_and_names_that_are_none(self):
        code, out, err = run("history", "--count", "many", self.folder)
        self.assertEqual((code, out, err), (2, "", 'csreplay: error: "many" is not a number of 64 '
                                                   "bits\n"))
        code, out, err = run("history", "--core", "cpu_9", self.folder)
        self.assertEqual((code, out, err), (2, "", f'csreplay: error: {self.folder} has no '
                                                   'core "cpu_9"\n'))
        code, out, err = run("history", "--from", "40001", self.folder)
        self.assertEqual((code, out, err), (2, "", 'csreplay: error: --from "40001": position out of '
                                                   "range (0..40000)\n"))
        for option in ("--buffer", "--source"):
            code, out, err = run("decode", option, "nothing", self.folder)
            self.assertEqual((code, out), (2, ""))
            self.assertIn('"nothing"', err)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
