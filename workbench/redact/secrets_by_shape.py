"""Secrets by their prefix or by the words around them; never by entropy, which fires on trace ids."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from workbench.redact.finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["find_secrets"]

_NAME = "secrets 1"
_WORDED: Final = (
    r"(?i)(?<![\w-])(?<!page )(?<!next )(?<!continuation )"
    r"(?:(?:api|access|secret|private|signing|encryption|my|our|the)[ _-]key|token|secret|pass ?(?:word|code|phrase)|credentials?)"
    r"(?: (?:is|was|to|set to) |\s?[:=]\s?| )[\"'`]?"
    r"(?P<value>(?=[^\s\"'`]{0,40}\d)(?=[^\s\"'`]{0,40}[A-Za-z])(?:(?!\\[nrt])[^\s\"'`<>(){}\[\],;]){6,200}(?<![.!?]))"
)
"""A word for a secret, and behind it a token with letters and digits."""
_WORD: Final = r"(?:[A-Z]?[a-z]{1,20}|[A-Z]{1,20})"
_WORDS: Final = rf"{_WORD}(?:[-/.]{_WORD}){{0,20}}(?![\w+/~=-])"
"""What stands behind `basic` and `bearer` in prose: basic connectivity, basic step-by-step help."""
_CREDENTIAL: Final = r"[\w.+/~-]{12,4096}={0,2}"
_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\w-])(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct)?[-_]?[\w-]{16,200}",
        r"(?<!\w)(?:gh[pousr]_\w{20,255}|github_pat_\w{20,255}|glpat-[\w-]{16,64}|hf_\w{20,64}|npm_\w{30,64})",
        r"(?<!\w)(?:whsec_|dop_v1_|shpat_|shpss_|gsk_|sbp_|dckr_pat_|figd_|lin_api_|sntrys_|ntn_|r8_|pplx-|nvapi-|tvly-|pypi-|PMAK-|xapp-)[\w-]{16,255}",
        r"(?<!\w)xox[abeprs]-[\w-]{10,255}",
        r"(?<!\w)(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{12,20}(?!\w)",
        r"(?<!\w)AIza[\w-]{30,40}",
        r"(?<!\w)ya29\.[\w-]{20,255}",
        r"(?<!\w)SG\.[\w-]{16,32}\.[\w-]{30,64}",
        r"(?<!\w)eyJ[\w-]{4,4096}\.[\w-]{4,16384}(?:\.[\w-]{0,4096})?",
        r"-----BEGIN [A-Z ]{0,24}PRIVATE KEY-----[\s\S]{16,8192}?-----END [A-Z ]{0,24}PRIVATE KEY-----",
        rf"(?<!\w)(?i:bearer|basic)\s{{1,3}}(?P<value>(?!{_WORDS}){_CREDENTIAL})",
        rf"(?i)authorization\W{{1,5}}(?:bearer|basic)\s{{1,3}}(?P<value>{_CREDENTIAL})(?![\w.+/~=-]| [a-z])",
        r"(?i)://[^/\s:@;&?]{1,128}:(?P<value>[^/\s@;&?]{1,128})@",
        _WORDED,
        r"(?i)(?:accountkey|sharedaccesskey|sig)=(?P<value>[\w%+/]{20,128}={0,2})",
    )
)

_HINT: Final = re.compile(
    r"(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat|glpat|hf_|npm_|xox|AKIA|ASIA|AROA|AIDA|AIza|ya29|SG\.|eyJ|-----BEGIN"
    r"|_v1_|sh?p\w{1,3}_|gsk_|whsec_|dckr|figd_|lin_api|sntrys|ntn_|r8_|pplx|nvapi|tvly|pypi-|PMAK|xapp|://[^/\s]{3,300}@"
    r"|(?i:bearer|basic|accountkey|sharedaccess|sig=|[ _-]key|token|secret|passw|pass ?code|pass ?phrase|credential)"
)
"""Something that one of the patterns needs; most texts have none."""


def find_secrets(text: str) -> Iterator[Finding]:
    """Find keys, tokens and passwords in one text."""
    if len(text) < 8 or _HINT.search(text) is None:
        return
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span("value" if pattern.groupindex else 0)
            yield Finding(start=start, end=end, type="SECRET", score=0.95, detector=_NAME)
