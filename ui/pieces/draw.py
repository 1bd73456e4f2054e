#!/usr/bin/env python3
"""Draws the piece sets of the board as SVG sprites.

    python3 ui/pieces/draw.py [--font NotoSerifCJK-Bold.ttc] [--brush FOLDER] [--out ui/src/pieces]

The bodies are ours; the characters are outlines of Noto Serif CJK JP Bold and, of the brush set, of Yuji
Boku (both SIL Open Font License 1.1, see ui/public/NOTICES.txt), taken here once so that neither the page nor
the build needs a font. Needs fontTools, Debian's fonts-noto-cjk, and for --brush the folder of WOFF files of the
npm package @fontsource/yuji-boku; a set whose font is not there is left as it is. What it writes is committed; run it
again only to change the look.

A sprite is one row of fifteen cells, in the order of KINDS; ui/src/board/pieces.css picks a cell by
its position. Deliberately absent: colours of the two sides (White's pieces are turned by CSS).
"""

import argparse
from pathlib import Path

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection, TTFont

# (name, two characters, one character, Western letter, promoted, size of the body)
KINDS = [
    ("pawn", "歩兵", "歩", "P", False, 0.80),
    ("lance", "香車", "香", "L", False, 0.86),
    ("knight", "桂馬", "桂", "N", False, 0.86),
    ("silver", "銀将", "銀", "S", False, 0.92),
    ("gold", "金将", "金", "G", False, 0.92),
    ("bishop", "角行", "角", "B", False, 0.97),
    ("rook", "飛車", "飛", "R", False, 0.97),
    ("king", "王将", "王", "K", False, 1.0),
    ("tokin", "と金", "と", "P", True, 0.80),
    ("promotedlance", "成香", "杏", "L", True, 0.86),
    ("promotedknight", "成桂", "圭", "N", True, 0.86),
    ("promotedsilver", "成銀", "全", "S", True, 0.92),
    ("horse", "龍馬", "馬", "B", True, 0.97),
    ("dragon", "龍王", "龍", "R", True, 0.97),
    ("gyoku", "玉将", "玉", "K", False, 1.0),
]

CELL_W, CELL_H = 110, 120
GOLD = "n ne nw e w s"
# Steps of each kind for the Western set, and the directions it slides in.
STEPS = {
    "pawn": "n", "lance": "", "knight": "jl jr", "silver": "n ne nw se sw", "gold": GOLD,
    "bishop": "", "rook": "", "king": GOLD + " se sw", "tokin": GOLD, "promotedlance": GOLD,
    "promotedknight": GOLD, "promotedsilver": GOLD, "horse": "n e w s",
    "dragon": "ne nw se sw", "gyoku": GOLD + " se sw",
}
SLIDES = {
    "lance": "n", "bishop": "ne nw se sw", "rook": "n e w s", "horse": "ne nw se sw",
    "dragon": "n e w s",
}
COMPASS = {
    "n": (0, -1), "s": (0, 1), "e": (1, 0), "w": (-1, 0), "ne": (1, -1), "nw": (-1, -1),
    "se": (1, 1), "sw": (-1, 1),
}


class Characters:
    """Outlines of one font as SVG path data."""

    def __init__(self, path):
        if Path(path).is_dir():
            fonts = [TTFont(file) for file in sorted(Path(path).glob("*.woff"))]
        else:
            fonts = [f for f in TTCollection(path).fonts if "JP" in f["name"].getDebugName(1)][:1]
        # A font that comes in parts has each character in one of them.
        self.parts = [(f.getGlyphSet(), f.getBestCmap()) for f in fonts]

    def path(self, character, left, top, width, height):
        """The character stretched to fill a box, so that strokes reach the same edges."""
        glyphs, names = next(part for part in self.parts if ord(character) in part[1])
        glyph = glyphs[names[ord(character)]]
        bounds = BoundsPen(glyphs)
        glyph.draw(bounds)
        x0, y0, x1, y1 = bounds.bounds
        sx = min(width / (x1 - x0), 1.25 * height / (y1 - y0))
        sy = min(height / (y1 - y0), 1.25 * sx)
        dx = left + (width - sx * (x1 - x0)) / 2 - sx * x0
        dy = top + (height - sy * (y1 - y0)) / 2 + sy * y1
        pen = SVGPathPen(glyphs, ntos=short)
        glyph.draw(TransformPen(pen, (sx, 0, 0, -sy, dx, dy)))
        return pen.getCommands()


