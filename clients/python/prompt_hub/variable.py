"""A declared variable of a prompt, as in a hub's response or in a lock."""

from __future__ import annotations

import re
from typing import Any, Dict, NamedTuple, Optional, Sequence, Tuple, Union, cast

Scalar = Union[str, int, float, bool]
_TYPES = ("string", "number", "integer", "boolean", "enum")
_VARIABLE_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]{0,63}")


class Variable(NamedTuple):
    """A declared variable of a prompt."""

    name: str
    description: str = ""
    type: str = "string"
    """`string`, `number`, `integer`, `boolean` or `enum`."""
    required: bool = True
    default: Optional[Scalar] = None
    options: Tuple[str, ...] = ()
    """The allowed values of an `enum`."""
    example: Optional[Scalar] = None


def read_variable(value: object) -> Variable:
    """Parses a variable in a hub's response or in a lock, adding the defaults of omitted fields; raises KeyError or
    TypeError when it is invalid."""
    data = as_dict(value)
    name, kind, required = as_text(data["name"]), as_text(data.get("type", "string")), data.get("required", True)
    if not _VARIABLE_NAME.fullmatch(name) or kind not in _TYPES or not isinstance(required, bool):
        raise TypeError("no variable")
    return Variable(
        name=name,
        description=as_text(data.get("description", "")),
        type=kind,
        required=required,
        default=_scalar(data.get("default")),
        options=tuple(as_text(option) for option in as_list(data.get("options", []))),
        example=_scalar(data.get("example")),
    )


def _scalar(value: object) -> Optional[Scalar]:
    if value is not None and not isinstance(value, (str, int, float, bool)):
        raise TypeError("no scalar")
    return value


def as_dict(value: object) -> Dict[str, Any]:
    """A JSON value as an object; raises TypeError for any other."""
    if not isinstance(value, dict):
        raise TypeError("no object")
    return cast(Dict[str, Any], value)


def as_list(value: Any) -> Sequence[Any]:
    """A JSON value as a list; raises TypeError for any other."""
    if not isinstance(value, list):
        raise TypeError("no list")
    return cast("Sequence[Any]", value)


def text_or_none(value: object) -> Optional[str]:
    """A JSON value as a text or None; raises TypeError for any other."""
    return None if value is None else as_text(value)


def as_text(value: object) -> str:
    """A JSON value as a text; raises TypeError for any other."""
    if not isinstance(value, str):
        raise TypeError("no text")
    return value
