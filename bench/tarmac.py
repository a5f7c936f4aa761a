# SPDX-License-Identifier: Apache-2.0
"""What it costs to read Tarmac text and to open it."""
import os
import re

import inputs
import lines
import measure
import wire
from table import Line, seconds, size, times

TIMES = 150
# The indexer of Arm's tarmac-trace-utilities, as given; it is not run here.
INDEXER_SPEED = 29  # MB per CPU second
INDEXER_INSTRUCTIONS = 0.22  # millions per CPU second
INDEXER_MEMORY = 365  # MB, for this text
FASTER = 10
SMALLER = 4
MB = 1000000
# The text is mapped; no more of it than this may be resident beside the index.
MAPPED_MOST = 64 * inputs.MIB
SHORT = "calculator-aarch64 x150"
HUGE = "calculator-aarch64 4 GiB"


def count_of(output):
    """The instructions that tarmac_print counted."""
    found = re.search(rb"(?m)^kind instruction (\d+)$", output)
    return int(found[1]) if found else 0


def check(name, got, wanted):
    """What reads less than all of it must not win."""
    if got != wanted:
        raise measure.Failed(f"{name}: {got} instructions instead of {wanted}")


def costs_of(bench, path, instructions):
    """The reader and the opens in turns, each when it was seen to read everything."""
    reader = [bench.ours.reader, "count", path]
    check("tarmac_print", count_of(measure.run(reader, keep=True).output), instructions)
    opened = measure.run(bench.ours.open(path), keep=True)
    check("info", lines.instructions_of(opened.output), instructions)
    commands = {"reader": reader, "ours": bench.ours.open(path)}
    # A base may be older than the reader.
    if bench.base and measure.run(bench.base.open(path)).code == 0:
        commands["base"] = bench.base.open(path)
    return measure.interleaved(commands, bench.repetitions(9, 3), cwd=bench.folder)


def speed_line(what, cost, path, instructions, wanted):
    speed = os.path.getsize(path) / MB / cost.wall
    ratio = speed / INDEXER_SPEED
    return Line(what, SHORT,
                f"{speed:.0f} MB/s, {lines.rate(instructions, cost.wall)} instructions, "
                f"{seconds(cost.wall)}, cpu {seconds(cost.cpu)}",
                f"{INDEXER_SPEED} MB/s, {INDEXER_INSTRUCTIONS} M/s per CPU second (given)",
                times(ratio), f">= {wanted} x" if wanted else "-",
                ratio >= wanted if wanted else None, cost.wall)


def memory_line(what, resident):
    return Line(what, SHORT, f"{resident / MB:.3g} MB", f"{INDEXER_MEMORY} MB (given)",
                f"1/{INDEXER_MEMORY * MB / resident:.3g}", f"<= 1/{SMALLER}",
                resident <= INDEXER_MEMORY * MB / SMALLER, resident)


def serve_peak(bench, path):
    """The most resident memory of a server that was asked where it is and went to the start."""
    module = wire.serving(bench.ours, bench.root)
    with module.Server([path]) as server, module.Client(server.address) as client:
        for packet in (b"?", b"bc"):
            client.send(module.frame(packet))
            if not wire.stop_reply(client).startswith((b"T", b"S")):
                raise measure.Failed(f"serve: no stop reply to {packet.decode()}")
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024


def huge_line(bench, path, instructions):
    done = measure.run(bench.ours.open(path), keep=True, data_limit=lines.DATA_LIMIT, seconds=900,
                       watch=True)
    if done.code != 0:
        raise measure.Failed(f"info: exit {done.code}: {done.errors.strip()[-300:]}")
    check("info", lines.instructions_of(done.output), instructions)
    text = os.path.getsize(path)
    return Line("open of 4 GiB of Tarmac", HUGE,
                f"{seconds(done.wall)}, cpu {seconds(done.cpu)}, {text / MB / done.wall:.0f} MB/s; "
                f"{size(done.resident)} resident at most, without mapped pages "
                f"{size(done.anonymous)} ({done.anonymous / instructions:.3g} B an instruction), "
                f"mapped {size(done.mapped)}",
                wanted=f"<= 2 GiB, <= {size(MAPPED_MOST)} mapped",
                met=done.resident <= lines.RESIDENT_MOST and done.mapped <= MAPPED_MOST,
                figure=done.resident)


def tarmac(bench):
    path, instructions = bench.inputs.tarmac(TIMES)
    costs = costs_of(bench, path, instructions)
    bench.waited = max([bench.waited] + [cost.waited for cost in costs.values()])
    yield speed_line("Tarmac: the reader alone", costs["reader"], path, instructions, FASTER)
    opened = speed_line("Tarmac: whole open", costs["ours"], path, instructions, None)
    opened.base = lines.cost_of(costs, "base")
    yield opened
    yield memory_line("Tarmac: peak resident memory of info", costs["ours"].resident)
    yield memory_line("Tarmac: ... of serve, after ? and bc", serve_peak(bench, path))
    with bench.inputs.tarmac_huge(TIMES) as (huge, count):
        yield huge_line(bench, huge, count)
        yield from lines.ctrl_c_lines(bench, huge, "the open of 4 GiB of Tarmac", HUGE)
