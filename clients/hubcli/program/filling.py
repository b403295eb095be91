"""Fills in a prompt with the values that a user gives."""

import json
import re

from program.checks import check_readable
from program.main import invalid
from prompt_hub.chat import fill_chat, split_chat
from prompt_hub.filling import fill_content, spell
from prompt_hub.trouble import PromptHubError

MAX_PROBLEMS = 10
MAX_VALUE_BYTES = 1048576


def read_values(given):
    """The values of --var and --var-file."""
    values = {}
    for option in ("--var", "--var-file"):
        for word in given[option] or ():
            name, equals, value = word.partition("=")
            if not equals or not name:
                raise invalid(f"{option}: expected <name>=<value>, got {word or 'nothing'}")
            if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name):
                raise invalid(f"{option}: expected a name of letters, digits and _, got {name}")
            values[name] = read_text(value, f"--var-file {name}") if option == "--var-file" else value
            try:
                values[name].encode()
            except UnicodeEncodeError:
                raise invalid(f"{option} {name} is not UTF-8, or too large") from None
    if given["--history"] is not None:
        check_readable(given["--history"], "--history")
    return values


def read_text(path, subject):
    """The text of a file."""
    with open(check_readable(path, subject), "rb") as file:
        data = file.read(MAX_VALUE_BYTES + 1)
    try:
        if len(data) > MAX_VALUE_BYTES or b"\0" in data:
            raise ValueError
        return data.decode()
    except ValueError:
        raise invalid(f"{subject}: {path} is not text in UTF-8, or too large") from None


def fill_in(given, values, content, variables):
    """The filled prompt, or the JSON of its messages."""
    is_chat = given["--messages"] or given["--history"] is not None
    history = read_history(given["--history"], content) if is_chat else []
    try:
        if is_chat:
            return json.dumps(fill_chat(content, variables, values, history), indent=2) + "\n"
        return fill_content(content, variables, values)
    except PromptHubError as error:
        raise invalid(explain(error.problems, variables, values)) from None


def read_history(path, content):
    """The earlier messages from --history for a prompt's messages; neither filled nor split."""
    parts = split_chat(content)
    if not any("role" in part for part in parts):
        raise invalid("this prompt is a text without roles; omit --messages")
    if path is None:
        return []
    try:
        history = json.loads(read_text(path, "--history"))
    except (ValueError, RecursionError):
        history = None
    if not isinstance(history, list) or not all(isinstance(message, dict) for message in history):
        raise invalid("--history: expected a JSON list of messages")
    if history and all("role" in part for part in parts):
        raise invalid("--history: this prompt has no {{history}} line")
    return history


def explain(problems, variables, given):
    """All problems with the values in one sentence. What was given is shown, because the user typed it."""
    missing = [each.name for each in problems if each.kind == "missing"]
    defaults = {variable.name: variable.default for variable in variables}
    sentences = [f"{each.name}: {each.message}" for each in problems if each.kind == "unknown"]
    for each in problems:
        if each.kind == "invalid":
            text = spell(given.get(each.name) or defaults[each.name])
            sentences.append(f"{each.name}: {each.message}, got {json.dumps(text[:100], ensure_ascii=False)}")
    if len(sentences) > MAX_PROBLEMS:
        sentences[MAX_PROBLEMS:] = [f"and {len(sentences) - MAX_PROBLEMS} more"]
    if missing:
        sentences.insert(0, f"missing required variable{'' if len(missing) == 1 else 's'}: {', '.join(missing)}")
    return "; ".join(sentences + [each.message for each in problems if each.kind == "too_large"])
