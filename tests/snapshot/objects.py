# SPDX-License-Identifier: Apache-2.0
"""Relocatable files as images: what is known of their sections against what the linker makes of them at the
same addresses, and of a kernel module against the memory of the kernel that had loaded it."""
import json
import lzma
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
import material  # noqa: E402
import serving  # noqa: E402

CSREPLAY = os.environ["CSREPLAY"]
PLACES = {".text": 0x400000, ".text.far": 0x404000, ".rodata": 0x480000}
NOWHERE = 0x403000  # where the linker finds what the object itself leaves undefined

A64 = """
.text
    bl far; b far; b.eq far; cbz x0, far; tbz x0, #3, far; tbnz x1, #63, far + 4
    adrp x0, here; add x0, x0, :lo12:here
    ldrb w1, [x0, :lo12:here]; ldrh w1, [x0, :lo12:here]; ldr w1, [x0, :lo12:here]
    ldr x1, [x0, :lo12:here]; ldr q1, [x0, :lo12:here + 16]; str d1, [x0, :lo12:here + 24]
    adr x2, here + 1; ldr x3, here; ldrsw x3, here + 4; prfm pldl1keep, here
    movz x4, #:abs_g3:here; movk x4, #:abs_g2_nc:here; movk x4, #:abs_g1_nc:here; movk x4, #:abs_g0_nc:here
    movz x5, #:abs_g2:here; movz x5, #:abs_g1:here
hole0: bl nowhere
    nop
hole1: adrp x0, nowhere
hole2: ldr x0, [x0, :lo12:nowhere]
    bl back
.section .text.far, "ax"
    nop
.global far
far: b start; nop
back: bl start + 8; ret
.text
.global start
start: ret
.section .rodata, "a"
    .xword far, start - 1, back + 0x123456789
    .balign 16
here: .xword here, far - ., 0
    .word far, far - ., here + 0x7fffffff - 0x480000
    .balign 8
hole3: .xword nowhere
hole4: .word nowhere - .
    .word 0x12345678
"""

ARM = """
.syntax unified
.arch armv7-a
.text
.arm
    bl afar; bl tfar; blx tfar; bleq afar; b afar; bne afar; blx afar
    movw r0, #:lower16:here; movt r0, #:upper16:here; movw r1, #:lower16:tfar; movt r1, #:upper16:tfar
    movw r2, #:lower16:(here - .); movt r2, #:upper16:(tfar - .); movt r2, #:upper16:afar + 12
    bx lr
hole0: bl nowhere
hole1: movw r0, #:lower16:nowhere
hole2: bne tfar
    nop
.thumb
    bl tfar; bl afar; blx afar; b.w tfar
    nop
    bl afar; blx tfar; bl tback
    movw r8, #:lower16:here + 0x1234; movt r8, #:upper16:here; movw r1, #:lower16:tfar; movt r1, #:upper16:tfar
    nop
hole3: b.w afar
hole4: blx nowhere
.section .text.far, "ax"
.arm
.global afar
.type afar, %function
afar: bx lr; b start; blx start; nop
.thumb
.global tfar
.type tfar, %function
.thumb_func
tfar: bx lr; nop; bl start
.type tback, %function
.thumb_func
tback: bl tfar; bx lr
.text
.arm
.global start
.type start, %function
start: bx lr
.section .rodata, "a"
    .word afar, tfar, here + 8, tfar - ., afar - ., here - .
here: .reloc here, R_ARM_PREL31, afar; .reloc here + 4, R_ARM_PREL31, tfar
    .word 0x80000000, 8, tfar(target1), tback
hole5: .word nowhere
    .word 0x12345678
"""


# What a kernel writes over, by its tables: .text of 24 words, of which these are known (0 to 23).
PATCHED = """
.text
    .inst 0x52800000, 0x52800001      // 0, 1
alt: nop; nop                         // 2, 3: alternatives for two words
    .inst 0x52800004, 0x52800005      // 4, 5
key: nop                              // 6: a static key
    .inst 0x52800007, 0x52800008      // 7, 8
ftrace: nop; nop; hint #34; nop; nop  // 9 to 13: before a function and in it
    .inst 0x5280000e, 0x5280000f
mcount: bl mcount                     // 16
    .inst 0x52800011, 0x52800012
late: bti c; nop                      // 19, 20
    nop                               // 21: of the same function
    .inst 0x52800016, 0x52800017
    ret
.section .text.far, "ax"
replace: nop; nop
.section .altinstructions, "a"
    .word alt - ., replace - .
    .hword 7
    .byte 8, 8
    .word elsewhere - ., replace - .
    .hword 7
    .byte 4, 4
.section __jump_table, "aw"
    .word key - ., alt - .
    .xword key - .
.section __patchable_function_entries, "aw"
    .xword ftrace, late
.section __mcount_loc, "a"
    .xword mcount
.section .rodata, "a"
elsewhere: .word 0x1234, 0x5678
"""
WRITTEN_OVER = {2, 3, 6, 9, 10, 11, 12, 13, 16, 19, 20, 21}

