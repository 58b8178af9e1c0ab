"""
Is the new detector better?
===========================

Two detectors have looked at the same 200 images. Their mAP differs, but so
would that of one detector on 200 other images. This example compares them
image by image, and shows for which classes and overlaps the new one is
better.
"""

# %%
# Read annotations and detections
# -------------------------------
# The images are made up. The boxes of the new detector are closer to the
# objects, and it finds more of the small ones.
import numpy as np

import sklearn_ap as ap

rng = np.random.default_rng(0)
NAMES = ["bicycle", "bus", "car", "person"]
SIZES = [40, 160, 90, 60]

images = [{"id": number} for number in range(200)]
categories = [{"id": n, "name": name} for n, name in enumerate(NAMES)]
annotations, detections = [], {"old": [], "new": []}
for image in range(200):
    ease = rng.normal()  # Some images are difficult for both.
    for kind in rng.choice(4, rng.poisson(5), p=[0.1, 0.1, 0.4, 0.4]):
        size = SIZES[kind] * np.exp(rng.normal(0, 0.4, 2))
        box = np.concatenate([rng.uniform(0, 400, 2), size])
        at = {"image_id": image, "category_id": int(kind)}
        annotations.append(
            {
                **at,
                "id": len(annotations) + 1,
                "bbox": box.tolist(),
                "area": size.prod(),
            }
        )
        for name, noise, missed in (("old", 7, -0.3), ("new", 5, -0.8)):
            clear = ease + rng.normal() + SIZES[kind] / 100
            near = box + rng.normal(0, noise, 4)
            far = np.append(rng.uniform(0, 400, 2), size)
            for each, score in ((near, clear), (far, rng.normal(-0.5))):
                if score > missed and each.min() > 0:
                    detections[name].append(
                        {**at, "bbox": each.tolist(), "score": score}
                    )

objects = {
    "images": images,
    "categories": categories,
    "annotations": annotations,
}
tables = ap.readers.read_coco(objects, detections)

# %%
# mAP50-95, by class
# ------------------
# Images are the sampling units, so they are the clusters. Each object is a
# row, missed or not, which ``n_positives="rows"`` says.
options = {
    "metrics": "COCO mAP",
    "groups": ["class", "overlap"],
    "clusters": "image",
    "n_positives": "rows",
    "baseline": "old",
    "data": tables,
}
by_class = ap.report("hit", "score", by="class", **options)
by_class

# %%
# mAP at each overlap
# -------------------
# The new detector's boxes are closer, so it gains more where a hit needs a
# larger overlap.
by_overlap = ap.report("hit", "score", by="overlap", **options)

# %%
# A picture for a slide
# ---------------------
# The first picture has the difference for each class, with its interval.
# The second one has mAP at each overlap. Bands are 95% intervals, adjusted
# for ten overlaps.
# sphinx_gallery_thumbnail_number = 2
import matplotlib.pyplot as plt

ax = by_class.plot()
ax.figure.set_figwidth(5.8)  # so that a phone shows its letters
ax.set_title("mAP50-95, new minus old", pad=20)
ax.set_xlabel("95% intervals, adjusted for 4 classes")

figure, ax = plt.subplots(layout="constrained")
for name, color in (("old", "0.5"), ("new", "C0")):
    rows = [
        row
        for row in by_overlap
        if row.model == name and row.segment is not None
    ]
    overlap = [row.segment for row in rows]
    low, high = [row.low for row in rows], [row.high for row in rows]
    ax.plot(overlap, [row.value for row in rows], color=color, label=name)
    ax.fill_between(overlap, low, high, color=color, alpha=0.2)
ax.set(xlabel="Overlap that a hit needs (IoU)", ylabel="mAP", ylim=(0, 1))
ax.set_title("200 images, mean over 4 classes")
ax.legend()
plt.show()
