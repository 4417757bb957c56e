"""What is to be tuned: an agent whose text names parameters, and how far each of them may go."""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from fastmcts.core.validate import whole_number
from fastmcts.experiments.plan import Plan
from fastmcts.experiments.plan_file import KEYS, placed_error, read_file
from fastmcts.experiments.plan_parts import PlanError, parameters_of, with_place
from fastmcts.experiments.text import suggestion

NOT_TUNED = ("grid", "against", "deals", "matches")  # keys of a plan that one to be tuned does not have
SPAN_KEYS = ("low", "high", "log", "choices")
DIGITS = 4  # of a number that is tried: more would not be played differently


@dataclass(frozen=True)
class Span:
    """The values that a parameter may have: numbers from `low` to `high`, whole if both are, or one of `choices`."""

    low: float | None = None
    high: float | None = None
    log: bool = False
    choices: tuple[Any, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether values are whole numbers."""
        return isinstance(self.low, int) and isinstance(self.high, int)

    def suggest(self, trial: Any, name: str) -> Any:
        """What Optuna wants to try next."""
        if self.choices:
            return trial.suggest_categorical(name, self.choices)
        if self.is_whole:
            return trial.suggest_int(name, self.low, self.high, log=self.log)
        return float(f"{trial.suggest_float(name, self.low, self.high, log=self.log):.{DIGITS}g}")

    @property
    def example(self) -> Any:
        """One of the values."""
        return self.choices[0] if self.choices else self.low


@dataclass(frozen=True)
class TuningPlan:
    """A plan whose best parameters are looked for.

    Args:
        games: Games, or their texts.
        agents: Two of them, by name.
        agent: The one whose text names the parameters.
        against: The other one.
        parameters: The values that each parameter may have.
        trials: How many combinations to try.
        pairs: How many pairs of games each trial has, in each game and at each budget; bad ones have fewer.
        rematch: How many pairs the best one plays at the end, from other openings.
        options: Further arguments of `Plan`: `seed`, `budgets`, `opening_moves`, `counts`, `title` and `folder`.
    """

    games: Any
    agents: dict[str, Any]
    agent: str
    against: str
    parameters: dict[str, Span]
    trials: int = 30
    pairs: int = 50
    rematch: int = 200
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("trials", "rematch"):
            with_place(f"tune.{name}", whole_number, name, getattr(self, name), 1)
        for key in ("agent", "against"):
            name = getattr(self, key)
            if name not in self.agents:
                raise PlanError(f"no agent is called {name!r}; {suggestion(str(name), self.agents)}", f"tune.{key}")
        if self.agent == self.against:
            raise PlanError(f"{self.agent!r} cannot be tuned against itself", "tune.against")
        named = parameters_of(self.agents[self.agent])
        for name in self.parameters:
            if name not in named:
                raise PlanError(
                    f"{self.agent} does not name the parameter {{{name}}}: write it into its text",
                    f"tune.parameters.{name}",
                )
        for name in named:
            if name not in self.parameters:
                raise PlanError(
                    f"{self.agent} names the parameter {{{name}}}: say what it may be, as in"
                    f" [tune.parameters] {name} = {{low = 0.1, high = 2.0}}",
                    f"agents.{self.agent}",
                )
        if not self.parameters:
            raise PlanError(f"{self.agent} names no parameter, as in UCT(c={{c}})", f"agents.{self.agent}")
        self.plan({name: span.example for name, span in self.parameters.items()})  # which is checked

    def plan(self, values: dict[str, Any], pairs: int | None = None, seed: int | None = None) -> Plan:
        """The matches of some values.

        Args:
            values: Those of the parameters.
            pairs: How many pairs each match has; by default all.
            seed: Another seed than that of the plan.
        """
        options = dict(self.options) if seed is None else {**self.options, "seed": seed}
        return Plan(
            games=self.games,
            agents={name: self.agents[name] for name in (self.agent, self.against)},
            pairs=self.pairs if pairs is None else pairs,
            against=self.against,
            grid={name: [value] for name, value in values.items()},
            **options,
        )

    @property
    def seed(self) -> int:
        """That of the plan."""
        return int(self.options.get("seed", 0))


def load_tuning(path: str | Path) -> TuningPlan:
    """Read a plan with a table `[tune]` from a TOML file, and check it.

    Args:
        path: The file.

    Raises:
        PlanError: If something is wrong with it; the message says in which line, and what would be right.
    """
    path = Path(path)
    text, content = read_file(path)
    try:
        return tuning_of(content, path.parent)
    except PlanError as error:
        raise placed_error(error, path, text) from error


def tuning_of(content: dict[str, Any], folder: Path) -> TuningPlan:
    """Check what a file says."""
    tune = content.get("tune")
    if not isinstance(tune, dict):
        raise PlanError("the plan has no table [tune], which says what to look for", "tune")
    known = [field.name for field in dataclasses.fields(TuningPlan) if field.name not in ("games", "agents", "options")]
    refuse_unknown(tune, [name for name in known if name != "pairs"], "tune.")
    refuse_unknown(content, [*(key for key in KEYS if key not in NOT_TUNED), "tune"], "")
    for name, table in (("games", content), ("agents", content), ("agent", tune), ("against", tune)):
        if name not in table:
            raise PlanError(f"the plan names no {name}", "tune" if table is tune else "")
    if not isinstance(content["agents"], dict):
        raise PlanError(f"agents must be a table of names and texts, not {content['agents']!r}", "agents")
    spans = tune.get("parameters", {})
    if not isinstance(spans, dict):
        raise PlanError("parameters must be a table: write [tune.parameters]", "tune.parameters")
    rest = {name: value for name, value in content.items() if name not in ("games", "agents", "pairs", "tune")}
    return TuningPlan(
        games=content["games"],
        agents=content["agents"],
        parameters={name: span_of(name, value) for name, value in spans.items()},
        options={**rest, "folder": folder},
        **{name: tune[name] for name in ("agent", "against", "trials", "rematch") if name in tune},
        **({"pairs": content["pairs"]} if "pairs" in content else {}),
    )


def refuse_unknown(table: dict[str, Any], known: list[str], prefix: str) -> None:
    """Raise PlanError if a table has a key that nobody reads."""
    for name in table:
        if name not in known:
            where = f"[{prefix.rstrip('.')}]" if prefix else "a plan that is to be tuned"
            raise PlanError(f"{where} has no key {name!r}; {suggestion(name, known)}", f"{prefix}{name}")


def span_of(name: str, value: Any) -> Span:
    """Check what a parameter may be."""
    key = f"tune.parameters.{name}"
    example = f"{name} = {{low = 0.1, high = 2.0}} or {name} = {{choices = [1, 2]}}"
    if not isinstance(value, dict):
        raise PlanError(f"{name} must be a span, such as {example}, not {value!r}", key)
    for word in value:
        if word not in SPAN_KEYS:
            raise PlanError(f"a span has no {word!r}; {suggestion(word, SPAN_KEYS)}", key)
    if "choices" in value:
        if len(value) > 1 or not isinstance(value["choices"], list) or not value["choices"]:
            raise PlanError(f"choices is a list that is not empty, with nothing beside it: {example}", key)
        return Span(choices=tuple(value["choices"]))
    low, high, log = value.get("low"), value.get("high"), value.get("log", False)
    if not is_number(low) or not is_number(high):
        raise PlanError(f"{name} needs two numbers: {example}", key)
    if low >= high:
        raise PlanError(f"low must be below high, not {low} against {high}", key)
    if not isinstance(log, bool) or (log and low <= 0):
        raise PlanError(f"log is true, with a low above 0, or false; not {log!r} with low = {low}", key)
    return Span(low, high, log)


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)
