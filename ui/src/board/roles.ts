// Between USI letters and the names shogiground knows pieces by.

import type { Color } from '../net/contract';
import type { Piece } from './shogi';

export type Side = 'sente' | 'gote';

const ROLES: Record<string, [string, string?]> = {
  P: ['pawn', 'tokin'],
  L: ['lance', 'promotedlance'],
  N: ['knight', 'promotedknight'],
  S: ['silver', 'promotedsilver'],
  G: ['gold'],
  B: ['bishop', 'horse'],
  R: ['rook', 'dragon'],
  K: ['king'],
};

export const sideOf = (color: Color): Side => (color === 'black' ? 'sente' : 'gote');
export const colorOf = (side: Side): Color => (side === 'sente' ? 'black' : 'white');

export function roleOf(letter: string, promoted = false): string {
  const names = ROLES[letter];
  return (promoted ? names?.[1] : names?.[0]) ?? 'pawn';
}

export function letterOf(role: string): string {
  return Object.keys(ROLES).find((letter) => ROLES[letter]?.includes(role)) ?? 'P';
}

export function pieceOf(role: string, side: Side): Piece {
  const letter = letterOf(role);
  return { letter, promoted: ROLES[letter]?.[1] === role, color: colorOf(side) };
}

export function promotesTo(role: string): string | undefined {
  return Object.values(ROLES).find(([plain]) => plain === role)?.[1];
}

export function unpromotesTo(role: string): string | undefined {
  return Object.values(ROLES).find(([, promoted]) => promoted === role)?.[0];
}
