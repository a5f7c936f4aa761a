#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the tests proved, and what they did not.

usage: report.py [--strict] JUNIT...

In: files of ctest's --output-junit. Out: each test that failed or was skipped, the skipped ones by
reason, and last the counts. Exit 1 if a test failed, if none ran, or with --strict if one was skipped.

A test that cannot do its work, or a part of it, prints `SKIPPED: REASON` for each part and ends with 77; one
that prints that and ends with 0 counts as skipped, too.
"""
import collections
import os
import re
import sys
import xml.etree.ElementTree

REASON = re.compile(r"^SKIPPED: (.+)$", re.MULTILINE)


def reasons_of(case):
    found = list(dict.fromkeys(REASON.findall(case.findtext("system-out") or "")))
    return found or (["no reason given"] if case.find("skipped") is not None else [])


def read(paths):
    """(passed, failed, {reason: skipped tests}, skipped); names begin with the file's."""
    passed, failed, reasons, skipped = [], [], collections.defaultdict(list), []
    for path in paths:
        preset = os.path.splitext(os.path.basename(path))[0]
        for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
            name = f"{preset}/{case.get('name')}"
            why = reasons_of(case)
            if case.get("status") not in ("run", "notrun"):
                failed.append(name)
            elif why:
                skipped.append(name)
                for reason in why:
                    reasons[reason].append(name)
            elif case.get("status") == "run":
                passed.append(name)
            else:
                failed.append(name)  # its program is not there
    return passed, failed, reasons, skipped


def main():
    arguments = sys.argv[1:]
    strict = "--strict" in arguments
    passed, failed, reasons, skipped = read([path for path in arguments if path != "--strict"])
    for name in failed:
        print("failed:", name)
    for reason, names in sorted(reasons.items()):
        print(f"skipped: {reason}: {len(names)} test{'s' if len(names) > 1 else ''}: "
              + " ".join(names))
    if skipped and strict:
        print("--strict: what was skipped counts as failed")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed or (strict and skipped) else 0


if __name__ == "__main__":
    sys.exit(main())
