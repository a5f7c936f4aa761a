# SPDX-License-Identifier: Apache-2.0
"""Tarmac text: registers at any position against a replay of the text in the few lines of replay()
here; gdb with backtraces and watchpoints, backwards. The argument is `made` (a text made here) or
`calculator` (of the corpus, with its program)."""
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest

import material
import serving

REGISTERS = ["pc"] + [f"x{i}" for i in range(31)] + ["sp", "cpsr"]
LOOPS = 40
CELL = 0x8000


def made_text():
    """A loop that counts in memory: ldr x1, [x0]; add x1, x1, #1; str x1, [x0]; b loop."""
    lines = ["0 clk R cpsr 000003cd", "0 clk R X0 %016x" % CELL,
             "0 clk R SP_EL3 0000000000010000"]
    index = 0

    def step(pc, opcode, *effects):
        nonlocal index
        index += 1
        lines.append(f"{index} clk IT ({index}) {pc:08x} {opcode:08x} O EL3h_s : NOP")
        lines.extend(f"{index} clk {effect}" for effect in effects)

    for i in range(LOOPS):
        step(0x1000, 0xf9400001, f"MR8 {CELL:08x} {i:016x}", f"R X1 {i:016x}")
        step(0x1004, 0x91000421, f"R X1 {i + 1:016x}")
        step(0x1008, 0xf9000001, f"MW8 {CELL:08x} {i + 1:016x}")
        step(0x100c, 0x17fffffd)
    return "\n".join(lines) + "\n"


def replay(path):
    """For each position the registers; and the writes and the reads: (position, address, size,
    value)."""
    state, states, writes, reads = {}, [], [], []
    with open(path, encoding="ascii") as file:
        for line in file:
            if m := re.match(r"\S+ clk I[TS] \(\d+\) ([0-9a-fA-F]+) ", line):
                state["pc"] = int(m[1], 16)
                states.append(dict(state))
            elif m := re.match(r"\S+ clk R (\w+) ([0-9a-fA-F_]+)", line):
                name = {"SP_EL3": "sp"}.get(m[1], m[1].lower())
                state[name] = int(m[2].replace("_", ""), 16)
            elif m := re.match(r"\S+ clk M([RW])(\d+)\w* ([0-9a-fA-F]+)\S* ([0-9a-fA-F_]+)",
                               line):
                (writes if m[1] == "W" else reads).append(
                    (len(states) - 1, int(m[3], 16), int(m[2]), int(m[4].replace("_", ""), 16)))
    state["pc"] = states[-1]["pc"] + 4
    if path.endswith("made.tarmac"):
        state["pc"] = 0x1000
    return states + [state], writes, reads


class Text:
    """The trace of the argument."""

    def __init__(self, name, folder):
        self.image = []
        if name == "made":
            self.path = os.path.join(folder, "made.tarmac")
            with open(self.path, "w", encoding="ascii") as file:
                file.write(made_text())
        else:
            self.path = material.shared("corpus", "tarmac", "calculator-aarch64-fastmodel.tarmac")
            self.program = material.shared("corpus", "tarmac", "calculator-aarch64.elf")
            self.image = ["--image", self.program]
        self.states, self.writes, self.reads = replay(self.path)
        self.arguments = self.image + [self.path]

    def cell(self):
        """A cell of 8 bytes, always written as a whole, with the most values one after another."""
        values = {}
        for position, address, size, value in self.writes:
            values.setdefault(address & ~7, []).append((position, size, value))
        whole = {a: w for a, w in values.items() if all(size == 8 for _, size, _ in w)}
        return max(whole.items(), key=lambda item: len({value for *_, value in item[1]}))


