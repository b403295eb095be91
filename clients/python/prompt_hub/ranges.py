"""Resolves version ranges: node-semver's rules for plain numbers. docs/lock-file.md"""

from __future__ import annotations

import re
from typing import Iterable, Optional, Tuple

_N = r"(0|[1-9][0-9]{0,5})"
_W = r"[xX*]"
_VERSION = re.compile(rf"{_N}\.{_N}\.{_N}")
_RANGE = re.compile(rf"([\^~]?)(?:{_N}(?:\.{_N}(?:\.(?:{_N}|{_W}))?|(?:\.{_W}){{1,2}})?|{_W}(?:\.{_W}){{0,2}})")
_LABEL = re.compile(r"(?=.{1,36}\Z)[a-z0-9]+(?:-[a-z0-9]+)*")

LATEST = "latest"
"""Means the latest version, so no label has this name."""

Numbers = Tuple[int, int, int]


def is_version(text: str) -> bool:
    """Whether a string is a version, x.y.z."""
    return _VERSION.fullmatch(text) is not None


def is_range(text: str) -> bool:
    """Whether a string is a range: `1.2.3`, `^1.2`, `~1.2.3`, `1.x`, `1`, `*`."""
    return _RANGE.fullmatch(text) is not None


def is_label(text: str) -> bool:
    """Whether a string is the name of a label. Anything that can be parsed as a range is not, and neither is
    `latest`."""
    return not is_range(text) and text != LATEST and _LABEL.fullmatch(text) is not None


def satisfies(version: str, range_: str) -> bool:
    """Whether a version is in a range. False when either is invalid."""
    numbers, bounds = numbers_of(version), _bounds(range_)
    if numbers is None or bounds is None:
        return False
    low, high = bounds
    return numbers >= low and (high is None or numbers < high)


def highest_in(versions: Iterable[str], range_: str) -> Optional[str]:
    """The highest of some versions in a range, or None."""
    chosen = [(numbers_of(version) or (), version) for version in versions if satisfies(version, range_)]
    return max(chosen)[1] if chosen else None


def numbers_of(version: str) -> Optional[Numbers]:
    """The numbers of a version, which are in the order of versions; None when it is invalid."""
    match = _VERSION.fullmatch(version)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def _bounds(range_: str) -> Optional[Tuple[Numbers, Optional[Numbers]]]:
    match = _RANGE.fullmatch(range_)
    if match is None:
        return None
    operator = match[1]
    major, minor, patch = (None if part is None else int(part) for part in match.groups()[1:4])
    if major is None:
        return (0, 0, 0), None
    low = (major, minor or 0, patch or 0)
    if minor is None:
        return low, (major + 1, 0, 0)
    if operator == "^":
        return low, _caret_end(major, minor, patch)
    if patch is None or operator == "~":
        return low, (major, minor + 1, 0)
    return low, (major, minor, patch + 1)


def _caret_end(major: int, minor: int, patch: Optional[int]) -> Numbers:
    """The first version that `^` excludes: the leftmost non-zero number may not change. Omitted numbers may, so `^0.0`
    allows every 0.0.x."""
    if major > 0:
        return major + 1, 0, 0
    if minor > 0 or patch is None:
        return 0, minor + 1, 0
    return 0, 0, patch + 1
