# SPDX-License-Identifier: Apache-2.0
"""Source lines of what was executed, as gdb reads them from the program without any target."""
import re

import serving


def line_table(program, addresses):
    """address -> source line, 0 where there is none."""
    commands = [f"info line *{address:#x}" for address in addresses]
    out = serving.gdb(None, commands, program)
    answers = [line for line in out.splitlines() if re.match(r"Line \d+ |No line|Line number", line)]
    assert len(answers) == len(addresses), out[-2000:]
    found = [re.match(r"Line (\d+) of ", line) for line in answers]
    return dict(zip(addresses, (int(match[1]) if match else 0 for match in found)))


def without_repeats(values):
    return [value for i, value in enumerate(values) if i == 0 or values[i - 1] != value]


def check_stops(test, program, pcs, start, stops):
    """Of the stops (PC, position) that steps by line made from `start` on, in either direction: each
    is a place of the recording (`pcs`), each on the way of the one before, and the lines are those
    that were executed, in order. Returns the share of those lines that were met, in percent."""
    rising = stops[-1][1] > start
    positions = [start] + [position for _, position in stops]
    # Into and out of what was inlined a step does not move.
    test.assertEqual(positions, sorted(positions, reverse=not rising))
    for pc, position in stops:
        test.assertEqual(pcs[position], pc)
    end = positions[-1]
    executed = pcs[start:end + 1] if rising else pcs[end:start + 1][::-1]
    lines = line_table(program, sorted(set(executed)))
    expected = without_repeats([lines[pc] for pc in executed if lines[pc]])
    seen = without_repeats([lines[pcs[start]]] + [lines[pc] for pc, _ in stops])
    if seen[0] == 0:  # out of a function without lines
        seen.pop(0)
    test.assertNotIn(0, seen)
    # gdb passes over a line that it meets only after the line's first statement: it sees
    # somewhat fewer, in the recorded order.
    rest = iter(expected)
    test.assertTrue(all(line in rest for line in seen), (seen, expected))
    return 100 * len(seen) / len(expected)
