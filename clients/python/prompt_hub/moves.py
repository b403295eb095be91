"""Finds what a label was before its last change, in the activity of a prompt."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional, Tuple

from .trouble import PromptHubError


def find_last_move(label: str, text: str, url: str) -> Tuple[Optional[Dict[str, Any]], Optional[Dict[str, Any]]]:
    """What a label was before its last change in this activity, and what that made of it: `version` and `split`, or None."""
    try:
        move = next((one for one in json.loads(text)["data"] if one["label"] == label), None)
        if move is not None:
            sides = [(move["from"], move["from_split"]), (move["to"], move["to_split"])]
            before, now = (None if version is None else {"version": version, "split": split} for version, split in sides)
            return before, now
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PromptHubError("unavailable", f"{url} did not return a list; is it a Prompt Hub?") from None
    raise PromptHubError("not_found", f"no change of the label {label} is known, so there is none to undo")
