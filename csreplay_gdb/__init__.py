# SPDX-License-Identifier: Apache-2.0
"""gdb's part of csreplay, which gdbinit loads into a gdb with Python: the server's commands as gdb's, callers as the trace
proves them, positions in all their forms, and fewer packets. In: what the server says to lines of `monitor`. Out: commands
and unwinders; gdbinit has settings, and what a gdb without Python has of the commands.

Each module makes its commands of gdb's, and looks at gdb's events, when it is loaded, in this order."""
from csreplay_gdb import threads, callers, frames, flow, program, connecting, backtrace, commands, refused
