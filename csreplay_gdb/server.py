# SPDX-License-Identifier: Apache-2.0
"""What the server says to lines of `monitor`, and the position of the selected thread."""
from contextlib import contextmanager

import gdb

asked = {}  # answers that came with another's
is_silent = False

def register(name):
    """Its value, or None. Not by a gdb.Frame: to make one, gdb looks for its caller."""
    try:
        return int(gdb.parse_and_eval(name)) & 0xffffffffffffffff
    except (gdb.error, ValueError):
        return None

def position():
    """The selected thread's position, or None."""
    return register("$trace_pos")

@contextmanager
def silently():
    """While it lasts, a line of `monitor` is none of the user's: gdb keeps what it has read."""
    global is_silent
    is_silent = True
    try:
        yield
    finally:
        is_silent = False

def ask(command):
    """The server's answer to what changes nothing; empty without one."""
    if command in asked:
        return asked.pop(command)
    with silently():
        try:
            return gdb.execute("monitor " + command, to_string=True)
        except gdb.error:
            return ""

def forget():
    """gdb reads registers and memory anew."""
    for cache in ("register-cache", "dcache"):
        gdb.execute("maintenance flush " + cache, to_string=True)

def ask_all(*commands):
    """Asks them in one packet; `ask` has the answers, once each."""
    answers = ask("--each " + ";".join(commands)).split(";\n")
    asked.update(zip(commands, answers[:-1]))
