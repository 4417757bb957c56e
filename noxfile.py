"""The quick group of tests on every Python that is found, with the newest and with the oldest packages we promise.

`nox` runs all of it, and skips interpreters that are missing; `nox -s lowest` and `nox -s newest-3.13` run a part.
"""

import nox

nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "venv"

PYTHONS = ("3.11", "3.12", "3.13")


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The newest packages."""
    session.install("-e", ".[test]")
    session.run("pytest", *session.posargs, env={"NUMBA_CACHE_DIR": session.create_tmp()})


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """The oldest Numba and NumPy that `pyproject.toml` names."""
    promised = nox.project.load_toml("pyproject.toml")["project"]["dependencies"]
    session.install("-e", ".[test]", *(f"{package.replace('>=', '==')}.*" for package in promised))
    session.run("pytest", *session.posargs, env={"NUMBA_CACHE_DIR": session.create_tmp()})
