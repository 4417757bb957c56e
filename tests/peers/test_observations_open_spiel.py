"""What networks see against OpenSpiel's observation tensors, over random games with the same actions."""

import random
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from fastmcts import CHANCE, Game, State, games

open_spiel = pytest.importorskip("pyspiel")
pytestmark = pytest.mark.peer

Array = NDArray[np.float32]
Translation = Callable[[Array, int], list[Array]]

POSITIONS = 1_000  # of each game, seen by both players


def by_player(seen: Array, player: int) -> tuple[Array, Array, Array]:
    """Cells of the first player, of the second, and empty ones; we show one's own and the other's."""
    first, second = seen[player], seen[1 - player]
    return first, second, 1 - first - second


def noughts_and_crosses(seen: Array, player: int) -> list[Array]:
    first, second, empty = by_player(seen, player)
    return [empty, second, first]


def first_second_empty(seen: Array, player: int) -> list[Array]:
    return [*by_player(seen, player)]


def empty_own_other(seen: Array, player: int) -> list[Array]:
    return [1 - seen[0] - seen[1], seen[0], seen[1]]


#: Our game, OpenSpiel's name for it, and how its planes follow from ours.
BOARDS: list[tuple[Game, str, Translation]] = [
    (games.TicTacToe(), "tic_tac_toe", noughts_and_crosses),
    (games.MNK(7, 5, 4), "mnk(m=7,n=5,k=4)", noughts_and_crosses),
    (games.ConnectFour(), "connect_four", first_second_empty),
    (games.Breakthrough(), "breakthrough", first_second_empty),
    (games.Breakthrough(6, 5), "breakthrough(rows=6,columns=5)", first_second_empty),
    (games.Othello(), "othello", empty_own_other),
]


def positions(game: Game, name: str) -> list[tuple[State, object]]:
    """Positions of random games that go on, ours and theirs."""
    peer, draw, found = open_spiel.load_game(name), random.Random(0), []
    while len(found) < POSITIONS:
        ours, theirs = game.new_initial_state(), peer.new_initial_state()
        while not theirs.is_terminal():
            found.append((ours.clone(), theirs.clone()))
            action = draw.choice(theirs.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
    return found


def tensor(theirs, player: int) -> Array:
    shape = theirs.get_game().observation_tensor_shape()
    return np.array(theirs.observation_tensor(player), np.float32).reshape(shape)


@pytest.mark.parametrize(
    ("game", "name", "translation"), BOARDS, ids=lambda value: getattr(value, "__name__", str(value))
)
def test_planes_are_the_same_in_another_order(game: Game, name: str, translation: Translation) -> None:
    for ours, theirs in positions(game, name):
        assert ours.legal_actions_mask().tolist() == list(map(bool, theirs.legal_actions_mask()))  # pyright: ignore[reportAttributeAccessIssue]
        for player in range(2):
            seen = ours.observation_tensor(player)
            assert np.array_equal(translation(seen, player), tensor(theirs, player))
            assert (seen[2] == (ours.current_player() == player)).all()


@pytest.mark.parametrize("size", [3, 6, 11])
def test_the_planes_of_hex_are_the_stones_of_each_player_without_what_they_are_joined_to(size: int) -> None:
    for ours, theirs in positions(games.Hex(size), f"hex(board_size={size})"):
        for player in range(2):
            first, second, empty = by_player(ours.observation_tensor(player), player)
            planes = tensor(theirs, player)  # four kinds of the second's stones, empty cells, four of the first's
            assert np.array_equal([second, empty, first], [planes[:4].sum(0), planes[4], planes[5:].sum(0)])


def test_kuhn_poker_shows_the_card_and_by_the_betting_what_each_has_put_in() -> None:
    peer = open_spiel.load_game("kuhn_poker")
    compared = 0
    for seed in range(30):
        ours = games.KuhnPoker().new_initial_state(seed)
        theirs = peer.new_initial_state()
        for card in ours.array[2:]:
            theirs.apply_action(int(card))
        draw = random.Random(seed)
        while True:
            for player in range(2):
                seen = ours.observation_tensor(player)
                bets = seen[5:11].reshape(3, 2)[:, 1]
                put_in = [1 + bets[0] + bets[2], 1 + bets[1]]
                assert tensor(theirs, player).tolist() == [*seen[:5], *put_in]
                compared += 1
            if ours.is_terminal():
                break
            action = draw.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)
    assert compared > 150


