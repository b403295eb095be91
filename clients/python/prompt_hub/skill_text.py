"""Writes the SKILL.md of a version from its record, as a hub does, so that a signature of the record covers the file.
docs/contract.md section 4"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, List, Mapping, cast

from .filling import spell
from .lock import in_order
from .variable import Variable, as_dict, as_list, as_text, read_variable

# Words that YAML 1.1 reads as a boolean or null, also as a key.
_YAML_WORD = re.compile("(?:y|n|yes|no|on|off|true|false|null)", re.ASCII | re.IGNORECASE)
# What a hub escapes beside what JSON does: line breaks in YAML 1.1, and every `---`.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|--(?=-)")
_INPUTS = (
    "## Inputs\n\nPut a value in place of each placeholder first: from the conversation or the files at hand. "
    "Ask for what is required and missing.\n\n"
)


def write_skill(record: Mapping[str, Any]) -> str:
    """Writes a SKILL.md. `record` is the record of a version, as the hub sent it. Raises KeyError or TypeError for a record
    of no skill."""
    skill, name, version = as_dict(record["skill"]), as_text(record["full_name"]), as_text(record["version"])
    front: Dict[str, object] = {"name": name.split("/")[-1], "description": as_text(skill["description"])}
    if skill.get("license") is not None:
        front["license"] = as_text(skill["license"])
    if skill.get("compatibility"):
        front["compatibility"] = as_text(skill["compatibility"])
    metadata = {key: as_text(value) for key, value in as_dict(skill["metadata"]).items()}
    if skill.get("argument_hint"):
        metadata["argument-hint"] = as_text(skill["argument_hint"])
    metadata.update(version=version, source=f"{name}@{version}", content_sha256=as_text(record["content_sha256"]))
    front["metadata"] = metadata
    variables = [read_variable(each) for each in as_list(record["variables"])]
    inputs = f"\n\n{_INPUTS}{''.join(map(_describe_input, variables))}" if variables else ""
    lines = "\n".join(["---", *_write_keys(front, ""), "---"])
    return f"{lines}\n{as_text(record['content'])}{inputs}"


def _write_keys(fields: Mapping[str, object], indent: str) -> List[str]:
    lines: List[str] = []
    for key in in_order(fields):
        value = fields[key]
        if isinstance(value, dict):
            lines += [f"{indent}{key}:", *_write_keys(cast(Dict[str, object], value), f"{indent}  ")]
        else:
            lines.append(f"{indent}{_quote(key) if _YAML_WORD.fullmatch(key) else key}: {_quote(str(value))}")
    return lines


def _quote(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"{found[0][1:]}\\u{ord(found[0][0]):04x}", json.dumps(text, ensure_ascii=False))


def _describe_input(variable: Variable) -> str:
    kind = {"string": "text", "enum": f"one of {', '.join(map(_quote, variable.options))}"}.get(variable.type, variable.type)
    usual = variable.default
    parts = [variable.description] if variable.description else []
    if usual is not None:
        parts.append(f"Default: {_quote(usual) if isinstance(usual, str) else spell(usual)}")
    need = "required" if variable.required and usual is None else "optional"
    end = f": {'. '.join(parts)}" if parts else ""
    return f"- `{{{{{variable.name}}}}}` ({kind}, {need}){end}\n"
