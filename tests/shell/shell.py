#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay shell` without a terminal: scripts, their exit status, and what each command of the shell says."""
import configparser
import os
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
ENVIRONMENT = {**os.environ, "XDG_STATE_HOME": tempfile.mkdtemp()}


def run(*arguments, stdin=""):
    done = subprocess.run([CSREPLAY, "shell", *arguments, str(SENSORHUB)], input=stdin, capture_output=True, text=True,
                          timeout=60, env=ENVIRONMENT, check=False)
    return done.returncode, done.stdout, done.stderr


class Scripts(unittest.TestCase):
    def said(self, commands):
        code, out, err = run("-c", commands)
        self.assertEqual((code, err), (0, ""))
        return out

    def test_commands_of_the_command_line(self):
        expected = "cpu_0 39990: sort_samples+0x6c  sensorhub.c:107  ldp x29, x30, [sp], #0x30\n   107  }\n"
        self.assertEqual(self.said("seek -10"), expected)
        self.assertEqual(run("--command", "seek -10"), (0, expected, ""))
        self.assertEqual(self.said(" back 10 ;; quit ; seek begin"), expected)
        self.assertEqual(self.said("# nothing\nback 9\nback"), expected.replace("39990", "39991").replace(
            "0x6c", "0x70").replace("ldp x29, x30, [sp], #0x30", "ret") + expected)

    def test_commands_of_standard_input(self):
        code, out, err = run(stdin="seek 0\n\n# nothing\nstep 3\nquit\nseek 9\n")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(re.findall(r"^cpu_0 (\d+): ", out, re.MULTILINE), ["0", "3"])

    def test_what_fails_ends_a_script(self):
        for command, why in (
                ("fly", 'no command "fly"; `help` lists them'),
                ("seek 40001", "position out of range (0..40000)"),
                ("position 3", "position takes no argument"),
                ("why", "why REGISTER, or why ADDRESS"),
                ("origin nothing", 'no register, no address and no variable: "nothing"'),
                ("assume x on", 'no assumption "x"; `assume` lists them'),
                ("set gap x", 'neither stop, pass nor ask: "x"'),
                ("set", 'nothing to set is called ""'),
                ("catch x", 'neither exception, gap, context nor software-trace: "x"'),
                ("unmark x", 'no mark "x"; `marks` lists them'),
                ("mark 7", 'no name: "7"'),
                ("stack 3", 'stack takes no "3"'),
                ("return 400", "no such frame is known; `stack` lists those that are"),
                ("return", "publish had not returned at the halt"),
                ("next-candidate", "`last-write` first"),
                ("x EL9:0", "no address space"),
                ("threads x", 'neither core nor context: "x"'),
                ("core 2", 'no core "2"; `cores` lists them'),
                ("break nothing", 'no address and no function: "nothing"'),
                ("watch x0", "a register cannot be watched"),
                ("locals x", 'not the number of a frame: "x"'),
                ("locals 9", "no such frame here, or it is not known where it is; `stack` lists them"),
                ("delete 1", 'no breakpoint and no watchpoint "1"'),
                ("registers x99", 'no register "x99"'),
                ("step x", 'not a number: "x"'),
                ("list 0", 'not a number of 1 to 1000: "0"'),
                ("re", 'several commands begin with "re": reverse-step reverse-continue registers return reads'),
                ("source", "source FILE"),
                ("source /nowhere/at/all", "/nowhere/at/all: No such file or directory"),
                ("!exit 3", "exit 3: ended with 3")):
            code, out, err = run("-c", f"position; {command}; seek 5")
            self.assertEqual((code, out.count("\n")), (1, 1), (command, out))
            self.assertTrue(err.startswith(f"csreplay: error: {why}"), (command, err))

    def test_every_row_of_help_is_a_command(self):
        listed = self.said("help")
        names = re.findall(r"^(\S+) {2,}\S", listed, re.MULTILINE)
        self.assertGreater(len(names), 45)
        for name in set(names) - {"!"}:
            self.assertIn(name, self.said(f"help {name}"))
            self.assertNotIn("no command", run("-c", name)[2])
        self.assertNotIn("monitor", listed)
        self.assertNotIn("gdb notices", self.said("assume single-writer on; seek 9; trust assumed; space EL1N"))

    def test_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "my commands"
            path.write_text("seek 7\n!echo done\n", encoding="ascii")
            self.assertRegex(self.said(f"source {path}"), r"^cpu_0 7: .*\n    90      if .*\ndone\n$")
            path.write_text(f"source {path}\n", encoding="ascii")
            code, _, err = run("-c", f"source {path}")
            self.assertEqual((code, "too many" in err), (1, True))

    def test_moves(self):
        said = self.said("break publish; b 0x4003ec; reverse-continue; c; delete 1; rc; d 2; breakpoints; rc; s; rs 2; c")
        self.assertEqual(re.findall(r"^(?:break|cpu_0|the|no br)[^:\n]*", said, re.MULTILINE), [
            "breakpoint 1", "breakpoint 2",
            "breakpoint 1", "breakpoint 2", "cpu_0 39994",
            "the halt", "cpu_0 40000",
            "breakpoint 2", "cpu_0 39994",
            "no breakpoint and no watchpoint",
            "the begin", "cpu_0 0", "cpu_0 1", "the begin", "cpu_0 0", "the halt", "cpu_0 40000"])
        self.assertIn("breakpoint 1: 0x4003ec publish\n", said)

    def test_registers_tell_what_a_move_changed(self):
        said = self.said("registers x2; back 6; registers x0 x2 x30; back 0; r pc")
        self.assertIn("  x2       0x00000000322d7261\n", said)
        self.assertIn("* x2       0x0000000000000017  (was 0x00000000322d7261)\n", said)
        self.assertIn("  x30      0x0000000000400480  main+0x54\n", said)
        everything = self.said("registers")
        self.assertEqual(len(everything.splitlines()), 34)
        self.assertNotIn("*", everything)

    def test_breakpoints_at_lines(self):
        """Where code of a line begins is what gdb says; of a line without code it is the next that has."""
        last = len((SENSORHUB / "sensorhub.c").read_text(encoding="utf-8").splitlines())
        lines = range(1, last + 1)
        said = subprocess.run(["gdb-multiarch", "-nx", "-batch", str(SENSORHUB / "sensorhub.elf")] + [word for n in lines for word in
                                                                       ("-ex", f"info line sensorhub.c:{n}")],
                              capture_output=True, text=True, check=True).stdout
        starts = {int(n): address for n, address in
                  re.findall(r'^Line (\d+) of "[^"]*" starts at address (0x[0-9a-f]+) ', said, re.MULTILINE)}
        others = {int(n): address for n, address in
                  re.findall(r'^Line (\d+) of "[^"]*" is at address (0x[0-9a-f]+) .*but contains no code', said, re.MULTILINE)}
        self.assertGreater(len(starts), 40)
        asked = [n for n in lines if n <= max(starts)]
        answers = self.said("; !echo ==; ".join(f"break sensorhub.c:{n}" for n in asked)).split("==\n")
        self.assertEqual(len(answers), len(asked))
        for n, said in zip(asked, answers):
            places = re.findall(r"^breakpoint \d+: (0x[0-9a-f]+)", said, re.MULTILINE)
            if n in starts:
                self.assertIn(starts[n], places)
                self.assertNotIn("has no code", said)
            else:
                self.assertIn(others[n], places)
                following = re.match(rf"line {n} has no code, line (\d+) is the next that has\n", said)
                self.assertTrue(following is None or n < int(following[1]) <= min(line for line in starts if line > n))
        self.assertIn("line 1 has no code, line 70 is the next that has\n", answers[0])
        self.assertRegex(self.said("break sensorhub.c:96; rc"), r"breakpoint 1\ncpu_0 \d+: sort_samples\S*  sensorhub.c:96 ")
        # The program twice in memory has two functions of the line, and one place in each.
        twice = run("--image", str(SENSORHUB / "sensorhub.elf"), "--image", f"{SENSORHUB}/sensorhub.elf@0x10000000", "-c",
                    "break sensorhub.c:72")
        self.assertEqual(twice, (0, "breakpoint 1: 0x4000ec mix+0x4\nbreakpoint 2: 0x100000ec mix+0x4\n", ""))
        for wrong in (f"sensorhub.c:{last + 1}", "other.c:1", "sensorhub.c:0", "sensorhub.c:", "sensorhub.c:x"):
            self.assertEqual(run("-c", f"break {wrong}")[0], 1, wrong)

    def test_source_is_read_beside_the_snapshot_and_nowhere_else(self):
        text = "   166      hub_mode = MODE_PUBLISHING;\n"
        with tempfile.TemporaryDirectory() as folder:
            copy, other = Path(folder) / "snapshot", Path(folder) / "other"
            shutil.copytree(SENSORHUB, copy)
            other.mkdir()

            def said():
                done = subprocess.run([CSREPLAY, "shell", "--image", str(copy / "sensorhub.elf"), "-c", "seek 39997", str(copy)],
                                      capture_output=True, text=True, check=True, env=ENVIRONMENT)
                return done.stdout
            self.assertTrue(said().endswith(text))
            shutil.move(copy / "sensorhub.c", other / "sensorhub.c")
            self.assertEqual(len(said().splitlines()), 1)
            (copy / "sensorhub.c").symlink_to(other / "sensorhub.c")
            self.assertEqual(len(said().splitlines()), 1)

    def test_unknown_is_no_number(self):
        said = self.said("seek 18176; x 0x401650 8; print 0x401650; p 0x401653+2; p 0x401655+2; seek 33371; p x1")
        self.assertEqual(re.sub(r"(?m)^(cpu_0| +\d+  ).*\n", "", said),
                         "0x401650: 61 72 2d 32 ?? ?? ?? ??" + 8 * 3 * " " + "  |ar-2    |\n"
                         "0x401650 = 0x????????322d7261\n"
                         "0x401653+2 = 0x??32\n"
                         "0x401655+2 = not known\n"
                         "x1 = 0x00000000????????\n")
        self.assertRegex(self.said("seek 20000; print sensors"), r"^cpu_0.*\n +\d+  .*\n(0x[0-9a-f]+:( \?\?){16}\n){32}$")
        self.assertEqual(self.said("x 0x400500 16; print x2"),
                         "0x400500: 77 69 6e 65 63 65 6c 6c 61 72 2d 32 00 00 00 00  |winecellar-2....|\n"
                         "x2 = 0x00000000322d7261\n")

    def test_locals_of_frames(self):
        self.assertEqual(self.said("locals"), "in publish:\n  struct sensor *sensor = 0x401648\n"
                                              "  struct driver *driver = 0x322d7261\n")
        self.assertEqual(self.said("locals 1"), "in main:\n  uint32_t round = 10\n")
        past = self.said("seek 37000; locals").partition("in mix:\n")[2]
        self.assertEqual(past, "  int bit = 2\n  uint32_t sum = ??\n  uint32_t value = ??\n")
        assumed = self.said("trust assumed; seek 37000; locals").partition("in mix:\n")[2]
        self.assertRegex(assumed, r"  uint32_t sum = \d+~\n")

    def test_instructions(self):
        rows = self.said("back 3; list 5").splitlines()[1:]
        self.assertEqual([row[:8] for row in rows], ["   166  ", "   166  ", "   39995", "   39996", "=> 39997", "   39998",
                                                     "   167  ", "   39999"])
        self.assertEqual(rows[1], "   166      hub_mode = MODE_PUBLISHING;")
        self.assertIn("ldr w4, [x2]  (the halt)", self.said("seek end"))
        code = self.said("disassemble publish")
        self.assertIn("   0x4003ec  publish  sensorhub.c:164  ldr x2, [x0, #8]\n", code)
        self.assertIn("=> 0x400404  publish+0x18  sensorhub.c:167  ldr w4, [x2]\n", code)
        self.assertEqual(code, self.said("disassemble"))

    def test_from_the_crash_to_its_cause(self):
        """docs/walkthrough.md, in four commands."""
        said = self.said("crash; watch 0x401650; set possible-writes report; rc; stack")
        self.assertIn("data fault at 0x400404: read of 0x322d7261; register x2", said)
        self.assertIn("write of the 8 bytes at 0x401650: position 18175, set_label+0x10 (sensorhub.c:134); before it "
                      "0x..........2d7261, after it 0x........322d7261\n", said)
        self.assertIn("cpu_0 18175: set_label+0x10  sensorhub.c:134  strb w3, [x0, x2]\n", said)
        self.assertRegex(said, r"#1 +run_command\+0x54, .*\n#2 +poll_inbox")
        self.assertIn("\n(its callers are older than the trace, or than a gap, and it has not returned to them)\n", said)

    def test_crash_in_words(self):
        said = self.said("crash")
        self.assertEqual(said.split("\n")[1:], [
            "    at publish+0x18 (sensorhub.c:167)",
            '    0x322d7261 reads as text: "ar-2"; at the halt such bytes are at 0x401650, in "@winecellar-2", and elsewhere (1)',
            "    taken at position 40000, 0 instructions before the halt: `seek crash` goes there",
            "    halted in: publish+0x18 < main+0x54", ""])
        self.assertIn("position 40000 of 40000", self.said("seek 5; seek crash; position"))

    def test_pointers_are_the_words_of_the_dumps(self):
        words = []
        ini = configparser.ConfigParser(strict=False)
        ini.read(SENSORHUB / "cpu_0.ini")
        for section in ini.sections():
            if section.startswith("dump"):
                data = (SENSORHUB / ini[section]["file"]).read_bytes()
                start, offset = int(ini[section]["address"], 0), int(ini[section].get("offset", "0"), 0)
                length = int(ini[section].get("length", str(len(data) - offset)), 0)
                words += [(start + at, *struct.unpack_from("<Q", data, offset + at))
                          for at in range(-start % 8, length - 7, 8)]
        for target, reach in ((0x401650, 256), (0x401650, 0), (0x401548, 0), (0x401650, 4096), (0x400404, 64)):
            want = sorted(at for at, value in words if max(1, target - reach) <= value <= target)
            said = self.said(f"pointers {target:#x} {reach}")
            self.assertEqual(sorted(int(at, 16) for at in re.findall(r"^0x([0-9a-f]+)  ", said, re.MULTILINE)), want[:24],
                             (hex(target), reach, said))

    def test_an_interrupt_ends_a_script(self):
        with subprocess.Popen([CSREPLAY, "shell", str(SENSORHUB)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as shell:
            shell.stdin.write("seek 3\n")
            shell.stdin.flush()
            self.assertIn("cpu_0 3", shell.stdout.readline())
            time.sleep(0.1)
            shell.send_signal(signal.SIGINT)
            self.assertEqual(shell.wait(timeout=60), 130)


if __name__ == "__main__":
    unittest.main()
