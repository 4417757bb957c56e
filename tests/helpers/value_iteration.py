"""Exact values of small games for one player, with chance and rewards on the way: the judge of searches."""

import fastmcts


class Exact:
    """Backward induction over all positions that can be reached.

    Args:
        discount: By how much less a reward counts with each decision.
    """

    def __init__(self, discount: float = 1.0) -> None:
        self.discount = discount
        self.values: dict[bytes, float] = {}

    def value(self, state: fastmcts.State) -> float:
        """What the best play can expect from a position on."""
        key = state.array.tobytes()
        if key not in self.values:
            if state.is_terminal():
                self.values[key] = self.utility(state)
            elif state.is_chance_node():
                self.values[key] = sum(chance * self.after(state, o) for o, chance in state.chance_outcomes())
            else:
                self.values[key] = max(self.after(state, action) for action in state.legal_actions())
        return self.values[key]

    def after(self, state: fastmcts.State, action: int) -> float:
        """What a move, or an outcome, is worth."""
        child = state.child(action)
        later = 1.0 if child.is_chance_node() else self.discount
        return child.rewards()[0] + later * self.value(child)

    def best(self, state: fastmcts.State) -> list[int]:
        """The moves that keep the value."""
        best = self.value(state)
        return [action for action in state.legal_actions() if self.after(state, action) >= best - 1e-9]

    @staticmethod
    def utility(state: fastmcts.State) -> float:
        """What is paid when it is over."""
        end = state.game.new_state(state.array)
        return end.returns()[0]
