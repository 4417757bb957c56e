"""A small residual network in plain JAX: functions of parameters, which are nested dictionaries of arrays.

It is made of matrix products alone. In a second of one core it judged 170,000 positions of Connect Four, and three
blocks of convolutions with 32 channels judged 30,000; in the same seconds of training it came to smaller losses.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from examples.alphazero.replay import Batch
from examples.alphazero.settings import Settings

Params: TypeAlias = dict[str, Any]

SMALLEST_BATCH = 16
ILLEGAL = -1e9  # the logit of an illegal move
VALUE_WIDTH = 64
WEIGHT_DECAY = 1e-4
STEPS_BEFORE_DECAY = 10_000  # after three times as many a step is half as long as the first
#: How much of each step goes into the average, which plays: it is steadier than what is trained.
NEW_SHARE = 0.005


class Trained(NamedTuple):
    """What training changes.

    Attributes:
        params: The parameters.
        average: Their moving average, which plays.
        optimizer: What the optimizer remembers.
    """

    params: Params
    average: Params
    optimizer: Any


def first_params(settings: Settings, seed: int) -> Params:
    """Random parameters; residual branches and outputs start small."""
    game = settings.load_game()
    width = settings.width
    keys = iter(jax.random.split(jax.random.key(seed), 2 * settings.blocks + 4))

    def layer(inputs: int, outputs: int, scale: float = 1.0) -> Params:
        weights = scale * (2.0 / inputs) ** 0.5 * jax.random.normal(next(keys), (inputs, outputs))
        return {"weights": weights, "bias": jnp.zeros(outputs)}

    return {
        "first": layer(game.observation_size, width),
        "blocks": [{"one": layer(width, width), "two": layer(width, width, 0.1)} for _ in range(settings.blocks)],
        "policy": layer(width, game.num_actions, 0.1),
        "value": {"one": layer(width, VALUE_WIDTH), "two": layer(VALUE_WIDTH, 1, 0.1)},
    }


def apply(layer: Params, inputs: jax.Array) -> jax.Array:
    """One layer: [B, inputs] to [B, outputs]."""
    return inputs @ layer["weights"] + layer["bias"]


def forward(params: Params, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Logits [B, A] of all moves, and values [B] from -1 to 1 for the player to move."""
    hidden = jax.nn.relu(apply(params["first"], observations.reshape(len(observations), -1)))
    for block in params["blocks"]:
        hidden = jax.nn.relu(hidden + apply(block["two"], jax.nn.relu(apply(block["one"], hidden))))
    value = apply(params["value"]["two"], jax.nn.relu(apply(params["value"]["one"], hidden)))
    return apply(params["policy"], hidden), jnp.tanh(value[:, 0])


@jax.jit
def judge(params: Params, observations: jax.Array, legal: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Probabilities [B, A] of the moves, and values [B]. The parameters are arguments: new ones compile nothing."""
    logits, values = forward(params, observations)
    return jax.nn.softmax(jnp.where(legal, logits, ILLEGAL)), values


def bucket(count: int) -> int:
    """The next of 16, 24, 32, 48, 64, ...: `judge` is compiled for each size, so there should be few."""
    size = SMALLEST_BATCH
    while size < count:
        size *= 2
    return size * 3 // 4 if size > SMALLEST_BATCH and count <= size * 3 // 4 else size


def evaluator(params: Params) -> Callable[[NDArray[np.float32], NDArray[np.bool_]], tuple[Any, Any]]:
    """What a search asks: batches are filled up to the next bucket, and the answers cut."""

    def evaluate(observations: NDArray[np.float32], legal: NDArray[np.bool_]) -> tuple[Any, Any]:
        count = len(observations)
        seen = np.zeros((bucket(count), *observations.shape[1:]), np.float32)
        allowed = np.ones((len(seen), legal.shape[1]), np.bool_)
        seen[:count], allowed[:count] = observations, legal
        policy, values = judge(params, seen, allowed)
        return np.asarray(policy)[:count], np.asarray(values)[:count]

    return evaluate


def optimizer(settings: Settings) -> optax.GradientTransformation:
    """Adam with weight decay, and steps that become smaller."""

    def learning_rate(steps: Any) -> Any:
        return settings.learning_rate / (1.0 + steps / STEPS_BEFORE_DECAY) ** 0.5

    return optax.adamw(learning_rate, weight_decay=WEIGHT_DECAY)


def first_trained(settings: Settings, seed: int) -> Trained:
    """Before the first step."""
    params = first_params(settings, seed)
    return Trained(params, params, optimizer(settings).init(params))


def losses(params: Params, batch: Batch) -> tuple[jax.Array, jax.Array]:
    """The cross entropy of the policy, and the squared error of the value."""
    logits, values = forward(params, jnp.asarray(batch.observations))
    masked = jnp.where(batch.legal, logits, ILLEGAL)
    return optax.softmax_cross_entropy(masked, batch.policies).mean(), jnp.square(values - batch.values).mean()


@partial(jax.jit, static_argnums=0)
def step(settings: Settings, trained: Trained, batch: Batch) -> Trained:
    """One step of the optimizer."""
    gradient = jax.grad(lambda params: sum(losses(params, batch)))(trained.params)
    updates, memory = optimizer(settings).update(gradient, trained.optimizer, trained.params)
    params: Any = optax.apply_updates(trained.params, updates)
    average: Any = optax.incremental_update(params, trained.average, NEW_SHARE)
    return Trained(params, average, memory)


def train(settings: Settings, trained: Trained, batches: Iterable[Batch]) -> tuple[Trained, float, float]:
    """Train on batches; returns also the losses of policy and value on the last one."""
    batch = None
    for batch in batches:
        trained = step(settings, trained, batch)
    assert batch is not None, "there is at least one batch"
    policy_loss, value_loss = losses(trained.average, batch)
    return trained, float(policy_loss), float(value_loss)
