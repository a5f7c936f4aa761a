# SPDX-License-Identifier: Apache-2.0
"""Offsets and sizes of members against those that the compiler itself computes: versions 2 to 5 of DWARF, 32 and 64
bits, both byte orders, gcc and clang, compressed sections; definitions in several units, of which some are others.

    type_layout.py TYPE_LIST"""
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

TYPE_LIST = sys.argv[1]
A64, ARM = "aarch64-linux-gnu-", "arm-linux-gnueabihf-"

TYPES = """
typedef unsigned long word;
typedef volatile const word odd_word;
struct list { struct list *next, *prev; };
struct inner { char tag; struct { short a; union { int b; double c; }; } deep; odd_word last; };
struct task {
	char first;
	struct list tasks;
	struct { int anonymous; union { long one; struct { char two[3]; int three; }; }; };
	int bits : 5;
	unsigned long after_bits;
	struct inner in, row[4];
	char comm[16];
	int matrix[3][5];
	void (*call)(struct task *);
	const struct inner *pointer;
	struct later *unknown;
	enum { RED, GREEN } colour;
	struct inner tail[];
};
"""
MEMBERS = [("task", path) for path in (
    "first tasks.next tasks.prev anonymous one two three after_bits in.tag in.deep.a in.deep.b in.deep.c in.last row "
    "row.last comm matrix call pointer colour tail tail.deep.c").split()]
MEMBERS += [("list", "prev"), ("inner", "deep.c")]
ABSENT = [("task", "bits"), ("task", "nothing"), ("task", "first.more"), ("task", "pointer.tag"), ("task", "tail.nothing"),
          ("later", "a"), ("nowhere", "a"), ("task", "in..tag"), ("task", ".in")]
# The first alternative that is there; another unit's structure of that name has none of what is wanted.
OTHERS = [("task", "nothing|comm", "comm"), ("task", "row.no|in.no|in.last|comm", "in.last")]


def first_element(path):
    """As C has it: members of an array's first element."""
    return path.replace("row.", "row[0].").replace("tail.", "tail[0].")


class Layouts(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.out = self.folder / "program"

    def run_tool(self, *arguments):
        return subprocess.run([*map(str, arguments)], cwd=self.folder, check=True, capture_output=True).stdout

    def ask(self, questions):
        text = "".join(" ".join(question).strip() + "\n" for question in questions)
        return subprocess.run([TYPE_LIST, str(self.out)], input=text, check=True, capture_output=True, text=True,
                              timeout=60).stdout.splitlines()

    def compile(self, compiler, *options):
        """Three units: another structure called task, the types, and a declaration of them. The second has the
        compiler's own offsets in a section."""
        rows = []
        for structure, path in MEMBERS:
            member = f"(({'struct ' + structure} *)0)->{first_element(path)}"
            size = "0" if path in ("tail",) else f"sizeof({member})"
            rows.append(f"__builtin_offsetof(struct {structure}, {first_element(path)}), {size}")
        (self.folder / "other.c").write_text("struct task { int mine; struct { char x[3]; } y; } other;\n")
        (self.folder / "types.c").write_text(
            TYPES + "struct task the_task;\n__attribute__((section(\".offsets\"), used)) const unsigned long offsets[] = {"
            + ",\n".join(rows) + ", sizeof(struct task)};\n")
        (self.folder / "user.c").write_text("struct task; struct task *user;\n")
        objects = []
        for name in ("other", "types", "user"):
            self.run_tool(compiler, "-c", *options, f"{name}.c", "-o", f"{name}.o")
            objects.append(f"{name}.o")
        return objects

    def compare(self, word, order="<"):
        raw = (self.folder / "offsets.bin").read_bytes()
        want = struct.unpack(f"{order}{len(raw) // word}{'Q' if word == 8 else 'I'}", raw)
        self.assertEqual(len(want), 2 * len(MEMBERS) + 1)
        want = [f"{want[i]} {want[i + 1]}" for i in range(0, 2 * len(MEMBERS), 2)] + [f"0 {want[-1]}"]
        got = self.ask(MEMBERS + [("task", "")])
        self.assertEqual([(m, w, g) for m, w, g in zip([*MEMBERS, "task"], want, got, strict=True) if w != g], [])
        # What is not there is not there, whatever else is asked.
        asked = self.ask([*MEMBERS, *ABSENT])
        self.assertEqual(asked[len(MEMBERS):], ["?"] * len(ABSENT))
        for structure, path, same in OTHERS:
            one, other = self.ask([(structure, path)]), self.ask([(structure, same)])
            self.assertEqual(one, other, path)
            self.assertNotEqual(one, ["?"])

    def build(self, prefix, *options):
        if not shutil.which(prefix + "gcc"):
            self.skipTest(f"no {prefix}gcc")
        objects = self.compile(prefix + "gcc", *options)
        self.run_tool(prefix + "ld", "-r" if "-r" in options else "-e0", *objects, "-o", self.out)
        self.run_tool(prefix + "objcopy", "-O", "binary", "--only-section=.offsets", self.out, "offsets.bin")

    def test_each_version_of_dwarf(self):
        for prefix, word in ((A64, 8), (ARM, 4)):
            for version in (2, 3, 4, 5):
                for more in ([], ["-gstrict-dwarf"], ["-fdebug-types-section"] if version == 2 else ["-O2"]):
                    with self.subTest(prefix=prefix, version=version, more=more):
                        self.build(prefix, f"-gdwarf-{version}", *more)
                        self.compare(word)

    def test_offsets_of_64_bits(self):
        for version in (3, 4, 5):
            with self.subTest(version=version):
                self.build(A64, f"-gdwarf-{version}", "-gdwarf64")
                self.compare(8)

    def test_compressed_sections(self):
        for kind in ("zlib", "zlib-gnu"):
            self.build(A64, "-g")
            self.run_tool(A64 + "objcopy", f"--compress-debug-sections={kind}", self.out)
            self.compare(8)

    def test_clang_and_big_endian(self):
        """clang has indexes of strings from version 5 on."""
        clang = shutil.which("clang-14") or shutil.which("clang")
        if not clang or not shutil.which(A64 + "ld"):
            self.skipTest("no clang")
        for target, emulation, order in (("aarch64", "aarch64linux", "<"), ("aarch64_be", "aarch64linuxb", ">")):
            for version in (4, 5):
                with self.subTest(target=target, version=version):
                    objects = self.compile(clang, f"--target={target}-none-elf", f"-gdwarf-{version}",
                                           "-fstandalone-debug")
                    self.run_tool(A64 + "ld", "-m" + emulation, "-e0", *objects, "-o", self.out)
                    self.run_tool(A64 + "objcopy", "-O", "binary", "--only-section=.offsets", self.out, "offsets.bin")
                    self.compare(8, order)

    def test_file_without_debug_information(self):
        self.build(A64, "-g0")
        self.assertEqual(self.ask(MEMBERS), ["?"] * len(MEMBERS))


if __name__ == "__main__":
    serving.main()
