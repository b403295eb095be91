"""A prompt with its metadata, and filling it in."""

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

    `content` is the text, byte for byte, and `sha256` its digest in hex; a fallback has neither that nor a `version`.
    `source` says where it came from: `memory` or `disk` (a cached response that is still fresh), `network` (the hub,
    just now), `stale` (an older response, used while it is revalidated, or because the hub could not be reached), `lock`
    (the vendored file) or `fallback` (the caller's fallback text). `age` is the number of seconds since the hub
    confirmed it; 0 when it cannot change. `standing` is None until the hub's records have been read.
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
        """The text with its variables filled in: one pass, values are inserted literally.

        Raises PromptHubError `invalid_values` naming every missing, unknown or invalid variable.
        """
        return fill_content(self.content, self.variables, {**(values or {}), **more})

    def messages(
        self, values: Optional[Mapping[str, object]] = None, history: Optional[Sequence[Any]] = None
    ) -> List[Any]:
        """The messages of a chat prompt with their variables filled in, as a list of dicts that OpenAI's SDK takes.

        `for_anthropic` and `for_gemini` convert them for SDKs with a separate system text. `history` contains the
        caller's earlier messages and is inserted unchanged at `{{history}}`. Messages are filled separately: a value
        never creates a message. Raises PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or
        has no `{{history}}` line for the history.
        """
        return fill_chat(self.content, self.variables, values or {}, history)


def prompt_of(record: VersionRecord, source: str, age: float, standing: Optional[Standing]) -> Prompt:
    """The prompt of a version's record."""
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
    """The prompt of the caller's fallback text."""
    return Prompt(name, None, content, None, tuple(find_variables(content)), {}, "fallback", 0.0, None)
