"""The learning curve: a line of JSON for each point, and a picture that needs no colours."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

LINES = "curve.jsonl"
PICTURE = "curve.svg"


def write_curve(folder: Path, curve: Sequence[dict[str, Any]], label: str, even: float | None = None) -> None:
    """Write the points of a curve, and draw them if there are at least two."""
    (folder / LINES).write_text("".join(json.dumps(point) + "\n" for point in curve))
    if len(curve) > 1:
        draw(folder / PICTURE, curve, label, even)


def draw(path: Path, curve: Sequence[dict[str, Any]], label: str, even: float | None) -> None:
    """Draw scores with their 95% intervals against the minutes of training.

    Args:
        path: Where to.
        curve: The points.
        label: What a score is.
        even: The score of two players who are as good, for a dashed line; None for no line.
    """
    import matplotlib
    from matplotlib.figure import Figure

    minutes = [point["minutes"] for point in curve]
    scores = [100 * point["score"] for point in curve]
    below = [100 * (point["score"] - point["low"]) for point in curve]
    above = [100 * (point["high"] - point["score"]) for point in curve]
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "fastmcts", "font.size": 9}):
        figure = Figure(figsize=(6, 3.4), layout="constrained")
        axes = figure.add_subplot()
        axes.errorbar(minutes, scores, (below, above), color="black", marker="o", markersize=4, capsize=2, linewidth=1)
        if even is not None:
            axes.axhline(100 * even, color="black", linestyle="--", linewidth=0.8)
        axes.set(xlabel="minutes of training", ylabel=f"{label} (%)")
        axes.grid(color="0.85")
        figure.savefig(path, metadata={"Date": None})
