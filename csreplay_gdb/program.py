# SPDX-License-Identifier: Apache-2.0
"""Whether memory has what the program's file has: gdb need not ask for that then."""
import re
import zlib

import gdb

from csreplay_gdb import server

class Trust(gdb.Command):
    """Read code and constants from the program's file if memory at the present position has all that is read-only
there, else from memory. Done when gdb connects; files that are added later end it."""

    def __init__(self):
        super().__init__("csreplay-trust", gdb.COMMAND_FILES)
        self.forget()
        gdb.events.new_objfile.connect(self.distrust)

    def invoke(self, argument, from_tty):
        self.distrust()
        if self.agrees():
            gdb.execute("set trust-readonly-sections on")

    def distrust(self, event=None):
        gdb.execute("set trust-readonly-sections off")

    def forget(self):
        self.answer = {}  # by question, when gdb connects

    SECTION = re.compile(r"^ \[\d+\] +0x([0-9a-f]+)->0x([0-9a-f]+) at 0x([0-9a-f]+): .*? (?=ALLOC|LOAD)(.*)$", re.MULTILINE)
    MIRROR = bytes(int("{:08b}".format(byte)[::-1], 2) for byte in range(256))

    def checksum(self, data):
        """That of qCRC, which takes bits the other way round than zlib, and inverts nothing."""
        return int("{:032b}".format(zlib.crc32(data.translate(self.MIRROR)) ^ 0xffffffff)[::-1], 2)

    def question(self):
        """Whether memory has the read-only sections of the program's file; None if there is no such file here."""
        program = gdb.current_progspace().filename
        ranges = []
        try:
            with open(program, "rb") as file:
                for begin, end, offset, flags in self.SECTION.findall(
                        gdb.execute("maintenance info sections", to_string=True)):
                    size = int(end, 16) - int(begin, 16)
                    if size > 0 and {"LOAD", "READONLY"} <= set(flags.split()):
                        file.seek(int(offset, 16))
                        ranges.append("%s,%x,%x" % (begin, size, self.checksum(file.read(size))))
        except (OSError, TypeError, gdb.error):
            return None
        return "--same " + " ".join(ranges) if ranges else None

    def agrees(self):
        program = gdb.current_progspace().filename
        if any(file.owner is None and file.filename != program for file in gdb.objfiles()):
            return False
        question = self.question()
        if question is None:
            return self.agrees_with_served()
        if question not in self.answer:
            if question not in server.asked:
                server.ask_all(question)
            self.answer = {question: server.ask(question)}
        return self.answer[question] == "same\n"

    def agrees_with_served(self):
        """The program that the server gives has no file here: gdb compares its sections, a packet each."""
        try:
            text = gdb.execute("compare-sections -r", to_string=True)
        except gdb.error:
            return False
        return ": matched." in text and "MIS-MATCHED" not in text

trust = Trust()
