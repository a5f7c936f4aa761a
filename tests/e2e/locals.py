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

import recorded_states
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
    recording = recorded_states.Recording(FOLDER, PROGRAM)
    positions = sorted(random.Random(14).sample(range(recording.halt), min(COUNT, recording.halt)), reverse=True)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        commands = []
        for position in positions:
            path = os.path.join(folder, str(position))
            with open(path, "wb") as file:
                file.write(recording.core_file(position))
            commands += ["echo ==\\n", f"core-file {path}", *ASK]
        architecture = "aarch64" if recording.is_64bit else "arm"
        truth = serving.gdb(None, [f"set architecture {architecture}", *commands], PROGRAM, allowed=ALLOWED)
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
