#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server under fire: conversations with a live session, each with a client of its own, one server a snapshot and kind.

usage: live.py CSREPLAY [runs=N] [seconds=N] [seed=N] [synth=SYNTH] [SNAPSHOT ...]

`valid` conversations are what a debugger may send, in random order, cut and merged, with interrupts between: each packet has
one answer that is sound; a register that is known at a position of a core never has another value there; the position is
where the moves say. `damaged` ones are the same with bytes changed, left out and added; then a sound packet is answered. A
snapshot is a folder of corpus/opencsd's kind or any other; by default the bundled example and, with `synth`, two cores.
Everything that a sanitizer says, an exit status, and an answer that takes the server over LIMIT seconds is a failure.
"""
import os
import random
import re
import select
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "support"))
import two_cores  # noqa: E402  (beside the tests)

LIMIT = 60  # seconds of the server's processor time; of a clock's, PATIENCE: the machine may have other work
PATIENCE = 15 * LIMIT
REPORT = re.compile(r"Sanitizer|runtime error|DEADLYSIGNAL|Assertion")
MOVES = ("bs", "bc", "vCont;c", "vCont;s:1", "c", "s", "vCont;r{pc},{pc4}:1;c", "vCont;s:{thread};c:1", "bs", "vCont;s:1")
LOOKS = ("?", "g", "qC", "qfThreadInfo", "qsThreadInfo", "qXfer:threads:read::0,1000", "qXfer:features:read:target.xml:0,3fff",
         "qXfer:exec-file:read:1:0,fff", "qXfer:memory-map:read::0,fff", "T{thread}", "Hg{thread}", "Hc{thread}", "Hc-1",
         "m{pc},4", "m{pc},40", "m{pc},{n}", "x{pc},{n}", "m{word},8", "m{word},{n}", "p{register}", "qCRC:{pc},10",
         "qThreadExtraInfo,{thread}", "qThreadStopInfo{thread}", "qOffsets", "qAttached", "qHostInfo", "qSymbol::", "vCont?",
         "P{trace}={place}", "P{trace}={place}", "Z0,{pc},4", "z0,{pc},4", "Z1,{pc},4", "z1,{pc},4", "Z2,{word},8", "z2,{word},8",
         "Z3,{word},4", "z3,{word},4", "Z4,{word},1", "z4,{word},1", "Z0,{pc},4;X6,2600002201327", "vFile:setfs:0",
         "Qbtrace:bts", "Qbtrace:off",
         "Qbtrace-conf:bts:size=0x1000", "qXfer:btrace-conf:read::0,fff", "qXfer:btrace:read:all:0,1fff",
         "qXfer:btrace:read:new:1fff,1fff", "qXfer:btrace:read:delta:0,fff", "G00", "M{word},1:00", "X{word},0:", "vMustReplyEmpty", "qTStatus", "jThreadsInfo")
# Of the console, what moves or shows and changes no value of the past.
SAYS = ("position", "seek {where}", "back {n}", "forward", "marks", "when", "time {where}", "events {where}", "gaps", "gaps all",
        "software-trace", "cores", "threads", "modules", "pointers 0x{word} 8", "crash", "info", "stack", "stack --raw 1 0",
        "calls", "up-in-time", "return", "origin {name}", "last-write {name}", "next-candidate", "writes {name}",
        "reads {name}", "values-of {name}", "next-write {name}", "previous-write {name}", "why {name}", "why -v {name}",
        "why 0x{word}", "set gap pass", "set gap stop", "set possible-writes skip", "set possible-writes stop",
        "set cores alone", "set cores together", "set cores always", "catch exception on", "catch exception off", "catch gap", "space", "help",
        "help --raw", "--reread seek {where}", "mark m{n}", "seek m{n}", "unmark m{n}", "", "no-such-command", "why", "seek")
CHANGES = ("trust assumed", "trust proved", "assume abi on", "assume abi off", "threads context", "threads core",
           "assume coherent on", "space core", "x core:0x{word} 8")
ENVIRONMENT = {**os.environ, "ASAN_OPTIONS": "hard_rss_limit_mb=3000:detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}


class Failure(Exception):
    pass


class Server:
    def __init__(self, csreplay, folder, scratch):
        self.log = tempfile.TemporaryFile("w+", dir=scratch)
        self.process = subprocess.Popen([csreplay, "serve", "--listen", "127.0.0.1:0", folder], stdout=subprocess.DEVNULL,
                                        stderr=self.log, env={**ENVIRONMENT, "XDG_STATE_HOME": scratch})
        end = time.monotonic() + 4 * LIMIT
        while True:
            found = re.search(r"listening on \S*:(\d+)", self.said())
            if found:
                break
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure("the server did not start:\n" + self.said())
            time.sleep(0.02)
        self.port = int(found[1])
        self.known = {}  # (core, position, register) -> what it was told to be

    def used(self):
        """Seconds of a processor; no end of them once it is gone."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return float("inf")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def check(self):
        if self.process.poll() is not None or REPORT.search(self.said()):
            self.process.kill()
            raise Failure(f"exit {self.process.wait()}:\n" + self.said()[-5000:])

    def stop(self):
        self.check()
        self.process.terminate()
        status = self.process.wait(timeout=LIMIT)
        if status != 0 or REPORT.search(self.said()):
            raise Failure(f"exit {status}:\n" + self.said()[-5000:])


