# SPDX-License-Identifier: Apache-2.0
"""A line of the result, and the table of them."""

WORSE = 0.05  # a change beyond this is pointed out


class Line:
    """What was measured. `figure` is a number to compare with a base's, less being better; `met`
    is None for a line that nothing is wanted of."""

    def __init__(self, what, on, ours, reference="-", ratio="-", wanted="-", met=None,
                 figure=None, base=None):
        self.what = what
        self.on = on
        self.ours = ours
        self.reference = reference
        self.ratio = ratio
        self.wanted = wanted
        self.met = met
        self.figure = figure
        self.base = base

    def verdict(self):
        return {None: "-", True: "met", False: "NOT MET"}[self.met]

    def change(self):
        if self.base is None or not self.figure:
            return "-"
        change = self.figure / self.base - 1
        return f"{change:+.1%}" + (" WORSE" if change > WORSE else "")

    def cells(self, has_base):
        cells = [self.what, self.on, self.ours, self.reference, self.ratio, self.wanted,
                 self.verdict()]
        if has_base:
            cells += ["-" if self.base is None else f"{self.base:.4g}",
                      "-" if self.figure is None else f"{self.figure:.4g}", self.change()]
        return cells


TITLES = ["what", "on", "ours", "reference", "ratio", "wanted", "verdict"]
BASE_TITLES = ["base", "now", "change"]


def table(lines, has_base):
    """The lines as a table of Markdown that reads well as it is."""
    rows = [TITLES + (BASE_TITLES if has_base else [])]
    rows += [line.cells(has_base) for line in lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    text = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
            for row in rows]
    text.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(text) + "\n"


def seconds(value):
    """A time with three digits and a unit that suits it."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value * 1e9:.0f} ns"


def size(value):
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if value >= 1 << bits:
            return f"{value / (1 << bits):.3g} {unit}"
    return f"{value} B"


def times(value):
    return f"{value:.3g} x"
