import functools
import random

import numpy as np
import pytest

from fastmcts import TERMINAL, games, load_game
from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.types import Position
from fastmcts.games.dots_and_boxes import COMPLETING_WEIGHT, GIVING_WEIGHT, OPEN, PLAYER, SCORES
from fastmcts.rng import make_rng
from fastmcts.testing import check_game, perft


def margin(game: games.DotsAndBoxes) -> int:
    """By how many boxes the first player wins with best play."""

    def lead_after(position: Position, action: int) -> int:
        child = position.copy()
        game.apply(child, action)
        passed = child[PLAYER] == 1
        gained = int(child[SCORES] - position[SCORES])
        return gained + (-1 if passed else 1) * lead(child[OPEN:].tobytes())

    @functools.cache
    def lead(board: bytes) -> int:
        # Whose the boxes so far are does not matter for the lead from here on: always player 0 to move, who has all.
        position = np.concatenate([np.zeros(OPEN, np.int64), np.frombuffer(board, np.int64)])
        position[SCORES] = game.complete_boxes(position)
        actions = np.zeros(game.num_actions, np.int64)
        count = game.legal_actions(position, actions)
        return max((lead_after(position, action) for action in actions[:count].tolist()), default=0)

    return lead(game.new_initial_state().array[OPEN:].tobytes())


@pytest.mark.parametrize(
    "size",
    [
        (7, 7),  # more lines than bits in a word
        *(pytest.param(size, marks=pytest.mark.slow_to_compile) for size in [(1, 1), (2, 3)]),
    ],
)
def test_it_keeps_the_contract(size):
    check_game(games.DotsAndBoxes(*size), positions=100)


def test_the_default_is_two_by_two_and_the_id_loads_it():
    assert load_game("dots_and_boxes") == games.DotsAndBoxes(rows=2, columns=2)
    assert games.DotsAndBoxes().num_actions == 12
    assert games.DotsAndBoxes().name == "dots_and_boxes"


@pytest.mark.parametrize(
    ("depth", "count"),
    [
        (1, 12),
        (2, 132),
        (3, 1320),
        (4, 11880),
        pytest.param(5, 95040, marks=pytest.mark.jit),
        pytest.param(6, 665280, marks=pytest.mark.jit),
    ],
)
def test_perft(depth, count):
    assert perft(games.DotsAndBoxes().new_initial_state(), depth) == count


@pytest.mark.parametrize(("size", "value"), [((1, 1), -1), ((1, 2), 0), ((2, 1), 0), ((1, 3), -1), ((2, 2), 2)])
def test_solved_margins(size, value):
    assert margin(games.DotsAndBoxes(*size)) == value


def test_the_text_of_a_line_is_its_kind_and_the_box_below_or_right_of_it():
    state = games.DotsAndBoxes(rows=1, columns=2).new_initial_state()
    texts = ["ha1", "hb1", "ha2", "hb2", "va1", "vb1", "vc1"]
    assert [state.action_to_string(action) for action in range(7)] == texts
    assert [state.string_to_action(text) for text in texts] == list(range(7))


def test_the_fourth_side_scores_and_keeps_the_turn_and_one_line_may_score_twice():
    state = games.DotsAndBoxes(rows=1, columns=3).new_initial_state()
    for player, text in enumerate(["ha1", "ha2", "va1", "hb1", "hb2", "vc1"]):
        assert state.current_player() == player % 2
        state.apply_action(state.string_to_action(text))
    assert str(state) == "+---+---+   +\n|       |    \n+---+---+   +\nboxes 0:0, player 0 to move"
    shared = state.string_to_action("vb1")
    assert [action for action in state.legal_actions() if state.game.is_promising(state.array, action)] == [shared]
    state.apply_action(shared)
    assert str(state) == "+---+---+   +\n| # | # |    \n+---+---+   +\nboxes 2:0, player 0 to move"
    for text in ["hc1", "hc2", "vd1"]:
        state.apply_action(state.string_to_action(text))
    assert str(state) == "+---+---+---+\n| # | # | # |\n+---+---+---+\nboxes 3:0"
    assert state.current_player() == TERMINAL
    assert state.returns() == [1.0, -1.0]


def test_as_many_boxes_each_are_a_draw_and_fewer_lose():
    game = games.DotsAndBoxes(rows=1, columns=2)
    for texts, scores, returns in [
        (["hb1", "ha1", "ha2", "va1", "vb1", "hb2", "vc1"], [1, 1], [0.0, 0.0]),
        (["ha1", "hb1", "ha2", "hb2", "va1", "vb1", "vc1"], [0, 2], [-1.0, 1.0]),
    ]:
        state = game.new_initial_state()
        for text in texts:
            state.apply_action(state.string_to_action(text))
        assert state.is_terminal()
        assert state.array[SCORES : SCORES + 2].tolist() == scores
        assert state.returns() == returns


