#!/usr/bin/env python3
"""Creates the reference pictures and their thumbnails: make_pictures.py FOLDER

This program draws every picture, and encodes it with Pillow or its own PNG writer. It computes the thumbnail from the
decoded pixels of the file, in floating point and linear light, and writes it as raw 8-bit RGB or straight RGBA.
manifest.json contains the expected thumbnails and the tolerances. A tolerance allows other kernels than Lanczos, and
decoding a JPEG at a fraction of its size. It does not allow the common mistakes: scaling encoded values, or ignoring
a profile, an orientation or transparency. This program checks both.
"""

import io
import json
import pathlib
import sys

import numpy as np
from PIL import Image, ImageCms, ImageOps

import animations as animated
import chart
import icc
import phones
import png
import scaling

BOX = 96
# The mean and largest difference in units of 1/255: the loss of encoding, of decoding at 6/8 and of other kernels.
LOSSLESS = (1.5, 30)
LOSSY = (2.0, 36)
# For pictures with hard edges, where kernels differ.
HARD_EDGES = (2.5, 64)
ORIENTATION = 0x0112


def bytes_of(pixels):
    return np.rint(np.clip(pixels, 0, 1) * 255).astype(np.uint8)


def floats_of(image):
    return np.asarray(image).astype(float) / 255


class ReferenceSet:
    def __init__(self, folder):
        self.folder = folder
        self.entries = []

    def path(self, name):
        return self.folder / name

    def save(self, name, image, **options):
        image.save(self.path(name), **options)
        return self.path(name)

    def add(self, name, pixels, tolerance, wrong=(), box=BOX, thumbnail=scaling.thumbnail, **how):
        """Adds a picture. `pixels` are those of the file, upright; `wrong` are the results of common mistakes."""
        height, width = pixels.shape[:2]
        size = scaling.fitted(width, height, box)
        expected = thumbnail(pixels, *size, **how)
        for kernel in (scaling.mitchell, scaling.box):
            mean, largest = scaling.difference(expected, thumbnail(pixels, *size, kernel=kernel, **how))
            if mean > tolerance[0] * 0.75 or largest > tolerance[1] * 0.75:
                raise SystemExit(f"{name}: another kernel is {mean:.2f}, {largest:.0f} apart: tolerance too small")
        for mistake, other in wrong:
            if other.shape[:2] != expected.shape[:2]:
                continue
            mean, largest = scaling.difference(expected, other)
            if mean <= tolerance[0] and largest <= tolerance[1]:
                raise SystemExit(f"{name}: {mistake} is only {mean:.2f}, {largest:.0f} apart: not detectable")
        reference = f"{name}.raw"
        self.path(reference).write_bytes(bytes_of(expected).tobytes())
        self.entries.append({
            "file": name, "box": box, "width": size[0], "height": size[1],
            "channels": expected.shape[2], "reference": reference, "mean": tolerance[0], "largest": tolerance[1],
        })

    def write(self):
        names = {entry["file"] for entry in self.entries}
        assert len(names) == len(self.entries), "two pictures have the same name"
        self.path("manifest.json").write_text(json.dumps(self.entries, indent=1) + "\n")


def as_encoded(pixels, box=BOX):
    """Returns the result of the most common mistake: scaling encoded values."""
    size = scaling.fitted(pixels.shape[1], pixels.shape[0], box)
    return "scaling encoded values", scaling.scaled(pixels, *size)


def orientations(pictures):
    upright = Image.fromarray(bytes_of(chart.chart(with_squares=False)))
    stored = {1: None, 2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180,
              4: Image.Transpose.FLIP_TOP_BOTTOM, 5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90,
              7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270}
    for value, turn in stored.items():
        image = upright if turn is None else upright.transpose(turn)
        exif = Image.Exif()
        exif[ORIENTATION] = value
        path = pictures.save(f"orientation-{value}.jpg", image, quality=92, exif=exif)
        with Image.open(path) as file:
            seen = floats_of(ImageOps.exif_transpose(file))
            ignored = floats_of(file)
        wrong = [] if value == 1 else [(
            "ignoring the orientation", scaling.thumbnail(ignored, *scaling.fitted(*ignored.shape[1::-1], BOX)))]
        pictures.add(path.name, seen, LOSSY, wrong)
        if value == 6:
            for kind, options in (("png", {}), ("webp", {"lossless": True})):
                path = pictures.save(f"orientation-{kind}.{kind}", image, exif=exif, **options)
                pictures.add(path.name, floats_of(upright), LOSSLESS)


