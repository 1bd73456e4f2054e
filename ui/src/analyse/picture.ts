// Pictures of a position for sharing: SVG from the pieces of the page, PNG and GIF from that. Fetched when first asked for.

import type { Color } from '../net/contract';
import { fileOf, HAND_ORDER, parseSfen, rankOf } from '../board/shogi';
import { settings } from '../settings';
import brush from '../pieces/brush.svg?url';
import kanji from '../pieces/kanji.svg?url';
import single from '../pieces/single.svg?url';
import western from '../pieces/western.svg?url';
import { encodeGif, type Frame } from './gif';

const SPRITES = { kanji, brush, single, western };
/** Cells of a sprite, by piece. */
const CELLS: Record<string, number> = { P: 0, L: 1, N: 2, S: 3, G: 4, B: 5, R: 6, K: 7, '+P': 8, '+L': 9, '+N': 10, '+S': 11, '+B': 12, '+R': 13 };
const GYOKU = 14;
const W = 44;
const H = 48;
const MARGIN = 22;
const HAND = 74;

/** The cells of the sprite in use, as SVG. */
async function cells(): Promise<{ defs: string; groups: string[] }> {
  const text = await (await fetch(SPRITES[settings.pieces.value])).text();
  const sprite = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  const groups = [...sprite.children].filter((child) => child.tagName === 'g').map((group) => group.innerHTML);
  return { defs: sprite.querySelector('defs')?.innerHTML ?? '', groups };
}

function colours(): { wood: string; edge: string; line: string; ink: string; mark: string } {
  // Values of light-dark() are resolved only where they are used.
  const probe = document.createElement('i');
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = { wood: read('--wood'), edge: read('--wood-edge'), line: read('--wood-line'), ink: read('--wood-ink'), mark: 'rgb(120 160 30 / 0.45)' };
  probe.remove();
  return found;
}

export interface PictureOf { sfen: string; last?: string | null | undefined; orientation: Color; black?: string | null | undefined; white?: string | null | undefined }

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A position as an SVG document that needs nothing else. */
export async function svgOf({ sfen, last, orientation, black, white }: PictureOf): Promise<{ text: string; width: number; height: number }> {
  const diagram = parseSfen(sfen);
  if (!diagram) throw new Error('no position');
  const { defs, groups } = await cells();
  const { wood, edge, line, ink, mark } = colours();
  const n = diagram.size;
  const [width, height] = [n * W + 2 * MARGIN + 2 * HAND, n * H + 2 * MARGIN + 2 * 22];
  const [left, top] = [HAND + MARGIN, MARGIN + 22];
  const turned = orientation === 'white';
  const place = (square: string): { x: number; y: number } => {
    const [file, rank] = [fileOf(square), rankOf(square)];
    return { x: left + (turned ? file - 1 : n - file) * W, y: top + (turned ? n - rank : rank - 1) * H };
  };
  const piece = (letter: string, color: Color, x: number, y: number): string => {
    const cell = letter === 'K' && color === 'black' ? GYOKU : (CELLS[letter] ?? 0);
    const down = color !== orientation;
    return `<use href="#c${cell}" transform="translate(${x + (down ? W : 0)} ${y + (down ? H : 0)}) scale(${(down ? -1 : 1) * W / 110} ${(down ? -1 : 1) * H / 120})"/>`;
  };
  const parts: string[] = [];
  for (const square of last ? [last.slice(0, 2), last.slice(2, 4)] : []) {
    if (square[1] !== '*') parts.push(`<rect x="${place(square).x}" y="${place(square).y}" width="${W}" height="${H}" fill="${mark}"/>`);
  }
  for (let i = 0; i <= n; i += 1) {
    const stroke = `stroke="${line}" stroke-width="${i === 0 || i === n ? 1.6 : 0.8}"`;
    parts.push(`<path d="M${left + i * W} ${top}v${n * H}M${left} ${top + i * H}h${n * W}" ${stroke}/>`);
  }
  if (n === 9) for (const x of [3, 6]) for (const y of [3, 6]) parts.push(`<circle cx="${left + x * W}" cy="${top + y * H}" r="2.6" fill="${line}"/>`);
  for (const [square, { letter, promoted, color }] of diagram.squares) {
    const { x, y } = place(square);
    parts.push(piece(`${promoted ? '+' : ''}${letter}`, color, x, y));
  }
  for (const color of ['black', 'white'] as const) {
    const below = color === orientation;
    const held = HAND_ORDER.flatMap((letter) => {
      const count = diagram.hands[color].get(letter) ?? 0;
      return count > 0 ? [{ letter, count }] : [];
    });
    held.forEach(({ letter, count }, index) => {
      const x = below ? left + n * W + MARGIN + 4 : 4;
      // As on the screen: together on the owner's side, the strongest farthest from it.
      const y = below ? top + (n - held.length + index) * H : top + (held.length - 1 - index) * H;
      parts.push(piece(letter, color, x, y));
      if (count > 1) parts.push(`<text x="${x + W + 3}" y="${y + H / 2 + 6}" font-size="17">${count}</text>`);
    });
    const name = color === 'black' ? black : white;
    if (name) parts.push(`<text x="${width / 2}" y="${below ? height - 8 : 20}" font-size="15" text-anchor="middle">${color === 'black' ? '☗' : '☖'} ${escaped(name)}</text>`);
  }
  const symbols = groups.map((group, index) => `<g id="c${index}">${group}</g>`).join('');
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><defs>${defs}${symbols}</defs>`
    + `<rect width="${width}" height="${height}" fill="${edge}"/><rect x="${left}" y="${top}" width="${n * W}" height="${n * H}" fill="${wood}"/>`
    + `<g fill="${ink}" font-family="system-ui, 'Hiragino Sans', 'Noto Sans CJK JP', sans-serif" font-weight="700">${parts.join('')}</g></svg>`;
  return { text, width, height };
}

async function drawn(of: PictureOf, scale: number): Promise<HTMLCanvasElement> {
  const { text, width, height } = await svgOf(of);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export async function svgFile(of: PictureOf): Promise<Blob> {
  return new Blob([(await svgOf(of)).text], { type: 'image/svg+xml' });
}

export async function pngFile(of: PictureOf): Promise<Blob> {
  const canvas = await drawn(of, 2);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('no picture'))), 'image/png'));
}

/** A game as a moving picture: one position a second, the last one longer. */
export async function gifFile(positions: PictureOf[], progress: (done: number) => void): Promise<Blob> {
  const frames: Frame[] = [];
  for (const [index, of] of positions.entries()) {
    const canvas = await drawn(of, 1);
    const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height);
    if (data) frames.push({ pixels: data.data, width: data.width, height: data.height, delay: index === positions.length - 1 ? 400 : 100 });
    progress(index + 1);
  }
  return new Blob([encodeGif(frames) as BlobPart], { type: 'image/gif' });
}
