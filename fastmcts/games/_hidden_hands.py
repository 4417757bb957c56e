"""Deal unseen cards to players who may lack suits, each deal that is possible equally likely.

Players who lack the same suits are one group, and groups are dealt to one after the other. The last one draws from all
cards that it may hold. The others draw first how many cards of which suits they get: with one more group to come, how
many of the suits that both may hold; with several, how many of each suit. Every number has the weight that it has
among all deals: the number of ways to choose these cards, times the number of ways to serve the groups to come. What
nobody claims goes to the players who may hold anything, and to the stock.

Nothing is stored: a few numbers of eight bits stand in one int, one per player, per suit or per group.

    sizes    how many cards each player holds
    counts   how many cards of each suit are unseen
    needs    how many cards each group is still to get
    voids    which suits each group lacks, a bit per suit
"""

from collections.abc import Callable, Sequence
from functools import reduce
from math import comb
from operator import and_
from typing import TYPE_CHECKING

import numpy as np

from fastmcts.bits import count_bits, nth_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Position, Rng
from fastmcts.errors import GameError
from fastmcts.games._cards import CARDS, CLUBS
from fastmcts.rng import below, unit

if TYPE_CHECKING:
    from fastmcts.games._tricks import TrickGame

WIDTH = 8  # bits of each packed number
FIELD = (1 << WIDTH) - 1
ONE_EACH = 1 | 1 << WIDTH | 1 << 2 * WIDTH | 1 << 3 * WIDTH
ALL_SUITS = 0b1111

#: Sets of suits that somebody may lack. The most voids come first: they leave the least to count. So the last group
#: is that of the players who may hold anything, if there are any.
VOID_SETS = np.array(sorted(range(ALL_SUITS + 1), key=lambda voids: (-voids.bit_count(), voids)))

#: For each set of suits, its cards, and all bits of its numbers among packed counts.
CARDS_OF = np.array([sum(CLUBS << suit for suit in range(4) if suits >> suit & 1) for suits in range(16)])
COUNTS_OF = np.array([sum(FIELD << WIDTH * suit for suit in range(4) if suits >> suit & 1) for suits in range(16)])

#: Each suit as a set of suits, packed.
SINGLE_SUITS = sum(1 << suit << WIDTH * suit for suit in range(4))

#: Numbers of ways to choose: exact, for the largest is below 2**53.
CHOICES = np.array([[comb(n, k) for k in range(CARDS + 1)] for n in range(CARDS + 1)], np.float64)


@compiled
def draw_cards(cards: int, number: int, rng: Rng) -> int:
    """Draw a set of `number` cards from a set, each equally likely."""
    size = count_bits(cards)
    discarding = 2 * number > size
    draws = size - number if discarding else number
    drawn = 0
    for left in range(size, size - draws, -1):
        drawn |= 1 << nth_bit(cards & ~drawn, below(rng, left))
    return cards & ~drawn if discarding else drawn


@compiled
def redeal(game: "TrickGame", state: Position, viewer: int, unseen: int, rng: Rng) -> None:
    """Deal all hands but the viewer's from the unseen cards, none of a suit that the player lacks.

    What the hands hold is not read: that may be unknown.

    Args:
        game: Whose position it is.
        state: The position, changed in place.
        viewer: Who keeps its hand.
        unseen: The cards to deal from; GameError is raised unless they suffice for some deal.
        rng: The generator.
    """
    sizes = game.hand_sizes(state)
    absent = 0  # suits of which no card is unseen: nobody needs a void to lack these
    for suit in range(4):
        if unseen & CLUBS << suit == 0:
            absent |= 1 << suit
    present = 0  # a bit for each set of voids that somebody has
    for player in range(game.num_players):
        if player != viewer:
            present |= 1 << (state[game.voids + player] | absent)

    groups = 0
    limited = 0  # those of them that lack something which others may hold
    needs = 0
    voids = 0
    for index in range(len(VOID_SETS)):
        if present >> VOID_SETS[index] & 1:
            for player in range(game.num_players):
                if player != viewer and state[game.voids + player] | absent == VOID_SETS[index]:
                    needs += field(sizes, player) << WIDTH * groups
            voids |= VOID_SETS[index] << WIDTH * groups
            groups += 1
            limited += VOID_SETS[index] != absent

    for group in range(groups):
        cards = claim(game, unseen, needs, voids, group, limited, rng)
        for player in range(game.num_players):
            if player != viewer and state[game.voids + player] | absent == field(voids, group):
                hand = draw_cards(cards, field(sizes, player), rng)
                state[game.hands + player] = hand
                cards &= ~hand
                unseen &= ~hand


