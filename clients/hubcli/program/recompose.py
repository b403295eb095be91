"""Lists the prompts of an owner whose parts have other versions now, from the hub's list of the owner's composed prompts."""

from program.terminal import say
from program.work import load, save
from prompt_hub.lock import FULL_NAME
from prompt_hub.ranges import is_version
from prompt_hub.trouble import PromptHubError


def list_moved(owner):
    """Writes a line for each such prompt to the file `moved`; those that cannot be composed again are counted in `stuck`."""
    try:
        prompts = [read_prompt(each, owner) for each in load("composed")["data"]]
    except (ValueError, KeyError, TypeError):
        raise PromptHubError("unavailable", "the hub did not return a list of prompts; is it a Prompt Hub?")
    stuck = 0
    lines = []
    for name, includes in prompts:
        gone = [repository for repository, _, wanted in includes if wanted is None]
        if gone:
            stuck += 1
            say(f"{name}: its include line selects no version of {gone[0]} now; publish {name} with another line")
        elif any(wanted != version for _, version, wanted in includes):
            lines.append(f"{name}\n")
    save("moved", "".join(lines))
    save("stuck", f"{stuck}\n")


def read_prompt(data, owner):
    """The name of a prompt, and its includes as repository, version and wanted version; raises ValueError unless they are well-formed."""
    name = data["full_name"]
    includes = [(each["repository"], each["version"], each["wanted"]) for each in data["includes"]]
    if not FULL_NAME.fullmatch(name) or not name.startswith(f"{owner}/"):
        raise ValueError(name)
    for repository, version, wanted in includes:
        if not FULL_NAME.fullmatch(repository) or not is_version(version) or not (wanted is None or is_version(wanted)):
            raise ValueError(repository)
    return name, includes
