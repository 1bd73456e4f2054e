"""A curve of losses as SVG, without any library for drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 170, 30, 50
LINES = (
    ("loss", "training", "#1f77b4"),
    ("validation_loss", "validation", "#d62728"),
    ("validation_score_loss", "validation, scores", "#ff7f0e"),
    ("validation_result_loss", "validation, results", "#9467bd"),
)


def svg(records: Sequence[dict[str, Any]], title: str) -> str:
    """The curve of the records of a log."""
    lines = [
        (name, colour, [(r["epoch"], r[key]) for r in records if r.get(key) is not None])
        for key, name, colour in LINES
    ]
    points = [point for _, _, line in lines for point in line]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="20" font-size="14">{escape(title)}</text>',
    ]
    if points:
        out += _plot(lines, points)
    out.append("</svg>\n")
    return "\n".join(out)


def _plot(
    lines: Sequence[tuple[str, str, list[tuple[float, float]]]],
    points: Sequence[tuple[float, float]],
) -> list[str]:
    low, high = min(y for _, y in points), max(y for _, y in points)
    room = (high - low or abs(high) or 1.0) * 0.05
    low, high = low - room, high + room
    first, last = min(x for x, _ in points), max(x for x, _ in points)
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x: float, y: float) -> str:
        across = LEFT + width * ((x - first) / (last - first) if last > first else 0.5)
        down = TOP + height * (high - y) / (high - low)
        return f"{across:.1f},{down:.1f}"

    out = []
    for step in range(5):
        value = low + (high - low) * step / 4
        down = place(first, value).split(",")[1]
        out.append(
            f'<line x1="{LEFT}" x2="{LEFT + width}" y1="{down}" y2="{down}" stroke="#ddd"/>'
        )
        out.append(f'<text x="{LEFT - 8}" y="{down}" text-anchor="end">{value:.4f}</text>')
    middle = LEFT + width / 2
    below = HEIGHT - 15
    out.append(f'<text x="{LEFT}" y="{HEIGHT - 30}">{first:g}</text>')
    out.append(f'<text x="{LEFT + width}" y="{HEIGHT - 30}" text-anchor="end">{last:g}</text>')
    out.append(f'<text x="{middle}" y="{below}" text-anchor="middle">epoch</text>')
    shown = [line for line in lines if line[2]]
    for number, (name, colour, line) in enumerate(shown):
        path = " ".join(place(x, y) for x, y in line)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        beside = TOP + 16 * number + 10
        side = LEFT + width + 10
        out.append(f'<text x="{side}" y="{beside}" fill="{colour}">{escape(name)}</text>')
    return out
