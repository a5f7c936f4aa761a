#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes the product at random places and sees whether a test notices.

usage: mutate [N] [LAYER] [--seed S] [--jobs J] [--at PATH:LINE] [--tests REGEX]
              [--budget SECONDS] [--no-sanitizers] [--again REGEX] [--work FOLDER]

N mutants (default 40) are drawn from the committed tree, as many from each layer, or all from one. Each is
built and tested: quick tests first, then the layer's own, then the others, and of all only those that run the
function that was changed. What no test notices is tried once more with sanitizers on the unit tests.
Survivors are listed, and the share noticed in each layer.

It needs gcc 12, whose coverage files executed.py reads, and hours for hundreds of mutants. `--at` tries
every mutant of a line instead, `--tests` runs only tests of such names. `--budget` gives up a mutant whose
tests have taken so long: it counts as survived, so that the score is the least that it can be.

What is kept between runs lies in FOLDER (default build/mutate): results, so that a run with the seed of
one that was cut goes on there, and which functions each test runs, measured once for a commit.
`--again` takes that from an older commit but for tests of such names, and new ones.
"""
import argparse
import collections
import concurrent.futures
import functools
import json
import os
import pickle
import queue
import random
import re
import subprocess
import sys
import threading
import time

import bed as beds
import executed
import mutants

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")

QUICK = 2  # seconds; such tests come first

# Layer: which files it has, and in which folders of tests/ its own tests are. The first that fits.
LAYERS = {
    "base": (r"base/", ("base",)),
    "snapshot": (r"snapshot/", ("snapshot", "fuzz")),
    "arch": (r"arch/", ("arch", "semantics", "values")),
    "decoder": (r"decoder/", ("decoder", "synth", "fuzz")),
    "values": (r"replay/values/", ("values",)),
    "history": (r"replay/", ("history", "tarmac", "session", "compare", "export")),
    "console": (r"console/", ("console", "stub", "cli", "e2e")),
    "stub": (r"stub/", ("stub", "e2e", "fuzz")),
    "cli": (r"cli/", ("cli", "e2e")),
}


def layer_of(path):
    return next(name for name, (pattern, _) in LAYERS.items() if re.match(pattern, path))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


@functools.cache
def sources():
    """Layer -> its files, as committed."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.c", "*.def"], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.split()
    found = collections.defaultdict(list)
    for path in listed:
        if any(re.match(pattern, path) for pattern, _ in LAYERS.values()):
            found[layer_of(path)].append(path)
    return found


def head():
    return subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.strip()


class Coverage:
    """Which functions each test runs, measured once for a commit."""

    def __init__(self, work, jobs):
        self.bed = beds.Bed(ROOT, os.path.join(work, "measured"), "coverage", SHARED)
        said = self.bed.build(jobs)
        if said:
            sys.exit(said[-4000:])
        self.dumps = os.path.join(work, "gcda")
        self.functions = {}  # object -> functions_of()
        for folder, _, files in os.walk(self.bed.build_folder):
            for name in files:
                if name.endswith(".gcno"):
                    path = os.path.join(folder, name)
                    self.functions[path[:-5]] = executed.functions_of(path)

    def measure(self, test):
        """The test with what it ran: None, for all there is, if it fails when that is counted."""
        dump = os.path.join(self.dumps, test.name)
        subprocess.run(["rm", "-rf", dump], check=True)
        begin = time.monotonic()
        code, out = self.bed.run(test, 4 * test.timeout, {"GCOV_PREFIX": dump})
        test.seconds = time.monotonic() - begin
        if code not in (0, beds.SKIPPED):
            print(f"{test.name} fails with --coverage: {code}\n{out[-4000:]}", flush=True)
            test.ran = None
            return test
        ran = set()
        for folder, _, files in os.walk(dump):
            for name in files:
                if not name.endswith(".gcda"):
                    continue
                path = os.path.join(folder, name)
                known = self.functions["/" + os.path.relpath(path, dump)[:-5]]
                for ident in executed.executed_in(path):
                    function, source, _, _ = known[ident]
                    ran.add((os.path.relpath(source, self.bed.source), function))
        subprocess.run(["rm", "-rf", dump], check=True)
        test.ran = frozenset(ran)
        return test

    def ranges(self):
        """Path -> [(first line, last line, function)]."""
        found = collections.defaultdict(set)
        for functions in self.functions.values():
            for name, source, first, last in functions.values():
                found[os.path.relpath(source, self.bed.source)].add((first, last, name))
        return {path: sorted(ranges) for path, ranges in found.items()}


