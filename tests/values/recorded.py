#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is said of the past of a recording of the reference material is true from any end.

usage: recorded.py CHECK_VALUES crash NAME [OPTION=NUMBER ...]         (corpus/crashes)
       recorded.py CHECK_VALUES tarmac TEXT IMAGE|- [OPTION=NUMBER ...]  (corpus/tarmac)

Options are those of check_values.c, and `known=TEST`, as in programs.py.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

import known
import programs
from material import shared



def unpacked(folder, names, to):
    paths = []
    for name in names:
        paths.append(os.path.join(to, name))
        with gzip.open(os.path.join(folder, name + ".gz")) as packed, open(paths[-1], "wb") as file:
            shutil.copyfileobj(packed, file)
    return paths


def main():
    own = {"known": ""}
    arguments = programs.take_own(sys.argv[1:], own)
    check, kind, name = arguments[:3]
    path = shared("corpus", "crashes" if kind == "crash" else kind, name)
    place = os.path.dirname(path)
    with tempfile.TemporaryDirectory() as temporary:
        if kind == "crash":
            options = arguments[3:]
            what = ["corpus", path] + unpacked(path, ("truth.bin", "memtruth.bin"), temporary)
        else:
            options = arguments[4:]
            image = arguments[3] if arguments[3] == "-" else os.path.join(place, arguments[3])
            what = ["tarmac", path, image, "0"]
        done = subprocess.run([check] + options + what, stdout=subprocess.PIPE, text=True,
                              check=False)
    print(done.stdout, end="")
    table = known.Known(own["known"])
    table.take_scores("recording", done.stdout, options)
    return 0 if table.is_fine() and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
