# SPDX-License-Identifier: Apache-2.0
"""The server's commands as gdb's own, and positions in all their forms."""
import re

import gdb

from csreplay_gdb import server
from csreplay_gdb.flow import flow, pieces_at_halt

KINDS = {}  # of arguments, in capitals, the words that are one as they are; the server's

def position_words():
    """Words that are a position: the server's, and marks."""
    return [*KINDS.get("POSITION", ()), *re.findall(r": (\S+) is ", server.ask("marks"))]

class To(gdb.Command):
    """Go to a position of the selected core's history: an expression that begins as a number or with $, or what
the server takes for a position. gdb would look for the selected frame in the whole stack there: it is kept
from that."""

    EXPRESSION = re.compile(r"[\d$(][^%]*$")

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_RUNNING)

    def complete(self, text, word):
        last = text.split(" ")[-1]
        return [one[len(last) - len(word):] for one in position_words() if one.startswith(last)]

    def seek(self, argument):
        limit = gdb.parameter("backtrace limit")
        gdb.execute("set backtrace limit 1")
        try:
            gdb.execute("set $trace_pos = " + argument)
        finally:
            gdb.execute("set backtrace limit " + (str(limit) if limit else "unlimited"))

    def invoke(self, argument, from_tty):
        argument = argument.removeprefix("$mark_")  # the server keeps marks
        if self.EXPRESSION.match(argument):
            self.evaluate(argument)
        else:
            self.ask(argument)
        flow.look_at_halt_once()
        with pieces_at_halt:
            gdb.execute("frame 0")

    def ask(self, argument):
        """By the server. Nothing but the position is another then."""
        try:
            with server.silently():
                gdb.execute("monitor --reread seek " + argument)
        finally:
            server.forget()

    def evaluate(self, argument):
        try:
            try:
                self.seek(argument)
            except gdb.error as error:
                # What gdb says where a caller's frame is selected. To ask which one is would unwind it.
                if "unmodifiable" not in str(error):
                    raise
                gdb.newest_frame().select()
                self.seek(argument)
        except gdb.error as error:
            raise gdb.GdbError(str(error))

for name in ("csreplay-to", "seek"):
    To(name)

class Crash(To):
    """Go to the halt: the state that the snapshot holds."""

    def complete(self, text, word):
        return []

    def invoke(self, argument, from_tty):
        super().invoke("end", from_tty)

Crash("crash")

class ServerCommand(gdb.Command):
    """A command of the server's, for `monitor`, as one of gdb's."""

    def __init__(self, name, arguments, text):
        self.name = name
        self.kinds = set(re.findall(r"[A-Za-z][A-Za-z-]+", arguments))
        self.__doc__ = "%s: %s" % (text[0].upper() + text[1:], (name + " " + arguments).rstrip())
        super().__init__(name, gdb.COMMAND_USER)

    def invoke(self, argument, from_tty):
        at = server.position()
        gdb.execute(("monitor %s %s" % (self.name, argument)).rstrip())
        if server.position() != at:
            gdb.execute("frame 0")

    def words(self):
        """What may be typed: words that are meant as they are, and what those in capitals stand for."""
        yield from (kind for kind in self.kinds if kind.islower())
        if self.kinds & {"POSITION", "RANGE", "MARK"}:
            yield from position_words()
        if self.kinds & {"REG", "NAME"}:
            yield from (str(one) for one in gdb.selected_frame().architecture().registers() if str(one))

    def complete(self, text, word):
        try:
            last = text.split(" ")[-1]
            found = [one[len(last) - len(word):] for one in self.words() if one.startswith(last)]
        except gdb.error:
            found = []
        if not found and self.kinds & {"ADDR", "FUNCTION", "NAME"}:
            return gdb.COMPLETE_SYMBOL
        return found

class Commands(gdb.Command):
    """Make gdb's commands of the server's. What gdb has by that name, or this file with more to it, stays."""

    PLAIN = ("gaps", "mark")  # of this file, for a gdb without Python: the server's do more

    def __init__(self):
        super().__init__("csreplay-commands", gdb.COMMAND_SUPPORT)

    def invoke(self, argument, from_tty):
        for line in server.ask("help --raw").splitlines():
            row = line.split("\t")
            if len(row) == 3 and row[0].isupper():
                KINDS[row[0]] = row[1].split("|")
            elif len(row) == 3 and (row[0] in self.PLAIN or not self.is_taken(row[0])):
                ServerCommand(*row)

    def is_taken(self, name):
        return name in gdb.execute("complete " + name, to_string=True).splitlines()

Commands()
