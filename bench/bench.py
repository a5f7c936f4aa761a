#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures csreplay against the reference and prints the table; scripts/bench builds and calls it.

    bench.py --build FOLDER [--quick] [--base COMMIT] [--only LINE]... [--record]
"""
import argparse
import datetime
import os
import platform
import sys

import inputs
import lines
import measure
import programs
import real
import stops
import tarmac
import values
import wire
from table import Line, table

# --only NAME -> what measures it; in the order of the table.
MEASURES = {
    "open": lines.one_thread,
    "threads": lines.two_threads,
    "decode": lines.decode,
    "memory": lines.memory,
    "huge": lines.huge,
    "ctrl-c": lines.ctrl_c,
    "attach": lines.attach,
    "search": lines.search,
    "requests": lines.requests,
    "protocols": lines.protocols,
    "real": real.real,
    "kinds": real.kinds,
    "tarmac": tarmac.tarmac,
    "values": values.values,
    "wire": wire.wire,
    "stops": stops.stops,
}
BUSY = 1.1
NOTES = """\
Times are medians of runs in turns. Ours are wall clock, beside it cpu, user and system time;
those of the reference are cpu, lest a busy machine make it slower than it is. The reference is
`trc_pkt_lister` {version} with `-decode_only -profile -logfilename /dev/null` (without `-profile`
for decode), run on the buffer once (TC2 and tc2-ptm-rstk-t32: on 1 MiB) and scaled by bytes.
1.3.3 ignores `-profile`: it formats every element, also where csreplay prints none. A history's
memory is what the process has more of its own than before session_open(), when opened or when
used. The times of requests are taken in the process, without the wire (`bench_session`), from
request to known PC. "The oldest instruction" is at {once}, which a piece of trace before the
repetitions executes, and nothing else does; the search from the halt to there passes every gap at
once, where a debugger's continue stops at each. The reference of Tarmac is the indexer of Arm's
tarmac-trace-utilities. It cannot be installed here and is not run: {indexer_speed} MB/s,
{indexer_instructions} M instructions and {indexer_memory} MB are given figures, of 93 MB as ours
are; the speeds are per CPU second, ours per second of the wall. "The
reader alone" is `tarmac_print count`: it reads each line, counts, and adds up."""


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true",
                        help="fewer repetitions, and no open of the dense 4 GiB to its end")
    parser.add_argument("--base", metavar="COMMIT", help="measure this commit too and compare")
    parser.add_argument("--only", metavar="LINE", action="append", choices=MEASURES,
                        help="only this: " + ", ".join(MEASURES) + "; may be repeated")
    parser.add_argument("--record", action="store_true", help="write bench/RESULTS.md")
    options = parser.parse_args()
    if options.record and options.only:
        parser.error("--record is for all lines")
    return options


def skipped(name, why):
    return Line(name, "-", f"SKIPPED: {why}")


def failed(name, why):
    return Line(name, "-", f"FAILED: {why}", met=False)


def measure_all(bench, names):
    for name in names:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        try:
            yield from MEASURES[name](bench)
        except inputs.Missing as missing:
            yield skipped(name, missing)
        except (measure.Failed, OSError, AssertionError) as failure:
            yield failed(name, failure)


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def heading(root, options, base):
    commit = programs.commit_of(root, "HEAD") or "unknown"
    if not programs.is_clean(root):
        commit += " with changes"
    text = [f"machine: {processor()}, {os.cpu_count()} processors, {platform.system()} "
            f"{platform.release()}",
            f"date: {datetime.date.today().isoformat()}", f"commit: {commit}"]
    if base:
        text.append(f"base: {programs.commit_of(root, options.base)}")
    if options.quick:
        text.append("quick: fewer repetitions")
    return "\n".join("* " + line for line in text) + "\n"


def busy(bench):
    """A warning if a program of one thread had to wait for the processor."""
    if bench.waited <= BUSY:
        return ""
    return ("* THE MACHINE WAS BUSY: the wall time of a program of one thread was up to "
            f"{bench.waited:.2f} times its cpu time; our wall times, ratios and changes are not to "
            "be relied on\n")


def record(root, text):
    path = os.path.join(root, "bench", "RESULTS.md")
    with open(path, "w", encoding="utf-8") as file:
        file.write("# Results\n\nWritten by `scripts/bench --record`; `README.md` says what the "
                   "lines mean.\n\n" + text)


def main():
    options = arguments()
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    shared = os.environ.get("CSREPLAY_SHARED", os.path.join(root, "..", "shared"))
    data = os.path.join(options.build, "data")
    snapshots = inputs.Inputs(data, shared, os.path.join(options.build, "tests", "synth", "synth"))
    base = programs.build_base(root, os.path.join(options.build, "base"),
                               options.base) if options.base else None
    bench = lines.Bench(root, programs.this_tree(options.build), base, snapshots, data,
                        options.quick)
    names = [name for name in MEASURES if not options.only or name in options.only]
    got = list(measure_all(bench, names))
    notes = NOTES.format(version=programs.reference_version(), once="0x" + inputs.ONCE_ADDRESS,
                         indexer_speed=tarmac.INDEXER_SPEED,
                         indexer_instructions=tarmac.INDEXER_INSTRUCTIONS,
                         indexer_memory=tarmac.INDEXER_MEMORY)
    text = "\n".join([heading(root, options, base) + busy(bench), table(got, base), notes, ""])
    print(text)
    if options.record:
        record(root, text)
    missed = sum(line.met is False for line in got)
    print(f"{missed} of {sum(line.met is not None for line in got)} lines not met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