def profiles(pictures):
    picture = chart.chart(with_squares=False)
    light = scaling.linear(picture)
    cases = (
        ("adobe-rgb", icc.rgb("A wide RGB", icc.ADOBE_RGB, icc.ADOBE_GAMMA), icc.ADOBE_RGB,
         lambda coded: coded**icc.ADOBE_GAMMA, lambda linear: linear ** (1 / icc.ADOBE_GAMMA)),
        ("display-p3", icc.rgb("A wide display", icc.DISPLAY_P3), icc.DISPLAY_P3, scaling.linear, scaling.encoded),
    )
    for name, profile, primaries, to_linear, from_linear in cases:
        from_srgb = np.linalg.inv(icc.to_d50(primaries)) @ icc.to_d50(icc.SRGB)
        wide = bytes_of(from_linear(np.clip(light @ from_srgb.T, 0, 1)))
        agrees_with_lcms(name, profile, wide, picture)
        for kind, options, tolerance in (("jpg", {"quality": 95, "subsampling": 0}, LOSSY), ("png", {}, LOSSLESS)):
            path = pictures.save(f"{name}-{kind}.{kind}", Image.fromarray(wide), icc_profile=profile, **options)
            with Image.open(path) as file:
                held = floats_of(file)
            ignored = scaling.thumbnail(held, *scaling.fitted(*held.shape[1::-1], BOX))
            pictures.add(path.name, held, tolerance, [("ignoring the profile", ignored)],
                         to_linear=to_linear, matrix=np.linalg.inv(from_srgb))
    broken = bytes_of(picture)
    path = pictures.save("broken-profile.png", Image.fromarray(broken), icc_profile=b"no profile at all" * 20)
    pictures.add(path.name, broken / 255, LOSSLESS)


