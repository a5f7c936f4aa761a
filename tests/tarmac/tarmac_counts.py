#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Tarmac reader finds in each real trace what regular expressions find in its text.

usage: tarmac_counts.py TARMAC_PRINT

For every trace of the reference material: how many events of each kind there are, how many bytes
are read and written, and the sums of all instruction addresses and of all register values. With
"\\r\\n" and "\\r" for line ends, and without the last one, the same.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

from material import shared

MASK = (1 << 64) - 1
HEAD = r"^\s*(?:\d+ [a-z]+ +)?(?:cpu\d+ )?"
IT = re.compile(HEAD + r"(IT|IS) \(\d+\) ([0-9a-f]+)[ :]")
ES = re.compile(HEAD + r"ES +\(([0-9a-f]+):[0-9a-f]+\)")
REGISTER = re.compile(HEAD + r"R (\w+) ([0-9a-fA-F]+)$")
ACCESS = re.compile(HEAD + r"M([RW])(\d+) [0-9a-f]+\S* (\S+)$")
CHUNK = re.compile(HEAD + r"(LD|ST) [0-9a-f]{16} ((?:[0-9a-f.]{8} ){4})")
EVENT = re.compile(HEAD + r"(?:ES +EXC|E [0-9a-f]{8}[ :])")
BRANCH = re.compile(HEAD + r"BR \(")
HEADER = re.compile(r"^Tarmac Text Rev ")
NOTE = re.compile(HEAD + r"(?:SIGNAL: |CADI |CACHE |INFO_EXCEPTION_REASON: )")
DIALECTS = {"es-ld-st": "rev3", "gem5": "gem5"}
FILES = [
    ("x", re.compile(r"[xX]\d+$")),
    ("w", re.compile(r"W\d+$")),
    ("q", re.compile(r"q\d+$")),
    ("r", re.compile(r"(?:r\d+(_\w+)?|MSP)$")),
    ("sp", re.compile(r"SP_EL\d$")),
    ("psr", re.compile(r"(?:cpsr|CPSR)$")),
    ("spsr", re.compile(r"(?:SPSR|spsr)_\w+$")),
    ("elr", re.compile(r"ELR_\w+$")),
    ("system", re.compile(r"")),
]


class Counts(dict):
    def add(self, key, count=1):
        self[key] = self.get(key, 0) + count


def count_register(counts, name, value):
    counts.add("kind register")
    counts.add("file " + next(text for text, form in FILES if form.match(name)))
    counts.add("values", int(value, 16))


def count_access(counts, is_write, size, is_aborted=False):
    counts.add("kind memory")
    counts.add("writes" if is_write else "reads")
    counts.add("aborted" if is_aborted else "bytes", 1 if is_aborted else size)


def count_instruction(counts, address, is_failed):
    counts.add("kind instruction")
    counts.add("ccfail", int(is_failed))
    counts.add("addresses", int(address, 16))


def count_line(counts, line):
    if match := IT.match(line):
        count_instruction(counts, match.group(2), match.group(1) == "IS")
    elif match := ES.match(line):
        count_instruction(counts, match.group(1), "CCFAIL" in line)
    elif match := REGISTER.match(line):
        count_register(counts, *match.groups())
    elif match := ACCESS.match(line):
        is_aborted = match.group(3) == "(ABORTED)"
        count_access(counts, match.group(1) == "W", int(match.group(2)), is_aborted)
    elif match := CHUNK.match(line):
        count_access(counts, match.group(1) == "ST", len(re.sub("[ .]", "", match.group(2))) // 2)
    elif EVENT.match(line):
        counts.add("kind exception")
    elif BRANCH.match(line):
        counts.add("kind branch")
    elif HEADER.match(line):
        counts.add("kind header")
    elif NOTE.match(line):
        counts.add("kind note")
    else:
        raise ValueError(f"no expression is for {line!r}")


def count_text(path):
    counts = Counts()
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    for line in lines:
        count_line(counts, line)
    counts.add("lines", len(lines))
    for key in ("values", "addresses"):
        counts[key] = counts.get(key, 0) & MASK
    return {key: value for key, value in counts.items() if value}


def count_events(tool, path):
    counts = {}
    for line in subprocess.run([tool, "count", path], check=True, text=True,
                               capture_output=True).stdout.splitlines():
        key, value = line.rsplit(" ", 1)
        if key == "dialect":
            counts[key] = value
        elif int(value, 16 if key in ("values", "addresses") else 10):
            counts[key] = int(value, 16 if key in ("values", "addresses") else 10)
    return counts


def compare(name, expected, found):
    different = [key for key in sorted(expected.keys() | found.keys())
                 if expected.get(key) != found.get(key)]
    for key in different:
        print(f"{name}: {key}: expected {expected.get(key, 0)}, found {found.get(key, 0)}")
    return not different


def check(tool, path, folder):
    name = os.path.basename(path)
    expected = count_text(path)
    expected["dialect"] = next((d for part, d in DIALECTS.items() if part in name), "fast-models")
    equal = compare(name, expected, count_events(tool, path))
    with open(path, "rb") as file:
        text = file.read()
    copy = os.path.join(folder, name)
    for end in (b"\r\n", b"\r"):
        with open(copy, "wb") as file:
            file.write(text.replace(b"\n", end).rstrip(b"\r\n"))
        equal &= compare(f"{name} with {end!r}", expected, count_events(tool, copy))
    return equal


def main():
    paths = sorted(glob.glob(os.path.join(shared("corpus", "tarmac"), "*.tarmac")))
    assert paths
    with tempfile.TemporaryDirectory() as folder:
        results = [check(sys.argv[1], path, folder) for path in paths]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
