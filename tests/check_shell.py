#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""shellcheck finds nothing in the shell scripts of the project: those that name a shell in their first lines.

usage: check_shell.py ROOT [--self-test]
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
FOLDERS = {"build", ".git", "__pycache__", "node_modules"}
SHELL = re.compile(rb"#!.*\b(ba|da)?sh\b|(.*\n){1,5}# shellcheck shell=")


def scripts(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in FOLDERS)
        for name in sorted(files):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                if SHELL.match(file.read(400)):
                    yield os.path.relpath(path, root)


def check(root):
    paths = list(scripts(root))
    done = subprocess.run(["shellcheck", "-x", *paths], cwd=root, check=False)
    print(f"{len(paths)} scripts")
    return done.returncode if paths else 1


def self_test():
    """An unquoted word, in a script that is run and in one that is sourced."""
    head = "#!/usr/bin/env bash\n", "# read by others\n# shellcheck shell=bash\n"
    for start in head:
        with tempfile.TemporaryDirectory() as root:
            with open(os.path.join(root, "script"), "w", encoding="utf-8") as file:
                file.write(start + 'echo "$1"\n')
            if check(root) != 0:
                return 1
            with open(os.path.join(root, "script"), "a", encoding="utf-8") as file:
                file.write("rm $1\n")
            if check(root) == 0:
                return 1
    return 0


def main():
    if not shutil.which("shellcheck"):
        print("SKIPPED: shellcheck is not there")
        return SKIPPED
    return self_test() if "--self-test" in sys.argv[2:] else check(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main())