def agrees_with_lcms(name, profile, wide, picture):
    """Checks that Little CMS interprets our profile as we do."""
    seen = ImageCms.profileToProfile(
        Image.fromarray(wide), ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"))
    mean, largest = scaling.difference(floats_of(seen), picture)
    if mean > 0.6 or largest > 6:
        raise SystemExit(f"{name}: Little CMS interprets the profile differently: {mean:.2f}, {largest:.0f} apart")


def greys(pictures):
    grey = chart.chart().mean(axis=2)
    small = chart.chart(with_squares=False).mean(axis=2)
    path = pictures.save("grey.jpg", Image.fromarray(bytes_of(small)), quality=92)
    with Image.open(path) as file:
        held = floats_of(file)[..., None].repeat(3, axis=2)
    pictures.add(path.name, held, LOSSY)
    spread = bytes_of(grey)[..., None].repeat(3, axis=2) / 255
    png.write(pictures.path("grey8.png"), bytes_of(grey))
    pictures.add("grey8.png", spread, LOSSLESS, [as_encoded(spread)])
    deep = np.rint(grey * 65535).astype(int)
    png.write(pictures.path("grey16.png"), deep, bits=16, interlaced=True)
    pictures.add("grey16.png", (deep / 65535)[..., None].repeat(3, axis=2), LOSSLESS)
    few = np.rint(small * 3).astype(int)
    png.write(pictures.path("grey2.png"), few, bits=2)
    pictures.add("grey2.png", (few / 3)[..., None].repeat(3, axis=2), (3, 96))
    profile = icc.grey("A dark grey", 1.5)
    path = pictures.save("grey-profile.png", Image.fromarray(bytes_of(small)), icc_profile=profile)
    held = bytes_of(small)[..., None].repeat(3, axis=2) / 255
    ignored = scaling.thumbnail(held, *scaling.fitted(*held.shape[1::-1], BOX))
    pictures.add(path.name, held, LOSSLESS, [("ignoring the profile", ignored)], to_linear=lambda coded: coded**1.5)
    opacity = chart.alpha()
    both = np.stack([bytes_of(small), bytes_of(opacity)], axis=2)
    png.write(pictures.path("grey-alpha.png"), both)
    pictures.add("grey-alpha.png", both[..., [0, 0, 0, 1]] / 255, LOSSLESS)


def inks(pictures):
    light = chart.chart(with_squares=False)
    black = 1 - light.max(axis=2, keepdims=True)
    ink = np.concatenate([(1 - light - black) / np.maximum(1 - black, 1e-6), black], axis=2)
    image = Image.fromarray(bytes_of(ink), mode="CMYK")
    path = pictures.save("cmyk.jpg", image, quality=95)
    with Image.open(path) as file:
        held = floats_of(file)
    pictures.add(path.name, (1 - held[..., :3]) * (1 - held[..., 3:]), LOSSY)
    profile = icc.cmyk("A printer")
    path = pictures.save("cmyk-profile.jpg", image, quality=95, icc_profile=profile)
    with Image.open(path) as file:
        seen = ImageCms.profileToProfile(
            file, ImageCms.ImageCmsProfile(io.BytesIO(profile)), ImageCms.createProfile("sRGB"),
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC, outputMode="RGB",
            flags=ImageCms.Flags.BLACKPOINTCOMPENSATION)
        held = floats_of(file)
    ignored = (1 - held[..., :3]) * (1 - held[..., 3:])
    ignored = scaling.thumbnail(ignored, *scaling.fitted(*ignored.shape[1::-1], BOX))
    # Programs differ in rendering intents and black points.
    pictures.add(path.name, floats_of(seen), (4, 48), [("ignoring the profile", ignored)])


def lossless(pictures):
    picture = chart.chart()
    deep = np.rint(picture * 65535).astype(int)
    shallow = bytes_of(picture)
    wrong = [as_encoded(shallow / 255)]
    for name, interlaced in (("rgb8", False), ("rgb8-interlaced", True)):
        png.write(pictures.path(f"{name}.png"), shallow, interlaced=interlaced)
        pictures.add(f"{name}.png", shallow / 255, LOSSLESS, wrong)
    for name, interlaced in (("rgb16", False), ("rgb16-interlaced", True)):
        png.write(pictures.path(f"{name}.png"), deep, bits=16, interlaced=interlaced)
        pictures.add(f"{name}.png", deep / 65535, LOSSLESS, wrong)
    path = pictures.save("lossless.webp", Image.fromarray(shallow), lossless=True)
    pictures.add(path.name, shallow / 255, LOSSLESS, wrong)
    tiny = shallow[40:49, 60:73]
    png.write(pictures.path("tiny-interlaced.png"), tiny, interlaced=True)
    pictures.add("tiny-interlaced.png", tiny / 255, (0.5, 2))


def transparent(pictures):
    picture = chart.transparent_chart()
    shallow = bytes_of(picture)
    held = shallow / 255
    size = scaling.fitted(*held.shape[1::-1], BOX)
    wrong = [("scaling without premultiplying", scaling.thumbnail(held, *size, premultiplies=False))]
    for name, interlaced in (("rgba8", False), ("rgba8-interlaced", True)):
        png.write(pictures.path(f"{name}.png"), shallow, interlaced=interlaced)
        pictures.add(f"{name}.png", held, LOSSLESS, wrong)
    deep = np.rint(picture * 65535).astype(int)
    png.write(pictures.path("rgba16.png"), deep, bits=16)
    pictures.add("rgba16.png", deep / 65535, LOSSLESS, wrong)
    path = pictures.save("alpha-lossless.webp", Image.fromarray(shallow), lossless=True, exact=True)
    pictures.add(path.name, held, LOSSLESS, wrong)
    soft = Image.fromarray(bytes_of(chart.transparent_chart(with_squares=False)))
    path = pictures.save("alpha-lossy.webp", soft, quality=90, exact=True)
    with Image.open(path) as file:
        pictures.add(path.name, floats_of(file), LOSSY)
    # One color of an RGB picture is transparent.
    keyed = bytes_of(chart.chart(with_squares=False))
    keyed[:, :60] = (0, 255, 0)
    png.write(pictures.path("colour-key.png"), keyed, transparency=bytes((0, 0, 0, 255, 0, 0)))
    opacity = np.where((keyed == (0, 255, 0)).all(axis=2), 0, 255)[..., None]
    pictures.add("colour-key.png", np.concatenate([keyed, opacity], axis=2) / 255, HARD_EDGES)


def palettes(pictures):
    picture = bytes_of(chart.transparent_chart(with_squares=False))
    for name, count, bits, interlaced in (("palette8", 200, 8, False), ("palette4-interlaced", 16, 4, True)):
        image = Image.fromarray(picture).quantize(count, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        places = np.asarray(image)
        colours = np.array(image.getpalette("RGBA")).reshape(-1, 4)[:count]
        png.write(pictures.path(f"{name}.png"), places, bits=bits, interlaced=interlaced, palette=colours[:, :3],
                  transparency=bytes(colours[:, 3].tolist()))
        pictures.add(f"{name}.png", colours[places] / 255, (3, 96))


def photographs(pictures):
    image = Image.fromarray(bytes_of(chart.chart(with_squares=False)))
    cases = {
        "full-chroma": {"subsampling": 0}, "half-chroma": {"subsampling": 1}, "quarter-chroma": {"subsampling": 2},
        "progressive": {"progressive": True}, "restarts": {"restart_marker_blocks": 3}, "rgb": {"keep_rgb": True},
    }
    for name, options in cases.items():
        path = pictures.save(f"{name}.jpg", image, quality=92, **options)
        with Image.open(path) as file:
            pictures.add(path.name, floats_of(file), LOSSY)
    # The thumbnail has half the size of the picture, so decoding at a fraction may not lose anything.
    path = pictures.save("squares.jpg", Image.fromarray(bytes_of(chart.chart())), quality=95, subsampling=0)
    with Image.open(path) as file:
        held = floats_of(file)
    pictures.add(path.name, held, LOSSY, [as_encoded(held, box=130)], box=130)
    path = pictures.save("lossy.webp", image, quality=90)
    with Image.open(path) as file:
        pictures.add(path.name, floats_of(file), LOSSY)


def animations(pictures):
    first = Image.fromarray(bytes_of(chart.chart(with_squares=False)))
    second = first.transpose(Image.Transpose.ROTATE_180)
    path = pictures.save("animated.webp", first, save_all=True, append_images=[second], lossless=True, duration=100)
    pictures.add(path.name, floats_of(first), LOSSLESS)
    # The steps between the 256 colors of a GIF are sharp, so kernels differ more.
    frames = [each.quantize(256, dither=Image.Dither.NONE) for each in (first, second)]
    path = pictures.save("animated.gif", frames[0], save_all=True, append_images=frames[1:], duration=100)
    with Image.open(path) as file:
        pictures.add(path.name, floats_of(file.convert("RGB")), HARD_EDGES)
    path = pictures.save("interlaced.gif", frames[0], interlace=1)
    with Image.open(path) as file:
        pictures.add(path.name, floats_of(file.convert("RGB")), HARD_EDGES)
    picture = bytes_of(chart.transparent_chart(with_squares=False))
    places = np.asarray(Image.fromarray(picture[..., :3]).quantize(255, dither=Image.Dither.NONE)).copy()
    colours = Image.fromarray(picture[..., :3]).quantize(255, dither=Image.Dither.NONE).getpalette()
    places[picture[..., 3] < 128] = 255
    image = Image.fromarray(places, mode="P")
    image.putpalette((colours + [0] * 768)[:765] + [0, 255, 0])
    path = pictures.save("transparent.gif", image, transparency=255)
    with Image.open(path) as file:
        pictures.add(path.name, floats_of(file.convert("RGBA")), (3, 96))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    pictures = ReferenceSet(folder)
    for part in (orientations, profiles, greys, inks, lossless, transparent, palettes, photographs, animations,
                 phones.heic, phones.avif):
        part(pictures)
    pictures.write()
    animated.animations(folder)
    print(f"{len(pictures.entries)} reference pictures in {folder}", file=sys.stderr)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
