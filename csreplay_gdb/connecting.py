# SPDX-License-Identifier: Apache-2.0
"""gdb connects: what it is told then, in few packets, and of another program than the snapshot's."""
import gdb

from csreplay_gdb import frames, server
from csreplay_gdb.callers import callers
from csreplay_gdb.flow import flow, pieces_at_halt
from csreplay_gdb.pieces import pieces
from csreplay_gdb.program import trust

class Connecting(gdb.Command):
    """Between `on` and `off` gdb connects."""

    def __init__(self):
        super().__init__("csreplay-connecting", gdb.COMMAND_SUPPORT)
        self.has_asked = False
        self.build_id = None  # of the program that gdb has
        self.has_set_osabi = False
        gdb.events.new_objfile.connect(self.pass_over_no_loader)  # the server's program
        callers.before_asking = self.ask
        gdb.events.before_prompt.connect(self.end)  # where it could not

    def ask(self, thread):
        """What the server is asked when gdb connects, in one packet."""
        if not flow.is_connecting or self.has_asked:
            return
        self.has_asked = True
        program = "--program " + (self.build_id or "0")
        sections = trust.question()
        stack = "stack --raw %x" % thread
        line = "--line %x" % flow.sp
        server.ask_all(*([sections] if sections else []), stack + " near", stack, line, program, "help --raw")
        if sections:
            trust.invoke(None, False)
        pieces_at_halt.size = int(server.ask(line) or 0)
        pieces.on(pieces_at_halt.size)
        served = server.ask(program).strip()
        if self.build_id and served != "same":
            gdb.write("warning: %s is not the program of the snapshot, %s: the build IDs differ\n"
                      % (gdb.current_progspace().filename, served), gdb.STDERR)

    def find_program(self):
        """gdb asks for the server's program if it has one itself only to read the build ID of that, in 20 packets."""
        program = gdb.current_progspace().filename
        self.build_id = next((file.build_id for file in gdb.objfiles() if file.filename == program), None)
        gdb.execute("set remote pid-to-exec-file-packet " + ("off" if program else "auto"))

    def pass_over_no_loader(self, *_):
        """A static program has the symbols of the dynamic loader, and no loader: gdb 13 takes the section that has the
        loader's breakpoint for it, which is all code, and passes over it: a `step` would go on to the end."""
        if not flow.is_connecting:
            return
        try:
            gdb.parse_and_eval("&_r_debug")
        except gdb.error:
            return
        if gdb.parameter("osabi") == "auto":
            gdb.execute("set osabi none")
            self.has_set_osabi = True

    def finish(self):
        """What gdb had no need of a frame for."""
        thread = gdb.selected_thread()
        if thread and frames.is_big():
            # The server knows by now, and sends registers as gdb takes them.
            gdb.execute("maintenance flush register-cache", to_string=True)
            gdb.write("warning: gdb takes the core for big endian, as its program is: the PC that it showed first was reversed; data in "
                      "memory is shown as big endian, `set endian little` shows it as little endian\n", gdb.STDERR)
        if thread and not self.has_asked:
            flow.sp = server.register("$sp") or 0
            self.ask(thread.ptid[1] or thread.num)
        trust.invoke(None, False)
        flow.is_connecting = False
        flow.look_at_halt()
        self.end()

    def end(self):
        if flow.is_connecting:
            trust.distrust()
        flow.is_connecting = False
        pieces.off()

    def invoke(self, argument, from_tty):
        flow.is_connecting = argument == "on"
        if flow.is_connecting:
            self.has_asked = False
            callers.forget()
            callers.older.clear()
            flow.whole.clear()
            flow.outermost.clear()
            trust.forget()
            self.find_program()
            if trust.question():
                # Until the server answers: gdb reads code of `longjmp` and its like now, a packet each.
                gdb.execute("set trust-readonly-sections on")
            if self.has_set_osabi:
                gdb.execute("set osabi auto")
                self.has_set_osabi = False
            self.pass_over_no_loader()
        else:
            self.finish()

Connecting()
