"""The tools as JSON Schemas, for clients that take nothing else."""

from __future__ import annotations

__all__ = ["SCHEMAS"]


def _schema(name, description, **types):
    properties = {argument: {"type": kind} for argument, kind in types.items()}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "parameters": parameters}


SCHEMAS = (
    _schema("crm_lookup", "Find a subscription", email="string"),
    _schema(
        "billing_pause",
        "Pause a subscription",
        account_id="string",
        months="integer",
        idempotency_key="string",
    ),
    _schema("billing_get_operation", "Read an operation back", operation_id="string"),
)
