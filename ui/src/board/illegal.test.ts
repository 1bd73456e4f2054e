import { describe, expect, it } from 'vitest';
import { faults, imaginable, unused, whyIllegal } from './illegal';
import { parseSfen, type Diagram } from './shogi';

const at = (sfen: string): Diagram => {
  const diagram = parseSfen(sfen);
  if (!diagram) throw new Error(sfen);
  return diagram;
};
const START = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';

describe('why a move is not legal', () => {
  it.each([
    ['an empty square', START, '5e5d', 'nopiece'],
    ['a piece of the other side', START, '3c3d', 'notyours'],
    ['a pawn two squares ahead', START, '7g7e', 'cannotgo'],
    ['a piece of one’s own in the way', START, '8h2b', 'blocked'],
    ['one’s own piece on the square', START, '9i9g', 'own'],
    ['promoting outside the camp', START, '7g7f+', 'notincamp'],
    ['promoting a gold', '4k4/9/9/4G4/9/9/9/9/4K4 b - 1', '5d5c+', 'nopromotion'],
    ['a pawn that has to promote', '8k/4P4/9/9/9/9/9/9/4K4 b - 1', '5b5a', 'mustpromote'],
    ['a knight that has to promote', '8k/9/9/4N4/9/9/9/9/4K4 b - 1', '5d4b', 'mustpromote'],
    ['two pawns on a file', '4k4/9/9/9/9/9/4P4/9/4K4 b P 1', 'P*5e', 'twopawns'],
    ['a promoted pawn does not count, mate by a dropped pawn does', '7nk/7p1/8G/9/9/9/9/8+P/4K4 b P 1', 'P*1b', 'dropmate'],
    ['a pawn on the last rank', '4k4/9/9/9/9/9/9/9/4K4 b P 1', 'P*1a', 'deadend'],
    ['a knight on the second', '4k4/9/9/9/9/9/9/9/4K4 b N 1', 'N*1b', 'deadend'],
    ['White’s lance on its last', '4k4/9/9/9/9/9/9/9/4K4 w l 1', 'L*1i', 'deadend'],
    ['an occupied square', '4k4/9/9/9/9/9/9/9/4K4 b P 1', 'P*5a', 'occupied'],
    ['nothing in hand', START, 'G*5e', 'nohand'],
    ['a check that stays', '4k4/9/9/9/4r4/9/9/9/P3K4 b - 1', '9i9h', 'staysincheck'],
    ['a check that a drop does not meet', '4k4/9/9/9/4r4/9/9/9/4K4 b P 1', 'P*1e', 'staysincheck'],
    ['a pinned piece', '4k4/9/9/9/4r4/9/9/4G4/4K4 b - 1', '5h4h', 'exposes'],
    ['a king into check', '4k4/9/9/9/3r5/9/9/9/4K4 b - 1', '5i6i', 'intocheck'],
    ['minishogi: a pawn on its last rank', 'k4/5/5/5/4K b P 1', 'P*1a', 'deadend'],
  ] as const)('%s', (_, sfen, usi, key) => {
    expect(whyIllegal(at(sfen), usi).why).toBe(key);
  });
  it('names what it speaks of', () => {
    expect(whyIllegal(at(START), '8h2b')).toMatchObject({ square: '7g', piece: { letter: 'B' } });
  });
  it('imagines moves that rules forbid', () => {
    expect(imaginable(at('4k4/9/9/9/9/9/4P4/9/4K4 b P 1'))).toEqual(expect.arrayContaining(['P*5e', '5g5f', '5i6i', 'P*1a']));
  });
});

describe('what is wrong with a position', () => {
  it.each([
    [START, 'game', []],
    ['4k4/9/4P4/9/9/9/9/9/9 b G 1', 'mate', []],
    ['4k4/9/4P4/9/9/9/9/9/9 b G 1', 'game', ['noking']],
    ['4k4/9/4P4/4P4/9/9/9/9/4K4 b - 1', 'game', ['twopawns']],
    ['4k3P/9/9/9/9/9/9/9/4K4 b - 1', 'game', ['deadend']],
    ['4k4/4G4/9/9/9/9/9/9/4K4 b - 1', 'game', ['check']],
    ['4k4/9/9/9/9/9/9/9/3KK4 b 3R 1', 'game', ['toomany', 'kings']],
  ] as const)('%s for a %s', (sfen, purpose, keys) => {
    expect(faults(at(sfen), purpose).map(({ why }) => why)).toEqual(keys);
  });
  it('counts what is in neither hand nor board', () => {
    expect(Object.fromEntries(unused(at('4k4/9/4+P4/9/9/9/9/9/4K4 b 2R3p 1')))).toEqual({ P: 14, L: 4, N: 4, S: 4, G: 4, B: 2, R: 0 });
  });
});
