#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tool says of a snapshot does not depend on --threads, byte by byte.

Reference snapshots, with their trace buffer repeated until it is cut into several pieces, and one
whose buffer is too short to be cut: `csreplay info` and `csreplay history`, of every core,
with one thread and with several. Of long histories two stretches are listed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from material import shared
PIECE = 512 << 10  # bytes of the buffer: no piece is smaller
THREADS = (1, 2, 3, 8)
WHOLE = 3000  # instructions of a history that is listed whole
STRETCHES, STRETCH = 2, 3000
# Snapshot, its buffer's file, how often that is repeated.
SNAPSHOTS = (
    ("bugfix-exact-match", "cstrace.bin", 3),
    ("juno_r1_1", "cstrace.bin", 17),
    ("TC2", None, 1),
    ("TC2", "cstrace.bin", 66),
    ("tc2-ptm-rstk-t32", "PTM_0_2.bin", 75),
)


def run(*arguments):
    result = subprocess.run([os.environ["CSREPLAY"], *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, check=False)
    return result.returncode, result.stdout, result.stderr


def listings(folder):
    """The arguments of everything that is to be compared."""
    status, output, errors = run("info", "--format", "json", "--threads", "1", folder)
    assert status == 0, errors
    yield ("info", folder)
    for core in json.loads(output)["cores"]:
        count = core["instructions"]
        command = ("history", "--core", core["name"], folder)
        if count <= WHOLE:
            if count > 0:
                yield command
            continue
        for i in range(STRETCHES):  # the last one at the end
            begin = (count - STRETCH) * (i + 1) // STRETCHES
            yield (*command, "--from", str(begin), "--count", str(STRETCH))


def compare(folder, name):
    fine = True
    size = 0
    for arguments in listings(folder):
        expected = run(*arguments, "--threads", str(THREADS[0]))
        size += len(expected[1])
        fine &= expected[0] == 0
        for threads in THREADS[1:]:
            if run(*arguments, "--threads", str(threads)) != expected:
                print(f"{name}: {' '.join(arguments)}: --threads {threads} lists something else")
                fine = False
    print(f"{name}: {size} bytes compared")
    return fine and size > 100000


def main():
    corpus = shared("corpus", "opencsd")
    fine = True
    for name, buffer, times in SNAPSHOTS:
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(scratch, name)
            shutil.copytree(os.path.join(corpus, name), folder, copy_function=shutil.copyfile)
            if buffer:
                with open(os.path.join(folder, buffer), "rb") as f:
                    trace = f.read()
                assert len(trace) * times > 2 * PIECE
                with open(os.path.join(folder, buffer), "wb") as f:
                    f.write(trace * times)
            fine &= compare(folder, name)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
