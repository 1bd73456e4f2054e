// The choices of a new game, kept in a storage as small as the test needs.

import { beforeEach, expect, test, vi } from 'vitest';
import { FIRST, keepChoices, loadChoices, newGame } from './gameChoices';

const kept = new Map<string, string>();

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
});

test('choices of an earlier page are taken over, and its key goes', () => {
  kept.set('nue.wishes', '{"level":7,"handicap":"bishop"}');
  expect(loadChoices()).toEqual({ ...FIRST, level: 7, handicap: 'bishop' });
  keepChoices({ ...loadChoices(), level: 3 });
  expect([...kept.keys()]).toEqual(['nue.new-game']);
  expect(loadChoices().level).toBe(3);
});

test('what cannot be read is as if nothing had been kept', () => {
  expect(loadChoices()).toEqual(FIRST);
  kept.set('nue.new-game', '{');
  expect(loadChoices()).toEqual(FIRST);
});

test('the rule and the limit go with the game, the usual ones unsaid', () => {
  expect(newGame(FIRST)).not.toHaveProperty('maxMoves');
  expect(newGame(FIRST)).not.toHaveProperty('declaration');
  expect(newGame({ ...FIRST, declaration: 'TryRule', maxMoves: 60 })).toMatchObject({ declaration: 'TryRule', maxMoves: 60 });
  expect(newGame({ ...FIRST, variant: 'minishogi', declaration: 'TryRule' })).not.toHaveProperty('declaration');
});

test('a game from a position has no handicap, and the position\u2019s variant', () => {
  const from = { variant: 'minishogi', start: '4k/5/5/5/K4 b G 1' } as const;
  const asked = newGame({ ...FIRST, handicap: 'rook', level: 9 }, from);
  expect(asked).toMatchObject({ variant: 'minishogi', start: from.start, opponent: { level: 9 } });
  expect(asked).not.toHaveProperty('handicap');
});
