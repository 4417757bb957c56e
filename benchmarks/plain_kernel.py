"""The yardstick of compile times: UCT for Connect Four, written by hand in two plain Numba functions and one kernel.

python benchmarks/plain_kernel.py        # prints the seconds that its first call takes
"""

import math
import time

import numpy as np
from numba import njit

ROWS, COLUMNS, HEIGHT = 6, 7, 7  # a column has one bit more than rows


@njit
def draw(seed):
    """The next number of a xorshift generator."""
    seed[0] ^= seed[0] << np.uint64(13)
    seed[0] ^= seed[0] >> np.uint64(7)
    seed[0] ^= seed[0] << np.uint64(17)
    return seed[0]


@njit
def has_four(stones):
    """Whether four bits stand in a row."""
    for step in (1, HEIGHT - 1, HEIGHT, HEIGHT + 1):
        pairs = stones & (stones >> step)
        if pairs & (pairs >> (2 * step)):
            return True
    return False


@njit
def search(simulations, c, visits, value_sum, parent, first_child, num_children, action, seed):
    """Add simulations to a tree from the empty board; return how many nodes it has."""
    size = 1
    parent[0] = -1
    for _ in range(simulations):
        own, other, ply, node, is_won = 0, 0, 0, 0, False
        while first_child[node] > 0:
            chosen, best = first_child[node], -1.0
            logarithm = math.log(visits[node])
            for child in range(first_child[node], first_child[node] + num_children[node]):
                if visits[child] == 0:
                    chosen = child
                    break
                score = value_sum[child] / visits[child] + c * math.sqrt(logarithm / visits[child])
                if score > best:
                    chosen, best = child, score
            node = chosen
            taken = own | other
            bottom = action[node] * HEIGHT
            own, other = other, own | ((taken + (1 << bottom)) & (63 << bottom) & ~taken)
            ply += 1
            is_won = has_four(other)
        if not is_won and ply < ROWS * COLUMNS and visits[node] > 0:
            first_child[node] = size
            for column in range(COLUMNS):
                if not (own | other) >> (column * HEIGHT + ROWS - 1) & 1:
                    action[size] = column
                    parent[size] = node
                    num_children[node] += 1
                    size += 1
        while not is_won and ply < ROWS * COLUMNS:
            column = int(draw(seed) % np.uint64(COLUMNS))
            taken = own | other
            if not taken >> (column * HEIGHT + ROWS - 1) & 1:
                bottom = column * HEIGHT
                own, other = other, own | ((taken + (1 << bottom)) & (63 << bottom) & ~taken)
                ply += 1
                is_won = has_four(other)
        reward = 1.0 if is_won else 0.5
        while node >= 0:
            visits[node] += 1
            value_sum[node] += reward
            reward = 1.0 - reward
            node = parent[node]
    return size


def main() -> None:
    """Time the first call."""
    capacity = 8 * 50 + 1
    integers = np.zeros((5, capacity), np.int64)
    visits, parent, first_child, num_children, action = integers
    arrays = visits, np.zeros(capacity), parent, first_child, num_children, action
    start = time.process_time()
    search(50, 1.0, *arrays, np.array([88172645463325252], np.uint64))
    print(time.process_time() - start)


if __name__ == "__main__":
    main()
