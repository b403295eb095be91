"""Runs one step of hubcli: reads and writes the files of a project and the responses that the shell has fetched into the
work folder. Sends no request. Arguments: the work folder, the step and its arguments."""

import os
import sys

if sys.version_info < (3, 7):
    sys.stderr.write("hubcli: python3 is older than 3.7; install a newer one\n")
    sys.exit(1)
WORK = sys.argv[1]
MODULES = os.path.join(WORK, "python")
sys.path.append(MODULES)


def unpack():
    """Writes the modules to files, so that Python compiles each of them only once for all steps."""
    with open(os.path.join(WORK, "modules"), encoding="ascii") as file:
        parts = ("\n" + file.read()).split("\n#: ")[1:]
    for part in parts:
        path, _, text = part.partition("\n")
        target = os.path.join(MODULES, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="ascii") as file:
            file.write(text + "\n")


def main(step, *words):
    """Runs the step. Imports only what it needs, because each import takes time."""
    # Writing compiled modules takes longer than it saves, unless another step follows.
    if step not in ("begin", "resolve"):
        sys.dont_write_bytecode = True
    if step in ("search", "versions"):
        from program.table import print_table

        print_table(step, *words)
    elif step == "render":
        from program.render import render_answer

        render_answer()
    elif step in ("begin", "resolve", "choose", "included", "judge"):
        from program import plan

        getattr(plan, step)(*words)
    elif step in ("write", "remove"):
        from program import change

        getattr(change, step)(*words)
    elif step == "pack":
        from program.pack import pack

        pack(*words)
    elif step == "outcome":
        from program.outcome import outcome

        outcome(*words)
    elif step == "pack-signed":
        from program.pack import pack_signed

        pack_signed(*words)
    elif step == "moved":
        from program.recompose import list_moved

        list_moved(*words)
    elif step == "locked":
        from program.locked import read_locked

        read_locked(*words)
    else:
        if step == "verify":
            from program.plan import begin

            begin("verify")
        from program.report import report

        report(*words)
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
