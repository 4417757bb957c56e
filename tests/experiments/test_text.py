import os
from dataclasses import dataclass, replace

import pytest

from fastmcts import (
    GRAVE,
    ISMCTS,
    PIMC,
    UCB1,
    UCT,
    Converged,
    ExpandAll,
    GameRollout,
    Lazy,
    Prioritized,
    SinglePerspective,
)
from fastmcts.compiler.component import brief
from fastmcts.experiments import parse_component
from fastmcts.experiments.text import known_components, split_outside_brackets
from fastmcts.strategies.selection import Selection

DEFAULTS = [cls() for cls in known_components().values()]
CHANGED = [
    UCB1(c=0.7, first_play=1.5, bias=-2.0, normalize=True),
    UCT(c=1e-7),
    GRAVE(reference=7, bias_factor=1e-5),
    PIMC(worlds=20, vote="majority"),
    ISMCTS(observers="all"),
    SinglePerspective(player=1, resample=True),
    Prioritized(value=0.25, visits=3),
    ExpandAll(visits=0),
    GameRollout(max_length=20, discount=0.99),
    Converged(kl_gain=1e-3),
]


@dataclass(frozen=True)
class Mine(Selection):
    weight: int = 3


def test_every_kind_of_component_is_known() -> None:
    assert {"UCB1", "Lazy", "MAST", "PIMC", "Decided"} <= set(known_components())
    assert not {"Selection", "Expansion", "Rollout", "Method", "Stopper", "Game"} & set(known_components())


@pytest.mark.parametrize("component", [*DEFAULTS, *CHANGED], ids=repr)
def test_every_component_reads_back_from_how_it_prints(component) -> None:
    assert parse_component(repr(component)) == component
    assert parse_component(brief(component)) == component


@pytest.mark.parametrize(
    ("text", "component"),
    [
        ("UCB1(c=1.4)", UCB1(c=1.4)),
        (" UCB1( 0.5 ) ", None),
        ("Prioritized(value=0.8)", Prioritized(value=0.8)),
        ("Prioritized(0.7, 2)", Prioritized(0.7, 2)),
        ("GameRollout(max_length=20)", GameRollout(max_length=20)),
        ("PIMC(20)", PIMC(worlds=20)),
        ("SinglePerspective(resample=True)", SinglePerspective(resample=True)),
        ("Lazy", Lazy()),
        ("UCT(c=+1)", UCT(c=1)),
        ("PIMC(vote='value')", PIMC(vote="value")),
    ],
)
def test_components_are_read_as_they_are_written(text: str, component) -> None:
    assert parse_component(text) == (component or replace(UCB1(), c=0.5))


def test_classes_of_ones_own_are_read_if_they_are_handed_in() -> None:
    assert parse_component("Mine(weight=5)", extra=[Mine]) == Mine(weight=5)
    with pytest.raises(ValueError, match="no component is called 'Mine'"):
        parse_component("Mine(weight=5)")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("UCB2(c=1)", "no component is called 'UCB2'; did you mean UCB1"),
        ("ucb1", "did you mean UCB1"),
        ("Selection()", "no component is called 'Selection'"),
        ("UCB1(k=1)", "UCB1 takes .*c=1.4"),
        ("Lazy(1)", "Lazy takes no arguments"),
        ("PIMC(3, worlds=3)", "PIMC takes worlds=32, vote='visits'"),
        ("UCB1(c=1, c=2)", "cannot be read|given twice"),
        ("UCB1(c='a')", "UCB1's c must be a number, not 'a'"),
        ("PIMC(worlds=0)", "PIMC's worlds must be from 1"),
        ("UCB1(c=inf)", "'inf' is no plain value"),
        ("UCB1(c=1e999)", "must be finite"),
        ("UCB1(c=", "cannot be read: expected a component"),
        ("", "cannot be read"),
        ("UCB1(c=1) + 1", "is no component"),
        ("UCB1(*[1])", "is no plain value"),
        ("UCB1(**{})", "not \\*\\*"),
        ("3", "is no component"),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_component(text)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')._exit(1)",
        "__import__('os')",
        "os._exit(1)",
        "UCB1(c=__import__('os').getpid())",
        "UCB1(c=UCB1(c=1))",
        "UCB1.__class__",
        "UCB1(c=(lambda: 1)())",
        "UCB1(c=[x for x in (1,)][0])",
        "(UCB1 if 1 else UCT)()",
        "UCB1(c=f'{1}')",
        "UCB1(c=9**9**9)",
        "PIMC(worlds=9999999999999999999999999)",
        "UCB1(c=" + "9" * 400 + ")",
        "UCB1(c=" + "9" * 5000 + ")",
        "UCB1(c=" + "-" * 5000 + "1)",
        "(" * 5000,
        "UCB1(c=" + "(" * 90 + "1" + ",)" * 90 + ")",
        "a" * 20_000,
        "UCB1(c=1)\0",
        "UCB1(c=...)",
        "UCB1(c=b'1')",
        "UCB1(c=1j)",
        "UCB1(c='\\d')",
    ],
    ids=range(23),
)
def test_nothing_is_ever_evaluated(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "_exit", lambda code: pytest.fail("evaluated"))
    monkeypatch.setattr(os, "getpid", lambda: pytest.fail("evaluated"))
    with pytest.raises(ValueError) as raised:  # noqa: PT011  # which words depends on the text
        parse_component(text)
    assert len(str(raised.value)) < 700


def test_only_text_is_read() -> None:
    with pytest.raises(TypeError, match="read from text"):
        parse_component(UCB1())  # pyright: ignore[reportArgumentType]


def test_lists_are_split_outside_brackets_and_quotes() -> None:
    text = "human, mcts(simulations=5, stop=(Decided(), Agreed())),random,x('a,b(')"
    assert split_outside_brackets(text) == [
        "human",
        "mcts(simulations=5, stop=(Decided(), Agreed()))",
        "random",
        "x('a,b(')",
    ]
    assert split_outside_brackets(" , ") == []
