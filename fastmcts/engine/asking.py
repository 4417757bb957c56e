"""Ask a network about the leaves of waves, and count what that took."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fastmcts.core.wave import FOUND, LEAVES, ROWS, Answers, Wave, make_answers
from fastmcts.engine.plan import Plan
from fastmcts.evaluators.network import Network
from fastmcts.kernels.waves import BAD_POLICY, BAD_VALUE, NEGATIVE
from fastmcts.result import Evaluation

FAULTS = {
    BAD_POLICY: "its policy for a legal move is not a finite number",
    NEGATIVE: "its policy has a number below 0 for a legal move (are these logits? use Network(evaluate, logits=True))",
    BAD_VALUE: "its value is not a finite number",
}


@dataclass
class Count:
    """What a network was asked.

    Attributes:
        calls: How often.
        positions: About how many positions.
        seconds: How long it took to answer.
        found: How many leaves were answered from what was kept.
        leaves: How many leaves were expanded by answers, new or kept.
    """

    calls: int = 0
    positions: int = 0
    seconds: float = 0.0
    found: int = 0
    leaves: int = 0


class Asking:
    """One network, the answers that are kept, and what was asked.

    Args:
        plan: How to search.
        network: The network; None where a compiled evaluator answers.
    """

    def __init__(self, plan: Plan, network: Network | None) -> None:
        self.plan = plan
        self.network = network
        self.count = Count()
        self.forget()

    def forget(self) -> None:
        """Keep no answers from before."""
        game = self.plan.game
        kept = self.plan.options.evaluation_cache
        self.answers: Answers = make_answers(kept, game.state_size, game.num_actions, game.num_players)

    def begin(self) -> None:
        """Count from here."""
        self.count = Count()

    def note(self, wave: Wave) -> None:
        """Count what a wave has found, and what waits in it."""
        self.count.found += int(wave.counts[FOUND])
        self.count.leaves += int(wave.counts[FOUND]) + int(wave.counts[LEAVES])

    def report(self) -> Evaluation:
        """What was asked since the search began."""
        count = self.count
        return Evaluation(count.calls, count.positions, count.seconds, count.found, count.leaves)

    def ask(self, waves: Sequence[Wave]) -> bool:
        """Ask about all rows of some waves at once, and write the answers into them.

        Returns:
            Whether there is a value for each player, and not only for the one to move.
        """
        game = self.plan.game
        sizes = [int(wave.counts[ROWS]) for wave in waves]
        total = sum(sizes)
        observations = np.empty((total, *game.observation_shape), np.float32)
        legal = np.empty((total, game.num_actions), np.bool_)
        flat = observations.reshape(total, game.observation_size)
        end = 0
        for wave, size in zip(waves, sizes, strict=True):
            start, end = end, end + size
            flat[start:end] = wave.observations[: size * game.observation_size].reshape(size, game.observation_size)
            legal[start:end] = wave.legal[: size * game.num_actions].reshape(size, game.num_actions)
        begin = time.perf_counter()
        assert self.network is not None
        policy, values = self.network.ask(game, observations, legal)
        self.count.seconds += time.perf_counter() - begin
        self.count.calls += 1
        self.count.positions += total
        end = 0
        for wave, size in zip(waves, sizes, strict=True):
            start, end = end, end + size
            wave.policy[: size * game.num_actions].reshape(size, game.num_actions)[:] = policy[start:end]
            wave.values[: size * values.size // total].reshape(size, *values.shape[1:])[:] = values[start:end]
        return values.ndim == 2

    def refusal(self, wave: Wave, fault: int, row: int) -> ValueError:
        """What to say about an answer that cannot be, naming its row and the position."""
        game = self.plan.game
        policy = wave.policy[row * game.num_actions : (row + 1) * game.num_actions].tolist()
        known = wave.keys[row * game.state_size : (row + 1) * game.state_size]
        shown = f"what player {int(wave.players[row])} knows is {known.tolist()}"
        if not game.has_hidden_information:
            shown = f"the position is\n{game.render(known.copy())}"
        about = f"policy {policy}" if fault in (BAD_POLICY, NEGATIVE) else "value NaN or infinite"
        return ValueError(f"the evaluator's answer in row {row} cannot be used: {FAULTS[fault]} ({about}); {shown}")
