"""`python -m workbench` is the command `workbench`."""

from __future__ import annotations

from workbench.cli.main import main

__all__: list[str] = []

if __name__ == "__main__":
    raise SystemExit(main())
