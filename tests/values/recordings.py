# SPDX-License-Identifier: Apache-2.0
"""Recordings of programs under qemu: a folder with its log, with memory at the start and at the end,
and with what check_values has to be told of them.

Where CSREPLAY_RECORDINGS is a folder, recordings stay there, by what they were made of: sources,
commands, and the scripts. Who finds one there needs neither compiler nor emulator.
"""
import contextlib
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
# What all recordings depend on.
MADE_BY = ("recordings.py", "programs.py", "programs/main.c", "programs/m_main.c", "programs/m.ld",
           "programs/program.h")
ELF_IN_MEMORY = "elf"
ABOUT, LOG, PACKED = "about.json", "log", "log.gz"


class Skipped(Exception):
    """Why there can be no recording here."""


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Skipped("%s is not there" % tool)


def major_of(text):
    found = re.search(r"\b(\d+)\.\d+", text)
    return found[1] if found else "?"


def tools_of(compiler, emulator):
    """What a program and its recording depend on, beside what is in this tree."""
    done = subprocess.run([compiler, "-E", "-dM", "-x", "c", "-"], text=True, capture_output=True,
                          input="#if __STDC_HOSTED__ && __has_include(<features.h>)\n"
                                "#include <features.h>\n#endif\n", check=True)
    found = dict(re.findall(r"^#define (__GNUC__|__GLIBC__|__GLIBC_MINOR__) (\d+)$", done.stdout, re.M))
    text = "%s %s" % (os.path.basename(compiler), found.get("__GNUC__", "?"))
    if "__GLIBC__" in found:
        text += ", glibc %s.%s" % (found["__GLIBC__"], found["__GLIBC_MINOR__"])
    done = subprocess.run([emulator, "--version"], text=True, capture_output=True, check=True)
    return "%s, qemu %s" % (text, major_of(done.stdout))


def write_about(folder, tools, arguments):
    """`arguments` of check_values; in them `log` is the log, other files are those of the folder."""
    with open(os.path.join(folder, ABOUT), "w", encoding="ascii") as f:
        json.dump({"tools": tools, "arguments": arguments}, f)


def emulate(command, folder, **more):
    """Starts qemu there. Its environment lies on the program's stack: it has none."""
    return subprocess.Popen([shutil.which(command[0])] + command[1:], cwd=folder, env={}, **more)


def emulate_program(command, rounds, folder, **more):
    """Starts qemu user mode for `elf`. The C library looks up its path and leaves it in the heap and
    in registers; it is to have none, so that recordings are the same wherever they are made."""
    with open(os.path.join(folder, "elf"), "rb") as f:
        elf = f.read()
    with open(os.memfd_create(ELF_IN_MEMORY), "wb", buffering=0) as f:
        f.write(elf)
        fd = fcntl.fcntl(f, fcntl.F_DUPFD, 100)  # three digits: the name is on the stack
        try:
            return emulate(command + ["-0", "elf", "-seed", "1", "-singlestep", "-D", LOG,
                                      "/proc/self/fd/%d" % fd, str(rounds)], folder, pass_fds=[fd],
                           **more)
        finally:
            os.close(fd)


def key_of(what, sources):
    text = hashlib.sha256(json.dumps(what).encode())
    for path in [os.path.join(HERE, name) for name in MADE_BY] + sources:
        with open(path, "rb") as f:
            text.update(hashlib.sha256(f.read()).digest())
    return text.hexdigest()[:32]


def keep(folder, place):
    """Moves a recording to its place, unless another test was faster."""
    subprocess.run(["gzip", "-1", os.path.join(folder, LOG)], check=True)
    new = "%s.%d" % (place, os.getpid())
    shutil.copytree(folder, new)
    try:
        os.rename(new, place)
    except OSError:
        shutil.rmtree(new)


@contextlib.contextmanager
def recorded(what, sources, make):
    """The folder of a recording. `what`, JSON, and the files `sources` tell it from others;
    make(folder) makes it in an empty folder, or raises Skipped."""
    kept = os.environ.get("CSREPLAY_RECORDINGS", "")
    place = os.path.join(os.path.abspath(kept), key_of(what, sources)) if kept else ""
    if place and os.path.isdir(place):
        yield place
        return
    with tempfile.TemporaryDirectory() as folder:
        make(folder)
        if place:
            os.makedirs(kept, exist_ok=True)
            keep(folder, place)
        yield place or folder


def about(folder):
    with open(os.path.join(folder, ABOUT), encoding="ascii") as f:
        return json.load(f)


@contextlib.contextmanager
def log_of(folder):
    """The log, to be read."""
    if os.path.exists(os.path.join(folder, LOG)):
        with open(os.path.join(folder, LOG), "rb") as f:
            yield f
        return
    with subprocess.Popen(["gzip", "-dc", os.path.join(folder, PACKED)],
                          stdout=subprocess.PIPE) as unpack:
        yield unpack.stdout


def score(check, folder, requests):
    """Exit code of check_values and what it printed."""
    arguments = ["/dev/stdin" if a == LOG else a for a in about(folder)["arguments"]]
    with log_of(folder) as log:
        done = subprocess.run([os.path.abspath(check)] + requests + arguments, stdin=log, cwd=folder,
                              stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout
