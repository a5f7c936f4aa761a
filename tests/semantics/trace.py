#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every instruction of a recorded crash does what the tables say.

usage: trace.py CHECK_TRACE NAME a64|a32     a snapshot of corpus/crashes in the reference material
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

from material import shared


def unpack(folder, name, out):
    path = os.path.join(out, name)
    with gzip.open(os.path.join(folder, name + ".gz")) as packed, open(path, "wb") as file:
        shutil.copyfileobj(packed, file)
    return path


def main():
    folder = shared("corpus", "crashes", sys.argv[2])
    with open(os.path.join(folder, "truth.json"), encoding="ascii") as file:
        trace = json.load(file)["trace"]
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([sys.argv[1], folder, unpack(folder, "truth.bin", out),
                               unpack(folder, "memtruth.bin", out), str(trace["first_index"]),
                               str(trace["last_index"]), sys.argv[3]], capture_output=True, text=True)
    print(done.stdout + done.stderr)
    if "killed everything" in done.stdout:
        sys.exit("an opcode of the recording is in no table")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
