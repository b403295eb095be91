"""Fills in a prompt's variables: one pass that inserts values literally, and reports every problem at once.

Follows the hub's rules and is tested with the hub's cases.
"""

from __future__ import annotations

import json
import math
import re
from typing import Dict, List, Mapping, Optional, Sequence

from .trouble import PromptHubError, ValueProblem
from .variable import Variable

_PLACEHOLDER = re.compile(r"\{\{( ?)([A-Za-z_][A-Za-z0-9_]*)\1\}\}")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_LARGEST_SAFE_INTEGER = 2**53 - 1
_MAX_FILLED_BYTES = 1_048_576


_HISTORY = "; pass earlier messages as the option history, not as a value"


def fill_content(content: str, variables: Sequence[Variable], values: Mapping[str, object]) -> str:
    """Fills in a text's variables: each gets the given value, or else its default, or else, if it is optional, nothing.

    Values are never scanned for placeholders. Raises PromptHubError `invalid_values` naming every missing, unknown or
    invalid variable, or reporting that the text is too long.
    """
    return fill_texts([content], variables, values)[0]


def fill_texts(contents: Sequence[str], variables: Sequence[Variable], values: Mapping[str, object]) -> List[str]:
    """Fills several texts with the same values, each like `fill_content`; the size limit applies to their sum."""
    texts: Dict[str, str] = {}
    problems: List[ValueProblem] = []
    for variable in variables:
        given = values.get(variable.name)
        is_left_out = given is None or (given == "" and variable.type != "string")
        value = variable.default if is_left_out else given
        if value is not None:
            text = _write_value(value, variable)
            if text is None:
                problems.append(ValueProblem("invalid", variable.name, f"expected {_expectation(variable)}"))
            else:
                texts[variable.name] = text
        elif variable.required:
            problems.append(ValueProblem("missing", variable.name, "missing required value"))
        else:
            texts[variable.name] = ""
    known = {variable.name for variable in variables}
    problems += [
        # No variable can have this name.
        ValueProblem("unknown", name, "unknown variable" + (_HISTORY if name == "history" else ""))
        for name in values
        if name not in known
    ]
    if not problems:
        problems += _find_excess(contents, texts)
    if problems:
        message = "; ".join(f"{problem.name}: {problem.message}" for problem in problems)
        raise PromptHubError("invalid_values", message, problems=problems)
    return [_PLACEHOLDER.sub(lambda match: texts.get(match[2], match[0]), content) for content in contents]


def find_variables(content: str) -> List[Variable]:
    """The variables of a text without a record: each placeholder as a required string, because nothing more is
    known."""
    names = dict.fromkeys(match[2] for match in _PLACEHOLDER.finditer(content) if len(match[2]) <= 64)
    return [Variable(name) for name in names]


def _write_value(value: object, variable: Variable) -> Optional[str]:
    """The text for a value, or None when the value does not match its variable."""
    text = spell(value)
    if text is None:
        return None
    if variable.type == "string":
        return text
    if variable.type == "enum":
        return text if text in variable.options else None
    if variable.type == "boolean":
        return text if text in ("true", "false") else None
    if variable.type == "number":
        return text if _NUMBER.fullmatch(text) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return text if float(value).is_integer() and abs(value) <= _LARGEST_SAFE_INTEGER else None
    return text if _INTEGER.fullmatch(text) else None


def spell(value: object) -> Optional[str]:
    """A value as JSON in JavaScript's spelling (RFC 8785 section 3.2.2.3), so that every language fills the same
    text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) <= _LARGEST_SAFE_INTEGER else spell(_as_float(value))
    if isinstance(value, float):
        return _spell_float(value) if math.isfinite(value) else None
    return None


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _spell_float(value: float) -> str:
    """A number in JavaScript's spelling (ECMA-262, Number::toString). The digits are those of Python; only the exponent
    starts elsewhere."""
    if value == 0:
        return "0"
    mantissa, _, exponent_text = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent_text or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    count = len(digits)
    sign = "-" if value < 0 else ""
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    exponent = point - 1
    rest = "." + digits[1:] if count > 1 else ""
    return f"{sign}{digits[0]}{rest}e{'+' if exponent > 0 else '-'}{abs(exponent)}"


def _expectation(variable: Variable) -> str:
    if variable.type == "enum":
        return "one of " + ", ".join(json.dumps(option, ensure_ascii=False) for option in variable.options)
    return {
        "string": "a text",
        "integer": "a whole number such as 3",
        "number": "a number such as 0.5",
        "boolean": "true or false",
    }.get(variable.type, "a value of its type")


def _find_excess(contents: Sequence[str], texts: Mapping[str, str]) -> List[ValueProblem]:
    """Checks the length of the filled text before creating it: a value used in many places could make it huge."""
    sizes = {name: len(text.encode("utf-8", "surrogatepass")) for name, text in texts.items()}
    size = 0
    for content in contents:
        size += len(content.encode("utf-8", "surrogatepass"))
        for match in _PLACEHOLDER.finditer(content):
            if match[2] in sizes:
                size += sizes[match[2]] - len(match[0])
    if size <= _MAX_FILLED_BYTES:
        return []
    message = f"the filled text would have {size} bytes; expected at most {_MAX_FILLED_BYTES}"
    return [ValueProblem("too_large", "", message)]
