#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a debugger halted has a past: of real hardware whose trace ends in a Debug halt, the share of all
general registers known, at every position of the last 10,000.

usage: halted.py NAME SHARE      a snapshot of corpus/opencsd, and percent that have to be known

Nobody recorded what is true there: that values after a Debug halt are, corpus/programs shows (values.py).
"""
import os
import subprocess
import sys

from material import shared

FAR = 10000


def csreplay(*arguments, text=None):
    done = subprocess.run([os.environ["CSREPLAY"], *arguments], input=text, capture_output=True,
                          text=True, timeout=300, check=True)
    return done.stdout.splitlines(), done.stderr


def main():
    folder, least = shared("corpus", "opencsd", sys.argv[1]), float(sys.argv[2])
    lines, _ = csreplay("history", folder)
    rows = [line.split("\t") for line in lines[1:] if not line.startswith("#")]
    last = [line for line in lines if "OCSD_GEN_TRC_ELEM_EXCEPTION(" in line][-1:]
    if not rows or not last or "excep num (0x01)" not in last[0]:
        sys.exit(f"the trace does not end in a Debug halt: {last}")
    names = ["x%d" % n for n in range(31)] + ["sp"]
    if rows[-1][2] != "A64":
        names = ["r%d" % n for n in range(13)] + ["sp", "lr"]
    asks = ["%d\t%s" % (position, name) for position in range(max(0, len(rows) - FAR), len(rows))
            for name in names]
    answers, said = csreplay("state", "--batch", "/dev/stdin", folder, text="\n".join(asks) + "\n")
    known = sum(not line.endswith("\t-") for line in answers)
    share = 100 * known / len(asks)
    print(f"{len(rows)} instructions, {share:.1f} % of {len(asks)} known")
    if len(answers) != len(asks) or "contradict" in said or share < least:
        sys.exit(f"at least {least} % had to be: {said}")


if __name__ == "__main__":
    main()
