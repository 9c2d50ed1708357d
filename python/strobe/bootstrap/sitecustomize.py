# SPDX-License-Identifier: Apache-2.0
"""`strobe run` puts this folder at the head of PYTHONPATH, so that site imports this file.

It starts the recording, removes itself from sys.path, and runs the sitecustomize that Python
would otherwise have imported.
"""

import os
import sys


def _attach():
    import strobe_run_environment as environment

    site = sys.modules.get("site")
    folders = site.getsitepackages() if site is not None else []
    environment.clean_path(sys.path, os.environ.get("STROBE_RUN_OLD_PYTHONPATH"), folders)
    is_for_scripts = environment.is_for_scripts(os.environ)
    if not is_for_scripts and not environment.is_open(os.environ):
        environment.clean(os.environ)
        return
    packages = environment.package_parent()
    sys.path.insert(0, packages)
    try:
        if is_for_scripts:
            from strobe.run.script_profiles import begin
        else:
            from strobe.run.attach import attach as begin
    finally:
        sys.path.remove(packages)
    begin()


def _chain():
    """Imports the next sitecustomize on the path in place of this one. Exceptions of that module
    are passed on."""
    ours = sys.modules.pop("sitecustomize")
    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != folder]
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        sys.modules.setdefault("sitecustomize", ours)


try:
    _attach()
except Exception as error:
    try:
        sys.stderr.write("strobe: Cannot record this process: %s\n" % " ".join(str(error).split()))
    except Exception:
        pass
_chain()
