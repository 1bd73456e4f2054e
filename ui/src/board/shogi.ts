// As much of the rules as drawing needs: SFEN to squares and back, and a move known to be legal
// carried out. What is legal is the server's to say; nothing here judges.

import type { Color } from '../net/contract';

export interface Piece { letter: string; promoted: boolean; color: Color }
export interface Diagram {
  size: number;
  squares: Map<string, Piece>;
  hands: Record<Color, Map<string, number>>;
  turn: Color;
  ply: number;
}

export const HAND_ORDER = ['R', 'B', 'G', 'S', 'N', 'L', 'P'];
const RANKS = 'abcdefghi';

export const opposite = (color: Color): Color => (color === 'black' ? 'white' : 'black');
export const square = (file: number, rank: number): string => `${file}${RANKS[rank - 1]}`;
export const fileOf = (key: string): number => Number(key[0]);
export const rankOf = (key: string): number => RANKS.indexOf(key[1] ?? '') + 1;

/** The diagram of an SFEN; null where it is none. */
export function parseSfen(sfen: string): Diagram | null {
  const [board, turn, hands, ply] = sfen.trim().split(/\s+/);
  if (!board) return null;
  const rows = board.split('/');
  const size = rows.length;
  const squares = new Map<string, Piece>();
  for (const [index, row] of rows.entries()) {
    let file = size;
    let promoted = false;
    for (const mark of row) {
      if (mark === '+') promoted = true;
      else if (/[1-9]/.test(mark)) file -= Number(mark);
      else {
        const letter = mark.toUpperCase();
        if (!'PLNSGBRK'.includes(letter) || file < 1) return null;
        squares.set(square(file, index + 1), { letter, promoted, color: mark === letter ? 'black' : 'white' });
        promoted = false;
        file -= 1;
      }
    }
    if (file !== 0) return null;
  }
  const held: Diagram['hands'] = { black: new Map(), white: new Map() };
  for (const [, count, mark] of (hands ?? '-').matchAll(/(\d*)([a-zA-Z])/g)) {
    const letter = (mark ?? '').toUpperCase();
    held[mark === letter ? 'black' : 'white'].set(letter, count ? Number(count) : 1);
  }
  return { size, squares, hands: held, turn: turn === 'w' ? 'white' : 'black', ply: Number(ply ?? 1) || 1 };
}

/** Whether games from here are handicap games: White is to move, with fewer pieces. */
export function isHandicap(start: string): boolean {
  const diagram = parseSfen(start);
  if (diagram?.turn !== 'white') return false;
  const count = (color: Color): number =>
    [...diagram.squares.values()].filter((piece) => piece.color === color).length
    + [...diagram.hands[color].values()].reduce((sum, n) => sum + n, 0);
  return count('white') < count('black');
}

function mark(piece: Piece): string {
  const letter = piece.color === 'black' ? piece.letter : piece.letter.toLowerCase();
  return piece.promoted ? `+${letter}` : letter;
}

export function boardSfen(diagram: Diagram): string {
  const rows: string[] = [];
  for (let rank = 1; rank <= diagram.size; rank++) {
    let row = '';
    let empty = 0;
    for (let file = diagram.size; file >= 1; file--) {
      const piece = diagram.squares.get(square(file, rank));
      if (!piece) empty += 1;
      else {
        row += (empty || '') + mark(piece);
        empty = 0;
      }
    }
    rows.push(row + (empty || ''));
  }
  return rows.join('/');
}

export function handsSfen(diagram: Diagram): string {
  const side = (color: Color): string =>
    HAND_ORDER.map((letter) => {
      const count = diagram.hands[color].get(letter) ?? 0;
      const shown = color === 'black' ? letter : letter.toLowerCase();
      return count === 0 ? '' : `${count > 1 ? count : ''}${shown}`;
    }).join('');
  return side('black') + side('white') || '-';
}

export function toSfen(diagram: Diagram): string {
  return `${boardSfen(diagram)} ${diagram.turn === 'black' ? 'b' : 'w'} ${handsSfen(diagram)} ${diagram.ply}`;
}

/** The diagram after a move that is known to be legal there. */
export function play(diagram: Diagram, usi: string): Diagram {
  const squares = new Map(diagram.squares);
  const hands = { black: new Map(diagram.hands.black), white: new Map(diagram.hands.white) };
  const mine = hands[diagram.turn];
  const to = usi.slice(2, 4);
  if (usi[1] === '*') {
    const letter = usi[0] ?? 'P';
    mine.set(letter, (mine.get(letter) ?? 0) - 1);
    squares.set(to, { letter, promoted: false, color: diagram.turn });
  } else {
    const from = usi.slice(0, 2);
    const piece = squares.get(from);
    const taken = squares.get(to);
    if (taken && taken.letter !== 'K') mine.set(taken.letter, (mine.get(taken.letter) ?? 0) + 1);
    squares.delete(from);
    if (piece) squares.set(to, { ...piece, promoted: piece.promoted || usi.endsWith('+') });
  }
  return { size: diagram.size, squares, hands, turn: opposite(diagram.turn), ply: diagram.ply + 1 };
}

/** The position a line leads to, as SFEN. */
export function follow(sfen: string, line: readonly string[]): string {
  const start = parseSfen(sfen);
  return start ? toSfen(line.reduce(play, start)) : sfen;
}

/** Squares a move touches, origin first. */
export function touched(usi: string | null | undefined): string[] {
  if (!usi) return [];
  return usi[1] === '*' ? [usi.slice(2, 4)] : [usi.slice(0, 2), usi.slice(2, 4)];
}
