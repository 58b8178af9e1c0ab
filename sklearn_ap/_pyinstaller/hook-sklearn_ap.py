"""Name what PyInstaller doesn't find by itself: modules that are imported lazily, and files."""

from PyInstaller.utils.hooks import collect_data_files, collect_submodules, copy_metadata

# A fitted estimator is frozen by a module of scikit-learn 1.6 and later.
hiddenimports = [*collect_submodules("sklearn_ap"), "sklearn.frozen"]
datas = [*collect_data_files("sklearn_ap"), *copy_metadata("sklearn_ap")]
