"""Accepted paths: from a run of the mended agent, or by mending the recorded path.

A run is redacted under the case's own draft key, so that the same person has the same pseudonym
in every path; without the key no run can be accepted.
"""

from __future__ import annotations

__all__: list[str] = []
