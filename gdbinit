# SPDX-License-Identifier: Apache-2.0
# Settings and commands for gdb with csreplay: gdb-multiarch -x gdbinit -ex 'target remote :1234'
# `help csreplay` lists the commands.

# Code and constants come from memory, since a kernel patches its code and a module is relocated. Where memory
# has what the program's file has, csreplay-trust takes them from there: a reverse-stepi is 3 packets and not 9.
set trust-readonly-sections off
define csreplay-trust
end
# gdb keeps what it has read of the stack until something runs, and writing $trace_pos runs nothing:
# it would go on with the stack of another position.
set stack-cache off
# Of a caller most registers are not known: that a value at entry is not, need not be said of each.
set print entry-values if-needed
# An answer about the past may take seconds where values are assumed; after two of them gdb gives up on it, and
# takes the answer for that to its next question.
set remotetimeout 60
# Breakpoints stay inserted over a stop: fewer packets where there are many.
set breakpoint always-inserted on
# What there is nothing of here, gdb need not ask for: tracepoints, symbols for the server.
set remote trace-status-packet off
set remote symbol-lookup-packet off

define target hook-remote
  csreplay-connecting on
end
define target hookpost-remote
  csreplay-connecting off
  csreplay-commands
end

# With Python: what gdb does at the halt, it does when it trusts the program's file: that saves packets.
define csreplay-connecting
end

# With Python: makes commands of those that the server has for `monitor`.
define csreplay-commands
end

# For front ends, which say no thread where they go back: with scheduler-locking gdb names the selected one. With Python
# the other cores go along nonetheless.
define csreplay-front-end
  set scheduler-locking on
end

# Not when it connects: gdb would ask for it then, a packet a thread.
define csreplay-btrace
  set remote enable-btrace-bts-packet on
  set remote disable-btrace-packet on
  set remote read-btrace-packet on
  set remote read-btrace-conf-packet on
  set remote btrace-conf-bts-size-packet on
  record btrace bts
end
# Registers, of which gdb has nothing but the PC while it goes through branches, are read anew.
define record hookpost-stop
  maintenance flush register-cache
end
document csreplay-btrace
Have gdb itself go through the branches before the present position, as by `record btrace bts`:
`record function-call-history /ilc`, `record instruction-history`; `record stop` ends it.
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
With Python, N may be what `monitor help` says of positions, too, and its commands are gdb's, such as why,
origin and marks: `help user-defined` lists them.
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

# With Python: tells the server which thread is selected. gdb says it where it goes on, not where it goes back: the
# server takes the last one that gdb asked whether it lives, which `thread N` does, and so does `thread apply`.
define csreplay-selected
end
define hook-reverse-stepi
  csreplay-selected
end
define hook-reverse-step
  csreplay-selected
end
define hook-reverse-nexti
  csreplay-selected
end
define hook-reverse-next
  csreplay-selected
end
define hook-reverse-continue
  csreplay-selected
end
define hook-reverse-finish
  csreplay-selected
end

# With Python: gdb may not know the oldest function's frame again, and would not end in it.
define csreplay-finish
end
define hook-finish
  csreplay-finish
end

# With Python: reads memory in larger pieces for it, and says which frames of it nothing but calls and returns prove.
define csreplay-backtrace
end
define hook-backtrace
  csreplay-backtrace begin
end
define hookpost-backtrace
  csreplay-backtrace end
end

define csreplay-to
  set $trace_pos = $arg0
  frame 0
end
document csreplay-to
Go to a position, an expression without spaces, of the selected core's history.
end

define seek
  csreplay-to $arg0
end
document seek
Go to a position of the selected core's history: seek N
end

define crash
  monitor --reread seek end
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
  csreplay-to $mark_$arg0
end
document go
Go back to a position that `mark NAME` remembered: go NAME
end

define back
  csreplay-to $trace_pos-($arg0)
end
document back
Go N instructions back in one move, without stopping at breakpoints or gaps: back N
end

define forward
  csreplay-to $trace_pos+($arg0)
end
document forward
Go N instructions on in one move, without stopping at breakpoints or gaps: forward N
end

define gaps
  monitor gaps
end
document gaps
Show where execution is not known, and why. `monitor gaps FROM..TO` shows a part.
end

# The last thing here, since a gdb without Python leaves off at it: csreplay_gdb beside this file. gdb does not say where
# that is, but has it open while it reads it.
python
def csreplay_load():
    import os, sys
    folders = []
    try:
        for fd in sorted(map(int, os.listdir("/proc/self/fd")), reverse=True):
            try:
                folders.append(os.path.dirname(os.readlink("/proc/self/fd/%d" % fd)))
            except OSError:
                pass
    except OSError:
        pass  # no Linux
    folders += ["/usr/local/share/csreplay", "/usr/share/csreplay"]
    for folder in folders:
        if os.path.isabs(folder) and os.path.isfile(os.path.join(folder, "csreplay_gdb", "__init__.py")):
            break
    else:
        gdb.write("warning: csreplay_gdb is not beside gdbinit: csreplay's commands are not all there, and after a seek gdb may "
                  "show what it has read elsewhere\n", gdb.STDERR)
        return
    # Anew, where gdb reads this file once more: its definitions have taken the place of commands.
    for name in [name for name in sys.modules if name.split(".")[0] == "csreplay_gdb"]:
        del sys.modules[name]
    writes_none, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, folder)
    try:
        import csreplay_gdb
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = writes_none
csreplay_load()
end
