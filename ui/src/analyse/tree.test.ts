import { describe, expect, it } from 'vitest';
import type { Tree } from '../net/contract';
import { BLACK } from '../i18n/headers';
import { emptyStudy, fromTree, headerOf, isVariation, lineThrough, mainLine, merged, movesTo, promoted, toTree, withHeader, withMove, without } from './tree';

const tree: Tree = {
  variant: 'shogi', start: 'start', handicap: 'even', headers: [['a', 'b']], black: 'x', white: 'y',
  nodes: [
    { parent: null, comments: ['before'] },
    { parent: 0, move: '7g7f', ja: 'a', en: 'a', sfen: 's1', ms: 1200 },
    { parent: 1, move: '3c3d', ja: 'b', en: 'b', sfen: 's2' },
    { parent: 2, end: { reason: 'resign', winner: 'black' } },
    { parent: 1, move: '8c8d', ja: 'c', en: 'c', sfen: 's3', comments: ['a variation'] },
    { parent: 4, move: '2g2f', ja: 'd', en: 'd', sfen: 's4', eval: { score: { cp: 5 } } },
  ],
};

describe('a record', () => {
  it('takes over what another one has beside it', () => {
    const own = fromTree(tree);
    expect(merged(own, own)).toBe(own);
    let [other, first] = withMove(emptyStudy('shogi', 'start'), 0, { move: '7g7f', sfen: 's1' });
    [other, first] = withMove(other, first, { move: '3c3d', sfen: 's2' });
    [other] = withMove(other, first, { end: { reason: 'time', winner: 'black' }, sfen: 's2' });
    [other] = withMove(other, first, { move: '2g2f', sfen: 's5' });
    const made = merged(own, other);
    expect(Object.keys(made.nodes)).toHaveLength(7);
    expect(movesTo(made, 6)).toEqual(['7g7f', '3c3d', '2g2f']);
    expect(made.nodes[0]?.comments).toEqual(['before']);
    expect(made.nodes[3]?.end?.reason).toBe('resign');
  });

  it('comes back as it went in', () => {
    const again = toTree(fromTree(tree));
    expect(again.nodes.map(({ parent, move }) => [parent, move])).toEqual(tree.nodes.map(({ parent, move }) => [parent, move]));
    expect(again.nodes[5]?.eval).toEqual({ score: { cp: 5 } });
    expect(again.nodes[0]?.comments).toEqual(['before']);
    expect(again.headers).toEqual(tree.headers);
  });
  it('knows its lines', () => {
    const study = fromTree(tree);
    expect(mainLine(study)).toEqual([0, 1, 2, 3]);
    expect(lineThrough(study, 4)).toEqual([0, 1, 4, 5]);
    expect(movesTo(study, 5)).toEqual(['7g7f', '8c8d', '2g2f']);
    expect(isVariation(study, 4)).toBe(true);
    expect(isVariation(study, 2)).toBe(false);
  });
  it('adds a move once, before an ending', () => {
    let study = fromTree(tree);
    let id: number;
    [study, id] = withMove(study, 2, { move: '2g2f', sfen: 's5' });
    expect(study.nodes[2]?.children).toEqual([id, 3]);
    const [same, again] = withMove(study, 2, { move: '2g2f', sfen: 's5' });
    expect(again).toBe(id);
    expect(same).toBe(study);
  });
  it('makes a variation the main line', () => {
    const study = promoted(fromTree(tree), 5);
    expect(mainLine(study)).toEqual([0, 1, 4, 5]);
    expect(toTree(study).nodes.map(({ move }) => move)).toEqual([undefined, '7g7f', '8c8d', '2g2f', '3c3d', undefined]);
  });
  it('removes a move and what follows, never the start', () => {
    const study = without(fromTree(tree), 4);
    expect(Object.keys(study.nodes)).toEqual(['0', '1', '2', '3']);
    expect(without(study, 0)).toBe(study);
  });
  it('starts empty', () => {
    expect(toTree(emptyStudy('minishogi', 's')).nodes).toEqual([{ parent: null, sfen: 's' }]);
  });
});

describe('headers', () => {
  it('are changed, added and taken away; players stand in both places', () => {
    const study = fromTree(tree);
    expect(headerOf(study, BLACK)).toBe('x');
    const named = withHeader(study, BLACK, 'Aoi');
    expect([named.black, headerOf(named, BLACK), toTree(named).headers]).toEqual(['Aoi', 'Aoi', [['a', 'b'], [BLACK, 'Aoi']]]);
    const gone = withHeader(withHeader(named, BLACK, ''), 'a', '');
    expect([gone.black, headerOf(gone, BLACK), gone.headers, gone.white]).toEqual([undefined, undefined, [], 'y']);
    expect(study.headers).toEqual([['a', 'b']]);
  });
});
