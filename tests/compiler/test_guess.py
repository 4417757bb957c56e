"""A guess saves time and never changes what is found."""

import re

import numpy as np
import pytest
from numba import njit

import fastmcts
from fastmcts.compiler.guess import confirmed
from fastmcts.compiler.jit import entry
from fastmcts.core.scratch import GUESSES
from fastmcts.games import TicTacToe


@entry
def confirm_all(found, guesses, out):
    for index in range(out.size):
        out[index] = confirmed(found[index], guesses[index])


def test_what_is_found_counts_and_not_the_guess():
    found, guesses, out = np.array([3, 3, -1, 7]), np.array([3, 5, 0, -1], np.int32), np.zeros(4, np.int64)
    confirm_all(found, guesses, out)
    assert out.tolist() == found.tolist()


@pytest.mark.jit
def test_compiled_code_goes_on_from_the_guess_behind_a_branch():
    """LLVM would else find that both are equal and wait for what is found."""

    @njit
    def looked_up(table, found, guess):
        return table[confirmed(found, guess)]

    looked_up(np.arange(9), 3, 3)
    text = next(iter(looked_up.inspect_llvm().values()))
    copies = dict(re.findall(r"(%\S+) = (?:tail )?call i64 asm sideeffect \"\", \"=r,0\"\(i64 (%\S+)\)", text))
    sources = re.findall(r"phi i64 \[ (%\S+), %\S+ \], \[ (%\S+), %\S+ \]", text)
    assert len(sources) == 1
    (copy,) = set(sources[0]) - {"%arg.found"}
    assert copies[copies[copy]] == "%arg.guess"


@pytest.mark.parametrize("guess", [-1, 0, 1, 10**9])
def test_no_guess_changes_a_tree(guess: int):
    state = TicTacToe().new_initial_state()
    fair = fastmcts.MCTS(state.game, simulations=500, seed=0)
    expected = fair.search(state).tree
    misled = fastmcts.MCTS(state.game, simulations=10, seed=0)
    found = None
    for _ in range(50):
        found = misled.search(state).tree
        guesses = misled.driver.forest.searchers[0].scratch.guesses
        assert guesses.size == GUESSES
        guesses[:] = guess
    assert found is not None
    size = expected.size[0]
    assert size > 500
    assert np.array_equal(expected.visits[:size], found.visits[:size])
    assert np.array_equal(expected.value_sum[:size], found.value_sum[:size])
