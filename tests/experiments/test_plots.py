from pathlib import Path
from typing import Any

import pytest

from fastmcts import games, search
from fastmcts.experiments import Plan, plot, plot_trace, run
from fastmcts.experiments.convergence import settling
from tests.helpers.terminal import invoke

pytest.importorskip("matplotlib")

SWEEP: dict[str, Any] = {
    "agents": {"base": "mcts(strategy='plain')", "uct": "mcts(strategy='plain', selection=UCT(c={c}))"},
    "against": "base",
    "grid": {"c": [0.5, 2.0]},
    "budgets": {"simulations": [2, 4]},
}
ROBIN: dict[str, Any] = {"agents": {"dice": "random", "two": "mcts(simulations=2)", "four": "mcts(simulations=4)"}}


def played(folder: Path, **plan: Any) -> Path:
    path = folder / "results.sqlite"
    run(Plan([games.TicTacToe()], pairs=3, **plan), path, executor="threads", workers=1)
    return path


def test_what_the_results_have_is_drawn(tmp_path: Path) -> None:
    picture = plot(played(tmp_path, **SWEEP), tmp_path / "a.svg")
    text = picture.read_text()
    assert "<svg" in text
    for words in ("TicTacToe()", "score (95%)", "uct (simulations=2)", "uct (simulations=4)"):
        assert words in text, words


def test_a_picture_of_the_same_numbers_is_the_same_file(tmp_path: Path) -> None:
    path = played(tmp_path, **SWEEP)
    assert plot(path, tmp_path / "a.svg").read_bytes() == plot(path, tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize("x", ["budget", "simulations", "seconds"])
def test_scores_are_drawn_against_budgets(tmp_path: Path, x: str) -> None:
    text = plot(played(tmp_path, **SWEEP), tmp_path / "a.svg", kind="budget", x=x).read_text()
    assert ("seconds a move" if x == "seconds" else "simulations a move") in text
    assert "uct c=0.5 against base" in text


def test_ratings_and_matrices_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    path = played(tmp_path, **ROBIN)
    assert "Elo (95%)" in plot(path, tmp_path / "a.svg").read_text()
    assert "%" in plot(path, tmp_path / "m.svg", kind="matrix").read_text()
    assert plot(path, tmp_path / "m.png", kind="matrix").read_bytes().startswith(b"\x89PNG")


def test_the_course_of_a_search_is_drawn(tmp_path: Path) -> None:
    state = games.TicTacToe().new_initial_state()
    result = search(state, simulations=64, seed=0, trace=True)
    assert result.trace is not None
    names = [state.action_to_string(action) for action in state.legal_actions()]
    text = plot_trace(result.trace, tmp_path / "t.svg", names, most=3).read_text()
    assert "share of visits" in text
    assert sum(f">{name}<" in text for name in names) == 3


def test_how_soon_searches_settle_is_drawn(tmp_path: Path) -> None:
    path = played(tmp_path, **ROBIN)
    plan = Plan([games.TicTacToe()], pairs=3, **ROBIN)
    settled = settling(plan, path, positions=4)
    assert [(one.agent, one.simulations) for one in settled] == [
        *(("two", count) for count in (1, 2)),
        *(("four", count) for count in (1, 2, 4)),
    ]
    assert all(0.0 <= one.low <= one.share <= one.high <= 1.0 for one in settled)
    assert settled[-1].share > settled[2].share
    text = plot(path, tmp_path / "c.svg", kind="convergence", plan=plan, positions=4).read_text()
    for words in ("TicTacToe()", "has its last move (95%)", "two", "four"):
        assert words in text, words
    with pytest.raises(ValueError, match="say of which plan"):
        plot(path, tmp_path / "c.svg", kind="convergence")
    nobody = Plan([games.TicTacToe()], {"dice": "random", "eight": "mcts(simulations=8)"})
    with pytest.raises(ValueError, match="has no games"):
        plot(path, tmp_path / "c.svg", kind="convergence", plan=nobody)


@pytest.mark.slow_to_compile
def test_what_agents_do_alone_is_drawn(tmp_path: Path) -> None:
    plan = Plan(
        [games.Twenty48(max_tile=16)], {"dice": "random", "uct": "mcts"}, deals=3, budgets={"simulations": [2, 4]}
    )
    run(plan, tmp_path / "r", executor="threads", workers=1)
    with pytest.raises(ValueError, match="a matrix is for matches"):
        plot(tmp_path / "r", tmp_path / "a.svg", kind="matrix")
    text = plot(tmp_path / "r", tmp_path / "a.svg", x="simulations").read_text()
    assert ">uct<" in text
    assert "against" not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"out": "a.txt"}, "a picture ends in .png, .svg, .pdf"),
        ({"out": "missing/a.png"}, "there is no folder"),
        ({"kind": "pie"}, "kind must be one of budget"),
        ({"x": "hours"}, "x must be one of budget"),
        ({"parameter": "d", "kind": "parameter"}, "no parameter of the grid is called 'd'; there are: c"),
    ],
)
def test_what_cannot_be_drawn_is_named(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    arguments = {"out": "a.svg", **options}
    arguments["out"] = tmp_path / arguments["out"]
    with pytest.raises(ValueError, match=message):
        plot(played(tmp_path, **SWEEP), **arguments)


def test_results_without_what_a_picture_needs_are_refused(tmp_path: Path) -> None:
    path = played(tmp_path, agents={"a": "random", "b": "mcts(simulations=2)"})
    with pytest.raises(ValueError, match="more than two agents"):
        plot(path, tmp_path / "a.svg", kind="ladder")
    with pytest.raises(ValueError, match="no parameter of the grid is a number"):
        plot(path, tmp_path / "a.svg", kind="parameter")
    with pytest.raises(ValueError, match="the plan has no budgets"):
        plot(path, tmp_path / "a.svg", kind="budget")


def test_the_command_draws(tmp_path: Path) -> None:
    path = played(tmp_path, **SWEEP)
    code, output = invoke("experiment", "plot", str(path), "--out", str(tmp_path / "p.png"))
    assert code == 0
    assert "p.png is drawn" in output
    assert (tmp_path / "p.png").stat().st_size > 5000
