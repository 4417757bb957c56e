"""A position of a game of tricks: hands and what is known about them."""

from typing import TYPE_CHECKING

from fastmcts.core.types import Position
from fastmcts.games._cards import SUITS, cards_text
from fastmcts.games._hidden_hands import field
from fastmcts.state import State

if TYPE_CHECKING:
    from fastmcts.games._tricks import TrickGame


class TrickState(State):
    """A position of a game of tricks, or what one player knows of it."""

    game: "TrickGame"

    def __init__(self, game: "TrickGame", array: Position, viewer: int | None = None) -> None:
        super().__init__(game, array, viewer)

    def hand(self, player: int) -> list[str]:
        """The cards that a player holds, suit by suit, the highest first; ValueError if they are hidden."""
        player = self.player_number(player)
        size = self.hand_size(player)
        if self.viewer not in (None, player) and size > 0:
            raise ValueError(
                f"this is the view of player {self.viewer}, which does not contain the {size} cards of player {player}"
            )
        return cards_text(self.array[self.game.hands + player]).split()

    def hand_size(self, player: int) -> int:
        """How many cards a player holds."""
        return field(int(self.game.hand_sizes(self.array)), self.player_number(player))

    def known_voids(self, player: int) -> list[str]:
        """The suits, such as `["C", "H"]`, that a player has shown to lack by the cards it played."""
        voids = int(self.array[self.game.voids + self.player_number(player)])
        return [name for suit, name in enumerate(SUITS) if voids >> suit & 1]
