"""The reference pictures that phones and cameras make: HEIC and AVIF.

The pixels are those that libheif (heif-convert) decodes. It is independent of the container parser under test, but for
HEVC it uses the same library to decode a tile.
"""

import numpy as np
from PIL import Image

import chart
import heif
import icc
import png
import scaling

LOSSY = (2.0, 36)
# At full size, libheif repeats chroma samples, and a better decoder interpolates them.
FULL_SIZE = (2.5, 60)
FULL_BOX = chart.WIDTH


def bytes_of(pixels):
    return np.rint(np.clip(pixels, 0, 1) * 255).astype(np.uint8)


def floats_of(image):
    return np.asarray(image.convert("RGBA" if image.mode in ("RGBA", "LA") else "RGB")).astype(float) / 255


def add(pictures, name, data, upright=None, tolerance=LOSSY, **options):
    """Adds a file. `upright` is the picture that was encoded; libheif has to agree with it."""
    path = pictures.path(name)
    path.write_bytes(data)
    seen = floats_of(heif.decode(path))
    if upright is not None:
        mean, largest = scaling.difference(seen, upright)
        if seen.shape != upright.shape or mean > 4:
            raise SystemExit(f"{name}: libheif decodes another picture: {mean:.2f}, {largest:.0f} apart")
    pictures.add(name, seen, tolerance, **options)


def codings(pictures, kind, cases):
    picture = chart.chart(with_squares=False)
    image = Image.fromarray(bytes_of(picture))
    for name, options in cases.items():
        data = heif.encode(image, kind, *options)
        add(pictures, f"{name}.{kind}", data, picture, FULL_SIZE, box=FULL_BOX)
    grey = picture.mean(axis=2)
    data = heif.encode(Image.fromarray(bytes_of(grey)), kind, *(("-y", "400") if kind == "avif" else ("-q", "90")))
    add(pictures, f"grey.{kind}", data, grey[..., None].repeat(3, axis=2))


def deep(pictures, kind, depths):
    """Pictures with more than 8 bits, encoded from 16."""
    picture = chart.chart(with_squares=False)
    source = pictures.path("deep-source.png")
    png.write(source, np.rint(picture * 65535).astype(int), bits=16)
    for bits in depths:
        options = ("-q", "90", "-b", str(bits)) if kind == "heic" else ("-d", str(bits))
        data = heif.encode(source, kind, *options)
        path = pictures.path(f"deep-{bits}.{kind}")
        path.write_bytes(data)
        pictures.add(path.name, picture, FULL_SIZE, box=FULL_BOX)
    source.unlink()


def transparent(pictures, kind):
    soft = chart.transparent_chart(with_squares=False)
    image = Image.fromarray(bytes_of(soft))
    quality = ("-q", "92") if kind == "heic" else ()
    add(pictures, f"alpha.{kind}", heif.encode(image, kind, *quality))


def turned(pictures, kind):
    """All orientations, as a rotation and then a mirroring."""
    upright = Image.fromarray(bytes_of(chart.chart(with_squares=False)))
    # To store a picture: undo the mirroring, then undo the rotation.
    for turns in range(4):
        for mirror in (None, False, True):
            if mirror is not None and turns > 1:
                continue
            stored = upright
            if mirror is not None:
                flip = Image.Transpose.FLIP_LEFT_RIGHT if mirror else Image.Transpose.FLIP_TOP_BOTTOM
                stored = stored.transpose(flip)
            stored = stored.rotate(-90 * turns, expand=True)
            coded = heif.Coded(heif.encode(stored, kind, *(("-q", "90") if kind == "heic" else ())))
            properties = [*coded.needed, heif.size(*stored.size)]
            if turns:
                properties.append(heif.rotation(turns))
            if mirror is not None:
                properties.append(heif.mirroring(mirror))
            writer = heif.Writer(kind)
            writer.add(coded.kind, coded.data, properties)
            name = f"turned-{turns}" + ("" if mirror is None else "-sides" if mirror else "-ends")
            add(pictures, f"{name}.{kind}", writer.bytes(), floats_of(upright))


def phone(pictures, kind):
    """A picture of an iPhone's structure: tiles, a rotation, a wide profile, Exif data that must be ignored."""
    picture = chart.chart(with_squares=False)
    from_srgb = np.linalg.inv(icc.to_d50(icc.DISPLAY_P3)) @ icc.to_d50(icc.SRGB)
    wide = Image.fromarray(bytes_of(scaling.encoded(np.clip(scaling.linear(picture) @ from_srgb.T, 0, 1))))
    exif = Image.Exif()
    exif[0x0112] = 6
    quality = ("-q", "90") if kind == "heic" else ()
    stored = wide.transpose(Image.Transpose.ROTATE_90)
    data = heif.grid(
        stored, 96, kind, quality, exif=exif.tobytes()[6:], thumbnail=True,
        properties=[heif.profile(icc.rgb("A wide display", icc.DISPLAY_P3)), heif.rotation(3)])
    path = pictures.path(f"phone.{kind}")
    path.write_bytes(data)
    held = floats_of(heif.decode(path))
    mean, _ = scaling.difference(held, floats_of(wide))
    if mean > 4:
        raise SystemExit(f"{path.name}: libheif decodes another picture: {mean:.2f} apart")
    ignored = scaling.thumbnail(held, *scaling.fitted(*held.shape[1::-1], 96))
    pictures.add(path.name, held, LOSSY, [("ignoring the profile", ignored)], matrix=np.linalg.inv(from_srgb))
    data = heif.grid(Image.fromarray(bytes_of(picture)), 64, kind, quality, mdat_first=True)
    add(pictures, f"grid-data-first.{kind}", data, picture)


