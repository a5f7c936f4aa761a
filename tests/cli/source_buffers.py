# SPDX-License-Identifier: Apache-2.0
"""A source whose trace is in several buffers: the bundled example, its bytes in two buffers.

What was executed is the recording (examples/sensorhub/truth.gz). At byte 1024 of the source there is
an A-Sync, so that the trace can be cut there without a loss.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import frames
import serving

EXAMPLE = os.path.join(serving.SOURCE, "examples", "sensorhub")
ID, CUT, WRONG_ID = 0x10, 1024, 0x33
TRUTH = serving.Crash("example").pcs()[:-1]
NEXT_BUFFER = "the trace source's next buffer begins"
with open(os.path.join(EXAMPLE, "trace.bin"), "rb") as trace_file:
    OWN = frames.bytes_of(trace_file.read(), ID)
TRACE = """[trace_buffers]
buffers=buffer0,buffer1
[buffer0]
name=ETB_0
file=first.bin
format={}
[buffer1]
name=TPIU
file=second.bin
format={}
[core_trace_sources]
cpu_0=ETM_0
"""


class SourceBuffers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "snapshot")
        shutil.copytree(EXAMPLE, self.folder)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def buffers(self, first, second, buffers="ETM_0=ETB_0,TPIU", formats=("coresight", "coresight")):
        """The source's bytes in each."""
        for name, data, kind in zip(("first.bin", "second.bin"), (first, second), formats):
            self.write(name, frames.pack([(ID, data)]) if kind == "coresight" else data)
        section = f"[source_buffers]\n{buffers}\n" if buffers else ""
        self.write("trace.ini", (TRACE.format(*formats) + section).encode())

    def run_csreplay(self, command, *options):
        return subprocess.run([serving.CSREPLAY, command, *options, self.folder],
                              capture_output=True, text=True, timeout=60, check=False)

    def history(self):
        """Addresses, gaps as (position, reason), standard error."""
        done = self.run_csreplay("history", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        pcs, gaps = [], []
        for line in map(json.loads, done.stdout.splitlines()):
            if "pc" in line:
                pcs.append(int(line["pc"], 16))
            elif "gap" in line:
                gaps.append((line["position"], line["gap"]))
        return pcs, gaps, done.stderr

    def check_whole(self, said=""):
        pcs, gaps, err = self.history()
        self.assertEqual(pcs, TRUTH)
        self.assertEqual(gaps, [])
        self.assertEqual(err, said)

    def check_parts(self):
        """All that was executed, and one gap."""
        pcs, gaps, err = self.history()
        self.assertEqual(pcs, TRUTH)
        self.assertEqual([reason for _, reason in gaps], [NEXT_BUFFER])
        self.assertTrue(0 < gaps[0][0] < len(TRUTH))
        self.assertEqual(err, "")
        return gaps[0][0]

    def test_parts_in_the_order_given(self):
        self.buffers(OWN[:CUT], OWN[CUT:])
        cut = self.check_parts()
        # The second in place of the first: what is known of each alone, the other way round.
        self.buffers(OWN[CUT:], OWN[:CUT])
        pcs, gaps, _ = self.history()
        self.assertEqual(pcs, TRUTH[cut:] + TRUTH[:cut])
        self.assertEqual(gaps, [(len(TRUTH) - cut, NEXT_BUFFER),
                                (len(TRUTH), "the trace does not lead to the halt")])
        # And by the order of [source_buffers], not of the buffers.
        self.buffers(OWN[CUT:], OWN[:CUT], "ETM_0=TPIU,ETB_0")
        self.assertEqual(self.check_parts(), cut)

    def test_parts_of_two_formats(self):
        self.buffers(OWN[:CUT], OWN[CUT:], formats=("coresight", "source_data"))
        self.check_parts()

    def test_parts_are_in_every_command(self):
        self.buffers(OWN[:CUT], OWN[CUT:])
        cut = self.check_parts()
        info = json.loads(self.run_csreplay("info", "--format", "json").stdout)
        self.assertEqual(info["cores"][0]["instructions"], len(TRUTH))
        self.assertEqual(info["cores"][0]["gaps"], [{"position": cut, "reason": NEXT_BUFFER}])
        text = self.run_csreplay("export").stdout
        self.assertEqual(sum(" ES  (" in line for line in text.splitlines()), len(TRUTH))
        self.assertEqual(text.count(NEXT_BUFFER), 1)
        self.assertEqual(self.run_csreplay("check").returncode, 0)
        with serving.Server([self.folder]) as server:
            seen = serving.gdb(server.address, ["monitor position", "monitor gaps"])
        self.assertIn(f"position {len(TRUTH)} of {len(TRUTH)}", seen)
        self.assertIn(f"gap before position {cut}: {NEXT_BUFFER}", seen)

    def test_data_in_the_second_alone(self):
        for empty in (b"", b"\0" * 40):
            self.write("second.bin", b"")
            self.buffers(b"", OWN)
            self.write("first.bin", frames.pack([(WRONG_ID, empty)]) or bytes(16))
            pcs, gaps, _ = self.history()
            self.assertEqual((pcs, gaps), (TRUTH, []))

    def test_second_without_the_source(self):
        self.buffers(OWN, b"")
        self.write("second.bin", bytes(32))
        self.check_whole()

    def note(self, copy, size, original, whole):
        line = 3 if copy == "ETB_0" else 7
        return (f'trace.ini:{line}: note: trace source "ETM_0": its {size} bytes in buffer "{copy}" '
                f'are found in its {whole} bytes in "{original}"; the same trace, which is used '
                "once\n")

    def test_the_same_trace_twice(self):
        self.buffers(OWN, OWN)
        self.check_whole(self.note("TPIU", len(OWN), "ETB_0", len(OWN)))

    def test_the_same_trace_in_other_frames(self):
        """What the source wrote counts, not how it lies among others'."""
        self.buffers(OWN, OWN, formats=("source_data", "coresight"))
        self.write("second.bin", frames.pack([(0, b"\1\2"), (ID, OWN[:7]), (0, b"\3"), (ID, OWN[7:])]))
        self.check_whole(self.note("TPIU", len(OWN), "ETB_0", len(OWN)))

    def test_the_end_of_the_same_trace(self):
        self.buffers(OWN[CUT:], OWN)
        self.check_whole(self.note("ETB_0", len(OWN) - CUT, "TPIU", len(OWN)))

    def test_the_begin_of_the_same_trace(self):
        self.buffers(OWN, OWN[:CUT])
        self.check_whole(self.note("TPIU", CUT, "ETB_0", len(OWN)))

    def test_parts_that_overlap_in_two_timestamps_are_one(self):
        """The first has all up to its end, the second goes on after it, and nothing is seen twice."""
        for formats in (("coresight", "coresight"), ("source_data", "coresight")):
            self.buffers(OWN[:1500], OWN[CUT:], formats=formats)
            pcs, gaps, err = self.history()
            self.assertEqual((pcs, gaps), (TRUTH, []))
            said = re.fullmatch(r'trace.ini:7: note: trace source "ETM_0": the first (\d+) of its bytes in buffer '
                                r'"TPIU" are the last in "ETB_0", with the timestamps 0x(\w+) and 0x(\w+); they '
                                r"are one trace, and nothing is missing\n", err)
            self.assertEqual(int(said[1]), 1500 - CUT)
            self.assertEqual([int(said[i], 16) for i in (2, 3)], [value for value, _ in self.stamps(OWN[CUT:])[:2]])

    def test_a_join_is_in_every_command(self):
        self.buffers(OWN[:1500], OWN[CUT:])
        self.assertEqual(json.loads(self.run_csreplay("info", "--format", "json").stdout)["cores"][0]["gaps"], [])
        self.assertEqual(self.run_csreplay("check").returncode, 0)

    def stamps(self, data):
        """(value, place) of the timestamps in the source's bytes."""
        self.buffers(data, b"", formats=("source_data", "source_data"), buffers="ETM_0=ETB_0")
        lines = self.run_csreplay("decode", "--format", "json", "--buffer", "ETB_0").stdout.splitlines()
        return [(one["timestamp"], one["index"]) for one in map(json.loads, lines)
                if one["elem_type"] == "OCSD_GEN_TRC_ELEM_TIMESTAMP"]

    def test_one_timestamp_proves_nothing(self):
        """The same bytes with one timestamp may be those of another turn of a loop."""
        _, second = self.stamps(OWN[CUT:])[1]
        for size, is_one in ((second, False), (second + 1, False), (second + 12, True)):
            self.buffers(OWN[:CUT + size], OWN[CUT:])
            pcs, gaps, _ = self.history()
            if is_one:
                self.assertEqual((pcs, gaps), (TRUTH, []))
            else:
                self.assertIn(NEXT_BUFFER, [reason for _, reason in gaps])

    def test_parts_that_touch_prove_nothing(self):
        """Not even where the second continues a packet: whatever came between may have been whole packets."""
        for cut in (CUT, CUT + 7, CUT + 50):
            self.buffers(OWN[:cut], OWN[cut:])
            self.assertIn(NEXT_BUFFER, [reason for _, reason in self.history()[1]])

    def test_an_overlap_with_a_byte_that_differs_is_none(self):
        other = bytearray(OWN[:1500])
        other[-1] ^= 0x40
        self.buffers(bytes(other), OWN[CUT:])
        self.assertIn(NEXT_BUFFER, [reason for _, reason in self.history()[1]])

    def test_an_overlap_the_other_way_round_is_an_order_that_is_wrong(self):
        self.buffers(OWN[CUT:], OWN[:1500])
        _, gaps, err = self.history()
        self.assertIn(NEXT_BUFFER, [reason for _, reason in gaps])
        self.assertEqual(err, 'trace.ini:7: warning: trace source "ETM_0": buffer "TPIU" goes on in "ETB_0", which '
                              "is given before it; section [source_buffers] says the order\n")
        self.buffers(OWN[CUT:], OWN[:1500], "ETM_0=TPIU,ETB_0")
        self.assertEqual(self.history()[:2], (TRUTH, []))

    def test_one_byte_that_differs_makes_two(self):
        other = bytearray(OWN)
        other[-1] ^= 0x40
        self.buffers(OWN, bytes(other))
        pcs, gaps, err = self.history()
        self.assertEqual(pcs[:len(TRUTH)], TRUTH)
        self.assertIn((len(TRUTH), NEXT_BUFFER), gaps)
        self.assertGreater(len(pcs), 2 * len(TRUTH) - 100)
        self.assertRegex(err, r"\A.*in 1 gap the trace goes on where the snapshot's code does not lead to.*trace is damaged.*\n\Z")

    def test_a_buffer_named_twice(self):
        self.buffers(OWN, b"", "ETM_0=ETB_0,ETB_0")
        self.write("second.bin", bytes(16))
        self.check_whole('trace.ini:14: warning: trace source "ETM_0" is said to be in buffer '
                         '"ETB_0" twice\n')

    def test_without_a_section_raw_data_is_nobodys(self):
        self.buffers(OWN, OWN[:CUT], buffers="", formats=("coresight", "source_data"))
        _, _, err = self.history()  # one source: whose else
        self.assertNotIn("error", err)
        with open(os.path.join(self.folder, "device_1.ini"), encoding="ascii") as file:
            other = file.read().replace("ETM_0", "ETM_1").replace("0x00000010", "0x00000011")
        self.write("device_2.ini", other.encode())
        with open(os.path.join(self.folder, "snapshot.ini"), encoding="ascii") as file:
            head = file.read().replace("device1=device_1.ini",
                                       "device1=device_1.ini\ndevice2=device_2.ini")
        self.write("snapshot.ini", head.encode())
        done = self.run_csreplay("check")
        self.assertIn('trace.ini:7: error: buffer "TPIU" has the data of one source, and no section '
                      "[source_buffers] says of which\n", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
