"""How fast is fastmcts beside mctx with pgx, and how much does a search cost beside its network?

    python benchmarks/peer_mctx.py [--rounds 5] [--only speed overhead]
    python benchmarks/peer_mctx.py --write      # also puts the tables into docs/networks.md

Speed: PUCT with a constant evaluator on Connect Four, everything compiled on both sides, in turn, in one process: 512
positions with 128 simulations each, and one position with 800. mctx compiles for all cores and uses what it can of
them. Overhead: the share of the wall time that a network takes which answers batches of 256 after 2 ms: by waiting,
as for a GPU, and, with two threads, by holding one core. Seconds of the clock count, so the machine must be idle; the
best round of each counts.

Needs `pip install jax mctx pgx` for the speed; 512 positions are the start of a game after two random moves.
"""

import argparse
import hashlib
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
import page_tables

import fastmcts
from fastmcts import PUCT, UniformEvaluator, games

POSITIONS, SIMULATIONS, ALONE = 512, 128, 800
BATCH, NETWORK_SECONDS = 256, 0.002
BYTES = bytes(100_000)  # a twentieth of a millisecond
PEER, ONE_THREAD = "mctx + pgx", "fastmcts, 1 thread"
RULE = PUCT(c_init=1.25, c_base=19652.0, first_play=0.0)


def starts(count: int) -> list[fastmcts.State]:
    """Positions of Connect Four after two random moves."""
    generator, found = np.random.default_rng(0), []
    for _ in range(count):
        state = games.ConnectFour().new_initial_state()
        for _ in range(2):
            state.apply_action(int(generator.choice(state.legal_actions())))
        found.append(state)
    return found


def best_seconds(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """The shortest time of each run; they take turns, and the first round does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: min(times[1:]) for name, times in seconds.items()}


def peer_run(count: int, simulations: int) -> Callable[[], Any]:
    """A search of mctx over pgx's Connect Four with a constant evaluator, compiled."""
    import jax  # pyright: ignore[reportMissingImports]
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    mctx: Any = import_module("mctx")  # whose classes no type checker knows
    import pgx  # pyright: ignore[reportMissingImports]

    env = pgx.make("connect_four")
    first = jax.vmap(env.init)(jax.random.split(jax.random.PRNGKey(0), count))
    state = first
    for _ in range(2):
        state = jax.vmap(env.step)(state, jnp.argmax(state.legal_action_mask, axis=-1))

    def logits(mask: Any) -> Any:
        return jnp.where(mask, 0.0, jnp.finfo(jnp.float32).min)

    def step(params: Any, key: Any, action: Any, state: Any) -> Any:
        player = state.current_player
        state = jax.vmap(env.step)(state, action)
        reward = state.rewards[jnp.arange(count), player]
        discount = jnp.where(state.terminated, 0.0, -1.0)
        value = jnp.zeros(count)
        output = mctx.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=logits(state.legal_action_mask), value=value
        )
        return output, state

    @jax.jit
    def search(key: Any, state: Any) -> Any:
        mask = state.legal_action_mask
        root = mctx.RootFnOutput(prior_logits=logits(mask), value=jnp.zeros(count), embedding=state)
        found = mctx.muzero_policy(
            None, key, root, step, simulations, invalid_actions=~mask, dirichlet_fraction=0.0,
            qtransform=lambda tree, node: mctx.qtransform_by_min_max(tree, node, min_value=-1.0, max_value=1.0),
        )  # fmt: skip
        return found.search_tree.summary().visit_counts

    def run() -> Any:
        visits = search(jax.random.PRNGKey(0), state).block_until_ready()
        assert int(visits.sum()) == count * simulations
        return visits

    return run


def runs_of(count: int) -> dict[str, Callable[[], Any]]:
    """Searches of many positions, or of one, by both."""
    states, options = starts(count), {"evaluator": UniformEvaluator(), "selection": RULE, "seed": 0}
    if count == 1:
        alone = lambda: fastmcts.search(states[0], simulations=ALONE, **options)  # noqa: E731
        return {PEER: peer_run(1, ALONE), ONE_THREAD: alone}
    return {
        PEER: peer_run(count, SIMULATIONS),
        ONE_THREAD: lambda: fastmcts.search_batch(states, simulations=SIMULATIONS, **options),
        "fastmcts, 2 threads": lambda: fastmcts.search_batch(states, simulations=SIMULATIONS, threads=2, **options),
    }


def compare_speed(rounds: int) -> Iterator[str]:
    """A table of what both do in a second, and of the ratios."""
    rows = []
    for count, simulations in ((POSITIONS, SIMULATIONS), (1, ALONE)):
        seconds = best_seconds(runs_of(count), rounds)
        for name, taken in seconds.items():
            rate, ratio = count * simulations / taken, seconds[PEER] / taken
            rows.append((f"{count} x {simulations}: {name}", f"{rate:,.0f}", f"{ratio:.1f}"))
    return page_tables.table(("positions x simulations", "simulations/s", "ratio"), rows)


def uniform(legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The answer of a network that knows nothing."""
    return np.ones(legal.shape, np.float32), np.zeros(len(legal), np.float32)


def waiting_network(observations: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Answers after a while, as a GPU would."""
    time.sleep(NETWORK_SECONDS)
    return uniform(legal)


def busy_network(observations: np.ndarray, legal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Holds one core for a while, without Python's lock, as libraries do; matrix products might take all cores."""
    end = time.perf_counter() + NETWORK_SECONDS
    while time.perf_counter() < end:
        hashlib.sha256(BYTES)
    return uniform(legal)


def share_overhead(rounds: int) -> Iterator[str]:
    """A table of the share of the wall time that the network takes."""
    rows = []
    for name in NETWORKS:
        share, size = network_share(name, rounds)
        rows.append((name, f"{size:.0f}", f"{share:.1%}"))
    header = f"a network that takes {1000 * NETWORK_SECONDS:g} ms for up to {BATCH} positions"
    return page_tables.table((header, "mean batch", "its share of the time"), rows)


def network_share(name: str, rounds: int) -> tuple[float, float]:
    """The share of the wall time that a network takes in the best round, and its mean batch."""
    network, threads = NETWORKS[name]
    shares = []
    for _ in range(rounds + 1):
        states = different(threads * BATCH)
        found = fastmcts.search_batch(states, simulations=SIMULATIONS, evaluator=network, seed=0, threads=threads)
        assert found.evaluation is not None
        shares.append((found.evaluation.seconds / found.seconds, found.evaluation.batch_size))
    return max(shares[1:])


def different(count: int) -> list[fastmcts.State]:
    """As many different positions of Connect Four."""
    level = [games.ConnectFour().new_initial_state()]
    while len(level) < count:
        level = [state.child(action) for state in level for action in state.legal_actions()]
    return level[:count]


#: Networks, with how many threads each is asked.
NETWORKS = {
    "waiting, 1 thread": (waiting_network, 1),
    "waiting, 2 threads": (waiting_network, 2),
    "holding a core, 1 thread": (busy_network, 1),
    "holding a core, 2 threads": (busy_network, 2),
}


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", choices=["speed", "overhead"], default=["speed", "overhead"])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/networks.md")
    arguments = parser.parse_args()
    for name in arguments.only:
        text = "\n".join({"speed": compare_speed, "overhead": share_overhead}[name](arguments.rounds))
        print(f"{text}\n", flush=True)
        if arguments.write:
            page_tables.rewrite(page_tables.DOCS / "networks.md", page_tables.markers(name), text)


if __name__ == "__main__":
    main()
