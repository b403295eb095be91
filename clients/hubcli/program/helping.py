"""Prints the help, which is made of the table of commands."""

import os
import textwrap

from program.main import invalid
from prompt_hub.address import HUB_URL

TAIL = """
hubcli help <command> lists the options of a command.
-- ends the options: hubcli search -- "-x"

Environment
  HUB_URL      URL of the hub (now {hub});
               for reading, a static mirror is enough
  HUB_TOKEN    personal token to publish and to manage, and to read a private
               hub; create one at {hub}/settings
  HUB_ALLOW_HTTP=1   sends the token over plain http, where others on the
               network can read it

Exit codes
  0 success   1 usage or local error   2 not found   3 not allowed
  4 rejected, or checksum mismatch
  5 server or network error, or too many requests

Examples
  hubcli search "code review"
  hubcli pull acme/code-review --version 1.2.0 -o prompts/review.md
  hubcli push prompts/*.md --owner acme -m "Ask for a severity"
  hubcli add acme/code-review@^1.2 && git add prompts prompts.lock"""


def help(given):
    """Prints all commands, or the options of one."""
    (name,) = given.take(0, 1)
    if name is None:
        print(f"hubcli {given.version}: prompts from a Prompt Hub, in your shell")
        for title, commands in given.commands.groups:
            print(f"\n{title}")
            for command in commands:
                print_command(command)
        print(TAIL.format(hub=os.environ.get("HUB_URL") or HUB_URL))
        return
    if name not in given.commands.by_name:
        raise invalid(f"unknown command {name}; see: hubcli help")
    command = given.commands.by_name[name]
    print_command(command)
    for option in command["options"]:
        print(f"\n  {option['name']} {option.get('value', '')}".rstrip())
        print_wrapped(option["says"])


def print_command(command):
    for form in command["arguments"]:
        print(f"  hubcli {command['name']} {form}".rstrip())
    print_wrapped(command["says"])


def print_wrapped(text):
    print(textwrap.fill(text, 80, initial_indent="      ", subsequent_indent="      ", break_on_hyphens=False))
