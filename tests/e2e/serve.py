#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay serve` itself: where it listens, how it ends, what it says when it cannot begin."""
import os
import signal
import socket
import subprocess
import sys
import tempfile
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
