#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much is known is a tested quantity: what a test measures, beside tests/values/known.tsv.

A test that knows its name (`known=NAME`) fails if a share is below the table's, if the table lacks
the row, or has a row that was not measured. To raise the table, run tests with CSREPLAY_MEASURED=DIR
and then

    tests/values/known.py DIR... [--lower]

which only raises what it finds, and adds rows, unless `--lower` says that it may also be less.
"""
import os
import re
import sys

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.tsv")
DISTANCES = (100, 1000, 10000, 100000)
COLUMNS = ["%s %d" % (what, d) for what in ("read", "all") for d in DISTANCES] + ["memory"]
SLACK = 0.5   # percent, of another patch of a compiler or a library
WIDE = 15.0   # of another version
NOTHING = "-"  # was asked
WITH = "# with "
SCORE = re.compile(r"^(\w+) +\d+ trials  read(.*)  all(.*)  memory +(\S+)  of ")


def share(known, asked):
    return "%.1f" % (100.0 * known / asked) if asked > 0 else NOTHING


def read_rows(path):
    """((test, variant, line) -> shares, tools that they were measured with)"""
    rows, tools = {}, []
    with open(path, encoding="ascii") as f:
        for line in f.read().splitlines():
            if line.startswith(WITH):
                tools.append(line[len(WITH):])
            elif line and not line.startswith("#"):
                fields = line.split("\t")
                rows[tuple(fields[:3])] = [field.strip() for field in fields[3:]]
    return rows, tools


def write_rows(path, rows, tools, head=()):
    lines = list(head) + [WITH + text for text in sorted(tools)]
    for key in sorted(rows):
        lines.append("\t".join(list(key) + ["%5s" % value for value in rows[key]]))
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")


def assumption(request):
    """What a request of check_values is called beside others of the same recording."""
    for name in ("trust", "abi"):
        assumed = [option for option in request if option.startswith(name + "=")]
        if assumed and assumed[-1] != name + "=0":
            return " " + name
    return ""


def shares_in(text, requests):
    """(assumption, line, shares) of what check_values printed for `requests`."""
    sets = [[]]
    for option in requests:
        if option == "and":
            sets.append(list(sets[-1]))
        else:
            sets[-1].append(option)
    for options, part in zip(sets, text.split("\nand\n")):
        for line in part.splitlines():
            found = SCORE.match(line)
            if found:
                shares = found[2].split() + found[3].split() + [found[4]]
                yield assumption(options), found[1], shares


def below(floor, measured, slack):
    if NOTHING in (floor, measured):
        return floor != measured and slack == SLACK
    return float(measured) < float(floor) - slack


class Known:
    """What one test measures. Without a name all is well."""

    def __init__(self, test):
        self.test = test
        self.measured = {}
        self.tools = set()
        rows, self.strict = read_rows(TABLE) if test else ({}, [])
        self.rows = {key: value for key, value in rows.items() if key[0] == test}
        self.failures = []

    def take(self, variant, line, shares, tools=None):
        """`tools`: that a recording was made with; None if it is the same everywhere."""
        if not self.test:
            return
        key = (self.test, variant, line)
        slack = SLACK if tools is None or tools in self.strict else WIDE
        if slack == WIDE and tools not in self.tools:
            print("%s: measured with other tools (%s), within %.0f points" % (variant, tools, WIDE))
        self.tools |= {tools} if tools else set()
        self.measured[key] = shares
        if key not in self.rows:
            self.failures.append("%s, %s, %s: no row" % key)
            return
        for column, floor, value in zip(COLUMNS, self.rows[key], shares):
            if below(floor, value, slack):
                self.failures.append("%s, %s, %s: %s is %s, floor %s" % (*key, column, value, floor))

    def take_scores(self, variant, text, requests, tools=None):
        """Of check_values' output."""
        for assumed, line, shares in shares_in(text, requests):
            self.take(variant + assumed, line, shares, tools)

    def is_fine(self):
        """Whether all that was measured, and nothing less, is as the table says; prints what is not."""
        folder = os.environ.get("CSREPLAY_MEASURED", "")
        if self.test and folder:
            os.makedirs(folder, exist_ok=True)
            write_rows(os.path.join(folder, self.test), self.measured, self.tools)
        for key in sorted(set(self.rows) - set(self.measured)):
            self.failures.append("%s, %s, %s: not measured" % key)
        for failure in self.failures:
            print("KNOWN: " + failure)
        return not self.failures


def raised(floor, measured, may_lower):
    if may_lower or floor == NOTHING:
        return measured
    return floor if measured == NOTHING else max(floor, measured, key=float)


def updated(rows, tools, folder, may_lower):
    """The table with what was measured into the folder."""
    known_tools = set(tools)
    for test in sorted(os.listdir(folder)):
        new, with_these = read_rows(os.path.join(folder, test))
        if known_tools and not may_lower and not set(with_these) <= known_tools:
            sys.exit("%s: measured with %s, the table was not" % (test, "; ".join(with_these)))
        compilers = {text.split()[0] for text in with_these}
        tools = [text for text in tools if text.split()[0] not in compilers] + with_these
        if may_lower:
            rows = {key: value for key, value in rows.items() if key[0] != test}
        for key, shares in new.items():
            rows[key] = [raised(*pair, may_lower) for pair in zip(rows.get(key, shares), shares)]
    return rows, tools


def main():
    folders = [argument for argument in sys.argv[1:] if argument != "--lower"]
    rows, tools = read_rows(TABLE)
    with open(TABLE, encoding="ascii") as f:
        head = [line for line in f.read().splitlines()
                if line.startswith("#") and not line.startswith(WITH)]
    for folder in folders:
        rows, tools = updated(rows, tools, folder, "--lower" in sys.argv)
    write_rows(TABLE, rows, set(tools), head)
    return 0


if __name__ == "__main__":
    sys.exit(main())
