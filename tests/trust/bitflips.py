#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often one wrong bit of a snapshot shows values that are not true, without a word.

usage: bitflips.py CSREPLAY [kind=registers|code|stack] [flips=N] [seed=N] [only=NAME] [most-silent=N]
       [most-wrong=N] [list]

In each of the recordings with truth (corpus/crashes, corpus/programs) bits are flipped, one at a
time: in a register at the halt, in an instruction of the last 2,000 that ran, or in the dump around the
stack pointer. `csreplay state` is then asked for registers and memory at the halt and up to 300
instructions before it. What it answers is one of these:

  same    no answer is wrong that was not wrong without the flip, and nothing is said
  said    it says something that it does not say without the flip, or a gap is there or an error
  silent  a value is shown that is not true, and nothing is said

`wrong` is how many of those that were said show a value that is not true, too. `only=` names a
snapshot; `list` prints each flip that is silent. Fails above `most-silent` or `most-wrong`.
"""
import collections
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from material import shared

RECORD = 272
BACK = 2000  # instructions whose code is flipped
ASKED = (1, 2, 3, 6, 11, 51, 101, 301)  # from the end, 1 being the halt
SAMPLES = 40  # of memory
LIMIT = 60  # seconds
WRITTEN = ("jit_O2",)  # its positions are not those of the truth
REGISTER = re.compile(r"^((?:X|R)\d+|SP|PC|LR|CPSR)((?:\([^)]*\))?)=(?:0x)?([0-9A-Fa-f]+)$", re.MULTILINE)
DUMP = re.compile(r"^file=(\S+)\naddress=0x([0-9A-Fa-f]+)", re.MULTILINE)


class Recording:
    """A copy of a snapshot in which bits are flipped, what is asked of it, and what is true."""

    def __init__(self, csreplay, source, to):
        self.csreplay = csreplay
        self.name = os.path.basename(source)
        self.folder = os.path.join(to, self.name)
        os.mkdir(self.folder)
        for name in os.listdir(source):
            if not name.endswith(".gz"):
                shutil.copy(os.path.join(source, name), self.folder)
        os.chmod(self.folder, 0o755)
        with open(os.path.join(source, "truth.json"), encoding="utf-8") as f:
            about = json.load(f)
        self.is_64 = about["architecture"] == "A64"
        self.last = about["trace"]["last_index"] + 1
        with gzip.open(os.path.join(source, "truth.bin.gz")) as f:
            self.truth = f.read()
        with open(self.path("cpu_0.ini"), encoding="ascii") as f:
            self.ini = f.read()
        self.dumps = [(int(address, 16), name) for name, address in DUMP.findall(self.ini)]
        self.expected = self.questions(os.path.join(source, "memsamples.tsv.gz"))
        with open(self.path("questions"), "w", encoding="ascii") as f:
            f.writelines("%d\t%s\n" % question for question in self.expected)
        self.said, self.wrong = self.ask()

    def path(self, name):
        return os.path.join(self.folder, name)

    def word(self, index, which):
        """0 is the PC, 1 to 31 X0 to X30, 32 SP."""
        at = index * RECORD + 8 * which
        return int.from_bytes(self.truth[at:at + 8], "little")

    def questions(self, samples):
        expected = {}
        for back in ASKED:
            index = self.last + 1 - back
            if index < 0:
                continue
            expected[-back, "PC"] = self.word(index, 0)
            expected[-back, "SP"] = self.word(index, 32)
            for i in range(31 if self.is_64 else 13):
                expected[-back, "%s%d" % ("X" if self.is_64 else "R", i)] = self.word(index, 1 + i)
            if not self.is_64:
                expected[-back, "LR"] = self.word(index, 15)
        if os.path.exists(samples):
            with gzip.open(samples, "rt") as f:
                rows = [line.split() for line in f]
            rows = [(self.last + 1 - int(i), what, int(v, 16)) for i, what, v in rows]
            rows = [row for row in rows if 0 < row[0] <= max(ASKED)]
            for back, what, value in random.Random(1).sample(rows, min(SAMPLES, len(rows))):
                expected[-back, what] = value
        return expected

    def run(self, *arguments):
        return subprocess.run([self.csreplay, *arguments, self.folder], capture_output=True,
                              text=True, timeout=LIMIT, check=False)

    def ask(self):
        """(what was said, questions with a wrong answer)"""
        done = self.run("state", "--threads", "1", "--batch", self.path("questions"))
        info = self.run("info", "--format", "json")
        said = set(done.stderr.splitlines())
        if done.returncode < 0 or info.returncode < 0:
            sys.exit("bitflips.py: %s crashed: %s" % (self.name, done.stderr + info.stderr))
        if done.returncode:
            said.add("exit %d" % done.returncode)
        if info.stdout:
            said |= {"gap %s" % gap for core in json.loads(info.stdout)["cores"] for gap in core["gaps"]}
        wrong = set()
        for line in done.stdout.splitlines():
            position, what, value = line.split("\t")
            key = int(position), what
            if value != "-" and int(value, 16) != self.expected[key]:
                wrong.add(key)
        return said, wrong

    def judge(self):
        """(kind of answer, something wrong is shown, what)"""
        said, wrong = self.ask()
        said -= self.said
        wrong -= self.wrong
        kind = "said" if said else "silent" if wrong else "same"
        return kind, bool(wrong), sorted(wrong)[:3], sorted(said)

    def flip_file(self, address, size, generator):
        """Flips a bit of the `size` bytes at an address, judges and flips it back."""
        for begin, name in self.dumps:
            if begin <= address and address + size <= begin + os.path.getsize(self.path(name)):
                break
        else:
            return None
        bit = generator.randrange(8 * size)
        at = address + bit // 8 - begin

        def flip():
            with open(self.path(name), "r+b") as f:
                f.seek(at)
                old = f.read(1)[0]
                f.seek(at)
                f.write(bytes([old ^ 1 << bit % 8]))

        os.chmod(self.path(name), 0o644)
        flip()
        try:
            return ("0x%x bit %d" % (address, bit), *self.judge())
        finally:
            flip()

    def flip_code(self, generator):
        index = self.last - generator.randrange(1, 1 + min(BACK, self.last))
        return self.flip_file(self.word(index, 0) & ~1, 4 if self.is_64 else 2, generator)

    def flip_stack(self, generator):
        sp = self.word(self.last, 32) & ~7
        return self.flip_file(sp + 8 * generator.randrange(32), 8, generator)

    def flip_registers(self, generator):
        found = generator.choice(list(REGISTER.finditer(self.ini)))
        width = 32 if not self.is_64 or found[1] == "CPSR" else 64
        if found[1] == "CPSR":
            bit = generator.randrange(28, 32)
        else:
            bit = generator.randrange(width)
        value = int(found[3], 16) ^ 1 << bit
        os.chmod(self.path("cpu_0.ini"), 0o644)
        with open(self.path("cpu_0.ini"), "w", encoding="ascii") as f:
            f.write("%s%s%s=0x%0*X%s" % (self.ini[:found.start()], found[1], found[2], width // 4, value,
                                        self.ini[found.end():]))
        try:
            return ("%s bit %d" % (found[1], bit), *self.judge())
        finally:
            with open(self.path("cpu_0.ini"), "w", encoding="ascii") as f:
                f.write(self.ini)


def recordings(csreplay, only, to):
    for group in ("crashes", "programs"):
        folder = shared("corpus", group)
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isdir(path) and only in ("", name) and name not in WRITTEN:
                yield Recording(csreplay, path, to)


def main():
    options = {"kind": "registers", "flips": "100", "seed": "1", "only": "", "most-silent": "",
               "most-wrong": ""}
    options.update(argument.split("=", 1) for argument in sys.argv[2:] if argument != "list")
    generator = random.Random(int(options["seed"]))
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as temporary:
        known = list(recordings(sys.argv[1], options["only"], temporary))
        for number in range(int(options["flips"])):
            recording = known[number % len(known)]
            judged = getattr(recording, "flip_" + options["kind"])(generator)
            if not judged:
                count["not in a dump"] += 1
                continue
            where, kind, is_wrong, wrong, said = judged
            count[kind] += 1
            count["wrong"] += is_wrong and kind == "said"
            if "list" in sys.argv and (kind == "silent" or is_wrong):
                print("%s %s: %s: %s %s" % (kind, recording.name, where, wrong, said))
    print("%s: %s" % (options["kind"], ", ".join("%s %d" % row for row in sorted(count.items()))))
    for name, bound in (("silent", options["most-silent"]), ("wrong", options["most-wrong"])):
        if bound and count[name] > int(bound):
            print("bitflips.py: %d are %s, %s were to be expected" % (count[name], name, bound))
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
