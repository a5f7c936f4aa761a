# SPDX-License-Identifier: Apache-2.0
"""What the tests with real debuggers share: a server, gdb, a raw client, the recorded truth."""
import gzip
import importlib
import json
import os
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

from material import SKIPPED, shared

CSREPLAY = os.environ["CSREPLAY"]
SOURCE = os.environ["CSREPLAY_SOURCE"]
GDBINIT = os.path.join(SOURCE, "gdbinit")
LLDBINIT = os.path.join(SOURCE, "lldbinit")
GDB = "gdb-multiarch"
LLDB = "lldb-22"
# Options of a gdb that writes $trace_pos and has no gdbinit: with the cache the stub refuses where memory differs.
UNCACHED = ["-ex", "set stack-cache off"]


def main():
    """Runs the tests of the script. One that is skipped is told, and a script of which nothing
    failed and something was skipped is skipped: ctest has no other way to say so."""
    program = unittest.main(verbosity=2, argv=sys.argv[:1], exit=False)
    for test, reason in program.result.skipped:
        print(f"SKIPPED: {test.id().removeprefix('__main__.')}: {reason}", flush=True)
    if not program.result.wasSuccessful():
        sys.exit(1)
    if program.result.testsRun == 0:
        sys.exit("no tests")
    sys.exit(SKIPPED if program.result.skipped else 0)


def own_state(test):
    """Until the test ends, csreplay keeps marks and histories in a folder of the test's own."""
    environment = unittest.mock.patch.dict(os.environ, XDG_STATE_HOME=test.enterContext(tempfile.TemporaryDirectory()))
    test.enterContext(environment)


class Crash:
    """A snapshot with its program and what really was executed: "example", a name of corpus/crashes or corpus/programs, or
    "m_PROGRAM_LEVEL" or "mtasks_PROGRAM_LEVEL", which is a Cortex-M3 (recorded_m.py), or
    "atasks_PROGRAM_LEVEL", "rtasks_PROGRAM_LEVEL", "amodes_PROGRAM_LEVEL" or "ahandover_PROGRAM_LEVEL", a Cortex-A9 (recorded_a.py)."""

    def __init__(self, name):
        self.name = name
        self.is_m = name.startswith(("m_", "mtasks_"))
        if self.is_m or name.startswith(("atasks_", "rtasks_", "amodes_", "ahandover_")):
            # which most tests have no use for
            recorder = importlib.import_module("recorded_m" if self.is_m else "recorded_a")
            self.recording = recorder.make(name)
            self.folder = self.recording.name
            self.program = os.path.join(self.folder, "elf")
        elif name == "example":
            self.folder = os.path.join(SOURCE, "examples", "sensorhub")
            self.program = os.path.join(self.folder, "sensorhub.elf")
        else:
            crashes = shared("corpus", "crashes")
            self.folder = shared("corpus", "crashes" if name in os.listdir(crashes) else "programs", name)
            self.program = os.path.join(self.folder, "program.elf")

    def is_a64(self):
        """False: of A32 or T32 code, by the program's e_machine."""
        with open(self.program, "rb") as file:
            return struct.unpack("<H", file.read(20)[18:])[0] == 183

    def arguments(self):
        return ["--image", self.program, self.folder]

    def pcs(self):
        """PC of each traced instruction, and last the PC of the crash."""
        if self.name == "example":
            return example_pcs(self.folder)
        return self.column("<Q", 0)

    def states(self):
        """PSTATE, CPSR or xPSR before each of them, of a recording."""
        return self.column("<I", 264)

    def truth(self):
        with open(os.path.join(self.folder, "truth.json"), encoding="utf-8") as file:
            return json.load(file)

    def column(self, form, offset):
        trace = self.truth()["trace"]
        with gzip.open(os.path.join(self.folder, "truth.bin.gz")) as file:
            records = file.read()
        last = len(records) // 272 - 1
        return [struct.unpack_from(form, records, 272 * i + offset)[0]
                for i in [*range(trace["first_index"], trace["last_index"] + 1), last]]


