#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the polynomial coefficients that the emitters use (needs mpmath).

Each is the minimax polynomial of a weighted function on an interval, found by the Remez exchange.
Coefficients are rounded to the target format one by one, lowest power first, and the rest fitted
again to what the rounding left.

    fit.py            all of them
    fit.py NAME...    those whose name starts so
"""

import sys

from mpmath import mp, mpf
import mpmath as m

mp.dps = 50


def remez(f, weight, lo, hi, powers, rounds=12):
    """Coefficients c with the least max of |weight(x) * (f(x) - sum c_i x^p_i)| on [lo, hi]."""
    n = len(powers)
    lo, hi = mpf(lo), mpf(hi)
    nodes = [(lo + hi) / 2 - (hi - lo) / 2 * m.cos(m.pi * (2 * k + 1) / (2 * (n + 1))) for k in range(n + 1)]
    grid_size = 16 * (n + 1)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * m.cos(m.pi * (k + mpf(1) / 2) / grid_size) for k in range(grid_size)]
    grid = [lo] + grid + [hi]
    fg = [f(x) for x in grid]
    wg = [weight(x) for x in grid]
    best = None
    for _ in range(rounds):
        rows, right = [], []
        for k, x in enumerate(nodes):
            rows.append([x**p for p in powers] + [(-1) ** k / weight(x)])
            right.append(f(x))
        solution = m.lu_solve(m.matrix(rows), m.matrix(right))
        c = [solution[i] for i in range(n)]
        error = [w * (y - sum(ci * x**p for ci, p in zip(c, powers))) for x, y, w in zip(grid, fg, wg)]
        peak = max(abs(e) for e in error)
        if best is None or peak < best[1]:
            best = (c, peak)
        extrema = []
        for i, e in enumerate(error):
            if extrema and (e > 0) == (error[extrema[-1]] > 0):
                if abs(e) > abs(error[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > n + 1:
            extrema.pop(0 if abs(error[extrema[0]]) < abs(error[extrema[-1]]) else -1)
        if len(extrema) < n + 1:
            break
        new = [grid[i] for i in extrema]
        if new == nodes:
            break
        nodes = new
    return best


def rounded(x, bits):
    """x to `bits` significant bits."""
    if x == 0:
        return mpf(0)
    e = m.floor(m.log(abs(x), 2)) + 1 - bits
    return m.nint(x / mpf(2) ** e) * mpf(2) ** e


def fit(f, weight, lo, hi, powers, bits, fixed=()):
    """Rounded coefficients of all powers, the ideal error, and theirs; `fixed` gives the first few."""
    powers = list(powers)
    xs = [mpf(lo) + (mpf(hi) - mpf(lo)) * k / 500 for k in range(501)]

    def rest_after(done):
        return lambda x: f(x) - sum(c * x**p for c, p in zip(done, powers))

    def error_of(coefficients):
        return max(abs(weight(x) * rest_after(coefficients)(x)) for x in xs)

    done = [mpf(c) for c in fixed]
    first, ideal = remez(rest_after(done), weight, lo, hi, powers[len(done):])
    plain = done + [rounded(c, bits) for c in first]
    try:
        while len(done) < len(powers):
            c, _ = remez(rest_after(list(done)), weight, lo, hi, powers[len(done):])
            done.append(rounded(c[0], bits))
    except ZeroDivisionError:
        done = plain
    best = min(plain, done, key=error_of)
    return best, ideal, error_of(best)


LN2 = m.log(2)
ONE = lambda x: mpf(1)


def near0(f, series):
    """f, with `series` (a Taylor expansion) near 0 where f cancels."""
    return lambda x: series(x) if abs(x) < mpf(10) ** -12 else f(x)


# name: (function, weight of the error relative to the result, interval, powers, bits, fixed)
HALF = LN2 / 2 + mpf(1) / 1000
exp_tail = near0(lambda r: (m.exp(r) - 1 - r) / r**2, lambda r: mpf(1) / 2 + r / 6 + r * r / 24)
TINY = mpf(10) ** -4
exp_weight = lambda r: max(r**2 / m.exp(r), TINY)
expm1_weight = lambda r: max(r**2 / abs(m.expm1(r)) if r else mpf(0), TINY)
log_tail = near0(lambda f: (m.log1p(f) - f + f * f / 2) / f**3, lambda f: mpf(1) / 3 - f / 4 + f * f / 5)
log_weight = lambda f: max(abs(f**3 / m.log1p(f)) if f else mpf(0), TINY)
QUARTER = m.pi / 4 + mpf(1) / 50
sin_tail = near0(lambda z: (m.sin(m.sqrt(z)) - m.sqrt(z)) / (z * m.sqrt(z)), lambda z: -mpf(1) / 6 + z / 120)
cos_tail = near0(lambda z: (m.cos(m.sqrt(z)) - 1 + z / 2) / z**2, lambda z: mpf(1) / 24 - z / 720)

FITS = {
    "exp32": (exp_tail, exp_weight, -HALF, HALF, range(5), 24, [0.5]),
    "exp64": (exp_tail, exp_weight, -HALF, HALF, range(11), 53, [0.5]),
    "expm1_32": (exp_tail, expm1_weight, -HALF, HALF, range(5), 24, [0.5]),
    "expm1_64": (exp_tail, expm1_weight, -HALF, HALF, range(12), 53, [0.5]),
    "log32": (log_tail, log_weight, m.sqrt(0.5) - 1, m.sqrt(2) - 1, range(8), 24, []),
    "sin32": (sin_tail, lambda z: max(z, TINY), 0, QUARTER**2, range(4), 24, []),
    "sin64": (sin_tail, lambda z: max(z, TINY), 0, QUARTER**2, range(7), 53, []),
    "cos32": (cos_tail, lambda z: max(z**2, TINY), 0, QUARTER**2, range(3), 24, []),
    "cos64": (cos_tail, lambda z: max(z**2, TINY), 0, QUARTER**2, range(7), 53, []),
}
sinh_tail = near0(lambda z: (m.sinh(m.sqrt(z)) - m.sqrt(z)) / (z * m.sqrt(z)), lambda z: mpf(1) / 6 + z / 120)
cosh_tail = near0(lambda z: (m.cosh(m.sqrt(z)) - 1 - z / 2) / z**2, lambda z: mpf(1) / 24 + z / 720)
FITS["sinh32"] = (sinh_tail, lambda z: max(z, TINY), 0, HALF**2, range(3), 24, [])
FITS["sinh64"] = (sinh_tail, lambda z: max(z, TINY), 0, HALF**2, range(6), 53, [])
FITS["cosh32"] = (cosh_tail, lambda z: max(z**2, TINY), 0, HALF**2, range(2), 24, [])
FITS["cosh64"] = (cosh_tail, lambda z: max(z**2, TINY), 0, HALF**2, range(6), 53, [])
# log(1+f) = f - f^2/2 + s (f^2/2 + R), s = f/(2+f): R(z) = z (L1 + L2 z + ...), z = s^2.
atanh_tail = near0(lambda z: (2 * m.atanh(m.sqrt(z)) / m.sqrt(z) - 2) / z, lambda z: mpf(2) / 3 + z * 2 / 5)
S = (m.sqrt(2) - 1) / (m.sqrt(2) + 1)
FITS["log64"] = (atanh_tail, lambda z: max(z, TINY), 0, S**2 * 1.02, range(7), 53, [])
asin_tail = near0(lambda z: (m.asin(m.sqrt(z)) - m.sqrt(z)) / (z * m.sqrt(z)), lambda z: mpf(1) / 6 + z * 3 / 40)
FITS["asin32"] = (asin_tail, lambda z: max(z, TINY), 0, 0.25, range(5), 24, [])
FITS["asin64"] = (asin_tail, lambda z: max(z, TINY), 0, 0.25, range(12), 53, [])
atan_tail = near0(lambda z: (m.atan(m.sqrt(z)) - m.sqrt(z)) / (z * m.sqrt(z)), lambda z: -mpf(1) / 3 + z / 5)
FITS["atan32"] = (atan_tail, lambda z: max(z, TINY), 0, 1, range(9), 24, [])
FITS["atan64"] = (atan_tail, lambda z: max(z, TINY), 0, (m.sqrt(2) - 1) ** 2 * 1.01, range(12), 53, [])
# f32's power, computed in f64: log2(1 + f) / f and (2^r - 1) / r.
log2_ratio = near0(lambda f: m.log1p(f) / LN2 / f, lambda f: (1 - f / 2) / LN2)
FITS["log2"] = (log2_ratio, lambda f: 1 / log2_ratio(f), m.sqrt(0.5) - 1, m.sqrt(2) - 1, range(13), 53, [])
exp2_ratio = near0(lambda r: (2**r - 1) / r, lambda r: LN2 + r * LN2**2 / 2)
FITS["exp2"] = (exp2_ratio, lambda r: max(abs(r), TINY), -0.5, 0.5, range(6), 53, [])
# f64's power: atanh(s) = s + s z (1/3 + z Q(z)), z = s^2.
pow_tail = near0(lambda z: ((m.atanh(m.sqrt(z)) / m.sqrt(z) - 1) / z - mpf(1) / 3) / z, lambda z: mpf(1) / 5 + z / 7)
FITS["power64"] = (pow_tail, lambda z: max(z**2, TINY), 0, S**2 * 1.02, range(7), 53, [])
# -log(1 - erf x) / x; the error counts the less, the nearer erf is to 1.
erf_log = lambda x: -m.log(m.erfc(x)) / x if x > mpf(10) ** -12 else 2 / m.sqrt(m.pi) + x * 2 / m.pi
erf_weight = lambda x: max(x * m.erfc(x) / m.erf(x) if x > mpf(10) ** -12 else m.sqrt(m.pi) / 2, mpf(10) ** -25)
# The first coefficient is used in two parts.
FITS["erf32"] = (erf_log, erf_weight, 0, 3.95, range(9), 24, [2 / m.sqrt(m.pi)])
FITS["erf64"] = (erf_log, erf_weight, 0, 5.95, range(26), 53, [2 / m.sqrt(m.pi)])

if __name__ == "__main__":
    for name, (f, weight, lo, hi, powers, bits, fixed) in FITS.items():
        if len(sys.argv) > 1 and not any(name.startswith(a) for a in sys.argv[1:]):
            continue
        c, ideal, error = fit(f, weight, lo, hi, powers, bits, fixed)
        print(f"{name}: error 2^{float(m.log(ideal, 2)):.1f}, rounded 2^{float(m.log(error, 2)):.1f}")
        digits = 9 if bits == 24 else 17
        print("    {" + ", ".join(m.nstr(x, digits) for x in c) + "}", flush=True)
