# SPDX-License-Identifier: Apache-2.0
"""Two processes and a kernel as qemu ran them (os_recording.py): what each core executed and each process alone,
and the registers and memory of the past in every view, with CONTEXTIDR as PID, as ASID, and not traced.
Usage: test_processes.py SYNTH."""
import os
import random
import subprocess
import sys
import tempfile
import unittest

import event_scene as scenes

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "os"))
import os_recording  # noqa: E402

SYNTH = sys.argv[1]
CSREPLAY = os.environ["CSREPLAY"]
SEED, ASKED, LAST = 13, 0.05, 200  # of the positions, all registers; at the end, of each
# What the kernel puts into CONTEXTIDR, and what the log says of that: an ASID is another after the move.
PIDS = {"A": scenes.PID_A, "B": scenes.PID_B, "B moved": scenes.PID_B}
ASIDS = {"A": scenes.ASID_A, "B": scenes.ASID_B, "B moved": scenes.ASID_B_LATER}
NO_ASIDS = []
ASIDS_DECLARED = [(event, "declare_asid(%s, 0x%x, 0x%x)" % (state, ASIDS[name], PIDS[name])) for event, state, name in (
    (None, "CURRENT", "A"), (None, "CURRENT", "B"), ("asid", "END", "B"), ("asid", "START", "B moved"))]


