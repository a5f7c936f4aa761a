# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ that show a session: what is typed in it, and what is answered."""


def exchanges(lines, prompt):
    """(command, lines of its answer) of a page. What is typed begins with `prompt`; other text ends an answer."""
    found = []
    for line in lines:
        if line.startswith(prompt):
            found.append((line[len(prompt):], []))
        elif found and line.startswith("    "):
            found[-1][1].append(line[4:])
        elif line:
            found.append(("", []))
    return [exchange for exchange in found if exchange[0]]
