"""`--executor SPEC`: where cases run at the same time; there is no scheduler of our own."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from workbench.casefile.place import nearest
from workbench.errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

__all__ = ["open_executor"]

_PROCESSES: Final = "processes"
_DASK: Final = "dask://"
_LOCAL: Final = "local"
_ADDRESS: Final = re.compile(r"[\w.-]+:[0-9]{1,5}")
_MOST: Final = 1_000
_PATIENCE_S: Final = 10
_FIX: Final = "write processes:N, dask://HOST:PORT or dask://local"


@contextmanager
def open_executor(
    spec: str | None, *, patience_s: float = _PATIENCE_S
) -> Iterator[Executor | None]:
    """Open an executor as long as the block runs; None: cases run one after the other.

    Args:
        spec: `processes`, `processes:N`, `dask://HOST:PORT` or `dask://local`.
        patience_s: how long a scheduler may take to answer.

    Raises:
        InputError: it is none of these, or no scheduler answers there.
        MissingExtraError: `dask://` without the extra.
    """
    if spec is None:
        yield None
    elif spec.startswith(_DASK):
        with _dask(spec, spec.removeprefix(_DASK), patience_s) as executor:
            yield executor
    else:
        with _processes(_workers(spec)) as executor:
            yield executor


def _processes(workers: int) -> Executor:
    """Return a pool whose processes start afresh: a fork would copy our threads' locks."""
    import multiprocessing  # noqa: PLC0415  only a pool needs it
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _workers(spec: str) -> int:
    kind, colon, number = spec.partition(":")
    if kind != _PROCESSES:
        near = nearest(kind, (_PROCESSES, "dask"))
        raise _unknown(spec, _FIX if near is None else f"write {near}; {_FIX}")
    if not colon:
        return os.cpu_count() or 1
    if not number.isascii() or not number.isdecimal() or not 1 <= int(number[:9]) <= _MOST:
        raise _unknown(spec, f"write a number of processes from 1 to {_MOST}")
    return int(number)


def _unknown(spec: str, fix: str) -> InputError:
    return InputError(f"executor {spec!r} is not known", place="--executor", fix=fix)


@contextmanager
def _dask(spec: str, address: str, patience_s: float) -> Iterator[Executor]:
    if address != _LOCAL and not _ADDRESS.fullmatch(address):
        raise _unknown(spec, "write dask://HOST:PORT or dask://local")
    try:
        import distributed  # noqa: PLC0415  an optional package
    except ModuleNotFoundError:
        raise MissingExtraError(
            "distributed", needed_for="--executor dask://...", extra="dask"
        ) from None
    connect: Any = distributed.Client
    try:
        client = (
            connect(processes=True, dashboard_address=None)
            if address == _LOCAL
            else connect(f"tcp://{address}", timeout=patience_s)
        )
    except OSError:
        message = f"no Dask scheduler answers at {address}"
        raise InputError(message, place="--executor", fix="start one, or check it") from None
    with client, client.get_executor(pure=False) as executor:
        yield executor
