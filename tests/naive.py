"""The slow, obvious MCTS: objects and dicts, Python integers, one line for each line of a textbook.

It draws the same random numbers in the same order as the kernels, so that both must build the same tree.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import fastmcts
from fastmcts.tree import Tree, children

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


@dataclass
class Node:
    player: int
    visits: int = 0
    value_sum: float = 0.0
    untried: list[int] | None = None
    children: dict[int, "Node"] = field(default_factory=dict)


Score = Callable[[Node, Node], float]


def uct(c: float) -> Score:
    return lambda node, child: child.value_sum / child.visits + c * math.sqrt(math.log(node.visits) / child.visits)


def ucb1(c: float) -> Score:
    return lambda node, child: (
        child.value_sum / child.visits + c * math.sqrt(2.0 * math.log(node.visits) / child.visits)
    )


def search(state: fastmcts.State, simulations: int, seed: int, score: Score, max_length: float = math.inf) -> Node:
    rng = Generator(seed)
    root = Node(state.current_player())
    for _ in range(simulations):
        simulate(root, state.clone(), rng, score, max_length)
    return root


def simulate(root: Node, state: fastmcts.State, rng: Generator, score: Score, max_length: float) -> None:
    path = [root]
    while not state.is_terminal():
        node = path[-1]
        if node.untried is None:
            node.untried = state.legal_actions()
        if node.untried:
            index = rng.below(len(node.untried))
            node.untried[0], node.untried[index] = node.untried[index], node.untried[0]
            action = node.untried.pop(0)
            node.children[action] = Node(state.current_player())
            state.apply_action(action)
            path.append(node.children[action])
            break
        action = max(node.children, key=lambda action: score(node, node.children[action]))
        state.apply_action(action)
        path.append(node.children[action])
    rewards = play_out(state, rng, max_length)
    for node in path:
        node.visits += 1
        node.value_sum += rewards[node.player]


def play_out(state: fastmcts.State, rng: Generator, max_length: float) -> list[float]:
    length = 0
    while not state.is_terminal() and length < max_length:
        legal = state.legal_actions()
        state.apply_action(legal[rng.below(len(legal))])
        length += 1
    if not state.is_terminal():
        return [0.5] * state.game.num_players
    low, high = state.game.min_utility, state.game.max_utility
    return [(utility - low) / (high - low) for utility in state.returns()]


def assert_same_tree(tree: Tree, index: int, node: Node) -> None:
    """Every node has the same action, player, visits and value, in the same order, to the last bit."""
    assert tree.visits[index] == node.visits
    assert tree.value_sum[index] == node.value_sum
    assert tree.player[index] == node.player
    indices = list(children(tree, index))
    assert [int(tree.action[child]) for child in indices] == list(node.children)
    first, count = tree.first_child[index], tree.num_children[index]
    waiting = tree.action[first + len(indices) : first + count] if count else np.array([], np.int32)
    assert waiting.tolist() == (node.untried or [])
    for child, other in zip(indices, node.children.values(), strict=True):
        assert_same_tree(tree, child, other)
