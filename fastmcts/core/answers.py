"""What the rules of a game return, and what to write where they return something else."""

import operator
from typing import Any, Protocol

import numpy as np

from fastmcts.errors import GameError

#: Rule -> what it is to do with one of its arguments, for those that return nothing.
IN_PLACE = {
    "initial": "change `state` in place",
    "apply": "change `state` in place",
    "determinize": "change `state` in place",
    "observe": "write what the player knows into `out`",
    "observation": "write what a network sees into `out`",
    "returns": "write each player's utility into `out`",
    "evaluate": "write each player's utility into `out`",
    "rewards": "write what each player is paid into `out`",
    "prior": "write a number for each action into `out`",
}

#: Rule -> what it returns, for those that return a whole number.
NUMBERS = {
    "current_player": "the player to move, CHANCE or TERMINAL",
    "legal_actions": "how many actions it has written into `actions`",
    "possible_actions": "how many actions it has written into `actions`",
    "chance_outcomes": "how many outcomes it has written into `actions`",
    "random_action": "one of the legal actions",
    "rollout_action": "one of the legal actions",
    "careful_action": "one of the legal actions",
}

SHOWN = 60  # characters of an answer, in a message


class Named(Protocol):
    """A game, as far as a message needs it."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...


def number_from(game: Named, rule: str, answer: Any) -> int:
    """The whole number that a rule has returned; GameError, with what to write, if it is none."""
    try:
        return operator.index(answer)
    except TypeError:
        if isinstance(answer, np.bool_):
            return int(answer)
    without = "; does it end without a return?" if answer is None else ""
    raise GameError(f"{game.name}: {rule} returns {found(answer)}, not {NUMBERS[rule]}, a whole number{without}")


def refuse_answer(game: Named, rule: str, answer: Any) -> None:
    """Raise GameError, with what to write, if a rule that changes an argument returns something."""
    if answer is not None:
        raise GameError(f"{game.name}: {rule} returns {found(answer)}; it must {IN_PLACE[rule]} and return nothing")


def found(answer: Any) -> str:
    """Name an answer that is not what was asked for."""
    text, kind = repr(answer), type(answer).__name__
    return "None" if answer is None else f"the {kind} {text}" if len(text) <= SHOWN else f"a {kind}"
