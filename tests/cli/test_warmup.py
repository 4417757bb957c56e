"""`fastmcts warmup`: in processes, on the disk, with a bar."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fastmcts.cli import warmup_workers
from fastmcts.cli.warmup import all_orders
from fastmcts.cli.warmup_workers import Order, fulfilled
from fastmcts.compiler.jit import JIT_ENABLED
from fastmcts.errors import CompileError
from fastmcts.experiments.processes import cores
from fastmcts.testing.strategies import searchable_games
from fastmcts.warmup import DEFAULT_KERNELS
from tests.helpers.own_game import own_game
from tests.helpers.terminal import Terminal, invoke, terminals
from tests.subprocesses import REPOSITORY, run_python

NOTHING: dict[str, Any] = dict.fromkeys(("strategy", "selection", "expansion", "rollout", "method", "solver"))


def run_warmup(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command with `folder/cache` as Numba's cache."""
    variables = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(REPOSITORY)}
    command = [sys.executable, "-m", "fastmcts", "warmup", *arguments]
    return subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.jit
@pytest.mark.thorough
def test_a_game_of_ones_own_is_compiled_by_processes_and_found_by_the_next(tmp_path: Path) -> None:
    path = own_game(tmp_path, "warm_nim.py")
    text, options = f"{path}:MyNim", ("-o", "stones=7", "--selection", "Careful(c=0.3)", "--processes", "2")
    first, second = (run_warmup(tmp_path, text, *options, "--kernels", "search,advance") for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert re.search(r"MyNim: compiled (run|keep_below) \d+\.\d s, (run|keep_below) \d+\.\d s\n", first.stdout)
    assert "2 kernels compiled" in first.stdout
    assert f"{text}: nothing to compile\n0 kernels compiled" in second.stdout
    assert first.stderr == second.stderr == "", "no bar, no notices and no warnings where there is no terminal"
    code = """
import json
import fastmcts
from fastmcts.compiler.notice import recording
from warm_nim import Careful, MyNim

with recording() as compiled:
    mcts = fastmcts.MCTS(MyNim(stones=7), simulations=20, seed=0, selection=Careful(c=0.8))
    mcts.advance(mcts.search(MyNim(stones=7).new_initial_state()).action)
print(json.dumps([one.kernel for one in compiled]))
"""
    assert run_python(code, tmp_path) == []


@pytest.mark.jit
def test_a_game_that_cannot_be_compiled_is_explained(tmp_path: Path) -> None:
    path = own_game(tmp_path, "broken_nim.py")
    path.write_text(
        path.read_text().replace("state[1] = 1 - state[1]", "state[1] = 1 - state[1] + 0 * len(str(action))")
    )
    done = run_warmup(tmp_path, f"{path}:MyNim", "--kernels", "search")
    assert done.returncode == 2
    assert "MyNim.apply cannot be compiled" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.jit
@terminals
def test_ctrl_c_ends_everything_at_once(tmp_path: Path) -> None:
    terminal = compiling(tmp_path)
    group = os.getpgid(terminal.process.pid)
    start = time.monotonic()
    terminal.type("\x03")
    terminal.wait_for("kept on disk")
    assert terminal.finish() != 0
    assert "Traceback" not in terminal.shown
    wait_until(lambda: not is_group_running(group))
    assert time.monotonic() - start < 10.0, "much less than compiling takes"
    assert not [*tmp_path.rglob("*.nbc")]


def sleep_on(order: Order) -> None:
    """Tell which process this is, in the file that stands for a game, and do nothing for long."""
    Path(order.game).write_text(str(os.getpid()))
    time.sleep(600.0)


SLEEPING = """
import sys
from fastmcts.cli import warmup_workers
from tests.cli.test_warmup import sleep_on

warmup_workers.fulfil = sleep_on
next(warmup_workers.fulfilled([warmup_workers.Order(sys.argv[1], (), {}, ())], workers=1))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_nobody_goes_on_when_the_command_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "worker"
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    command = subprocess.Popen([sys.executable, "-c", SLEEPING, str(file)], env=variables)
    wait_until(lambda: file.exists() and file.read_text())
    worker = int(file.read_text())
    command.kill()
    command.wait()
    try:
        wait_until(lambda: not is_running(worker))
    finally:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(is_true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60.0
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def compiling(cache: Path) -> Terminal:
    """A command whose processes are at work."""
    terminal = Terminal("warmup", "tic_tac_toe", "pig", "hex", jit=True, NUMBA_CACHE_DIR=str(cache))
    terminal.wait_for("0/10")
    deadline = time.monotonic() + 1.0
    while time.monotonic() < deadline:
        terminal.read(0.1)
    return terminal


def end_at_once(order: Order) -> None:
    os._exit(9)


def test_a_process_that_has_ended_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup_workers, "fulfil", end_at_once)
    with pytest.raises(CompileError, match="has ended, perhaps because memory was short: try fewer --processes"):
        next(fulfilled([Order("pig", (), NOTHING, ("search",))], workers=2))


def is_group_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.jit
@pytest.mark.slow_to_compile
def test_every_game_is_compiled_in_processes() -> None:
    code, output = invoke("warmup")
    assert code == 0
    assert all(f"{name}: " in output for name in searchable_games())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("whst",), "no game is called 'whst'; did you mean 'whist'? there are: breakthrough, connect_four"),
        (("tic_tac_toe", "chess"), "no game is called 'chess'"),
        (("missing.py:Game",), "there is no file"),
        (("tic_tac_toe", "-o", "rows=4"), "tic_tac_toe has no option 'rows'"),
        (("-o", "rows=4"), "an option of a game needs the game"),
        (("pig", "--solver"), "nothing can be proven in pig"),
        (("pig", "--kernels", "search,shared"), "which a shared tree has not"),
        (("--kernels", "speed"), "nothing called 'speed' to compile; there are: search"),
        (("--kernels", ","), "there are: search"),
        (("--processes", "0"), "--processes must be"),
        (("--selection", "UBC1"), "no component is called 'UBC1'"),
        (("--method", "PIMC", "--solver"), "no game in the box can be searched so"),
    ],
)
def test_bad_input_is_refused_before_anything_is_compiled(arguments: tuple[str, ...], message: str) -> None:
    code, output = invoke("warmup", *arguments)
    assert code == 2
    assert message in " ".join(output.split())


@pytest.mark.skipif(JIT_ENABLED, reason="is about the JIT off")
def test_with_the_jit_off_there_is_nothing_to_compile() -> None:
    assert invoke("warmup", "pig") == (0, "nothing to compile: NUMBA_DISABLE_JIT is set\n")


def test_few_games_are_split_so_that_all_cores_have_work() -> None:
    kernels = [*DEFAULT_KERNELS]
    split = all_orders(["pig", "tic_tac_toe"], [], NOTHING, kernels, workers=3)
    whole = all_orders(["pig", "tic_tac_toe"], [], NOTHING, kernels, workers=2)
    assert [(order.game, order.kernels) for order in whole] == [
        ("pig", ("search", "clock", "advance", "batch")),
        ("tic_tac_toe", ("search", "batch")),
    ], "trees of the same fields are compacted by the same kernels"
    assert [(order.game, kernel) for order in whole for kernel in order.kernels] == [
        (order.game, *order.kernels) for order in split
    ]


def test_all_games_that_allow_it_are_compiled_if_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    orders = all_orders(None, [], {**NOTHING, "solver": True}, ["search"], workers=1)
    compiled = {order.game for order in orders}
    assert {"connect_four", "hex"} <= compiled <= {*searchable_games()} - {"whist", "pig"}
    assert "whist: left out: nothing can be proven in whist" in capsys.readouterr().out


def test_games_with_hidden_cards_come_first() -> None:
    orders = all_orders(["pig", "tic_tac_toe", "kuhn_poker"], [], NOTHING, ["search"], workers=1)
    assert [order.game for order in orders] == ["kuhn_poker", "pig", "tic_tac_toe"]


def test_all_cores_are_used() -> None:
    assert 1 <= cores() <= (os.cpu_count() or 1)
