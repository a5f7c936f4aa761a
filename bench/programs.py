# SPDX-License-Identifier: Apache-2.0
"""The programs to compare: this tree's, those of a base commit, and the reference."""
import os
import shutil
import subprocess
import tempfile

# Of a build of its own, which needs its own library beside it: the path of the program.
REFERENCE_VARIABLE = "OCSD_LISTER"
REFERENCE = os.environ.get(REFERENCE_VARIABLE) or "trc_pkt_lister"
REFERENCE_PACKAGE = "libopencsd-bin"
LAYERS = ("replay", "decoder", "snapshot", "base")
LIBRARIES = ("libelf", "inih", "capstone", "libarchive")


class Program:
    """A build of csreplay, of bench_session on its libraries (None if that did not build), and of
    tarmac_print and of bench_values (None for a base)."""

    def __init__(self, name, csreplay, session, reader=None, values=None):
        self.name = name
        self.csreplay = csreplay
        self.session = session
        self.reader = reader
        self.values = values
        text = subprocess.run([csreplay, "info", "--help"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout
        self.has_threads = "--threads" in text

    def open(self, snapshot, threads=None):
        """The command that opens the snapshot wholly, with so many threads if it knows of any."""
        return [self.csreplay, "info", *self.threads(threads), snapshot]

    def decode(self, snapshot):
        return [self.csreplay, "decode", snapshot]

    def threads(self, count):
        return ["--threads", str(count)] if count and self.has_threads else []


def this_tree(build):
    return Program("ours", os.path.join(build, "cli", "csreplay"),
                   os.path.join(build, "bench", "bench_session"),
                   os.path.join(build, "tests", "tarmac", "tarmac_print"),
                   os.path.join(build, "bench", "bench_values"))


def commit_of(root, name):
    """The short name of a commit, or None if there is no such or no git."""
    try:
        found = subprocess.run(["git", "-C", root, "rev-parse", "--short", name + "^{commit}"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               check=False)
    except OSError:
        return None
    return found.stdout.strip() or None


def is_clean(root):
    return not subprocess.run(["git", "--no-optional-locks", "-C", root, "status", "--porcelain"],
                              stdout=subprocess.PIPE, check=False).stdout


def build_base(root, folder, name):
    """Builds the commit `name` as this tree is built. bench_session is always this tree's, so that
    both sides are asked the same."""
    commit = commit_of(root, name)
    if not commit:
        raise SystemExit(f"bench: there is no commit {name}")
    place = os.path.join(folder, commit)
    source = os.path.join(place, "source")
    build = os.path.join(place, "build")
    if not os.path.isdir(source):
        os.makedirs(source)
        archive = subprocess.Popen(["git", "-C", root, "archive", commit], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", source], stdin=archive.stdout, check=True)
        archive.wait()
    subprocess.run(["cmake", "--preset", "release", "-B", build], cwd=source, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "csreplay"], check=True,
                   stdout=subprocess.DEVNULL)
    return Program("base", os.path.join(build, "cli", "csreplay"),
                   build_session(root, source, build))


def build_session(root, source, build):
    program = os.path.join(build, "bench_session")
    flags = subprocess.run(["pkg-config", "--libs", *LIBRARIES], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    archives = [os.path.join(build, layer, f"lib{layer}.a") for layer in LAYERS]
    done = subprocess.run(["cc", "-std=c17", "-D_GNU_SOURCE", "-O2", "-I", source,
                           os.path.join(root, "bench", "bench_session.c"), "-o", program,
                           *archives, *flags, "-pthread"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return program if done.returncode == 0 else None


def reference_program():
    """What runs it, with the library that was built with it."""
    if not os.environ.get(REFERENCE_VARIABLE):
        return [REFERENCE]
    return ["env", "LD_LIBRARY_PATH=" + os.path.dirname(os.path.abspath(REFERENCE)), REFERENCE]


def reference(snapshot):
    """The reference's command that decodes all of the snapshot and prints to nowhere, or None.

    With -profile newer versions decode without printing. 1.3.3 says that it does not
    know it, and formats every element, so its time is that of decode and print."""
    if not shutil.which(REFERENCE):
        return None
    return [*reference_program(), "-ss_dir", snapshot, "-decode_only", "-profile",
            "-logfilename", os.devnull]


def reference_print(snapshot):
    command = reference(snapshot)
    return [word for word in command if word != "-profile"] if command else None


def reference_runs(snapshot, folder):
    """How many INSTR_RANGE elements the reference sees."""
    command = [*reference_program(), "-ss_dir", snapshot, "-decode_only", "-logstdout"]
    lister = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              cwd=folder)
    runs = sum(1 for line in lister.stdout if b"OCSD_GEN_TRC_ELEM_INSTR_RANGE" in line)
    lister.wait()
    return runs


def reference_version():
    if not shutil.which(REFERENCE):
        return f"(not installed: {REFERENCE_PACKAGE})"
    with tempfile.TemporaryDirectory() as folder:  # it leaves a log where it runs
        done = subprocess.run([*reference_program(), "-help"], stdout=subprocess.PIPE, text=True,
                              check=False, stderr=subprocess.DEVNULL, cwd=folder)
    for line in done.stdout.splitlines():
        if "Library Version" in line:
            return line.rsplit(":", 1)[1].strip()
    return "of unknown version"
