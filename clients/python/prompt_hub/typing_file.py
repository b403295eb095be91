"""Generates types for the prompts of a lock, so that a type checker finds a missing variable."""

from __future__ import annotations

import json
import keyword
import re
from typing import Mapping, Sequence

from .records import Variable


def write_types(prompts: Mapping[str, Sequence[Variable]]) -> str:
    """A module with one TypedDict for the values of each prompt, to be passed to `Prompt.fill`."""
    text = "".join(_write_class(name, variables) for name, variables in sorted(prompts.items()))
    head = "# Made by `prompt-hub types` from prompts.lock; make it anew after each change of the lock.\n"
    used = [word for word in ("Literal", "TypedDict", "Union") if word + "[" in text or word + "(" in text]
    return head + (f"from typing import {', '.join(used)}\n" if used else "") + text


def _write_class(name: str, variables: Sequence[Variable]) -> str:
    """Required and optional keys in two classes, because `NotRequired` is newer than Python 3.9."""
    class_name = "".join(part.capitalize() for part in re.split("[/-]", name))
    class_name = f"_{class_name}" if class_name[:1].isdigit() or keyword.iskeyword(class_name) else class_name
    needed = [each for each in variables if each.required and each.default is None]
    others = [each for each in variables if each not in needed]
    written = f"\n\n{class_name}Required = TypedDict({class_name + 'Required'!r}, {_fields(needed)})\n"
    return written + f"\n\nclass {class_name}({class_name}Required, total=False):\n    {json.dumps('Values of ' + name + '.')}\n" + "".join(
        f"    {each.name}: {_type_of(each)}\n" for each in others if not keyword.iskeyword(each.name)
    )


def _fields(variables: Sequence[Variable]) -> str:
    return "{" + ", ".join(f"{each.name!r}: {_type_of(each)}" for each in variables) + "}"


def _type_of(variable: Variable) -> str:
    if variable.type == "enum":
        return f"Literal[{', '.join(repr(option) for option in variable.options)}]" if variable.options else "str"
    return {"number": "Union[int, float, str]", "integer": "Union[int, str]", "boolean": "Union[bool, str]"}.get(variable.type, "str")
