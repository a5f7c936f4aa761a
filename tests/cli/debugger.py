#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay gdb` and `csreplay lldb`: the debugger that is started, and how both end.

    debugger.py gdb|lldb        environment: CSREPLAY, CSREPLAY_SOURCE
"""
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from material import skip

CSREPLAY = os.environ["CSREPLAY"]
SOURCE = Path(os.environ["CSREPLAY_SOURCE"])
SENSORHUB = SOURCE / "examples" / "sensorhub"
ELF = SENSORHUB / "sensorhub.elf"
PATIENCE = 60  # seconds

# A debugger that says what it was given, connects to nothing, and ends with 5.
FAKE = """#!/bin/sh
for word in "$@"; do echo "word: $word"; done
socket=$(printf '%s\\n' "$@" | sed -n 's/^target remote //p')
stat -c 'socket: %F' "$socket"
stat -c 'folder: %a' "$(dirname "$socket")"
dirname "$socket" >"$NOTED"
exit 5
"""


def run(*arguments, **environment):
    done = subprocess.run([CSREPLAY, *map(str, arguments)], capture_output=True, text=True, check=False,
                          timeout=PATIENCE, stdin=subprocess.DEVNULL, env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


class Scratch(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def fake(self, text=FAKE):
        path = self.folder / "fake"
        path.write_text(text)
        path.chmod(0o755)
        return path

    def no_socket_is_left(self):
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("csreplay-")], [])


class Starting(Scratch):
    def start(self, *arguments, text=FAKE):
        environment = {"CSREPLAY_GDB": str(self.fake(text)), "TMPDIR": str(self.folder), "XDG_RUNTIME_DIR": "",
                       "NOTED": str(self.folder / "noted")}
        return run("gdb", *arguments, **environment)

    def test_words_are_settings_program_target_and_then_the_users(self):
        code, out, _ = self.start(SENSORHUB, "--", "-batch", "-ex", "p 'x y'", "--image")
        words = re.findall(r"^word: (.*)$", out, re.MULTILINE)
        self.assertEqual(code, 5)
        self.assertEqual(words[-4:], ["-batch", "-ex", "p 'x y'", "--image"])
        self.assertEqual(words[words.index("-x") + 1], str(SOURCE / "gdbinit"))
        self.assertIn(str(SENSORHUB), words)
        self.assertLess(words.index("-x"), [word.startswith("target remote") for word in words].index(True))

    def test_socket_is_the_users_alone_and_gone_afterwards(self):
        code, out, _ = self.start(SENSORHUB)
        self.assertEqual(code, 5)
        self.assertIn("socket: socket\nfolder: 700\n", out)
        noted = (self.folder / "noted").read_text().strip()
        self.assertTrue(noted.startswith(str(self.folder)))
        self.assertFalse(os.path.exists(noted))
        self.no_socket_is_left()

    def test_elf_is_an_image_and_the_program(self):
        snapshot = self.folder / "crash"
        shutil.copytree(SENSORHUB, snapshot)
        (snapshot / "sensorhub.elf").unlink()
        cut = (snapshot / "snapshot.ini").read_text()
        self.assertNotIn(".elf", cut)
        elf = self.folder / "a b.elf"
        shutil.copy(ELF, elf)
        code, out, _ = self.start(snapshot, elf)
        self.assertEqual(code, 5)
        self.assertIn(f"word: {elf}\n", out)

    def test_other_images_are_symbols(self):
        copy = self.folder / "other.elf"
        shutil.copy(ELF, copy)
        _, out, _ = self.start("--image", copy, SENSORHUB, ELF)
        self.assertIn(f"word: {copy}\n", out)
        self.assertIn(f'word: with confirm off -- add-symbol-file "{ELF}" -o 0x0\n', out)

    def test_a_program_that_was_moved_is_the_program(self):
        """The server tells the debugger by how much."""
        copy = self.folder / "other.elf"
        shutil.copy(ELF, copy)
        for name in ("gdb", "lldb"):
            environment = {f"CSREPLAY_{name.upper()}": str(self.fake()), "NOTED": str(self.folder / "noted")}
            _, out, _ = run(name, "--image", f"{copy}@0x40000000", SENSORHUB, **environment)
            self.assertIn(f"word: {copy}\n", out)

    def test_a_debugger_that_a_signal_ends_has_128_and_its_number(self):
        self.assertEqual(self.start(SENSORHUB, text="#!/bin/sh\nkill -KILL $$\n")[0], 128 + 9)

    def test_what_is_not_there_is_said_with_its_package(self):
        for name, package in (("gdb", "gdb-multiarch"), ("lldb", "lldb")):
            code, out, err = run(name, SENSORHUB, PATH=str(self.folder), CSREPLAY_GDB="", CSREPLAY_LLDB="")
            self.assertEqual((code, out, err.count("\n")), (1, "", 1))
            self.assertIn(f"install the package {package} (", err)
            self.assertIn(f"CSREPLAY_{name.upper()}", err)
        code, out, err = run("gdb", SENSORHUB, CSREPLAY_GDB="/nowhere")
        self.assertEqual((code, out), (1, ""))
        self.assertIn('CSREPLAY_GDB is "/nowhere", which is no program that can be run', err)

    def test_a_snapshot_that_cannot_be_opened_starts_nothing(self):
        code, out, _ = self.start(self.folder / "nothing")
        self.assertEqual((code, out), (1, ""))
        self.assertFalse((self.folder / "noted").exists())

    def test_sigterm_ends_both(self):
        script = f"#!/bin/sh\necho $$ >{self.folder}/pid\nexec sleep 60\n"
        process = subprocess.Popen([CSREPLAY, "gdb", SENSORHUB], stdin=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env={
                                       **os.environ, "CSREPLAY_GDB": str(self.fake(script)),
                                       "TMPDIR": str(self.folder), "XDG_RUNTIME_DIR": ""})
        end = time.monotonic() + PATIENCE
        while not (self.folder / "pid").exists() or not (self.folder / "pid").read_text():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE), 128 + signal.SIGTERM)
        with self.assertRaises(ProcessLookupError):
            os.kill(int((self.folder / "pid").read_text()), 0)
        self.no_socket_is_left()


class Gdb(Scratch):
    def test_a_batch_session_has_symbols_and_sources(self):
        for elf in ([], [ELF]):
            code, out, err = run("gdb", SENSORHUB, *elf, "--", "-batch", "-ex", "bt", "-ex", "reverse-stepi",
                                 "-ex", "list set_label,set_label", "-ex", "info files")
            self.assertEqual(code, 0, err)
            self.assertRegex(out, r"#0 .* in publish \(sensor=0x401648 <sensors\+256>\) at sensorhub\.c:167\n"
                                  r"#1 .* in main \(\) at sensorhub\.c:178\n")
            self.assertRegex(out, r"\n133\t\tfor \(uint32_t i = 0; i < length; i\+\+\)")
            # A checkout gives files what times it likes.
        said = (out + err).replace("warning: Source file is more recent than executable.\n", "")
        self.assertNotIn("warning", said)

    def test_exit_status_is_gdbs(self):
        self.assertEqual(run("gdb", SENSORHUB, "--", "-batch", "-ex", "quit 7")[0], 7)
        self.assertEqual(run("gdb", SENSORHUB, "--", "-batch", "-ex", "disconnect")[0], 0)
        self.assertEqual(run("gdb", SENSORHUB, "--", "-batch", "-ex", "kill")[0], 0)

    def test_printed_command_does_the_same(self):
        code, command, err = run("gdb", "--print", "--trust", "assumed", SENSORHUB, ELF, "--", "-batch", "-ex",
                                 "bt 1", "-ex", "monitor trust")
        self.assertEqual((code, command.count("\n")), (0, 1))
        self.assertRegex(err, r"\Anote: what is shown of the past rests on assumptions[^\n]*\n\Z")
        self.assertTrue(shlex.split(command))
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in publish (sensor=0x401648", done.stdout)
        self.assertIn("assumed: where a value is not proved", done.stderr)

    def test_ctrl_c_is_gdbs(self):
        """At the prompt and in a loop of gdb's own; the server goes on."""
        child, terminal = pty.fork()
        if child == 0:
            os.execv(CSREPLAY, [CSREPLAY, "gdb", str(SENSORHUB), "--", "-nx", "-ex", "set style enabled off"])
        said = b""

        def wait_for(text, after=0):
            nonlocal said
            end = time.monotonic() + PATIENCE
            while text not in said[after:]:
                self.assertLess(time.monotonic(), end, said)
                if select.select([terminal], [], [], 1)[0]:
                    said += os.read(terminal, 4096)
            return len(said)

        at = wait_for(b"(gdb) ")
        os.write(terminal, b"python import time; print('be' + 'gun'); time.sleep(50)\n")
        at = wait_for(b"begun", at)
        os.write(terminal, b"\x03")
        at = wait_for(b"(gdb) ", at)
        os.write(terminal, b"\x03")
        at = wait_for(b"(gdb) ", at)
        os.write(terminal, b"reverse-stepi\nprint $trace_pos\n")
        at = wait_for(b"$1 = 39999", at)
        os.write(terminal, b"kill\ny\nquit 3\n")
        with open(os.devnull, "wb") as nowhere:
            while True:
                try:
                    nowhere.write(os.read(terminal, 4096) or b"")
                except OSError:
                    break
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 3)


