#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`csreplay history` of juno_r1_1 lists what Arm DS-5 decoded from the same trace.

usage: ds5.py CORE      1, 3 or 5: the cores of which the snapshot holds a DS-5 report

Both lists are walked side by side from first line to last, with no search: what is neither equal
nor excused below fails the test. DS-5's lines, and what is expected of the tool for each:

  ADDRESS OPCODE ...     the code is in the dumped memory: the same address and opcode
  ADDRESS ? Cannot access target memory
                         the code is outside the dumped memory (asserted): the tool must report this
                         address as one that it cannot read. It does so once for each address that
                         the trace gives; DS-5 repeats the line for further atoms, so adjacent
                         repeats are folded into one
  ? ? ...                DS-5 does not know the address after such code: nothing to compare
  ADDRESS <Unknown>      DS-5's mark where its list begins: equal to the first address that follows
  Return from exception  DS-5's report stops exactly nine instructions short, ERET included: the
                         tool lists them, a straight line of code to the ERET
  Exception: NAME (n)    the tool reports an exception of that number
  Tracing Enabled        the tool reports that the trace begins
  Debug stop             how the report begins: nothing to compare

The other way, the tool may list one thing that DS-5 does not: the unreadable address that an
exception packet gives for code which ran up to the exception.

The dumped kernel is not quite the one that ran: both lists take steps that the dumped code cannot
(straight on over a RET or a BL; from a BL to elsewhere than its target). DS-5 does not say so. The
tool must say so, as gaps, at exactly these steps; they are found here again from the opcodes. Nor
does DS-5 say where the trace has further atoms between such an instruction of the dump as a RET and
the address that it led to: the tool has a gap there, and may have it behind such instructions alone.
"""
import glob
import os
import re
import subprocess
import sys

from material import shared

SHORT = 9  # instructions to an ERET, itself included, that DS-5 does not list
ERET = 0xD69F03E0
DUMP = range(0xFFFFFFC000081000, 0xFFFFFFC0000D1000)  # [dump1] of cpu_*.ini

# What each pair of lists holds, so that neither can shrink unseen: instructions that DS-5 lists,
# those that only the tool lists, addresses outside the dump after folding, those that only the tool
# lists, DS-5's lines folded, DS-5's lines without an address, steps that the dumped code does not
# explain.
COUNTS = ("instructions", "only in history", "unreadable", "only in history", "folded",
          "no address", "misfits")
EXPECTED = {
    "1": (216, 9, 58, 0, 31, 448, 9),
    "3": (333, 9, 73, 1, 37, 485, 10),
    "5": (1440, 27, 348, 0, 231, 1395, 102),
}

REPORT_INSN = re.compile(r"EL1N:(0x[0-9A-F]{16}|\?)\t([0-9A-F]{8}|\?|)\t(.*)")
REPORT_EVENT = re.compile(r"\t\t(?:(Debug stop|Tracing Enabled|Return from exception)"
                          r"|Exception: \w+ \((\d+)\))")
UNREADABLE = "Cannot access target memory"
NO_ADDRESS = (UNREADABLE, "Unknown instruction address")
ELEMENT = re.compile(r"# Idx:\d+; ID:[0-9a-f]+; OCSD_GEN_TRC_ELEM_(\w+)\((.*)\)\s*")
GAP = re.compile(r"# gap before position \d+: (?:the snapshot lacks the code at 0x.*"
                 r"|tracing was off .*|the trace does not lead to the halt, PC 0x.*)")
MISFIT = re.compile(r"# gap before position \d+: the trace does not fit the code in the snapshot"
                    r" at 0x([0-9a-f]+) \(trace byte \d+\)")
LOST = re.compile(r"# gap before position \d+: the trace does not say which instructions were executed"
                  r" at 0x([0-9a-f]+) \(trace byte \d+\)")


def report_item(line):
    """One line of the report as (kind, value); None if its form is unknown."""
    event = REPORT_EVENT.fullmatch(line)
    if event:
        return ("exception", int(event[2])) if event[2] else (event[1], None)
    insn = REPORT_INSN.fullmatch(line)
    if not insn:
        return None
    address, opcode, text = insn.groups()
    if address == "?":
        return ("no address", None) if opcode == "?" and text in NO_ADDRESS else None
    address = int(address, 16)
    if text == "<Unknown>" and not opcode:
        return "begin", address
    if opcode == "?":
        return ("unreadable", address) if text == UNREADABLE and address not in DUMP else None
    return ("insn", (address, int(opcode, 16))) if opcode and address in DUMP else None


def read_report(path):
    """DS-5's list as (kind, value, line number), the lines folded and those without an address."""
    with open(path, encoding="ascii") as file:
        lines = file.read().splitlines()
    items, last, folded, unknown = [], None, 0, 0
    for number, line in enumerate(lines, 1):
        item = report_item(line)
        if item is None:
            sys.exit(f"line {number} of the report has no excuse: {line!r}")
        if item[0] == "no address":
            unknown += 1
        elif item[0] == "unreadable" and item == last:
            folded += 1
        else:
            items.append((*item, number))
        last = item
    return items, folded, unknown


