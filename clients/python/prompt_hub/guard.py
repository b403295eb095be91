"""Compares how the two versions of a split label did in a test suite."""

from __future__ import annotations

import json
from typing import Optional, Tuple

from .split import LabelTarget
from .trouble import PromptHubError

Scores = Tuple[Optional[float], Optional[float]]
"""Those of both versions, from 0 to 1; None without a result."""


def score_in(text: str, suite: str, url: str) -> Optional[float]:
    """The score of a version in a suite: that of its result or, without one, the share of tests that passed. `text` is the
    response with the version's results."""
    try:
        result = next((one for one in json.loads(text)["data"] if one["suite"] == suite), None)
        if result is None:
            return None
        if result["score"] is not None:
            return float(result["score"])
        passed, failed = int(result["passed"]), int(result["failed"])
        return passed / (passed + failed) if passed + failed > 0 else None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PromptHubError("unavailable", f"{url} did not return a list of results.") from None


def is_worse(scores: Scores, threshold: float) -> bool:
    """Whether the second version is worse by more than a threshold. Scores are compared as decimals, in which 0.9 - 0.8 is
    0.1."""
    first, second = scores
    return first is not None and second is not None and round(first - second, 9) > threshold


def say_why(suite: str, target: LabelTarget, scores: Scores) -> str:
    """Why a split was ended, for the activity."""
    first, second = (f"{round(score or 0, 4):g}" for score in scores)
    return f"{suite}: {target.split.version if target.split else ''} has {second}, and {target.version} has {first}"
