#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program as a whole on snapshots that are damaged: no abort, no report of a sanitizer, nothing over
10 seconds or 2 GiB, no other exit status than documented.

usage: whole.py CSREPLAY [runs=N] [seconds=N] [seed=N] [keep=FOLDER] [gdb=N] [SNAPSHOT ...]

One to four files of a copy of a snapshot (by default the bundled example) are changed: bits, bytes, numbers
of texts, lines, parts left out, doubled or exchanged. Every command then runs on it, and a server that a
debugger's packets are sent to, some of them damaged too; with every N-th gdb itself (`gdb=N`, 0: never).
What fails is printed with its command, and the snapshot kept in FOLDER.
"""
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 10  # seconds
MEMORY = 2048  # MiB
FINE = (0, 1, 2)  # exit statuses; 3 is an internal error
REPORT = re.compile(r"Sanitizer|runtime error|DEADLYSIGNAL|Assertion")
NUMBER = re.compile(rb"0x[0-9A-Fa-f]+|\d+")
NUMBERS = (b"0", b"1", b"0xffffffffffffffff", b"0x8000000000000000", b"0x7fffffff", b"-1", b"", b"99999999999999999999")
GDB_SCRIPT = ("bt", "info registers", "reverse-stepi", "reverse-continue", "info threads", "x/8gx $sp",
              "continue", "monitor info", "monitor origin pc", "monitor gaps", "monitor stack")
PACKETS = (b"qSupported:multiprocess+;swbreak+;ReverseStep+", b"?", b"g", b"qXfer:features:read:target.xml:0,fff",
           b"qfThreadInfo", b"Hg1", b"p0", b"m400000,40", b"m5500800c00,100", b"bs", b"bs", b"bc", b"vCont;s:1",
           b"vCont;c", b"Z2,401648,8", b"bc", b"z2,401648,8", b"qRcmd," + b"info".hex().encode(),
           b"qRcmd," + b"why x0".hex().encode(), b"qRcmd," + b"origin x0".hex().encode(),
           b"qRcmd," + b"last-write sp".hex().encode(), b"qRcmd," + b"trust assumed".hex().encode(), b"g",
           b"qRcmd," + b"stack".hex().encode(), b"qXfer:memory-map:read::0,fff", b"qCRC:400000,100", b"k")


def commands(questions):
    return (["info"], ["info", "--format", "json"], ["check"], ["check", "--format", "json"],
            ["decode"], ["history", "--count", "50", "--registers"],
            ["history", "--from", "39900", "--format", "json"], ["export", "--count", "200"], ["calls"],
            ["state", "--batch", questions], ["why", "--of", "x0"], ["origin", "--of", "x0"],
            ["last-write", "--of", "sp"], ["writes", "--of", "x0"], ["reads", "--of", "x0"],
            ["values-of", "--of", "x0"], ["shell", "-c", "info; back 10; registers; stack; crash"])


def limited(has_sanitizer):
    """In the child. What is built with sanitizers reserves more addresses than there is memory: it has a
    limit of its own (ENVIRONMENT)."""
    if not has_sanitizer:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY << 20, MEMORY << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=%d:allocator_may_return_null=1:detect_leaks=1" % MEMORY,
               "UBSAN_OPTIONS": "print_stacktrace=1"}


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


def damage(folder, generator):
    names = sorted(os.listdir(folder))
    for name in generator.sample(names, min(len(names), generator.choice((1, 1, 2, 4)))):
        path = os.path.join(folder, name)
        with open(path, "rb") as file:
            data = file.read()
        for _ in range(generator.choice((1, 1, 3))):
            data = (change_text if name.endswith(".ini") else change_bytes)(data, generator)
        with open(path, "wb") as file:
            file.write(data)


def conversation(generator):
    """What a debugger sends, framed; it takes every reply for right."""
    sent = b""
    for packet in PACKETS:
        packet = bytearray(packet)
        if generator.randrange(20) == 0:
            packet[generator.randrange(len(packet))] = generator.randrange(256)
        body = bytes(packet)
        sent += b"$%s#%02x+" % (body, sum(body) & 0xff)
    return sent


class Run:
    def __init__(self, csreplay, folder, questions, generator):
        self.csreplay = csreplay
        with open(csreplay, "rb") as file:
            self.has_sanitizer = b"__asan_init" in file.read()
        self.folder = folder
        self.questions = questions
        self.generator = generator
        self.failures = []
        self.count = 0

    def one(self, arguments, program=None, allowed=FINE, **more):
        command = program or [self.csreplay, *arguments, "--threads", "1", self.folder]
        if program is None and arguments[0] in ("check", "decode"):
            command = [self.csreplay, *arguments, self.folder]
        self.count += 1
        try:
            done = subprocess.run(command, capture_output=True, timeout=LIMIT, check=False, env=ENVIRONMENT,
                                  preexec_fn=lambda: limited(self.has_sanitizer), **more)
        except subprocess.TimeoutExpired:
            self.failures.append("over %d seconds: %s" % (LIMIT, " ".join(command)))
            return
        err = done.stderr.decode(errors="replace")
        if done.returncode not in allowed or REPORT.search(err):
            self.failures.append("exit %d: %s\n%s" % (done.returncode, " ".join(command), err[-3000:]))

    def all(self, with_gdb):
        for arguments in commands(self.questions):
            self.one(arguments)
        self.one(["serve", "--listen", "stdio"], input=conversation(self.generator))
        if with_gdb:
            steps = [part for line in ("target remote | %s serve --listen stdio --threads 1 %s"
                                       % (self.csreplay, self.folder), *GDB_SCRIPT) for part in ("-ex", line)]
            self.one([], ["gdb-multiarch", "-nx", "-batch", "-ex", "set confirm off", *steps], (0, 1))


def main():
    options = {"runs": "1", "seconds": "0", "seed": "1", "keep": "", "gdb": "0"}
    options.update(argument.split("=", 1) for argument in sys.argv[2:] if "=" in argument)
    here = os.path.dirname(os.path.abspath(__file__))
    sources = [argument for argument in sys.argv[2:] if "=" not in argument] or [
        os.path.join(here, "..", "..", "examples", "sensorhub")]
    end = time.monotonic() + int(options["seconds"])
    number, ran, failed, gdb = 0, 0, 0, int(options["gdb"])
    with tempfile.TemporaryDirectory() as scratch:
        questions = os.path.join(scratch, "questions")
        with open(questions, "w", encoding="ascii") as file:
            file.writelines("%d\t%s\n" % (at, what) for at in (-1, -2, -100, 5)
                            for what in ("PC", "X0", "SP", "m401648"))
        while number < int(options["runs"]) or time.monotonic() < end:
            seed = int(options["seed"]) + number
            generator = random.Random(seed)
            folder = os.path.join(scratch, "snapshot")
            shutil.copytree(sources[number % len(sources)], folder, ignore=shutil.ignore_patterns("*.gz", "*.json"),
                            copy_function=shutil.copyfile)
            os.chmod(folder, 0o755)
            damage(folder, generator)
            run = Run(os.path.abspath(sys.argv[1]), folder, questions, generator)
            run.all(gdb > 0 and number % gdb == 0)
            number += 1
            ran += run.count
            failed += bool(run.failures)
            for failure in run.failures:
                print("seed=%d: %s" % (seed, failure), flush=True)
            if run.failures and options["keep"]:
                shutil.copytree(folder, os.path.join(options["keep"], str(seed)), dirs_exist_ok=True)
            shutil.rmtree(folder)
    print("%d snapshots, %d runs, %d snapshots failed" % (number, ran, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
