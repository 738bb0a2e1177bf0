"""Tables of results, as text, JSON and HTML."""
import html
import json
import math
import statistics
import time

# The ceiling for operations on numbers of this size: common/benchmark.cuf prints it, ceiling/ceiling.cu measures it.
PRODUCTS = {2: "hgemm", 4: "sgemm", 8: "dgemm"}


class Row:
    """One case: our times and those of the other sides."""

    def __init__(self, folder, program, case, ours, others):
        self.folder, self.program, self.case, self.ours, self.others = folder, program, case, ours, others
        self.name = case + "_fast" * program.endswith("_fast")

    @property
    def wrong(self):
        sides = {"cufort": self.ours, **self.others}
        return "; ".join(f"{side}: {run.wrong}" for side, run in sides.items() if run.wrong)

    def ms(self, side="cufort"):
        run = self.ours if side == "cufort" else self.others.get(side)
        return statistics.median(run.samples) if run and run.samples else None

    def ratio(self, side):
        ours, theirs = self.ms(), self.ms(side)
        return theirs / ours if ours and theirs and not self.wrong else None

    def rate(self, amount):
        """Billions per second."""
        return amount / self.ms() / 1e6 if amount and self.ms() else None

    def share(self, limits):
        """How much of what the GPU can do is used: that of memory or of arithmetic, whatever is more. None if the
        clock was the host's."""
        if not self.ours.kind:
            return None
        arithmetic = limits.get(PRODUCTS[self.ours.kind])
        shares = [rate * 1e9 / limit for rate, limit in [(self.rate(self.ours.bytes), limits.get("device_copy")),
                                                         (self.rate(self.ours.operations), arithmetic)]
                  if rate and limit]
        return max(shares, default=None)


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def means(rows, sides):
    """Geometric means of the ratios: for each folder, and for all."""
    folders = list(dict.fromkeys(row.folder for row in rows))
    groups = [(folder, [row for row in rows if row.folder == folder]) for folder in folders] + [("all", rows)]
    return [(name, [geometric_mean([row.ratio(side) for row in group]) for side in sides]) for name, group in groups]


def rate_unit(name):
    return "GB/s" if "copy" in name else "GFLOP/s"


def number(value, form, width):
    return f"{value:{form}}".rjust(width) if value is not None else "-".rjust(width)


def as_text(sides, rows, limits):
    head = f"{'case':26}{'cufort ms':>12}" + "".join(f"{side + ' ms':>13}" for side in sides)
    head += "".join(f"{side + '/cufort':>17}" for side in sides) + f"{'GB/s':>10}{'GFLOP/s':>10}"
    head += f"{'ceiling':>9}" * bool(limits)
    lines, folder = [head], None
    for row in rows:
        if row.folder != folder:
            folder = row.folder
            lines.append(f"{folder}:")
        share = row.share(limits)
        lines.append(f"  {row.name:24}{number(row.ms(), '.5f', 12)}"
                     + "".join(number(row.ms(side), ".5f", 13) for side in sides)
                     + "".join(number(row.ratio(side), ".3f", 17) for side in sides)
                     + number(row.rate(row.ours.bytes), ".1f", 10) + number(row.rate(row.ours.operations), ".1f", 10)
                     + number(share, ".1%", 9) * bool(limits) + (f"  WRONG: {row.wrong}" if row.wrong else ""))
    lines += ["", "geometric means:"]
    for name, values in means(rows, sides):
        lines.append(f"  {name:24}" + " " * (12 + 13 * len(sides)) + "".join(number(v, ".3f", 17) for v in values))
    lines += ["", "a ratio above 1: cufort is faster"]
    if limits:
        lines.append("ceilings: " + ", ".join(f"{name} {value / 1e9:.0f} {rate_unit(name)}"
                                              for name, value in limits.items()))
    return "\n".join(lines)


