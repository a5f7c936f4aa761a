# SPDX-License-Identifier: Apache-2.0
"""Which files are opened for a snapshot whose program names others: an alternate debug file that is a FIFO, split
units, a debug link, a core file's mapped files. None but those of the snapshot's folder, and what the system's loader
opens before the program begins."""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
import serving  # noqa: E402

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = pathlib.Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"
TOOLS = "aarch64-linux-gnu-"
BUILD_ID = "a1b2c3d4e5f60718"

# Libraries, characters of the locale, how many processors there are.
SYSTEM = re.compile(r"/etc/(ld\.so|localtime$)|(/usr)?/lib(32|64)?/|/usr/share/locale|/sys/devices/system/|/proc/(self|sys)/|/dev/null$|.*\.gcda$")


class Opened(unittest.TestCase):
    def setUp(self):
        for tool in ("strace", TOOLS + "gcc", TOOLS + "objcopy"):
            if not shutil.which(tool):
                self.skipTest("no " + tool)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.fifo = self.folder / "fifo"
        os.mkfifo(self.fifo)
        self.snapshot = self.folder / "snapshot"
        shutil.copytree(EXAMPLE, self.snapshot)
        self.log = self.folder / "opened"

    def run_tool(self, tool, *arguments):
        subprocess.run([TOOLS + tool, *map(str, arguments)], cwd=self.folder, check=True, capture_output=True)

    def hostile(self, name, *options):
        """A program that covers the example's code, in the snapshot."""
        program = self.snapshot / name
        (self.folder / "lines.s").write_text(".text\n" + "nop\n" * 2048)
        (self.folder / "lines.c").write_text('__asm__(".rept 512\\nnop\\n.endr");\nvoid begin(void);\nvoid begin(void)\n{\n' +
                                             '\t__asm__ volatile("nop");\n' * 512 + "}\n")
        self.run_tool("gcc", "-nostdlib", "-static", "-gdwarf-5", "-fno-asynchronous-unwind-tables", "-Wl,-Ttext=0x400100", "-Wl,-e,0",
                      f"-Wl,--build-id=0x{BUILD_ID}", *options, "-o", program)
        return program

    def alternate(self):
        """One whose unit has its folder's name in another file, the FIFO."""
        program = self.hostile("alternate", "lines.s")
        (self.folder / "link").write_bytes(str(self.fifo).encode() + b"\0" + bytes(range(20)))
        self.run_tool("objcopy", "--add-section", ".gnu_debugaltlink=link", program)
        self.patch(program, ".debug_abbrev", rb"\x1b[\x0e\x1f]", b"\x1b\x1d")  # DW_AT_comp_dir: DW_FORM_strp_sup
        return program

    def split(self):
        """One whose unit is in another file, the FIFO."""
        program = self.hostile("split", "-gsplit-dwarf", "-Wl,--build-id=none", "lines.c")
        for path in self.folder.glob("*.dwo"):
            path.unlink()
            os.mkfifo(path)
        return program

    def linked(self):
        """One without lines, whose debug files are FIFOs, and links out of the snapshot."""
        program = self.hostile("linked", "lines.s")
        self.run_tool("objcopy", "--strip-debug", program)
        (self.folder / "linked.dbg").write_bytes(b"x")
        self.run_tool("objcopy", "--add-gnu-debuglink=linked.dbg", program)
        for name in ("linked.debug", f".build-id/{BUILD_ID[:2]}/{BUILD_ID[2:]}.debug"):
            path = self.snapshot / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(self.fifo)
        os.mkfifo(self.snapshot / "linked.dbg")
        return program

    def patch(self, program, section, what, new):
        text = subprocess.run([TOOLS + "readelf", "-SW", program], check=True, capture_output=True, text=True).stdout
        at, size = (int(n, 16) for n in re.search(re.escape(section) + r" +PROGBITS +\w+ (\w+) (\w+)", text).groups())
        data = program.read_bytes()
        patched, count = re.subn(what, new, data[at:at + size])
        self.assertEqual((count, len(patched)), (1, size))
        program.write_bytes(data[:at] + patched + data[at + size:])

    def traced(self, *arguments):
        return ["strace", "-f", "-o", str(self.log), "-e", "trace=open,openat,openat2", CSREPLAY, *map(str, arguments)]

    def check_opened(self, program):
        # O_PATH names a folder for a rule of the sandbox, and opens nothing.
        opened = re.findall(r'open(?:at2?)?\((?:[^,"]*, )?"([^"]*)"(?!, [A-Z_|]*O_PATH)', self.log.read_text())
        outside = {path for path in opened if not SYSTEM.match(path) and not path.startswith(str(self.snapshot) + "/")}
        self.assertEqual(outside, set())
        self.assertIn(str(program), opened)

    def programs(self):
        return self.alternate(), self.split(), self.linked()

    def test_commands_open_files_of_the_snapshot_alone(self):
        for program in self.programs():
            for command in (["why", "--of", "x2", "--at", "1000"], ["history", "--count", "5"], ["info"],
                            ["check"], ["origin", "--of", "x2", "--at", "1000"]):
                with self.subTest(program=program.name, command=command[0]):
                    done = subprocess.run(self.traced(*command, "--image", program, self.snapshot), check=False,
                                          capture_output=True, text=True, timeout=30)
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                    self.check_opened(program)

    def test_server_opens_files_of_the_snapshot_alone(self):
        for program in self.programs():
            with self.subTest(program=program.name):
                address = self.folder / "socket"
                with subprocess.Popen(self.traced("serve", "--once", "--listen", f"unix:{address}", "--image", program,
                                                  self.snapshot), stderr=subprocess.PIPE, text=True) as server:
                    for line in server.stderr:
                        if line.startswith("listening on "):
                            break
                    reply = self.ask(address, "monitor --reread seek 1000", "monitor why x2")
                    self.assertEqual(server.wait(timeout=30), 0)
                self.assertIn("0x3c6ef35f", reply)
                self.check_opened(program)

    def ask(self, address, *commands):
        """The output of the last of the monitor commands."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(20)
            client.connect(str(address))
            for command in commands:
                body = "qRcmd," + command.removeprefix("monitor ").encode().hex()
                client.sendall(f"${body}#{sum(body.encode()) & 255:02x}".encode())
                got = b""
                while not re.search(rb"\$(OK|E[^#]*)#..$", got):
                    piece = client.recv(65536)
                    self.assertTrue(piece, got)
                    got += piece
                    client.sendall(b"+")
        return "".join(bytes.fromhex(part.decode()).decode() for part in re.findall(rb"\$O([0-9a-f]+)#", got))


if __name__ == "__main__":
    serving.main()
