# SPDX-License-Identifier: Apache-2.0
"""The reference material beside the project, and how a test says what it was skipped without
(tests/report.py reads it)."""
import os
import sys

SKIPPED = 77
SHARED = os.environ.get("CSREPLAY_SHARED", "")


def skip(reason):
    """Ends the script as skipped."""
    print("SKIPPED:", reason, flush=True)
    sys.exit(SKIPPED)


def shared(*parts):
    """A path of the reference material; ends the test as skipped if it is not there."""
    path = os.path.join(SHARED, *parts)
    if not os.path.isdir(SHARED):
        skip("the reference material is not there")
    if not os.path.exists(path):
        skip("the reference material has no " + "/".join(parts))
    return path
