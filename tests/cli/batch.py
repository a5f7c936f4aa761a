#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay state --batch` and `csreplay why`: what is asked and how, on the bundled example."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

EXAMPLE = os.path.join(os.environ["CSREPLAY_SOURCE"], "examples", "sensorhub")


def ask(text, *options, folder=EXAMPLE):
    done = subprocess.run([os.environ["CSREPLAY"], "state", "--batch", *options, folder],
                          input=text, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


class Batch(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(EXAMPLE, "cpu_0.ini"), encoding="ascii") as f:
            lines = [line.split("=") for line in f if "(size:" in line]
        self.halt = {line[0].split("(")[0].strip(): int(line[1], 16) for line in lines}
        done = subprocess.run([os.environ["CSREPLAY"], "history", EXAMPLE], capture_output=True,
                              text=True, check=True)
        self.length = sum(1 for line in done.stdout.splitlines() if line[0].isdigit())

    def test_minus_one_and_the_length_are_the_halt(self):
        for position in ("-1", str(self.length)):
            code, out, _ = ask("%s\tx0\n%s\tPC\n" % (position, position))
            self.assertEqual(code, 0)
            self.assertEqual(out, ["%s\tx0\t%016x" % (position, self.halt["X0"]),
                                   "%s\tPC\t%016x" % (position, self.halt["PC"])])

    def test_names_are_those_of_snapshots_and_low_halves_too(self):
        _, out, _ = ask("-1\tlr\n-1\tX30\n-1\tw30\n-1\tx31\n")
        lr = self.halt["X30"]
        self.assertEqual([line.split("\t")[2] for line in out],
                         ["%016x" % lr] * 2 + ["%08x" % (lr & 0xffffffff),
                                               "%016x" % self.halt["SP"]])

    def test_positions_that_there_are_not_are_unknown(self):
        asked = [str(self.length + 1), "-0", "-%d" % (self.length + 2), "9" * 30, "-" + "9" * 30]
        code, out, err = ask("".join("%s\tsp\n" % p for p in asked))
        self.assertEqual(code, 0)
        self.assertEqual(out, ["%s\tsp\t-" % p for p in asked])
        self.assertIn("5 questions", err)

    def test_first_and_last_position_are_there(self):
        code, out, err = ask("0\tpc\n-%d\tpc\n" % (self.length + 1))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out[0].split("\t")[2], out[1].split("\t")[2])

    def test_one_wrong_bit_at_the_halt_leaves_nothing_and_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
            path = os.path.join(folder, "cpu_0.ini")
            with open(path, encoding="ascii") as file:
                text = file.read()
            with open(path, "w", encoding="ascii") as file:
                file.write(text.replace("X3(size:64)=0x0000000000401748",
                                        "X3(size:64)=0x0000000000401749"))
            code, out, err = ask("-2\tx1\n-2\tpc\n-50\tsp\n-1\tx3\n", folder=folder)
        self.assertEqual(code, 0)
        self.assertEqual([line.split("\t")[2] for line in out],
                         ["-", "0000000000400400", "-", "-"])
        self.assertEqual(err.splitlines(), [
            'cpu_0.ini:10: warning: core "cpu_0": x3 (0x401749) at the halt contradicts the trace at '
            "position 39996, or memory or code does; it and the core's past are not shown",
            "csreplay: note: snapshot and trace disagree at position 39996: "
            "no value of the past is shown",
            "  x3 is 0x401749 at position 39997, from x3 at the halt",
            "  x3 is 0x401748 at position 39997, from the instruction at 39995"])

    def test_text_for_unknown_is_the_users(self):
        _, out, _ = ask("0\tm0\n0\tm0x0\n", "--unknown", "?")
        self.assertEqual(out, ["0\tm0\t?", "0\tm0x0\t?"])

    def test_malformed_lines_are_reported_and_the_others_answered(self):
        code, out, err = ask("x\tx0\n1\tx77\n1\n1\tm\n1\tmxyz\n1\tw31\n\tsp\n# no\n\n-1\tsp\r\n"
                             "-1\tpc\tmore")
        self.assertEqual(code, 1)
        self.assertEqual([line.split("\t")[1] for line in out], ["sp", "pc"])
        for line in range(1, 8):
            self.assertIn("line %d asks nothing" % line, err)

    def test_line_without_end_is_an_error(self):
        code, _, err = ask("-1\tsp\n" + "1" * 1000)
        self.assertEqual(code, 1)
        self.assertIn("line 2 is too long", err)


class Why(unittest.TestCase):
    def why(self, *options):
        done = subprocess.run([os.environ["CSREPLAY"], "why", *options, EXAMPLE],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_register_is_explained(self):
        code, out, err = self.why("--at", "18175", "--of", "x1")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("x1 at position 18175 is 0x400500, proved:\n"), out)
        self.assertIn("  0x400354  ", out)

    def test_text_is_asked_at_its_last_instruction(self):
        """There is no halt after it."""
        text = os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "fuzz", "corpus", "tarmac_history", "rev3")
        for options in ([], ["--at", "end"]):
            done = subprocess.run([os.environ["CSREPLAY"], "why", "--of", "x0", *options, text], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, "the trace has the data of registers and memory itself\n", ""))

    def test_address_at_the_halt_is_explained(self):
        code, out, err = self.why("--of", "0x401648")
        self.assertEqual((code, err), (0, ""))
        self.assertIn("at the halt registers and memory are those of the snapshot", out)

    def test_wrong_use_is_told(self):
        for options, said in ((["--of", "x77"], "no register"), ([], "needs --of"),
                              (["--of", "x1", "--at", "40001"], "position out of range (0..40000)"),
                              (["--of", "x1", "--at", "x"], '--at "x": not a position: "x"')):
            code, out, err = self.why(*options)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(said, err)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
