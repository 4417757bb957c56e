"""Who waits for compiled code sees that, where somebody looks; and nobody else does."""

import _thread
import contextlib
import io
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from numba import types

from fastmcts import MCTS, games, search, search_batch
from fastmcts.compiler import notice
from fastmcts.compiler.component import ComponentType
from fastmcts.compiler.notice import IS_WANTED, Heeding, Notice, announced, recording
from fastmcts.engine import batch_workers, capacity, plan, searcher
from fastmcts.engine.searcher import Searcher
from fastmcts.experiments import play_match
from tests.helpers.terminal import Terminal, terminals
from tests.subprocesses import REPOSITORY

GAME, RULE = ComponentType("Whist", "0f", ()), ComponentType("UCT", "1e", (("c", types.float64),))
ARGUMENTS = (types.Tuple((GAME, RULE)), types.int64)
TEXT = "compiling Whist for this strategy, once; kept on disk ..."


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def announced(self, kernel: str, arguments: tuple[Any, ...], work: Callable[[], Any]) -> Any:
        """Have something compiled where this is standard error."""
        with contextlib.redirect_stderr(self):
            return announced(kernel, arguments, work)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> FakeTerminal:
    """A terminal, on which notices come after a moment."""
    monkeypatch.setattr(notice, "PATIENCE_SECONDS", 0.02)
    monkeypatch.delenv(notice.QUIET, raising=False)
    return FakeTerminal()


def wait_until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20.0
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def wait_a_while() -> None:
    """Wait for longer than a notice does."""
    time.sleep(0.1)


def test_a_line_on_the_terminal_comes_while_it_compiles_and_is_completed(terminal: FakeTerminal) -> None:
    def work() -> str:
        wait_until(terminal.getvalue)
        assert terminal.getvalue() == TEXT
        return "code"

    assert terminal.announced("run", ARGUMENTS, work) == "code"
    line = terminal.getvalue()
    assert line.startswith(f"{TEXT} 0.")
    assert line.endswith(" s\n")


def test_what_is_compiled_at_once_is_not_announced(terminal: FakeTerminal) -> None:
    before = _thread._count()
    for _ in range(20):
        terminal.announced("run", ARGUMENTS, lambda: None)
    wait_a_while()
    assert terminal.getvalue() == ""
    assert _thread._count() <= before


@pytest.mark.parametrize(
    ("kernel", "arguments", "text"),
    [
        ("run_batch", ARGUMENTS, "compiling Whist for this strategy (run_batch), once; kept on disk ..."),
        ("find_misfit", (types.int64, GAME), "compiling Whist (find_misfit), once; kept on disk ..."),
        ("recycle", (types.int64,), "compiling recycle, once; kept on disk ..."),
    ],
)
def test_a_notice_names_the_game_and_further_kernels(
    terminal: FakeTerminal, kernel: str, arguments: tuple[Any, ...], text: str
) -> None:
    terminal.announced(kernel, arguments, lambda: wait_until(terminal.getvalue))
    assert terminal.getvalue().startswith(text)


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_a_notice_ends_with_an_exception(terminal: FakeTerminal, failure: type[BaseException]) -> None:
    def work() -> None:
        wait_until(terminal.getvalue)
        raise failure

    with pytest.raises(failure):
        terminal.announced("run", ARGUMENTS, work)
    line = terminal.getvalue()
    assert line.startswith(f"{TEXT} stopped after 0.")
    assert line.endswith(" s\n")


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_no_notice_comes_after_an_exception(terminal: FakeTerminal, failure: type[BaseException]) -> None:
    def work() -> None:
        raise failure

    with pytest.raises(failure):
        terminal.announced("run", ARGUMENTS, work)
    wait_a_while()
    assert terminal.getvalue() == ""


def test_no_notice_comes_later_if_ctrl_c_comes_again(terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: Notice, seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Notice, "finish", interrupt)
    with pytest.raises(KeyboardInterrupt):
        terminal.announced("run", ARGUMENTS, lambda: None)
    wait_a_while()
    assert terminal.getvalue() == ""


def check(terminal: FakeTerminal, is_told: bool) -> None:
    """Compile something; fail unless a notice comes, or none does."""
    terminal.announced("run", ARGUMENTS, (lambda: wait_until(terminal.getvalue)) if is_told else wait_a_while)
    assert (terminal.getvalue() != "") == is_told


