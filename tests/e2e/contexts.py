#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Threads are cores, or what each context executed: `history --context` and gdb's threads after
`monitor threads context` against the cores' own histories, cut where their events say and put in the order in
which a recording of both says that they were executed.

usage: contexts.py"""
import gzip
import json
import os
import re
import struct
import subprocess
import unittest

import material
import serving

FOLDER = material.shared("corpus", "kernel", "uaf_k")


def listing(*arguments):
    """What `history` says of the core, line by line."""
    done = subprocess.run([serving.CSREPLAY, "history", "--format", "json", *arguments, FOLDER],
                          capture_output=True, text=True, timeout=300, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def by_context(lines):
    """Positions and PCs of each context: what a context packet says holds up to the next one, or to a
    loss of trace."""
    said = {}
    for line in lines:
        if "gap" in line:
            said.setdefault(line["position"], None)
        elif "event" in line and line["event"]["elem_type"].endswith("PE_CONTEXT"):
            said[line["position"]] = line["event"]["context"].get("context_id")
    found, now = {}, None
    for line in lines:
        if "pc" in line:
            now = said.get(line["index"], now)
            found.setdefault(now, []).append((line["index"], line["pc"]))
    found.pop(None, None)
    return found


def true_order(core):
    """Of each instruction that was traced: its place among those of both cores."""
    def read(name):
        with gzip.open(os.path.join(FOLDER, f"{name}_{core.replace('_', '')}.bin.gz")) as file:
            return file.read()
    done = read("done")
    order = struct.unpack_from(f"<{len(done)}I", read("order"))
    return [order[i] for i in range(len(done)) if done[i]]


NAMES = ("x0", "x1", "x2", "x3", "x19", "x20", "x29", "x30", "sp")
CORES = ("cpu_0", "cpu_1")


def state(core, position):
    """What is known of a core's registers at a position; None for what is not."""
    questions = "".join(f"{position}\t{name}\n" for name in NAMES)
    done = subprocess.run([serving.CSREPLAY, "state", "--core", core, FOLDER, "--batch"],
                          input=questions, capture_output=True, text=True, timeout=300, check=True)
    values = [line.split("\t")[2] for line in done.stdout.splitlines()]
    return [None if value == "-" else int(value, 16) for value in values]


class Contexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Of each context (core, position, PC), as they were executed."""
        ran = {}
        for core in CORES:
            order = true_order(core)
            for context, executed in by_context(listing("--core", core)).items():
                ran.setdefault(context, []).extend((order[at], core, at, pc) for at, pc in executed)
        cls.contexts = {context: [one[1:] for one in sorted(executed)] for context, executed in ran.items()}
        cls.moved = [context for context, executed in cls.contexts.items()
                     if {one[0] for one in executed} == set(CORES)]
        cls.ids = sorted(cls.contexts, key=lambda one: (min(each[0] for each in cls.contexts[one]), int(one, 0)))

    def pcs(self, *arguments):
        lines = [line for line in listing(*arguments) if "pc" in line]
        self.assertEqual([line["index"] for line in lines], list(range(len(lines))))
        return [line["pc"] for line in lines]

    def test_history_of_a_context_is_what_it_executed(self):
        """Two kernel threads went from one core to the other; timestamps say when."""
        self.assertEqual(len(self.contexts), 14)
        self.assertEqual(len(self.moved), 2)
        for context, executed in self.contexts.items():
            self.assertEqual(self.pcs("--context", context), [pc for _, _, pc in executed], context)

    def test_history_of_a_context_on_one_core(self):
        for context in self.moved:
            for core in CORES:
                self.assertEqual(self.pcs("--context", context, "--core", core),
                                 [pc for where, _, pc in self.contexts[context] if where == core])

    def test_context_that_is_not_there_is_said(self):
        done = subprocess.run([serving.CSREPLAY, "history", "--context", "0x7777", FOLDER],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('names no context 0x7777', done.stderr)

    def test_threads_of_gdb(self):
        """Over the place where the thread went to another core, back and forth, with what is known there."""
        context = max(self.moved, key=lambda one: len(self.contexts[one]))
        executed = self.contexts[context]
        cut = max(i for i in range(1, len(executed)) if executed[i][0] != executed[i - 1][0])
        show = ['printf "AT %lu %lx\\n", $trace_pos, $pc', "maintenance flush register-cache",
                *(line for name in NAMES for line in (f"output/x ${name}", "echo \\n"))]
        with serving.Server([FOLDER]) as server:
            out = serving.gdb(server.address, [
                "monitor threads context", "info threads", f"thread {self.ids.index(context) + 3}",
                f"set $trace_pos = {cut + 1}", *show, "reverse-stepi", "reverse-stepi", *show, "stepi", *show,
                "monitor threads core", "info threads"],
                allowed=["is not available", "<unavailable>"])
        listed = re.findall(r'^[* ] +\d+ +Thread (\d+) "(cpu_0|cpu_1|cpu_0, cpu_1) context (0x\w+)"', out, re.M)
        del listed[len(self.ids):]  # gdb keeps a last one that is gone
        self.assertEqual([(number, one) for number, _, one in listed],
                         [(str(i + 3), one) for i, one in enumerate(self.ids)])
        for _, cores, one in listed:
            self.assertEqual(cores, ", ".join(sorted({each[0] for each in self.contexts[one]})))
        at = [(int(position), int(pc, 16)) for position, pc in
              re.findall(r"^AT (\d+) ([0-9a-f]+)$", out, re.MULTILINE)]
        self.assertEqual(at, [(i, int(executed[i][2], 0)) for i in (cut + 1, cut - 1, cut)])
        known = [None if one[0] == "<" else int(one, 16)
                 for one in re.findall(r"^(0x[0-9a-f]+|<unavailable>)$", out, re.MULTILINE)]
        self.assertEqual(known, [value for i in (cut + 1, cut - 1, cut) for value in state(*executed[i][:2])])
        self.assertTrue(any(value is not None for value in known))


if __name__ == "__main__":
    serving.main()
