#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A vmlinux that was linked elsewhere than the kernel ran (KASLR): it is placed where memory proves that it was, or
stays where it was linked.

The recordings are of kernels that ran where they were linked, so the file is what moves: every address in it, in
headers, symbols, relocations and debug information, is made lower by OFFSET; what is loaded stays as it is, as
in a kernel that relocates itself."""
import functools
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from material import shared

CSREPLAY = os.environ["CSREPLAY"]
OFFSET = 0x3c80000
FIRST, LAST = 0xffffffc008000000, 0xffffffc0084d0000  # _text and _end
UPPER_BYTES = re.compile(rb"\x08\xc0\xff\xff\xff")  # of each of them
RELA = 4
TEXT, TEXT_SIZE = 0x10000, 0x276898  # .text in what is loaded
OTHER_PLACE = 0x10000000
# What of each entry is asked; with names of functions, source lines and variables in the answers.
SHELL = "crash;threads;modules;stack;list;break die;pointers init_task;last-write jiffies_64;x linux_banner 64"
ASKED = (["history", "--core", "cpu_0"], ["history", "--core", "cpu_1"], ["calls", "--core", "cpu_1"], ["check"],
         ["state", "--core", "cpu_0", "--batch"], ["info"], ["shell", "--command", SHELL])
STATE = "".join(f"{position}\t{name}\n" for position in range(200000, 219700, 2500) for name in ("sp", "x0", "x29"))
GDB = ["-batch", "-ex", "bt", "-ex", "p &init_task", "-ex", "p init_task.comm", "-ex", "info line die"]


def moved(data, by):
    """Every eight bytes that are an address of the kernel."""
    out = bytearray(data)
    for upper in UPPER_BYTES.finditer(data):
        at = upper.start() - 3
        if at >= 0:
            address, = struct.unpack_from("<Q", data, at)
            if FIRST <= address <= LAST:
                struct.pack_into("<Q", out, at, address + by)
    return bytes(out)


def sections(elf):
    """(type, offset, size) of each."""
    at, = struct.unpack_from("<Q", elf, 0x28)
    size, count = struct.unpack_from("<HH", elf, 0x3a)
    for i in range(count):
        _, kind, _, _, offset, length = struct.unpack_from("<IIQQQQ", elf, at + i * size)
        yield kind, offset, length


@functools.cache
def link_elsewhere(elf, offset):
    """The file as if it had been linked `offset` lower."""
    begin, = struct.unpack_from("<Q", elf, 64 + 8)  # of the first segment, which is all that is loaded
    end = begin + struct.unpack_from("<Q", elf, 64 + 32)[0]
    at, size = next((at, size) for kind, at, size in sections(elf) if kind == RELA)
    return b"".join((moved(elf[:begin], -offset), elf[begin:at], moved(elf[at:at + size], -offset), elf[at + size:end],
                     moved(elf[end:], -offset)))


def with_other_words(elf, every):
    """One word of so many of .text is another one."""
    begin, = struct.unpack_from("<Q", elf, 64 + 8)
    changed = bytearray(elf)
    for at in range(begin + TEXT, begin + TEXT + TEXT_SIZE, 4 * every):
        changed[at] ^= 1
    return bytes(changed)


def without_vectors(ini):
    return re.sub(r"VBAR_EL1\(.*\n", "", ini)


def at_two_places(ini):
    """What is in the kernel's image once more, elsewhere."""
    parts = re.findall(r"\[dump\d+\]\nfile=mem_kernel.bin\naddress=0xFFFFFFC008(\w+)\n(length=.*\noffset=.*\n)", ini)
    again = "".join(f"\n[dump{1000 + i}]\nfile=mem_other.bin\naddress=0xFFFFFFC018{low}\n{rest}"
                    for i, (low, rest) in enumerate(parts))
    return without_vectors(ini) + again


@functools.cache
def vmlinux():
    with lzma.open(shared("corpus", "kernel", "elf", "vmlinux.xz")) as file:
        return file.read()


