#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Clients that do not behave: the session goes on, the server ends with 0."""
import random
import signal
import socket
import sys
import unittest

import serving

CRASH = serving.Crash(sys.argv[1])
PACKETS = [b"g", b"p0", b"m400000,40", b"bs", b"bc", b"c", b"vCont;c", b"vCont;s:1", b"qC", b"?",
           b"Hg0", b"Z0,400100,4", b"z0,400100,4", b"qfThreadInfo", b"qXfer:threads:read::0,100",
           b"qRcmd,67617073", b"P44=0000000000000000", b"vFile:open:00,0,0", b"T1"]


class Robustness(unittest.TestCase):
    def setUp(self):
        self.server = serving.Server(CRASH.arguments())

    def tearDown(self):
        self.assertEqual(self.server.stop(), 0)

    def client(self):
        client = serving.Client(self.server.address)
        self.addCleanup(client.close)
        return client

    def assert_alive(self, client):
        while not client.silent(0.3):
            client.buffer = b""
            self.assertTrue(client.socket.recv(1 << 20))
        self.assertEqual(client.ask("qsThreadInfo"), "l")

    def test_45_random_bytes(self):
        generator = random.Random(1)
        for _ in range(20):
            client = self.client()
            client.send(generator.randbytes(generator.randrange(1, 5000)) + b"#00")
            # Whatever frame they began has ended now; a sound packet is answered.
            self.assert_alive(client)
            client.close()

    def test_45_random_packets(self):
        generator = random.Random(2)
        client = self.client()
        client.ask("QStartNoAckMode")
        for _ in range(2000):
            packet = bytearray(generator.choice(PACKETS))
            for _ in range(generator.randrange(3)):
                packet[generator.randrange(len(packet))] = generator.randrange(256)
            if packet[:1] in (b"k", b"D") or packet.startswith(b"vKill"):
                continue
            client.send(serving.frame(bytes(packet)))
            client.payload()
        self.assert_alive(client)

    def test_45_packets_split_into_bytes(self):
        client = self.client()
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in serving.frame(b"qfThreadInfo"):
            client.send(bytes([byte]))
        self.assertTrue(client.payload().startswith(b"m1"))

    def test_45_many_packets_at_once(self):
        client = self.client()
        client.send(serving.frame(b"qC") * 500)
        self.assertEqual({client.payload() for _ in range(500)}, {b"QC1"})

    def test_45_bad_checksum_is_refused_and_resent(self):
        client = self.client()
        client.send(b"$qC#00")
        self.assertEqual(client.socket.recv(1), b"-")
        self.assertTrue(client.silent(0.2))
        self.assertEqual(client.ask("qC"), "QC1")
        client.send(b"-")
        self.assertEqual(client.payload(), b"QC1")

    def test_45_interrupt_while_idle_is_nothing(self):
        client = self.client()
        client.ask("QStartNoAckMode")
        client.send(b"\x03\x03\x03")
        self.assertTrue(client.silent(0.2))
        self.assertEqual(client.ask("qC"), "QC1")

    def test_45_huge_qrcmd(self):
        client = self.client()
        self.assertEqual(client.ask("qRcmd," + "61" * (1 << 20)), "E01")
        # The largest that fits is a command that does not exist.
        answer = client.ask("qRcmd," + "61" * 65000)
        self.assertTrue(bytes.fromhex(answer[1:]).startswith(b"no command \"aaaa"))
        self.assertLess(len(answer), 1000)
        self.assertEqual(client.payload(), b"OK")

    def test_45_endless_packet_does_not_grow(self):
        client = self.client()
        client.send(b"$")
        for _ in range(64):
            client.send(b"a" * (1 << 17))
        client.send(serving.frame(b"qC"))
        self.assertEqual(client.payload(), b"QC1")

    def test_4_abrupt_disconnect_in_mid_run(self):
        for request in (b"bc", b"vCont;c", b"g", b"qXfer:features:read:target.xml:0,10000"):
            client = self.client()
            client.send(serving.frame(request) * 20)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            client.close()
        self.assertEqual(self.client().ask("qsThreadInfo"), "l")

    def test_4_next_client_comes_before_the_farewell_is_read(self):
        for lingers in (False, True):
            for farewell in (b"bc", b"D"):
                client = self.client()
                self.assertEqual(client.ask("qsThreadInfo"), "l")
                # The server finds the last bytes, the end and the next client at once.
                self.server.process.send_signal(signal.SIGSTOP)
                client.send(serving.frame(farewell) * 20)
                if not lingers:
                    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                             b"\1\0\0\0\0\0\0\0")
                client.close()
                client = self.client()
                self.server.process.send_signal(signal.SIGCONT)
                self.assertEqual(client.ask("qsThreadInfo"), "l", (lingers, farewell))
                client.close()

    def test_45_client_that_never_reads_is_given_up_at_the_end(self):
        client = self.client()
        client.socket.setblocking(False)
        try:
            for _ in range(100000):
                client.send(serving.frame(b"m400000,ffff"))
        except BlockingIOError:
            pass
        # tearDown: the server must obey SIGTERM although it cannot write.


if __name__ == "__main__":
    serving.main()
