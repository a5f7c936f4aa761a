# SPDX-License-Identifier: Apache-2.0
"""Source lines of an image without debug information: from the file that objcopy keeps them in, wherever gdb
would find it, and never from one of another build ID."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
import serving  # noqa: E402

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = pathlib.Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
TOOLS = "aarch64-linux-gnu-"
TEXT = 0x400100  # below the example's code: line N of what is assembled here is at TEXT + 4 * (N - 2)


class DebugFile(unittest.TestCase):
    def setUp(self):
        if not shutil.which(TOOLS + "gcc") or not shutil.which(TOOLS + "objcopy"):
            self.skipTest("no " + TOOLS + "gcc")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()

    def run_tool(self, tool, *arguments, text=None):
        subprocess.run([TOOLS + tool, *map(str, arguments)], input=text, text=True, check=True, capture_output=True)

    def program(self, build_id):
        """A program without debug information, and the file that has it."""
        whole, debug, bare = (self.folder / name for name in ("whole", "kept", "program"))
        (self.folder / "lines.s").write_text(".text\n" + "nop\n" * 2048)
        self.run_tool("gcc", "-nostdlib", "-static", "-g", f"-Wl,-Ttext={TEXT:#x}", "-Wl,-e,0",
                      f"-Wl,--build-id={build_id}", self.folder / "lines.s", "-o", whole)
        self.run_tool("objcopy", "--only-keep-debug", whole, debug)
        self.run_tool("objcopy", "--strip-debug", whole, bare)
        whole.unlink()
        return bare, debug

    def lines(self, image, *options):
        """(address, file, line) that `why` prints."""
        out = subprocess.run([CSREPLAY, "why", "--of", "x2", "--at", "1000", "--image", str(image), *map(str, options),
                              str(EXAMPLE)],
                             capture_output=True, text=True, check=True, timeout=60).stdout
        return [(int(a, 16), f, int(n)) for a, f, n in re.findall(r"0x(4\w+)\b.*?(\w+\.[cs]):(\d+)", out)]

    def check_found(self, image, *options):
        found = self.lines(image, *options)
        self.assertTrue(found)
        for address, file, line in found:
            self.assertEqual((file, line), ("lines.s", (address - TEXT) // 4 + 2))

    def check_not_found(self, image):
        self.assertEqual({file for _, file, _ in self.lines(image)}, {"sensorhub.c"})

    def test_debug_file_is_found_by_build_id(self):
        bare, debug = self.program("0xa1b2c3d4e5f60718")
        self.check_not_found(bare)
        for place in ("program.debug", ".build-id/a1/b2c3d4e5f60718.debug"):
            path = self.folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(debug, path)
            self.check_found(bare)
            path.unlink()
            self.check_not_found(bare)

    def test_debug_file_is_found_by_its_link(self):
        bare, debug = self.program("0xa1b2c3d4e5f60718")
        linked = self.folder / "linked.dbg"
        debug.rename(linked)
        self.run_tool("objcopy", f"--add-gnu-debuglink={linked}", bare)
        self.check_found(bare)
        (self.folder / ".debug").mkdir()
        linked.rename(self.folder / ".debug" / "linked.dbg")
        self.check_found(bare)

    def test_debug_file_is_found_in_the_users_folder(self):
        bare, debug = self.program("0xa1b2c3d4e5f60718")
        users = self.folder / "users"
        for place in (".build-id/a1/b2c3d4e5f60718.debug", str(self.folder)[1:] + "/linked.dbg"):
            path = users / place
            path.parent.mkdir(parents=True)
            debug.rename(path)
            self.check_not_found(bare)
            if path.name == "linked.dbg":
                self.run_tool("objcopy", f"--add-gnu-debuglink={path}", bare)
            self.check_found(bare, "--debug-dir", users)
            path.rename(debug)

    def test_link_out_of_the_images_folder_is_not_followed(self):
        bare, debug = self.program("0xa1b2c3d4e5f60718")
        inside = self.folder / "snapshot"
        inside.mkdir()
        bare = bare.rename(inside / "program")
        (inside / "program.debug").symlink_to(debug)
        self.check_not_found(bare)
        debug = debug.rename(inside / "other")
        (inside / "program.debug").unlink()
        (inside / "program.debug").symlink_to(debug)
        self.check_found(bare)

    def test_debug_file_of_another_build_is_not_used(self):
        _, other = self.program("0xa1b2c3d4e5f60719")
        other.rename(self.folder / "program.debug")
        bare, _ = self.program("0xa1b2c3d4e5f60718")
        self.check_not_found(bare)
        bare, debug = self.program("none")
        debug.rename(self.folder / "program.debug")
        self.check_not_found(bare)


if __name__ == "__main__":
    serving.main()
