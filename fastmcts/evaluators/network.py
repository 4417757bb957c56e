"""Functions of whole batches, and what they answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fastmcts.game import Game

#: Takes observations, float32 [B, *observation_shape], and which moves are legal, bool [B, A]; returns policies [B, A],
#: and values [B] for the player to move or [B, P] for all.
Evaluate: TypeAlias = Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[Any, Any]]


@dataclass(frozen=True)
class Network:
    """A function of whole batches, and how to read its answers; one that answers probabilities needs no `Network`.

    Args:
        evaluate: Takes observations, float32 [B, *observation_shape], as the player to move sees each position, and
            which moves are legal, bool [B, A]; returns policies [B, A] and values [B] for the player to move, or [B, P]
            for the players 0, 1, ... A value is an expected utility, as in `state.returns()`. What it is given is its
            own to keep.
        logits: Whether policies are logits, of which the softmax is taken, and not probabilities.
    """

    evaluate: Evaluate
    logits: bool = False

    def __post_init__(self) -> None:
        if not callable(self.evaluate):
            raise TypeError(f"a Network needs a function of observations and legal moves, not {self.evaluate!r}")
        if not isinstance(self.logits, bool):
            raise TypeError(f"logits must be True or False, not {self.logits!r}")

    def ask(
        self, game: Game, observations: NDArray[np.float32], legal: NDArray[np.bool_]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Call the function, and check the kinds and shapes of what it answers.

        Args:
            game: The game.
            observations: float32 [B, *observation_shape].
            legal: bool [B, num_actions].

        Returns:
            Policies [B, num_actions], and values [B] or [B, num_players], of some float type.
        """
        answer = self.evaluate(observations, legal)
        if not isinstance(answer, tuple | list) or len(answer) != 2:
            raise TypeError(f"an evaluator must return two arrays, (policy, values), not {named(answer)}")
        policy, values = as_floats("policy", answer[0]), as_floats("values", answer[1])
        if policy.shape != legal.shape:
            raise ValueError(
                f"the evaluator was asked about {len(legal)} positions of a game with {game.num_actions} actions:"
                f" its policy must have the shape {list(legal.shape)}, not {list(policy.shape)}"
            )
        every = (len(legal), game.num_players)
        if values.shape not in (every[:1], every):
            raise ValueError(
                f"the evaluator's values must have the shape {list(every[:1])}, for the player to move, or"
                f" {list(every)}, for all players, not {list(values.shape)}"
            )
        if values.ndim == 1 and not (game.num_players == 1 or (game.num_players == 2 and game.constant_sum)):
            raise ValueError(
                f"in {game.name} the value for one player does not tell those for the others: the evaluator's values"
                f" must have the shape {list(every)}, with a column for each player"
            )
        return policy, values


def as_floats(name: str, answer: Any) -> NDArray[Any]:
    """An answer as an array of floats; TypeError says what it is instead."""
    try:
        array = np.asarray(answer)
    except Exception as error:
        raise TypeError(
            f"the evaluator's {name}, {named(answer)}, cannot be read as a NumPy array: {error}"
            " (a PyTorch tensor that needs gradients: call .detach(); one on a GPU: call .cpu())"
        ) from error
    if array.dtype.kind not in "f" and not is_small_float(array.dtype):
        raise TypeError(f"the evaluator's {name} must be floats, such as float32, not {array.dtype}")
    return array


def is_small_float(dtype: np.dtype) -> bool:
    """Whether a type that NumPy does not know by itself holds floats, as bfloat16 does."""
    return dtype.kind == "V" and "float" in dtype.name


def named(answer: Any) -> str:
    """Name an answer by its type."""
    if isinstance(answer, tuple | list):
        return f"a {type(answer).__name__} of {len(answer)}"
    return f"a {type(answer).__name__}"
