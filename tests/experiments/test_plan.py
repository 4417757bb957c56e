from pathlib import Path
from typing import Any

import pytest

from fastmcts import games
from fastmcts.experiments import Plan, PlanError, Random, Search, load_plan
from fastmcts.experiments.named_games import find_agent, parse_game
from fastmcts.experiments.openings import opening
from fastmcts.rng import make_rng
from tests.helpers.own_game import own_game

SWEEP = """
title = "Which constant?"
games = [
    "tic_tac_toe",
    "mnk(m=3, n=4, k=3)",
]
pairs = 5
seed = 7
against = "base"

[agents]
base = "mcts(strategy='plain')"
uct = "mcts(selection=UCT(c={c}))"
dice = "random"

[grid]
c = [0.1, 2]

[budgets]
simulations = [4, 8]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def test_a_plan_has_a_match_for_every_game_agent_value_and_budget(tmp_path: Path) -> None:
    plan = load_plan(write(tmp_path, SWEEP))
    assert plan.title == "Which constant?"
    assert [entrant.name for entrant in plan.groups[0].entrants] == ["base", "uct c=0.1", "uct c=2", "dice"]
    assert len(plan.cells) == 2 * 2 * 3
    cell = plan.cells[0]
    assert (cell.first, cell.second, cell.budget, cell.pairs) == ("uct c=0.1", "base", "simulations=4", 5)
    assert cell.parameters == {"c": 0.1}
    assert repr(cell.pairing.first) == "mcts(simulations=4, selection=UCT(c=0.1))"
    assert cell.pairing.opening_moves == 2
    assert {repr(one.pairing.game) for one in plan.cells} == {"TicTacToe()", "MNK(m=3, n=4, k=3)"}


def test_everybody_plays_everybody_unless_the_plan_says() -> None:
    plan = Plan(
        games=[games.TicTacToe()],
        agents={"a": Random(), "b": Search(simulations=3), "c": "mcts(simulations={n})"},
        grid={"n": [5, 6]},
    )
    pairs = [(cell.first, cell.second) for cell in plan.cells]
    assert pairs == [("a", "b"), ("a", "c n=5"), ("a", "c n=6"), ("b", "c n=5"), ("b", "c n=6"), ("c n=5", "c n=6")]


def test_a_match_that_does_not_depend_on_the_budget_is_played_once() -> None:
    agents = {"dice": "random", "fixed": "mcts(simulations=3)", "uct": "mcts"}
    plan = Plan(["tic_tac_toe"], agents, budgets={"simulations": [4, 8, 16]})
    assert len([cell for cell in plan.cells if (cell.first, cell.second) == ("dice", "fixed")]) == 1
    assert len(plan.cells) == 1 + 3 + 3


def test_parameters_may_be_rules() -> None:
    plan = Plan(
        ["tic_tac_toe"],
        {"a": "mcts(simulations=5, selection={rule})", "b": "random"},
        grid={"rule": ["UCT(c=1.0)", "UCB1()"]},
    )
    assert [repr(cell.pairing.first) for cell in plan.cells][:1] == ["mcts(simulations=5, selection=UCT(c=1.0))"]


def test_a_game_and_agents_of_ones_own_are_found_beside_the_plan(tmp_path: Path) -> None:
    own_game(tmp_path, "planned_nim.py")
    (tmp_path / "planned_bots.py").write_text(
        "class Taker:\n"
        "    def __init__(self, least=0): self.least = least\n"
        "    def choose(self, state): return state.legal_actions()[self.least]\n"
        "    def __repr__(self): return f'Taker({self.least})'\n"
    )
    text = (
        'games = ["planned_nim.py:MyNim(stones=9)"]\n[agents]\n'
        'a = "planned_bots.py:Taker(least=0)"\nb = "mcts(simulations=4, selection=Careful())"\n'
    )
    cell = load_plan(write(tmp_path, text)).cells[0]
    assert repr(cell.pairing.game) == "MyNim(stones=9)"
    assert repr(cell.pairing.first) == "Taker(0)"
    with pytest.raises(ValueError, match="no class 'Nobody'"):
        find_agent("planned_bots.py:Nobody", tmp_path)
    with pytest.raises(ValueError, match="unexpected keyword"):
        find_agent("planned_bots.py:Taker(depth=3)", tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('"tic_tac_toe"', '"tic_tac_tow"', 4, "did you mean 'tic_tac_toe'"),
        ("mnk(m=3, n=4, k=3)", "mnk(m=3, q=4)", 5, "has no option 'q'; it has: m, n, k"),
        ("mnk(m=3, n=4, k=3)", "mnk(3)", 5, "written name=value"),
        ('"mnk(m=3, n=4, k=3)"', '"tic_tac_toe"', 4, "TicTacToe() twice"),
        ("pairs = 5", "pairs = 0", 7, "pairs must be at least 1, not 0"),
        ("pairs = 5", "pears = 5", 7, "no key 'pears'; did you mean pairs?"),
        ("seed = 7", "seed = 'x'", 8, "seed must be a whole number"),
        ('against = "base"', 'against = "bass"', 9, "did you mean base?"),
        ('against = "base"', 'against = "uct"', 9, "there are several of it"),
        ("seed = 7", "opening_moves = 9", 8, "always over after 9 random moves: use fewer"),
        ("seed = 7", "opening_moves = -1", 8, "opening_moves must be at least 0"),
        ("seed = 7", "counts = 'points'", 8, "counts must be 'games' or 'deals'"),
        ("seed = 7", "seed = ", 8, "Invalid value"),
        ('dice = "random"', 'dice = "rondom"', 14, "did you mean random?"),
        ('dice = "random"', 'dice = "greedy"', 14, "tic_tac_toe has none: use random or mcts"),
        ('dice = "random"', "dice = \"mcts(strategy='plain')\"", 14, "are the same agent"),
        ('dice = "random"', 'dice = "mcts(selection=UCT(c={d}))"', 14, "{d}, for which the grid has no values"),
        ('dice = "random"', "dice = 3", 14, "an agent is a Search"),
        ("c = [0.1, 2]", "c = []", 17, "grid.c must be a list of values that is not empty"),
        ("c = [0.1, 2]", "c = [2, 2]", 17, "has the value 2 twice"),
        ("c = [0.1, 2]", "c = [0.1, -2]", 13, "must be at least 0"),
        ("c = [0.1, 2]", "c = [0.1, 2]\nd = [1]", 18, "no agent names the parameter {d}"),
        ("simulations = [4, 8]", "simulation = [4, 8]", 20, "did you mean simulations?"),
        ("simulations = [4, 8]", "simulations = [4, 8]\nseconds = [1]", 21, "a plan has one of them"),
        ("simulations = [4, 8]", "simulations = [0]", 12, "simulations must be from 1"),
        ("simulations = [4, 8]", "", 12, "needs a budget"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_would_be_right(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in SWEEP
    path = write(tmp_path, SWEEP.replace(old, new, 1))
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    assert str(caught.value).startswith(f"{path}, line {line}: "), str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"games": []}, "games is empty"),
        ({"games": "tic_tac_toe"}, "games must be a list"),
        ({"agents": {}}, "agents is empty"),
        ({"agents": {"a": "random"}}, "no match: name at least two agents"),
        ({"agents": ["random", "random"]}, "agents must be a table"),
        ({"budgets": {"simulations": [3]}}, "every agent names its own budget"),
        ({"title": 3}, "title must be a text"),
    ],
)
def test_a_plan_from_python_is_checked_too(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"games": ["tic_tac_toe"], "agents": {"a": "random", "b": "mcts(simulations=3)"}}
    with pytest.raises(PlanError, match=message):
        Plan(**{**arguments, **changes})


def test_an_agent_that_prints_differently_in_each_process_is_refused() -> None:
    class Unnamed:
        def choose(self, state: Any) -> int:
            return state.legal_actions()[0]

    with pytest.raises(PlanError, match="give it a __repr__"):
        Plan(["tic_tac_toe"], {"a": Unnamed(), "b": "random"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "cannot be read"),
        ("hex(size=", "cannot be read"),
        ("hex(size=open('x'))", "is no plain value"),
        ("hex(size=7, size=8)", r"'hex\(size=7, size=8\)': size is given twice"),
        ("nowhere.py:Game", "there is no file"),
        ("somewhere.py", "which class"),
    ],
)
def test_the_text_of_a_game_is_read_and_not_run(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_game(text)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="there is no plan"):
        load_plan(tmp_path / "none.toml")
    with pytest.raises(PlanError, match="cannot be read"):
        load_plan(tmp_path)
    with pytest.raises(PlanError, match="the plan names no agents"):
        load_plan(write(tmp_path, 'games = ["tic_tac_toe"]'))


GROUPS = """
games = ["tic_tac_toe"]
pairs = 3

