"""A prompt with its metadata, and filling it in."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, overload

from .chat import fill_chat, split_chat
from .filling import fill_content, find_variables
from .model_call import call_for
from .publisher import Publisher
from .records import VersionRecord
from .results import SuiteResult
from .skills import SkillFile
from .standing import Standing
from .trouble import PromptHubError
from .variable import Variable


def _get_again(*_: object) -> Any:
    raise PromptHubError("invalid_request", "a pickled prompt has no hub; get it again to read its files and results")


def _ignore(*_: object) -> None:
    pass


def _restore(name: str) -> Callable[..., Any]:
    return {"get_again": _get_again, "ignore": _ignore}[name]


class _OfHub:
    """A function of the hub that a prompt came from. A pickled prompt has another one instead, because this one may hold a
    token."""

    def __init__(self, work: Callable[..., Any], pickled: str) -> None:
        self._work = work
        self._pickled = pickled

    def __call__(self, *given: Any) -> Any:
        return self._work(*given)

    def __deepcopy__(self, _: object) -> "_OfHub":
        return self

    def __reduce__(self) -> Tuple[Callable[[str], Callable[..., Any]], Tuple[str]]:
        return _restore, (self._pickled,)


@dataclass(frozen=True)
class Prompt:
    """A prompt. It can be pickled; the copy fills, but does not read files and results.

    `label` is the one that it was requested by, and `format` is `text` or `chat`. `content` is the text, byte for byte, and `sha256` its digest in hex; a fallback has neither that nor a `version`.
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
    label: Optional[str] = None
    format: str = "text"
    publisher: Optional[Publisher] = None
    """The workflow that published the version, as the hub or the lock says; None for a token or a person."""
    skill: Optional[str] = None
    """The description of an Agent Skill, which a lock does not have: then empty; None for any other prompt."""
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

    @overload
    def fill(self, values: Mapping[str, object], /, *, unknown: str = "error", **more: object) -> str: ...
    @overload
    def fill(self, values: None = None, /, **more: object) -> str: ...
    def fill(self, values: Optional[Mapping[str, object]] = None, /, **more: object) -> str:
        """The text with its variables filled in: one pass, values are inserted literally. A fallback leaves out values
        that its text has no place for, and reports them as the event `unused_values`.

        Beside a dict of values, `unknown="ignore"` leaves out those that the prompt has no variable for, such as those
        that a test runner adds. Raises PromptHubError `invalid_values` naming the prompt and every missing, unknown or
        invalid variable; also for a chat prompt, whose role lines would go to the model as text: use `messages`.
        """
        with self._naming():
            return self._fill(self._accept(values, more))

    @overload
    def messages(
        self,
        values: Mapping[str, object],
        /,
        history: Optional[Sequence[Any]] = None,
        *,
        unknown: str = "error",
        **more: object,
    ) -> List[Any]: ...
    @overload
    def messages(self, values: None = None, /, history: Optional[Sequence[Any]] = None, **more: object) -> List[Any]: ...
    def messages(
        self, values: Optional[Mapping[str, object]] = None, /, history: Optional[Sequence[Any]] = None, **more: object
    ) -> List[Any]:
        """The messages of a chat prompt with their variables filled in, as a list of dicts that OpenAI's SDK takes.

        `for_anthropic` and `for_gemini` convert them for SDKs with a separate system text. `history` contains the
        caller's earlier messages and is inserted unchanged at `{{history}}`. Messages are filled separately: a value
        never creates a message. Values as in `fill`. Raises PromptHubError `invalid_values`, also if the prompt is not a
        chat prompt, or has no `{{history}}` line for the history.
        """
        with self._naming():
            return fill_chat(self.content, self.variables, self._accept(values, more), history)

    def for_openai_chat(
        self,
        values: Optional[Mapping[str, object]] = None,
        /,
        *,
        history: Optional[Sequence[Any]] = None,
        drop: bool = False,
        **more: object,
    ) -> Dict[str, Any]:
        """The arguments of `chat.completions.create` of the package `openai`: the messages (of a text prompt: one, of the
        user), and the prompt's `parameters` under the names that the SDK has for them. Values and history as in
        `messages`; `drop=True` leaves out the parameters that the SDK cannot take. `model` is absent if the prompt names
        none.

        Raises PromptHubError `invalid_values` like `messages`; `invalid_request` naming every parameter that the SDK
        cannot take.
        """
        return self._call_for("openai_chat", values, more, history, drop)

    def for_openai_responses(
        self,
        values: Optional[Mapping[str, object]] = None,
        /,
        *,
        history: Optional[Sequence[Any]] = None,
        drop: bool = False,
        **more: object,
    ) -> Dict[str, Any]:
        """The arguments of `responses.create` of the package `openai`, like `for_openai_chat`."""
        return self._call_for("openai_responses", values, more, history, drop)

    def for_anthropic(
        self,
        values: Optional[Mapping[str, object]] = None,
        /,
        *,
        history: Optional[Sequence[Any]] = None,
        drop: bool = False,
        **more: object,
    ) -> Dict[str, Any]:
        """The arguments of `messages.create` of the package `anthropic`, like `for_openai_chat`; it requires
        `max_tokens`."""
        return self._call_for("anthropic", values, more, history, drop)

    def for_gemini(
        self,
        values: Optional[Mapping[str, object]] = None,
        /,
        *,
        history: Optional[Sequence[Any]] = None,
        drop: bool = False,
        **more: object,
    ) -> Dict[str, Any]:
        """The arguments of `models.generate_content` of the package `google-genai`, like `for_openai_chat`."""
        return self._call_for("gemini", values, more, history, drop)

    def _call_for(
        self,
        target: str,
        values: Optional[Mapping[str, object]],
        more: Dict[str, object],
        history: Optional[Sequence[Any]],
        drop: bool,
    ) -> Dict[str, Any]:
        with self._naming():
            accepted = self._accept(values, more)
            if self.format == "chat":
                messages = fill_chat(self.content, self.variables, accepted, history)
            elif history:
                raise PromptHubError("invalid_values", "history: this prompt has no {{history}} line")
            else:
                messages = [{"role": "user", "content": self._fill(accepted)}]
            return call_for(target, messages, self.parameters, drop)

    def attributes(self) -> Dict[str, str]:
        """The attributes of a span that say which prompt was used: `gen_ai.prompt.name` and `gen_ai.prompt.version`, as in
        OpenTelemetry's conventions for generative AI, `prompt.sha256` and, if it was requested by a label, `prompt.label`.
        A fallback has only its name. An Agent Skill also has `gen_ai.skill.name` and, unless it was read under a lock,
        `gen_ai.skill.description`."""
        known = {"gen_ai.prompt.name": self.name, "gen_ai.prompt.version": self.version}
        known.update({"prompt.sha256": self.sha256, "prompt.label": self.label})
        if self.skill is not None:
            known.update({"gen_ai.skill.name": self.name.split("/")[-1], "gen_ai.skill.description": self.skill or None})
        return {key: value for key, value in known.items() if value is not None}

    def _fill(self, values: Mapping[str, object]) -> str:
        if self.format == "chat":
            raise PromptHubError("invalid_values", "this is a chat prompt; use messages instead of fill")
        return fill_content(self.content, self.variables, values)

    def _accept(self, values: Optional[Mapping[str, object]], more: Dict[str, object]) -> Mapping[str, object]:
        """The values to fill in. `unknown` is an option only beside a dict of values: otherwise it is a variable."""
        unknown = "error" if values is None else more.pop("unknown", "error")
        if unknown not in ("error", "ignore"):
            raise PromptHubError("invalid_request", f"unknown: expected 'error' or 'ignore', got {unknown!r}"[:200])
        given = {**(values or {}), **more}
        if unknown == "error":
            return self._take(given)
        return {each.name: given[each.name] for each in self.variables if each.name in given}

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
    """A version that was read: its record, the source, the seconds since the hub confirmed it, the notices, and the label
    that it was requested by."""

    record: VersionRecord
    source: str
    age: float
    standing: Optional[Standing]
    label: Optional[str] = None

    def to_prompt(
        self, read_file: Callable[[SkillFile], bytes], read_results: Callable[[], Tuple[SuiteResult, ...]]
    ) -> Prompt:
        """The prompt; `read_file` reads one of its files, `read_results` its results."""
        record = self.record
        return Prompt(
            name=record.full_name,
            version=record.version,
            content=record.content,
            sha256=record.content_sha256,
            variables=record.variables,
            parameters=record.parameters,
            source=self.source,
            age=self.age,
            standing=self.standing,
            files=record.files,
            label=self.label,
            format=record.format or _format_of(record.content),
            publisher=record.publisher,
            skill=record.skill,
            _read_results=_OfHub(read_results, "get_again"),
            _read_file=_OfHub(read_file, "get_again"),
        )


def fallback_prompt(name: str, content: str, on_unused: Callable[[Sequence[str]], None]) -> Prompt:
    """The prompt of the caller's fallback text; `on_unused` is called with the names of values that were left out."""
    return Prompt(
        name=name,
        version=None,
        content=content,
        sha256=None,
        variables=tuple(find_variables(content)),
        parameters={},
        source="fallback",
        age=0.0,
        standing=None,
        format=_format_of(content),
        _on_unused=_OfHub(on_unused, "ignore"),
    )


def _format_of(content: str) -> str:
    """The format of a text whose record does not say it."""
    return "chat" if split_chat(content) else "text"
