# SPDX-License-Identifier: Apache-2.0
"""Runs programs and says what they cost: wall time, processor time, memory."""
import os
import resource
import signal
import statistics
import subprocess
import tempfile
import threading
import time


# How a program may end; all others with 0. With -profile OpenCSD 1.8.0 prints statistics when it
# has decoded all, and some builds of it fault in that.
ENDS = {"reference": (0, -signal.SIGSEGV)}


class Failed(Exception):
    """A program did not do what was to be measured."""


class Run:
    """One run of a program."""

    def __init__(self, code, wall, usage, output, errors, peaks):
        self.code = code
        self.wall = wall
        self.cpu = usage.ru_utime + usage.ru_stime
        self.resident = usage.ru_maxrss * 1024
        self.output = output
        self.errors = errors
        self.anonymous = peaks.get("RssAnon:", 0)
        self.mapped = peaks.get("RssFile:", 0)


def watch_memory(pid, peaks, done):
    """Keeps the highest of what the system says of the process, in bytes, until `done`."""
    while not done.wait(0.01):
        try:
            with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
                for line in file:
                    name = line.split(None, 1)[0]
                    if name in ("RssAnon:", "RssFile:"):
                        peaks[name] = max(peaks.get(name, 0), int(line.split()[1]) * 1024)
        except OSError:
            return


def run(argv, keep=False, cwd=None, data_limit=None, seconds=None, watch=False):
    """Runs a program to its end. `keep` keeps its output, which goes to /dev/null otherwise;
    `data_limit` is how many bytes it may allocate; after `seconds` it is killed."""
    def limit():
        resource.setrlimit(resource.RLIMIT_DATA, (data_limit, data_limit))

    output = tempfile.TemporaryFile() if keep else open(os.devnull, "w+b")
    done = threading.Event()
    peaks = {}
    with output, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=errors,
                                   cwd=cwd, preexec_fn=limit if data_limit else None)
        watcher = threading.Thread(target=watch_memory, args=(process.pid, peaks, done))
        killer = threading.Timer(seconds or 3600, process.kill)
        killer.start()
        if watch:
            watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - begin
        killer.cancel()
        done.set()
        process.returncode = os.waitstatus_to_exitcode(status)
        if watch:
            watcher.join()
        for file in (output, errors):
            file.seek(0)
        return Run(process.returncode, wall, usage, output.read() if keep else b"",
                   errors.read().decode("utf-8", "replace"), peaks)


class Cost:
    """The medians of several runs of one program."""

    def __init__(self, runs):
        self.wall = statistics.median(r.wall for r in runs)
        self.cpu = statistics.median(r.cpu for r in runs)
        self.resident = max(r.resident for r in runs)
        self.errors = runs[0].errors
        # What a program of one thread waited for the processor; more than 1 on a busy machine.
        self.waited = self.wall / self.cpu if self.cpu else 1.0


def interleaved(commands, repetitions, **options):
    """Name -> argv becomes name -> Cost. The programs take turns, so that what the machine does
    meanwhile hits all of them alike; the first turn warms the caches and does not count."""
    runs = {name: [] for name in commands}
    for turn in range(repetitions + 1):
        for name, argv in commands.items():
            done = run(argv, **options)
            if done.code not in ENDS.get(name, (0,)):
                raise Failed(f"{name}: exit {done.code}: {done.errors.strip()[-300:]}")
            if turn > 0:
                runs[name].append(done)
    return {name: Cost(of) for name, of in runs.items()}
