#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/picture.svg is what scripts/picture draws of the example, and shows what csreplay says of it; the README's session is the
walkthrough's."""
import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree
from pathlib import Path

CSREPLAY = os.environ["CSREPLAY"]
SOURCE = Path(os.environ["CSREPLAY_SOURCE"])


def text_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120, cwd=SOURCE).stdout


class Drawing(unittest.TestCase):
    def test_it_is_what_the_script_draws(self):
        self.assertEqual((SOURCE / "docs" / "picture.svg").read_text(),
                         text_of("python3", "scripts/picture", CSREPLAY, "examples/sensorhub", "x2"))

    def test_it_shows_the_culprit_where_csreplay_has_it(self):
        picture = xml.etree.ElementTree.parse(SOURCE / "docs" / "picture.svg").getroot()
        words = " ".join(picture.itertext())
        steps = [json.loads(line) for line in
                 text_of(CSREPLAY, "origin", "--of", "x2", "--format", "json", "examples/sensorhub").splitlines()]
        store = next(step for step in steps if step["kind"] == "store")
        self.assertIn(f"{store['position']}: {store['function']}, {store['file']}:{store['line']}: store of {store['value']}", words)
        length = int(re.search(r"the last (\d+) instructions", words).group(1))
        places = [float(circle.get("cx")) for circle in picture.iter() if circle.tag.endswith("}circle")]
        left, right = min(places), max(places)
        self.assertEqual(right, 930.0)
        self.assertAlmostEqual(left, 130 + 800 * steps[-1]["position"] / length, delta=0.1)

    def test_readme_shows_it(self):
        self.assertIn("(docs/picture.svg)", (SOURCE / "README.md").read_text())

    def test_session_of_the_readme_is_the_walkthroughs(self):
        """Which is replayed by another test: its lines, in its order."""
        text = (SOURCE / "README.md").read_text()
        lines = re.findall(r"^    (.+)$", text.split("`docs/walkthrough.md`:\n\n")[1].split("\n\n")[0], re.MULTILINE)
        rest = (SOURCE / "docs" / "walkthrough.md").read_text().splitlines()
        self.assertGreaterEqual(len(lines), 10)
        for line in lines:
            self.assertIn("    " + line, rest)
            rest = rest[rest.index("    " + line) + 1:]


if __name__ == "__main__":
    unittest.main()