@pytest.mark.parametrize("size", [(2, 2), (5, 6), (25, 2)])
def test_random_actions_are_uniform(size):
    game = games.DotsAndBoxes(*size)
    state = game.new_initial_state()
    choice = random.Random(1)
    while len(state.legal_actions()) > 8:
        state.apply_action(choice.choice(state.legal_actions()))
    legal = state.legal_actions()
    rng = make_rng(2)
    buffer = np.zeros(game.num_actions, np.int64)
    with np.errstate(over="ignore"):
        drawn = [int(game.random_action(state.array, buffer, rng)) for _ in range(2000)]
    counts = np.array([drawn.count(action) for action in legal])
    assert counts.sum() == 2000
    # 7 degrees of freedom: 24.3 is exceeded once in a thousand seeds.
    assert ((counts - 250) ** 2 / 250).sum() < 24.3


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match="columns must be from 1 to 25, not 26"):
        games.DotsAndBoxes(columns=26)
    with pytest.raises(TypeError, match="rows must be a whole number"):
        games.DotsAndBoxes(rows=2.5)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        (PLAYER, 1, "the player is 0, not 1"),
        (PLAYER, TERMINAL, "the player is 0, not -4"),
        (SCORES, 1, "0 boxes are complete, so the scores cannot be 1 and 0"),
        (OPEN, -1, "not a set of numbers from 0 to 11"),
        (OPEN, 2**12, "not a set of numbers from 0 to 11"),
        (OPEN, 0, "not the same by their actions and by their boxes"),
        (OPEN + 1, 2**2, "not the same by their actions and by their boxes"),
        (-1, 0, "not the same by their actions and by their boxes"),
    ],
)
def test_arrays_that_are_no_position_are_refused(entry, value, message):
    state = games.DotsAndBoxes().new_initial_state().child(0).child(5)
    assert state.game.state_from_array(state.array) == state
    state.array[entry] = value
    with pytest.raises(ValueError, match=message):
        state.game.state_from_array(state.array)


def test_rollouts_and_priors_complete_boxes_and_give_none_away() -> None:
    game = games.DotsAndBoxes(rows=2, columns=2)
    state = game.new_initial_state()
    for text in ("ha1", "va1"):
        state.apply_action(state.string_to_action(text))
    buffer = np.zeros(game.num_actions, np.int64)
    with wrapping_integers():
        played = {int(game.rollout_action(state.array, buffer, make_rng(seed))) for seed in range(60)}
    giving = {"ha2", "vb1"}  # a third side of the box at the top left
    assert {game.action_to_string(state.array, action) for action in played} == {
        game.action_to_string(state.array, action) for action in state.legal_actions()
    } - giving
    state.apply_action(state.string_to_action("ha2"))
    actions = np.array(state.legal_actions(), np.int64)
    priors = np.zeros(len(actions))
    game.prior(state.array, actions, len(actions), priors)
    assert game.action_to_string(state.array, int(actions[priors.argmax()])) == "vb1"
    with wrapping_integers():
        played = {int(game.rollout_action(state.array, buffer, make_rng(seed))) for seed in range(20)}
    assert {game.action_to_string(state.array, action) for action in played} == {"vb1"}


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (5, 5), (3, 9), (8, 8), (12, 5)])
def test_rollouts_and_priors_know_the_sides_of_all_boxes(size: tuple[int, int]) -> None:
    game, draw = games.DotsAndBoxes(*size), random.Random(0)
    buffer, rng = np.zeros(game.num_actions, np.int64), make_rng(0)
    state = game.new_initial_state()
    drawn: set[int] = set()
    while not state.is_terminal():
        legal = state.legal_actions()
        missing = [game.lines_around(box) - drawn for box in range(game.num_boxes)]
        completing = {line for lines in missing if len(lines) == 1 for line in lines}
        giving = {line for lines in missing if len(lines) == 2 for line in lines}
        assert {action for action in legal if game.is_promising(state.array, action)} == completing
        with wrapping_integers():
            action = int(game.rollout_action(state.array, buffer, rng))
        assert action in (completing or set(legal) - giving or legal)
        priors = np.zeros(len(legal))
        game.prior(state.array, np.array(legal), len(legal), priors)
        weights = np.array(
            [COMPLETING_WEIGHT if a in completing else GIVING_WEIGHT if a in giving else 1.0 for a in legal]
        )
        assert priors == pytest.approx(weights / weights.sum())
        action = draw.choice(legal)
        drawn.add(action)
        boxes = int(state.array[SCORES : SCORES + 2].sum())
        state.apply_action(action)
        complete = sum(game.lines_around(box) <= drawn for box in range(game.num_boxes))
        assert state.array[SCORES : SCORES + 2].sum() == complete
        assert (complete > boxes) == any(lines == {action} for lines in missing)
