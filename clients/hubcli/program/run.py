"""Runs one step of hubcli: reads and writes the files of a project, and reads the responses that the shell fetches into
the work folder. Sends no request itself. Arguments: the work folder, the step and its arguments."""

import importlib
import os
import sys

if sys.version_info < (3, 7):
    sys.stderr.write("hubcli: python3 is older than 3.7; install a newer one\n")
    sys.exit(1)
WORK = sys.argv[1]
MODULES = os.path.join(WORK, "python")
sys.path.append(MODULES)


def unpack():
    """Writes the modules to files, from which Python imports them."""
    with open(os.path.join(WORK, "modules"), encoding="ascii") as file:
        parts = ("\n" + file.read()).split("\n#: ")[1:]
    for part in parts:
        path, _, text = part.partition("\n")
        target = os.path.join(MODULES, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="ascii") as file:
            file.write(text + "\n")


def main(step, *words):
    """Runs the step, a module and its function. Imports only what it needs, because each import takes time."""
    # Writing compiled modules takes longer than it saves.
    sys.dont_write_bytecode = True
    module, _, function = step.partition(".")
    getattr(importlib.import_module(f"program.{module}"), function)(*words)
    sys.stdout.flush()


if __name__ == "__main__":
    if not os.path.exists(MODULES):
        try:
            unpack()
        except OSError as error:
            sys.stderr.write("hubcli: cannot write to {}: {}\n".format(WORK, error.strerror))
            sys.exit(1)
    from program.terminal import run

    run(main, sys.argv[2:])