class Processes(unittest.TestCase):
    def record(self, contexts, declared, cores=2):
        """A snapshot of what ran with these values of CONTEXTIDR."""
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        try:
            scene = os_recording.Recording(contexts, cores, self.folder, random.Random(SEED))
        except os_recording.Skipped as skipped:
            print("SKIPPED: %s" % skipped)
            sys.exit(77)
        scene.make(SYNTH)
        self.log = os.path.join(self.folder, "log")
        with open(self.log, "w", encoding="ascii") as f:
            f.write(scene.log(declared))
        self.assertGreater(scene.memory.compared, 1000)  # what loads got is what stores wrote
        self.assert_has_all(scene)
        return scene

    def assert_has_all(self, scene):
        """It ran what the tests are about: the patched code before and after, the library, calls, interrupts."""
        patched = [at for at, step in enumerate(scene.steps) if step.process == "A" and step.pc == scene.patched]
        self.assertTrue(patched[0] < scene.times["patch"] < patched[-1])
        self.assertTrue(any(step.pc >> 21 == os_recording.LIBRARY >> 21 for step in scene.steps))
        self.assertEqual({step.entered[0] for step in scene.steps if step.entered},
                         {os_recording.CALL, os_recording.IRQ})

    def history(self, core):
        return scenes.read_history(CSREPLAY, self.folder, core, "--events", self.log)

    def thread(self, context, *more):
        """Lines of what a context executed, as lists of their columns, and those of gaps."""
        done = subprocess.run([CSREPLAY, "history", "--events", self.log, "--context", hex(context), "--registers",
                               *more, self.folder], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()[1:]
        return ([line.split("\t") for line in lines if not line.startswith("#")],
                [line for line in lines if line.startswith("# gap")])

    def assert_values(self, core, steps, least, *options):
        """Of registers and memory nothing wrong is said. `least` percent of the registers are known, and so much of
        those at the last LAST positions, which no other process comes after."""
        rng = random.Random(SEED)
        asked = {}
        for at, step in enumerate(steps):
            for address, data in step.cells.items():
                asked[at, "m%x" % address] = int.from_bytes(data, "little")
            if rng.random() < ASKED or at >= len(steps) - LAST:
                asked.update(((at, name), value) for name, value in zip(os_recording.NAMES, step.registers))
        text = "".join("%d\t%s\n" % one for one in asked)
        done = subprocess.run([CSREPLAY, "state", "--events", self.log, "--core", core, *options, self.folder,
                               "--batch"], input=text, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        counts = {kind: [0, 0] for kind in ("of registers", "of the last registers", "of memory")}
        for line, ((at, name), value) in zip(done.stdout.splitlines(), asked.items(), strict=True):
            position, told, answer = line.split("\t")
            self.assertEqual((int(position), told), (at, name))
            if answer != "-":
                self.assertEqual((core, at, hex(steps[at].pc), name, int(answer, 16)),
                                 (core, at, hex(steps[at].pc), name, value))
            for kind, is_so in (("of memory", name[0] == "m"), ("of registers", name[0] != "m"),
                                ("of the last registers", name[0] != "m" and at >= len(steps) - LAST)):
                counts[kind][0] += is_so and answer != "-"
                counts[kind][1] += is_so
        shares = {kind: 100 * known / all_of for kind, (known, all_of) in counts.items()}
        print("%s: %d instructions, known %s" % (core, len(steps), ", ".join(
            "%.1f %% %s" % (share, kind) for kind, share in shares.items())))
        self.assertGreater(shares["of registers"], least[0])
        self.assertGreater(shares["of the last registers"], least[1])
        return shares["of memory"]

    def assert_cores(self, scene):
        for cpu in scene.cores:
            steps = [step for step in scene.steps if step.cpu == cpu]
            pieces, gaps, said = self.history("cpu_%d" % cpu)
            self.assertEqual((said, gaps), ("", []))
            self.assertEqual(pieces, [[(step.pc, step.opcode) for step in steps]])
            self.assert_values("cpu_%d" % cpu, steps, (5, 20))

    def assert_threads(self, scene):
        """Each context alone: the process that is on core 0 and then on core 1 is one, if its context is."""
        for context in set(scene.contexts.values()):
            steps = [step for step in scene.steps if step.context == context]
            if not steps:
                continue
            lines, gaps = self.thread(context)
            self.assertEqual(gaps, [])
            self.assertEqual([(int(c[1], 16), int(c[3], 16)) for c in lines],
                             [(step.pc, step.opcode) for step in steps])
            known = 0
            for columns, step in zip(lines, steps):
                for register, told, value in zip(os_recording.NAMES, columns[6:], step.registers):
                    if told != "-":
                        self.assertEqual((columns[0], register, int(told, 16)), (columns[0], register, value))
                        known += 1
            share = 100 * known / len(steps) / len(os_recording.NAMES)
            print("context %#x: %d instructions of cores %s, known %.1f %% of registers"
                  % (context, len(steps), {step.cpu for step in steps}, share))
            self.assertGreater(share, 1)

    def assert_without_contexts(self, scene):
        """Of processes nothing is known; of the kernel what it did, and values of what it did since the last one."""
        scene.make(SYNTH, with_contexts=False)
        for cpu in scene.cores:
            ran = [step for step in scene.steps if step.cpu == cpu]
            kernel = [step for step in ran if step.level]
            pieces, gaps, said = self.history("cpu_%d" % cpu)
            self.assertEqual(said, "")
            self.assertIsNotNone(scenes.align(pieces, [(step.pc, step.opcode) for step in ran]))
            self.assertEqual([i for piece in pieces for i in piece], [(step.pc, step.opcode) for step in kernel])
            self.assertTrue(gaps and all("says whose process it is" in gap for gap in gaps), gaps)
            self.assert_values("cpu_%d" % cpu, kernel, (3, 3))

    def test_pid(self):
        scene = self.record(PIDS, NO_ASIDS)
        self.assert_cores(scene)
        self.assert_threads(scene)
        self.assertEqual({step.cpu for step in scene.steps if step.context == PIDS["B"]}, {0, 1})
        self.assert_without_contexts(scene)

    def test_one_core(self):
        """It writes all memory that it has, as can be said, too."""
        scene = self.record(PIDS, NO_ASIDS, cores=1)
        self.assert_cores(scene)
        self.assert_threads(scene)
        self.assertGreater(self.assert_values("cpu_0", scene.steps, (5, 20), "--assume-single-writer"), 1)

    def test_asid(self):
        scene = self.record(ASIDS, ASIDS_DECLARED)
        self.assert_cores(scene)
        self.assert_threads(scene)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
