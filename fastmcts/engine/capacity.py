"""How much memory a tree may take, and what happens when it is used up.

Arrays start small and are doubled when they are full. The last step goes from a small part of the limit to
the whole of it: memory that no node has used yet is not touched, and copying stays cheap. When even that is
full, the children of the least visited nodes are dropped until half of the tree is free; or, of the trees of
all players, the least visited information sets.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from fastmcts.core import tree as trees
from fastmcts.core.tree import BYTES_PER_NODE, MAX_NODES, PADDING, PER_NODE, Tree
from fastmcts.core.types import Position
from fastmcts.engine.plan import Plan
from fastmcts.kernels.shrink.compact import keep_below, recycle
from fastmcts.kernels.shrink.drop import forget_least_visited
from fastmcts.kernels.shrink.regroup import regroup_below, regroup_most_visited
from fastmcts.kernels.shrink.threshold import NUM_STEPS

Arrays = TypeVar("Arrays", bound=tuple[Any, ...])

MEGABYTE = 1_000_000
FIRST_CAPACITY = 1024  # nodes
FIRST_BYTES = 24 * MEGABYTE  # for searches of which nobody knows how much they need; small beside the default limit
MOST_FIRST_BYTES = 128 * MEGABYTE  # for those that may need more than that
DOUBLED_BYTES = 32 * MEGABYTE  # doubling more takes so long that a clock would suffer: then all at once
DOUBLED_PART = 16  # of the limit: what is copied and given back stays small, as allocators may hold on to it
FEWEST_BLOCKS = 4  # of what a simulation adds, with which a tree can live on recycling
PLACE_BYTES = 4  # the scratch that compacting takes for each node
SMALL_BYTES = 1024  # arrays below may lie side by side in memory
CACHE_LINES = 128  # bytes: processors fetch lines of 64 in pairs
BUFFER_BYTES = 8  # the scratch for each node besides, in trees whose children move
SECONDS_PER_NODE = 5e-8  # that compacting takes
SECONDS_PER_MOVED_NODE = 1e-7  # that it takes in large trees whose children move
SHARE_OF_CLOCK = 0.5  # that compacting may take at the beginning of a search by the clock
LEAST_SECONDS = 0.01  # that it may take in any case
USABLE = 0.95  # of the memory, for nodes; the rest is for what surrounds them


def node_fields(tree: Tree) -> dict[str, Any]:
    """The arrays of a tree that have entries for each node, by name."""
    return {name: array for name, array in tree._asdict().items() if name in PER_NODE and array.size > 0}


def bytes_per_node(tree: Tree) -> int:
    """What a node takes in all arrays together."""
    return sum(array.nbytes for array in node_fields(tree).values()) // tree.visits.size


def first_capacity(plan: Plan, simulations: int | None) -> int:
    """With how much room a tree starts, in nodes: enough for a search that is not long.

    What is not used is not touched, and so costs nothing; growing instead takes a seventh of the time.

    Args:
        plan: The plan of the search.
        simulations: How many there will be; None if that is not known.
    """
    if simulations is None:
        needed = FIRST_BYTES // BYTES_PER_NODE
    else:
        needed = min(MOST_FIRST_BYTES // BYTES_PER_NODE, simulations * plan.most_new_nodes)
    return FIRST_CAPACITY + plan.most_new_nodes + needed + PADDING


def seconds_per_node(plan: Plan) -> float:
    """What it takes to compact a large tree, about."""
    return SECONDS_PER_MOVED_NODE if plan.moves_children else SECONDS_PER_NODE


def fewest_nodes(plan: Plan, writers: int) -> int:
    """With how many nodes a tree can live on recycling: it frees half, in which every writer must find room."""
    return 1 + max(FEWEST_BLOCKS, 2 * writers) * plan.most_new_nodes + 2 * PADDING


def most_nodes(plan: Plan, parts: int, writers: int) -> int:
    """How many nodes fit into a part of the memory; ValueError if they are too few to search with.

    Args:
        plan: The plan of the search.
        parts: How many trees share the memory that it allows.
        writers: How many threads add nodes to a tree at the same time.
    """
    memory_mb = plan.options.memory_mb
    size = plan.node_bytes + PLACE_BYTES + (BUFFER_BYTES if plan.moves_children else 0)
    nodes = int(USABLE * memory_mb * MEGABYTE / parts) // size
    fewest = fewest_nodes(plan, writers)
    if nodes < fewest:
        needed = np.ceil(parts * fewest * size / USABLE / MEGABYTE * 1000) / 1000
        sharers = f"{parts} trees" if parts > 1 else f"{writers} threads"
        shared = "" if parts == writers == 1 else f", shared by {sharers},"
        raise ValueError(
            f"memory_mb={memory_mb:g}{shared} is too small for {plan.game.name}: a root and its children and some"
            f" room to search take at least {needed:.3f}"
        )
    return min(nodes, MAX_NODES)


def most_nodes_in_time(plan: Plan, seconds: float, writers: int) -> int:
    """How many nodes of each tree a search by the clock can compact within its time.

    It may find a full tree that was kept, or a root that has moved on.

    Args:
        plan: The plan of the search; one thread may compact all its trees, one after the other.
        seconds: Its time.
        writers: How many threads add nodes to a tree at the same time.
    """
    time_for_each = max(LEAST_SECONDS, SHARE_OF_CLOCK * seconds) / plan.trees
    return max(fewest_nodes(plan, writers), int(time_for_each / seconds_per_node(plan)))


def next_capacity(tree: Tree, limit: int) -> int:
    """How many nodes a full tree should have room for: at most `limit`."""
    doubled = 2 * tree.visits.size
    small = doubled * bytes_per_node(tree) <= DOUBLED_BYTES
    return doubled if small and doubled <= limit // DOUBLED_PART else limit


def within(tree: Tree, limit: int) -> Tree:
    """A tree as it is if it is small beside the limit of nodes, or else a copy that has all the room at once."""
    return tree if tree.visits.size <= limit // DOUBLED_PART else trees.grown(tree, limit)


def drop_least_visited(tree: Tree) -> int:
    """Free half of a tree's room in place; return how many nodes went."""
    most = tree.visits.size // 2
    hanging = np.zeros(NUM_STEPS, np.int64)
    if tree.has_information_sets:
        return int(forget_least_visited(tree, tuple(node_fields(tree).values()), hanging, most))
    fields, places = fields_and_places(tree)
    if tree.spans_positions:
        return int(regroup_most_visited(tree, with_buffers(fields), places, hanging, most))
    return int(recycle(tree, fields, places, hanging, most))


