#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/walkthrough.md is a real session: types its commands into gdb and looks for its lines.
What they say is true, too: positions and PCs are those of the recording, values those of the dumps,
of the program, and of what follows from how often the recording ran which instruction."""
import os
import re
import struct
import unittest

import page
import recorded
import serving

PAGE = os.path.join(serving.SOURCE, "docs", "walkthrough.md")
PROMPT = "    (gdb) "
# What may become better as more is proved.
NOT_HELD = re.compile(r"csreplay: |New value|Backtrace stopped|to = |  \d+  0x")


def read():
    with open(PAGE, encoding="utf-8") as file:
        return file.read().split("\n")


def commands(lines):
    return [line[len(PROMPT):] for line in lines if line.startswith(PROMPT)]


def session(typed):
    """The lines that gdb answered to each command."""
    crash = serving.Crash("example")
    script = [f"directory {crash.folder}", "set print frame-arguments all"]
    for command in typed:
        script += ["echo @@\\n", command]
    with serving.Server(crash.arguments()) as server:
        out = serving.gdb(server.address, script + ["echo @@\\n"], crash.program,
                          ["-x", serving.GDBINIT], allowed=serving.UNKNOWN_MEMORY)
    parts = out.split("@@\n")[1:-1]
    return [[line.replace("\t", "        ") for line in part.split("\n") if line]
            for part in parts]


class Walkthrough(unittest.TestCase):
    def test_gdb_says_what_the_page_says(self):
        lines = read()
        answers = session(commands(lines))
        command, answer, held = None, [], 0
        pending = iter(answers)
        for line in lines:
            if line.startswith(PROMPT):
                command, answer = line, next(pending)
            elif not line.startswith("    "):
                command = None
            elif command and not NOT_HELD.match(line[4:]):
                self.assertIn(line[4:], answer, command)
                held += 1
        self.assertGreater(held, 25)


STORE, ENTRY, NEXT_ROUND = 0x400300, 0x4002f0, 0x400480  # in set_label and main


class Truth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.crash = serving.Crash("example")
        cls.pcs = cls.crash.pcs()
        cls.page = page.exchanges(read(), PROMPT)

    def offline(self, *commands):
        """What gdb knows of the program without a target."""
        return serving.gdb(None, commands, self.crash.program)

    def test_positions_and_pcs_are_those_of_the_recording(self):
        pc, told = self.pcs[-1], 0
        for command, answer in self.page:
            for line in answer:
                where = re.match(r"(?:=> |#0  )?0x([0-9a-f]+) (?:in |<)", line)
                pc = int(where[1], 16) if where else pc
                position = re.search(r"at position (\d+) is|position (\d+) of 40000, PC", line)
                if command == "p $trace_pos":
                    position = re.match(r"\$\d+ = (\d+)$", line)
                if position:
                    told += 1
                    self.assertEqual(self.pcs[int(position[1] or position[2])], pc, line)
        self.assertEqual(told, 5)

    def test_steps_of_each_derivation_are_those_of_the_recording(self):
        steps = [(int(found[1]), int(found[2], 16), int(found[3]))
                 for _, answer in self.page for line in answer
                 for found in [re.match(r"  (\d+)  0x([0-9a-f]+)  sensorhub\.c:(\d+)  ", line)]
                 if found]
        self.assertGreater(len(steps), 10)
        out = self.offline(*(f"info line *{pc:#x}" for _, pc, _ in steps))
        numbers = [int(number) for number in re.findall(r"(?m)^Line (\d+) of ", out)]
        self.assertEqual(numbers, [number for _, _, number in steps])
        for position, pc, _ in steps:
            self.assertEqual(self.pcs[position], pc)

    def test_calls_are_those_of_the_recording(self):
        code = recorded.program_code(self.crash.program)
        frames = [int(found[1], 16) for command, answer in self.page[6:] if command == "bt"
                  for line in answer for found in [re.match(r"#\d  0x([0-9a-f]+) ", line)] if found]
        stack = []
        for i, pc in enumerate(self.pcs[:18175]):
            if code[pc] >> 26 == 0x25:
                stack.append(pc + 4)
            elif code[pc] == 0xd65f03c0 and stack:
                self.assertEqual(stack.pop(), self.pcs[i + 1])
        self.assertEqual(frames, [self.pcs[18175], *reversed(stack)])

    def test_values_are_those_of_program_and_dumps(self):
        page = {command: " ".join(answer) for command, answer in self.page}
        out = self.offline("p/x (long) &sensors[2]", "p/x (long) &sensors[2].driver",
                           "x/s 0x400500", "p/x (long) &inbox", "p sizeof(sensors[2].label)",
                           "p sizeof(sensors[0])")
        sensor, driver, inbox, label, each = (int(value, 0) for value in
                                              re.findall(r"(?m)^\$\d = (\w+)$", out))
        self.assertIn('"winecellar-2"', out)
        self.assertEqual((sensor, inbox, 2 * each), (0x401648, 0x400500 - 80, 256))
        with open(os.path.join(self.crash.folder, "data_401540.bin"), "rb") as file:
            data = file.read()
        pointer = struct.unpack_from("<Q", data, driver - 0x401540)[0]
        self.assertEqual(page["p sensor->driver"], f"$1 = (const struct driver *) {pointer:#x}")
        self.assertEqual(page["p/c sensor->driver"], f"$3 = {pointer & 255} '{pointer & 255:c}'")
        text = data[sensor - 0x401540:sensor - 0x401540 + label].decode()
        self.assertEqual(page["p sensor->label"], f'$2 = "{text}"')
        self.assertEqual(page["p length"], f"$5 = {len('winecellar-2')}")
        self.assertEqual(page["p sizeof(sensor->label)"], f"$6 = {label}")

    def test_variables_follow_from_how_often_what_ran(self):
        before = self.pcs[:18175]
        entered = len(before) - 1 - before[::-1].index(ENTRY)
        # The round of the loop is how many stores there were in this call.
        answers = [line for command, answer in self.page for line in answer
                   if command == "info locals"]
        self.assertIn(f"i = {before[entered:].count(STORE)}", answers)
        with open(os.path.join(self.crash.folder, "cpu_0.ini"), encoding="utf-8") as file:
            at_halt = int(re.search(r"(?m)^X19\(size:64\)=(\w+)", file.read())[1], 0)
        number = at_halt - self.pcs[18175:].count(NEXT_ROUND)
        self.assertIn(f"poll_inbox (round={number}) ",
                      " ".join(line for _, answer in self.page for line in answer))


if __name__ == "__main__":
    serving.main()
