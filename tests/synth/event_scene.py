# SPDX-License-Identifier: Apache-2.0
"""Two processes and a kernel: A runs on core 0 and has its code patched, B moves to core 1 and loads a
library there. What they execute is a random walk through random programs; synth encodes it, the system
event log tells of it. The snapshot itself has no memory: all code comes from the log's images."""
import os
import re
import struct
import subprocess

import walk_program

KERNEL, USER, LIBRARY = 0xFFFF800008081000, 0x400000, 0x7F80000000
PID_A, PID_B, TID_B = 0x321, 0x654, 0x655
ASID_A, ASID_B, ASID_B_LATER = 0x11, 0x22, 0x33
TIME_AT_START, TIME_STEP = 0x10000, 3  # synth's clock (etm4_walk.c)
PATCH = range(60, 130)  # indexes of A's instructions that are patched
EVERY = 40  # instructions between timestamps


def elf(address, code, kind=2, build_id=b""):
    """An A64 ELF file with one segment of code; `kind` 2 is ET_EXEC, 3 ET_DYN."""
    note = struct.pack("<III4s", 4, len(build_id), 3, b"GNU\0") + build_id if build_id else b""
    note += bytes(-len(note) % 4)
    offset = 0x1000
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", kind, 183, 1, address, 64, 0, 0,
                         64, 56, 2, 64, 0, 0)
    load = struct.pack("<IIQQQQQQ", 1, 5, offset, address, address, len(code), len(code), 0x1000)
    notes = struct.pack("<IIQQQQQQ", 4, 4, 0x800, 0, 0, len(note), len(note), 4)
    file = (header + load + notes).ljust(0x800, b"\0") + note
    return file.ljust(offset, b"\0") + code


def patched(program, rng):
    """The program with other instructions at PATCH, and as many at the same addresses."""
    other = walk_program.Program(rng, program.base, program.size)
    words = list(struct.unpack("<%dI" % program.size, program.code))
    others = struct.unpack("<%dI" % program.size, other.code)
    for i in PATCH:
        words[i] = others[i]
        program_what = other.what[i]
        other.what[i] = program_what
    for i in range(program.size):
        if i not in PATCH:
            other.what[i] = program.what[i]
    other.code = struct.pack("<%dI" % program.size, *words)
    other.entries = program.entries + [PATCH[0], PATCH[20]]
    return other


class Stuck(Exception):
    """A walk has come to a loop without an indirect branch."""


class Core:
    """A core's recipe, and what it executed: addresses and opcodes."""

    def __init__(self, name, number, dumps, options):
        self.steps, self.truth, self.slices = [], [], []
        self.name, self.dumps = name, dumps
        self.head = ["core %s Cortex-A53" % name, "reg CPSR 0x60000000", "reg SP(size:64) 0x1000"]
        self.head += ["dump %s 0x%x" % (file, address) for file, address in dumps]
        self.head += ["source ETM_%d ETM4.2 0x%x" % (number, 0x10 + number)]
        self.head += ["option " + option for option in options]
        self.steps.append("context 1 1 0")
        self.halt = None  # where it would go on

    def time(self):
        """Of the next instruction."""
        return TIME_AT_START + TIME_STEP * len(self.truth)

    def run(self, program, file, count, index, ends_anywhere=False):
        """`count` instructions of a program, and on to an indirect branch. The index that is next."""
        owner = {"kernel.bin": "kernel", "a.bin": "A", "a_later.bin": "A"}.get(file, "B")
        words = struct.unpack("<%dI" % program.size, program.code)
        self.steps.append("sees %d" % [d[0] for d in self.dumps].index(file))
        calls, begin = [], len(self.truth)
        while True:
            self.steps.append("run 0x%x 1" % program.address(index))
            self.truth.append((program.address(index), words[index]))
            kind = program.what[index][0]
            count -= 1
            index = program.next_of(index, calls)
            if count <= 0 and (kind in ("br", "blr", "ret") or ends_anywhere):
                break
            if count < -2000:
                raise Stuck
        self.slices.append((owner, begin, len(self.truth)))
        self.halt = program.address(index)
        return index

    def interrupt(self, program, index):
        self.steps.append("exception %d 0x%x" % (walk_program.IRQ, program.address(index)))

    def context(self, level, number):
        self.steps.append("context %d 1 0x%x" % (level, number))


