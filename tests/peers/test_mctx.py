"""PUCT and Gumbel against mctx: the same tables of priors and values give the same visits and the same policies.

What is the same: every node has a policy and a value from a table. A value is for the player to move, in [-1, 1], and
the players alternate (mctx: a discount of -1), or one player moves all the time (a discount of 1). mctx evaluates the
root before its simulations, and so does an evaluator here.

What differs by formula, and how it is made equal here:

- mctx's `muzero_policy` stretches the values of a node's children to [0, 1] by their own range
  (`qtransform_by_parent_and_siblings`); here a reward is (utility - min) / (max - min) by the range of the game,
  which is mctx's `qtransform_by_min_max`. It gives unvisited children the lowest value: `first_play=0`.
- mctx adds random numbers below 1e-7 to the scores of `muzero_policy`, to break ties at random; here the lower action
  wins a tie. The tables have no ties.
- mctx computes in float32, by running means; here sums are float64, and the scores of PUCT float32. mctx is asked to
  compute in float64 (`jax_enable_x64`), and no seed below has two scores that are closer than float32 can tell.
- Gumbel with moves that are illegal below the root: mctx gives them the mixed value too, which may widen the range by
  which the values of a node are stretched; here a node has its legal moves only. The tables have no such moves.
"""

import functools
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import fastmcts
from fastmcts import PUCT, Gumbel

mctx = pytest.importorskip("mctx")
jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

ENTRIES = 499
LONGEST = 500


@dataclass(frozen=True)
class Table(fastmcts.Game):
    """A walk over the entries of a table: action a leads from entry e to e * actions + a + 1, modulo their number.

    State: [entry, moves made].
    """

    num_actions: int = 4
    num_players: int = 2

    state_size = 2
    max_game_length = LONGEST

    def initial(self, state, rng):
        state[0] = 0

    def current_player(self, state):
        return fastmcts.TERMINAL if state[1] == LONGEST else state[1] % self.num_players

    def legal_actions(self, state, actions):
        for action in range(self.num_actions):
            actions[action] = action
        return self.num_actions

    def apply(self, state, action):
        state[0] = (state[0] * self.num_actions + action + 1) % ENTRIES
        state[1] += 1

    def returns(self, state, out):
        for player in range(self.num_players):
            out[player] = 0.0


@dataclass(frozen=True)
class Tables:
    """Random logits and values for the entries of a table, and searches of both packages that use them."""

    num_actions: int
    num_players: int
    seed: int

    @functools.cached_property
    def numbers(self):
        generator = np.random.default_rng(self.seed)
        return generator.normal(size=(ENTRIES, self.num_actions)), np.tanh(generator.normal(size=ENTRIES))

    def evaluate(self, observations, legal):
        logits, values = self.numbers
        entries = observations[:, 0].astype(int)
        return logits[entries], values[entries]

    def starts(self, count):
        game = Table(self.num_actions, self.num_players)
        return [game.state_from_array(np.array([7 * index % ENTRIES, 0])) for index in range(count)]

    def search(self, count, simulations, selection, **options):
        network = fastmcts.Network(self.evaluate, logits=True)
        return fastmcts.search_batch(
            self.starts(count), simulations=simulations, seed=1, evaluator=network, selection=selection, **options
        )

    def peer(self, count):
        logits, values = (jnp.asarray(numbers) for numbers in self.numbers)
        discount = -1.0 if self.num_players == 2 else 1.0

        def step(params, key, action, entry):
            entry = (entry * self.num_actions + action + 1) % ENTRIES
            zeros = jnp.zeros(entry.shape)
            output = mctx.RecurrentFnOutput(
                reward=zeros, discount=zeros + discount, prior_logits=logits[entry], value=values[entry]
            )
            return output, entry

        entries = jnp.array([7 * index % ENTRIES for index in range(count)])
        return mctx.RootFnOutput(prior_logits=logits[entries], value=values[entries], embedding=entries), step


@pytest.fixture(autouse=True)
def doubles():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


SIZES = [(3, 2, 1, 8, 32), (4, 2, 2, 16, 100), (8, 2, 3, 8, 200), (16, 2, 4, 4, 400), (4, 1, 5, 8, 100)]


