"""The slow, obvious MCTS: objects and dicts, Python integers, one line for each line of a textbook.

It draws the same random numbers in the same order as the kernels, so that both must build the same tree. Sums are
float64; scores are float32, but for rules that are written for one child.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fastmcts
from fastmcts.core.tree import Tree, children

MASK = 2**64 - 1


def mix(number: int) -> int:
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


class Generator:
    def __init__(self, seed: int) -> None:
        self.counter = mix(seed + 0x9E3779B97F4A7C15 & MASK)
        self.step = mix(self.counter ^ 0x9E3779B97F4A7C15) | 1

    def bits(self) -> int:
        self.counter = self.counter + self.step & MASK
        return mix(self.counter)

    def below(self, bound: int) -> int:
        return (self.bits() >> 32) * bound >> 32

    def unit(self) -> float:
        return (self.bits() >> 11) / 2**53

    def lend(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Let a rule of a game draw from this generator, its last argument."""
        rng = np.array([self.counter, self.step], np.uint64)
        with np.errstate(over="ignore"):
            answer = function(*arguments, rng)
        self.counter = int(rng[0])
        return answer

    def shuffle(self, items: list[int]) -> None:
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]


@dataclass
class Node:
    player: int
    visits: int = 0
    value_sum: float = 0.0
    square_sum: float = 0.0
    untried: list[int] | None = None
    children: dict[int, "Node"] = field(default_factory=dict)
    amaf_visits: dict[int, int] = field(default_factory=dict)
    amaf_sum: dict[int, float] = field(default_factory=dict)
    available: int = 0
    seed: int = 0
    assumed: int = 0
    priors: dict[int, float] = field(default_factory=dict)
    outcome: list[float] | None = None  # every player's reward, where the game is over

    @property
    def mean(self) -> np.float32:
        return np.float32(self.value_sum) / np.float32(self.visits)

    @property
    def tries(self) -> np.float32:
        return np.float32(self.visits - self.assumed)


@dataclass
class Stretch:
    """What the moves from one node to the next pay each player, and by how much all that is later counts."""

    paid: list[float]
    factor: float = 1.0


DEFAULT_C = 0.5

Score = Callable[[list[Node], Node], np.float32]
Move = tuple[int, int]  # player, action


def uct(c: float) -> Score:
    return lambda path, child: child.mean + np.sqrt(np.float32(c**2 * math.log(path[-1].visits)) / child.tries)


def ucb1(c: float) -> Score:
    return lambda path, child: child.mean + np.sqrt(np.float32(2.0 * c**2 * math.log(path[-1].visits)) / child.tries)


def ucb1_tuned(path: list[Node], child: Node) -> np.float32:
    share = np.float32(math.log(path[-1].visits)) / child.tries
    mean = child.mean
    variance = max(np.float32(child.square_sum) / np.float32(child.visits) - mean * mean, np.float32(0.0))
    return mean + np.sqrt(share * min(variance + np.sqrt(np.float32(2.0) * share), np.float32(0.25)))


