import { describe, expect, it } from 'vitest';
import type { ServerGame, Tree } from '../net/contract';
import { analysisParts, layout, leftNow, lineOf, ofMatch, ofServer, used } from './live';

const game: ServerGame = { id: 'wdoor+a', event: 'Cup', black: 'Aoi', white: 'Ren', moves: 3, sfen: 'x b - 4', turn: 'white', running: true, black_seconds: 60, white_seconds: 30.5, elapsed: 4, watchers: 0, last: null };
const tree: Tree = {
  variant: 'shogi', start: 's b - 1', handicap: null, headers: [], black: null, white: null,
  nodes: [{ parent: null }, { parent: 0, move: 'a', ms: 1000 }, { parent: 1, move: 'b', ms: 2000 }, { parent: 1, move: 'aside', ms: 99000 }, { parent: 2, move: 'c', ms: 4000 }],
};

describe('live games', () => {
  it('count down the clock of whoever is to move', () => {
    const live = ofServer(game, 100000);
    expect(leftNow(live, 'white', 100000)).toBe(26500);
    expect(leftNow(live, 'white', 101500)).toBe(25000);
    expect(leftNow(live, 'white', 900000)).toBe(0);
    expect(leftNow(live, 'black', 900000)).toBe(60000);
    // A clock that stands, and none at all.
    expect(leftNow(ofServer({ ...game, elapsed: null }, 0), 'white', 900000)).toBe(30500);
    expect(leftNow(ofServer({ ...game, white_seconds: null }, 0), 'white', 5)).toBeNull();
  });
  it('of a match have a name and a number', () => {
    const live = ofMatch('a/games.csa', { game: 4, players: ['a', 'b'], moves: 0, sfen: 'x', last: null, turn: 'black', left: [5000, null], since: 1000 });
    expect(live.key).toBe('match:a/games.csa/4');
    expect(analysisParts(live.key)).toEqual(['match', 'a/games.csa', '4']);
    expect(analysisParts('server:x:y/z')).toEqual(['server', 'x:y/z']);
    expect([leftNow(live, 'black', 3000), leftNow(live, 'white', 3000)]).toEqual([3000, null]);
  });
  it('add up the time used along the main line', () => {
    expect(lineOf(tree).map(({ move }) => move)).toEqual([undefined, 'a', 'b', 'c']);
    expect([used(tree, 'black'), used(tree, 'white')]).toEqual([5000, 2000]);
    expect(used({ ...tree, start: 's w - 1' }, 'white')).toBe(5000);
  });
  it('share a screen as large as can be', () => {
    expect(layout(1, 1600, 900).columns).toBe(1);
    expect(layout(2, 1600, 900).columns).toBe(2);
    expect(layout(2, 400, 900).columns).toBe(1);
    expect(layout(4, 1600, 900).columns).toBe(2);
    expect(layout(6, 1920, 1080).columns).toBe(3);
    for (const count of [1, 3, 8]) {
      const { columns, side } = layout(count, 1920, 1080);
      expect(side * 12.9 * columns).toBeLessThanOrEqual(1920);
      expect(side * 12.6 * Math.ceil(count / columns)).toBeLessThanOrEqual(1080);
    }
  });
});
