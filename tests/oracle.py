"""The definitions in fractions and plain loops: slow, exact, and without any code of the package.

Labels are truthy or falsy. A value that is undefined because there are no positives is None.
"""

from fractions import Fraction
from functools import wraps
from itertools import combinations, pairwise, product
from math import ceil, comb, log2, nan

import pytest

DENOMINATORS = ("min", "relevant", "k", "hits")
TIES = ("grouped", "expected", "best", "worst")


def near(exact):
    """Equal except for rounding; an undefined value is nan."""
    value = nan if exact is None else float(exact)
    return pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


def plain(x):
    """Convert a NumPy scalar to the Python number that it stands for."""
    return x.item() if hasattr(x, "item") else x


def tie_groups(labels, scores, weights=None):
    """List of (positive mass, total mass), one for each distinct score, highest first."""
    groups = {}
    for i, (label, score) in enumerate(zip(labels, scores, strict=True)):
        weight = 1 if weights is None else Fraction(plain(weights[i]))
        if weight == 0:
            continue
        positive, total = groups.get(plain(score), (0, 0))
        groups[plain(score)] = (positive + (weight if label else 0), total + weight)
    best_first = (groups[score] for score in sorted(groups, reverse=True))
    return [(Fraction(positive), Fraction(total)) for positive, total in best_first]


def points(labels, scores, weights=None):
    """List of (r_i, n_i, T_i, N_i), highest score first."""
    curve, above, seen = [], Fraction(0), Fraction(0)
    for r, n in tie_groups(labels, scores, weights):
        above, seen = above + r, seen + n
        curve.append((r, n, above, seen))
    return curve


def positive_mass(curve, n_positives=None):
    return Fraction(sum(r for r, *_ in curve) if n_positives is None else n_positives)


def step(labels, scores, weights=None, *, ties="grouped", n_positives=None):
    assert ties == "grouped" or weights is None
    if ties == "expected":
        return expected(labels, scores, n_positives=n_positives)
    if ties != "grouped":
        labels, scores = untied(labels, scores, ties)
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    return sum(r * T / N for r, _, T, N in curve) / total if total else None


def defined(rule):
    """Pass a rule the points and the positive mass. Without positives its value is undefined."""

    @wraps(rule)
    def value(labels, scores, weights=None, *, n_positives=None, **options):
        curve = points(labels, scores, weights)
        total = positive_mass(curve, n_positives)
        return rule(curve, total, **options) if total else None

    return value


@defined
def envelope(curve, total):
    area, highest = Fraction(0), Fraction(0)
    for r, _, T, N in reversed(curve):
        highest = max(highest, T / N)
        area += r * highest
    return area / total


@defined
def n_point(curve, total, *, n_points):
    levels, precisions = Fraction(0), [(T * (n_points - 1), T / N) for _, _, T, N in curve]
    for level in range(n_points):
        needed = level * total
        precisions = [(hits, precision) for hits, precision in precisions if hits >= needed]
        levels += max((precision for _, precision in precisions), default=Fraction(0))
    return levels / n_points


@defined
def float_grid(curve, total, *, n_points):
    """The N-point average whose levels are those of np.linspace, as is recall: float64."""
    step = 1 / (n_points - 1)
    levels = [level * step for level in range(n_points - 1)] + [1.0]
    recalls = [(float(T) / float(total), T / N) for _, _, T, N in curve]
    heights = [
        max((precision for recall, precision in recalls if recall >= level), default=Fraction(0))
        for level in levels
    ]
    return sum(heights) / n_points


@defined
def r40(curve, total):
    """KITTI's average: the best precision at the recalls 1/40, 2/40, ..., 1."""
    best = Fraction(0)
    for level in range(1, 41):
        best += max((T / N for _, _, T, N in curve if T / total >= Fraction(level, 40)), default=0)
    return best / 40


@defined
def linear(curve, total):
    corners = [(Fraction(0), Fraction(1))] + [(T / total, T / N) for _, _, T, N in curve]
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in pairwise(corners))


