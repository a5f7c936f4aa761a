# SPDX-License-Identifier: Apache-2.0
"""The bundled example: `csreplay history` names exactly the instructions that were single-stepped
when it was recorded, without a gap, and `csreplay check` finds nothing wrong with it."""
import gzip
import os
import subprocess
import sys


def truth_of(folder):
    pcs = []
    with gzip.open(os.path.join(folder, "truth.gz"), "rt") as lines:
        for line in lines:
            start, count = line.split()
            pcs += [int(start, 16) + 4 * i for i in range(int(count))]
    return pcs


def run(*arguments):
    result = subprocess.run([os.environ["CSREPLAY"], *arguments], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, universal_newlines=True, check=False)
    return result.returncode, result.stdout


def main():
    folder = os.path.join(os.environ["CSREPLAY_SOURCE"], "examples", "sensorhub")
    code, text = run("history", folder)
    lines = text.splitlines()[1:]
    got = [int(line.split("\t")[1], 16) for line in lines if not line.startswith("#")]
    want = truth_of(folder)
    gaps = [line for line in lines if line.startswith("# gap")]
    print("%d instructions, expected %d, equal: %s; gaps: %s"
          % (len(got), len(want), got == want, gaps))
    checked, findings = run("check", folder)
    print("check ends with %d: %s" % (checked, findings))
    return 0 if code == 0 and len(want) >= 20000 and got == want and not gaps and checked == 0 \
        else 1


if __name__ == "__main__":
    sys.exit(main())
