#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay shell` on a terminal: completion, history, Ctrl-C, a pager, colours, and a session from crash to cause."""
import fcntl
import os
import pty
import re
import select
import struct
import tempfile
import termios
import time
import unittest
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
PATIENCE = 60
PROMPT = r"cpu_0 \d+> $"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A shell on a terminal of so many rows."""

    def __init__(self, state, rows=500, **environment):
        self.child, self.fd = pty.fork()
        if self.child == 0:
            for name in ("NO_COLOR", "PAGER"):
                os.environ.pop(name, None)
            os.environ.update({"XDG_STATE_HOME": state, "TERM": "xterm", "HOME": state, **environment})
            time.sleep(0.05)
            os.execv(CSREPLAY, [CSREPLAY, "shell", str(SENSORHUB)])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 200, 0, 0))
        self.raw = self.wait()

    def wait(self, pattern=PROMPT):
        """What is said until the pattern is met."""
        said = ""
        end = time.monotonic() + PATIENCE
        while not re.search(pattern, ESCAPES.sub("", said).replace("\r", "")):
            if time.monotonic() > end:
                raise AssertionError(f"no {pattern!r} in {said!r}")
            if select.select([self.fd], [], [], 1)[0]:
                said += os.read(self.fd, 65536).decode()
        return said

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def type(self, keys, pattern=PROMPT):
        """Types a line; what is said up to the next prompt, without escape sequences."""
        self.send(keys + "\n")
        self.raw = self.wait(r"\n(.*\n)*" + pattern)
        return ESCAPES.sub("", self.raw).replace("\r", "")

    def leave(self, keys="\x04"):
        try:
            while True:
                # What is typed before libedit has taken the terminal over is no end of file.
                self.send(keys)
                while select.select([self.fd], [], [], 1)[0]:
                    os.read(self.fd, 4096)
        except OSError:
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        os.close(self.fd)
        return code


class Session(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def start(self, **options):
        return Terminal(self.folder.name, **options)

    def test_from_the_crash_to_its_cause(self):
        """docs/walkthrough.md with the fewest keys."""
        shell = self.start()
        self.assertIn("data fault at 0x400404: read of 0x322d7261; register x2", shell.raw)
        self.assertIn("possible-writes is skip", shell.type("set possible-writes skip"))
        self.assertIn("watchpoint 1: writes of the 8 bytes at 0x401650", shell.type("watch 0x401650"))
        said = shell.type("rc")
        self.assertIn("cpu_0 18175: set_label+0x10  sensorhub.c:134  strb w3, [x0, x2]", said)
        self.assertIn("#1   run_command+0x54, called at position 18101", shell.type("bt"))
        self.assertEqual(shell.leave("quit\n"), 0)

    def test_words_are_completed(self):
        shell = self.start()
        for typed, whole in (("las\tx2", "last-write x2"), ("seek ex\t", "seek exception"), ("seek c\t", "seek crash"), ("b pub\t", "break publish"),
                             ("p thermo\t", "print thermometer"), ("set gap sto\t", "set gap stop"),
                             ("core cp\t", "core cpu_0"), ("help disa\t", "help disassemble"),
                             ("assume cohe\ton", "assume coherent on"), ("registers cp\t", "registers cpsr"),
                             ("trust ass\t", "trust assumed")):
            shell.send(typed)
            shell.wait(re.escape(whole[-4:]) + r" ?$")
            shell.send("\x15")
        self.assertEqual(shell.type("mark before-it 39000"), "mark before-it 39000\nbefore-it is position 39000\ncpu_0 40000> ")
        self.assertIn("cpu_0 39000: ", shell.type("seek bef\t"))
        shell.send("reverse-\t\t")
        said = shell.wait(r"reverse-continue +reverse-step *\n.*> reverse-$")
        self.assertNotIn("registers", said)
        self.assertIn("reverse-", said)
        self.assertIn("the begin", shell.type("continue"))
        self.assertEqual(shell.leave(), 0)

    def test_history_is_kept_for_the_next_session(self):
        shell = self.start()
        shell.type("back 3")
        shell.type("print x2")
        self.assertEqual(shell.leave(), 0)
        kept = Path(self.folder.name) / "csreplay" / "shell_history"
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        shell = self.start()
        self.assertIn("x2 = 0x00000000322d7261", shell.type("\x1b[A"))
        self.assertIn("cpu_0 39997: ", shell.type("\x1b[A\x1b[A"))
        self.assertIn("cpu_0 39994: ", shell.type(""), "an empty line is the last one again")
        self.assertIn("cpu_0 39997: ", shell.type("seek 39997"))
        self.assertEqual(shell.leave(), 0)

    def test_ctrl_c_ends_lines_and_commands_and_no_session(self):
        shell = self.start()
        shell.send("print x")
        shell.wait("print x$")
        shell.send("\x03")
        shell.wait(r"\n" + PROMPT)
        self.assertIn("x2 = ", shell.type("print x2"))
        script = Path(self.folder.name) / "long"
        script.write_text("seek begin\nseek end\n" * 1000000, encoding="ascii")
        shell.send(f"source {script}\n")
        shell.wait(r"cpu_0 0: .*\n")
        begin = time.monotonic()
        shell.send("\x03")
        shell.wait(r"\n" + PROMPT)
        self.assertLess(time.monotonic() - begin, PATIENCE / 4)
        self.assertIn("x2 = ", shell.type("seek end\nprint x2", r"x2 = .*\n" + PROMPT))
        shell.send("!echo begun; sleep 100\n")
        shell.wait(r"\nbegun\n")
        time.sleep(0.5)  # sh does not obey one that comes while it starts a program
        shell.send("\x03")
        shell.wait(r"\n" + PROMPT)
        self.assertEqual(shell.leave(), 0)

    def test_long_texts_go_through_a_pager(self):
        shell = self.start(rows=20, PAGER="sed 's/^/paged: /'")
        self.assertIn("paged: reverse-step", shell.type("help"))
        self.assertNotIn("paged", shell.type("print x2"))
        self.assertIn("paged: back", shell.type("help"))
        self.assertEqual(shell.leave(), 0)
        shell = self.start(rows=20, PAGER="true")
        self.assertNotIn("reverse-step", shell.type("help"))
        self.assertEqual(shell.leave(), 0)
        shell = self.start(rows=20, PAGER="")
        self.assertIn("reverse-step", shell.type("help"))
        self.assertEqual(shell.leave(), 0)

    def test_colours_are_for_terminals_that_want_them(self):
        shell = self.start()
        self.assertIn("\x1b[1m", shell.raw)
        self.assertEqual(shell.leave(), 0)
        for wish in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            shell = self.start(**wish)
            shell.type("back 1")
            self.assertNotIn("\x1b[1m", shell.raw)
            self.assertEqual(shell.leave(), 0)

    def test_what_fails_is_said_and_the_session_goes_on(self):
        shell = self.start()
        self.assertIn('no command "fly"; `help` lists them', shell.type("fly"))
        self.assertIn("No such file or directory", shell.type("source /nowhere/at/all"))
        self.assertIn("cpu_0 39999: ", shell.type("back"))
        self.assertEqual(shell.leave(), 0)


if __name__ == "__main__":
    unittest.main()
