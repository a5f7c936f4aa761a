# SPDX-License-Identifier: Apache-2.0
"""Histories with a system event log against what was executed (trace metadata 5.5 to 5.7): CONTEXTIDR as
PID, as thread, as ASID, as both, and not traced. Usage: test_events.py SYNTH."""
import os
import subprocess
import sys
import tempfile
import unittest

import event_scene as scenes

SYNTH = sys.argv[1]
CSREPLAY = os.environ["CSREPLAY"]

PIDS = {"A": scenes.PID_A, "B": scenes.PID_B}


def as_pid(process, _):
    return PIDS[process]


def as_thread(process, _):
    return scenes.TID_B if process == "B" else scenes.PID_A


def as_asid(process, later):
    if process == "A":
        return scenes.ASID_A
    return scenes.ASID_B_LATER if later else scenes.ASID_B


def as_both(process, later):
    return as_thread(process, later) << 8 | as_asid(process, later)


PROCESSES = ["declare_process(CURRENT, 0, 0x0, vmlinux)",
             "declare_process(CURRENT, 0x%x, 0x400000, \"/bin/a.elf\")" % scenes.PID_A,
             "declare_process(CURRENT, 0x%x, 0x400000, \"/bin/b.elf\")" % scenes.PID_B]
THREADS = ["declare_thread(CURRENT, 0x%x, 0x%x)" % (scenes.TID_B, scenes.PID_B)]
ASIDS = ["declare_asid(CURRENT, 0x%x, 0x%x)" % (scenes.ASID_A, scenes.PID_A),
         "declare_asid(CURRENT, 0x%x, 0x%x)" % (scenes.ASID_B, scenes.PID_B)]


def log_of(scene, current, with_asids=False):
    times = scene.times
    address, code = scene.patch()
    lines = ["0 " + line for line in current]
    lines.append("%d patch_code(0x%x, 0x%x, %d, hex:%s)"
                 % (times["patch"], scenes.PID_A, address, len(code), code.hex()))
    lines.append("%d declare_library(START, 0x%x, 0x%x, lib.so, 5f-c1-01)"
                 % (times["load"], scenes.PID_B, scenes.LIBRARY))
    if with_asids:
        lines.append("%d declare_asid(END, 0x%x, 0x%x)" % (times["asid"], scenes.ASID_B, scenes.PID_B))
        lines.append("%d declare_asid(START, 0x%x, 0x%x)"
                     % (times["asid"], scenes.ASID_B_LATER, scenes.PID_B))
    return "\n".join(sorted(lines, key=lambda line: int(line.split()[0], 0))) + "\n"


