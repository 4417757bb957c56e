"""How soon searches settle: positions of stored games are searched again, with a trace."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fastmcts.core.validate import whole_number
from fastmcts.experiments.agents import Search
from fastmcts.experiments.intervals import wilson
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plan_parts import Cell
from fastmcts.experiments.records import GameRecord
from fastmcts.experiments.store import Store, texts_of
from fastmcts.rng import spawn_seed
from fastmcts.search import search
from fastmcts.state import State

POSITIONS = 20  # of each match, for each of its searches


class Settled(NamedTuple):
    """In which share of positions a search, stopped early, would have made the move of the whole search.

    Attributes:
        game: The game, as it prints.
        agent: What the plan calls the search, with its budget.
        simulations: After how many simulations.
        share: Of the positions.
        low: The lower bound of its 95% interval.
        high: The upper bound.
    """

    game: str
    agent: str
    simulations: int
    share: float
    low: float
    high: float


def settling(plan: Plan, path: str | Path, positions: int = POSITIONS) -> list[Settled]:
    """Search positions of stored games again, each with the seed of its move, from a fresh tree.

    Args:
        plan: Whose matches; what was not played is left out.
        path: The store.
        positions: How many positions of each match, no two of the same game.
    """
    positions = whole_number("positions", positions, low=1)
    courses: dict[tuple[str, str], dict[int, list[bool]]] = {}  # game and agent -> simulations -> same move or not
    with Store(path, is_read_only=True) as store:
        stored = {match.key: match.id for match in store.matches()}
        for cell in plan.cells:
            match = stored.get(texts_of(cell.pairing))
            records = [] if match is None else store.records(match)
            for side, agent in enumerate(cell.pairing.sides):
                key = repr(cell.pairing.game), label_of(cell, side)
                if isinstance(agent, Search) and records and key not in courses:
                    course = courses[key] = dict[int, list[bool]]()
                    for state, seed in decisions(cell, records, side, positions):
                        follow(agent, state, seed, course)
    return [
        Settled(game, name, simulations, float(np.mean(same)), *wilson(float(np.mean(same)), len(same)))
        for (game, name), course in courses.items()
        for simulations, same in sorted(course.items())
    ]


def label_of(cell: Cell, side: int) -> str:
    """What the plan calls an agent of a match, with its budget."""
    return " ".join([(cell.first, cell.second)[side], f"({cell.budget})" if cell.budget else ""]).strip()


def decisions(cell: Cell, records: Sequence[GameRecord], side: int, positions: int) -> Iterator[tuple[State, int]]:
    """Positions in which an agent had a choice, one of each game, and the seeds of their moves."""
    found = 0
    for record in records:
        own = [
            (state, record.seed_of_move(index))
            for index, state in enumerate(record.replay(cell.pairing.game))
            if index >= record.opening
            and state.current_player() >= 0
            and (state.current_player() + record.seat) % 2 == side
            and len(state.legal_actions()) > 1
        ]
        if own and found < positions:
            found += 1
            yield own[spawn_seed(record.deal, record.seat) % len(own)]


def follow(agent: Search, state: State, seed: int, course: dict[int, list[bool]]) -> None:
    """Search a position, and note at 1, 2, 4, ... simulations whether the best move so far is the last one."""
    result = search(state, seed=seed, trace=True, **agent.options)
    assert result.trace is not None
    for simulations, visits in zip(result.trace.simulations.tolist(), result.trace.visits, strict=True):
        same = int(result.actions[int(np.argmax(visits))]) == result.action
        course.setdefault(simulations, []).append(same)
