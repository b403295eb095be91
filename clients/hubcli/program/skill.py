"""Formats the SKILL.md of a version, as written by the hub. docs/contract.md section 4"""

import json
import re

from prompt_hub.filling import spell
from prompt_hub.vendored import digest_of

INPUTS = """

## Inputs

Put a value in place of each placeholder first: from the conversation or the files at hand. Ask for what is required and missing.

"""


def format_skill(entry, skill, content, variables):
    """The bytes of the file."""
    front = ["---", f"name: {quote(entry['name'].split('/')[1])}", f"description: {quote(skill['description'])}"]
    if skill["license"] is not None:
        front.append(f"license: {quote(skill['license'])}")
    front += [
        "metadata:",
        f"  version: {quote(entry['version'])}",
        f"  source: {quote(entry['name'] + '@' + entry['version'])}",
        f"  content_sha256: {quote(digest_of(content))}",
        "---\n",
    ]
    said = [say_input(variable) for variable in variables]
    return "\n".join(front).encode() + content + "".join([INPUTS, *said] if said else []).encode()


def say_input(variable):
    kinds = {"string": "text", "enum": "one of " + ", ".join(map(quote, variable.options))}
    parts = [variable.description] if variable.description else []
    default = variable.default
    if default is not None:
        parts.append("Default: " + (quote(default) if isinstance(default, str) else spell(default)))
    need = "required" if variable.required and default is None else "optional"
    said = f"{': ' if parts else ''}{'. '.join(parts)}"
    return f"- `{{{{{variable.name}}}}}` ({kinds.get(variable.type, variable.type)}, {need}){said}\n"


def quote(text):
    """A text as a YAML string, with what YAML or a comment marker would misread escaped."""
    misread = "[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|--(?=-)"
    return re.sub(misread, lambda match: f"{match[0][1:]}\\u{ord(match[0][0]):04x}", json.dumps(text, ensure_ascii=False))
