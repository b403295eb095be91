"""Runs a script as `python3 -IS` does, but keeps the compiled form of the modules that it imports, by their text.

hubcli unpacks its modules into a new folder and compiles them each time. That takes a few hundredths of a second, but
two thirds of the processor time of a run, and the tests start hubcli thousands of times.
"""

import hashlib
import importlib.machinery
import importlib.util
import marshal
import os
import sys

CACHE = sys.argv[1]
del sys.argv[:2]


def compiled(data, path):
    name = hashlib.sha1(importlib.util.MAGIC_NUMBER + data).hexdigest()
    file = os.path.join(CACHE, name)
    try:
        with open(file, "rb") as kept:
            return marshal.load(kept)
    except OSError:
        code = compile(data, path, "exec", dont_inherit=True)
    part = f"{file}.{os.getpid()}"
    try:
        with open(part, "wb") as new:
            marshal.dump(code, new)
        os.replace(part, file)
    except OSError:
        # Some tests limit the size of files.
        os.remove(part)
    return code


importlib.machinery.SourceFileLoader.source_to_code = lambda self, data, path, **_: compiled(data, path)
with open(sys.argv[0], "rb") as script:
    exec(compile(script.read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
