#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documents say of the tree is so: files and folders that they name are there, and the table of
rooms and the journeys of ARCHITECTURE.md are those of check_layers.py.

A name counts if it stands in `backticks` and ends like a file of the project. With a / it is of the project's root
or of the document's folder; a source without one may lie anywhere. Prints each breach; with --self-test it makes some and looks.

    check_docs.py [--self-test]        environment: CSREPLAY_SOURCE, the project's root
"""
import glob
import os
import re
import sys
import tempfile

from check_layers import ORDER

# What they name is of the time at which it was written.
OF_THEIR_TIME = ("CHANGELOG.md", "bench/RESULTS.md")
NAME = re.compile(r"`([\w.-]+/[\w./*-]*\.(?:c|h|def|py|md|txt|json|tsv|ini|1))`")
BARE_NAME = re.compile(r"`([\w-]+\.(?:c|h|def|py))`")
SKIPPED_FOLDERS = {"build", ".git", "node_modules"}


def files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def is_there(root, document, name):
    return any(glob.glob(os.path.join(root, folder, name))
               for folder in ("", os.path.dirname(document)))


def check_names(root, document, text, known):
    for number, line in enumerate(text.split("\n"), 1):
        missing = [name for name in NAME.findall(line) if not is_there(root, document, name)]
        missing += [name for name in BARE_NAME.findall(line) if name not in known]
        for name in missing:
            yield "%s:%d: names %s, which is not there" % (document, number, name)


def check_architecture(text):
    rows = re.search(r"^## Rooms\n.*?\n\| room .*?\n\|---.*?\n(.*?)\n\n", text, re.DOTALL | re.MULTILINE)
    rooms = re.findall(r"^\| `([^`]+)` \|", rows.group(1) if rows else "", re.MULTILINE)
    if rooms != ORDER:
        yield "ARCHITECTURE.md: the table of rooms is not that of check_layers.py"
    journeys = re.findall(r"^Rooms: (.*)", text, re.MULTILINE)
    if len(journeys) != 4:
        yield "ARCHITECTURE.md: %d journeys, not 4" % len(journeys)
    for journey in journeys:
        passed = re.findall(r"`([^`]+)`", journey)
        for room in sorted(set(passed)):
            if room not in ORDER:
                yield "ARCHITECTURE.md: a journey passes %s, which is no room" % room
            if passed.count(room) > 1:
                yield "ARCHITECTURE.md: a journey passes %s twice" % room


def check(root):
    breaches = []
    paths = list(files(root))
    known = {os.path.basename(path) for path in paths}
    for document in [path for path in paths if path.endswith(".md") and path not in OF_THEIR_TIME]:
        with open(os.path.join(root, document), encoding="utf-8") as file:
            text = file.read()
        breaches += check_names(root, document, text, known)
        if document == "ARCHITECTURE.md":
            breaches += check_architecture(text)
    return breaches


# ---- self-test ----

TABLE = "## Rooms\n\n| room | what |\n|---|---|\n" + "".join("| `%s` | x |\n" % r for r in ORDER) + "\n"
JOURNEY = "Rooms: `stub`, `base`\n"
CASES = [
    ("README.md", "`base/a.h` `a/b` `docs/x.md` `base/*.h` `a.h` `a.b`\n", []),
    ("README.md", "`b.h`\n", ["README.md:1: names b.h, which is not there"]),
    ("docs/x.md", "`man/y.1` `base/a.h`\n", []),
    ("CHANGELOG.md", "`base/gone.h`\n", []),
    ("README.md", "\n`base/b.h`\n", ["README.md:2: names base/b.h, which is not there"]),
    ("docs/x.md", "`base/*.c`\n", ["docs/x.md:1: names base/*.c, which is not there"]),
    ("ARCHITECTURE.md", TABLE + JOURNEY * 3, ["ARCHITECTURE.md: 3 journeys, not 4"]),
    ("ARCHITECTURE.md", TABLE.replace("| `stub` | x |\n", "") + JOURNEY * 4,
     ["ARCHITECTURE.md: the table of rooms is not that of check_layers.py"]),
    ("ARCHITECTURE.md", TABLE + JOURNEY * 3 + "Rooms: `cellar`, `stub`, `cellar`\n",
     ["ARCHITECTURE.md: a journey passes cellar, which is no room",
      "ARCHITECTURE.md: a journey passes cellar twice"]),
]


def self_test():
    wrong = 0
    good = {"base/a.h": "", "docs/x.md": "", "docs/man/y.1": "",
            "ARCHITECTURE.md": TABLE + JOURNEY * 4}
    for path, text, want in CASES:
        with tempfile.TemporaryDirectory() as root:
            for name, content in {**good, path: text}.items():
                full = os.path.join(root, name)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(content)
            got = check(root)
        if got != want:
            wrong += 1
            print("expected %s\n     got %s" % (want, got))
    print("self-test: %d trees, %d wrong" % (len(CASES), wrong))
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    here = os.path.dirname(os.path.abspath(__file__))
    breaches = check(os.environ.get("CSREPLAY_SOURCE") or os.path.dirname(here))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
