# SPDX-License-Identifier: Apache-2.0
"""What a core halted at, from registers that the manual says the meaning of: `info`, the banner of
`serve`, `monitor crash` and the stop reply. Snapshots are made here; opcodes are written out."""
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest

CSREPLAY = os.environ["CSREPLAY"]
CODE = 0x400400
A64 = "Cortex-A53"
A32 = "Cortex-A15"
M = "Cortex-M4"

LDR_W0_X2 = 0xb9400040
STR_X3_X2_X1 = 0xf8216843
LDP_X0_X1_X2 = 0xa9400440
BRK_0X800 = 0xd4210000
A32_STR_R0_R2 = 0xe5820000
A32_BKPT_1 = 0xe1200071
T32_LDR_R0_R3 = 0x6818

FAULT = {"PC": 0x400404, "CPSR": 0, "ESR_EL1": 0x92000005, "FAR_EL1": 0x322d7261,
         "ELR_EL1": 0x400404, "SPSR_EL1": 0, "X2": 0x322d7261}
ABORT = {"PC": 0x400404, "CPSR": 0x10, "DFSR": 0x805, "DFAR": 0x322d7261, "LR_ABT": 0x40040c,
         "SPSR_ABT": 0x10, "R2": 0x322d7261}


def made(folder, kind, registers, words, memory=()):
    """A snapshot of one core with code at CODE and other words at addresses."""
    path = pathlib.Path(folder)
    (path / "code.bin").write_bytes(b"".join(struct.pack("<I", w) for w in words))
    lines = ["[device]", "name=cpu_0", "class=core", f"type={kind}", "[regs]"]
    lines += [f"{name}(size:{32 if kind != A64 else 64})={value:#x}"
              for name, value in registers.items()]
    lines += ["[dump0]", "file=code.bin", f"address={CODE:#x}"]
    for i, (address, word) in enumerate(memory, 1):
        (path / f"word{i}.bin").write_bytes(struct.pack("<I", word))
        lines += [f"[dump{i}]", f"file=word{i}.bin", f"address={address:#x}"]
    (path / "cpu_0.ini").write_text("\n".join(lines) + "\n")
    (path / "snapshot.ini").write_text("[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu_0.ini\n")


def packet(text):
    return f"${text}#{sum(text.encode()) & 0xff:02x}"


