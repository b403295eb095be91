"""Reads a locked prompt from its vendored file."""

from program.project import need_lock, say_ends
from program.terminal import Refused, clean
from program.work import in_work, save
from prompt_hub.lock import LOCK
from prompt_hub.vendored import find_exact, read_vendored


def read_locked(name, wanted):
    """Writes the version, digest and path of a locked prompt to the file `locked`; if the vendored file exists, also
    its `content` or the filled prompt."""
    lock = need_lock()
    prompt = lock.prompts.get(name)
    if prompt is None:
        raise Refused(1, f"{name} is not in {LOCK}; hubcli add {name} locks it")
    save("hub", lock.hub)
    save("locked", f"{prompt.version}\n{prompt.sha256}\n{clean(prompt.path)}\n")
    data = read_vendored(".", prompt.path)
    if data is None:
        return
    found = find_exact(data, prompt.sha256)
    if found is None:
        ends = say_ends(prompt.path, data, prompt.sha256)
        raise Refused(4, f"{prompt.path} is not what {LOCK} says{ends or '; hubcli install --force restores it'}")
    if wanted == "content":
        with open(in_work("content"), "wb") as file:
            file.write(found)
    else:
        from program.render import render

        render(found.decode(), prompt.details.variables)
