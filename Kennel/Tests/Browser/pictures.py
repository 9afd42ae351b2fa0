"""Pictures to share: a dog in a landscape, a different one for each number."""

import io
import itertools
import math
import random

from PIL import Image, ImageDraw, ImageFilter
from PIL.PngImagePlugin import PngInfo

SKIES = [
    ((255, 214, 165), (120, 170, 220)), ((250, 180, 150), (90, 90, 150)), ((220, 240, 250), (90, 160, 220)),
    ((255, 236, 200), (230, 150, 120)), ((200, 225, 220), (70, 120, 130)), ((245, 225, 235), (150, 130, 190)),
]
GROUNDS = [(96, 130, 74), (150, 160, 90), (190, 165, 120), (70, 110, 100), (205, 190, 160), (120, 100, 80)]
FURS = [
    ((201, 138, 75), (122, 69, 38)), ((235, 222, 200), (190, 150, 105)), ((70, 62, 58), (35, 30, 28)),
    ((160, 92, 52), (95, 50, 28)), ((245, 243, 238), (120, 110, 105)), ((120, 110, 105), (70, 64, 62)),
]
SHAPES = [(1200, 800), (800, 1200), (1200, 900), (1000, 1000), (1600, 900), (900, 1200), (2000, 800), (1200, 800)]


def dog(number: int, size: tuple[int, int] | None = None) -> Image.Image:
    chance = random.Random(number)
    width, height = size or SHAPES[number % len(SHAPES)]
    low, high = SKIES[chance.randrange(len(SKIES))]
    ground = GROUNDS[chance.randrange(len(GROUNDS))]
    fur, ear = FURS[chance.randrange(len(FURS))]
    image = Image.new("RGB", (1, height))
    for y in range(height):
        part = y / height
        image.putpixel((0, y), tuple(round(h + (l - h) * part) for l, h in zip(low, high)))
    image = image.resize((width, height))
    draw = ImageDraw.Draw(image)
    for layer in range(3):
        shade = tuple(round(c * (0.75 + 0.12 * layer)) for c in ground)
        phase, base = chance.random() * 6, height * (0.62 + 0.12 * layer)
        crest = [
            (x, base + height * 0.05 * math.sin(phase + x / width * (4 + layer)))
            for x in range(0, width + 20, 20)
        ]
        draw.polygon([*crest, (width, height), (0, height)], fill=shade)
    image = image.filter(ImageFilter.GaussianBlur(height / 260))
    scale = min(width, height) * (0.32 + 0.12 * chance.random())
    x, y = width * (0.35 + 0.3 * chance.random()), height * 0.56
    # Drawn at four times the size and scaled down, for smooth edges.
    side = int(scale * 2.4)
    paint = Image.new("RGBA", (side * 2, side * 2), (0, 0, 0, 0))
    brush = ImageDraw.Draw(paint)

    def oval(cx: float, cy: float, rx: float, ry: float, color: tuple[int, int, int]) -> None:
        unit = side * 2 / 2.4
        brush.ellipse(
            ((cx - rx + 1.2) * unit, (cy - ry + 1.2) * unit, (cx + rx + 1.2) * unit, (cy + ry + 1.2) * unit),
            fill=(*color, 255))

    oval(0, 0.75, 0.46, 0.62, fur)
    oval(0, 0.8, 0.22, 0.4, tuple(min(255, c + 28) for c in fur))
    oval(0, 0, 0.44, 0.5, fur)
    oval(-0.44, 0.0, 0.17, 0.42, ear)
    oval(0.44, 0.0, 0.17, 0.42, ear)
    oval(0, 0.2, 0.24, 0.2, tuple(min(255, c + 28) for c in fur))
    for eye in (-0.17, 0.17):
        oval(eye, -0.06, 0.065, 0.075, (30, 22, 18))
        oval(eye + 0.02, -0.085, 0.02, 0.02, (255, 255, 255))
    oval(0, 0.12, 0.1, 0.075, (30, 22, 18))
    oval(0, 0.36, 0.07, 0.1, (226, 110, 120))
    paint = paint.resize((side, side), Image.LANCZOS)
    image.paste(paint, (int(x - side / 2), int(y - side / 2)), paint)
    return image


# Two files with the same picture differ in their comment, because a photo that is already shared is not shared again.
copies = itertools.count()


def jpeg(number: int, size: tuple[int, int] | None = None, taken: str = "") -> bytes:
    """Returns a JPEG. The time when it was taken has the form 2026:07:14 16:03:00."""
    file = io.BytesIO()
    image = dog(number, size)
    exif = image.getexif()
    if taken:
        exif.get_ifd(0x8769).update({0x9003: taken, 0x9011: "+01:00"})
    image.save(file, "JPEG", quality=88, comment=f"Copy {next(copies)}", exif=exif)
    return file.getvalue()


def camera(number: int) -> bytes:
    """Returns a photo with the metadata of a camera."""
    file = io.BytesIO()
    image = dog(number, (600, 400))
    metadata = Image.Exif()
    metadata[0x10F] = "SecretCam"
    image.save(file, "JPEG", quality=88, exif=metadata)
    return file.getvalue()


def noise(width: int, height: int) -> bytes:
    """Returns a PNG that does not compress, for a slow upload."""
    file = io.BytesIO()
    pixels = random.Random(1).randbytes(width * height * 3)
    text = PngInfo()
    text.add_text("Comment", f"Copy {next(copies)}")
    Image.frombytes("RGB", (width, height), pixels).save(file, "PNG", compress_level=0, pnginfo=text)
    return file.getvalue()