@compiled
def claim(game: "TrickGame", unseen: int, needs: int, voids: int, group: int, limited: int, rng: Rng) -> int:
    """Draw the cards that are for a group; the last group takes its hands from all that it may hold."""
    need = field(needs, group)
    suits, later_suits = suits_for(voids, group), suits_for(voids, group + 1)
    claimed = unseen & CARDS_OF[suits]
    if group + 1 < limited:
        counts = 0
        for suit in range(4):
            counts |= count_bits(unseen & CLUBS << suit) << WIDTH * suit
        if group + 2 == limited:
            parts = suits & later_suits | (suits & ~later_suits) << WIDTH
            numbers = draw_common(counts, needs, voids, group, rng)
        else:
            parts = SINGLE_SUITS
            numbers = draw_split(game, counts, needs, voids, group, limited, rng)
        claimed = 0
        for part in range(4):
            claimed |= draw_cards(unseen & CARDS_OF[field(parts, part)], field(numbers, part), rng)
    if count_bits(claimed) < need:
        raise GameError("no world fits: too few cards are unseen of the suits that the other players may hold")
    return claimed


def is_possible(voids: Sequence[int], sizes: Sequence[int], unseen: int) -> bool:
    """Whether unseen cards can be dealt to players who lack suits: any of them together find enough (Hall).

    Args:
        voids: The set of suits that each player lacks.
        sizes: How many cards each is to get.
        unseen: The cards to deal from.
    """
    counts = [(unseen & CLUBS << suit).bit_count() for suit in range(4)]
    for group in range(1, 1 << len(sizes)):
        members = [index for index in range(len(sizes)) if group >> index & 1]
        lacking = reduce(and_, (voids[index] for index in members))
        found = sum(count for suit, count in enumerate(counts) if lacking >> suit & 1 == 0)
        if sum(sizes[index] for index in members) > found:
            return False
    return True


@compiled
def draw_common(counts: int, needs: int, voids: int, group: int, rng: Rng) -> int:
    """Draw how many of the cards that the last two groups may hold the first of them gets, and how many others."""
    numbers = 0
    total = 0.0
    for common in range(field(needs, group) + 1):
        weight = ways_with_common(counts, needs, voids, group, common)
        total += weight
        # Each number replaces the choice so far with its share of the weight up to here.
        if weight > 0.0 and unit(rng) * total <= weight:
            numbers = common | (field(needs, group) - common) << WIDTH
    return numbers


@compiled
def draw_split(game: "TrickGame", counts: int, needs: int, voids: int, group: int, limited: int, rng: Rng) -> int:
    """Draw how many cards of each suit a group gets that has several others after it: packed numbers."""
    numbers = 0
    for suit in range(4):
        if suits_for(voids, group) >> suit & 1:
            voids |= 1 << WIDTH * group + suit
            chosen = 0
            total = 0.0
            for number in range(field(needs, group) + 1):
                weight = choose(field(counts, suit), number)
                if weight > 0.0:
                    counts_left = counts - (number << WIDTH * suit)
                    needs_left = needs - (number << WIDTH * group)
                    weight *= ways(game, counts_left, needs_left, voids, group, limited)
                total += weight
                if weight > 0.0 and unit(rng) * total <= weight:
                    chosen = number
            numbers |= chosen << WIDTH * suit
            counts -= chosen << WIDTH * suit
            needs -= chosen << WIDTH * group
    return numbers


