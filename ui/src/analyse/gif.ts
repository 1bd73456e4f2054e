// GIF89a: a palette of the colours the frames use most, and of each frame only the part that changed.

export interface Frame { pixels: Uint8ClampedArray; width: number; height: number; /** In hundredths of a second. */ delay: number }

const COLOURS = 256;

/** Five bits of each channel. */
const bin = (r: number, g: number, b: number): number => ((r >> 3) << 10) | ((g >> 3) << 5) | (b >> 3);

/** The colours used most, and for every colour which of them is nearest. */
export function palette(frames: readonly Frame[]): { table: Uint8Array; index: (r: number, g: number, b: number) => number } {
  const counts = new Uint32Array(32768);
  for (const frame of [frames[0], frames[frames.length >> 1], frames[frames.length - 1]]) {
    for (let at = 0; frame && at < frame.pixels.length; at += 4) counts[bin(frame.pixels[at] ?? 0, frame.pixels[at + 1] ?? 0, frame.pixels[at + 2] ?? 0)]! += 1;
  }
  const chosen = [...counts.keys()].filter((key) => counts[key]! > 0).sort((a, b) => counts[b]! - counts[a]!).slice(0, COLOURS);
  const wide = (five: number): number => (five << 3) | (five >> 2);
  const table = new Uint8Array(COLOURS * 3);
  chosen.forEach((key, at) => table.set([wide(key >> 10), wide((key >> 5) & 31), wide(key & 31)], at * 3));
  const known = new Int16Array(32768).fill(-1);
  chosen.forEach((key, at) => (known[key] = at));
  const nearest = (key: number): number => {
    const [r, g, b] = [wide(key >> 10), wide((key >> 5) & 31), wide(key & 31)];
    let best = 0;
    let least = Infinity;
    for (let at = 0; at < chosen.length; at += 1) {
      const far = (r - table[at * 3]!) ** 2 + (g - table[at * 3 + 1]!) ** 2 + (b - table[at * 3 + 2]!) ** 2;
      if (far < least) [best, least] = [at, far];
    }
    return best;
  };
  return {
    table,
    index(r, g, b) {
      const key = bin(r, g, b);
      if (known[key]! < 0) known[key] = nearest(key);
      return known[key]!;
    },
  };
}

/** Lempel–Ziv–Welch as GIF wants it: codes of growing width, in blocks of at most 255 bytes. */
export function lzw(values: Uint8Array, bits = 8): number[] {
  const out: number[] = [bits];
  let block: number[] = [];
  let buffer = 0;
  let filled = 0;
  const byte = (value: number): void => {
    block.push(value);
    if (block.length === 255) {
      out.push(255, ...block);
      block = [];
    }
  };
  const [clear, end] = [1 << bits, (1 << bits) + 1];
  let width = bits + 1;
  let next = end + 1;
  let codes = new Map<number, number>();
  const emit = (code: number): void => {
    buffer |= code << filled;
    filled += width;
    while (filled >= 8) {
      byte(buffer & 255);
      buffer >>>= 8;
      filled -= 8;
    }
  };
  emit(clear);
  let prefix = values[0] ?? 0;
  for (let at = 1; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    const key = (prefix << 8) | value;
    const code = codes.get(key);
    if (code !== undefined) {
      prefix = code;
      continue;
    }
    emit(prefix);
    if (next === 4096) {
      emit(clear);
      codes = new Map();
      width = bits + 1;
      next = end + 1;
    } else {
      if (next === 1 << width) width += 1;
      codes.set(key, next);
      next += 1;
    }
    prefix = value;
  }
  emit(prefix);
  emit(end);
  if (filled > 0) byte(buffer & 255);
  if (block.length) out.push(block.length, ...block);
  out.push(0);
  return out;
}

interface Box { x: number; y: number; w: number; h: number }

/** The part of a frame that differs from the one before. */
function changed(now: Uint8Array, before: Uint8Array | null, width: number, height: number): Box {
  if (!before) return { x: 0, y: 0, w: width, h: height };
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (now[y * width + x] === before[y * width + x]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  }
  return right < 0 ? { x: 0, y: 0, w: 1, h: 1 } : { x: left, y: top, w: right - left + 1, h: bottom - top + 1 };
}

const short = (n: number): [number, number] => [n & 255, (n >> 8) & 255];

export function encodeGif(frames: readonly Frame[]): Uint8Array {
  const first = frames[0];
  if (!first) return new Uint8Array();
  const { width, height } = first;
  const { table, index } = palette(frames);
  const out: number[] = [...'GIF89a'].map((letter) => letter.charCodeAt(0));
  out.push(...short(width), ...short(height), 0xf7, 0, 0, ...table);
  // For ever.
  out.push(0x21, 0xff, 11, ...[...'NETSCAPE2.0'].map((letter) => letter.charCodeAt(0)), 3, 1, 0, 0, 0);
  let before: Uint8Array | null = null;
  for (const { pixels, delay } of frames) {
    const now = new Uint8Array(width * height);
    for (let at = 0; at < now.length; at += 1) now[at] = index(pixels[at * 4] ?? 0, pixels[at * 4 + 1] ?? 0, pixels[at * 4 + 2] ?? 0);
    const { x, y, w, h } = changed(now, before, width, height);
    const part = new Uint8Array(w * h);
    for (let row = 0; row < h; row += 1) part.set(now.subarray((y + row) * width + x, (y + row) * width + x + w), row * w);
    out.push(0x21, 0xf9, 4, 4, ...short(delay), 0, 0, 0x2c, ...short(x), ...short(y), ...short(w), ...short(h), 0);
    for (const value of lzw(part)) out.push(value);
    before = now;
  }
  out.push(0x3b);
  return Uint8Array.from(out);
}
