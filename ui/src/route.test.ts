import { describe, expect, it } from 'vitest';
import { parseRoute, routeHash } from './route';
import { backoff } from './net/socket';
import { CLOCKS, FIRST, newGame } from './play/gameChoices';
import { fnv64 } from '../build/manifest.ts';

describe('addresses', () => {
  it.each([
    ['', { screen: 'play', rest: [] }],
    ['#/play/k3', { screen: 'play', rest: ['k3'] }],
    ['#/analyse/match/a%2Fb/3', { screen: 'analyse', rest: ['match', 'a/b', '3'] }],
    ['#/nonsense', { screen: 'play', rest: [] }],
    ['#/watch/%E0%A4%A', { screen: 'watch', rest: ['%E0%A4%A'] }],
  ])('%s', (hash, route) => {
    expect(parseRoute(hash)).toEqual(route);
  });
  it('come back as they went in', () => {
    expect(parseRoute(routeHash('analyse', 'match', 'a/b c', '3'))).toEqual({ screen: 'analyse', rest: ['match', 'a/b c', '3'] });
  });
});

describe('coming back after a drop', () => {
  it('waits longer each time, never too long', () => {
    expect([0, 1, 2, 3].map(backoff)).toEqual([250, 500, 1000, 2000]);
    expect(backoff(50)).toBe(8000);
  });
});

describe('a new game', () => {
  it('asks for what was chosen', () => {
    expect(newGame({ ...FIRST, level: 4, handicap: 'rook', clock: 'classic' })).toEqual({
      variant: 'shogi', handicap: 'rook', side: 'black', opponent: { level: 4 }, clock: CLOCKS.classic, style: 'any', natural: true,
    });
    expect(newGame({ ...FIRST, variant: 'minishogi', handicap: 'rook', against: 'human' })).toMatchObject({ handicap: 'even', opponent: { human: true } });
    expect(newGame({ ...FIRST, level: 4, adaptive: true }).opponent).toEqual({ level: 4, adaptive: true });
    expect(newGame({ ...FIRST, against: 'friend', side: 'watch' })).toMatchObject({ opponent: { friend: true }, side: 'watch' });
    expect(newGame({ ...FIRST, against: 'level', side: 'watch' }).side).toBe('black');
    expect(newGame({ ...FIRST, against: 'engine', engine: 'x', movetime: 50 }).opponent).toEqual({ engine: 'x', movetime: 50 });
  });
});

describe('the hash of the manifest', () => {
  // Values of FNV-1a (64 bit) as published with it.
  it.each([['', 'cbf29ce484222325'], ['a', 'af63dc4c8601ec8c'], ['foobar', '85944171f73967e8']])('%j', (text, hash) => {
    expect(fnv64(new TextEncoder().encode(text))).toBe(hash);
  });
});
