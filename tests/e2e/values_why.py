#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`monitor why`: a proven value by each kind of rule, an unknown one by each kind of blocker. What is
known where changes as the reconstruction learns more; so the kinds are looked for, at positions of
several crashes, and the transcript of the first answer of each kind is printed."""
import os
import random
import re
import shutil
import subprocess
import tempfile
import unittest

import material
import serving

PROVED = {
    "forward, the result of an instruction": r"^  \d+  0x\w+  [^:]*: \w+ = 0x\w+$",
    "backward, from the result": r": \w+ = 0x\w+, from its result$",
    "a constant of an instruction": r" is in the instruction$",
    "the register at the halt": r"the halt: .* in the snapshot$",
    "a load of what was stored": r": loaded 0x\w+ from 0x\w+$",
    "a store of what is found later": r": stored 0x\w+ at 0x\w+$",
    "a link between two accesses": r"from here to \d+ nothing writes 0x",
    "a link to the dump": r"from here to the halt nothing writes 0x.* which the dump has",
    "a branch that was taken": r": (\w+ = 0x\w+, since )?it was taken$",
    "a branch that was not taken": r": (\w+ = 0x\w+, since )?it was not taken$",
    "the target of a branch": r"since it went there$",
    "memory that nothing can write": r"nothing can (have written|write)",
}
UNKNOWN = {
    "overwritten": r": overwrites it, and nothing before says what it was$",
    "a load through an unknown register": r": loads it through \w+, which is not known$",
    "a store of unknown address": r"through \w+, which is not known; it may have hit 0x",
    "memory overwritten before anybody read it": r": overwrites it, and nobody had read it",
    "an operand that is not known": r": makes it of what is not known$",
    "a system call or a gap": r"nothing is known to be the same before and after it$",
    "from before the trace": r"(it is from before what is looked at|where what is looked at begins)$",
    "another writer": r"single-writer is off: another core may have written it$",
    "no dump": r"no dump holds all of 0x\w+: it may be a device$",
}
CRASHES = ("example", "hash_corrupt_O1", "str_glibc_O2", "list_null_O1")


class Why(unittest.TestCase):
    def explore(self, name, missing, transcripts):
        """Asks at random positions until all kinds were seen, or long enough."""
        crash = serving.Crash(name)
        length = len(crash.pcs()) - 1
        chance = random.Random(36)
        with serving.Server(crash.arguments()) as server, \
                serving.Client(server.address) as client:
            client.ask("qSupported:swbreak+")
            stack = int.from_bytes(bytes.fromhex(client.ask("p20")), "little")
            if name == "example":
                # A sample of a round that the next round overwrote.
                client.monitor("seek 20000")
                self.take(client, "0x401700", name, missing, transcripts, 20000)
            for _ in range(8):
                position = chance.choice([length - chance.randrange(1, 200),
                                          chance.randrange(length)])
                client.monitor(f"seek {position}")
                subjects = [f"x{chance.randrange(31)}", "sp", "x30", "cpsr", f"v{chance.randrange(9)}",
                            f"{stack + 8 * chance.randrange(-30, 30):#x}",
                            f"{crash.pcs()[position]:#x}", "0x10"]
                for subject in subjects if missing else []:
                    self.take(client, subject, name, missing, transcripts, position)
            # Registers before an interrupt, if its handler may have changed them.
            client.monitor("assume handler-preserves-registers off")
            found = re.findall(r"before (\d+): .*excep num \(0x0[ef]\)",
                              client.monitor("events all"))
            if found and missing:
                client.monitor(f"seek {int(found[-1]) - 1}")
                self.take(client, "x2", name, missing, transcripts, int(found[-1]) - 1)

    def take(self, client, subject, name, missing, transcripts, position):
        answer = client.monitor("why -v " + subject)
        self.check(answer, subject, position)
        for kind, pattern in list(missing.items()):
            if re.search(pattern, answer, re.MULTILINE):
                transcripts[kind] = (name, position, subject, answer)
                del missing[kind]

    def check(self, answer, subject, position):
        self.assertRegex(answer, r"proved:\n|known:\n|not reconstructed\n", (subject, position))
        self.assertIn("\n  ", answer + "\n  " * ("reconstructed" in answer), (subject, position))

    def test_every_kind_of_rule_and_blocker_is_told(self):
        missing = {**PROVED, **UNKNOWN}
        transcripts = {}
        for name in CRASHES:
            self.explore(name, missing, transcripts)
            if not missing:
                break
        for kind, (name, position, subject, answer) in transcripts.items():
            lines = answer.splitlines()
            print(f"--- {kind}: {name} at {position}\n(gdb) monitor why {subject}")
            print("\n".join(lines[:12] + (["  ..."] if len(lines) > 12 else [])))
        self.assertEqual(list(missing), [])


class Conflict(unittest.TestCase):
    def test_both_derivations_are_told_and_nothing_is_shown(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(serving.Crash("example").folder, folder, dirs_exist_ok=True)
            path = os.path.join(folder, "stack.bin")
            with open(path, "rb") as file:
                stack = bytearray(file.read())
            at = 0x5500800c60 - self.base(folder)
            self.assertEqual(stack[at], 10)
            stack[at] ^= 1
            with open(path, "wb") as file:
                file.write(stack)
            arguments = ["--image", os.path.join(folder, "sensorhub.elf"), folder]
            with serving.Server(arguments) as server:
                out = serving.gdb(server.address,
                                  ["set $trace_pos = 39950", "info registers x19 pc",
                                   "monitor why x19", "monitor info"], options=serving.UNCACHED)
        print(out)  # the transcript
        self.assertRegex(out, r"x19 +<unavailable>")
        self.assertRegex(out, r"pc +0x\w+")
        self.assertIn("""\
