"""The search tree: preallocated arrays, one entry per node, the children of a node side by side.

```
            node:    0      1      2      3      4      5    ...
     first_child: [  1   |  4   | NONE | NONE | NONE | NONE
    num_children: [  3   |  2   |  0   |  0   |  0   |  0
       num_tried: [  3   |  1   |  0   |  0   |  0   |  0      4 was tried, 5 waits
          parent: [ NONE |  0   |  0   |  0   |  1   |  1
          action: [ NONE |  a   |  b   |  c   |  a'  |  b'
          visits: [  9   |  5   |  2   |  2   |  1   |  0
```

A node's children are laid out when it is first expanded. Those already tried come first. A child that still waits
has its `action`, `parent` and `player` (and, where kept, `prior` and the AMAF statistics); it has no visits and no
children, and nothing is known about it. So `visits[:size]`, like every field up to `size`, holds nothing but what is
true. Behind `size`, `visits` and `value_sum` are 0, so that new nodes need not be told; the other fields mean nothing
there.

Where a node stands for many positions with different moves (`available` is kept), nothing waits: a node has
`num_children` places, of which the first `num_tried` are in use, and when there are too few its children move
to the end of the tree. The places that they leave belong to nobody until the tree is compacted. A place without a
child has the action NONE and no visits.

Where every player has a tree of its own (`known` is kept), a node is an information set: all that its player knows
where it is to move. It has no parent, and its moves stand behind it. It is found by the hash of what the player
knows, in a binary search tree with the root on top:

```
            node:    0      1      2      3      4      5      6    ...
     first_child: [  1   | NONE | NONE |  4   | NONE | NONE |  7       0, 3 and 6 are information sets
           known: [  0   |  0   |  0   | 8c.. |  0   |  0   | 3f..     hashes
          before: [  0   |  0   |  0   |  6   |  0   |  0   |  0       lower hashes; 0 where there are none
           after: [  3   |  0   |  0   |  0   |  0   |  0   |  0       higher ones
```

| field         | dtype   | shape | kept for  | meaning                                                    |
|---------------|---------|-------|-----------|------------------------------------------------------------|
| visits        | int32   | [N]   | all       | simulations that passed through the node (and `assumed`)   |
| value_sum     | float64 | [N]   | all       | their rewards in [0, 1] for `player`, summed               |
| parent        | int32   | [N]   | all       | the node above; NONE at the root                           |
| first_child   | int32   | [N]   | all       | the first of the children; NONE before expansion           |
| num_children  | int16   | [N]   | all       | how many children were laid out                            |
| num_tried     | int16   | [N]   | all       | how many of them were tried: the first ones                |
| action        | int32   | [N]   | all       | the action that leads here; NONE at the root               |
| player        | int8    | [N]   | all       | whose choice led here, and whose reward `value_sum` adds up|
| prior         | float64 | [N]   | priors    | how likely the game, or an evaluator, thinks the move is   |
| square_sum    | float64 | [N]   | variance  | the squares of the rewards, summed                         |
| amaf_visits   | int32   | [N]   | AMAF      | simulations in which the move was played here or later     |
| amaf_sum      | float64 | [N]   | AMAF      | their rewards for `player`, summed                         |
| available     | int32   | [N]   | worlds    | simulations in which the node could be chosen once tried   |
| seed          | int64   | [N]   | replies   | what replies are drawn from; below NONE, the only reply    |
| assumed       | int16   | [N]   | optimism  | visits that it started with: they have not taken place     |
| own_prior     | float64 | [N]   | noise     | `prior` before noise was mixed into that of the root's moves|
| estimate      | float64 | [N]   | evaluators| what the evaluator said: a reward for the player to move   |
| pending       | int32   | [N]   | waves     | visits whose rewards a network has yet to tell: 0 at rest  |
| gumbel        | float64 | [N]   | Gumbel    | the noise of a move at the root; 0 elsewhere               |
| known         | uint64  | [N]   | observers | a hash of what the player to move knows; 0 at the root     |
| before        | int32   | [N]   | observers | an information set with lower hashes below; ROOT if none   |
| after         | int32   | [N]   | observers | an information set with higher hashes below; ROOT if none  |
| lower         | float64 | [N*P] | proofs    | the least reward that each player is proven to get         |
| upper         | float64 | [N*P] | proofs    | the most reward that each player is proven to get          |
| action_visits | int64   | [P*A] | MAST      | how often each player made each move, anywhere             |
| action_sum    | float64 | [P*A] | MAST      | the player's rewards in those simulations, summed          |
| reference     | int32   | [A+1] | GRAVE     | the child for each action at the reference node, and that  |
| played        | int64   |[P*A+1]| AMAF      | the last simulation with each move; their count            |
| budget        | int64   | [1]   | Gumbel    | how many simulations the search will have                  |
| reward_range  | float64 | [2]   | all       | the least and the greatest reward seen                     |
| size          | int64   | [1]   | all       | how many nodes are in use, children that wait among them   |
| depth         | int64   | [1]   | all       | how many moves below the root the deepest node is          |

N is the capacity, P the number of players, A the number of actions. What nobody asks for has length 0. The last
`PADDING` entries of a field are never in use: children are read eight at a time (compiler/lanes.py), so that what
stands behind the last ones is read too, and thrown away.

`value_sum` belongs to the player who moved *into* the node, so selection at the parent maximises and
nothing flips a sign: a player may move twice in a row, and any number may play. Where a game pays rewards on the way,
the reward of a simulation in a node is the discounted return from the choice of the move on that leads to it, the
payment for that move included, scaled from the game's range to [0, 1] like any utility: that is what the player who
chose compares. (The same simulation is worth something else further up, where more was paid.) The root was not moved
into; it holds the rewards of the player to move. (A root that was moved into before it became the root, as
`MCTS.advance` makes them, goes on holding those of the player who moved.) A child of a chance node belongs
to the player of its parent.
"""

