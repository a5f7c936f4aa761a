#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cmake --install`: what is installed, where, and that the program works from there with what was installed beside it."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

CSREPLAY = Path(os.environ["CSREPLAY"])
SOURCE = Path(os.environ["CSREPLAY_SOURCE"])
BUILD = CSREPLAY.parents[1]


def text_of(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True, timeout=120,
                          stdin=subprocess.DEVNULL, **more).stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        text_of("cmake", "--install", BUILD, "--prefix", "/usr", env={**os.environ, "DESTDIR": cls.scratch.name})
        cls.usr = Path(cls.scratch.name) / "usr"
        cls.doc = cls.usr / "share" / "doc" / "csreplay"
        cls.csreplay = cls.usr / "bin" / "csreplay"

    def installed(self, folder):
        return {str(path.relative_to(self.usr / folder)) for path in (self.usr / folder).rglob("*") if path.is_file()}

    def test_nothing_else_is_installed(self):
        self.assertEqual(self.installed("bin"), {"csreplay"})
        self.assertEqual(self.installed("share/csreplay"), {"gdbinit", "lldbinit", "csreplay_lldb.py",
                                                            *(f"csreplay_gdb/{path.name}" for path in
                                                              (SOURCE / "csreplay_gdb").glob("*.py"))})
        self.assertEqual(self.installed("share/man"), {f"man1/{page.name}" for page in (SOURCE / "docs/man").glob("*.1")})
        self.assertEqual({path.name for path in self.usr.iterdir()}, {"bin", "share"})
        self.assertEqual({path.name for path in (self.usr / "share").iterdir()},
                         {"csreplay", "man", "doc", "bash-completion", "zsh", "fish"})
        self.assertEqual(os.listdir(self.scratch.name), ["usr"])

    def test_scripts_of_shells_are_this_programs(self):
        for shell, name in (("bash", "bash-completion/completions/csreplay"), ("zsh", "zsh/site-functions/_csreplay"),
                            ("fish", "fish/vendor_completions.d/csreplay.fish")):
            self.assertEqual((self.usr / "share" / name).read_text(), text_of(self.csreplay, "--completion", shell))

    def test_documents_and_example_are_the_projects(self):
        for name in ("README.md", "LICENSE", "CHANGELOG.md", "docs/values.md", "docs/schema/info.schema.json",
                     "docs/protocols/etm4.md", *(f"examples/sensorhub/{path.name}"
                                                 for path in (SOURCE / "examples/sensorhub").iterdir())):
            self.assertEqual((self.doc / name).read_bytes(), (SOURCE / name).read_bytes(), name)

    def test_pages_that_the_readme_names_are_there(self):
        pages = re.findall(r"`(docs/[\w/.]+\.md)`", (self.doc / "README.md").read_text())
        self.assertGreater(len(pages), 0)
        for page in pages:
            self.assertTrue((self.doc / page).is_file(), page)

    def test_debuggers_get_the_scripts_that_were_installed(self):
        example = self.doc / "examples" / "sensorhub"
        for debugger, option in (("gdb", "-x"), ("lldb", "-S")):
            last = text_of(self.csreplay, debugger, "--print", example).splitlines()[-1]
            words = shlex.split(last)
            script = Path(words[words.index(option) + 1]).resolve()
            self.assertEqual(script, (self.usr / "share" / "csreplay" / f"{debugger}init").resolve())

    def test_a_session_runs_from_there(self):
        self.assertTrue(shutil.which("gdb-multiarch") or shutil.which("gdb"))
        out = text_of(self.csreplay, "gdb", self.doc / "examples" / "sensorhub", "--", "-nx", "-batch", "-ex", "help csreplay",
                      "-ex", "where-am-i", "-ex", "reverse-stepi", "-ex", "p $trace_pos")
        self.assertIn("Commands for a replayed crash (csreplay).", out)
        self.assertIn("position 40000", out)
        self.assertIn("$1 = 39999", out)

    def has_python_part(self, *arguments, **more):
        """gdb has loaded csreplay_gdb by itself; else what it said."""
        gdb = shutil.which("gdb-multiarch") or shutil.which("gdb")
        done = subprocess.run([gdb, "-nx", "-batch", *map(str, arguments), "-ex", "python print('LOADED', 'csreplay_gdb' in __import__('sys').modules)"],
                              capture_output=True, text=True, check=False, timeout=60, stdin=subprocess.DEVNULL, **more)
        return "LOADED True" in done.stdout or done.stderr

    def test_gdbinit_finds_what_is_beside_it(self):
        data = self.usr / "share" / "csreplay"
        folder = Path(self.scratch.name).parent / f"{os.path.basename(self.scratch.name)} with blanks"
        shutil.copytree(data, folder)
        self.addCleanup(shutil.rmtree, folder)
        (folder / "elsewhere").mkdir()
        (folder / "elsewhere" / "link").symlink_to(data / "gdbinit")
        (folder / "elsewhere" / "mine").write_text(f"echo mine\\n\nsource {folder}/gdbinit\n")
        for where, words in ((self.usr, ["-x", "share/csreplay/gdbinit"]), ("/", ["-x", data / "gdbinit"]),
                             (folder, ["-x", "gdbinit"]), (folder / "elsewhere", ["-x", "../gdbinit"]),
                             ("/", ["-x", folder / "elsewhere" / "link"]), ("/", ["-x", folder / "elsewhere" / "mine"]),
                             ("/", ["-iex", f"source {data}/gdbinit"]), (SOURCE, ["-x", "gdbinit"])):
            self.assertIs(self.has_python_part(*words, cwd=where), True, words)

    def test_gdbinit_alone_says_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(SOURCE / "gdbinit", folder)
            said = self.has_python_part("-x", Path(folder) / "gdbinit", "-ex", "help seek")
        if not any(os.path.exists(f"{prefix}/share/csreplay/csreplay_gdb") for prefix in ("/usr", "/usr/local")):
            self.assertIn("warning: csreplay_gdb is not beside gdbinit", said)


if __name__ == "__main__":
    unittest.main()