def as_written(number):
    """Return the decimal as written: 0.07 is seven hundredths."""
    return Fraction(str(plain(number)))


@defined
def precision_at_recall(curve, total, *, min_recall):
    far_enough = (T / N for _, _, T, N in curve if T / total >= as_written(min_recall))
    return max(far_enough, default=Fraction(0))


@defined
def recall_at_precision(curve, total, *, min_precision):
    good_enough = (T / total for _, _, T, N in curve if T / N >= as_written(min_precision))
    return max(good_enough, default=Fraction(0))


# Ties


def untied(labels, scores, ties):
    """Rank tied positives first ("best") or last ("worst"), with scores that are no longer tied."""
    sign = {"best": -1, "worst": 1}[ties]
    samples = zip(labels, scores, strict=True)
    ordered = sorted((-plain(score), sign * bool(label), bool(label)) for label, score in samples)
    return [label for *_, label in ordered], range(len(ordered), 0, -1)


def orders(labels, scores):
    """Return every order of the labels that the scores leave open, all of them equally likely."""
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


@defined
def expected(curve, total):
    """Step AP's mean over all orders of the tied samples, term by term."""
    return expected_sum(curve, sum(n for _, n, _, _ in curve)) / total


def expected_sum(curve, k):
    """Sum over the ranks up to k of the chance of a positive there times its mean precision."""
    area = Fraction(0)
    for r, n, T, N in curve:
        for i in range(int(N - n) + 1, int(min(N, k)) + 1):
            before = (i - 1 - (N - n)) * (r - 1) / (n - 1) if n > 1 else 0
            area += r / n * (T - r + before + 1) / i
    return area


# The top k


def of_share(k, size, whole):
    """Return k for a ranking of this size, where a share is rounded up if sizes are whole."""
    if not isinstance(plain(k), float):
        return Fraction(plain(k))
    share = as_written(k) * size
    return Fraction(max(ceil(share), 1)) if whole or not size else share


def first(labels, scores, weights=None, *, k=10, k_counts="weight"):
    """The mass that k comes to, and what k leaves of each group: (positive mass, total mass)."""
    curve = points(labels, scores, weights)
    whole = weights is None or all(plain(weight) % 1 == 0 for weight in weights)
    if k_counts == "weight":
        sizes = [n for _, n, _, _ in curve]
    else:
        rows = [1] * len(labels) if weights is None else [plain(weight) > 0 for weight in weights]
        sizes, whole = [n for _, n in tie_groups(rows, scores, rows)], True
    k, left = of_share(k, sum(sizes), whole), []
    room = k
    for (r, n, _, _), size in zip(curve, sizes, strict=True):
        part = min(room / size, 1)
        left.append((r * part, n * part))
        room -= part * size
    if k_counts == "samples" and sizes:  # what is missing weighs what the others do
        mean = sum(n for _, n, _, _ in curve) / sum(sizes)
        k = sum(m for _, m in left) + room * mean
    return k, left


def hits(labels, scores, weights=None, *, ties="grouped", **cut):
    """Return the positive mass in the top k, and what k is."""
    if ties in ("grouped", "expected"):
        k, left = first(labels, scores, weights, **cut)
        return sum((h for h, _ in left), Fraction(0)), k
    assert weights is None
    k, _ = first(labels, scores, **cut)
    found = Fraction(0)
    for r, n, _, N in points(labels, scores):
        room = min(n, max(Fraction(0), k - (N - n)))
        found += min(r, room) if ties == "best" else max(Fraction(0), room - (n - r))
    return found, k


def precision_at_k(labels, scores, weights=None, *, n_positives=None, **cut):
    found, k = hits(labels, scores, weights, **cut)
    return found / k


def recall_at_k(labels, scores, weights=None, *, denominator="relevant", n_positives=None, **cut):
    total = positive_mass(points(labels, scores, weights), n_positives)
    found, k = hits(labels, scores, weights, **cut)
    return found / {"relevant": total, "min": min(k, total)}[denominator] if total else None


