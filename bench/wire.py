# SPDX-License-Identifier: Apache-2.0
"""What requests cost as a debugger sees them, over TCP on loopback; nothing is wanted of these but
the answer to an interrupt."""
import os
import socket
import statistics
import sys
import time

import inputs
from table import Line, seconds

INTERRUPT = b"\x03"
TIMES = 32
ROUNDS = 501
STRIDE = 7919 * 1000003  # some prime jumps: the positions lie all over the history
CONTINUES_MOST = 100000


def serving(program, root):
    """The client and server that the tests use, for this program."""
    os.environ["CSREPLAY"] = program.csreplay
    os.environ["CSREPLAY_SOURCE"] = root
    sys.path.insert(0, os.path.join(root, "tests", "support"))
    import serving as module  # pylint: disable=import-outside-toplevel
    return module


def stop_reply(client):
    """The next reply that is no text for the console."""
    reply = client.payload()
    while reply.startswith(b"O") and reply != b"OK":
        reply = client.payload()
    return reply


def median_of(module, client, packets, count):
    """Median seconds from request to reply; packets(i) is the request of round i."""
    taken = []
    for i in range(count):
        packet = module.frame(packets(i).encode())
        begin = time.monotonic()
        client.send(packet)
        stop_reply(client)
        taken.append(time.monotonic() - begin)
    return statistics.median(taken)


def monitor(text):
    return "qRcmd," + text.encode().hex()


def measure_wire(module, arguments, length):
    """What -> seconds, of requests to the first core with a history."""
    with module.Server(arguments) as server, module.Client(server.address) as client:
        # As gdb does: else the interrupt would wait for the request's acknowledgement.
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for packet in ("qSupported:swbreak+", "?", f"Hg{inputs.BUGFIX_THREAD}",
                       f"Hc{inputs.BUGFIX_THREAD}"):
            client.ask(packet)
        got = {}
        for what, place, request in (("bs, from the halt on", "end", "bs"),
                                     ("bc at the oldest instruction", "0", "bc")):
            client.send(module.frame(monitor("seek " + place).encode()))
            stop_reply(client)
            got[what] = median_of(module, client, lambda i, packet=request: packet, ROUNDS)
        got["seek"] = median_of(module, client, lambda i: monitor(f"seek {i * STRIDE % length}"),
                                ROUNDS)
        client.send(module.frame(monitor("seek end").encode()))
        stop_reply(client)
        client.ask(f"Z0,{inputs.ONCE_ADDRESS},4")
        return got, interrupted_search(module, client)


def interrupted_search(module, client):
    """From the halt back to the oldest instruction, which has the only breakpoint: each continue
    gets an interrupt 1 ms later. The times from the interrupt to the stop reply, sorted, and how
    many of the continues ended by it."""
    taken = []
    interrupted = 0
    while len(taken) < CONTINUES_MOST:
        client.send(module.frame(b"bc"))
        time.sleep(0.001)
        begin = time.monotonic()
        client.send(INTERRUPT)
        reply = stop_reply(client)
        taken.append(time.monotonic() - begin)
        interrupted += reply.startswith(b"T02")
        if b"swbreak" in reply or b"replaylog" in reply:
            return sorted(taken), interrupted
    raise AssertionError("the oldest instruction was not reached")


def wire(bench):
    module = serving(bench.ours, bench.root)
    snapshot = bench.inputs.bugfix_once(TIMES)
    length = int(bench.session(bench.ours, TIMES)["instructions"])
    got, (taken, interrupted) = measure_wire(module, [snapshot], length)
    on = f"bugfix-exact-match x{TIMES}"
    for what, cost in got.items():
        yield Line(f"{what}, over TCP", on, seconds(cost), figure=cost)
    most = taken[len(taken) * 99 // 100]
    yield Line("interrupt 1 ms into a search, over TCP", on,
               f"99 % {seconds(most)}, at most {seconds(taken[-1])}; "
               f"{interrupted} of {len(taken)} searches were not over yet",
               wanted="<= 100 ms", met=most <= 0.1, figure=most)
