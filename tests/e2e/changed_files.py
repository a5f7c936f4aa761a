# SPDX-License-Identifier: Apache-2.0
"""Files of a snapshot that are cut, overwritten or replaced while it is served or listed: small ones are copies, and
answers are what they were; of large ones nothing more is said but that they changed; the server lives."""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
import serving  # noqa: E402

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = pathlib.Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
LARGE = (1 << 20) + 4096  # more than what is copied
DUMP = 0x10000000  # where the large dump lies
WORD = 0x1122334455667788
SAID = "changed while it was in use"


class Changed(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve() / "snapshot"
        shutil.copytree(EXAMPLE, self.folder)
        self.dump = self.folder / "large.bin"
        with open(self.dump, "wb") as file:
            file.write(struct.pack("<QQ", WORD, WORD))
            file.truncate(LARGE)
        with open(self.folder / "cpu_0.ini", "a", encoding="utf-8") as file:
            file.write(f"\n[dump9]\nfile=large.bin\naddress={DUMP:#x}\nlength={LARGE:#x}\n")
        self.program = self.folder / "sensorhub.elf"

    def cut(self, path):
        os.truncate(path, 1)

    def overwrite(self, path):
        """In place, with as many bytes and the times of before."""
        before = path.stat()
        with open(path, "r+b") as file:
            file.write(b"\xff" * min(before.st_size, 4096))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def replace(self, path):
        new = path.with_name("new")
        new.write_bytes(b"\xff" * 4096)
        new.rename(path)

    def take_away(self, path):
        path.unlink()

    def gdb(self, server, *commands):
        return serving.gdb(server.address, commands, str(EXAMPLE / "sensorhub.elf"),
                           allowed=(".*" + SAID, ".*taken away", ".*Cannot access memory"))

    def test_nothing_is_served_of_a_large_file_that_changed(self):
        ask = (f"x/2gx {DUMP:#x}", "monitor info", f"x/gx {DUMP + LARGE - 8:#x}", "p $x2")
        for change in (self.cut, self.overwrite, self.replace, self.take_away):
            with self.subTest(change=change.__name__):
                self.setUp()
                with serving.Server(["--image", str(self.program), str(self.folder)]) as server:
                    client = serving.Client(server.address)
                    self.assertEqual(client.ask(f"m{DUMP:x},8"), struct.pack("<Q", WORD).hex())
                    time.sleep(0.02)
                    change(self.dump)
                    for request in (f"m{DUMP:x},8", f"m{DUMP + LARGE - 64:x},40", f"x{DUMP:x},8"):
                        self.assertEqual(client.ask(request), "E01")
                    for request in ("p2", "g", "bs", "bc", "vFile:open:0,0,0"):
                        self.assertRegex(client.ask(request), r"^E\..*large\.bin.*load the snapshot again$", request)
                    client.close()
                    out = self.gdb(server, *ask)
                    self.assertRegex(out, SAID + "|was taken away")
                    self.assertNotIn("0x1122334455667788", out)
                    self.assertNotIn("0xffffffff", out)
                    self.assertIsNone(server.process.poll())
                self.assertRegex("".join(server.messages), SAID + "|was taken away")

    def test_small_files_stay_what_they_were(self):
        with serving.Server(["--image", str(self.program), str(self.folder)]) as server:
            ask = ["monitor --reread seek end", "maintenance flush register-cache", "p $pc", "p/x $x2",
                   "x/4gx 0x401540", "x/2i 0x400404", "monitor info", "reverse-stepi", "p/x $x2", "p $pc",
                   "monitor why x2"]
            program = str(EXAMPLE / "sensorhub.elf")
            serving.gdb(server.address, ask, program)  # the next one comes where this one leaves
            before = serving.gdb(server.address, ask, program)
            self.assertIn("$2 = 0x322d7261", before)
            time.sleep(0.02)
            for name in ("data_401540.bin", "stack.bin", "trace.bin", "sensorhub.elf", "cpu_0.ini"):
                for change in (self.overwrite, self.cut, self.take_away):
                    change(self.folder / name)
            self.assertEqual(serving.gdb(server.address, ask, program), before)

    def test_history_of_a_large_file_that_is_cut_ends_with_a_word(self):
        for change in (self.cut, self.overwrite):
            self.setUp()
            with subprocess.Popen([CSREPLAY, "history", "--registers", str(self.folder)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as lister:
                lister.stdout.readline()  # it waits for its reader
                time.sleep(0.02)
                change(self.dump)
                out, said = lister.communicate(timeout=60)
            self.assertEqual(lister.returncode, 1, said)
            self.assertIn(SAID, said)
            self.assertNotIn("ffffffffffffffff", out)


if __name__ == "__main__":
    serving.main()
