"""Owns what can go wrong for a program, as one exception whose code tells what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence


@dataclass(frozen=True)
class ValueProblem:
    """One thing that is wrong with the values that a prompt is filled with."""

    kind: str
    """`missing`, `unknown`, `invalid` or `too_large`."""
    name: str
    """The variable; empty when it is the text as a whole."""
    message: str


class PromptHubError(Exception):
    """The one exception of this library.

    `code` is one of: `invalid_request` (the call is wrong, nothing was sent), `not_found`, `refused` (another 4xx), `unavailable` (no
    usable answer in time), `integrity` (bytes are not what the lock or the hub says), `not_locked`, `invalid_values` (`problems` names each).
    """

    def __init__(
        self, code: str, message: str, *, status: Optional[int] = None, problems: Sequence[ValueProblem] = ()
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.problems = tuple(problems)
