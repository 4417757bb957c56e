"""An evaluator and a rollout together."""

from dataclasses import dataclass
from typing import Any

from fastmcts.core.validate import real_number
from fastmcts.evaluators.network import Network
from fastmcts.strategies.evaluation import Evaluator
from fastmcts.strategies.rollout import RandomRollout, Rollout


@dataclass(frozen=True)
class Blend:
    """What an evaluator says of a leaf, mixed with how a rollout from there ends (Silver et al. 2016).

    The value of a leaf is (1 - weight) V + weight R; the policy is the evaluator's.

    Args:
        evaluator: A function of whole batches, a `Network`, or a compiled `Evaluator`.
        rollout: How to play on from the leaf.
        weight: The weight of the rollout, above 0; with 1 only the policy of the evaluator counts.
    """

    evaluator: Any
    rollout: Rollout = RandomRollout()
    weight: float = 0.5

    def __post_init__(self) -> None:
        if isinstance(self.evaluator, Blend):
            raise TypeError("a Blend of a Blend: put the inner evaluator in, and one rollout")
        object.__setattr__(self, "evaluator", checked_evaluator(self.evaluator))
        if not isinstance(self.rollout, Rollout):
            raise TypeError(f"a Blend's rollout must be a Rollout, such as RandomRollout(), not {self.rollout!r}")
        real_number("a Blend's weight", self.weight, above=0.0, high=1.0)


def checked_evaluator(evaluator: Any) -> "Network | Evaluator | Blend":
    """An evaluator as the search knows them: a function becomes a `Network`."""
    if isinstance(evaluator, Network | Evaluator | Blend):
        return evaluator
    if isinstance(evaluator, type) or not callable(evaluator):
        raise TypeError(
            "evaluator must be a function of whole batches, a Network or an Evaluator, such as GameEvaluator(),"
            f" not {evaluator!r}"
        )
    return Network(evaluator)  # pyright: ignore[reportArgumentType]  # what it answers is checked
