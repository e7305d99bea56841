"""What keeps an agent from touching the world: an audit hook to diagnose, the kernel as wall."""

from __future__ import annotations

__all__: list[str] = []