def framed(payload):
    body = b"".join(b"}" + bytes([c ^ 0x20]) if c in b"#$}*" else bytes([c]) for c in payload)
    return b"$" + body + b"#%02x" % (sum(body) & 0xff)


class Client:
    def __init__(self, server, generator):
        self.server, self.random = server, generator
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def is_late(self, began):
        """Since `began`, of a clock and of the server's processor time."""
        return time.monotonic() - began[0] > PATIENCE or self.server.used() - began[1] > LIMIT

    def now(self):
        return time.monotonic(), self.server.used()

    def payload(self):
        began = self.now()
        while True:
            found = re.search(rb"\$([^#]*)#(..)", self.buffer, re.DOTALL)
            if found:
                self.buffer = self.buffer[found.end():]
                if sum(found[1]) & 0xff != int(found[2], 16):
                    raise Failure("a wrong sum")
                return re.sub(rb"}(.)", lambda m: bytes([m[1][0] ^ 0x20]), found[1], flags=re.DOTALL).decode("latin-1")
            try:
                data = self.socket.recv(1 << 16)
            except socket.timeout:
                if not self.is_late(began):
                    continue
                raise Failure(f"no answer in {LIMIT} seconds") from None
            if not data:
                raise Failure("the server closed the connection")
            self.buffer += data

    def answer(self):
        """The reply after what is said on the console."""
        while True:
            reply = self.payload()
            if not re.fullmatch("O[0-9a-f]+", reply):
                return reply

    def ask(self, packet):
        self.socket.sendall(framed(packet.encode("latin-1")))
        return self.answer()

    def send(self, data):
        """Cut into parts of random sizes, with the server between them now and then."""
        while data:
            size = self.random.choice((1, 3, 17, 200, 5000))
            self.socket.sendall(data[:size])
            data = data[size:]
            if self.random.randrange(10) == 0:
                time.sleep(0.001)

    def begin(self):
        self.ask("qSupported:multiprocess+;swbreak+;hwbreak+;ReverseStep+" if self.random.randrange(3) else "QStartNoAckMode")
        if self.random.randrange(2):
            self.ask("QStartNoAckMode")
        description, number, self.registers = self.ask("qXfer:features:read:target.xml:0,ffff"), -1, {}
        for reg in re.findall(r"<reg ([^>]*)/>", description):
            given = re.search(r'regnum="(\d+)"', reg)
            number = int(given[1]) if given else number + 1
            self.registers[re.search(r'name="([^"]*)"', reg)[1]] = number
        self.threads = re.findall(r'thread id="(\w+)"', self.ask("qXfer:threads:read::0,ffff"))
        self.number = {name: f"{n:x}" for name, n in self.registers.items()}

    def register(self, name):
        digits = self.ask("p" + self.number[name])
        return int.from_bytes(bytes.fromhex(digits), "little") if re.fullmatch("([0-9a-f]{2})+", digits) else None

    def learn(self):
        self.at = self.register("trace_pos")
        self.pc = self.register("pc")
        self.sp = self.register("sp")

    def filled(self, text):
        r = self.random
        pc = (self.pc or 0) + r.choice((0, 0, 4, -4, 0x40))
        return text.format(
            pc=f"{max(pc, 0):x}", pc4=f"{max(pc, 0) + 8:x}", thread=r.choice(self.threads), n=r.randrange(1, 200),
            word=f"{max((self.sp or 0x1000) + r.choice((0, 8, 64, -64, 4096)), 0) & ~7:x}",
            register=r.choice(list(self.number.values())), trace=self.number["trace_pos"],
            place=max(0, (self.at or 0) + r.choice((0, 1, -1, 100, -100, -5000))).to_bytes(8, "little").hex(),
            where=r.choice(("begin", "end", "50%", "-10", "+1", "back 3", "crash", "gap", "exception", "main#1", "@0", "#1")),
            name=r.choice(list(self.registers)))

    def packet(self, changes=False):
        kind = self.random.randrange(10)
        if kind < 3:
            return self.filled(self.random.choice(MOVES))
        if kind < 5:
            line = self.filled(self.random.choice(SAYS + (CHANGES if changes else ())))
            return "qRcmd," + line.encode().hex()
        return self.filled(self.random.choice(LOOKS))

    def consistent(self):
        """What registers are said to be here, held against what they were said to be at this place before."""
        core = self.ask("qC")
        if not core.startswith("QC"):
            raise Failure("qC: " + core)
        self.ask("Hg" + core[2:])
        self.learn()
        if self.at is None or self.pc is None and self.at > 0 and self.server.known.get((core, self.at, "pc")):
            raise Failure(f"{core}: no position, or no PC, at {self.at}")
        for name in ("pc", "sp", *self.random.sample(list(self.registers), min(4, len(self.registers)))):
            value = self.register(name)
            if value is not None and self.server.known.setdefault((core, self.at, name), value) != value:
                raise Failure(f"{core} {self.at} {name}: {value:x}, and before {self.server.known[core, self.at, name]:x}")

    def valid(self):
        self.begin()
        for _ in range(30):
            self.learn()
            burst = [self.packet() for _ in range(self.random.choice((1, 1, 2, 5)))]
            data = b"".join(framed(packet.encode()) + (b"\x03" if self.random.randrange(8) == 0 else b"") for packet in burst)
            self.send(data)
            for packet in burst:
                reply = self.answer()
                if packet in ("bs", "bc", "c", "s") or packet.startswith("vCont;"):
                    if not re.match(r"T[0-9a-f]{2}|E", reply) or re.search(r";[0-9a-f]+:x", reply):
                        raise Failure(f"{packet}: {reply}")
            self.consistent()

    def damage(self, data):
        r, data = self.random, bytearray(data)
        for _ in range(r.choice((0, 0, 1, 1, 3, 20))):
            at = r.randrange(len(data))
            kind = r.randrange(5)
            if kind == 0:
                data[at] = r.randrange(256)
            elif kind == 1:
                del data[at:at + r.randrange(8)]
            elif kind == 2:
                data[at:at] = data[at:at + r.randrange(200)]
            elif kind == 3:
                data[at:at] = r.choice((b"$", b"#", b"}", b"\x03", b"+", b"-", b"*", b"\0", b"ffffffffffffffff", b"-1", b","))
            else:
                data[at:at] = bytes([r.choice(b"0123456789abcdef,;:=")]) * r.choice((1, 16, 17, 70000))
            if not data:
                return b""
        return bytes(data)

    def resealed(self, packet):
        """Damaged inside and with a right sum."""
        return framed(self.damage(packet.encode()))

    def damaged(self):
        self.begin()
        for _ in range(30):
            self.learn()
            burst = [self.packet(True) for _ in range(self.random.choice((1, 3, 8)))]
            burst = [packet for packet in burst if not packet.startswith(("D", "k"))]
            data = b"".join(self.resealed(packet) for packet in burst)
            self.send(data if self.random.randrange(3) else self.damage(data))
            if not self.settle():
                return

    def settle(self):
        """A sound packet is answered, whatever came before, a run that an interrupt ends too; false if a damaged one was a
        farewell."""
        began = self.now()
        try:
            self.send(b"#00" + framed(b"vMustReplyEmpty") + framed(b"qOffsets"))
            while True:
                while select.select([self.socket], [], [], 0)[0]:
                    data = self.socket.recv(1 << 16)
                    if not data:
                        return False
                    self.buffer += data
                self.buffer = self.buffer[-100000:]
                self.socket.sendall(b"\x03" + framed(b"qfThreadInfo") + framed(b"qAttached"))
                time.sleep(0.01)
                if re.search(rb"\$m[^#]*#..\+?\$1#..\+*$", self.buffer):
                    return self.drain()
                if self.is_late(began):
                    raise Failure(f"no answer in {LIMIT} seconds")
        except (ConnectionResetError, BrokenPipeError):
            return False

    def drain(self):
        """Until nothing comes: whatever is asked next has its own answer."""
        while select.select([self.socket], [], [], 0.1)[0]:
            if not self.socket.recv(1 << 16):
                return False
        self.buffer = b""
        return True

    def leave(self):
        farewell = self.random.choice((b"", framed(b"D"), framed(b"k"), framed(b"bc") * 3, b"$bc", b"\x03"))
        try:
            self.socket.sendall(farewell)
            if self.random.randrange(2):
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        except (ConnectionResetError, BrokenPipeError):
            pass
        self.socket.close()


