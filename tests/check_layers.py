#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that a compiler does not check.

Rooms include and link only what is to their left, of another room its public header alone, each
third-party library is known to one file, folders, files and functions keep their size, a README.md
says what each room is for, nothing is left for later. Prints each breach with its place; exit 0 if there is none. With --self-test it
breaks each rule in a tree of its own and looks whether that is found.

    check_layers.py [--self-test]        environment: CSREPLAY_SOURCE, the project's root
"""
import collections
import os
import re
import sys
import tempfile

# Room -> its public header; from left to right. None: all headers are public; "": none is.
ROOMS = {
    "base": None,
    "snapshot/file": None,
    "snapshot/events": "snapshot/events/events.h",
    "snapshot/elf_core": None,
    "snapshot/elf_object": None,
    "snapshot/line_table": None,
    "snapshot/type_layout": "snapshot/type_layout/type_layout.h",
    "snapshot/variables": "snapshot/variables/variables.h",
    "snapshot": None,
    "snapshot/symbols": "snapshot/symbols/symbols.h",
    "snapshot/os_task": "snapshot/os_task/os_task.h",
    "snapshot/linux_kernel": None,
    "snapshot/rtos": "snapshot/rtos/rtos.h",
    "arch/pattern": "arch/pattern/opcode.h",
    "arch/uop": "arch/uop/uop.h",
    "arch/a64": "arch/a64/a64.h",
    "arch/a32": "arch/a32/a32.h",
    "arch": "arch/isa.h",
    "decoder/element": "decoder/element/element.h",
    "decoder/frame": "decoder/frame/frame.h",
    "decoder/flow": "decoder/flow/flow.h",
    "decoder/etm3": "",
    "decoder/ptm": "",
    "decoder/etm4": "",
    "decoder/stimulus": "",
    "decoder": "decoder/decoder.h",
    "replay/history": "replay/history/history.h",
    "replay/survey": "replay/survey/survey.h",
    "replay/calls": "replay/calls/calls.h",
    "replay/tarmac/log": "replay/tarmac/log/log.h",
    "replay/tarmac": "replay/tarmac/tarmac.h",
    "replay/values/ssa": "replay/values/ssa/ssa.h",
    "replay/values/solver": "replay/values/solver/solver.h",
    "replay/values": "replay/values/values.h",
    "replay/values/explain": "replay/values/explain/explain.h",
    "replay/trust": "replay/trust/trust.h",
    "replay/past": "replay/past/past.h",
    "replay/system_register": "replay/system_register/system_register.h",
    "replay/software_trace": "replay/software_trace/software_trace.h",
    "replay/current_task": "replay/current_task/current_task.h",
    "replay/session": "replay/session/session.h",
    "replay/compare": "replay/compare/compare.h",
    "replay/export": "replay/export/export.h",
    "console": None,
    "stub": None,
    "shell": "shell/shell.h",
    "sandbox": "sandbox/sandbox.h",
    "cli/completion": "cli/completion/completion.h",
    "cli": None,
}
ORDER = list(ROOMS)

# Header of a third-party library -> the file or files that include it, and its CMake target's rooms.
THIRD_PARTY = [
    (r"ini\.h|inih/.*", "snapshot/file/ini.c"),
    (r"libelf\.h|gelf\.h|elf\.h", "snapshot/elf_image.c or snapshot/line_table/elf_sections.c"),
    (r"zlib\.h", "snapshot/line_table/elf_sections.c"),
    (r"capstone/.*|capstone\.h", "arch/disasm.c"),
    (r"histedit\.h|editline/.*", "cli/line_edit.c"),
    (r"seccomp\.h", "sandbox/sandbox.c"),
    (r"archive\.h|archive_entry\.h", "snapshot/file/package.c"),
    (r"roaring/.*", "replay/history/address_index.c"),
    (r"cmocka\.h", None),
]
PACKAGES = {
    "PkgConfig::INIH": "snapshot/file",
    "PkgConfig::ELF": "snapshot or snapshot/line_table",
    "PkgConfig::ZLIB": "snapshot/line_table",
    "PkgConfig::ARCHIVE": "snapshot/file",
    "PkgConfig::CAPSTONE": "arch",
    "PkgConfig::EDIT": "cli",
    "PkgConfig::SECCOMP": "sandbox",
    "PkgConfig::CMOCKA": None,
}

FILE_LINES = 800
FUNCTION_LINES = 60
FOLDER_FILES = 40
CORPUS = "tests/fuzz/corpus"
PROGRAMS = "tests/values/programs/"  # recorded, not read: changing them changes the recordings

README_LINES = ["Purpose", "In", "Out", "Read first", "Specification"]

# Spelled so that this file does not break its own rules.
LEFT_FOR_LATER = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w.])/" + r"(work|root)/")

SOURCE_ENDS = (".c", ".h", ".def")
TEXT_ENDS = SOURCE_ENDS + (".py", ".cmake", ".txt", ".md", ".json", ".ini", ".sh", ".1", ".yml")
TEXT_NAMES = ("gdbinit", "demo", "test", "run", ".clang-format", ".clang-tidy", ".editorconfig")
SKIPPED_FOLDERS = {"build", ".git", "__pycache__", "node_modules"}


def tree_files(root):
    """Paths of the text files of the project, relative to its root, with /."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            if name.endswith(TEXT_ENDS) or name in TEXT_NAMES:
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def room_of(path):
    """The room that a file belongs to, or None for tests and the rest."""
    folder = os.path.dirname(path)
    return folder if folder in ROOMS else None


