"""The motif of the reference pictures: colors, soft shapes that every rotation or mirroring moves, fine squares."""

import numpy as np

WIDTH, HEIGHT = 260, 180


def chart(with_squares=True):
    """Returns encoded sRGB between 0 and 1.

    The squares are one pixel large. Scaled in linear light, they become light gray (188); scaled as encoded values,
    they become medium gray (128).
    """
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    u, v = x / WIDTH, y / HEIGHT
    picture = np.stack([0.2 + 0.5 * u, 0.25 + 0.4 * v, 0.7 - 0.45 * u * v], axis=2)
    spots = [
        (0.12, 0.18, (0.95, 0.95, 0.95)), (0.86, 0.16, (0.06, 0.05, 0.08)), (0.15, 0.80, (0.90, 0.10, 0.08)),
        (0.38, 0.72, (0.10, 0.75, 0.12)), (0.62, 0.80, (0.08, 0.12, 0.85)), (0.86, 0.55, (0.92, 0.85, 0.10)),
        (0.50, 0.18, (0.85, 0.12, 0.80)), (0.88, 0.86, (0.10, 0.80, 0.85)),
    ]
    for centre_u, centre_v, colour in spots:
        distance = np.hypot((u - centre_u) * 1.44, v - centre_v) / 0.11
        mix = 1 / (1 + np.exp((distance - 1) * 6))
        picture = picture * (1 - mix[..., None]) + np.array(colour) * mix[..., None]
    if with_squares:
        inside = (1 / (1 + np.exp((np.abs(u - 0.36) - 0.10) * 90))) * (1 / (1 + np.exp((np.abs(v - 0.44) - 0.10) * 60)))
        squares = ((x + y) % 2)[..., None].repeat(3, axis=2)
        picture = picture * (1 - inside[..., None]) + squares * inside[..., None]
    return picture


def alpha():
    """Returns alpha that is opaque in the middle and soft toward the edges, with a soft hole."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    u, v = x / WIDTH, y / HEIGHT
    outside = 1 / (1 + np.exp((np.hypot((u - 0.45) * 1.3, v - 0.5) - 0.45) * 25))
    hole = 1 / (1 + np.exp((np.hypot((u - 0.66) * 1.44, v - 0.4) - 0.14) * 40))
    return outside * (1 - hole)


def transparent_chart(with_squares=True):
    """Returns a chart whose transparent pixels are bright green, which must not show, even if every other pixel is."""
    opacity = alpha()
    if with_squares:
        y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
        inside = 1 / (1 + np.exp((np.hypot(x - 90, y - 100) - 30) / 3))
        opacity = opacity * (1 - inside * ((x + y) % 2))
    picture = chart(with_squares=False)
    picture = np.where(opacity[..., None] < 0.1, np.array([0.0, 1.0, 0.0]), picture)
    return np.concatenate([picture, opacity[..., None]], axis=2)
