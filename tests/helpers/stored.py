"""What stands in a store, but for how long it took."""

from pathlib import Path
from typing import Any

from fastmcts.experiments import Store


def rows_of(path: Path) -> list[tuple[Any, ...]]:
    """Every game with what determines it, in an order that does not depend on when it was played."""
    with Store(path, is_read_only=True) as store:
        rows = [
            (
                *(match.game, match.first, match.second, match.seed, match.opening_moves, match.code),
                *(record.pair, record.seat, record.deal, record.opening, record.actions, record.returns),
                *(record.length, record.moves, record.simulations),
            )
            for match in store.matches()
            for record in store.records(match.id)
        ]
    return sorted(rows)
