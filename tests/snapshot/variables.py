# SPDX-License-Identifier: Apache-2.0
"""Variables at each instruction of a program: those in scope by its source, with what its types make of memory, and in all
versions of DWARF the same, of gcc and clang, A64 and A32. That places are right is held against gdb in tests/e2e.

    variables.py VARIABLE_LIST"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

VARIABLE_LIST = sys.argv[1]
A64, ARM = "aarch64-linux-gnu-", "arm-linux-gnueabihf-"
SOURCE = """
enum colour { RED, GREEN = 0x23222120, BLUE };
struct point { int x; struct point *next; char name[4]; struct { int deep; } in; };
void use(void *a, void *b);
static inline __attribute__((always_inline)) int twice(int a) { int inner = a * 2; use(&inner, &a); return inner; }
int scan(struct point *p, enum colour c, _Bool is, int n)
{
	struct point here = {n, p, "abc", {4}};
	int row[3] = {1, n};
	static int calls;
	use(&here, row);
	calls++;
	for (int i = 0; i < n; i++) {
		int in_loop = twice(i) + c;
		use(&in_loop, &i);
	}
	return here.x + is;
}
"""
CLANG = {A64: "--target=aarch64-linux-gnu", ARM: "--target=arm-linux-gnueabihf"}


class Variables(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "a.c").write_text(SOURCE)

    def shown(self, compiler, prefix, *options):
        """address -> what is said there."""
        objects, program = self.folder / "a.o", self.folder / "program"
        command = [prefix + "gcc"] if compiler == "gcc" else ["clang", CLANG[prefix]]
        subprocess.run([*command, "-c", *options, "-o", objects, self.folder / "a.c"], check=True)
        subprocess.run([prefix + "ld", "-Ttext=0x10000", "-e", "scan", "--defsym=use=0x10000", "-o", program, objects], check=True)
        code = subprocess.run([prefix + "objdump", "-d", "--no-show-raw-insn", program], check=True, capture_output=True,
                              text=True).stdout.partition("<scan>:")[2]
        places = re.findall(r"^\s+([0-9a-f]+):", code, re.MULTILINE)
        done = subprocess.run([VARIABLE_LIST, program], input="\n".join(places), check=True, capture_output=True, text=True)
        return dict(zip(places, done.stdout.split("==\n")[:-1], strict=True))

    def builds(self):
        for prefix in (A64, ARM):
            if shutil.which(prefix + "gcc"):
                yield "gcc", prefix
                if shutil.which("clang"):
                    yield "clang", prefix

    def assert_same(self, before, last):
        """But for what version 5 has an operation for that is not read."""
        self.assertEqual(list(before), list(last))
        for place, text in last.items():
            for mine, its in zip(before[place].splitlines(), text.splitlines(), strict=True):
                if not its.endswith(" = in a form that csreplay does not read"):
                    self.assertEqual(mine, its, place)

    def test_versions_say_the_same(self):
        for compiler, prefix in self.builds():
            for level in ("-O0", "-O1", "-O2"):
                with self.subTest(compiler=compiler, prefix=prefix, level=level):
                    last = self.shown(compiler, prefix, level, "-gdwarf-5")
                    # Before 4 there are no values that are in no place, and compilers say less, or other things.
                    self.assert_same(self.shown(compiler, prefix, level, "-gdwarf-4"), last)
                    if level == "-O0":
                        self.assertEqual(self.shown(compiler, prefix, level, "-gdwarf-3"), last)
                        self.assertEqual(self.shown(compiler, prefix, level, "-gdwarf-5", "-gz"), last)

    def test_scopes_are_the_sources(self):
        for compiler, prefix in self.builds():
            with self.subTest(compiler=compiler, prefix=prefix):
                found = {tuple(sorted(re.findall(r"^in .*:$|^  .*?(\w+) = ", text, re.MULTILINE)))
                         for text in self.shown(compiler, prefix, "-O0", "-g").values()}
                own, inlined = ["", "p", "c", "is", "n", "here", "row", "calls"], ["", "a", "inner"]
                for scope in (own, ["i", *own], ["in_loop", "i", *own], [*inlined, "in_loop", "i", *own]):
                    self.assertIn(tuple(sorted(scope)), found)

    def test_types_make_values_of_memory(self):
        """A byte is the low one of its address, and of every 64th is not known."""
        text = next(iter(self.shown("gcc", A64, "-O0", "-g").values()))
        values = dict(re.findall(r"^  (.*?\w+) = (.*)$", text, re.MULTILINE))
        self.assertEqual(set(values), {"struct point *p", "enum colour c", "_Bool is", "int n", "struct point here", "int[3] row",
                                       "int calls"})
        raw = r"(?:\[(?:[0-9a-f?]{2} ?){4}\]|\?\?)"
        number = r"(?:-?\d+|0x[0-9a-f?]+|\?\?)"
        self.assertRegex(values["struct point here"],
                         rf'^{{x = {number}, next = {number}, name = {raw}, in = {raw}}}$')
        self.assertRegex(values["int[3] row"], rf"^{{{number}, {number}, {number}}}$")
        self.assertRegex(values["int n"], rf"^{number}$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
