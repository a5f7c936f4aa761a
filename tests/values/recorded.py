#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of a recording of the reference material is true from any end.

usage: recorded.py CHECK_VALUES crash NAME [OPTION=NUMBER ...]         (corpus/crashes)
       recorded.py CHECK_VALUES tarmac TEXT IMAGE|- [OPTION=NUMBER ...]  (corpus/tarmac)

Options are those of check_values.c.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


def unpacked(folder, names, to):
    paths = []
    for name in names:
        paths.append(os.path.join(to, name))
        with gzip.open(os.path.join(folder, name + ".gz")) as packed, open(paths[-1], "wb") as file:
            shutil.copyfileobj(packed, file)
    return paths


def main():
    check, kind, name = sys.argv[1:4]
    shared = os.environ.get("CSREPLAY_SHARED", "")
    place = os.path.join(shared, "corpus", "crashes" if kind == "crash" else kind)
    if not shared or not os.path.exists(os.path.join(place, name)):
        print("SKIPPED: CSREPLAY_SHARED is not there")
        return SKIPPED
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(place, name)
        if kind == "crash":
            options = sys.argv[4:]
            what = ["corpus", path] + unpacked(path, ("truth.bin", "memtruth.bin"), temporary)
        else:
            options = sys.argv[5:]
            image = sys.argv[4] if sys.argv[4] == "-" else os.path.join(place, sys.argv[4])
            what = ["tarmac", path, image, "0"]
        return subprocess.run([check] + options + what, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
