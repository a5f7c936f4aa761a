#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arguments and results that `csreplay calls` shows of recorded crashes are those of the recording, and
--where chooses by them.

usage: call_values.py KIND NAME...
"""
import gzip
import json
import os
import struct
import subprocess
import sys

import material

CSREPLAY = os.environ["CSREPLAY"]
RECORD = struct.Struct("<33Q8x")  # PC, X0 to X30, SP; of 32-bit cores R0 to R14 in their place


def calls(folder, *options):
    done = subprocess.run([CSREPLAY, "calls", "--format", "json", "--arguments", "--image",
                           os.path.join(folder, "program.elf"), *options, folder],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def registers(folder):
    """position -> X0 and so on."""
    with gzip.open(os.path.join(folder, "truth.bin.gz")) as file:
        records = file.read()
    with open(os.path.join(folder, "truth.json"), encoding="utf-8") as file:
        first = json.load(file)["trace"]["first_index"]
    return lambda position: RECORD.unpack_from(records, (first + position) * 272)[1:]


def check(kind, name):
    folder = material.shared("corpus", kind, name)
    truth = registers(folder)
    every, _ = calls(folder)
    known = 0
    for call in every:
        for register, value in call["arguments"].items():
            assert truth(call["enter"])[int(register[1:])] == int(value, 0), (name, call, register)
        if "result" in call:
            assert call["end"] == "return", call
            assert truth(call["leave"])[0] == int(call["result"], 0), (name, call)
        known += len(call["arguments"]) + ("result" in call)
    assert known > 0, name
    first = next(iter(every[-1]["arguments"]))
    value = every[-1]["arguments"][first]
    without = sum(first not in call["arguments"] for call in every)
    for operator, wanted in (("==", True), ("!=", False)):
        chosen, said = calls(folder, "--where", f"{first} {operator}{value}")
        assert chosen == [call for call in every if first in call["arguments"]
                          and (call["arguments"][first] == value) is wanted], name
        assert (f"of {without} more calls" in said) is (without > 0), said
    print(f"{name}: {len(every)} calls, {known} arguments and results")


def main():
    for name in sys.argv[2:]:
        check(sys.argv[1], name)
    folder = material.shared("corpus", sys.argv[1], sys.argv[2])
    for wrong in ("x0", "x0 = 1", "x99 == 1", "x0 == y", "== 1", "x0 =! 1"):
        done = subprocess.run([CSREPLAY, "calls", "--where", wrong, folder], capture_output=True,
                              text=True, timeout=60, check=False)
        assert done.returncode == 2 and f'--where "{wrong}"' in done.stderr, (wrong, done.stderr)


if __name__ == "__main__":
    main()
