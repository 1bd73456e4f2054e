// Where a piece could ever go, for moves made ahead of time: on the way to their turn the squares
// between may change, so nothing stands in the way here. The server judges when the turn comes.

import type { Color } from '../net/contract';
import { fileOf, rankOf, square, type Piece } from './shogi';

type Step = readonly [number, number];
const GOLD: Step[] = [[0, -1], [1, -1], [-1, -1], [1, 0], [-1, 0], [0, 1]];
const DIAGONAL: Step[] = [[1, -1], [-1, -1], [1, 1], [-1, 1]];
const STRAIGHT: Step[] = [[0, -1], [0, 1], [1, 0], [-1, 0]];
const STEPS: Record<string, Step[]> = {
  P: [[0, -1]], N: [[1, -2], [-1, -2]], S: [[0, -1], ...DIAGONAL], G: GOLD, K: [...STRAIGHT, ...DIAGONAL],
};
const SLIDES: Record<string, Step[]> = { L: [[0, -1]], B: DIAGONAL, R: STRAIGHT };

function shape(piece: Piece): { steps: Step[]; slides: Step[] } {
  const slides = SLIDES[piece.letter] ?? [];
  if (!piece.promoted) return { steps: STEPS[piece.letter] ?? [], slides };
  if (piece.letter === 'B') return { steps: STRAIGHT, slides };
  if (piece.letter === 'R') return { steps: DIAGONAL, slides };
  return { steps: GOLD, slides: [] };
}

export function reach(piece: Piece, from: string, size: number): string[] {
  const forward = piece.color === 'black' ? 1 : -1;
  const { steps, slides } = shape(piece);
  const found: string[] = [];
  const add = (df: number, dr: number, longest: number): void => {
    for (let n = 1; n <= longest; n++) {
      const file = fileOf(from) + df * n;
      const rank = rankOf(from) + dr * forward * n;
      if (file < 1 || rank < 1 || file > size || rank > size) return;
      found.push(square(file, rank));
    }
  };
  for (const [df, dr] of steps) add(df, dr, 1);
  for (const [df, dr] of slides) add(df, dr, size);
  return found;
}

export function everySquare(size: number): string[] {
  const numbers = Array.from({ length: size }, (_, index) => index + 1);
  return numbers.flatMap((rank) => numbers.map((file) => square(file, rank)));
}

/** Whether a move made ahead of time may ask for promotion: it begins or ends in the far camp. */
export function mayPromote(piece: Piece, from: string, to: string, size: number): boolean {
  if (piece.promoted || 'GK'.includes(piece.letter)) return false;
  const depth = size === 9 ? 3 : 1;
  const far = (key: string, color: Color): boolean =>
    color === 'black' ? rankOf(key) <= depth : rankOf(key) > size - depth;
  return far(from, piece.color) || far(to, piece.color);
}
