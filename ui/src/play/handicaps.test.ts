import { expect, test } from 'vitest';
import type { HandicapFacts } from '../net/contract';
import { evenHandicap, playsLike } from './handicaps';

const worth = (id: string, levels: number): HandicapFacts => ({ id, sfen: '', name: { en: id, ja: id }, worth: Array<number>(10).fill(levels) });
const HANDICAPS = [worth('even', 0), worth('rook', 1), worth('2', 2), worth('6', 3)];

test('who gives a handicap plays like a weaker level, who receives it like a stronger one', () => {
  expect(playsLike(worth('rook', 0.5), 5, true)).toBe(4.5);
  expect(playsLike(worth('rook', 0.5), 5, false)).toBe(5.5);
});

test('the handicap that makes a game even is found, whoever has to give it', () => {
  expect(evenHandicap(HANDICAPS, 5, 3.2)).toMatchObject({ id: '2', gives: true });
  expect(evenHandicap(HANDICAPS, 9, 1)).toMatchObject({ id: '6', gives: true });
  expect(evenHandicap(HANDICAPS, 4, 4.2)).toMatchObject({ id: 'even' });
  expect(evenHandicap(HANDICAPS, 2, 3.1)).toMatchObject({ id: 'rook', gives: false });
  expect(evenHandicap([], 2, 3.1)).toBeNull();
});
