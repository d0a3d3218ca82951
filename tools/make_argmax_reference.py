#!/usr/bin/env python3
"""Writes the reference values for the argmax probabilities (tests/data/argmax_probabilities.csv).

P(a) = integral of f_a * prod of the other F_b, in 60-digit arithmetic, computed only from densities:
20-point Gauss-Legendre on panels, left to right, each narrow enough for every density. F at the points
of a panel is the integral of the polynomial through the densities. The script checks to 1e-18 that
every F ends at 1 and that the probabilities add up to 1.

Each case is a line `case,<name>,<family>,<lines>`, then one line
`<first>,<second>,<third>,<count>,<probability>` per set of equal actions: mean, spread, 0 (normal);
alpha, beta, 0 (beta); mean, scale, degrees of freedom (student).
"""

import argparse
import random

from mpmath import exp, log, log1p, loggamma, mp, mpf, pi, polygamma, sqrt

mp.dps = 60
POINTS = 20


def legendre(count, x):
    values = [mpf(1), x]
    for k in range(1, count):
        values.append(((2 * k + 1) * x * values[k] - k * values[k - 1]) / (k + 1))
    return values


def rule(n):
    """Points and weights on [-1, 1], and rows r_i with r_i . f = integral from -1 to x_i."""
    points, weights = [], []
    for i in range(n):
        x = mp.cos(pi * (i + mpf(3) / 4) / (n + mpf(1) / 2))
        for _ in range(10):
            p = legendre(n, x)
            slope = n * (x * p[n] - p[n - 1]) / (x * x - 1)
            x -= p[n] / slope
        points.append(x)
        weights.append(2 / ((1 - x * x) * slope * slope))
    values = [legendre(n, x) for x in points]
    rows = []
    for i in range(n):
        part = [(points[i] + 1) / 2]
        part += [(values[i][k + 1] - values[i][k - 1]) / 2 for k in range(1, n)]
        rows.append([w * sum(part[k] * values[j][k] for k in range(n))
                     for j, w in enumerate(weights)])
    return points, weights, rows


RULE = rule(POINTS)


class Normal:
    def __init__(self, mean, spread, _):
        self.mean, self.spread = mpf(mean), mpf(spread)
        self.atom = spread == 0
        if not self.atom:
            self.factor = 1 / (self.spread * sqrt(2 * pi))
            self.inverse = 1 / self.spread

    def density(self, z):
        t = (z - self.mean) * self.inverse
        return self.factor * exp(-t * t / 2) if abs(t) < 12 else mpf(0)

    def breaks(self):
        steps = [mpf(k) / 2 for k in range(7)] + [4, 5, 6, 7, 8, 10, 12]
        return [(self.mean + sign * k * self.spread, self.spread * 2 / 5)
                for k in steps for sign in (-1, 1)]


class Student:
    def __init__(self, mean, scale, dof):
        self.mean, self.scale, self.dof = mpf(mean), mpf(scale), mpf(dof)
        self.atom = scale == 0
        if not self.atom:
            half = self.dof / 2
            self.factor = exp(loggamma(half + 0.5) - loggamma(half)) / (
                sqrt(self.dof * pi) * self.scale)

    def density(self, z):
        t = (z - self.mean) / self.scale
        return self.factor * exp(-(self.dof + 1) / 2 * log1p(t * t / self.dof))

    def breaks(self):
        steps = [mpf(k) / 2 for k in range(9)]
        while self.density(self.mean + steps[-1] * self.scale) * steps[-1] * self.scale > 1e-26:
            steps.append(steps[-1] * mpf(3) / 2)
        return [(self.mean + sign * k * self.scale, max(k / 4, 1) * self.scale / 4)
                for k in steps for sign in (-1, 1)]


class Beta:
    """In the coordinate log(x / (1 - x))."""

    atom = False

    def __init__(self, alpha, beta, _):
        self.alpha, self.beta = mpf(alpha), mpf(beta)
        self.log_beta = loggamma(self.alpha) + loggamma(self.beta) - loggamma(
            self.alpha + self.beta)

    def density(self, s):
        return exp(self.alpha * s - (self.alpha + self.beta) * log1p(exp(s)) - self.log_beta)

    def breaks(self):
        centre = log(self.alpha / self.beta)
        spread = sqrt(polygamma(1, self.alpha) + polygamma(1, self.beta))
        result = [(centre, spread / 4)]
        if spread > 1:  # the bend between the tails has width 1
            result += [(mpf(k), mpf(1) / 4) for k in range(-40, 41)]
        for sign in (-1, 1):
            place = centre
            while self.density(place) * spread > 1e-26:
                place += sign * spread / 2
                result.append((place, spread / 8))
        return result


