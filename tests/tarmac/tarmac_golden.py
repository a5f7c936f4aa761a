#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every line of the reference material's line-variants.txt gives the events of the golden list.

usage: tarmac_golden.py TARMAC_PRINT
"""
import difflib
import subprocess
import sys

from material import shared


def main():
    text = shared("corpus", "tarmac", "line-variants.txt")
    golden = shared("golden", "tarmac-line-variants.ref")
    done = subprocess.run([sys.argv[1], "lines", text], check=True, capture_output=True)
    with open(golden, "rb") as file:
        expected = file.read()
    if done.stdout == expected and not done.stderr:
        return 0
    lines = [part.decode().splitlines() for part in (expected, done.stdout)]
    print("\n".join(difflib.unified_diff(*lines, "expected", "found", lineterm="", n=1)))
    print(done.stderr.decode())
    return 1


if __name__ == "__main__":
    sys.exit(main())
