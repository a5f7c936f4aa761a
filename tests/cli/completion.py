#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay --completion SHELL`: what each shell then offers is what the commands take. bash and fish are asked themselves;
of zsh, whose completion needs a terminal, the script is read by it and compared as text."""
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
SENSORHUB = Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
ASK_BASH = r"""source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _csreplay; printf '%s\n' "${COMPREPLY[@]}" """


def missing(program):
    """Says for tests/report.py what was skipped."""
    print(f"\nSKIPPED: {program} is not there", flush=True)
    return program


def run(*arguments):
    done = subprocess.run([CSREPLAY, *arguments], capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


@functools.cache
def script(shell):
    code, out, err = run("--completion", shell)
    assert (code, err) == (0, ""), (code, err)
    return out


@functools.cache
def table():
    """Each command's options, by what it says of them."""
    commands = re.findall(r"^  ([\w-]+) ", run("--help")[1], re.MULTILINE)
    return {name: re.findall(r"^  (--[\w-]+)", run(name, "--help")[1], re.MULTILINE) for name in commands}


def bash(*words, folder=None):
    """What bash offers for the last word."""
    split = [part for word in words for part in re.split("(=)", word)] if "=" in words[-1] else list(words)
    done = subprocess.run(["bash", "--norc", "-c", ASK_BASH, "csreplay", "csreplay", *split],
                          input=script("bash"), capture_output=True, text=True, timeout=60, check=True, cwd=folder)
    return done.stdout.split()


class Bash(unittest.TestCase):
    def test_first_word_is_a_command(self):
        self.assertEqual(bash(""), [*table(), "help", "--help", "--version"])
        self.assertEqual(bash("va"), ["values-of"])
        self.assertEqual(bash("help", "last"), ["last-write"])
        self.assertEqual(bash("--version", ""), ["-v"])

    def test_options_are_the_commands_own(self):
        commands = table()
        self.assertGreater(len(commands), 17)
        for name, options in commands.items():
            self.assertEqual(bash(name, "--"), options, name)
        self.assertEqual(bash("gdb", "x", "--pr"), ["--print"])

    def test_words_are_those_that_the_program_takes(self):
        asked = 0
        for name, options in table().items():
            for option, more in (("--format", []), ("--trust", []), ("--contextidr", []),
                                 ("--dialect", ["--format", "tarmac"])):
                if option not in options:
                    continue
                words = bash(name, option, "")
                self.assertGreater(len(words), 0, (name, option))
                operands = [str(SENSORHUB)] * (2 if name == "compare" else 1)
                of = ["--of", "x0"] if "--of" in options else []
                if option == "--format":
                    said = run(name, *of, option, "nonsense", *operands)
                    self.assertEqual(said[0], 2, (name, said))
                    self.assertEqual(set(re.findall(r"\b(?:text|json|tsv|tarmac|folded)\b", said[2])), set(words), said)
                if name in ("serve", "gdb", "lldb", "shell", "state"):
                    continue  # they do not end, or read on
                for word in words:
                    self.assertNotEqual(run(name, *of, *more, option, word, *operands)[0], 2, (name, option, word))
                    asked += 1
        self.assertGreater(asked, 40)

    def test_value_stands_behind_or_after_an_equals_sign(self):
        self.assertEqual(bash("info", "--format", "j"), ["json"])
        self.assertEqual(bash("info", "--format=j"), ["json"])
        self.assertEqual(bash("info", "--format="), ["text", "json"])
        self.assertEqual(bash("calls", "--trust", "a"), ["assumed"])

    def test_list_goes_on_after_a_comma(self):
        self.assertIn("timestamps", bash("compare", "--ignore", ""))
        self.assertEqual(bash("compare", "--ignore", "isa,mem"), ["isa,memory"])

    def test_files_are_left_to_the_shell_and_folders_are_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "one").mkdir()
            (Path(folder) / "other").write_text("")
            self.assertEqual(bash("info", "--debug-dir", "o", folder=folder), ["one"])
            for words in (("info", "--image", "o"), ("info", "o"), ("gdb", "o", "--", "--")):
                self.assertEqual(bash(*words, folder=folder), [])

    def test_shellcheck_finds_nothing(self):
        if not shutil.which("shellcheck"):
            self.skipTest(missing("shellcheck"))
        with tempfile.NamedTemporaryFile("w", suffix=".bash") as file:
            file.write(script("bash"))
            file.flush()
            self.assertEqual(subprocess.run(["shellcheck", file.name], check=False).returncode, 0)


class Others(unittest.TestCase):
    def ask(self, shell, *arguments, **more):
        if not shutil.which(shell):
            self.skipTest(missing(shell))
        done = subprocess.run([shell, *arguments], capture_output=True, text=True, timeout=60, check=False, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_zsh_reads_it(self):
        self.ask("zsh", "-f", "-n", "/dev/stdin", input=script("zsh"))

    def test_zsh_has_the_tables(self):
        parts = re.split(r"^\t([\w-]+)\)\n\t\t_arguments", script("zsh"), flags=re.MULTILINE)
        found = {name: re.findall(r"^\t\t\t'\*?(--[\w-]+)[=\[]", text, re.MULTILINE)
                 for name, text in zip(parts[1::2], parts[2::2])}
        self.assertEqual(found, table())

    def test_fish_offers_commands_options_and_words(self):
        def fish(line):
            with tempfile.TemporaryDirectory() as home:
                out = self.ask("fish", "--no-config", "-c", f"source; complete -C '{line}'",
                               input=script("fish"), env={**os.environ, "HOME": home}, cwd=home)
            return [row.split("\t")[0] for row in out.splitlines()]
        commands = table()
        self.assertEqual(set(fish("csreplay ")), {*commands, "help"})
        for name in ("info", "gdb", "compare"):
            self.assertEqual(set(fish(f"csreplay {name} --")), set(commands[name]))
        self.assertEqual(set(fish("csreplay calls --format ")), {"text", "tsv", "json", "folded"})

    def test_another_shell_is_a_usage_error(self):
        for arguments in (["tcsh"], []):
            self.assertEqual(run("--completion", *arguments), (
                2, "", f"csreplay: error: --completion takes bash, zsh or fish: \"{''.join(arguments)}\"\n"))


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)
