# SPDX-License-Identifier: Apache-2.0
"""Two processes and a kernel on two cores, recorded under qemu's system emulation, instruction by
instruction, and their snapshot with the trace that synth makes of it."""
import os
import re
import shutil
import struct
import subprocess

import a64_accesses
import event_scene

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
COMPILER, EMULATOR = "aarch64-linux-gnu-gcc", "qemu-system-aarch64"
FLAGS = ["-O2", "-ffreestanding", "-nostdlib", "-mgeneral-regs-only", "-mno-outline-atomics",
         "-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-I", ROOT, "-Wl,--build-id=none",
         "-Wl,-z,max-page-size=4096", "-Wl,--no-warn-rwx-segments", "-T", os.path.join(HERE, "os.ld")]
FIXED = ["-static", "-fno-pic", "-no-pie"]
HIGH = 0xFFFFFFFF00000000  # where the kernel has physical memory
RAM, RAM_SIZE = 0x40000000, 0x2000000
KERNEL, CODE, DATA, LIBRARY, STACKS = 0x40200000, 0x80000000, 0x80200000, 0x80400000, 0x803FF000
PLACES = {"vmlinux": KERNEL, "a.elf": 0x41000000, "b.elf": 0x41400000, "lib.so": 0x41800000}
DATA_PLACES = (0x41200000, 0x41600000)
CONTEXT_OF_B = 288 + 280  # in the kernel's table of tasks
CELLS, LATE = (0.05, 0.5), 1000  # of the steps whose memory is kept, some of it: of all, of the last
CALL, IRQ, DEBUG_HALT = 2, 14, 1  # exception types of ETMv4
SVC, ISB, ERET = 0xD4000001, 0xD5033FDF, 0xD69F03E0
MSR_TTBR0, MSR_CONTEXTIDR, MSR_TPIDR, MRS_ELR = 0xD5182000, 0xD518D020, 0xD518D080, 0xD5384020
# What follows says that the instruction was not executed yet.
STATE = re.compile(rb"Trace (\d).*\n PC=(\w+) ((?:.*\n)+?)PSTATE=(\w+).*\n(Stopped)?")
REGISTER = re.compile(rb"(?:X\d\d|SP)=(\w+)")
NAMES = ["x%d" % i for i in range(31)] + ["sp"]


class Skipped(Exception):
    """Why there can be no recording here."""


def build(contexts, cores, folder):
    """The programs as ELF files and as images; the address of what is patched."""
    for tool in (COMPILER, EMULATOR):
        if not shutil.which(tool):
            raise Skipped("%s is not there" % tool)

    def link(name, sources, *more):
        elf = os.path.join(folder, name)
        subprocess.run([COMPILER, *FLAGS, *more, "-o", elf, *[os.path.join(HERE, s) for s in sources]], check=True)
        subprocess.run([COMPILER.replace("gcc", "objcopy"), "-O", "binary", elf, elf + ".bin"], check=True)

    for name, program in (("a.elf", "lists.c"), ("b.elf", "vm.c")):
        link(name, ["user.c", "../../values/programs/" + program], *FIXED, "-ffixed-x19",
             "-Wl,--defsym=code=%#x,--defsym=data=%#x" % (CODE, DATA))
    link("lib.so", ["library.c"], "-shared", "-fpic", "-Wl,--defsym=code=0")
    patched = symbols_of(os.path.join(folder, "a.elf"))["patched_at"]
    link("vmlinux", ["entry.S", "kernel.c"], *FIXED, "-DCONTEXT_A=%#x" % contexts["A"],
         "-DCONTEXT_B=%#x" % contexts["B"], "-DCONTEXT_B_MOVED=%#x" % contexts["B moved"],
         "-DPATCHED=%#x" % patched, "-DCORES=%d" % cores, "-Wl,--defsym=code=%#x" % (HIGH + KERNEL))
    return patched


def symbols_of(elf):
    done = subprocess.run([COMPILER.replace("gcc", "nm"), elf], capture_output=True, text=True, check=True)
    return {line.split()[2]: int(line.split()[0], 16) for line in done.stdout.splitlines() if len(line.split()) == 3}


def emulate(cores, folder):
    loaders = ["-device", "loader,addr=%#x,cpu-num=0" % KERNEL]
    for name, place in PLACES.items():
        loaders += ["-device", "loader,file=%s.bin,addr=%#x,force-raw=on" % (name, place)]
    qemu = subprocess.run([EMULATOR, "-M", "virt,gic-version=2", "-cpu", "cortex-a53", "-smp", str(cores), "-m", "64",
                               "-display", "none", "-nic", "none", "-serial", "none", "-monitor", "none",
                               "-semihosting", "-icount", "shift=6", "-singlestep", "-d", "cpu,exec,nochain",
                               "-D", "log", *loaders], cwd=folder, timeout=60, check=False)
    if qemu.returncode != 0:
        raise AssertionError("the emulator ended with %d" % qemu.returncode)


