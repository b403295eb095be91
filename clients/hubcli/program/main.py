"""Runs a command of hubcli: finds it in the table of commands, and parses its words."""

import importlib
import json
import os
import sys
import types

from program.terminal import run, say
from prompt_hub.trouble import PromptHubError

# The module of each command, imported only when it is used, because each import takes time. Its function has the name of
# the command.
MODULES = {
    "pull": "reading", "cat": "reading", "render": "reading", "export": "exporting", "search": "listing", "versions": "listing",
    "info": "showing",
    "push": "publishing", "check": "publishing", "recompose": "recomposing", "result": "managing",
    "label": "managing", "yank": "managing", "unyank": "managing", "deprecate": "managing", "readme": "managing", "edit": "managing",
    "add": "change", "install": "change", "update": "change", "remove": "change",
    "verify": "report", "outdated": "report", "audit": "report", "types": "typing_files",
    "help": "helping", "completion": "completing",
}  # fmt: skip


class Commands:
    """The table of commands, as far as this program has them."""

    def __init__(self, text):
        table = json.loads(text)
        shared = {option["name"]: option for option in table["shared_options"]}
        self.groups = []
        for group in table["groups"]:
            commands = [_resolve(command, shared) for command in group["commands"] if _is_here(command)]
            self.groups.append((group["name"], commands))
        self.by_name = {command["name"]: command for _, commands in self.groups for command in commands}

    def usage(self, name):
        """The forms of a command."""
        return " or ".join(f"hubcli {name} {form}".rstrip() for form in self.by_name[name]["arguments"])


def _is_here(entry):
    return entry.get("only", "hubcli") == "hubcli"


def _resolve(command, shared):
    options = [shared[option] if isinstance(option, str) else option for option in command.get("options", [])]
    return {**command, "options": [option for option in options if _is_here(option)]}


class Given:
    """What a user typed after a command."""

    def __init__(self, command, words, options, commands, version):
        self.command = command
        self.words = words
        self.options = options
        self.commands = commands
        self.version = version

    def __getitem__(self, name):
        """The value of an option: True for one without a value, a list for one that may be repeated, or None."""
        return self.options.get(name)

    def take(self, *counts):
        """The arguments, with None for those that are missing; fails unless their number is one of these."""
        if len(self.words) not in counts:
            self.refuse()
        return self.words + [None] * (max(counts) - len(self.words))

    def refuse(self):
        """Fails with the usage of the command."""
        raise invalid(f"usage: {self.commands.usage(self.command)}")


def invalid(sentence):
    """The error for what a user typed."""
    return PromptHubError("invalid_request", sentence)


def parse(commands, name, words, version):
    """Parses the words after the name of a command."""
    known = {option["name"]: option for option in commands.by_name[name]["options"]}
    operands, options, rest = [], {}, list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            operands += rest
            break
        if word in ("-h", "--help"):
            return Given("help", [name], {}, commands, version)
        start, equals, value = word.partition("=")
        option = known.get(word) or (known.get(start) if equals and start.startswith("--") else None)
        if option is None:
            if word.startswith("-") and word != "-":
                advice = f"put -- before it if it is an argument); usage: {commands.usage(name)}"
                raise invalid(f"unknown option {word} ({advice}")
            operands.append(word)
            continue
        if "value" in option and option is known.get(word):
            if not rest:
                raise invalid(f"{word}: expected {option['value']}, got nothing")
            value = rest.pop(0)
        if "value" not in option:
            options[option["name"]] = True
        elif option.get("repeats"):
            options.setdefault(option["name"], []).append(value)
        else:
            options[option["name"]] = value
    return Given(name, operands, options, commands, version)


def start(files, version, built_in, *words):
    """Runs hubcli. `built_in` is the URL of the hub that the program was downloaded from."""
    address = types.ModuleType("prompt_hub.address")
    address.HUB_URL = built_in
    address.USER_AGENT = f"hubcli/{version} (+{os.environ.get('HUB_URL') or built_in})"
    sys.modules["prompt_hub.address"] = address
    # What curl trusts, Python trusts.
    if os.environ.get("CURL_CA_BUNDLE") and not os.environ.get("SSL_CERT_FILE"):
        os.environ["SSL_CERT_FILE"] = os.environ["CURL_CA_BUNDLE"]
    run(_main, (Commands(files["commands.json"]), version, *words))


def _main(commands, version, name, *words):
    name = "help" if name in ("-h", "--help") else name
    if name not in commands.by_name:
        raise invalid(f"unknown command {name}; see: hubcli help")
    given = parse(commands, name, words, version)
    function = getattr(importlib.import_module(f"program.{MODULES[given.command]}"), given.command)
    function(given)
    sys.stdout.flush()