def element_item(line):
    """One note of the history as (kind, value); None for one that DS-5 has no line for."""
    element, misfit = ELEMENT.fullmatch(line), MISFIT.fullmatch(line)
    if misfit:
        return "misfit", int(misfit[1], 16)
    lost = LOST.fullmatch(line)
    if lost:
        return "lost", int(lost[1], 16)
    if not element:
        if not GAP.fullmatch(line):
            sys.exit(f"a note that the trace does not explain: {line}")
        return None
    name, text = element.groups()
    if name == "ADDR_NACC":
        return "unreadable", int(re.match(r" 0x([0-9a-f]+);", text)[1], 16)
    if name == "EXCEPTION":
        return "exception", int(re.search(r"excep num \(0x([0-9a-f]+)\)", text)[1], 16)
    if name == "EXCEPTION_RET":
        return "Return from exception", None
    if name == "TRACE_ON":
        return "Tracing Enabled", None
    if name not in ("NO_SYNC", "PE_CONTEXT", "EO_TRACE"):
        sys.exit(f"an element that DS-5 has no line for: {line}")
    return None


def read_history(folder, core):
    """The tool's list as (kind, value)."""
    done = subprocess.run([os.environ["CSREPLAY"], "history", "--core", f"cpu_{core}", folder],
                          capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"csreplay history ended with {done.returncode}: {done.stderr}")
    lines = done.stdout.splitlines()
    if lines[0].split("\t") != ["index", "pc", "isa", "opcode", "disassembly"]:
        sys.exit(f"unexpected header: {lines[0]}")
    items, position = [], 0
    for line in lines[1:]:
        if line.startswith("# "):
            item = element_item(line)
            if item:
                items.append(item)
            continue
        index, pc, isa, opcode, _ = line.split("\t")
        if int(index) != position or isa != "A64":
            sys.exit(f"unexpected row {position}: {line}")
        items.append(("insn", (int(pc, 16), int(opcode, 16))))
        position += 1
    return items


