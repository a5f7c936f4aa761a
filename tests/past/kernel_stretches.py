#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`values-of` of registers of a recorded kernel under an assumption about what events write, against the truth.

usage: kernel_stretches.py NAME CORE QUESTIONS     of ../shared/corpus/kernel"""
import os
import random
import re
import struct
import subprocess
import sys

import recorded_kernel
from material import shared

NAME, CORE, QUESTIONS = sys.argv[1], sys.argv[2], int(sys.argv[3])
FOLDER = shared("corpus", "kernel", NAME)
STRETCH = re.compile(r"^#\d+ +(\d+) to (\d+)  0x([0-9a-f]+)( \(assumed\))?$", re.MULTILINE)
SPAN = 400  # positions of a question


def main():
    records = recorded_kernel.read(FOLDER, "truth", CORE)
    rows = [record for record, _ in recorded_kernel.true_rows(FOLDER, CORE, records)]
    rng = random.Random(5)
    asked = sorted((rng.randrange(len(rows) - SPAN), rng.randrange(31)) for _ in range(QUESTIONS))
    lines = "".join(f"values-of x{register} from {first} to {first + SPAN - 1}\n" for first, register in asked)
    said = subprocess.run([os.environ["CSREPLAY"], "shell", "--assume-kernel-private", FOLDER],
                          input=f"core {CORE}\n" + lines, capture_output=True, text=True, timeout=300).stdout
    told = assumed = 0
    answers = re.split(r"(?m)(?=^#1 )", said)[1:]
    if len(answers) != QUESTIONS:
        sys.exit(f"{len(answers)} answers to {QUESTIONS} questions:\n{said[:2000]}")
    for (start, register), answer in zip(asked, answers):
        for first, last, value, is_assumed in STRETCH.findall(answer):
            told += 1
            assumed += is_assumed != ""
            for position in {int(first), (int(first) + int(last)) // 2, int(last)}:
                if position >= len(rows):
                    continue
                true = recorded_kernel.registers(records, rows[position])[register]
                if int(value, 16) != true:
                    sys.exit(f"x{register} at {position}: 0x{value}{is_assumed}, and was {true:#x}\n{answer}")
    print(f"{told} stretches, {assumed} of them assumed")
    if assumed < QUESTIONS // 10:
        sys.exit("too few to tell")


if __name__ == "__main__":
    main()
