"""Encodes the pictures for thumbnails: encode.py PICTURE.ppm FILE …

The file's extension selects the format. JPEG has quality 85 and 4:2:0, WebP has quality 80, PNG uses Pillow's defaults.
"""

import sys

from PIL import Image

OPTIONS = {
    "jpg": {"quality": 85, "subsampling": "4:2:0"}, "png": {}, "webp": {"quality": 80},
    "progressive.jpg": {"quality": 85, "subsampling": "4:2:0", "progressive": True},
}

with Image.open(sys.argv[1]) as picture:
    for name in sys.argv[2:]:
        kind = max((kind for kind in OPTIONS if name.endswith(f".{kind}")), key=len)
        picture.save(name, **OPTIONS[kind])
