"""Klondike: forms of the game, a position drawn as text, moves by their names."""

from fastmcts.games import Klondike
from fastmcts.state import State

#: Short games, so that many of them can be played in plain Python.
FORMS = [
    Klondike(idle_limit=25),
    Klondike(draw=1, idle_limit=25),
    Klondike(macro=True, idle_limit=25),
    Klondike(draw=1, macro=True, idle_limit=25),
    Klondike(idle_limit=25, worry_back=False, score="cards"),
]

MIDDLE = """
    waste: 9D 4S 8H
    stock: 2C 3C 4C (5C 6C 7C 8C 9C TC JC QC)
    F: AC 2D 3H
    T1: KC QH
    T2: (AS) 9S
    T3: (5H 5D) TD
    T4: (6H 6D 6S) JS
    T5: (7H 3S 7D 7S) 5S 4H
    T6: (4D 3D 8D 8S TH) JH TS 9H
    T7: (KH 2S JD QD KD KS) QS
"""


def texts(state: State) -> set[str]:
    return {state.action_to_string(action) for action in state.legal_actions()}


def play(state: State, *moves: str) -> State:
    for move in moves:
        state.apply_action(state.string_to_action(move))
    return state
