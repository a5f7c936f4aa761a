# SPDX-License-Identifier: Apache-2.0
"""Mutants of C source: small changes that a test has to notice.

In: the text of a .c or .def file that follows the project's .clang-format. Out: every place where one
of OPERATORS applies. Comments, strings, preprocessor lines and declarations are left alone.
"""
import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Mutant:
    path: str
    line: int      # from 1
    operator: str
    before: str    # the line as it is
    after: str


SWAPPED = [
    ("relation", r" (<=|>=|<|>|==|!=) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
                                          "!=": "=="}),
    ("logic", r" (&&|\|\|)(?: |$)", {"&&": "||", "||": "&&"}),
    ("arithmetic", r" ([+\-*/%]) ", {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/"}),
    ("bits", r" (&|\||\^|<<|>>) ", {"&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<"}),
    ("update", r" (\+=|-=|\|=|&=) ", {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}),
    ("step", r"(\+\+|--)", {"++": "--", "--": "++"}),
    ("truth", r"\b(true|false)\b", {"true": "false", "false": "true"}),
    ("not", r"(?<=[( ])(!)(?=[\w(])", {"!": ""}),
    ("jump", r"^\t+(break|continue);$", {"break": "continue", "continue": "break"}),
]
CONSTANT = re.compile(r"(?<![\w.\"'])(0x[0-9a-f]+|0|[1-9]\d*)(?:u|ull|U)?\b(?![.\"'])")
CONDITION = re.compile(r"^(\t+(?:\} else )?(?:if|while) \()(.*)(\)(?: \{)?)$")
# A whole statement in a line: a call or an assignment, no declaration and no jump.
STATEMENT = re.compile(r"^\t+(?:\*?[\w.>\[\]()-]+(?: [+\-|&^*]?=|\+\+|--| <<=| >>=)|\(void\)|TRY\(|\w+\()"
                       r".*;$|^\t+(?:\+\+|--)?[\w.>\[\]-]+(?:\+\+|--)?;$")
NO_STATEMENT = re.compile(r"^\t+(?:return|break|continue|goto|case|default|struct|enum|const|static)\b")
RETURN = re.compile(r"^(\t+return )(.+)(;)$")


def blanked(text):
    """The text with comments, strings and characters replaced by blanks of the same length."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text,
                  flags=re.DOTALL)


def is_balanced(part):
    return part.count("(") == part.count(")")


def changed_constant(digits):
    """Another number in the same base: an even one, or the next."""
    value = int(digits, 0)
    if digits.startswith("0x"):
        return f"{value ^ 1 << (value % 7):#x}"
    return str(value + 1 if value != 1 else 0)


def line_changes(line, code):
    """(operator, new line) of each change; `code` is the line without comments and strings."""
    for operator, pattern, other in SWAPPED:
        for found in re.finditer(pattern, code):
            yield operator, line[:found.start(1)] + other[found[1]] + line[found.end(1):]
    for found in CONSTANT.finditer(code):
        yield "constant", line[:found.start(1)] + changed_constant(found[1]) + line[found.end(1):]
    found = CONDITION.match(line)
    if found and is_balanced(found[2]):
        yield "condition", f"{found[1]}!({found[2]}){found[3]}"
    if STATEMENT.match(line) and not NO_STATEMENT.match(line) and is_balanced(code):
        yield "statement", re.match(r"\t+", line)[0] + ";"
    found = RETURN.match(line)
    if found and found[2] not in ("true", "false", "0"):
        yield "return", f"{found[1]}0{found[3]}"


def mutants_of(path, text):
    """Every mutant of a file. Of a .def file its rows count, of a .c file what lies in braces."""
    is_table = path.endswith(".def")
    depth = 0
    directive = False
    for number, (line, code) in enumerate(zip(text.split("\n"), blanked(text).split("\n")), 1):
        inside = depth > 0
        depth += code.count("{") - code.count("}")
        is_directive = directive or code.lstrip().startswith("#")
        directive = is_directive and code.endswith("\\")
        if is_directive or not code.strip() or not (inside or is_table):
            continue
        if re.match(r"\t*(?:\w+\(.*)?assert\(", code):
            continue
        for operator, after in line_changes(line, code):
            if after != line:
                yield Mutant(path, number, operator, line, after)
