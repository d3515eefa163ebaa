#!/usr/bin/env python3
"""Figures of docs/theory/broad_phase.md, as SVG into docs/images.

  tools/plot_broad_phase.py bench/results/<machine>/collision.csv

broad_phase_tree.svg: the median cuts of the tree on points of a curve, level by level.
broad_phase_speed.svg: how much faster the tree is than the better peer, from the CSV of `sinew-bench collision`.
"""
import csv
import math
import sys
from pathlib import Path

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
BLUE, ORANGE, GREY = "#3b6ea8", "#d9822b", "#888888"


def svg(width, height, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" font-family="sans-serif" font-size="13">\n'
            f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(body) + "\n</svg>\n")


def cut(points, out, level):
    """The order of leaves, as split_range of src/collision/aabb_tree.cpp cuts it."""
    if len(points) <= 8:
        out.append(points)
        return
    unit = 8
    while unit * 8 < len(points):
        unit *= 8
    children = -(-len(points) // unit)
    middle = unit * ((children + 1) // 2)
    sides = [max(p[k] for p in points) - min(p[k] for p in points) for k in (0, 1)]
    axis = 0 if sides[0] >= sides[1] else 1
    points = sorted(points, key=lambda p: p[axis])
    cut(points[:middle], out, level + 1)
    cut(points[middle:], out, level + 1)


def box(points, scale, color, width, grow):
    lo = [min(p[k] for p in points) - grow for k in (0, 1)]
    hi = [max(p[k] for p in points) + grow for k in (0, 1)]
    return (f'<rect x="{lo[0] * scale:.1f}" y="{lo[1] * scale:.1f}" width="{(hi[0] - lo[0]) * scale:.1f}" '
            f'height="{(hi[1] - lo[1]) * scale:.1f}" fill="none" stroke="{color}" stroke-width="{width}"/>')


def plot_tree():
    points = []
    for i in range(512):
        t = 2 * math.pi * i / 512
        r = 0.36 + 0.08 * math.sin(5 * t) + 0.03 * math.sin(17 * t)
        points.append((0.5 + r * math.cos(t), 0.5 + r * math.sin(t)))
    blocks = []
    cut(points, blocks, 0)
    body = [f'<circle cx="{x * 480:.1f}" cy="{y * 480:.1f}" r="1.6" fill="black"/>' for x, y in points]
    body += [box(b, 480, BLUE, 1, 0.002) for b in blocks]
    for k in range(0, len(blocks), 8):
        body.append(box([p for b in blocks[k:k + 8] for p in b], 480, ORANGE, 2, 0.006))
    return svg(480, 480, body)


def plot_speed(path):
    rows = [r for r in csv.DictReader(open(path, encoding="utf-8")) if r["limit"] == ">= 2"]
    scale, body = 60, []
    for k, r in enumerate(rows):
        y, value = 26 + 26 * k, float(r["median"])
        label = f'{r["test"]}, {r["quantity"].split(":")[0]}'
        body.append(f'<text x="250" y="{y + 13}" text-anchor="end">{label}</text>')
        body.append(f'<rect x="258" y="{y}" width="{scale * value:.1f}" height="17" fill="{BLUE}"/>')
        body.append(f'<text x="{264 + scale * value:.1f}" y="{y + 13}">{value:.1f}</text>')
    height = 26 * len(rows) + 44
    for x, color in ((1, GREY), (2, ORANGE)):
        body.append(f'<line x1="{258 + scale * x}" y1="18" x2="{258 + scale * x}" y2="{height - 18}" '
                    f'stroke="{color}" stroke-dasharray="4 3"/>')
    body.append(f'<text x="258" y="{height - 4}">time of the better peer / ours; claim: 2</text>')
    return svg(680, height, body)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    (IMAGES / "broad_phase_tree.svg").write_text(plot_tree(), encoding="utf-8")
    (IMAGES / "broad_phase_speed.svg").write_text(plot_speed(sys.argv[1]), encoding="utf-8")


if __name__ == "__main__":
    main()
