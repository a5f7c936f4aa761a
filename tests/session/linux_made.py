# SPDX-License-Identifier: Apache-2.0
"""Tasks and modules of a kernel made here: a program with Linux's structures, of before 6.4 and after, in memory dumps
of a core at EL1 and at EL0, and of 32-bit Arm; there in the past, too. What is not dumped is not known; a vmlinux of
another kernel says nothing.

usage: linux_made.py SYNTH"""
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
SYNTH = sys.argv.pop(1)
CODE, DATA, LISTS = 0x400000, 0x500000, 0x600000
TEXT, CONSTANTS = 0x710000, 0x720000  # of the module

KERNEL = """
typedef unsigned long u64;
#define AT(offset) ((void *)(BASE + offset))
struct list_head { struct list_head *next, *prev; };
struct task_struct {
	u64 flags;
#if NEW
	unsigned int __state;
#else
	volatile long state;
#endif
	struct list_head tasks;
	void *stack;
	int pid, tgid;
	char comm[16];
};
#if STACKS
struct thread_info { unsigned long flags; struct task_struct *task; };
union thread_union { struct thread_info info; unsigned long stack[2048]; };
extern struct task_struct worker;
__attribute__((aligned(8192))) union thread_union stack = {{1, &worker}};
__attribute__((aligned(8192))) union thread_union old = {{1, &worker}}; /* its task has another by now */
#define STACK .stack = &stack,
#else
#define STACK
#endif
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
struct task_struct worker = {STACK .pid = 41, .tgid = 40, .comm = "a worker<name>!"};
#if VARIABLE
struct task_struct *__current = &worker;
#elif !STACKS
struct task_struct *__entry_task = &init;
#endif
#if PER_CPU
unsigned long __per_cpu_offset[2];
#endif
#define LISTED __attribute__((section(".lists")))
extern struct module demo, other;
LISTED struct list_head modules = {&demo.list, &other.list};
extern struct module_sect_attrs sections;
#if NEW
#define MEMORY .mem = {{AT(0x710000), 0x1000}, {AT(0x790000), 0x40}}
#else
#define MEMORY .core_layout = {AT(0x710000), 0x1000, 0x200}
#endif
LISTED struct module demo = {.list = {&other.list, &modules}, .name = "demo_module", MEMORY, .sect_attrs = &sections};
LISTED struct module_sect_attrs sections = {0, 4, {
	{{{".init.text"}}, BASE + 0x999000}, {{{".text"}}, BASE + 0x710000}, {{{".rodata"}}, BASE + 0x720000}, {{{".plt"}}, BASE + 0x730000}}};
struct module other = {.list = {&modules, &demo.list}, .name = "other"};
void start(void);
#ifdef ASSEMBLY
__asm__(ASSEMBLY);
#else
void start(void) { for (;;) ; }
#endif
"""

