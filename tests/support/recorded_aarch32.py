# SPDX-License-Identifier: Apache-2.0
"""The recording of a crash of A32 and T32 code, as recorded.py has those of A64; and of a Cortex-M3, which notes its accesses
itself (recorded_m.py)."""
import json
import os
import struct

import a32_accesses
import recorded
import t32_accesses
import vector_accesses

T = 1 << 5  # of CPSR
PC = 15


class Recording(recorded.Recording):
    """An access is all that an instruction transfers, also of A32."""

    RECORD = struct.Struct("<16Q136xI4x")  # PC, R0 to R14, CPSR

    def walk(self, crash):
        if crash.is_m:
            with open(os.path.join(crash.folder, "truth.json"), encoding="utf-8") as file:
                accesses = json.load(file)["accesses"]
            return [(step, t32_accesses.Access(*access)) for step, *access in accesses]
        steps = ((step, self.access(record, self.records[step + 1])) for step, record in enumerate(self.records[:-1]))
        return [(step, access) for step, access in steps if access]

    def access(self, record, after):
        pc, *registers, psr = record
        opcode = self.opcode_at(pc)
        if psr & T:
            return t32_access(opcode, pc, registers) if t32_accesses.does_execute(psr) else None
        return a32_access(a32_accesses.Step(opcode, psr >> 28, [*registers, pc], [*after[1:PC + 1], after[0]]))

    def opcode_at(self, pc):
        for begin, data in self.dumps:
            if begin <= pc < begin + len(data):
                return int.from_bytes(data[pc - begin:pc - begin + 4], "little")
        raise AssertionError(f"no code at {pc:#x}")


def a32_access(step):
    opcode = step.opcode
    if not a32_accesses.passes(opcode, step.flags):
        return None
    if opcode >> 24 == 0xf4 and not opcode >> 20 & 1:
        return t32_accesses.Access(*vector_accesses.structures(opcode, step.before))
    if opcode >> 28 != 15 and opcode >> 25 & 7 == 6 and opcode >> 9 & 7 == 5:
        found = vector_accesses.floating_point(opcode, step.before[PC] + 8 & ~3, step.before)
        return found and t32_accesses.Access(*found)
    if opcode >> 28 == 15 or opcode >> 25 & 7 == 7:
        return None  # hints, moves of coprocessors
    made = step.transfers()
    return made and t32_accesses.Access(made[0].kind, made[0].address, sum(transfer.size for transfer in made)) or None


def t32_access(opcode, pc, registers):
    first, joined = opcode & 0xffff, (opcode & 0xffff) << 16 | opcode >> 16
    found = None
    if first >> 8 == 0xf9 and not first >> 4 & 1:
        found = vector_accesses.structures(joined, registers)
    elif first >> 9 == 0x76 and joined >> 9 & 7 == 5:
        found = vector_accesses.floating_point(joined, pc + 4 & ~3, registers)
    elif first >> 9 != 0x76 and first >> 10 & 3 == 3 and t32_accesses.size_of(opcode) == 4:
        return None  # of coprocessors and vectors, without memory
    else:
        return t32_accesses.access(opcode, pc, registers)
    return found and t32_accesses.Access(*found)