class Scene:
    def __init__(self, seed, context_of, every=EVERY, also=()):
        """`context_of` is (process, later) to CONTEXTIDR, None: it is not traced; `every` how many instructions
        there is a timestamp, 0: never; `also` options of the second core's source."""
        rng = walk_program.rng_of(seed)
        self.context_of = context_of or (lambda process, later: 0)
        self.kernel = walk_program.Program(rng, KERNEL, 200)
        self.a = walk_program.Program(rng, USER, 300)
        self.a_later = patched(self.a, rng)
        self.b = walk_program.Program(rng, USER, 260)
        self.library = walk_program.Program(rng, LIBRARY, 120)
        self.files = {"kernel.bin": self.kernel, "a.bin": self.a, "a_later.bin": self.a_later,
                      "b.bin": self.b, "lib.bin": self.library}
        dumps = [(name, p.base) for name, p in self.files.items()]
        options = ["sync 300"] + (["timestamp %d" % every] if every else [])
        if context_of:
            options.append("context-id 1")
        self.cores = [Core("cpu_%d" % i, i, dumps, options + list(also) * i) for i in range(2)]
        self.rng = rng
        self.times = {}

    def in_kernel(self, core, count, process, later=False):
        """The kernel runs, then another process is current."""
        core.context(1, core.current)
        index = core.run(self.kernel, "kernel.bin", count, self.rng.choice(self.kernel.entries))
        core.current = self.context_of(process, later)
        core.context(1, core.current)
        core.run(self.kernel, "kernel.bin", 10, index)
        core.context(0, core.current)

    def user(self, core, program, file, count, index=None, ends=True):
        if index is None:
            index = self.rng.choice(program.entries)
        index = core.run(program, file, count, index, ends)
        if ends:
            core.interrupt(program, index)
        return index

    def play(self):
        """A and B in turn; A is patched between two of its turns, while the kernel runs."""
        zero, one = self.cores
        zero.current = one.current = self.context_of("A", False)
        self.in_kernel(zero, 100, "A")
        at_a = self.user(zero, self.a, "a.bin", 500)
        self.in_kernel(zero, 60, "B")
        at_b = self.user(zero, self.b, "b.bin", 500)
        self.in_kernel(zero, 60, "A")
        self.user(zero, self.a, "a.bin", 600, at_a)
        # The kernel patches A, between two timestamps of its own.
        self.in_kernel(zero, 150, "A")
        begin, end = zero.slices[-2][1], zero.slices[-2][2]
        self.times["patch"] = TIME_AT_START + TIME_STEP * (begin + end) // 2
        self.user(zero, self.a_later, "a_later.bin", 700, PATCH[0])
        self.in_kernel(zero, 60, "A")
        self.user(zero, self.a_later, "a_later.bin", 700, PATCH[20])
        # B goes on elsewhere.
        one.current = self.context_of("A", False)
        self.in_kernel(one, 700, "B")
        self.user(one, self.b, "b.bin", 400, at_b)
        self.in_kernel(one, 150, "B")
        begin, end = one.slices[-2][1], one.slices[-2][2]
        self.times["load"] = TIME_AT_START + TIME_STEP * (begin + end) // 2
        for _ in range(3):
            self.user(one, self.b, "b.bin", 60, ends=False)
            self.user(one, self.library, "lib.bin", 120, ends=False)
        self.user(one, self.b, "b.bin", 60)
        self.in_kernel(one, 150, "B", True)
        self.times["asid"] = TIME_AT_START + TIME_STEP * (one.slices[-2][1] + one.slices[-2][2]) // 2
        self.user(one, self.b, "b.bin", 200)
        self.in_kernel(one, 40, "B", True)

    def play_in_sight(self):
        """A is patched while it runs: no one's timestamps stand close by."""
        core = self.cores[0]
        core.current = self.context_of("A", False)
        self.in_kernel(core, 100, "A")
        self.user(core, self.a, "a.bin", 1000, PATCH[0], ends=False)
        self.times["patch"] = core.time()
        self.user(core, self.a_later, "a_later.bin", 1500, PATCH[20])
        self.times["load"] = self.times["asid"] = core.time()
        self.cores = [core]

    def make(self, synth, folder):
        """The snapshot, without the dumps that synth has followed."""
        lines = []
        for core in self.cores:
            lines += core.head + ["reg PC(size:64) 0x%x" % core.halt] + core.steps
            if core.slices[-1][0] == "kernel":
                lines.append("exception %d 0x%x" % (walk_program.DATA_FAULT, core.halt))
        for name, program in self.files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(program.code)
        with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run([synth, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
        for name in os.listdir(folder):
            if name.endswith(".ini"):
                path = os.path.join(folder, name)
                with open(path, encoding="ascii") as f:
                    text = f.read()
                text = re.sub(r"\[dump\d+\]\n(?:[a-z]+=.*\n)*\n?", "", text)
                with open(path, "w", encoding="ascii") as f:
                    f.write(text)
        for name in self.files:
            os.remove(os.path.join(folder, name))
        images = {"vmlinux": elf(KERNEL, self.kernel.code), "a.elf": elf(USER, self.a.code),
                  "b.elf": elf(USER, self.b.code), "lib.so": elf(0, self.library.code, 3, b"\x5f\xc1\x01")}
        for name, content in images.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content)

    def make_package(self, synth, folder):
        """A trace package of the same, of whose sources it describes the first alone; what define_trace has to
        say of the second. Trace metadata, 5.8 and 6."""
        self.make(synth, folder)
        registers = []
        for number in (2, 3):
            with open(os.path.join(folder, "device_%d.ini" % number), encoding="ascii") as f:
                found = re.findall(r"^(TRC\w+)(?:\([^)]*\))?=(0x\w+)", f.read(), re.M)
            registers.append({name: value for name, value in found if name != "TRCTRACEIDR"})
        with open(os.path.join(folder, "contents.ini"), "w", encoding="ascii") as f:
            f.write("[trace]\nmetadata=trace.ini\nbuffer0=trace.bin\n")
        with open(os.path.join(folder, "trace.ini"), "w", encoding="ascii") as f:
            f.write("[buffer]\nformat: coresight\n\n[trace_16]\nformat: ETM4.2\n")
            f.write("".join("%s: %s\n" % item for item in registers[0].items()))
        for name in ("snapshot.ini", "cpu_0.ini", "cpu_1.ini", "device_2.ini", "device_3.ini"):
            os.remove(os.path.join(folder, name))
        changed = [name for name in registers[1] if registers[1][name] != registers[0].get(name)]
        return ", ".join("%s=%s" % (name, registers[1][name]) for name in changed)

    def patch(self):
        """Start address and bytes of what is patched."""
        first, last = PATCH[0], PATCH[-1]
        return self.a.address(first), self.a_later.code[4 * first:4 * last + 4]


class Counting:
    """A process that adds 1 in a function, waits, and adds 5 there, which was patched meanwhile, as was the
    constant that it loads; with the registers and that constant before each instruction."""
    FUNCTION, LITERAL, WAIT = 16, 20, 40

    def __init__(self):
        def code(step, literal):
            words = [0xD503201F] * 20
            words[0:4] = [0xD2800283, 0x94000000 | 15, 0xF1000463, 0x54000001 | (-2 & 0x7FFFF) << 5]
            words[4:8] = [0xD2800003 | self.WAIT << 5, 0xD503201F, 0xF1000463, 0x54000001 | (-2 & 0x7FFFF) << 5]
            words[8:12] = [0xD2800283, 0x94000000 | 7, 0xF1000463, 0x54000001 | (-2 & 0x7FFFF) << 5]
            words[16:19] = [0x91000000 | step << 10, 0x58000000 | 3 << 5 | 2, 0xD65F03C0]
            return struct.pack("<20IQ", *words, literal)
        self.codes = (code(1, 0x1111222233334444), code(5, 0x5555666677778888))
        self.truth, self.values, self.steps = [], [], []
        self.registers = {0: 7, 2: 0, 3: 0, 30: 0}
        self.halt = self.execute()

    def literal(self, later):
        return struct.unpack_from("<Q", self.codes[later], 4 * self.LITERAL)[0]

    def execute(self):
        """The index of the instruction that is next at the end."""
        r, at, later = self.registers, 0, 0
        self.steps.append("sees 0")
        while at != 12:
            if at == 5 and r[3] == self.WAIT // 2 and not later:
                later = 1
                self.time = TIME_AT_START + TIME_STEP * len(self.truth)
                self.steps.append("sees 1")
            word = struct.unpack_from("<I", self.codes[later], 4 * at)[0]
            self.truth.append((USER + 4 * at, word))
            self.values.append((r[0], r[2], r[3], self.literal(later)))
            self.steps.append("run 0x%x 1" % (USER + 4 * at))
            at = self.step(at, later)
        return at

    def step(self, at, later):
        r = self.registers
        if at in (0, 4, 8):
            r[3] = self.WAIT if at == 4 else 20
        elif at in (1, 9):
            r[30] = at + 1
            return self.FUNCTION
        elif at in (2, 6, 10):
            r[3] -= 1
        elif at in (3, 7, 11):
            return at + 1 if r[3] == 0 else at - 2
        elif at == self.FUNCTION:
            r[0] += (1, 5)[later]
        elif at == self.FUNCTION + 1:
            r[2] = self.literal(later)
        elif at == self.FUNCTION + 2:
            return r[30]
        return at + 1

    def make(self, synth, folder):
        r = self.registers
        r[30] = USER + 4 * r[30]
        lines = ["core cpu_0 Cortex-A53", "reg PC(size:64) 0x%x" % (USER + 4 * self.halt), "reg CPSR 0x60000000"]
        lines += ["reg X%d(size:64) 0x%x" % item for item in r.items()]
        lines += ["dump %d.bin 0x%x" % (i, USER) for i in range(2)]
        lines += ["source ETM_0 ETM4.2 0x10", "option timestamp 6", "option context-id %d" % PID_A]
        lines += ["context 0 1 %d" % PID_A] + self.steps
        lines.append("exception %d 0x%x" % (walk_program.DATA_FAULT, USER + 4 * self.halt))
        for i, code in enumerate(self.codes):
            with open(os.path.join(folder, "%d.bin" % i), "wb") as f:
                f.write(code)
        with open(os.path.join(folder, "recipe"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run([synth, "snapshot", os.path.join(folder, "recipe"), folder], check=True)
        path = os.path.join(folder, "cpu_0.ini")
        with open(path, encoding="ascii") as f:
            text = re.sub(r"\[dump\d+\]\n(?:[a-z]+=.*\n)*\n?", "", f.read())
        with open(path, "w", encoding="ascii") as f:
            f.write(text)
        with open(os.path.join(folder, "a.elf"), "wb") as f:
            f.write(elf(USER, self.codes[0]))

    def log(self):
        first = 4 * self.FUNCTION
        return ("0 declare_process(CURRENT, %d, 0x400000, a.elf)\n%d patch_code(%d, 0x%x, %d, hex:%s)\n"
                % (PID_A, self.time, PID_A, USER + first, len(self.codes[1]) - first,
                   self.codes[1][first:].hex()))


def scene_of(seed, context_of, play=Scene.play, **options):
    """The first that comes to its end, from a seed on."""
    while True:
        try:
            scene = Scene(seed, context_of, **options)
            play(scene)
            return scene
        except Stuck:
            seed += 1000


def without_contradictions(said):
    """What a scene's programs went through was drawn, and no register's values would lead there: that is found, and said."""
    return re.sub(r"^cpu_\d\.ini:1: warning: core \S+: memory or code of the snapshot contradicts the trace .*\n", "", said,
                  flags=re.MULTILINE)


def read_history(csreplay, folder, core, *arguments):
    """Pieces between gaps, each a list of (address, opcode), and the texts of the gaps."""
    done = subprocess.run([csreplay, "history", "--core", core, *arguments, folder],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    pieces, gaps = [[]], []
    for line in done.stdout.splitlines()[1:]:
        if line.startswith("# gap"):
            gaps.append(line)
            pieces.append([])
        elif not line.startswith("#"):
            fields = line.split("\t")
            pieces[-1].append((int(fields[1], 16), int(fields[3], 16) if fields[3] != "-" else None))
    return pieces, gaps, without_contradictions(done.stderr)


def align(pieces, truth):
    """What of the truth the pieces lack, as ranges, each piece being the next stretch of it that is
    equal; None if one is none."""
    at, lacks = 0, []
    for piece in pieces:
        begin = at
        while piece and truth[at:at + len(piece)] != piece:
            at += 1
            if at > len(truth):
                return None
        if at > begin:
            lacks.append((begin, at))
        at += len(piece)
    return lacks + ([(at, len(truth))] if at < len(truth) else [])
