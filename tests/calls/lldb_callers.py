#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What lldb with lldbinit makes of callers, against what the recording's SP says, at random positions of the whole history and
of its last instructions: none is another, and none has another stack.

usage: lldb_callers.py FOLDER NAME POSITIONS LEAST     of ../shared/corpus

Fails on one wrong caller, and where there are fewer than LEAST."""
import random
import re
import sys
import tempfile

import material
import serving
import true_stack

NEAR = 2000  # instructions
DEEP = 12  # callers
# Those of functions that are no inlined ones', which have their frames before it, and no calls in place of a return.
SHOW = """
def show():
    callers, is_new = [], False
    for frame in lldb.process.GetSelectedThread():
        if frame.IsArtificial():
            continue
        if is_new:
            callers.append(f"{frame.GetPC():x}:{frame.GetSP():x}")
        is_new = not frame.IsInlined()
    print("CALLERS", *callers)
"""


def main():
    folder = material.shared("corpus", sys.argv[1], sys.argv[2])
    program = folder + "/program.elf"
    true = true_stack.TrueStacks(folder)
    some = random.Random(7)
    half = int(sys.argv[3]) // 2
    positions = {*some.sample(range(true.length), half), *(true.length - 1 - some.randrange(min(NEAR, true.length)) for _ in range(half))}
    stacks = true.stacks(positions, DEEP)
    positions = [position for position in positions if stacks[position] is not None]
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script, serving.Server(["--image", program, folder]) as server:
        script.write("import lldb\n" + SHOW.replace("lldb.process", "lldb.debugger.GetSelectedTarget().GetProcess()"))
        script.flush()
        name = script.name.rsplit("/", 1)[1].removesuffix(".py")
        commands = [command for position in positions for command in (f"seek {position}", f"script {name}.show()")]
        out = serving.lldb([f"target create {program}", f"command source -s 1 {serving.LLDBINIT}", f"gdb-remote {server.address}",
                            f"command script import {script.name}", *commands], [r"^error: .*DW_TAG"])
    told = re.findall(r"^CALLERS ?(.*)$", out, re.MULTILINE)
    seen = wrong = 0
    sp = 14 if not true.wide else 32
    for position, line in zip(positions, told, strict=True):
        for caller, (ret, at) in zip(line.split(), stacks[position]):
            pc, stack = (int(word, 16) for word in caller.split(":"))
            seen += 1
            if (pc, stack) != (ret, true.records[true.first + at][sp]):
                print(f"wrong at {position}: {line}\n   expected {[hex(ret) for ret, _ in stacks[position]]}")
                wrong += 1
                break
    print(f"{sys.argv[2]}: of {seen} callers at {len(positions)} positions {wrong} wrong")
    sys.exit(wrong > 0 or seen < int(sys.argv[4]))


if __name__ == "__main__":
    main()
