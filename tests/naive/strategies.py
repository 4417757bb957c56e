"""Every rule for selection, expansion, rollouts and proofs, as changes to the naive search."""

import math

import numpy as np

import fastmcts
from tests.naive.search import Move, Node, Search


class Prioritized(Search):
    def arrange(self, state: fastmcts.State) -> list[int]:
        actions = super().arrange(state)
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

    def lay_out(self, state: fastmcts.State, node: Node) -> None:
        if state.is_chance_node():
            return
        assert node.untried is not None
        weights = np.zeros(len(node.untried))
        state.game.prior(state.array, np.array(node.untried), len(weights), weights)
        node.priors = dict(zip(node.untried, weights.tolist(), strict=True))

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        assert node.untried is not None
        exploration = np.float32(1.4 * math.sqrt(node.visits))
        bonuses = {action: exploration * np.float32(prior) for action, prior in node.priors.items()}
        scores = {a: child.mean + bonuses[a] / (np.float32(1.0) + child.tries) for a, child in node.children.items()}
        scores |= {a: np.float32(0.5) + bonuses[a] for a in node.untried}
        return max(scores, key=scores.__getitem__)


class PrioritizedPuct(Prioritized, Puct):
    """Promising moves first among those with equal scores, with initial optimism."""


class Grave(Puct):
    """With the AMAF statistics of every move at each node, as published, not only of its children."""

    reference = 50

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        assert node.untried is not None
        chosen_at = [other for other in path if other.priors]  # not where chance decides
        ancestors = [other for other in chosen_at if other is self.root or other.visits >= self.reference]
        reference = ancestors[-1]
        here = {*reference.children, *(reference.untried or [])}
        scores = {}
        for action, child in node.children.items():
            score, others = (
                child.value_sum / child.visits,
                reference.amaf_visits.get(action, 0) if action in here else 0,
            )
            if others:
                weight = others / (others + child.visits + 1e-5 * others * child.visits)
                score = (1.0 - weight) * score + weight * reference.amaf_sum[action] / others
            scores[action] = score
        for action in node.untried:
            others = reference.amaf_visits.get(action, 0) if action in here else 0
            scores[action] = reference.amaf_sum[action] / others if others else 1.0
        return max(scores, key=scores.__getitem__)

    def learn(self, path: list[Node], moves: list[Move], depth: int, returns: list[list[float]]) -> None:
        for level in range(depth):
            node, (player, _) = path[level], moves[level]
            for action in {action for mover, action in moves[level:] if mover == player}:
                node.amaf_visits[action] = node.amaf_visits.get(action, 0) + 1
                node.amaf_sum[action] = node.amaf_sum.get(action, 0.0) + returns[level][player]


class Smooth(Search):
    """Sometimes the best, else what was chosen on average so far; may stand before another search, too."""

    most, least, decay = 0.9, 0.1, 0.001

    def best(self, path: list[Node]) -> int:
        node = path[-1]
        if self.rng.unit() < max(self.least, self.most / (1 + self.decay * math.sqrt(node.visits))):
            return super().best(path)
        drawn = self.rng.below(sum(int(child.tries) for child in node.children.values()))
        for action, child in node.children.items():
            drawn -= int(child.tries)
            if drawn < 0:
                return action
        raise AssertionError("somebody was tried")


class Mast(Search):
    def __init__(self, state: fastmcts.State, seed: int, discount: float = 1.0) -> None:
        super().__init__(state, seed, discount=discount)
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

    def learn(self, path: list[Node], moves: list[Move], depth: int, returns: list[list[float]]) -> None:
        for move in moves:
            self.visits[move] = self.visits.get(move, 0) + 1
            self.sums[move] = self.sums.get(move, 0.0) + returns[0][move[0]]


class Decisive(Search):
    def rollout_action(self, state: fastmcts.State) -> int:
        player = state.current_player()
        for action in state.legal_actions():
            child = state.child(action)
            if child.is_terminal() and child.returns()[player] == state.game.max_utility:
                return action
        legal = state.legal_actions()
        return legal[self.rng.below(len(legal))]


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

    policy = "rollout_action"

    def rollout_action(self, state: fastmcts.State) -> int:
        policy = getattr(state.game, self.policy)
        return int(self.rng.lend(policy, state.array, np.zeros(state.game.num_actions, np.int64)))


class CarefulPolicy(GamePolicy):
    """The game's second policy."""

    policy = "careful_action"


class ExpandAll(Search):
    """A leaf with a visit, and the root at once, is expanded into all its children, one rollout each."""

    def simulate(self) -> None:
        state = self.state.clone()
        path, stretches = [self.root], []
        fresh = False
        while not state.is_terminal() and not fresh and (state.is_chance_node() or path[-1].children):
            node = path[-1]
            if state.is_chance_node():
                action = self.draw(state)
                node.untried = state.legal_actions() if node.untried is None else node.untried
                fresh = action not in node.children
                if fresh:
                    self.take(node.untried, node.untried.index(action))
                    node.children[action] = Node(node.player)
            else:
                action = self.best(path)
            self.begin_stretch()
            self.make_move(state, action)
            stretches.append(self.stretch)
            path.append(node.children[action])
        leaf = path[-1]
        if state.is_terminal() or (leaf.visits < 1 and leaf is not self.root):
            rewards = self.play_out(state, [])
            self.back_up(path, self.returns(stretches, rewards, state.is_terminal()))
            return
        if state.game.pays_rewards:
            leaf.untried = []
            for action in state.legal_actions():
                child = leaf.children[action] = Node(state.current_player())
                after = state.clone()
                self.begin_stretch()
                self.make_move(after, action)
                below = [*stretches, self.stretch]
                rewards = self.play_out(after, [])
                self.back_up([*path, child], self.returns(below, rewards, after.is_terminal()))
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