FAMILIES = {"normal": Normal, "student": Student, "beta": Beta}


def probabilities(family, actions):
    """The probability of one action of each set. actions: list of (first, second, third, count)."""
    laws = [FAMILIES[family](*a[:3]) for a in actions]
    counts = [a[3] for a in actions]
    smooth = [i for i, law in enumerate(laws) if not law.atom]
    atoms = [i for i, law in enumerate(laws) if law.atom]
    places = sorted(b for i in smooth for b in laws[i].breaks())
    floor = None
    if atoms:
        best = max(atoms, key=lambda i: laws[i].mean)
        floor = laws[best].mean
        places = sorted(places + [(floor, mpf(0))])
    panels = [places[0][0]]
    for place, gap in places[1:]:
        if place - panels[-1] > gap:
            panels.append(place)
    points, weights, rows = RULE
    below = {i: mpf(0) for i in smooth}
    result = [mpf(0)] * len(laws)
    for left, right in zip(panels, panels[1:]):
        half = (right - left) / 2
        f, cdf = {}, {}
        for i in smooth:
            f[i] = [laws[i].density(left + half * (1 + x)) for x in points]
            if not any(f[i]):
                cdf[i] = [below[i]] * POINTS
                continue
            cdf[i] = [below[i] + half * sum(r * v for r, v in zip(row, f[i])) for row in rows]
            below[i] += half * sum(w * v for w, v in zip(weights, f[i]))
        if floor is None or left >= floor:
            for j, w in enumerate(weights):
                largest = mpf(1)
                for i in smooth:
                    largest *= cdf[i][j] ** counts[i]
                for i in smooth:
                    if largest > 0:
                        result[i] += half * w * f[i][j] * largest / cdf[i][j]
        if floor is not None and right == floor:
            result[best] = mpf(1)
            for i in smooth:
                result[best] *= below[i] ** counts[i]
    for i in smooth:
        assert abs(below[i] - 1) < 1e-18, (family, actions[i], below[i])
    total = sum(p * c for p, c in zip(result, counts))
    assert abs(total - 1) < 1e-18, (family, total)
    return result