class Lldb(Scratch):
    def test_a_batch_session_has_symbols_and_sources(self):
        code, out, err = run("lldb", SENSORHUB, ELF, "--", "--no-lldbinit", "-b", "-o", "bt",
                             "-o", "process continue -R")
        self.assertEqual(code, 0, err)
        self.assertRegex(out, r"frame #0: 0x0000000000400404 sensorhub\.elf`publish")
        self.assertRegex(out, r"frame #1: 0x0000000000400480 sensorhub\.elf`main at sensorhub\.c:178")
        self.assertIn("-> 167 \t\tpublished = ", out)
        self.assertIn("begin of the history", out)

    def test_exit_status_is_lldbs(self):
        self.assertEqual(run("lldb", SENSORHUB, "--", "-b", "-o", "quit 4")[0], 4)

    def test_printed_commands_do_the_same(self):
        code, commands, err = run("lldb", "--print", SENSORHUB, ELF, "--", "-b", "-o", "bt")
        self.assertEqual((code, err, commands.count("\n")), (0, "", 2))
        where = self.folder / "socket"
        server, client = commands.replace("/tmp/csreplay.sock", str(where)).splitlines()
        done = subprocess.run(f"{server}\nwhile [ ! -S {where} ]; do sleep 0.05; done\n{client}; wait",
                              shell=True, capture_output=True, text=True, timeout=PATIENCE,
                              stdin=subprocess.DEVNULL, check=False)
        self.assertIn("sensorhub.elf`publish", done.stdout, done.stderr)


def main():
    kind = sys.argv[1]
    if kind == "lldb" and not (shutil.which("lldb") or shutil.which("lldb-22")):
        skip("lldb is not there")
    cases = [Lldb] if kind == "lldb" else [Starting, Gdb]
    load = unittest.defaultTestLoader.loadTestsFromTestCase
    result = unittest.TextTestRunner(verbosity=2).run(unittest.TestSuite(load(case) for case in cases))
    sys.exit(not result.wasSuccessful())


if __name__ == "__main__":
    main()
