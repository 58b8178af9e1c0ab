"""Pictures of rows in a ranking: what options do with them, ties that k cuts, means over classes."""

import matplotlib.pyplot as plt
import numpy as np

import sklearn_ap as ap

INK, ORANGE = "#767676", "#c8590d"  # seen on white and on black
BLUE, PURPLE = "#3b78b5", "#8a4fa3"


def draw_row(ax, x, y, text, is_positive, color=BLUE):
    """Draw a row as a circle, filled if it's positive."""
    face = color if is_positive else "none"
    ax.plot(x, y, "o", markersize=14, color=color, markerfacecolor=face)
    ink = "white" if is_positive else color
    ax.text(x, y, text, size=8, ha="center", va="center_baseline", color=ink)


def write(ax, x, y, text, color=INK, **look):
    ax.text(x, y, text, size=9, color=color, va="center_baseline", **look)


def start_picture(size, xlim, ylim):
    figure, ax = plt.subplots(figsize=size, layout="constrained")
    figure.patch.set_alpha(0)
    ax.set(xlim=xlim, ylim=ylim)
    ax.axis("off")
    return figure, ax


# --- groups, clusters and by ----------------------------------------------------------------------

USERS, LABELS = "ABBABA", [1, 0, 1, 0, 0, 1]
SCORES = [6, 5, 4, 3, 2, 1]


def list_rows(user):
    return [i for i, each in enumerate(USERS) if user in ("", each)]


def evaluate_user(user):
    """Return the average precision of the rows of a user, or of all rows."""
    rows = list_rows(user)
    return ap.average_precision_score([LABELS[i] for i in rows], [SCORES[i] for i in rows])


def draw_options():
    every, a, b = (f"{evaluate_user(user):.3f}" for user in ("", "A", "B"))
    mean = f"{(evaluate_user('A') + evaluate_user('B')) / 2:.3f}"
    parts = [  # what is passed, whose rows are ranked, values, sampling units, whether these are users
        ("no option", [""], [every], ["6 rows"], False),
        ('clusters="user"', [""], [every], ["2 users"], True),
        ('groups="user"', ["A", "B"], [f"{mean}, the mean", f"of {a} and {b}"], ["2 users"], True),
        (
            'by="user"',
            ["", "A", "B"],
            [f"{every} all data", f"{a} A", f"{b} B"],
            ["6 rows", "3 rows", "3 rows"],
            False,
        ),
    ]
    figure, ax = start_picture((5.6, 3.6), (-4.2, 12.2), (-8.1, 1.6))
    heads = {-4.1: "pass", -0.25: "rankings, positives filled", 6: "value", 9.9: "what varies"}
    for x, head in heads.items():
        write(ax, x, 1.2, head)
    y = 0
    for option, users, values, units, are_users in parts:
        ax.axhline(y + 0.65, color=INK, linewidth=0.5)
        write(ax, -4.1, y, option, ORANGE, weight="bold")
        for x, texts in ((6, values), (9.9, units)):
            for line, text in enumerate(texts):
                write(ax, x, y - line, text)
        for line, user in enumerate(users):
            for rank, i in enumerate(list_rows(user)):
                color = {"A": BLUE, "B": PURPLE}[USERS[i]] if are_users else BLUE
                draw_row(ax, rank, y - line, USERS[i], LABELS[i], color)
        y -= len(users) + 0.5
    return figure


# --- ties that k cuts -----------------------------------------------------------------------------

TIED_LABELS, TIED_SCORES, CUTOFF = [1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.7, 0.5], 3


def draw_ties():
    """Draw a ranking whose tied samples k cuts, and values by each way to count them."""
    figure, ax = start_picture((4.8, 3.4), (-0.5, 9.6), (-6.9, 1.9))
    write(ax, -0.4, 1.7, "six samples and their scores, positives filled")
    for rank, (label, score) in enumerate(zip(TIED_LABELS, TIED_SCORES, strict=True)):
        draw_row(ax, rank, 0, score, label)
    ax.plot([1.6, 1.6, 4.4, 4.4], [0.6, 0.85, 0.85, 0.6], color=INK, linewidth=1)
    write(ax, 3.4, 1.1, "tied", ha="center")
    ax.plot([2.5, 2.5], [-0.8, 1.4], "--", color=ORANGE, linewidth=1.5)
    write(ax, 2.6, -0.8, f"k = {CUTOFF}", ORANGE)
    places = -0.4, 1.5, 7, 8.4
    for x, head in zip(places, ("ties=", "third is", f"P@{CUTOFF}", f"AP@{CUTOFF}"), strict=True):
        write(ax, x, -1.7, head)
    third = {
        "grouped": "a third of each tied sample",
        "expected": "one of them, over all orders",
        "best": "a positive",
        "worst": "a negative",
        "input": "the first row, here a positive",
    }
    for y, (ties, text) in enumerate(third.items()):
        options = {"k": CUTOFF, "ties": ties}
        precision = ap.precision_at_k_score(TIED_LABELS, TIED_SCORES, **options)
        value = ap.average_precision_at_k_score(TIED_LABELS, TIED_SCORES, **options)
        write(ax, places[0], -2.65 - y * 0.95, f'"{ties}"', ORANGE, weight="bold")
        texts = text, f"{precision:.3f}", f"{value:.3f}"
        for x, each in zip(places[1:], texts, strict=True):
            write(ax, x, -2.65 - y * 0.95, each)
    return figure


# --- means over classes ---------------------------------------------------------------------------

CLASS_LABELS = {"A": [1, 1, 0, 0], "B": [1, 0, 0, 0]}
CLASS_SCORES = {"A": [0.9, 0.8, 0.6, 0.3], "B": [0.5, 0.4, 0.2, 0.1]}
CLASS_COLORS = {"A": BLUE, "B": PURPLE}


def draw_averages():
    """Draw macro, one ranking a class, and micro, one ranking of all scores."""
    labels, scores = np.transpose([*CLASS_LABELS.values()]), np.transpose([*CLASS_SCORES.values()])
    figure, ax = start_picture((5.2, 2.5), (-3.7, 11.4), (-4, 1.4))
    for x, head in {-3.6: "average=", -0.25: "rankings, positives filled", 8.3: "value"}.items():
        write(ax, x, 1, head)
    write(ax, -3.6, 0, '"macro"', ORANGE, weight="bold")
    write(ax, -3.6, -3.4, '"micro"', ORANGE, weight="bold")
    rows = []  # minus score, class, label
    for y, name in enumerate(CLASS_LABELS):
        values = zip(CLASS_SCORES[name], CLASS_LABELS[name], strict=True)
        for rank, (score, label) in enumerate(values):
            draw_row(ax, rank, -y, score, label, CLASS_COLORS[name])
            rows.append((-score, name, label))
        value = ap.average_precision_score(CLASS_LABELS[name], CLASS_SCORES[name])
        write(ax, 8.3, -y, f"{value:.3f} {name}", CLASS_COLORS[name])
    for rank, (score, name, label) in enumerate(sorted(rows)):
        draw_row(ax, rank, -3.4, -score, label, CLASS_COLORS[name])
    for y, average in ((-2, "macro"), (-3.4, "micro")):
        value = ap.average_precision_score(labels, scores, average=average)
        write(ax, 8.3, y, f"{value:.3f}" + ", the mean" * (average == "macro"))
    for y in (0.6, -2.75):
        ax.axhline(y, color=INK, linewidth=0.5)
    return figure
