#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as a whole on snapshots that are damaged: no abort, no report of a sanitizer, no exit status that is not documented;
of a command line at most 10 seconds of a processor and 2 GiB.

usage: whole.py FOLDERS [csreplay=CSREPLAY] [gdb=N] [runs=N] [seconds=N] [seed=N] [keep=FOLDER] [synth=SYNTH] [shared=SHARED]

One to four times a file of a small snapshot (bases.py), of any kind it has, is changed: bits, bytes, numbers of texts, lines, parts left out, doubled or
exchanged; some folders are then packed. FOLDERS (folders.c) runs all command lines on each, the server with packets among them. Every
N-th (`gdb=N`, 0: none) is then served by CSREPLAY to a gdb, which stays for many of them. What fails is printed, and its
snapshot kept in FOLDER; `runs=1` with its seed repeats it.
"""
import collections
import os
import random
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

import bases

LIMIT = 10  # seconds of a command of gdb
MEMORY = 2048  # MiB
EACH_GDB = 200  # snapshots that one gdb is used for: it keeps what it read of each
TOLD = 100  # snapshots between two lines of counts
REPORT = re.compile(r"Sanitizer|runtime error|DEADLYSIGNAL|does not hold")
NUMBER = re.compile(rb"0x[0-9A-Fa-f]+|\d+")
NUMBERS = (b"0", b"1", b"0xffffffffffffffff", b"0x8000000000000000", b"0x7fffffff", b"-1", b"", b"99999999999999999999")
GDB_SETTINGS = ("set confirm off", "set pagination off", "set width 0", "set debuginfod enabled off")
GDB_SCRIPT = ("bt", "info registers", "reverse-stepi", "reverse-continue", "info threads", "x/8gx $sp", "stepi",
              "continue", "monitor info", "monitor origin pc", "monitor gaps", "monitor stack", "disconnect")
COMMON = "allocator_may_return_null=1:detect_leaks=1:handle_abort=1:quarantine_size_mb=2:malloc_context_size=6"


def change_text(data, generator):
    lines = data.split(b"\n")
    at = generator.randrange(len(lines))
    kind = generator.randrange(4)
    if kind == 0:
        found = list(NUMBER.finditer(data))
        if found:
            which = generator.choice(found)
            return data[:which.start()] + generator.choice(NUMBERS) + data[which.end():]
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines.insert(generator.randrange(len(lines)), lines[at])
    else:
        other = generator.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)


def change_bytes(data, generator):
    if not data:
        return b"\x00"
    data = bytearray(data)
    # The first bytes of a file say how the rest is read.
    most = min(len(data), 256) if generator.randrange(2) else len(data)
    for _ in range(generator.choice((1, 1, 4, 16))):
        at = generator.randrange(most)
        kind = generator.randrange(4)
        if kind == 0:
            data[at] ^= 1 << generator.randrange(8)
        elif kind == 1:
            data[at] = generator.choice((0, 1, 0x7f, 0x80, 0xff))
        elif kind == 2:
            data[at:at + 4] = generator.choice((b"\xff" * 4, b"\0" * 4, b"\0\0\0\x80"))
        else:
            data[at] = generator.randrange(256)
    kind = generator.randrange(10)
    if kind == 0:
        del data[generator.randrange(len(data)):]
    elif kind == 1:
        at = generator.randrange(len(data))
        data[at:at] = data[at:at + generator.randrange(64)]
    return bytes(data)


def kind_of(files, name):
    data = files[name]
    if name.endswith(".ini"):
        return "ini"
    if data.startswith(b"\x7fELF"):
        return "core file" if len(files) == 1 else "ELF"
    if len(files) == 1:
        return "archive" if name.endswith((".tar", ".gz", ".xz", ".zip")) else "Tarmac"
    return "trace" if name in bases.traces(files) else "dump"


def weight(name, files):
    """How often it is taken: folders more often than texts, of which there are more, and rather those with an ELF file."""
    if name in bases.LARGE:
        return 1
    if len(files) == 1:
        return 3
    return 60 if any(data.startswith(b"\x7fELF") for data in files.values()) else 12


def damage(files, generator):
    """The same with some of it changed, and the kinds of files that were."""
    changed, kinds, names = dict(files), set(), collections.defaultdict(list)
    for name in sorted(files):
        names[kind_of(files, name)].append(name)
    for _ in range(generator.choice((1, 1, 2, 4))):
        kind = generator.choice(sorted(names))
        name = generator.choice(names[kind])
        kinds.add(kind)
        for _ in range(generator.choice((1, 1, 3))):
            is_text = kind == "ini" or kind == "Tarmac" and generator.randrange(4) > 0
            changed[name] = (change_text if is_text else change_bytes)(changed[name], generator)
    if len(files) > 1 and generator.randrange(8) == 0:
        kinds.add("archive")
        changed = {"packed.zip": bases.zipped(changed)} if generator.randrange(2) else {"packed.tar": bases.tar(changed)}
    return changed, kinds


def write(files, folder):
    """Returns the snapshot's path."""
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
    return os.path.join(folder, *files) if len(files) == 1 else folder


class Folders:
    """The program's command lines, all of them in a process for each snapshot."""

    def __init__(self, program, scratch):
        self.said = open(os.path.join(scratch, "said"), "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen([program, scratch], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said,
                                        text=True, env={**os.environ, "ASAN_OPTIONS": COMMON})
        self.longest, self.most = (0.0, 0, ""), (0, "")

    def failure(self, path, changes, seed):
        self.said.seek(0)
        self.said.truncate()
        self.process.stdin.write(f"{path}\t{changes.hex()}\n")
        self.process.stdin.flush()
        status, seconds, command, memory = self.process.stdout.readline().split()
        self.longest = max(self.longest, (float(seconds), int(command), f"seed {seed}"))
        self.most = max(self.most, (int(memory), f"seed {seed}"))
        self.said.seek(0)
        said = self.said.read()
        if status != "0" or REPORT.search(said) or int(memory) > MEMORY:
            return (f"status {status} after command line {command}, its {seconds} s of a processor, {memory} MiB:\n{said[-5000:]}")
        return None

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
        self.said.close()


