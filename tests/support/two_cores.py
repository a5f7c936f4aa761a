# SPDX-License-Identifier: Apache-2.0
"""Two cores on one program and one clock, traced by synth: when each of them executed what is known. Core 1 begins
later than core 0 and ends before it; now and then a core waits."""
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "synth"))
import walk_program  # noqa: E402  (beside the encoder)

START, STEP = 0x10000, 3  # etm4_walk.c: time of the first instruction, ticks of one
NOP, STORE = 0xD503201F, 0xF90007E0  # STR X0, [SP, #8]
STORED = 0x1008  # where it writes: SP is 0x1000 and Loop does not change it
BASE = 0x400000


class Loop(walk_program.Program):
    """Straight on, a store now and then, and back: no register decides the way, so that values can be reconstructed."""

    def __init__(self, rng, base, size):
        super().__init__(rng, base, size)
        opcodes = [STORE if rng.random() < 0.02 else NOP for _ in range(size - 1)]
        self.what = [("fill", None)] * (size - 1) + [("b", 0)]
        self.code = struct.pack(f"<{size}I", *opcodes, walk_program.direct("b", -4 * (size - 1), rng))


class Scene:
    """`pcs[core][position]`, `times[core][position]`; the halt is the last of each."""

    def __init__(self, synth, folder, seed=1, every=(64, 64), lengths=(3000, 1800), late=(0, 500), size=300,
                 kind=walk_program.Program):
        rng = walk_program.rng_of(seed)
        program = kind(rng, BASE, size)
        self.opcodes = struct.unpack(f"<{size}I", program.code)
        with open(os.path.join(folder, "code"), "wb") as file:
            file.write(program.code)
        self.pcs, self.times = [], []
        lines = ["description two cores with one clock"]
        for core in range(2):
            walk = walk_program.Walk(program, lengths[core])
            options = ["sync 512"] + ([f"timestamp {every[core]}"] if every[core] else [])
            walk.lines = self.wait(rng, walk, late[core])
            lines += walk_program.core_lines(f"cpu_{core}", program, walk, "code",
                                             (f"ETM_{core}", 0x10 + core, options))
            self.pcs.append(walk.pcs + [walk.halt])
        recipe = os.path.join(folder, "recipe")
        with open(recipe, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        subprocess.run([synth, "snapshot", recipe, folder], check=True)

    def wait(self, rng, walk, late):
        """The walk's lines with what it waits; notes the times."""
        lines, times, now = [f"idle {late}"] if late else [], [], late
        for line in walk.lines:
            if line.startswith("run "):
                if times and rng.random() < 0.01:
                    lines.append("idle 40")
                    now += 40
                times.append(START + STEP * now)
                now += 1
            lines.append(line)
        self.times.append(times + [START + STEP * now])
        return lines

    def opcode(self, core, position):
        return self.opcodes[(self.pcs[core][position] - BASE) // 4]

    def places(self, address):
        """(core, position) of all times that an address was about to be executed, in the order of time."""
        found = [(core, position) for core in range(2) for position, pc in enumerate(self.pcs[core][:-1]) if pc == address]
        return sorted(found, key=lambda place: self.times[place[0]][place[1]])

    def rare(self, least=3, most=40):
        """Addresses that both cores executed, each of them so often."""
        counts = [{}, {}]
        for core in range(2):
            for pc in self.pcs[core][:-1]:
                counts[core][pc] = counts[core].get(pc, 0) + 1
        return sorted(pc for pc in counts[0] if all(least <= count.get(pc, 0) <= most for count in counts))
