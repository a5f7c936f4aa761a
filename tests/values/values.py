# SPDX-License-Identifier: Apache-2.0
"""Scores the values of the past that `csreplay state --batch` answers against recorded truth.

usage: values.py SNAPSHOT [known=TEST] [OPTION...]      of corpus/crashes or corpus/programs

Asks for every general register at every position of the last 10,000, and for the memory samples
beside the snapshot. Fails on a single wrong value, and if the share known of the registers that
the executing instruction reads, of all of them, or of the samples is below what known.tsv has for
TEST. Options such as --assume-abi or --trust=assumed go to `csreplay state`.
"""
import gzip
import os
import re
import struct
import subprocess
import sys

import known
from material import shared

RECORD = 272
DISTANCES = known.DISTANCES
REGISTER = re.compile(r"\b(?:[xw](\d+)|(sp))\b")
NO_RESULT = re.compile(r"(st|cmp|cmn|tst|ccm|cb|tb|b\b|br|blr|ret|prfm|dc|msr|b\.)")
KEEPS = ("movk", "bfi", "bfxil", "bfc")


def read_by(mnemonic, operands):
    """Registers that an instruction reads, from its disassembly."""
    if mnemonic == "ret" and not operands:
        return {30}
    parts = operands.split(",")
    if mnemonic.startswith(("stxr", "stlxr", "stxp", "stlxp")):
        parts = parts[1:]
    elif not NO_RESULT.match(mnemonic) and mnemonic not in KEEPS:
        parts = parts[2 if mnemonic.startswith(("ldp", "ldxp", "ldaxp", "ldnp")) else 1:]
    found = set()
    for x, sp in REGISTER.findall(",".join(parts)):
        found.add(31 if sp else int(x))
    return found


A32_REGISTERS = {"sb": 9, "sl": 10, "fp": 11, "ip": 12, "sp": 31, "lr": 14}
A32_REGISTER = re.compile(r"\b(?:r(\d+)|(sb|sl|fp|ip|sp|lr))\b")
A32_STORES = ("str", "stm", "push", "cmp", "cmn", "tst", "teq", "b", "vst", "vpush", "pld", "msr",
              "mcr", "svc", "vmsr")
A32_KEEPS = ("movt", "bfi", "bfc")
A32_LIST = re.compile(r"\b(?:r\d+|sl|fp|sb|ip)-(?:r\d+|sl|fp|sb|ip|lr)\b")
CONDITION = re.compile(r"(eq|ne|hs|lo|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)$")


def a32_number(name):
    return A32_REGISTERS[name] if name in A32_REGISTERS else int(name[1:])


def a32_range(match):
    """r4-r7 of a list, in full."""
    first, last = (a32_number(name) for name in match.group(0).split("-"))
    return ", ".join("r%d" % n for n in range(first, last + 1))


def a32_written_first(mnemonic):
    """How many operands of the front are written and not read."""
    if mnemonic.startswith(("strex", "stlex")):
        return 1
    if mnemonic.startswith(A32_STORES) and not mnemonic.startswith(("bic", "bfx")):
        return 0
    if mnemonic.startswith(A32_KEEPS) or mnemonic.startswith(("ldm", "pop")):
        return 0
    return 2 if mnemonic.startswith(("ldrd", "umull", "smull", "mrrc")) else 1


def a32_read_by(mnemonic, operands):
    """As read_by(), of A32 and T32: an instruction under a condition reads what it may keep."""
    if mnemonic.startswith("pop"):
        return {31}
    parts = operands.split(",")
    if mnemonic.startswith("ldm"):
        parts = parts[:1]
    elif "{" in operands:
        head, _, tail = operands.partition("{")
        parts = [head, A32_LIST.sub(a32_range, tail)]
        parts += ["sp"] if mnemonic.startswith("push") else []
    else:
        skip = a32_written_first(mnemonic)
        if CONDITION.search(mnemonic) and len(mnemonic) > 3 and not mnemonic.startswith("b"):
            skip = 0
        if len(parts) == 2 and mnemonic[:3] in ("add", "sub", "and", "orr", "eor"):
            skip = 0
        parts = parts[skip:]
    names = A32_REGISTER.findall(",".join(parts))
    found = {int(r) if r else A32_REGISTERS[name] for r, name in names}
    return {31 if r == 13 else r for r in found if r != 15}


