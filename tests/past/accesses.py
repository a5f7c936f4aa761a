#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes and reads that csreplay tells of a recorded crash are those that happened: at addresses that
the program used, chosen by chance, every true one is told, proved or possible; no proved one is
untrue; and the values beside them are the true ones, as those of `values-of` over all of the history
are. Of registers the same, by how they changed. With options that assume what is true of the program
an access whose address is assumed counts as a proved one.

usage: accesses.py KIND NAME ADDRESSES [OPTION...]
"""
import collections
import json
import os
import random
import subprocess
import sys

import a64_accesses
import material
import recorded

CSREPLAY = os.environ["CSREPLAY"]
SURE = ("proved", "assumed")
REGISTERS = ("x0", "x3", "x19", "x29", "x30", "sp")
Crash = collections.namedtuple("Crash", "folder program")


def ask(folder, command, *options):
    done = subprocess.run([CSREPLAY, command, "--format", "json", *map(str, options), folder],
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def own(found):
    """Without what another core wrote, of which other_writers.py has the truth."""
    return [each for each in found if "core" not in each]


class Check:
    def __init__(self, kind, name, options):
        self.options = options
        self.folder = material.shared("corpus", kind, name)
        self.truth = recorded.Recording(Crash(self.folder, os.path.join(self.folder, "program.elf")))
        self.random = random.Random(name)
        self.proved = self.possible = self.known = 0

    def told(self, command, of):
        found = own(ask(self.folder, command, "--of", of, "--count", 10000000, *self.options))
        keys = [each["position"] for each in found]
        assert keys == sorted(keys, reverse=True), "not the youngest first"
        self.proved += sum(each["verdict"] in SURE for each in found)
        self.possible += sum(each["verdict"] == "possible" for each in found)
        return found

    def compare(self, what, found, true):
        """`true` are positions. A stretch of which nothing is known may have any."""
        blind = [(each["last"], each["position"]) for each in found if each["verdict"] == "blind"]
        told = {each["position"] for each in found if each["verdict"] != "blind"}
        missing = [p for p in true if p not in told
                   and not any(first <= p <= last for first, last in blind)]
        assert not missing, f"{what}: not told: {missing[:5]}"
        untrue = [each["position"] for each in found
                  if each["verdict"] in SURE and each["position"] not in true]
        assert not untrue, f"{what}: proved, and not true: {untrue[:5]}"

    def check_value(self, what, each, true):
        """`true`: little endian bytes."""
        if "value" not in each:
            return
        known = int(each.get("known", hex((1 << 8 * len(true)) - 1)), 0)
        assert int(each["value"], 0) == int.from_bytes(true, "little") & known, \
            f"{what} at {each['position']}: {each['value']}, but it was {true.hex()}"

    def check_memory(self, address, size):
        of = f"{address:#x}+{size}"
        for command, kinds, after in (("writes", (a64_accesses.WRITE, a64_accesses.BOTH), 1),
                                      ("reads", (a64_accesses.READ, a64_accesses.BOTH), 0)):
            found = self.told(command, of)
            true = set(self.truth.touching(address, size, kinds))
            self.compare(f"{command} of {of}", found, true)
            for each in found:
                if each["verdict"] in SURE:
                    self.check_value(f"{command} of {of}", each, self.truth.memory(
                        address, size, each["position"] + after))
            if command == "writes":
                self.check_last(of, found)

    def check_last(self, of, found):
        """The last write at a position is the first of the list before it: never an older one."""
        at = self.random.randrange(1, self.truth.halt + 1)
        last = own(ask(self.folder, "last-write", "--of", of, "--at", at, *self.options))
        before = [each for each in found if each["position"] < at or
                  each.get("last", at) < at][:1]
        if before and before[0]["verdict"] != "blind":
            assert last == before, f"last write of {of} at {at}: {last}, not {before}"

    def check_stretches(self, of, true, options):
        """`true`: position -> little endian bytes."""
        found = ask(self.folder, "values-of", "--of", of, "--count", 10000000, *options)
        assert found[0]["last"] == self.truth.halt and found[-1]["first"] == 0
        for younger, older in zip(found, found[1:]):
            assert older["last"] + 1 == younger["first"], f"{of}: a hole or an overlap at {younger}"
            assert [older.get(key) for key in ("value", "known", "assumed")] != \
                [younger.get(key) for key in ("value", "known", "assumed")], f"{of}: one stretch in two"
        known = 0
        for each in found:
            first, last = each["first"], each["last"]
            known += (last - first + 1) * ("value" in each and "known" not in each)
            for position in {first, last, self.random.randint(first, last)}:
                self.check_value(f"value of {of}", {**each, "position": position}, true(position))
        return known

    def check_register(self, name):
        column = 32 if name == "sp" else 1 + int(name[1:])
        records = self.truth.records[self.truth.first:]
        changed = {p for p in range(self.truth.halt)
                   if records[p][column] != records[p + 1][column]}
        self.known += self.check_stretches(
            name, lambda position: records[position][column].to_bytes(8, "little"), self.options)
        found = self.told("writes", name)
        self.compare(f"writes of {name}", found,
                     changed | {each["position"] for each in found})
        for each in found:
            if each["verdict"] in SURE:
                self.check_value(f"writes of {name}", each,
                                 records[each["position"] + 1][column].to_bytes(8, "little"))

    def check_values(self, address, size):
        def memory(position):
            return self.truth.memory(address, size, position)
        self.known += self.check_stretches(f"{address:#x}+{size}", memory,
                                           self.options or ["--assume-single-writer"])

    def run(self, count):
        used = sorted({(access.address, min(access.size, 8))
                       for position, access in self.truth.accesses if position >= 0})
        for address, size in self.random.sample(used, min(count, len(used))):
            self.check_memory(address, size)
            self.check_values(address, size)
        for name in REGISTERS:
            self.check_register(name)
        print(f"{self.proved} proved, {self.possible} possible, {self.known} values at positions known")
        assert self.proved > 0 and self.known > 0


def main():
    kind, name, count, *options = sys.argv[1:]
    Check(kind, name, options).run(int(count))


if __name__ == "__main__":
    main()
