"""The reference implementation of thumbnails: simple and slow, in floating point and linear light."""

import numpy as np


def linear(encoded):
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def encoded(linear_light):
    light = np.clip(linear_light, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def lanczos(x, lobes=3):
    return np.where(np.abs(x) < lobes, np.sinc(x) * np.sinc(x / lobes), 0)


def mitchell(x):
    x = np.abs(x)
    near = (7 * x**3 - 12 * x**2 + 16 / 3) / 6
    far = (-7 / 3 * x**3 + 12 * x**2 - 20 * x + 32 / 3) / 6
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def box(x):
    return np.where((x >= -0.5) & (x < 0.5), 1.0, 0.0)


def weights(source, target, kernel):
    ratio = source / target
    stretch = max(1, ratio)
    centres = (np.arange(target) + 0.5) * ratio
    matrix = kernel((np.arange(source)[None, :] + 0.5 - centres[:, None]) / stretch)
    return matrix / matrix.sum(axis=1, keepdims=True)


def scaled(pixels, width, height, kernel=lanczos):
    down = weights(pixels.shape[0], height, kernel)
    across = weights(pixels.shape[1], width, kernel)
    return np.einsum("ys,sxc->yxc", down, np.einsum("xs,ysc->yxc", across, pixels))


def thumbnail(pixels, width, height, to_linear=linear, matrix=None, kernel=lanczos, premultiplies=True):
    """Scales encoded samples between 0 and 1 (RGB or straight RGBA) and returns encoded sRGB."""
    light = to_linear(pixels[..., :3])
    if pixels.shape[2] == 3:
        small = scaled(light, width, height, kernel)
        return encoded(small if matrix is None else small @ matrix.T)
    alpha = pixels[..., 3:]
    if not premultiplies:
        return np.concatenate(
            [encoded(scaled(light, width, height, kernel)), scaled(alpha, width, height, kernel)], axis=2)
    small = scaled(np.concatenate([light * alpha, alpha], axis=2), width, height, kernel)
    opacity = np.clip(small[..., 3:], 0, 1)
    colour = np.where(opacity > 0, small[..., :3] / np.maximum(opacity, 1e-9), 0)
    return np.concatenate([encoded(colour if matrix is None else colour @ matrix.T), opacity], axis=2)


def fitted(width, height, box_size):
    scale = min(1, box_size / width, box_size / height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def difference(first, second):
    """Returns the mean and largest difference in units of 1/255. Weights colors by their opacity, as the test does."""
    first, second = (np.rint(np.clip(each, 0, 1) * 255) for each in (first, second))
    if first.shape[2] == 4:
        first, second = (
            np.concatenate([each[..., :3] * each[..., 3:] / 255, each[..., 3:]], axis=2) for each in (first, second))
    apart = np.abs(first - second)
    return float(apart.mean()), float(apart.max())