def short(value):
    text = f"{value:.1f}".rstrip("0").rstrip(".")
    text = "0" if text in ("-0", "") else text
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def body(size):
    """A five-sided piece, point up, near the middle of its cell."""
    w, h = 98 * size, 108 * size
    x, bottom = CELL_W / 2, 115 - 0.42 * (108 - h)
    top = bottom - h
    points = [(0, top), (0.33 * w, top + 0.13 * h), (0.5 * w, bottom), (-0.5 * w, bottom),
              (-0.33 * w, top + 0.13 * h)]
    return "M" + "L".join(f"{short(x + px)} {short(py)}" for px, py in points) + "Z", top, w, h


def two_characters(font, kind, top, w, h):
    upper, lower = kind[1]
    box = 0.52 * w
    left = CELL_W / 2 - box / 2
    half = 0.37 * h
    return (font.path(upper, left, top + 0.16 * h, box, half)
            + font.path(lower, left, top + 0.575 * h, box, half))


def one_character(font, kind, top, w, h):
    box_w, box_h = 0.64 * w, 0.62 * h
    return font.path(kind[2], CELL_W / 2 - box_w / 2, top + 0.26 * h, box_w, box_h)


def letter(font, kind, top, w, h):
    size = 0.4 * h
    return font.path(kind[3], CELL_W / 2 - 0.25 * w, top + 0.56 * h - size / 2, 0.5 * w, size)


def moves(kind, top, w, h):
    """Small marks round the letter: a dot for a step, a bar for a slide, a hook for the jump."""
    cx, cy = CELL_W / 2, top + 0.56 * h
    rx, ry = 0.33 * w, 0.33 * h
    out = []
    for name in STEPS[kind[0]].split():
        if name in COMPASS:
            dx, dy = COMPASS[name]
            shrink = 0.8 if name in ("ne", "nw") else 1
            x, y = cx + shrink * dx * rx, cy + dy * ry
            out.append(f"M{short(x - 2.6)} {short(y)}a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0Z")
        else:
            side = -1 if name == "jl" else 1
            x, y = cx + side * 0.17 * w, cy - ry - 2
            out.append(f"M{short(x - 4)} {short(y + 5)}L{short(x + side * 2)} {short(y - 6)}"
                       f"L{short(x + 4)} {short(y + 5)}Z")
    for name in SLIDES.get(kind[0], "").split():
        dx, dy = COMPASS[name]
        shrink = 0.8 if name in ("ne", "nw") else 1
        x, y = cx + shrink * dx * rx, cy + dy * ry
        length = (dx * dx + dy * dy) ** 0.5
        ux, uy = dx / length, dy / length
        px, py = -uy, ux
        corners = [(x + 6 * ux, y + 6 * uy), (x - 4 * ux + 4.4 * px, y - 4 * uy + 4.4 * py),
                   (x - 4 * ux - 4.4 * px, y - 4 * uy - 4.4 * py)]
        out.append("M" + "L".join(f"{short(a)} {short(b)}" for a, b in corners) + "Z")
    return "".join(out)


def sprite(draw):
    width = CELL_W * len(KINDS)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {CELL_H}"'
        f' width="{width}" height="{CELL_H}" preserveAspectRatio="none">',
        '<defs><linearGradient id="w" x2="1" y2="1"><stop stop-color="#fbe6b4"/>'
        '<stop offset=".55" stop-color="#efcb85"/><stop offset="1" stop-color="#d9a957"/>'
        "</linearGradient></defs>",
    ]
    for index, kind in enumerate(KINDS):
        outline, top, w, h = body(kind[5])
        ink = "#b3151f" if kind[4] else "#1c140c"
        lines.append(
            f'<g transform="translate({index * CELL_W})">'
            f'<path d="{outline}" transform="translate(1.6 2.4)" fill="#000" opacity=".28"/>'
            f'<path d="{outline}" fill="url(#w)" stroke="#7a5423" stroke-width="1.4"'
            ' stroke-linejoin="round"/>'
            f'<path d="{draw(kind, top, w, h)}" fill="{ink}"/></g>')
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--font", default="/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc")
    parser.add_argument("--out", default=Path(__file__).parent.parent / "src" / "pieces", type=Path)
    parser.add_argument("--brush", help="folder of the WOFF files of Yuji Boku")
    arguments = parser.parse_args()
    args = lambda font, f: lambda kind, top, w, h: f(font, kind, top, w, h)
    sets = []
    if Path(arguments.font).exists():
        font = Characters(arguments.font)
        western = lambda kind, top, w, h: letter(font, kind, top, w, h) + moves(kind, top, w, h)
        sets += [("kanji", args(font, two_characters)), ("single", args(font, one_character)),
                 ("western", western)]
    if arguments.brush:
        sets.append(("brush", args(Characters(arguments.brush), two_characters)))
    for name, draw in sets:
        (arguments.out / f"{name}.svg").write_text(sprite(draw), encoding="utf-8")


if __name__ == "__main__":
    main()
