#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The current task of a real-time operating system on a Cortex-M, by its variable in memory, against whose stack the
recording's SP is on, at the halt and at positions in Thread mode, half of them near the halt.

usage: rtos_tasks.py NAME KNOWN      a recording of recorded_m.py, such as "mtasks_sort_O1"; of 100 positions so many are known
"""
import json
import random
import re
import subprocess
import sys

import recorded_m
import serving

NAMES = ("sorter", "folder", "waiter")  # m_tasks.c, by the number of the stack
DRAWN, NEAR, SEED = 50, 300, 23


def run(*arguments):
    return subprocess.run([serving.CSREPLAY, *arguments], stdout=subprocess.PIPE, text=True, timeout=250, check=True).stdout


def tasks_of(crash):
    """Of each position in Thread mode the name of the task."""
    turns = sorted((position, task) for position, task in crash.truth()["turns"] if task != "main")
    found, task = {}, None
    for position, psr in enumerate(crash.states()):
        while turns and turns[0][0] <= position:
            task = turns.pop(0)[1]
        if psr & recorded_m.IPSR == 0 and task is not None:
            found[position] = NAMES[task]
    return found


def main():
    crash = serving.Crash(sys.argv[1])
    tasks = tasks_of(crash)
    rng = random.Random(SEED)
    positions = sorted(rng.sample(sorted(tasks), DRAWN) + rng.sample(sorted(tasks)[-NEAR:], DRAWN))
    commands = ";".join(f"seek {position};threads" for position in positions)
    lines = [line for line in run("shell", "--trust", "assumed", *crash.arguments(), "--command", commands).splitlines()
             if re.match(r"1 cpu_0: Cortex-M3, ", line)]
    told = [re.search(r", runs (\w+), at position (\d+)", line) for line in lines]
    for line, found, position in zip(lines, told, positions, strict=True):
        if found and found.groups() != (tasks[position], str(position)):
            sys.exit(f"{line}\nat {position} it was {tasks[position]}")
    known = sum(found is not None for found in told)
    print(f"{known} of {2 * DRAWN} known, none wrong")
    halt = tasks[max(tasks)]
    assert f", runs {halt}" in run("shell", *crash.arguments(), "--command", "threads")
    assert json.loads(run("info", *crash.arguments(), "--format", "json"))["cores"][0]["task"]["name"] == halt
    # Without debug information nobody says where a task has its name.
    assert "runs" not in run("shell", crash.folder, "--command", "threads")
    sys.exit(known < int(sys.argv[2]))


if __name__ == "__main__":
    main()
