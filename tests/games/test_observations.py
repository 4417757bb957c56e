"""What networks see of the games in the box, against what people see."""

from collections.abc import Iterator

import numpy as np
import pytest

import fastmcts
from fastmcts import State, games
from fastmcts.games._cards import CARDS, card_number
from fastmcts.games._klondike_text import card_from_name
from fastmcts.testing.observation_checks import Sights, check_compiled_observation
from tests.subprocesses import REPOSITORY

#: Boards whose drawings have a mark for each cell; the second half do not fit into single words.
DRAWN: list[tuple[fastmcts.Game, str]] = [
    (games.TicTacToe(), "XO"),
    (games.ConnectFour(), "xo"),
    (games.MNK(4, 5, 3), "xo"),
    (games.Hex(4), "xo"),
    (games.Othello(), "xo"),
    (games.Breakthrough(6, 5), "bw"),
    (games.ConnectFour(rows=9, columns=9), "xo"),
    (games.MNK(11, 9, 5), "xo"),
    (games.Hex(11), "xo"),
    (games.Breakthrough(8, 8), "bw"),
]

LARGE = (
    games.DotsAndBoxes(rows=7, columns=8),
    games.Klondike(draw=1, macro=True),
    games.LiarsDice(players=3, dice=5),
    games.OhHell(num_players=6, hand_size=8, last_bid_restricted=True),
    games.Pig(num_players=3),
    games.SOS(rows=9, columns=10),
    games.Twenty48(max_tile=64),
    games.Whist(hand_size=5, trump=-1),
)


def random_game(game: fastmcts.Game, seed: int = 0) -> Iterator[State]:
    """Every position of a random game."""
    draw = np.random.default_rng(seed)
    state = game.new_initial_state(seed)
    yield state
    while actions := state.legal_actions():
        state = state.child(int(draw.choice(actions)))
        yield state


def drawn_rows(state: State) -> list[list[str]]:
    """The marks in a drawing of a board."""
    lines = [line.split() for line in str(state).splitlines()]
    if isinstance(state.game, games.ConnectFour):
        return lines[-2::-1]
    return [line[1:] for line in lines if line[0].isdigit()]


@pytest.mark.parametrize(("game", "marks"), DRAWN, ids=str)
def test_planes_show_the_stones_that_are_drawn(game: fastmcts.Game, marks: str) -> None:
    for state in random_game(game):
        board = np.array(drawn_rows(state))
        for player in range(2):
            seen = state.observation_tensor(player)
            assert np.array_equal(seen[0], board == marks[player])
            assert np.array_equal(seen[1], board == marks[1 - player])
            assert (seen[2] == (state.current_player() == player)).all()
            if isinstance(game, games.Hex | games.Breakthrough):
                assert (seen[3] == 1 - player).all()


@pytest.mark.parametrize("game", LARGE, ids=str)
def test_a_network_can_tell_apart_what_a_player_can(game: fastmcts.Game) -> None:
    sights = Sights()
    for state in random_game(game):
        for player in range(game.num_players):
            seen = state.observation_tensor(player)
            assert seen.min() >= 0.0
            assert seen.max() <= 1.1, "a score may end above its target"
            sights.note(state, player, seen, "there")
    assert sights.advice is None
    assert len(sights.first) > 3 * game.num_players


@pytest.mark.jit
@pytest.mark.thorough
@pytest.mark.parametrize("game", [*LARGE, *(game for game, _ in DRAWN)], ids=str)
def test_compiled_rules_show_the_same_bits(game: fastmcts.Game) -> None:
    check_compiled_observation(game, seed=0)  # the defaults are compiled by check_game


def test_dots_and_boxes_show_lines_boxes_and_scores() -> None:
    state = games.DotsAndBoxes(1, 2).new_initial_state()
    for line in ("ha1", "va1", "vb1", "ha2", "hb1"):
        state.apply_action(state.string_to_action(line))
    horizontal, vertical, boxes, own, other, to_move = state.observation_tensor(1)
    assert horizontal.tolist() == [[1, 1, 0], [1, 0, 0]]
    assert vertical.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert boxes.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert (own == 0.5).all(), "the fourth line completed a box for player 1, who drew the fifth too"
    assert (other == 0.0).all()
    assert (to_move == 0.0).all()
    assert (state.observation_tensor(0)[[3, 4, 5]] == np.reshape([0.0, 0.5, 1.0], (3, 1, 1))).all()


