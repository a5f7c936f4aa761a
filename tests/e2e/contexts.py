#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Threads are cores, or what each context executed on a core: `history --context` and gdb's threads
after `monitor threads context` against the core's own history, cut where its events say.

usage: contexts.py"""
import json
import re
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


NAMES = ("x0", "x1", "x2", "x3", "x19", "x20", "x29", "x30", "sp")


def state(position):
    """What is known of the core's registers at a position; None for what is not."""
    questions = "".join(f"{position}\t{name}\n" for name in NAMES)
    done = subprocess.run([serving.CSREPLAY, "state", "--core", "cpu_0", FOLDER, "--batch"],
                          input=questions, capture_output=True, text=True, timeout=300, check=True)
    values = [line.split("\t")[2] for line in done.stdout.splitlines()]
    return [None if value == "-" else int(value, 16) for value in values]


class Contexts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.contexts = by_context(listing())
        cls.ids = sorted(cls.contexts, key=lambda text: int(text, 0))

    def test_history_of_a_context_is_what_it_executed(self):
        self.assertGreater(len(self.contexts), 2)
        for context, executed in self.contexts.items():
            lines = [line for line in listing("--context", context) if "pc" in line]
            self.assertEqual([line["pc"] for line in lines], [pc for _, pc in executed], context)
            self.assertEqual([line["index"] for line in lines], list(range(len(executed))))

    def test_context_that_is_not_there_is_said(self):
        done = subprocess.run([serving.CSREPLAY, "history", "--context", "0x7777", FOLDER],
                              capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('names no context 0x7777', done.stderr)

    def test_threads_of_gdb(self):
        """Over the place where another context ran, back and forth, with what the core knows there."""
        context = max(self.ids, key=lambda one: len(self.contexts[one]))
        executed = self.contexts[context]
        cut = max(i for i in range(1, len(executed)) if executed[i][0] != executed[i - 1][0] + 1)
        newest = max(self.ids, key=lambda one: self.contexts[one][-1][0])
        number = self.ids.index(context) + 3  # after the two cores
        show = 'printf "AT %lu %lx\\n", $trace_pos, $pc'
        with serving.Server([FOLDER]) as server:
            out = serving.gdb(server.address, [
                "monitor threads context", "info threads", f"thread {number}", f"set $trace_pos = {cut + 1}",
                show, "reverse-stepi", "reverse-stepi", show, "stepi", show,
                f"thread {self.ids.index(newest) + 3}", f"set $trace_pos = {len(self.contexts[newest]) - 40}",
                "maintenance flush register-cache",
                *(line for name in NAMES for line in (f"output/x ${name}", "echo \\n")),
                "monitor threads core", "info threads"],
                allowed=["is not available", "<unavailable>"])
        self.assertEqual(re.findall(r'^[* ] +\d+ +Thread (\d+) "cpu_0 context (0x\w+)"', out, re.MULTILINE),
                         [(str(i + 3), one) for i, one in enumerate(self.ids)])
        at = [(int(position), int(pc, 16)) for position, pc in
              re.findall(r"^AT (\d+) ([0-9a-f]+)$", out, re.MULTILINE)]
        known = re.findall(r"^(0x[0-9a-f]+|<unavailable>)$", out, re.MULTILINE)
        self.assertEqual([None if one[0] == "<" else int(one, 16) for one in known],
                         state(self.contexts[newest][-40][0]))
        self.assertTrue(any(one[0] == "0" for one in known))
        self.assertEqual(at, [(i, int(executed[i][1], 0)) for i in (cut + 1, cut - 1, cut)])


if __name__ == "__main__":
    serving.main()