from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fastmcts.compiler.bundle import register_bundle
from fastmcts.compiler.lanes import LANES
from fastmcts.core.constants import NONE, ROOT

MAX_NODES = 2**31 - 1  # node indices are int32
MAX_CHILDREN = 2**15 - 1  # child counts are int16
MAX_VISITS = 2**31 - 1  # visits are int32
PADDING = LANES - 1  # entries behind the last node


class Tree(NamedTuple):
    """The arrays of one search tree, as `result.tree` shows them; the text of `fastmcts.core.tree` describes each.

    `tree.visits[node]` is what a node was visited; node 0 is the root, and the first `tree.size[0]` nodes are in use.
    """

    visits: NDArray[np.int32]
    value_sum: NDArray[np.float64]
    parent: NDArray[np.int32]
    first_child: NDArray[np.int32]
    num_children: NDArray[np.int16]
    num_tried: NDArray[np.int16]
    action: NDArray[np.int32]
    player: NDArray[np.int8]
    prior: NDArray[np.float64]
    square_sum: NDArray[np.float64]
    amaf_visits: NDArray[np.int32]
    amaf_sum: NDArray[np.float64]
    available: NDArray[np.int32]
    seed: NDArray[np.int64]
    assumed: NDArray[np.int16]
    own_prior: NDArray[np.float64]
    estimate: NDArray[np.float64]
    pending: NDArray[np.int32]
    gumbel: NDArray[np.float64]
    known: NDArray[np.uint64]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    action_visits: NDArray[np.int64]
    action_sum: NDArray[np.float64]
    reference: NDArray[np.int32]
    played: NDArray[np.int64]
    budget: NDArray[np.int64]
    reward_range: NDArray[np.float64]
    size: NDArray[np.int64]
    depth: NDArray[np.int64]

    # Which kind of tree it is. Kernels ask for these by name, and for the size of a field only before they use it.

    @property
    def spans_positions(self) -> bool:
        """Whether a node stands for many positions, so that children are found by their actions and may move."""
        return self.available.size > 0

    @property
    def has_information_sets(self) -> bool:
        """Whether every player has a tree of its own, of information sets."""
        return self.known.size > 0

    @property
    def has_proofs(self) -> bool:
        """Whether it is kept what nodes are proven to lead to."""
        return self.lower.size > 0