def converse(server, kind, seed):
    client = Client(server, random.Random(seed))
    try:
        getattr(client, kind)()
    except ConnectionError as error:
        server.check()
        raise Failure(f"{type(error).__name__}: the server left a {kind} conversation") from None
    finally:
        client.leave()
    server.check()


def main():
    options = {"runs": "4", "seconds": "0", "seed": "1", "synth": ""}
    options.update(argument.split("=", 1) for argument in sys.argv[2:] if "=" in argument)
    folders = [argument for argument in sys.argv[2:] if "=" not in argument]
    end, number, failed, servers = time.monotonic() + int(options["seconds"]), 0, 0, {}
    with tempfile.TemporaryDirectory() as scratch:
        if not folders or options["synth"]:
            folders.append(os.path.join(HERE, "..", "..", "..", "examples", "sensorhub"))
        if options["synth"]:
            folders.append(os.path.join(scratch, "two_cores"))
            os.mkdir(folders[-1])
            two_cores.Scene(options["synth"], folders[-1], kind=two_cores.Loop)
        while number < int(options["runs"]) or time.monotonic() < end:
            seed = int(options["seed"]) + number
            at = (folders[number // 2 % len(folders)], ("valid", "damaged")[number % 2])
            try:
                if at not in servers:
                    servers[at] = Server(os.path.abspath(sys.argv[1]), at[0], scratch)
                converse(servers[at], at[1], seed)
            except Failure as failure:
                failed += 1
                print(f"seed={seed} {at[1]} {at[0]}: {failure}", flush=True)
                if at in servers:
                    servers.pop(at).process.kill()
            number += 1
        for at, server in servers.items():
            try:
                server.stop()
            except Failure as failure:
                failed += 1
                print(f"{at}: {failure}", flush=True)
    print(f"{number} conversations, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
