# SPDX-License-Identifier: Apache-2.0
"""The lines of the benchmark: each function measures one thing and yields its lines."""
import os
import pty
import re
import select
import signal
import statistics
import subprocess
import time

import inputs
import measure
import programs
from table import Line, seconds, size, times

TIMES = 32  # repetitions of the 1 MiB buffer
BUGFIX = "bugfix-exact-match"
RESIDENT_MOST = 2 * inputs.GIB
# Beyond this a program is out of the question; the limit keeps the machine alive.
DATA_LIMIT = 3 * inputs.GIB


class Bench:
    """What all lines share: the programs, the snapshots, and what was measured already."""

    def __init__(self, root, ours, base, snapshots, folder, quick):
        self.root = root
        self.ours = ours
        self.base = base
        self.programs = [ours] + ([base] if base else [])
        self.inputs = snapshots
        self.folder = folder
        self.quick = quick
        self.memory = {}
        self.waited = 1.0

    def reference_cost(self, cost):
        """Seconds of the reference: of the processor, not of the wall. It has one thread and reads
        cached files, so on an idle machine they are the same, and on a busy one its wall time
        would make our ratio better than it is."""
        self.waited = max(self.waited, cost.waited)
        return min(cost.cpu, cost.wall)

    def repetitions(self, full, quick):
        return quick if self.quick else full

    def once(self, key, make):
        """What make() gave when this was first asked for."""
        if key not in self.memory:
            self.memory[key] = make()
        return self.memory[key]

    def runs(self):
        """INSTR_RANGE elements of bugfix-exact-match."""
        return self.once("runs", lambda: programs.reference_runs(self.inputs.bugfix(1),
                                                                 self.folder))

    def opens(self):
        """The whole open with one thread and with two, and the reference on one repetition."""
        return self.once("opens", self.measure_opens)

    def measure_opens(self):
        snapshot = self.inputs.bugfix(TIMES)
        commands = {"reference": need_reference(self.inputs.bugfix(1))}
        for program in self.programs:
            for threads in (1, 2) if program.has_threads else (1,):
                commands[f"{program.name} {threads}"] = program.open(snapshot, threads)
        check_open(self, snapshot)
        return measure.interleaved(commands, self.repetitions(7, 3), cwd=self.folder)

    def session(self, program, times_over):
        """What bench_session says, name -> number; None if it does not build on the program."""
        if not program.session:
            return None
        return self.once(("session", program.name, times_over),
                         lambda: self.run_session(program, times_over))

    def run_session(self, program, times_over):
        snapshot = self.inputs.bugfix_once(times_over)
        runs = []
        for _ in range(self.repetitions(5, 2)):
            done = measure.run([program.session, snapshot, inputs.ONCE_ADDRESS], keep=True)
            if done.code != 0:
                raise measure.Failed(f"bench_session: {done.errors.strip()}")
            runs.append(dict(line.split() for line in done.output.decode().splitlines()))
        return {name: statistics.median(float(run[name]) for run in runs) for name in runs[0]}


def need_reference(snapshot):
    command = programs.reference(snapshot)
    if not command:
        raise inputs.Missing(f"{programs.REFERENCE} is not installed "
                             f"({programs.REFERENCE_PACKAGE})")
    return command


def instructions_of(output):
    """The sum of the instruction counts in the core table of `csreplay info`."""
    rows = re.search(r"\ncores\n.*\n((?:  .*\n)+)", output.decode())
    if not rows:
        return 0
    return sum(int(re.split(r"  +", row.strip())[6]) for row in rows[1].splitlines())


def check_open(bench, snapshot):
    """A fast open that decodes nothing must not win: the instructions are counted, against those
    of one repetition. Joints between repetitions cost some or bring some."""
    got = {}
    for path in (snapshot, bench.inputs.bugfix(1)):
        done = measure.run(bench.ours.open(path), keep=True)
        got[path] = instructions_of(done.output)
    wanted = got[bench.inputs.bugfix(1)] * TIMES
    if not 0.99 * wanted < got[snapshot] < 1.01 * wanted:
        raise measure.Failed(f"{got[snapshot]} instructions instead of about {wanted}")
    bench.memory["instructions"] = got[snapshot]


