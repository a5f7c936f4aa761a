#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in gdb and in lldb, on a terminal, while the stub searches: for a breakpoint, or for a
watchpoint, for which values are reconstructed first. So that nothing depends on how fast the search
is, what the debugger runs with reaches the stub together with the interrupt after it."""
import os
import pty
import re
import select
import shutil
import socket
import sys
import threading
import time
import unittest

import serving

CRASH = serving.Crash("example")
PCS = CRASH.pcs()
N = len(PCS) - 1
WATCHED = 0x401648  # sensors[2].driver
WAIT = 60  # seconds, for what comes in the end
AGAIN = 2  # seconds, until Ctrl-C is typed again


class Between:
    """A relay before the stub. It keeps a request to run backward until an interrupt comes."""

    RUN = re.compile(rb"\$bc#..")

    def __init__(self, address):
        self.held = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "%s:%d" % self.listener.getsockname()
        host, port = address.rsplit(":", 1)
        self.stub = socket.create_connection((host, int(port)), timeout=WAIT)
        self.thread = threading.Thread(target=self.relay, daemon=True)
        self.thread.start()

    def relay(self):
        client, _ = self.listener.accept()
        self.listener.close()
        kept = b""
        is_first = True  # of the requests to run backward; the others pass
        while True:
            readable = select.select([client, self.stub], [], [])[0]
            for one in readable:
                data = one.recv(65536)
                if not data:
                    client.close()
                    self.stub.close()
                    return
                if one is self.stub:
                    client.sendall(data)
                    continue
                kept += data
                if is_first and self.RUN.search(kept):
                    if b"\x03" not in kept:
                        self.held.set()
                        continue
                    is_first = False
                self.stub.sendall(kept)
                kept = b""


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, arguments):
        try:
            pid, self.fd = pty.fork()
        except OSError as error:
            raise unittest.SkipTest(f"no terminal to be had: {error}") from None
        if pid == 0:
            os.environ.update(TERM="dumb", LC_ALL="C")
            os.execvp(arguments[0], arguments)
        self.pid = pid
        self.said = ""

    def wait_for(self, pattern, typing=""):
        """What was said up to the pattern, which is then forgotten. `typing` is typed, and again: a
        debugger that has sent its request may not yet look at the keyboard."""
        end = time.monotonic() + WAIT
        self.type(typing)
        while True:
            found = re.search(pattern, self.said)
            if found:
                said, self.said = self.said[:found.end()], self.said[found.end():]
                return said
            left = max(0, end - time.monotonic())
            ready = select.select([self.fd], [], [], min(AGAIN, left) if typing else left)[0]
            if not ready and left == 0:
                raise AssertionError(f"no {pattern!r} in {self.said!r}")
            if not ready:
                self.type(typing)
                continue
            try:
                self.said += os.read(self.fd, 65536).decode(errors="replace")
            except OSError:
                raise AssertionError(f"it ended without {pattern!r}: {self.said!r}") from None

    def type(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


class Interrupt(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())
        self.between = Between(self.server.address)

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def lldb(self, command, interrupt):
        """Runs backward, interrupts it, and runs again."""
        if not shutil.which(serving.LLDB):
            self.skipTest("no " + serving.LLDB)
        lldb = Terminal([serving.LLDB, "--no-lldbinit", "--no-use-colors",
                         "-o", f"gdb-remote {self.between.address}",
                         "-o", "process plugin packet monitor set possible-writes skip",
                         "-o", command,
                         "-o", "script print('re' + 'ady')"])
        lldb.wait_for("ready")
        lldb.type("process continue --reverse\n")
        self.assertTrue(self.between.held.wait(WAIT))
        said = [lldb.wait_for("stop reason = [^\n]*\n", interrupt)]
        lldb.wait_for(r"frame #0: ")
        lldb.type("register read trace_pos\n")
        said.append(lldb.wait_for("trace_pos = [^\n]*\n"))
        lldb.type("process continue --reverse\n")
        said.append(lldb.wait_for("stop reason = [^\n]*\n"))
        lldb.type("process detach\nquit\n")
        lldb.close()
        print("".join(said))
        self.assertIn("stop reason = signal SIGINT", said[0])
        self.assertRegex(said[1], rf"trace_pos = 0x0*{N:x}\b")
        return said[2]

    def gdb(self, command):
        gdb = Terminal(["gdb-multiarch", "-nx", "-q", "-ex", "set pagination off",
                        "-ex", f"target remote {self.between.address}", "-ex", command])
        gdb.wait_for(r"\(gdb\) ")
        gdb.type("reverse-continue\n")
        self.assertTrue(self.between.held.wait(WAIT))
        gdb.wait_for("received signal SIGINT", "\x03")
        gdb.type("p $trace_pos\n")
        self.assertIn(f" = {N}", gdb.wait_for(r"\$1 = \d+"))
        gdb.type("reverse-continue\n")
        said = gdb.wait_for(r"\n(Breakpoint|csreplay: possible write of)")
        gdb.type("kill\nquit\n")
        gdb.close()
        return said

    def test_lldb_search_of_a_breakpoint(self):
        self.assertIn("breakpoint 1.1", self.lldb(f"breakpoint set -a {PCS[0]:#x}", "\x03"))

    def test_lldb_process_interrupt(self):
        self.assertIn("breakpoint 1.1", self.lldb(f"breakpoint set -a {PCS[0]:#x}",
                                                  "process interrupt\n"))

    def test_lldb_reconstruction_for_a_watchpoint(self):
        self.assertIn("watchpoint 1", self.lldb(f"watchpoint set expression -s 8 -- {WATCHED:#x}",
                                                "\x03"))

    def test_gdb_search_of_a_breakpoint(self):
        self.gdb(f"break *{PCS[0]:#x}")

    def test_gdb_reconstruction_for_a_watchpoint(self):
        self.gdb(f"watch *(long *) {WATCHED:#x}")


if __name__ == "__main__":
    serving.main()
