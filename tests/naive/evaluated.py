"""The slow, obvious search by an evaluator: objects and dicts, one leaf at a time or several that wait together."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import fastmcts
from fastmcts.core.tree import Tree, children
from tests.naive.search import Generator


@dataclass
class Judged:
    player: int
    visits: int = 0
    pending: int = 0
    value_sum: float = 0.0
    estimate: float = 0.0
    priors: dict[int, float] | None = None
    children: dict[int, "Judged"] = field(default_factory=dict)
    waits: bool = False


class EvaluatedSearch:
    """PUCT with a network that is asked about `batch_size` distinct leaves at a time."""

    def __init__(self, state: fastmcts.State, seed: int, selection: fastmcts.PUCT, evaluate: Any, batch_size: int = 1):
        self.state, self.rng, self.rule, self.evaluate = state, Generator(seed), selection, evaluate
        self.batch_size = batch_size
        self.root = Judged(state.current_player())

    def run(self, simulations: int) -> Judged:
        self.ask([([self.root], self.state.clone())])
        done = 0
        while done < simulations:
            waiting, met = [], []
            while len(waiting) < self.batch_size and done < simulations:
                path, state = self.descend()
                if path[-1].waits:
                    if len(met) == self.batch_size:
                        break
                    met.append(path)
                    self.count_pending(path, 1)
                    continue
                done += 1
                if state.is_terminal():
                    self.back_up(path, [self.reward(utility) for utility in state.returns()], 1)
                    continue
                self.count_pending(path, 1)
                path[-1].waits = True
                waiting.append((path, state))
            for path in met:
                self.count_pending(path, -1)
            self.ask(waiting, visits=0)
        return self.root

    def reward(self, utility: float) -> float:
        low, high = self.state.game.min_utility, self.state.game.max_utility
        return (utility - low) / (high - low)

    def descend(self) -> tuple[list[Judged], fastmcts.State]:
        state, path = self.state.clone(), [self.root]
        while not state.is_terminal():
            node = path[-1]
            if state.is_chance_node():
                remaining = self.rng.unit()
                *others, (action, _) = state.chance_outcomes()
                for outcome, probability in others:
                    remaining -= probability
                    if remaining < 0.0:
                        action = outcome
                        break
                node.children.setdefault(action, Judged(node.player))
            elif node.priors is None:
                break
            else:
                action = self.best(node, node is self.root)
            path.append(node.children[action])
            state.apply_action(action)
        return path, state

    def best(self, node: Judged, is_root: bool) -> int:
        rule, priors = self.rule, node.priors
        assert priors is not None
        weight = rule.c
        if rule.c_init is not None:
            weight = rule.c_init + math.log((node.visits + rule.c_base + 1.0) / rule.c_base)
        exploration = weight * math.sqrt(node.visits + rule.offset)
        number = float if rule.by_node else np.float32
        urgency: Any = rule.first_play
        if rule.fpu_reduction is not None:
            total, count, tried = node.estimate, 1, 0.0
            for action, child in node.children.items():
                if child.visits:
                    rewarded = child.visits - child.pending
                    total, count, tried = total + child.value_sum, count + rewarded, tried + priors[action]
            urgency = total / count - rule.fpu_reduction * math.sqrt(tried)
        scores = {}
        for action, child in node.children.items():
            visits, prior = number(child.visits), number(priors[action])
            averaged = number(max(1, child.visits - child.pending))
            value = number(child.value_sum) / averaged if child.visits else number(urgency)
            scores[action] = value + number(exploration) * prior / (number(1.0) + visits)
            if is_root and 0 < child.visits < math.sqrt(rule.forced_playouts * priors[action] * node.visits):
                scores[action] = number(math.inf)
        return max(scores, key=scores.__getitem__)

    def ask(self, waiting: list[tuple[list[Judged], fastmcts.State]], visits: int = 1) -> None:
        if not waiting:
            return
        states = [state for _, state in waiting]
        observations = np.array([state.observation_tensor() for state in states])
        policies, values = self.evaluate(observations, np.array([state.legal_actions_mask() for state in states]))
        for (path, state), policy, value in zip(waiting, policies, values, strict=True):
            leaf, player, legal = path[-1], state.current_player(), state.legal_actions()
            total = 0.0
            for action in legal:
                total += float(policy[action])
            leaf.priors = {action: float(policy[action]) / total for action in legal}
            leaf.children = {action: Judged(player) for action in legal}
            leaf.waits = False
            for node in path:
                node.pending -= 1 - visits
            if np.ndim(value) == 0:
                reward = self.reward(float(value))
                rewards = [reward if other == player else 1.0 - reward for other in range(state.game.num_players)]
            else:
                rewards = [self.reward(float(utility)) for utility in value]
            leaf.estimate = rewards[player]
            self.back_up(path, rewards, visits)

    def count_pending(self, path: list[Judged], count: int) -> None:
        for node in path:
            node.visits += count
            node.pending += count

    def back_up(self, path: list[Judged], rewards: list[float], visits: int) -> None:
        for node in path:
            node.visits += visits
            node.value_sum += rewards[node.player]


def assert_same_judgement(tree: Tree, index: int, node: Judged) -> None:
    """Every node has the same player, visits, value, estimate and prior, to the last bit."""
    assert tree.visits[index] == node.visits
    assert tree.value_sum[index] == node.value_sum
    assert tree.player[index] == node.player
    assert tree.estimate[index] == node.estimate
    below = {int(tree.action[child]): child for child in children(tree, index)}
    assert set(below) == set(node.children)
    for action, child in node.children.items():
        if node.priors is not None:
            assert tree.prior[below[action]] == node.priors[action]
        assert_same_judgement(tree, below[action], child)
