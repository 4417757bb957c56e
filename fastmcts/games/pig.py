"""Pig, the dice game: roll on, or hold and keep what you have."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fastmcts.core.constants import CHANCE, NONE, TERMINAL
from fastmcts.core.types import Actions, Observation, Position, Rng, Utilities
from fastmcts.core.validate import whole_number
from fastmcts.game import Game
from fastmcts.rng import below
from fastmcts.strategies.rollout import RandomRollout
from fastmcts.strategies.selection import UCT

#: Where the parts of a position stand: who decides, whose turn it is, what the turn has gathered, how many
#: decisions have been made, who won, and each player's score.
PLAYER, TURN_PLAYER, TURN_TOTAL, DECISIONS, WINNER, SCORE = range(6)

ROLL, HOLD = 0, 1
FACES = 6


@dataclass(frozen=True)
class Pig(Game):
    """Roll as often as you like and then hold to score the sum; a 1 loses the turn and its sum.

    Args:
        target: The score that wins.
        num_players: How many play.
        horizon: After so many decisions without a winner the game is drawn, so that it always ends.

    Actions: 0 is `roll`, 1 is `hold`. Who would reach the target by holding can only hold. Chance outcomes
    0 to 5 are the faces 1 to 6. The winner gets 1 and all others together lose 1; a draw is 0 for all.

    Position: [who decides, whose turn, sum of the turn, decisions made, winner, scores...].
    """

    target: int = 100
    num_players: int = 2
    horizon: int = 1000

    num_actions = 2
    num_chance_outcomes = FACES

    def __post_init__(self) -> None:
        whole_number("target", self.target, low=1, high=1_000_000)
        whole_number("num_players", self.num_players, low=2, high=100)
        whole_number("horizon", self.horizon, low=1, high=1_000_000)

    @cached_property
    def state_size(self) -> int:
        """A score for each player behind the rest."""
        return SCORE + self.num_players

    @cached_property
    def max_game_length(self) -> int:
        """A roll of the die after each decision but the last."""
        return 2 * self.horizon - 1

    @cached_property
    def min_utility(self) -> float:
        """The losers share what the winner gets."""
        return -1.0 / (self.num_players - 1)

    def initial(self, state: Position, rng: Rng) -> None:
        """No scores; player 0 begins."""
        state[WINNER] = NONE

    def current_player(self, state: Position) -> int:
        """The player whose turn it is, or CHANCE while the die rolls."""
        return state[PLAYER]

    def must_hold(self, state: Position) -> bool:
        """Whether holding wins."""
        return state[SCORE + state[TURN_PLAYER]] + state[TURN_TOTAL] >= self.target

    def legal_actions(self, state: Position, actions: Actions) -> int:
        """Roll and hold, or only hold where that wins."""
        if self.must_hold(state):
            actions[0] = HOLD
            return 1
        actions[0] = ROLL
        actions[1] = HOLD
        return 2

    def random_action(self, state: Position, actions: Actions, rng: Rng) -> int:
        """Roll or hold with equal chances, where both are legal."""
        return HOLD if self.must_hold(state) else below(rng, 2)

    def chance_outcomes(
        self,
        state: Position,
        actions: Actions,
        probabilities: NDArray[np.float64],
    ) -> int:
        """A fair die."""
        for face in range(FACES):
            actions[face] = face
            probabilities[face] = 1.0 / FACES
        return FACES

    def apply(self, state: Position, action: int) -> None:
        """Take the die's outcome, or a player's decision."""
        if state[PLAYER] == CHANCE:
            if action == 0:
                self.end_turn(state)
            else:
                state[TURN_TOTAL] += action + 1
                state[PLAYER] = state[TURN_PLAYER]
            return
        state[DECISIONS] += 1
        if action == ROLL:
            state[PLAYER] = CHANCE
        else:
            state[SCORE + state[TURN_PLAYER]] += state[TURN_TOTAL]
            if state[SCORE + state[TURN_PLAYER]] >= self.target:
                state[WINNER] = state[TURN_PLAYER]
            self.end_turn(state)
        if state[WINNER] != NONE or state[DECISIONS] >= self.horizon:
            state[PLAYER] = TERMINAL

    def end_turn(self, state: Position) -> None:
        """Pass the die on."""
        state[TURN_TOTAL] = 0
        state[TURN_PLAYER] = (state[TURN_PLAYER] + 1) % self.num_players
        state[PLAYER] = state[TURN_PLAYER]

    def returns(self, state: Position, out: Utilities) -> None:
        """1 for the winner and -1 shared among the others, or 0 for all."""
        for player in range(self.num_players):
            if state[WINNER] == NONE:
                out[player] = 0.0
            else:
                out[player] = 1.0 if state[WINNER] == player else -1.0 / (self.num_players - 1)

    @property
    def recommended(self) -> dict[str, Any]:
        """No rollouts: the luck of a whole game hides what one decision is worth, the points so far do not."""
        return {"selection": UCT(c=0.2), "rollout": RandomRollout(max_length=0)}

    def evaluate(self, state: Position, out: Utilities) -> None:
        """A share of the winner's prize for what one has of all points, the turn's included."""
        points = state[TURN_TOTAL]
        for player in range(self.num_players):
            points += state[SCORE + player]
        for player in range(self.num_players):
            own = state[SCORE + player]
            if player == state[TURN_PLAYER]:
                own += state[TURN_TOTAL]
            # One point extra for each, so that nobody has a share of nothing.
            share = (own + 1) / (points + self.num_players)
            out[player] = self.min_utility + share * (self.max_utility - self.min_utility)

    @cached_property
    def observation_shape(self) -> tuple[int, ...]:
        """A score and a mark for each player, and three numbers."""
        return (2 * self.num_players + 3,)

    def observation(self, state: Position, player: int, out: Observation) -> None:
        """Scores and whose turn it is, from oneself on; the turn's sum; decisions made; 1 if the die rolls."""
        players = self.num_players
        for seat in range(players):
            other = (player + seat) % players
            out[seat] = state[SCORE + other] / self.target
            out[players + seat] = 1.0 if other == state[TURN_PLAYER] else 0.0
        out[2 * players] = state[TURN_TOTAL] / self.target
        out[2 * players + 1] = state[DECISIONS] / self.horizon
        out[2 * players + 2] = 1.0 if state[PLAYER] == CHANCE else 0.0

    def render(self, state: Position) -> str:
        """All scores, whose turn it is, and the sum of the turn."""
        scores = " ".join(str(score) for score in state[SCORE:])
        if state[PLAYER] == TERMINAL:
            end = "a draw" if state[WINNER] == NONE else f"player {state[WINNER]} wins"
            return f"scores {scores}; {end}"
        rolls = ", the die rolls" if state[PLAYER] == CHANCE else ""
        return f"scores {scores}; player {state[TURN_PLAYER]} has {state[TURN_TOTAL]} in this turn{rolls}"

    def action_to_string(self, state: Position, action: int) -> str:
        """`roll` or `hold`; for the die, the number it shows."""
        return str(action + 1) if state[PLAYER] == CHANCE else ("roll", "hold")[action]

    def check_state(self, state: Position) -> None:
        """Refuse players, scores and sums that no game can have."""
        player, turn_player, turn_total, decisions, winner = (int(entry) for entry in state[:SCORE])
        scores = [int(score) for score in state[SCORE:]]
        most = self.target + FACES - 1
        if not 0 <= turn_player < self.num_players:
            raise ValueError(f"the turn is that of a player from 0 to {self.num_players - 1}, not {turn_player}")
        if not all(0 <= score <= most for score in scores) or not 0 <= turn_total <= most:
            raise ValueError(f"scores and sums are from 0 to {most}, not {[*scores, turn_total]}")
        if not 0 <= decisions <= self.horizon:
            raise ValueError(f"the number of decisions is from 0 to {self.horizon}, not {decisions}")
        winners = [index for index, score in enumerate(scores) if score >= self.target]
        if winners not in ([], [winner]) or (not winners and winner != NONE):
            raise ValueError(f"with scores of {scores} the winner is not {winner}")
        over = bool(winners) or decisions == self.horizon
        if player not in ([TERMINAL] if over else [turn_player, CHANCE]):
            raise ValueError(f"it cannot be that {player} decides in this position")
        # Nobody rolls with enough to win, so the last roll began below the target.
        limit = self.target - 1 if player == CHANCE else most
        if not over and scores[turn_player] + turn_total > limit:
            raise ValueError(f"a sum of {turn_total} on top of {scores[turn_player]} cannot be")