class CrashCause(unittest.TestCase):
    def ask(self, kind, registers, words=(0xd503201f, LDR_W0_X2), memory=()):
        """(the crash of the JSON or None, the stop reply's signal, what serve says)"""
        with tempfile.TemporaryDirectory() as folder:
            made(folder, kind, registers, words, memory)
            info = subprocess.run([CSREPLAY, "info", "--format", "json", folder], check=True,
                                  capture_output=True, text=True, timeout=60)
            text = subprocess.run([CSREPLAY, "info", folder], check=True, capture_output=True,
                                  text=True, timeout=60).stdout
            served = subprocess.run(
                [CSREPLAY, "serve", "--once", "--listen", "stdio", folder], check=True, text=True,
                capture_output=True, timeout=60,
                input="+" + packet("qSupported:swbreak+") + "+" + packet("?") + "+" +
                packet("qRcmd," + b"crash".hex()) + "+++++" + packet("D"))
        crash = json.loads(info.stdout)["cores"][0].get("crash")
        signal = served.stdout.split("$T")[1][:2]
        if crash:
            self.assertIn(f"cpu_0  {crash['text']}\n", text)
            self.assertIn(f"cpu_0: {crash['text']}\n", served.stderr)
            self.assertIn(f"cpu_0: {crash['text']}\n".encode().hex(), served.stdout)
        else:
            self.assertNotIn("crash", text)
        return crash, signal

    def expect(self, text, signal, *arguments, **named):
        crash, got = self.ask(*arguments, **named)
        self.assertEqual(crash and crash["text"], text)
        self.assertEqual(got, signal)
        return crash

    def test_data_abort_of_the_instruction_at_the_halt(self):
        crash = self.expect("data abort at 0x400404: read of 0x322d7261, translation fault level 1; "
                            "register x2; taken from EL0 to EL1", "0b", A64, FAULT)
        text = crash.pop("text")
        self.assertIn("0x322d7261", text)
        self.assertEqual(crash, {
            "from": "registers", "status": "ESR_EL1", "is_halt": True, "what": "data abort",
            "signal": "SIGSEGV", "access": "read", "details": ["translation fault level 1"],
            "registers": "x2", "pc": "0x400404", "address": "0x322d7261"})

    def test_registers_that_cannot_be_it_are_not_named(self):
        other = dict(FAULT, X2=0x1000)
        self.assertNotIn("register", self.ask(A64, other)[0]["text"])
        tagged = dict(FAULT, X2=0x4b00_0000_322d_7261)
        self.assertEqual(self.ask(A64, tagged)[0]["registers"], "x2")
        second = dict(FAULT, X2=0x322d7259)
        self.assertEqual(self.ask(A64, second, (0, LDP_X0_X1_X2))[0]["registers"], "x2")
        unknown = {name: value for name, value in FAULT.items() if name != "X2"}
        self.assertEqual(self.ask(A64, unknown)[0]["registers"], "x2")
        both = dict(FAULT, ESR_EL1=0x92000045, X2=0x322d7000, X1=0x261)
        crash = self.ask(A64, both, (0, STR_X3_X2_X1))[0]
        self.assertIn("write of 0x322d7261", crash["text"])
        self.assertEqual(crash["registers"], "x1 and x2")

    def test_address_that_is_not_given_is_that_of_the_instruction_if_it_follows(self):
        lacking = {name: value for name, value in FAULT.items() if name != "FAR_EL1"}
        self.assertIn("read of 0x322d7261,", self.ask(A64, lacking)[0]["text"])
        del lacking["X2"]
        self.assertIn(": read, translation", self.ask(A64, lacking)[0]["text"])

    def test_what_was_taken_last_need_not_be_the_halt(self):
        self.expect("the last exception taken to EL1 that ESR_EL1 recorded: data abort at 0x5000: "
                    "read of 0x322d7261, translation fault level 1; taken from EL0", "05",
                    A64, dict(FAULT, ELR_EL1=0x5000))
        self.expect(None, "05", A64, dict(FAULT, ELR_EL1=0x5000, ESR_EL1=0x56000000))
        self.expect(None, "05", A64, dict(FAULT, ESR_EL1=0))

    def test_halt_in_the_vector_is_that_exception(self):
        at = dict(FAULT, ELR_EL1=0x5000, VBAR_EL1=0x400000, CPSR=0x3c5, PC=0x400204)
        self.assertEqual(self.ask(A64, at)[1], "0b")
        self.assertEqual(self.ask(A64, dict(at, PC=0x400284))[1], "05")  # the vector of IRQ
        serror = dict(at, ESR_EL1=0xbe000011, PC=0x400380)
        self.expect("SError at 0x5000: asynchronous; taken from EL0 to EL1", "0a", A64, serror)
        self.assertEqual(self.ask(A64, dict(serror, PC=0x400204))[1], "05")

    def test_level_is_the_one_whose_registers_fit(self):
        both = dict(FAULT, ELR_EL1=0x5000, ESR_EL2=0x9a000000, ELR_EL2=0x400404)
        self.expect("SP alignment fault at 0x400404; taken to EL2", "0a", A64, both)
        neither = dict(both, ELR_EL2=0x6000, CPSR=0x3c9)
        self.assertEqual(self.ask(A64, neither)[0]["status"], "ESR_EL2")
        self.assertEqual(self.ask(A64, dict(neither, CPSR=0x3c5))[0]["status"], "ESR_EL1")

    def test_without_a_link_register_nothing_is_said_of_where(self):
        alone = {name: value for name, value in FAULT.items() if name != "ELR_EL1"}
        self.expect("data abort: read of 0x322d7261, translation fault level 1; taken from EL0 to "
                    "EL1", "0b", A64, alone)

    def test_opcode_that_stops_a_program(self):
        self.expect("BRK instruction 0x800 at 0x400404", "05", A64, {"PC": 0x400404},
                    (0, BRK_0X800))
        self.expect("UDF instruction 0x0 at 0x400404", "04", A64, {"PC": 0x400404}, (1, 0))
        self.expect("BKPT instruction 0x1 at 0x400404", "05", A32,
                    {"PC": 0x400404, "CPSR": 0x10}, (0, A32_BKPT_1))
        self.expect("UDF instruction 0x1 at 0x400404", "04", M, {"PC": 0x400404, "XPSR": 1 << 24},
                    (0, 0xde01))
        self.expect(None, "05", A64, {"PC": 0x400404})
        self.expect(None, "05", A64, {"PC": 0x500000})

    def test_a32_aborts(self):
        self.expect("data abort at 0x400404: write of 0x322d7261, translation fault level 1; "
                    "register r2; taken from EL0", "0b", A32, ABORT, (0, A32_STR_R0_R2))
        fetch = {"PC": 0x400404, "CPSR": 0x10, "IFSR": 0xd, "IFAR": 0x400404, "LR_ABT": 0x400408}
        self.expect("prefetch abort at 0x400404: fetch of 0x400404, permission fault level 1",
                    "0b", A32, fetch)

    def test_a32_abort_of_long_ago(self):
        old = dict(ABORT, LR_ABT=0x9008)
        self.assertEqual(self.ask(A32, old)[1], "05")
        # Where that was nobody knows: vector_dabt of Linux leaves the address of __dabt_svc in LR_abt.
        self.assertEqual(self.ask(A32, dict(old, CPSR=0x13))[0]["text"], "the last exception that DFSR recorded: "
                         "data abort: write of 0x322d7261, translation fault level 1")
        self.assertEqual(self.ask(A32, dict(old, CPSR=0x17))[1], "0b")
        # Both status registers hold something: IFAR is not where LR_abt says.
        both = dict(old, CPSR=0x17, IFSR=0xd, IFAR=0x7000)
        self.assertEqual(self.ask(A32, both)[1], "05")
        self.assertEqual(self.ask(A32, dict(both, IFAR=0x9004))[0]["what"], "prefetch abort")

    def test_hyp_and_the_vectors_of_a32(self):
        hyp = {"PC": 0x400404, "CPSR": 0x1a, "HSR": 0x82000006, "HIFAR": 0x400404,
               "ELR_HYP": 0x400404}
        self.expect("instruction abort at 0x400404: fetch of 0x400404, translation fault level 2; "
                    "taken to EL2", "0b", A32, hyp)
        vector = dict(ABORT, LR_ABT=0x9008, VBAR=0x4003f4)
        self.assertEqual(self.ask(A32, vector)[1], "0b")
        self.assertEqual(self.ask(A32, dict(vector, VBAR=0x4003f8))[1], "05")

    def test_m_fault_with_its_stacked_frame(self):
        fault = {"PC": 0x400800, "XPSR": 0x01000003, "CFSR": 0x8200, "HFSR": 0x40000000,
                 "BFAR": 0x20010000, "LR": 0xfffffffd, "PSP": 0x20000100}
        memory = [(0x20000118, 0x400405)]
        text = "HardFault at 0x400404: read of 0x20010000, escalated, precise data bus error; " \
               "register r3"
        self.expect(text, "0a", M, fault, (0, T32_LDR_R0_R3), memory)
        # The status where it lies in memory.
        for name in ("CFSR", "HFSR", "BFAR"):
            del fault[name]
        scb = [(0xe000ed28, 0x8200), (0xe000ed2c, 0x40000000), (0xe000ed38, 0x20010000)]
        self.expect(text, "0a", M, fault, (0, T32_LDR_R0_R3), memory + scb)

    def test_m_frame_on_the_main_stack_is_read_at_the_handlers_first_instruction(self):
        fault = {"PC": 0x400800, "XPSR": 0x01000006, "CFSR": 0x02000000, "LR": 0xfffffff9,
                 "SP": 0x20000100, "VTOR": 0x1000}
        memory = [(0x20000118, 0x400404), (0x1018, 0x400801)]
        self.expect("UsageFault at 0x400404: division by zero", "08", M, fault, memory=memory)
        self.expect("UsageFault: division by zero", "08", M, dict(fault, PC=0x400802),
                    memory=memory)

    def test_m_status_outside_of_a_handler_is_old(self):
        crash, signal = self.ask(M, {"PC": 0x400404, "XPSR": 1 << 24, "CFSR": 0x10000})
        self.assertEqual(signal, "05")
        self.assertEqual(crash["text"], "the last exception that CFSR recorded: UsageFault: "
                         "undefined instruction")


if __name__ == "__main__":
    unittest.main()
