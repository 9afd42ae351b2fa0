"""Repeatedly makes a thumbnail of a picture in memory with libvips or Pillow.

    thumbnail.py libvips|libvips-linear|pillow FILE SECONDS SIZE
    thumbnail.py libvips|libvips-linear|pillow FILE --output FOLDER SIZE

Prints one line of JSON. With --output, it does not measure: it writes the encoded thumbnail to thumbnail.jpg, and the
pixels before encoding to thumbnail.ppm.
"""

import io
import json
import pathlib
import resource
import sys
import time

QUALITY = 80


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def libvips(data, size, linear):
    import pyvips

    # Without this, libvips would return the second image of the same bytes from its cache.
    pyvips.cache_set_max(0)

    def scale():
        return pyvips.Image.thumbnail_buffer(data, size, height=size, size="down", linear=linear)

    def save(image, path):
        header = f"P6\n{image.width} {image.height}\n255\n".encode()
        pathlib.Path(path).write_bytes(header + image.write_to_memory())

    return scale, lambda image: image.jpegsave_buffer(Q=QUALITY, strip=True), save


def pillow(data, size):
    from PIL import Image

    def scale():
        image = Image.open(io.BytesIO(data))
        # For a JPEG, Pillow uses scaled decoding automatically.
        image.thumbnail((size, size))
        return image

    def encode(image):
        out = io.BytesIO()
        image.save(out, "JPEG", quality=QUALITY)
        return out.getvalue()

    return scale, encode, lambda image, path: image.save(path)


def main(peer, file, seconds, *rest):
    data = pathlib.Path(file).read_bytes()
    size = int(rest[-1])
    scale, encode, save = pillow(data, size) if peer == "pillow" else libvips(data, size, peer == "libvips-linear")
    if seconds == "--output":
        folder = pathlib.Path(rest[0])
        (folder / "thumbnail.jpg").write_bytes(encode(scale()))
        save(scale(), str(folder / "thumbnail.ppm"))
        print(json.dumps({"requests": 1, "seconds": 0, "bytes": 0}))
        return
    encode(scale())
    count, size, started, used = 0, 0, time.monotonic(), processor_seconds()
    while time.monotonic() - started < float(seconds):
        size += len(encode(scale()))
        count += 1
    used = processor_seconds() - used
    print(json.dumps({
        "requests": count, "seconds": time.monotonic() - started, "bytes": size, "cpu_seconds": used}))


if __name__ == "__main__":
    main(*sys.argv[1:])
