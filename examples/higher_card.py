"""A game with hidden cards: two players, a small deck, and the higher card wins."""

from dataclasses import dataclass

import fastmcts
from fastmcts.rng import below

PLAYER, LEADER, TABLE, TRICKS, PLACES = 0, 1, 2, 3, 5  # where the parts of a position stand
ASIDE, PLAYED, UNKNOWN = 2, 3, 4  # places of a card; 0 and 1 are the hands of the players
NO_CARD = -1


@dataclass(frozen=True)
class HigherCard(fastmcts.Game):
    """The leader plays a card and the other one answers; the higher card wins the trick, and its player leads.

    Some cards are left over and lie aside, face down. An action is a card. The utility is the lead in tricks.

    State: [player to move, leader, card on the table, tricks of 0, tricks of 1, place of each card].
    """

    cards: int = 8
    hand_size: int = 3
    num_players = 2

    @property
    def num_actions(self):
        return self.cards

    @property
    def state_size(self):
        return PLACES + self.cards

    @property
    def min_utility(self):
        return -float(self.hand_size)

    @property
    def max_utility(self):
        return float(self.hand_size)

    def initial(self, state, rng):
        state[TABLE] = NO_CARD
        for card in range(self.cards):
            state[PLACES + card] = UNKNOWN
        self.deal(state, 0, self.hand_size, rng)
        self.deal(state, 1, self.hand_size, rng)
        self.deal(state, ASIDE, self.cards - 2 * self.hand_size, rng)

    def deal(self, state, place, count, rng):
        """Put so many of the unknown cards, drawn with equal chances, into a place."""
        unknown = 0
        for card in range(self.cards):
            unknown += state[PLACES + card] == UNKNOWN
        for card in range(self.cards):
            if state[PLACES + card] == UNKNOWN:
                if below(rng, unknown) < count:
                    state[PLACES + card] = place
                    count -= 1
                unknown -= 1

    def current_player(self, state):
        if state[TRICKS] + state[TRICKS + 1] == self.hand_size:
            return fastmcts.TERMINAL
        return state[PLAYER]

    def legal_actions(self, state, actions):
        return self.list_cards(state, state[PLAYER], actions)

    def list_cards(self, state, place, actions):
        """List the cards that are in a place."""
        count = 0
        for card in range(self.cards):
            if state[PLACES + card] == place:
                actions[count] = card
                count += 1
        return count

    def apply(self, state, action):
        state[PLACES + action] = PLAYED
        if state[TABLE] == NO_CARD:
            state[TABLE] = action
            state[PLAYER] = 1 - state[LEADER]
        else:
            winner = state[LEADER] if state[TABLE] > action else 1 - state[LEADER]
            state[TRICKS + winner] += 1
            state[TABLE] = NO_CARD
            state[PLAYER] = winner
            state[LEADER] = winner

    def returns(self, state, out):
        lead = float(state[TRICKS] - state[TRICKS + 1])
        out[0] = lead
        out[1] = -lead

    # ---- What a player knows

    def observe(self, state, player, out):
        for index in range(self.state_size):
            out[index] = state[index]
        for card in range(self.cards):
            if state[PLACES + card] != player and state[PLACES + card] != PLAYED:
                out[PLACES + card] = UNKNOWN

    def determinize(self, state, player, rng):
        other = 1 - player
        for card in range(self.cards):
            if state[PLACES + card] != player and state[PLACES + card] != PLAYED:
                state[PLACES + card] = UNKNOWN
        has_played = state[TABLE] != NO_CARD and state[LEADER] == other
        held = self.hand_size - state[TRICKS] - state[TRICKS + 1] - has_played
        self.deal(state, other, held, rng)
        self.deal(state, ASIDE, self.cards - 2 * self.hand_size, rng)

    def possible_actions(self, state, player, actions):
        is_own = state[PLAYER] == player
        return self.list_cards(state, player if is_own else UNKNOWN, actions)


def main(simulations: int = 2_000) -> None:
    """Search as player 0, who sees neither the other hand nor the cards that lie aside."""
    state = HigherCard().new_initial_state(seed=1)
    print(state.view(0))
    print(fastmcts.search(state, simulations=simulations, seed=0))


if __name__ == "__main__":
    main()
