#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Messages of an ITM and an STM in time, against what was sent when, on two cores that synth has traced. Usage:
software_trace.py SYNTH"""
import bisect
import random
import re
import sys
import tempfile
import unittest

import serving
import software
import two_cores
from together import Cores

SYNTH = sys.argv[1]
ROW = re.compile(r"^time (?:(\d+) to (\d+)|(\d+)|up to (\d+)|(\d+) or later|unknown)(, undone)?: (.*?)(?:; then (.*))?$")


class Sent:
    """A line or a value, and when it was sent."""

    def __init__(self, times, what):
        self.times, self.what = times, what


def bounds(line):
    """(earliest, latest, whether it was undone, what, where cores were) of a row; None of another line."""
    found = ROW.match(line)
    if not found:
        return None
    exact = found[3] and int(found[3])
    earliest = exact or int(found[1] or found[5] or 0)
    latest = exact or int(found[2] or found[4] or 1 << 64)
    return earliest, latest, bool(found[6]), found[7], found[8] or ""


class Messages(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.scene = two_cores.Scene(SYNTH, self.folder, seed=3)
        self.lengths = [len(pcs) - 1 for pcs in self.scene.pcs]
        self.sent = self.send(random.Random(8))

    def send(self, rng):
        """Ten lines on port 0 of the ITM, numbers on port 5; numbers with a time on the STM, and a line without."""
        begin, end = self.scene.times[1][50], self.scene.times[1][-50]
        itm, stm, sent = software.Itm(), software.Stm(), []
        now, waits = begin, 0
        for i in range(40):
            now += (end - begin) // 50
            line = f"line {i} of the program\n" if i % 4 == 0 else None
            if line:
                for char in line.encode():
                    itm.write(0, char)
                sent.append(Sent((now, now), f'UNIT_I port 0: "{line.strip()}"'))
            else:
                itm.write(5, i, 2)
                sent.append(Sent((now, now), f"UNIT_I port 5: 0x{i:04x}"))
            waits += 1
            if waits == 3:
                now += 7
                itm.time(now)
                waits = 0
        itm.time(now + 50)
        now = begin
        stm.channel(0x40, 3)
        for i in range(30):
            now += (end - begin) // 35
            stm.write(0x80000000 + i, 8, now)
            sent.append(Sent((now, now), f"UNIT_S master 0x40 channel 0x03: 0x{0x80000000 + i:08x}"))
        software.add(self.folder, "UNIT_I", itm)
        software.add(self.folder, "UNIT_S", stm)
        return {one.what: one for one in sent}

    def serve(self):
        server = self.enterContext(serving.Server([self.folder]))
        self.cores = Cores(server.address, 2)
        self.addCleanup(self.cores.close)
        return self.cores.client

    def place(self, core, time):
        """Where the core was at a time."""
        return max(bisect.bisect_right(self.scene.times[core], time) - 1, 0)

    def rows(self, said):
        return [row for row in map(bounds, said.splitlines()) if row]

    def test_the_list_has_all_with_times_and_places_that_are_true(self):
        said = self.serve().monitor("software-trace all")
        rows = self.rows(said)
        self.assertEqual(sorted(row[3] for row in rows), sorted(self.sent))
        self.assertIn("70 messages in all, 70 of them with a time", said)
        exact = 0
        for earliest, latest, _, what, places in rows:
            time = self.sent[what].times[0]
            self.assertTrue(earliest <= time <= latest, (what, earliest, latest, time))
            exact += earliest == latest
            for core, first, last in re.findall(r"cpu_(\d) was at (\d+)(?: to (\d+))?", places):
                self.assertTrue(int(first) <= self.place(int(core), time) <= int(last or first), (what, places, time))
            self.assertEqual(places.count("cpu_"), 2)
        self.assertEqual(exact, 30)
        self.assertEqual([row[1] for row in rows], sorted(row[1] for row in rows))

    def test_a_range_has_those_of_its_positions(self):
        client = self.serve()
        client.ask("T1")
        all_rows = self.rows(client.monitor("software-trace all"))
        got = self.rows(client.monitor("software-trace 1000..1400"))
        spans = {row[3]: re.search(r"cpu_0 was at (\d+)(?: to (\d+))?", row[4]) for row in all_rows}
        self.assertEqual([row[3] for row in got], [row[3] for row in all_rows if int(spans[row[3]][1]) <= 1400 and
                                                   int(spans[row[3]][2] or spans[row[3]][1]) >= 1000])
        self.assertTrue(10 < len(got) < len(all_rows))

    def test_moves_show_each_message_once_in_order(self):
        client = self.serve()
        order = [row[3] for row in self.rows(client.monitor("software-trace all"))]
        self.assertNotIn("line", self.run_all("bc"))  # off by default
        client.monitor("seek begin")
        self.assertIn("software-trace is on", client.monitor("set software-trace on"))
        address = self.scene.rare()[0]
        client.ask(f"Z0,{address:x},4")
        for verb, wanted in (("c", order), ("bc", order[::-1])):
            rows = self.rows(self.run_all(verb))
            self.assertEqual([row[3] for row in rows], wanted)
            self.assertEqual({row[2] for row in rows}, {verb == "bc"})
        client.ask(f"z0,{address:x},4")
        client.monitor("set software-trace off")
        self.assertEqual(self.rows(self.run_all("c")), [])

    def run_all(self, verb):
        said, core = "", 0
        for _ in range(1000):
            core, reply = self.cores.move(core, verb)
            said += self.cores.said
            if "replaylog" in reply:
                return said
        raise AssertionError(said)

    def test_each_core_alone_shows_what_it_passes(self):
        client = self.serve()
        client.monitor("set cores alone")
        client.monitor("set software-trace on")
        for core in range(2):
            self.assertEqual(len(self.rows(self.move_to_end(core, "bc"))), 70)
            self.assertEqual(len(self.rows(self.move_to_end(core, "c"))), 70)

    def move_to_end(self, core, verb):
        _, reply = self.cores.move(core, verb)
        self.assertIn("replaylog", reply)
        return self.cores.said

    def test_steps_show_a_message_when_it_is_certainly_past(self):
        client = self.serve()
        client.monitor("set software-trace on")
        client.ask("T1")
        client.monitor(f"seek {self.place(0, self.scene.times[1][300])}")
        shown = []
        for _ in range(600):
            self.cores.move(0, "s")
            at = self.cores.position(0)
            for row in self.rows(self.cores.said):
                shown.append(row[3])
                self.assertLessEqual(self.sent[row[3]].times[0], self.scene.times[0][at])
        self.assertGreater(len(shown), 5)
        self.assertEqual(len(shown), len(set(shown)))
        back = []
        for _ in range(600):
            self.cores.move(0, "bs")
            back += [row[3] for row in self.rows(self.cores.said)]
        self.assertEqual(back, shown[::-1])

    def test_catch_stops_at_messages_in_both_directions(self):
        client = self.serve()
        client.ask("T1")
        client.monitor("set cores alone")
        self.assertIn("catch software-trace is on", client.monitor("catch software-trace"))
        places = {}
        for verb in ("bc", "c"):
            caught = []
            while True:
                core, reply = self.cores.move(0, verb)
                if "replaylog" in reply:
                    break
                found = re.search(r"caught before position (\d+): (.*)", self.cores.said)
                at = self.cores.position(0)
                self.assertEqual(int(found[1]), at + (verb == "bc"))
                self.assertLessEqual(self.sent[found[2]].times[0], self.scene.times[0][int(found[1])])
                caught.append(found[2])
                places.setdefault(int(found[1]), set()).add(found[2])
            self.assertGreater(len(caught), 15)
            self.assertEqual(len(caught), len(set(caught)))
        latest = {row[3]: row[1] for row in self.rows(client.monitor("software-trace all"))}
        for place, messages in places.items():
            # The first position of which the bounds say that it came no earlier.
            self.assertGreaterEqual(self.cores.moment(0, place)[0], max(latest[one] for one in messages))
            self.assertLess(self.cores.moment(0, place - 1)[0] or 0, min(latest[one] for one in messages))
        self.assertIn("off", client.monitor("catch software-trace off"))
        self.assertIn("replaylog", self.cores.move(0, "bc")[1])

    def test_what_cannot_be_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            two_cores.Scene(SYNTH, folder, every=(0, 0))
            itm = software.Itm()
            itm.write(1, 7)
            software.add(folder, "UNIT_I", itm)
            with serving.Server([folder]) as server, serving.Client(server.address) as client:
                self.assertIn("no message has a time", client.monitor("set software-trace on"))
                said = client.monitor("software-trace")
        self.assertIn("time unknown: UNIT_I port 1: 0x07\n1 message in all, 0 of them with a time", said)
        with tempfile.TemporaryDirectory() as folder:
            two_cores.Scene(SYNTH, folder)
            with serving.Server([folder]) as server, serving.Client(server.address) as client:
                self.assertIn("the snapshot has no message", client.monitor("catch software-trace"))


if __name__ == "__main__":
    serving.main()
