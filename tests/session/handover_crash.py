#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a kernel that hands over in its vectors halted at: the abort that the trace has, long after Abort mode was left, with what
DFSR and DFAR say of it, though LR_abt holds where the stub went to."""
import serving

CRASH = serving.Crash("ahandover_sort_O1")
POSITION, _, ADDRESS = CRASH.truth()["exceptions"][-1]


def main():
    with serving.Server(CRASH.arguments()) as server, serving.Client(server.address) as client:
        client.ask("QStartNoAckMode")
        client.send(b"+")
        said = client.monitor("crash")
        assert f": data abort at {ADDRESS:#x}: read of 0x" in said and f"taken at position {POSITION}\n" in said, said
        assert "at stumble+0x" in said and "abort_svc+0x" in said and "call_crash+0x" in said, said
        said = client.monitor("seek crash")
        assert f"position {POSITION} of" in said, said


if __name__ == "__main__":
    main()
