"""Measures the quality of thumbnails with SSIMULACRA2, compared with one in floating point and linear light.

    quality.py FILE FOLDER SIZE

The folder contains thumbnail.jpg and thumbnail.ppm. Prints one line of JSON with both scores.
Tests/Reference/scaling.py computes the reference from all pixels of the file. It is stored in the folder of the file.
"""

import json
import pathlib
import sys
import tempfile

import numpy as np
import ssimulacra2
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Tests/Reference"))
sys.dont_write_bytecode = True
import scaling  # noqa: E402


def reference(file, size):
    path = file.with_name(f"{file.name}.{size}.png")
    if path.exists() and path.stat().st_mtime > file.stat().st_mtime:
        return path
    with Image.open(file) as image:
        pixels = np.asarray(image.convert("RGB"))
    width, height = scaling.fitted(pixels.shape[1], pixels.shape[0], size)
    down = scaling.weights(pixels.shape[0], height, scaling.lanczos)
    across = scaling.weights(pixels.shape[1], width, scaling.lanczos)
    curve = scaling.linear(np.arange(256) / 255)
    small = np.stack([down @ curve[pixels[..., channel]] @ across.T for channel in range(3)], axis=2)
    Image.fromarray(np.rint(scaling.encoded(small) * 255).astype(np.uint8)).save(path)
    return path


def main(file, folder, size):
    expected = reference(pathlib.Path(file), int(size))
    scores = {}
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ("jpg", "ppm"):
            with Image.open(pathlib.Path(folder) / f"thumbnail.{kind}") as image, Image.open(expected) as wanted:
                if image.size != wanted.size:
                    raise SystemExit(f"the thumbnail has the size {image.size}, the reference {wanted.size}")
                image.convert("RGB").save(f"{scratch}/{kind}.png")
            scores[kind] = ssimulacra2.compute_ssimulacra2(str(expected), f"{scratch}/{kind}.png")
    print(json.dumps({"requests": 1, "seconds": 0, "bytes": 0, "score": scores["jpg"], "pixel_score": scores["ppm"]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
