"""Saved searches of many kinds, random edits of them with a checksum that fits, and what is wrong then."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np

from fastmcts import (
    GRAVE,
    ISMCTS,
    MAST,
    MCTS,
    PIMC,
    PUCT,
    ExpandAll,
    Game,
    Prioritized,
    SinglePerspective,
    State,
    UCB1Tuned,
    games,
)
from fastmcts.engine.archive import saving
from fastmcts.engine.archive.values import Decoder, encode
from tests.naive.saved_tree import whats_wrong, whats_wrong_with_worlds

TIC_TAC_TOE = games.TicTacToe()
KUHN = games.KuhnPoker()
PIG = games.Pig()

#: What is searched, and how.
KINDS: dict[str, tuple[Game, dict[str, Any]]] = {
    "plain": (TIC_TAC_TOE, {}),
    "solver": (TIC_TAC_TOE, {"solver": True}),
    "grave": (TIC_TAC_TOE, {"selection": GRAVE(reference=3), "rollout": MAST()}),
    "tuned": (TIC_TAC_TOE, {"selection": UCB1Tuned(normalize=True), "expansion": ExpandAll()}),
    "optimism": (games.SOS(rows=3, columns=3), {"selection": PUCT(), "expansion": Prioritized()}),
    "chance": (PIG, {"selection": PUCT()}),
    "worlds": (KUHN, {"method": ISMCTS()}),
    "observers": (KUHN, {"method": ISMCTS(observers="all")}),
    "vote": (KUHN, {"method": PIMC(worlds=3)}),
    "perspective": (TIC_TAC_TOE, {"method": SinglePerspective()}),
    "resampled": (PIG, {"method": SinglePerspective(resample=True)}),
    "hidden perspective": (KUHN, {"method": SinglePerspective()}),
    "trees": (TIC_TAC_TOE, {"trees": 2}),
    "shared": (TIC_TAC_TOE, {"parallel": "shared", "threads": 2}),
}

INTEGERS = (-(2**63), -(2**31), -3, -2, -1, 0, 1, 2, 9, 100, 2**15 - 1, 2**31 - 1, 2**31, 2**63 - 1, 2**64 - 1)
FLOATS = (float("nan"), float("inf"), float("-inf"), -1.0, -1e-3, 0.5, 1.5, 1e9, 1e300)
WORDS: tuple[Any, ...] = (None, True, False, "", "visits", "all", [], {}, {"items": []}, [1, 2], {"class": ["os", "x"]})


def searched(kind: str) -> tuple[MCTS, State]:
    """A search of one of the kinds, and the position at its root."""
    game, options = KINDS[kind]
    state = game.new_initial_state(seed=1, draw_chance=True)
    mcts = MCTS(game, simulations=60, seed=3, strategy="plain", **options)
    mcts.search(state)
    return mcts, state


class Edits:
    """Makes random edits of one saved search.

    Args:
        path: The file, which is overwritten by each edit.
        seed: The same seed gives the same edits.
    """

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.rng = np.random.default_rng(seed)
        self.arrays = {name: array for name, array in dict(np.load(path)).items() if name != saving.CHECKSUM}

    def edit_arrays(self) -> tuple[str, dict[str, np.ndarray]]:
        """Write a file with one to three edits of its arrays; return what they are, and the arrays."""
        arrays = {name: array.copy() for name, array in self.arrays.items()}
        done = [self.edit_array(arrays) for _ in range(self.rng.integers(1, 4))]
        self.write(arrays)
        return "; ".join(done), arrays

    def edit_header(self) -> str:
        """Write a file with one edit of its header; return what it is."""
        arrays = dict(self.arrays)
        done = self.edit_value(arrays)
        self.write(arrays)
        return done

    def write(self, arrays: dict[str, np.ndarray]) -> None:
        """Write a file with a checksum that fits."""
        saving.write(self.path, {**arrays, saving.CHECKSUM: saving.checksum(arrays)})

    def edit_array(self, arrays: dict[str, np.ndarray]) -> str:
        """Change one entry of an array, or its shape."""
        names = [name for name, array in arrays.items() if name != saving.HEADER and array.size > 0]
        name = names[self.rng.integers(len(names))]
        if self.rng.random() < 0.05:
            return self.reshape(arrays, name)
        array = arrays[name].reshape(-1)
        place, other = self.rng.integers(array.size, size=2)
        before = array[place]
        how = self.rng.integers(4)
        if how == 0:
            array[place], array[other] = array[other], array[place]
        elif array.dtype.kind == "f":
            with np.errstate(over="ignore"):
                array[place] = FLOATS[self.rng.integers(len(FLOATS))]
        else:
            near = int(before) + (1 if self.rng.random() < 0.5 else -1)
            anything = INTEGERS[self.rng.integers(len(INTEGERS))]
            number = (anything, int(self.rng.integers(-1, max(2, array.size))), near)[how - 1]
            info = np.iinfo(array.dtype)
            array[place] = min(max(number, int(info.min)), int(info.max))
        arrays[name] = array.reshape(arrays[name].shape)
        return f"{name}[{place}] from {before} to {array[place]} ({how}, {other})"

    def reshape(self, arrays: dict[str, np.ndarray], name: str) -> str:
        """Cut an array off, make it longer, of another type, or drop it."""
        array = arrays[name]
        how = ["shorter", "longer", "type", "shape", "gone"][self.rng.integers(5)]
        if how == "gone":
            del arrays[name]
        elif how == "type":
            arrays[name] = array.reshape(-1).view(np.uint8)
        elif how == "shape":
            arrays[name] = array.reshape(1, *array.shape)
        else:
            arrays[name] = array[:-1] if how == "shorter" else np.concatenate([array, array])
        return f"{name} {how}"

    def edit_value(self, arrays: dict[str, np.ndarray]) -> str:
        """Change one value of the header."""
        header = header_in(arrays)
        holder: Any = header
        path = []
        while True:
            keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
            key = keys[self.rng.integers(len(keys))]
            path.append(key)
            if not isinstance(holder[key], dict | list) or not holder[key] or self.rng.random() < 0.1:
                break
            holder = holder[key]
        values: tuple[Any, ...] = (*INTEGERS, *FLOATS, *WORDS)
        if self.rng.random() < 0.5:
            values = tuple(value for value in values if type(value) is type(holder[key]))
        holder[key] = values[self.rng.integers(len(values))]
        with_header(arrays, header)
        return f"header{path} = {holder[key]!r}"


def wrong_in(mcts: MCTS, arrays: dict[str, np.ndarray], whole: dict[str, np.ndarray]) -> str | None:
    """What is wrong with the edited arrays of a search; None if nothing is.

    Args:
        mcts: The search that was saved.
        arrays: The arrays of its file, with edits.
        whole: The same without.
    """
    method = mcts.options.method
    assert method is not None
    trees, like = arrays_of_trees(arrays), arrays_of_trees(whole)
    faults = [whats_wrong(mcts.game, method, trees.get(number, {}), like[number]) for number in like]
    if not any(faults):
        roots = [tree["root"] for tree in trees.values()]
        if saving.ASKED in whole:
            faults.append(whats_wrong_with_worlds(mcts.game, arrays.get(saving.ASKED), roots))
        elif any(root.tolist() != roots[0].tolist() for root in roots):
            faults.append("the trees start from different positions")
    return next((fault for fault in faults if fault is not None), None)


def arrays_of_trees(arrays: dict[str, np.ndarray]) -> dict[str, dict[str, np.ndarray]]:
    """The arrays of each tree of a file, by its number."""
    trees: dict[str, dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        number, _, rest = name.partition("/")
        if rest:
            trees.setdefault(number, {})[rest] = array
    return trees


def with_header(arrays: dict[str, np.ndarray], header: dict[str, Any]) -> None:
    """Put another header into the arrays of a file."""
    arrays[saving.HEADER] = np.frombuffer(json.dumps(header).encode(), np.uint8)


def header_in(arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """The header in the arrays of a file."""
    return json.loads(arrays[saving.HEADER].tobytes())


def completed(value: Any) -> Any:
    """What a file says, with the fields of components that it leaves out as their classes have them."""
    if not isinstance(value, dict):
        return value
    filled = {key: completed(inner) for key, inner in value.items()}
    if value.keys() == {"class", "fields"}:
        cls = Decoder().find(*value["class"])
        defaults = {field.name: encode(field.default) for field in dataclasses.fields(cls) if field.init}
        filled["fields"] = defaults | filled["fields"]
    return filled


def is_said(written: Any, asked: Any) -> bool:
    """Whether a header says exactly what was asked for; a whole number may have become a real one."""
    if isinstance(asked, dict):
        same_keys = isinstance(written, dict) and written.keys() == asked.keys()
        return same_keys and all(is_said(written[key], value) for key, value in asked.items())
    if type(asked) is int and type(written) is float:
        return written == float(asked)
    return type(written) is type(asked) and written == asked


def with_rules_of_today(path: Path, game: Game, target: Path) -> Path:
    """Copy a search that was saved with older rules as if it were of today's."""
    arrays = {name: array for name, array in dict(np.load(path)).items() if name != saving.CHECKSUM}
    with_header(arrays, header_in(arrays) | {"rules": saving.rules_digest(game)})
    saving.write(target, {**arrays, saving.CHECKSUM: saving.checksum(arrays)})
    return target


def shorten(mcts: MCTS) -> None:
    """Let a search have few simulations and one thread, whatever its file says."""
    small = {"simulations": 12, "seconds": None, "stop": (), "progress": False, "final": "visits"}
    plan = mcts.driver.plan
    mcts.driver.plan = mcts.forest.plan = dataclasses.replace(plan, options=plan.options.copied(small))