@compiled
def field(packed: int, index: int) -> int:
    """One of the numbers in an int."""
    return packed >> WIDTH * index & FIELD


@compiled
def suits_for(voids: int, group: int) -> int:
    """The set of suits that a group may hold."""
    return ALL_SUITS & ~field(voids, group)


@compiled
def choose(n: int, k: int) -> float:
    """In how many ways k of n cards can be chosen."""
    return CHOICES[n, k]


@compiled
def available(counts: int, suits: int) -> int:
    """How many unseen cards are of a set of suits."""
    return field((counts & COUNTS_OF[suits]) * ONE_EACH, 3)


@compiled
def ways(game: "TrickGame", counts: int, needs: int, voids: int, group: int, groups: int) -> float:
    """In how many ways the groups from `group` to `groups` - 1, three or more, can be dealt to."""
    left = groups - group
    if game.num_players > 5 and left == 5:
        return ways_for_five(counts, needs, voids, group)
    if game.num_players > 4 and left == 4:
        return ways_for_four(counts, needs, voids, group)
    return ways_for_three(counts, needs, voids, group)


@compiled
def ways_with_common(counts: int, needs: int, voids: int, group: int, common: int) -> float:
    """The same for the last two groups, if the first gets so many of the cards that both may hold."""
    suits, later_suits = suits_for(voids, group), suits_for(voids, group + 1)
    both = available(counts, suits & later_suits)
    only_first = available(counts, suits) - both
    others = field(needs, group) - common
    if common > both or others > only_first:
        return 0.0
    later = available(counts, later_suits) - common
    return choose(only_first, others) * choose(both, common) * choose(later, field(needs, group + 1))


@compiled
def ways_for_two(counts: int, needs: int, voids: int, group: int) -> float:
    """A sum over how many of the cards that both may hold the first group gets."""
    total = 0.0
    for common in range(field(needs, group) + 1):
        total += ways_with_common(counts, needs, voids, group, common)
    return total


def with_one_more(ways_for_rest: Callable[[int, int, int, int], float]) -> Callable[..., float]:
    """Count for one group more than `ways_for_rest` does."""

    @compiled
    def ways_for_all(counts: int, needs: int, voids: int, group: int) -> float:
        """A sum over how many cards of each suit the first group gets."""
        need = field(needs, group)
        lacking = field(voids, group)
        clubs_most = field(counts, 0) * (1 - (lacking & 1))
        diamonds_most = field(counts, 1) * (1 - (lacking >> 1 & 1))
        spades_most = field(counts, 2) * (1 - (lacking >> 2 & 1))
        hearts_most = field(counts, 3) * (1 - (lacking >> 3 & 1))
        major_most = spades_most + hearts_most
        total = 0.0
        for clubs in range(max(0, need - diamonds_most - major_most), min(clubs_most, need) + 1):
            others = need - clubs
            for diamonds in range(max(0, others - major_most), min(diamonds_most, others) + 1):
                majors = others - diamonds
                for spades in range(max(0, majors - hearts_most), min(spades_most, majors) + 1):
                    hearts = majors - spades
                    split = clubs | diamonds << WIDTH | spades << 2 * WIDTH | hearts << 3 * WIDTH
                    total += (
                        choose(clubs_most, clubs)
                        * choose(diamonds_most, diamonds)
                        * choose(spades_most, spades)
                        * choose(hearts_most, hearts)
                        * ways_for_rest(counts - split, needs, voids, group + 1)
                    )
        return total

    return ways_for_all


ways_for_three = with_one_more(ways_for_two)
ways_for_four = with_one_more(ways_for_three)
ways_for_five = with_one_more(ways_for_four)
