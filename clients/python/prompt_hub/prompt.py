"""A prompt with its metadata, and filling it in."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from .chat import fill_chat, split_chat
from .filling import fill_content, find_variables
from .publisher import Publisher
from .records import VersionRecord
from .results import SuiteResult
from .skills import SkillFile
from .standing import Standing
from .trouble import PromptHubError
from .variable import Variable


@dataclass(frozen=True)
class Prompt:
    """A prompt.

    `content` is the text, byte for byte, and `sha256` its digest in hex; a fallback has neither that nor a `version`.
    `source` says where it came from: `memory` or `disk` (a cached response that is still fresh), `network` (the hub,
    just now), `stale` (an older response, used while it is revalidated, or because the hub could not be reached), `lock`
    (the vendored file) or `fallback` (the caller's fallback text). `age` is the number of seconds since the hub
    confirmed it; 0 when it cannot change. `standing` is None until the hub's records have been read. `files` are those of
    an Agent Skill, without its SKILL.md.
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
    files: Tuple[SkillFile, ...] = ()
    publisher: Optional[Publisher] = None
    """The workflow that published the version, as the hub or the lock says; None for a token or a person."""
    _read_results: Optional[Callable[[], Tuple[SuiteResult, ...]]] = field(default=None, repr=False, compare=False)
    _read_file: Optional[Callable[[SkillFile], bytes]] = field(default=None, repr=False, compare=False)
    _on_unused: Optional[Callable[[Sequence[str]], None]] = field(default=None, repr=False, compare=False)
    """Set for a fallback: called with the names of values that its text has no place for."""

    def file(self, path: str) -> bytes:
        """The bytes of one of the files, verified: the one in the project if the prompt was read under a lock and the
        file is there, otherwise that of the hub, which is asked on each call.

        Raises PromptHubError `not_found` for a file that the version does not have, `integrity` for other bytes, and the
        errors of a request.
        """
        found = next((each for each in self.files if each.path == path), None)
        if found is None or self._read_file is None:
            has = ", ".join(each.path for each in self.files[:10]) or "none"
            raise PromptHubError("not_found", f"{self.name} {self.version} has no file {path[:200]}; it has: {has}")
        return self._read_file(found)

    def results(self) -> Tuple[SuiteResult, ...]:
        """The results of test suites for this version, newest first; none for a fallback. Asks the hub on each call, also
        under a lock, because results can change. A result for other bytes is left out.

        Raises PromptHubError like a request.
        """
        return () if self._read_results is None else self._read_results()

    def fill(self, values: Optional[Mapping[str, object]] = None, **more: object) -> str:
        """The text with its variables filled in: one pass, values are inserted literally. A fallback leaves out values
        that its text has no place for, and reports them as the event `unused_values`.

        Raises PromptHubError `invalid_values` naming the prompt and every missing, unknown or invalid variable; also
        for a chat prompt, whose role lines would go to the model as text: use `messages`.
        """
        with self._naming():
            if split_chat(self.content):
                raise PromptHubError("invalid_values", "this is a chat prompt; use messages instead of fill")
            return fill_content(self.content, self.variables, self._take({**(values or {}), **more}))

    def messages(
        self, values: Optional[Mapping[str, object]] = None, history: Optional[Sequence[Any]] = None
    ) -> List[Any]:
        """The messages of a chat prompt with their variables filled in, as a list of dicts that OpenAI's SDK takes.

        `for_anthropic` and `for_gemini` convert them for SDKs with a separate system text. `history` contains the
        caller's earlier messages and is inserted unchanged at `{{history}}`. Messages are filled separately: a value
        never creates a message. Raises PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or
        has no `{{history}}` line for the history.
        """
        with self._naming():
            return fill_chat(self.content, self.variables, self._take(values or {}), history)

    def attributes(self) -> Dict[str, str]:
        """The attributes of a span that say which prompt was used: `gen_ai.prompt.name` and `gen_ai.prompt.version`, as in
        OpenTelemetry's conventions for generative AI, and `prompt.sha256`. A fallback has only its name."""
        known = {"gen_ai.prompt.name": self.name, "gen_ai.prompt.version": self.version, "prompt.sha256": self.sha256}
        return {key: value for key, value in known.items() if value is not None}

    def _take(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """The values that the text has a place for. Only a fallback leaves some out: they are those of the hub's
        prompt."""
        if self._on_unused is None:
            return values
        known = {variable.name for variable in self.variables}
        unused = [name for name in values if name not in known]
        if unused:
            self._on_unused(unused)
        return {name: value for name, value in values.items() if name in known}

    @contextlib.contextmanager
    def _naming(self) -> Generator[None, None, None]:
        """Names the prompt in an error about its values."""
        try:
            yield
        except PromptHubError as error:
            subject = f"the fallback of {self.name}" if self.version is None else f"{self.name} {self.version}"
            raise PromptHubError(error.code, f"{subject}: {error}", problems=error.problems) from None


class Found(NamedTuple):
    """A version that was read: its record, the source, the seconds since the hub confirmed it, and the notices."""

    record: VersionRecord
    source: str
    age: float
    standing: Optional[Standing]

    def to_prompt(
        self, read_file: Callable[[SkillFile], bytes], read_results: Callable[[], Tuple[SuiteResult, ...]]
    ) -> Prompt:
        """The prompt; `read_file` reads one of its files, `read_results` its results."""
        name, version, content, sha256, variables, parameters, files, publisher = self.record[:8]
        known = (name, version, content, sha256, variables, parameters, *self[1:], files, publisher)
        return Prompt(*known, read_results, read_file)


def fallback_prompt(name: str, content: str, on_unused: Callable[[Sequence[str]], None]) -> Prompt:
    """The prompt of the caller's fallback text; `on_unused` is called with the names of values that were left out."""
    return Prompt(name, None, content, None, tuple(find_variables(content)), {}, "fallback", 0.0, None, _on_unused=on_unused)