MODULE = """
static const char info[] __attribute__((section(".modinfo"), used)) = "license=GPL\\0name=demo_module";
const unsigned long long numbers[] = {0x1122334455667788, 0x99};
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


class Made:
    TOOLS, BASE, DIGITS, FLAGS = "aarch64-linux-gnu-", 0xffffffc000000000, 16, ()

    def setUp(self):
        if not shutil.which(self.TOOLS + "gcc"):
            self.skipTest(f"no {self.TOOLS}gcc")
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        self.vmlinux, self.module = self.folder / "vmlinux", self.folder / "demo.ko"
        (self.folder / "module.c").write_text(MODULE)
        self.tool("gcc", *self.FLAGS, "-O1", "-g", "-c", "module.c", "-o", self.module)

    def tool(self, name, *arguments):
        return subprocess.run([self.TOOLS + name, *map(str, arguments)], cwd=self.folder, check=True, capture_output=True,
                              text=True).stdout

    def at(self, offset):
        return self.BASE + offset

    def build(self, new, out, number="1", **defined):
        (self.folder / "kernel.c").write_text(KERNEL)
        flags = [f"-D{name}={value}" for name, value in {"NEW": new, "NUMBER": f'"{number}"', "BASE": f"{self.BASE:#x}", **defined}.items()]
        self.tool("gcc", *self.FLAGS, "-g", "-nostdlib", "-static", "-fno-toplevel-reorder", "-Wl,-e,start", *flags,
                  f"-Wl,-Tdata={self.at(DATA):#x},--section-start=.lists={self.at(LISTS):#x},-Ttext={self.at(CODE):#x}", "kernel.c",
                  "-o", out)

    def symbol(self, name):
        return int(re.search(rf"^(\w+) \w {name}$", self.tool("nm", self.vmlinux), re.MULTILINE).group(1), 16)

    def dump(self, section, path):
        self.tool("objcopy", "-O", "binary", f"--only-section={section}", self.vmlinux, path)
        return path.read_bytes()

    def core(self, task, state):
        return CORE.format(state=0x3c5 if state is None else state, sp_el0=task)

    def snapshot(self, task, state=None, dumped=(".data", ".lists"), cut=None):
        folder = self.folder / "snapshot"
        folder.mkdir(exist_ok=True)
        ini = self.core(task, state)
        for number, section in enumerate(dumped):
            raw = self.dump(section, folder / f"{number}.bin")
            (folder / f"{number}.bin").write_bytes(raw[:cut] if section == ".lists" else raw)
            ini += f"\n[dump{number}]\nfile={number}.bin\naddress={self.at({'.data': DATA, '.lists': LISTS}[section]):#x}\n"
        (folder / "cpu_0.ini").write_text(ini)
        (folder / "snapshot.ini").write_text(SNAPSHOT)
        return str(folder)

    def ask(self, snapshot, *commands, module=None, vmlinux=None):
        options = ["--module", str(module)] if module else []
        done = subprocess.run([CSREPLAY, "shell", "--image", str(vmlinux or self.vmlinux), *options, "--command",
                               ";".join(commands), snapshot], capture_output=True, text=True, timeout=60, check=False)
        return done.stdout + done.stderr

    def test_memory_that_is_not_dumped_is_not_known(self):
        self.build(1, self.vmlinux)
        told = self.ask(self.snapshot(self.symbol("worker"), dumped=(".lists",)), "threads")
        self.assertIn(f"runs a task at {self.symbol('worker'):#x} of unknown name\n", told)
        # What vmlinux has in .data is what it was loaded with, and no list of the halt.
        told = self.ask(self.snapshot(0, dumped=(".data",)), "modules")
        self.assertEqual(told.strip(), f"what is at {self.symbol('modules'):#x} is not in memory")
        cut = self.symbol("demo") - self.at(LISTS)
        told = self.ask(self.snapshot(0, cut=cut), "modules")
        self.assertRegex(told, r"^what is at 0x\w+ is not in memory\s*$")

    def test_modules(self):
        for new in (0, 1):
            self.build(new, self.vmlinux)
            told = self.ask(self.snapshot(0), "modules").splitlines()
            self.assertEqual([" ".join(line.split()) for line in told],
                             [f"demo_module {self.at(TEXT):#x} 4096 bytes", f"other 0x{0:0{self.DIGITS}x} 0 bytes"])

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
            asked = f"0\tm{self.at(CONSTANTS):x}\n0\tm{self.at(TEXT):x}\n"
            told = subprocess.run([CSREPLAY, "state", "--batch", "--image", str(self.vmlinux), "--module",
                                   str(self.module), snapshot], input=asked, capture_output=True, text=True, timeout=60,
                                  check=True).stdout.splitlines()
            self.assertEqual(told[0].split("\t")[2], "1122334455667788", told)
            self.assertNotEqual(told[1].split("\t")[2], "-", told)
            printed = subprocess.run([CSREPLAY, "gdb", "--print", "--module", str(self.module), snapshot, str(self.vmlinux)],
                                     capture_output=True, text=True, timeout=60, check=True,
                                     env={**os.environ, "CSREPLAY_GDB": "/bin/true"}).stdout
            self.assertIn(f'add-symbol-file "{self.module}" -s ".text" {self.at(TEXT):#x} -s ".rodata" {self.at(CONSTANTS):#x}', printed)

    def test_module_that_cannot_be_placed(self):
        self.build(1, self.vmlinux)
        snapshot = self.snapshot(0)
        (self.folder / "module.c").write_text(MODULE.replace("demo_module", "nobody"))
        nobody, program = self.folder / "nobody.ko", self.vmlinux
        self.tool("gcc", *self.FLAGS, "-O1", "-c", "module.c", "-o", nobody)
        for file, why in ((nobody, 'the kernel had no module "nobody" loaded'), (program, "no kernel module"),
                          (self.folder / "absent.ko", "absent.ko")):
            told = self.ask(snapshot, "modules", module=file)
            self.assertIn(why, told)
            self.assertNotIn("demo_module  ", told)
        self.assertIn("where its sections lie", self.ask(self.snapshot(0, cut=self.symbol("sections") - self.at(LISTS)),
                                                         "modules", module=self.module))


class MadeKernel(Made, unittest.TestCase):
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


CORE_A32 = """[device]
name=cpu_0
class=core
type=Cortex-A15

[regs]
PC=0xc0400000
CPSR=0x{state:x}
SP=0x{sp:x}
SP_SVC=0x{sp:x}
TPIDRURO=0x{task:x}
TPIDRPRW=0
"""
USR, IRQ, SVC, HYP = 0x10, 0x12, 0x13, 0x1a
ZERO = 1 << 30
# Two tasks: `init` runs, and gives way to `worker`, which goes through a program (at 0x10000) and comes back. In the program, too,
# TPIDRURO is read, and is what the program says.
ASSEMBLY = """
.text
.globl start
.type start, %function
start:
   mrc p15, 0, r1, c13, c0, 3
   mrcne p15, 0, r9, c13, c0, 3
   bl __switch_to
   nop
   mrc p15, 0, r2, c13, c0, 3
   mcr p15, 0, r5, c13, c0, 3 @ on the way out: the program's
   nop
   bx r6
   mcr p15, 0, r7, c13, c0, 3 @ on the way in
   nop
   b .
