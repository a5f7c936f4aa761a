# SPDX-License-Identifier: Apache-2.0
"""Random programs for programs.py: assembly of a function program(rounds) that does what nobody
would write, on registers and on a few hundred bytes of memory, with branches that skip some of it.
"""
import random

BODY = 260
A64_CONDITIONS = "eq ne hs lo mi pl vs vc hi ls ge lt gt le".split()


class A64:
    """Data in x0 to x15, pointers in x20 to x22, rounds in x19; x16 and x17 are for a moment."""

    prologue = """	.text
	.global program
	.type program, %function
program:
	stp x29, x30, [sp, #-96]!
	stp x19, x20, [sp, #16]
	stp x21, x22, [sp, #32]
	mov w19, w0
	adrp x20, cells
	add x20, x20, :lo12:cells
	mov x1, #0x1234
	movk x1, #0x89ab, lsl #48
	eor x9, x1, x20
	mov x12, #-3
1:	add x21, x20, #256
	add x22, x20, #264
"""
    epilogue = """	subs w19, w19, #1
	b.eq 3f
	b 1b
3:	ldp x19, x20, [sp, #16]
	ldp x21, x22, [sp, #32]
	ldp x29, x30, [sp], #96
	ret
"""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def reg(self, width="x"):
        n = self.r.randrange(17)
        return width + ("zr" if n == 16 else str(n))

    def dst(self, width="x"):
        return width + str(self.r.randrange(16))

    def data(self):
        r, w = self.r, self.r.choice("xw")
        bits = 64 if w == "x" else 32
        d, a, b, c = self.dst(w), self.reg(w), self.reg(w), self.reg(w)
        shift = "%s #%d" % (r.choice(("lsl", "lsr", "asr")), r.randrange(bits))
        logic = r.choice(("and", "orr", "eor", "bic", "orn", "eon", "ands", "bics"))
        lsb = r.randrange(bits)
        length = r.randrange(1, bits - lsb + 1)
        cond = r.choice(A64_CONDITIONS)
        mask = ((1 << r.randrange(1, bits)) - 1) << r.randrange(0, 8) & (1 << bits) - 1
        if mask == (1 << bits) - 1:
            mask = 0xff
        named = w + str(r.randrange(16))
        return r.choice((
            "%s %s, %s, %s, %s" % (r.choice(("add", "sub", "adds", "subs")), d, a, b, shift),
            "%s %s, %s, %s, %s" % (logic, d, a, b, shift),
            "%s %s, %s, #%d" % (r.choice(("add", "sub", "adds", "subs")), d, named,
                                r.randrange(4096)),
            "%s %s, %s, #%#x" % (r.choice(("and", "orr", "eor", "ands")), d, a, mask),
            "add %s, %s, %s, %s #%d" % (self.dst(), "x%d" % r.randrange(16), self.reg("w"),
                                        r.choice(("uxtb", "sxth", "uxtw", "sxtw", "sxtb")),
                                        r.randrange(4)),
            "%s %s, %s, %s, %s" % (r.choice(("madd", "msub")), d, a, b, c),
            "%s %s, %s, %s" % (r.choice(("smull", "umull", "smnegl")), self.dst(), self.reg("w"),
                               self.reg("w")),
            "%s %s, %s, %s" % (r.choice(("umulh", "smulh")), self.dst(), self.reg(), self.reg()),
            "%s %s, %s, %s" % (r.choice(("udiv", "sdiv", "lsl", "lsr", "asr", "ror", "adc", "sbc",
                                         "adcs", "sbcs")), d, a, b),
            "%s %s, %s, #%d, #%d" % (r.choice(("ubfx", "sbfx", "bfi", "bfxil", "ubfiz", "sbfiz")),
                                     d, a, lsb, length),
            "extr %s, %s, %s, #%d" % (d, a, b, lsb),
            "%s %s, %s, %s, %s" % (r.choice(("csel", "csinc", "csinv", "csneg")), d, a, b, cond),
            "%s %s, %s, #%d, %s" % (r.choice(("ccmp", "ccmn")), a, b, r.randrange(16), cond),
            "%s %s, %s" % (r.choice(("rbit", "rev", "rev16", "clz", "cls", "mvn", "neg", "negs",
                                     "mov")), d, a),
            "rev32 %s, %s" % (self.dst(), self.reg()),
            "movk %s, #%d, lsl #%d" % (d, r.randrange(65536), r.choice((0, 16))),
            "%s %s, #%d" % (r.choice(("movz", "movn")), d, r.randrange(65536)),
            "cmp %s, %s" % (a, b), "tst %s, %s" % (a, b), "cset %s, %s" % (d, cond),
        ))

    def vector(self):
        r = self.r
        v = "v%d" % r.randrange(4)
        u = "v%d" % r.randrange(4)
        q = r.randrange(4)
        return r.choice((
            "fmov d%d, %s" % (q, self.reg()), "fmov %s, d%d" % (self.dst(), q),
            "mov %s.d[1], x%d" % (v, r.randrange(16)),
            "umov %s, %s.h[%d]" % (self.dst("w"), v, r.randrange(8)),
            "smov %s, %s.b[%d]" % (self.dst(), v, r.randrange(16)),
            "mov %s.s[%d], %s.s[%d]" % (v, r.randrange(4), u, r.randrange(4)),
            "dup %s.4s, w%d" % (v, r.randrange(16)), "movi %s.16b, #%d" % (v, r.randrange(256)),
            "%s %s.16b, %s.16b, v2.16b" % (r.choice(("eor", "and", "orr", "bic", "bsl")), v, u),
            "%s %s.2d, %s.2d, v1.2d" % (r.choice(("add", "sub", "cmeq", "cmhi")), v, u),
            "mov %s.16b, %s.16b" % (v, u), "ext %s.16b, %s.16b, v3.16b, #5" % (v, u),
            "uzp1 %s.8h, %s.8h, v0.8h" % (v, u), "rev64 %s.4h, %s.4h" % (v, u),
            "shl %s.2d, %s.2d, #7" % (v, u), "ushr %s.4s, %s.4s, #3" % (v, u),
            "cnt %s.8b, %s.8b" % (v, u), "addv b%d, %s.8b" % (q, u),
            "scvtf d%d, %s" % (q, self.reg()), "fcvtzs %s, d%d" % (self.dst(), q),
            "str q%d, [x20, #%d]" % (q, 16 * r.randrange(20)),
            "ldr q%d, [x20, #%d]" % (q, 16 * r.randrange(20)),
            "str s%d, [x20, #%d]" % (q, 4 * r.randrange(80)),
            "ldur d%d, [x21, #%d]" % (q, r.randrange(-200, 60)),
            "stp d%d, d%d, [x20, #%d]" % (q, q ^ 1, 8 * r.randrange(40)),
            "st1 {v0.8b, v1.8b}, [x21]", "ld1 {v2.4s, v3.4s}, [x22]",
            "ld1r {%s.8h}, [x21]" % v, "st1 {%s.s}[2], [x22]" % v,
        ))

    def memory(self):
        r = self.r
        base = r.choice(("x20", "x20", "x21", "x22"))
        low = 0 if base == "x20" else -200
        offset = r.randrange(low, 100)
        load = r.choice(("ldur", "ldursw", "ldurb", "ldurh", "ldursb", "ldursh", "ldurw"))
        store = r.choice(("stur", "stur", "sturb", "sturh", "sturw"))
        index = "and x16, x%d, #%s" % (r.randrange(16), r.choice(("0xf8", "0x78", "0xff", "0x18")))
        x, y = self.dst(), self.dst()
        while y == x:
            y = self.dst()
        byte = "%s, [%s, #%d]"
        return r.choice((
            "%s %s" % ("ldur" if load == "ldurw" else load, byte % (
                self.dst("x" if load in ("ldur", "ldursw", "ldursb") else "w"), base, offset)),
            "%s %s" % ("stur" if store == "sturw" else store, byte % (
                self.reg("x" if store == "stur" else "w"), base, offset)),
            index + "\n\tstr %s, [x20, x16]" % self.reg(),
            index + "\n\tldr %s, [x20, x16]" % self.dst(),
            index + "\n\tstrb %s, [x21, x16]" % self.reg("w"),
            index + "\n\tadd x22, x20, x16\n\tmov x16, #%d" % r.randrange(9),
            index + "\n\tadd x17, x21, x16\n\tstr %s, [x17]\n\tmov x17, #1\n\tmov x16, #1"
            % self.reg(),
            index + "\n\tadd x17, x20, x16\n\tstr x17, [x20, #%d]\n\tldr x22, [x20, #%d]"
            % ((8 * r.randrange(20),) * 2),
            "add x21, x20, #%d" % r.randrange(200, 300),
            "stp %s, %s, [x20, #%d]" % (self.reg(), self.reg(), 8 * r.randrange(40)),
            "ldp %s, %s, [x20, #%d]" % (x, y, 8 * r.randrange(40)),
            "stp %s, %s, [x21, #16]!\n\tsub x21, x21, #16" % (self.reg("w"), self.reg("w")),
            "ldr %s, [x21], #8\n\tstr %s, [x21, #-8]!" % (x, y),
            "str %s, [sp, #%d]" % (self.reg(), 48 + 8 * r.randrange(5)),
            "ldr %s, [sp, #%d]" % (x, 48 + 8 * r.randrange(5)),
            "ldaxr %s, [x20]\n\tstlxr w16, %s, [x20]" % (x, y),
        ))

    def branch(self, number):
        r = self.r
        label = "L%d" % number
        return label, r.choice((
            "b.%s %s" % (r.choice(A64_CONDITIONS), label),
            "%s %s, %s" % (r.choice(("cbz", "cbnz")), self.reg(r.choice("xw")), label),
            "%s %s, #%d, %s" % (r.choice(("tbz", "tbnz")), self.reg("w"), r.randrange(32), label),
            "adr x16, %s\n\tbr x16" % label,
        ))


