# SPDX-License-Identifier: Apache-2.0
"""The recorded kernels of corpus/kernel in the reference material, with the truth beside them: which record each row
of csreplay's history is."""
import gzip
import os
import struct
import subprocess
import sys

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
