# SPDX-License-Identifier: Apache-2.0
"""
JSON Schema (2020-12), as far as the schemas in docs/schema use it, without a package.

A keyword that is not known here is an error and not passed over: a schema never seems to demand
what is not checked.
"""
import json
import os
import re

FOLDER = os.path.join(os.environ["CSREPLAY_SOURCE"], "docs", "schema")
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int}
ABOUT = {"$schema", "title", "description", "$defs"}  # these demand nothing


class Wrong(Exception):
    """What does not follow the schema, and where."""


def no_field_twice(pairs):
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise Wrong(f"a field is there twice: {[name for name, _ in pairs]}")
    return fields


def parse(text):
    """Strict JSON: no field twice, no NaN and no number that is none of RFC 8259."""
    def refuse(name):
        raise Wrong(f"{name} is no JSON")
    return json.loads(text, object_pairs_hook=no_field_twice, parse_constant=refuse)


def same(a, b):
    """Equal, and of one type: True is not 1."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


class Schema:
    """One file of the folder; `check` raises Wrong."""

    def __init__(self, name, files=None):
        self.files = {} if files is None else files
        self.root = self.file(name + ".schema.json")

    def file(self, name):
        if name not in self.files:
            with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
                self.files[name] = parse(file.read())
        return self.files[name]

    def check(self, value):
        self.node(self.root, self.root, value, "$")

    def fits(self, root, schema, value):
        try:
            self.node(root, schema, value, "$")
        except Wrong as wrong:
            return str(wrong)
        return None

    def node(self, root, schema, value, where):
        for keyword, operand in schema.items():
            if keyword in ABOUT:
                continue
            rule = getattr(self, "on_" + keyword.lstrip("$"), None)
            if rule is None:
                raise Wrong(f"the schema has \"{keyword}\", which is not checked")
            rule(root, schema, operand, value, where)

    def on_ref(self, root, _, target, value, where):
        if target.startswith("#/$defs/"):
            self.node(root, root["$defs"][target.split("/")[2]], value, where)
        else:
            other = self.file(target)
            self.node(other, other, value, where)

    def on_oneOf(self, root, _, schemas, value, where):
        reasons = [self.fits(root, schema, value) for schema in schemas]
        if reasons.count(None) != 1:
            raise Wrong(f"{where}: {value!r} is {reasons.count(None)} of "
                        f"{len(schemas)}: {reasons}")

    def on_type(self, _, __, name, value, where):
        if not isinstance(value, TYPES[name]) or (name == "integer" and isinstance(value, bool)):
            raise Wrong(f"{where}: {value!r} is no {name}")

    def on_const(self, _, __, wanted, value, where):
        if not same(value, wanted):
            raise Wrong(f"{where}: {value!r} is not {wanted!r}")

    def on_enum(self, _, __, names, value, where):
        if not any(same(value, name) for name in names):
            raise Wrong(f"{where}: {value!r} is none of {names}")

    def on_pattern(self, _, __, pattern, value, where):
        if not re.search(pattern.replace("$", r"\Z"), value):
            raise Wrong(f"{where}: {value!r} does not match {pattern}")

    def on_minLength(self, _, __, least, value, where):
        if len(value) < least:
            raise Wrong(f"{where}: {value!r} is too short")

    def on_minimum(self, _, __, least, value, where):
        if value < least:
            raise Wrong(f"{where}: {value} is under {least}")

    def on_maximum(self, _, __, most, value, where):
        if value > most:
            raise Wrong(f"{where}: {value} is over {most}")

    def on_maxItems(self, _, __, most, value, where):
        if len(value) > most:
            raise Wrong(f"{where}: more than {most} items")

    def on_items(self, root, _, schema, value, where):
        for i, item in enumerate(value):
            self.node(root, schema, item, f"{where}[{i}]")

    def on_required(self, _, __, names, value, where):
        for name in names:
            if name not in value:
                raise Wrong(f"{where}: \"{name}\" is missing")

    def on_dependentRequired(self, _, __, rows, value, where):
        for name, needed in rows.items():
            if name in value and not set(needed) <= set(value):
                raise Wrong(f"{where}: \"{name}\" without {needed}")

    def on_properties(self, root, _, schemas, value, where):
        for name, schema in schemas.items():
            if name in value:
                self.node(root, schema, value[name], f"{where}.{name}")

    def on_patternProperties(self, root, _, schemas, value, where):
        for name, item in value.items():
            for pattern, schema in schemas.items():
                if re.search(pattern.replace("$", r"\Z"), name):
                    self.node(root, schema, item, f"{where}.{name}")

    def on_additionalProperties(self, _, schema, allowed, value, where):
        patterns = [p.replace("$", r"\Z") for p in schema.get("patternProperties", {})]
        if allowed is not False:
            raise Wrong("the schema lets in what it does not name")
        for name in value:
            if name not in schema.get("properties", {}) and not any(
                    re.search(p, name) for p in patterns):
                raise Wrong(f"{where}: \"{name}\" is not in the schema")
