# SPDX-License-Identifier: Apache-2.0
"""A process that goes to another core and back is one thread where timestamps say in which order it was on
them, else it is one a core, with the reason. Usage: test_threads.py SYNTH."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import event_scene as scenes
from test_events import CSREPLAY, PROCESSES, as_pid, log_of

SYNTH = sys.argv[1]


class Moving(scenes.Scene):
    """B runs on core 0, on core 1 and on core 0 again, with `apart` instructions of the kernel in between."""
    apart = 3 * scenes.EVERY

    def play_moving(self):
        zero, one = self.cores
        zero.current = one.current = self.context_of("A", False)
        self.ran = []
        self.in_kernel(zero, 100, "B")
        at = self.stay(zero, None)
        self.in_kernel(one, len(zero.truth) + self.apart, "B")
        at = self.stay(one, at)
        zero.run(self.kernel, "kernel.bin", len(one.truth) + self.apart - len(zero.truth), self.kernel.entries[0])
        self.in_kernel(zero, 20, "B")
        self.stay(zero, at)
        self.times["patch"] = self.times["load"] = self.times["asid"] = zero.time()

    def stay(self, core, index):
        """B for a while, then the kernel under its number, then under A's. The index that is next."""
        begin = core.slices[-1][1]  # the kernel's last instructions are B's already
        index = self.user(core, self.b, "b.bin", 300, index)
        self.in_kernel(core, 30, "A")
        self.ran += [(core.name, at) for at in range(begin, core.slices[-1][1])]
        core.context(1, core.current)
        core.run(self.kernel, "kernel.bin", 30, self.rng.choice(self.kernel.entries))
        return index

    def truth(self):
        cores = {core.name: core for core in self.cores}
        return [cores[name].truth[at] for name, at in self.ran]


class Near(Moving):
    """Before a timestamp says so, it is on the other core: within the precision."""
    apart = 4 - scenes.EVERY


class AtOnce(Moving):
    """Two threads of one number: on both cores at the same time."""
    apart = -200