def signed(value, bits):
    """The low bits of value as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def successors(pc, opcode):
    """Where an A64 instruction can lead and, the other answer, whether it always branches.

    None for the places if a register gives them.
    """
    if opcode & 0xFE000000 == 0xD6000000:  # BR, BLR, RET, ERET
        return None, True
    if opcode & 0x7C000000 == 0x14000000:  # B, BL
        return {pc + 4 * signed(opcode, 26)}, True
    if opcode & 0xFE000000 == 0x54000000 or opcode & 0x7E000000 == 0x34000000:  # B.cond, CB(N)Z
        return {pc + 4, pc + 4 * signed(opcode >> 5, 19)}, False
    if opcode & 0x7E000000 == 0x36000000:  # TB(N)Z
        return {pc + 4, pc + 4 * signed(opcode >> 5, 14)}, False
    return {pc + 4}, False


def is_misfit(before, after):
    """Whether code cannot step so: elsewhere than it leads, or straight on over a branch.

    A branch whose target is in a register may lead to the next instruction only by chance, which
    does not happen in this trace.
    """
    places, always = successors(*before)
    if places is None:
        return after[0] == before[0] + 4
    return after[0] not in places or (always and after[0] == before[0] + 4)


def take_lost(items):
    """The items without atoms that no address came for, and their number: each behind a branch whose
    target is in a register."""
    kept = []
    for item in items:
        if item[0] != "lost":
            kept.append(item)
            continue
        # Gaps are listed after all elements of their place.
        before = next((value for kind, value in reversed(kept) if kind == "insn"), None)
        if not before or successors(*before)[0] is not None or item[1] != before[0] + 4:
            sys.exit(f"{show(item)} behind no branch whose target is in a register")
    return kept, len(items) - len(kept)


def take_misfits(items):
    """The items without misfits, and their number; each must be one, and none be missing.

    Each must lie between two instructions: a step to or from code that cannot be read, or by an
    exception, cannot be judged from opcodes.
    """
    kept, noted, count = [], [], 0
    for item in items:
        if item[0] == "misfit":
            noted.append(item[1])
            continue
        before, after = kept[-1] if kept else ("begin", None), item
        misfit = (before[0] == after[0] == "insn") and is_misfit(before[1], after[1])
        if bool(noted) != misfit:
            sys.exit(f"{show(before)} to {show(after)}: misfits noted {noted}")
        if misfit and not set(noted) <= {before[1][0], after[1][0]}:
            sys.exit(f"a misfit elsewhere than {show(before)} to {show(after)}: {noted}")
        count += len(noted)
        noted = []
        kept.append(item)
    if noted:
        sys.exit(f"misfits after the last instruction: {noted}")
    return kept, count


def tail_to_eret(items, at):
    """Whether items[at - 1:] goes straight on, SHORT instructions, to an ERET and its return."""
    run = items[at - 1:at + SHORT]
    if len(run) != SHORT + 1 or any(kind != "insn" for kind, _ in run):
        return False
    straight = all(b[1][0] == a[1][0] + 4 for a, b in zip(run, run[1:]))
    return (straight and run[-1][1][1] == ERET
            and items[at + SHORT:at + SHORT + 1] == [("Return from exception", None)])


def show(item):
    """An item for a message."""
    value = item[1] if isinstance(item[1], tuple) else (item[1],)
    return " ".join([item[0], *(f"{v:#x}" for v in value if v is not None)])


def compare(report, items):
    """Walk both lists; the numbers of instructions and of addresses that only the tool lists."""
    at, extra_insns, extra_unreadable = 0, 0, 0
    for place, (kind, value, number) in enumerate(report):
        if kind == "Debug stop" and place == 0:
            continue
        if kind == "begin":
            follows = report[place + 1]
            if (follows[1][0] if follows[0] == "insn" else follows[1]) != value:
                sys.exit(f"line {number}: the list does not begin at {value:#x}")
            continue
        if kind == "Return from exception" and tail_to_eret(items, at):
            at += SHORT
            extra_insns += SHORT
        if (kind == "exception" and items[at:at + 1] != [(kind, value)]
                and items[at][0] == "unreadable"):
            at += 1
            extra_unreadable += 1
        if items[at:at + 1] != [(kind, value)]:
            found = show(items[at]) if at < len(items) else "its end"
            sys.exit(f"line {number} of the report, {show((kind, value))}: the history has {found}")
        at += 1
    if at != len(items):
        sys.exit(f"the history goes on after the report: {show(items[at])}")
    return extra_insns, extra_unreadable


def main():
    core = sys.argv[1]
    folder = shared("corpus", "opencsd", "juno_r1_1")
    found = glob.glob(os.path.join(folder, "ds-5-dumps", f"Trace_Report_*_cpu_{core}_*.txt"))
    if len(found) != 1:
        sys.exit(f"{len(found)} reports of core {core}, one expected")
    report, folded, unknown = read_report(found[0])
    items, lost = take_lost(read_history(folder, core))
    items, misfits = take_misfits(items)
    extra_insns, extra_unreadable = compare(report, items)
    counts = (sum(item[0] == "insn" for item in report), extra_insns,
              sum(item[0] == "unreadable" for item in report), extra_unreadable, folded, unknown,
              misfits)
    print(", ".join(f"{name} {count}" for name, count in zip(COUNTS, counts)), f"and without an address {lost}")
    if counts != EXPECTED[core]:
        sys.exit(f"expected {EXPECTED[core]}")


if __name__ == "__main__":
    main()
