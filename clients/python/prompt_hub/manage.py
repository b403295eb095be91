"""Changes what is published: labels, yanks, status and texts, with a token."""

from __future__ import annotations

import json
import re
import urllib.parse
from dataclasses import dataclass, replace
from typing import Any, Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from .address import HUB_URL
from .arguments import NOT_GIVEN, parse_arguments
from .exchange import is_loopback
from .guard import is_worse, say_why, score_in
from .lock import require_hub_url
from .moves import find_last_move
from .own_changes import note_change
from .ranges import is_label, is_version
from .read_token import require_token
from .records import read_repository_record
from .requests import RequestSettings, Write, ask
from .trouble import PromptHubError


@dataclass(frozen=True)
class ChangeResult:
    """The result of a change."""

    unchanged: bool
    """Whether nothing needed to change."""
    commit: Optional[Mapping[str, Any]]
    """The commit of the change, `{"sha": "…", "url": "…"}`, or None."""


class Guarded(NamedTuple):
    """What became of a split."""

    ended: bool
    """Whether it was ended, because its version is worse."""
    first: Optional[float]
    """The score of the first version, from 0 to 1; None without a result."""
    second: Optional[float]


class HubManager:
    """Changes prompts on a hub. Each call makes one commit, or none when nothing changes, so a call may be repeated.

    From then on, every hub object of this process asks the hub for the prompt again. Every call raises PromptHubError: `invalid_request` when nothing was sent, `not_found`, `refused` (with `status` 403
    for a missing permission, 409 when `expected` differs) or `unavailable` according to the hub's response.
    """

    def __init__(
        self, token: str, url: Optional[str] = None, *, timeout: float = 5.0, retries: int = 2, deadline: float = 15.0
    ) -> None:
        """Opens a hub; sends nothing yet. The token is sent only over https, or to this machine itself."""
        self.url = require_hub_url(url or HUB_URL)
        require_token(token, self.url)
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme != "https" and not is_loopback(parts.hostname or ""):
            raise PromptHubError("invalid_request", "url: expected https, so that nobody on the network can read the token")
        self._token = token
        self._settings = RequestSettings(timeout, retries, deadline)

    def set_label(
        self,
        name: str,
        label: str,
        version: str,
        *,
        split: Optional[Tuple[str, int]] = None,
        reason: Optional[str] = None,
        expected: Any = NOT_GIVEN,
    ) -> ChangeResult:
        """Points a label at a version, and offers a second one to a share of callers: `split=("1.5.0", 10)` is 10 percent;
        without it, a split ends. `reason` is for the activity. `expected` is the version it must point at now, None if the
        label must not exist, or a dict with `version` and `split` (which has `version` and `percent`, or is None)."""
        body: Dict[str, Any] = {"version": _version(version), **_said(reason, expected)}
        if split is not None:
            body["split"] = {"version": _version(split[0]), "percent": split[1]}
        return self._send("PUT", name, f"/labels/{_label(label)}", body)

    def set_labels(
        self, owner: str, label: str, versions: Mapping[str, str], *, reason: Optional[str] = None
    ) -> ChangeResult:
        """Points a label of several prompts of an owner at versions, in one commit or not at all: `versions` is
        `{"code-review": "1.2.0"}`."""
        names = [parse_arguments(f"{owner}/{name}", None, None, None)[0] for name in versions]
        if not names:
            raise PromptHubError("invalid_request", "versions: expected at least one")
        body = {"versions": {name: _version(version) for name, version in versions.items()}, **_said(reason, NOT_GIVEN)}
        return self._write("PUT", f"users/{owner}/labels/{_label(label)}", body, names)

    def remove_label(
        self, name: str, label: str, *, reason: Optional[str] = None, expected: Any = NOT_GIVEN
    ) -> ChangeResult:
        """Removes a label. `expected` is as for `set_label`."""
        return self._send("DELETE", name, f"/labels/{_label(label)}", _said(reason, expected))

    def undo_label(self, name: str, label: str) -> ChangeResult:
        """Makes a label what it was before its last change. A version that the label had before needs no test results.
        Raises PromptHubError also `not_found` if no change of it is known."""
        full_name, _ = parse_arguments(name, None, None, None)
        url = f"{self.url}/api/v1/repos/{full_name}/activity"
        reply = ask(url, None, replace(self._settings, token=self._token))
        before, now = find_last_move(_label(label), "" if reply is None else reply.text, url)
        if before is None:
            return self.remove_label(name, label, expected=now)
        split = before["split"]
        share = None if split is None else (split["version"], split["percent"])
        return self.set_label(name, label, before["version"], split=share, expected=now)

    def guard_split(self, name: str, label: str, suite: str, threshold: float = 0.0) -> Guarded:
        """Ends the split of a label if its second version is worse than the first in a test suite, in one commit. Without a
        split, or without results of both, it changes nothing. `threshold` is by how much the score, from 0 to 1, may be
        lower."""
        full_name, _ = parse_arguments(name, None, None, label)
        settings = replace(self._settings, token=self._token)

        def read(path: str) -> Tuple[str, str]:
            url = f"{self.url}/api/v1/repos/{full_name}{path}"
            reply = ask(url, None, settings)
            return ("" if reply is None else reply.text), url

        target = read_repository_record(*read("")).labels.get(label)
        if target is None or target.split is None:
            return Guarded(False, None, None)
        results = [read(f"/versions/{version}/results") for version in target.versions]
        first, second = (score_in(text, suite, url) for text, url in results)
        if not is_worse((first, second), threshold):
            return Guarded(False, first, second)
        now = {"version": target.version, "split": {"version": target.split.version, "percent": target.split.percent}}
        self.set_label(name, label, target.version, reason=say_why(suite, target, (first, second)), expected=now)
        return Guarded(True, first, second)

    def report(self, name: str, version: str, suite: str, **fields: Any) -> ChangeResult:
        """Reports the result of a test suite for a version: `passed` and `failed`, optionally `skipped`, `score`, `model`,
        `url` and `at`. `read_outcome(data).fields()` has them for the output of a test runner."""
        return self._send("PUT", name, _result_path(version, suite), fields)

    def remove_result(self, name: str, version: str, suite: str) -> ChangeResult:
        """Removes the result of a test suite for a version."""
        return self._send("DELETE", name, _result_path(version, suite), None)

    def yank(self, name: str, version: str, reason: str) -> ChangeResult:
        """Yanks a version; `reason` has 1 to 500 characters."""
        return self._send("PUT", name, f"/versions/{_version(version)}/yank", {"reason": reason})

    def unyank(self, name: str, version: str) -> ChangeResult:
        """Undoes a yank."""
        return self._send("DELETE", name, f"/versions/{_version(version)}/yank", None)

    def change(self, name: str, **changes: Any) -> ChangeResult:
        """Changes `title`, `description`, `tags`, `license`, `status`, `status_message`, `replaced_by`, `moved_to` or
        `readme`; None clears optional ones."""
        return self._send("PATCH", name, "", changes)

    def _send(self, method: str, name: str, rest: str, body: Optional[Dict[str, Any]]) -> ChangeResult:
        full_name, _ = parse_arguments(name, None, None, None)
        return self._write(method, f"repos/{full_name}{rest}", body, [full_name])

    def _write(self, method: str, path: str, body: Optional[Dict[str, Any]], names: Sequence[str]) -> ChangeResult:
        """`names` are the prompts that it changes."""
        url = f"{self.url}/api/v1/{path}"
        data = None if body is None else json.dumps(body).encode("utf-8")
        try:
            reply = ask(url, None, self._settings, Write(method, self._token, data))
        finally:
            # Also if the request failed, because a change whose response was lost may have been made.
            for name in names:
                note_change(self.url, name)
        try:
            answer: Any = json.loads(reply.text)["data"] if reply is not None else {}
            return ChangeResult(bool(answer["unchanged"]), answer["commit"])
        except (ValueError, KeyError, TypeError, RecursionError):
            raise PromptHubError("unavailable", f"{url} accepted the change, but did not respond like a hub.") from None


def _said(reason: Optional[str], expected: Any) -> Dict[str, Any]:
    body: Dict[str, Any] = {} if reason is None else {"reason": reason}
    if expected is not NOT_GIVEN:
        body["expected"] = expected
    return body


def _label(text: str) -> str:
    """Raises PromptHubError `invalid_request`: an empty segment would be another path."""
    if is_label(text):
        return text
    raise _invalid("label", "a name such as production", text)


def _version(text: str) -> str:
    if is_version(text):
        return text
    raise _invalid("version", "a version such as 1.2.0", text)


def _result_path(version: str, suite: str) -> str:
    if re.fullmatch(r"(?=.{1,64}\Z)[a-z0-9]+(?:-[a-z0-9]+)*", suite) is None:
        raise _invalid("suite", "a name such as quality", suite)
    return f"/versions/{_version(version)}/results/{suite}"


def _invalid(what: str, expected: str, text: str) -> PromptHubError:
    return PromptHubError("invalid_request", f"{what}: expected {expected}, got {text[:60]!r}")
