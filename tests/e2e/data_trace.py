#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ETMv3 with data trace of a recorded A32 crash: listing, past registers, past memory and watchpoints
are what was recorded.

usage: data_trace.py CRASH SHARE ABORTED MORE   of the registers and words asked for so many percent have
to be known with data trace, so many if the trace ends with a load that is cancelled, and so many more
than without data

The recording is encoded anew, with the data of each load and store; data packets come with the
instruction or after a few that transfer nothing, values also late and out of order."""
import bisect
import gzip
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import a32_accesses
import etm3_trace
import recorded
import serving

CRASH = serving.Crash(sys.argv[1])
RECORD = struct.Struct("<33QII")
ID = 0x11
QUERIES = 3000
WATCHED = 8
MOST = 60  # stops at one watchpoint
# What an instruction that was cancelled did before it was is not known; no other access is not.
AT_THE_HALT = re.compile(r"csreplay: possible (?:write of|access to) the \d+ bytes? at 0x\w+: position "
                         r"(\d+), 0x\w+; what came after it may have accessed any memory; ")
# gdb would show another old value than there was.
KEPT = re.compile(r"csreplay: (?:write of|access to) the \d+ bytes? at 0x\w+: position (\d+)")


class Recording:
    """`records` are (R0 to R14 and PC, NZCV) before each instruction, the last one at the halt."""

    def __init__(self):
        with open(os.path.join(CRASH.folder, "truth.json"), encoding="utf-8") as file:
            truth = json.load(file)
        with gzip.open(os.path.join(CRASH.folder, "truth.bin.gz")) as file:
            data = file.read()
        self.aborts = truth["end_exception"] == "dfault"
        self.records = []
        for at in range(0, len(data), RECORD.size):
            pc, *registers, flags, _ = RECORD.unpack_from(data, at)
            self.records.append(([*registers[:15], pc], flags >> 28))
        self.halt = len(self.records) - 1
        self.code = self.read_code()
        self.transfers = [self.transfers_of(i) for i in range(self.halt)]
        self.dumps = recorded.Recording.read_dumps(self, CRASH.folder)
        self.old = {}
        self.read_changes()

    @staticmethod
    def read_code():
        """address -> opcode, of the dumps of code."""
        code = {}
        with open(os.path.join(CRASH.folder, "cpu_0.ini"), encoding="utf-8") as file:
            dumps = re.findall(r"\nfile=(mem_code.*)\naddress=(\w+)", file.read())
        for name, address in dumps:
            with open(os.path.join(CRASH.folder, name), "rb") as file:
                data = file.read()
            code.update((int(address, 0) + at, struct.unpack_from("<I", data, at)[0])
                        for at in range(0, len(data) - 3, 4))
        return code

    def transfers_of(self, i):
        before, flags = self.records[i]
        step = a32_accesses.Step(self.code[before[15]], flags, before, self.records[i + 1][0])
        return step.transfers()

    def read_changes(self):
        with gzip.open(os.path.join(CRASH.folder, "memtruth.bin.gz")) as file:
            data = file.read()
        at = 0
        while at < len(data):
            step, size, address = struct.unpack_from("<IIQ", data, at)
            at += 16
            for i, byte in enumerate(data[at:at + size]):
                steps, values = self.old.setdefault(address + i, ([], []))
                steps.append(step)
                values.append(byte)
            at += 2 * size

    at_halt = recorded.Recording.at_halt

    def byte(self, address, position):
        steps, values = self.old.get(address, ((), ()))
        i = bisect.bisect_left(steps, position)
        return values[i] if i < len(steps) else self.at_halt(address)

    def touching(self, address, size, kinds):
        """Positions of the instructions that transfer one of the bytes, rising."""
        return [i for i, made in enumerate(self.transfers)
                if any(t.kind in kinds and t.address < address + size and
                       address < t.address + t.size for t in made)]


class Encoder:
    """The trace of a recording, and what its data elements are: (address, value, kind)."""

    def __init__(self, recording, values, addresses, seed):
        self.recording, self.chance = recording, random.Random(seed)
        self.trace = etm3_trace.Trace(values, addresses)
        self.expected = []
        self.pending = []  # transfers of the last instruction that has any
        self.late = {}  # tag -> value

    def expect(self, address, value, what=""):
        trace = self.trace
        self.expected.append((address if trace.addresses else None,
                              value if trace.values else None, what))

    def write_pending(self):
        """The data packets of an instruction; the address is with the first alone."""
        for i, t in enumerate(self.pending):
            free = [tag for tag in (1, 2, 3) if tag not in self.late]
            if self.trace.values and free and self.chance.random() < 0.1:
                tag = self.chance.choice(free)
                self.trace.place(tag, t.address, i == 0)
                self.expected.append((t.address if i == 0 and self.trace.addresses else None, None,
                                      f"late; tag={tag}; "))
                self.late[tag] = t.value
            else:
                self.trace.data(t.address, t.value, i == 0)
                self.expect(t.address if i == 0 else None, t.value)
        self.pending = []

    def write_late(self):
        tag, value = self.chance.choice(list(self.late.items()))
        del self.late[tag]
        self.trace.late(tag, value)
        self.expected.append((None, value, f"late; tag={tag}; "))

    def step(self, i):
        before, flags = self.recording.records[i]
        after = self.recording.records[i + 1][0]
        pc, opcode = before[15], self.recording.code[before[15]]
        passed = a32_accesses.passes(opcode, flags)
        if self.recording.transfers[i] and self.pending:
            self.write_pending()
        self.trace.atom(passed)
        self.pending = self.recording.transfers[i] or self.pending
        if self.pending and self.chance.random() < 0.7:
            self.write_pending()
        if self.late and self.chance.random() < 0.3:
            self.write_late()
        if after[15] not in (pc + 4, a32_accesses.direct_target(opcode, pc)):
            self.trace.branch(after[15])

    def encode(self, with_data, aborts):
        recording = self.recording
        if not with_data:
            recording = self.recording = type("Bare", (), dict(vars(recording)))
            recording.transfers = [[]] * len(recording.transfers)
        self.trace.begin(recording.records[0][0][15])
        for i in range(recording.halt):
            self.step(i)
        self.write_pending()
        while self.late:
            self.write_late()
        if aborts and recording.aborts:
            # The load that aborts is traced, and what it is said to have loaded is not so.
            self.trace.atom(True)
            self.trace.data(0x12345678, 0x9abcdef0, True)
            self.expect(0x12345678, 0x9abcdef0)
            self.trace.data_abort()
        self.trace.flush()
        return bytes(self.trace.out)


def write_snapshot(folder, trace, control):
    for name in os.listdir(CRASH.folder):
        if name.startswith("mem_") or name in ("cpu_0.ini", "snapshot.ini"):
            shutil.copy(os.path.join(CRASH.folder, name), folder)
    with open(os.path.join(folder, "device_1.ini"), "w", encoding="ascii") as file:
        file.write("[device]\nname=ETM_0\nclass=trace_source\ntype=ETM3.5\n\n[regs]\n"
                   f"ETMCR={control:#x}\nETMCCER=0\nETMIDR=0x410cf250\nETMTRACEIDR={ID:#x}\n")
    with open(os.path.join(folder, "trace.ini"), "w", encoding="ascii") as file:
        file.write("[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0\nfile=cstrace.bin\n"
                   "format=source_data\n\n[source_buffers]\nETM_0=ETB_0\n\n"
                   "[core_trace_sources]\ncpu_0=ETM_0\n")
    with open(os.path.join(folder, "cstrace.bin"), "wb") as file:
        file.write(trace)


def run(*arguments, text=None):
    done = subprocess.run([serving.CSREPLAY, *arguments], input=text, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


RECORDING = Recording()


class Snapshot:
    """What ETMCR says is traced: `values`, `addresses`. `aborts`: the load that aborted is traced."""

    def __init__(self, values, addresses, aborts=True):
        self.folder = tempfile.TemporaryDirectory()
        encoder = Encoder(RECORDING, values, addresses, 31)
        trace = encoder.encode(values or addresses, aborts and (values or addresses))
        self.expected = encoder.expected
        write_snapshot(self.folder.name, trace, values << 2 | addresses << 3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def known(self):
        """How many of the registers and words asked for are known, in percent; none may be wrong."""
        chance = random.Random(5)
        words = sorted({t.address & ~7 for made in RECORDING.transfers for t in made})
        asked = [(chance.randrange(RECORDING.halt), chance.choice(
            [f"r{chance.randrange(15)}", f"m{chance.choice(words):x}"])) for _ in range(QUERIES)]
        answers = run("state", "--batch", self.folder.name,
                      text="".join(f"{p}\t{what}\n" for p, what in asked)).splitlines()
        assert len(answers) == len(asked), answers[:5]
        known = 0
        for (position, what), answer in zip(asked, answers):
            value = answer.split("\t")[2]
            if value == "-":
                continue
            known += 1
            if what[0] == "r":
                true = RECORDING.records[position][0][int(what[1:])]
            else:
                place = int(what[1:], 16)
                true = int.from_bytes(bytes(RECORDING.byte(place + i, position)
                                            for i in range(8)), "little")
            assert int(value, 16) == true, (position, what, value, hex(true))
        return 100 * known / len(asked)


class DataTrace(unittest.TestCase):
    def test_listing_is_what_was_transferred(self):
        for values, addresses in ((True, True), (False, True), (True, False)):
            with self.subTest(values=values, addresses=addresses), \
                    Snapshot(values, addresses) as snapshot:
                listed = re.findall(r"_DATA\((?:addr=0x(\w+); )?(?:val=0x(\w+); )?(.*)\)",
                                    run("decode", snapshot.folder.name))
                self.assertEqual([(int(a, 16) if a else None, int(v, 16) if v else None, rest)
                                  for a, v, rest in listed], snapshot.expected)

    def test_history_is_what_ran(self):
        with Snapshot(True, True) as snapshot:
            lines = run("history", snapshot.folder.name).splitlines()[1:]
        self.assertEqual([int(line.split("\t")[1], 16) for line in lines if line[0] != "#"],
                         [registers[15] for registers, _ in RECORDING.records[:-1]])

    def test_no_value_is_wrong_and_more_are_known(self):
        shares = []
        for values, addresses in ((True, True), (False, True), (True, False), (False, False)):
            with Snapshot(values, addresses, aborts=False) as snapshot:
                shares.append(snapshot.known())
        with Snapshot(True, True) as snapshot:
            aborted = snapshot.known()
        print("known with both, addresses, values, nothing: " +
              ", ".join(f"{share:.1f} %" for share in shares) + f"; after an abort {aborted:.1f} %")
        self.assertGreaterEqual(shares[0], float(sys.argv[2]))
        self.assertGreaterEqual(aborted, float(sys.argv[3]))
        self.assertGreaterEqual(shares[0], shares[3] + float(sys.argv[4]))
        for share in shares[1:3]:
            self.assertTrue(shares[3] < share <= shares[0])


class Watch(unittest.TestCase):
    def stops(self, client, packet):
        """Positions of the instructions that it stops at, from the halt back."""
        number = client.number_of("trace_pos")
        halt = RECORDING.halt.to_bytes(8, "little").hex()
        self.assertEqual(client.ask(f"P{number:x}={halt}"), "OK")
        found = []
        self.assertEqual(client.ask("Z" + packet), "OK")
        while len(found) < MOST:
            reply, said = client.move("bc")
            if possible := AT_THE_HALT.match(said):
                self.assertEqual(int(possible[1]), RECORDING.halt - 1)
                continue
            if kept := KEPT.match(said):
                found.append(int(kept[1]))
                continue
            self.assertEqual(said, "")
            if "watch:" not in reply:
                self.assertIn("replaylog", reply)
                break
            position = int.from_bytes(bytes.fromhex(client.ask(f"p{number:x}")), "little") - 1
            found.append(position)
            client.ask("z" + packet)
            client.ask("bs")
            client.ask("Z" + packet)
        client.ask("z" + packet)
        return found

    def test_stops_are_all_the_accesses(self):
        chance = random.Random(9)
        made = [t for transfers in RECORDING.transfers for t in transfers]
        with Snapshot(True, True) as snapshot, serving.Server([snapshot.folder.name]) as server, \
                serving.Client(server.address) as client:
            client.ask("qSupported:swbreak+;hwbreak+")
            for _ in range(WATCHED):
                t = chance.choice(made)
                kind, kinds = chance.choice([(2, ("write",)), (3, ("read",)),
                                             (4, ("read", "write"))])
                true = RECORDING.touching(t.address, t.size, kinds)[::-1][:MOST]
                with self.subTest(kind=kind, address=hex(t.address)):
                    self.assertEqual(self.stops(client, f"{kind},{t.address:x},{t.size:x}"), true)


if __name__ == "__main__":
    serving.main()
