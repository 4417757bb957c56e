"""The slow, obvious MCTS: objects and dicts, Python integers, one line for each line of a textbook.

It draws the same random numbers in the same order as the kernels, so that both must build the same tree.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
    outcome: list[float] | None = None  # every player's reward, where the game is over

    @property
    def mean(self) -> float:
        return self.value_sum / self.visits

    @property
    def tries(self) -> int:
        return self.visits - self.assumed


DEFAULT_C = 0.5

Score = Callable[[list[Node], Node], float]
Move = tuple[int, int]  # player, action


def uct(c: float) -> Score:
    return lambda path, child: child.mean + c * math.sqrt(math.log(path[-1].visits) / child.tries)


def ucb1(c: float) -> Score:
    return lambda path, child: child.mean + c * math.sqrt(2.0 * math.log(path[-1].visits) / child.tries)


def ucb1_tuned(path: list[Node], child: Node) -> float:
    share = math.log(path[-1].visits) / child.visits
    mean = child.mean
    variance = max(0.0, child.square_sum / child.visits - mean * mean) + math.sqrt(2.0 * share)
    return mean + math.sqrt(share * min(0.25, variance))


class Search:
    """Plain UCT; the strategies override one step each."""

    untried_first = True

    def __init__(
        self, state: fastmcts.State, seed: int, score: Score | None = None, max_length: float = math.inf
    ) -> None:
        self.state = state
        self.rng = Generator(seed)
        self.score = score or uct(DEFAULT_C)
        self.max_length = max_length
        self.root = Node(state.current_player())

    def run(self, simulations: int) -> Node:
        for _ in range(simulations):
            self.simulate()
        return self.root

    def simulate(self) -> None:
        state = self.state.clone()
        path, moves = [self.root], []
        fresh = False
        while not state.is_terminal() and not fresh:
            node = path[-1]
            if node.untried is None:
                node.untried = state.legal_actions() if state.is_chance_node() else self.arrange(state)
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
            state.apply_action(action)
            path.append(node.children[action])
        depth = len(moves)
        rewards = self.play_out(state, moves)
        for node in path:
            node.visits += 1
            node.value_sum += rewards[node.player]
        self.learn(path, moves, depth, rewards)

    def arrange(self, state: fastmcts.State) -> list[int]:
        return state.legal_actions()

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
        length = 0
        while not state.is_terminal() and length < self.max_length:
            action = self.draw(state) if state.is_chance_node() else self.rollout_action(state)
            moves.append((state.current_player(), action))
            state.apply_action(action)
            length += 1
        if not state.is_terminal():
            return [0.5] * state.game.num_players
        low, high = state.game.min_utility, state.game.max_utility
        return [(utility - low) / (high - low) for utility in state.returns()]

    def rollout_action(self, state: fastmcts.State) -> int:
        if state.game.has_chance:  # they draw nothing where there is one move
            return int(self.rng.lend(state.game.random_action, state.array, np.zeros(state.game.num_actions, np.int64)))
        legal = state.legal_actions()
        return legal[self.rng.below(len(legal))]

    def learn(self, path: list[Node], moves: list[Move], depth: int, rewards: list[float]) -> None:
        for node in path:
            node.square_sum += rewards[node.player] ** 2


class Prioritized(Search):
    def arrange(self, state: fastmcts.State) -> list[int]:
        actions = state.legal_actions()
        self.rng.shuffle(actions)
        promising = 0
        for index in range(len(actions)):
            if state.game.is_promising(state.array, actions[index]):
                actions[index], actions[promising] = actions[promising], actions[index]
                promising += 1
        return actions

    def choose(self, waiting: int) -> int:
        return 0

    def new_child(self, state: fastmcts.State, action: int) -> Node:
        if state.game.is_promising(state.array, action):
            return Node(state.current_player(), visits=1, value_sum=0.8, assumed=1)
        return Node(state.current_player())


class Puct(Search):
    untried_first = False

    def arrange(self, state: fastmcts.State) -> list[int]:
        actions = state.legal_actions()
        self.rng.shuffle(actions)
        return actions

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        assert node.untried is not None
        prior = 1.0 / (len(node.children) + len(node.untried))
        root = math.sqrt(node.visits)
        scores = {a: child.mean + 1.4 * prior * root / (1 + child.visits) for a, child in node.children.items()}
        scores |= dict.fromkeys(node.untried, 0.5 + 1.4 * prior * root)
        return max(scores, key=scores.__getitem__)


class Grave(Puct):
    """With the AMAF statistics of every move at each node, as published, not only of its children."""

    reference = 50

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        assert node.untried is not None
        ancestors = [other for other in path if other is self.root or other.visits >= self.reference]
        reference = ancestors[-1]
        here = {*reference.children, *(reference.untried or [])}
        scores = {}
        for action, child in node.children.items():
            score, others = child.mean, reference.amaf_visits.get(action, 0) if action in here else 0
            if others:
                weight = others / (others + child.visits + 1e-5 * others * child.visits)
                score = (1.0 - weight) * score + weight * reference.amaf_sum[action] / others
            scores[action] = score
        for action in node.untried:
            others = reference.amaf_visits.get(action, 0) if action in here else 0
            scores[action] = reference.amaf_sum[action] / others if others else 1.0
        return max(scores, key=scores.__getitem__)

    def learn(self, path: list[Node], moves: list[Move], depth: int, rewards: list[float]) -> None:
        for level in range(depth):
            node, (player, _) = path[level], moves[level]
            for action in {action for mover, action in moves[level:] if mover == player}:
                node.amaf_visits[action] = node.amaf_visits.get(action, 0) + 1
                node.amaf_sum[action] = node.amaf_sum.get(action, 0.0) + rewards[player]


class Mast(Search):
    def __init__(self, state: fastmcts.State, seed: int) -> None:
        super().__init__(state, seed)
        self.visits: dict[Move, int] = {}
        self.sums: dict[Move, float] = {}

    def rollout_action(self, state: fastmcts.State) -> int:
        if self.rng.unit() < 0.4:
            return super().rollout_action(state)
        player, best, best_record, equals = state.current_player(), -1, -1.0, 0
        for action in state.legal_actions():
            move = (player, action)
            record = self.sums[move] / self.visits[move] if move in self.visits else 1.0
            if record > best_record:
                best, best_record, equals = action, record, 1
            elif record == best_record:
                equals += 1
                if self.rng.below(equals) == 0:
                    best = action
        return best

    def learn(self, path: list[Node], moves: list[Move], depth: int, rewards: list[float]) -> None:
        for move in moves:
            self.visits[move] = self.visits.get(move, 0) + 1
            self.sums[move] = self.sums.get(move, 0.0) + rewards[move[0]]


class Decisive(Search):
    def rollout_action(self, state: fastmcts.State) -> int:
        player = state.current_player()
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_terminal() and child.returns()[player] == state.game.max_utility:
                return action
        return super().rollout_action(state)


class Solver(Search):
    """Bounds of every player's reward, computed anew from all finished games in the tree whenever they are needed."""

    def run(self, simulations: int) -> Node:
        for _ in range(simulations):
            if self.root.children:
                low, high = self.bounds(self.root)[next(iter(self.root.children.values())).player]
                if low == high:
                    break
            self.simulate()
        return self.root

    def bounds(self, node: Node) -> list[tuple[float, float]]:
        players = range(self.state.game.num_players)
        if node.outcome is not None:
            return [(reward, reward) for reward in node.outcome]
        if not node.children:
            return [(0.0, 1.0) for _ in players]
        below = [self.bounds(child) for child in node.children.values()]
        mover = next(iter(node.children.values())).player
        low = max(bounds[mover][0] for bounds in below)
        high = 1.0 if node.untried else max(bounds[mover][1] for bounds in below)
        if low == high:
            return list(max(below, key=lambda bounds: bounds[mover][0]))
        if len(players) == 2:
            return [(low, high) if player == mover else (1.0 - high, 1.0 - low) for player in players]
        possible = [bounds for bounds in below if bounds[mover][1] >= low]
        if node.untried:
            possible.append([(0.0, 1.0) for _ in players])
        found = [(min(b[player][0] for b in possible), max(b[player][1] for b in possible)) for player in players]
        found[mover] = (low, high)
        return found

    def choose_untried(self, state: fastmcts.State, node: Node) -> int:
        player = state.current_player()
        for index, action in enumerate(node.untried or []):
            child = state.child(action)
            if not node.children and child.is_terminal() and child.returns()[player] == state.game.max_utility:
                return index
        return super().choose_untried(state, node)

    def new_child(self, state: fastmcts.State, action: int) -> Node:
        node, child = super().new_child(state, action), state.child(action)
        if child.is_terminal():
            low, high = state.game.min_utility, state.game.max_utility
            node.outcome = [(utility - low) / (high - low) for utility in child.returns()]
        return node

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        player = next(iter(node.children.values())).player
        below = {action: self.bounds(child)[player] for action, child in node.children.items()}
        worst = self.bounds(node)[player][0]
        still_open = [action for action, (low, high) in below.items() if low < high and high > worst]
        if not still_open:
            return max(below, key=lambda action: below[action][0])
        return max(still_open, key=lambda action: self.score(path, node.children[action]))


