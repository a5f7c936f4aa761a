#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of a snapshot is not to be trusted is said in the same words by every entry, and nothing where
all is well: the bundled example, as it is and with one register at the halt changed."""
import json
import os
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

import serving

EXAMPLE = os.path.join(serving.SOURCE, "examples", "sensorhub")
INI = "cpu_0.ini"
CONTRADICTS = re.compile(r'core "cpu_0": x0 \(0x7b3\) at the halt contradicts the trace at position '
                         r"\d+, or memory or code does; it and the core's past are not shown")


class Entries(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "snapshot")
        shutil.copytree(EXAMPLE, self.folder)
        self.options = []

    def change(self, name, value):
        """Changes a register, and returns the place of its line."""
        path = os.path.join(self.folder, INI)
        with open(path, encoding="ascii") as file:
            lines = file.read().splitlines()
        number = next(i for i, line in enumerate(lines) if re.match(name + r"\b", line))
        lines[number] = "%s(size:64)=0x%016x" % (name, value)
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(lines) + "\n")
        return "%s:%d: warning: " % (INI, number + 1)

    def run_csreplay(self, command, *options, **more):
        return subprocess.run([serving.CSREPLAY, command, *options, *self.options, self.folder], capture_output=True,
                              text=True, timeout=60, check=False, **more)

    def warnings(self, command, *options, **more):
        done = self.run_csreplay(command, *options, **more)
        return [line for line in done.stderr.splitlines() if ": warning: " in line]

    def notes(self, text):
        return [line for line in text.splitlines() if line.startswith("note: ")]

    def facts(self):
        """What the JSON of `info` has, as diagnostics."""
        found = json.loads(self.run_csreplay("info", "--format", "json").stdout)["not_trusted"]
        return ["%s:%d: warning: %s" % (fact["file"], fact["line"], fact["text"]) for fact in found]

    def monitor_info(self):
        server = serving.Server([*self.options, self.folder])
        client = serving.Client(server.address)
        try:
            reply, text = client.move("qRcmd," + b"info".hex())
            if reply != "OK":
                text += bytes.fromhex(reply).decode()
        finally:
            client.close()
            server.stop()
        return [line for line in text.splitlines() if ": warning: " in line]

    def all_entries(self):
        questions = os.path.join(self.folder, "..", "questions")
        with open(questions, "w", encoding="ascii") as file:
            file.write("-1\tX0\n")
        shell = self.run_csreplay("shell", "-c", "info").stdout
        checked = [json.loads(line) for line in
                   self.run_csreplay("check", "--format", "json").stdout.splitlines()]
        return {"info": self.warnings("info"),
                "check": self.warnings("check"),
                "check JSON": ["%s:%d: warning: %s" % (d["file"], d["line"], d["text"]) for d in checked],
                "history": self.warnings("history", "--count", "1"),
                "state": self.warnings("state", "--batch", questions),
                "why": self.warnings("why", "--of", "pc"),
                "export": self.warnings("export", "--count", "1"),
                "shell": self.warnings("shell", "-c", "position"),
                "shell info": [line for line in shell.splitlines() if ": warning: " in line],
                "monitor info": self.monitor_info()}

    def assert_all_say(self, expected):
        for entry, said in self.all_entries().items():
            with self.subTest(entry):
                self.assertEqual(said, expected)

    def test_nothing_is_said_where_all_is_well(self):
        self.assertEqual(self.facts(), [])
        self.assert_all_say([])

    def test_register_that_contradicts_the_trace(self):
        place = self.change("X0", 0x7b3)
        facts = self.facts()
        self.assertEqual(len(facts), 1, facts)
        self.assertTrue(facts[0].startswith(place), facts)
        self.assertRegex(facts[0], CONTRADICTS)
        self.assert_all_say(facts)

    def rewrite(self, name, *lines):
        """Puts lines in the place of a register's; the number of the first."""
        path = os.path.join(self.folder, INI)
        with open(path, encoding="ascii") as file:
            text = file.read().splitlines()
        number = next(i for i, line in enumerate(text) if line.startswith(name + "("))
        text[number:number + 1] = lines
        with open(path, "w", encoding="ascii") as file:
            file.write("\n".join(text) + "\n")
        return number + 1

    def assert_said(self, line, text):
        facts = self.facts()
        self.assertEqual(facts, ["%s:%d: warning: %s" % (INI, line, text)])
        self.assert_all_say(facts)

    def shown(self, name):
        return self.run_csreplay("shell", "-c", "print " + name).stdout.strip()

    def test_register_with_two_values(self):
        line = self.rewrite("X19", "X19(size:64)=0x777", "X19(size:64)=0xa")
        self.assert_said(line + 1, 'register "X19" has another value in line %d: it is not known' % line)
        self.assertEqual(self.shown("x19"), "x19 = not known")

    def test_register_with_two_values_by_two_names(self):
        for name, lines in (("X30", ("X30(size:64)=0x400100", "LR(size:64)=0x400104")),
                            ("X19", ("X19(size:64)=0xa", "W19(size:32)=0xb"))):
            with self.subTest(name):
                self.setUp()
                line = self.rewrite(name, *lines)
                self.assert_said(line + 1, 'register "%s" has another value than "%s" in line %d, which it is or is a part of: '
                                 "it is not known" % (lines[1].split("(")[0], name, line))
                self.assertEqual(self.shown(name.lower()), name.lower() + " = not known")

    def test_register_of_too_many_bits(self):
        line = self.rewrite("X19", "X19(size:128)=0x1000000000000000a")
        self.assert_said(line, 'register "X19" is not used: its value has more than 64 bits')
        self.assertEqual(self.shown("x19"), "x19 = not known")

    def test_register_31(self):
        line = self.rewrite("X19", "X19(size:64)=0xa", "X31(size:64)=0xb")
        self.assert_said(line + 1, 'register "X31" is not used: there is "SP"')
        self.rewrite("X31", "X31(size:64)=0")
        self.assertEqual(self.facts(), [])

    def test_lower_half_of_a_register(self):
        for given in ("X19=0xa", "W19(size:32)=0xa"):
            with self.subTest(given):
                self.setUp()
                line = self.rewrite("X19", given)
                self.assert_said(line, 'register "%s" has 32 bits, expected 64: those above are not known' % given[:3])
                self.assertEqual(self.shown("x19"), "x19 = 0x????????0000000a")

    def test_lower_half_of_the_stack_pointer(self):
        line = self.rewrite("SP", "SP(size:32)=0x00800c80")
        self.assert_said(line, 'register "SP" has 32 bits, expected 64: those above are not known')
        self.assertEqual(self.shown("sp"), "sp = 0x????????00800c80")

    def test_pc_of_32_bits(self):
        """Where the trace ends says it."""
        line = self.rewrite("PC", "PC=0x00400400")
        self.assert_said(line, 'register "PC" is not used: it has 32 bits, expected 64')
        self.assertEqual(self.shown("pc").split()[2], "0x0000000000400404")

    def test_registers_without_sizes(self):
        self.rewrite("X20", "X20=0x100")
        line = self.rewrite("X19", "X19=0xa")
        self.assert_said(line, 'register "X19" has 32 bits, expected 64, and 1 more of the core have too few: those above are '
                         "not known")

    def state(self, *names):
        questions = os.path.join(self.folder, "..", "questions")
        with open(questions, "w", encoding="ascii") as file:
            file.writelines("-1\t%s\n" % name for name in names)
        lines = self.run_csreplay("state", "--batch", questions).stdout.splitlines()
        return [line.split("\t")[2] for line in lines]

    def test_it_is_not_shown_and_others_are(self):
        self.assertEqual(self.state("X0", "X19"), ["00000000000007b1", "000000000000000a"])
        self.change("X0", 0x7b3)
        self.assertEqual(self.state("X0", "X19"), ["-", "000000000000000a"])

    def test_context_views_do_not_show_it_either(self):
        self.change("X0", 0x7b3)
        done = self.run_csreplay("shell", "-c", "registers x0")
        self.assertNotIn("7b3", done.stdout)

    def test_stack_pointer_without_memory(self):
        place = self.change("SP", 0x15500800c80)
        facts = self.facts()
        self.assertIn(place + 'core "cpu_0": sp at the halt is 0x15500800c80, where the snapshot has no '
                      "memory, though it has data: sp is wrong, or no stack was dumped", facts)
        self.assert_all_say(facts)

    def test_stack_pointer_without_memory_or_frame_pointer(self):
        """A smashed stack leaves no frame pointer; another register leads to data."""
        self.change("SP", 0x15500800c80)
        self.change("X29", 0x4141414141414141)
        self.assertTrue([fact for fact in self.facts() if "sp at the halt is 0x15500800c80, where the" in fact])

    def test_stack_pointer_that_is_not_aligned(self):
        place = self.change("SP", 0x5500800c84)
        facts = self.facts()
        self.assertIn(place + 'core "cpu_0": sp at the halt is 0x5500800c84, no multiple of 16', facts)
        self.assert_all_say(facts)

    def test_frame_pointer_without_memory(self):
        place = self.change("X29", 0x15500800c80)
        facts = self.facts()
        self.assertIn(place + 'core "cpu_0": x29 at the halt is 0x15500800c80, where the snapshot has no '
                      "memory, though it has the stack: as a frame pointer it leads nowhere", facts)
        self.assert_all_say(facts)

    def test_frame_pointer_of_a_first_frame(self):
        self.change("X29", 0)
        self.assertFalse([fact for fact in self.facts() if "no memory" in fact])

    def test_frame_pointer_below_the_stack_pointer(self):
        place = self.change("X29", 0x5500800b00)
        facts = self.facts()
        self.assertIn(place + 'core "cpu_0": x29 at the halt is 0x5500800b00, below the stack pointer: as a frame '
                      "pointer it leads nowhere", facts)
        self.assert_all_say(facts)

    def test_frame_pointer_of_go(self):
        """Its functions have LR where SP points, and x29 before that."""
        self.change("X29", 0x5500800c78)
        self.assertFalse([fact for fact in self.facts() if "below the stack pointer" in fact])

    def test_frame_pointer_between_words(self):
        place = self.change("X29", 0x5500800c81)
        self.assertIn(place + 'core "cpu_0": x29 at the halt is 0x5500800c81, on the stack, and no multiple of 8: as a '
                      "frame pointer it leads nowhere", self.facts())

    def test_code_that_is_missing(self):
        """The dump of the code ends early, so that what ran behind its end is not there."""
        path = os.path.join(self.folder, INI)
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii") as file:
            file.write(text.replace("length=0x540", "length=0x480"))
        facts = [fact for fact in self.facts() if "no dump or image has" in fact]
        self.assertEqual(len(facts), 1, facts)
        self.assertRegex(facts[0], r'^cpu_0.ini:1: warning: core "cpu_0": in \d+ gaps? code ran that no dump or image '
                         r'has, all at 0x400480; give "\S+sensorhub.elf", which has '
                         r"it, with --image$")
        gaps = re.search(r"in (\d+ gaps?) ", facts[0]).group(1)
        advice = re.escape(facts[0].split("; ", 1)[1])
        for entry, said in self.all_entries().items():
            with self.subTest(entry):
                if not entry.startswith("check"):
                    self.assertIn(facts[0], said)
                    continue
                # Once there, too, by ranges and with what of the trace is lost.
                missing = [line for line in said if "no dump or image has" in line]
                self.assertEqual(len(missing), 1, missing)
                self.assertRegex(missing[0], rf'^cpu_0.ini:1: warning: core "cpu_0": no dump or image has the code at 0x400480 to 0x400480: {gaps}, '
                                 rf"in which \d+ of \d+ bytes of its trace are lost; {advice}$")

    def give_image(self, build_id):
        """An image with that build ID, of which the snapshot has the notes in memory, and their build ID is 11 22."""
        header, program = struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQQQ")
        begin = header.size + 2 * program.size

        def notes(described):
            return struct.pack("<III4s", 4, len(described), 3, b"GNU") + described + bytes(-len(described) % 4)

        size = begin + len(notes(build_id))
        image = header.pack(b"\x7fELF\2\1\1", 2, 183, 1, 0, header.size, 0, 0, header.size, program.size, 2, 0, 0, 0)
        image += program.pack(1, 5, 0, 0x700000, 0x700000, size, size, 4096)
        image += program.pack(4, 4, begin, 0x700000 + begin, 0x700000 + begin, size - begin, size - begin, 4)
        path = os.path.join(self.folder, "..", "image.elf")
        with open(path, "wb") as file:
            file.write(image + notes(build_id))
        with open(os.path.join(self.folder, "notes.bin"), "wb") as file:
            file.write(notes(b"\x11\x22"))
        with open(os.path.join(self.folder, INI), "a", encoding="ascii") as file:
            file.write("\n[dump3]\nfile=notes.bin\naddress=0x%x\n" % (0x700000 + begin))
        self.options = ["--image", path]

    def test_image_of_another_build(self):
        self.give_image(b"\x11\x23")
        facts = self.facts()
        self.assertEqual(len(facts), 2, facts)
        self.assertRegex(facts[0], r'dump "dump3" and image "\S+" hold different bytes at 0x7000')
        self.assertRegex(facts[1], r'^cpu_0.ini:\d+: warning: image "\S+image.elf" has build ID 1123, but dump "dump3" '
                         r"has 1122 where it lies: it is another build$")
        self.assert_all_say(facts)

    def test_image_of_the_same_build(self):
        self.give_image(b"\x11\x22")
        self.assertEqual(self.facts(), [])

    def test_assumptions_are_told_where_they_are_made(self):
        for options in (["--assume-abi"], ["--trust", "assumed"]):
            done = self.run_csreplay("state", *options, "--batch", os.devnull)
            with self.subTest(options):
                self.assertEqual(len(self.notes(done.stderr)), 1, done.stderr)
                self.assertRegex(done.stderr, r"(?m)^note: what is shown of the past rests on assumptions, too, that nothing "
                                 r"proves: (\S+, )*abi")

    def test_pc_without_memory(self):
        place = self.change("PC", 0x1000000400404)
        facts = self.facts()
        self.assertIn(place + 'core "cpu_0": pc at the halt is 0x1000000400404, where the snapshot has no '
                      "memory", facts)
        self.assert_all_say(facts)


if __name__ == "__main__":
    serving.main()
