#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay serve` and `csreplay gdb` when they have their snapshot: what the kernel holds them to, and that all that
a client asks is answered as before."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
import serving  # noqa: E402

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
PARTS = subprocess.run([CSREPLAY, "--version", "-v"], capture_output=True, text=True, check=True).stdout


def status_of(process):
    """What /proc says of it."""
    return dict(re.findall(r"^(NoNewPrivs|Seccomp):\t(\d+)$", Path(f"/proc/{process}/status").read_text(encoding="ascii"),
                           re.MULTILINE))


class Sandbox(unittest.TestCase):
    def setUp(self):
        serving.own_state(self)

    def test_version_says_what_there_is(self):
        self.assertRegex(PARTS, r"^csreplay \d+\.\d+\.\d+( \(\w+(-dirty)?\))?\nlibraries: libelf [\d.]+, zlib [\d.]+, inih \d+, "
                                r"libarchive [\d.]+, capstone [\d.]+, libedit [\d.]+, libseccomp [\d.]+, CRoaring [\d.]+\nsandbox: .+\n$")
        self.assertEqual(subprocess.run([CSREPLAY, "--version", "--verbose"], capture_output=True, text=True,
                                        check=True).stdout, PARTS)
        wrong = subprocess.run([CSREPLAY, "--version", "-x"], capture_output=True, text=True, check=False)
        self.assertEqual((wrong.returncode, wrong.stderr),
                         (2, 'csreplay: error: --version takes -v or nothing: "-x"\n'))

    def test_a_server_is_held_and_answers_all(self):
        with serving.Server([str(SENSORHUB)]) as server:
            status = status_of(server.process.pid)
            said = serving.gdb(server.address, [
                "x/2i $pc", "reverse-stepi", "bt 2", "monitor mark here", "monitor marks", "monitor why x2",
                "monitor last-write x2", "monitor assume one-address-space on", "monitor threads context", "info registers x2"])
        if "not in this build" not in PARTS:
            self.assertEqual(status["NoNewPrivs"], "1")
            self.assertEqual(status["Seccomp"], "2" if ", seccomp\n" in PARTS else "0")
        self.assertIn("here is position 39999", said)
        self.assertIn("sensorhub.c:164", said)
        self.assertRegex(said, r"x2 +0x322d7261")

    def test_the_debugger_that_is_started_is_free(self):
        shell = "python print(open('/proc/self/status').read())"
        done = subprocess.run([CSREPLAY, "gdb", str(SENSORHUB), "--", "-batch", "-ex", shell, "-ex", "shell echo a shell",
                               "-ex", "monitor mark m"], capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Seccomp:\t0\n", done.stdout)
        self.assertIn("a shell\n", done.stdout)
        self.assertIn("m is position 40000", done.stdout + done.stderr)
        self.assertNotIn("could not all be given up", done.stderr)

    def test_sockets_are_cleared_away(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "socket")
            with subprocess.Popen([CSREPLAY, "serve", "--listen", "unix:" + path, str(SENSORHUB)], stderr=subprocess.PIPE,
                                  text=True) as server:
                while "listening" not in server.stderr.readline():
                    pass
                self.assertTrue(os.path.exists(path))
                server.terminate()
            self.assertEqual(server.returncode, 0)
            self.assertEqual(os.listdir(folder), [])
            done = subprocess.run([CSREPLAY, "gdb", str(SENSORHUB), "--", "-batch"], capture_output=True, text=True,
                                  timeout=120, env={**os.environ, "TMPDIR": folder, "XDG_RUNTIME_DIR": ""},
                                  stdin=subprocess.DEVNULL, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([name for name in os.listdir(folder) if name.startswith("csreplay")], [])


if __name__ == "__main__":
    unittest.main()
