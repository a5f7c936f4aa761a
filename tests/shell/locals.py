#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`locals` in the shell at random positions of the past, in the frame there and in its caller's, against what `info args`
and `info locals` of gdb show of an ELF core file with the registers and the memory that the recording had at each.

usage: locals.py FOLDER NAME POSITIONS LEAST [OPTION...]     of ../shared/corpus

LEAST is how many percent of the variables that the core file shows whole the shell shows whole, as measured. Options
are the shell's."""
import os
import random
import re
import subprocess
import sys
import tempfile

import recorded_states
import serving
from material import shared

FOLDER = shared("corpus", sys.argv[1], sys.argv[2])
PROGRAM = os.path.join(FOLDER, "program.elf")
COUNT, LEAST, OPTIONS = int(sys.argv[3]), float(sys.argv[4]), sys.argv[5:]
FRAMES = 12
# Each frame that gdb shows, those of inlined functions, too: its function, what it is, its PC, its variables.
SHOW = """
def show():
    frame = gdb.newest_frame()
    for _ in range(%d):
        if frame is None or not frame.is_valid():
            return
        frame.select()
        print("FRAME", frame.name(), frame.type() == gdb.INLINE_FRAME, hex(frame.pc()))
        for command in ("info args", "info locals"):
            try:
                gdb.execute(command)
            except gdb.error as error:
                print("(" + str(error) + ")")
        try:
            frame = frame.older()
        except gdb.error:
            return
""" % FRAMES
SETTINGS = ["set print symbol off", "set print repeats unlimited", "set print elements 300", "set print null-stop on",
            "set print entry-values no", f"set backtrace limit {FRAMES + 2}"]
ALLOWED = [*serving.UNKNOWN_MEMORY, "^No (locals|symbol table info|symbol table is loaded|frame)", "^Backtrace stopped",
           "^warning: (core file may not match|Unable to find|Error reading shared|File|Can't open)", r"^\w+ = ", r"^\(",
           "^Cannot access memory"]
NOT_KNOWN = re.compile(r"<unavailable>|<optimized out>|<error: [^>]*>|<error reading variable[^>]*>")


def variables(lines):
    """By name and how many of it came before."""
    found = {}
    for line in lines:
        match = re.fullmatch(r"(\w+) = (.*)", line)
        if match:
            found[match[1], sum(match[1] == name for name, _ in found)] = match[2]
    return found


