#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions about the past in a debugger: `monitor origin` names the culprit of a recorded crash, and
`seek` goes there; `last-write` and `next-candidate`, `values-of`, `next-write`, `calls where`. Positions
and lines are those of the crash's source, read by hand, and of the recording."""
import re
import unittest

import serving


class Questions(unittest.TestCase):
    def setUp(self):
        crash = serving.Crash("hash_corrupt_O1")
        server = serving.Server(crash.arguments())
        self.addCleanup(server.__exit__, None, None, None)
        server.__enter__()
        self.client = serving.Client(server.address)
        self.client.__enter__()
        self.addCleanup(self.client.__exit__, None, None, None)
        self.client.ask("qSupported:swbreak+")

    def test_origin_names_the_store_and_seek_goes_there(self):
        said = self.client.monitor("origin x19").splitlines()
        self.assertEqual(said[0], "at position 13709 it is 0x20202020; back from there:")
        self.assertRegex(said[1], r"^#1   13703  rehash\+0xc0  hash_corrupt\.c:46  ldr x19, \[x19\]: ")
        self.assertRegex(said[2], r"^#2   13432  rehash\+0x88  hash_corrupt\.c:42  str x2, .*: stored "
                                  r"0x20202020, 8 bytes at 0x4200f0; possible: \d+ younger writes")
        self.assertIn("(assumptions that are off may decide: abi, private-locals, kernel-private, waiting-tasks, coherent, stack-private, traced-writers, own-dumps)", said[-2])
        self.assertIn(": position 13432 of 13709", self.client.monitor("seek #2"))
        self.assertIn(": position 13703 of 13709", self.client.monitor("seek origin#1"))
        self.assertIn("no place of the last answer", self.client.monitor("seek writes#1"))
        # Of where the core is.
        self.assertIn("at position 13703 it is 0x4200f0;", self.client.monitor("origin x19"))
        self.client.monitor("trust assumed")
        self.assertNotIn("may decide", self.client.monitor("origin x19"))

    def test_last_write_goes_on_to_the_next_older(self):
        self.assertIn("`last-write` first", self.client.monitor("next-candidate"))
        first = self.client.monitor("last-write 0x4200f0")
        self.assertRegex(first, r"^#1   13706  rehash\+0xcc  hash_corrupt\.c:47  str x2, \[x1\]: write, after it ")
        positions = [13706]
        while "possible" in (said := self.client.monitor("next-candidate")):
            self.assertIn("may decide: abi, private-locals, kernel-private, waiting-tasks, coherent", said)
            positions.append(int(re.match(r"#1 +(\d+)", said)[1]))
        positions.append(int(re.match(r"#1 +(\d+)", said)[1]))
        self.assertEqual(positions, sorted(set(positions), reverse=True))
        self.assertIn("  rehash+0x88  hash_corrupt.c:42", said)
        self.assertEqual(positions[-1], 13432)

    def test_pointer_with_a_tag_leads_to_the_same_memory(self):
        said = self.client.monitor("writes 0x4200f0 from 13400")
        self.assertIn("13432  rehash+0x88", said)
        self.assertEqual(self.client.monitor("writes 0x11000000004200f0 from 13400"), said)
        self.assertEqual(self.client.ask("Z2,11000000004200f0,8"), "OK")
        # In words: gdb could not read it there.
        self.assertIn(b"write of the 8 bytes at 0x11000000004200f0: position 13706".hex(),
                      self.client.ask("bc"))

    def test_bytes_do_not_go_on_after_the_last_address(self):
        self.assertIn("SIZE", self.client.monitor("last-write 0xffffffffffffffff+2"))
        self.assertTrue(self.client.ask("Z2,fffffffffffffff8,10").startswith("E"))
        self.assertEqual(self.client.ask("Z2,fffffffffffffff8,8"), "OK")

    def test_lists_and_seeks(self):
        self.assertRegex(self.client.monitor("writes x19 from 13680"), r"^#1   13703 .*\n#2   13684 ")
        self.assertRegex(self.client.monitor("reads x19 from 13700"), r"^#1   13708 .*\n#2   13703 ")
        self.assertRegex(self.client.monitor("values-of x19 from 13690"),
                         r"^#1   13704 to 13709  0x20202020\n#2   13690 to 13703  0x4200f0\n$")
        self.assertIn(": position 13703 of 13709", self.client.monitor("previous-write x19"))
        self.assertIn(": position 13684 of 13709", self.client.monitor("previous-write x19"))
        self.assertIn(": position 13703 of 13709", self.client.monitor("next-write x19"))
        self.assertIn("none in positions 13704 to 13709", self.client.monitor("next-write x19"))
        self.assertRegex(self.client.monitor("calls rehash where x0 == 0x20"), r"^12\d+ to the halt  rehash")
        self.assertIn("no such call of rehash", self.client.monitor("calls rehash where x0 == 0x21"))


if __name__ == "__main__":
    unittest.main()
