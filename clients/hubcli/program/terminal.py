"""Messages that are safe for a terminal, and the exit codes of the commands."""

import os
import signal
import sys
import unicodedata

from prompt_hub.trouble import PromptHubError


def clean(text):
    """One line of text: control characters and line breaks become spaces, and invisible characters, such as bidi marks, are
    removed, except those that join emoji."""
    kinds = [(c, unicodedata.category(c)) for c in str(text)]
    return "".join(" " if kind in ("Cc", "Zl", "Zp") else c for c, kind in kinds if kind not in ("Cf", "Cs") or c == "\u200d")


def say(sentence):
    """Prints a message on standard error."""
    try:
        sys.stderr.buffer.write(f"hubcli: {clean(sentence)}\n".encode())
        sys.stderr.flush()
    except BrokenPipeError:
        os._exit(141)


def note(sentence):
    """Prints a message only for a person."""
    if sys.stderr.isatty():
        say(sentence)


def write_text(text):
    """Prints a text byte for byte, but without control characters on a terminal."""
    if sys.stdout.isatty():
        text = "".join(c for c in text if c in "\n\t" or clean(c) == c)
    try:
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError:
        say("cannot write to standard output")
        os._exit(1)


def run(main, words):
    """Runs a command, and exits with its code."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main(*words)
    except PromptHubError as error:
        say(error if error.status is None else f"{error} ({error.status})")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os._exit(141)
    except KeyboardInterrupt:
        os._exit(130)
    except OSError as error:
        say(f"{error.filename or 'cannot write'}: {error.strerror}; nothing was changed")
        sys.exit(1)
