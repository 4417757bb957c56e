"""The naive search where a node stands for many positions, or for the moves of one player alone."""

import math

import numpy as np

import fastmcts
from tests.naive.search import DEFAULT_C, Generator, Node, Search
from tests.naive.strategies import Smooth


class InformationSets(Search):
    """One world a simulation; moves compete where they are legal, and count how often they were available."""

    def __init__(self, state: fastmcts.State, seed: int, c: float = DEFAULT_C, discount: float = 1.0) -> None:
        super().__init__(state, seed, discount=discount)
        self.c = c
        self.observer = state.current_player()

    def simulate(self) -> None:
        state = self.start()
        path, stretches = [self.root], []
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
            self.begin_stretch()
            self.make_move(state, action)
            path.append(node.children[action])
            self.reply(state, path[-1])
            stretches.append(self.stretch)
        self.back_up(path, self.returns(stretches, self.play_out(state, []), state.is_terminal()))

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

    def __init__(self, state: fastmcts.State, seed: int, discount: float = 1.0) -> None:
        super().__init__(state, seed, discount=discount)
        self.sets = {self.known(state): self.root}

    @staticmethod
    def known(state: fastmcts.State) -> tuple[int, str]:
        player = state.current_player()
        return player, state.information_state_string(player)

    def simulate(self) -> None:
        state = self.start()
        chosen: list[tuple[int, Node]] = []
        stretches = []
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
                chosen += [(len(stretches), node), (len(stretches), node.children[action])]
            self.begin_stretch()
            self.make_move(state, action)
            stretches.append(self.stretch)
        returns = self.returns(stretches, self.play_out(state, []), state.is_terminal())
        for level, node in chosen:
            node.visits += 1
            node.value_sum += returns[level][node.player]


class FromDeal(AllObservers):
    """The same, with a new deal in each simulation but the first."""

    def start(self) -> fastmcts.State:
        if not self.root.children:
            return super().start()
        game = self.state.game
        dealt = game.new_state(np.zeros(game.state_size, np.int64))
        self.rng.lend(game.initial, dealt.array)
        return dealt


class SmoothFromDeal(Smooth, FromDeal):
    """Everybody plays as on average so far, but for a share of the time."""


class Resampled(InformationSets):
    """Single perspective, with replies drawn anew at each visit."""

    def reply(self, state: fastmcts.State, node: Node) -> None:
        while not state.is_terminal() and state.current_player() != self.observer:
            self.make_move(state, self.draw(state) if state.is_chance_node() else self.rollout_action(state))


class SinglePerspective(Search):
    """Nodes only where one player moves; the replies to a move come from a seed that stays."""

    def simulate(self) -> None:
        state, player = self.state.clone(), self.state.current_player()
        path, stretches = [self.root], []
        fresh = False
        while not state.is_terminal() and not fresh:
            node = path[-1]
            if node.untried is None:
                node.untried = self.arrange(state)
            action = self.take(node.untried, self.choose(len(node.untried))) if node.untried else self.best(path)
            fresh = action not in node.children
            if fresh:
                node.children[action] = Node(player)
            self.begin_stretch()
            self.make_move(state, action)
            path.append(node.children[action])
            if fresh:
                path[-1].seed = self.rng.bits() >> 1
            own, self.rng = self.rng, Generator(path[-1].seed)
            while not state.is_terminal() and state.current_player() != player:
                self.make_move(state, self.draw(state) if state.is_chance_node() else self.rollout_action(state))
            self.rng = own
            stretches.append(self.stretch)
        self.back_up(path, self.returns(stretches, self.play_out(state, []), state.is_terminal()))


class OpenLoop(InformationSets):
    """Nodes are sequences of decisions; with several players, and who is to move after chance has decided."""

    def start(self) -> fastmcts.State:
        return self.state.clone()

    def simulate(self) -> None:
        state = self.start()
        path, stretches = [self.root], []
        fresh = False
        while not state.is_terminal() and not fresh:
            node, legal = path[-1], state.legal_actions()
            action = self.pick(node, legal)
            for child in (child for other, child in node.children.items() if other in legal):
                child.available += 1
            fresh = action not in node.children
            if fresh:
                node.children[action] = Node(state.current_player(), available=1)
            path.append(node.children[action])
            self.begin_stretch()
            self.make_move(state, action)
            is_drawn = state.is_chance_node()
            while state.is_chance_node():
                self.make_move(state, self.draw(state))
            stretches.append(self.stretch)
            if state.game.num_players > 1 and is_drawn and not state.is_terminal() and not fresh:
                node = path[-1]
                path.append(node.children.setdefault(state.current_player(), Node(node.player, available=1)))
                self.begin_stretch()
                stretches.append(self.stretch)
        self.back_up(path, self.returns(stretches, self.play_out(state, []), state.is_terminal()))
