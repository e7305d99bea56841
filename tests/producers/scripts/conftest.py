"""Nothing here is for pytest: the producers are not in the project's own environment."""

from __future__ import annotations

collect_ignore_glob = ["*.py", "**/*.py"]
