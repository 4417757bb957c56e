import pickle
import re
from typing import Any

import numpy as np
import pytest

from fastmcts import (
    MCTS,
    PIMC,
    UCB1,
    UCT,
    Agreed,
    Decided,
    GameRollout,
    Gumbel,
    SinglePerspective,
    State,
    games,
    search,
)
from fastmcts.experiments import Greedy, Random, Search, as_agent, parse_agent
from tests.helpers.networks import judge, judge_four

AGENTS = [
    Random(),
    Greedy(),
    Search(simulations=1000),
    Search(seconds=0.5, selection=UCB1(c=0.7), solver=True),
    Search(simulations=50, strategy="plain", rollout=GameRollout(max_length=3), method=PIMC(worlds=2)),
    Search(simulations=50, stop=Decided(), final="lcb", trees=2, memory_mb=3.5),
    Search(simulations=50, stop=(Decided(), Agreed())),
]


@pytest.mark.parametrize("agent", AGENTS, ids=repr)
def test_agents_print_as_their_text_and_read_back(agent) -> None:
    assert parse_agent(repr(agent)) == agent
    assert hash(parse_agent(repr(agent))) == hash(agent)
    assert pickle.loads(pickle.dumps(agent)) == agent


def test_agents_differ_if_they_are_written_differently() -> None:
    assert len(set(AGENTS)) == len(AGENTS)
    assert Search(simulations=5, stop=[Decided()]) == Search(simulations=5, stop=Decided())
    assert Search(solver=True, simulations=5) == Search(simulations=5, solver=True)
    assert Search(simulations=np.int64(5)) == Search(simulations=5, seconds=None)  # pyright: ignore[reportArgumentType]
    assert repr(Search(simulations=np.int64(5))) == "mcts(simulations=5)"  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("text", ["random", "Random()", " RANDOM "])
def test_names_are_read_in_any_case_and_with_or_without_brackets(text: str) -> None:
    assert parse_agent(text) == Random()
    assert parse_agent("MCTS(simulations=3)") == Search(simulations=3)


def test_options_that_an_agent_does_not_say_are_filled_in() -> None:
    assert parse_agent("mcts", simulations=7) == Search(simulations=7)
    assert parse_agent("mcts(seconds=1)", simulations=7) == Search(seconds=1)
    assert parse_agent("mcts(selection=UCT(c=1))", simulations=7, selection=UCB1()) == Search(
        simulations=7, selection=UCT(c=1)
    )
    assert parse_agent("random", simulations=7) == Random()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mtcs(simulations=5)", "no agent; did you mean mcts"),
        ("mcts", "needs a budget"),
        ("mcts(1000)", "written name=value"),
        ("mcts(simulation=5)", "did you mean 'simulations'"),
        ("mcts(simulations=0)", "simulations must be from 1"),
        ("mcts(simulations=5, seed=1)", "leave seed=1 out"),
        ("mcts(simulations=5, selection=Lazy())", "selection must be a Selection"),
        ("mcts(simulations=5, selection='UCB1()')", "selection must be a Selection"),
        ("mcts(simulations=5, selection=UCB9())", "no component is called 'UCB9'"),
        ("mcts(simulations=5, selection=UCB1(c=UCT()))", "no plain value"),
        ("mcts(simulations=5, progress=print)", "no component is called 'print'"),
        ("random(seed=1)", "random takes no arguments"),
        ("os.system('true')", "is no agent"),
        ("__import__('os')", "is no agent"),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_agent(text)


def test_a_search_chooses_as_the_search_does_and_alike_in_a_batch() -> None:
    agent = Search(simulations=40)
    state = games.TicTacToe().new_initial_state()
    assert agent.choose(state, seed=3) == search(state, simulations=40, seed=3).action
    others = [state.child(0), state.child(4)]
    assert agent.choose_many([state, *others], [3, 4, 5]) == [
        agent.choose(position, seed) for position, seed in zip([state, *others], [3, 4, 5], strict=True)
    ]


@pytest.mark.slow_to_compile
@pytest.mark.parametrize("options", [{}, {"solver": True}, {"selection": Gumbel()}, {"threads": 2}], ids=str)
def test_a_search_by_a_network_chooses_as_the_search_does_in_a_batch(options: Any) -> None:
    agent = Search(simulations=40, evaluator=judge, **options)
    states = [(state := games.TicTacToe().new_initial_state()), state.child(4), state.child(0).child(4)]
    alone = {name: value for name, value in options.items() if name != "threads"}
    assert agent.choose_many(states, [3, 4, 5]) == [
        search(position, simulations=40, evaluator=judge, seed=seed, **alone).action
        for position, seed in zip(states, [3, 4, 5], strict=True)
    ]


