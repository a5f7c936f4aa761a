#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No circle of calls between files, but where the code is recursive by nature.

Which file calls which is read from the objects of the build, with nm. Files that call each other in a
circle have to be one of CIRCLES, and each of those has to be there still.

    check_circles.py FOLDER      the build's; environment: CSREPLAY_SOURCE
"""
import collections
import os
import subprocess
import sys

import check_layers
from material import skip

# The files of a circle that are mutually recursive by nature.
CIRCLES = {
    # One fixed point: values lead to addresses, these to dependences, and dependences to values.
    "replay/values/solver/abi.c replay/values/solver/abi_slot.c replay/values/solver/hypothesis.c "
    "replay/values/solver/linear.c replay/values/solver/local_frame.c "
    "replay/values/solver/memdep.c replay/values/solver/memdep_clobber.c "
    "replay/values/solver/memdep_granule.c replay/values/solver/points_to.c "
    "replay/values/solver/private_stack.c replay/values/solver/solve.c "
    "replay/values/solver/task_switch.c replay/values/solver/waiting_task.c",
    # A walk over reasons, each of which may be any of the kinds that the others tell.
    "replay/values/explain/why.c replay/values/explain/why_chain.c replay/values/explain/why_conflict.c "
    "replay/values/explain/why_if.c replay/values/explain/why_known.c replay/values/explain/why_side.c "
    "replay/values/explain/why_unknown.c",
    # The table of requests, and handlers that look up a request in it.
    "stub/gdb.c stub/gdb_breaks.c stub/gdb_btrace.c stub/gdb_mem.c stub/gdb_query.c stub/gdb_regs.c stub/gdb_run.c "
    "stub/gdb_vfile.c stub/gdb_xfer.c",
}


def objects_of(root, folder):
    """Source -> its object."""
    found = {}
    for room in check_layers.ROOMS:
        target = os.path.join(folder, room, "CMakeFiles",
                              check_layers.target_of(room) + ".dir")
        for name in sorted(os.listdir(target)) if os.path.isdir(target) else []:
            source = f"{room}/{name[:-2]}"
            # An old build may have objects of files that are elsewhere now.
            if name.endswith(".c.o") and os.path.exists(os.path.join(root, source)):
                found[source] = os.path.join(target, name)
    return found


def calls_of(objects):
    """File -> the files of which it needs anything."""
    source_of = {path: source for source, path in objects.items()}
    needs, owner = {source: set() for source in objects}, {}
    # Each line as "path: value kind name", without the value where a name is not defined there.
    done = subprocess.run(["nm", "--print-file-name", *source_of], check=True, text=True, stdout=subprocess.PIPE)
    for line in done.stdout.splitlines():
        path, words = line.rsplit(":", 1)
        *_, kind, name = words.split()
        if kind == "U":
            needs[source_of[path]].add(name)
        elif kind in "TDRBC":
            owner[name] = source_of[path]
    return {source: {owner[name] for name in names if name in owner} - {source} for source, names in needs.items()}


def circles_of(calls):
    """Sets of files that reach each other: strongly connected components, after Tarjan."""
    index, low, stack, found = {}, {}, [], []

    def visit(file):
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in sorted(calls[file]):
            if other not in index:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], index[other])
        if low[file] == index[file]:
            at = stack.index(file)
            if len(stack) - at > 1:
                found.append(frozenset(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for file in sorted(calls):
        if file not in index:
            visit(file)
    return found


def between_rooms(calls):
    """Rooms that use each other in a circle."""
    rooms = collections.defaultdict(set)
    for file, others in calls.items():
        rooms[os.path.dirname(file)] |= {os.path.dirname(other) for other in others}
    return circles_of({room: others - {room} for room, others in rooms.items()})


def main():
    root = os.environ.get("CSREPLAY_SOURCE") or os.path.dirname(os.path.dirname(__file__))
    objects = objects_of(root, sys.argv[1])
    if not objects:
        skip("the build has no objects that nm can read")
    calls = calls_of(objects)
    wrong = [f"rooms in a circle: {' '.join(sorted(circle))}" for circle in between_rooms(calls)]
    circles = circles_of(calls)
    known = {frozenset(files.split()) for files in CIRCLES}
    wrong += [f"files in a circle: {' '.join(sorted(circle))}" for circle in circles if circle not in known]
    wrong += [f"no circle any more: {' '.join(sorted(circle))}" for circle in known - set(circles)]
    print("\n".join(wrong + [f"{len(calls)} files, {len(circles)} circles"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
