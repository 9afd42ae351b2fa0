"""Encodes the pictures for thumbnails: encode.py PICTURE FILE … [WIDTHxHEIGHT]

The file's extension selects the format. JPEG has quality 85 and 4:2:0, WebP has quality 80, PNG uses Pillow's defaults.
With a size, only the middle of the picture is encoded.
"""

import re
import sys

from PIL import Image

OPTIONS = {
    "jpg": {"quality": 85, "subsampling": "4:2:0"}, "png": {}, "webp": {"quality": 80},
    "progressive.jpg": {"quality": 85, "subsampling": "4:2:0", "progressive": True},
}


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
        kind = max((kind for kind in OPTIONS if name.endswith(f".{kind}")), key=len)
        picture.save(name, **OPTIONS[kind])
