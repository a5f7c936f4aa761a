# SPDX-License-Identifier: Apache-2.0
"""Lines of addresses against addr2line's: versions 2 to 5 of DWARF, 32 and 64 bits, both byte orders, sections of
their own for functions, discarded ones, compressed debug information.

    line_table.py LINE_LIST"""
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

LINE_LIST = sys.argv[1]
EXAMPLE = pathlib.Path(os.environ["CSREPLAY_SOURCE"]) / "examples" / "sensorhub" / "sensorhub.elf"
A64, ARM = "aarch64-linux-gnu-", "arm-linux-gnueabihf-"

PROGRAM = """
#include "inner.h"
static int table[8];
__attribute__((noinline)) int unused(int a)
{
	for (int i = 0; i < a; i++)
		table[i & 7] ^= a * i;
	return table[3];
}
__attribute__((noinline)) int unused_too(int a) { return a + table[1]; }
#line 40000 "far away/generated.y"
__attribute__((noinline)) int used(int a)
{
	int sum = twice(a);

	while (a-- > 0)
		sum += table[a & 7] >> (a & 3);
	return sum;
}
#line 3 "back.c"
int begin(int a);
int begin(int a)
{
	switch (a) {
	case 1: return used(a) + 4;
	case 2: return used(a + 1) * 3;
	default: return twice(used(3));
	}
}
"""
INNER = "static inline int twice(int a)\n{\n\tint b = a ^ 5;\n\n\treturn b * 2 + (a >> 3);\n}\n"


class Lines(unittest.TestCase):
    def setUp(self):
        for tool in (A64 + "gcc", A64 + "addr2line"):
            if not shutil.which(tool):
                self.skipTest("no " + tool)
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        (self.folder / "inner.h").write_text(INNER)
        (self.folder / "program.c").write_text(PROGRAM)
        self.out = self.folder / "program"

    def run_tool(self, *arguments):
        return subprocess.run([*map(str, arguments)], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def build(self, prefix, *options):
        if not shutil.which(prefix + "gcc"):
            self.skipTest(f"no {prefix}gcc")
        self.run_tool(prefix + "gcc", "-nostdlib", "-static", "-O2", "-Wl,-e,begin", *options, "program.c", "-o", self.out)

    def compare(self, path, prefix=A64, oracle=None):
        """Every halfword of the code, and none around it, has the line that addr2line says of it, or of another
        file with the same code."""
        ranges = []
        for line in self.run_tool(prefix + "readelf", "-SW", path).splitlines():
            match = re.match(r"\s*\[ *\d+\] \S+ +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) \S+ +AX", line)
            if match:
                start, size = (int(text, 16) for text in match.groups())
                ranges += range(start, start + size, 2)
        addresses = "".join(f"{address:x}\n" for address in ranges)
        got = subprocess.run([LINE_LIST, str(path)], input=addresses, check=True, capture_output=True, text=True,
                             timeout=60).stdout.splitlines()
        want = subprocess.run([prefix + "addr2line", "-e", str(oracle or path)], input=addresses, check=True,
                              capture_output=True, text=True, timeout=60).stdout.splitlines()
        want = [re.sub(r" \(discriminator \d+\)", "", line).rsplit("/", 1)[-1] for line in want]
        want = ["?" if line.endswith(("??:0", "??:?", ":?", ":0")) else line for line in want]
        different = [(hex(a), w, g) for a, w, g in zip(ranges, want, got) if w != g]
        self.assertEqual(different, [], f"of {len(want)}")
        self.assertEqual(len(got), len(want))
        self.assertGreater(sum(line != "?" for line in got), 40)
        outside = f"{min(ranges) - 2:x}\n{max(ranges) + 4:x}\nffffffffffffffff\n"
        self.assertEqual(subprocess.run([LINE_LIST, str(path)], input=outside, check=True, capture_output=True, text=True,
                                        timeout=60).stdout, "?\n" * 3)

    def test_each_version_of_dwarf(self):
        for prefix in (A64, ARM):
            for version in (2, 3, 4, 5):
                for more in ([], ["-ffunction-sections"], ["-gno-as-loc-support"], ["-g3"]):
                    with self.subTest(prefix=prefix, version=version, more=more):
                        self.build(prefix, f"-gdwarf-{version}", *more)
                        self.compare(self.out, prefix)

    def test_offsets_of_64_bits(self):
        """Which addr2line does not read all of."""
        for version in (3, 4, 5):
            self.build(A64, f"-gdwarf-{version}")
            other = self.out.rename(self.folder / "other")
            self.build(A64, f"-gdwarf-{version}", "-gdwarf64")
            self.compare(self.out, oracle=other)

    def test_compressed_sections(self):
        for kind in ("zlib", "zlib-gnu"):
            self.build(A64, "-g", f"-gz={kind}", f"-Wl,--compress-debug-sections={kind}")
            self.compare(self.out)

    def test_discarded_functions_have_no_lines(self):
        """Of two of them nothing is told at 0, where the linker leaves their lines."""
        self.build(A64, "-g", "-ffunction-sections", "-Wl,--gc-sections")
        self.compare(self.out)
        found = subprocess.run([LINE_LIST, str(self.out)], input="0\n4\n8\n", check=True, capture_output=True,
                               text=True).stdout
        self.assertEqual(found, "?\n?\n?\n")

    def test_big_endian(self):
        clang = shutil.which("clang-14") or shutil.which("clang")
        if not clang:
            self.skipTest("no clang")
        for version in (4, 5):
            self.run_tool(clang, "--target=aarch64_be-none-elf", f"-gdwarf-{version}", "-O1", "-c", "program.c", "-o", "big.o")
            self.run_tool(A64 + "ld", "-EB", "-maarch64linuxb", "-e", "begin", "big.o", "-o", self.out)
            self.compare(self.out)

    def test_programs_of_the_example(self):
        self.compare(EXAMPLE)


if __name__ == "__main__":
    serving.main()
