"""Finds the version of a prompt to read: the locked one, from its vendored file, or that of a range."""

from program.terminal import clean
from program.work import read_text, save
from prompt_hub.lock import LOCK
from prompt_hub.placed import open_lock, read_content
from prompt_hub.records import find_wanted, read_version_list
from prompt_hub.review import explain_none
from prompt_hub.trouble import PromptHubError


def read_locked(name, wanted):
    """Writes the version, digest and path of a locked prompt to the file `locked`; if the vendored file exists, also
    its `content` or the filled prompt."""
    lock = open_lock(LOCK)
    prompt = lock.prompts.get(name)
    if prompt is None:
        raise PromptHubError("not_locked", f"{name} is not in {LOCK}; hubcli add {name} locks it")
    save("hub", lock.hub)
    save("locked", f"{prompt.version}\n{prompt.sha256}\n{clean(prompt.places[0].path)}\n")
    found = read_content(".", prompt, "hubcli")
    if found is None:
        return
    if wanted == "content":
        save("content", found)
    else:
        from program.render import render

        render(found.decode(), prompt.details.variables)


def choose(name, written, page, pages):
    """Writes the version of a range to the file `version`: nothing if no page up to this one has it, and there are more."""
    read = [read_version_list(read_text(f"versions.{each}"), "the hub") for each in range(1, int(page) + 1)]
    rows = [row for rows in read for row in rows]
    chosen = find_wanted(written, {}, rows)
    if chosen is None and int(page) < int(pages):
        chosen = ""
    if chosen is None:
        raise PromptHubError("not_found", explain_none(name, written, {}, rows))
    save("version", chosen)