.size start, . - start
.type __switch_to, %function
.globl __switch_to
__switch_to:
   mcr p15, 0, r8, c13, c0, 3
   bx lr
.size __switch_to, . - __switch_to
"""
PROGRAM, GARBAGE = 0x10000, 0xc0123450


class MadeKernel32(Made, unittest.TestCase):
    TOOLS, BASE, DIGITS, FLAGS = "arm-linux-gnueabihf-", 0xc0000000, 8, ("-marm", "-fno-pie", "-no-pie", "-Wl,--build-id=none")

    def core(self, task, state):
        sp = getattr(self, "sp", 0)
        return CORE_A32.format(state=SVC if state is None else state, task=task, sp=sp)

    def runs(self, *arguments, **named):
        found = re.search(r", runs (.*), pid", self.ask(self.snapshot(*arguments, **named), "threads"))
        return found.group(1) if found else None

    def test_task_by_register(self):
        for per_cpu in (0, 1):
            self.build(1, self.vmlinux, PER_CPU=per_cpu)
            worker = self.symbol("worker")
            self.assertEqual(self.runs(worker), "a worker<name>!")
            self.assertEqual(self.runs(worker, state=IRQ), "a worker<name>!")
            # In a program, and on the way there and back, the register is the program's.
            self.assertEqual(self.runs(0xb6f00000), "init")
            self.assertEqual(self.runs(worker, state=USR), "init")
            self.assertIsNone(self.runs(worker, state=HYP))

    def test_task_by_variable(self):
        self.build(1, self.vmlinux, VARIABLE=1)
        self.assertEqual(self.runs(self.symbol("init")), "a worker<name>!")

    def test_task_by_stack(self):
        self.build(0, self.vmlinux, STACKS=1)
        for name, said in (("stack", "a worker<name>!"), ("old", None)):
            self.sp = self.symbol(name) + 8192 - 8
            self.assertEqual(self.runs(0), said)
            self.assertEqual(self.runs(0, state=USR), said)

    def traced(self, *lines):
        folder = self.folder / "traced"
        folder.mkdir()
        self.build(1, self.vmlinux, PER_CPU=1, ASSEMBLY='"' + ASSEMBLY.replace("\n", "\\n") + '"')
        start, worker, init = (self.symbol(name) for name in ("start", "worker", "init"))
        for section, name in ((".text", "text.bin"), (".data", "data.bin")):
            self.dump(section, folder / name)
        (folder / "program.bin").write_bytes(bytes.fromhex("703f1dee 00f020e3 1aff2fe1"))  # mrc r3; nop; bx r10
        recipe = ["core cpu_0 Cortex-A15", f"reg PC {start + 40:#x}", f"reg CPSR {SVC | ZERO:#x}", f"reg TPIDRURO {worker:#x}",
                  f"reg R1 {init:#x}", f"reg R2 {worker:#x}", f"reg R3 {GARBAGE:#x}", f"reg R5 {GARBAGE:#x}",
                  f"reg R7 {worker:#x}", f"reg R8 {worker:#x}", f"reg R9 {GARBAGE:#x}", "reg TPIDRPRW 0x0",
                  f"dump text.bin {start:#x}", f"dump data.bin {self.at(DATA):#x}", f"dump program.bin {PROGRAM:#x}",
                  "source ETM_0 ETM4.2 0x10", "packet async", "packet trace_info 0", "packet trace_on",
                  "packet context 1 0 1", f"packet address_32 0 {start}",
                  "packet atoms 1 1", "packet atoms 1 1", f"packet address_32 0 {start + 12}", *lines,
                  "packet atoms 1 1", f"packet address_32 0 {PROGRAM}", "packet atoms 1 1", f"packet address_32 0 {start + 32}",
                  "packet atoms 1 1"]
        (folder / "recipe").write_text("\n".join(recipe) + "\n")
        subprocess.run([SYNTH, "snapshot", folder / "recipe", folder], check=True)
        return folder

    def test_tasks_of_the_past(self):
        folder = self.traced()
        told = self.ask(folder, *(f"seek {position}; threads" for position in range(16)))
        found = [re.search(r", runs ([^,]*),|$", line).group(1) for line in told.splitlines() if re.match(r"[* ]*1 cpu_0:", line)]
        # 3 is the MCR of __switch_to(); 5 to 9 lead out to the program at 10 to 12, 13 back.
        self.assertEqual(found, [None] + ["init"] * 3 + ["a worker<name>!"] * 12, told)


if __name__ == "__main__":
    serving.main()
