# SPDX-License-Identifier: Apache-2.0
"""The snapshots and texts to measure with, made from the reference material under build/."""
import configparser
import contextlib
import gzip
import os
import re
import shutil
import subprocess
import sys

MIB = 1 << 20
GIB = 1 << 30
# 32 MiB and 1 MiB (what the reference gets) of each of the small buffers.
SMALL = {"TC2": 32768, "tc2-ptm-rstk-t32": 27884}
# An instruction that the trace of bugfix-exact-match never executes: the first of its dump .init.
ONCE_ADDRESS = "4001d8"
ONCE_PACKETS = f"""async
trace_info 1 0
trace_on
address_context_64 0 0x{ONCE_ADDRESS} 0 1 1
atoms_f1 1
"""
BUGFIX_ID = 0x12
BUGFIX_THREAD = 2  # the one core that it traces
TARMAC = "calculator-aarch64-fastmodel.tarmac"
COMPILER = "aarch64-linux-gnu-gcc"
COMPILER_OPTIONS = ("-O2", "-static", "-nostdlib", "-ffreestanding", "-fno-builtin",
                    "-mgeneral-regs-only", "-fno-tree-loop-distribute-patterns")
RECORDED = 2000000  # instructions of a recording, at most


class Missing(Exception):
    """What the benchmark needs is not here."""


