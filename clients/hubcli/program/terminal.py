"""Messages that are safe for a terminal, and the exit codes of the steps."""

import os
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
    sys.stderr.buffer.write(f"hubcli: {clean(sentence)}\n".encode())
    sys.stderr.flush()


def run(main, words):
    """Runs a step, and exits with its code."""
    try:
        main(*words)
    except PromptHubError as error:
        say(error)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        os._exit(141)
    except KeyboardInterrupt:
        os._exit(130)
    except OSError as error:
        say(f"{error.filename or 'cannot write'}: {error.strerror}; nothing was changed")
        sys.exit(1)
