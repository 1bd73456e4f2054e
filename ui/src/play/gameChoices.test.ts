// The choices of a new game, kept in a storage as small as the test needs.

import { beforeEach, expect, test, vi } from 'vitest';
import { FIRST, keepChoices, loadChoices } from './gameChoices';

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
