"""Animations and their frames as Pillow and libwebp show them: animations(FOLDER) writes them and animations.json."""

import json

import numpy as np
from PIL import Image, ImageDraw

SIZE = (48, 36)


def drawn(step, mode="RGBA"):
    """A shape that moves, over transparency."""
    image = Image.new("RGBA", SIZE)
    draw = ImageDraw.Draw(image)
    draw.rectangle((3 + 4 * step, 5 + 2 * step, 15 + 4 * step, 17 + 2 * step), fill=(220, 40 * step % 256, 30, 255))
    draw.ellipse((30 - 3 * step, 8, 41 - 3 * step, 25), fill=(20, 90, 200 - 20 * step, 255 if mode == "P" else 120))
    return image


def palettes(frames):
    """The frames with one palette, whose color 255 is transparent."""
    result = []
    for frame in frames:
        colours = frame.convert("RGB").quantize(200, dither=Image.Dither.NONE)
        indices = np.asarray(colours).copy()
        indices[np.asarray(frame)[..., 3] == 0] = 255
        image = Image.fromarray(indices, mode="P")
        image.putpalette((colours.getpalette() + [0] * 768)[:768])
        result.append(image)
    return result


def shown(path):
    """Returns the frames of a file as Pillow shows them, with their durations."""
    frames, durations = [], []
    with Image.open(path) as file:
        for index in range(getattr(file, "n_frames", 1)):
            file.seek(index)
            file.load()
            durations.append(int(file.info.get("duration", 0)))
            frames.append(np.asarray(file.convert("RGBA")))
    return frames, durations


def animations(folder):
    entries = []

    def add(name, loops, tolerance):
        frames, durations = shown(folder / name)
        (folder / f"{name}.frames").write_bytes(b"".join(frame.tobytes() for frame in frames))
        height, width = frames[0].shape[:2]
        entries.append(
            {"file": name, "width": width, "height": height, "durations": durations, "loopCount": loops,
             "tolerance": tolerance}
        )

    frames = [drawn(step) for step in range(6)]
    indexed = palettes([drawn(step, "P") for step in range(6)])
    opaque = [Image.alpha_composite(Image.new("RGBA", SIZE, (250, 240, 200, 255)), frame) for frame in frames]
    for name, disposal in (("keep", 1), ("clear", 2), ("restore", 3), ("mixed", [1, 3, 2, 1, 3, 2])):
        path = folder / f"frames-{name}.gif"
        indexed[0].save(
            path, save_all=True, append_images=indexed[1:], disposal=disposal, transparency=255, loop=2,
            duration=[40, 100, 250, 20, 70, 90])
        add(path.name, 3, 0)
    # Without transparency, and with frames that cover only the changed rectangle.
    path = folder / "frames-opaque.gif"
    opaque[0].convert("RGB").save(
        path, save_all=True, append_images=[each.convert("RGB") for each in opaque[1:]], loop=0, duration=60)
    add(path.name, 0, 0)
    path = folder / "frames-once.gif"
    opaque[0].convert("RGB").save(
        path, save_all=True, append_images=[each.convert("RGB") for each in opaque[1:3]], duration=60)
    add(path.name, 1, 0)
    for name, options in (("lossless", {"lossless": True}), ("lossy", {"quality": 80})):
        path = folder / f"frames-{name}.webp"
        frames[0].save(
            path, save_all=True, append_images=frames[1:], loop=4, duration=[40, 100, 250, 20, 70, 90],
            minimize_size=True, **options)
        add(path.name, 4, 1)
    path = folder / "frames-mixed.webp"
    opaque[0].save(
        path, save_all=True, append_images=opaque[1:], loop=0, duration=60, allow_mixed=True, kmin=3, kmax=5)
    add(path.name, 0, 1)
    (folder / "animations.json").write_text(json.dumps(entries, indent=1))
