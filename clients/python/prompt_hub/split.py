"""Chooses which version of a label a caller gets, without a hub. docs/splits.md"""

from __future__ import annotations

import hashlib
from typing import NamedTuple, Optional, Tuple


class Split(NamedTuple):
    """A second version, for a share of callers."""

    version: str
    percent: int
    """From 1 to 99."""
    salt: str


class LabelTarget(NamedTuple):
    """The target of a label."""

    version: str
    split: Optional[Split] = None

    @property
    def versions(self) -> Tuple[str, ...]:
        """The versions that it may give."""
        return (self.version, self.split.version) if self.split else (self.version,)


def choose_version(target: LabelTarget, key: Optional[str]) -> str:
    """The version of a caller; without a key, the first one."""
    if target.split is None or not key:
        return target.version
    return target.split.version if number_of(target.split.salt, key) < target.split.percent else target.version


def number_of(salt: str, key: str) -> int:
    """The number of a caller, from 0 to 99."""
    digest = hashlib.sha256(f"{salt}\n{key}".encode("utf-8")).digest()
    return int.from_bytes(digest[:4], "big") * 100 >> 32