class GamePolicy(Search):
    """The game's own rollout policy, which draws from the same generator."""

    def rollout_action(self, state: fastmcts.State) -> int:
        return int(self.rng.lend(state.game.rollout_action, state.array, np.zeros(state.game.num_actions, np.int64)))


class InformationSets(Search):
    """One world a simulation; moves compete where they are legal, and count how often they were available."""

    def __init__(self, state: fastmcts.State, seed: int, c: float = DEFAULT_C) -> None:
        super().__init__(state, seed)
        self.c = c
        self.observer = state.current_player()

    def simulate(self) -> None:
        state = self.start()
        path = [self.root]
        fresh = False
        while not state.is_terminal() and not fresh:
            node = path[-1]
            if state.is_chance_node():
                action, competing = self.draw(state), []
            else:
                legal = state.legal_actions()
                competing = [child for action, child in node.children.items() if action in legal]
                action = self.pick(node, legal)
            for child in competing:
                child.available += 1
            fresh = action not in node.children
            if fresh:
                player = node.player if state.is_chance_node() else state.current_player()
                node.children[action] = Node(player, available=1)
            state.apply_action(action)
            path.append(node.children[action])
            self.reply(state, path[-1])
        rewards = self.play_out(state, [])
        for node in path:
            node.visits += 1
            node.value_sum += rewards[node.player]

    def pick(self, node: Node, legal: list[int]) -> int:
        untried = [action for action in legal if action not in node.children]
        if untried:
            return untried[self.rng.below(len(untried))]

        def score(action: int) -> float:
            child = node.children[action]
            return child.mean + self.c * math.sqrt(math.log(child.available) / child.visits)

        return max((action for action in node.children if action in legal), key=score)

    def start(self) -> fastmcts.State:
        world = self.state.clone()
        self.rng.lend(world.game.determinize, world.array, self.observer)
        return world

    def reply(self, state: fastmcts.State, node: Node) -> None:
        pass

    def rollout_action(self, state: fastmcts.State) -> int:
        return int(self.rng.lend(state.game.random_action, state.array, np.zeros(state.game.num_actions, np.int64)))


