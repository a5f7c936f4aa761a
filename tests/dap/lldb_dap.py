#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an editor shows that drives lldb by the debug adapter protocol (lldb-dap): after moves that a user types into its console
the editor is told of a stop, and its stack, registers and variables are those of the new position."""
import json
import random
import re
import shutil
import subprocess
import unittest

import serving

CRASH = serving.Crash("example")
PCS = CRASH.pcs()
N = len(PCS) - 1
ADAPTER = "lldb-dap-22"
CALLED = 0x4003ec  # publish()
LABELLED = 18175  # the store of a loop


class Adapter:
    """lldb-dap, attached to a server."""

    def __init__(self, address):
        self.process = subprocess.Popen([ADAPTER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number, self.events = 0, []
        self.ask("initialize", adapterID="lldb", pathFormat="path", linesStartAt1=True)
        self.send("attach", program=CRASH.program, stopOnEntry=True, attachCommands=[f"gdb-remote {address}"],
                  initCommands=[f"command source -s 1 {serving.LLDBINIT}"])
        self.event("initialized")
        self.ask("configurationDone")
        self.event("stopped")
        self.thread = self.ask("threads")["threads"][0]["id"]

    def send(self, command, **arguments):
        self.number += 1
        body = json.dumps({"seq": self.number, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()
        return self.number

    def read(self):
        length = 0
        while (line := self.process.stdout.readline().strip()) or not length:
            if line.startswith(b"Content-Length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, command, **arguments):
        number = self.send(command, **arguments)
        while True:
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
            elif message.get("request_seq") == number:
                return message.get("body", {})

    def event(self, name):
        """The next of that name; the test's own time limit ends it if none comes."""
        while not any(event["event"] == name for event in self.events):
            message = self.read()
            if message["type"] == "event":
                self.events.append(message)
        found = [event["event"] for event in self.events].index(name)
        self.events, event = self.events[found + 1:], self.events[found]
        return event.get("body", {})

    def move(self, line):
        self.events.clear()
        self.ask("evaluate", expression="`" + line, context="repl")
        return self.event("stopped")

    def frames(self):
        return self.ask("stackTrace", threadId=self.thread, startFrame=0, levels=20)["stackFrames"]

    def values(self, scope):
        """Name -> value, of the newest frame."""
        scopes = self.ask("scopes", frameId=self.frames()[0]["id"])["scopes"]
        reference = [one["variablesReference"] for one in scopes if one["name"] == scope][0]
        found = self.ask("variables", variablesReference=reference)["variables"]
        if scope == "Registers":
            found = self.ask("variables", variablesReference=found[0]["variablesReference"])["variables"]
        return {one["name"]: one["value"] for one in found}

    def close(self):
        self.ask("disconnect", terminateDebuggee=False)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)


@unittest.skipUnless(shutil.which(ADAPTER), ADAPTER + " is not there")
class Dap(unittest.TestCase):
    def setUp(self):
        serving.own_state(self)
        self.server = self.enterContext(serving.Server(CRASH.arguments()))
        self.adapter = Adapter(self.server.address)
        self.addCleanup(self.adapter.close)

    def check(self, position):
        """That it shows this position."""
        frame = self.adapter.frames()[0]
        self.assertEqual(int(frame["instructionPointerReference"], 16), PCS[position])
        self.assertEqual(int(self.adapter.values("Registers")["pc"].split()[0], 16), PCS[position])

    def test_36_a_seek_is_told_and_nothing_is_stale(self):
        for position in (*random.Random(9).sample(range(N), 8), N):
            self.adapter.values("Locals")
            stop = self.adapter.move(f"seek {position}")
            self.assertEqual(stop["description"], "position as asked")
            self.check(position)

    def test_36_variables_are_of_each_round_of_a_loop(self):
        rounds = [i for i, pc in enumerate(PCS) if pc == PCS[LABELLED]]
        last = rounds.index(LABELLED)
        seen = []
        for position in rounds[last - 3:last + 1]:
            self.adapter.move(f"seek {position}")
            seen.append(int(self.adapter.values("Locals")["i"]))
        self.assertEqual(seen, list(range(seen[0], seen[0] + 4)))

    def test_a_seek_onto_a_breakpoint_stays_there(self):
        self.adapter.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": hex(CALLED)}])
        calls = [i for i, pc in enumerate(PCS) if pc == CALLED]
        for position in calls[-3:-1]:
            self.adapter.move(f"seek {position}")
            self.check(position)
        self.adapter.move("reverse-continue")
        self.check(calls[-3])
        self.adapter.move("forward-continue")
        self.check(calls[-2])

    def test_continues_of_the_console_are_told(self):
        self.assertEqual(self.adapter.move("reverse-continue")["description"], "begin of the history")
        self.check(0)
        self.assertRegex(self.adapter.move("forward-continue")["description"], "end of the history")
        self.check(N)

    def test_what_is_not_known_is_no_value(self):
        self.adapter.move("seek 100")
        unknown = [value for name, value in self.adapter.values("Registers").items() if re.match(r"x\d+$", name) and "error" in value]
        self.assertGreater(len(unknown), 5)
        read = self.adapter.ask("readMemory", memoryReference=hex(CRASH.unknown), offset=0, count=16)
        self.assertEqual((read.get("data", ""), read["unreadableBytes"]), ("", 16))


if __name__ == "__main__":
    CRASH.unknown = 0x401648  # of a structure that was written on and on
    serving.main()
