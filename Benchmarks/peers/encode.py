"""Encodes the pictures for thumbnails: encode.py PICTURE.ppm FILE …

The file's extension selects the format. JPEG has quality 85 and 4:2:0, WebP has quality 80, PNG uses Pillow's defaults.
HEIC has quality 55 and an iPhone's structure: tiles of 512 x 512 pixels, a rotation, and a thumbnail.
"""

import pathlib
import sys

from PIL import Image

OPTIONS = {
    "jpg": {"quality": 85, "subsampling": "4:2:0"}, "png": {}, "webp": {"quality": 80},
    "progressive.jpg": {"quality": 85, "subsampling": "4:2:0", "progressive": True},
}


def write_heic(picture, name):
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Tests/Reference"))
    import heif

    data = heif.grid(picture, 512, "heic", ("-q", "55"), properties=[heif.rotation(3)], thumbnail=True)
    pathlib.Path(name).write_bytes(data)


with Image.open(sys.argv[1]) as picture:
    for name in sys.argv[2:]:
        if name.endswith(".heic"):
            write_heic(picture, name)
            continue
        kind = max((kind for kind in OPTIONS if name.endswith(f".{kind}")), key=len)
        picture.save(name, **OPTIONS[kind])