class Threads(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.log = os.path.join(self.folder, "log")

    def play(self, kind, seed, **options):
        while True:
            try:
                scene = kind(seed, as_pid, **options)
                scene.play_moving()
                break
            except scenes.Stuck:
                seed += 1000
        scene.make(SYNTH, self.folder)
        with open(self.log, "w", encoding="ascii") as f:
            f.write("".join(line + "\n" for line in log_of(scene, PROCESSES).splitlines() if "patch" not in line))
        return scene

    def history(self, *arguments):
        return subprocess.run([CSREPLAY, "history", "--events", self.log, *arguments, self.folder],
                              capture_output=True, text=True, check=False)

    def pieces(self, *arguments):
        done = self.history(*arguments)
        self.assertEqual((done.returncode, scenes.without_contradictions(done.stderr)), (0, ""))
        found = [[]]
        for line in done.stdout.splitlines()[1:]:
            if line.startswith("# gap"):
                found.append([])
            elif not line.startswith("#"):
                found[-1].append((int(line.split("\t")[1], 16), int(line.split("\t")[3], 16)))
        return found

    def parted(self, scene):
        """What is said where it is not one thread; each core's part is still there."""
        done = self.history("--context", hex(scenes.PID_B))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        for core in scene.cores:
            self.assertEqual(self.pieces("--context", hex(scenes.PID_B), "--core", core.name)[0],
                             [core.truth[at] for name, at in scene.ran if name == core.name])
        return done.stderr

    def console(self, *commands):
        """Lines that `monitor` prints, by gdb's protocol."""
        text = "set pagination off\nset debuginfod enabled off\n"
        text += "target remote | %s serve --listen stdio --events %s %s 2>/dev/null\n" % (
            CSREPLAY, self.log, self.folder)
        return subprocess.run(["gdb-multiarch", "-nx", "-batch", "-ex", "set architecture aarch64"] +
                              [one for line in text.splitlines() + list(commands) for one in ("-ex", line)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120,
                              check=True).stdout

    def test_one_thread(self):
        for seed in range(3):
            scene = self.play(Moving, seed)
            self.assertEqual(self.pieces("--context", hex(scenes.PID_B)), [scene.truth()])
        out = self.console("monitor threads context")
        self.assertIn("cpu_0, cpu_1 context 0x%x: Cortex-A53, %d instructions" % (scenes.PID_B, len(scene.ran)), out)

    def test_steps_over_the_move(self):
        """Back from the first instruction on a core comes the last one on the other, and breakpoints are met there."""
        scene = self.play(Moving, 5)
        cut = next(i for i in range(1, len(scene.ran)) if scene.ran[i][0] != scene.ran[i - 1][0])
        truth = scene.truth()
        number = re.search(r"^(\d+) cpu_0, cpu_1 context", self.console("monitor threads context"), re.M)[1]
        target = truth[cut - 1][0]
        show = 'printf "AT %lu %lx\\n", $trace_pos, $pc'
        out = self.console("monitor threads context", "info threads", "thread " + number,
                           "set $trace_pos = %d" % cut, show, "reverse-stepi", show, "stepi", show,
                           "hbreak *0x%x" % target, "reverse-continue", show)
        before = max(i for i in range(cut) if truth[i][0] == target)
        self.assertEqual([(int(at), int(pc, 16)) for at, pc in re.findall(r"^AT (\d+) (\w+)$", out, re.M)],
                         [(i, truth[i][0]) for i in (cut, cut - 1, cut, before)])

    def test_order_within_the_precision_is_not_known(self):
        said = self.parted(self.play(Near, 6))
        self.assertRegex(said, r"no timestamps say whether position \d+ of cpu_0 or position \d+ of cpu_1 was first")

    def csreplay(self, *arguments):
        return subprocess.run([CSREPLAY, *arguments, "--events", self.log, self.folder], capture_output=True, text=True,
                              check=False)

    def test_info_and_check_say_why_a_context_is_several_threads(self):
        why = r"not one thread with that of cpu_0: no timestamps say whether position \d+ of cpu_0 or " \
              r"position \d+ of cpu_1 was first"
        self.play(Moving, 7, every=0)
        done = self.csreplay("info")
        self.assertRegex(done.stdout, r"\ncontexts that are several threads\n +context +core +why\n(.*\n)* +0x%x +cpu_1 +%s\n" % (
            scenes.PID_B, why))
        parted = json.loads(self.csreplay("info", "--format", "json").stdout)["parted_contexts"]
        self.assertEqual([one["core"] for one in parted if one["context_id"] == hex(scenes.PID_B)], ["cpu_1"])
        self.assertRegex(parted[0]["reason"], "^" + why + "$")
        done = self.csreplay("check")
        self.assertRegex(done.stderr, r"note: what cpu_1 ran in context 0x%x is %s\n" % (scenes.PID_B, why))
        # B is one thread where timestamps say it, and A was on both cores at once.
        self.play(Moving, 1)
        parted = json.loads(self.csreplay("info", "--format", "json").stdout)["parted_contexts"]
        self.assertEqual([(one["context_id"], one["core"]) for one in parted], [(hex(scenes.PID_A), "cpu_1")])
        self.assertIn("the context ran at position 0 of cpu_0 and position 0 of cpu_1 at the same time", parted[0]["reason"])
        self.assertNotIn("context 0x%x " % scenes.PID_B, self.csreplay("check").stderr)

    def test_order_without_timestamps_is_not_known(self):
        self.assertIn("no timestamps say whether", self.parted(self.play(Moving, 7, every=0)))
        out = self.console("monitor threads context")
        self.assertRegex(out, r"\d+ cpu_1 context 0x654: .*\n  not one thread with that of cpu_0: no timestamps")

    def test_two_at_once_are_no_thread(self):
        said = self.parted(self.play(AtOnce, 8))
        self.assertRegex(said, r"the context ran at position \d+ of cpu_0 and position \d+ of cpu_1 at the same time")

    def test_untraced_time_is_a_gap(self):
        """Where core 1 lost its trace while B was on none, B may have been there: one gap, and no other."""
        class Losing(Moving):
            def stay(self, core, index):
                index = super().stay(core, index)
                if core.name == "cpu_1":
                    core.steps.append("overflow 0x%x" % core.halt)
                    core.context(1, core.current)
                    core.run(self.kernel, "kernel.bin", 4 * scenes.EVERY, (int(core.halt) - self.kernel.base) // 4)
                return index
        scene = self.play(Losing, 9)
        back = max(i for i in range(1, len(scene.ran)) if scene.ran[i][0] != scene.ran[i - 1][0])
        truth = scene.truth()
        self.assertEqual(self.pieces("--context", hex(scenes.PID_B)), [truth[:back], truth[back:]])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