def rate(count, cost):
    return f"{count / cost / 1e6:.3g} M/s"


def cost_of(costs, name):
    cost = costs.get(name)
    return cost.wall if cost else None


def one_thread(bench):
    costs = bench.opens()
    cost = costs["ours 1"]
    runs = bench.runs()
    reference = bench.reference_cost(costs["reference"])
    ratio = reference * TIMES / cost.wall
    yield Line("whole open, one thread" + ("" if bench.ours.has_threads else " (no --threads)"),
               f"{BUGFIX} x{TIMES}",
               f"{rate(runs * TIMES, cost.wall)} runs, {seconds(cost.wall)}, "
               f"cpu {seconds(cost.cpu)}",
               f"{rate(runs, reference)} runs, {seconds(reference)} for x1",
               times(ratio), ">= 140 x", ratio >= 140, cost.wall, cost_of(costs, "base 1"))


def two_threads(bench):
    costs = bench.opens()
    if "ours 2" not in costs:
        yield Line("whole open, two threads", f"{BUGFIX} x{TIMES}", "no option --threads",
                   wanted=">= 1.8 x", met=False)
        return
    one = costs["ours 1"].wall
    two = costs["ours 2"]
    yield Line("whole open, two threads", f"{BUGFIX} x{TIMES}",
               f"{seconds(two.wall)}, cpu {seconds(two.cpu)}", f"{seconds(one)} with one thread",
               times(one / two.wall), ">= 1.8 x", one / two.wall >= 1.8, two.wall,
               cost_of(costs, "base 2"))


def decode(bench):
    snapshot = bench.inputs.bugfix(TIMES)
    need_reference(snapshot)
    commands = {"reference": programs.reference_print(bench.inputs.bugfix(1))}
    for program in bench.programs:
        commands[program.name] = program.decode(snapshot)
    costs = measure.interleaved(commands, bench.repetitions(3, 1), cwd=bench.folder)
    ours = costs["ours"]
    reference = bench.reference_cost(costs["reference"])
    ratio = reference * TIMES / ours.wall
    yield Line("decode to /dev/null", f"{BUGFIX} x{TIMES}",
               f"{seconds(ours.wall)}, cpu {seconds(ours.cpu)}",
               f"{seconds(reference)} for x1", times(ratio), ">= 10 x", ratio >= 10, ours.wall,
               cost_of(costs, "base"))


def history_bytes(session):
    """Bytes that the process has more of its own than before session_open(), after it or after
    the searches and seeks, whichever is more."""
    return max(session["opened_kib"], session["used_kib"]) * 1024


def per_instruction(session):
    return history_bytes(session) / session["instructions"] if session else None


def memory(bench):
    session = bench.session(bench.ours, TIMES)
    got = per_instruction(session)
    yield Line("memory of the history, all indexes", f"{BUGFIX} x{TIMES}",
               f"{got:.3f} B an instruction; {size(session['opened_kib'] * 1024)} opened, "
               f"{size(session['used_kib'] * 1024)} when used",
               wanted="<= 1 B", met=got <= 1, figure=got,
               base=per_instruction(bench.session(bench.base, TIMES)) if bench.base else None)
    opened = measure.run(bench.ours.open(bench.inputs.bugfix(TIMES)))
    yield Line("peak resident memory of the open", f"{BUGFIX} x{TIMES}",
               f"{size(opened.resident)}, 32 MiB of it may be the trace file",
               figure=opened.resident)


def huge_line(bench, form, snapshot):
    """One open of 4 GiB; it is ended when it allocates too much or takes too long."""
    limit = bench.repetitions(900, 120)
    done = measure.run(bench.ours.open(snapshot), keep=True, data_limit=DATA_LIMIT,
                       seconds=limit, watch=True)
    opened = done.code == 0
    if opened:
        how = f"in {seconds(done.wall)}, {instructions_of(done.output) / 1e6:.4g} M instructions"
    elif done.code < 0:
        how = f"not within {limit} s"
    else:
        how = f"refused after {seconds(done.wall)}: {done.errors.strip()[-60:]}"
    return Line(f"open of 4 GiB, {form}", f"{BUGFIX} {form}",
                f"{size(done.resident)} resident at most (own {size(done.anonymous)}, "
                f"mapped {size(done.mapped)}), {how}",
                wanted="<= 2 GiB", met=opened and done.resident <= RESIDENT_MOST,
                figure=done.resident)


