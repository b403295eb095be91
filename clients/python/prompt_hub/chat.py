"""Chat prompts: splits a text with role lines into messages, and converts them for the model SDKs."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .filling import fill_texts
from .trouble import PromptHubError
from .variable import Variable

# A role line or a history line. Only LF ends a line, optionally after a CR; a byte order mark may precede the first
# one. The hub has the same pattern, and a shared table of test cases keeps them equal.
_MARKER_LINE = re.compile(r'(?:\A\ufeff?|(?<=\n))[ \t]*\{\{(?:role "(system|user|assistant)"|history)\}\}[ \t]*\r?(?=\n|\Z)')

Message = Dict[str, Any]
"""`{"role": "system" | "user" | "assistant", "content": "..."}`, in the format of OpenAI's SDK."""


def _trim_line_ends(text: str) -> str:
    """Trims line breaks around a message. A lone CR at its start stays, because what follows could otherwise become a
    role line."""
    start = 0
    while text.startswith(("\n", "\r\n"), start):
        start += 1 if text[start] == "\n" else 2
    return text[start:].rstrip("\r\n")


def split_chat(content: str) -> List[Message]:
    """Splits a prompt's text at its role lines; the position of earlier messages is `{"type": "history"}`. Empty when
    the text does not start with such a line."""
    lines = list(_MARKER_LINE.finditer(content))
    if not lines or content[: lines[0].start()].strip(" \t\r\n\ufeff"):
        return []
    ends = [match.start() for match in lines[1:]] + [len(content)]
    return [
        {"role": match[1], "content": _trim_line_ends(content[match.end() : end])} if match[1] else {"type": "history"}
        for match, end in zip(lines, ends)
    ]


def fill_chat(
    content: str,
    variables: Sequence[Variable],
    values: Mapping[str, object],
    history: Optional[Sequence[Any]] = None,
) -> List[Any]:
    """The messages of a chat prompt with their variables filled in, separately for each message: a value never creates
    a message.

    `history` is inserted unchanged at `{{history}}`. Raises PromptHubError `invalid_values`, also if the
    prompt is not a chat prompt, or has no `{{history}}` line for the history.
    """
    parts = split_chat(content)
    if not any("role" in part for part in parts):
        raise PromptHubError("invalid_values", "this prompt is a text without roles; use fill")
    if history and all("role" in part for part in parts):
        raise PromptHubError("invalid_values", "history: this prompt has no {{history}} line")
    # A text without a record has a variable for each placeholder; this one is not a variable.
    known = [variable for variable in variables if variable.name != "history"]
    texts = iter(fill_texts([part["content"] for part in parts if "role" in part], known, values))
    messages: List[Any] = []
    for part in parts:
        if "role" in part:
            messages.append({"role": part["role"], "content": next(texts)})
        else:
            messages.extend(history or ())
    return messages


def for_anthropic(messages: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """Messages in the format of Anthropic's SDK: `client.messages.create(model=..., max_tokens=...,
    **for_anthropic(messages))`.

    The system text is separate: `system` contains all system messages, separated by an empty line, and is absent
    without any.
    """
    system = _system_of(messages)
    turns = [dict(message) for message in messages if message["role"] != "system"]
    return {**({} if system is None else {"system": system}), "messages": turns}


def for_gemini(messages: Sequence[Mapping[str, Any]]) -> Dict[str, Any]:
    """Messages in the format of Gemini's API: `contents`, where the assistant is called model, and `system_instruction`
    if there is any."""
    system = _system_of(messages)
    contents = [
        {"role": "model" if message["role"] == "assistant" else "user", "parts": [{"text": message["content"]}]}
        for message in messages
        if message["role"] != "system"
    ]
    return {**({} if system is None else {"system_instruction": {"parts": [{"text": system}]}}), "contents": contents}


def _system_of(messages: Sequence[Mapping[str, Any]]) -> Optional[str]:
    texts = [message["content"] for message in messages if message["role"] == "system"]
    return "\n\n".join(texts) if texts else None