class Step:
    """Before an instruction: `registers` are X0 to X30 and SP. `entered` is how it was come to: (type of the
    exception, preferred return address), or None."""
    __slots__ = ("cpu", "pc", "registers", "pstate", "opcode", "system", "context", "process", "entered", "access",
                 "cells")

    def __init__(self, cpu, pc, registers, pstate):
        self.cpu, self.pc, self.registers, self.pstate = cpu, pc, registers, pstate
        self.entered = self.access = None
        self.cells = {}

    @property
    def level(self):
        return self.pstate >> 2 & 3


def without_repeats(steps):
    """The emulator begins an access to a device again, as the only instruction of its block."""
    found, before = [], {}
    for step in steps:
        old = before.get(step.cpu)
        if old and (old.pc, old.registers, old.pstate) == (step.pc, step.registers, step.pstate):
            found.remove(old)
        before[step.cpu] = step
        found.append(step)
    return found


class Memory:
    """Physical memory, by what stores wrote; what loads got has to be there."""

    def __init__(self, folder):
        self.bytes = bytearray(RAM_SIZE)
        self.compared = 0
        for name, place in PLACES.items():
            with open(os.path.join(folder, name + ".bin"), "rb") as f:
                data = f.read()
            self.bytes[place - RAM:place - RAM + len(data)] = data

    def offset(self, table, address):
        """In `bytes`, of a virtual address, or None: a device, or not mapped."""
        if address >= HIGH:
            place = address - HIGH
        elif address < CODE:
            place = address
        else:
            block = 0
            for shift in (30, 21):
                base = ((table if shift == 30 else block) & 0xFFFFFFFFF000) - RAM
                block, = struct.unpack_from("<Q", self.bytes, base + (address >> shift & 3) * 8)
                if not block & 1:
                    return None
            place = (block & 0xFFE00000) + (address & 0x1FFFFF)
        return place - RAM if RAM <= place < RAM + RAM_SIZE else None

    def read(self, table, address, size):
        at = self.offset(table, address)
        return None if at is None else bytes(self.bytes[at:at + size])

    def take(self, table, step, after):
        access = step.access
        at = access and self.offset(table, access.address)
        if at is None:
            return
        opcode, size = step.opcode, access.size
        is_pair = opcode & 0x3A000000 == 0x28000000
        each = size // 2 if is_pair else size
        names = [opcode & 31] + ([opcode >> 10 & 31] if is_pair else [])
        if access.kind == a64_accesses.WRITE:
            data = b"".join((0 if n == 31 else step.registers[n]).to_bytes(8, "little")[:each] for n in names)
            self.bytes[at:at + size] = data
        elif is_pair or opcode >> 22 & 3 == 1:  # not those that extend a sign
            for i, n in enumerate(names):
                if n != 31:
                    got = after.registers[n].to_bytes(8, "little")[:each]
                    assert got == self.bytes[at + i * each:at + (i + 1) * each], hex(step.pc)
                    self.compared += 1


