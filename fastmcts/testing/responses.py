"""How much can be won from a policy by somebody who knows it? Exact, by a walk over the whole tree of a game.

A *policy* says how likely each action is where a player has to choose. It is one of

- a function of what the player to move knows: a view (`State.view`), or, in a game without views, a position that the
  player cannot tell from the real one; it returns float64 [num_actions], 0 for whatever is not legal;
- a policy with a method `many`, which is asked for a list of such states at once and returns a list of such arrays;
- a mapping from `information_state_string` to such arrays.

So `lambda view: fastmcts.search(view, simulations=100, seed=0).policy` is a policy.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import wrapping_integers
from fastmcts.core.constants import CHANCE, TERMINAL
from fastmcts.core.types import Position
from fastmcts.core.validate import whole_number
from fastmcts.errors import GameError
from fastmcts.game import Game
from fastmcts.state import State

Probabilities = NDArray[np.float64]  # [num_actions]


@runtime_checkable
class ManyAtOnce(Protocol):
    """A policy that is asked for many states at once."""

    def many(self, states: list[State]) -> Sequence[Any]:
        """The chances of all actions in each of the states."""
        ...


Policy = Callable[[State], Any] | ManyAtOnce | Mapping[str, Any]

MOST_POSITIONS = 10_000_000  # of a tree: more would take gigabytes
TOLERANCE = 1e-6  # of probabilities, which are to sum to 1


class BestResponse(NamedTuple):
    """What to play against a policy.

    Attributes:
        value: What it wins on average, in the units of the game.
        policy: By what the player knows (`information_state_string`), 1 for the action to play; float64 [num_actions].
    """

    value: float
    policy: dict[str, Probabilities]


@dataclass
class InformationSet:
    """What a player may know where it has to choose.

    Attributes:
        player: Who.
        state: A view of it, or a position, where the game has no views.
        text: Its `information_state_string`.
        actions: The legal actions, in ascending order.
        before: The player's last choice: the number of its information set and of the action; None for its first one.
        nodes: The positions that look like that.
    """

    player: int
    state: State
    text: str
    actions: list[int]
    before: tuple[int, int] | None
    nodes: list[int] = field(default_factory=list)


def exploitability(game: Game, policy: Policy) -> float:
    """How much a policy loses, on average of both seats, to an opponent who knows it and plays its best.

    It is 0 for an equilibrium and above 0 for any other policy, in the units of the game: half of what is also called
    NashConv. Every position of the game is visited, so that this is for small games; `GameTree` keeps them for many
    policies.

    Args:
        game: For two players, one of whom gains what the other loses.
        policy: For both players; see `fastmcts.testing.responses`.
    """
    return GameTree(game).exploitability(policy)


def best_response(game: Game, policy: Policy, player: int) -> BestResponse:
    """What a player wins who knows the policy of its opponent, and how.

    Args:
        game: For two players, one of whom gains what the other loses.
        policy: Of the opponent.
        player: Who plays its best.
    """
    return GameTree(game).best_response(policy, player)


def uniform_policy(state: State) -> Probabilities:
    """All legal actions alike."""
    policy = np.zeros(state.game.num_actions)
    policy[state.legal_actions()] = 1 / len(state.legal_actions())
    return policy


class GameTree:
    """Every position of a small game for two players, with what each of them knows there.

    Attributes:
        game: The game.
        sets: The information sets, in the order in which they were found.
    """

    def __init__(self, game: Game) -> None:
        if game.num_players != 2 or not game.constant_sum:
            raise ValueError(
                f"exploitability is about two players, one of whom gains what the other loses, and not about {game!r}"
            )
        if game.pays_rewards:
            raise ValueError(f"exploitability is about the utility at the end, and {game.name} pays rewards on the way")
        self.game = game
        self.total = game.min_utility + game.max_utility
        self.sets: list[InformationSet] = []
        self.numbers: dict[tuple[int, bytes], int] = {}  # of information sets, by player and what it knows
        # Of each position, a child after its parent:
        self.set_of: list[int] = []  # the information set; CHANCE or TERMINAL
        self.children: list[list[int]] = []
        self.chances: list[list[float]] = []  # of the children, where chance decides
        self.utility: list[float] = []  # of player 0, where the game is over
        self.deals: list[tuple[int, float]] = []
        with wrapping_integers():
            self.walk()

    @property
    def num_positions(self) -> int:
        """How many positions the tree has."""
        return len(self.set_of)

    # ---- The walk

    def walk(self) -> None:
        """Find all positions, from every deal on."""
        for position, chance in self.game.deals():
            node = self.add_node()
            self.deals.append((node, float(chance)))
            waiting: list[tuple[int, Position, tuple[Any, Any]]] = [(node, position, (None, None))]
            while waiting:
                waiting.extend(self.visit(*waiting.pop()))
        total = sum(chance for _, chance in self.deals)
        if abs(total - 1.0) > TOLERANCE:
            raise GameError(f"{self.game.name}: the chances of all deals are to sum to 1, not {total}")

    def add_node(self) -> int:
        """A place for one more position."""
        if len(self.set_of) == MOST_POSITIONS:
            raise ValueError(f"{self.game!r} has more than {MOST_POSITIONS:,} positions: too many to visit them all")
        self.set_of.append(TERMINAL)
        self.children.append([])
        self.chances.append([])
        self.utility.append(0.0)
        return len(self.set_of) - 1

    def visit(
        self, node: int, position: Position, last: tuple[Any, Any]
    ) -> list[tuple[int, Position, tuple[Any, Any]]]:
        """Note what a position is; return the positions after it, each with the last choices of both players."""
        state = self.game.new_state(position)
        player = int(self.game.current_player(position))
        if player == TERMINAL:
            self.utility[node] = state.returns()[0]
            return []
        if player == CHANCE:
            outcomes = state.chance_outcomes()
            self.set_of[node] = CHANCE
            self.chances[node] = [chance for _, chance in outcomes]
            actions = [outcome for outcome, _ in outcomes]
        else:
            number = self.number_of(state, player, last[player])
            actions = self.sets[number].actions
            self.set_of[node] = number
            self.sets[number].nodes.append(node)
        after = []
        for index, action in enumerate(actions):
            child = self.add_node()
            self.children[node].append(child)
            following = position.copy()
            self.game.apply(following, action)
            choices = last
            if player >= 0:
                choice = (self.set_of[node], index)
                choices = (choice, last[1]) if player == 0 else (last[0], choice)
            after.append((child, following, choices))
        return after

    def number_of(self, state: State, player: int, before: tuple[int, int] | None) -> int:
        """The number of the information set of the player to move; GameError if it has forgotten something."""
        known = np.zeros(self.game.state_size, np.int64)
        self.game.observe(state.array, player, known)
        number = self.numbers.setdefault((player, known.tobytes()), len(self.sets))
        if number == len(self.sets):
            shown = state.view(player) if self.game.supports_views else state.clone()
            text = state.information_state_string(player)
            self.sets.append(InformationSet(player, shown, text, state.legal_actions(), before))
        elif self.sets[number].before != before:
            raise GameError(
                f"{self.game.name}: player {player} forgets what it chose: observe is the same after different choices"
                f" of its own, in {str(state)!r}"
            )
        return number

    # ---- Policies

    def table(self, policy: Policy) -> list[list[float]]:
        """For each information set the chances of its actions, checked."""
        if isinstance(policy, Mapping):
            answers: Sequence[Any] = [self.looked_up(policy, found) for found in self.sets]
        elif isinstance(policy, ManyAtOnce):
            answers = policy.many([found.state.clone() for found in self.sets])
        else:
            answers = [policy(found.state.clone()) for found in self.sets]
        return [self.checked(found, answer) for found, answer in zip(self.sets, answers, strict=True)]

    def looked_up(self, policy: Mapping[str, Any], found: InformationSet) -> Any:
        """What a table says."""
        if found.text not in policy:
            raise ValueError(f"the policy says nothing about {found.text!r}, which is {str(found.state)!r}")
        return policy[found.text]

    def checked(self, found: InformationSet, answer: Any) -> list[float]:
        """The chances of the legal actions, or ValueError."""
        chances = np.asarray(answer, np.float64)
        if chances.shape != (self.game.num_actions,):
            raise ValueError(f"a policy of {self.game.name} has shape ({self.game.num_actions},), not {chances.shape}")
        legal = chances[found.actions]
        if not (chances >= 0.0).all() or abs(chances.sum() - 1.0) > TOLERANCE or abs(legal.sum() - 1.0) > TOLERANCE:
            raise ValueError(
                f"a policy has chances that sum to 1, over the legal actions {found.actions} in {str(found.state)!r},"
                f" not {chances.tolist()}"
            )
        return (legal / legal.sum()).tolist()

    # ---- Best responses

    def exploitability(self, policy: Policy) -> float:
        """How much a policy loses, on average of both seats, to an opponent who knows it."""
        table = self.table(policy)
        return (Responder(self, table, 0).value() + Responder(self, table, 1).value() - self.total) / 2

    def best_response(self, policy: Policy, player: int) -> BestResponse:
        """What a player wins who knows the policy of its opponent, and how."""
        player = whole_number("player", player, low=0, high=1)
        responder = Responder(self, self.table(policy), player)
        value = responder.value()
        response: dict[str, Probabilities] = {}
        for number, found in enumerate(self.sets):
            if found.player == player:
                chosen = np.zeros(self.game.num_actions)
                chosen[found.actions[responder.best_index(number)]] = 1.0
                response[found.text] = chosen
        return BestResponse(value, response)


class Responder:
    """A player who knows the policy of its opponent."""

    def __init__(self, tree: GameTree, table: list[list[float]], player: int) -> None:
        self.tree = tree
        self.table = table
        self.player = player
        self.values: list[float | None] = [None] * tree.num_positions  # what each position is worth to the player
        self.choices: dict[int, int] = {}  # by information set
        self.reach = self.reached()

    def chances_at(self, node: int) -> list[float] | None:
        """How likely each child is; None where the player itself chooses."""
        number = self.tree.set_of[node]
        if number == CHANCE:
            return self.tree.chances[node]
        return None if self.tree.sets[number].player == self.player else self.table[number]

    def reached(self) -> list[float]:
        """How likely each position is, if the player does what it can to get there."""
        reach = [0.0] * self.tree.num_positions
        for node, chance in self.tree.deals:
            reach[node] = chance
        for node, children in enumerate(self.tree.children):
            if children:
                chances = self.chances_at(node)
                for index, child in enumerate(children):
                    reach[child] = reach[node] if chances is None else reach[node] * chances[index]
        return reach

    def value(self) -> float:
        """What the player wins on average."""
        return sum(chance * self.value_of(node) for node, chance in self.tree.deals)

    def value_of(self, node: int) -> float:
        """What a position is worth, if the player goes on as well as it can."""
        value = self.values[node]
        if value is None:
            value = self.values[node] = self.found_value(node)
        return value

    def found_value(self, node: int) -> float:
        """The same, computed."""
        children = self.tree.children[node]
        if not children:
            utility = self.tree.utility[node]
            return utility if self.player == 0 else self.tree.total - utility
        chances = self.chances_at(node)
        if chances is None:
            return self.value_of(children[self.best_index(self.tree.set_of[node])])
        return sum(chance * self.value_of(child) for chance, child in zip(chances, children, strict=True) if chance > 0)

    def best_index(self, number: int) -> int:
        """Which action of an information set is worth the most, over all positions that look like it."""
        if number not in self.choices:
            nodes = self.tree.sets[number].nodes
            worth = [
                sum(self.reach[node] * self.value_of(self.tree.children[node][index]) for node in nodes)
                for index in range(len(self.tree.sets[number].actions))
            ]
            self.choices[number] = worth.index(max(worth))
        return self.choices[number]
