"""tidecv. Each sample is a box in an image of its own, as in of_coco."""

import contextlib
import io

from tidecv import TIDE, Data

from . import Function, list_images

PACKAGES = ["tidecv", "matplotlib<3.9"]


def of_tide(queries):
    truth, found = Data("truth"), Data("found")
    for image, (category, has_object, score) in enumerate(list_images(queries)):
        for data in (truth, found):
            data.add_image(image, str(image))
        if has_object:
            truth.add_ground_truth(image, category, box=[10, 10, 20, 20])
        if score is not None:
            found.add_detection(image, category, score, box=[10, 10, 20, 20])
    with contextlib.redirect_stdout(io.StringIO()):
        run = TIDE().evaluate(truth, found, mode=TIDE.BOX, pos_threshold=0.5)
    return run.ap / 100


FUNCTIONS = {"tidecv": {"TIDE.evaluate": Function(of_queries=of_tide, missed=True)}}
