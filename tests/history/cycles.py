#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The time of each instruction of a history is the sum of the cycle counts that OpenCSD lists before it.

usage: cycles.py NAME BUFFER CORE ID      of corpus/opencsd: a core, and the trace ID of its source

"Generic Trace Packet Descriptions": whatever element has a count adds to the sum, but for a timestamp of
ETMv4, of which there is none here.
"""
import gzip
import os
import re
import subprocess
import sys

from material import shared

ELEMENT = re.compile(r"Idx:\d+; ID:(\w+); OCSD_GEN_TRC_ELEM_(\w+)\((.*)\)$")
RANGE = re.compile(r"exec range=0x(\w+):\[0x\w+\] num_i\((\d+)\)")
COUNT = re.compile(r"\[CC=(\d+)\]")
INSTRUCTION = re.compile(r" *(\d+) clk ES +\((\w+):")


def golden(name, buffer, trace_id):
    """(start, instructions, cycles before it) of each range, and what kinds of elements have counts."""
    cycles, ranges, kinds = 0, [], set()
    with gzip.open(shared("golden", f"{name}.{buffer}.elements.gz"), "rt") as file:
        for line in file:
            found = ELEMENT.match(line.strip())
            if not found or found[1] != trace_id:
                continue
            code = RANGE.match(found[3])
            if code:
                ranges.append((int(code[1], 16), int(code[2]), cycles))
            count = COUNT.search(found[3])
            if count:
                cycles += int(count[1])
                kinds.add(found[2])
    return ranges, kinds


def main():
    name, buffer, core, trace_id = sys.argv[1:]
    ranges, kinds = golden(name, buffer, trace_id)
    done = subprocess.run([os.environ["CSREPLAY"], "export", "--core", core,
                           shared("corpus", "opencsd", name)],
                          stdout=subprocess.PIPE, text=True, timeout=120, check=True)
    lines = [(int(found[2], 16), int(found[1]))
             for found in map(INSTRUCTION.match, done.stdout.splitlines()) if found]
    at = 0
    for start, count, cycles in ranges:
        if lines[at][0] != start:
            sys.exit(f"instruction {at}: {lines[at][0]:#x}, OpenCSD lists {start:#x}")
        for pc, time in lines[at:at + count]:
            if time != cycles:
                sys.exit(f"instruction at {pc:#x}: {time} cycles, the counts before it are {cycles}")
        at += count
    if at != len(lines) or len(kinds) < 2:
        sys.exit(f"{len(lines)} instructions, OpenCSD lists {at}; counts of {kinds}")
    print(f"{at} instructions, counts of {', '.join(sorted(kinds))}")


if __name__ == "__main__":
    main()