def measured(work, jobs, names, again):
    """(tests, ranges of functions), from the last run on this commit if there was one."""
    path = os.path.join(work, "measured.pickle")
    commit = head() + " " + names
    older = {}
    if os.path.exists(path):
        with open(path, "rb") as file:
            kept = pickle.load(file)
        if kept[0] == commit:
            return kept[1:]
        if again is not None:
            older = {test.name: test for test in kept[1] if not re.search(again, test.name)}
    print("measuring which functions each test runs", flush=True)
    coverage = Coverage(work, jobs)
    tests = [test for test in coverage.bed.tests() if re.search(names, test.name)]
    known = [older[test.name] for test in tests if test.name in older]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        tests = known + list(pool.map(
            coverage.measure, [test for test in tests if test.name not in older]))
    ranges = coverage.ranges()
    with open(path, "wb") as file:
        pickle.dump((commit, tests, ranges), file)
    return tests, ranges


def tests_for(mutant, tests, ranges):
    """Those that run what was changed, in the order in which they are worth running."""
    paths = [mutant.path]
    if mutant.path.endswith(".def"):
        name = os.path.basename(mutant.path)
        paths = [path for files in sources().values() for path in files
                 if path.endswith(".c") and re.search(rf'#include ".*\b{re.escape(name)}"',
                                                      read(path) + headers_with(name, path))]
    inside = {name for first, last, name in ranges.get(mutant.path, ())
              if first <= mutant.line <= last}

    def runs(test):
        return test.ran is None or any(path in paths and (not inside or name in inside) for path, name in test.ran)

    own = LAYERS[layer_of(mutant.path)][1]
    return sorted(filter(runs, tests), key=lambda test: (
        test.seconds > QUICK, test.folder.split("/")[-1] not in own, test.seconds))


def headers_with(name, path):
    """The headers of a source file that include a table, as text."""
    text = ""
    for header in re.findall(r'#include "([^"]+\.h)"', read(path)):
        if os.path.exists(os.path.join(ROOT, header)) and name in read(header):
            text += read(header)
    return text


class Worker:
    """Tries mutants, one after the other, in copies of its own."""

    def __init__(self, arguments, number):
        self.place = os.path.join(arguments.work, f"worker-{number}")
        self.budget = arguments.budget
        self.sanitizes = not arguments.no_sanitizers
        self.plain = beds.Bed(ROOT, os.path.join(self.place, "a"), "plain", SHARED)
        self.sanitized = None
        said = self.plain.build()
        if said:
            sys.exit(said[-4000:])
        # What each source is compiled to without a mutant.
        self.objects = {path: self.plain.object_of(path)
                        for files in sources().values() for path in files}
        # Names of tests are the same, commands are this copy's.
        self.commands = {test.name: test for test in self.plain.tests()}

    def passes(self, test):
        """Without a mutant."""
        code, out = self.plain.run(self.commands[test.name], 4 * test.timeout)
        if code in (0, beds.SKIPPED):
            return True
        print(f"left out: {test.name} fails without a mutant: {code}\n{out[-4000:]}", flush=True)
        return False

    def noticed(self, bed, commands, order, slow):
        """By which test, or None."""
        end = time.monotonic() + self.budget if self.budget else None
        for test in order:
            if end and time.monotonic() > end:
                return None
            code, _ = bed.run(commands[test.name], slow * (20 + 5 * test.seconds))
            if code not in (0, beds.SKIPPED):
                return f"{test.name} ({code})"
        return None

    def with_sanitizers(self, mutant, text, order):
        if not self.sanitized:
            bed = beds.Bed(ROOT, os.path.join(self.place, "b"), "sanitized", SHARED)
            if bed.build():
                return None
            self.sanitized_commands = {test.name: test for test in bed.tests()}
            self.sanitized = bed
        self.sanitized.write(mutant.path, text)
        try:
            if self.sanitized.build():
                return None
            quick = [test for test in order if re.match(r"(test|fuzz)_", test.name)]
            found = self.noticed(self.sanitized, self.sanitized_commands, quick, 4)
            return found and "sanitizers: " + found
        finally:
            self.sanitized.write(mutant.path, read(mutant.path))

    def attempt(self, mutant, order):
        """("stillborn" | "same" | "noticed" | "survived", by what)"""
        text = read(mutant.path)
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        changed = "\n".join(lines)
        self.plain.write(mutant.path, changed)
        try:
            if self.plain.build():
                return "stillborn", ""
            if self.plain.object_of(mutant.path) == self.objects[mutant.path]:
                return "same", ""
            by = self.noticed(self.plain, self.commands, order, 1)
            if not by and self.sanitizes:
                by = self.with_sanitizers(mutant, changed, order)
            return ("noticed", by) if by else ("survived", f"of {len(order)} tests")
        finally:
            # Compiled together with the next one.
            self.plain.write(mutant.path, text)