def make_root(tree: Tree, node: int, root: Position, position: Position) -> int:
    """Keep nothing but a node's subtree, in place, and let `root` be `position`; nothing counts as recycled."""
    fields, places = fields_and_places(tree)
    if tree.spans_positions:
        regroup_below(tree, with_buffers(fields), places, node, root, position)
    else:
        keep_below(tree, fields, places, node, root, position)
    return 0


def with_buffers(fields: tuple[Any, ...]) -> tuple[Any, ...]:
    """Each array with a buffer of its type; they share their memory, which is used for one array at a time."""
    memory = np.empty(fields[0].size * BUFFER_BYTES, np.uint8)
    return tuple((array, memory.view(array.dtype)[: array.size]) for array in fields)


def fields_and_places(tree: Tree) -> tuple[tuple[NDArray[Any], ...], NDArray[np.int32]]:
    """The arrays of a tree that have entries for each node, and scratch for those who move nodes."""
    return tuple(node_fields(tree).values()), np.empty(tree.visits.size, np.int32)


def on_own_lines(array: NDArray[Any]) -> NDArray[Any]:
    """A copy of a small array that shares no cache line with anything.

    What two threads write to all the time must not lie side by side: their cores would wait for each other.
    """
    buffer = np.zeros(array.nbytes + 2 * CACHE_LINES, np.uint8)
    start = -buffer.ctypes.data % CACHE_LINES
    own = buffer[start : start + array.nbytes].view(array.dtype)
    own[:] = array
    return own


def set_apart(arrays: Arrays) -> Arrays:
    """A named tuple of arrays with the small ones on cache lines of their own, but for fields of records."""
    return type(arrays)(
        *(on_own_lines(array) if array.nbytes < SMALL_BYTES and array.flags.contiguous else array for array in arrays)
    )
