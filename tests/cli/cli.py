#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line: help, usage errors, exit codes, where output goes."""
import os
import subprocess
import sys
import unittest

CSREPLAY = os.environ["CSREPLAY"]
COMMANDS = ["serve", "info", "check", "decode", "history", "compare", "export", "state",
            "why"]


def run(*arguments):
    done = subprocess.run([CSREPLAY, *arguments], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


class CommandLine(unittest.TestCase):
    def test_without_arguments_explains_itself_on_stderr(self):
        code, out, err = run()
        self.assertEqual(code, 2)
        self.assertEqual(out, "")
        self.assertTrue(err.startswith("usage: csreplay COMMAND"))

    def test_help_names_every_command(self):
        for spelling in ("--help", "-h", "help"):
            code, out, err = run(spelling)
            self.assertEqual((code, err), (0, ""))
            listed = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
            self.assertEqual(listed, COMMANDS)

    def test_each_command_has_help_with_its_options(self):
        expected = {
            "serve": ["--image", "--allow-outside", "--strict", "--listen", "--once", "--threads",
                      "--assume-single-writer",
                      "--assume-abi", "--help"],
            "info": ["--image", "--allow-outside", "--strict", "--format", "--threads",
                     "--assume-single-writer",
                      "--assume-abi", "--help"],
            "check": ["--image", "--allow-outside", "--strict", "--help"],
            "decode": ["--image", "--allow-outside", "--strict", "--format", "--buffer",
                       "--source", "--packets", "--source-address-split", "--tpiu", "--tpiu-hsync", "--dstream",
                       "--help"],
            "history": ["--image", "--allow-outside", "--strict", "--format", "--core", "--from",
                        "--count", "--registers", "--threads", "--dialect",
                        "--assume-single-writer",
                      "--assume-abi", "--help"],
            "compare": ["--image", "--allow-outside", "--strict", "--format", "--core", "--from",
                        "--registers", "--threads", "--memory", "--ignore", "--first", "--max",
                        "--help"],
            "state": ["--image", "--allow-outside", "--strict", "--core", "--threads", "--batch",
                      "--unknown", "--assume-single-writer",
                      "--assume-abi", "--help"],
            "why": ["--image", "--allow-outside", "--strict", "--core", "--threads",
                    "--assume-single-writer", "--assume-abi", "--at", "--of", "--help"],
            "export": ["--image", "--allow-outside", "--strict", "--format", "--core", "--from",
                       "--count", "--threads", "--dialect", "--help"],
        }
        for command in COMMANDS:
            code, out, err = run(command, "--help")
            self.assertEqual((code, err), (0, ""))
            options = [line.split()[0] for line in out.splitlines() if line.startswith("  --")]
            self.assertEqual(options, expected[command])

    def test_version_is_the_projects(self):
        code, out, _ = run("--version")
        self.assertEqual(code, 0)
        self.assertRegex(out, r"^csreplay \d+\.\d+\.\d+\n$")

    def test_usage_errors_end_with_2_and_say_what(self):
        cases = [
            (["replay"], 'no command "replay"; see `csreplay --help`'),
            (["info"], "info needs a SNAPSHOT; see `csreplay info --help`"),
            (["info", "a", "b"], 'one SNAPSHOT is enough: "a", "b"'),
            (["info", "--listen", "x", "a"], "info has no option --listen"),
            (["serve", "--listen"], "--listen needs a value: ADDRESS"),
            (["serve", "--once=1", "a"], "--once takes no value"),
            (["info", "--format", "json", "--format", "json", "a"], "--format is given twice"),
            (["info", "--format", "xml", "a"], 'info has no format "xml"; it has text and json'),
            (["decode", "--format", "tsv", "a"],
             'decode has no format "tsv"; it has text and json'),
            (["history", "--format", "text", "a"],
             'history has no format "text"; it has tsv, tarmac and json'),
        ]
        for arguments, message in cases:
            code, out, err = run(*arguments)
            self.assertEqual((code, out, err), (2, "", f"csreplay: error: {message}\n"))

    def test_operands_may_follow_a_double_dash(self):
        code, _, err = run("info", "--", "--no-such-folder")
        self.assertEqual(code, 1)
        self.assertIn("--no-such-folder", err)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
