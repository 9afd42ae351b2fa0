"""Encodes the pictures for thumbnails: encode.py PICTURE FILE … [WIDTHxHEIGHT]

The file's extension selects the format. JPEG has quality 85 and 4:2:0, WebP has quality 80, PNG uses Pillow's defaults.
HEIC has quality 55 and an iPhone's structure: tiles of 512 x 512 pixels, a rotation, and a thumbnail.
With a size, only the middle of the picture is encoded.
"""

import pathlib
import re
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


def middle(picture, width, height):
    left, top = (picture.width - width) // 2, (picture.height - height) // 2
    if left < 0 or top < 0:
        raise SystemExit(f"the picture has only {picture.width} by {picture.height} pixels")
    return picture.crop((left, top, left + width, top + height))


names = sys.argv[2:]
with Image.open(sys.argv[1]) as opened:
    picture = opened
    if size := re.fullmatch(r"(\d+)x(\d+)", names[-1]):
        picture = middle(opened.convert("RGB"), *map(int, size.groups()))
        names.pop()
    for name in names:
        if name.endswith(".heic"):
            write_heic(picture, name)
            continue
        kind = max((kind for kind in OPTIONS if name.endswith(f".{kind}")), key=len)
        picture.save(name, **OPTIONS[kind])
