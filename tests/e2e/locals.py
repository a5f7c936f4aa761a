#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`info locals` in gdb at random positions of the past, in the frame there and in its caller's, against what gdb
shows of an ELF core file with the registers and the memory that the recording had at each.

usage: locals.py FOLDER NAME POSITIONS LEAST [OPTION...]     of ../shared/corpus

LEAST is how many percent of the variables that the core file shows whole the past shows whole, as measured. Options
are the server's."""
import os
import random
import re
import sys
import tempfile
import types

import elf_core
import recorded
import serving
from material import shared

FOLDER = shared("corpus", sys.argv[1], sys.argv[2])
PROGRAM = os.path.join(FOLDER, "program.elf")
COUNT, LEAST, OPTIONS = int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:]
ASK = ["frame 0", "info locals", "echo --\\n", "up", 'printf "PC %lx\\n", $pc', "info locals"]
# Vector registers are not in the core files.
NOT_KNOWN = re.compile(r"<unavailable>(?: <repeats \d+ times>)?|<optimized out>|<error: [^>]*>|<error reading variable[^>]*>")
ALLOWED = [*serving.UNKNOWN_MEMORY, "^No (locals|symbol table info|symbol table is loaded|frame)", "^Initial frame selected",
           "^Backtrace stopped", "^warning: (core file may not match|Unable to find|Error reading shared|File|Can't open)",
           r"^\w+ = ", "^Cannot access memory", "is not available"]


def core_of(registers, dumps):
    """A core file. `registers`: PC, X0 to X30, SP; `dumps`: (address, bytes)."""
    pc, *general, sp = registers
    return elf_core.core_file(elf_core.prstatus_64(1, [*general, sp, pc, 0]),
                              [(address, data, 7, len(data)) for address, data in dumps])


def states(recording, positions):
    """(position, registers, dumps) of each, the last one first."""
    dumps = [(address, bytearray(data)) for address, data in recording.dumps]
    changes = list(recording.changes)
    for position in sorted(positions, reverse=True):
        while changes and changes[-1][0] >= position:
            _, address, old, _ = changes.pop()
            for begin, data in dumps:
                if begin <= address < begin + len(data):
                    data[address - begin:address - begin + len(old)] = old
        yield position, recording.records[recording.first + position], dumps


def shown(text):
    """Of the frame and of its caller's, if that is known: the variables, by name and block."""
    own, _, rest = text.partition("--\n")
    caller = re.search(r"^PC ([0-9a-f]+)$", rest, re.MULTILINE)
    return [variables(own), (caller and caller[1], variables(rest))]


def variables(text):
    found = {}
    for name, value in re.findall(r"^(\w+) = (.*)$", text, re.MULTILINE):
        found[name, sum(name == other for other, _ in found)] = value
    return found


def fits(value, true):
    """What is shown is the truth but for parts that are not known."""
    parts = NOT_KNOWN.split(value)
    return bool(re.fullmatch(".*".join(re.escape(part) for part in parts), true))


class Tally:
    def __init__(self):
        self.whole = self.of = 0
        self.wrong = []

    def compare(self, position, past, true):
        for key, value in past.items():
            if key in true and "<unavailable>" not in true[key] and not fits(value, true[key]):
                self.wrong.append(f"{position}: {key[0]} is said to be {value}, and is {true[key]}")
        for key, value in true.items():
            if NOT_KNOWN.search(value):
                continue
            self.of += 1
            self.whole += past.get(key) == value


def main():
    recording = recorded.Recording(types.SimpleNamespace(folder=FOLDER, program=PROGRAM))
    positions = random.Random(14).sample(range(recording.halt), min(COUNT, recording.halt))
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        commands = []
        for position, registers, dumps in states(recording, positions):
            path = os.path.join(folder, str(position))
            with open(path, "wb") as file:
                file.write(core_of(registers, dumps))
            commands += ["echo ==\\n", f"core-file {path}", *ASK]
        truth = serving.gdb(None, ["set architecture aarch64", *commands], PROGRAM, allowed=ALLOWED)
    positions.sort(reverse=True)
    commands = [command for position in positions for command in ["echo ==\\n", f"seek {position}", *ASK]]
    with serving.Server([*OPTIONS, "--image", PROGRAM, FOLDER]) as server:
        past = serving.gdb(server.address, commands, PROGRAM, ["-x", serving.GDBINIT], allowed=ALLOWED)
    for position, mine, true in zip(positions, past.split("==\n")[1:], truth.split("==\n")[1:], strict=True):
        (own, (caller, outer)), (true_own, (true_caller, true_outer)) = shown(mine), shown(true)
        tally.compare(position, own, true_own)
        if caller and caller == true_caller:
            tally.compare(position, outer, true_outer)
    share = 100 * tally.whole / tally.of if tally.of else 0
    print(f"{tally.of} variables, {share:.1f} % shown whole, {len(tally.wrong)} wrong")
    if tally.wrong:
        sys.exit("\n".join(tally.wrong))
    if share < LEAST:
        sys.exit(f"fewer than {LEAST} %")


if __name__ == "__main__":
    main()