def cases():
    draw = random.Random(20)

    def normals(count, mean, spread):
        return [(mean(i), spread(i), 0.0, 1) for i in range(count)]

    yield "similar_3", "normal", [(0.0, 1.0, 0.0, 1), (0.25, 1.5, 0.0, 1), (-0.5, 0.75, 0.0, 1)]
    yield "similar_10", "normal", normals(10, lambda i: draw.gauss(0, 1),
                                          lambda i: 0.5 + draw.random())
    yield "decades_10", "normal", normals(10, lambda i: draw.gauss(0, 1),
                                          lambda i: 10.0 ** draw.uniform(-3, 3))
    yield "nested_12", "normal", normals(12, lambda i: 0.0, lambda i: 10.0 ** (6 - i))
    yield "tiny_huge_3", "normal", [(0.0, 1e-20, 0.0, 1), (0.5, 1.0, 0.0, 1),
                                    (-1.0, 1e12, 0.0, 1)]
    yield "tiny_huge_5", "normal", [(0.1, 1e-20, 0.0, 1), (0.1, 1e-12, 0.0, 1),
                                    (0.3, 1.0, 0.0, 1), (1e6, 1e12, 0.0, 1), (-1e6, 1e6, 0.0, 1)]
    yield "tiny_same_mean", "normal", [(1e6 + 0.3, 1e-20, 0.0, 1), (1e6 + 0.3, 2e-20, 0.0, 1),
                                       (1e6, 1.0, 0.0, 1)]
    yield "tiny_same_huge_mean", "normal", [(1e15, 1e-20, 0.0, 2), (1e15, 3e-20, 0.0, 1),
                                            (1e15 - 1.0, 1.0, 0.0, 1), (-1e15, 1e12, 0.0, 1)]
    yield "neighbouring_doubles", "normal", [(1e15, 0.05, 0.0, 1), (1e15 + 0.125, 0.05, 0.0, 1),
                                             (1e15 + 0.25, 0.02, 0.0, 1)]
    yield "far_apart", "normal", [(0.0, 1e6, 0.0, 1), (1e6, 1e-12, 0.0, 1), (2e6, 3e5, 0.0, 1),
                                  (-1e6, 1e12, 0.0, 1)]
    yield "narrow_among_wide_100", "normal", [(0.0, 1.0, 0.0, 90), (2.5, 1e-9, 0.0, 5),
                                              (2.5, 1e-3, 0.0, 5)]
    yield "atom_among_normals", "normal", [(0.4, 0.0, 0.0, 1), (0.3, 0.0, 0.0, 2),
                                           (0.1, 1.0, 0.0, 1), (0.4, 1e-14, 0.0, 1),
                                           (-0.7, 2.0, 0.0, 3)]
    yield "sets_1000", "normal", [(0.0, 1.0, 0.0, 500), (0.5, 1.0, 0.0, 300), (0.2, 2.0, 0.0, 150),
                                  (1.5, 0.3, 0.0, 45), (3.5, 0.01, 0.0, 5)]
    yield "extreme_sets_1000", "normal", [(0.0, 1e-20, 0.0, 400), (0.0, 1e-12, 0.0, 300),
                                          (0.0, 1.0, 0.0, 3), (-1e13, 1e12, 0.0, 295),
                                          (1e6, 1e6, 0.0, 2)]
    yield "distinct_1000", "normal", normals(1000, lambda i: (i * 37 % 1000) / 512,
                                             lambda i: 0.5 + (i * 91 % 1000) / 1000)

    yield "beta_uniform_like", "beta", [(1.0, 1.0, 0.0, 2), (2.0, 1.0, 0.0, 1), (1.5, 2.5, 0.0, 1)]
    yield "beta_posteriors", "beta", [(12.0, 40.0, 0.0, 1), (3.0, 8.0, 0.0, 1),
                                      (101.0, 301.0, 0.0, 1), (1.0, 1.0, 0.0, 1),
                                      (1.0, 6.0, 0.0, 1)]
    yield "beta_small", "beta", [(0.01, 0.01, 0.0, 1), (0.02, 0.5, 0.0, 1), (3.0, 0.02, 0.0, 1)]
    yield "beta_large", "beta", [(1e6, 1e6, 0.0, 1), (1e6 + 1e3, 1e6, 0.0, 1),
                                 (5e5, 5e5 - 100.0, 0.0, 1)]
    yield "beta_skewed", "beta", [(0.01, 1e6, 0.0, 1), (1e6, 0.01, 0.0, 1), (1e6, 3.0, 0.0, 1),
                                  (0.5, 0.5, 0.0, 1)]
    yield "beta_sets_1000", "beta", [(1.0, 1.0, 0.0, 20), (30.0, 2.0, 0.0, 480),
                                     (1000.0, 20.0, 0.0, 500)]

    yield "student_pair_cauchy", "student", [(0.0, 1.0, 1.0, 1), (1.0, 2.0, 1.0, 1)]
    yield "student_pair_mixed", "student", [(0.0, 1.0, 1.0, 1), (0.5, 0.1, 40.0, 1)]
    yield "student_heavy", "student", [(0.0, 1.0, 0.5, 1), (2.0, 0.5, 3.0, 2), (1.0, 1.0, 12.0, 1)]
    yield "student_scales", "student", [(1e6, 1e-12, 2.0, 1), (1e6, 1.0, 5.0, 1),
                                        (0.0, 1e6, 1.5, 1), (1e6, 1e-12, 60.0, 1)]
    yield "student_large_dof", "student", [(0.0, 1.0, 1e6, 1), (0.3, 0.8, 1e4, 1),
                                           (-0.4, 1.5, 76.0, 1)]
    yield "student_atom", "student", [(0.5, 0.0, 3.0, 1), (0.0, 1.0, 2.0, 1), (0.0, 1.0, 1.0, 1)]
    yield "student_sets_100", "student", [(0.0, 1.0, 3.0, 60), (1.0, 0.5, 10.0, 40)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output")
    parser.add_argument("--only", help="print a single case instead of writing the file")
    flags = parser.parse_args()
    lines = []
    for name, family, actions in cases():
        if flags.only and name != flags.only:
            continue
        lines.append(f"case,{name},{family},{len(actions)}")
        for action, p in zip(actions, probabilities(family, actions)):
            shown = mp.nstr(p, 17) if p > 1e-300 else "0.0"  # tests read it as a double
            lines.append(",".join([repr(v) for v in action] + [shown]))
        print(name, flush=True)
    if flags.only:
        print("\n".join(lines))
        return
    with open(flags.output, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
