# SPDX-License-Identifier: Apache-2.0
"""What `csreplay check` and the other commands say of trace that is not decoded: IDs that no source
claims, sources that cannot be decoded, code that is missing, settings that are wrong.

The bundled example with one thing changed; what is right is known from the recording.
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
import material
import serving

EXAMPLE = os.path.join(serving.SOURCE, "examples", "sensorhub")
ID, OTHER_ID, CUT = 0x10, 0x22, 1024
INSTRUCTIONS = len(serving.Crash("example").pcs()) - 1
with open(os.path.join(EXAMPLE, "trace.bin"), "rb") as trace_file:
    OWN = frames.bytes_of(trace_file.read(), ID)


class CheckTrace(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "snapshot")
        shutil.copytree(EXAMPLE, self.folder)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)

    def replace(self, name, old, new):
        path = os.path.join(self.folder, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def run_csreplay(self, command, *options):
        return subprocess.run([serving.CSREPLAY, command, *options, self.folder],
                              capture_output=True, text=True, timeout=60, check=False)

    def check(self, code=0):
        """What `check` says."""
        done = self.run_csreplay("check")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def unclaimed(self, trace_id, data, hint=""):
        return (f'trace.ini:4: warning: buffer "ETB_0": trace ID 0x{trace_id:02x} has {len(data)} '
                f"byte{'s' if len(data) > 1 else ''} and no trace source; not decoded{hint}\n")

    # Trace IDs

    def test_example_is_sound(self):
        self.assertEqual(self.check(), "")

    def test_id_without_a_source(self):
        for noise in (b"x", b"\0" * 11 + b"\x80" + OWN[12:100]):
            self.write("trace.bin", frames.pack([(ID, OWN[:50]), (0x33, noise), (ID, OWN[50:])]))
            said = self.unclaimed(0x33, noise)
            self.assertEqual(self.check(), said)
            for command in ("history", "info", "export", "state"):
                options = ["--batch", "/dev/null"] if command == "state" else []
                self.assertEqual(self.run_csreplay(command, *options).stderr, said)
            info = json.loads(self.run_csreplay("info", "--format", "json").stdout)
            found = info["unclaimed_ids"]
            self.assertEqual([(one["buffer"], one["trace_id"], one["bytes"]) for one in found],
                             [("ETB_0", 0x33, len(noise))])
            self.assertRegex(self.run_csreplay("info").stdout,
                             r"\ntrace IDs without a source\n.*\n  ETB_0 +0x33 +%d " % len(noise))
            with serving.Server([self.folder]) as server:
                self.assertEqual(server.messages.count(said), 1)

    def test_ids_that_are_no_sources(self):
        """Padding, a flush response and a trigger are what their IDs say; the trigger is told."""
        self.write("trace.bin", frames.pack([(0, b"\1"), (ID, OWN[:50]), (0x7d, b"\1"), (0x7b, b"\1"),
                                             (ID, OWN[50:]), (0, bytes(40))]))
        said = re.fullmatch(r'trace.ini:4: note: buffer "ETB_0": a trigger is in its frames \(ID 0x7d\), first at '
                            r"byte (\d+), last at byte (\d+)\n", self.check())
        self.assertEqual(said[1], said[2])
        self.assertTrue(50 < int(said[1]) < 60, said)
        self.write("trace.bin", frames.pack([(0, b"\1"), (ID, OWN[:50]), (0x7b, b"\1"), (ID, OWN[50:])]))
        self.assertEqual(self.check(), "")

    def test_memory_after_the_trace_is_no_trace(self):
        """A reserved ID, or one without a byte: from there on there are no frames."""
        whole = frames.pack([(ID, OWN)])
        for after in (bytes([0x67, 1, 0xe1, 2]) + bytes(12), bytes([0x67] + [0xff] * 15),
                      bytes([0x67] + [2] * 11 + [0x69, 1, 0x6b, 0x40]),
                      bytes([0x67, 1] + [0] * 14) + b"\xff" * 16):
            self.write("trace.bin", whole + after)
            self.assertNotIn("no trace source", self.check())

    def test_id_that_changes_in_the_middle(self):
        self.write("trace.bin", frames.pack([(ID, OWN[:CUT]), (OTHER_ID, OWN[CUT:])]))
        said = self.check()
        self.assertRegex(said, r'^trace.ini:4: warning: buffer "ETB_0": trace ID 0x22 has %d bytes '
                         r"and no trace source; not decoded; it begins at byte \d+, after "
                         r'0x10 of "ETM_0" ended at byte \d+, whose ID may have been changed\n$'
                         % (len(OWN) - CUT))
        begin, end = map(int, re.findall(r"at byte (\d+)", said))
        self.assertTrue(0 < begin - end < 4 and CUT < end < CUT * 17 / 15 + 16, said)

    def test_id_of_a_source_of_another_buffer(self):
        self.write("other.bin", bytes(16))
        self.replace("trace.ini", "buffers=buffer0", "buffers=buffer0,buffer1")
        self.replace("trace.ini", "[source_buffers]\nETM_0=ETB_0",
                     "[buffer1]\nname=ETB_1\nfile=other.bin\nformat=coresight\n"
                     "[source_buffers]\nETM_0=ETB_1")
        self.assertIn(self.unclaimed(ID, OWN, '; it is that of "ETM_0", which section '
                                     "[source_buffers] does not say to be in this buffer"),
                      self.check())

    def test_id_of_a_source_of_another_metadata_file(self):
        """A trace package has no [source_buffers]: the metadata files say what is where."""
        os.remove(os.path.join(self.folder, "snapshot.ini"))
        self.write("other.bin", frames.pack([(OTHER_ID, OWN), (ID, OWN[:30])]))
        self.write("contents.ini", b"[trace]\nmetadata=one.ini\nbuffer0=trace.bin\n"
                   b"[trace_1]\nmetadata=two.ini\nbuffer0=other.bin\n")
        for name, trace_id in (("one", ID), ("two", OTHER_ID)):
            self.write(name + ".ini", b"[buffer]\nformat: coresight\n[trace_%d]\nformat: ETM4.2\n"
                       b"cyclecount: 0\ncontext_id: 0\nTRCIDR0: 0x28000ea1\n" % trace_id)
        self.assertIn('contents.ini:6: warning: buffer "buffer0@two.ini": trace ID 0x10 has 30 bytes '
                      'and no trace source; not decoded; it is that of "trace_16@one.ini", which '
                      "another metadata file describes, with other buffers\n",
                      self.run_csreplay("check").stderr)

    def test_id_of_data_trace(self):
        """The data stream of an ETMv4 has the ID after that of its instructions (TRCCONFIGR.DA, DV)."""
        self.write("trace.bin", frames.pack([(ID, OWN[:50]), (ID + 1, b"data"), (ID, OWN[50:])]))
        self.assertEqual(self.check(), self.unclaimed(ID + 1, b"data"))
        hint = self.unclaimed(ID + 1, b"data", '; it is that of the data trace of "ETM_0"')
        register = "TRCCONFIGR(0x004)=0x00001841"
        for kind in ("0x00011841", "0x00021841", "0x00031841"):
            self.replace("device_1.ini", register, "TRCCONFIGR(0x004)=" + kind)
            register = "TRCCONFIGR(0x004)=" + kind
            self.assertEqual(self.check(), hint)
            history = self.run_csreplay("history")
            self.assertEqual((history.returncode, history.stderr), (0, hint))
        # A unit that traces data has loads or stores as P0 elements, too, which is an error of its own.
        self.replace("device_1.ini", register, "TRCCONFIGR(0x004)=0x00031847")
        said = self.check(1)
        self.assertIn(hint, said)
        self.assertIn("(TRCCONFIGR.INSTP0 is 3), which is not decoded", said)

    def test_id_after_an_odd_one_is_no_data_trace(self):
        """IHI 0064, TRCTRACEIDR: with data trace its bit 0 is 0."""
        self.replace("device_1.ini", "TRCCONFIGR(0x004)=0x00001841", "TRCCONFIGR(0x004)=0x00031841")
        self.replace("device_1.ini", "TRCTRACEIDR(0x010)=0x00000010", "TRCTRACEIDR(0x010)=0x00000011")
        self.write("trace.bin", frames.pack([(ID + 1, OWN[:50]), (ID + 2, b"data"), (ID + 1, OWN[50:])]))
        self.assertEqual(self.check(), self.unclaimed(ID + 2, b"data"))

    def test_second_stream(self):
        """`ETM_0(stream:1)` is said not to be decoded; the instructions are."""
        self.replace("trace.ini", "[source_buffers]\nETM_0=ETB_0\n",
                     "[source_buffers]\nETM_0=ETB_0\nETM_0(stream:1)=ETB_0\n")
        done = self.run_csreplay("history")
        self.assertEqual((done.returncode, done.stderr), (0, (
            'trace.ini:11: warning: stream 1 of trace source "ETM_0" is not decoded: program flow comes in stream 0\n')))
        self.assertEqual(sum(not line.startswith("#") for line in done.stdout.splitlines()[1:]), INSTRUCTIONS)

    # Sources that cannot be decoded

    def test_source_that_cannot_be_decoded(self):
        self.replace("device_1.ini", "TRCCONFIGR(0x004)=0x00001841", "TRCCONFIGR(0x004)=0x00001847")
        said = ('device_1.ini:1: error: trace source "ETM_0" traces loads or stores as P0 elements '
                "(TRCCONFIGR.INSTP0 is 3), which is not decoded\n")
        self.assertEqual(self.check(1), said)
        for command in ("history", "export"):
            done = self.run_csreplay(command)
            self.assertEqual((done.returncode, done.stderr), (1, said))
        done = self.run_csreplay("history", "--format", "tarmac")
        self.assertEqual((done.returncode, done.stderr), (1, said))
        self.assertEqual(self.run_csreplay("info").stderr, said)
        with serving.Server([self.folder]) as server:
            self.assertIn(said, server.messages)
        done = self.run_csreplay("why", "--of", "pc")
        self.assertEqual((done.returncode, done.stderr), (1, said))
        done = self.run_csreplay("state", "--batch", "/dev/null")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith(said), done.stderr)

    def test_source_that_cannot_be_decoded_is_not_compared(self):
        """Neither equal nor different: with itself, and with the trace as it should be."""
        self.replace("device_1.ini", "TRCCONFIGR(0x004)=0x00001841", "TRCCONFIGR(0x004)=0x00001847")
        for other in (self.folder, EXAMPLE):
            for options in ([], ["--core", "cpu_0"], ["--format", "json"]):
                done = self.run_csreplay("compare", other, *options)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertIn(f'csreplay: error: {self.folder}: core "cpu_0" is not compared: its '
                              "trace cannot be decoded\n", done.stderr)

    def test_one_core_of_several_that_cannot_be_decoded_is_not_compared(self):
        two = os.path.join(os.path.dirname(self.folder), "two")
        for name, device in (("cpu_1", "cpu_0"), ("ETM_1", "device_1")):
            with open(os.path.join(self.folder, device + ".ini"), encoding="utf-8") as file:
                text = file.read()
            text = text.replace(name[:-1] + "0", name)
            text = re.sub(r"(TRCTRACEIDR\(0x010\)=).*", r"\g<1>0x22", text)
            self.write(f"second_{device}.ini", text.encode())
        self.replace("snapshot.ini", "[trace]",
                     "device8=second_cpu_0.ini\ndevice9=second_device_1.ini\n[trace]")
        self.replace("trace.ini", "cpu_0=ETM_0", "cpu_0=ETM_0\ncpu_1=ETM_1")
        self.replace("trace.ini", "\nETM_0=ETB_0", "\nETM_0=ETB_0\nETM_1=ETB_0")
        self.write("trace.bin", frames.pack([(ID, OWN), (OTHER_ID, OWN)]))
        shutil.copytree(self.folder, two)
        done = self.run_csreplay("compare", two)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.replace("second_device_1.ini", "TRCCONFIGR(0x004)=0x00001841",
                     "TRCCONFIGR(0x004)=0x00001847")
        for options in ([], ["--format", "json"]):
            done = self.run_csreplay("compare", two, *options)
            self.assertEqual(done.returncode, 1)
            self.assertIn('core "cpu_1" is not compared: its trace cannot be decoded\n',
                          done.stderr)
            self.assertNotIn("only in", done.stdout)
        said = json.loads(done.stdout)
        self.assertEqual((said["equal"], said["complete"]), (False, False))
        done = self.run_csreplay("compare", two, "--core", "cpu_0")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_source_with_a_missing_register_is_told_once(self):
        self.replace("device_1.ini", "TRCIDR0(0x078)=0x28000ea1\n", "")
        self.assertEqual(self.check(1), 'device_1.ini:1: error: trace source "ETM_0" (ETMv4) has no '
                         "register TRCIDR0\n")
        self.assertEqual(self.run_csreplay("history").returncode, 1)

    def test_core_without_trace_is_no_error(self):
        self.replace("trace.ini", "cpu_0=ETM_0", "")
        self.assertEqual(self.run_csreplay("history").returncode, 0)

    # Code that is missing

    def missing(self, advice):
        said = self.check()
        found = re.search(r'^cpu_0.ini:1: warning: core "cpu_0": no dump or image has the code at '
                          r"(0x[0-9a-f]+) to (0x[0-9a-f]+): (\d+) gaps?, in which (\d+) of (\d+) bytes "
                          r"of its trace are lost; (.*)$", said, re.MULTILINE)
        self.assertTrue(found, said)
        self.assertEqual(found[6], advice)
        first, last, gaps, lost, total = (int(value, 0) for value in found.groups()[:5])
        self.assertEqual(total, len(OWN))
        self.assertTrue(0 < lost <= total and gaps > 0, said)
        return first, last, lost

    def test_trace_without_synchronization(self):
        """Said by all commands that show a history; not of a source that has no bytes at all."""
        said = " bytes in its buffer, but no synchronization point from which they could be decoded"
        sync = OWN.index(b"\0" * 11 + b"\x80")
        rest = OWN[sync + 12:]
        self.write("trace.bin", frames.pack([(ID, rest[:rest.find(b"\0" * 11 + b"\x80")])]))
        for command in ("check", "history", "info"):
            self.assertEqual(self.run_csreplay(command).stderr.count(said), 1)
        self.write("trace.bin", frames.pack([(OTHER_ID, b"x" * 40)]))
        self.assertNotIn(said, self.check())
        self.assertNotIn(said, self.run_csreplay("info").stderr)

    def test_missing_code(self):
        """Half of the program's code is in no dump."""
        self.replace("cpu_0.ini", "length=0x540", "length=0x200")
        pcs = [pc for pc in serving.Crash("example").pcs() if pc >= 0x400200]
        os.rename(os.path.join(self.folder, "sensorhub.elf"), os.path.join(self.folder, "code.bin"))
        with open(os.path.join(self.folder, "code.bin"), "rb") as file:
            code = file.read()
        self.write("code.bin", b"no ELF" + code[6:])
        self.replace("cpu_0.ini", "file=sensorhub.elf", "file=code.bin")
        first, last, lost = self.missing("give the program or library there with --image ELF, or, if "
                                         "it is relocatable, --image ELF@ADDRESS")
        self.assertTrue(min(pcs) <= first <= last <= max(pcs))
        self.assertGreater(lost, len(OWN) // 4)

    def test_missing_code_that_an_image_has(self):
        self.replace("cpu_0.ini", "length=0x540", "length=0x200")
        self.missing(f'give "{os.path.join(self.folder, "sensorhub.elf")}", which has it, with '
                     "--image")
        image = os.path.join(self.folder, "sensorhub.elf")
        self.assertNotIn("no dump or image", self.run_csreplay("check", "--image", image).stderr)

    def test_missing_code_of_a_dump_without_its_file(self):
        self.replace("cpu_0.ini", "file=sensorhub.elf", "file=code.bin")
        done = self.run_csreplay("check")
        self.assertEqual(done.returncode, 1)
        self.assertIn('; dump "dump0" should have it, but not its file "code.bin"\n', done.stderr)

    # Settings

    def test_frames_that_are_none(self):
        self.write("trace.bin", OWN + bytes(-len(OWN) % 16))
        said = self.check()
        self.assertRegex(said, r'trace.ini:4: warning: buffer "ETB_0" is said to have the format '
                         r'"coresight"; taken as "source_data", %d instructions and \d+ other '
                         r'elements of "ETM_0" are decoded, instead of 0 and \d: say '
                         r"format=source_data\n" % INSTRUCTIONS)
        self.replace("trace.ini", "format=coresight", "format=source_data")
        self.assertNotIn("format=", self.check())

    def test_frames_that_are_called_raw(self):
        self.replace("trace.ini", "format=coresight", "format=source_data")
        self.assertRegex(self.check(), r'trace.ini:4: warning: buffer "ETB_0" is said to have the '
                         r'format "source_data"; taken as "coresight", %d instructions and .* say '
                         r"format=coresight\n" % INSTRUCTIONS)

    def test_id_that_differs_from_the_register(self):
        self.replace("device_1.ini", "TRCTRACEIDR(0x010)=0x00000010", "TRCTRACEIDR(0x010)=0x00000012")
        said = self.check()
        self.assertIn(self.unclaimed(ID, OWN), said)
        self.assertRegex(said, r'device_1.ini:1: warning: trace source "ETM_0" has the trace ID 0x12, '
                         r"of which its buffers have no byte; taken as its trace, 0x10 of buffer "
                         r'"ETB_0" is decoded to %d instructions and \d+ other elements: TRCTRACEIDR '
                         r"may have to say 0x10\n" % INSTRUCTIONS)

    def test_bytes_of_another_id_that_are_no_trace(self):
        self.replace("device_1.ini", "TRCTRACEIDR(0x010)=0x00000010", "TRCTRACEIDR(0x010)=0x00000012")
        self.write("trace.bin", frames.pack([(0x33, bytes(range(256)) * 40)]))
        self.assertNotIn("may have to say", self.check())


class OddAddresses(unittest.TestCase):
    """Real T32 code whose dump is said to begin at the address of a symbol, bit 0 set."""
    # Snapshot, file and what stands there.
    CASES = (("tc2-ptm-rstk-t32", "device1.ini", ("0x80000278",), True),
             ("TC2", "cpu_0.ini", ("0xC0008000",), True),
             ("armv8_1m_branches", "cpu_0.ini", ("0x1E008", "0x4F9A02"), True),
             # Data: that it is odd makes no difference to the code.
             ("tc2-ptm-rstk-t32", "device1.ini", ("0x80001D58",), False))

    def test_odd_addresses(self):
        for name, file, addresses, is_code in self.CASES:
            with tempfile.TemporaryDirectory() as scratch:
                folder = os.path.join(scratch, "snapshot")
                shutil.copytree(material.shared("corpus", "opencsd", name), folder,
                                copy_function=shutil.copyfile)
                os.chmod(folder, 0o755)
                path = os.path.join(folder, file)
                with open(path, encoding="latin-1") as source:
                    text = source.read()
                for address in addresses:
                    self.assertEqual(text.count(f"address={address}"), 1)
                    text = text.replace(f"address={address}", f"address={int(address, 16) + 1:#x}")
                with open(path, "w", encoding="latin-1") as target:
                    target.write(text)
                done = subprocess.run([serving.CSREPLAY, "check", folder], capture_output=True,
                                      text=True, timeout=100, check=False)
            found = re.findall(r" begins at (0x[0-9a-f]+); at (0x[0-9a-f]+) the trace fits its code "
                               r"better: (\d+) instructions with (\d+) gaps for missing or wrong "
                               r"code, instead of (\d+) with (\d+)\. ", done.stderr)
            found = [[int(value, 0) for value in one] for one in found]
            self.assertEqual([one[:2] for one in found],
                             [[int(a, 16) + 1, int(a, 16)] for a in addresses if is_code], name)
            for one in found:
                self.assertLess(one[3], one[5])


class RealSnapshots(unittest.TestCase):
    """Their settings are right, and every ID has its source: nothing else is said."""

    def test_nothing_false_is_said(self):
        folder = material.shared("corpus", "opencsd")
        for name in sorted(os.listdir(folder)):
            done = subprocess.run([serving.CSREPLAY, "check", os.path.join(folder, name)],
                                  capture_output=True, text=True, timeout=300, check=False)
            for false in ("no trace source;", "say format=", "may have to say", "begins at"):
                self.assertNotIn(false, done.stderr, name)


if __name__ == "__main__":
    serving.main()