def enrichment_factor(labels, scores, weights=None, *, k=0.01, n_positives=None, **cut):
    """(hits / k) / (R / n)."""
    curve = points(labels, scores, weights)
    positive, everything = positive_mass(curve, n_positives), sum(n for _, n, _, _ in curve)
    found, k = hits(labels, scores, weights, k=k, **cut)
    return found / k * everything / positive if positive else None


def r_precision(labels, scores, weights=None, *, ties="grouped", n_positives=None):
    """The positive mass in the top R, divided by R."""
    total = positive_mass(points(labels, scores, weights), n_positives)
    return hits(labels, scores, weights, ties=ties, k=total)[0] / total if total else None


def reciprocal_rank(labels, scores, weights=None, *, k=None, ties="grouped", n_positives=None):
    """1/rank of the first positive if it is in the top k, else 0.

    "grouped" is the chance that it is in the top k, over all orders of tied samples, divided by its
    mean rank if it is.
    """
    assert weights is None
    curve = points(labels, scores)
    k = len(labels) if k is None else of_share(k, len(labels), True)
    for r, n, _, N in curve:
        if r:
            n, r, above = int(n), int(r), int(N - n)
            ways = {above + j: comb(n - j, r - 1) for j in range(1, n - r + 2)}  # by rank
            inside = {rank: count for rank, count in ways.items() if rank <= k}
            if ties in ("best", "worst"):
                rank = {"best": min, "worst": max}[ties](ways)
                return Fraction(rank in inside, rank)
            if ties == "expected":
                return sum(Fraction(count, rank) for rank, count in inside.items()) / comb(n, r)
            found = sum(inside.values())
            total = sum(count * rank for rank, count in inside.items())
            return Fraction(found**2, total * comb(n, r)) if found else Fraction(0)
    return Fraction(0) if positive_mass(curve, n_positives) else None


def reciprocal_rank_at_k(labels, scores, weights=None, *, k=10, **options):
    return reciprocal_rank(labels, scores, weights, k=k, **options)


def hit_rate_at_k(labels, scores, weights=None, *, k=10, ties="grouped", n_positives=None):
    """1 if a positive is in the top k, or how often this is so over all orders of tied samples."""
    assert weights is None
    curve = points(labels, scores)
    if not positive_mass(curve, n_positives):
        return None
    k = of_share(k, len(labels), True)
    for r, n, _, N in curve:
        if r:
            room = int(min(max(k - (N - n), 0), n))
            if ties in ("best", "worst"):
                return Fraction(room > (0 if ties == "best" else n - r))
            return 1 - Fraction(comb(int(n - r), room), comb(int(n), room))
    return Fraction(0)


def grouped_sum(left):
    """Sum the precision at each positive in the top k."""
    area, found, seen = Fraction(0), Fraction(0), Fraction(0)
    for h, m in left:
        found, seen = found + h, seen + m
        if h:
            area += h * found / seen
    return area


def at_k(
    labels, scores, weights=None, *, denominator="min", ties="grouped", n_positives=None, **cut
):
    """AP@k; 0 if "hits" finds none of the existing positives."""
    assert ties == "grouped" or weights is None
    if ties in ("best", "worst"):
        if denominator == "hits":
            return extreme_mean_of_hits(labels, scores, ties, n_positives, **cut)
        labels, scores = untied(labels, scores, ties)
    curve = points(labels, scores, weights)
    total = positive_mass(curve, n_positives)
    if not total:
        return None
    k, left = first(labels, scores, weights, **cut)
    assert (denominator, ties) != ("hits", "expected")
    area = expected_sum(curve, k) if ties == "expected" else grouped_sum(left)
    found = sum(h for h, _ in left)
    divisor = {"min": min(k, total), "relevant": total, "k": k, "hits": found}[denominator]
    return area / divisor if divisor else Fraction(0)


