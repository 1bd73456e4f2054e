import { expect, test } from 'vitest';
import { parseRoute } from '../route';
import { gameHash, positionHash, readShared } from './share';
import { emptyStudy, withMove, type Study } from './tree';

const START = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';
const shared = (hash: string) => readShared(parseRoute(hash).rest);

function line(study: Study, moves: string[]): [Study, number] {
  return moves.reduce<[Study, number]>(([made, at], move) => withMove(made, at, { move, sfen: '' }), [study, 0]);
}

test('a game comes back out of its address, with the place and the players', () => {
  const [study] = line({ ...emptyStudy('shogi', START), black: 'A/b c', white: '後手の人' }, ['7g7f', '3c3d', '8h2b+', '3a2b', 'B*4e']);
  const hash = gameHash(study, 2);
  expect(hash).toContain('/line/shogi/7g7f.3c3d.8h2b%2B.3a2b.B*4e/2/');
  expect(shared(hash)).toEqual({ variant: 'shogi', start: START, moves: ['7g7f', '3c3d', '8h2b+', '3a2b', 'B*4e'], ply: 2, black: 'A/b c', white: '後手の人' });
});

test('a variation is shared up to what is shown', () => {
  const [study] = line(emptyStudy('shogi', START), ['7g7f', '3c3d']);
  const [made, at] = withMove(study, 1, { move: '8c8d', sfen: '' });
  expect(shared(gameHash(made, at))).toMatchObject({ moves: ['7g7f', '8c8d'], ply: 2 });
});

test.each([
  ['shogi', '4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1'],
  ['minishogi', 'rbsgk/4p/5/P4/KGSBR b - 1'],
  ['minishogi', '4k/5/5/5/K4 w Gg 7'],
] as const)('a position of %s: %s', (variant, sfen) => {
  expect(shared(positionHash(variant, sfen))).toEqual({ variant, start: sfen, moves: [], ply: 0 });
});

test.each([
  '#/analyse', '#/analyse/line', '#/analyse/line/chess/e2e4', '#/analyse/line/shogi/7g7f.<script>/1', '#/analyse/game/x', '#/analyse/position/9~9',
])('%s holds nothing', (hash) => {
  expect(shared(hash)).toBe(null);
});

test.each([['99', 1], ['-4', 0], ['x', 0]])('a place that is not in the game (%s) is moved into it', (ply, at) => {
  expect(shared(`#/analyse/line/shogi/7g7f/${ply}`)?.ply).toBe(at);
});