class AllObservers(InformationSets):
    """A dict of information sets for each player, by what it knows; who tries something new rolls out from there."""

    def __init__(self, state: fastmcts.State, seed: int) -> None:
        super().__init__(state, seed)
        self.sets = {self.known(state): self.root}

    @staticmethod
    def known(state: fastmcts.State) -> tuple[int, str]:
        player = state.current_player()
        return player, state.information_state_string(player)

    def simulate(self) -> None:
        state = self.start()
        chosen: list[Node] = []
        inside = set(range(state.game.num_players))
        while not state.is_terminal() and inside:
            player = state.current_player()
            if state.is_chance_node():
                action = self.draw(state)
            elif player not in inside:
                action = self.rollout_action(state)
            else:
                node = self.sets.setdefault(self.known(state), Node(player))
                if node.untried is None:
                    node.untried = state.legal_actions()
                if node.untried:
                    action = self.take(node.untried, self.choose(len(node.untried)))
                    node.children[action] = Node(player)
                    inside.remove(player)
                else:
                    action = self.best([node])
                chosen += [node, node.children[action]]
            state.apply_action(action)
        rewards = self.play_out(state, [])
        for node in chosen:
            node.visits += 1
            node.value_sum += rewards[node.player]


class Resampled(InformationSets):
    """Single perspective, with replies drawn anew at each visit."""

    def reply(self, state: fastmcts.State, node: Node) -> None:
        while not state.is_terminal() and state.current_player() != self.observer:
            state.apply_action(self.draw(state) if state.is_chance_node() else self.rollout_action(state))


class SinglePerspective(Search):
    """Nodes only where one player moves; the replies to a move come from a seed that stays."""

    def simulate(self) -> None:
        state, player = self.state.clone(), self.state.current_player()
        path = [self.root]
        fresh = False
        while not state.is_terminal() and not fresh:
            node = path[-1]
            if node.untried is None:
                node.untried = self.arrange(state)
            action = self.take(node.untried, self.choose(len(node.untried))) if node.untried else self.best(path)
            fresh = action not in node.children
            if fresh:
                node.children[action] = Node(player)
            state.apply_action(action)
            path.append(node.children[action])
            if fresh:
                path[-1].seed = self.rng.bits() >> 1
            own, self.rng = self.rng, Generator(path[-1].seed)
            while not state.is_terminal() and state.current_player() != player:
                state.apply_action(self.draw(state) if state.is_chance_node() else self.rollout_action(state))
            self.rng = own
        rewards = self.play_out(state, [])
        for node in path:
            node.visits += 1
            node.value_sum += rewards[player]


class ExpandAll(Search):
    """Tiny's search: a leaf with a visit is expanded into all its children, one rollout each."""

    def simulate(self) -> None:
        state = self.state.clone()
        path = [self.root]
        while not state.is_terminal() and path[-1].children:
            action = self.best(path)
            state.apply_action(action)
            path.append(path[-1].children[action])
        leaf = path[-1]
        if state.is_terminal() or leaf.visits < 1:
            totals, count = self.play_out(state, []), 1
        else:
            leaf.untried, totals, count = [], [0.0] * state.game.num_players, 0
            for action in state.legal_actions():
                child = leaf.children[action] = Node(state.current_player(), visits=1)
                rewards = self.play_out(state.child(action), [])
                child.value_sum = rewards[child.player]
                totals = [total + reward for total, reward in zip(totals, rewards, strict=True)]
                count += 1
        for node in path:
            node.visits += count
            node.value_sum += totals[node.player]


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