@pytest.mark.parametrize(("value", "expected"), [("1", False), ("yes", False), ("0", True), ("", True)])
def test_a_variable_turns_notices_off(
    terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("FASTMCTS_QUIET", value)
    check(terminal, expected)


@pytest.mark.parametrize(("progress", "expected"), [(False, False), (None, True), (True, True), (print, True)])
def test_progress_false_turns_notices_off(terminal: FakeTerminal, progress: Any, expected: bool) -> None:
    with Heeding(progress):
        check(terminal, expected)
    with Heeding(False), Heeding(progress):
        assert not IS_WANTED.get(), "what is around decides too"
    check(terminal, True)


def test_nothing_is_said_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notice, "PATIENCE_SECONDS", 0.02)
    monkeypatch.delenv(notice.QUIET, raising=False)
    pipe, closed = io.StringIO(), FakeTerminal()
    closed.close()
    for stream in (pipe, io.TextIOWrapper(io.BytesIO()), closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        assert announced("run", ARGUMENTS, wait_a_while) is None
    assert pipe.getvalue() == ""


def test_a_terminal_that_is_gone_does_not_matter(terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(terminal, "write", fail)
    assert terminal.announced("run", ARGUMENTS, lambda: wait_a_while() or "code") == "code"


def test_bars_stay_whole_and_lines_come_above_them(terminal: FakeTerminal) -> None:
    from rich.console import Console
    from rich.progress import Progress

    console = Console(file=terminal, force_terminal=True, width=120, color_system=None)
    with contextlib.redirect_stderr(terminal), Progress(console=console, auto_refresh=False) as bar:
        bar.add_task("searching", total=2)
        bar.refresh()
        announced("run", ARGUMENTS, lambda: wait_until(lambda: TEXT in terminal.getvalue()))
        bar.refresh()
    lines = [line.rpartition("\x1b[2K")[2] for line in terminal.getvalue().split("\n")]
    assert lines[0] == TEXT
    assert lines[1].startswith(f"{TEXT} 0.")
    assert lines[2].startswith("searching ")
    assert len(lines) == 4, "nothing else stays on the screen"


class Notebook:
    """What a notebook shows, in the place of IPython."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def display(self, data: dict[str, str], raw: bool, display_id: bool) -> "Notebook":
        assert raw
        assert display_id
        self.shown.append(data["text/plain"])
        return self

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown[-1] = data["text/plain"]


@pytest.fixture
def notebook(terminal: FakeTerminal, monkeypatch: pytest.MonkeyPatch) -> Notebook:
    notebook, package, module = Notebook(), ModuleType("IPython"), ModuleType("IPython.display")
    vars(package)["get_ipython"] = lambda: SimpleNamespace(kernel=object())
    vars(module)["display"] = notebook.display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return notebook


def test_a_notebook_shows_a_note_that_is_completed_in_its_place(terminal: FakeTerminal, notebook: Notebook) -> None:
    def work() -> None:
        wait_until(lambda: notebook.shown)
        assert notebook.shown == [TEXT]

    terminal.announced("run", ARGUMENTS, work)
    terminal.announced("run", ARGUMENTS, lambda: None)
    (note,) = notebook.shown
    assert note.startswith(f"{TEXT} 0.")
    assert terminal.getvalue() == ""


def test_ipython_in_a_terminal_is_a_terminal(
    terminal: FakeTerminal, notebook: Notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", lambda: SimpleNamespace(), raising=False)
    check(terminal, True)
    assert notebook.shown == []
    assert terminal.getvalue().startswith(TEXT)


def test_what_was_compiled_is_on_record_but_not_what_failed() -> None:
    def fail() -> None:
        raise ValueError

    with recording() as outer:
        announced("run", ARGUMENTS, lambda: None)
        with recording() as inner:
            announced("recycle", (), lambda: None)
        with contextlib.suppress(ValueError):
            announced("run_batch", ARGUMENTS, fail)
    announced("run_shared", ARGUMENTS, lambda: None)
    assert [(one.kernel, one.components) for one in outer] == [("run", ("Whist", "UCT"))]
    assert [(one.kernel, one.components) for one in inner] == [("recycle", ())]


# ---- Searches pass on what they were told


@pytest.fixture
def wanted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether notices were wanted, each time something was compiled or loaded."""
    wanted: list[bool] = []
    for module in (searcher, batch_workers):
        monkeypatch.setattr(module, "COMPILED", {})
    monkeypatch.setattr(plan, "PLANS", {})  # each knows the kernels that were compiled for it
    monkeypatch.setattr(searcher, "SMALL_TREE", 0)  # trees are changed in another thread
    run_kernel, make_root, drop = Searcher.run_kernel, capacity.make_root, capacity.drop_least_visited

    def noting(work: Callable[..., Any], is_noted: Callable[..., bool] = lambda *arguments: True) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            if is_noted(*arguments):
                wanted.append(IS_WANTED.get())
            return work(*arguments)

        return noted

    def compiles(searcher: Searcher, simulations: int) -> bool:
        return simulations == 0

    def compiles_batch(worker: Any, queue: Any, simulations: int) -> bool:
        return simulations == 0

    monkeypatch.setattr(Searcher, "run_kernel", noting(run_kernel, compiles))
    worker = batch_workers.KernelWorker
    monkeypatch.setattr(worker, "run_kernel", noting(worker.run_kernel, compiles_batch))
    monkeypatch.setattr(capacity, "make_root", noting(make_root))
    monkeypatch.setattr(capacity, "drop_least_visited", noting(drop))
    return wanted


def search_and_advance(progress: Any) -> None:
    mcts = MCTS(games.TicTacToe(), seconds=0.001, seed=0, progress=progress)
    start = games.TicTacToe().new_initial_state()
    result = mcts.search(start)
    assert result.action is not None
    mcts.advance(result.action)


def batch(progress: Any) -> None:
    search_batch([games.TicTacToe().new_initial_state()], simulations=2, seed=0, progress=progress)


def clocked_batch(progress: Any) -> None:
    search_batch([games.TicTacToe().new_initial_state()], seconds=0.001, seed=0, progress=progress)


def match(progress: Any) -> None:
    play_match(games.TicTacToe(), "mcts(simulations=2)", "random", games=2, progress=progress)


@pytest.mark.parametrize(
    ("work", "compilations"), [(search_and_advance, 3), (batch, 1), (clocked_batch, 2), (match, 1)]
)
@pytest.mark.parametrize("progress", [None, False])
def test_everything_that_searches_heeds_progress(
    wanted: list[bool], work: Callable[[Any], None], compilations: int, progress: Any
) -> None:
    work(progress)
    assert wanted == [progress is None] * compilations


def test_a_saved_search_still_heeds_progress(tmp_path: Path) -> None:
    for progress in (None, False, True):
        mcts = MCTS(games.TicTacToe(), simulations=2, seed=0, progress=progress)
        mcts.save(tmp_path / "search")
        assert MCTS.load(tmp_path / "search").options.progress is progress


# ---- Real compilations on a real terminal

SCRIPT = """
import os
import fastmcts
from fastmcts.compiler import notice
from fastmcts.compiler.component import ComponentType
from tests.toys import OneShot

notice.PATIENCE_SECONDS = 0.05
start = OneShot().new_initial_state()
fastmcts.search(start, simulations=2, seed=0)
print("-")
fastmcts.search_batch([start], simulations=2, seed=0, progress=False)
os.environ["FASTMCTS_QUIET"] = "1"
fastmcts.search(start, seconds=0.001, seed=0)
print("-")
"""


@pytest.mark.thorough
@pytest.mark.jit
@terminals
def test_a_terminal_shows_what_is_compiled_and_not_what_comes_from_the_cache(tmp_path: Path) -> None:
    shown = []
    for _ in range(2):
        variables = {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(REPOSITORY), "FASTMCTS_QUIET": "0"}
        terminal = Terminal(jit=True, code=SCRIPT, **variables)
        assert terminal.finish() == 0, terminal.shown
        text = terminal.shown.replace("\x1b[0m", "")  # colorama, which Numba uses if it is there, ends with that
        shown.append([part.strip() for part in text.split("-\r\n")])
    assert shown[0][0].startswith("compiling OneShot for this strategy, once; kept on disk ... ")
    assert shown[0][0].endswith(" s")
    assert shown[0][1:] == ["", ""]
    assert shown[1] == ["", "", ""]
    assert [*tmp_path.rglob("*.run_batch-*.nbc")], "it was compiled, in silence"


def test_a_search_without_a_terminal_says_nothing(capfd: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setattr(notice, "PATIENCE_SECONDS", 0.0)
    search(games.TicTacToe().new_initial_state(), simulations=2, seed=0)
    announced("run", ARGUMENTS, wait_a_while)
    assert capfd.readouterr() == ("", "")