[agents]
base = "mcts(strategy='plain')"
uct = "mcts(selection=UCT(c={c}))"
"the dice" = "random"

[grid]
c = [0.1, 2]

[[matches]]
agents = ["uct", "base"]
against = "base"
budgets.simulations = [4, 8]

[[matches]]  # the others
games = ["pig(target=12)"]
agents = ["base", "the dice"]
pairs = 7
seed = 5

[matches.budgets]
simulations = [
    4,
]

[[matches]]
games = ["twenty48(max_tile=16)"]
agents = [
    "the dice",
]
deals = 9
"""


def test_groups_of_matches_say_what_differs(tmp_path: Path) -> None:
    plan = load_plan(write(tmp_path, GROUPS))
    told = [(repr(cell.pairing.game)[:5], cell.first, cell.second, cell.budget, cell.pairs) for cell in plan.cells]
    assert told == [
        ("TicTa", "uct c=0.1", "base", "simulations=4", 3),
        ("TicTa", "uct c=2", "base", "simulations=4", 3),
        ("TicTa", "uct c=0.1", "base", "simulations=8", 3),
        ("TicTa", "uct c=2", "base", "simulations=8", 3),
        ("Pig(t", "base", "the dice", "simulations=4", 7),
        ("Twent", "the dice", "", "", 9),
    ]
    assert [cell.pairing.seed for cell in plan.cells] == [0, 0, 0, 0, 5, 0]
    assert [cell.counts for cell in plan.cells[-2:]] == ["games", "alone"]
    assert [cell.games for cell in plan.cells] == [6, 6, 6, 6, 14, 9]
    assert plan.cells[-1].title.endswith("the dice alone")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("pig(target=12)", "pigs", 19, "did you mean 'pig'?"),
        ('"the dice"]', '"dice"]', 20, "no agent is called 'dice'; did you mean the dice?"),
        ('    "the dice",', '    "dices",', 32, "did you mean the dice?"),
        ("pairs = 7", "pears = 7", 21, "[[matches]] has no key 'pears'; did you mean pairs?"),
        ("pairs = 7", "pairs = 0", 21, "pairs must be at least 1, not 0"),
        ("pairs = 7", "deals = 7", 21, "has 2 players: write pairs instead"),
        ("pairs = 7", "pairs = 7\ndeals = 7", 22, "leave one out"),
        ("seed = 5", "seed = 0.5", 22, "seed must be a whole number"),
        ("    4,\n]", "    4, 4\n]", 26, "matches[1].budgets.simulations has the value 4 twice"),
        ("budgets.simulations = [4, 8]", "budgets.simulation = [4, 8]", 16, "did you mean simulations?"),
        ("budgets.simulations = [4, 8]", "budgets = {simulations = []}", 16, "is not empty"),
        ("deals = 9", "deals = 9\nopening_moves = 1", 35, "opening_moves is about two agents"),
        ("deals = 9", "", 31, "no match: name at least two agents"),
        ('agents = ["uct", "base"]', 'agents = "uct"', 14, "must be a list of names"),
        ('agents = ["uct", "base"]', 'agents = ["uct", "uct"]', 14, "twice"),
        ('"the dice" = "random"', '"the dice" = "random"\nother = "greedy"', 9, "other plays in none of the"),
        (
            "deals = 9",
            "deals = 9\n[[matches]]\nagents = ['uct', 'base']\nbudgets.simulations = [4]",
            35,
            "stands in two",
        ),
    ],
)
def test_a_mistake_in_a_group_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in GROUPS
    path = write(tmp_path, GROUPS.replace(old, new, 1))
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    assert str(caught.value).startswith(f"{path}, line {line}: "), str(caught.value)
    assert message in str(caught.value)


def test_openings_come_from_generators_of_our_own() -> None:
    actions = [opening(games.ConnectFour(), 6, make_rng(seed), seed)[1] for seed in range(3)]
    assert actions == [[6, 1, 3, 4, 3, 2], [5, 4, 2, 3, 1, 2], [5, 4, 1, 6, 6, 3]]  # with every version of NumPy
