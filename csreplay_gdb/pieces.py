# SPDX-License-Identifier: Apache-2.0
"""How gdb reads memory where nothing moves: in pieces, which it keeps, so that it asks for few."""
import gdb

class Piecewise:
    """While it is on, gdb reads the stack in pieces of a size, and keeps them: for when nothing moves."""

    def __init__(self):
        self.line = None

    def on(self, size=None):
        if self.line is None:
            self.line = gdb.parameter("dcache line-size")
            gdb.execute("set dcache line-size %d" % (size or self.line))
            gdb.execute("set stack-cache on")

    def off(self, *_):
        if self.line is not None:
            gdb.execute("set stack-cache off")
            gdb.execute("set dcache line-size %d" % self.line)
            self.line = None

class PiecewiseAtHalt(Piecewise):
    """The same of all memory, at the halt alone: elsewhere a piece may be known in part, and gdb would read it twice. Not
    ended, where a command was interrupted, it ends before anything moves."""

    MOVES = (gdb.events.stop, gdb.events.register_changed, gdb.events.before_prompt)

    def __init__(self, at_halt):
        super().__init__()
        self.size = None  # bytes; that of gdb's own, if not set
        self.at_halt = at_halt  # whether the selected thread is there

    def __enter__(self):
        self.on()

    def __exit__(self, *_):
        self.off()

    def on(self):
        self.off()
        if not self.at_halt():
            return
        super().on(self.size)
        self.has_regions = "no memory regions" not in gdb.execute("info mem", to_string=True)  # the user's
        if not self.has_regions:
            gdb.execute("mem 0 0 rw cache")
        for event in self.MOVES:
            event.connect(self.off)

    def off(self, *_):
        if self.line is None:
            return
        for event in self.MOVES:
            event.disconnect(self.off)
        if not self.has_regions:
            gdb.execute("mem auto")
        super().off()

pieces = Piecewise()
