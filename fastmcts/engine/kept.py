"""What is kept of trees from move to move, where many of them stand side by side.

After a move the part of each tree that is below it is copied out of the arrays in which all have grown. So it belongs
to its game alone: the next search copies it back, beside any others, and one that is interrupted begins again from it.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.compiler.jit import compiled_for
from fastmcts.core import tree as trees
from fastmcts.core.constants import NONE
from fastmcts.core.tree import PADDING, Tree
from fastmcts.core.types import Rng
from fastmcts.engine import capacity
from fastmcts.engine.plan import Plan
from fastmcts.engine.searcher import COMPILED
from fastmcts.kernels.below import list_below

#: A third of the memory is for the trees that grow, and a third for those that are kept, before a move and after it. A
#: tree that may need more than a sixth grows alone, and has no more room than that: what it finds depends on no other.
PARTS_TOGETHER = 3
PARTS_ALONE = 6


class Kept(NamedTuple):
    """What is kept of one tree. It never changes.

    Attributes:
        arrays: Where its nodes are, those of other trees among them; None if nothing is known of the position.
        root: The place of its root there.
        start: The place of the first node below the root; all of them stand side by side.
        end: The place behind the last one.
        depth: How many moves below the root the deepest one is.
        generator: uint64 [2], its random numbers go on from here.
    """

    arrays: Tree | None
    root: int
    start: int
    end: int
    depth: int
    generator: Rng

    @property
    def nodes(self) -> int:
        """How many nodes are kept."""
        return 0 if self.arrays is None else 1 + self.end - self.start

    def without_nodes(self) -> "Kept":
        """Its random numbers alone."""
        return Kept(None, 0, 0, 0, 0, self.generator)

    def by_itself(self, plan: Plan) -> "Kept":
        """The same in arrays with no other tree."""
        return self.below(plan, ()) if self.arrays is not None and self.arrays.size[0] > self.nodes else self

    def below(self, plan: Plan, path: Sequence[int]) -> "Kept":
        """What is below some actions."""
        if self.arrays is None:
            return self
        return cut(plan, self.arrays, [self.root], [path], [self.generator], 1 + self.end - self.start)[0]


def keeps_trees(plan: Plan) -> bool:
    """Whether what a search has learnt below a move still holds after it, and each tree is for itself."""
    strategy = plan.strategy
    learns = bool(strategy.rollout.statistics) and strategy.expansion.blends
    return (
        plan.is_fixed
        and plan.method.keeps_below
        and not strategy.selection.starts_anew
        and not strategy.selection.normalize
        and not learns
    )


def cut(
    plan: Plan,
    tree: Tree,
    roots: Sequence[int],
    paths: Sequence[Sequence[int]],
    generators: Sequence[Rng] | NDArray[np.uint64],
    most: int | None = None,
) -> list[Kept]:
    """Copy what is below some actions out of trees that stand in one set of arrays.

    Args:
        plan: How they were searched.
        tree: The arrays; not modified.
        roots: The root of each tree.
        paths: The actions that lead from there to what is kept.
        generators: Those of the trees.
        most: How many nodes they have together, if not all that are there.
    """
    count = len(roots)
    steps = np.full((count, max(map(len, paths), default=0)), NONE, np.int64)
    for row, path in enumerate(paths):
        steps[row, : len(path)] = path
    order, first, parent = np.empty((3, count + (most or int(tree.size[0]))), np.int32)
    ends, depths = np.empty((2, count), np.int64)
    links = tree.first_child, tree.num_children, tree.num_tried, tree.action
    arguments = *links, np.array(roots, np.int64), steps, order, first, parent, ends, depths
    used = int(listing()(*arguments))
    kept = trees.allocate(used, plan.statistics, plan.game.num_players, plan.game.num_actions)
    nodes = order[:used].astype(np.intp)
    for name, source in capacity.node_fields(tree).items():
        if name not in ("first_child", "parent"):
            each = source.size // tree.visits.size
            rows(getattr(kept, name), each)[:] = rows(source, each).take(nodes, axis=0)
    kept.first_child[:] = first[:used]
    kept.parent[:] = parent[:used]
    kept.size[0] = used
    found, start = list[Kept](), count
    for index, (end, depth) in enumerate(zip(ends.tolist(), depths.tolist(), strict=True)):
        if end == NONE:
            found.append(Kept(None, 0, 0, 0, 0, generators[index]))
        else:
            found.append(Kept(kept, index, start, end, depth, generators[index]))
            start = end
    return found


def listing() -> Callable[..., int]:
    """The kernel `list_below`, to call which runs no Python; what it is given must have the types that trees have."""
    if list_below not in COMPILED:
        # Links are parts of records, as in trees with more than one node. The code for them reads any others too.
        links = trees.links(2)
        one, many = np.zeros(0, np.int64), np.zeros(0, np.int32)
        names = "first_child", "num_children", "num_tried", "action"
        arguments: tuple[Any, ...] = (
            *(links[name] for name in names),
            one,
            np.zeros((0, 0), np.int64),
            many,
            many,
            many,
            one,
            one,
        )
        list_below(*arguments)
        COMPILED[list_below] = compiled_for(list_below, *arguments)
    return COMPILED[list_below]


def plant_kept(tree: Tree, kept: Sequence[Kept | None]) -> None:
    """Copy what is kept into arrays in which nothing stands but a root for each tree, in their order.

    Args:
        tree: The arrays, with room for all. Modified.
        kept: What is kept of each tree; None and nothing leave its root as it is.
    """
    there = [(place, one, one.arrays) for place, one in enumerate(kept) if one is not None and one.arrays is not None]
    if not there:
        return
    first = len(kept)
    sizes = [one.end - one.start for _, one, _ in there]
    end = first + sum(sizes)
    sources: dict[int, tuple[Tree, list[int], list[int]]] = {}  # with the places of roots here and there
    runs: list[tuple[Tree, int, int]] = []  # nodes that stand side by side, of one tree or of several
    for place, one, arrays in there:
        _, places, roots = sources.setdefault(id(arrays), (arrays, [], []))
        places.append(place)
        roots.append(one.root)
        if runs and runs[-1][0] is arrays and runs[-1][2] == one.start:
            runs[-1] = arrays, runs[-1][1], one.end
        else:
            runs.append((arrays, one.start, one.end))
    for name, target in capacity.node_fields(tree).items():
        each = target.size // tree.visits.size
        parts = [getattr(arrays, name)[start * each : stop * each] for arrays, start, stop in runs]
        np.concatenate(parts, out=target[first * each : end * each])
        for arrays, places, roots in sources.values():
            rows(target, each)[places] = rows(getattr(arrays, name), each)[roots]
    join(tree, first, end, there, sizes)
    tree.size[0] = end
    tree.depth[0] = max(one.depth for _, one, _ in there)


def join(tree: Tree, first: int, end: int, there: Sequence[tuple[int, Kept, Tree]], sizes: Sequence[int]) -> None:
    """Let links that were copied lead to where the nodes are now."""
    places = np.array([place for place, _, _ in there])
    shifts = first + np.cumsum([0, *sizes[:-1]]) - np.array([one.start for _, one, _ in there])
    for nodes, by in ((places, shifts), (np.arange(first, end), np.repeat(shifts, sizes))):
        below = tree.first_child[nodes]
        tree.first_child[nodes] = np.where(below >= 0, below + by, NONE)
    above = tree.parent[first:end]
    roots = np.repeat([one.root for _, one, _ in there], sizes)
    above[:] = np.where(above == roots, np.repeat(places, sizes), above + np.repeat(shifts, sizes))
    tree.parent[places] = NONE
    tree.action[places] = NONE


def rows(array: NDArray[np.generic], each: int) -> NDArray[np.generic]:
    """An array with so many entries for each node, by nodes."""
    return array if each == 1 else array.reshape(-1, each)


def most_together(plan: Plan, kept: Sequence[int], all_kept: int) -> list[int]:
    """Which of the trees that are to be searched grow at a time within the memory that a plan allows: the first ones.

    Args:
        plan: How to search.
        kept: How many nodes are kept of each.
        all_kept: How many are kept in all, also of trees that are not to be searched.

    Returns:
        Their indices; always at least one.
    """
    nodes = capacity.most_nodes(plan, 1, 1)
    simulations = plan.options.simulations or 1
    block = max(plan.game.num_actions, plan.game.num_chance_outcomes) * (2 if plan.game.has_chance else 1)
    usual = 1 + (simulations + 1) * block + 2 * plan.most_new_nodes
    longest = 1 + (simulations + 2) * plan.most_new_nodes + 2 * PADDING
    room = nodes // PARTS_TOGETHER - all_kept - 4 * plan.most_new_nodes - 2 * PADDING
    together: list[int] = []
    for index, size in enumerate(kept):
        if size + longest > nodes // PARTS_ALONE:
            if index == 0:
                return [0]
            continue
        # A new tree will have a part that is kept: if all began that fit at first, most would soon have to wait.
        room -= usual if size > 0 else 2 * usual
        if room < 0 and together:
            break
        together.append(index)
    return together[: plan.options.batch_size or len(together)]