def test_leduc_poker_shows_the_ranks_of_the_cards_and_the_pot() -> None:
    game, peer = games.LeducPoker(), open_spiel.load_game("leduc_poker")
    draw, compared = random.Random(0), 0
    while compared < POSITIONS:
        ours, theirs = game.new_initial_state(seed=compared), peer.new_initial_state()
        first, second = (int(rank) for rank in ours.array[7:])
        theirs.apply_action(2 * first)
        theirs.apply_action(2 * second + (1 if first == second else 0))
        while not ours.is_terminal():
            for player in range(2):
                seen, tensor_seen = ours.observation_tensor(player), tensor(theirs, player)
                ranks = tensor_seen[2:14].reshape(6, 2).sum(1)  # two suits of three ranks, in hand and on the table
                chips = np.rint(13 * seen[32:34])
                in_pot = chips if player == 0 else chips[::-1]
                assert [*seen[:8], *in_pot] == [*tensor_seen[:2], *ranks, *tensor_seen[14:]]
                compared += 1
            action = draw.choice(ours.legal_actions())
            if ours.is_chance_node():
                theirs.apply_action(next(card for card in theirs.legal_actions() if card // 2 == action))
            else:
                theirs.apply_action(action)
            ours.apply_action(action)


def test_liars_dice_shows_the_die_and_the_bids() -> None:
    game, peer = games.LiarsDice(), open_spiel.load_game("liars_dice")
    draw, compared = random.Random(0), 0
    while compared < POSITIONS:
        ours, theirs = game.new_initial_state(seed=compared), peer.new_initial_state()
        for face in ours.array[game.rolled :]:
            theirs.apply_action(int(face) - 1)
        while not ours.is_terminal():
            for player in range(2):
                seen = ours.observation_tensor(player)
                who, bids = [1 - player, player], seen[:12] + seen[12:24]
                # Their observation has the last two bids only, their information state all of them.
                assert theirs.information_state_tensor(player) == [*who, *seen[24:30], *bids, seen[-1]]
                compared += 1
            action = draw.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)


def test_pig_shows_the_sum_of_the_turn_and_all_scores() -> None:
    peer, game = open_spiel.load_game("pig"), games.Pig()
    draw, compared = random.Random(0), 0
    while compared < POSITIONS:
        ours, theirs = game.new_initial_state(seed=0), peer.new_initial_state()
        while not ours.is_terminal():
            for player in range(2):
                seen = ours.observation_tensor(player)
                own, other, turn_sum = np.rint(100 * seen[[0, 1, 4]]).astype(int)
                scores = [own, other] if player == 0 else [other, own]
                assert np.argmax(tensor(theirs, player), axis=1).tolist() == [turn_sum, *scores]
                compared += 1
            action = draw.choice(ours.legal_actions())
            ours.apply_action(action)
            theirs.apply_action(action)


def test_2048_shows_the_tiles() -> None:
    peer, game = open_spiel.load_game("2048"), games.Twenty48()
    draw = random.Random(0)
    ours, theirs = game.new_initial_state(), peer.new_initial_state()
    for _ in range(POSITIONS):
        if ours.is_terminal():
            ours, theirs = game.new_initial_state(), peer.new_initial_state()
        seen = ours.observation_tensor(0)
        values = np.array([0, *(2**exponent for exponent in range(1, 12))])
        assert np.array_equal(np.tensordot(values, seen[:12], 1), tensor(theirs, 0))
        assert (seen[-1] == (ours.current_player() != CHANCE)).all()
        action = draw.choice(theirs.legal_actions())  # OpenSpiel 2.0 leaves out some that merge tiles
        ours.apply_action(action)
        theirs.apply_action(action)
