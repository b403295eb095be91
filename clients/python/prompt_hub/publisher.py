"""Compares the workflows that published two versions of a prompt. docs/lock-file.md"""

from __future__ import annotations

from typing import NamedTuple, Optional


class Publisher(NamedTuple):
    """The workflow that published a version. It is taken from the hub."""

    repository: str
    workflow: str
    """The path of its file, without a ref."""
    attested: bool
    """Whether the version has an attestation of that workflow, which the hub has verified."""

    def __str__(self) -> str:
        return f"{self.workflow}{'' if self.attested else ', without an attestation'}"


def refuse_publisher(what: str, before: Optional[Publisher], after: Optional[Publisher]) -> Optional[str]:
    """Why a version must not replace the locked one, or None: the same workflow must have published it, with an
    attestation if the locked one has any. `what` names the prompt and its new version."""
    if before is None:
        return None
    is_same = after is not None and (after.repository, after.workflow) == (before.repository, before.workflow)
    if is_same and after is not None and (after.attested or not before.attested):
        return None
    by = "a token, a person or a pull request" if after is None else str(after)
    return f"{what} was published by {by}; the locked version by {before}. If that is right, use --accept-publisher"


def refuse_unattested(what: str, publisher: Optional[Publisher]) -> Optional[str]:
    """Why a locked version must not be installed where attestations are required, or None."""
    if publisher is not None and publisher.attested:
        return None
    return f"{what} has no attestation, and --require-attestation is given"