def example_pcs(folder):
    """The example's truth has one line a run: first address and number of instructions."""
    pcs = []
    with gzip.open(os.path.join(folder, "truth.gz"), "rt") as file:
        for line in file:
            start, count = line.split()
            pcs += [int(start, 16) + 4 * i for i in range(int(count))]
    with open(os.path.join(folder, "cpu_0.ini"), encoding="utf-8") as file:
        halt = int(re.search(r"^PC\(size:64\)=(\w+)", file.read(), re.MULTILINE)[1], 0)
    return pcs if pcs[-1] == halt else pcs + [halt]


class Server:
    """`csreplay serve` on a free port, or on what `listen` says."""

    def __init__(self, arguments, listen="127.0.0.1:0", once=False):
        options = ["--listen", listen] + (["--once"] if once else [])
        self.process = subprocess.Popen([CSREPLAY, "serve", *options, *arguments],
                                        stderr=subprocess.PIPE, text=True)
        self.messages = []
        for line in self.process.stderr:
            self.messages.append(line)
            if line.startswith("listening on "):
                self.address = line.split()[-1]
                return
        raise AssertionError("the server did not start: " + "".join(self.messages))

    def stop(self, number=signal.SIGTERM):
        """Ends the server and returns its exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self):
        self.messages += self.process.stderr.readlines()
        self.process.stderr.close()
        return self.process.wait(timeout=30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None and self.stop() != 0:
            raise AssertionError("the server ended badly: " + "".join(self.messages))


# What a debugger says of what went wrong: no test passes over such a line that it does not expect.
GDB_ERRORS = re.compile(
    r"(?i)traceback \(most recent|python exception|error occurred in python|remote failure reply|"
    r"error in (sourced|testing)|packet error|cannot access memory|could not (write|fetch) register|"
    r"remote connection closed|remote communication error|connection (timed out|refused|reset)|"
    r"internal-error|a problem internal|^warning: |bogus|truncated register|malformed|timed out|"
    r"unrecognized|undefined (command|info)|no symbol |no registers|not being run|no frame|no stack|"
    r"(value|register .*) is not available|cannot (execute|insert|find|compute|set|remove)|"
    r"could not (insert|remove)|invalid |unable to|reply (contains|is)|no such|not supported|"
    r"does not support|a syntax error|previous frame (inner|identical)|backtrace stopped|"
    r"load failed|^error|unexpected")
# What is none: sources that are not there or were checked out later, what gdb advises on without a
# program of its own.
HARMLESS = (r"^\d+\t.*: No such file or directory\.$",
            r"^warning: Source file is more recent than executable\.$",
            r"^warning: File transfers from remote targets",
            r"^warning: No executable has been specified and target does not support$")
# What gdb says where memory of the past, or a register, is not known, if a test expects that.
UNKNOWN_MEMORY = (r"<error reading variable: (Cannot access memory|value is not available)",
                  r"<error: Cannot access memory",
                  r"^Backtrace stopped: (Cannot access memory|not enough registers)")
LLDB_ERRORS = re.compile(r"(?i)^error|traceback|assertion|lost connection|no such|packet .* failed")


def unexpected(pattern, out, allowed):
    """Lines of the output that tell of an error, but for those that the test expects."""
    return [line for line in out.splitlines() if pattern.search(line)
            and not any(re.search(one, line) for one in (*HARMLESS, *allowed))]


def check_output(name, done, pattern, allowed):
    """What it printed. It has to end with 0, or with 1 if its last command may fail."""
    if done.returncode not in ((0, 1) if allowed else (0,)):
        raise AssertionError(f"{name} ended with {done.returncode}:\n{done.stdout[-2000:]}")
    lines = unexpected(pattern, done.stdout, allowed)
    if lines:
        raise AssertionError(f"{name} said:\n" + "\n".join(lines[:20]))
    return done.stdout


def gdb(target, commands, program=None, options=(), log=None, allowed=()):
    """Runs gdb in batch mode and returns all that it printed. A command that fails does not end
    the rest; one that is a list is a block of lines, such as a loop. A line that tells of an error
    has to be one of `allowed`, regular expressions."""
    first = ["set confirm off", "set pagination off", "set width 0", "set tcp connect-timeout 30",
             "set remotetimeout 60"]
    if log:
        first.append(f"set remotelogfile {log}")
    arguments = [GDB, "-nx", "-batch", *options]
    for command in first + ([f"target remote {target}"] if target else []):
        arguments += ["-ex", command]
    with tempfile.TemporaryDirectory() as folder:
        for i, command in enumerate(commands):
            if isinstance(command, str):
                arguments += ["-ex", command]
                continue
            script = os.path.join(folder, f"{i}.gdb")
            with open(script, "w", encoding="utf-8") as file:
                file.write("\n".join(command) + "\n")
            arguments += ["-x", script]
        done = subprocess.run(arguments + ([program] if program else []), text=True, timeout=280,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False)
    return check_output("gdb", done, GDB_ERRORS, allowed)


def mi(target, commands, program=None):
    """Runs gdb as a front end does, and returns all that it printed."""
    process = subprocess.Popen([GDB, "-nx", "-q", "--interpreter=mi3", *([program] if program else [])],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    out = []
    for line in ("-gdb-set confirm off", f"-target-select remote {target}", *commands):
        process.stdin.write(line + "\n")
        process.stdin.flush()
        # A resume answers ^running and then *stopped; anything else ^done, ^error...
        wanted = r"\*stopped" if line.startswith("-exec") else r"\^(done|error|connected)"
        for text in process.stdout:
            out.append(text)
            if re.match(wanted, text) or text.startswith("^error"):
                break
    process.stdin.close()
    process.stdout.close()
    process.wait(timeout=60)
    return "".join(out)


def lldb(commands, allowed=()):
    """Runs lldb in batch mode and returns all that it printed."""
    arguments = [LLDB, "--no-lldbinit", "--no-use-colors", "-b"]
    for command in commands:
        arguments += ["-o", command]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120, check=False, stdin=subprocess.DEVNULL)
    return check_output("lldb", done, LLDB_ERRORS, allowed)


def loop(count, *commands):
    """A block that runs the commands `count` times."""
    return ["set $i = 0", f"while $i < {count}", *commands, "set $i = $i + 1", "end"]


def packets(log):
    """The packets that gdb sent, from its remotelogfile."""
    with open(log, encoding="latin-1") as file:
        return [found[1] for line in file if line.startswith("w ")
                for found in re.finditer(r"\$((?:[^#$])*)#[0-9a-f]{2}", line)]


def frame(payload):
    """The frame of a payload of bytes."""
    body = b"".join(b"}" + bytes([c ^ 0x20]) if c in b"#$}*" else bytes([c]) for c in payload)
    return b"$" + body + b"#%02x" % (sum(body) & 0xff)


class Client:
    """A raw client for what a debugger would never send."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=30)
        self.buffer = b""

    def send(self, data):
        self.socket.sendall(data)

    def payload(self):
        """The next packet's payload; acknowledgements are skipped and none are sent."""
        while True:
            found = re.search(rb"\$([^#]*)#..", self.buffer, re.DOTALL)
            if found:
                self.buffer = self.buffer[found.end():]
                return re.sub(rb"}(.)", lambda m: bytes([m[1][0] ^ 0x20]), found[1],
                              flags=re.DOTALL)
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionError("the server closed the connection")
            self.buffer += data

    def ask(self, text):
        self.send(frame(text.encode()))
        return self.payload().decode("latin-1")

    def move(self, packet):
        """(reply, what was said on the console before it)"""
        reply, said = self.ask(packet), ""
        while reply.startswith("O") and reply != "OK":
            said += bytes.fromhex(reply[1:]).decode()
            reply = self.payload().decode("latin-1")
        return reply, said

    def monitor(self, line):
        """What a command of the console says, to a client that keeps nothing: a seek goes there at once."""
        return self.move("qRcmd," + ("--reread " + line).encode().hex())[1]

    def number_of(self, name):
        """Number of a register in the target description."""
        description = self.ask("qXfer:features:read:target.xml:0,ffff")
        number = -1
        for reg in re.findall(r"<reg ([^>]*)/>", description):
            given = re.search(r'regnum="(\d+)"', reg)
            number = int(given[1]) if given else number + 1
            if f'name="{name}"' in reg:
                return number
        raise AssertionError("no " + name)

    def silent(self, seconds):
        """True if nothing comes."""
        return not self.buffer and not select.select([self.socket], [], [], seconds)[0]

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