def name_of(register, is_a64):
    if register == 31:
        return "sp"
    if is_a64:
        return "x%d" % register
    return "lr" if register == 14 else "r%d" % register


class Score:
    def __init__(self):
        self.asked = self.known = self.wrong = 0

    def add(self, answer, truth):
        self.asked += 1
        self.known += answer != "-"
        self.wrong += answer != "-" and int(answer, 16) != truth

    def share(self):
        return known.share(self.known, self.asked)


def csreplay(arguments, text=None):
    done = subprocess.run([os.environ["CSREPLAY"]] + arguments, input=text, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit("csreplay %s: %s" % (" ".join(arguments), done.stderr))
    if done.stderr:
        print(done.stderr.strip())
    return done.stdout.splitlines()


def history(snapshot, options):
    """(is A64, registers read) of each instruction."""
    for line in csreplay(["history", "--core", "cpu_0", snapshot]):
        if line[0] in "#i":
            continue
        fields = line.split("\t")
        mnemonic, _, operands = fields[4].partition(" ")
        reads = read_by if fields[2] == "A64" else a32_read_by
        yield fields[2] == "A64", reads(mnemonic, operands)


def recorded(name):
    """The folder of a recording."""
    crashes = shared("corpus", "crashes")
    return shared("corpus", "crashes" if name in os.listdir(crashes) else "programs", name)


def main():
    snapshot = recorded(sys.argv[1])
    options = os.environ.get("VALUES_OPTIONS", "").split()
    options += [word for a in sys.argv[2:] if a.startswith("--") for word in a.split("=")]
    names = [a[len("known="):] for a in sys.argv[2:] if a.startswith("known=")]
    with gzip.open(os.path.join(snapshot, "truth.bin.gz")) as f:
        truth = f.read()
    end = len(truth) // RECORD - 1
    code = list(history(snapshot, options))
    far = int(os.environ.get("VALUES_FAR", "10000"))
    positions = range(max(0, len(code) - far), len(code))
    shift = end - len(code)
    is_a64 = code[-1][0]
    registers = range(32) if is_a64 else [*range(13), 14, 31]
    asks = ["%d\t%s" % (p, name_of(r, is_a64)) for p in positions for r in registers]
    with gzip.open(os.path.join(snapshot, "memsamples.tsv.gz"), "rt") as f:
        samples = [line.split() for line in f if not line.startswith("#")]
    samples = [s for s in samples if s[2] != "?" and int(s[0]) - shift >= 0]
    asks += ["%d\t%s" % (int(s[0]) - shift, s[1]) for s in samples]
    answers = csreplay(["state", "--batch", "--core", "cpu_0"] + options + [snapshot],
                       "\n".join(asks) + "\n")
    answers = [line.split("\t")[2] for line in answers]
    failed = len(answers) != len(asks)
    reads = {d: Score() for d in DISTANCES}
    alls = {d: Score() for d in DISTANCES}
    wrong = []
    for i, position in enumerate(positions):
        state = struct.unpack_from("<32Q", truth, (position + shift) * RECORD + 8)
        for k, r in enumerate(registers):
            answer = answers[len(registers) * i + k]
            if answer != "-" and int(answer, 16) != state[r]:
                wrong.append("%d %s is %s, truth %x" %
                             (position, name_of(r, is_a64), answer, state[r]))
            for d in DISTANCES:
                if len(code) - position > d:
                    continue
                alls[d].add(answer, state[r])
                if r in code[position][1]:
                    reads[d].add(answer, state[r])
    memory = Score()
    for answer, sample in zip(answers[len(registers) * len(positions):], samples):
        memory.add(answer, int(sample[2], 16))
        if answer != "-" and int(answer, 16) != int(sample[2], 16):
            wrong.append("%s %s is %s, truth %s" % (sample[0], sample[1], answer, sample[2]))
    for d in DISTANCES:
        print("last %6d: read %5s %%, all %5s %%" % (d, reads[d].share(), alls[d].share()))
    print("memory samples: %d, %5s %%" % (memory.asked, memory.share()))
    for line in wrong[:10]:
        print("WRONG: " + line)
    print("wrong: %d" % len(wrong))
    table = known.Known(names[0] if names else "")
    table.take("recording", "batch", [score.share() for score in (*reads.values(), *alls.values(), memory)])
    failed |= not table.is_fine()
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
