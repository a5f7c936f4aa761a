# SPDX-License-Identifier: Apache-2.0
"""Scores the values of the past that `csreplay state --batch` answers against recorded truth.

usage: values.py SNAPSHOT [READ_100 READ_1000 READ_10000 ALL_10000]

Asks for every general register at every position of the last 10,000, and for the memory samples
beside the snapshot. Fails on a single wrong value, and if the share known of the registers that
the executing instruction reads, or of all of them, is below the percentages given.
"""
import gzip
import os
import re
import struct
import subprocess
import sys

SKIPPED = 77
RECORD = 272
DISTANCES = (100, 1000, 10000, 100000)
REGISTER = re.compile(r"\b(?:[xw](\d+)|(sp))\b")
NO_RESULT = re.compile(r"(st|cmp|cmn|tst|ccm|cb|tb|b\b|br|blr|ret|prfm|dc|msr|b\.)")
KEEPS = ("movk", "bfi", "bfxil", "bfc")


def read_by(mnemonic, operands):
    """Registers that an instruction reads, from its disassembly."""
    if mnemonic == "ret" and not operands:
        return {30}
    parts = operands.split(",")
    if mnemonic.startswith(("stxr", "stlxr")):
        parts = parts[1:]
    elif not NO_RESULT.match(mnemonic) and mnemonic not in KEEPS:
        parts = parts[2 if mnemonic.startswith(("ldp", "ldxp", "ldaxp", "ldnp")) else 1:]
    found = set()
    for x, sp in REGISTER.findall(",".join(parts)):
        found.add(31 if sp else int(x))
    return found


def name_of(register):
    return "sp" if register == 31 else "x%d" % register


class Score:
    def __init__(self):
        self.asked = self.known = self.wrong = 0

    def add(self, answer, truth):
        self.asked += 1
        self.known += answer != "-"
        self.wrong += answer != "-" and int(answer, 16) != truth

    def share(self):
        return 100.0 * self.known / max(self.asked, 1)


def csreplay(arguments, text=None):
    done = subprocess.run([os.environ["CSREPLAY"]] + arguments, input=text, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit("csreplay %s: %s" % (" ".join(arguments), done.stderr))
    if done.stderr:
        print(done.stderr.strip())
    return done.stdout.splitlines()


def history(snapshot, options):
    """(address, registers read) of each instruction."""
    for line in csreplay(["history", "--core", "cpu_0", snapshot]):
        if line[0] in "#i":
            continue
        fields = line.split("\t")
        mnemonic, _, operands = fields[4].partition(" ")
        yield int(fields[1], 16), read_by(mnemonic, operands)


def main():
    shared = os.environ.get("CSREPLAY_SHARED", "")
    snapshot = os.path.join(shared, "corpus", "crashes", sys.argv[1])
    if not shared or not os.path.isdir(snapshot):
        print("SKIPPED: CSREPLAY_SHARED is not there")
        return SKIPPED
    options = os.environ.get("VALUES_OPTIONS", "").split()
    with gzip.open(os.path.join(snapshot, "truth.bin.gz")) as f:
        truth = f.read()
    end = len(truth) // RECORD - 1
    code = list(history(snapshot, options))
    far = int(os.environ.get("VALUES_FAR", "10000"))
    positions = range(max(0, len(code) - far), len(code))
    shift = end - len(code)
    asks = ["%d\t%s" % (p, name_of(r)) for p in positions for r in range(32)]
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
        for r in range(32):
            answer = answers[32 * i + r]
            if answer != "-" and int(answer, 16) != state[r]:
                wrong.append("%d %s is %s, truth %x" % (position, name_of(r), answer, state[r]))
            for d in DISTANCES:
                if len(code) - position > d:
                    continue
                alls[d].add(answer, state[r])
                if r in code[position][1]:
                    reads[d].add(answer, state[r])
    memory = Score()
    for answer, sample in zip(answers[32 * len(positions):], samples):
        memory.add(answer, int(sample[2], 16))
        if answer != "-" and int(answer, 16) != int(sample[2], 16):
            wrong.append("%s %s is %s, truth %s" % (sample[0], sample[1], answer, sample[2]))
    for d in DISTANCES:
        print("last %6d: read %5.1f %%, all %5.1f %%" % (d, reads[d].share(), alls[d].share()))
    print("memory samples: %d, %5.1f %%" % (memory.asked, memory.share()))
    for line in wrong[:10]:
        print("WRONG: " + line)
    print("wrong: %d" % len(wrong))
    got = [reads[d].share() for d in (100, 1000, 10000)] + [alls[10000].share()]
    for share, least in zip(got, [float(a) for a in sys.argv[2:]]):
        failed |= share < least
    return 1 if failed or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
