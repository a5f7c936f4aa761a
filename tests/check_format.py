#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C sources are as clang-format 14 writes them; other versions write some lines otherwise.

usage: check_format.py ROOT [--fix]

Left alone: programs that are recorded, since recordings name their lines.
"""
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
VERSION = "14"
LEFT_ALONE = ("examples/", "tests/values/programs/")
FOLDERS = {"build", ".git", "node_modules"}


def formatter():
    """Its command, or None."""
    for name in (f"clang-format-{VERSION}", "clang-format"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=True)
            if re.search(rf"version {VERSION}\.", said.stdout):
                return name
    return None


def sources(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in FOLDERS)
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root)
            if name.endswith((".c", ".h")) and not path.startswith(LEFT_ALONE):
                yield path


def main():
    root = sys.argv[1]
    command = formatter()
    if not command:
        print(f"SKIPPED: clang-format {VERSION} is not there")
        return SKIPPED
    how = ["-i"] if "--fix" in sys.argv[2:] else ["--dry-run", "-Werror"]
    return subprocess.run([command, *how, *sources(root)], cwd=root, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
