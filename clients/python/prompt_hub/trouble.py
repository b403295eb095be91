"""The errors of this library: one exception whose code tells what to do."""

from __future__ import annotations

from typing import Callable, NamedTuple, Optional, Sequence, Tuple


class ValueProblem(NamedTuple):
    """A problem with the values of a prompt."""

    kind: str
    """`missing`, `unknown`, `invalid` or `too_large`."""
    name: str
    """The variable; empty for the text as a whole."""
    message: str


class PromptHubError(Exception):
    """The only exception of this library.

    `code` is one of: `invalid_request` (the call is wrong, nothing was sent), `not_found`, `refused` (another 4xx),
    `unavailable` (no usable response in time), `integrity` (bytes do not match the lock or the hub's digest),
    `not_locked`, `invalid_values` (`problems` names each).
    """

    def __init__(
        self, code: str, message: str, *, status: Optional[int] = None, problems: Sequence[ValueProblem] = ()
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.problems = tuple(problems)

    def again(self) -> "PromptHubError":
        """The same error as an exception of its own."""
        return _restore_error(self.code, str(self), self.status, self.problems)

    def __reduce__(self) -> "Tuple[Callable[..., PromptHubError], Tuple[object, ...]]":
        # An exception is otherwise restored from its message alone.
        return _restore_error, (self.code, str(self), self.status, self.problems)

    @property
    def exit_code(self) -> int:
        """The exit code of a command that fails with it."""
        codes = {"not_found": 2, "refused": 4, "integrity": 4, "unavailable": 5}
        return 3 if self.status in (401, 403) else codes.get(self.code, 1)


def _restore_error(code: str, message: str, status: Optional[int], problems: Sequence[ValueProblem]) -> PromptHubError:
    return PromptHubError(code, message, status=status, problems=problems)
