"""Does a game deal what it says that it deals?"""

import itertools
import math
from collections import Counter

import numpy as np

from fastmcts.errors import GameError
from fastmcts.game import Game

MOST_LISTED = 100_000  # deals; of more, only the first are looked at
DEALT = 1_000  # by `initial`, to be compared
FEWEST_EXPECTED = 5.0  # times that a deal is dealt, to be counted by itself
TOLERANCE = 1e-9  # of chances, which are to sum to 1


def check_deals(game: Game, seed: int) -> None:
    """Compare `deals` with what `initial` deals, if the game tells; GameError, in words, if they differ."""
    if not game.overrides("deals"):
        return
    listed: dict[bytes, float] = {}
    for position, chance in itertools.islice(game.deals(), MOST_LISTED + 1):
        try:
            game.state_from_array(position)
        except (TypeError, ValueError) as error:
            raise GameError(f"{game.name}: deals lists {position}, which is no position: {error}") from error
        if not chance > 0.0:
            raise GameError(f"{game.name}: deals gives {position.tolist()} a chance of {chance}; it is to be above 0")
        if position.tobytes() in listed:
            raise GameError(f"{game.name}: deals lists {position.tolist()} twice")
        listed[position.tobytes()] = chance
    if len(listed) > MOST_LISTED:
        return
    total = math.fsum(listed.values())
    if abs(total - 1.0) > TOLERANCE:
        raise GameError(f"{game.name}: the chances of all deals are to sum to 1, not {total}")
    dealt = Counter(game.new_initial_state(seed + number).array.tobytes() for number in range(DEALT))
    for position in dealt:
        if position not in listed:
            missing = np.frombuffer(position, np.int64).tolist()
            raise GameError(f"{game.name}: initial deals {missing}, which is not among deals")
    compare_frequencies(game, listed, dealt)


def compare_frequencies(game: Game, listed: dict[bytes, float], dealt: Counter[bytes]) -> None:
    """A chi-square test with so wide a bound that a right game passes it with any seed; rare deals are one cell."""
    often = [position for position, chance in listed.items() if chance * DEALT >= FEWEST_EXPECTED]
    expected = [listed[position] * DEALT for position in often]
    observed = [dealt[position] for position in often]
    if (rest := DEALT - math.fsum(expected)) >= FEWEST_EXPECTED:
        expected.append(rest)
        observed.append(DEALT - sum(observed))
    chi_square = sum((count - mean) ** 2 / mean for count, mean in zip(observed, expected, strict=True))
    freedom = len(expected) - 1
    if chi_square > freedom + 8 * math.sqrt(2 * freedom) + 20:
        worst = max(range(len(often)), key=lambda cell: abs(observed[cell] - expected[cell]))
        position = np.frombuffer(often[worst], np.int64).tolist()
        raise GameError(
            f"{game.name}: deals says that {position} has a chance of {listed[often[worst]]:.3g}, but initial deals it"
            f" {observed[worst]} times in {DEALT}"
        )
