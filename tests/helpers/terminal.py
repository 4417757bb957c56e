"""Run commands as a user would."""

import os
import select
import signal
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
            command, stdin=slave, stdout=slave, stderr=slave, env=variables, start_new_session=True, preexec_fn=own
        )
        os.close(slave)
        self.shown = ""

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait_for(self, text: str, seconds: float = 600.0) -> str:
        """Read until some text is shown after what was waited for before."""
        seen = len(self.shown) if text not in self.shown else 0
        deadline = time.monotonic() + seconds
        while text not in self.shown[seen:]:
            assert time.monotonic() < deadline, self.shown
            assert self.read(0.2) or self.process.poll() is None, self.shown
        return self.shown

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


def own() -> None:
    """Make the terminal the one that Ctrl-C comes from, and heed it: what a shell runs in the background does not."""
    import fcntl
    import termios

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


terminals = pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