class Recording:
    """`steps` of both cores in their order, from the first process on, and `halts`, the state of each core
    after them. `times` is when the events of the log happened, as an index of `steps`."""

    def __init__(self, contexts, cores, folder, rng):
        self.contexts, self.cores = contexts, range(cores)
        self.patched = build(contexts, cores, folder)
        emulate(cores, folder)
        self.folder = folder
        self.kernel = symbols_of(os.path.join(folder, "vmlinux"))
        with open(os.path.join(folder, "log"), "rb") as f:
            found = STATE.findall(f.read())
        os.remove(os.path.join(folder, "log"))
        every = [Step(int(cpu), int(pc, 16), [int(x, 16) for x in REGISTER.findall(text)], int(pstate, 16))
                 for cpu, pc, text, pstate, stopped in found if not stopped]
        every = without_repeats(every)
        first = next(i for i, s in enumerate(every) if s.pc == self.kernel["enter"])
        last = next(i for i, s in enumerate(every) if s.pc == self.kernel["stopped"])
        self.times = {}
        self.memory = Memory(folder)
        self.seen = []
        self.unpatched = self.memory.read(0, HIGH + PLACES["a.elf"] + self.patched - CODE, 4)
        self.walk(every, first, last, rng)
        self.steps = every[first:last]
        self.halts = [next(s for s in every[last:] if s.cpu == cpu) for cpu in self.cores]
        self.times = {name: at - first for name, at in self.times.items()}
        for name in PLACES:
            os.remove(os.path.join(folder, name + ".bin"))

    def walk(self, every, first, last, rng):
        """What of a step follows from those before it."""
        following, pending = {}, {}
        for step in reversed(every):
            following[id(step)] = pending.get(step.cpu)
            pending[step.cpu] = step
        tables, contexts, written, before, halted = [0, 0], [0, 0], [0, 0], [None, None], set()
        pointers = [0, 0]
        for at, step in enumerate(every):
            cpu, old = step.cpu, before[step.cpu]
            if cpu in halted:
                continue
            before[cpu] = step
            step.opcode = int.from_bytes(self.memory.read(tables[cpu], step.pc, 4), "little")
            if old and old.opcode == ISB:
                contexts[cpu] = written[cpu]
            step.context, step.process = contexts[cpu], "?AB"[tables[cpu] >> 48]
            if old and old.level == 0 and step.level == 1:
                step.entered = (CALL, old.pc + 4) if old.opcode == SVC else (IRQ, self.returns_to(step, following))
            if at >= last:
                step.system = {"CONTEXTIDR_EL1": contexts[cpu], "TTBR0_EL1": tables[cpu], "TPIDR_EL1": pointers[cpu]}
                halted.add(cpu)
                if len(halted) == len(self.cores):
                    break
                continue
            step.access = a64_accesses.access(step.opcode, step.pc, step.registers)
            if at >= first and rng.random() < CELLS[at >= last - LATE]:
                self.look(tables[cpu], step, rng)
            if step.opcode & ~31 == MSR_TTBR0:
                tables[cpu] = step.registers[step.opcode & 31]
            if step.opcode & ~31 == MSR_TPIDR:
                pointers[cpu] = step.registers[step.opcode & 31]
            if step.opcode & ~31 == MSR_CONTEXTIDR:
                written[cpu] = 0 if step.opcode & 31 == 31 else step.registers[step.opcode & 31]
            self.memory.take(tables[cpu], step, following[id(step)])
            if step.access and step.access.kind == a64_accesses.WRITE:
                self.note_event(at, tables[cpu], step)

    def returns_to(self, step, following):
        """ELR, as the kernel reads it."""
        while True:
            opcode = int.from_bytes(self.memory.read(0, step.pc, 4), "little")
            step = following[id(step)]
            if opcode & ~31 == MRS_ELR:
                return step.registers[opcode & 31]

    def note_event(self, at, table, step):
        place = self.memory.offset(table, step.access.address)
        if place == PLACES["a.elf"] + self.patched - CODE - RAM:
            self.times["patch"] = at
        if place == self.kernel["tasks"] - HIGH - RAM + CONTEXT_OF_B:
            self.times["asid"] = at
        if step.access.size == 8 and step.registers[step.opcode & 31] & ~0x3FFFFFFFFFF000 & 1 == 1 and \
                step.registers[step.opcode & 31] & 0xFFFFF000 == PLACES["lib.so"]:
            self.times["load"] = at

    def look(self, table, step, rng):
        """Memory at some places that were accessed."""
        if step.access:
            self.seen.append((table, step.access.address & ~7))
        for of, address in rng.sample(self.seen, min(3, len(self.seen))):
            data = self.memory.read(table, address, 8) if of == table or address >= HIGH else None
            if data:
                step.cells[address] = data

    # Its snapshot

    def recipe(self, with_contexts):
        """Lines, and the names of the dumps that synth is to follow, which are no dumps of the snapshot."""
        dumps = [("vmlinux.bin", HIGH + KERNEL), ("a.bin", CODE), ("a_later.bin", CODE), ("b.bin", CODE),
                 ("lib.bin", LIBRARY)]
        lines = []
        for cpu in self.cores:
            halt = self.halts[cpu]
            lines += ["core cpu_%d Cortex-A53" % cpu]
            lines += ["reg X%d(size:64) 0x%x" % item for item in enumerate(halt.registers[:31])]
            lines += ["reg SP(size:64) 0x%x" % halt.registers[31], "reg PC(size:64) 0x%x" % halt.pc]
            lines += ["reg CPSR 0x%08x" % halt.pstate]
            lines += ["reg %s(size:64) 0x%x" % item for item in halt.system.items()]
            lines += ["dump %s 0x%x" % dump for dump in dumps]
            lines += ["source ETM_%d ETM4.2 0x%x" % (cpu, 0x10 + cpu), "option sync 600", "option timestamp 10"]
            lines += ["option context-id 1"] * with_contexts
            lines += self.steps_of(cpu, [name for name, _ in dumps], with_contexts)
        return lines, dumps

    def steps_of(self, cpu, dumps, with_contexts):
        lines, said, sees, done = [], None, None, 0
        ran = [(i, s) for i, s in enumerate(self.steps) if s.cpu == cpu]
        for at, step in ran + [(len(self.steps), self.halts[cpu])]:
            if step.entered:
                lines.append("exception %d 0x%x" % step.entered)
            if at == len(self.steps):
                return lines + ["exception %d 0x%x" % (DEBUG_HALT, step.pc)]
            if at > done:
                lines.append("idle %d" % (at - done))
            done = at + 1
            state = "context %d 1" % step.level + " 0x%x" % step.context * with_contexts
            if state != said:
                lines.append(state)
                said = state
            name = "vmlinux.bin" if step.level else "lib.bin" if step.pc >= LIBRARY else step.process.lower() + ".bin"
            if name == "a.bin" and at > self.times["patch"]:
                name = "a_later.bin"
            if name != sees:
                lines.append("sees %d" % dumps.index(name))
                sees = name
            lines.append("run 0x%x 1" % step.pc)

    def make(self, synth, with_contexts=True):
        lines, dumps = self.recipe(with_contexts)
        of = {"a.bin": "a.elf", "a_later.bin": "a.elf", "b.bin": "b.elf", "lib.bin": "lib.so", "vmlinux.bin": "vmlinux"}
        for name, _ in dumps:
            at = PLACES[of[name]] - RAM
            data = bytearray(self.memory.bytes[at:at + 0x4000])
            if name == "a.bin":
                data[self.patched - CODE:self.patched - CODE + 4] = self.unpatched
            self.write(name, data)
        self.write("recipe", "\n".join(lines).encode() + b"\n")
        subprocess.run([synth, "snapshot", os.path.join(self.folder, "recipe"), self.folder], check=True)
        for name, _ in dumps:
            os.remove(os.path.join(self.folder, name))
        for cpu in self.cores:
            self.put_dumps(cpu)

    def put_dumps(self, cpu):
        """What a debugger would have read at the halt: the kernel's memory, and that of the current process."""
        path = os.path.join(self.folder, "cpu_%d.ini" % cpu)
        with open(path, encoding="ascii") as f:
            text = re.sub(r"\[dump\d+\]\n(?:[a-z]+=.*\n)*\n?", "", f.read())
        which = "AB".index(self.halts[cpu].process)
        code, data = PLACES[("a.elf", "b.elf")[which]], DATA_PLACES[which]
        parts = [(HIGH + KERNEL, KERNEL, self.kernel["kernel_end"] - HIGH - KERNEL), (CODE, code, 0x2000),
                 (DATA, data, 0x10000), (STACKS, data + STACKS - DATA, 0x1000)]
        for i, (address, place, size) in enumerate(parts):
            name = "cpu_%d_%x.bin" % (cpu, address)
            self.write(name, self.memory.bytes[place - RAM:place - RAM + size])
            text += "\n[dump%d]\nfile=%s\naddress=0x%x\nlength=0x%x\n" % (i, name, address, size)
        self.write("cpu_%d.ini" % cpu, text.encode())

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(data)

    def time(self, event):
        return event_scene.TIME_AT_START + event_scene.TIME_STEP * self.times[event]

    def log(self, declared):
        """The system event log. `declared` are the messages that say whose contexts are: an event, or None for
        one of the state at the start, and what."""
        patch = self.memory.read(0, HIGH + PLACES["a.elf"] + self.patched - CODE, 4)
        lines = ["0 declare_process(CURRENT, 0, 0x0, vmlinux)"]
        lines += ["0 declare_process(CURRENT, 0x%x, 0x%x, %s)" % (pid, CODE, name)
                  for name, pid in (("a.elf", event_scene.PID_A), ("b.elf", event_scene.PID_B))]
        lines += ["%d " % (0 if event is None else self.time(event)) + line for event, line in declared]
        lines.append("%d patch_code(0x%x, 0x%x, 4, hex:%s)"
                     % (self.time("patch"), event_scene.PID_A, self.patched, patch.hex()))
        lines.append("%d declare_library(START, 0x%x, 0x%x, lib.so)"
                     % (self.time("load"), event_scene.PID_B, LIBRARY))
        return "\n".join(sorted(lines, key=lambda line: int(line.split()[0]))) + "\n"
