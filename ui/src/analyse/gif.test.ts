import { describe, expect, it } from 'vitest';
import { encodeGif, lzw, palette } from './gif';

/** What a reader makes of the codes. */
function unpacked(packed: number[]): number[] {
  const [bits = 8, ...blocks] = packed;
  const bytes: number[] = [];
  for (let at = 0; blocks[at]; at += blocks[at]! + 1) bytes.push(...blocks.slice(at + 1, at + 1 + blocks[at]!));
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  let width = bits + 1;
  let table: number[][] = [];
  let [buffer, filled] = [0, 0];
  const out: number[] = [];
  let before: number[] | null = null;
  for (const byte of bytes) {
    buffer |= byte << filled;
    filled += 8;
    while (filled >= width) {
      const code = buffer & ((1 << width) - 1);
      buffer >>>= width;
      filled -= width;
      if (code === end) return out;
      if (code === clear) {
        table = Array.from({ length: clear + 2 }, (_, value) => [value]);
        width = bits + 1;
        before = null;
        continue;
      }
      const word: number[] = table[code] ?? [...(before ?? []), (before ?? [])[0] ?? 0];
      out.push(...word);
      if (before && table.length < 4096) table.push([...before, word[0] ?? 0]);
      if (table.length === 1 << width && width < 12) width += 1;
      before = word;
    }
  }
  return out;
}

describe('a moving picture', () => {
  it('packs what a reader unpacks', () => {
    let seed = 7;
    const random = Array.from({ length: 30000 }, () => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return (seed >> 16) & 255;
    });
    for (const values of [[5], [1, 1, 1, 1, 1, 1, 1], Array.from({ length: 20000 }, (_, at) => (at >> 6) & 3), random]) {
      expect(unpacked(lzw(Uint8Array.from(values)))).toEqual(values);
    }
  });

  it('keeps colours that are used, and takes the nearest for others', () => {
    const pixels = new Uint8ClampedArray([255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 255]);
    const { table, index } = palette([{ pixels, width: 3, height: 1, delay: 1 }]);
    const red = index(255, 0, 0);
    expect([table[red * 3], table[red * 3 + 1]]).toEqual([255, 0]);
    expect(index(250, 40, 30)).toBe(red);
    expect(index(0, 0, 250)).not.toBe(red);
  });

  it('holds every frame, of the later ones the part that changed', () => {
    const frame = (spot: number) => {
      const pixels = new Uint8ClampedArray(4 * 16).fill(255);
      pixels.set([0, 0, 0], 4 * spot);
      return { pixels, width: 4, height: 4, delay: 50 };
    };
    const gif = encodeGif([frame(0), frame(1), frame(1)]);
    expect(String.fromCharCode(...gif.slice(0, 6))).toBe('GIF89a');
    expect(gif[gif.length - 1]).toBe(0x3b);
    const images = [...gif.keys()].filter((at) => gif[at] === 0x2c && gif[at - 8] === 0x21 && gif[at - 7] === 0xf9);
    expect(images.map((at) => [gif[at + 5], gif[at + 7]])).toEqual([[4, 4], [2, 1], [1, 1]]);
  });
});
