# SPDX-License-Identifier: Apache-2.0
"""Random walks through random programs: encoded by synth as a snapshot, decoded by `csreplay
history`; both must name the same instructions. Usage: test_walks.py SYNTH."""
import os
import subprocess
import sys
import tempfile

import walk_program

LOW, HIGH = 0x400000, 0xFFFF800008081000
# name, base address, options of the source, gaps, exceptions, buffer lines
CASES = (
    ("plain", LOW, [], 0, 0, []),
    ("high_addresses", HIGH, ["sync 300"], 0, 0, []),
    ("return_stack", LOW, ["return-stack 8", "sync 700"], 0, 0, []),
    ("return_stack_of_one", LOW, ["return-stack 1"], 0, 0, []),
    ("return_stack_full", HIGH, ["return-stack 15", "sync 400"], 0, 0, []),
    ("broadcast", LOW, ["broadcast 1", "sync 500"], 0, 0, []),
    ("broadcast_return_stack", LOW, ["broadcast 1", "return-stack 4", "sync 500"], 0, 0, []),
    ("timestamps", LOW, ["timestamp 50", "sync 256"], 0, 0, []),
    ("cycles", LOW, ["cycles 5", "timestamp 90", "sync 512"], 0, 0, []),
    ("contexts", LOW, ["context-id 7", "vmid 3", "level 1", "sync 200"], 0, 0, []),
    ("speculation", LOW, ["speculation 8", "sync 400"], 0, 0, []),
    ("speculation_of_one", LOW, ["speculation 1", "sync 400"], 0, 0, []),
    ("speculation_deep", HIGH, ["speculation 20", "return-stack 8", "sync 700"], 0, 0.01, []),
    ("commit_by_cycles", LOW, ["speculation 9", "cycles 3", "commit-by-cycles 1", "sync 400"],
     0, 0, []),
    ("exceptions", LOW, ["sync 600"], 0, 0.02, []),
    ("exceptions_return_stack", LOW, ["return-stack 8", "sync 600"], 0, 0.02, []),
    ("gaps", LOW, ["sync 600"], 0.02, 0, []),
    ("gaps_exceptions", HIGH, ["return-stack 8", "timestamp 64"], 0.02, 0.02, ["repeat 1"]),
    ("bare", LOW, ["return-stack 8", "sync 512"], 0, 0, ["bare"]),
)


def make(synth, folder, lines, codes):
    for name, code in codes:
        with open(os.path.join(folder, name), "wb") as f:
            f.write(code)
    recipe = os.path.join(folder, "recipe")
    with open(recipe, "w") as f:
        f.write("\n".join(lines) + "\n")
    subprocess.run([synth, "snapshot", recipe, folder], check=True)


def history_of(folder, core):
    """The addresses, and the number of lines about gaps."""
    result = subprocess.run([os.environ["CSREPLAY"], "history", "--core", core, folder],
                            stdout=subprocess.PIPE, universal_newlines=True, check=False)
    lines = result.stdout.splitlines()[1:]
    pcs = [int(line.split("\t")[1], 16) for line in lines if not line.startswith("#")]
    return pcs, sum(1 for line in lines if line.startswith("# gap"))


def compare(name, walk, got, gaps):
    if got != walk.pcs:
        at = next((i for i, (a, b) in enumerate(zip(got, walk.pcs)) if a != b),
                  min(len(got), len(walk.pcs)))
        print("%s: %d instructions, expected %d; the first difference is at %d: %s, expected %s"
              % (name, len(got), len(walk.pcs), at, [hex(p) for p in got[at:at + 4]],
                 [hex(p) for p in walk.pcs[at:at + 4]]))
        return False
    if gaps != walk.gaps:
        print("%s: %d gaps, expected %d" % (name, gaps, walk.gaps))
        return False
    print("%s: %d instructions, %d gaps: equal" % (name, len(got), gaps))
    return True


def run_case(synth, number, case):
    name, base, options, gaps, exceptions, buffer_lines = case
    rng = walk_program.rng_of(number)
    program = walk_program.Program(rng, base, 400)
    walk = walk_program.Walk(program, 4000, gaps, exceptions)
    lines = walk_program.core_lines("cpu_0", program, walk, "code.bin", ("ETM_0", 0x10, options))
    with tempfile.TemporaryDirectory() as folder:
        make(synth, folder, buffer_lines + lines, [("code.bin", program.code)])
        return compare(name, walk, *history_of(folder, "cpu_0"))


def run_interleaved(synth, turn):
    """Three cores in one buffer."""
    lines, codes, walks = ["turn %d" % turn], [], []
    for core in range(3):
        rng = walk_program.rng_of(1000 + core)
        program = walk_program.Program(rng, LOW + 0x10000 * core, 300)
        walks.append(walk_program.Walk(program, 2000 + 700 * core))
        codes.append(("code%d.bin" % core, program.code))
        lines += walk_program.core_lines("cpu_%d" % core, program, walks[core], codes[core][0],
                                         ("ETM_%d" % core, 0x10 + core, ["sync 400"]))
    with tempfile.TemporaryDirectory() as folder:
        make(synth, folder, lines, codes)
        return all([compare("three_cores_turn_%d.cpu_%d" % (turn, core), walks[core],
                            *history_of(folder, "cpu_%d" % core)) for core in range(3)])


def run_wrapped(synth, skip):
    """The buffer's first bytes are lost: what is left is the walk's end."""
    rng = walk_program.rng_of(77)
    program = walk_program.Program(rng, LOW, 400)
    walk = walk_program.Walk(program, 4000)
    lines = ["repeat 5", "skip %d" % skip]
    lines += walk_program.core_lines("cpu_0", program, walk, "code.bin",
                                     ("ETM_0", 0x10, ["sync 200", "return-stack 4"]))
    with tempfile.TemporaryDirectory() as folder:
        make(synth, folder, lines, [("code.bin", program.code)])
        got, gaps = history_of(folder, "cpu_0")
    fine = 1000 < len(got) < len(walk.pcs) and got == walk.pcs[-len(got):] and gaps == 0
    print("wrapped_%d: %d of %d instructions, %d gaps: %s"
          % (skip, len(got), len(walk.pcs), gaps, "equal" if fine else "wrong"))
    return fine


def main():
    synth = sys.argv[1]
    fine = [run_case(synth, number, case) for number, case in enumerate(CASES)]
    fine += [run_interleaved(synth, turn) for turn in (1, 9, 64)]
    fine += [run_wrapped(synth, skip) for skip in (16, 48, 160, 400)]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
