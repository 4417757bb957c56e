"""The naive search where a node stands for many positions, or for the moves of one player alone."""

import math

import numpy as np

import fastmcts
from tests.naive.search import DEFAULT_C, Generator, Node, Search


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

        def score(action: int) -> np.float32:
            child = node.children[action]
            return child.mean + np.sqrt(np.float32(self.c**2 * math.log(child.available)) / child.tries)

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