@pytest.mark.parametrize(("actions", "players", "seed", "count", "simulations"), SIZES)
def test_puct_visits_what_muzero_policy_visits(actions, players, seed, count, simulations):
    tables = Tables(actions, players, seed)
    root, step = tables.peer(count)
    theirs = mctx.muzero_policy(
        None,
        jax.random.PRNGKey(0),
        root,
        step,
        simulations,
        qtransform=functools.partial(mctx.qtransform_by_min_max, min_value=-1.0, max_value=1.0),
        dirichlet_fraction=0.0,
        pb_c_init=1.25,
        pb_c_base=100.0,
    )
    mine = tables.search(count, simulations, PUCT(c_init=1.25, c_base=100.0, first_play=0.0))
    visits = np.asarray(theirs.search_tree.summary().visit_counts)
    assert mine.visits.tolist() == visits.tolist()
    assert mine.policy == pytest.approx(np.asarray(theirs.action_weights), abs=1e-5)
    values = np.asarray(theirs.search_tree.summary().qvalues)
    assert mine.utilities[visits > 0] == pytest.approx(values[visits > 0], abs=1e-9)


@pytest.mark.parametrize(("actions", "players", "seed", "count", "simulations"), SIZES)
@pytest.mark.parametrize("considered", [1, 4, 16])
def test_gumbel_without_noise_does_what_gumbel_muzero_policy_does(
    actions, players, seed, count, simulations, considered
):
    tables = Tables(actions, players, seed)
    root, step = tables.peer(count)
    theirs = mctx.gumbel_muzero_policy(
        None,
        jax.random.PRNGKey(0),
        root,
        step,
        simulations,
        max_num_considered_actions=considered,
        gumbel_scale=0.0,
    )
    mine = tables.search(count, simulations, Gumbel(considered=considered, scale=0.0))
    assert mine.visits.tolist() == np.asarray(theirs.search_tree.summary().visit_counts).tolist()
    assert mine.improved_policy == pytest.approx(np.asarray(theirs.action_weights), abs=1e-5)
    assert mine.action.tolist() == np.asarray(theirs.action).tolist()


@pytest.mark.parametrize(("actions", "players", "seed", "count", "simulations"), SIZES[:4])
def test_gumbel_does_the_same_with_the_same_noise(actions, players, seed, count, simulations):
    names = ("action_selection", "qtransforms", "search", "seq_halving")
    inside: list[Any] = [import_module(f"mctx._src.{name}") for name in names]  # whose classes no type checker knows
    action_selection, qtransforms, search, seq_halving = inside

    tables = Tables(actions, players, seed)
    considered, results = 8, []
    for index, state in enumerate(tables.starts(count)):
        network = fastmcts.Network(tables.evaluate, logits=True)
        options = {"evaluator": network, "selection": Gumbel(considered=considered)}
        results.append(fastmcts.search(state, simulations=simulations, seed=index, **options))
    noise = np.array([result.tree.gumbel[1 : 1 + actions] for result in results])
    assert 0.3 < noise.mean() < 0.9 or count * actions < 60  # 0.577 is Gumbel's mean
    root, step = tables.peer(count)
    extra = action_selection.GumbelMuZeroExtraData(root_gumbel=jnp.asarray(noise))
    tree = search.search(
        params=None,
        rng_key=jax.random.PRNGKey(0),
        root=root,
        recurrent_fn=step,
        root_action_selection_fn=functools.partial(
            action_selection.gumbel_muzero_root_action_selection,
            num_simulations=simulations,
            max_num_considered_actions=considered,
        ),
        interior_action_selection_fn=action_selection.gumbel_muzero_interior_action_selection,
        num_simulations=simulations,
        extra_data=extra,
    )
    visits = np.asarray(tree.summary().visit_counts)
    completed = jax.vmap(qtransforms.qtransform_completed_by_mix_value, in_axes=[0, None])(tree, 0)
    improved = np.asarray(jax.nn.softmax(root.prior_logits + completed))
    played = seq_halving.score_considered(
        visits.max(axis=-1, keepdims=True), jnp.asarray(noise), root.prior_logits, completed, visits
    ).argmax(axis=-1)
    for index, result in enumerate(results):
        assert result.visits.tolist() == visits[index].tolist()
        assert result.improved_policy == pytest.approx(improved[index], abs=1e-5)
        assert result.action == int(played[index])
