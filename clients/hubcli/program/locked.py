"""Finds the version of a prompt to read: the locked one, from its vendored file, or that of a range."""

from program.project import need_lock
from program.terminal import Refused, clean
from program.resolving import read
from program.work import in_work, read_bytes, save
from prompt_hub.lock import LOCK
from prompt_hub.placed import read_content
from prompt_hub.records import read_version_list
from prompt_hub.review import explain_none, find_wanted
from prompt_hub.trouble import PromptHubError


def read_locked(name, wanted):
    """Writes the version, digest and path of a locked prompt to the file `locked`; if the vendored file exists, also
    its `content` or the filled prompt."""
    lock = need_lock()
    prompt = lock.prompts.get(name)
    if prompt is None:
        raise Refused(1, f"{name} is not in {LOCK}; hubcli add {name} locks it")
    save("hub", lock.hub)
    save("locked", f"{prompt.version}\n{prompt.sha256}\n{clean(prompt.path)}\n")
    try:
        found = read_content(".", prompt, "hubcli")
    except PromptHubError as error:
        raise Refused(4, str(error))
    if found is None:
        return
    if wanted == "content":
        with open(in_work("content"), "wb") as file:
            file.write(found)
    else:
        from program.render import render

        render(found.decode(), prompt.details.variables)


def choose(name, written):
    """Writes the version of a range to the file `version`."""
    rows = read(read_version_list, read_bytes("versions.0"))
    chosen = find_wanted(written, {}, rows)
    if chosen is None:
        raise Refused(2, explain_none(name, written, {}, rows))
    save("version", chosen)