class Events(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.log = os.path.join(self.folder, "log")

    def play(self, seed, context_of, log, **options):
        scene = scenes.scene_of(seed, context_of, **options)
        scene.make(SYNTH, self.folder)
        with open(self.log, "w", encoding="ascii") as f:
            f.write(log(scene))
        return scene

    def history(self, core, *arguments):
        return scenes.read_history(CSREPLAY, self.folder, core, "--events", self.log, *arguments)

    def assert_all(self, scene):
        for core in scene.cores:
            pieces, gaps, said = self.history(core.name)
            self.assertEqual((said, gaps), ("", []))
            self.assertEqual(pieces[0], core.truth)

    def assert_part(self, core, reasons):
        """What is there ran, and each gap has one of the reasons. What of the truth is missing."""
        pieces, gaps, said = self.history(core.name)
        self.assertRegex(said, r'\A(cpu_\d+\.ini:1: warning: core "\w+": in \d+ gaps? code ran that no dump or image has, [^\n]*\n)?\Z')
        lacks = scenes.align(pieces, core.truth)
        self.assertIsNotNone(lacks)
        for gap in gaps:
            self.assertTrue(any(reason in gap for reason in reasons), gap)
        return lacks

    def test_pid(self):
        for seed in range(3):
            self.assert_all(self.play(seed, as_pid, lambda s: log_of(s, PROCESSES)))

    def test_thread(self):
        self.assert_all(self.play(3, as_thread, lambda s: log_of(s, PROCESSES + THREADS)))

    def test_asid(self):
        self.assert_all(self.play(4, as_asid, lambda s: log_of(s, PROCESSES + ASIDS, True)))

    def test_both(self):
        self.assert_all(self.play(5, as_both, lambda s: log_of(s, PROCESSES + THREADS + ASIDS, True)))

    def test_no_context(self):
        """Of processes nothing is known, of the kernel all."""
        scene = self.play(6, None, lambda s: log_of(s, PROCESSES))
        for core in scene.cores:
            self.assert_part(core, ["says whose process it is"])
            pieces, _, _ = self.history(core.name)
            self.assertEqual([i for piece in pieces for i in piece],
                             [i for i in core.truth if i[0] >= scenes.KERNEL])

    def test_undeclared(self):
        """Of a process that no message names nothing, of others all."""
        scene = self.play(7, as_pid, lambda s: "".join(
            line + "\n" for line in log_of(s, PROCESSES[:2]).splitlines() if "lib.so" not in line))
        for core in scene.cores:
            self.assert_part(core, ["declares nothing for the context"])
            pieces, _, _ = self.history(core.name)
            ran = [core.truth[i] for owner, begin, end in core.slices if owner != "B"
                   for i in range(begin, end)]
            self.assertEqual([i for piece in pieces for i in piece], ran)

    def test_patch_in_sight(self):
        """Between the two timestamps that enclose the patch, code that it changed is not known."""
        changed = 0
        for seed in range(6):
            scene = self.play(seed, as_pid, lambda s: log_of(s, PROCESSES), play=scenes.Scene.play_in_sight)
            core = scene.cores[0]
            lacks = self.assert_part(core, ["the code changed"])
            at = (scene.times["patch"] - scenes.TIME_AT_START) // scenes.TIME_STEP
            for begin, _ in lacks:
                self.assertTrue(at - 2 * scenes.EVERY <= begin <= at + 2 * scenes.EVERY, (begin, at))
                self.assertIn(core.truth[begin][0], [scene.a.address(i) for i in scenes.PATCH])
            changed += len(lacks)
        self.assertGreater(changed, 0)

    def test_without_times(self):
        """What was patched is never known then, all else is: in the log, and in the trace."""
        for every, strip in ((scenes.EVERY, True), (0, False)):
            def log(scene, strip=strip):
                lines = log_of(scene, PROCESSES).splitlines()
                return "".join((line.split(" ", 1)[1] if strip else line) + "\n" for line in lines)
            scene = self.play(8, as_pid, log, every=every)
            zero, one = scene.cores
            lacks = self.assert_part(zero, ["the code changed"])
            first, last = scene.a.address(scenes.PATCH[0]), scene.a.address(scenes.PATCH[-1])
            for begin, _ in lacks:
                self.assertTrue(first <= zero.truth[begin][0] <= last)
            self.assertTrue(lacks)
            self.assertEqual(self.assert_part(one, []), [])

    def test_contextidr_says_what_it_holds(self):
        """As PID nothing is declared for an ASID; as ASID all is known."""
        scene = self.play(9, as_asid, lambda s: log_of(s, PROCESSES + ASIDS, True))
        pieces, gaps, _ = self.history("cpu_0", "--contextidr", "asid")
        self.assertEqual((pieces, gaps), ([scene.cores[0].truth], []))
        _, gaps, _ = self.history("cpu_0", "--contextidr", "pid")
        self.assertTrue(gaps and all("declares nothing for the context" in gap for gap in gaps))

    def test_images(self):
        """One of another build, and one that is not there: a word, and its code is missing."""
        for old, new, what in (("5f-c1-01", "5f-c1-02", "another build ID than 5f-c1-02"),
                               ("lib.so", "libx.so", "neither in the snapshot nor beside the log")):
            scene = self.play(11, as_pid, lambda s, o=old, n=new: log_of(s, PROCESSES).replace(o, n))
            pieces, gaps, said = self.history("cpu_1")
            self.assertIn(what, said)
            self.assertTrue(gaps and all("lacks the code at 0x7f8" in gap for gap in gaps), gaps)
            self.assertEqual([i for piece in pieces for i in piece],
                             [i for i in scene.cores[1].truth if not 0x7F80000000 <= i[0] < 0x7F80001000])
        # Given by --image, under the name that the log has, it is found and nowhere else.
        folder = os.path.join(self.folder, "elsewhere")
        os.mkdir(folder)
        os.rename(os.path.join(self.folder, "lib.so"), os.path.join(folder, "libx.so"))
        pieces, gaps, said = self.history("cpu_1", "--image", os.path.join(folder, "libx.so"))
        self.assertEqual((pieces, gaps, said), ([scene.cores[1].truth], [], ""))

    def test_dumps(self):
        """A dump holds what is there at the halt: the kernel's, of a process after its last patch."""
        def no_code(scene):
            return "".join((line.split(", hex")[0] + ")" * (", hex" in line)) + "\n"
                           for line in log_of(scene, PROCESSES).splitlines())
        def no_vmlinux(scene):
            return "".join(line + "\n" for line in no_code(scene).splitlines() if "vmlinux" not in line)
        for log, context in ((no_code, None), (no_code, "A"), (no_vmlinux, "A")):
            scene = self.play(12, as_pid, log)
            address, code = scene.patch()
            dumps = [("patched.bin", address, code)]
            if log is no_vmlinux:
                dumps.append(("kernel.bin", scenes.KERNEL, scene.kernel.code))
            if context:
                # All that A has at the end, where B has other code.
                dumps.append(("all.bin", scenes.USER, scene.a_later.code))
            with open(os.path.join(self.folder, "cpu_0.ini"), encoding="ascii") as f:
                text = f.read()
            if context:
                text += "CONTEXTIDR_EL1=0x%x\n" % PIDS[context]
            for i, (name, start, content) in enumerate(dumps):
                with open(os.path.join(self.folder, name), "wb") as f:
                    f.write(content)
                text += "\n[dump%d]\nfile=%s\naddress=0x%x\nlength=0x%x\n" % (i, name, start, len(content))
            with open(os.path.join(self.folder, "cpu_0.ini"), "w", encoding="ascii") as f:
                f.write(text)
            if context is None:
                # A and B have something there, and nobody says whose the dump is: what was patched is not known.
                lacks = self.assert_part(scene.cores[0], ["lacks the code"])
                self.assertTrue(lacks)
                patched = [scene.a.address(i) for i in scenes.PATCH]
                self.assertTrue(all(scene.cores[0].truth[begin][0] in patched for begin, _ in lacks))
            else:
                self.assert_all(scene)

    def test_values(self):
        """Values of the past of code that was patched, and of the constants in it."""
        scene = scenes.Counting()
        scene.make(SYNTH, self.folder)
        with open(self.log, "w", encoding="ascii") as f:
            f.write(scene.log())
        pieces, gaps, said = self.history("cpu_0")
        self.assertEqual((pieces, gaps, said), ([scene.truth], [], ""))
        names = ("x0", "x2", "x3", "m400050")
        asked = "".join("%d\t%s\n" % (i, name) for i in range(len(scene.truth)) for name in names)
        answers = subprocess.run([CSREPLAY, "state", "--events", self.log, self.folder, "--batch"],
                                 input=asked, capture_output=True, text=True, check=True).stdout
        known = dict.fromkeys(names, 0)
        for line in answers.splitlines():
            position, name, value = line.split("\t")
            if value == "-":
                continue
            known[name] += 1
            self.assertEqual((position, name, int(value, 16)),
                             (position, name, scene.values[int(position)][names.index(name)]))
        self.assertEqual(known["x0"], len(scene.truth))
        self.assertEqual(known["x3"], len(scene.truth) - 1)

    def test_memory_of_patched_code(self):
        """What gdb is shown of code is what was there at the position, at the halt too."""
        scene = scenes.Counting()
        scene.make(SYNTH, self.folder)
        with open(self.log, "w", encoding="ascii") as f:
            f.write(scene.log())
        ends = [i for i, (pc, _) in enumerate(scene.truth) if pc == scenes.USER + 4 * scene.FUNCTION]
        first = 4 * scene.FUNCTION
        for position in (ends[0], ends[-1], len(scene.truth)):
            later = position > ends[len(ends) // 2]
            answer = subprocess.run([CSREPLAY, "state", "--events", self.log, self.folder, "--batch"],
                                    input="%d\tm%x\n" % (position, scenes.USER + first),
                                    capture_output=True, text=True, check=True).stdout.split()[-1]
            self.assertEqual(int(answer, 16), int.from_bytes(scene.codes[later][first:first + 8], "little"))

    def test_new_trace_id(self):
        """A source of a package that was set up anew, with cycle counts then: one history (5.8, 6.4)."""
        scene = scenes.scene_of(10, as_pid, also=["cycles 7"])
        changes = scene.make_package(SYNTH, self.folder)
        self.assertIn("TRCCONFIGR", changes)
        log = log_of(scene, PROCESSES).splitlines()
        last = scene.cores[0].time()
        log += ["%d define_trace(END, 0x10, trace_16)" % last,
                "%d define_trace(START, 0x11, trace_16, %s)" % (last, changes)]
        with open(os.path.join(self.folder, "system-event-log"), "w", encoding="ascii") as f:
            f.write("\n".join(log) + "\n")
        pieces, gaps, said = scenes.read_history(CSREPLAY, self.folder, "core_16")
        self.assertEqual(pieces, [core.truth for core in scene.cores])
        self.assertEqual(len(gaps), 1)
        self.assertIn("set up anew, with another trace ID", gaps[0])
        self.assertNotIn("0x11", said)
        # Without the message nobody knows whose trace that is.
        with open(os.path.join(self.folder, "system-event-log"), "w", encoding="ascii") as f:
            f.write("\n".join(log[:-2]) + "\n")
        pieces, _, said = scenes.read_history(CSREPLAY, self.folder, "core_16")
        self.assertEqual(pieces[0], scene.cores[0].truth)
        self.assertIn("0x11", said)

    def test_new_trace_id_without_registers(self):
        """5.8: what a START does not say is as before."""
        scene = scenes.scene_of(13, as_pid)
        self.assertEqual(scene.make_package(SYNTH, self.folder), "")
        last = scene.cores[0].time()
        log = log_of(scene, PROCESSES) + "%d define_trace(END, 0x10, trace_16)\n" % last
        log += "%d define_trace(START, 0x11, trace_16)\n" % last
        with open(os.path.join(self.folder, "system-event-log"), "w", encoding="ascii") as f:
            f.write(log)
        pieces, _, _ = scenes.read_history(CSREPLAY, self.folder, "core_16")
        self.assertEqual(pieces, [core.truth for core in scene.cores])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
