# SPDX-License-Identifier: Apache-2.0
"""Which thread moves, and which go along."""
import gdb

from csreplay_gdb import server

class Selected(gdb.Command):
    """Tell the server which thread is selected, if there are several."""

    def __init__(self):
        super().__init__("csreplay-selected", gdb.COMMAND_SUPPORT)
        self.seen = set()  # numbers of threads; to list them, gdb would ask the server
        gdb.events.new_thread.connect(lambda event: self.seen.add(event.inferior_thread.num))

    def invoke(self, argument, from_tty):
        thread = gdb.selected_thread()
        if thread is not None and self.seen != {thread.num}:
            gdb.execute("maintenance packet T%x" % (thread.ptid[1] or thread.num), to_string=True)

    def forget_others(self, *_):
        """Where one thread alone is resumed (scheduler-locking), gdb goes on showing what it has read of the others: the
        server may take them along (`monitor set cores always`)."""
        thread = gdb.selected_thread()
        if thread is not None and self.seen != {thread.num} and gdb.parameter("scheduler-locking") == "on":
            server.forget()

class FrontEnd(gdb.Command):
    """Have the selected thread move, as a front end means it, and the other cores go along."""

    def __init__(self):
        super().__init__("csreplay-front-end", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.execute("set scheduler-locking on")
        server.ask("--reread set cores always")

FrontEnd()
selected = Selected()
gdb.events.stop.connect(selected.forget_others)