class Offset(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.elf = self.folder / "vmlinux"

    def link(self, offset=OFFSET, change=lambda elf: elf):
        self.elf.write_bytes(change(link_elsewhere(vmlinux(), offset)))

    def copy(self, name, change):
        """A snapshot with other .ini files."""
        source = pathlib.Path(shared("corpus", "kernel", name))
        folder = self.folder / "snapshot"
        folder.mkdir()
        for path in source.glob("*.ini"):
            (folder / path.name).write_text(change(path.read_text()))
        shutil.copy(source / "cstrace.bin", folder)
        shutil.copy(source / "mem_kernel.bin", folder)
        return folder

    def run_it(self, folder, *words, image=None):
        done = subprocess.run([CSREPLAY, *words, "--image", str(image or self.elf), str(folder)], capture_output=True,
                              input=STATE, text=True, check=False, timeout=300)
        self.assertIn(done.returncode, (0, 1) if words[0] == "check" else (0,), done.stderr)
        return done.stdout, done.stderr

    def base_of(self, folder, image=None):
        """Where the image begins, what was said of it, and what else."""
        out, err = self.run_it(folder, "info", image=image)
        base = re.search(r"--image +(0x[0-9a-f]+)", out)
        return int(base[1], 16), re.findall(r"the kernel was moved by (\S+):.* and (\w+) agrees\)", err), err

    def check_all(self, name, *options):
        """Whatever is asked, the answer is that of the kernel at its own addresses; and it is said once."""
        folder = shared("corpus", "kernel", name)
        plain = self.folder / "plain"
        plain.write_bytes(vmlinux())
        self.link()
        for words in ASKED:
            want, said = self.run_it(folder, *words, *options, image=plain)
            self.assertNotIn("was moved", said)
            out, err = self.run_it(folder, *words, *options)
            self.assertEqual(out.replace(str(self.elf), str(plain)), want, words)
            self.assertEqual(err.count(f"the kernel was moved by {OFFSET:#x}:"), 1, err)
            self.assertEqual(len(err.splitlines()), len(said.splitlines()) + 1, err)

    def check_stays(self, folder, base, image=None):
        found, told, err = self.base_of(folder, image)
        self.assertEqual((found, told), (base, []), err)
        return err

    def test_answers_are_those_of_the_kernel_where_it_ran(self):
        self.check_all("uaf_k", "--module", shared("corpus", "kernel", "elf", "kcrash.ko"))

    def test_of_the_other_recording(self):
        self.check_all("sysrq_rs8")

    def test_gdb_has_the_same_callers_lines_and_variables(self):
        folder = shared("corpus", "kernel", "uaf_k")
        told = []
        for offset in (0, OFFSET):
            self.link(offset)
            done = subprocess.run([CSREPLAY, "gdb", "--image", str(self.elf), folder, "--", *GDB], capture_output=True,
                                  text=True, check=False, timeout=300)
            told.append(done.stdout)
        self.assertIn("die_kernel_fault (msg=", told[0])
        self.assertIn("swapper/0", told[0])
        self.assertEqual(told[0], told[1])

    def test_it_moves_down_as_up(self):
        self.link(-OFFSET)
        self.assertEqual(self.base_of(shared("corpus", "kernel", "uaf_k"))[:2], (FIRST, [(f"-{OFFSET:#x}", "VBAR_EL1")]))

    def test_by_the_banner_where_the_vectors_are_not_known(self):
        self.link()
        folder = self.copy("uaf_k", without_vectors)
        self.assertEqual(self.base_of(folder)[:2], (FIRST, [(f"{OFFSET:#x}", "linux_banner")]))

    def test_not_where_the_user_says_where_it_lies(self):
        self.link()
        for base in (FIRST - OFFSET, FIRST + 0x100000):
            self.check_stays(shared("corpus", "kernel", "uaf_k"), base, f"{self.elf}@{base:#x}")

    def test_not_by_an_offset_that_is_none_of_kaslr(self):
        self.link(0x1000)
        self.check_stays(shared("corpus", "kernel", "uaf_k"), FIRST - 0x1000)

    def test_not_with_another_kernels_banner(self):
        self.link(change=lambda elf: elf.replace(b"Linux version 6.1", b"Linux version 6.2"))
        self.check_stays(shared("corpus", "kernel", "uaf_k"), FIRST - OFFSET)

    def test_not_with_another_kernels_code_but_with_what_a_kernel_writes_over(self):
        folder = shared("corpus", "kernel", "uaf_k")
        self.link(change=lambda elf: with_other_words(elf, 12))
        self.assertEqual(self.base_of(folder)[0], FIRST)
        self.link(change=lambda elf: with_other_words(elf, 5))
        self.check_stays(folder, FIRST - OFFSET)

    def test_not_to_where_all_memory_is_mapped_once_more(self):
        """The kernel's code and banner are there, but it does not run there: its pointers say so."""
        folder = self.copy("uaf_k", lambda ini: without_vectors(ini).replace("address=0xFFFFFFC008", "address=0xFFFFFF8048"))
        self.link(0)
        self.check_stays(folder, FIRST)

    def test_not_to_one_of_two_places(self):
        self.link()
        folder = self.copy("uaf_k", at_two_places)
        memory = (folder / "mem_kernel.bin").read_bytes()
        (folder / "mem_other.bin").write_bytes(moved(memory, OTHER_PLACE))
        err = self.check_stays(folder, FIRST - OFFSET)
        self.assertEqual(err.count("memory has the kernel at several offsets"), 1, err)

    def test_nothing_is_said_of_no_memory(self):
        self.link()
        folder = self.copy("uaf_k", lambda ini: re.sub(r"\[dump\d+\]\n(\w.*\n|\n)*", "", ini))
        self.check_stays(folder, FIRST - OFFSET)


if __name__ == "__main__":
    unittest.main()
