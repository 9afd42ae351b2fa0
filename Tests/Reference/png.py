"""A PNG writer for the forms that Pillow does not write: interlaced, 16 bits, few bits, transparent colors."""

import struct
import zlib

import numpy as np

# The start and the step of each pass of Adam7: x, y, horizontal step, vertical step.
ADAM7 = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _rows(samples, bits):
    """Returns the rows with the filters 0, 1 and 2 in turn, which a reader must undo."""
    if bits == 16:
        packed = samples.astype(">u2").reshape(len(samples), -1).view(np.uint8)
    elif bits == 8:
        packed = samples.astype(np.uint8).reshape(len(samples), -1)
    else:
        flat = samples.reshape(len(samples), -1)
        spread = ((flat[..., None] >> np.arange(bits - 1, -1, -1)) & 1).reshape(len(samples), -1)
        packed = np.packbits(spread.astype(np.uint8), axis=1)
    channels = samples.shape[2] if samples.ndim == 3 else 1
    reach = max(1, channels * bits // 8)
    out, above = b"", np.zeros_like(packed[0])
    for index, row in enumerate(packed):
        kind = index % 3
        left = np.concatenate([np.zeros(reach, np.uint8), row])[: len(row)]
        out += bytes([kind]) + (row - (left if kind == 1 else above if kind == 2 else 0)).astype(np.uint8).tobytes()
        above = row
    return out


def write(path, samples, bits=8, interlaced=False, palette=None, transparency=None, extra=()):
    """Writes rows of pixels. The shape of `samples` determines their kind: gray, RGB, RGBA or palette indices."""
    height, width = samples.shape[:2]
    channels = samples.shape[2] if samples.ndim == 3 else 1
    colour = 3 if palette is not None else {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    if interlaced:
        data = b"".join(
            _rows(samples[y::down, x::across], bits)
            for x, y, across, down in ADAM7 if x < width and y < height
        )
    else:
        data = _rows(samples, bits)
    file = b"\x89PNG\r\n\x1a\n" + _chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, int(interlaced)))
    for kind, content in extra:
        file += _chunk(kind, content)
    if palette is not None:
        file += _chunk(b"PLTE", palette.astype(np.uint8).tobytes())
    if transparency is not None:
        file += _chunk(b"tRNS", transparency)
    compressed = zlib.compress(data)
    half = len(compressed) // 2  # several IDAT chunks, as the standard allows
    file += _chunk(b"IDAT", compressed[:half]) + _chunk(b"IDAT", compressed[half:]) + _chunk(b"IEND", b"")
    path.write_bytes(file)
