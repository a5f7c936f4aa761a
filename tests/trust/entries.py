#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What of a snapshot is not to be trusted is said in the same words by every entry, and nothing where
all is well: the bundled example, as it is and with one register at the halt changed."""
import json
import os
import re
import shutil
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
        return subprocess.run([serving.CSREPLAY, command, *options, self.folder], capture_output=True,
                              text=True, timeout=60, check=False, **more)

    def warnings(self, command, *options, **more):
        done = self.run_csreplay(command, *options, **more)
        return [line for line in done.stderr.splitlines() if ": warning: " in line]

    def facts(self):
        """What the JSON of `info` has, as diagnostics."""
        found = json.loads(self.run_csreplay("info", "--format", "json").stdout)["not_trusted"]
        return ["%s:%d: warning: %s" % (fact["file"], fact["line"], fact["text"]) for fact in found]

    def monitor_info(self):
        server = serving.Server([self.folder])
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
                      "memory, though it has a stack: the register is wrong, or points elsewhere", facts)
        self.assert_all_say(facts)

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

    def test_pc_without_memory(self):
        place = self.change("PC", 0x1000000400404)
        facts = self.facts()
        self.assertIn(place + 'core "cpu_0": pc at the halt is 0x1000000400404, where the snapshot has no '
                      "memory", facts)
        self.assert_all_say(facts)


if __name__ == "__main__":
    serving.main()