@pytest.mark.slow_to_compile
def test_a_network_is_asked_about_the_worlds_of_many_positions_at_once() -> None:
    agent = Search(simulations=40, evaluator=judge_four, method=PIMC(worlds=4), batch_size=8)
    state = games.Whist().new_initial_state(seed=1)
    assert agent.choose_many([state, state], [1, 2]) == [
        search(state, simulations=40, evaluator=judge_four, method=PIMC(worlds=4), seed=seed).action for seed in (1, 2)
    ]


def test_random_and_greedy_play_legal_moves_that_depend_on_the_seed_alone() -> None:
    state = games.OhHell(hand_size=5).new_initial_state(seed=1)
    for agent in (Random(), Greedy()):
        assert all(agent.choose(state, seed) in state.legal_actions() for seed in range(20))
        assert agent.choose(state, 5) == agent.choose(state, 5)
    assert len({Random().choose(state, seed) for seed in range(50)}) == len(state.legal_actions())


def test_greedy_refuses_a_game_without_a_policy_of_its_own() -> None:
    with pytest.raises(ValueError, match="tic_tac_toe has none: use random or mcts"):
        Greedy().choose(games.TicTacToe().new_initial_state())


def test_a_search_that_does_not_suit_a_game_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is hidden"):
        Search(simulations=50, method=PIMC()).check(games.TicTacToe())
    with pytest.raises(ValueError, match="leave player=0 out"):
        Search(simulations=50, method=SinglePerspective(player=0)).check(games.TicTacToe())


class First:
    """Plays the first legal move, told as a text."""

    def __init__(self) -> None:
        self.seen: list[State] = []

    def choose(self, state: State) -> Any:
        self.seen.append(state)
        return state.action_to_string(state.legal_actions()[0])

    def __repr__(self) -> str:
        return "First()"


def test_an_object_with_choose_is_an_agent() -> None:
    state = games.TicTacToe().new_initial_state()
    agent = as_agent(First())
    assert agent.choose(state) == 0
    assert agent.choose_many([state, state.child(0)], [1, 2]) == [0, 1]
    assert repr(agent) == "First()"
    assert as_agent(MCTS(state.game, simulations=20, seed=0)).choose(state) in state.legal_actions()


def test_an_object_is_asked_for_many_moves_at_once_if_it_can() -> None:
    class Many(First):
        def choose_many(self, states: list[State]) -> list[int]:
            return [state.legal_actions()[-1] for state in states]

    state = games.TicTacToe().new_initial_state()
    assert as_agent(Many()).choose_many([state, state.child(8)], [1, 2]) == [8, 7]


def test_an_object_that_draws_at_random_may_ask_for_seeds() -> None:
    class Drawing(First):
        def choose(self, state: State, seed: int = 0) -> Any:
            return state.legal_actions()[seed % 3]

    class DrawingMany(First):
        def choose_many(self, states: list[State], seeds: list[int]) -> list[int]:
            return [state.legal_actions()[seed % 3] for state, seed in zip(states, seeds, strict=True)]

    state = games.TicTacToe().new_initial_state()
    for player in (Drawing(), DrawingMany()):
        assert as_agent(player).choose_many([state, state.child(0)], [4, 5]) == [1, 3]


def test_an_object_cannot_change_the_game_nor_see_what_is_hidden() -> None:
    player = First()
    state = games.KuhnPoker().new_initial_state(seed=0)
    before = state.clone()
    as_agent(player).choose(state)
    player.seen[0].array[:] = 0
    assert state == before
    worlds = [games.KuhnPoker().new_initial_state(seed) for seed in range(30)]
    for world in worlds:
        as_agent(player).choose(world)
    shown = {state.information_state_string(0): view.array.tolist() for state, view in zip(worlds, player.seen[1:])}  # noqa: B905
    for world, view in zip(worlds, player.seen[1:], strict=True):
        assert shown[world.information_state_string(0)] == view.array.tolist()


@pytest.mark.parametrize("move", ["z9", 17, None, 1.5])
def test_an_illegal_move_of_an_object_names_it(move: Any) -> None:
    class Wrong(First):
        def choose(self, state: State) -> Any:
            return move

    with pytest.raises(ValueError, match=r"First\(\) chose"):
        as_agent(Wrong()).choose(games.TicTacToe().new_initial_state())


@pytest.mark.parametrize("value", [None, 3, First])
def test_anything_else_is_no_agent(value: Any) -> None:
    with pytest.raises(TypeError, match=re.escape(f"or an object with choose(state), not {value!r}")):
        as_agent(value)


def test_a_text_that_names_no_agent_is_refused() -> None:
    with pytest.raises(ValueError, match="'nobody' is no agent; there are: greedy, mcts, OpenSpielMCTS, random"):
        as_agent("nobody")
