"""Icons of the in-engine interfaces, drawn by us: polygons on a unit square, one catalog per style set, none in both."""

from __future__ import annotations

import math

from PIL import Image, ImageDraw

from g2w.footage.art import INK, THEMES, Color, blank, set_of

Points = tuple[tuple[float, float], ...]


def _regular(sides: int, turn: float, inner: float | None = None) -> Points:
    """A regular polygon, or a star when `inner` (the radius of its notches) is given."""
    count = sides if inner is None else 2 * sides
    radii = [0.47 if inner is None or k % 2 == 0 else inner for k in range(count)]
    return tuple(
        (0.5 + r * math.cos(turn + math.tau * k / count), 0.5 + r * math.sin(turn + math.tau * k / count))
        for k, r in enumerate(radii)
    )


ICONS: dict[str, dict[str, tuple[Points, ...]]] = {
    "a": {
        "health": (((.5, .95), (.05, .5), (.05, .28), (.2, .12), (.38, .14), (.5, .3), (.62, .14), (.8, .12), (.95, .28), (.95, .5)),),
        "armor": (((.5, .04), (.92, .18), (.86, .62), (.5, .97), (.14, .62), (.08, .18)),),
        "ammo": (((.1, .95), (.1, .4), (.22, .1), (.34, .4), (.34, .95)), ((.4, .95), (.4, .4), (.52, .1), (.64, .4), (.64, .95)),
                 ((.7, .95), (.7, .4), (.82, .1), (.94, .4), (.94, .95))),
        "potion": (((.4, .05), (.6, .05), (.6, .35), (.92, .8), (.8, .95), (.2, .95), (.08, .8), (.4, .35)),),
        "star": (_regular(5, -math.pi / 2, 0.2),),
        "sword": (((.86, .05), (.95, .14), (.47, .63), (.57, .73), (.47, .83), (.37, .73), (.16, .95), (.05, .84), (.27, .63), (.17, .53),
                   (.27, .43), (.37, .53)),),
        "leaf": (((.08, .92), (.2, .4), (.55, .1), (.92, .08), (.9, .45), (.6, .8), (.25, .82)),),
        "gun": (((.02, .3), (.7, .3), (.72, .22), (.98, .22), (.98, .42), (.7, .42), (.62, .55), (.44, .55), (.38, .8), (.24, .8), (.28, .5), (.02, .66)),),
        "face": (_regular(14, 0.0), ((.3, .36), (.42, .36), (.42, .5), (.3, .5)), ((.58, .36), (.7, .36), (.7, .5), (.58, .5))),
    },
    "b": {
        "health": (((.36, .05), (.64, .05), (.64, .36), (.95, .36), (.95, .64), (.64, .64), (.64, .95), (.36, .95), (.36, .64), (.05, .64),
                    (.05, .36), (.36, .36)),),
        "armor": (_regular(6, 0.0),),
        "ammo": (((.05, .1), (.7, .1), (.95, .22), (.7, .34), (.05, .34)), ((.05, .6), (.7, .6), (.95, .72), (.7, .84), (.05, .84))),
        "bolt": (((.6, .02), (.2, .55), (.46, .55), (.36, .98), (.82, .4), (.54, .4)),),
        "cell": (((.25, .15), (.4, .15), (.4, .04), (.6, .04), (.6, .15), (.75, .15), (.75, .96), (.25, .96)),),
        "chip": (((.2, .2), (.8, .2), (.8, .8), (.2, .8)), ((.0, .3), (.14, .3), (.14, .4), (.0, .4)), ((.0, .6), (.14, .6), (.14, .7), (.0, .7)),
                 ((.86, .3), (1., .3), (1., .4), (.86, .4)), ((.86, .6), (1., .6), (1., .7), (.86, .7))),
        "wedge": (((.05, .9), (.5, .08), (.95, .9), (.5, .66)),),
        "gun": (((.02, .2), (.92, .2), (.98, .3), (.98, .4), (.5, .42), (.46, .6), (.3, .6), (.26, .95), (.06, .95), (.12, .42), (.02, .4)),),
        "face": (_regular(6, math.pi / 2), ((.2, .4), (.8, .4), (.7, .56), (.3, .56))),
    },
}


def icon(style: str, name: str, width: int, height: int | None = None, color: Color | None = None) -> Image.Image:
    """An icon of the style's set, `width` x `height` pixels; further polygons of a face are cut out of the first."""
    height = height or width
    image = blank(width, height)
    draw, theme = ImageDraw.Draw(image), THEMES[style]
    for index, points in enumerate(ICONS[set_of(style)][name]):
        hole = name == "face" and index > 0
        fill = INK if hole else color or theme.text
        draw.polygon([(x * (width - 1), y * (height - 1)) for x, y in points], fill=fill, outline=INK)
    return image


def icon_names(style: str) -> tuple[str, ...]:
    """Names a style can draw."""
    return tuple(ICONS[set_of(style)])
