"""One MCTS is for one thread, and says so."""

import copy
import pickle
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fastmcts import MCTS, Snapshot, State, Stopper, games, search_batch
from fastmcts.testing import check_tree

GAME = games.TicTacToe()
START = GAME.new_initial_state()

CALLS: dict[str, Callable[[MCTS, Path], Any]] = {
    "search": lambda mcts, path: mcts.search(START),
    "choose": lambda mcts, path: mcts.choose(START),
    "advance": lambda mcts, path: mcts.advance(0),
    "result": lambda mcts, path: mcts.result(),
    "reset": lambda mcts, path: mcts.reset(),
    "save": lambda mcts, path: mcts.save(path),
    "copy": lambda mcts, path: copy.deepcopy(mcts),
    "pickle": lambda mcts, path: pickle.dumps(mcts),
}


class Hold(Stopper):
    """Holds a search at its first check until it is let go."""

    def __init__(self) -> None:
        self.is_searching = threading.Event()
        self.may_go_on = threading.Event()

    def check(self, snapshot: Snapshot) -> str | None:
        self.is_searching.set()
        assert self.may_go_on.wait(600.0)
        return "held"


@pytest.mark.parametrize("call", CALLS)
def test_a_second_call_is_refused_while_another_thread_searches(call: str, tmp_path: Path) -> None:
    hold = Hold()
    mcts = MCTS(GAME, simulations=100, seed=0, stop=hold)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(mcts.search(START)))
    thread.start()
    try:
        assert hold.is_searching.wait(600.0)
        with pytest.raises(RuntimeError, match=r"while another thread uses this MCTS: .* search_batch"):
            CALLS[call](mcts, tmp_path / "search")
    finally:
        hold.may_go_on.set()
        thread.join()
    assert found[0].stopped_by == "held"
    assert list(tmp_path.iterdir()) == []
    assert mcts.result().visits.tolist() == found[0].visits.tolist(), "nobody has disturbed it, and it is free again"


@pytest.mark.parametrize("call", CALLS)
def test_what_a_search_calls_cannot_use_it(call: str, tmp_path: Path) -> None:
    refused: list[str] = []

    class Curious(Stopper):
        def check(self, snapshot: Snapshot) -> str | None:
            with pytest.raises(RuntimeError, match="by something that this MCTS calls while it searches") as caught:
                CALLS[call](mcts, tmp_path / "search")
            refused.append(str(caught.value))
            return "curious"

    mcts = MCTS(GAME, simulations=100, seed=0, stop=Curious())
    assert mcts.search(START).stopped_by == "curious"
    assert len(refused) == 1
    CALLS["search"](MCTS(GAME, simulations=20, seed=0), tmp_path / "search")


def test_an_error_in_a_call_leaves_the_search_free() -> None:
    class Broken(Stopper):
        def check(self, snapshot: Snapshot) -> str | None:
            raise ArithmeticError("broken")

    mcts = MCTS(GAME, simulations=100, seed=0, stop=Broken())
    for _ in range(3):
        with pytest.raises(ArithmeticError, match="broken"):
            mcts.search(START)
        with pytest.raises(ValueError, match="is not legal here"):
            mcts.advance(99)
    assert mcts.turns == []
    mcts.reset()


def test_ctrl_c_leaves_the_search_free_wherever_it_comes() -> None:
    mcts = MCTS(GAME, simulations=3, seed=0, search_forced=True)
    mcts.search(START)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted = 0
    try:
        for number in range(300):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 * (1 + number % 40))
                while True:
                    mcts.reset()
            except KeyboardInterrupt:
                interrupted += 1
            mcts.reset()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted == 300
    assert mcts.search(START).visits.sum() == 3


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Let threads take turns so often that they meet in every call, however busy the machine is."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_many_threads_that_hammer_one_search_never_break_its_tree(tmp_path: Path) -> None:
    mcts = MCTS(GAME, simulations=50, seed=0)
    mcts.search(START)
    counts: Counter[str] = Counter()
    lock = threading.Lock()
    begin = threading.Barrier(8)

    def hammer(number: int) -> None:
        begin.wait()
        for turn in range(40):
            call = ("search", "search", "advance", "result", "copy", "reset", "save", "search")[(number + turn) % 8]
            try:
                CALLS[call](mcts, tmp_path / f"{number}")
                outcome = "done"
            except (RuntimeError, ValueError) as error:
                outcome = f"{type(error).__name__}: {error}"
            with lock:
                counts[outcome] += 1

    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    refused = {outcome for outcome in counts if "one MCTS is for one thread" in outcome}
    early = {outcome for outcome in counts if "comes first" in outcome or "is not legal here" in outcome}
    assert sum(counts.values()) == 320
    assert {*counts} == {"done", *refused, *early}, "nothing else has happened"
    assert refused
    assert counts["done"] > 0
    assert mcts.turns == []
    mcts.search(START)
    check_tree(mcts.forest.trees[0])


def test_threads_with_searches_of_their_own_are_not_concerned() -> None:
    found: list[list[int]] = []

    def work(state: State) -> None:
        found.append(MCTS(GAME, simulations=50, seed=0).search(state).visits.tolist())

    threads = [threading.Thread(target=work, args=(START,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(visits == found[0] for visits in found)
    assert MCTS(GAME, simulations=50, seed=0, trees=2, threads=2).search(START).visits.sum() == 50
    assert len(search_batch([START] * 3, simulations=20, seed=0, threads=2, trees=2)) == 3
