# SPDX-License-Identifier: Apache-2.0
"""Traces as boards make them, full of timestamps, gaps and cycle counts: the whole open with one
thread and with two, and the listing, against the reference; and 4 GiB of each."""
import os
import re
import shutil
import tempfile

import inputs
import measure
import programs
from lines import RESIDENT_MOST, attach_once
from table import Line, seconds, size, times

# Snapshot, its buffer, how often that is repeated, times faster than the reference that is wanted.
SOURCES = (
    ("bugfix-exact-match", "cstrace.bin", 32, 40),
    ("tc2-ptm-rstk-t32", "PTM_0_2.bin", 300, 20),
    ("juno_r1_1", "cstrace.bin", 128, 10),
    ("TC2", "cstrace.bin", 256, 10),
)
THREADS = 1.8
LISTING = 10
MADE = 800  # repetitions of the recorded program: 100 MB
LONG = 16  # times as much, of which what a byte of trace costs in memory is seen


def trace_size(snapshot, buffer):
    return os.path.getsize(os.path.join(snapshot, buffer))


def counted(program, snapshot):
    """Instructions of the machine that an open with one thread takes; None without valgrind."""
    if not shutil.which("valgrind"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counts")
        done = measure.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}",
                            *program.open(snapshot, 1)])
        if done.code != 0:
            raise measure.Failed(f"valgrind: {done.errors.strip()[-200:]}")
        with open(out, encoding="ascii", errors="replace") as file:
            found = re.search(r"^(?:totals|summary): (\d+)", file.read(), re.M)
    return int(found[1])


def threads_line(on, one, two):
    ratio = one / two
    return Line("... two threads, wall", on, seconds(two), f"{seconds(one)} with one",
                times(ratio), f">= {THREADS} x", ratio >= THREADS, two)


def open_lines(bench, source, buffer, count, wanted):
    snapshot = bench.inputs.repeated(source, buffer, count)
    commands = {"reference": programs.reference(snapshot)}
    for program in bench.programs:
        commands[program.name] = program.open(snapshot, 1)
        commands[program.name + " 2"] = program.open(snapshot, 2)
    if not commands["reference"]:
        del commands["reference"]
    costs = measure.interleaved(commands, bench.repetitions(5, 2), cwd=bench.folder)
    one, two = costs["ours"], costs["ours 2"]
    on = f"{source} x{count}"
    count = counted(bench.ours, snapshot)
    text = f"cpu {seconds(one.cpu)}" + (f", {count / 1e6:,.0f} M instructions" if count else "")
    if "reference" in costs:
        reference = bench.reference_cost(costs["reference"])
        ratio = reference / one.cpu
        yield Line("whole open, cpu", on, text, f"cpu {seconds(reference)}", times(ratio),
                   f">= {wanted} x", ratio >= wanted, one.cpu,
                   costs["base"].cpu if "base" in costs else None)
    else:
        yield Line("whole open, cpu", on, text, "SKIPPED", wanted=f">= {wanted} x")
    yield threads_line(on, one.wall, two.wall)


def made_line(bench):
    """A recorded program, interrupted all the time: no two pieces of its trace are alike."""
    snapshot = bench.inputs.interrupted(bench.repetitions(MADE, MADE // 10))
    commands = {"reference": programs.reference(snapshot), "1": bench.ours.open(snapshot, 1),
                "2": bench.ours.open(snapshot, 2)}
    if not commands["reference"]:
        raise inputs.Missing(f"{programs.REFERENCE} is not there")
    costs = measure.interleaved(commands, bench.repetitions(3, 1), cwd=bench.folder)
    on = f"bench/long.c, interrupted, {size(trace_size(snapshot, 'trace.bin'))}"
    theirs = bench.reference_cost(costs["reference"])
    yield Line("whole open, cpu", on, f"cpu {seconds(costs['1'].cpu)}, "
               f"{size(costs['1'].resident)} resident", f"cpu {seconds(theirs)}",
               times(theirs / costs["1"].cpu), figure=costs["1"].cpu)
    yield threads_line(on, costs["1"].wall, costs["2"].wall)


def listing_line(bench, source, buffer, count):
    """Of so much that the reference takes a second or more."""
    snapshot = bench.inputs.repeated(source, buffer, count)
    commands = {"ours": bench.ours.decode(snapshot)}
    reference = programs.reference_print(snapshot)
    if not reference:
        raise inputs.Missing(f"{programs.REFERENCE} is not there")
    commands["reference"] = reference
    costs = measure.interleaved(commands, bench.repetitions(3, 1), cwd=bench.folder)
    theirs = bench.reference_cost(costs["reference"])
    ratio = theirs / costs["ours"].cpu
    yield Line("listing to /dev/null, cpu", f"{source} x{count}", seconds(costs["ours"].cpu),
               seconds(theirs), times(ratio), f">= {LISTING} x", ratio >= LISTING,
               costs["ours"].cpu)


def long_lines(bench, source, buffer, count):
    """Of more trace: two threads, and what a byte of it costs in memory. What does not depend on
    its length is the program, its images, and the window of values at the halt."""
    short = bench.inputs.repeated(source, buffer, count)
    long = bench.inputs.repeated(source, buffer, LONG * count)
    costs = measure.interleaved({"1": bench.ours.open(long, 1), "2": bench.ours.open(long, 2)},
                                bench.repetitions(3, 1))
    on = f"{source} x{LONG * count}"
    yield threads_line(on, costs["1"].wall, costs["2"].wall)
    opened = measure.run(bench.ours.open(short, 1))
    sizes = [trace_size(path, buffer) for path in (short, long)]
    resident = costs["1"].resident
    slope = (resident - opened.resident) / (sizes[1] - sizes[0])
    yield Line("resident", on,
               f"{size(resident)} of {size(sizes[1])} of trace; {size(opened.resident)} of "
               f"{size(sizes[0])}", ratio=f"{slope:.2f} B a byte", wanted="<= 1 x the trace",
               met=slope <= 1, figure=resident)


def real(bench):
    for source, buffer, count, wanted in SOURCES:
        yield from open_lines(bench, source, buffer, count, wanted)
        yield from long_lines(bench, source, buffer, count)
        yield from listing_line(bench, source, buffer, count // 8)
    yield from made_line(bench)


def kinds(bench):
    """4 GiB of each; the input is removed afterwards."""
    for source, buffer, _, _ in SOURCES:
        snapshot = bench.inputs.snapshot(
            f"{source}-4g", source, buffer,
            lambda file, data: inputs.repeat(file, data * (inputs.MIB // len(data) or 1),
                                             4 * inputs.GIB // max(len(data), inputs.MIB)))
        try:
            took, most = attach_once(bench.ours, snapshot, 2)
        finally:
            shutil.rmtree(snapshot)
        yield Line("first answer of 4 GiB, two threads", source,
                   f"{seconds(took)}, {size(most)} resident at most", wanted="<= 2 GiB",
                   met=most <= RESIDENT_MOST, figure=most)
