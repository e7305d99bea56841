"""What holds for every test."""

from __future__ import annotations

import os

from hypothesis import settings

# Hypothesis draws the same examples in every run, so that a check that was green stays green.
settings.register_profile("seeded", deadline=None, derandomize=True, database=None)
settings.load_profile("seeded")

if "PYTEST_XDIST_WORKER" in os.environ:
    # This process is being measured. Its children are not: an agent under isolation may not
    # write files, and a start-up time should not contain that of coverage.
    os.environ.pop("COVERAGE_PROCESS_START", None)
