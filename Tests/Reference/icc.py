"""ICC profiles, built byte by byte, so that no files by other authors are needed."""

import struct

import numpy as np

D50 = np.array([0.9642, 1.0, 0.8249])
D65 = (0.3127, 0.3290)
ADOBE_RGB = ((0.64, 0.33), (0.21, 0.71), (0.15, 0.06))
DISPLAY_P3 = ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060))
BT_2020 = ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046))
SRGB = ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06))
ADOBE_GAMMA = 563 / 256


def xyz(chromaticity):
    x, y = chromaticity
    return np.array([x / y, 1, (1 - x - y) / y])


def to_d50(primaries, white=D65):
    """Returns the matrix from linear RGB to XYZ, adapted to D50 with Bradford's method, as ICC profiles require."""
    columns = np.stack([xyz(primary) for primary in primaries], axis=1)
    matrix = columns * np.linalg.solve(columns, xyz(white))
    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    scale = np.diag((bradford @ D50) / (bradford @ xyz(white)))
    return np.linalg.inv(bradford) @ scale @ bradford @ matrix


def _fixed(value):
    return struct.pack(">i", round(float(value) * 65536))


def _xyz_tag(value):
    return b"XYZ \0\0\0\0" + b"".join(_fixed(part) for part in value)


def _gamma(exponent):
    return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(exponent * 256))


def _srgb_curve():
    parameters = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    return b"para\0\0\0\0" + struct.pack(">HH", 3, 0) + b"".join(_fixed(part) for part in parameters)


def _text(words, version):
    plain = words.encode("ascii")
    if version >= 4:
        wide = words.encode("utf-16-be")
        return b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(wide), 28) + wide
    return (
        b"desc\0\0\0\0" + struct.pack(">I", len(plain) + 1) + plain + b"\0" + struct.pack(">IIHB", 0, 0, 0, 0)
        + bytes(67)
    )


def _profile(kind, space, connection, version, tags):
    tags = {b"cprt": _text("No rights reserved", version) if version >= 4 else b"text\0\0\0\0none\0", **tags}
    table, data = b"", b""
    start = 128 + 4 + 12 * len(tags)
    for name, content in tags.items():
        data += bytes(-len(data) % 4)
        table += struct.pack(">4sII", name, start + len(data), len(content))
        data += content
    data += bytes(-len(data) % 4)
    header = struct.pack(
        ">I4xI4s4s4s6H4s4xI8xQI", start + len(data), version << 24, kind, space, connection,
        2026, 1, 1, 0, 0, 0, b"acsp", 0, 0, 0,
    )
    header = header[:68] + b"".join(_fixed(part) for part in D50)
    return header + bytes(128 - len(header)) + struct.pack(">I", len(tags)) + table + data


def rgb(name, primaries, gamma=None):
    """Returns a matrix profile: version 2 with a gamma, or version 4 with sRGB's curve."""
    version = 2 if gamma else 4
    matrix = to_d50(primaries)
    curve = _gamma(gamma) if gamma else _srgb_curve()
    tags = {b"desc": _text(name, version), b"wtpt": _xyz_tag(D50)}
    for index, letter in enumerate((b"r", b"g", b"b")):
        tags[letter + b"XYZ"] = _xyz_tag(matrix[:, index])
        tags[letter + b"TRC"] = curve
    return _profile(b"mntr", b"RGB ", b"XYZ ", version, tags)


def grey(name, gamma):
    tags = {b"desc": _text(name, 2), b"wtpt": _xyz_tag(D50), b"kTRC": _gamma(gamma)}
    return _profile(b"mntr", b"GRAY", b"XYZ ", 2, tags)


def cmyk(name, points=9):
    """Returns the profile of a fictitious printer, as a table from CMYK to Lab: each ink absorbs part of each light."""
    steps = np.linspace(0, 1, points)
    c, m, y, k = np.meshgrid(steps, steps, steps, steps, indexing="ij")
    through = {"c": (0.95, 0.45, 0.15), "m": (0.25, 0.85, 0.45), "y": (0.05, 0.12, 0.85), "k": (0.93, 0.93, 0.93)}
    light = np.ones(c.shape + (3,))
    for ink, absorbed in zip((c, m, y, k), through.values()):
        light = light * (1 - ink[..., None] * np.array(absorbed))
    relative = (light @ to_d50(SRGB).T) / D50
    root = np.where(relative > 216 / 24389, np.cbrt(relative), (24389 / 27 * relative + 16) / 116)
    lab = np.stack(
        [116 * root[..., 1] - 16, 500 * (root[..., 0] - root[..., 1]), 200 * (root[..., 1] - root[..., 2])], axis=-1
    )
    coded = np.stack([lab[..., 0] * 652.8, (lab[..., 1] + 128) * 256, (lab[..., 2] + 128) * 256], axis=-1)
    cells = np.clip(np.rint(coded), 0, 65535).astype(">u2").tobytes()
    line = struct.pack(">HH", 0, 65535)
    identity = b"".join(_fixed(part) for part in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    table = (
        b"mft2\0\0\0\0" + struct.pack(">BBBx", 4, 3, points) + identity + struct.pack(">HH", 2, 2)
        + line * 4 + cells + line * 3
    )
    tags = {b"desc": _text(name, 2), b"wtpt": _xyz_tag(D50), b"A2B0": table}
    return _profile(b"prtr", b"CMYK", b"Lab ", 2, tags)
