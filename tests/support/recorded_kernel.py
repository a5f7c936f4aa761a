# SPDX-License-Identifier: Apache-2.0
"""The recorded kernels of corpus/kernel in the reference material, with the truth beside them: which record each row
of csreplay's history is."""
import gzip
import os
import struct
import subprocess
import sys

import a64_accesses

RECORD = 272  # bytes: u64 pc, x0..x30, sp, u32 pstate, u32 padding


def run(command, folder, *options, asked=None):
    return subprocess.run([os.environ["CSREPLAY"], command, *options, folder], input=asked, capture_output=True,
                          text=True, timeout=300, check=True).stdout


def read(folder, name, core):
    with gzip.open(os.path.join(folder, f"{name}_{core.replace('_', '')}.bin.gz")) as file:
        return file.read()


def true_rows(folder, core, records):
    """Of each row of the history its record, and its disassembly: those that were traced, matched from the last one back."""
    done = read(folder, "done", core)
    at, rows = len(done) - 1, []
    for line in reversed(run("history", folder, "--core", core).splitlines()[1:]):
        if line.startswith("#"):
            continue
        _, pc, _, _, text = line.split("\t")[:5]
        while at >= 0 and not (done[at] and struct.unpack_from("<Q", records, RECORD * at)[0] == int(pc, 16)):
            at -= 1
        if at < 0:
            sys.exit(f"0x{pc} was not executed there")
        rows.append((at, text))
        at -= 1
    return rows[::-1]


def registers(records, record):
    """X0 to X30 and SP before an instruction."""
    return struct.unpack_from("<32Q", records, RECORD * record + 8)


class Core:
    """A core of a kernel: what it executed, when, and what that accesses."""

    def __init__(self, folder, name):
        self.records, self.opcodes = read(folder, "truth", name), read(folder, "ops", name)
        self.order = read(folder, "order", name)
        self.rows = [record for record, _ in true_rows(folder, name, self.records)]
        self.times = [self.when(position) for position in range(len(self.rows))]

    def when(self, position):
        return struct.unpack_from("<I", self.order, 4 * self.rows[position])[0]

    def access(self, position):
        """What the instruction at a position accesses; None where the rules do not know."""
        record = self.rows[position]
        pc, opcode = (struct.unpack_from(form, of, size * record)[0] for form, of, size in
                      (("<Q", self.records, RECORD), ("<I", self.opcodes, 4)))
        try:
            return a64_accesses.access(opcode, pc, registers(self.records, record))
        except a64_accesses.Unknown:
            return None
