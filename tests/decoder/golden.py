#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every element of a snapshot's trace is the reference decoder's.

usage: golden.py SNAPSHOT.BUFFER [OPTION...]

`csreplay decode --buffer BUFFER OPTION...` of the reference snapshot SNAPSHOT is compared with the
golden list of that name: SNAPSHOT.BUFFER.elements.gz, or SNAPSHOT.BUFFER.sha256, which holds a
digest for each trace ID. The order counts inside one trace ID. With options the list is called
SNAPSHOT.BUFFER.NAME..., NAME the option's, as its part before ".elements.gz".
"""
import collections
import gzip
import hashlib
import os
import re
import subprocess
import sys

from material import shared

LINE = re.compile(r"Idx:\d+; ID:([0-9a-f]+); OCSD_GEN_TRC_ELEM_.*")


def per_id(stream):
    elements = collections.defaultdict(list)
    for line in stream:
        match = LINE.search(line)
        if match:
            elements[match.group(1)].append(match.group(0).rstrip())
    return elements


def compare_lists(expected, found):
    equal = True
    for trace_id in sorted(set(expected) | set(found)):
        a, b = expected.get(trace_id, []), found.get(trace_id, [])
        if a == b:
            continue
        equal = False
        at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        print(f"ID {trace_id}: element {at} differs ({len(a)} expected, {len(b)} found)")
        print("  expected", a[at] if at < len(a) else "(nothing)")
        print("  found   ", b[at] if at < len(b) else "(nothing)")
    return equal


def compare_digests(lines, found):
    expected = {}
    for line in lines:
        if not line.startswith("#"):
            trace_id, count, digest = line.split()
            expected[trace_id] = (int(count), digest)
    digests = {}
    for trace_id, elements in found.items():
        data = "".join(element + "\n" for element in elements).encode()
        digests[trace_id] = (len(elements), hashlib.sha256(data).hexdigest())
    if expected != digests:
        print("expected", expected, "\nfound   ", digests)
    return expected == digests


def main():
    name, options = sys.argv[1], sys.argv[2:]
    snapshot, buffer = name.split(".")[:2]
    golden = os.path.join(shared("golden"), name)
    run = subprocess.run(
        [os.environ["CSREPLAY"], "decode", "--buffer", buffer, *options,
         shared("corpus", "opencsd", snapshot)],
        stdout=subprocess.PIPE, text=True, errors="replace", check=False)
    found = per_id(run.stdout.splitlines())
    if os.path.exists(golden + ".sha256"):
        with open(golden + ".sha256", encoding="ascii") as stream:
            equal = compare_digests(stream, found)
    else:
        with gzip.open(golden + ".elements.gz", "rt", errors="replace") as stream:
            equal = compare_lists(per_id(stream), found)
    print(sum(len(elements) for elements in found.values()), "elements")
    # None of these snapshots has an error: what is damaged in a trace is an element.
    if run.returncode != 0:
        print("exit status", run.returncode)
    sys.exit(0 if equal and found and run.returncode == 0 else 1)


main()