A32_CONDITIONS = "eq ne hs lo mi pl vs vc hi ls ge lt gt le".split()


class A32:
    """Data in r0 to r6, pointers in r7 (all) and r8, rounds in r9; r10 to r12 are for a moment."""

    prologue = """	.text
	.syntax unified
	.arch armv7ve
	.fpu neon
	%s
	.global program
	.type program, %%function
program:
	push {r4-r11, lr}
	sub sp, sp, #44
	mov r9, r0
	movw r7, #:lower16:cells
	movt r7, #:upper16:cells
	movw r1, #0x89ab
	movt r1, #0x1234
	eor r4, r1, r7
	mvn r5, #2
	mov r2, r1
	mov r6, r7
1:	add r8, r7, #256
"""
    epilogue = """	subs r9, r9, #1
	beq 3f
	b 1b
3:	add sp, sp, #44
	pop {r4-r11, pc}
	.ltorg
"""

    def __init__(self, seed, is_t32):
        self.r = random.Random(seed)
        self.is_t32 = is_t32
        self.prologue = self.prologue % (".thumb\n\t.thumb_func" if is_t32 else ".arm")

    def reg(self):
        return "r%d" % self.r.randrange(7)

    dst = reg

    def plain(self):
        r = self.r
        d, a, b, c = self.dst(), self.reg(), self.reg(), self.reg()
        lsb = r.randrange(32)
        length = r.randrange(1, 33 - lsb)
        shift = "%s #%d" % (r.choice(("lsl", "lsr", "asr", "ror")), r.randrange(1, 32))
        s = r.choice(("", "s"))
        return r.choice((
            ("%s" + s, "%s, %s, %s, %s" % (d, a, b, shift),
             ("add", "sub", "and", "orr", "eor", "bic", "adc", "sbc", "rsb")),
            ("%s" + s, "%s, %s, #%d" % (d, a, r.randrange(256)),
             ("add", "sub", "and", "orr", "eor", "bic", "rsb", "adc", "sbc")),
            ("%s" + s, "%s, %s, %s" % (d, a, b), ("lsl", "lsr", "asr", "ror")),
            ("%s" + s, "%s, %s" % (d, a), ("mov", "mvn")),
            ("rrx" + s, "%s, %s" % (d, a), ("",)),
            ("%s", "%s, %s, #%d, #%d" % (d, a, lsb, length), ("ubfx", "sbfx", "bfi")),
            ("%s", "%s, %s, %s" % (d, a, b), ("mul", "udiv", "sdiv", "uadd8", "qadd", "smulbb",
                                              "uxtab", "sxtah", "usad8", "sel", "pkhbt")),
            ("%s", "%s, %s, %s, %s" % (d, a, b, c), ("mla", "mls", "smlabb", "usada8", "smmla")),
            ("%s", "%s, %s" % (d, a), ("clz", "rbit", "rev", "rev16", "revsh", "uxtb", "sxth")),
            ("%s", "%s, %s" % (a, b), ("cmp", "cmn", "tst", "teq")),
            ("%s", "%s, #%d" % (d, r.randrange(65536)), ("movw", "movt")),
            ("%s", "%s, #%d, %s, lsl #3" % (d, r.randrange(1, 31), a), ("ssat", "usat")),
            ("%s", "%s, [r7, #%d]" % (d, r.randrange(300)), ("ldr", "ldrb", "str", "strb")),
            ("%s", "%s, [r7, #%d]" % (d, r.randrange(250)), ("ldrh", "ldrsb", "ldrsh", "strh")),
            ("%s", "%s, [sp, #%d]" % (d, 4 * r.randrange(11)), ("ldr", "str")),
        ))

    def words(self, condition=""):
        pattern, operands, names = self.plain()
        name = pattern % self.r.choice(names) if "%s" in pattern else pattern
        return "%s%s %s" % (name, condition, operands)

    def data(self):
        condition = self.r.choice(A32_CONDITIONS)
        if self.r.randrange(4) != 0:
            return self.words()
        text = self.words(condition)
        return ("it %s\n\t" % condition if self.is_t32 else "") + text

    def vector(self):
        r = self.r
        d, e = r.randrange(4), r.randrange(4)
        a, b = r.sample(range(7), 2)
        return r.choice((
            "vmov d%d, %s, %s" % (d, self.reg(), self.reg()),
            "vmov r%d, r%d, d%d" % (a, b, d), "vmov s%d, %s" % (d, self.reg()),
            "vmov r%d, s%d" % (a, d), "vmov.f64 d%d, d%d" % (d, e),
            "vldr d%d, [r7, #%d]" % (d, 4 * r.randrange(60)),
            "vstr d%d, [r7, #%d]" % (d, 4 * r.randrange(60)),
            "vstr s%d, [r8, #%d]" % (d, 4 * r.randrange(-50, 10)),
            "veor q0, q0, q1", "vadd.i32 q1, q0, q1", "vdup.8 d%d, %s" % (d, self.reg()),
            "vpush {d0, d1}\n\tvpop {d2, d3}", "vldmia r7, {d0, d1}", "vstmia r8, {s1, s2, s3}",
            "vadd.f64 d%d, d%d, d1" % (d, e), "vcvt.s32.f64 s1, d%d" % d,
            "vld1.32 {d0, d1}, [r8]", "vst1.8 {d2}, [r8]", "vmov.32 d1[1], %s" % self.reg(),
        ))

    def memory(self):
        r = self.r
        index = "and r10, %s, #%s" % (self.reg(), r.choice(("0xf8", "0x7c", "0x1c")))
        a, b = sorted(r.sample(range(7), 2))
        even = 2 * r.randrange(3)
        return r.choice((
            index + "\n\tstr %s, [r7, r10]" % self.reg(),
            index + "\n\tldr %s, [r7, r10]" % self.dst(),
            index + "\n\tstrb %s, [r8, r10]" % self.reg(),
            index + "\n\tadd r11, r7, r10\n\tstr %s, [r11]\n\tmov r11, #1\n\tmov r10, #1"
            % self.reg(),
            index + "\n\tadd r11, r7, r10\n\tstr r11, [r7, #%d]\n\tldr r8, [r7, #%d]"
            % ((4 * r.randrange(60),) * 2) + "\n\tadd r8, r8, #252",
            "add r8, r7, #%d" % (r.randrange(50, 75) * 4),
            "strd r%d, r%d, [r7, #%d]" % (even, even + 1, 4 * r.randrange(60)),
            "ldrd r%d, r%d, [r7, #%d]" % (even, even + 1, 4 * r.randrange(60)),
            "push {r%d, r%d}\n\tpop {r%d, r%d}" % ((a, b) + tuple(sorted(r.sample(range(7), 2)))),
            "stm r7, {r%d, r%d, r11}" % (a, b), "ldmia r8!, {r%d, r%d}\n\tsub r8, r8, #8" % (a, b),
            "stmdb r8!, {r%d, r%d}\n\tadd r8, r8, #8" % (a, b),
            "ldr %s, [r8], #4\n\tstr %s, [r8, #-4]!" % (self.dst(), self.reg()),
            "ldrex %s, [r7]\n\tstrex r10, %s, [r7]" % (self.dst(), self.reg()),
            "ldr %s, [r8, #-%d]" % (self.dst(), r.randrange(200)),
            "str %s, [r8, #-%d]" % (self.reg(), r.randrange(200)),
        ))

    def branch(self, number):
        r = self.r
        label = "L%d" % number
        choices = ["b%s %s" % (r.choice(A32_CONDITIONS), label)] * 3
        if self.is_t32:
            choices.append("%s r%d, %s" % (r.choice(("cbz", "cbnz")), r.randrange(7), label))
            choices.append("ldr r10, =%s + 1\n\tbx r10" % label)
        else:
            choices.append("adr r10, %s\n\tbx r10" % label)
            choices.append("adr r10, %s\n\tmov%s pc, r10" % (label, r.choice(A32_CONDITIONS)))
        return label, r.choice(choices)


def program(isa, seed):
    make = A64(seed) if isa in ("a64", "new") else A32(seed, isa == "t32")
    lines = [make.prologue]
    open_labels = []
    for i in range(BODY):
        kind = make.r.randrange(20)
        if kind < 10:
            line = make.data()
        elif kind < 16:
            line = make.memory()
        elif kind < 18:
            line = make.vector()
        else:
            label, line = make.branch(i)
            open_labels.append((i + 1 + make.r.randrange(4), label))
        lines.append("\t%s\n" % line)
        for end, label in list(open_labels):
            if end <= i:
                lines.append("%s:\n" % label)
                open_labels.remove((end, label))
    lines += ["%s:\n" % label for _, label in open_labels]
    lines.append(make.epilogue)
    lines.append("	.bss\n	.align 4\n	.space 512\ncells:\n	.space 1024\n"
                 "	.section .note.GNU-stack, \"\"\n")
    return "".join(lines)
