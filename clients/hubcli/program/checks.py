"""Checks what a user typed, before anything is sent."""

import os
import re

from program.main import invalid
from prompt_hub.lock import FULL_NAME
from prompt_hub.ranges import is_label, is_range, is_version

SLUG = re.compile("(?:[a-z0-9]+-)*[a-z0-9]+")


def check_name(name):
    """Fails unless it is the full name of a prompt."""
    if name is None or "/" not in name:
        raise invalid(f"expected <owner>/<name>, got {name or 'nothing'}")
    if not FULL_NAME.fullmatch(name):
        raise invalid(f"expected <owner>/<name> in lower-case letters, digits and single hyphens, got {name}")
    return name


def check_owner(owner, option):
    """Fails unless it can be an owner."""
    if not SLUG.fullmatch(owner or "") or len(owner) > 39:
        raise invalid(f"{option}: expected an owner such as acme, got {owner or 'nothing'}")
    return owner


def check_version(version, option=None):
    """Fails unless it is a version."""
    if not is_version(version or ""):
        raise invalid(f"{option + ': ' if option else ''}expected a version such as 1.2.0, got {version or 'nothing'}")
    return version


def check_bump(bump):
    """Fails unless it is a part of a version, or auto."""
    if bump not in ("major", "minor", "patch", "auto"):
        raise invalid(f"bump: expected major, minor, patch or auto, got {bump or 'nothing'}")
    return bump


def check_choice(given, option, choices):
    """Fails unless the value of an option is absent, or one of these."""
    value = given[option]
    if value is not None and value not in choices:
        raise invalid(f"{option}: expected {', '.join(choices[:-1])}{' or ' if choices[:-1] else ''}{choices[-1]}, got {value or 'nothing'}")
    return value


def check_days(given, option):
    """The days in the value of an option such as 7d; None without it."""
    value = given[option]
    if value is None:
        return None
    if not re.fullmatch("[0-9]{1,4}d", value):
        raise invalid(f"{option}: expected a number of days such as 7d, got {value or 'nothing'}")
    return int(value[:-1])


def check_readable(path, option=None):
    """Fails unless a file can be read."""
    before = f"{option}: " if option else ""
    if option is None and not os.path.exists(path):
        raise invalid(f"there is no file {path or 'without a name'}")
    if not path or os.path.isdir(path) or not os.access(path, os.R_OK):
        raise invalid(f"{before}cannot read {path or 'a file without a name'}")
    return path


def parse_wish(given, word):
    """The name of a prompt, and what follows its @: nothing for the latest version."""
    name, at, wish = (word or "").partition("@")
    if at and not wish:
        raise invalid(f"expected a range or a label after @, got nothing; usage: {given.commands.usage(given.command)}")
    check_name(name)
    if wish == "latest":
        return name, ""
    bare = re.sub("^([~^]*)[vV=]", r"\1", wish)
    if bare != wish and is_range(bare) and "." in wish:
        raise invalid(f"versions are written without v: {name}@{bare}")
    if wish and not is_range(wish) and not is_label(wish):
        raise invalid(f"expected a range such as ^1.2 or a label's name after @, got {wish}")
    return name, wish