def test_sos_shows_letters_and_points() -> None:
    state = games.SOS(2, 3).new_initial_state()
    for move in ("a1S", "b1O", "c1S", "a2O"):
        state.apply_action(state.string_to_action(move))
    s, o, own, other, to_move = state.observation_tensor(0)
    assert s.tolist() == [[1, 0, 1], [0, 0, 0]]
    assert o.tolist() == [[0, 1, 0], [1, 0, 0]]
    assert own == pytest.approx(np.full((2, 3), 1 / 6))
    assert (other == 0.0).all()
    assert (to_move == 0.0).all()


def test_2048_shows_a_plane_for_each_tile() -> None:
    game = games.Twenty48()
    state = game.new_state(np.array([0, 8, 3, 1, *[0] * 13, 2]))
    seen = state.observation_tensor()
    assert game.observation_shape == (14, 4, 4)
    assert [np.argwhere(seen[plane]).tolist() for plane in (1, 2, 3)] == [[[0, 1]], [[3, 3]], [[0, 0]]]
    assert seen[0].sum() == 13
    assert seen[12] == pytest.approx(np.full((4, 4), 8 / 20_480))
    assert (seen[13] == 1.0).all()


def test_kuhn_poker_shows_the_other_card_after_a_showdown_only() -> None:
    state = games.KuhnPoker().state_from_text("K J: pass bet")
    assert state.observation_tensor(0).tolist() == [1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    assert state.observation_tensor(1).tolist() == [0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0]
    called = state.child(1)
    assert called.observation_tensor(0).tolist() == [1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0]
    assert called.view(0).observation_tensor(0).tolist() == called.observation_tensor(0).tolist()


def test_leduc_poker_shows_cards_betting_and_chips() -> None:
    state = games.LeducPoker().state_from_text("K J: raise call Q call raise")
    seen = state.observation_tensor(1)
    assert seen[:8].tolist() == [0, 1, 1, 0, 0, 0, 1, 0]
    fold, call, rise = np.eye(3).tolist()
    nothing = [0.0] * 3
    assert seen[8:32].reshape(8, 3).tolist() == [rise, call, nothing, nothing, call, rise, nothing, nothing]
    assert seen[32:34] == pytest.approx([7 / 13, 3 / 13])
    assert seen[34:].tolist() == nothing, "the other card was not shown"
    assert state.child(0).observation_tensor(0)[8:32].reshape(8, 3)[6].tolist() == fold
    assert state.child(1).observation_tensor(1)[34:].tolist() == [0, 0, 1]


def test_liars_dice_shows_whose_bids_and_ones_own_dice() -> None:
    game = games.LiarsDice(players=2, dice=2, sides=3)
    state = game.state_from_text("1,3 2,2: 1x2 2x1")
    seen = state.observation_tensor(1)
    assert marked(seen[:12]) == {3}, "2x1, by player 1"
    assert marked(seen[12:24]) == {1}
    assert seen[24:30].tolist() == [0, 1, 0, 0, 0, 0]
    assert seen[30:].tolist() == [0, 1, 0]
    over = state.child(game.liar).observation_tensor(0)
    assert over[24:].tolist() == [0.5, 0, 0.5, 0, 1, 0, 0, 0, 1]


def marked(cards: np.ndarray) -> set[int]:
    return set(np.flatnonzero(cards).tolist())


def test_whist_shows_hands_tricks_and_voids() -> None:
    game = games.Whist(hand_size=2)
    state = game.state_from_hands(["AC 2D", "3H 4H", "KC 5C", "6S 7C"], leader=0)
    for card in ("AC", "3H", "KC", "7C", "2D"):
        state.apply_action(state.string_to_action(card))
    seen = state.observation_tensor(2)
    hand, table, winning, trumps, turned = seen[: 5 * CARDS].reshape(5, CARDS)
    assert marked(hand) == {card_number("5C")}
    assert marked(table) == marked(winning) == {card_number("2D")}
    assert marked(trumps) == set(range(2, CARDS, 4)), "spades"
    assert marked(turned) == set()
    myself, next_one, partner, last = seen[5 * CARDS :].reshape(4, 59)
    cards, voids, tricks, to_move, leads = (slice(CARDS), slice(CARDS, CARDS + 4), CARDS + 4, CARDS + 5, CARDS + 6)
    assert {card: myself[card] for card in marked(myself[cards])} == {card_number("KC"): 3 / 8}
    assert {card: next_one[card] for card in marked(next_one[cards])} == {card_number("7C"): 4 / 8}
    assert {card: partner[card] for card in marked(partner[cards])} == {
        card_number("AC"): 1 / 8,
        card_number("2D"): 5 / 8,
    }
    assert {card: last[card] for card in marked(last[cards])} == {card_number("3H"): 2 / 8}
    assert [player[voids].tolist() for player in (myself, next_one, partner)] == [[0, 0, 0, 0]] * 3
    assert last[voids].tolist() == [1, 0, 0, 0], "player 1 lacks clubs"
    assert [player[tricks] for player in (myself, next_one, partner, last)] == [0, 0, 0.5, 0]
    assert [player[to_move] for player in (myself, next_one, partner, last)] == [0, 0, 0, 1]
    assert [player[leads] for player in (myself, next_one, partner, last)] == [0, 0, 1, 0]


def test_oh_hell_shows_bids_and_the_card_turned_up() -> None:
    game = games.OhHell(num_players=3, hand_size=1)
    state = game.state_from_hands(["AC", "2D", "3H"], "KH", dealer=2).child(CARDS + 1).child(CARDS)
    seen = state.observation_tensor(1)
    assert marked(seen[4 * CARDS : 5 * CARDS]) == {card_number("KH")}
    assert marked(seen[3 * CARDS : 4 * CARDS]) == set(range(3, CARDS, 4)), "hearts"
    assert seen[-3:].tolist() == [0.5, 0.0, 1.0], "player 1 has bid none, player 2 not yet, player 0 one"


def test_klondike_shows_columns_talon_and_counts() -> None:
    state = games.Klondike().state_from_text(
        """
        stock: 4S (5H 6H)
        waste: 2S 9H
        F: JC KD AH
        T3: (2H 5S) KC QH
        """
    )
    seen = state.observation_tensor()
    columns, talon, playable = (
        seen[: 7 * CARDS].reshape(7, CARDS),
        seen[7 * CARDS : 8 * CARDS],
        seen[8 * CARDS : 9 * CARDS],
    )
    king, queen, nine, two, four = (card_from_name(name) - 4 for name in ("KC", "QH", "9H", "2S", "4S"))
    assert marked(columns[2]) == {king, queen}
    assert columns[2, [king, queen]] == pytest.approx([3 / 19, 4 / 19])
    assert marked(columns[[0, 1, 3, 4, 5, 6]]) == set()
    assert talon[[two, nine, four]] == pytest.approx([1 / 24, 2 / 24, 3 / 24])
    assert marked(talon) == {two, nine, four}, "what was never face up is not seen"
    assert marked(playable) == {nine}
    assert seen[9 * CARDS : 9 * CARDS + 7] == pytest.approx([0, 0, 2 / 6, 0, 0, 0, 0])
    assert seen[9 * CARDS + 7 : 9 * CARDS + 11] == pytest.approx([11 / 13, 1, 1 / 13, 0])


@pytest.mark.parametrize("name", fastmcts.registered_games())
def test_the_docs_have_the_shape(name: str) -> None:
    game = fastmcts.load_game(name)
    page = (REPOSITORY / "docs" / "games.md").read_text()
    if game.has_observation:
        assert f"| `{name}` | `{game.observation_shape}` |" in page.partition("## What networks see")[2]
