#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Callers by the flow in tasks of a Cortex-M that PendSV switches, and in those of a Cortex-A that SVC and an interrupt
do, or a function that changes SP, against what the recording's SP says, at random positions.

usage: tasks.py NAME POSITIONS EXACT    a recording of recorded_m.py or recorded_a.py, such as "mtasks_sort_O1"

Fails on one caller that was not there, of the task's own or beyond its first function, which nobody called; and where
at fewer than EXACT positions all callers are known whose calls are in the trace."""
import collections
import itertools
import random
import re
import sys

import recorded_m
import serving
import true_stack

CRASH = serving.Crash(sys.argv[1])
# A call that has not returned: where it returns to, SP of its caller. A handler interrupts, and is not called.
Frame = collections.namedtuple("Frame", "back sp is_handler")


def is_return(program, pc):
    """BX LR, POP and LDM of the PC."""
    if not CRASH.is_m:
        word = program.word(pc)
        return word & 0x0fffffff == 0x012fff1e or word & 0x0fff8000 == 0x08bd8000 or word & 0x0fffffff == 0x049df004
    half = program.halfword(pc)
    return half == 0x4770 or half & 0xff00 == 0xbd00 or (half == 0xe8bd and program.halfword(pc + 2) & 0x8000 != 0)


class Stacks:
    """Of each task its frames, while another runs; handlers are on top of the task that they interrupt."""

    def __init__(self, crash):
        self.states = list(zip(crash.pcs(), crash.column("<Q", 8 * (1 + recorded_m.SP))))
        self.ipsrs = [psr & recorded_m.IPSR for psr in crash.states()]
        self.exceptions = {position: (what, back) for position, what, back in crash.truth()["exceptions"]}
        self.program = true_stack.Program(crash.program)
        self.turns = dict(crash.truth()["turns"])
        self.steps, self.tasks, self.frames, self.running = {}, {}, [], None

    def walk(self):
        """Before each position the return addresses, innermost first, and whether there are no others."""
        for position in range(len(self.states)):
            if position in self.exceptions:
                self.step_before(position)
                self.exception(position)
            elif position in self.turns and self.turns[position] != self.running:
                self.turn(position)
            elif position > 0:
                self.step(self.states[position - 1], self.states[position])
            backs = [frame.back for frame in reversed(self.frames)]
            known = list(itertools.takewhile(lambda back: back is not None, backs))
            yield known, self.running is not None and known == backs

    def step_before(self, position):
        """A call or a return, after which the exception came at once; SP after it is not in the recording."""
        what, back = self.exceptions[position]
        if what == "entry" and position > 0:
            before = self.states[position - 1]
            returns = self.frames and is_return(self.program, before[0])
            self.step(before, (back, self.frames[-1].sp if returns else 0))

    def exception(self, position):
        what, back = self.exceptions[position]
        ended = None
        while what != "entry" and self.frames and not (ended and ended.is_handler):
            ended = self.frames.pop()
        if self.turns.get(position, self.running) != self.running:
            self.turn(position)
        if what != "return":
            # After PendSV it is perhaps another task that is interrupted.
            interrupted = None if self.ipsrs[position - 1] == recorded_m.PENDSV or not ended else ended.back
            self.frames.append(Frame(interrupted if what == "chained" else back, None, True))

    def turn(self, position):
        self.tasks[self.running] = self.frames
        self.running = self.turns[position]
        self.frames = self.tasks.pop(self.running, [])

    def step(self, before, after):
        pc, sp = before
        to, to_sp = after
        if pc not in self.steps:
            self.steps[pc] = true_stack.Step(self.program, pc, "T32" if CRASH.is_m else "A32")
        behind = pc + self.steps[pc].size
        if self.steps[pc].calls and to != behind:
            self.frames.append(Frame(behind, sp, False))
        elif to != behind:
            while self.frames and not self.frames[-1].is_handler and self.frames[-1].sp < to_sp:
                self.frames.pop()
            if self.frames and self.frames[-1] == (to, to_sp, False):
                self.frames.pop()


def main():
    count, wanted = (int(argument) for argument in sys.argv[2:])
    stacks = list(Stacks(CRASH).walk())
    positions = sorted(random.Random(15).sample(range(len(stacks)), count))
    wrong, exact = [], 0
    with serving.Server(CRASH.arguments()) as server, serving.Client(server.address) as client:
        client.ask("QStartNoAckMode")
        client.send(b"+")
        for position in positions:
            said = client.monitor(f"seek {position}")
            if f"position {position} of" not in said:
                sys.exit(f"seek {position}: {said}")
            seen = [int(pc, 16) for pc in re.findall(r" pc=0x([0-9a-f]+)", client.monitor("stack --raw 1"))][1:]
            want, is_whole = stacks[position]
            if seen[:len(want)] != want[:len(seen)] or (is_whole and len(seen) > len(want)):
                wrong.append(position)
                print(f"wrong at {position}: {[hex(pc) for pc in seen]}\n   expected {[hex(pc) for pc in want]}")
            exact += seen[:len(want)] == want
    print(f"{sys.argv[1]}: of {count} positions {len(wrong)} wrong, {exact} exact")
    sys.exit(bool(wrong) or exact < wanted)


if __name__ == "__main__":
    main()
