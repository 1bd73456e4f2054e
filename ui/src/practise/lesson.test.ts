import { describe, expect, it } from 'vitest';
import type { Mistake, Tree } from '../net/contract';
import { puzzlesOf } from './lesson';

const line = { pv: ['2g2f'], ja: [], en: [] };
const mistake = (ply: number, side: 'black' | 'white', grade: Mistake['grade'], better = line): Mistake => ({
  ply, side, grade, loss: 0.3, played: { usi: 'x', ja: 'x', en: 'x' }, better, refutation: line, reason: { kind: 'worse', text: { en: '', ja: '' }, proven: false },
});

describe('mistakes as puzzles', () => {
  const tree = {
    variant: 'shogi', start: 's0', headers: [], black: null, white: null, handicap: null,
    nodes: [
      { parent: null }, { parent: 0, move: '7g7f', sfen: 's1' }, { parent: 0, move: '2g2f', sfen: 'aside' }, { parent: 1, move: '3c3d', sfen: 's2' },
      { parent: 3, move: '8h2b+', sfen: 's3' }, { parent: 4, end: { reason: 'resign', winner: null } },
    ],
  } as unknown as Tree;

  it('ask the position before the move, along the main line', () => {
    expect(puzzlesOf(tree, [mistake(3, 'black', 'blunder')], 'both')).toMatchObject([{ moves: ['7g7f', '3c3d'], sfen: 's2', last: '3c3d' }]);
    expect(puzzlesOf(tree, [mistake(1, 'black', 'mistake')], 'black')).toMatchObject([{ moves: [], sfen: 's0', last: null }]);
  });

  it('are those of the visitor, and worth a lesson', () => {
    const all = [mistake(1, 'black', 'inaccuracy'), mistake(2, 'white', 'blunder'), mistake(3, 'black', 'blunder', { pv: [], ja: [], en: [] })];
    expect(puzzlesOf(tree, all, 'black')).toEqual([]);
    expect(puzzlesOf(tree, all, 'white')).toHaveLength(1);
  });
});
