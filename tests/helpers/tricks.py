"""Games of tricks as the book has them: cards as texts, a referee, all worlds that a player cannot tell apart."""

import itertools
import random

from fastmcts import games
from fastmcts.games._cards import CARDS, RANKS, SUITS, card_text, cards_text
from fastmcts.games._tricks import OPENER

GAMES = [
    games.Whist(),
    games.Whist(trump=-1),
    games.Whist(trump=0, hand_size=4),
    games.OhHell(),
    games.OhHell(trump_must_be_broken=False),
    games.OhHell(num_players=2, hand_size=25),
    games.OhHell(num_players=3, hand_size=17, last_bid_restricted=True, scoring="tricks"),
    games.OhHell(num_players=6, hand_size=8, scoring="penalty", points_per_trick=3, dealer=2),
]


def naive_game(hands, opener, trump, must_be_broken, plays):
    """Referee a list of cards by the rules of the book; yield who may play what before each card.

    Args:
        hands: A set of card texts per player; emptied on the way.
        opener: Who leads first.
        trump: A letter, or None.
        must_be_broken: Whether trump may not be led at once.
        plays: The cards' texts.
    """
    leader, table, broken = opener, [], False
    for played in plays:
        player = (leader + len(table)) % len(hands)
        hand = hands[player]
        if table:
            legal = {card for card in hand if card[1] == table[0][1]} or hand
        else:
            legal = {card for card in hand if card[1] != trump or broken or not must_be_broken} or hand
        yield player, set(legal)
        hand.remove(played)
        table.append(played)
        broken |= played[1] == trump
        if len(table) == len(hands):
            trumps = [card for card in table if card[1] == trump]
            rivals = trumps or [card for card in table if card[1] == table[0][1]]
            best = max(rivals, key=lambda card: RANKS.index(card[0]))
            leader, table = (leader + table.index(best)) % len(hands), []


def trump_of(state):
    game = state.game
    if isinstance(game, games.Whist):
        return SUITS[game.trump] if game.trump >= 0 else None
    return card_text(int(state.array[game.turned]))[1]


def texts(cards):
    return set(cards_text(cards).split())


def hands_of(state):
    game = state.game
    return [texts(hand) for hand in state.array[game.hands : game.voids]]


def plays_of(state):
    return [card_text(card) for card in state.game.cards_so_far(state.array)]


def played_state(game, seed, cards_left):
    """Random moves until players have at most so many cards."""
    state = game.new_initial_state(seed)
    chooser = random.Random(seed)
    while not state.is_terminal() and (not plays_of(state) or max(map(len, hands_of(state))) > cards_left):
        state.apply_action(chooser.choice(state.legal_actions()))
    return state


def all_worlds(state, viewer):
    """Every way to deal the hidden cards such that the whole history is legal; as tuples of hands."""
    game = state.game
    hands, plays = hands_of(state), plays_of(state)
    others = [player for player in range(game.num_players) if player != viewer]
    faceup = {card_text(int(state.array[game.turned]))} if isinstance(game, games.OhHell) else set()
    unseen = {card_text(card) for card in range(CARDS)} - set(plays) - hands[viewer] - faceup
    start = [set() for _ in hands]
    players = [
        player
        for player, _ in naive_game([set(plays) for _ in hands], state.array[OPENER], trump_of(state), False, plays)
    ]
    for player, card in zip(players, plays, strict=True):
        start[player].add(card)

    def deals(cards, sizes):
        if not sizes:
            yield []
            return
        for hand in itertools.combinations(sorted(cards), sizes[0]):
            for rest in deals(cards - set(hand), sizes[1:]):
                yield [set(hand), *rest]

    for deal in deals(unseen, [len(hands[player]) for player in others]):
        world = [set() for _ in hands]
        for player, hand in zip([viewer, *others], [hands[viewer], *deal], strict=True):
            world[player] = hand
        full = [first | now for first, now in zip(start, world, strict=True)]
        referee = naive_game(full, state.array[OPENER], trump_of(state), game.trump_must_be_broken, plays)
        if all(card in legal for card, (_, legal) in zip(plays, referee, strict=True)):
            yield tuple(frozenset(hand) for hand in world)
