"""The picture of groups, clusters and by: what each of them does with the same six rows."""

import matplotlib.pyplot as plt

import sklearn_ap as ap

INK, ORANGE = "#767676", "#c8590d"  # seen on white and on black
COLORS = {"": "#3b78b5", "A": "#3b78b5", "B": "#8a4fa3"}  # of rows, and of those of two users
USERS, LABELS = "ABBABA", [1, 0, 1, 0, 0, 1]
SCORES = [6, 5, 4, 3, 2, 1]


def evaluate(user):
    """Return the average precision of the rows of a user, or of all rows."""
    rows = [i for i, each in enumerate(USERS) if user in ("", each)]
    return ap.average_precision_score([LABELS[i] for i in rows], [SCORES[i] for i in rows])


def draw_ranking(ax, y, user, are_colored):
    """Draw the rows of a user, or all of them, from the highest score on, in the color of their unit."""
    rows = [i for i, each in enumerate(USERS) if user in ("", each)]
    for rank, i in enumerate(rows):
        color = COLORS[USERS[i] if are_colored else ""]
        face = color if LABELS[i] else "none"
        ax.plot(rank, y, "o", markersize=14, color=color, markerfacecolor=face)
        text = "white" if LABELS[i] else color
        ax.text(rank, y, USERS[i], size=8, ha="center", va="center_baseline", color=text)


def draw_options():
    every, a, b = (f"{evaluate(user):.3f}" for user in ("", "A", "B"))
    mean = f"{(evaluate('A') + evaluate('B')) / 2:.3f}"
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
    figure, ax = plt.subplots(figsize=(6.5, 3.9), layout="constrained")
    figure.patch.set_alpha(0)
    heads = {-3.6: "pass", 0: "rankings, positives filled", 6.3: "value", 10.2: "what varies"}
    for x, head in heads.items():
        ax.text(x - 0.25 * (x == 0), 1.1, head, size=9, color=INK)
    y = 0
    for option, users, values, units, are_users in parts:
        ax.axhline(y + 0.65, color=INK, linewidth=0.5)
        ax.text(-3.6, y, option, size=9, weight="bold", color=ORANGE, va="center_baseline")
        for x, texts in ((6.3, values), (10.2, units)):
            for line, text in enumerate(texts):
                ax.text(x, y - line, text, size=9, color=INK, va="center_baseline")
        for line, user in enumerate(users):
            draw_ranking(ax, y - line, user, are_users)
        y -= len(users) + 0.5
    ax.set(xlim=(-3.7, 12.6), ylim=(y + 0.9, 1.6))
    ax.axis("off")
    return figure