def heic(pictures):
    quality = ("-q", "90")
    codings(pictures, "heic", {
        "chroma-420": quality, "chroma-422": (*quality, "-p", "chroma=422"), "chroma-444": (*quality, "-p", "chroma=444"),
        "limited-709": (*quality, "--full_range_flag", "0", "--matrix_coefficients", "1"),
        "matrix-2020": (*quality, "--matrix_coefficients", "9"),
        "identity": ("-L", "-p", "chroma=444", "--matrix_coefficients", "0"),
    })
    deep(pictures, "heic", (10, 12))
    transparent(pictures, "heic")
    turned(pictures, "heic")
    phone(pictures, "heic")


def avif(pictures):
    codings(pictures, "avif", {
        "chroma-420": ("-y", "420"), "chroma-422": ("-y", "422"), "chroma-444": ("-y", "444"),
        "limited-709": ("-r", "limited", "--cicp", "1/13/1"), "matrix-2020": ("--cicp", "1/13/9"),
        "identity": ("-l",),
    })
    deep(pictures, "avif", (10, 12))
    transparent(pictures, "avif")
    soft = Image.fromarray(bytes_of(chart.transparent_chart(with_squares=False)))
    data = heif.encode(soft, "avif", "-p")
    path = pictures.path("premultiplied.avif")
    path.write_bytes(data)
    pictures.add(path.name, floats_of(soft), LOSSY)
    turned(pictures, "avif")
    phone(pictures, "avif")
    wide_colours(pictures)
    sequence(pictures)


def sequence(pictures):
    """A sequence, whose first frame is also its still image."""
    picture = chart.chart(with_squares=False)
    frames = [pictures.path(f"frame-{number}.png") for number in (1, 2)]
    Image.fromarray(bytes_of(picture)).save(frames[0])
    Image.fromarray(bytes_of(picture[::-1, ::-1])).save(frames[1])
    path = pictures.path("sequence.avif")
    heif.run("avifenc", "-s", "8", *frames, path)
    for frame in frames:
        frame.unlink()
    pictures.add(path.name, picture, LOSSY)


def wide_colours(pictures):
    """Colours that are declared as numbers, and HDR."""
    picture = chart.chart(with_squares=False)
    light = scaling.linear(picture)
    cases = (
        ("numbers-p3", "12/13/6", icc.DISPLAY_P3, scaling.encoded, 8),
        ("numbers-gamma", "1/5/6", icc.SRGB, lambda linear: linear ** (1 / 2.8), 8),
        ("pq", "9/16/9", icc.BT_2020, pq_encoded, 10), ("hlg", "9/18/9", icc.BT_2020, hlg_encoded, 10),
    )
    for name, numbers, primaries, encoded, bits in cases:
        from_srgb = np.linalg.inv(icc.to_d50(primaries)) @ icc.to_d50(icc.SRGB)
        scene = np.clip(light @ from_srgb.T, 0, 1)
        source = pictures.path("wide-source.png")
        png.write(source, np.rint(encoded(scene) * 65535).astype(int), bits=16)
        data = heif.encode(source, "avif", "-d", str(bits), "-y", "444", "--min", "0", "--max", "8", "--cicp", numbers)
        source.unlink()
        path = pictures.path(f"{name}.avif")
        path.write_bytes(data)
        if bits == 8:
            expected = picture
        else:
            expected = scaling.encoded(np.clip(compressed(scene) @ np.linalg.inv(from_srgb).T, 0, 1))
        ignored = scaling.thumbnail(np.clip(encoded(scene), 0, 1), *scaling.fitted(*picture.shape[1::-1], 96))
        pictures.add(path.name, expected, LOSSY, [("ignoring the colors", ignored)])


# Light where 1 is the white of SDR, 203 cd/m2, as SMPTE ST 2084 and ITU-R BT.2100 encode it.

def pq_encoded(light):
    power = (light * 203 / 10000) ** 0.1593017578125
    return ((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power)) ** 78.84375


def hlg_encoded(light):
    scene = (light * 203 / 1000) ** (1 / 1.2)
    bright = 0.17883277 * np.log(np.maximum(12 * scene - 0.28466892, 1e-9)) + 0.55991073
    return np.where(scene <= 1 / 12, np.sqrt(3 * scene), bright)


def compressed(light):
    """The tone mapping of RetrieverImages: see docs/heif.md."""
    bright = (light - 0.75) / 0.25
    largest = (1000 / 203 - 0.75) / 0.25
    return np.where(light > 0.75, 0.75 + 0.25 * bright * (1 + bright / largest**2) / (1 + bright), light)
