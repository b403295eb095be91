"""The command that generates types for Python from the lock."""

from program.main import invalid
from program.project import enter_project
from program.terminal import write_text
from prompt_hub.files import read_if_there, write_whole
from prompt_hub.lock import LOCK
from prompt_hub.placed import open_lock
from prompt_hub.trouble import PromptHubError
from prompt_hub.typing_file import TYPES, is_types_file, write_types


def types(given):
    """Writes a TypedDict for the values of each locked prompt, or compares the file."""
    given.take(0)
    output = given["-o"]
    if output is not None and (not output or output.startswith("-") or output.endswith("/")):
        raise invalid(f"-o: expected a path (./-x for one that starts with a hyphen), got {output or 'nothing'}")
    locate = enter_project()
    path = TYPES if output is None else locate(output)
    if given["--check"]:
        require_types(path)
    else:
        write_whole(path, written_types())
    write_text(f"{path}: {len(open_lock(LOCK).prompts)} prompts\n")


def require_types(path):
    """Fails unless a file has the types of the lock."""
    if read_if_there(path) != written_types():
        again = "hubcli types" if path == TYPES else f"hubcli types -o {path}"
        raise PromptHubError("integrity", f"{path} does not match {LOCK}. Generate it again: {again}")


def require_own_types():
    """Fails if the file that the command writes is there, and is not that of the lock."""
    there = read_if_there(TYPES)
    if there is not None and is_types_file(there):
        require_types(TYPES)


def written_types():
    return write_types({name: each.details.variables for name, each in open_lock(LOCK).prompts.items()}).encode()