def as_json(sides, rows, machine, limits):
    def of(run):
        return {"median_ms": statistics.median(run.samples) if run.samples else None, "samples_ms": run.samples,
                "result": run.result, "wrong": run.wrong}
    return {"machine": machine, "time": time.strftime("%Y-%m-%dT%H:%M:%S"), "ceilings": limits,
            "means": {name: dict(zip(sides, values)) for name, values in means(rows, sides)},
            "results": [{"folder": row.folder, "case": row.name, "bytes": row.ours.bytes, "flops": row.ours.operations,
                         "cufort": of(row.ours), **{side: of(run) for side, run in row.others.items()},
                         "ratios": {side: row.ratio(side) for side in sides}, "share": row.share(limits)}
                        for row in rows]}


STYLE = """body{font:14px sans-serif;margin:2em;max-width:70em}pre{font-size:12px;overflow:auto}
text{font:11px sans-serif}.s0{fill:#3b7dd8}.s1{fill:#e0913a}.limit{fill:#4a9a62}"""


def bars(title, labels, groups, one, form):
    """A chart as SVG: for every label one bar of each group; a line where a value is `one`."""
    left, width, thick = 190, 560, 9
    greatest = max([value for _, _, values in groups for value in values if value] + [one])
    scale, step = width / greatest, thick * len(groups) + 6
    height = step * len(labels) + 24
    parts = [f"<h2>{html.escape(title)}</h2>", f'<svg width="{left + width + 60}" height="{height}">']
    for i, label in enumerate(labels):
        middle = 20 + i * step + step / 2
        parts.append(f'<text x="{left - 6}" y="{middle}" text-anchor="end">{html.escape(label)}</text>')
        for k, (_, style, values) in enumerate(groups):
            if values[i]:
                y, length = 20 + i * step + k * thick, values[i] * scale
                parts.append(f'<rect class="{style}" x="{left}" y="{y}" width="{length:.1f}" height="{thick - 1}"/>'
                             f'<text x="{left + length + 3:.1f}" y="{y + 8}">{values[i]:{form}}</text>')
    x = left + one * scale
    parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="14" y2="{height}" stroke="#000" stroke-dasharray="3"/></svg>')
    legend = " ".join(f'<svg width="12" height="12"><rect class="{style}" width="12" height="12"/></svg> '
                      f"{html.escape(name)}" for name, style, _ in groups)
    return "\n".join(parts + [f"<p>{legend}</p>"])


def as_html(title, sides, rows, machine, limits):
    labels = [row.name for row in rows]
    charts = [bars("Speed relative to the other side (above 1: cufort is faster)", labels,
                   [(f"{side} / cufort", f"s{k}", [row.ratio(side) for row in rows]) for k, side in enumerate(sides)],
                   1.0, ".2f")]
    if limits:
        used = [row for row in rows if row.share(limits)]
        charts.append(bars("Share of what a device copy or a cuBLAS product reaches", [row.name for row in used],
                           [("cufort", "limit", [row.share(limits) for row in used])], 1.0, ".0%"))
    about = "; ".join(f"{key}: {value}" for key, value in machine.items() if value)
    return (f"<!doctype html><html><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
            f"<style>{STYLE}</style></head><body><h1>{html.escape(title)}</h1><p>{html.escape(about)}</p>"
            + "".join(charts) + f"<h2>Table</h2><pre>{html.escape(as_text(sides, rows, limits))}</pre></body></html>")


def write(out, title, sides, rows, machine, limits):
    """Prints the table and writes OUT.txt, OUT.json and OUT.html."""
    sides = [side for side in sides if any(side in row.others for row in rows)]
    text = as_text(sides, rows, limits)
    print(text)
    about = "\n".join(f"{key}: {value}" for key, value in machine.items() if value)
    for ending, content in [("txt", f"{about}\n\n{text}\n"), ("html", as_html(title, sides, rows, machine, limits)),
                            ("json", json.dumps(as_json(sides, rows, machine, limits), indent=1))]:
        with open(f"{out}.{ending}", "w") as file:
            file.write(content)
