#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py changes code, and only code."""
import unittest

import mutants

SOURCE = """/* a < b */
#define LIMIT (1 + 2)
static const char *name = "x < y";
static int f(int a, int b)
{
\tint c = a; /* a + b */

\tif (a < b && c)
\t\tc += 2;
\tassert(a > 0);
\tcall(a, "b + c");
\treturn c;
}
"""


def changed(text, path="a.c"):
    return {(m.line, m.operator, m.after.strip()) for m in mutants.mutants_of(path, text)}


class Mutants(unittest.TestCase):
    def test_statements_and_expressions_are_changed(self):
        self.assertEqual(changed(SOURCE), {
            (8, "relation", "if (a <= b && c)"),
            (8, "logic", "if (a < b || c)"),
            (8, "condition", "if (!(a < b && c))"),
            (9, "update", "c -= 2;"),
            (9, "constant", "c += 3;"),
            (9, "statement", ";"),
            (11, "statement", ";"),
            (12, "return", "return 0;"),
        })

    def test_rows_of_tables_are_changed(self):
        self.assertEqual(changed("X(ADD, 0x10, true, handler)\n", "a.def"), {
            (1, "constant", "X(ADD, 0x14, true, handler)"),
            (1, "truth", "X(ADD, 0x10, false, handler)"),
        })

    def test_constants_become_others_in_the_same_base(self):
        self.assertEqual([mutants.changed_constant(d) for d in ("0", "1", "7", "0x0", "0xff")],
                         ["1", "0", "8", "0x1", "0xf7"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
