"""Plots as plain HTML and SVG: they follow the reader's colours and width, and need nothing else."""

import html
import math

PALETTE = ["var(--ours)", "#c46a1b", "#5b74c9", "#a05195", "#8d97a5", "#b58900", "#4f9d4f"]


def escape(text):
    return html.escape(str(text), quote=True)


def short(value, unit=""):
    """A number for people."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    size = abs(value)
    text = f"{value:,.0f}" if size >= 100 or value == int(value) else f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.3g}"
    return f"{text} {unit}".strip()


def figure(identifier, title, about, body, command):
    return (f'<figure id="{identifier}"><h3>{escape(title)}</h3><figcaption>{about}</figcaption>{body}'
            f'<span class="command">Take it again: <code>{escape(command)}</code></span></figure>')


def bars(groups, unit, log=False):
    """groups: [(title, [(name, value or words, is ours)])]. Words stand for what a tool cannot do."""
    numbers = [value for _, rows in groups for _, value, _ in rows if isinstance(value, (int, float))]
    most = max(numbers, default=1) or 1
    least = min((n for n in numbers if n > 0), default=1) / 2

    def width(value):
        if log:
            return 100 * max(0.01, math.log(max(value, least) / least) / math.log(most / least)) if most > least else 100
        return 100 * value / most

    out = ['<div class="bars">']
    for title, rows in groups:
        if title:
            out.append(f'<div class="group">{escape(title)}</div>')
        for name, value, is_ours in rows:
            kind = " ours" if is_ours else ""
            if isinstance(value, (int, float)):
                bar = f'<div class="track"><i class="{kind.strip()}" style="width:{width(value):.1f}%"></i></div><div class="number{kind}">{short(value, unit)}</div>'
            else:
                bar = f'<div class="soft">{escape(value or "not measured")}</div><div></div>'
            out.append(f'<div class="name{kind}">{escape(name)}</div>{bar}')
    out.append("</div>")
    scale = '<p class="soft">The scale is logarithmic: each step of the same length is the same factor.</p>' if log else ""
    return "".join(out) + scale


def shares(rows):
    """Failures of each way, with the interval as a thin line: [(group, name, row, is ours)]."""
    out = ['<div class="key"><span><i style="background:var(--premature)"></i>premature: read before the end</span>'
           '<span><i style="background:var(--missed)"></i>missed: never saw it</span><span><i style="background:var(--wrong)"></i>wrong: read something else</span>'
           '<span><i style="background:var(--ink);height:2px;vertical-align:4px"></i>95 % interval</span></div><div class="bars">']
    last = None
    for group, name, row, is_ours in rows:
        if group != last:
            out.append(f'<div class="group">{escape(group)}</div>')
            last = group
        kind = " ours" if is_ours else ""
        if row["cannot"]:
            out.append(f'<div class="name">{escape(name)}</div><div class="soft">cannot</div><div></div>')
            continue
        times = row["times"] or 1
        parts = "".join(f'<i class="{verdict}" style="width:{100 * row[verdict] / times:.2f}%"></i>' for verdict in ("premature", "missed", "wrong"))
        low, high = row["interval_95"]
        line = f'<b style="left:{100 * low:.2f}%;width:{max(0.3, 100 * (high - low)):.2f}%"></b>'
        wrong = row["times"] - row["right"]
        out.append(f'<div class="name{kind}">{escape(name)}</div><div class="track">{parts}{line}</div><div class="number{kind}">{wrong} of {row["times"]}</div>')
    return "".join(out) + "</div>"


def lines(series, x_label, y_label, x_log=True, y_log=True):
    """series: [(name, [(x, y)])]; the first is ours."""
    points = [point for _, list_ in series for point in list_]
    if not points:
        return "<p>not measured</p>"
    wide, high, left, bottom, top, right = 620, 320, 64, 44, 12, 30
    scale = lambda value, log: math.log10(max(value, 1e-9)) if log else value
    xs = [scale(x, x_log) for x, _ in points]
    ys = [scale(y, y_log) for _, y in points]
    (x0, x1), (y0, y1) = (min(xs), max(xs)), (min(ys), max(ys))
    if y_log:
        y0, y1 = math.floor(y0), math.ceil(y1 + 1e-9)
    else:
        y0 = 0
    x_of = lambda x: left + (scale(x, x_log) - x0) / ((x1 - x0) or 1) * (wide - left - right)
    y_of = lambda y: high - bottom - (scale(y, y_log) - y0) / ((y1 - y0) or 1) * (high - bottom - top)
    out = [f'<svg viewBox="0 0 {wide} {high}" role="img" aria-label="{escape(y_label)} by {escape(x_label)}">']
    ticks = [10 ** n for n in range(int(y0), int(y1) + 1)] if y_log else [y1 * n / 4 for n in range(5)]
    for tick in ticks:
        out.append(f'<line class="axis" x1="{left}" x2="{wide - right}" y1="{y_of(tick):.1f}" y2="{y_of(tick):.1f}"/><text x="{left - 6}" y="{y_of(tick) + 4:.1f}" text-anchor="end">{short(tick)}</text>')
    for x in sorted({x for x, _ in points}):
        out.append(f'<text x="{x_of(x):.1f}" y="{high - bottom + 18}" text-anchor="middle">{x:,}</text>')
    out.append(f'<text x="{(wide + left) / 2}" y="{high - 6}" text-anchor="middle">{escape(x_label)}</text>')
    for (name, list_), colour in zip(series, PALETTE):
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in sorted(list_))
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        out.extend(f'<circle cx="{x_of(x):.1f}" cy="{y_of(y):.1f}" r="3.5" fill="{colour}"><title>{escape(name)}: {short(y)}</title></circle>' for x, y in list_)
    out.append("</svg>")
    key = "".join(f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for (name, _), colour in zip(series, PALETTE))
    return f'<div class="key">{key}</div><p class="soft">{escape(y_label)}</p>' + "".join(out)


def table(head, rows, numbers=()):
    cells = lambda list_, tag, kinds: "".join(f'<{tag}{" class=n" if n in kinds else ""}>{cell}</{tag}>' for n, cell in enumerate(list_))
    out = [f'<div class="scroll"><table><thead><tr>{cells(head, "th", numbers)}</tr></thead><tbody>']
    for row in rows:
        ours = ' class="ours"' if str(row[0]).startswith("Stillpoint") else ""
        out.append(f"<tr{ours}>{cells(row, 'td', numbers)}</tr>")
    return "".join(out) + "</tbody></table></div>"


def heat(patterns, ways):
    """Which way fails at which pattern: ways are [(name, {pattern: row})]."""
    head = "".join(f"<th>{escape(name)}</th>" for name, _ in ways)
    out = [f'<div class="scroll"><table class="heat"><thead><tr><th></th>{head}<td></td></tr></thead><tbody>']
    for one in patterns:
        cells = []
        for _, found in ways:
            row = found.get(one["name"])
            if not row or not row["times"]:
                cells.append("<td>·</td>")
                continue
            share = 1 - row["right"] / row["times"]
            kind = ' class="right"' if share == 0 else f' style="background:color-mix(in srgb, var(--premature) {20 + 60 * share:.0f}%, var(--panel))"'
            cells.append(f"<td{kind}>{100 * share:.0f}</td>")
        out.append(f'<tr><th title="{escape(one["about"])}">{escape(one["name"])}</th>{"".join(cells)}<td class="about">{escape(one["about"])}</td></tr>')
    return "".join(out) + "</tbody></table></div>"
