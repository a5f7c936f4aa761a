#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy 14, with .clang-tidy, on the product's sources that a change touches, or on all.

usage: lint.py BUILD [--root ROOT] [--seconds N] [BASE | --all]

BUILD has compile_commands.json. A change is what differs from BASE, committed or not: by default where
origin/main and this commit part, or else, if this commit is main itself, the commit before. Of a header
the first source is looked at that includes it. With --seconds no file is started after so many; how many
are left is said. Ends with 1 if there is a finding.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import check_layers

SKIPPED = 77
VERSION = "14"
PRODUCT = {room.split("/")[0] for room in check_layers.ROOMS}


def linter():
    """Its command, or None."""
    for name in (f"clang-tidy-{VERSION}", "clang-tidy"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=True)
            if re.search(rf"version {VERSION}\.", said.stdout):
                return name
    return None


def git(root, *arguments):
    """Lines that it says, or None if it fails."""
    if not shutil.which("git"):
        return None
    done = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True,
                          check=False)
    return done.stdout.splitlines() if done.returncode == 0 else None


def default_base(root):
    head = git(root, "rev-parse", "HEAD")
    parting = git(root, "merge-base", "HEAD", "origin/main")
    if parting and parting != head:
        return parting[0]
    before = git(root, "rev-parse", "--verify", "--quiet", "HEAD~1")
    return before[0] if before else None


def sources(build, root):
    """Of the product, those that are compiled, relative to the root."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    paths = {os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
             for entry in entries}
    return sorted(path for path in paths if path.split(os.sep)[0] in PRODUCT)


def includer(root, header, files):
    """The first source that includes it: the one of its name, if that does."""
    wanted = f'#include "{header}"'
    for path in sorted(files, key=lambda path: path != header[:-2] + ".c"):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            if wanted in file.read():
                return path
    return None


def touched(root, base, files):
    changed = git(root, "diff", "--name-only", "--diff-filter=d", base)
    if changed is None:
        sys.exit(f"lint.py: there is no commit {base}")
    chosen = {path for path in changed if path in files}
    chosen |= {includer(root, path, files) for path in changed
               if path.endswith((".h", ".def")) and path.split("/")[0] in PRODUCT}
    return sorted(chosen - {None})


class Lint:
    """Files one after the other, as many at once as there are processors."""

    def __init__(self, command, build, root, seconds):
        self.command = [command, "-p", build, "--quiet"]
        self.root = root
        self.deadline = time.monotonic() + seconds if seconds else None
        self.lock = threading.Lock()
        self.bad = 0
        self.left = 0

    def one(self, path):
        if self.deadline and time.monotonic() > self.deadline:
            with self.lock:
                self.left += 1
            return
        done = subprocess.run([*self.command, path], cwd=self.root, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            with self.lock:
                self.bad += 1
                print(done.stdout or done.stderr, end="", flush=True)

    def all(self, paths):
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(self.one, paths))
        left = f", {self.left} for want of time not looked at" if self.left else ""
        print(f"{len(paths)} files, {self.bad} with findings{left}")
        return 1 if self.bad else 0


def arguments():
    parser = argparse.ArgumentParser(description="clang-tidy on what a change touches")
    parser.add_argument("build")
    parser.add_argument("base", nargs="?")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--all", action="store_true")
    return parser.parse_intermixed_args()


def main():
    given = arguments()
    command = linter()
    if not command:
        print(f"SKIPPED: clang-tidy {VERSION} is not there")
        return SKIPPED
    build = os.path.abspath(given.build)
    root = os.path.realpath(given.root)
    files = sources(build, root)
    base = given.base or default_base(root)
    if not given.all and not base:
        print("no commit before this one: nothing is touched")
        return 0
    chosen = files if given.all else touched(root, base, files)
    return Lint(command, build, root, given.seconds).all(chosen)


if __name__ == "__main__":
    sys.exit(main())