def at_r(labels, scores, n_positives=None):
    """AP cut at the number of positives, over which the sum of precisions is divided."""
    total = positive_mass(points(labels, scores), n_positives)
    if not total:
        return None
    area, left = Fraction(0), total
    for r, n, T, N in points(labels, scores):
        inside = min(n, left)
        hits = r * inside / n
        area += hits * (T - r + hits) / (N - n + inside) if inside else 0
        left -= inside
    return area / total


def extreme_mean_of_hits(labels, scores, ties, n_positives, **cut):
    """Try every number of hits among the tied samples at k, with hits first or last in each tie."""
    k, values = first(labels, scores, **cut)[0], []

    def ranked(positive, size):
        row = [1] * int(positive) + [0] * int(size - positive)
        return row if ties == "best" else row[::-1]

    curve = points(labels, scores)
    for hits in range(len(labels) + 1):
        order = []
        for r, n, _, N in curve:
            room = min(max(k - (N - n), 0), n)
            inside = r if room == n else hits
            if room and not max(0, room - (n - r)) <= inside <= min(r, room):
                break  # so many hits are not possible
            if room:
                order += ranked(inside, room) + ranked(r - inside, n - room)
            else:
                order += ranked(r, n)
        else:
            scored = order, range(len(order), 0, -1)
            values.append(at_k(*scored, k=int(k), denominator="hits", n_positives=n_positives))
    return {"best": max, "worst": min}[ties](values, key=lambda value: value or 0)


# All of them, by the names that the package has for them. Their options have its names too.

EACH = (step, envelope, n_point, linear, at_k, precision_at_k, recall_at_k, enrichment_factor)
EACH += (r_precision, reciprocal_rank, reciprocal_rank_at_k, hit_rate_at_k)
EACH += (precision_at_recall, recall_at_precision, float_grid)
RULES = {rule.__name__.replace("_", "-"): rule for rule in EACH}


# Grades of documents, which are ranked without ties: those by rank, None without a judgment, and
# those of all judged documents, retrieved or not

GAINS = {
    "linear": lambda grade: grade,
    "exponential": lambda grade: 2**grade - 1,
}


def dcg(gains, k):
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))


def ndcg_of(order, judged, k=None, gains="linear"):
    gain = [[GAINS[gains](max(grade or 0, 0)) for grade in each] for each in (order, judged)]
    ideal = dcg(sorted(gain[1], reverse=True), k)
    return dcg(gain[0], k) / ideal if ideal else 0.0


# Groups


def mean_over_groups(
    rule, labels, scores, groups, weights=None, *, average="macro", undefined=0, **options
):
    """The mean of a rule over groups; undefined=None leaves out the groups without positives.

    The groups are those of the samples, and those of the mapping `n_positives`.
    """
    n_positives = options.pop("n_positives", None)
    rows = {group: [] for group in n_positives or ()}
    for i, group in enumerate(groups):
        rows.setdefault(group, []).append(i)
    values, masses = [], []
    for group in sorted(rows):
        y, s = ([column[i] for i in rows[group]] for column in (labels, scores))
        w = None if weights is None else [weights[i] for i in rows[group]]
        exist = {} if n_positives is None else {"n_positives": n_positives[group]}
        value = rule(y, s, w, **exist, **options)
        values.append(undefined if value is None else value)
        masses.append(positive_mass(points(y, s, w), **exist))
    if average is None:
        return values
    if average == "weighted" and not any(masses):
        return undefined
    if average == "macro":
        masses = [1] * len(values)
    kept = [(v, m) for v, m in zip(values, masses, strict=True) if v is not None]
    total = sum(m for _, m in kept)
    return sum(v * m for v, m in kept) / total if total else None


def excess(labels, scores):
    """How much too high average precision is, as each positive is among its own n samples."""
    ranked = [label for _, label in sorted(zip(scores, labels, strict=True), reverse=True)]
    found = [(n, Fraction(int(sum(ranked[:n])), n)) for n, label in enumerate(ranked, 1) if label]
    return float(Fraction(3, 2) * sum((1 - p) / n for n, p in found) / len(found))
