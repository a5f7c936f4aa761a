# SPDX-License-Identifier: Apache-2.0
"""A copy of the project to try mutants in: built once, then rebuilt for each mutant.

The layers are shared libraries here, so that a mutant costs one compilation and one link. In: the
committed tree. Out: builds, and answers of tests.
"""
import dataclasses
import hashlib
import io
import json
import os
import signal
import subprocess
import tarfile

SKIPPED = 77
MEMORY_MOST = 8 << 30  # of a process; a mutant may ask for memory without end
CONFIGURE = ["-G", "Ninja", "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON",
             "-DCMAKE_BUILD_TYPE=Debug"]
# No line numbers in the objects: a mutant whose object is the same is no mutant.
FLAGS = {"plain": "-O1 -w",
         "coverage": "-O0 -w --coverage",
         "sanitized": "-O1 -g1 -w -fno-omit-frame-pointer -fsanitize=address,undefined "
                      "-fno-sanitize-recover=all"}


def read(path):
    with open(path, "rb") as file:
        return file.read()


@dataclasses.dataclass
class Test:
    name: str
    command: list
    environment: dict
    folder: str    # of the build tree, tests/...
    timeout: float
    seconds: float = 0.0
    ran: frozenset = frozenset()  # (path, function)


class Bed:
    def __init__(self, root, place, kind, shared):
        self.source = os.path.join(place, "csreplay")
        self.build_folder = os.path.join(place, kind)
        self.kind = kind
        self.unpack(root)
        subprocess.run(["cmake", *CONFIGURE, f"-DCMAKE_C_FLAGS={FLAGS[kind]}",
                        f"-DCSREPLAY_SHARED={shared}", "-S", self.source, "-B", self.build_folder],
                       check=True, stdout=subprocess.DEVNULL)

    def unpack(self, root):
        """What is there as it should be stays untouched, so that little is built again."""
        archive = subprocess.run(["git", "-C", root, "archive", "HEAD"], check=True,
                                 stdout=subprocess.PIPE).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for member in files:
                path = os.path.join(self.source, member.name)
                if member.isdir():
                    os.makedirs(path, exist_ok=True)
                    continue
                data = files.extractfile(member).read()
                os.makedirs(os.path.dirname(path), exist_ok=True)
                if not os.path.exists(path) or read(path) != data:
                    with open(path, "wb") as file:
                        file.write(data)
                    os.chmod(path, member.mode)

    def build(self, jobs=1):
        """None, or what the compiler says."""
        done = subprocess.run(["ninja", "-C", self.build_folder, f"-j{jobs}"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return None if done.returncode == 0 else done.stdout

    def tests(self):
        done = subprocess.run(["ctest", "--test-dir", self.build_folder, "--show-only=json-v1"],
                              check=True, stdout=subprocess.PIPE)
        found = []
        for test in json.loads(done.stdout)["tests"]:
            values = {p["name"]: p["value"] for p in test["properties"]}
            environment = dict(pair.split("=", 1) for pair in values.get("ENVIRONMENT", []))
            found.append(Test(test["name"], test["command"], environment,
                              os.path.relpath(values["WORKING_DIRECTORY"], self.build_folder),
                              values.get("TIMEOUT", 300.0)))
        return found

    def run(self, test, timeout, more=None):
        """(exit code, output); a test that takes too long has the exit code "timeout"."""
        limit = [] if self.kind == "sanitized" else ["prlimit", f"--as={MEMORY_MOST}"]
        process = subprocess.Popen(limit + test.command, cwd=os.path.join(self.build_folder, test.folder),
                                   env={**os.environ, **test.environment, **(more or {})},
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            out, _ = process.communicate(timeout=timeout)
            return process.returncode, out.decode(errors="replace")
        except subprocess.TimeoutExpired:
            return "timeout", ""
        finally:
            # Servers and emulators that a failed test leaves after.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            process.stdout.close()

    def object_of(self, path):
        """A digest of what a source file is compiled to; of a table, of its room's library."""
        room, name = os.path.split(path)
        target = "csreplay" if room == "cli" else os.path.basename(room)
        compiled = os.path.join(self.build_folder, room, "CMakeFiles", f"{target}.dir",
                                name + ".o")
        if not os.path.exists(compiled):
            compiled = os.path.join(self.build_folder, room,
                                    target if room == "cli" else f"lib{target}.so")
        return hashlib.sha256(read(compiled)).digest()

    def write(self, path, text):
        with open(os.path.join(self.source, path), "w", encoding="utf-8") as file:
            file.write(text)
