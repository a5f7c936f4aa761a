#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A kernel that switches from one task to another, as Linux for A64 does it: where the first one's stack was is known
by the number that CONTEXTIDR had, under the assumption waiting-tasks, and only if that number is one task's.

usage: tasks.py SYNTH
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

SYNTH = sys.argv[1]
CODE, FIRST, SECOND, OTHER = 0xffffffc008010000, 0xffffff8000100000, 0xffffff8000101000, 0xffffff8000102000
STACKS = {FIRST: 0xffffffc008200000, SECOND: 0xffffffc008300000}
SIZE = 0x1000
NUMBER, SAVED, SAVED_SP, SAVED_LR = 0x20, 0x40, 0x58, 0x60
NUMBERS = {FIRST: 5, SECOND: 6}
FRAME = 32
MAIN, SWITCH, CPU_SWITCH, END = 0, 8, 16, 29  # instructions
RETURN = CODE + 4 * (SWITCH + 6)
WRITES = {"wild": 0xf9000064, "harmless": 0xd503201f}  # str x4, [x3]; nop


def bl(at, to):
    return 0x94000000 | (to - at) & 0x3ffffff


def code_of(write):
    return [
        0xa9be7bfd, 0x910003fd, bl(2, SWITCH),              # stp x29, x30, [sp, #-32]!; mov x29, sp; bl switch
        write, 0xd2800000, 0xd2800003, 0xd2800008,          # mov x0, x3, x8, #0
        0xd503201f,
        0xa9be7bfd, 0x910003fd, 0xb9802022,                 # the same frame; ldrsw x2, [x1, #0x20]
        0xd518d022, 0xd5033fdf, bl(SWITCH + 5, CPU_SWITCH), # msr contextidr_el1, x2; isb; bl cpu_switch
        0xa8c27bfd, 0xd65f03c0,                             # ldp x29, x30, [sp], #32; ret
        0xd280080a, 0x8b0a0008, 0x910003e9,                 # mov x10, #0x40; add x8, x0, x10; mov x9, sp
        0xa8815113, 0xa881251d, 0xf900011e,                 # stp x19, x20 and x29, x9, [x8], #16; str x30, [x8]
        0x8b0a0028, 0xa8c15113, 0xa8c1251d, 0xf940011e,     # of x1: ldp x19, x20 and x29, x9; ldr x30
        0x9100013f, 0xd5184101, 0xd65f03c0,                 # mov sp, x9; msr sp_el0, x1; ret
    ]


class Tasks(unittest.TestCase):
    def task(self, sp, number):
        page = bytearray(SIZE)
        struct.pack_into("<I", page, NUMBER, number)
        struct.pack_into("<5Q", page, SAVED, 0x1919, 0x2020, sp, sp, RETURN)
        return bytes(page)

    def ask(self, *, write="harmless", numbers=NUMBERS, other=None, contexts=True, trust="assumed", asked=("sp",)):
        """What is told of registers before the switch was called, in the first task."""
        with tempfile.TemporaryDirectory() as folder:
            dumps = {CODE: struct.pack("<%dI" % END, *code_of(WRITES[write]))}
            for task, number in numbers.items():
                # It waits with SP two frames below that of MAIN's begin.
                sp = STACKS[task] + SIZE // 2
                dumps[task] = self.task(sp, number)
                stack = bytearray(b"\x77" * SIZE)
                struct.pack_into("<2Q", stack, SIZE // 2, sp + FRAME, CODE + 4 * 3)
                struct.pack_into("<2Q", stack, SIZE // 2 + FRAME, 0, 0)
                dumps[STACKS[task]] = bytes(stack)
            if other is not None:
                dumps[OTHER] = self.task(STACKS[FIRST] + SIZE // 4, other)
            recipe = ["description a switch of tasks", "core cpu_0 Cortex-A72"]
            sp = STACKS[SECOND] + SIZE // 2 + FRAME
            registers = {**{"X%d" % i: 0x100 + i for i in range(31)}, "X0": 0, "X1": SECOND, "X2": NUMBERS[SECOND],
                         "X3": 0, "X8": 0, "X9": sp - FRAME, "X10": SAVED, "X19": 0x1919, "X20": 0x2020,
                         "X29": sp, "X30": CODE + 4 * 3, "SP": sp, "PC": CODE + 4 * 7, "SP_EL0": SECOND}
            recipe += ["reg %s(size:64) 0x%x" % register for register in registers.items()]
            recipe.append("reg CPSR 0x3c5")
            for address, data in sorted(dumps.items()):
                with open(os.path.join(folder, "%x" % address), "wb") as file:
                    file.write(data)
                recipe.append("dump %x 0x%x" % (address, address))
            recipe.append("source ETM_0 ETM4.2 0x10")
            recipe += ["option level 1", "option context-id 5"] if contexts else ["option level 1"]
            first, second = ("context 1 1 5", "context 1 1 6") if contexts else ("context 1 1", "context 1 1")
            recipe += [first, "run 0x%x 3" % CODE, "run 0x%x 5" % (CODE + 4 * SWITCH), second,
                       "run 0x%x 1" % (CODE + 4 * (SWITCH + 5)), "run 0x%x 13" % (CODE + 4 * CPU_SWITCH),
                       "run 0x%x 2" % RETURN, "run 0x%x 4" % (CODE + 4 * 3), "exception 1 0x%x" % (CODE + 4 * 7)]
            path = os.path.join(folder, "recipe")
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join(recipe) + "\n")
            subprocess.run([SYNTH, "snapshot", path, folder], check=True)
            done = subprocess.run([os.environ["CSREPLAY"], "state", "--batch", "--trust", trust, folder],
                                  input="".join("0\t%s\n" % name for name in asked), capture_output=True, text=True,
                                  check=True)
            return [None if line.split("\t")[2] == "-" else int(line.split("\t")[2], 16)
                    for line in done.stdout.splitlines()]

    def test_sp_before_the_switch_is_what_the_task_saved_and_its_frames(self):
        self.assertEqual(self.ask(), [STACKS[FIRST] + SIZE // 2 + 2 * FRAME])

    def test_it_is_not_proved(self):
        self.assertEqual(self.ask(trust="proved"), [None])

    def test_the_old_task_is_known_itself(self):
        self.assertEqual(self.ask(asked=("x0", "x19", "sp")), [FIRST, 0x1919, STACKS[FIRST] + SIZE // 2 + 2 * FRAME])

    def test_a_store_anywhere_does_not_hit_what_a_waiting_task_saved(self):
        self.assertEqual(self.ask(write="wild"), [STACKS[FIRST] + SIZE // 2 + 2 * FRAME])

    def test_without_context_ids_nothing_says_whose_it_is(self):
        self.assertEqual(self.ask(contexts=False), [None])

    def test_no_task_has_the_number(self):
        self.assertEqual(self.ask(numbers={FIRST: 7, SECOND: 6}), [None])

    def test_two_tasks_have_the_number(self):
        self.assertEqual(self.ask(other=5), [None])

    def test_another_task_has_another_number(self):
        self.assertEqual(self.ask(other=8), [STACKS[FIRST] + SIZE // 2 + 2 * FRAME])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