class Inputs:
    """Makes each snapshot when it is first asked for; a later run finds it made."""

    def __init__(self, folder, shared, synth):
        self.folder = folder
        self.shared = shared
        self.synth = synth
        os.makedirs(folder, exist_ok=True)

    def corpus(self, name):
        path = os.path.join(self.shared, "corpus", "opencsd", name)
        if not os.path.isdir(path):
            raise Missing(f"corpus/opencsd/{name} is not beside the project")
        return path

    def snapshot(self, name, source, buffer, write):
        """A copy of the corpus snapshot `source` whose trace file `buffer` is what write(file,
        original bytes) makes."""
        path = os.path.join(self.folder, name)
        original = self.corpus(source)
        made = os.path.join(path, ".made")
        if os.path.exists(made):
            return path
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        for entry in os.scandir(original):
            if entry.is_file() and entry.name != buffer:
                shutil.copyfile(entry.path, os.path.join(path, entry.name))
        with open(os.path.join(original, buffer), "rb") as file:
            data = file.read()
        with open(os.path.join(path, buffer), "wb") as file:
            write(file, data)
        with open(made, "wb"):
            return path

    def bugfix(self, times):
        """bugfix-exact-match with its buffer of 1 MiB repeated."""
        return self.repeated("bugfix-exact-match", "cstrace.bin", times)

    def repeated(self, source, buffer, times):
        """The corpus snapshot `source` with its buffer repeated."""
        return self.snapshot(f"{source}-x{times}", source, buffer,
                             lambda file, data: repeat(file, data, times))

    def bugfix_once(self, times):
        """As bugfix(), after a piece of trace that alone executes ONCE_ADDRESS."""
        def write(file, data):
            file.write(self.once_frames())
            repeat(file, data, times)
        return self.snapshot(f"bugfix-once-x{times}", "bugfix-exact-match", "cstrace.bin", write)

    def once_frames(self):
        """The packets of ONCE_PACKETS in CoreSight frames, made by the encoder of the tests."""
        script = os.path.join(self.folder, "once.txt")
        packets = os.path.join(self.folder, "once.bin")
        with open(script, "w", encoding="ascii") as file:
            file.write(ONCE_PACKETS)
        with open(packets, "wb") as file:
            subprocess.run([self.synth, "packets", script], stdout=file, check=True)
        return subprocess.run([self.synth, "frames", "1000", "0", f"{BUGFIX_ID}={packets}"],
                              stdout=subprocess.PIPE, check=True).stdout

    def dense(self):
        """4 GiB of trace."""
        return self.snapshot("bugfix-4g-dense", "bugfix-exact-match", "cstrace.bin",
                             lambda file, data: repeat(file, data, 4 * GIB // len(data)))

    def sparse(self):
        """4 GiB with trace at the start, in the middle and at the end, and holes between."""
        def write(file, data):
            for place in (0, 2 * GIB, 4 * GIB - len(data)):
                file.seek(place)
                file.write(data)
        return self.snapshot("bugfix-4g-sparse", "bugfix-exact-match", "cstrace.bin", write)

    def small(self, source, size):
        """TC2 or tc2-ptm-rstk-t32 with its buffer repeated to about `size` bytes."""
        buffer = "cstrace.bin" if source == "TC2" else "PTM_0_2.bin"
        return self.snapshot(f"{source}-{size // MIB}m", source, buffer,
                             lambda file, data: repeat(file, data, -(-size // len(data))))


    def tarmac(self, times):
        """The path of TARMAC repeated, the time going on from one repetition to the next, and how
        many instructions it has."""
        source = os.path.join(self.shared, "corpus", "tarmac", TARMAC)
        if not os.path.isfile(source):
            raise Missing(f"corpus/tarmac/{TARMAC} is not beside the project")
        with open(source, "rb") as file:
            text = file.read()
        instructions = len(re.findall(rb"(?m)^\d+ clk I[TS] ", text))
        path = os.path.join(self.folder, f"calculator-x{times}.tarmac")
        if not os.path.exists(path):
            with open(path + ".part", "wb") as file:
                for i in range(times):
                    file.write(later(text, i * instructions))
            os.rename(path + ".part", path)
        return path, times * instructions

    @contextlib.contextmanager
    def tarmac_huge(self, times):
        """As tarmac(), but of 4 GiB at least, its time beginning anew with each of the repetitions
        of the shorter text; it is removed at the end, there may be no room for more."""
        source, instructions = self.tarmac(times)
        path = os.path.join(self.folder, "calculator-4g.tarmac")
        count = -(-4 * GIB // os.path.getsize(source))
        try:
            with open(source, "rb") as file, open(path, "wb") as huge:
                repeat(huge, file.read(), count)
            yield path, count * instructions
        finally:
            os.unlink(path)

    def recorded(self):
        """bench/long.c, recorded under qemu once, which takes a minute."""
        if not shutil.which(COMPILER) or not shutil.which("qemu-aarch64"):
            raise Missing(f"{COMPILER} or qemu-aarch64 is not installed")
        path = os.path.join(self.folder, "long")
        if os.path.exists(os.path.join(path, "snapshot.ini")):
            return path
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        subprocess.run([COMPILER, *COMPILER_OPTIONS, os.path.join(root, "bench", "long.c"),
                        "-o", os.path.join(path, "long.elf")], check=True)
        subprocess.run([sys.executable, os.path.join(root, "examples", "record.py"), path,
                        "long.elf", "--last", str(RECORDED), "--synth", self.synth],
                       check=True, stdout=subprocess.DEVNULL)
        return path

    def interrupted(self, times):
        """That program so many times more, with a timestamp every 100 instructions, interrupts
        whose handlers are not traced, contexts, gaps and overflows, at random."""
        source = self.recorded()
        path = os.path.join(self.folder, f"interrupted-x{times}")
        made = os.path.join(path, ".made")
        if os.path.exists(made):
            return path
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        recipe = ["description bench/long.c, again and again", "repeat 16",
                  "core cpu_0 Cortex-A53", *self.dump_lines(source, path),
                  "source ETM_0 ETM4.2 0x10", "option return-stack 8", "option sync 1024",
                  "option timestamp 100", "option context-id 0x51"]
        with gzip.open(os.path.join(source, "truth.gz"), "rt") as truth:
            recipe += ["run 0x" + line.strip() for line in truth]
        recipe.append(f"again {times}")
        script = os.path.join(path, "recipe")
        with open(script, "w", encoding="ascii") as file:
            file.write("\n".join(recipe) + "\n")
        subprocess.run([self.synth, "snapshot", script, path], check=True)
        with open(made, "wb"):
            return path

    @staticmethod
    def dump_lines(source, path):
        """The recipe's dumps, as the core's ini file has them; their files go along."""
        ini = configparser.ConfigParser(strict=False)
        ini.optionxform = str
        ini.read(os.path.join(source, "cpu_0.ini"))
        for name in ini.sections():
            if not name.startswith("dump"):
                continue
            dump = ini[name]
            shutil.copyfile(os.path.join(source, dump["file"]), os.path.join(path, dump["file"]))
            yield (f"dump {dump['file']} {dump['address']} {dump['length']} "
                   f"{dump.get('offset', '0')}")


def later(text, ticks):
    """The Tarmac lines with their times moved on."""
    return re.sub(rb"(?m)^\d+", lambda time: b"%d" % (int(time[0]) + ticks), text)


def repeat(file, data, times):
    for _ in range(times):
        file.write(data)


def trace_bytes(snapshot):
    """The size of the snapshot's trace buffer."""
    return max(os.path.getsize(os.path.join(snapshot, name))
               for name in ("cstrace.bin", "PTM_0_2.bin")
               if os.path.exists(os.path.join(snapshot, name)))
