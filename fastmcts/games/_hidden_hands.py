"""Deal unseen cards to players who may lack suits, each deal that is possible equally likely.

Players who lack the same suits are one group: what the group gets is divided among them by chance. Groups
are dealt to one after the other, and each suit's number of cards is drawn with the weight that it has:
the number of ways to choose these cards, times the number of ways to serve the groups after it. What
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

import numpy as np

from fastmcts.bits import count_bits, nth_bit
from fastmcts.compiler.jit import compiled
from fastmcts.core.types import Position, Rng
from fastmcts.errors import GameError
from fastmcts.games._cards import CARDS, CLUBS
from fastmcts.rng import below, unit

WIDTH = 8  # bits of each packed number
FIELD = (1 << WIDTH) - 1
ALL_SUITS = 0b1111

#: Sets of suits that somebody may lack; who has cards and lacks all is a group that cannot be served. The
#: most voids come first: they leave the least to count, so that of several groups the freest two are left
#: to `ways_for_two`, which needs one sum.
VOID_SETS = np.array(sorted(range(ALL_SUITS + 1), key=lambda voids: (-voids.bit_count(), voids)))

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
def redeal(
    state: Position, hands: int, voids: int, sizes: int, num_players: int, viewer: int, unseen: int, rng: Rng
) -> None:
    """Deal all hands but the viewer's from the unseen cards, none of a suit that the player lacks.

    What the hands hold is not read: that may be unknown.

    Args:
        state: The position, changed in place.
        hands: Where the players' sets of cards stand in it.
        voids: Where the sets of suits stand that each player lacks.
        sizes: How many cards each player holds, packed.
        num_players: How many play.
        viewer: Who keeps its hand.
        unseen: The cards to deal from; GameError is raised unless they suffice for some deal.
        rng: The generator.
    """
    counts = 0
    absent = 0  # nobody needs a void to lack these
    for suit in range(4):
        count = count_bits(unseen & CLUBS << suit)
        counts |= count << WIDTH * suit
        if count == 0:
            absent |= 1 << suit

    present = 0  # a bit for each set of voids that somebody has
    for player in range(num_players):
        if player != viewer:
            present |= 1 << (state[voids + player] | absent)

    groups = 0
    needs = 0
    group_voids = 0
    free_need = 0  # of those who may hold any card
    for index in range(len(VOID_SETS)):
        if present >> VOID_SETS[index] & 1 == 0:
            continue
        need = 0
        for player in range(num_players):
            if player != viewer and state[voids + player] | absent == VOID_SETS[index]:
                need += field(sizes, player)
        if VOID_SETS[index] == absent:
            free_need = need
        elif need > 0:
            needs |= need << WIDTH * groups
            group_voids |= VOID_SETS[index] << WIDTH * groups
            groups += 1

    for group in range(groups):
        lacking = field(group_voids, group)
        share = 0
        for suit in range(4):
            if lacking >> suit & 1 == 0:
                number = draw_number(counts, needs, group_voids, group, groups, suit, rng)
                share |= draw_cards(unseen & CLUBS << suit, number, rng)
                counts -= number << WIDTH * suit
                needs -= number << WIDTH * group
                group_voids |= 1 << WIDTH * group + suit
        unseen &= ~share
        deal_to_group(state, hands, voids, sizes, num_players, viewer, absent, lacking, share, rng)
    if needs != 0 or free_need > count_bits(unseen):
        raise GameError("no world fits: too few cards are unseen of the suits that the other players may hold")
    deal_to_group(state, hands, voids, sizes, num_players, viewer, absent, absent, unseen, rng)


@compiled
def deal_to_group(
    state: Position,
    hands: int,
    voids: int,
    sizes: int,
    num_players: int,
    viewer: int,
    absent: int,
    lacking: int,
    cards: int,
    rng: Rng,
) -> None:
    """Give each player who lacks these suits, or has no chance to hold them, as many cards as it holds."""
    for player in range(num_players):
        if player != viewer and state[voids + player] | absent == lacking:
            hand = draw_cards(cards, field(sizes, player), rng)
            state[hands + player] = hand
            cards &= ~hand


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
def draw_number(counts: int, needs: int, voids: int, group: int, groups: int, suit: int, rng: Rng) -> int:
    """Draw how many cards of a suit a group gets, as often as that happens in all possible deals.

    If no deal is possible, the group, or one after it, is left with a need.
    """
    need = field(needs, group)
    count = field(counts, suit)
    voids |= 1 << WIDTH * group + suit
    low = max(0, need - available(counts, field(voids, group)))
    high = min(count, need)
    chosen = min(low, high)
    total = 0.0
    if low < high:
        for number in range(low, high + 1):
            weight = CHOICES[count, number] * ways(
                counts - (number << WIDTH * suit), needs - (number << WIDTH * group), voids, group, groups
            )
            total += weight
            # Each number replaces the choice so far with its share of the weight up to here.
            if weight > 0.0 and unit(rng) * total <= weight:
                chosen = number
    return chosen


@compiled
def field(packed: int, index: int) -> int:
    """One of the numbers in an int."""
    return packed >> WIDTH * index & FIELD


@compiled
def available(counts: int, lacking: int) -> int:
    """How many unseen cards are of suits other than those lacking."""
    total = 0
    for suit in range(4):
        total += field(counts, suit) * (1 - (lacking >> suit & 1))
    return total


@compiled
def ways(counts: int, needs: int, voids: int, group: int, groups: int) -> float:
    """In how many ways the groups from `group` on can be dealt to."""
    left = groups - group
    if left == 1:
        return ways_for_one(counts, needs, voids, group)
    if left == 2:
        return ways_for_two(counts, needs, voids, group)
    if left == 3:
        return ways_for_three(counts, needs, voids, group)
    if left == 4:
        return ways_for_four(counts, needs, voids, group)
    return ways_for_five(counts, needs, voids, group)


@compiled
def ways_for_one(counts: int, needs: int, voids: int, group: int) -> float:
    """A choice from all cards that the group may hold."""
    return CHOICES[available(counts, field(voids, group)), field(needs, group)]


@compiled
def ways_for_two(counts: int, needs: int, voids: int, group: int) -> float:
    """A sum over how many of the cards that both may hold the first group gets."""
    need = field(needs, group)
    next_need = field(needs, group + 1)
    lacking = field(voids, group)
    next_lacking = field(voids, group + 1)
    both = available(counts, lacking | next_lacking)
    only_first = available(counts, lacking) - both
    next_available = available(counts, next_lacking)
    total = 0.0
    for common in range(max(0, need - only_first), min(both, need) + 1):
        total += (
            CHOICES[only_first, need - common] * CHOICES[both, common] * CHOICES[next_available - common, next_need]
        )
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
                        CHOICES[clubs_most, clubs]
                        * CHOICES[diamonds_most, diamonds]
                        * CHOICES[spades_most, spades]
                        * CHOICES[hearts_most, hearts]
                        * ways_for_rest(counts - split, needs, voids, group + 1)
                    )
        return total

    return ways_for_all


ways_for_three = with_one_more(ways_for_two)
ways_for_four = with_one_more(ways_for_three)
ways_for_five = with_one_more(ways_for_four)
