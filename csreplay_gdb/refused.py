# SPDX-License-Identifier: Apache-2.0
"""Commands of gdb that are not for a replay, and what to do instead."""
import gdb

# What would end the session, or show something else than the history, and what to do instead.
REFUSED = {
    "record": "the history is there already: reverse-stepi, reverse-continue and their like go back in it",
    "gcore": "the snapshot is what there is of the memory: a core file cannot be made of it",
    "generate-core-file": "the snapshot is what there is of the memory: a core file cannot be made of it",
    "call": "a replay runs what has run: no function can be called. print shows values",
    "load": "the replay is read-only: nothing can be loaded",
    "run": "a replay is not started: seek N goes to a position, crash to the halt",
    "starti": "a replay is not started: seek 0 goes to the first instruction",
}

class Refuse(gdb.Command):
    """Say why a command is not for a replay."""

    def __init__(self):
        super().__init__("csreplay-refuse", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        raise gdb.GdbError(REFUSED[argument])

Refuse()
for name in REFUSED:
    gdb.execute("define hook-%s\ncsreplay-refuse %s\nend" % (name, name))
