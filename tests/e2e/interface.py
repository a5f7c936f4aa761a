#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What front ends and users see: gdb's machine interface, and the commands of gdbinit."""
import re
import subprocess
import sys
import unittest

import lines
import serving

CRASH = serving.Crash(sys.argv[1])
PCS = CRASH.pcs()
N = len(PCS) - 1


class Mi(unittest.TestCase):
    def run_mi(self, address, commands):
        lines = ["-gdb-set confirm off", f"-target-select remote {address}", *commands]
        process = subprocess.Popen([serving.GDB, "-nx", "-q", "--interpreter=mi3", CRASH.program],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        out = []
        for line in lines:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            # A resume answers ^running and then *stopped; anything else ^done, ^error...
            wanted = r"\*stopped" if line.startswith("-exec") else r"\^(done|error|connected)"
            for text in process.stdout:
                out.append(text)
                if re.match(wanted, text) or text.startswith("^error"):
                    break
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=60)
        return "".join(out)

    def test_44_mi_reverse_commands_stop_with_their_frame(self):
        with serving.Server(CRASH.arguments()) as server:
            out = self.run_mi(server.address, [
                "-list-target-features", "-exec-step-instruction --reverse",
                "-exec-step-instruction --reverse", "-exec-step-instruction",
                "-exec-continue --reverse", "-gdb-set exec-direction reverse",
                "-exec-continue", "-gdb-set exec-direction forward", "-exec-continue"])
        self.assertRegex(out, r'\^done,features=\[.*"reverse".*\]')
        stops = re.findall(r'^\*stopped,.*?addr="0x([0-9a-f]+)"', out, re.MULTILINE)
        self.assertEqual([int(pc, 16) for pc in stops][-6:],
                         [PCS[N - 1], PCS[N - 2], PCS[N - 1], PCS[0], PCS[0], PCS[N]])

    def test_44_mi_reverse_step_by_line(self):
        with serving.Server(CRASH.arguments()) as server:
            out = self.run_mi(server.address, [
                *["-exec-step --reverse", "-data-evaluate-expression $trace_pos"] * 20])
        stops = re.findall(r'^\*stopped,.*?addr="0x([0-9a-f]+)"', out, re.MULTILINE)
        positions = re.findall(r'^\^done,value="(\d+)"', out, re.MULTILINE)
        self.assertEqual(len(stops), 21)
        share = lines.check_stops(self, CRASH.program, PCS, N, [
            (int(pc, 16), int(position)) for pc, position in zip(stops[1:], positions, strict=True)])
        print(f"{share:.1f} % of the lines met over MI")
        self.assertGreaterEqual(share, 84)


class Gdbinit(unittest.TestCase):
    def gdb(self, *commands):
        with serving.Server(CRASH.arguments()) as server:
            return serving.gdb(server.address, commands, CRASH.program, ["-x", serving.GDBINIT])

    def test_commands_move_and_show(self):
        out = self.gdb("where-am-i", "back 7", "mark here", "where-am-i", "forward 3", "where-am-i",
                       "go here", "where-am-i", "seek 5", "where-am-i", "crash", "where-am-i",
                       "gaps")
        self.assertEqual(re.findall(r"^position (\d+)$", out, re.MULTILINE),
                         [str(position) for position in (N, N - 7, N - 4, N - 7, 5, N)])
        self.assertIn(f"here is position {N - 7}", out)
        self.assertNotIn("Error", out)
        self.assertRegex(out, r"gaps? in \d+ instructions")

    def test_each_command_has_help(self):
        out = self.gdb("csreplay")
        names = re.findall(r"^  ([a-z-]+) ", out, re.MULTILINE)
        self.assertEqual(names, ["where-am-i", "seek", "crash", "mark", "go", "back", "forward",
                                 "gaps"])
        for name in names:
            self.assertNotIn("User-defined.", self.gdb(f"help {name}"))

    def test_selected_core_alone_moves(self):
        self.assertIn('Mode for locking scheduler during execution is "on"',
                      self.gdb("show scheduler-locking"))


if __name__ == "__main__":
    serving.main()
