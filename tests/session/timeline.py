#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`monitor time` and `seek @TIME` against the truth.

usage: timeline.py SYNTH      two cores that synth has traced: both execute their n-th instruction at one
                              time, which is known
       timeline.py TC2        corpus/opencsd/TC2: bounds from the timestamps that OpenCSD lists
"""
import bisect
import gzip
import os
import random
import re
import subprocess
import sys
import tempfile

import serving
from material import shared

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "synth"))
import walk_program  # noqa: E402  (beside the encoder)

START, STEP = 0x10000, 3  # etm4_walk.c: time of the first instruction, ticks of one
EVERY, CYCLES = 64, 7  # instructions between two timestamps, and between two cycle counts
LENGTH = 4000
ASKED = 400
ELEMENT = re.compile(r"Idx:\d+; ID:(\w+); OCSD_GEN_TRC_ELEM_(\w+)\((.*)\)$")


class Console:
    """The monitor commands of a server."""

    def __init__(self, client):
        self.client = client
        client.ask("qSupported:swbreak+")

    def ask(self, line):
        return self.client.monitor(line)

    def time(self, position):
        """(earliest or None, latest or None, estimate or None), then what it says of other cores."""
        said = self.ask(f"time {position}")
        first, *others = said.splitlines()
        for pattern, names in ((r"time (\d+) to (\d+)", "el"), (r"time up to (\d+)", "l"),
                               (r"time (\d+) or later", "e"), (r"time (\d+)", "b"),
                               (r"time unknown", "")):
            found = re.search(pattern, first)
            if found:
                break
        else:
            sys.exit("not understood: " + said)
        got = dict(zip(names, (int(n) for n in found.groups())))
        about = re.search(r"about (\d+) by cycles", first)
        return (got.get("e", got.get("b")), got.get("l", got.get("b")),
                int(about[1]) if about else None), others


def make(synth, folder):
    """Two cores on one program; each says of itself when it executed what."""
    lines = ["description two cores with one clock"]
    for number in (0, 1):
        program = walk_program.Program(walk_program.rng_of(100 + number), 0x400000 + 0x10000 * number, 300)
        walk = walk_program.Walk(program, LENGTH, 0.0, 0.0)
        with open(os.path.join(folder, f"code{number}"), "wb") as file:
            file.write(program.code)
        options = [f"timestamp {EVERY}", "sync 1024"] + ([f"cycles {CYCLES}"] if number == 0 else [])
        lines += walk_program.core_lines(f"cpu_{number}", program, walk, f"code{number}",
                                         (f"ETM_{number}", 0x10 + number, options))
    recipe = os.path.join(folder, "recipe")
    with open(recipe, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    subprocess.run([synth, "snapshot", recipe, folder], check=True)


def check_two_cores(synth):
    rng = random.Random(4)
    widths, misses = [], []
    with tempfile.TemporaryDirectory() as folder:
        make(synth, folder)
        with serving.Server([folder]) as server, serving.Client(server.address) as client:
            console = Console(client)
            for position in sorted(rng.sample(range(LENGTH), ASKED)):
                truth = START + STEP * position
                (earliest, latest, estimate), others = console.time(position)
                if (earliest or 0) > truth or (latest is not None and latest < truth):
                    sys.exit(f"position {position}: {earliest} to {latest}, it was {truth}")
                if earliest is not None and latest is not None:
                    widths.append(latest - earliest)
                if estimate is not None:
                    misses.append(abs(estimate - truth))
                found = re.search(r"2 cpu_1: positions? (\d+)(?: to (\d+))?$", others[0])
                if not int(found[1]) <= position <= int(found[2] or found[1]):
                    sys.exit(f"position {position}: the other core was there too; {others[0]}")
                said = console.ask(f"seek @{truth}")
                if int(re.search(r"\* 1 cpu_0: position (\d+)", said)[1]) > position:
                    sys.exit(f"time {truth}: position {position}; {said}")
    # A timestamp after every EVERY instructions and more where branches are far apart.
    if len(widths) < ASKED * 9 // 10 or sorted(widths)[len(widths) // 2] > 3 * EVERY * STEP:
        sys.exit(f"{len(widths)} of {ASKED} positions have bounds, widths {sorted(widths)[::40]}")
    if len(misses) < ASKED // 2 or max(misses) > 4 * EVERY * STEP or \
            sorted(misses)[len(misses) // 2] > 10 * CYCLES * STEP:
        sys.exit(f"{len(misses)} estimates, off by {sorted(misses)[::40]} ticks")
    print(f"{ASKED} positions; bounds {sorted(widths)[len(widths) // 2]} ticks apart, estimates off by "
          f"{sorted(misses)[len(misses) // 2]} (medians)")


def check_distances(synth):
    """`@10us-before-end` and `@10us-after-begin` are `@` and a time, where the snapshot says how long a tick is."""
    with tempfile.TemporaryDirectory() as folder:
        make(synth, folder)

        def ask(*lines):
            with serving.Server([folder]) as server, serving.Client(server.address) as client:
                console = Console(client)
                return [console.ask(line) for line in lines]

        last = int(re.search(r"time (\d+) or later", ask("time end")[0])[1])
        first = int(re.search(r"time (?:up to |\d+ to )?(\d+)", ask("time begin")[0])[1])
        said, = ask("seek @1ms-before-end")
        if f"does not say how long a tick of its timestamps is" not in said or f"{first} to {last}" not in said:
            sys.exit(said)
        with open(os.path.join(folder, "trace.ini"), "a", encoding="utf-8") as file:
            file.write("[timestamp]\nfrequency=2000000\n")
        for word, ticks, is_end in (("1ms", 2000, True), ("0.5ms", 1000, False), ("12.25us", 24, True), ("700ns", 1, False),
                                    ("0s", 0, True), ("0.001s", 2000, False), ("0us", 0, False)):
            time = last - ticks if is_end else first + ticks
            got, want = ask(f"seek @{word}-{'before-end' if is_end else 'after-begin'}", f"seek @{time}")
            if got != want or "position" not in want:
                sys.exit(f"{word}: {got}, and not {want}")
        for word, why in (("9s-before-end", f"are {last - first} ticks of 1/2000000 s, which is less"),
                          ("99999999999999999999s-before-end", "not a time: "), ("1.us-before-end", "not a time: "),
                          ("10-before-end", "not a time: "), ("us-before-end", "not a time: "),
                          ("18446744073709551ms-after-begin", "which is less"), ("1us-before-begin", "not a time: ")):
            said, = ask("seek @" + word)
            if why not in said:
                sys.exit(f"{word}: {said}")
    print("distances are times")


def golden(trace_id):
    """Of one source of TC2: first positions of its ranges, and (position, timestamp)."""
    starts, stamps, position = [], [], 0
    with gzip.open(shared("golden", "TC2.ETB_0.elements.gz"), "rt") as file:
        for line in file:
            found = ELEMENT.match(line.strip())
            if not found or found[1] != trace_id:
                continue
            if found[2] == "INSTR_RANGE":
                starts.append(position)
                position += int(re.search(r"num_i\((\d+)\)", found[3])[1])
            elif found[2] == "TIMESTAMP":
                stamps.append((position, int(re.search(r"TS=0x(\w+)", found[3])[1], 16)))
    return starts + [position], stamps


def check_tc2():
    """All cores: what was traced before a timestamp was executed no later than it says, and what comes
    after the range after it no earlier."""
    checked = 0
    with serving.Server([shared("corpus", "opencsd", "TC2")]) as server, \
            serving.Client(server.address) as client:
        console = Console(client)
        for core, trace_id in enumerate(("10", "11", "12", "13")):
            starts, stamps = golden(trace_id)
            if client.ask(f"T{core + 1:x}") != "OK" or not stamps:
                continue
            for position in sorted(random.Random(core).sample(range(starts[-1]), 200)):
                run = starts[bisect.bisect_right(starts, position) - 1]
                before = [time for at, time in stamps if at < run]
                after = [time for at, time in stamps if at >= position]
                want = (before[-1] if before else None, after[0] if after else None)
                got, _ = console.time(position)
                if got[:2] != want:
                    sys.exit(f"core {core}, position {position}: {got}, OpenCSD lists {want}")
                checked += 1
    if checked < 400:
        sys.exit(f"only {checked} positions")
    print(f"{checked} positions as OpenCSD lists them")


if __name__ == "__main__":
    if sys.argv[1] == "TC2":
        check_tc2()
    else:
        check_two_cores(sys.argv[1])
        check_distances(sys.argv[1])
