"""Color difference as the eye sees it: sRGB to CIELAB (D65) and CIEDE2000."""

from __future__ import annotations

import numpy as np

_TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
_WHITE = _TO_XYZ.sum(axis=1)
_EPSILON, _KAPPA = 216 / 24389, 24389 / 27
_25_TO_7 = 25.0**7


def rgb_to_lab(rgb: np.ndarray) -> np.ndarray:
    """CIELAB of sRGB values in 0..255, any shape ending in 3; float64 of the same shape."""
    v = np.asarray(rgb, np.float64) / 255
    linear = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    xyz = linear @ _TO_XYZ.T / _WHITE
    f = np.where(xyz > _EPSILON, np.cbrt(xyz), (_KAPPA * xyz + 16) / 116)
    x, y, z = f[..., 0], f[..., 1], f[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def ciede2000(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """CIEDE2000 difference of two CIELAB arrays (..., 3); 1 is about the smallest difference one sees (Sharma 2005)."""
    l1, a1, b1 = np.moveaxis(first, -1, 0)
    l2, a2, b2 = np.moveaxis(second, -1, 0)
    c_mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 1.5 - 0.5 * np.sqrt(c_mean**7 / (c_mean**7 + _25_TO_7))
    c1, c2 = np.hypot(g * a1, b1), np.hypot(g * a2, b2)
    h1, h2 = np.arctan2(b1, g * a1) % (2 * np.pi), np.arctan2(b2, g * a2) % (2 * np.pi)
    colored = c1 * c2 > 0
    turn = (h2 - h1 + np.pi) % (2 * np.pi) - np.pi
    d_hue = np.where(colored, 2 * np.sqrt(c1 * c2) * np.sin(turn / 2), 0.0)
    # With one gray partner its hue means nothing: the sum is the other one's hue.
    hue = np.where(colored, h1 + turn / 2, h1 + h2)
    c_bar, l_bar = (c1 + c2) / 2, (l1 + l2) / 2
    t = (
        1
        - 0.17 * np.cos(hue - np.pi / 6)
        + 0.24 * np.cos(2 * hue)
        + 0.32 * np.cos(3 * hue + np.radians(6))
        - 0.20 * np.cos(4 * hue - np.radians(63))
    )
    s_l = 1 + 0.015 * (l_bar - 50) ** 2 / np.sqrt(20 + (l_bar - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c_bar, 1 + 0.015 * c_bar * t
    theta = np.radians(30) * np.exp(-(((np.degrees(hue) % 360 - 275) / 25) ** 2))
    r_t = -2 * np.sqrt(c_bar**7 / (c_bar**7 + _25_TO_7)) * np.sin(2 * theta)
    light, c, h = (l2 - l1) / s_l, (c2 - c1) / s_c, d_hue / s_h
    return np.sqrt(np.maximum(light * light + c * c + h * h + r_t * c * h, 0.0))
