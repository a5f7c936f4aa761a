# SPDX-License-Identifier: Apache-2.0
"""Tasks and modules of a kernel made here: a program with Linux's structures, of before 6.4 and after, in memory dumps
of a core at EL1 and at EL0. What is not dumped is not known; a vmlinux of another kernel says nothing."""
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
A64 = "aarch64-linux-gnu-"
CODE, DATA, LISTS = 0xffffffc000400000, 0xffffffc000500000, 0xffffffc000600000
TEXT, CONSTANTS = 0xffffffc000710000, 0xffffffc000720000  # of the module

KERNEL = """
typedef unsigned long u64;
struct list_head { struct list_head *next, *prev; };
struct task_struct {
	u64 flags;
#if NEW
	unsigned int __state;
#else
	volatile long state;
#endif
	struct list_head tasks;
	int pid, tgid;
	char comm[16];
};
struct attribute { const char *name; unsigned short mode; };
struct bin_attribute { struct attribute attr; u64 size; };
struct module_sect_attr { struct bin_attribute battr; u64 address; };
struct module_sect_attrs { void *group; unsigned int nsections; struct module_sect_attr attrs[]; };
struct module_layout { void *base; unsigned int size, text_size; };
struct module_memory { void *base; unsigned int size; };
struct mod_kallsyms { void *symtab; unsigned int num_symtab; char *strtab; };
struct module {
	int state;
	struct list_head list;
	char name[56];
#if NEW
	struct module_memory mem[7];
#else
	struct module_layout core_layout, init_layout;
#endif
	struct mod_kallsyms *kallsyms;
	struct module_sect_attrs *sect_attrs;
};
const char linux_banner[] = "Linux version 6." NUMBER " (made)";
struct task_struct init = {.pid = 1, .tgid = 1, .comm = "init"};
struct task_struct worker = {.pid = 41, .tgid = 40, .comm = "a worker<name>!"};
struct task_struct *__entry_task = &init;
#define LISTED __attribute__((section(".lists")))
extern struct module demo, other;
LISTED struct list_head modules = {&demo.list, &other.list};
extern struct module_sect_attrs sections;
#if NEW
#define MEMORY .mem = {{(void *)0xffffffc000710000, 0x1000}, {(void *)0xffffffc000790000, 0x40}}
#else
#define MEMORY .core_layout = {(void *)0xffffffc000710000, 0x1000, 0x200}
#endif
LISTED struct module demo = {.list = {&other.list, &modules}, .name = "demo_module", MEMORY, .sect_attrs = &sections};
LISTED struct module_sect_attrs sections = {0, 4, {
	{{{".init.text"}}, 0xffffffc000999000}, {{{".text"}}, 0xffffffc000710000}, {{{".rodata"}}, 0xffffffc000720000}, {{{".plt"}}, 0xffffffc000730000}}};
struct module other = {.list = {&modules, &demo.list}, .name = "other"};
void start(void);
void start(void) { for (;;) ; }
"""

MODULE = """
static const char info[] __attribute__((section(".modinfo"), used)) = "license=GPL\\0name=demo_module";
const unsigned long numbers[] = {0x1122334455667788, 0x99};
int init_module(void);
__attribute__((section(".init.text"))) int init_module(void) { return 0; }
long work(long a);
long work(long a) { return numbers[a & 1] + a; }
"""

CORE = """[device]
name=cpu_0
class=core
type=Cortex-A53

[regs]
PC(size:64)=0xffffffc000400000
CPSR=0x{state:x}
SP_EL0(size:64)=0x{sp_el0:x}
TPIDR_EL1(size:64)=0
"""
SNAPSHOT = "[snapshot]\nversion=1.0\n\n[device_list]\ndevice0=cpu_0.ini\n"