def huge(bench):
    yield huge_line(bench, "sparse", bench.inputs.sparse())
    if not bench.quick:
        yield huge_line(bench, "dense", bench.inputs.dense())


def read_terminal(master, until, stop):
    """What the terminal shows until stop(text) or the time `until`."""
    text = ""
    while time.monotonic() < until and not stop(text):
        if not select.select([master], [], [], 0.01)[0]:
            continue
        try:
            data = os.read(master, 4096)
        except OSError:
            break
        if not data:
            break
        text += data.decode("utf-8", "replace")
    return text


def press_ctrl_c(process, master):
    """Waits for progress, lets it work for a second and interrupts it: what was shown before,
    what after, and how long it took to end."""
    def has_progress(text):
        return "%" in text
    before = read_terminal(master, time.monotonic() + 30, has_progress)
    before += read_terminal(master, time.monotonic() + 1, lambda text: False)
    if process.poll() is not None:
        raise measure.Failed("the open ended before it could be interrupted")
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    after = ""
    while process.poll() is None and time.monotonic() < begin + 60:
        after += read_terminal(master, time.monotonic() + 0.002, lambda text: False)
    took = time.monotonic() - begin
    after += read_terminal(master, time.monotonic() + 0.2, lambda text: False)
    return before, after, took


def ctrl_c(bench):
    # A long open is needed, and that of the dense buffer is the longest.
    yield from ctrl_c_lines(bench, bench.inputs.dense(), "the open of 4 GiB", f"{BUGFIX} dense")


def ctrl_c_lines(bench, snapshot, what, on):
    """An open that is interrupted, and whether it had shown progress."""
    master, slave = pty.openpty()
    process = subprocess.Popen(bench.ours.open(snapshot), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=slave, start_new_session=True)
    os.close(slave)
    try:
        before, after, took = press_ctrl_c(process, master)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(master)
    words = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", after).replace("\r", "\n")
    said = [line.strip() for line in words.split("\n") if line.strip() and "%" not in line]
    shown = "%" in before
    yield Line(f"Ctrl-C in {what}", on,
               f"{seconds(took)}, exit {process.returncode}, "
               f"says {said[-1][:60]!r}" if said else
               f"{seconds(took)}, exit {process.returncode}, says nothing",
               wanted="<= 1 s and a sentence", met=took <= 1 and bool(said), figure=took)
    yield Line("progress on a terminal", on, "shown" if shown else "none",
               wanted="shown", met=shown)


def attach_once(program, snapshot, threads=None):
    """Seconds from the start of the process to the reply to the first `?`, and the most memory that
    it had up to there."""
    begin = time.monotonic()
    with subprocess.Popen([program.csreplay, "serve", "--listen", "stdio", "--once",
                           *program.threads(threads), snapshot], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b"+$?#3f")
        process.stdin.flush()
        reply = b""
        while not re.search(rb"\$[TS][^#]*#..", reply):
            data = os.read(process.stdout.fileno(), 4096)
            if not data:
                raise measure.Failed("serve ended without a stop reply")
            reply += data
        took = time.monotonic() - begin
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            most = int(re.search(r"VmHWM:\s+(\d+) kB", file.read())[1]) * 1024
    return took, most


def attach(bench):
    snapshot = bench.inputs.bugfix(1)
    reference = need_reference(snapshot)
    taken = {program.name: [] for program in bench.programs}
    runs = []
    for turn in range(bench.repetitions(15, 5)):
        for program in bench.programs:
            taken[program.name].append(attach_once(program, snapshot)[0])
        if turn % 3 == 0:
            runs.append(measure.run(reference, cwd=bench.folder))
    medians = {name: statistics.median(of) for name, of in taken.items()}
    ours = medians["ours"]
    cost = bench.reference_cost(measure.Cost(runs))
    ratio = cost / ours
    yield Line("attach: start to first stop reply", f"{BUGFIX} x1", seconds(ours),
               seconds(cost), times(ratio), ">= 10 x", ratio >= 10, ours,
               medians.get("base"))


