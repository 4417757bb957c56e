"""How much of a plan is in a store."""

from pathlib import Path

from fastmcts.experiments.code import code_of
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.reports import as_text
from fastmcts.experiments.store import Store, texts_of


def status(plan: Plan, path: str | Path) -> str:
    """A table of the matches of a plan: how many games are stored, and the scores so far.

    Args:
        plan: The plan.
        path: The store.
    """
    rows, done, total = [], 0, 0
    with Store(path, is_read_only=True) as store:
        stored = {(*match.key, match.code): match.id for match in store.matches()}
        for cell in plan.cells:
            match = stored.get((*texts_of(cell.pairing), code_of(cell.pairing)))
            tally = cell.tally
            if match is not None:
                tally.add(record for record in store.records(match) if record.pair < cell.pairs)
            done, total = done + tally.games, total + cell.games
            names = (repr(cell.pairing.game), cell.budget, cell.first, cell.second)
            rows.append((*names, f"{tally.games:,} of {cell.games:,}", tally.score))
    table = as_text(("game", "budget", "first", "second", "games", "score (95%)"), rows)
    return f"{table}\n{done:,} of {total:,} games are stored"
