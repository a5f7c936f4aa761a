# SPDX-License-Identifier: Apache-2.0
"""What it costs to rebuild the values of the past."""
import os

import inputs
import measure
from lines import rate
from table import Line, seconds, times

CRASHES = ("hash_corrupt_O1", "list_null_O1", "parser_recurse_O2", "str_glibc_O2", "uaf_alloc_O0")
LONG = inputs.RECORDED // 2  # instructions; what is wanted in time is wanted of so many
SPEED = 10e6
BYTES = 32
FIRST = 0.020
MILLION = 0.100


def crashes(bench):
    for name in CRASHES:
        path = os.path.join(bench.inputs.shared, "corpus", "crashes", name)
        if not os.path.isdir(path):
            raise inputs.Missing(f"corpus/crashes/{name} is not beside the project")
        yield name, path


def figures(bench, path):
    done = measure.run([bench.ours.values, path], keep=True)
    if done.code != 0:
        raise measure.Failed(f"bench_values: {done.errors.strip()}")
    return {name: int(value) for name, value in
            (line.split() for line in done.output.decode().splitlines())}


def lines_of(name, f):
    count = f["instructions"]
    solve = f["solve"] / 1e9
    each = f["solve_bytes"] / count
    yield Line("values of the past, to the fixed point", name,
               f"{rate(count, solve)} instructions, {seconds(solve)}, "
               f"{f['solve_runs'] / count:.3g} runs of each",
               f"{seconds(f['open'] / 1e9)} for the decode", times(solve / (f["open"] / 1e9)),
               f">= {SPEED / 1e6:.0f} M/s", count / solve >= SPEED, solve)
    if count >= LONG:
        million = solve * LONG / count
        yield Line("... 1 M instructions of it", name, seconds(million),
                   wanted=f"< {seconds(MILLION)}", met=million < MILLION, figure=million)
    yield Line("... memory of the window", name, f"{each:.3g} B an instruction",
               wanted=f"<= {BYTES} B", met=each <= BYTES, figure=each)
    yield Line("... all registers after the attach", name, seconds(f["first"] / 1e9),
               f"{seconds(f['first_grown'] / 1e9)} in a grown window",
               wanted=f"< {seconds(FIRST)}", met=f["first"] / 1e9 < FIRST, figure=f["first"] / 1e9)


def values(bench):
    for name, path in crashes(bench):
        yield from lines_of(name, figures(bench, path))
    yield from lines_of("long.c -O2", figures(bench, bench.inputs.recorded()))
