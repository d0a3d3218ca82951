#!/usr/bin/env python3
"""Writes the tables behind Rng::normal(): the ziggurat of Marsaglia & Tsang (2000), 256 layers.

The area under exp(-x^2 / 2), x >= 0, is covered by 256 layers of equal area v. The lowest is the
strip [0, r] below f(r) together with the tail beyond r; the others are rectangles
[0, x_i] x [f(x_i), f(x_{i+1})] with r = x_1 > x_2 > ... > x_256 = 0. Only one r makes the last
rectangle end at height f(0) = 1; it is found by bisection.

Usage: make_ziggurat.py OUTPUT.cpp
"""

import sys
from decimal import Decimal, getcontext

LAYERS = 256
COLUMNS = 100

getcontext().prec = 50


def density(x):
    return (-x * x / 2).exp()


def tail_area(r):
    """Integral of the density beyond r, by its continued fraction 1/(r + 1/(r + 2/(r + ...)))."""
    fraction = r
    for k in range(1000, 0, -1):
        fraction = r + k / fraction
    return density(r) / fraction


def climb(r):
    """The area, the edges x_1, x_2, ... and the height reached; stops early if it would pass 1."""
    area = r * density(r) + tail_area(r)
    edges = [r]
    height = density(r)
    while len(edges) < LAYERS:
        height += area / edges[-1]
        if len(edges) == LAYERS - 1 or height >= 1:
            break
        edges.append((-2 * height.ln()).sqrt())
    return area, edges, height


def solve():
    low, high = Decimal(3), Decimal(4)
    for _ in range(150):
        middle = (low + high) / 2
        if climb(middle)[2] > 1:
            low = middle
        else:
            high = middle
    area, edges, height = climb(high)
    assert len(edges) == LAYERS - 1 and abs(height - 1) < Decimal("1e-40")
    # x_0 is the width of a rectangle of area v and height f(r); x_256 = 0.
    return [area / density(edges[0])] + edges + [Decimal(0)]


def exact(value):
    return float(value).hex()


def array(name, kind, size, items):
    lines = [f"const {kind} {name}[{size}] = {{"]
    line = "   "
    for index, item in enumerate(items):
        item += "};" if index + 1 == len(items) else ","
        if len(line) + 1 + len(item) > COLUMNS:
            lines.append(line)
            line = "   "
        line += " " + item
    return lines + [line]


def main():
    x = solve()
    layers = []
    for i in range(LAYERS):
        edge = 2 * int(x[i + 1] / x[i] * 2**52)
        layers.append(f"{{{exact(x[i] / 2**53)}, {edge:#x}}}")
    heights = [exact(density(value)) for value in x]
    text = [
        "// Written by tools/make_ziggurat.py; change that, not this.",
        '#include "sau/core/rng.hpp"',
        "",
        "namespace sau::detail {",
        "",
        f"const double kZigguratTail = {exact(x[1])};",
        "",
        "// clang-format off",
        *array("kZigguratLayers", "ZigguratLayer", "kZigguratSize", layers),
        "",
        *array("kZigguratHeights", "double", "kZigguratSize + 1", heights),
        "// clang-format on",
        "",
        "}  // namespace sau::detail",
    ]
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
