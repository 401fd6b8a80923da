"""Two kinds of plots as SVG text: lines over named places, and differences with their intervals."""

import math
from dataclasses import dataclass
from html import escape

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#666666", "#8b4513", "#6a3d9a")
FONT = 'font-family="system-ui, sans-serif" font-size="12"'
HEIGHT = 300
LEFT, TOP, BOTTOM = 56, 34, 34
LEGEND = 280
STEP = 104


@dataclass(frozen=True)
class Series:
    """A named line; a value of None leaves a gap."""

    name: str
    values: list[float | None]


@dataclass(frozen=True)
class Difference:
    """A named difference and the ends of its interval."""

    name: str
    value: float
    low: float
    high: float


def line_plot(title: str, places: list[str], series: list[Series]) -> str:
    """Lines over equally spaced places with a legend on the right."""
    values = [value for each in series for value in each.values if value is not None]
    ticks = scale(min(values), max(values))
    low, high = ticks[0], ticks[-1]
    width = LEFT + STEP * max(1, len(places) - 1) + 40

    def across(at: int) -> float:
        return LEFT + 20 + STEP * at

    def down(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    parts = [_text(LEFT, 18, title, bold=True)]
    for tick in ticks:
        parts.append(_line(LEFT, down(tick), width, down(tick), "#ddd"))
        parts.append(_text(LEFT - 6, down(tick) + 4, f"{tick:.2f}", anchor="end"))
    parts += [_text(across(at), HEIGHT - 12, place, anchor="middle") for at, place in enumerate(places)]
    for number, each in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        points = [(across(at), down(value)) for at, value in enumerate(each.values) if value is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        y = TOP + 8 + 20 * number
        parts.append(f'<rect x="{width + 12}" y="{y - 4}" width="14" height="4" fill="{colour}"/>')
        parts.append(_text(width + 32, y + 2, each.name))
    return _document(width + LEGEND, HEIGHT, parts)


def difference_plot(title: str, rows: list[Difference]) -> str:
    """A dot and its interval a row; the upright line is no difference."""
    ticks = scale(min(0, *(row.low for row in rows)), max(0, *(row.high for row in rows)))
    low, high = ticks[0], ticks[-1]
    names = max(240, 20 + 7 * max(len(row.name) for row in rows))
    width, height = 420, TOP + 26 * len(rows) + BOTTOM

    def across(value: float) -> float:
        return names + width * (value - low) / (high - low)

    parts = [_text(12, 18, title, bold=True)]
    for tick in ticks:
        colour = "#444" if abs(tick) < 1e-9 else "#ddd"
        parts.append(_line(across(tick), TOP, across(tick), height - BOTTOM, colour))
        parts.append(_text(across(tick), height - 14, f"{tick:+.2f}" if abs(tick) > 1e-9 else "0", anchor="middle"))
    for at, row in enumerate(rows):
        y = TOP + 16 + 26 * at
        parts.append(_text(names - 12, y + 4, row.name, anchor="end"))
        parts.append(_line(across(row.low), y, across(row.high), y, COLOURS[0], 2))
        parts.append(f'<circle cx="{across(row.value):.1f}" cy="{y}" r="4" fill="{COLOURS[0]}"/>')
    return _document(names + width + 40, height, parts)


def scale(low: float, high: float) -> list[float]:
    """At most about nine round values, the first not over `low`, the last not under `high`: ticks and bounds in one."""
    span = max(high - low, 1e-6)
    step = next(step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 1e9) if span / step <= 8)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [at * step for at in range(first, max(last, first + 1) + 1)]


def _text(x: float, y: float, text: str, anchor: str = "start", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {FONT}{weight} fill="#222">{escape(text)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: int = 1) -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {place} stroke="{colour}" stroke-width="{width}"/>'


def _document(width: float, height: float, parts: list[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    background = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', background, *parts, "</svg>"]) + "\n"
