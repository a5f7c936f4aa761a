#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Callers by the flow against what the recording's SP says, at random positions.

usage: truth.py FOLDER NAME POSITIONS [SHORT]    of ../shared/corpus

Fails on one wrong caller, and where more than SHORT positions lack callers whose calls are in the trace."""
import difflib
import random
import re
import subprocess
import sys

import material
import serving
import true_stack

MOST = 999  # frames that are compared; `stack --raw` has one more


def aligned(folder, true_pcs, said):
    """From positions of the history to those of the recording: the same, but where the history lists what did not
    run (code that changed during the trace)."""
    if f" of {len(true_pcs)}," in said:
        return {position: position for position in range(len(true_pcs) + 1)}
    done = subprocess.run([serving.CSREPLAY, "history", folder], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True, check=False)
    pcs = [int(line.split("\t")[1], 16) for line in done.stdout.splitlines() if line[0].isdigit() and "\t" in line]
    found = {}
    for block in difflib.SequenceMatcher(None, pcs, true_pcs, False).get_matching_blocks():
        found.update((block.a + i, block.b + i) for i in range(block.size))
    return found


def is_wrong(seen, want):
    """A frame that was not there. Frames may be missing at the end: "not known"."""
    both = [ret for ret, _ in want][:MOST]
    return seen[:len(both)] != both[:len(seen)]


def is_short(seen, want):
    """Frames are missing whose calls are in the trace."""
    return len(seen) < len([ret for ret, at in want if at >= 0][:MOST])


def main():
    folder = material.shared("corpus", sys.argv[1], sys.argv[2])
    most = int(sys.argv[3])
    allowed = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    true = true_stack.TrueStacks(folder)
    wrong, short = [], []
    with serving.Server(["--image", folder + "/program.elf", folder]) as server, \
            serving.Client(server.address) as client:
        client.ask("QStartNoAckMode")
        client.send(b"+")
        place = aligned(folder, true.pcs(), client.monitor("seek 0"))
        positions = sorted(random.Random(14).sample(sorted(place), min(most, len(place))))
        stacks = true.stacks({place[position] for position in positions}, MOST)
        for position in positions:
            said = client.monitor(f"seek {position}")
            if f"position {position} of" not in said:
                sys.exit(f"seek {position}: {said}")
            text = client.monitor("stack --raw 1")
            seen = [int(pc, 16) for pc in re.findall(r" pc=0x([0-9a-f]+)", text)][1:]
            want = stacks.get(place[position])
            if want is not None and is_wrong(seen, want):
                wrong.append((position, seen, want))
            elif want is not None and is_short(seen, want):
                short.append((position, seen, want))
    for kind, cases in ("wrong", wrong), ("short", short):
        for position, seen, want in cases[:8]:
            print(f"{kind} at {position}: {[hex(pc) for pc in seen[:12]]}\n"
                  f"   expected {[hex(ret) for ret, _ in want[:12]]}")
    print(f"{sys.argv[2]}: of {len(positions)} positions {len(wrong)} wrong, {len(short)} not known to their end")
    sys.exit(bool(wrong) or len(short) > allowed)


if __name__ == "__main__":
    main()