ARM_PATCHED = """
.text
.arm
    .inst 0xe3a00000, 0xe3a00001
site: bl site
    .inst 0xe3a00003, 0xe3a00004
key: nop
    .inst 0xe3a00006, 0xe3a00007
many: dmb
    .inst 0xe3a00009, 0xe3a0000a
phys: sub r0, r0, #0x81000000
    sub r0, r0, #0x810000
    .inst 0xe3a0000d, 0xe3a0000e
.section __mcount_loc, "a"
    .word site
.section __jump_table, "aw"
    .word key, site, 0
.section .alt.smp.init, "a"
    .word many - .
    nop
.section .pv_table, "a"
    .word phys - ., phys + 4 - .
"""
ARM_WRITTEN_OVER = [2, 5, 8, 11, 12]


class Objects(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()

    def core(self, kind, registers="PC(size:64)=0x400000\nCPSR=0x3C5\n", dumps=""):
        (self.folder / "snapshot.ini").write_text(
            "[snapshot]\nversion=1.0\ndescription=objects\n[device_list]\ndevice0=cpu_0.ini\n")
        (self.folder / "cpu_0.ini").write_text(
            f"[device]\nname=cpu_0\nclass=core\ntype={kind}\n[regs]\n{registers}{dumps}")

    def words(self, image, addresses):
        """Eight bytes at each address at the halt; None for what is not known."""
        asked = "".join(f"0\tm{address:x}\n" for address in addresses)
        done = subprocess.run([CSREPLAY, "state", "--image", image, str(self.folder), "--batch"], input=asked,
                              capture_output=True, text=True, timeout=60, check=True)
        values = [line.split("\t")[2] for line in done.stdout.splitlines()]
        return [None if value == "-" else int(value, 16) for value in values]

    def build(self, tools, source):
        """The object; the bytes of its sections as the linker places them; addresses of holes."""
        if not shutil.which(tools + "gcc"):
            self.skipTest("no " + tools + "gcc")
        def run(tool, *arguments):
            return subprocess.run([tools + tool, *map(str, arguments)], check=True, capture_output=True,
                                  text=True).stdout
        (self.folder / "o.s").write_text(source)
        (self.folder / "script").write_text("SECTIONS {" + "".join(
            f"{name} {address:#x} : {{ *({name}) }} " for name, address in PLACES.items()) + "}")
        obj, linked = self.folder / "o.o", self.folder / "linked"
        run("as", "-o", obj, self.folder / "o.s")
        run("ld", "-T", self.folder / "script", f"--defsym=nowhere={NOWHERE:#x}", "-e", "0", "-o", linked, obj)
        contents = {}
        for name in PLACES:
            run("objcopy", "-O", "binary", "-j", name, linked, self.folder / "bytes")
            contents[name] = (self.folder / "bytes").read_bytes()
        holes = [int(address, 16) for address in re.findall(r"^(\w+) \w hole\d", run("nm", linked), re.M)]
        return obj, contents, holes

    def check(self, tools, source, kind, wide, registers):
        obj, contents, holes = self.build(tools, source)
        self.core(kind, registers)
        image = f"{obj}@{PLACES['.text']:#x}" + "".join(
            f",{name}={address:#x}" for name, address in PLACES.items() if name != ".text")
        # Veneers of the linker come after what the object has.
        sizes = {name: int(size, 16) for name, size in re.findall(
            r"^\s*\d+ (\S+)\s+(\w{8,})", subprocess.run([tools + "objdump", "-h", str(obj)], check=True, text=True,
                                                     capture_output=True).stdout, re.M)}
        known = 0
        for name, start in PLACES.items():
            starts = range(start, start + sizes[name] - 7, 2)
            for address, found in zip(starts, self.words(image, starts)):
                lacks = any(hole < address + 8 and address < hole + (8 if hole in wide(holes) else 4)
                            for hole in holes)
                right = struct.unpack_from("<Q", contents[name], address - start)[0]
                self.assertEqual(found, None if lacks else right, f"{name} {address:#x}")
                known += not lacks
        self.assertGreater(known, 60)

    def test_a64(self):
        self.check("aarch64-linux-gnu-", A64, "Cortex-A53", lambda holes: [max(holes) - 8],
                   "PC(size:64)=0x400000\nCPSR=0x3C5\n")

    def test_arm(self):
        self.check("arm-none-eabi-", ARM, "Cortex-A15", lambda holes: [], "PC=0x400000\nCPSR=0x1d3\n")

    def test_section_that_is_not_placed_is_unknown(self):
        """And so is what speaks of it."""
        obj, contents, _ = self.build("aarch64-linux-gnu-", A64)
        self.core("Cortex-A53")
        far, data, load = self.words(f"{obj}@0x400000", (0x404000, 0x480000, 0x400000 + 4 * 10))
        self.assertEqual((far, data, load), (None, None, None))
        found = self.words(f"{obj},.text.far=0x404000,.text=0x400000", (0x400000, 0x400000 + 4 * 10))
        self.assertEqual(found, [struct.unpack_from("<Q", contents[".text"])[0], None])

    def test_what_is_wrong_is_said(self):
        obj, _, _ = self.build("aarch64-linux-gnu-", A64)
        self.core("Cortex-A53")
        for rest, said in (("", "--image FILE,.text=ADDRESS,.data=ADDRESS"),
                           (",.none=0x1000", 'has no section ".none" with memory'),
                           (",.text=0xfffffffffffffffc", "beyond the end of the address space"),
                           (",.text=x", "or .SECTION=ADDRESS")):
            done = subprocess.run([CSREPLAY, "info", "--image", f"{obj}{rest}", str(self.folder)],
                                  capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)
        done = subprocess.run([CSREPLAY, "info", "--image", f"{self.folder}/linked,.text=0x400000",
                               str(self.folder)], capture_output=True, text=True, check=False)
        self.assertIn("it is linked", done.stderr)

    def word_is_known(self, image, count):
        """Of words, by the 8 bytes there and by those 4 before: a word is known if either is."""
        first = self.words(image, range(0x400000 - 4, 0x400000 + 4 * count, 4))
        return [first[at] is not None or first[at + 1] is not None for at in range(count)]

    def test_code_that_a_kernel_writes_over_is_not_known(self):
        obj, _, _ = self.build("aarch64-linux-gnu-", PATCHED)
        self.core("Cortex-A53")
        # No word beside a hole is known by 8 bytes alone: each is asked for with both of its neighbours.
        lacking = {at for at, known in enumerate(self.word_is_known(f"{obj}@0x400000", 24)) if not known}
        self.assertEqual(lacking, WRITTEN_OVER)
        done = subprocess.run([CSREPLAY, "info", "--image", f"{obj}@0x400000", str(self.folder)],
                              capture_output=True, text=True, check=True)
        self.assertIn("note: ELF \"%s\": 48 bytes of code at 5 places are such as a kernel writes over" % obj,
                      done.stderr)
        # A dump says what was there.
        (self.folder / "text.bin").write_bytes(struct.pack("<24I", *range(24)))
        self.core("Cortex-A53", dumps="[dump0]\nfile=text.bin\naddress=0x400000\nlength=96\n")
        self.assertEqual(self.words(f"{obj}@0x400000", [0x400008, 0x400018]), [0x300000002, 0x700000006])

    def test_code_that_a_kernel_writes_over_in_a_linked_file(self):
        """As vmlinux has it: the same tables by their sections, or between two symbols."""
        self.core("Cortex-A53")
        for names in ({}, {"__jump_table": "keys", "__mcount_loc": "calls"}):
            source = PATCHED.replace("elsewhere - .", "alt - .", 1)
            for name, other in names.items():
                source = source.replace(f".section {name},", f".section {other},")
            if names:
                source += """
.section keys
.global __stop___jump_table
__stop___jump_table:
.section calls
.global __stop_mcount_loc
__stop_mcount_loc:
"""
                source = source.replace('.section keys, "aw"', '.section keys, "aw"\n__start___jump_table:')
                source = source.replace('.section calls, "a"', '.section calls, "a"\n__start_mcount_loc:')
            self.build("aarch64-linux-gnu-", source)
            lacking = {at for at, known in enumerate(self.word_is_known(self.folder / "linked", 24)) if not known}
            self.assertEqual(lacking, WRITTEN_OVER)

    def test_arm_code_that_a_kernel_writes_over(self):
        obj, _, _ = self.build("arm-none-eabi-", ARM_PATCHED)
        self.core("Cortex-A15", "PC=0x400000\nCPSR=0x1d3\n")
        lacking = [at for at, known in enumerate(self.word_is_known(f"{obj}@0x400000", 15)) if not known]
        self.assertEqual(lacking, ARM_WRITTEN_OVER)
        # And by the names that vmlinux has.
        self.build("arm-none-eabi-", ARM_PATCHED.replace(".alt.smp.init", ".init.smpalt").replace(".pv_table", ".init.pv_table"))
        lacking = [at for at, known in enumerate(self.word_is_known(self.folder / "linked", 15)) if not known]
        self.assertEqual(lacking, ARM_WRITTEN_OVER)

    def test_history_by_vmlinux_has_no_instruction_that_the_kernel_wrote_over(self):
        """A crash without the kernel's memory, by the file alone: each opcode is the one that memory had."""
        folder = pathlib.Path(material.shared("corpus", "kernel", "sysrq_rs8"))
        with lzma.open(material.shared("corpus", "kernel", "elf", "vmlinux.xz")) as f:
            (self.folder / "vmlinux").write_bytes(f.read())
        memory = {}
        for path in folder.glob("*.ini"):
            text = path.read_text()
            for name, address in re.findall(r"file=(\S+)\s+address=(\w+)", text):
                memory[int(address, 16)] = (folder / name).read_bytes()
            (self.folder / path.name).write_text(re.sub(r"\[dump\d+\]\n(\w.*\n|\n)*", "", text))
        shutil.copy(folder / "cstrace.bin", self.folder)
        done = subprocess.run([CSREPLAY, "history", "--format", "json", "--image", str(self.folder / "vmlinux"),
                               str(self.folder)], capture_output=True, text=True, check=True)
        seen = {(int(one["pc"], 16), int(one["opcode"], 16)) for one in map(json.loads, done.stdout.splitlines())
                if "opcode" in one}
        self.assertGreater(len(seen), 1000)
        for pc, opcode in seen:
            base = next(address for address in memory if address <= pc < address + len(memory[address]))
            self.assertEqual(struct.unpack_from("<I", memory[base], pc - base)[0], opcode, hex(pc))

    def test_kernel_module(self):
        """kcrash.ko where the kernel had put it, without the kernel's memory, against that memory. Only what
        the kernel itself has is not known: calls of its functions, its variables."""
        folder = pathlib.Path(material.shared("corpus", "kernel", "uaf_k"))
        module = pathlib.Path(material.shared("corpus", "kernel", "elf", "kcrash.ko"))
        text = (folder / "cpu_0.ini").read_text()
        memory, at = {}, 0
        content = (folder / "mem_kernel.bin").read_bytes()
        for address, length, offset in re.findall(
                r"file=mem_kernel.bin\naddress=(\w+)\nlength=(\w+)\n(?:offset=(\w+))?", text):
            at = int(offset, 16) if offset else at
            memory[int(address, 16)] = content[at:at + int(length, 16)]
            at += int(length, 16)
        start = 0xFFFFFFC000290000
        base = max(address for address in memory if address <= start)
        self.core("Cortex-A72")
        places = {".text": start, ".rodata.str1.8": start + 0x1000, ".data": start + 0x2000, ".bss": start + 0x22C0}
        known = lacking = 0
        image = str(module) + "".join(f",{name}={address:#x}" for name, address in places.items())
        addresses = range(start, start + 0x5E8, 4)
        for address, found in zip(addresses, self.words(image, addresses)):
            if found is None:
                lacking += 1
                continue
            known += 1
            self.assertEqual(found, struct.unpack_from("<Q", memory[base], address - base)[0], hex(address))
        self.assertGreater(known, 150)
        self.assertGreater(lacking, 31)

    def test_names_and_lines_of_a_kernel_module(self):
        """What the shell says of instructions of kcrash.ko, with its sections at other addresses than in the file,
        against nm and addr2line of the file."""
        tool = "aarch64-linux-gnu-addr2line"
        if not shutil.which(tool):
            self.skipTest("no " + tool)
        module = material.shared("corpus", "kernel", "elf", "kcrash.ko")
        start = 0xFFFFFFC000290000
        said = subprocess.run([CSREPLAY, "shell", "--image", f"{module},.text={start:#x}", "--core", "cpu_1", "--command",
                               "seek cmd_note#3; list 300; seek cmd_note#2; list 300; seek cmd_stop#1; list 200",
                               material.shared("corpus", "kernel", "uaf_k")],
                              capture_output=True, text=True, check=True, timeout=120).stdout
        rows = re.findall(r"^[ =>]+\d+  (\w+)(?:\+0x(\w+))?  (\S+:\d+)  ", said, re.MULTILINE)
        names = {name: int(at, 16) for at, name in re.findall(
            r"^(\w+) [tT] (\w+)$", subprocess.run(["nm", module], capture_output=True, text=True, check=True).stdout,
            re.MULTILINE)}
        places = [names[name] + int(offset or "0", 16) for name, offset, _ in rows]
        lines = subprocess.run([tool, "-e", module, "-j", ".text", *map(hex, places)], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        lines = [re.sub(r" \(discriminator \d+\)", "", line).rsplit("/", 1)[-1] for line in lines]
        self.assertGreater(len(rows), 40)
        self.assertEqual([line for _, _, line in rows], lines)


if __name__ == "__main__":
    serving.main()
