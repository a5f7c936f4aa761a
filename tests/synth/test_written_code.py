# SPDX-License-Identifier: Apache-2.0
"""Histories of a core that writes code and runs it, against what was executed. Usage: test_written_code.py SYNTH."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

SYNTH = sys.argv.pop(1)
CSREPLAY = os.environ["CSREPLAY"]
MAIN, WRITTEN = 0x400000, 0x500000
RET, DSB, ISB = 0xD65F03C0, 0xD5033B9F, 0xD5033FDF
ADD, BRANCH = 0x91000442, 0x14000002  # add x2, x2, #1; b to the next but one
DC, IC, BLR = 0xD50B7B21, 0xD50B7521, 0xD63F0020  # of x1
STORE = 0xB9000020  # str w0, [x1]
LOAD = 0xB94000A0  # ldr w0, [x5]
TO_CODE = 0xD2A00A01  # movz x1, #0x50, lsl #16
NOTE = "was changed after this"


def constant(word):
    """movz, movk: the word in x0."""
    return [0xD2800000 | (word & 0xFFFF) << 5, 0xF2A00000 | (word >> 16) << 5]


def store(index):
    """str w0, [x1, #4 * index]."""
    return [0xB9000020 | index << 10]


class Machine:
    """Main code in order, calls of the code that it writes, and what of both was executed."""

    def __init__(self, before):
        self.main, self.steps, self.truth = [], [], []
        self.content = list(before)
        self.contents = []
        self.registers = []  # at the halt, beside PC and CPSR
        self.sees()

    def sees(self):
        if self.content not in self.contents:
            self.contents.append(list(self.content))
        self.steps.append("sees %d" % (1 + self.contents.index(self.content)))

    def run(self, address, word):
        self.truth.append((address, word))
        self.steps.append("run 0x%x 1" % address)

    def do(self, *words):
        for word in words:
            self.main.append(word)
            self.run(MAIN + 4 * len(self.main) - 4, word)

    def write(self, index, word, is_known=True, maintains=True):
        self.do(TO_CODE, *(constant(word) if is_known else [LOAD]), *store(index))
        if maintains:
            self.do(DC, DSB, IC, DSB, ISB)
        self.content[index] = word
        self.sees()

    def call(self):
        self.do(TO_CODE, BLR)
        at = 0
        while True:
            word = self.content[at]
            self.run(WRITTEN + 4 * at, word)
            if word == RET:
                return
            at += 2 if word == BRANCH else 1

    def snapshot(self, folder):
        """What is there at the end, alone, is its memory."""
        halt = MAIN + 4 * len(self.main)
        names = ["main.bin"] + ["%d.bin" % i for i in range(len(self.contents))]
        lines = ["core cpu_0 Cortex-A53", "reg PC(size:64) 0x%x" % halt, "reg CPSR 0x60000000"] + self.registers
        lines += ["dump %s 0x%x" % (name, WRITTEN if i else MAIN) for i, name in enumerate(names)]
        lines += ["source ETM_0 ETM4.2 0x10", "context 0 1 0"] + self.steps
        lines += ["exception 11 0x%x" % halt]
        for name, words in zip(names, [self.main + [0xD503201F]] + self.contents):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(struct.pack("<%dI" % len(words), *words))
        with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run([SYNTH, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
        last = 1 + self.contents.index(self.content)
        path = os.path.join(folder, "cpu_0.ini")
        with open(path, encoding="ascii") as f:
            text = f.read()
        text = text[:text.index("[dump0]")]
        for i, name, address in ((0, "main.bin", MAIN), (1, names[last], WRITTEN)):
            size = os.path.getsize(os.path.join(folder, name))
            text += "[dump%d]\nfile=%s\naddress=0x%x\nlength=0x%x\n\n" % (i, name, address, size)
        with open(path, "w", encoding="ascii") as f:
            f.write(text)


class WrittenCode(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def csreplay(self, *arguments, **options):
        return subprocess.run([CSREPLAY, *arguments, self.folder], check=True, text=True, capture_output=True,
                              timeout=60, **options)

    def check(self):
        """What is said, but for the registers that these snapshots do not have."""
        done = subprocess.run([CSREPLAY, "check", self.folder], check=False, text=True, capture_output=True, timeout=60)
        return [line for line in done.stderr.splitlines() if "register" not in line]

    def history(self, machine):
        """Addresses and opcodes, and the gaps by their position."""
        machine.snapshot(self.folder)
        done = self.csreplay("history")
        self.said = done.stderr
        lines = done.stdout.splitlines()[1:]
        rows = [line.split("\t") for line in lines if not line.startswith("#")]
        gaps = [line for line in lines if line.startswith("# gap")]
        return [(int(row[1], 16), int(row[3], 16)) for row in rows], gaps

    def test_code_written_twice_is_what_it_was_each_time(self):
        machine = Machine([0, 0, RET])
        machine.write(0, ADD)
        machine.write(1, RET)
        machine.call()
        machine.write(0, BRANCH)
        machine.call()
        machine.write(0, ADD)
        machine.call()
        machine.write(0, BRANCH)
        machine.call()
        self.assertEqual(self.history(machine), (machine.truth, []))
        said = self.check()
        self.assertEqual(len(said), 1)
        self.assertIn("note: cpu_0 wrote 8 bytes of code while it was traced", said[0])

    def test_check_says_nothing_of_code_that_nobody_wrote(self):
        machine = Machine([ADD, RET])
        machine.call()
        machine.snapshot(self.folder)
        self.assertEqual(self.check(), [])

    def test_code_written_once_is_what_it_is(self):
        machine = Machine([0, RET])
        machine.write(0, ADD)
        machine.call()
        machine.call()
        self.assertEqual(self.history(machine), (machine.truth, []))

    def test_code_that_was_there_before_is_not_known(self):
        machine = Machine([ADD, RET, RET])
        machine.call()
        before = len(machine.truth) - 2
        machine.write(0, BRANCH)
        machine.call()
        machine.call()
        found, gaps = self.history(machine)
        self.assertEqual(found, machine.truth[:before] + machine.truth[before + 2:])
        self.assertEqual(len(gaps), 1)
        self.assertIn("cpu_0 wrote 4 bytes of code while it was traced, from 0x500000 to 0x500003", self.said)
        self.assertIn("1 gap where that is not known (assumption code-unchanged)", self.said)
        self.assertIn("gap before position %d: code %s" % (before, NOTE), gaps[0])
        said = [line for line in self.check() if "wrote" in line]
        self.assertEqual(len(said), 1)
        self.assertIn("warning: cpu_0 wrote 4 bytes of code while it was traced, from 0x500000 to 0x500003", said[0])
        self.assertIn("1 gap where that is not known", said[0])
        at = before + [word for _, word in machine.truth[before + 2:]].index(STORE)
        self.assertIn("at 0x500000, by the store at position %d (trace byte" % at, gaps[0])

    def expect_gap(self, machine, first, count):
        """All is found but for so many instructions, which are a gap."""
        found, gaps = self.history(machine)
        self.assertEqual(found, machine.truth[:first] + machine.truth[first + count:])
        self.assertEqual(len(gaps), 1)
        self.assertIn("gap before position %d: code %s" % (first, NOTE), gaps[0])
        self.assertIn("1 gap where that is not known", self.said)

    def test_bytes_of_code_written_last_are_not_known_before(self):
        for byte in range(4):
            with self.subTest(byte=byte):
                machine = Machine([0x91297C42, RET])  # add x2, x2, #0xa5f
                machine.call()
                machine.do(TO_CODE, 0xD2800000 | (0x91255882 >> 8 * byte & 0xFF) << 5, 0x39000020 | byte << 10)
                machine.do(DC, DSB, IC, DSB, ISB)
                mask = 0xFF << 8 * byte
                machine.content[0] = machine.content[0] & ~mask | 0x91255882 & mask
                machine.sees()
                self.expect_gap(machine, 2, 2)

    def test_code_written_last_through_a_register_that_a_gap_hides(self):
        machine = Machine([0x91297C42, RET])  # add x2, x2, #0xa5f
        machine.call()
        machine.do(*constant(ADD), STORE, DC, DSB, IC, DSB, ISB)
        machine.content[0] = ADD
        machine.sees()
        self.expect_gap(machine, 2, 2)

    def leave_data(self, machine, words, *maintenance):
        """The code becomes data by stores through x6, of which nothing is known."""
        for index, word in enumerate(words):
            machine.do(*constant(word), 0xB90000C0 | index << 10)
            machine.content[index] = word
        machine.do(*maintenance)
        machine.sees()

    def test_what_cannot_have_run_is_not_what_ran(self):
        """As of a trampoline on a stack that was left: nobody maintains what is data again."""
        machine = Machine([0, RET, ADD, RET])
        machine.write(0, ADD)
        machine.call()
        first = len(machine.truth) - 1  # what was stored is known
        self.leave_data(machine, (0x5, 0x55))
        self.expect_gap(machine, first, 1)

    def test_what_cannot_have_run_is_code_again_later(self):
        machine = Machine([ADD, RET, ADD, RET])
        machine.call()
        self.leave_data(machine, (0x5, 0x55), DC, DSB, IC, DSB, ISB)
        machine.write(0, ADD)
        machine.write(1, RET)
        machine.call()
        self.expect_gap(machine, 2, 2)

    def test_what_cannot_have_run_where_nobody_maintains_code(self):
        for address, is_stack in ((0x500000, True), (0x400000, False)):
            with self.subTest(address=address):
                machine = Machine([ADD, RET, ADD, RET])
                machine.call()
                self.leave_data(machine, (0x5, 0x55, 0x14000001))
                machine.registers.append("reg SP(size:64) 0x%x" % address)
                if is_stack:
                    self.expect_gap(machine, 2, 2)
                else:
                    self.history(machine)
                    self.assertNotIn("wrote", self.said)

    def test_code_of_unknown_content_is_not_known(self):
        machine = Machine([BRANCH, RET, RET])
        machine.call()
        first = len(machine.truth) - 2
        machine.write(0, ADD, is_known=False)
        machine.call()
        second = len(machine.truth) - 2
        machine.write(0, BRANCH)
        machine.call()
        found, gaps = self.history(machine)
        self.assertEqual(found, machine.truth[:first] + machine.truth[first + 2:second] +
                         machine.truth[second + 2:])
        self.assertEqual(len(gaps), 2)

    def test_what_no_one_maintains_is_not_known_before(self):
        machine = Machine([BRANCH, RET, RET])
        machine.call()
        machine.write(0, ADD, maintains=False)
        machine.call()
        self.expect_gap(machine, 2, 2)
        self.assertEqual(len([line for line in self.check() if "cpu_0 wrote 4 bytes of code" in line]), 1)

    def test_what_no_one_maintains_is_what_it_was_each_time(self):
        machine = Machine([0, RET, RET])
        for word in (ADD, BRANCH, ADD, RET):
            machine.write(0, word, maintains=False)
            machine.call()
        self.assertEqual(self.history(machine), (machine.truth, []))
        self.assertIn("0 gaps where that is not known", self.said)

    def test_a_core_without_caches_maintains_nothing(self):
        # MOVS r3, #0x50; LSLS r3, #16; ADDS r1, r3, #1; BLX r1; MOVS r3 and LSLS; MOVS r0, #0x32; LSLS r0, #8;
        # ADDS r0, #2; STRH r0, [r3]; NOP. At r3 ADDS r2, #1, which becomes ADDS r2, #2, and BX LR.
        main = (0x2350, 0x041B, 0x1C59, 0x4788, 0x2350, 0x041B, 0x2032, 0x0200, 0x3002, 0x8018, 0xBF00)
        for name, halfwords in (("main.bin", main), ("written.bin", (0x3202, 0x4770))):
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(struct.pack("<%dH" % len(halfwords), *halfwords))
        lines = ["bare", "core cpu_0 Cortex-M4", "reg PC 0x400014", "reg SP 0x1000", "reg xPSR 0x1000000",
                 "dump main.bin 0x400000", "dump written.bin 0x500000", "source ETM_0 ETM4.2 0x10"]
        lines += ["packet " + packet for packet in (
            "async", "trace_info 0", "trace_on", "address_context_32 1 0x400000 0 0 0", "atoms 1 1",
            "address_32 1 0x500000", "atoms 1 1", "address_32 1 0x400008", "exception 1 1", "address_32 1 0x400014")]
        with open(os.path.join(self.folder, "recipe"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run([SYNTH, "snapshot", os.path.join(self.folder, "recipe"), self.folder], check=True)
        done = self.csreplay("history")
        rows = [line.split("\t") for line in done.stdout.splitlines()[1:] if not line.startswith("#")]
        self.assertEqual([int(row[1], 16) for row in rows], [MAIN + at for at in (0, 2, 4, 6, 8, 10, 12, 14, 16, 18)])
        self.assertIn("gap before position 4: code %s" % NOTE, done.stdout)
        self.assertIn("cpu_0 wrote 2 bytes of code", done.stderr)

    def test_a_register_that_the_trace_refutes_hides_no_store(self):
        machine = Machine([0, RET])
        machine.write(0, ADD)
        machine.call()
        machine.write(0, BRANCH - 1)
        machine.call()
        machine.registers.append("reg X1(size:64) 0x1234")
        found, gaps = self.history(machine)
        self.assertEqual(found, [row for row in machine.truth if row[0] < WRITTEN])
        self.assertEqual(len(gaps), 2)

    def test_stores_beside_code_are_not_looked_at(self):
        machine = Machine([ADD, RET, 0])
        machine.call()
        machine.write(2, ADD, maintains=False)
        machine.call()
        self.assertEqual(self.history(machine), (machine.truth, []))
        self.assertNotIn("wrote", self.said)

    def test_memory_of_the_past_is_what_ran_then(self):
        machine = Machine([0, 0, RET])
        machine.write(0, ADD)
        machine.write(1, RET)
        machine.call()
        position = len(machine.truth) - 2
        machine.write(0, BRANCH)
        machine.call()
        machine.snapshot(self.folder)
        asked = "%d\tm%x\n%d\tx2\n" % (position, WRITTEN, len(machine.truth))
        done = self.csreplay("state", "--batch", input=asked)
        self.assertEqual(done.stdout.splitlines()[0].split("\t")[2], "%016x" % (RET << 32 | ADD))


if __name__ == "__main__":
    unittest.main()