def true_frames(text):
    """[(PC, [(function, variables)])]: with those that are inlined there."""
    frames, groups = [], []
    for part in re.split(r"^FRAME ", text, flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        name, is_inlined, pc = head.rsplit(" ", 2)
        groups.append((name, variables(rest.splitlines())))
        if is_inlined == "False":
            frames.append((int(pc, 16), groups))
            groups = []
    return frames


def shown_groups(text):
    """[(function, variables)]"""
    groups = []
    for part in re.split(r"^in ", text, flags=re.MULTILINE)[1:]:
        head, *rest = part.splitlines()
        name = re.fullmatch(r"(.*?)(, inlined)?:", head)[1]
        lines = [re.sub(r"^  .*?(\w+ = )", r"\1", line, count=1) for line in rest if line.startswith("  ")]
        groups.append((name, variables(lines)))
    return groups


def plain(value):
    """Without what gdb and the shell add in their own ways: casts, symbols, text behind a pointer, characters."""
    value = re.sub(r"\((?:[^()]|\([^()]*\))*\*(?:[^()]|\([^()]*\))*\) (?=0x)", "", value)
    value = re.sub(r"^@(0x[0-9a-f]+).*", r"\1", value.replace("{<No data fields>}", "{}"))
    value = re.sub(r"(0x[0-9a-f]+)(?: <[^<>]*>)?(?: (?:[uUL]?\"(?:[^\"\\]|\\.)*\"\.*)| <error: [^>]*>)?", r"\1", value)
    value = re.sub(r"^(0x[0-9a-f]+)[ ,].*$", r"\1", value)
    return re.sub(r"(-?\d+) '(?:[^'\\]|\\.[0-7]*)'", r"\1", value)


def pattern(value):
    """What the truth may be, by what the shell shows: parts that it does not show are anything."""
    parts = re.split(r"(\(bits\)|0x[0-9a-f]*\?\?[0-9a-f?]*|\?\?|, \.\.\.|\.\.\.|\[(?:[0-9a-f?]{2}[ \]]|\.\.\.\])*)", value)
    return "".join(".*" if i % 2 else re.escape(part) for i, part in enumerate(parts))


class Tally:
    def __init__(self, recording):
        self.whole = self.of = self.more = self.at_entry = 0
        self.wrong, self.recording = [], recording

    def is_argument(self, value, entry):
        """What was in a register for arguments where the function was entered. Values at entry gdb computes from what callers
        say of their calls, and so not always rightly."""
        return entry is not None and re.fullmatch("-?[0-9]+|0x[0-9a-f]+", value) and int(value, 0) in self.recording.registers(entry)[1:9]

    def compare(self, where, entry, shown, true):
        for key, value in shown.items():
            value = value.rstrip("~")
            if key not in true:
                self.wrong.append(f"{where}: gdb has no {key[0]}")
            elif value == "optimized out":
                if true[key] != "<optimized out>" and "<synthetic pointer>" not in true[key]:
                    self.wrong.append(f"{where}: {key[0]} is said to be optimized out, and is {true[key]}")
            elif "not read" in value:
                pass
            elif true[key].startswith('"') and value.startswith("{"):
                pass  # text that is not known as a whole, or not printed as such
            elif "<optimized out>" in true[key] and (value == "??" or self.is_argument(value, entry)):
                self.more += value != "??"
            elif NOT_KNOWN.search(true[key].replace("<optimized out>", "")) or re.fullmatch(pattern(plain(value)), plain(true[key])):
                pass
            elif self.is_argument(value, entry):
                self.at_entry += 1
            else:
                self.wrong.append(f"{where}: {key[0]} is said to be {value}, and is {true[key]}")
        for key, value in true.items():
            if not NOT_KNOWN.search(value):
                self.of += 1
                self.whole += plain(shown.get(key, "??").rstrip("~")) == plain(value)

    def compare_frame(self, where, entry, shown, true):
        for name, mine in shown:
            theirs = [values for function, values in true if function.split("(")[0].split("::")[-1] == name]
            if theirs:
                self.compare(f"{where} {name}", entry, mine, theirs[0])
                true = true[[function.split("(")[0].split("::")[-1] for function, _ in true].index(name) + 1:]


def say(positions, *commands):
    """What the shell says to the commands at each."""
    script = "".join(f"seek {position}\n! echo ==\n" + "".join(command + "\n" for command in commands)
                     for position in positions)
    done = subprocess.run([serving.CSREPLAY, "shell", *OPTIONS, "--image", PROGRAM, FOLDER], text=True, timeout=280,
                          input=script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.exit(f"the shell ended with {done.returncode}:\n{done.stdout[-2000:]}")
    return dict(zip(positions, done.stdout.split("==\n")[1:], strict=True))


def shell(positions):
    """What it says of the frame and, if the trace has that, of its caller's at each."""
    own = say(positions, "stack", "! echo --", "locals")
    callers = say([position for position in positions if "\n#1 " in own[position]], "locals 1")
    return {position: (*text.split("--\n"), callers.get(position, "")) for position, text in own.items()}


def entry_of(stack, level):
    """The position of the first instruction of a frame's function, if the trace has it."""
    found = re.search(rf"^#{level} .*, (?:called|tail-call) at position (\d+)$", stack, re.MULTILINE)
    return int(found[1]) if found else None


def main():
    recording = recorded_states.Recording(FOLDER, PROGRAM)
    positions = sorted(random.Random(16).sample(range(recording.halt), min(COUNT, recording.halt)), reverse=True)
    tally = Tally(recording)
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "show.py")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SHOW)
        commands = [*SETTINGS, f"source {script}"]
        for position in positions:
            path = os.path.join(folder, str(position))
            with open(path, "wb") as file:
                file.write(recording.core_file(position))
            commands += ["echo ==\\n", f"core-file {path}", "python show()"]
        truth = serving.gdb(None, commands, PROGRAM, allowed=ALLOWED)
    shown = shell(positions)
    for position, true in zip(positions, truth.split("==\n")[1:], strict=True):
        stack, own, caller = shown[position]
        frames = true_frames(true)
        tally.compare_frame(position, entry_of(stack, 0), shown_groups(own), frames[0][1])
        if len(frames) > 1 and "in " in caller:
            tally.compare_frame(f"{position}, caller", entry_of(stack, 1), shown_groups(caller), frames[1][1])
    share = 100 * tally.whole / tally.of if tally.of else 0
    print(f"{tally.of} variables, {share:.1f} % shown whole, {tally.more} that gdb does not know, "
          f"{tally.at_entry} arguments that gdb has wrong, {len(tally.wrong)} wrong")
    if tally.wrong:
        sys.exit("\n".join(tally.wrong))
    if share < LEAST:
        sys.exit(f"fewer than {LEAST} %")


if __name__ == "__main__":
    main()
