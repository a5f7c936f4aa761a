# SPDX-License-Identifier: Apache-2.0
"""What a stop at a random position costs the server, in seconds of its processor: the seek, all
registers, the code at the PC and the words at SP, as a debugger asks for them.

    stops.py [--stops N] [--seed N] -- ARGUMENT...    of csreplay serve, with CSREPLAY set
"""
import glob
import os
import random
import sys
import time

import inputs
import wire
from table import Line, seconds

STOPS = 40
SEED = 17
MOST = 0.050
CODE, STACK = 64, 512
THINKING = 1.0  # seconds from a client's coming to its first stop, which no program needs


def cpu(pid):
    """Seconds that the threads of a process ran so far; those that ended are not in it."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path, encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def little_endian(digits):
    return int.from_bytes(bytes.fromhex(digits), "little")


class Debugger:
    """A client that asks what gdb asks at a stop."""

    def __init__(self, client):
        self.client = client
        client.ask("qSupported:swbreak+")
        self.numbers = {name: client.number_of(name) for name in ("sp", "pc", "trace_pos")}

    def register(self, name):
        """Its value, or None where it is not known."""
        digits = self.client.ask(f"p{self.numbers[name]:x}")
        return None if "x" in digits or digits.startswith("E") else little_endian(digits)

    def threads(self):
        return [t for t in self.client.ask("qfThreadInfo").lstrip("m").split(",") if t]

    def choose(self, thread):
        """How many positions the core has before the last one."""
        self.client.ask(f"Hg{thread}")
        self.client.ask(f"Hc{thread}")
        return self.register("trace_pos")

    def stop_at(self, position):
        self.client.ask(f"P{self.numbers['trace_pos']:x}={position.to_bytes(8, 'little').hex()}")
        reply = self.client.ask("g")
        for name, length in (("pc", CODE), ("sp", STACK)):
            address = self.register(name)
            if address is not None:
                reply += self.client.ask(f"m{address:x},{length:x}")
        return len(reply) - reply.count("x")


def stops_of(module, arguments, count, seed):
    """Thread, position, seconds and known digits of random stops at each core that has a past."""
    chance = random.Random(seed)
    with module.Server(arguments) as server, module.Client(server.address) as client:
        debugger = Debugger(client)
        client.socket.settimeout(120)
        for thread in debugger.threads():
            length = debugger.choose(thread)
            time.sleep(THINKING)
            for position in [chance.randrange(length) for _ in range(count if length else 0)]:
                before = cpu(server.process.pid)
                known = debugger.stop_at(position)
                yield thread, position, cpu(server.process.pid) - before, known


def stops(bench):
    module = wire.serving(bench.ours, bench.root)
    kernel = os.path.join(bench.inputs.shared, "corpus", "kernel", "uaf_k")
    snapshots = [("bugfix-exact-match x32", bench.inputs.bugfix(32)),
                 ("tc2-ptm-rstk-t32 1 MiB", bench.inputs.small("tc2-ptm-rstk-t32", inputs.MIB)),
                 ("TC2 1 MiB", bench.inputs.small("TC2", inputs.MIB))]
    if os.path.isdir(kernel):
        snapshots.append(("kernel/uaf_k", kernel))
    for name, snapshot in snapshots:
        costs = sorted(stop[2] for stop in stops_of(module, [snapshot], STOPS, SEED))
        yield Line("stop at a random position", name,
                   f"{seconds(costs[len(costs) // 2])} of cpu, at most {seconds(costs[-1])}",
                   wanted="<= 50 ms", met=costs[-1] <= MOST, figure=costs[-1])


def main():
    split = sys.argv.index("--")
    count, seed = (int(v) for v in (sys.argv[1:split] + [STOPS, SEED][split - 1:]))
    sys.path.insert(0, os.path.join(os.environ["CSREPLAY_SOURCE"], "tests", "support"))
    import serving  # pylint: disable=import-outside-toplevel
    taken = list(stops_of(serving, sys.argv[split + 1:], count, seed))
    costs = sorted(stop[2] for stop in taken)
    if not costs:
        print("no core with a past")
        return
    thread, position, worst, _ = max(taken, key=lambda stop: stop[2])
    print(f"{len(costs)} stops: median {costs[len(costs) // 2] * 1e3:.1f} ms, worst "
          f"{worst * 1e3:.1f} ms (thread {thread}, position {position}), "
          f"{sum(cost > MOST for cost in costs)} over 50 ms, "
          f"{sum(stop[3] for stop in taken) // len(taken)} digits known")


if __name__ == "__main__":
    main()
