"""The definitions in fractions and plain loops: slow, exact, and sharing no code with the package.

Labels are truthy or falsy. A value that does not exist, for want of positives, is None.
"""

from fractions import Fraction
from itertools import combinations, pairwise, product

DENOMINATORS = ("min", "relevant", "k", "hits")
TIES = ("grouped", "expected", "best", "worst")


def plain(x):
    """A NumPy scalar as the Python number that it stands for."""
    return x.item() if hasattr(x, "item") else x


def tie_groups(labels, scores, weights=None):
    """List of (positive mass, total mass), one for each distinct score, highest first."""
    groups = {}
    for i, (label, score) in enumerate(zip(labels, scores, strict=True)):
        weight = Fraction(1 if weights is None else plain(weights[i]))
        if weight == 0:
            continue
        positive, total = groups.get(plain(score), (Fraction(0), Fraction(0)))
        groups[plain(score)] = (positive + (weight if label else 0), total + weight)
    return [groups[score] for score in sorted(groups, reverse=True)]


def points(labels, scores, weights=None):
    """List of (r_i, n_i, T_i, N_i), highest score first."""
    curve, above, seen = [], Fraction(0), Fraction(0)
    for r, n in tie_groups(labels, scores, weights):
        above, seen = above + r, seen + n
        curve.append((r, n, above, seen))
    return curve


def positive_mass(curve, n_positives=None):
    return (
        Fraction(n_positives)
        if n_positives is not None
        else sum((r for r, *_ in curve), Fraction(0))
    )


def step(labels, scores, weights=None, *, n_positives=None):
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    return sum(r * T / N for r, _, T, N in curve) / total if total else None


def envelope(labels, scores, weights=None, *, n_positives=None):
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    if not total:
        return None
    area, highest = Fraction(0), Fraction(0)
    for r, _, T, N in reversed(curve):
        highest = max(highest, T / N)
        area += r * highest
    return area / total


def n_point(labels, scores, weights=None, *, n, n_positives=None):
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    if not total:
        return None
    levels = Fraction(0)
    for level in range(n):
        reached = (T / N for _, _, T, N in curve if T * (n - 1) >= level * total)
        levels += max(reached, default=Fraction(0))
    return levels / n


def linear(labels, scores, weights=None):
    curve = points(labels, scores, weights)
    total = positive_mass(curve)
    if not total:
        return None
    corners = [(Fraction(0), Fraction(1))] + [(T / total, T / N) for _, _, T, N in curve]
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(corners))


# Ties


def untied(labels, scores, ties):
    """The labels with tied positives first ("best") or last ("worst"), and scores without ties."""
    sign = {"best": -1, "worst": 1}[ties]
    samples = zip(labels, scores, strict=True)
    ordered = sorted((-plain(score), sign * bool(label), bool(label)) for label, score in samples)
    return [label for *_, label in ordered], range(len(ordered), 0, -1)


def best(rule, labels, scores, **options):
    return rule(*untied(labels, scores, "best"), **options)


def worst(rule, labels, scores, **options):
    return rule(*untied(labels, scores, "worst"), **options)


def orders(labels, scores):
    """Every order of the labels that the scores leave open; each is as likely as any other."""
    ways = []
    for r, n in tie_groups(labels, scores):
        places = combinations(range(int(n)), int(r))
        ways.append([[i in chosen for i in range(int(n))] for chosen in places])
    for order in product(*ways):
        yield [label for group in order for label in group]


def expected_by_enumeration(rule, labels, scores, **options):
    """The mean of a rule over all orders of the tied samples."""
    values = [rule(o, range(len(o), 0, -1), **options) for o in orders(labels, scores)]
    return None if None in values else sum(values) / len(values)


def expected(labels, scores, *, n_positives=None):
    """Step AP's mean over all orders of the tied samples, term by term."""
    curve = points(labels, scores)
    total = positive_mass(curve, n_positives)
    return expected_sum(curve, sum(n for _, n, _, _ in curve)) / total if total else None


def expected_sum(curve, k):
    """Sum over the ranks up to k of the chance of a positive there times its mean precision."""
    area = Fraction(0)
    for r, n, T, N in curve:
        for i in range(int(N - n) + 1, int(min(N, k)) + 1):
            before = (i - 1 - (N - n)) * (r - 1) / (n - 1) if n > 1 else 0
            area += r / n * (T - r + before + 1) / i
    return area


# The top k


def hits(curve, k, ties="grouped"):
    """Positive mass within the first k."""
    found = Fraction(0)
    for r, n, _, N in curve:
        room = min(n, max(Fraction(0), k - (N - n)))
        found += {
            "grouped": r * room / n,
            "expected": r * room / n,
            "best": min(r, room),
            "worst": max(Fraction(0), room - (n - r)),
        }[ties]
    return found


def precision_at_k(labels, scores, weights=None, *, k=10, ties="grouped"):
    return hits(points(labels, scores, weights), k, ties) / k


def recall_at_k(labels, scores, weights=None, *, k=10, ties="grouped", n_positives=None):
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    return hits(curve, k, ties) / total if total else None


def grouped_sum(curve, k):
    area = Fraction(0)
    for r, n, T, N in curve:
        if N <= k:
            area += r * T / N
        elif N - n < k:
            share = r * (k - (N - n)) / n
            area += share * (T - r + share) / k
    return area


def at_k(
    labels, scores, weights=None, *, k=10, denominator="min", ties="grouped", n_positives=None
):
    """AP@k; 0 where "hits" finds none of the positives that there are."""
    if ties in ("best", "worst"):
        assert weights is None
        labels, scores = untied(labels, scores, ties)
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    if not total:
        return None
    if ties == "expected":
        assert weights is None
        assert denominator != "hits"
    area = (expected_sum if ties == "expected" else grouped_sum)(curve, k)
    divisor = {"min": min(k, total), "relevant": total, "k": k, "hits": hits(curve, k)}[denominator]
    return area / divisor if divisor else Fraction(0)


# Groups


def mean_over_groups(
    rule, labels, scores, groups, weights=None, *, average="macro", undefined=0, **options
):
    """The mean of a rule over groups; undefined=None leaves out the groups without positives."""
    rows = {}
    for i, group in enumerate(groups):
        rows.setdefault(group, []).append(i)
    values, masses = [], []
    for group in sorted(rows):
        y, s = ([column[i] for i in rows[group]] for column in (labels, scores))
        w = None if weights is None else [weights[i] for i in rows[group]]
        value = rule(y, s, w, **options)
        values.append(undefined if value is None else value)
        masses.append(positive_mass(points(y, s, w)))
    if average is None:
        return values
    if average == "macro":
        masses = [1] * len(values)
    kept = [(v, m) for v, m in zip(values, masses, strict=True) if v is not None]
    total = sum(m for _, m in kept)
    return sum(v * m for v, m in kept) / total if total else None
