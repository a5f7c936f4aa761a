#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several contents at one address: what ran, what gdb sees and what is said of values is that of the
address space that the core was in. Snapshots of a few instructions, made for it by the encoder.

usage: spaces.py SYNTH"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import serving

CODE, DATA = 0x400000, 0x500000
NOP, B_0, B_8, SMC = 0xD503201F, 0x14000000, 0x14000002, 0xD4000003
ADD_X1_1, ADD_X1_2, MOV_X1_5, MOV_X1_7 = 0x91000421, 0x91000821, 0xD28000A1, 0xD28000E1


def words(*opcodes):
    return struct.pack(f"<{len(opcodes)}I", *opcodes)


def words_of(code):
    return struct.unpack(f"<{len(code) // 4}I", code)


def run(*arguments):
    done = subprocess.run([serving.CSREPLAY, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


def history(*arguments):
    """(PC, opcode) of each instruction, and the gaps."""
    code, out, err = run("history", "--format", "json", *arguments)
    assert code == 0, err
    lines = [json.loads(line) for line in out.splitlines()]
    return ([(int(line["pc"], 0), int(line["opcode"], 0)) for line in lines if "pc" in line],
            [line for line in lines if "gap" in line])


class Spaces(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "snapshot")
        os.mkdir(self.folder)

    def file(self, name, data):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def make(self, *lines, pc=CODE, registers=("CPSR(size:32) 0x60000005",), files=(),
             core="Cortex-A53"):
        """A snapshot by its recipe; `files` are pairs of a name and bytes."""
        for name, data in files:
            self.file(name, data)
        head = [f"core cpu_0 {core}", f"reg PC(size:64) {pc:#x}", "reg SP(size:64) 0x0",
                *(f"reg X{i}(size:64) 0x0" for i in range(31)),
                *(f"reg {register}" for register in registers)]
        recipe = self.file("recipe", "\n".join([*head, *lines, ""]).encode())
        subprocess.run([sys.argv[1], "snapshot", recipe, self.folder], check=True)

    def gdb(self, *commands, options=(), allowed=()):
        with serving.Server([*options, self.folder]) as server:
            return serving.gdb(server.address, commands, options=serving.UNCACHED, allowed=allowed)


SECURE = words(NOP, ADD_X1_1, B_0)
NORMAL = words(ADD_X1_2, ADD_X1_2, B_0)
TWO_STATES = ("dump s.bin 0x400000", "space EL1S", "dump n.bin 0x400000", "space EL1N",
              "source ETM_0 ETM4.2 0x10", "context 1 1", "sees 1", "run 0x400000 3",
              "exception 14 0x400008", "context 1 0", "sees 0", "run 0x400000 3",
              "exception 14 0x400008", "context 1 1", "sees 1", "run 0x400000 3",
              "exception 14 0x400008")
RAN = [(CODE + 4 * i, opcode) for part in (NORMAL, SECURE, NORMAL)
       for i, opcode in enumerate(struct.unpack("<3I", part))]


class States(Spaces):
    def make_states(self):
        self.make(*TWO_STATES, pc=CODE + 8, files=[("s.bin", SECURE), ("n.bin", NORMAL)])

    def test_history_has_the_opcodes_that_ran(self):
        self.make_states()
        self.assertEqual(history(self.folder)[0], RAN)

    def test_export_has_them(self):
        self.make_states()
        code, out, err = run("export", self.folder)
        # The exceptions between the states have no address: nothing says their vectors.
        # Of a level the trace does not say which mode.
        self.assertEqual((code, err), (0, "csreplay: note: Tarmac Text Rev 3 has no place for 3 vectors of "
                                          "exceptions that the trace does not say, 9 modes of which no more "
                                          "than the level is known\n"))
        found = re.findall(r"ES +\((\w+):(\w+)\)", out)
        self.assertEqual([(int(pc, 16), int(opcode, 16)) for pc, opcode in found], RAN)

    def test_gdb_shows_them(self):
        """gdb's own disassembly of the memory at each position."""
        self.make_states()
        commands = ["set stack-cache off", "set code-cache off"]
        for position in (7, 4, 3, 1, 0):
            commands += [f"set $trace_pos = {position}", "x/i $pc"]
        out = self.gdb(*commands)
        texts = re.findall(r"=> 0x\w+:\s+(.*)", out)
        self.assertEqual([text.replace("\t", " ") for text in texts],
                         ["add x1, x1, #0x2", "add x1, x1, #0x1", "nop", "add x1, x1, #0x2",
                          "add x1, x1, #0x2"])

    def test_values_go_through_what_ran(self):
        """X1 is 0 at the halt: 2 less for each ADD of the normal world, 1 of the secure one."""
        self.make_states()
        out = self.gdb(*[command for position in (6, 5, 4, 3)
                         for command in (f"set $trace_pos = {position}", "p/d (long)$x1")],
                       allowed=[r"value is not available|<unavailable>"])
        found = re.findall(r"\$\d+ = (.*)", out)
        for text, value in zip(found, (-4, -4, -5, -5)):
            self.assertIn(text, (str(value), "<unavailable>"))
        self.assertEqual(found[0], "-4")

    def test_halt_is_seen_as_the_registers_say(self):
        """Snapshot format 1.0, 4.1: each exception level in each security state."""
        spaces = ("EL1S", "EL1N", "EL2", "EL3")
        dumps = [line for i, space in enumerate(spaces)
                 for line in (f"dump {space}.bin {DATA:#x}", f"space {space}")]
        for cpsr, scr, seen in ((0x0, 0, "EL1S"), (0x0, 1, "EL1N"), (0x3C5, 0x530, "EL1S"),
                                (0x3C5, 0x531, "EL1N"), (0x3C9, 0x531, "EL2"), (0x3CD, 0, "EL3"),
                                (0x3CD, 1, "EL3"), (0x3C5, None, "EL1N")):
            registers = [f"CPSR(size:32) {cpsr:#x}"]
            registers += [f"SCR_EL3(size:32) {scr:#x}"] if scr is not None else []
            self.make(*dumps, registers=registers,
                      files=[(f"{s}.bin", words(i + 1)) for i, s in enumerate(spaces)])
            out = self.gdb(f"x/1xw {DATA:#x}")
            self.assertIn(f"{DATA:#x}:\t0x{spaces.index(seen) + 1:08x}", out, (cpsr, scr))


# Two processes at one address: branches apart, so that the code of the other does not fit either.
ONE = words(ADD_X1_1, B_8, NOP, ADD_X1_1, B_0)
TWO = words(MOV_X1_7, MOV_X1_5, ADD_X1_2, ADD_X1_2, B_0)
KERNEL = 0xFFFF000000080000
KERNEL_CODE = words(NOP, NOP, B_0)
RAN_ONE = [(CODE, ADD_X1_1), (CODE + 4, B_8), (CODE + 12, ADD_X1_1), (CODE + 16, B_0)]
RAN_TWO = [(CODE + 4 * i, opcode) for i, opcode in enumerate(struct.unpack("<5I", TWO))]
RAN_KERNEL = [(KERNEL + 4 * i, opcode) for i, opcode in enumerate((NOP, NOP, B_0))]


def elf(code, address, kind=2, flags=5):
    """An ELF64 of one segment: 5 is read and execute, 7 read, write and execute."""
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", kind, 183, 1, address, 64, 0, 0, 64,
                         56, 1, 0, 0, 0)
    program = struct.pack("<IIQQQQQQ", 1, flags, 120, address, address, len(code), len(code), 4)
    return header + program + code


class Contexts(Spaces):
    """CONTEXTIDR 0x100 and 0x200, and a kernel that both share."""

    def run_both(self, *dumps, context_id=True, registers=("CPSR(size:32) 0x60000000",)):
        contexts = ("context 0 1 0x100", "context 0 1 0x200") if context_id else ("",) * 2
        kernel = [f"run {KERNEL:#x} 3", f"exception 14 {KERNEL + 8:#x}"]
        last = ["exception 14 0x400010"]
        self.make("dump one.bin 0x400000", "dump two.bin 0x400000", f"dump k.bin {KERNEL:#x}",
                  "source ETM_0 ETM4.2 0x10", *(["option context-id 0x100"] if context_id else []),
                  contexts[0], "sees 0", "run 0x400000 2", "run 0x40000c 2", *last, *kernel,
                  contexts[1], "sees 1", "run 0x400000 5", *last, *kernel,
                  contexts[0], "sees 0", "run 0x400000 2", "run 0x40000c 2", *last,
                  pc=CODE + 16, registers=registers,
                  files=[("one.bin", ONE), ("two.bin", TWO), ("k.bin", KERNEL_CODE)])
        self.keep(*dumps)

    def keep(self, *names):
        """Of the dumps only these stay in the snapshot."""
        path = os.path.join(self.folder, "cpu_0.ini")
        with open(path, encoding="ascii") as file:
            head, *dumps = re.split(r"(?m)^(?=\[dump)", file.read())
        with open(path, "w", encoding="ascii") as file:
            file.write(head + "".join(d for d in dumps if d.split("file=")[1].split()[0] in names))

    def image(self, name, code, rest=""):
        return ["--image", self.file(name, elf(code, CODE)) + rest]

    def test_images_of_two_contexts(self):
        """Each process runs its own code, though one has no dump, and the kernel that of both."""
        self.run_both("k.bin")
        images = self.image("a", ONE, ",context=0x100") + self.image("b", TWO, ",context=0x200")
        expected = RAN_ONE + RAN_KERNEL + RAN_TWO + RAN_KERNEL + RAN_ONE
        self.assertEqual(history(*images, self.folder), (expected, []))
        images = images[2:] + images[:2]
        self.assertEqual(history(*images, self.folder), (expected, []))

    def test_image_of_a_context_counts_before_one_of_any(self):
        self.run_both("k.bin")
        images = self.image("a", ONE) + self.image("b", TWO, ",context=0x200")
        self.assertEqual(history(*images, self.folder)[0],
                         RAN_ONE + RAN_KERNEL + RAN_TWO + RAN_KERNEL + RAN_ONE)

    def test_image_of_a_context_that_a_dump_contradicts_is_said(self):
        """With the range; but for a dump of a core that halted in another context. Of one that halted in it the dump
        is what it had."""
        for halted, counts in ((None, "in its context the image counts"), (0x200, "the dump counts"), (0x100, None)):
            registers = ["CPSR(size:32) 0x60000000"]
            registers += [f"CONTEXTIDR_EL1(size:64) {halted:#x}"] if halted else []
            self.run_both("one.bin", "k.bin", registers=registers)
            said = "".join(run("check", *self.image("b", TWO, ",context=0x200"), self.folder)[1:])
            expected = f"hold different bytes at 0x400000, the last at 0x40000d; {counts}\n"
            self.assertEqual(said.count(expected), counts is not None, (halted, said))

    def test_dump_of_the_context_at_the_halt_counts_before_its_image(self):
        self.run_both("two.bin", "k.bin", registers=["CPSR(size:32) 0x60000000", "CONTEXTIDR_EL1(size:64) 0x100"])
        out = self.gdb("x/1xw 0x400000", options=self.image("a", ONE, ",context=0x100"))
        self.assertIn(f"0x400000:\t{words_of(TWO)[0]:#010x}", out)

    def test_gdb_sees_the_context_that_it_is_at(self):
        self.run_both("k.bin")
        images = self.image("a", ONE, ",context=0x100") + self.image("b", TWO, ",context=0x200")
        out = self.gdb("x/1xw 0x400000", "set $trace_pos = 8", "x/1xw 0x400000",
                       "set $trace_pos = 1", "x/1xw 0x400000", options=images)
        found = [int(word, 16) for word in re.findall(r"0x400000:\t(0x\w+)", out)]
        self.assertEqual(found, [ADD_X1_1, MOV_X1_7, ADD_X1_1])

    def test_two_dumps_are_no_proof(self):
        """Nothing says whose dump is which: a gap with what to give, and nothing known there."""
        self.run_both("one.bin", "two.bin", "k.bin")
        found, gaps = history(self.folder)
        self.assertEqual(found, RAN_KERNEL * 2)
        self.assertIn("--assume-one-address-space", gaps[0]["gap"])
        self.assertIn("context=ID", gaps[0]["gap"])
        self.assertEqual(gaps[0]["address"], hex(CODE))
        out = self.gdb("x/1xw 0x400000", "monitor gaps",
                       allowed=[r"Cannot access memory at address 0x400000"])
        self.assertIn("Cannot access memory at address 0x400000", out)
        self.assertIn("which of several contents", out)

    def test_assumption_takes_the_first_and_is_listed(self):
        self.run_both("one.bin", "two.bin", "k.bin")
        found, _ = history("--assume-one-address-space", self.folder)
        self.assertEqual(found[:7], RAN_ONE + RAN_KERNEL)
        out = self.gdb("monitor assume", options=["--assume-one-address-space"])
        self.assertIn("one-address-space is on: ", out)
        out = self.gdb("monitor assume one-address-space on", "monitor position",
                       "monitor assume one-address-space off", "monitor position")
        lengths = re.findall(r"position \d+ of (\d+) ", out)
        self.assertEqual(int(lengths[1]), 6)
        self.assertGreater(int(lengths[0]), 10)

    def test_one_context_takes_neither_of_two_dumps(self):
        """Where the trace knows of one context, two dumps of it contradict each other."""
        self.run_both("one.bin", "two.bin", "k.bin", context_id=False)
        found, gaps = history(self.folder)
        self.assertEqual(found, RAN_KERNEL * 2)
        self.assertIn("several contents", gaps[0]["gap"])

    def test_context_that_is_not_traced_is_not_guessed(self):
        self.run_both("k.bin", context_id=False)
        images = self.image("a", ONE, ",context=0x100") + self.image("b", TWO, ",context=0x200")
        found, gaps = history(*images, self.folder)
        self.assertEqual(found, RAN_KERNEL * 2)
        self.assertIn("several contents", gaps[0]["gap"])

    def test_equal_contents_are_no_riddle(self):
        """Two dumps that hold the same serve both contexts."""
        self.run_both("one.bin", "k.bin")
        with open(os.path.join(self.folder, "cpu_0.ini"), "a", encoding="ascii") as file:
            file.write("\n[dump9]\nfile=one.bin\naddress=0x400000\n")
        self.assertEqual(history(self.folder)[0][:7], RAN_ONE + RAN_KERNEL)

    def test_one_code_map_of_several_contexts_is_told(self):
        """Once a core, by `info`, and not where an image has a context of its own."""
        self.run_both("one.bin", "k.bin")
        text = "one code map serves the contexts 0x100, 0x200; --image ELF,context=ID gives"
        self.assertEqual(run("info", self.folder)[2].count(text), 1)
        image = self.image("b", TWO, ",context=0x200")
        self.assertEqual(run("info", *image, self.folder)[2], "")

    def test_dump_of_any_context_is_not_the_image_s(self):
        """A dump for all and an image for one: each context has its own."""
        self.run_both("one.bin", "k.bin")
        image = self.image("b", TWO, ",context=0x200")
        self.assertEqual(history(*image, self.folder),
                         (RAN_ONE + RAN_KERNEL + RAN_TWO + RAN_KERNEL + RAN_ONE, []))

    def test_virtual_machines_are_contexts_too(self):
        self.make("dump one.bin 0x400000", "dump two.bin 0x400000", "source ETM_0 ETM4.2 0x10",
                  "option vmid 1", "context 1 1 0 1", "sees 0", "run 0x400000 2",
                  "run 0x40000c 2", "exception 14 0x400010", "context 1 1 0 2", "sees 1",
                  "run 0x400000 5", "exception 14 0x400010", pc=CODE + 16,
                  files=[("one.bin", ONE), ("two.bin", TWO)])
        self.assertEqual(history(self.folder)[0], [])
        self.keep()
        images = self.image("a", ONE, ",vmid=1") + self.image("b", TWO, ",vmid=2,space=EL1N")
        self.assertEqual(history(*images, self.folder)[0], RAN_ONE + RAN_TWO)

    def test_listing_takes_the_first_dump(self):
        """`decode` does as the reference decoder, which knows of no contexts."""
        self.run_both("one.bin", "two.bin", "k.bin")
        out = run("decode", self.folder)[1]
        self.assertIn("exec range=0x400000:[0x400008]", out)


class Images(Spaces):
    def setUp(self):
        super().setUp()
        self.make("dump s.bin 0x400000", "source ETM_0 ETM4.2 0x10", "context 1 1",
                  "run 0x400000 3", "exception 14 0x400008", pc=CODE + 8, files=[("s.bin", SECURE)])

    def test_wrong_options_are_refused(self):
        image = self.file("a", elf(SECURE, CODE))
        for rest in (",context=", ",context=x", ",vmid=0x100000000", ",space=EL9", ",space="):
            code, out, err = run("history", "--image", image + rest, self.folder)
            self.assertEqual((code, out), (2, ""), rest)
            self.assertIn("expected context=ID", err)

    def test_wrong_path_ends_the_command(self):
        for command in ("history", "info", "check", "serve"):
            code, out, err = run(command, "--image", "/nowhere/a.elf", self.folder)
            self.assertEqual((code, out), (2, ""), command)
            self.assertIn("/nowhere/a.elf", err)
        code, out, err = run("history", "--image", "/nowhere/a,b.elf", self.folder)
        self.assertEqual(code, 2)
        self.assertIn("a,b.elf", err)

    def test_wrong_machine_ends_the_command(self):
        data = bytearray(elf(SECURE, CODE))
        data[18:20] = struct.pack("<H", 62)
        code, out, err = run("history", "--image", self.file("x86", data), self.folder)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("is for machine 62", err)

    def test_space_of_an_image(self):
        """The image of another state does not count, that of the state that ran does."""
        other = self.file("other", elf(NORMAL, CODE))
        ran = [(CODE + 4 * i, opcode) for i, opcode in enumerate(struct.unpack("<3I", SECURE))]
        self.assertEqual(history("--image", other + ",space=EL1S", self.folder)[0], ran)
        found = history("--image", other + ",space=EL1N", self.folder)[0]
        self.assertEqual(found, [(CODE + 4 * i, opcode)
                                 for i, opcode in enumerate(struct.unpack("<3I", NORMAL))])

    def test_relocatable_file_is_refused_with_what_to_do(self):
        code, _, err = run("history", "--image", self.file("m.ko", elf(SECURE, CODE, kind=1)),
                           self.folder)
        self.assertEqual(code, 1)
        self.assertIn("a relocatable file (an object, a kernel module)", err)

    def test_position_independent_image_lies_where_it_is_said(self):
        """ET_DYN, linked at 0: no dump has its code."""
        self.make("dump s.bin 0x400000", "source ETM_0 ETM4.2 0x10", "context 1 1",
                  "run 0x400000 3", "exception 14 0x400008", pc=CODE + 8, files=[("s.bin", SECURE)])
        path = os.path.join(self.folder, "cpu_0.ini")
        with open(path, encoding="ascii") as file:
            text = file.read()
        with open(path, "w", encoding="ascii") as file:
            file.write(text[:text.index("[dump")])
        image = self.file("pie", elf(SECURE, 0, kind=3))
        self.assertEqual(history("--image", image, self.folder)[0], [])
        ran = [(CODE + 4 * i, opcode) for i, opcode in enumerate(struct.unpack("<3I", SECURE))]
        self.assertEqual(history("--image", f"{image}@{CODE:#x}", self.folder)[0], ran)

    def test_contradiction_is_said_once_with_its_range(self):
        """By `check` and by `serve`, and gdb is shown the dump's code."""
        other = self.file("other", elf(SECURE[:4] + words(ADD_X1_2) + SECURE[8:], CODE))
        text = (f'dump "dump0" and image "{other}" hold different bytes at 0x400005, the last at '
                "0x400005; the dump counts\n")
        _, _, err = run("check", "--image", other, self.folder)
        self.assertEqual(err.count(text), 1, err)
        with serving.Server(["--image", other, self.folder]) as server:
            out = serving.gdb(server.address, ["x/2i 0x400000"])
        self.assertEqual("".join(server.messages).count(text), 1)
        self.assertRegex(out, r"0x400004:\s+add\s+x1, x1, #0x1")


class MemorySpaces(Spaces):
    """Devices of class memory_space."""

    def make_bus(self, *more):
        self.make(f"dump s.bin {CODE:#x}", f"dump d.bin {DATA:#x}", "space EL1S",
                  f"dump e.bin {DATA:#x}", "space EL1N", "source ETM_0 ETM4.2 0x10",
                  "context 1 1", f"run {CODE:#x} 3", "exception 14 0x400008", pc=CODE + 8,
                  files=[("s.bin", SECURE), ("d.bin", words(1, 2)), ("e.bin", words(3, 4))])
        self.file("bus.bin", bytes(range(32)))
        self.file("bus.ini", ("[device]\nname=AHB 0\nclass=memory_space\ntype=AHB\n[dump0]\n"
                              "file=bus.bin\naddress=0x20000000\n" + "".join(more)).encode())
        with open(os.path.join(self.folder, "snapshot.ini"), encoding="ascii") as file:
            text = file.read()
        self.file("snapshot.ini", text.replace("[device_list]\n",
                                               "[device_list]\nbus=bus.ini\n").encode())

    def test_bus_is_read_by_name(self):
        self.make_bus()
        out = self.gdb("monitor x AHB 0:0x20000000 20", "monitor x ahb 0:0x20000018 16",
                       "x/1xb 0x20000000",
                       allowed=[r"Cannot access memory at address 0x20000000"])
        self.assertIn("0x20000000: " + " ".join(f"{i:02x}" for i in range(16)) + "\n"
                      "0x20000010: 10 11 12 13\n", out)
        self.assertIn("0x20000018: 18 19 1a 1b 1c 1d 1e 1f\n0x20000020: not known\n", out)
        self.assertIn("Cannot access memory at address 0x20000000", out)

    def test_info_lists_it_and_check_its_overlaps(self):
        self.make_bus("[dump1]\nfile=bus.bin\naddress=0x20000010\n")
        self.assertRegex(run("info", self.folder)[1], r"(?m)^  AHB 0   dump1  Any    0x20000010 ")
        self.assertRegex(run("check", self.folder)[2],
                         r'bus.ini:\d+: error: dump "dump1" and the dump in line \d+ hold different')

    def test_space_is_chosen(self):
        """gdb's own reads follow, at the halt and before it."""
        self.make_bus()
        flush = ["set stack-cache off", "set code-cache off", "maintenance flush register-cache"]
        out = self.gdb(*flush[:2], "monitor space", f"x/1xw {DATA:#x}", "monitor space EL1S",
                       flush[2], f"x/1xw {DATA:#x}", "monitor space core", flush[2],
                       f"x/1xw {DATA:#x}", f"monitor x EL1S:{DATA:#x} 4")
        self.assertIn("memory is as seen from EL1N", out)
        self.assertEqual([int(word, 16) for word in re.findall(r"0x500000:\t(0x\w+)", out)],
                         [3, 1, 3])
        self.assertIn("0x500000: 01 00 00 00\n", out)


if __name__ == "__main__":
    serving.main()