snapshot and trace disagree, found at position 39988: no value of the past is shown
the 8 bytes at 0x5500800c60 are 0xa after position 39988:
  39988  0x""", out)
        self.assertIn("""\
  40000  the halt: x19 = 0xa in the snapshot
  39990  0x4001a8  sensorhub.c:107  ldp x29, x30, [sp], #0x30: sp = 0x5500800c50, from its result
  40000  the halt: sp = 0x5500800c80 in the snapshot
and yet the 8 bytes at 0x5500800c60 are 0xb after position 39988:
  39989  from here to the halt nothing writes 0x5500800c60, which the dump has: 0xb
""", out)
        self.assertIn("""\
: snapshot and trace disagree at position 39988: no value of the past is shown
  the 8 bytes at 0x5500800c60 are 0xa after position 39988, from x19 at the halt, sp at the halt
  the 8 bytes at 0x5500800c60 are 0xb after position 39988, """
                      "from the doubleword at 0x5500800c60 in the dump\n", out)

    def base(self, folder):
        """Where the dump of the stack begins."""
        with open(os.path.join(folder, "cpu_0.ini"), encoding="ascii") as file:
            section = next(part for part in re.split(r"\n(?=\[dump)", file.read())
                           if "stack.bin" in part)
        return int(re.search(r"address=(\w+)", section)[1], 0)


class Limits(unittest.TestCase):
    def test_chain_is_cut_and_dash_v_is_not(self):
        with serving.Server(serving.Crash("example").arguments()) as server:
            out = serving.gdb(server.address,
                              ["monitor why x0", "set $trace_pos = 39990", "monitor why pc",
                               "echo ==\\n", "monitor why x0", "echo ==\\n", "monitor why -v x0",
                               "echo ==\\n", "monitor why x77", "monitor why"], options=serving.UNCACHED)
        first, short, full, wrong = out.split("==\n")
        self.assertIn("at the halt registers and memory are those of the snapshot", first)
        self.assertIn("the trace says where execution was", first)
        self.assertLessEqual(short.count("\n"), 18)
        self.assertGreaterEqual(full.count("\n"), short.count("\n"))
        self.assertIn('no register and no address: "x77"', wrong)
        self.assertIn("why REGISTER, or why ADDRESS", wrong)

    def test_lines_have_the_source(self):
        with serving.Server(serving.Crash("example").arguments()) as server:
            out = serving.gdb(server.address, ["set $trace_pos = 18175", "monitor why x1"], options=serving.UNCACHED)
        self.assertIn("  18111  0x400354  sensorhub.c:142  add x1, x0, #0x10: x1 = 0x400500\n", out)

    def test_frames_that_are_kept_are_an_assumption(self):
        seek = ["set $trace_pos = 87328", "monitor why 0x5500040df8"]
        with serving.Server(serving.Crash("list_null_O1").arguments()) as server:
            out = serving.gdb(server.address, [*seek, "monitor assume abi on", *seek], options=serving.UNCACHED)
        self.assertIn("0x5500040df8 are not all known", out)
        self.assertIn("0x4001a0, are assumed:\n  a function keeps registers there: assumed\n", out)

    def test_first_line_tells_assumed_from_proved(self):
        """As `state` does."""
        crash = serving.Crash("list_null_O1")
        length = len(crash.pcs()) - 1
        asked = [(length - back, f"x{number}") for back in (50, 5000, 9000) for number in (0, 1, 2, 3, 19, 20)]
        state = subprocess.run([serving.CSREPLAY, "state", "--batch", "--trust", "assumed", *crash.arguments()], check=True,
                               input="".join(f"{at}\t{name}\n" for at, name in asked), capture_output=True, text=True)
        found = set()
        with serving.Server([*crash.arguments(), "--trust", "assumed"]) as server, serving.Client(server.address) as client:
            client.ask("qSupported:swbreak+")
            for (at, name), line in zip(asked, state.stdout.splitlines()):
                value, *kind = line.split("\t")[2:]
                client.monitor(f"seek {at}")
                first, *others = client.monitor("why " + name).splitlines()
                wanted = "not known" if value == "-" else f"0x{int(value, 16):x}, {kind[0] if kind else 'proved'}"
                self.assertEqual(first, f"{name} at position {at} is {wanted}:")
                self.assertEqual(others[-1].startswith("  this is assumed, and not proved: it rests on "), kind != [], others)
                found.add(wanted.split()[-1])
        self.assertEqual(found, {"proved", "assumed"})


if __name__ == "__main__":
    material.shared("corpus", "crashes", "list_null_O1")
    serving.main()
