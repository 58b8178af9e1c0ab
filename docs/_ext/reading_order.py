"""The order of the gallery: from what the numbers are to what they do. New ones come last."""

ORDER = (
    "plot_geese_and_planes.py",
    "plot_linear_interpolation.py",
    "plot_interpolated.py",
    "plot_eleven_points.py",
    "plot_hit_curves.py",
    "plot_search_engine.py",
    "plot_grid_search.py",
    "plot_early_stopping.py",
    "plot_outliers.py",
    "plot_is_b_better.py",
    "plot_units.py",
)


class ReadingOrder:
    def __init__(self, folder: str) -> None:
        pass

    def __call__(self, name: str) -> int:
        return (*ORDER, name).index(name)
