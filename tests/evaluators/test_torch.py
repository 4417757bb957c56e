"""What PyTorch's networks answer is read, or refused with what to call, and the tree stays as it was."""

from typing import Any

import pytest

import fastmcts
from fastmcts import MCTS, games

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.peer, pytest.mark.slow_to_compile]

STATE = games.TicTacToe().new_initial_state()


def weights() -> Any:
    """One layer, the same each time: from what a network sees to nine moves and a value."""
    size = STATE.game.observation_size
    layer = torch.nn.Linear(size, 10)
    with torch.no_grad():
        layer.weight.copy_(torch.linspace(-1.0, 1.0, 10 * size).reshape(10, size).sin())
        layer.bias.zero_()
    return layer


def network(read: Any) -> Any:
    """An evaluator whose tensors are made by `read` from what the layer answers."""
    layer = weights()

    def evaluate(observations: Any, legal: Any) -> tuple[Any, Any]:
        answer = layer(torch.from_numpy(observations).flatten(1))
        return read(answer[:, :9].sigmoid()), read(answer[:, 9].tanh())

    return evaluate


def searched(evaluator: Any) -> list[int]:
    return fastmcts.search(STATE, simulations=40, seed=0, evaluator=evaluator, batch_size=4).visits.tolist()


@pytest.mark.parametrize(
    "read",
    [
        lambda tensor: tensor.detach(),
        lambda tensor: tensor.detach().numpy(),
        lambda tensor: tensor.detach().t().contiguous().t(),
        lambda tensor: tensor.detach().double(),
    ],
    ids=["a tensor", "an array", "in another order of memory", "float64"],
)
def test_tensors_are_read_as_arrays_are(read: Any) -> None:
    layer = weights()

    def plain(observations: Any, legal: Any) -> tuple[Any, Any]:
        with torch.inference_mode():
            answer = layer(torch.from_numpy(observations).flatten(1))
            return answer[:, :9].sigmoid().numpy().copy(), answer[:, 9].tanh().numpy().copy()

    assert searched(network(read)) == searched(plain)
    assert sum(searched(plain)) == 40


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (
            lambda tensor: tensor,
            r"policy, a Tensor, cannot be read as a NumPy array: .*requires grad.* call \.detach\(\)",
        ),
        (lambda tensor: tensor.detach().to(torch.int64), "policy must be floats, such as float32, not int64"),
        (lambda tensor: tensor.detach().to(torch.complex64), "policy must be floats, such as float32, not complex64"),
        (lambda tensor: tensor.detach().to_sparse(), "policy, a Tensor, cannot be read as a NumPy array"),
        (lambda tensor: tensor.detach().to("meta"), "policy, a Tensor, cannot be read as a NumPy array"),
    ],
    ids=["requires grad", "int64", "complex", "sparse", "on another device"],
)
def test_tensors_that_cannot_be_read_are_refused_and_the_tree_is_as_it_was(read: Any, message: str) -> None:
    bad = False
    good, refused = network(lambda tensor: tensor.detach()), network(read)
    mcts = MCTS(
        STATE.game, simulations=20, seed=0, evaluator=lambda seen, legal: (refused if bad else good)(seen, legal)
    )
    before = mcts.search(STATE)
    bad = True
    with pytest.raises(TypeError, match=message):
        mcts.search(STATE)
    assert mcts.result().visits.tolist() == before.visits.tolist()
    bad = False
    assert mcts.search(STATE).visits.sum() > before.visits.sum(), "it goes on from there"