register_bundle(Tree)

#: What every tree keeps of a node.
NODE_DTYPES: dict[str, type[np.generic]] = {
    "visits": np.int32,
    "value_sum": np.float64,
    "parent": np.int32,
    "first_child": np.int32,
    "num_children": np.int16,
    "num_tried": np.int16,
    "action": np.int32,
    "player": np.int8,
}

#: What is kept of a node where a component asks for it.
OPTIONAL_NODE_DTYPES: dict[str, type[np.generic]] = {
    "prior": np.float64,
    "square_sum": np.float64,
    "amaf_visits": np.int32,
    "amaf_sum": np.float64,
    "available": np.int32,
    "seed": np.int64,
    "assumed": np.int16,
    "own_prior": np.float64,
    "estimate": np.float64,
    "pending": np.int32,
    "gumbel": np.float64,
    "known": np.uint64,
    "before": np.int32,
    "after": np.int32,
}

#: The same, once for each player.
PLAYER_DTYPES: dict[str, type[np.generic]] = {"lower": np.float64, "upper": np.float64}

#: Tables beside the nodes, kept where a component asks for them.
TABLE_DTYPES: dict[str, type[np.generic]] = {
    "action_visits": np.int64,
    "action_sum": np.float64,
    "reference": np.int32,
    "played": np.int64,
    "budget": np.int64,
}

STATISTICS = frozenset({*OPTIONAL_NODE_DTYPES, *PLAYER_DTYPES, *TABLE_DTYPES})

#: What only searches by an evaluator keep.
OF_EVALUATORS = frozenset({"own_prior", "estimate", "pending", "gumbel", "budget"})

#: What every tree has once.
ONCE_DTYPES: dict[str, type[np.generic]] = {"reward_range": np.float64, "size": np.int64, "depth": np.int64}

DTYPES: dict[str, type[np.generic]] = {
    **NODE_DTYPES,
    **OPTIONAL_NODE_DTYPES,
    **PLAYER_DTYPES,
    **TABLE_DTYPES,
    **ONCE_DTYPES,
}

#: What stands for a field that is not kept, in all trees.
NOT_KEPT = {name: np.empty(0, DTYPES[name]) for name in STATISTICS}

#: The fields with entries for each node.
PER_NODE = frozenset({*NODE_DTYPES, *OPTIONAL_NODE_DTYPES, *PLAYER_DTYPES})

BYTES_PER_NODE: int = sum(np.dtype(dtype).itemsize for dtype in NODE_DTYPES.values())


#: How nodes hang together: 16 bytes for each, side by side in memory, since a simulation that comes to a node reads all
#: of them.
LINKS = ("first_child", "num_children", "num_tried", "action", "parent")
LINKS_DTYPE = np.dtype([(name, NODE_DTYPES[name]) for name in LINKS])
LINKS_IN_LINE = 4  # nodes whose links stand in one cache line


HUGE_PAGE = 1 << 21  # bytes
LARGE = 2 * HUGE_PAGE  # from which on NumPy asks for huge pages


def zeros(count: int, dtype: DTypeLike) -> NDArray[Any]:
    """Zeros in memory that nobody has touched, if they are many; these start where a huge page does.

    Else the first entries of each array, up to the next huge page, would lie in up to 512 small ones, each of which is
    asked for by itself when it is first touched: that took one to three percent of a search of SOS with 100,000
    simulations.
    """
    dtype = np.dtype(dtype)
    size = count * dtype.itemsize
    if size < LARGE:
        return np.zeros(count, dtype)
    memory = np.zeros(size + HUGE_PAGE, np.uint8)
    start = -memory.ctypes.data % HUGE_PAGE
    return memory[start : start + size].view(dtype)


