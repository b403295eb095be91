"""Messages that are safe for a terminal, and the exit codes of the steps."""

import os
import sys
import unicodedata


class Refused(Exception):
    """Ends the step with an exit code and a message."""

    def __init__(self, code, sentence):
        super().__init__(sentence)
        self.code = code


def clean(text):
    """One line of text without characters that move a cursor or hide text."""
    kinds = [(c, unicodedata.category(c)) for c in str(text)]
    return "".join(" " if kind in ("Cc", "Zl", "Zp") else c for c, kind in kinds if kind not in ("Cf", "Cs"))


def say(sentence):
    """Prints a message on standard error."""
    sys.stderr.buffer.write(f"hubcli: {clean(sentence)}\n".encode())
    sys.stderr.flush()


def run(main, words):
    """Runs a step, and exits with its code."""
    try:
        main(*words)
    except Refused as refused:
        say(refused)
        sys.exit(refused.code)
    except BrokenPipeError:
        os._exit(141)
    except KeyboardInterrupt:
        os._exit(130)
    except OSError as error:
        say(f"{error.filename or 'cannot write'}: {error.strerror}; nothing was changed")
        sys.exit(1)
    except Exception as error:
        from prompt_hub.trouble import PromptHubError

        if not isinstance(error, PromptHubError):
            raise
        say(error)
        sys.exit(1)
