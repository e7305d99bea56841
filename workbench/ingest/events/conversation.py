"""Tells a conversation, message by message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.ingest.events.messages import Message, Role

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.ingest.events.transcript import Transcript

__all__ = ["tell"]


def tell(script: Transcript, messages: Iterable[Message]) -> None:
    """Add the events of messages in their order."""
    for message in messages:
        match message.role:
            case Role.SYSTEM:
                script.system(message.said)
            case Role.USER:
                script.user(message.said)
            case Role.ASSISTANT:
                script.reply(message.said, message.asked)
            case Role.TOOL:
                assert message.answered is not None  # noqa: S101  a result is its content
                script.result(message.answered)