def target_of(room):
    return "csreplay" if room == "cli" else room.split("/")[-1]


def is_right_of(room, other):
    return ORDER.index(other) > ORDER.index(room)


def is_public(room, name):
    """A table may be public, too: that of the public header's name."""
    return ROOMS[room] in (None, name, os.path.splitext(name)[0] + ".h")


def check_quoted_include(root, path, name):
    room = room_of(path)
    other = room_of(name)
    if not room:
        return None
    if not os.path.isfile(os.path.join(root, name)):
        return 'includes "%s", which is not there; paths are from the project\'s root' % name
    if not other:
        return 'includes "%s", which is of no room' % name
    if is_right_of(room, other):
        return 'room %s includes "%s" of room %s, to its right' % (room, name, other)
    if other != room and not is_public(other, name):
        return 'includes "%s", private to room %s; its public header is "%s"' % (
            name, other, ROOMS[other])
    return None


def check_third_party(path, name):
    if path.startswith("tests/"):
        return None
    for pattern, owner in THIRD_PARTY:
        if re.fullmatch(pattern, name) and path not in (owner or "").split(" or "):
            return "includes <%s>; only %s may" % (name, owner or "tests")
    return None


def check_includes(root, path, lines):
    for number, line in enumerate(lines, 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not match:
            continue
        name = match.group(2)
        breach = check_third_party(path, name)
        if not breach and match.group(1) == '"':
            breach = check_quoted_include(root, path, name)
        if breach:
            yield number, breach


def without_comments(lines):
    return [re.sub(r"#.*", "", line) for line in lines]


def check_links(path, lines):
    """What a room's CMakeLists.txt links, as words of target_link_libraries()."""
    room = room_of(path)
    rooms = {target_of(other): other for other in ROOMS}
    text = "\n".join(without_comments(lines))
    for call in re.finditer(r"target_link_libraries\s*\(([^)]*)\)", text):
        number = text.count("\n", 0, call.start()) + 1
        for word in call.group(1).split()[1:]:
            if word in rooms and is_right_of(room, rooms[word]):
                yield number, "room %s links %s, to its right" % (room, rooms[word])
            if word in PACKAGES and room not in (PACKAGES[word] or "").split(" or "):
                yield number, "room %s links %s; only %s may" % (
                    room, word, PACKAGES[word] or "tests")


def signature_start(lines, brace):
    """Index of the line where the function begins whose body begins at index `brace`."""
    start = brace
    while start > 0 and re.match(r"[\w\s].*[^;{}/]$|\s*\S.*[,)*\w]$", lines[start - 1]):
        start -= 1
    return start


def check_functions(lines):
    """By the style: a body begins with { in the first column and ends with } there."""
    brace = None
    for i, line in enumerate(lines):
        if line == "{":
            brace = i
        elif line == "}" and brace is not None:
            start = signature_start(lines, brace)
            if i - start + 1 > FUNCTION_LINES:
                yield start + 1, "function of %d lines, limit %d" % (i - start + 1,
                                                                     FUNCTION_LINES)
            brace = None


def check_words(lines):
    for number, line in enumerate(lines, 1):
        match = LEFT_FOR_LATER.search(line)
        if match:
            yield number, "%s: nothing is left for later" % match.group(1)
        if MACHINE_PATH.search(line):
            yield number, "a path of one machine"


def check_file(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        lines = file.read().split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    yield from check_words(lines)
    if path.endswith(SOURCE_ENDS + (".py",)) and len(lines) > FILE_LINES:
        yield len(lines), "file of %d lines, limit %d" % (len(lines), FILE_LINES)
    if path.endswith(SOURCE_ENDS):
        if not lines or lines[0] != "/* SPDX-License-Identifier: Apache-2.0 */":
            yield 1, "first line is not the SPDX line"
        yield from check_includes(root, path, lines)
        if not path.startswith(PROGRAMS):
            yield from check_functions(lines)
    if os.path.basename(path) == "CMakeLists.txt" and room_of(path):
        yield from check_links(path, lines)


def check_folders(paths):
    """Folders have few files, and sources of the product lie in rooms."""
    counts = collections.Counter(os.path.dirname(path) for path in paths)
    sources = {os.path.dirname(path) for path in paths if path.endswith(SOURCE_ENDS)}
    for folder, count in sorted(counts.items()):
        if count > FOLDER_FILES and not folder.startswith(CORPUS):
            yield "%s: folder of %d files, limit %d" % (folder, count, FOLDER_FILES)
    for folder in sorted(sources - set(ROOMS)):
        if folder.split("/")[0] in {room.split("/")[0] for room in ROOMS}:
            yield "%s: is no room" % folder


def check_readme(root, room):
    """Five lines: what the room is for, what comes in and goes out, where to read what."""
    path = room + "/README.md"
    if not os.path.isfile(os.path.join(root, path)):
        yield "%s: is not there" % path
        return
    with open(os.path.join(root, path), encoding="utf-8") as file:
        text = file.read()
    said = re.findall(r"^\* \*\*([^*]+)\*\*: \S", text, re.MULTILINE)
    if said != README_LINES:
        yield "%s: says %s, not %s" % (path, ", ".join(said) or "nothing", ", ".join(README_LINES))
        return
    line = re.search(r"^\* \*\*Read first\*\*: (.*)", text, re.MULTILINE).group(1)
    files = re.findall(r"`([^`]+)`", line)
    for name in [name for name in files if not os.path.isfile(os.path.join(root, room, name))]:
        yield "%s: sends its reader to %s, which is not there" % (path, name)
    if not files:
        yield "%s: names no file to read first" % path


def check_readmes(root, paths):
    with_sources = {os.path.dirname(path) for path in paths if path.endswith(SOURCE_ENDS)}
    for room in ORDER:
        if room in with_sources:
            yield from check_readme(root, room)


def check_tree(root):
    paths = list(tree_files(root))
    breaches = list(check_folders(paths)) + list(check_readmes(root, paths))
    for path in paths:
        breaches += ["%s:%d: %s" % (path, number, text) for number, text in check_file(root, path)]
    return breaches


# ---- self-test ----

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"


def function_of(lines):
    return SPDX + "int f(int a,\n      int b)\n{\n" + "\ta++;\n" * (lines - 4) + "}\n"


GOOD = {
    "base/str.h": SPDX,
    "base/str.c": SPDX + '#include "base/str.h"\n#include <stdlib.h>\n',
    "snapshot/file/ini.c": SPDX + "#include <ini.h>\n",
    "snapshot/elf_image.c": SPDX + "#include <gelf.h>\n#include <libelf.h>\n",
    "snapshot/CMakeLists.txt": "target_link_libraries(snapshot PUBLIC base\n"
                               "  PRIVATE PkgConfig::ELF) # not cli)\n",
    "arch/disasm.c": SPDX + '#include <capstone/capstone.h>\n#include "base/str.h"\n',
    "tests/base/test_str.c": SPDX + '#include <cmocka.h>\n#include "base/str.h"\n',
    "tests/base/test_file.c": SPDX + '"/tmp/XXXX' + 'XX"\n' + "\tx;\n" * 798,
    "cli/main.c": function_of(60),
    "cli/x.h": SPDX + '#include "replay/compare/compare.h"\n#include "replay/compare/compare.def"\n',
    "build/x.c": "TO" + "DO\n",
}

def readme_of(names, first="`README.md`"):
    return "".join("* **%s**: %s\n" % (name, first) for name in names)


# (file, its content or None for no file, what must be said of it)
BREACHES = [
    ("base/x.c", SPDX + '#include "base/str.h"\n#include "cli/cli.h"\n',
     'base/x.c:3: room base includes "cli/cli.h" of room cli, to its right'),
    ("decoder/x.h", SPDX + '#  include "replay/compare/compare.h"\n',
     'decoder/x.h:2: room decoder includes "replay/compare/compare.h" of room replay/compare, '
     'to its right'),
    ("stub/x.c", SPDX + '#include "replay/compare/y.h"\n',
     'stub/x.c:2: includes "replay/compare/y.h", private to room replay/compare; its public header '
     'is "replay/compare/compare.h"'),
    ("replay/x.c", SPDX, "replay: is no room"),
    ("stub/x.c", SPDX + '#include "tests/base/test_str.c"\n',
     'stub/x.c:2: includes "tests/base/test_str.c", which is of no room'),
    ("stub/x.c", SPDX + '#include "str.h"\n',
     'stub/x.c:2: includes "str.h", which is not there; paths are from the project\'s root'),
    ("cli/x.c", SPDX + "#include <libelf.h>\n",
     "cli/x.c:2: includes <libelf.h>; only snapshot/elf_image.c or snapshot/line_table/elf_sections.c may"),
    ("snapshot/x.c", SPDX + "#include <elf.h>\n",
     "snapshot/x.c:2: includes <elf.h>; only snapshot/elf_image.c or snapshot/line_table/elf_sections.c may"),
    ("snapshot/x.c", SPDX + "#include <ini.h>\n",
     "snapshot/x.c:2: includes <ini.h>; only snapshot/file/ini.c may"),
    ("stub/x.c", SPDX + "#include <capstone/arm64.h>\n",
     "stub/x.c:2: includes <capstone/arm64.h>; only arch/disasm.c may"),
    ("base/x.c", SPDX + "#include <cmocka.h>\n", "base/x.c:2: includes <cmocka.h>; only tests may"),
    ("base/CMakeLists.txt", "add_library(base)\ntarget_link_libraries(base PUBLIC\n  snapshot)\n",
     "base/CMakeLists.txt:2: room base links snapshot, to its right"),
    ("cli/CMakeLists.txt", "target_link_libraries(csreplay PRIVATE PkgConfig::ELF)\n",
     "cli/CMakeLists.txt:1: room cli links PkgConfig::ELF; only snapshot or snapshot/line_table may"),
    ("cli/x.c", function_of(61), "cli/x.c:2: function of 61 lines, limit 60"),
    ("cli/x.h", SPDX + "\n" * 800, "cli/x.h:801: file of 801 lines, limit 800"),
    ("tests/x.py", "#\n" * 801, "tests/x.py:801: file of 801 lines, limit 800"),
    ("cli/x.c", SPDX + "/* TO" + "DO: later */\n",
     "cli/x.c:2: TO" + "DO: nothing is left for later"),
    ("scripts/demo", "# FIX" + "ME\n", "scripts/demo:1: FIX" + "ME: nothing is left for later"),
    ("README.md", "\nsee /" + "work/x\n", "README.md:2: a path of one machine"),
    ("cli/x.c", "\n" + SPDX, "cli/x.c:1: first line is not the SPDX line"),
    ("stub/README.md", None, "stub/README.md: is not there"),
    ("stub/README.md", "# stub\n",
     "stub/README.md: says nothing, not Purpose, In, Out, Read first, Specification"),
    ("stub/README.md", readme_of(README_LINES[:4]),
     "stub/README.md: says Purpose, In, Out, Read first, not "
     "Purpose, In, Out, Read first, Specification"),
    ("stub/README.md", readme_of(README_LINES, "`README.md` and `x.h`"),
     "stub/README.md: sends its reader to x.h, which is not there"),
    ("stub/README.md", readme_of(README_LINES, "any"), "stub/README.md: names no file to read first"),
]


MANY = {"stub/%d.c" % i: SPDX for i in range(FOLDER_FILES)}  # beside stub.c


def write_tree(root, files):
    for path, content in files.items():
        if content is None:
            continue
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(content)


def self_test():
    failures = 0
    others = {"cli/cli.h": SPDX, "replay/compare/compare.h": SPDX, "replay/compare/y.h": SPDX,
              "replay/compare/compare.def": SPDX, "stub/stub.c": SPDX}
    others.update({room + "/README.md": readme_of(README_LINES) for room in ROOMS})
    trees = [({}, []), (MANY, ["stub: folder of 42 files, limit 40"])]
    for files, want in trees + [({path: text}, [said]) for path, text, said in BREACHES]:
        with tempfile.TemporaryDirectory() as root:
            write_tree(root, {**GOOD, **others, **files})
            got = check_tree(root)
        if got != want:
            failures += 1
            print("expected %s\n     got %s" % (want, got))
    print("self-test: %d trees, %d wrong" % (len(BREACHES) + len(trees), failures))
    return failures


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    here = os.path.dirname(os.path.abspath(__file__))
    breaches = check_tree(os.environ.get("CSREPLAY_SOURCE") or os.path.dirname(here))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