def links(capacity: int) -> dict[str, NDArray[Any]]:
    """The fields of `LINKS` for so many nodes: parts of one array of records."""
    records = zeros(capacity, LINKS_DTYPE)
    return {name: records[name] for name in LINKS}


class Length(NamedTuple):
    """How long one field of a tree is."""

    name: str
    dtype: np.dtype
    per_node: int  # entries for each node
    once: int  # entries besides


@cache
def lengths(statistics: frozenset[str], players: int, actions: int) -> tuple[Length, ...]:
    """How long the fields of a tree are, in their order.

    Args:
        statistics: The optional fields that it keeps.
        players: The number of players.
        actions: The number of actions.
    """
    per_node = dict.fromkeys((*NODE_DTYPES, *OPTIONAL_NODE_DTYPES), 1) | dict.fromkeys(PLAYER_DTYPES, players)
    once = {"action_visits": players * actions, "action_sum": players * actions}
    once |= {"reference": actions + 1, "played": players * actions + 1, "budget": 1}
    once |= {"reward_range": 2, "size": 1, "depth": 1}
    kept = {*NODE_DTYPES, *ONCE_DTYPES, *statistics}
    return tuple(
        Length(name, np.dtype(DTYPES[name]), *((per_node.get(name, 0), once.get(name, 0)) if name in kept else (0, 0)))
        for name in Tree._fields
    )


@cache
def kept_lengths(statistics: frozenset[str], players: int, actions: int) -> tuple[Length, ...]:
    """Those of the fields that are kept, but for `LINKS`."""
    fields = lengths(statistics, players, actions)
    return tuple(field for field in fields if field.per_node + field.once > 0 and field.name not in LINKS)


def bytes_per_node(statistics: frozenset[str], players: int) -> int:
    """What a node takes in all arrays together."""
    return sum(length.per_node * length.dtype.itemsize for length in lengths(statistics, players, 0))


def allocate(capacity: int, statistics: Collection[str] = (), players: int = 0, actions: int = 0) -> Tree:
    """Make an empty tree with room for `capacity` nodes.

    Memory that no node has used yet is not touched, so a large capacity costs nothing by itself.

    Args:
        capacity: How many nodes fit.
        statistics: The optional fields to keep.
        players: The number of players, for fields that need it.
        actions: The number of actions, for fields that need it.
    """
    arrays: dict[str, NDArray[Any]] = {**NOT_KEPT, **links(capacity)}
    for name, dtype, per_node, once in kept_lengths(frozenset(statistics), players, actions):
        arrays[name] = zeros(capacity * per_node, dtype) if per_node > 0 else np.zeros(once, dtype)
    tree = Tree(**arrays)
    tree.reward_range[0], tree.reward_range[1] = np.inf, -np.inf
    return tree


def grown(tree: Tree, capacity: int) -> Tree:
    """Copy a tree into arrays with room for `capacity` nodes."""
    old_capacity = tree.visits.size
    arrays = links(capacity)
    for name, array in tree._asdict().items():
        if name in PER_NODE:
            per_node = array.size // old_capacity
            used = int(tree.size[0]) * per_node
            if name not in arrays:
                arrays[name] = zeros(capacity * per_node, array.dtype)
            arrays[name][:used] = array[:used]
        else:
            arrays[name] = array.copy()
    return Tree(**arrays)


def children(tree: Tree, node: int) -> range:
    """The children of a node that were tried at least once."""
    first = int(tree.first_child[node])
    return range(first, first + int(tree.num_tried[node]))


def information_sets(tree: Tree) -> Iterator[int]:
    """The nodes of a tree that are information sets, the root first; only where `known` is kept."""
    node = ROOT
    while node < int(tree.size[0]):
        yield node
        node += 1 + int(tree.num_children[node])


def child_for(tree: Tree, node: int, action: int) -> int:
    """The child of a node that an action leads to, NONE if it was not tried."""
    return next((child for child in children(tree, node) if tree.action[child] == action), NONE)