class Tarmac(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.text = Text(ARGUMENT, cls.folder.name)
        cls.server = serving.Server(cls.text.arguments)

    @classmethod
    def tearDownClass(cls):
        with cls.server:
            pass
        cls.folder.cleanup()

    def expect(self, position, name, digits):
        """`digits` is a value of the highest digit first, or None if it is unavailable."""
        expected = self.text.states[position].get(name)
        self.assertEqual(None if digits is None else int(digits, 16), expected,
                         f"{name} at {position}")

    def test_registers_at_random_positions_are_those_of_the_text(self):
        chance = random.Random(20)
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            number = self.trace_pos(client)
            for _ in range(1000):
                position = chance.randrange(len(self.text.states))
                self.seek(client, number, position)
                rest = client.ask("g")
                for name in REGISTERS:
                    size = 8 if name == "cpsr" else 16
                    value, rest = rest[:size], rest[size:]
                    value = None if "x" in value else bytes.fromhex(value)[::-1].hex()
                    self.expect(position, name, value)

    def seek(self, client, number, position):
        digits = position.to_bytes(8, "little").hex()
        self.assertEqual(client.ask(f"P{number:x}={digits}"), "OK")

    def test_memory_is_what_each_access_says_and_other_memory_is_not_known(self):
        with serving.Client(self.server.address) as client:
            client.ask("qSupported:swbreak+")
            number = self.trace_pos(client)
            # Before a read and after a write.
            for position, address, size, value in self.text.reads + [
                    (position + 1, *rest) for position, *rest in self.text.writes]:
                self.seek(client, number, position)
                self.assertEqual(client.ask(f"m{address:x},{size:x}"),
                                 value.to_bytes(size, "little").hex(),
                                 f"{address:#x} at {position}")
            self.assertEqual(client.ask("m40000000,1"), "E14")

    def trace_pos(self, client):
        """Its number in the target description."""
        description = ""
        while True:
            part = client.ask(f"qXfer:features:read:target.xml:{len(description):x},8000")
            description += part[1:]
            if part[0] == "l":
                break
        number = -1
        for reg in re.findall(r"<reg ([^>]*)/>", description):
            given = re.search(r'regnum="(\d+)"', reg)
            number = int(given[1]) if given else number + 1
            if 'name="trace_pos"' in reg:
                return number
        return self.fail("no trace_pos in the description")

    def test_history_has_the_registers_of_every_position(self):
        done = subprocess.run([serving.CSREPLAY, "history", "--registers", *self.text.arguments],
                              stdout=subprocess.PIPE, text=True, check=True)
        lines = [line.split("\t") for line in done.stdout.splitlines()
                 if not line.startswith("#")]
        self.assertEqual(lines[0][5:], REGISTERS)
        self.assertEqual(len(lines) - 1, len(self.text.states) - 1)
        for line in lines[1:]:
            for name, value in zip(REGISTERS, line[5:]):
                self.expect(int(line[0]), name, None if value == "-" else value)

    def test_watchpoint_finds_every_write_backwards_and_forwards(self):
        address, writes = self.text.cell()
        changes = [w for before, w in zip(writes, writes[1:]) if before[2] != w[2]]
        count = min(len(changes), 6)
        commands = [f"watch *(unsigned long *) {address:#x}",
                    serving.loop(count, "reverse-continue", 'printf "at %lu\\n", $trace_pos'),
                    serving.loop(count - 1, "continue", 'printf "at %lu\\n", $trace_pos')]
        out = serving.gdb(self.server.address, ["set $trace_pos = %d" % (len(self.text.states) - 1)]
                          + commands)
        newest = [position for position, *_ in reversed(changes)][:count]
        # Backwards gdb stops on the write, forwards after it.
        expected = newest + [position + 1 for position in newest[:0:-1]]
        self.assertEqual([int(n) for n in re.findall(r"^at (\d+)$", out, re.MULTILINE)], expected,
                         out)
        values = re.findall(r"^(Old|New) value = (\d+)$", out, re.MULTILINE)
        last = {p: value for p, _, value in writes}
        before = {w[0]: b[2] for b, w in zip(writes, writes[1:])}
        self.assertEqual([int(v) for _, v in values[:2]], [last[newest[0]], before[newest[0]]])

    def test_last_write_is_where_gdb_stops_for_a_read_and_write_watchpoint(self):
        address, writes = self.text.cell()
        out = serving.gdb(self.server.address,
                          ["set $trace_pos = %d" % (len(self.text.states) - 1),
                           f"awatch *(unsigned long *) {address:#x}", "reverse-continue",
                           'printf "at %lu\\n", $trace_pos'])
        self.assertGreaterEqual(int(re.search(r"^at (\d+)$", out, re.MULTILINE)[1]),
                                writes[-1][0], out)
        self.assertIn("access (read/write) watchpoint", out)


class Calculator(unittest.TestCase):
    def test_backtraces_name_the_callers(self):
        path = material.shared("corpus", "tarmac", "calculator-aarch64-fastmodel.tarmac")
        program = material.shared("corpus", "tarmac", "calculator-aarch64.elf")
        with serving.Server(["--image", program, path]) as server:
            out = serving.gdb(server.address,
                              ["bt", "break 'Parser::atom'", "reverse-continue", "bt",
                               "x/s 0x200167"], program, allowed=serving.UNKNOWN_MEMORY)
        frames = re.findall(r"^#\d+ +(?:0x\w+ in )?([\w:]+)", out, re.MULTILINE)
        self.assertEqual(frames[:3], ["sys_exit", "c_entry", "_start"], out)
        self.assertEqual(frames[3:8], ["Parser::atom", "Parser::power", "Parser::mult",
                                       "Parser::add", "Parser::expr"], out)


    def test_backtrace_of_a_32_bit_core_goes_through_the_recursion(self):
        path = material.shared("corpus", "tarmac", "calculator-aarch32-fastmodel.tarmac")
        program = material.shared("corpus", "tarmac", "calculator-aarch32.elf")
        with serving.Server(["--image", program, path]) as server:
            out = serving.gdb(server.address, ["set $trace_pos = 3604", "bt"], program,
                              allowed=[r"^Backtrace stopped: previous frame identical"])
        frames = re.findall(r"^#\d+ +(?:0x\w+ in )?([\w:]+)", out, re.MULTILINE)
        self.assertEqual(frames[:5], ["FileReader::getch", "Lexer::nextch", "Lexer::next_inner",
                                      "Lexer::next", "Parser::add"], out)
        self.assertEqual(frames[-4:], ["Parser::expr", "Parser::try_parse", "c_entry", "_start"])

    def test_dialects_agree_on_every_register_that_both_know(self):
        tables = []
        for dialect in "fastmodel", "es-ld-st-style":
            path = material.shared("corpus", "tarmac", f"calculator-aarch64-{dialect}.tarmac")
            done = subprocess.run([serving.CSREPLAY, "history", "--registers", path],
                                  stdout=subprocess.PIPE, text=True, check=True)
            tables.append([line.split("\t") for line in done.stdout.splitlines()
                           if not line.startswith("#")])
        self.assertEqual(*map(len, tables))
        both = 0
        for left, right in zip(*tables):
            for name, a, b in zip(tables[0][0][5:], left[5:], right[5:]):
                if "-" not in (a, b):
                    self.assertEqual(a, b, f"{name} at {left[0]}")
                    both += 1
        self.assertGreater(both, 50000)


class Refusals(unittest.TestCase):
    def run_on(self, text, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".tarmac") as file:
            file.write(text)
            file.flush()
            return subprocess.run([serving.CSREPLAY, *arguments, file.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  check=False)

    def test_times_that_cannot_be_compared_are_a_warning_where_there_is_another_core(self):
        line = "%s %s IT (1) 00001000 d503201f O EL1h_s : NOP\n"
        for times, said in ((("1 ns", "2 ns", "3 ns"), ""),
                            (("1 ns", "2500 ps", "3 ns"), ":2: warning: timestamps are of more than one unit, ns and ps: "),
                            (("3 ns", "2 ns", "1 ns"), ":3: warning: timestamps of cpu0 go back: ")):
            for other in ("cpu0", "cpu1"):
                text = "".join(line % of for of in zip(times, ("cpu0", other, "cpu0")))
                err = self.run_on(text, "check").stderr
                self.assertRegex(err, said) if said and other == "cpu1" else self.assertNotIn("timestamps", err)

    def test_malformed_line_is_a_warning_and_with_strict_an_error(self):
        text = made_text() + "99 clk R X0 12\n" + made_text()
        done = self.run_on(text, "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Tarmac text, dialect", done.stdout)
        self.assertIn("0 errors, 1 warning", done.stdout)
        self.assertRegex(done.stderr, r":\d+: warning: register line: ")
        done = self.run_on(text, "info", "--strict")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r":\d+: error: register line: ")

    def test_decode_says_that_there_are_no_buffers(self):
        done = self.run_on(made_text(), "decode")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no trace buffers", done.stderr)

    def test_info_says_what_it_is(self):
        done = self.run_on(made_text(), "info")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"cpu0 +Tarmac +AArch64 .* %d +0 " % (4 * LOOPS))


if __name__ == "__main__":
    ARGUMENT = sys.argv.pop()
    if ARGUMENT == "made":
        del Calculator
    else:
        material.shared("corpus", "tarmac", "calculator-aarch64-fastmodel.tarmac")
        del Refusals
    serving.main()
