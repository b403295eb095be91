"""Turns messages and a prompt's parameters into the arguments that a model SDK takes."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, cast

from .chat import for_anthropic
from .trouble import PromptHubError

Settings = Dict[str, Any]
_Writer = Callable[[Any], Optional[Settings]]
"""How a parameter is written for an SDK: the arguments to add, or None if the SDK cannot take it."""

_NOTHING: Settings = {"type": "object", "properties": {}}
"""A schema of a function without parameters."""


def _dict(value: Any) -> Settings:
    """A JSON object; empty for any other value."""
    return cast(Settings, value) if isinstance(value, dict) else {}


def _list(value: Any) -> Optional[Sequence[Any]]:
    """A JSON list, or None."""
    return cast("Sequence[Any]", value) if isinstance(value, list) else None


def _number(key: str, highest: float = float("inf")) -> _Writer:
    def write(value: Any) -> Optional[Settings]:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return {key: value} if is_number and value <= highest else None

    return write


def _text(key: str) -> _Writer:
    return lambda value: {key: value} if isinstance(value, str) else None


def _texts(key: str) -> _Writer:
    def write(value: Any) -> Optional[Settings]:
        texts = [value] if isinstance(value, str) else _list(value)
        return {key: texts} if texts is not None and all(isinstance(each, str) for each in texts) else None

    return write


def _tools(write_all: Callable[[List[Settings]], Settings]) -> _Writer:
    """Writes functions that the model may call."""

    def write(value: Any) -> Optional[Settings]:
        functions = [_dict(each) for each in _list(value) or [None]]
        tools = [_dict(each.get("function")) for each in functions if each.get("type") == "function"]
        are_tools = len(tools) == len(functions) and all(isinstance(tool.get("name"), str) for tool in tools)
        return write_all(tools) if are_tools else None

    return write


def _format(write_one: Callable[[str, Settings], Optional[Settings]]) -> _Writer:
    """Writes the format of the output; `write_one` gets its type and, for the type `json_schema`, what belongs to it."""

    def write(value: Any) -> Optional[Settings]:
        kind, details = _dict(value).get("type"), _dict(_dict(value).get("json_schema"))
        if kind in ("text", "json_object"):
            return write_one(kind, {})
        is_schema = isinstance(details.get("name"), str) and isinstance(details.get("schema"), dict)
        return write_one(kind, details) if kind == "json_schema" and is_schema else None

    return write


def _described(tool: Settings, key: str) -> Settings:
    """A tool with its schema under a key."""
    description = {"description": tool["description"]} if "description" in tool else {}
    return {"name": tool["name"], **description, key: tool.get("parameters") or _NOTHING}


def _gemini_format(kind: str, details: Settings) -> Settings:
    schema = {"response_json_schema": details["schema"]} if details else {}
    return {"response_mime_type": "text/plain" if kind == "text" else "application/json", **schema}


def _anthropic_format(kind: str, details: Settings) -> Optional[Settings]:
    if kind == "text":
        return {}
    return {"output_config": {"format": {"type": kind, "schema": details["schema"]}}} if details else None


_WRITERS: Mapping[str, Mapping[str, _Writer]] = {
    "openai_chat": {
        "model": _text("model"),
        "temperature": _number("temperature"),
        "top_p": _number("top_p"),
        "max_tokens": _number("max_completion_tokens"),
        "stop": _texts("stop"),
        "seed": _number("seed"),
        "presence_penalty": _number("presence_penalty"),
        "frequency_penalty": _number("frequency_penalty"),
        "response_format": _format(
            lambda kind, details: {"response_format": {"type": kind, "json_schema": details} if details else {"type": kind}}
        ),
        "tools": _tools(lambda tools: {"tools": [{"type": "function", "function": tool} for tool in tools]}),
    },
    "openai_responses": {
        "model": _text("model"),
        "temperature": _number("temperature"),
        "top_p": _number("top_p"),
        "max_tokens": _number("max_output_tokens"),
        "response_format": _format(lambda kind, details: {"text": {"format": {"type": kind, **details}}}),
        # Unlike Chat Completions, Responses take a function without `strict` for a strict one.
        "tools": _tools(
            lambda tools: {"tools": [{"type": "function", "parameters": _NOTHING, "strict": False, **tool} for tool in tools]}
        ),
    },
    "anthropic": {
        "model": _text("model"),
        "temperature": _number("temperature", highest=1),
        "top_p": _number("top_p"),
        "top_k": _number("top_k"),
        "max_tokens": _number("max_tokens"),
        "stop": _texts("stop_sequences"),
        "response_format": _format(_anthropic_format),
        "tools": _tools(lambda tools: {"tools": [_described(tool, "input_schema") for tool in tools]}),
    },
    "gemini": {
        "model": _text("model"),
        "temperature": _number("temperature"),
        "top_p": _number("top_p"),
        "top_k": _number("top_k"),
        "max_tokens": _number("max_output_tokens"),
        "stop": _texts("stop_sequences"),
        "seed": _number("seed"),
        "presence_penalty": _number("presence_penalty"),
        "frequency_penalty": _number("frequency_penalty"),
        "response_format": _format(_gemini_format),
        "tools": _tools(
            lambda tools: {"tools": [{"function_declarations": [_described(tool, "parameters_json_schema") for tool in tools]}]}
        ),
    },
}


def call_for(target: str, messages: Sequence[Any], parameters: Mapping[str, Any], drop: bool) -> Settings:
    """The arguments for an SDK; `drop` leaves out the parameters that the SDK cannot take.

    Raises PromptHubError `invalid_request` naming every parameter that the SDK cannot take.
    """
    writers = _WRITERS[target]
    settings: Settings = {}
    refused: List[str] = []
    for key, value in parameters.items():
        written = writers[key](value) if key in writers else None
        if written is None:
            refused.append(f"{key} ({json.dumps(value, ensure_ascii=False)[:60]})")
        else:
            settings.update(written)
    if refused and not drop:
        what = target.replace("_", "-")
        raise PromptHubError("invalid_request", f"{what} cannot take {', '.join(refused)}; drop=True leaves out what it cannot take")
    if target == "openai_chat":
        return {"messages": list(messages), **settings}
    if target == "openai_responses":
        return {"input": list(messages), **settings}
    parts = for_anthropic(messages)
    if target == "anthropic":
        return {**parts, **settings}
    model = {"model": settings.pop("model")} if "model" in settings else {}
    contents = [
        {"role": "model" if turn["role"] == "assistant" else "user", "parts": [{"text": turn["content"]}]}
        for turn in parts["messages"]
    ]
    instruction = {"system_instruction": parts["system"]} if "system" in parts else {}
    return {**model, "contents": contents, "config": {**instruction, **settings}}
