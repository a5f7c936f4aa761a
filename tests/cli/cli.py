#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line: help, usage errors, exit codes, where output goes."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
SOURCE = Path(os.environ["CSREPLAY_SOURCE"])
SENSORHUB = SOURCE / "examples" / "sensorhub"
COMMANDS = ["serve", "gdb", "lldb", "shell", "info", "check", "decode", "history", "compare", "export", "state",
            "calls", "origin", "last-write", "writes", "reads",
            "values-of", "why"]


def run(*arguments, folder=None):
    done = subprocess.run([CSREPLAY, *arguments], capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, cwd=folder, check=False)
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
        log = ["--module", "--events", "--contextidr"]
        debugger = ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--threads",
                    "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust",
                    "--assume-one-address-space", "--device"]
        expected = {
            "serve": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--listen", "--once",
                      "--idle-timeout", "--log", "--verbose", "--threads",
                      "--assume-single-writer",
                      "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--help"],
            "gdb": [*debugger, "--print", "--help"],
            "lldb": [*debugger, "--print", "--help"],
            "info": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--threads",
                     "--assume-single-writer",
                      "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--help"],
            "shell": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--core", "--threads",
                      "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust",
                      "--assume-one-address-space", "--device", "--command", "--help"],
            "check": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--help"],
            "decode": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--buffer",
                       "--source", "--packets", "--source-address-split", "--tpiu", "--tpiu-hsync", "--dstream",
                       "--help"],
            "history": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--from",
                        "--count", "--context", "--registers", "--threads", "--dialect",
                        "--assume-single-writer",
                      "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--help"],
            "compare": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--from",
                        "--registers", "--threads", "--memory", "--ignore", "--first", "--max",
                        "--assume-one-address-space", "--device", "--help"],
            "state": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--core", "--threads", "--batch",
                      "--unknown", "--assume-single-writer",
                      "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--help"],
            "calls": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--threads",
                      "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust",
                      "--assume-one-address-space", "--device", "--function", "--arguments", "--where", "--help"],
            "origin": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--threads",
                       "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--at", "--of", "--help"],
            "last-write": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--count", "--threads",
                       "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--at", "--of", "--help"],
            "writes": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--from", "--to", "--count", "--threads",
                       "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--of", "--help"],
            "reads": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--from", "--to", "--count", "--threads",
                       "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--of", "--help"],
            "values-of": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--from", "--to", "--count", "--threads",
                       "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--of", "--help"],
            "why": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--threads",
                    "--assume-single-writer", "--assume-abi", "--assume-private-locals", "--assume-kernel-private", "--assume-waiting-tasks", "--assume-coherent", "--assume-stack-private", "--assume-traced-writers", "--assume-own-dumps", "--trust", "--assume-one-address-space", "--device", "--at", "--of", "--help"],
            "export": ["--image", *log, "--core-dump", "--sysroot", "--debug-dir", "--allow-outside", "--strict", "--format", "--core", "--from",
                       "--count", "--threads", "--dialect",
                       "--assume-one-address-space", "--help"],
        }
        for command in COMMANDS:
            code, out, err = run(command, "--help")
            self.assertEqual((code, err), (0, ""))
            options = [line.split()[0] for line in out.splitlines() if line.startswith("  --")]
            self.assertEqual(options, expected[command])

    def test_help_takes_a_command(self):
        for command in COMMANDS:
            self.assertEqual(run("help", command), run(command, "--help"))
        self.assertEqual(run("help", "replay"), (2, "", 'csreplay: error: no command "replay"; see `csreplay --help`\n'))

    def test_version_is_the_projects_and_the_last_that_was_released(self):
        version = re.search(r"^project\(csreplay VERSION (\d+\.\d+\.\d+) ",
                            (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)
        code, out, err = run("--version")
        self.assertEqual((code, err), (0, ""))
        said = re.fullmatch(r"csreplay ([\d.]+)(?: \(([0-9a-f]{12,})(?:-dirty)?\))?\n", out)
        self.assertEqual(said and said.group(1), version)
        # A clone's build names a commit of the clone; it may be older than what is there now.
        if (SOURCE / ".git").exists() and shutil.which("git"):
            git = subprocess.run(["git", "-C", str(SOURCE), "cat-file", "-t", said.group(2) or "none"],
                                 capture_output=True, text=True, check=False)
            self.assertEqual(git.stdout, "commit\n", out)
        released = re.findall(r"^## (\d+\.\d+\.\d+) - \d{4}-\d\d-\d\d$",
                              (SOURCE / "CHANGELOG.md").read_text(), re.MULTILINE)
        self.assertEqual(released[0], version)

    def test_tag_of_this_commit_is_the_version(self):
        git = subprocess.run(["git", "-C", str(SOURCE), "tag", "--points-at", "HEAD"],
                             capture_output=True, text=True, check=False) \
            if shutil.which("git") else None
        tags = re.findall(r"^v(\d.*)$", git.stdout, re.MULTILINE) if git else []
        for tag in tags:
            self.assertEqual(run("--version")[1].split()[1], tag)

    def test_usage_errors_end_with_2_and_say_what(self):
        cases = [
            (["replay"], 'no command "replay"; see `csreplay --help`'),
            (["info"], "info needs a SNAPSHOT; see `csreplay info --help`"),
            (["info", "a", "b"], 'one SNAPSHOT is enough: "a", "b"'),
            (["gdb", "a", "b", "c"], 'one ELF file is enough: "b", "c"'),
            (["info", "--", "a", "b"], 'one SNAPSHOT is enough: "a", "b"'),
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

    def test_help_is_the_table_of_options(self):
        table = re.findall(r'^X\(\w+, "([\w-]+)", (?:NULL|"([^"]*)"), "([^"]*)"\)',
                           (SOURCE / "cli" / "options.def").read_text(), re.MULTILINE)
        lines = [f"  {f'--{name} {value}'.strip():<24} {text}" for name, value, text in table]
        self.assertGreater(len(lines), 25)
        seen = set()
        for command in COMMANDS:
            head, options = run(command, "--help")[1].split("\n\noptions:\n")
            operands = {"compare": "A B", "gdb": r"SNAPSHOT \[ELF\] \[-- ARGUMENTS\]",
                        "lldb": r"SNAPSHOT \[ELF\] \[-- ARGUMENTS\]"}.get(command, "SNAPSHOT")
            self.assertRegex(head, rf"\Ausage: csreplay {command} \[OPTIONS\] {operands}\n\n[^\n]+\Z")
            options, *details = options.split("\n\n", 1)
            options = options.rstrip("\n").splitlines()
            self.assertEqual(options, [line for line in lines if line in options])
            self.assertEqual(len(options), len(set(options)))
            self.assertTrue(all(text.endswith("\n") for text in details))
            self.assertEqual(len(details), command != "check" or 1)
            seen |= set(options)
        self.assertEqual(seen, set(lines))

    def test_manual_has_a_page_for_each_command_with_its_options_and_no_others(self):
        pages = {path.stem: path.read_text() for path in (SOURCE / "docs" / "man").glob("*.1")}
        self.assertEqual(set(pages), {"csreplay"} | {f"csreplay-{name}" for name in COMMANDS})
        every = None
        for command in COMMANDS:
            out = run(command, "--help")[1]
            options = set(re.findall(r"^  --([a-z-]+)", out, re.MULTILINE))
            every = options if every is None else every & options
            page = pages[f"csreplay-{command}"]
            # What whatis(1) and apropos(1) find.
            self.assertIn(f".Sh NAME\n.Nm csreplay-{command}\n.Nd ", page)
            synopsis, described = page.split(".Sh DESCRIPTION\n")
            described = re.search(r"\.Sh OPTIONS\n(.*?)\n\.Sh ", described, re.DOTALL).group(1)
            items = re.findall(r"^\.It (Fl .*)", described, re.MULTILINE)
            for named in (synopsis, "\n".join(items)):
                self.assertEqual(set(re.findall(r"\bFl -([a-z-]+)", named)), options, command)
            self.assertIn(f".Xr csreplay-{command} 1 .\n", pages["csreplay"])
        self.assertEqual(set(re.findall(r"\bFl -([a-z-]+)", pages["csreplay"])),
                         every | {"version", "completion"})

    def test_help_of_a_command_needs_nothing_else(self):
        wanted = run("info", "--help")
        for arguments in (["-h"], ["--threads", "2", "-h"], ["a", "--help"], ["-h", "a"]):
            self.assertEqual(run("info", *arguments), wanted)
        self.assertEqual(run("info", "--", "-h")[0], 1)
        self.assertEqual(run("info", "--help=1")[1:],
                         ("", "csreplay: error: --help takes no value\n"))

    def test_values_stand_behind_or_after_an_equals_sign(self):
        wanted = run("info", "--format", "json", str(SENSORHUB))
        self.assertEqual(wanted[0], 0)
        for arguments in ([str(SENSORHUB), "--format", "json"], ["--format=json", str(SENSORHUB)],
                          ["--format", "json", "--", str(SENSORHUB)]):
            self.assertEqual(run("info", *arguments), wanted)
        for value in ("", "=json", "jso", "JSON"):
            self.assertEqual(run("info", f"--format={value}", "a"), (
                2, "", f'csreplay: error: info has no format "{value}"; it has text and json\n'))
        self.assertEqual(run("info", "--forma", "json", "a")[2],
                         "csreplay: error: info has no option --forma\n")

    def test_image_may_be_repeated_and_have_an_address(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(SENSORHUB, os.path.join(folder, "s"))
            for name in ("a@b.elf", "plain.elf", "@7", "x@1y"):
                shutil.copy(SENSORHUB / "sensorhub.elf", os.path.join(folder, name))
            for value, file, address in (
                    ("plain.elf@0x10000", "plain.elf", "0x10000"),
                    ("plain.elf@4096", "plain.elf", "0x1000"), ("plain.elf@0", "plain.elf", "0x0"),
                    ("plain.elf", "plain.elf", "0x400000"), ("a@b.elf", "a@b.elf", "0x400000"),
                    ("a@b.elf@0x2000", "a@b.elf", "0x2000"), ("@7", "@7", "0x400000"),
                    ("x@1y", "x@1y", "0x400000")):
                code, out, err = run("info", "--image", value, "s", folder=folder)
                self.assertEqual((code, err), (0, ""))
                row = next(line.split() for line in out.splitlines() if " --image " in line)
                self.assertEqual((row[1], os.path.basename(row[3])), (address, file))
            code, out, _ = run("info", "--image", "plain.elf@0x10000", "--image=a@b.elf@0x80000", "s",
                               folder=folder)
            self.assertEqual((code, re.findall(r"^  --image +(\w+)", out, re.MULTILINE)),
                             (0, ["0x10000", "0x80000"]))

    def test_errors_in_writing_are_told_once_by_everything_that_writes(self):
        sensorhub = str(SENSORHUB)
        calls = [[name, sensorhub] for name in ("info", "check", "decode", "history", "export", "calls")]
        calls += [[name, "--of", "x0", sensorhub] for name in (
            "origin", "last-write", "writes", "reads", "values-of", "why")]
        calls += [["compare", sensorhub, sensorhub], ["history", "--count", "5", sensorhub],
                  ["why", "--of", "x3", sensorhub], ["info", "--format", "json", sensorhub],
                  ["shell", "-c", "help", sensorhub], ["--version"], ["--help"], ["help"]]
        calls += [[name, "--help"] for name in COMMANDS]
        said = (3, "csreplay: error: cannot write the output: No space left on device\n")
        with open("/dev/full", "w", encoding="ascii") as full:
            for arguments in calls:
                done = subprocess.run([CSREPLAY, *arguments], stdout=full, text=True,
                                      stderr=subprocess.PIPE, timeout=60, check=False)
                told = [line for line in done.stderr.splitlines() if "cannot write" in line]
                self.assertEqual((done.returncode, told), (said[0], [said[1].rstrip("\n")]), arguments)
            done = subprocess.run([CSREPLAY, "state", "--batch", sensorhub], stdout=full, text=True,
                                  input="-1\tx0\n", stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), said)

    def test_closed_output_is_an_error_and_no_file_takes_its_place(self):
        said = "csreplay: error: cannot write the output: Bad file descriptor\n"
        for arguments in (["--version"], ["--help"], ["info", str(SENSORHUB)],
                          ["history", "--count", "5", str(SENSORHUB)]):
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", CSREPLAY, *arguments], text=True,
                                  stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr), (3, said), arguments)

    def test_operands_may_follow_a_double_dash(self):
        code, _, err = run("info", "--", "--no-such-folder")
        self.assertEqual(code, 1)
        self.assertIn("--no-such-folder", err)


if __name__ == "__main__":
    unittest.main(verbosity=2, argv=sys.argv[:1])
