# SPDX-License-Identifier: Apache-2.0
"""What the cores of a reference snapshot executed, from what OpenCSD made of its trace
(golden/SNAPSHOT.BUFFER.elements.gz) and the opcodes of its dumps: of csreplay, nothing."""
import collections
import gzip
import os
import re

import material

RANGE = re.compile(r"Idx:(\d+); ID:(\w+); OCSD_GEN_TRC_ELEM_INSTR_RANGE\(exec range="
                   r"0x(\w+):\[0x(\w+)\] num_i\((\d+)\) last_sz\((\d)\) \(ISA=(\w+)\) "
                   r"([EN]) (\S+)( .*)\)")
ELEMENT = re.compile(r"Idx:(\d+); ID:(\w+); OCSD_GEN_TRC_ELEM_(\w+)\(")
Instruction = collections.namedtuple("Instruction", "pc isa opcode")
RETURN = re.compile(r"_EXCEPTION\(pref ret addr:0x(\w+);")
# What leaves a place between two instructions at which it is not known what ran.
BREAKS = {"NO_SYNC", "TRACE_ON", "ADDR_NACC", "EO_TRACE"}


def read_ini(path):
    """[(section, {key: value})]; a key without what it says in brackets."""
    sections = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            line = line.split(";")[0].strip()
            if line.startswith("["):
                sections.append((line.strip("[]"), {}))
            elif "=" in line and sections:
                key, value = line.split("=", 1)
                sections[-1][1][re.sub(r"\(.*", "", key).strip()] = value.strip()
    return sections


class Reference:
    """A snapshot of corpus/opencsd and the reference's list of one of its buffers."""

    def __init__(self, name, buffer):
        self.folder = material.shared("corpus", "opencsd", name)
        self.golden = material.shared("golden", f"{name}.{buffer}.elements.gz")
        self.devices = {}
        for file in sorted(os.listdir(self.folder)):
            if file.endswith(".ini"):
                sections = read_ini(os.path.join(self.folder, file))
                for section, values in sections:
                    if section == "device":
                        self.devices[values["name"]] = sections
        trace = dict(read_ini(os.path.join(self.folder, "trace.ini")))
        self.sources = trace["core_trace_sources"]

    def trace_id(self, core):
        """In hexadecimal digits, as lists have it."""
        registers = dict(self.devices[self.sources[core]])["regs"]
        return next(f"{int(value, 0):x}" for name, value in registers.items()
                    if name.endswith("TRACEIDR"))

    def halt(self, core):
        """The PC at the halt."""
        registers = dict(self.devices[core])["regs"]
        return int(registers.get("PC", registers.get("R15", "-1")), 0)

    def memory(self, core):
        """[(address, bytes)] of the core's dumps; of several with an address the first counts."""
        dumps = []
        for section, values in self.devices[core]:
            if section.startswith("dump"):
                with open(os.path.join(self.folder, values["file"]), "rb") as file:
                    file.seek(int(values.get("offset", "0"), 0))
                    data = file.read(int(values["length"], 0) if "length" in values else -1)
                dumps.append((int(values["address"], 0), data))
        return dumps

    def executed(self, core):
        """(instructions, oldest first; the indices of those before which something is not known, or
        which do not follow from the one before by the code of the dumps)."""
        wanted, dumps = self.trace_id(core), self.memory(core)
        found, breaks, ranges = [], set(), {}
        expected = None  # where the next range has to begin
        back = None  # where the exception before an element returns to
        with gzip.open(self.golden, "rt", errors="replace") as file:
            for line in file:
                element = ELEMENT.search(line)
                if not element or element[2] != wanted:
                    continue
                if self.is_break(core, element[3], back, not found):
                    breaks.add(len(found))
                returns = RETURN.search(line)
                back = int(returns[1], 16) if returns else None
                if element[3] in BREAKS or element[3].startswith("EXCEPTION"):
                    expected = None
                if element[3] == "INSTR_RANGE":
                    parts = RANGE.search(line)
                    if parts.groups()[2:7] not in ranges:
                        ranges[parts.groups()[2:7]] = expand(parts, dumps)
                    instructions = ranges[parts.groups()[2:7]]
                    if found and expected not in (None, instructions[0].pc):
                        breaks.add(len(found))
                    found += instructions
                    expected = successor(parts, instructions[-1])
        return found, breaks

    def is_break(self, core, kind, back, is_first):
        """Before the first instruction only code that is not there; at the end, unless the last
        exception returns to where the halt is."""
        if is_first:
            return kind == "ADDR_NACC"
        return kind in BREAKS and not (kind == "EO_TRACE" and back == self.halt(core))


def successor(parts, last):
    """Where execution has to go on after a range; None: anywhere, -1: the last instruction cannot
    have done what the range says of it. Only of A64."""
    if last.isa != "A64":
        return None
    is_taken, is_branch = parts[8] == "E", parts[9].endswith("BR")
    if is_branch and not is_taken and "<cond>" not in parts[10]:
        return -1
    if parts[9] == "BR" and is_taken:
        return branch_target(last)
    return None if parts[9] == "iBR" and is_taken else last.pc + 4


def branch_target(instruction):
    """Of a direct branch of A64."""
    opcode = int(instruction.opcode, 16)
    low, count = (0, 26) if opcode >> 26 & 0x1f == 5 else (5, 19)
    if opcode >> 25 & 0x3f == 0x1b:  # TBZ, TBNZ
        count = 14
    offset = opcode >> low & ((1 << count) - 1)
    return instruction.pc + 4 * (offset - (offset >> (count - 1) << count))


def fetch(dumps, address, size):
    for begin, data in dumps:
        if begin <= address and address + size <= begin + len(data):
            return int.from_bytes(data[address - begin:address - begin + size], "little")
    raise AssertionError(f"no dump has {address:#x}")


def t32_size(halfword):
    """Of an instruction that begins with it: Arm ARM F3.1."""
    return 4 if halfword >> 11 in (0x1d, 0x1e, 0x1f) else 2


def expand(found, dumps):
    """The instructions of a range."""
    first, end, count, last = int(found[3], 16), int(found[4], 16), int(found[5]), int(found[6])
    isa, at, size, instructions = found[7], first, 4, []
    while at < end:
        if isa == "T32":
            size = t32_size(fetch(dumps, at, 2))
        if isa == "T32" and size == 4:
            opcode = fetch(dumps, at, 2) << 16 | fetch(dumps, at + 2, 2)
        else:
            opcode = fetch(dumps, at, size)
        instructions.append(Instruction(at, isa, f"{opcode:0{2 * size}x}"))
        at += size
    assert (len(instructions), at, size) == (count, end, last), found[0]
    return instructions
