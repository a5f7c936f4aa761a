#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""csreplay needs no more instructions for its work than it did, give or take a margin.

callgrind counts the instructions of `csreplay info`, less those of `csreplay info --help` (the
start of the program). Counts repeat where times do not. They belong to a compiler and its options:
any other build is skipped. A change that needs fewer instructions moves the bound down with it,
and one that is worth more instructions moves it up and says why.

    instructions.py PROCESSOR COMPILER FLAGS
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import material
import serving

MARGIN = 0.15
KIB = 1024

# (processor, compiler, its options) -> name of the work -> millions of instructions measured. These
# are the presets dev and release.
# Of the example most is the window before the halt that is solved to see whether registers contradict the trace
# (replay/trust), as a debugger would have it solved with its first step; then the start, of which the patterns of opcodes that are read once are 1.2 million,
# or 2.4 with -g. Of bugfix 4 million zero and move memory that is in huge pages: page faults, which it saves, are not counted here.
MEASURED = {
    ("x86_64", "GNU 12", "-g -O1"): {"example": 35.86, "bugfix": 214.49, "cycles": 510.65, "gaps": 143.48},
    ("x86_64", "GNU 12", "-O3 -DNDEBUG -g -flto"): {"example": 31.75, "bugfix": 175.86, "cycles": 421.54, "gaps": 117.23},
}


def count(arguments):
    """Millions of instructions of `csreplay info` with these arguments, and what it printed."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                           serving.CSREPLAY, "info", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise AssertionError(f"info {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    return int(found[1]) / 1e6, done.stdout


def example(_):
    return serving.Crash("example").arguments()


def bugfix(folder):
    """The first piece of the trace of bugfix-exact-match: all of it would take too long here."""
    source = material.shared("corpus", "opencsd", "bugfix-exact-match")
    copy = os.path.join(folder, "bugfix")
    shutil.copytree(source, copy, copy_function=shutil.copyfile)
    os.chmod(copy, 0o755)
    os.truncate(os.path.join(copy, "cstrace.bin"), 512 * KIB)
    return [copy]


def repeated(folder, name, times):
    """A small trace as often as it takes for its decode to be what is counted."""
    copy = os.path.join(folder, name)
    shutil.copytree(material.shared("corpus", "opencsd", name), copy,
                    copy_function=shutil.copyfile)
    os.chmod(copy, 0o755)
    trace = os.path.join(copy, "cstrace.bin")
    with open(trace, "rb") as file:
        data = file.read()
    with open(trace, "wb") as file:
        file.write(data * times)
    return [copy]


def cycles(folder):
    """Cycle counts beside each instruction, of four cores: ETMv3 and PTM."""
    return repeated(folder, "TC2", 8)


def gaps(folder):
    """Code that the snapshot does not have."""
    return repeated(folder, "juno_r1_1", 4)


WORKS = {"example": example, "bugfix": bugfix, "cycles": cycles, "gaps": gaps}


def one_thread():
    """Threads that wait for each other would not repeat."""
    done = subprocess.run([serving.CSREPLAY, "info", "--help"], stdout=subprocess.PIPE, text=True,
                          check=True)
    return ["--threads", "1"] if "--threads" in done.stdout else []


def check(name, measured, start, folder):
    got, output = count(one_thread() + WORKS[name](folder))
    got -= start
    if not re.search(r"  [1-9]\d{3,}  ", output):
        raise AssertionError(f"{name}: no history was built\n{output}")
    bound = measured * (1 + MARGIN)
    print(f"{name}: {got:.2f} million instructions, bound {bound:.2f}")
    return got <= bound


def main():
    build = tuple(sys.argv[1:4])
    measured = MEASURED.get(build)
    if not shutil.which("valgrind"):
        material.skip("valgrind is not there")
    if not measured:
        material.skip("no bound for " + ", ".join(build))
    start, _ = count(["--help"])
    good, skipped = True, False
    for name in WORKS:
        if name != "example" and not os.path.isdir(os.path.join(material.SHARED, "corpus")):
            print("SKIPPED: the reference material is not there")
            skipped = True
            continue
        with tempfile.TemporaryDirectory() as folder:
            good &= check(name, measured[name], start, folder)
    if not good:
        print("More instructions than bound: see the comment of this test")
        return 1
    return material.SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main())
