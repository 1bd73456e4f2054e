import { describe, expect, it } from 'vitest';
import { readEntry } from './entry';

const START = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';
const GOLDS = '4k4/9/9/9/9/9/9/3G1G3/4K4 b GP 1';
const AFTER = 'lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3';

describe('a typed move', () => {
  it.each([
    ['7g7f', START, ['7g7f', '2g2f'], null, '7g7f'],
    ['P-7f', START, ['7g7f', '2g2f'], null, '7g7f'],
    ['p7f', START, ['7g7f', '2g2f'], null, '7g7f'],
    ['P-76', START, ['7g7f', '2g2f'], null, '7g7f'],
    ['７六歩', START, ['7g7f', '2g2f'], null, '7g7f'],
    ['▲7六歩(77)', START, ['7g7f', '2g2f'], null, '7g7f'],
    ['Bx2b+', AFTER, ['8h2b', '8h2b+'], '3c3d', '8h2b+'],
    ['Bx2b=', AFTER, ['8h2b', '8h2b+'], '3c3d', '8h2b'],
    ['2二角成', AFTER, ['8h2b', '8h2b+'], '3c3d', '8h2b+'],
    ['2二角不成', AFTER, ['8h2b', '8h2b+'], '3c3d', '8h2b'],
    ['同角', AFTER, ['8h2b', '2g2f'], '3a2b', '8h2b'],
    ['G*5g', GOLDS, ['G*5g', '6h5g', '4h5g'], null, 'G*5g'],
    ['5七金打', GOLDS, ['G*5g', '6h5g', '4h5g'], null, 'G*5g'],
    ['G6h-5g', GOLDS, ['G*5g', '6h5g', '4h5g'], null, '6h5g'],
    ['P*3d', GOLDS, ['P*3d'], null, 'P*3d'],
    ['3四歩', GOLDS, ['P*3d'], null, 'P*3d'],
  ] as const)('%s', (typed, sfen, legal, last, move) => {
    expect(readEntry(typed, sfen, legal, last)).toEqual({ move });
  });
  it('asks where two fit', () => {
    expect(readEntry('G-5g', GOLDS, ['G*5g', '6h5g', '4h5g'], null)).toEqual({ several: ['6h5g', '4h5g'] });
  });
  it.each(['', '   ', 'xyz', '9g9f', 'P-5e', '金', '((', '\u3000'])('refuses %j', (typed) => {
    expect(readEntry(typed, START, ['7g7f'], null)).toEqual({ none: true });
  });
});
