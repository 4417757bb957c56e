"""The search tree: preallocated arrays, one entry per node, the children of a node side by side.

```
            node:    0      1      2      3      4      5    ...
     first_child: [  1   |  4   | NONE | NONE | NONE |
    num_children: [  3   |  2   |  0   |  0   |  0   |
       num_tried: [  3   |  1   |  0   |  0   |  0   |  ?      4 was tried, 5 waits
          parent: [ NONE |  0   |  0   |  0   |  1   |  ?
          action: [ NONE |  a   |  b   |  c   |  a'  |  b'
          visits: [  9   |  5   |  2   |  2   |  1   |  ?
```

A node's children are laid out when it is first expanded. Those already tried come first; of a child
that still waits only `action` is set, everything else is written when it is first visited.

| field        | dtype   | shape | meaning                                                        |
|--------------|---------|-------|----------------------------------------------------------------|
| visits       | int32   | [N]   | simulations that passed through the node                       |
| value_sum    | float64 | [N]   | their rewards in [0, 1] for `player`, summed                   |
| parent       | int32   | [N]   | the node above; NONE at the root                               |
| first_child  | int32   | [N]   | the first of the children; NONE before expansion               |
| num_children | int16   | [N]   | how many children were laid out                                |
| num_tried    | int16   | [N]   | how many of them were visited: the first ones                  |
| action       | int32   | [N]   | the action that leads here; NONE at the root                   |
| player       | int8    | [N]   | whose choice led here, and whose reward `value_sum` adds up    |
| size         | int64   | [1]   | how many nodes are in use                                      |
| depth        | int64   | [1]   | how many moves below the root the deepest node is              |

`value_sum` belongs to the player who moved *into* the node, so selection at the parent maximises and
nothing flips a sign: a player may move twice in a row, and any number may play. The root was not moved
into; it holds the rewards of the player to move. (A root that was moved into before it became the root, as
`MCTS.advance` makes them, goes on holding those of the player who moved.)
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fastmcts.constants import NONE, ROOT

MAX_NODES = 2**31 - 1  # node indices are int32
MAX_CHILDREN = 2**15 - 1  # child counts are int16
MAX_VISITS = 2**31 - 1  # visits are int32


class Tree(NamedTuple):
    """The arrays of one search tree; the module's text describes each."""

    visits: NDArray[np.int32]  # [N]
    value_sum: NDArray[np.float64]  # [N]
    parent: NDArray[np.int32]  # [N]
    first_child: NDArray[np.int32]  # [N]
    num_children: NDArray[np.int16]  # [N]
    num_tried: NDArray[np.int16]  # [N]
    action: NDArray[np.int32]  # [N]
    player: NDArray[np.int8]  # [N]
    size: NDArray[np.int64]  # [1]
    depth: NDArray[np.int64]  # [1]


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
BYTES_PER_NODE: int = sum(np.dtype(dtype).itemsize for dtype in NODE_DTYPES.values())


def allocate(capacity: int) -> Tree:
    """Make an empty tree with room for `capacity` nodes.

    Memory that no node has used yet is not touched, so a large capacity costs nothing by itself.
    """
    arrays = {name: np.empty(capacity, dtype) for name, dtype in NODE_DTYPES.items()}
    return Tree(**arrays, size=np.zeros(1, np.int64), depth=np.zeros(1, np.int64))  # pyright: ignore[reportArgumentType]


def plant(tree: Tree, player: int) -> None:
    """Forget all nodes and start with a root at which `player` is to move."""
    tree.size[0] = 1
    tree.depth[0] = 0
    tree.visits[ROOT] = 0
    tree.value_sum[ROOT] = 0.0
    tree.parent[ROOT] = NONE
    tree.first_child[ROOT] = NONE
    tree.num_children[ROOT] = 0
    tree.num_tried[ROOT] = 0
    tree.action[ROOT] = NONE
    tree.player[ROOT] = player


def grown(tree: Tree, capacity: int) -> Tree:
    """Copy a tree into arrays with room for `capacity` nodes."""
    larger = allocate(capacity)
    size = int(tree.size[0])
    for name in NODE_DTYPES:
        getattr(larger, name)[:size] = getattr(tree, name)[:size]
    larger.size[0] = size
    larger.depth[0] = tree.depth[0]
    return larger


def children(tree: Tree, node: int) -> range:
    """The children of a node that were visited at least once."""
    first = int(tree.first_child[node])
    return range(first, first + int(tree.num_tried[node]))


def child_for(tree: Tree, node: int, action: int) -> int:
    """The child of a node that an action leads to, NONE if it was not tried."""
    return next((child for child in children(tree, node) if tree.action[child] == action), NONE)
