"""Fills in a prompt with the values in the work folder, and writes the result to the file `filled`."""

import json
import os

from program.work import in_work, load, read_bytes, read_text, save
from prompt_hub.chat import fill_chat, split_chat
from prompt_hub.filling import fill_content, spell
from prompt_hub.records import read_version_record
from prompt_hub.trouble import PromptHubError

MAX_PROBLEMS = 10


def render_answer():
    """Fills in the record in the file `answer`, that of a version or of a prompt with its latest version."""
    record = read_version_record(read_text("answer"), "the hub")
    render(record.content, record.variables)


def render(content, variables):
    """Fills in a prompt."""
    given = {pair["name"]: pair["value"] for pair in map(json.loads, read_bytes("values").splitlines())}
    is_chat = os.path.exists(in_work("messages"))
    history = read_history(content) if is_chat else []
    try:
        if is_chat:
            filled = json.dumps(fill_chat(content, variables, given, history), indent=2) + "\n"
        else:
            filled = fill_content(content, variables, given)
    except PromptHubError as error:
        raise PromptHubError("invalid_request", explain(error.problems, variables, given))
    save("filled", filled)


def read_history(content):
    """The earlier messages from --history for a prompt's messages; neither filled nor split."""
    parts = split_chat(content)
    if not any("role" in part for part in parts):
        raise PromptHubError("invalid_request", "this prompt is a text without roles; omit --messages")
    if not os.path.exists(in_work("history")):
        return []
    try:
        history = load("history")
    except (ValueError, RecursionError):
        history = None
    if not isinstance(history, list) or not all(isinstance(message, dict) for message in history):
        raise PromptHubError("invalid_request", "--history: expected a JSON list of messages")
    if history and all("role" in part for part in parts):
        raise PromptHubError("invalid_request", "--history: this prompt has no {{history}} line")
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
