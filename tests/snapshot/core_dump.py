# SPDX-License-Identifier: Apache-2.0
"""ELF core files: made here (support/elf_core.py), damaged, and one that qemu-user makes of the example, with the
example's trace."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
import serving  # noqa: E402
from elf_core import SIGSEGV, core_file, note, prstatus_32, prstatus_64  # noqa: E402

CSREPLAY = os.environ["CSREPLAY"]
EXAMPLE = pathlib.Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub"

REGISTERS_64 = [0x1000 + i for i in range(31)] + [0x7ff000, 0x400404, 0x60000000]
REGISTERS_32 = [0x1000 + i for i in range(13)] + [0x7ff000, 0x8000, 0x400404, 0x60000010, 0]
CODE = struct.pack("<II", 0xd503201f, 0xb9400040)  # nop; ldr w0, [x2]


class CoreFile(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_on(self, data, command="info", *options, questions=None):
        path = self.folder / "core.1"
        path.write_bytes(data)
        return subprocess.run([CSREPLAY, command, *options, str(path)], capture_output=True,
                              text=True, timeout=60, input=questions, check=False)

    def values(self, data, names, core):
        done = self.run_on(data, "state", "--batch=", "--core", core,
                           questions="".join(f"-1\t{name}\n" for name in names))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split("\t")[2].lstrip("0") for line in done.stdout.splitlines()]

    def test_arm64_threads_have_their_registers_and_one_memory(self):
        fp = struct.pack("<64Q", *range(64)) + struct.pack("<IIII", 0x10, 0x20, 0, 0)
        siginfo = struct.pack("<iiiiQ", SIGSEGV, 0, 1, 0, 0x1002) + bytes(104)
        second = [0x2000 + i for i in range(31)] + [0x7fe000, 0x400400, 0]
        notes = (prstatus_64(41, REGISTERS_64) + note(b"CORE", 3, bytes(136)) +
                 note(b"CORE", 0x53494749, siginfo) + note(b"CORE", 2, fp) +
                 prstatus_64(42, second))
        data = core_file(notes, [(0x400400, CODE, 5, 8), (0x7ff000, b"12345678", 6, 0x1000)])
        self.assertEqual(
            self.values(data, ["X0", "x30", "SP", "PC", "cpsr", "v1", "FPSR", "FPCR",
                               "m7ff000", "m7ff008"], "thread_41"),
            ["1000", "101e", "7ff000", "400404", "60000000", "30000000000000002", "10", "20",
             "3837363534333231", "-"])
        self.assertEqual(self.values(data, ["X0", "PC", "v1", "m7ff000"], "thread_42"),
                         ["2000", "400400", "-", "3837363534333231"])
        info = json.loads(self.run_on(data, "info", "--format", "json").stdout)
        self.assertEqual([core["name"] for core in info["cores"]], ["thread_41", "thread_42"])
        self.assertEqual(info["cores"][0]["crash"]["text"],
                         "SIGSEGV at 0x400404: read of 0x1002; register x2")
        # The kernel writes the signal into the note of each thread; the first got it.
        self.assertIsNone(info["cores"][1].get("crash"))

    def test_address_is_of_signals_of_an_access_alone(self):
        for signal, code, said in ((SIGSEGV, 1, "SIGSEGV at 0x400404: read of 0x1002; register x2"),
                                   (SIGSEGV, 0x80, "SIGSEGV at 0x400404"),  # SI_KERNEL
                                   (SIGSEGV, 8, "SIGSEGV at 0x400404"),     # SEGV_MTEAERR
                                   (SIGSEGV, 0, "SIGSEGV at 0x400404"),     # SI_USER
                                   (4, 1, "SIGILL at 0x400404")):
            siginfo = struct.pack("<iiiiQ", signal, 0, code, 0, 0x1002) + bytes(104)
            data = core_file(prstatus_64(41, REGISTERS_64, signal) +
                             note(b"CORE", 0x53494749, siginfo), [(0x400400, CODE, 5, 8)])
            info = json.loads(self.run_on(data, "info", "--format", "json").stdout)
            self.assertEqual(info["cores"][0]["crash"]["text"], said)

    def test_arm_has_vfp(self):
        vfp = struct.pack("<32Q", *range(32)) + struct.pack("<I", 0x77)
        notes = prstatus_32(7, REGISTERS_32) + note(b"LINUX", 0x400, vfp)
        data = core_file(notes, [(0x400400, CODE, 5, 8)], is_64bit=False)
        self.assertEqual(self.values(data, ["R0", "r12", "SP", "LR", "PC", "CPSR", "D31", "FPSCR"],
                                     "thread_7"),
                         ["1000", "100c", "7ff000", "8000", "400404", "60000010", "1f", "77"])

    def test_notes_after_a_thread_that_is_left_out_are_no_others(self):
        fp = struct.pack("<64Q", *range(64)) + bytes(16)
        data = core_file(prstatus_64(41, REGISTERS_64) + note(b"CORE", 1, bytes(380)) +
                         note(b"CORE", 2, fp), [(0x400400, CODE, 5, 8)])
        self.assertEqual(self.values(data, ["X1", "V1"], "thread_41"), ["1001", "-"])

    def test_unknown_is_what_a_cut_file_lacks(self):
        notes = prstatus_64(41, REGISTERS_64)
        data = core_file(notes, [(0x400400, CODE, 5, 8), (0x7ff000, b"1" * 16, 6, 0x1000)])
        done = self.run_on(data[:-8], "state", "--batch=", questions="-1\tm7ff000\n-1\tm7ff008\n")
        self.assertEqual(done.stdout, "-1\tm7ff000\t" + "31" * 8 + "\n-1\tm7ff008\t-\n")
        self.assertIn("the core file is cut", done.stderr)

    def test_what_cannot_be_used_is_said(self):
        good = core_file(prstatus_64(41, REGISTERS_64), [(0x400400, CODE, 5, 8)])
        for data, said in (
                (core_file(note(b"CORE", 3, bytes(136)), [(0x400400, CODE, 5, 8)]),
                 "has no NT_PRSTATUS of a thread"),
                (core_file(note(b"CORE", 1, bytes(380)), [(0x400400, CODE, 5, 8)]),
                 "its NT_PRSTATUS has 380 bytes, expected at least 384"),
                (good[:5] + b"\2" + good[6:], ""),
                (good[:16] + b"\2" + good[17:], "is an ELF file, but no core file"),
                (good[:18] + b"\x3e" + good[19:], "is for machine 62"),
                (good[:40], "not a sound ELF file")):
            done = self.run_on(data)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(said, done.stderr)
            self.assertIn("error", done.stderr)

    def test_every_cut_and_flip_is_survived(self):
        data = core_file(prstatus_64(41, REGISTERS_64) + note(b"CORE", 0x46494c45, struct.pack(
            "<QQQQQ", 1, 4096, 0x400000, 0x401000, 0) + b"/bin/x\0"), [(0x400400, CODE, 5, 8)])
        for size in range(0, len(data), 37):
            self.assertIn(self.run_on(data[:size]).returncode, (0, 1))

    def library(self, name, extra=()):
        """A shared library of a function, as a cross compiler makes it."""
        compiler = shutil.which("aarch64-linux-gnu-gcc")
        if not compiler:
            self.skipTest("no aarch64-linux-gnu-gcc")
        path = self.folder / name
        subprocess.run([compiler, "-shared", "-nostdlib", "-g", "-O1", "-Wl,--build-id",
                        "-Wl,-z,separate-code", "-Wl,-z,max-page-size=4096", *extra, "-xc",
                        "-", "-o", str(path)], input="int twice(int a)\n{\n\treturn a * VALUE;\n}\n",
                       text=True, check=True)
        return path

    def mapped(self, path, named, base=0x7f00000000, page=True, program=None):
        """A core file as Linux writes it for a process that has the library there: its first page and what
        can be written, of the rest NT_FILE."""
        data = (program or path).read_bytes()
        count, = struct.unpack_from("<H", data, 56)
        rows, segments = [], []
        for i in range(count):
            kind, flags, offset, address, _, size, memory = struct.unpack_from("<IIQQQQQ", data, 64 + 56 * i)
            if kind != 1:
                continue
            start, end = address & ~0xfff, (address + size + 0xfff) & ~0xfff
            rows.append((base + start, base + end, offset >> 12))
            if flags & 2:
                segments.append((base + start, data[offset & ~0xfff:offset + size], 6, end - start))
            elif not segments and page:
                segments.append((base + start, data[:4096], 5, end - start))
        files = struct.pack("<QQ", len(rows), 4096)
        for row in rows:
            files += struct.pack("<QQQ", *row)
        files += (str(named).encode() + b"\0") * len(rows)
        registers = REGISTERS_64[:32] + [base + self.symbol(path), 0]
        return core_file(prstatus_64(41, registers) + note(b"CORE", 0x46494c45, files), segments)

    def symbol(self, path):
        out = subprocess.run(["aarch64-linux-gnu-nm", str(path)], capture_output=True, text=True, check=True)
        return int([line.split()[0] for line in out.stdout.splitlines() if line.endswith(" twice")][0], 16)

    def build_id(self, path):
        out = subprocess.run(["aarch64-linux-gnu-readelf", "-n", str(path)], capture_output=True, text=True,
                             check=True).stdout
        return out.split("Build ID: ")[1].split()[0] if "Build ID: " in out else None

    def code_of(self, path):
        data = path.read_bytes()
        at = self.symbol(path)
        for i in range(struct.unpack_from("<H", data, 56)[0]):
            kind, _, offset, address, _, size, _ = struct.unpack_from("<IIQQQQQ", data, 64 + 56 * i)
            if kind == 1 and address <= at < address + size:
                return data[offset + at - address:][:8][::-1].hex().lstrip("0")
        return None

    def test_mapped_files_are_images_where_they_lay(self):
        library = self.library("libtwice.so", ["-DVALUE=2"])
        at = f"m{0x7f00000000 + self.symbol(library):x}"
        root = self.folder / "root"
        (root / "usr").mkdir(parents=True)
        for named, place, options in (
                (library, library, []), ("/nowhere/libtwice.so (deleted)", library, []),
                ("/usr/libtwice.so", root / "usr" / "libtwice.so", ["--sysroot", str(root)])):
            data = self.mapped(library, named)
            if place != library:
                library.rename(place)
            done = self.run_on(data, "info", "--format", "json", *options)
            info = json.loads(done.stdout)
            self.assertEqual(done.stderr, "")
            self.assertEqual(info["images"], [{
                "file": str(place), "from": "core file", "address": "0x7f00000000",
                "entry": "0x7f00000000", "segments": info["images"][0]["segments"]}])
            self.assertEqual(info["modules"], [{
                "file": str(named).replace(" (deleted)", ""), "address": "0x7f00000000",
                "build_id": self.build_id(place), "image": str(place)}])
            done = self.run_on(data, "state", "--batch=", *options, questions=f"-1\t{at}\n")
            self.assertEqual(done.stdout.split()[2].lstrip("0"), self.code_of(place))
        self.assertIn("mapped files", self.run_on(data, "info").stdout)

    def test_mapped_file_of_another_version_is_not_used(self):
        old = self.library("old.so", ["-DVALUE=2"])
        new = self.library("new.so", ["-DVALUE=3"])
        bare = self.library("bare.so", ["-DVALUE=2", "-Wl,--build-id=none"])
        other = self.library("other.so", ["-DVALUE=2", "-Wl,--build-id=none", "-Wl,-soname,longer.so"])
        at = f"m{0x7f00000000 + self.symbol(old):x}"
        for data, said in (
                (self.mapped(old, new), f'(build ID {self.build_id(old)}): "{new}" has {self.build_id(new)}'),
                (self.mapped(old, bare), f'(build ID {self.build_id(old)}): "{bare}" has no build ID'),
                (self.mapped(bare, other), f'"{other}" has another first page'),
                (self.mapped(old, old, page=False), f'"{old}" cannot be compared'),
                (self.mapped(old, "/nowhere/x.so"),
                 f'"/nowhere/x.so" (build ID {self.build_id(old)}) is neither under --sysroot nor beside the core file'),
                # The same file, but mapped as no loader maps it.
                (self.mapped(old, old).replace(struct.pack("<QQQ", 0x7f00001000, 0x7f00002000, 1),
                                               struct.pack("<QQQ", 0x7f00001000, 0x7f00002000, 2)),
                 "has segments that were not mapped so")):
            done = self.run_on(data, "state", "--batch=", questions=f"-1\t{at}\n")
            self.assertEqual(done.stdout, f"-1\t{at}\t-\n")
            self.assertIn(said, done.stderr)
            self.assertIn("warning", done.stderr)
        done = self.run_on(self.mapped(bare, bare), "info", "--format", "json")
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads(done.stdout)["images"][0]["file"], str(bare))

    def test_file_that_lies_elsewhere_is_not_opened(self):
        library = self.library("libtwice.so", ["-DVALUE=2"])
        elsewhere = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        root = self.folder / "root"
        root.mkdir()
        library = library.rename(elsewhere / "libtwice.so")
        link = self.folder / "libtwice.so"
        for named, options in ((library, []), (library, ["--sysroot", str(root)]),
                               (f"/../../{elsewhere.name}/libtwice.so", ["--sysroot", str(root)])):
            for linked in (False, True):
                if linked:  # beside the core file
                    link.symlink_to(library)
                done = self.run_on(self.mapped(library, named), "info", "--format", "json", *options)
                link.unlink(missing_ok=True)
                self.assertEqual(json.loads(done.stdout)["images"], [])
                self.assertIn("--sysroot / takes what this machine has there", done.stderr)
        done = self.run_on(self.mapped(library, library), "info", "--format", "json", "--sysroot", "/")
        self.assertEqual(json.loads(done.stdout)["images"][0]["file"], str(library))

    def test_given_image_lies_where_the_core_file_says(self):
        library = self.library("libtwice.so", ["-DVALUE=2"])
        data = self.mapped(library, "/nowhere/x.so")
        done = self.run_on(data, "info", "--format", "json", "--image", str(library))
        image, = json.loads(done.stdout)["images"]
        self.assertEqual((done.stderr, image["from"], image["address"]), ("", "--image", "0x7f00000000"))

    def package(self):
        """The example without registers and memory."""
        folder = self.folder / "package"
        folder.mkdir()
        for name in ("device_1.ini", "snapshot.ini", "trace.ini", "trace.bin"):
            shutil.copy(EXAMPLE / name, folder)
        (folder / "cpu_0.ini").write_text("[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n")
        return folder

    def test_thread_is_the_one_that_is_named(self):
        second = [0x2000 + i for i in range(31)] + [0x7fe000, 0x400404, 0]
        core = self.folder / "core.1"
        core.write_bytes(core_file(prstatus_64(41, REGISTERS_64) + prstatus_64(42, second),
                                   [(0x401000, b"12345678", 6, 8)]))
        folder = str(self.package())
        for option, value in ((f"{core}", "1000"), (f"{core}@42", "2000"), (f"{core}@41", "1000")):
            done = subprocess.run([CSREPLAY, "state", "--batch=", "--core-dump", option, folder],
                                  input="-1\tX0\n", capture_output=True, text=True, timeout=60,
                                  check=True)
            self.assertEqual(done.stdout, f"-1\tX0\t{value:0>16}\n")
        done = subprocess.run([CSREPLAY, "info", "--core-dump", f"{core}@43", folder], check=False,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the core file has no thread 43", done.stderr)

    def test_core_dump_that_cannot_be_used_ends_the_command(self):
        core = self.folder / "core.1"
        core.write_bytes(core_file(prstatus_64(41, REGISTERS_64), [(0x401000, b"1" * 8, 6, 8)]))
        folder = self.package()
        old = self.folder / "old"
        shutil.copytree(folder, old)
        (old / "cpu_0.ini").write_text("[device]\nname=cpu_0\nclass=core\ntype=Cortex-M4\n")
        for option, snapshot, code, said in (
                (self.folder / "none", folder, 2, "cannot open"),
                (core, core, 2, "is an ELF file itself"),
                (EXAMPLE / "sensorhub.elf", folder, 1, "is an ELF file, but no core file"),
                (core, old, 1, 'core "cpu_0" is M profile, the threads of the core file are AArch64')):
            done = subprocess.run([CSREPLAY, "info", "--core-dump", str(option), str(snapshot)],
                                  check=False, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, code, done)
            self.assertIn(said, done.stderr)

    def test_qemus_core_of_the_example_steps_back_with_its_trace(self):
        qemu = shutil.which("qemu-aarch64")
        if not qemu or not shutil.which(serving.GDB):
            self.skipTest("no qemu-aarch64 or gdb")
        shutil.copy(EXAMPLE / "sensorhub.elf", self.folder)
        subprocess.run(["sh", "-c", f"ulimit -c unlimited; exec {qemu} ./sensorhub.elf"],
                       cwd=self.folder, check=False, capture_output=True, timeout=60)
        cores = list(self.folder.glob("qemu_*.core"))
        self.assertEqual(len(cores), 1)
        program = str(self.folder / "sensorhub.elf")
        arguments = ["--core-dump", str(cores[0]), "--image", program, str(self.package())]
        pcs = serving.example_pcs(str(EXAMPLE))
        with serving.Server(arguments) as server:
            out = serving.gdb(server.address, [
                "p $pc", "p/x $x2", "p/x $trace_pos", "reverse-stepi", "p/x $pc", "p/x $x2",
                "reverse-stepi", "p/x $pc", "stepi", "stepi", "p/x $pc", "monitor crash"], program)
        self.assertIn(f"$2 = 0x322d7261\n$3 = {len(pcs) - 1:#x}\n", out)
        self.assertIn(f"$4 = {pcs[-2]:#x}\n", out)
        self.assertIn(f"$6 = {pcs[-3]:#x}\n", out)
        self.assertIn(f"$7 = {pcs[-1]:#x}\n", out)
        self.assertIn("SIGSEGV at 0x400404: read of 0x322d7261; register x2", out)


if __name__ == "__main__":
    serving.main()
