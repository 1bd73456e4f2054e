import { expect, test } from 'vitest';
import { parseSfen, toSfen, type Diagram, type Piece } from '../board/shogi';
import { restToDefender, turnedPiece, withHand } from './draft';

const at = (sfen: string): Diagram => {
  const diagram = parseSfen(sfen);
  if (!diagram) throw new Error(sfen);
  return diagram;
};

test('a right click promotes, then turns, and comes round', () => {
  const round = (piece: Piece, times: number): string[] => {
    const seen: string[] = [];
    for (let now = piece, n = 0; n < times; n++, now = turnedPiece(now)) seen.push(`${now.promoted ? '+' : ''}${now.letter} ${now.color}`);
    return seen;
  };
  expect(round({ letter: 'P', promoted: false, color: 'black' }, 5)).toEqual(['P black', '+P black', 'P white', '+P white', 'P black']);
  expect(round({ letter: 'G', promoted: false, color: 'black' }, 3)).toEqual(['G black', 'G white', 'G black']);
});

test('the rest goes to the side that defends, and nothing is made up', () => {
  expect(toSfen(restToDefender(at('4k4/9/4P4/9/9/9/9/9/9 b G 1')))).toBe('4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1');
  expect(toSfen(restToDefender(at('4k/5/5/5/K4 w Gg 1')))).toBe('4k/5/5/5/K4 w 2R2BG2S2Pg 1');
  const full = at('4k4/9/4P4/9/9/9/9/9/9 b 5G2r2b4s4n4l17p 1');
  expect(toSfen(restToDefender(full))).toBe(toSfen(full));
});

test('hands have no fewer than none', () => {
  const bare = at('4k4/9/9/9/9/9/9/9/4K4 b - 1');
  expect(toSfen(withHand(withHand(bare, 'white', 'P', 2), 'white', 'P', -1))).toContain(' p ');
  expect(toSfen(withHand(bare, 'black', 'R', -1))).toBe(toSfen(bare));
});
