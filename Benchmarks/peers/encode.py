"""Makes the files that thumbnails are made of: encode.py PICTURE.ppm FILE …

The kind is the file's extension; JPEG is of quality 85 and 4:2:0, PNG and WebP are as Pillow makes them.
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
