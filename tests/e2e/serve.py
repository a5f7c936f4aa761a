#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay serve` itself: where it listens, how it ends, what it says when it cannot begin."""
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])


def serve(*arguments):
    done = subprocess.run([serving.CSREPLAY, "serve", *arguments], capture_output=True, text=True,
                          timeout=60, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout, done.stderr


class Serve(unittest.TestCase):
    def test_port_in_use_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f"127.0.0.1:{other.getsockname()[1]}"
            self.assertEqual(serve("--listen", address, *CRASH.arguments()),
                             (1, "", f"error: cannot listen on {address}: Address already in use\n"))

    def test_addresses_that_are_none(self):
        for address in ("", "1234", "localhost", "localhost:x", "127.0.0.1:65536", "::1:1234"):
            self.assertEqual(serve("--listen", address, *CRASH.arguments()),
                             (2, "", f'error: cannot listen on "{address}": it must be HOST:PORT, '
                              "unix:PATH or stdio\n"))

    def test_unix_path_in_use_or_too_long(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            with open(path, "w", encoding="utf-8") as file:
                file.write("keep")
            self.assertEqual(serve("--listen", "unix:" + path, *CRASH.arguments()),
                             (1, "", f"error: cannot listen on unix:{path}: Address already in "
                              "use\n"))
            with open(path, encoding="utf-8") as file:
                self.assertEqual(file.read(), "keep")
        code, _, err = serve("--listen", "unix:/" + "a" * 200, *CRASH.arguments())
        self.assertEqual(code, 1)
        self.assertIn("the path of a unix socket has 1 to 107 bytes", err)

    def test_no_such_snapshot(self):
        code, out, err = serve("/nonexistent/snapshot")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("/nonexistent/snapshot", err)
        self.assertNotIn("listening", err)

    def test_signals_end_it_with_0(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            server = serving.Server(CRASH.arguments())
            self.assertEqual(server.stop(number), 0)
            server = serving.Server(CRASH.arguments())
            with serving.Client(server.address) as client:
                client.ask("?")
                self.assertEqual(server.stop(number), 0)

    def test_hangup_ends_it_and_its_socket_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            server = serving.Server(CRASH.arguments(), "unix:" + path)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            self.assertEqual(server.stop(signal.SIGHUP), 0)
            self.assertFalse(os.path.exists(path))

    def test_dead_socket_is_replaced_and_a_live_one_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "s")
            server = serving.Server(CRASH.arguments(), "unix:" + path)
            self.assertEqual(serve("--listen", "unix:" + path, *CRASH.arguments())[0], 1)
            self.assertEqual(server.stop(signal.SIGKILL), -signal.SIGKILL)
            self.assertTrue(os.path.exists(path))
            server = serving.Server(CRASH.arguments(), "unix:" + path)
            out = serving.gdb(path, ["p $trace_pos"], CRASH.program)
            self.assertIn("$1 = ", out)
            self.assertEqual(server.stop(), 0)
            self.assertRegex("".join(server.messages),
                             r"process \d+ is connected\n(.*\n)*process \d+ has left\n")

    def test_peer_that_does_not_read_standard_output_is_left_at_sigterm(self):
        ours, theirs = socket.socketpair()
        for kind in ("pipe", "socket"):
            with self.subTest(kind=kind):
                output = os.pipe() if kind == "pipe" else (ours, theirs)
                process = subprocess.Popen(
                    [serving.CSREPLAY, "serve", "--listen", "stdio", *CRASH.arguments()],
                    stdin=subprocess.PIPE, stdout=output[1], stderr=subprocess.PIPE)
                for line in process.stderr:
                    if line.startswith(b"listening"):
                        break
                process.stdin.write(serving.frame(b"QStartNoAckMode"))
                process.stdin.write(serving.frame(b"m400000,8000") * 40)
                process.stdin.flush()
                time.sleep(0.5)  # it is full now, and the server waits
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=20), 0)
                process.stdin.close()
                process.stderr.close()
                if kind == "pipe":
                    os.close(output[0])
                    os.close(output[1])
        ours.close()
        theirs.close()

    def test_second_client_is_told_who_is_there(self):
        with serving.Server(CRASH.arguments()) as server, serving.Client(server.address) as client:
            self.assertEqual(client.ask("qC"), "QC1")
            name = "%s:%d" % client.socket.getsockname()
            for program, allowed in ((None, "E.busy|^Remote connection closed|Connection reset"),):
                out = serving.gdb(server.address, [], program, allowed=(allowed, "^warning: "))
                self.assertRegex(out, rf"E\.busy: {re.escape(name)} since \d\d:\d\d:\d\d")
            for _ in range(9):  # who says nothing holds nothing up
                socket.create_connection(server.address.rsplit(":", 1)).close()
                silent = socket.create_connection(server.address.rsplit(":", 1))
                self.assertEqual(client.ask("qC"), "QC1")
                silent.close()
        self.assertRegex("".join(server.messages), rf"{re.escape(name)} is connected\n")
        self.assertRegex("".join(server.messages), r"127\.0\.0\.1:\d+ is turned away\n")
        self.assertRegex("".join(server.messages), rf"{re.escape(name)} has left\n")

    def test_client_that_says_nothing_is_left_if_that_is_wanted(self):
        with serving.Server(["--idle-timeout", "1", *CRASH.arguments()]) as server:
            with serving.Client(server.address) as client:
                self.assertEqual(client.ask("qC"), "QC1")
                client.socket.settimeout(20)
                self.assertEqual(client.socket.recv(10), b"")
            with serving.Client(server.address) as client:
                self.assertEqual(client.ask("qC"), "QC1")
        self.assertIn("has said nothing for 1 seconds\n", "".join(server.messages))
        for wrong in ("0", "-1", "x", "1000000000000"):
            self.assertEqual(serve("--idle-timeout", wrong, *CRASH.arguments()),
                             (2, "", "csreplay: error: --idle-timeout takes 1 to 1000000 "
                              "seconds\n"))

    def test_log_has_each_packet(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log")
            with serving.Server(["--log", path, *CRASH.arguments()]) as server, \
                    serving.Client(server.address) as client:
                client.ask("qC")
                client.ask("m1\n")
            with open(path, encoding="ascii") as file:
                lines = [line.split(" ", 1)[1] for line in file]
            self.assertEqual(lines, ["-> qC\n", "<- $QC1#c5\n", "-> m1\\x0a\n", "<- $E01#a6\n"])
            code, _, err = serve("--log", "/nonexistent/log", *CRASH.arguments())
            self.assertEqual(code, 1)
            self.assertIn("cannot write /nonexistent/log: No such file or directory", err)

    def test_verbose_has_each_packet_on_standard_error(self):
        for option in ("-v", "--verbose"):
            server = serving.Server([option, *CRASH.arguments()])
            with serving.Client(server.address) as client:
                client.ask("qC")
            self.assertEqual(server.stop(), 0)
            self.assertEqual([line.split(" ", 1)[1] for line in "".join(server.messages).splitlines() if re.match(r"\d+\.\d+ [-<]", line)],
                             ["-> qC", "<- $QC1#c5"])
        self.assertEqual(serve("-v", "--log", "/dev/null", *CRASH.arguments())[0], 2)

    def test_once_ends_when_the_client_leaves(self):
        server = serving.Server(CRASH.arguments(), once=True)
        with serving.Client(server.address) as client:
            client.ask("?")
        self.assertEqual(server.wait(), 0)

    def test_ipv6_and_names(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("this machine has no IPv6")
        with serving.Server(CRASH.arguments(), "[::1]:0") as server:
            self.assertRegex(server.address, r"^\[::1\]:\d+$")
            port = int(server.address.rsplit(":", 1)[1])
            socket.create_connection(("::1", port)).close()

    def test_everybody_is_warned_about(self):
        with serving.Server(CRASH.arguments(), "0.0.0.0:0") as server:
            self.assertIn(f"csreplay: warning: whoever can reach {server.address} can read the "
                          "snapshot\n", server.messages)
        with serving.Server(CRASH.arguments(), ":0") as server:
            self.assertTrue(server.address.startswith("127.0.0.1:"))
            self.assertNotIn("warning: whoever", "".join(server.messages))

    def test_cores_that_cannot_be_served_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "snapshot.ini"), "w", encoding="utf-8") as file:
                file.write("[snapshot]\nversion=1.0\n[device_list]\nd0=cpu.ini\n")
            with open(os.path.join(folder, "cpu.ini"), "w", encoding="utf-8") as file:
                file.write("[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n[regs]\n"
                           "X0(size:64)=1\n")
            code, _, err = serve(folder)
            self.assertEqual(code, 1)
            self.assertRegex(err, r"error: no core of the snapshot can be served: of the first, .+")


if __name__ == "__main__":
    serving.main()
