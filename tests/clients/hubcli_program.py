"""Runs hubcli without its shell part, which tests/cli tests in every shell."""

import pathlib
import sys

from program.main import start

COMMANDS = pathlib.Path(__file__).resolve().parents[2] / "clients" / "commands.json"


def main(arguments):
    """Runs a command of hubcli."""
    start({"commands.json": COMMANDS.read_text("utf-8")}, "1.0.0", "http://localhost:8888", *arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