class Search:
    """Plain UCT; the strategies override one step each."""

    untried_first = True

    def __init__(
        self,
        state: fastmcts.State,
        seed: int,
        score: Score | None = None,
        max_length: float = math.inf,
        discount: float = 1.0,
    ) -> None:
        self.state = state
        self.rng = Generator(seed)
        self.score = score or uct(DEFAULT_C)
        self.max_length = max_length
        self.discount = discount  # in games that pay rewards on the way
        self.stretch = Stretch([])
        self.root = Node(state.current_player())

    def run(self, simulations: int) -> Node:
        for _ in range(simulations):
            self.simulate()
        return self.root

    def simulate(self) -> None:
        state = self.state.clone()
        path, moves, stretches = [self.root], [], []
        fresh = False
        while not state.is_terminal() and not fresh:
            node = path[-1]
            if node.untried is None:
                node.untried = state.legal_actions() if state.is_chance_node() else self.arrange(state)
                self.lay_out(state, node)
            if state.is_chance_node():
                action = self.draw(state)
                if action in node.untried:
                    self.take(node.untried, node.untried.index(action))
            elif node.untried and self.untried_first:
                action = self.take(node.untried, self.choose_untried(state, node))
            else:
                action = self.best(path)
                if node.untried and action in node.untried:
                    self.take(node.untried, node.untried.index(action))
            fresh = action not in node.children
            if fresh:
                node.children[action] = Node(node.player) if state.is_chance_node() else self.new_child(state, action)
            moves.append((state.current_player(), action))
            self.begin_stretch()
            self.make_move(state, action)
            stretches.append(self.stretch)
            path.append(node.children[action])
        depth = len(moves)
        returns = self.returns(stretches, self.play_out(state, moves), state.is_terminal())
        self.back_up(path, returns)
        self.learn(path, moves, depth, returns)

    def begin_stretch(self) -> None:
        self.stretch = Stretch([0.0] * self.state.game.num_players)

    def make_move(self, state: fastmcts.State, action: int) -> None:
        """Add what a move pays to the stretch; the next decision, or the end, is one step later."""
        state.apply_action(action)
        self.stretch.paid = [
            p + self.stretch.factor * r for p, r in zip(self.stretch.paid, state.rewards(), strict=True)
        ]
        if not state.is_chance_node():
            self.stretch.factor *= self.discount

    def returns(self, stretches: list["Stretch"], rewards: list[float], is_over: bool) -> list[list[float]]:
        """For every stretch of a path each player's return from its start on, as rewards in [0, 1]."""
        game = self.state.game
        if not game.pays_rewards:
            return [rewards] * max(1, len(stretches))
        low, high = game.min_utility, game.max_utility
        found = []
        for stretch in reversed(stretches):
            rewards = [p + stretch.factor * later for p, later in zip(stretch.paid, rewards, strict=True)]
            found.append(rewards)
        scaled = [[(one - low) / (high - low) for one in rewards] for rewards in reversed(found or [rewards])]
        assert not is_over or all(-1e-6 <= one <= 1.0 + 1e-6 for rewards in scaled for one in rewards)
        return [[min(1.0, max(0.0, one)) for one in rewards] for rewards in scaled]

    def back_up(self, path: list[Node], returns: list[list[float]]) -> None:
        """The move to a node was worth what followed from where it was chosen."""
        for index, node in enumerate(path):
            node.visits += 1
            node.value_sum += returns[max(0, index - 1)][node.player]

    def arrange(self, state: fastmcts.State) -> list[int]:
        return state.legal_actions()

    def lay_out(self, state: fastmcts.State, node: Node) -> None:
        """Called for a node that has just got its moves."""

    def draw(self, state: fastmcts.State) -> int:
        remaining = self.rng.unit()
        *others, (last, _) = state.chance_outcomes()
        for outcome, probability in others:
            remaining -= probability
            if remaining < 0.0:
                return outcome
        return last

    def choose_untried(self, state: fastmcts.State, node: Node) -> int:
        return self.choose(len(node.untried or []))

    def choose(self, waiting: int) -> int:
        return self.rng.below(waiting)

    @staticmethod
    def take(untried: list[int], index: int) -> int:
        untried[0], untried[index] = untried[index], untried[0]
        return untried.pop(0)

    def new_child(self, state: fastmcts.State, action: int) -> Node:
        return Node(state.current_player())

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        return max(node.children, key=lambda action: self.score(path, node.children[action]))

    def play_out(self, state: fastmcts.State, moves: list[Move]) -> list[float]:
        self.begin_stretch()
        length = 0
        while not state.is_terminal() and length < self.max_length:
            action = self.draw(state) if state.is_chance_node() else self.rollout_action(state)
            moves.append((state.current_player(), action))
            self.make_move(state, action)
            length += 1
        utilities = np.zeros(state.game.num_players)
        if state.is_terminal():
            state.game.returns(state.array, utilities)
        else:
            state.game.evaluate(state.array, utilities)
        if state.game.pays_rewards:
            stretch = self.stretch
            return [p + stretch.factor * u for p, u in zip(stretch.paid, utilities.tolist(), strict=True)]
        low, high = state.game.min_utility, state.game.max_utility
        return [(utility - low) / (high - low) for utility in utilities.tolist()]

    def rollout_action(self, state: fastmcts.State) -> int:
        if state.game.overrides("random_action"):  # it may draw other numbers for the same chances
            return int(self.rng.lend(state.game.random_action, state.array, np.zeros(state.game.num_actions, np.int64)))
        legal = state.legal_actions()
        return legal[self.rng.below(len(legal))]

    def learn(self, path: list[Node], moves: list[Move], depth: int, returns: list[list[float]]) -> None:
        for index, node in enumerate(path):
            node.square_sum += returns[max(0, index - 1)][node.player] ** 2


def assert_same_tree(tree: Tree, index: int, node: Node) -> None:
    """Every node has the same action, player, visits and value, in the same order, to the last bit."""
    assert tree.visits[index] == node.visits
    assert tree.value_sum[index] == node.value_sum
    assert tree.player[index] == node.player
    indices = list(children(tree, index))
    assert [int(tree.action[child]) for child in indices] == list(node.children)
    first, count = tree.first_child[index], tree.num_children[index]
    waiting = tree.action[first + len(indices) : first + count] if count else np.array([], np.int32)
    if tree.available.size > 0:
        assert [int(tree.available[child]) for child in indices] == [c.available for c in node.children.values()]
    else:
        assert waiting.tolist() == (node.untried or [])
    for child, other in zip(indices, node.children.values(), strict=True):
        assert_same_tree(tree, child, other)