def first_search(bench, program, times_over):
    """The slower of the first search and the usual one, in seconds."""
    session = bench.session(program, times_over) if program else None
    return max(session["search_first"], session["search_median"]) / 1e9 if session else None


def search(bench):
    long = first_search(bench, bench.ours, TIMES)
    short = first_search(bench, bench.ours, 1)
    session = bench.session(bench.ours, TIMES)
    if session["search_found_at"] != 0 or not session["continues_found"]:
        raise measure.Failed("the oldest instruction was not found")
    yield Line("reverse-continue to the oldest instruction", f"{BUGFIX} x{TIMES}", seconds(long),
               wanted="<= 10 ms", met=long <= 0.010, figure=long,
               base=first_search(bench, bench.base, TIMES))
    yield Line("... against a history 32 times shorter", f"{BUGFIX} x{TIMES}, x1", seconds(long),
               f"{seconds(short)} on x1", times(long / short), "<= 2 x", long <= 2 * short)
    base = bench.session(bench.base, TIMES) if bench.base else None
    yield Line(f"... with {session['continue_count']:.0f} continues, a stop at each gap",
               f"{BUGFIX} x{TIMES}", seconds(session["continues"] / 1e9),
               figure=session["continues"] / 1e9, base=base["continues"] / 1e9 if base else None)
    silence = session["search_silence"] / 1e9
    answer = min(silence, long)
    yield Line("interrupt during that search", f"{BUGFIX} x{TIMES}",
               f"asked for every {seconds(silence)}" if silence < long else
               f"the search is over in {seconds(long)}",
               wanted="<= 100 ms", met=answer <= 0.1, figure=answer)


REQUESTS = (
    ("step_back_at_end", "bs at the halt"),
    ("step_back_anywhere", "bs anywhere"),
    ("step_back_at_begin", "bs at the oldest instruction"),
    ("continue_back_at_begin", "bc at the oldest instruction"),
    ("continue_at_end", "c at the halt"),
    ("seek", "seek to any position"),
)


def requests(bench):
    session = bench.session(bench.ours, TIMES)
    base = bench.session(bench.base, TIMES) if bench.base else None
    for name, what in REQUESTS:
        median = session[name + "_median"] / 1e9
        most = session[name + "_99"] / 1e9
        yield Line(what, f"{BUGFIX} x{TIMES}", f"{seconds(median)}, 99 % {seconds(most)}",
                   wanted="<= 50 us", met=most <= 50e-6, figure=median,
                   base=base[name + "_median"] / 1e9 if base else None)


def protocol_lines(bench, source):
    """ETMv3 and PTM: the reference on 1 MiB, ours on 32; scaled by bytes."""
    long = bench.inputs.small(source, 32 * inputs.MIB)
    short = bench.inputs.small(source, inputs.MIB)
    commands = {"reference": need_reference(short)}
    for program in bench.programs:
        commands[program.name] = program.open(long, 1)
        commands[program.name + " decode"] = program.decode(long)
    costs = measure.interleaved(commands, bench.repetitions(5, 2), cwd=bench.folder)
    factor = inputs.trace_bytes(long) / inputs.trace_bytes(short)
    reference = bench.reference_cost(costs["reference"])
    for name, what, wanted in (("", "whole open, one thread", 10),
                               (" decode", "decode to /dev/null", None)):
        cost = costs["ours" + name]
        ratio = reference * factor / cost.wall
        yield Line(what, f"{source} 32 MiB", f"{seconds(cost.wall)}, cpu {seconds(cost.cpu)}",
                   f"{seconds(reference)} for 1 MiB", times(ratio),
                   f">= {wanted} x" if wanted else "-", ratio >= wanted if wanted else None,
                   cost.wall, cost_of(costs, "base" + name))


def protocols(bench):
    for source in inputs.SMALL:
        yield from protocol_lines(bench, source)
