#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every reference snapshot, decoded by the atom batch and in pieces, gives the elements of plain decoding.

usage: batches.py CHECK_BATCHES

CHECK_BATCHES ends with an error if a property does not hold; here it is seen that it had something
to look at: all of them elements, the ETMv3 ones cycle counts, the ETMv4 and ETE ones atom batches, synchronization points, pauses,
and decoders that began in the middle.
"""
import os
import subprocess
import sys

from material import shared

TOTAL_AT_LEAST = {"elements": 1000000, "batches": 100000, "joined": 50000, "counts": 5000, "sync_points": 100,
                  "pauses": 1000, "resumed": 20}


def main():
    corpus = shared("corpus", "opencsd")
    fine = True
    totals = dict.fromkeys(TOTAL_AT_LEAST, 0)
    for name in sorted(os.listdir(corpus)):
        result = subprocess.run([sys.argv[1], os.path.join(corpus, name)], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, universal_newlines=True, check=False)
        print(f"{name}: {result.stdout.strip()}")
        words = result.stdout.split()
        fine &= result.returncode == 0 and len(words) == 2 * len(totals) and words[1] != "0"
        for key, value in zip(words[::2], words[1::2]):
            totals[key] = totals.get(key, 0) + (int(value) if value.isdigit() else 0)
    print(f"all: {totals}")
    return 0 if fine and all(totals[k] >= least for k, least in TOTAL_AT_LEAST.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
