#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gcc's analyzer or cppcheck on all of the product's sources. What they find is mended, or has its reason in
analyze_reasons.tsv.

usage: analyze.py BUILD gcc|cppcheck [--root ROOT] [--reasons FILE] [PATH...]

BUILD has compile_commands.json; PATHs are sources, relative to ROOT, instead of all. A reason is a line: tool, what it calls
the finding, file, a part of the line of source that it points at, reason; separated by tabs. With all sources looked at,
one that is of no finding is a failure, too. Ends with 1 if there is a finding without a reason, or a source on which the
tool fails.
"""
import argparse
import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import lint

SKIPPED = 77
FINDING = re.compile(r"^(?P<path>[^:\n]+):(?P<line>\d+):.*\[(?:-W)?(?P<name>[\w-]+)(?:=)?\]$", re.MULTILINE)
CPPCHECK = ("cppcheck", "--enable=warning,performance,portability", "--std=c17", "--library=posix", "--quiet",
            "--template={file}:{line}: {severity}: {message} [{id}]", "-D_GNU_SOURCE")
Finding = collections.namedtuple("Finding", "name path line text")
Reason = collections.namedtuple("Reason", "tool name path text why")


def gcc(entry, _root):
    """The compile command of a source with the analyzer, and without an object."""
    command = entry.get("arguments") or shlex.split(entry["command"])
    kept = [word for word in command[1:] if word != "-Werror"]
    at = kept.index("-o") if "-o" in kept else len(kept)
    del kept[at:at + 2]
    return ["gcc", "-fanalyzer", "-fdiagnostics-plain-output", *kept, "-o", os.devnull]


def cppcheck(entry, root):
    return [*CPPCHECK, "-I", root, os.path.join(entry["directory"], entry["file"])]


TOOLS = {"gcc": gcc, "cppcheck": cppcheck}


def entries(build, root):
    """By path relative to the root, how it is compiled."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        found = json.load(file)
    return {os.path.relpath(os.path.join(entry["directory"], entry["file"]), root): entry for entry in found}


def source_line(path, number):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def look(tool, entry, root):
    """(findings, what the tool said if it failed)"""
    done = subprocess.run(TOOLS[tool](entry, root), cwd=entry["directory"], capture_output=True, text=True, check=False)
    found = set()
    for match in FINDING.finditer(done.stdout + done.stderr):
        path = os.path.join(entry["directory"], match["path"])
        found.add(Finding(match["name"], os.path.relpath(path, root), int(match["line"]), match[0]))
    return found, done.stderr if done.returncode else ""


def read_reasons(path, tool):
    with open(path, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return [reason for reason in (Reason(*row) for row in rows) if reason.tool == tool]


def judge(findings, reasons, root):
    """(findings without a reason, reasons without a finding)"""
    used, left = set(), []
    for finding in sorted(findings):
        line = source_line(os.path.join(root, finding.path), finding.line)
        fits = [reason for reason in reasons
                if (reason.name, reason.path) == (finding.name, finding.path) and reason.text in line]
        used.update(fits)
        if not fits:
            left.append(finding)
    return left, [reason for reason in reasons if reason not in used]


def arguments():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description="static analysis of all of the product's sources")
    parser.add_argument("build")
    parser.add_argument("tool", choices=sorted(TOOLS))
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--root", default=os.path.dirname(here))
    parser.add_argument("--reasons", default=os.path.join(here, "analyze_reasons.tsv"))
    return parser.parse_args()


def main():
    given = arguments()
    if not shutil.which(given.tool):
        print(f"SKIPPED: {given.tool} is not there")
        return SKIPPED
    build, root = os.path.abspath(given.build), os.path.realpath(given.root)
    how = entries(build, root)
    paths = given.paths or lint.sources(build, root)
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        done = list(pool.map(lambda path: look(given.tool, how[path], root), paths))
    findings = set().union(*(found for found, _ in done))
    left, unused = judge(findings, read_reasons(given.reasons, given.tool), root)
    failed = [(path, said) for path, (_, said) in zip(paths, done) if said]
    for finding in left:
        print(finding.text)
    for path, said in failed:
        print(f"{given.tool} fails on {path}:\n{said}")
    if given.paths:
        unused = []
    for reason in unused:
        print(f"analyze_reasons.tsv: of no finding any more: {reason.name} {reason.path}: {reason.text}")
    print(f"{given.tool}: {len(paths)} files, {len(findings)} findings, {len(left)} of them without a reason")
    return 1 if left or failed or unused else 0


if __name__ == "__main__":
    sys.exit(main())