class MadeKernel(unittest.TestCase):
    def setUp(self):
        if not shutil.which(A64 + "gcc"):
            self.skipTest(f"no {A64}gcc")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.vmlinux, self.module = self.folder / "vmlinux", self.folder / "demo.ko"
        (self.folder / "module.c").write_text(MODULE)
        self.tool("gcc", "-O1", "-g", "-c", "module.c", "-o", self.module)

    def tool(self, name, *arguments):
        return subprocess.run([A64 + name, *map(str, arguments)], cwd=self.folder, check=True, capture_output=True,
                              text=True).stdout

    def build(self, new, out, number="1"):
        (self.folder / "kernel.c").write_text(KERNEL)
        self.tool("gcc", "-g", "-nostdlib", "-static", "-fno-toplevel-reorder", "-Wl,-e,start", f"-DNEW={new}", f'-DNUMBER="{number}"',
                  f"-Wl,-Tdata={DATA:#x},--section-start=.lists={LISTS:#x},-Ttext={CODE:#x}", "kernel.c", "-o", out)

    def symbol(self, name):
        return int(re.search(rf"^(\w+) \w {name}$", self.tool("nm", self.vmlinux), re.MULTILINE).group(1), 16)

    def snapshot(self, task, state=0x3c5, dumped=(".data", ".lists"), cut=None):
        folder = self.folder / "snapshot"
        folder.mkdir(exist_ok=True)
        ini = CORE.format(state=state, sp_el0=task)
        for number, section in enumerate(dumped):
            self.tool("objcopy", "-O", "binary", f"--only-section={section}", self.vmlinux, folder / f"{number}.bin")
            raw = (folder / f"{number}.bin").read_bytes()
            (folder / f"{number}.bin").write_bytes(raw[:cut] if section == ".lists" else raw)
            ini += f"\n[dump{number}]\nfile={number}.bin\naddress=0x{dict([('.data', DATA), ('.lists', LISTS)])[section]:x}\n"
        (folder / "cpu_0.ini").write_text(ini)
        (folder / "snapshot.ini").write_text(SNAPSHOT)
        return str(folder)

    def ask(self, snapshot, *commands, module=None, vmlinux=None):
        options = ["--module", str(module)] if module else []
        done = subprocess.run([CSREPLAY, "shell", "--image", str(vmlinux or self.vmlinux), *options, "--command",
                               ";".join(commands), snapshot], capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    def test_task_of_el1_and_of_el0(self):
        for new in (0, 1):
            self.build(new, self.vmlinux)
            told = self.ask(self.snapshot(self.symbol("worker")), "threads")
            self.assertIn(", runs a worker<name>!, pid 41 of 40\n", told)
            # SP_EL0 of a program, as it is at EL1 before the kernel has its own there.
            self.assertNotIn("runs", self.ask(self.snapshot(0x7ffff000), "threads"))
            # At EL0 SP_EL0 is the program's.
            told = self.ask(self.snapshot(0x7ffff000, state=0x3c0), "threads")
            self.assertIn(", runs init, pid 1\n", told)
            # SP_EL0 in use at EL1: it is no task.
            self.assertNotIn("runs", self.ask(self.snapshot(self.symbol("worker"), state=0x3c4), "threads"))

    def test_memory_that_is_not_dumped_is_not_known(self):
        self.build(1, self.vmlinux)
        told = self.ask(self.snapshot(self.symbol("worker"), dumped=(".lists",)), "threads")
        self.assertIn(f"runs a task at {self.symbol('worker'):#x} of unknown name\n", told)
        # What vmlinux has in .data is what it was loaded with, and no list of the halt.
        told = self.ask(self.snapshot(0, dumped=(".data",)), "modules")
        self.assertEqual(told.strip(), f"what is at {self.symbol('modules'):#x} is not in memory")
        cut = self.symbol("demo") - LISTS
        told = self.ask(self.snapshot(0, cut=cut), "modules")
        self.assertRegex(told, r"^what is at 0x\w+ is not in memory\s*$")

    def test_modules(self):
        for new in (0, 1):
            self.build(new, self.vmlinux)
            told = self.ask(self.snapshot(0), "modules").splitlines()
            self.assertEqual([" ".join(line.split()) for line in told],
                             ["demo_module 0xffffffc000710000 4096 bytes", "other 0x0000000000000000 0 bytes"])

    def test_another_kernel_says_nothing(self):
        self.build(1, self.vmlinux)
        snapshot = self.snapshot(self.symbol("worker"))
        text = pathlib.Path(snapshot) / "text.bin"
        banner = self.symbol("linux_banner")
        text.write_bytes(b"Linux version 6.2 (made)\0")
        with open(pathlib.Path(snapshot) / "cpu_0.ini", "a", encoding="ascii") as ini:
            ini.write(f"\n[dump9]\nfile=text.bin\naddress=0x{banner:x}\n")
        self.assertNotIn("runs", self.ask(snapshot, "threads"))
        self.assertIn("vmlinux is not that of the kernel in memory", self.ask(snapshot, "modules"))
        snapshot = self.snapshot(self.symbol("worker"))
        self.assertIn("no image is a Linux kernel", self.ask(snapshot, "modules", vmlinux=self.stripped()))

    def stripped(self):
        out = self.folder / "stripped"
        self.tool("strip", "-g", self.vmlinux, "-o", out)
        return out

    def test_module_lies_where_the_kernel_has_it(self):
        for new in (0, 1):
            self.build(new, self.vmlinux)
            snapshot = self.snapshot(0)
            asked = f"0\tm{CONSTANTS:x}\n0\tm{TEXT:x}\n"
            told = subprocess.run([CSREPLAY, "state", "--batch", "--image", str(self.vmlinux), "--module",
                                   str(self.module), snapshot], input=asked, capture_output=True, text=True, timeout=60,
                                  check=True).stdout.splitlines()
            self.assertEqual(told[0].split("\t")[2], "1122334455667788", told)
            self.assertNotEqual(told[1].split("\t")[2], "-", told)
            printed = subprocess.run([CSREPLAY, "gdb", "--print", "--module", str(self.module), snapshot, str(self.vmlinux)],
                                     capture_output=True, text=True, timeout=60, check=True,
                                     env={**os.environ, "CSREPLAY_GDB": "/bin/true"}).stdout
            self.assertIn(f'add-symbol-file "{self.module}" -s ".text" {TEXT:#x} -s ".rodata" {CONSTANTS:#x}', printed)

    def test_module_that_cannot_be_placed(self):
        self.build(1, self.vmlinux)
        snapshot = self.snapshot(0)
        (self.folder / "module.c").write_text(MODULE.replace("demo_module", "nobody"))
        nobody, program = self.folder / "nobody.ko", self.vmlinux
        self.tool("gcc", "-O1", "-c", "module.c", "-o", nobody)
        for file, why in ((nobody, 'the kernel had no module "nobody" loaded'), (program, "no kernel module"),
                          (self.folder / "absent.ko", "absent.ko")):
            told = self.ask(snapshot, "modules", module=file)
            self.assertIn(why, told)
            self.assertNotIn("demo_module  ", told)
        self.assertIn("where its sections lie", self.ask(self.snapshot(0, cut=self.symbol("sections") - LISTS),
                                                         "modules", module=self.module))


if __name__ == "__main__":
    serving.main()
