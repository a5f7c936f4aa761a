# SPDX-License-Identifier: Apache-2.0
# Settings and commands for gdb with csreplay: gdb-multiarch -x gdbinit -ex 'target remote :1234'
# `help csreplay` lists the commands.

# Code and constants come from the ELF file: a reverse-stepi is 3 packets and not 9.
set trust-readonly-sections on
# gdb keeps what it has read of the stack until something runs, and writing $trace_pos runs nothing:
# it would go on with the stack of another position.
set stack-cache off
# Breakpoints stay inserted over a stop: fewer packets where there are many.
set breakpoint always-inserted on

# One core moves at a time, the selected one. gdb takes this setting only with a target.
define target hookpost-remote
  set scheduler-locking on
end

define csreplay
  help csreplay
end
document csreplay
Commands for a replayed crash (csreplay).
  where-am-i     position, instruction and source line
  seek N         go to position N of the selected core's history
  crash          go to the halt, the last position
  mark NAME      remember the position as $mark_NAME
  go NAME        go back to the position of `mark NAME`
  back N         N instructions back, as one seek
  forward N      N instructions on, as one seek
  gaps           where execution is not known, and why
Positions are those of $trace_pos; `set $trace_pos = N` seeks as well.
What is <unavailable> is not known from the snapshot and the trace.
end

define where-am-i
  printf "position %lu\n", $trace_pos
  x/i $pc
  info line *$pc
end
document where-am-i
Show the position in the history, the instruction there and its source line.
end

define seek
  set $trace_pos = $arg0
  frame 0
end
document seek
Go to a position of the selected core's history: seek N
end

define crash
  monitor seek end
  maintenance flush register-cache
  frame 0
end
document crash
Go to the halt: the state that the snapshot holds.
end

define mark
  set $mark_$arg0 = $trace_pos
  echo $arg0
  printf " is position %lu\n", $trace_pos
end
document mark
Remember the current position under a name: mark NAME
Without effect on the program; `go NAME` returns there.
end

define go
  set $trace_pos = $mark_$arg0
  frame 0
end
document go
Go back to a position that `mark NAME` remembered: go NAME
end

define back
  set $trace_pos = $trace_pos - $arg0
  frame 0
end
document back
Go N instructions back in one move, without stopping at breakpoints or gaps: back N
end

define forward
  set $trace_pos = $trace_pos + $arg0
  frame 0
end
document forward
Go N instructions on in one move, without stopping at breakpoints or gaps: forward N
end

define gaps
  monitor gaps
end
document gaps
Show where execution is not known, and why. `monitor gaps FROM-TO` shows a part.
end

# The last thing here, since a gdb without Python leaves off at it.
python
import gdb.unwinder

class UnknownStack(gdb.unwinder.Unwinder):
    """A 32-bit core's frame where SP is not known: one frame, whose caller is not known. gdb's own
    unwinders for these cores read SP in any case and give up the command where it has none."""

    class Id:
        sp = gdb.Value(0)
        pc = gdb.Value(0)

    def __call__(self, frame):
        if not frame.architecture().name().startswith("arm"):
            return None
        try:
            int(frame.read_register("sp"))
        except gdb.error:
            info = frame.create_unwind_info(self.Id)
            # An equal frame after it ends the backtrace; without a PC that would be an error.
            info.add_saved_register("pc", frame.read_register("pc"))
            return info
        return None

gdb.unwinder.register_unwinder(None, UnknownStack("csreplay"), True)
end
