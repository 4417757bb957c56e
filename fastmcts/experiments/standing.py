"""How much of a plan is in a store."""

from pathlib import Path

from fastmcts.experiments.code import code_of
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.reports import as_text
from fastmcts.experiments.store import Store, texts_of
from fastmcts.experiments.tally import Tally


def status(plan: Plan, path: str | Path) -> str:
    """A table of the matches of a plan: how many games are stored, and the scores so far.

    Args:
        plan: The plan.
        path: The store.
    """
    rows, done, total = [], 0, 0
    with Store(path, is_read_only=True) as store:
        stored = {(m.game, m.first, m.second, str(m.seed), m.opening_moves, m.code): m.id for m in store.matches()}
        for cell in plan.cells:
            match = stored.get((*texts_of(cell.pairing), code_of(cell.pairing)))
            tally = Tally(cell.counts)
            if match is not None:
                tally.add(record for record in store.records(match) if record.pair < cell.pairs)
            done, total = done + tally.games, total + 2 * cell.pairs
            names = (repr(cell.pairing.game), cell.budget, cell.first, cell.second)
            rows.append((*names, f"{tally.games:,} of {2 * cell.pairs:,}", tally.score))
    table = as_text(("game", "budget", "first", "second", "games", "score (95%)"), rows)
    return f"{table}\n{done:,} of {total:,} games are stored"