class Gdb:
    """One gdb that a server after the other is started for."""

    def __init__(self, csreplay, scratch):
        self.csreplay, self.scratch = os.path.abspath(csreplay), scratch
        self.reports = os.path.join(scratch, "report")
        self.process, self.used, self.died, self.longest = None, 0, 0, (0.0, "", "")

    def start(self):
        options = f"{COMMON}:hard_rss_limit_mb={MEMORY}:log_path={self.reports}"
        self.process = subprocess.Popen(
            ["gdb-multiarch", "-nx", "-q"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.scratch,
            env={**os.environ, "ASAN_OPTIONS": options, "UBSAN_OPTIONS": f"log_path={self.reports}", "XDG_STATE_HOME": self.scratch})
        self.used = 0
        self.ask(";".join(GDB_SETTINGS).split(";"))

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process = None

    def wait(self, mark):
        """Until gdb wrote it; what it wrote before that, or None if it took too long or ended."""
        end, said = time.monotonic() + LIMIT, b""
        while mark not in said:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                return None
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            if not data:
                return None
            said += data
        return said

    def ask(self, commands):
        """The command that was not answered in time, or None."""
        for number, command in enumerate(commands):
            begin, mark = time.monotonic(), f"@@{self.used}.{number}@@"
            self.process.stdin.write(f"{command}\necho {mark}\\n\n".encode())
            self.process.stdin.flush()
            # Alone: gdb may write warnings of what it reads for a prompt between the mark and its end of line.
            if self.wait(mark.encode()) is None:
                return command
            self.longest = max(self.longest, (time.monotonic() - begin, command.split()[0], self.csreplay))
        return None

    def has_ended(self):
        """Of its own: it closes its output a little before it is gone."""
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            return False
        return True

    def look(self, path):
        """The command that was not answered in time, if gdb itself has not ended, or None."""
        if not self.process or self.used == EACH_GDB:
            self.stop()
            self.start()
        self.used += 1
        server = f"target remote | {self.csreplay} serve --listen stdio --threads 1 {path}"
        try:
            late = self.ask(("file", server, *GDB_SCRIPT))
        except BrokenPipeError:
            late = "gdb"
        ended = late and self.has_ended()
        if late:
            self.stop()
        self.died += bool(ended)
        return None if ended else late

    def failure(self, path):
        # The time is that of a clock: a machine that was busy is given another chance, with a new gdb.
        late = self.look(path) and self.look(path)
        for name in os.listdir(self.scratch):
            if name.startswith("report."):
                report = os.path.join(self.scratch, name)
                with open(report, encoding="utf-8", errors="replace") as file:
                    said = file.read()
                os.unlink(report)
                return "the server of gdb:\n" + said[-5000:]
        return f"gdb: over {LIMIT} seconds, twice: {late}" if late else None


class Count:
    def __init__(self, folders, gdb):
        self.folders, self.gdb = folders, gdb
        self.snapshots = self.debugged = self.failed = 0
        self.kinds, self.begin = collections.Counter(), time.monotonic()

    def tell(self):
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.kinds.items()))
        print(f"{self.snapshots} snapshots ({kinds}), {self.debugged} with gdb, {self.failed} failed; longest command line "
              f"{self.folders.longest}, of gdb {self.gdb.longest[:2]}, most memory in MiB {self.folders.most}, "
              f"gdb itself ended {self.gdb.died} times; {time.monotonic() - self.begin:.0f} s", flush=True)


def run(count, found, options, scratch, seed):
    generator = random.Random(seed)
    names = sorted(found)
    name = generator.choices(names, [weight(name, found[name]) for name in names])[0]
    files, kinds = damage(found[name], generator)
    folder = os.path.join(scratch, "snapshot")
    path = write(files, folder)
    changes = generator.randbytes(3 * generator.choice((0, 0, 1, 4)))
    failures = [count.folders.failure(path, changes, seed)]
    if int(options["gdb"]) and seed % int(options["gdb"]) == 0:
        failures.append(count.gdb.failure(path))
        count.debugged += 1
    failures = [failure for failure in failures if failure]
    for failure in failures:
        print(f"seed={seed} {name}: {failure}", flush=True)
    if failures and options["keep"]:
        shutil.copytree(folder, os.path.join(options["keep"], str(seed)), dirs_exist_ok=True)
    count.snapshots += 1
    count.failed += bool(failures)
    count.kinds.update(kinds)


def main():
    options = {"runs": "0", "seconds": "0", "seed": "1", "keep": "", "gdb": "0", "csreplay": "", "synth": "", "shared": ""}
    options.update(argument.split("=", 1) for argument in sys.argv[2:])
    end = time.monotonic() + int(options["seconds"])
    found = bases.bases(options["synth"], options["shared"])
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as scratch:
        folders, gdb = Folders(os.path.abspath(sys.argv[1]), scratch), Gdb(options["csreplay"], scratch)
        count = Count(folders, gdb)
        while count.snapshots < int(options["runs"]) or time.monotonic() < end:
            run(count, found, options, scratch, int(options["seed"]) + count.snapshots)
            if count.snapshots % TOLD == 0:
                count.tell()
        folders.stop()
        gdb.stop()
    count.tell()
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