def drawn(layer, files, chance):
    """Mutants of a layer without end: first a line, then what to do with it."""
    lines = collections.defaultdict(list)
    for path in files:
        for mutant in mutants.mutants_of(path, read(path)):
            lines[path, mutant.line].append(mutant)
    places = sorted(lines)
    chance.shuffle(places)
    for place in places:
        yield chance.choice(sorted(lines[place], key=lambda m: (m.operator, m.after)))


def plan(arguments):
    """Iterators of mutants with how many of each are wanted."""
    if arguments.at:
        path, line = arguments.at.rsplit(":", 1)
        found = [m for m in mutants.mutants_of(path, read(path)) if m.line == int(line)]
        return [(layer_of(path), iter(found), len(found))]
    files = sources()
    layers = [arguments.layer] if arguments.layer else list(LAYERS)
    return [(layer, drawn(layer, files[layer], random.Random(f"{arguments.seed} {layer}")),
             arguments.count // len(layers) + (i < arguments.count % len(layers)))
            for i, layer in enumerate(layers)]


def earlier(path):
    """The results of a run that was cut."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [(mutants.Mutant(*row[:5]), *row[5:]) for row in rows]


def report(results):
    print("\nSurvivors:")
    for mutant, state, by in results:
        if state == "survived":
            print(f"{mutant.path}:{mutant.line}: {mutant.operator}, {by}\n"
                  f"  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
    print("\nlayer       noticed  of  share")
    total = collections.Counter()
    for layer in LAYERS:
        states = collections.Counter(state for mutant, state, _ in results
                                     if layer_of(mutant.path) == layer)
        total += states
        print_share(layer, states)
    print_share("all", total)


def print_share(name, states):
    tried = states["noticed"] + states["survived"]
    if tried:
        print(f"{name:10} {states['noticed']:8} {tried:3} {100 * states['noticed'] / tried:5.1f} %")


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("count", nargs="?", type=int, default=40)
    parser.add_argument("layer", nargs="?", choices=list(LAYERS))
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--at")
    parser.add_argument("--tests", default="")
    parser.add_argument("--budget", type=float)
    parser.add_argument("--no-sanitizers", action="store_true")
    parser.add_argument("--again")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "mutate"))
    return parser.parse_args()


def main():
    arguments = parse()
    print("seed", arguments.seed, flush=True)
    os.environ.setdefault("CSREPLAY_RECORDINGS", os.path.join(arguments.work, "recordings"))
    tests, ranges = measured(arguments.work, arguments.jobs, arguments.tests, arguments.again)
    workers = queue.Queue()
    lock = threading.Lock()
    path = os.path.join(arguments.work, f"results-{arguments.seed}.jsonl")
    results = earlier(path)
    done = {mutant for mutant, _, _ in results}

    for number in range(arguments.jobs):
        workers.put(Worker(arguments, number))
    # The others have passed when they were measured.
    worker = workers.get()
    tests = [test for test in tests if test.ran is not None or worker.passes(test)]
    workers.put(worker)

    def one(iterator):
        """The next mutant of a layer that can be built and is one."""
        worker = workers.get()
        try:
            while True:
                with lock:
                    mutant = next(iterator, None)
                if mutant is None:
                    return
                if mutant in done:
                    continue
                state, by = worker.attempt(mutant, tests_for(mutant, tests, ranges))
                if state in ("noticed", "survived"):
                    break
            with lock:
                results.append((mutant, state, by))
                print(f"{len(results)} {mutant.path}:{mutant.line} {mutant.operator}: {state}, {by}",
                      flush=True)
                log.write(json.dumps([*vars(mutant).values(), state, by]) + "\n")
                log.flush()
        finally:
            workers.put(worker)

    tried = collections.Counter(layer_of(mutant.path) for mutant in done)
    wanted = [iterator for layer, iterator, count in plan(arguments)
              for _ in range(count - tried[layer])]
    random.Random(arguments.seed).shuffle(wanted)
    with open(path, "a", encoding="utf-8") as log, \
            concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        # A mutant that cannot be tried ends the run: it is neither noticed nor survived.
        futures = [pool.submit(one, iterator) for iterator in wanted]
        try:
            for future in concurrent.futures.as_completed(futures):
                future.result()
        finally:
            pool.shutdown(cancel_futures=True)
    report(results)


if __name__ == "__main__":
    main()
