# SPDX-License-Identifier: Apache-2.0
# What scripts/demo shows of the bundled crash (examples/sensorhub/sensorhub.c). gdb does not print
# the commands of a script: each is told before it is done.
set pagination off
set confirm off
echo \n=== The crash: publish() follows a pointer to nowhere\n
echo (gdb) backtrace\n
backtrace
echo (gdb) x/i $pc\n
x/i $pc
echo (gdb) print driver\n
print driver
echo (gdb) print sensor->label\n
print sensor->label
echo \n=== "driver" is no address, it is the text "ar-2". Who wrote it? Backwards, step by step\n
echo (gdb) reverse-stepi\n
reverse-stepi
echo (gdb) reverse-stepi\n
reverse-stepi
echo (gdb) reverse-step\n
reverse-step
echo (gdb) reverse-step\n
reverse-step
echo \n=== Back to the last time that a label was written, thousands of instructions before\n
echo (gdb) break set_label\n
break set_label
echo (gdb) reverse-continue\n
reverse-continue
echo (gdb) monitor position\n
monitor position
echo (gdb) list set_label\n
list set_label
echo \n=== Here is the damage: nothing compares "length" with LABEL_SIZE. On through it\n
echo (gdb) stepi\n
stepi
echo (gdb) stepi\n
stepi
echo (gdb) step\n
step
echo \n=== And forward again, to the crash\n
echo (gdb) delete\n
delete
echo (gdb) continue\n
continue
echo (gdb) backtrace\n
backtrace
