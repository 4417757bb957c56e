"""Run commands as a user would."""

import os
import select
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from fastmcts.cli import app


def invoke(*arguments: str, typed: str = "") -> tuple[int, str]:
    """Run a command in this process, with something typed into a pipe; its exit code and all output."""
    result = CliRunner().invoke(app, list(arguments), input=typed)
    return result.exit_code, result.output


#: Makes the terminal the one that Ctrl-C comes from, heeds it, which what a shell runs in the background does not, and
#: goes on as the command. (A `preexec_fn` would fork, against which JAX warns wherever it is loaded.)
OWN = """
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """A command in a terminal of its own; as plain Python, so that nothing is compiled, unless that is asked for.

    Args:
        *arguments: Those of `fastmcts`, or with `code` none.
        jit: Whether it is compiled.
        code: Python to run instead.
        **environment: Further variables.
    """

    def __init__(self, *arguments: str, jit: bool = False, code: str | None = None, **environment: str) -> None:
        import pty  # not on Windows

        self.master, slave = pty.openpty()
        is_off = "0" if jit else "1"
        variables = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "NUMBA_DISABLE_JIT": is_off, **environment}
        command = [sys.executable, *(("-m", "fastmcts") if code is None else ("-c", code)), *arguments]
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN, *command],
            stdin=slave, stdout=slave, stderr=slave, env=variables, start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.shown = ""
        self.waited_to = 0  # where that ends which was waited for last

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def interrupt(self, text: str) -> str:
        """Press Ctrl-C until some text is shown: Python forgets one that comes just as a prompt is written."""
        while self.process.poll() is None:
            self.type("\x03")
            if self.shows(text, seconds=5.0):
                break
        return self.wait_for(text)

    def wait_for(self, text: str) -> str:
        """Read until some text is shown behind what was waited for before; all that was shown."""
        if not self.shows(text, seconds=600.0):
            self.process.kill()
            self.finish()
            pytest.fail(f"{text!r} was not shown behind {self.shown[: self.waited_to]!r}, but\n{self.shown}")
        self.waited_to = self.shown.index(text, self.waited_to) + len(text)
        return self.shown

    def shows(self, text: str, seconds: float) -> bool:
        """Read until some text is shown; False if it is not by then, or the command has ended without it."""
        deadline = time.monotonic() + seconds
        while text not in self.shown[self.waited_to :]:
            if time.monotonic() > deadline or not (self.read(0.2) or self.process.poll() is None):
                return False
        return True

    def read(self, seconds: float) -> bool:
        """Read what there is; whether there was something."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the other end is closed
            return False
        self.shown += data.decode(errors="replace")
        return bool(data)

    def finish(self) -> int:
        """Wait for the end; the exit code."""
        while self.read(0.2) or self.process.poll() is None:
            pass
        os.close(self.master)
        return self.process.wait()


terminals = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
