"""Owns what a program gets: a prompt with its facts, and how it is filled in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple

from .chat import fill_chat
from .filling import fill_content, find_variables
from .records import Variable, VersionRecord
from .standing import Standing


@dataclass(frozen=True)
class Prompt:
    """A prompt.

    `content` is the text, byte for byte, and `sha256` its digest in hex; a fallback has neither that nor a `version`. `source` says where it came from:
    `memory` or `disk` (an answer that was kept and is still good), `network` (the hub, just now), `stale` (an answer from before, used because the hub
    was not asked first, or could not be), `lock` (the vendored file) or `fallback` (the text that the caller gave). `age` is how many seconds ago the
    hub vouched for it; 0 when it cannot change. `standing` is None while the hub was not asked.
    """

    name: str
    version: Optional[str]
    content: str
    sha256: Optional[str]
    variables: Tuple[Variable, ...]
    parameters: Mapping[str, Any]
    source: str
    age: float
    standing: Optional[Standing]

    def fill(self, values: Optional[Mapping[str, object]] = None, **more: object) -> str:
        """The text with its variables filled in: one pass, values are taken literally.

        Raises PromptHubError `invalid_values` that names every variable that is missing, unknown or of the wrong kind.
        """
        return fill_content(self.content, self.variables, {**(values or {}), **more})

    def messages(
        self, values: Optional[Mapping[str, object]] = None, history: Optional[Sequence[Any]] = None
    ) -> List[Any]:
        """The messages of a chat prompt with their variables filled in, as a list of dicts that OpenAI's SDK takes.

        `for_anthropic` and `for_gemini` write them for SDKs where the system text stands apart. `history` holds the caller's earlier messages and
        is put where the prompt has `{{history}}`, as it is. Each message is filled by itself: no value makes another message.
        Raises PromptHubError `invalid_values`, also for a text that is no chat prompt and for history that has no place.
        """
        return fill_chat(self.content, self.variables, values or {}, history)


def prompt_of(record: VersionRecord, source: str, age: float, standing: Optional[Standing]) -> Prompt:
    """The prompt that stands in a version's record."""
    return Prompt(
        record.full_name,
        record.version,
        record.content,
        record.content_sha256,
        record.variables,
        record.parameters,
        source,
        age,
        standing,
    )


def fallback_prompt(name: str, content: str) -> Prompt:
    """The prompt of the text that the caller gave for when the hub cannot be reached."""
    return Prompt(name, None, content, None, tuple(find_variables(content)), {}, "fallback", 0.0, None)
