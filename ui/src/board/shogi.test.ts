import { describe, expect, it } from 'vitest';
import { follow, isHandicap, parseSfen, play, toSfen, touched } from './shogi';
import { mayPromote, reach } from './reach';

const START = 'lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1';

describe('SFEN', () => {
  it.each([
    START,
    'rbsgk/4p/5/P4/KGSBR b - 1',
    '4k4/9/4+P4/9/9/9/9/9/4K4 w 2P3G10prb 7',
  ])('comes back as it went in: %s', (sfen) => {
    const diagram = parseSfen(sfen);
    expect(diagram).not.toBeNull();
    const again = parseSfen(toSfen(diagram as NonNullable<typeof diagram>));
    expect(again).toEqual(diagram);
  });
  it.each(['', 'x', '9/9 b - 1', 'lnsgkgsnl/1r5b1/pppppppppp/9/9/9/9/9/9 b - 1', '5/5/5/5/5x b - 1'])('is refused: %j', (sfen) => {
    expect(parseSfen(sfen)).toBeNull();
  });
});

describe('moves known to be legal', () => {
  it('moves, takes, promotes and drops', () => {
    const sfen = follow(START, ['7g7f', '3c3d', '8h2b+', '3a2b', 'B*5e']);
    expect(sfen).toBe('lnsgkg1nl/1r5s1/pppppp1pp/6p2/4B4/2P6/PP1PPPPPP/7R1/LNSGKGSNL w b 6');
  });
  it('leaves the diagram before it alone', () => {
    const before = parseSfen(START);
    if (!before) throw new Error('the start is a position');
    play(before, '7g7f');
    expect(toSfen(before)).toBe(START);
  });
  it('knows what a move touches', () => {
    expect(touched('7g7f')).toEqual(['7g', '7f']);
    expect(touched('P*5e')).toEqual(['5e']);
    expect(touched(null)).toEqual([]);
  });
});

describe('reach of moves made ahead', () => {
  it.each([
    ['P', false, 'black', '5e', ['5d']],
    ['P', false, 'white', '5e', ['5f']],
    ['N', false, 'black', '5e', ['6c', '4c']],
    ['P', true, 'black', '5e', ['5d', '6d', '4d', '6e', '4e', '5f']],
  ] as const)('%s promoted %s of %s on %s', (letter, promoted, color, from, squares) => {
    expect(reach({ letter, promoted, color }, from, 9).sort()).toEqual([...squares].sort());
  });
  it('slides to the edge and stays on the board', () => {
    expect(reach({ letter: 'R', promoted: false, color: 'black' }, '1e', 5)).toHaveLength(8);
    expect(reach({ letter: 'R', promoted: true, color: 'black' }, '3c', 5)).toHaveLength(12);
  });
  it.each([
    ['P', '5d', '5c', 9, true], ['P', '5e', '5d', 9, false], ['G', '5d', '5c', 9, false], ['P', '3b', '3a', 5, true], ['P', '3c', '3b', 5, false],
  ] as const)('promotion of %s from %s to %s on %i', (letter, from, to, size, yes) => {
    expect(mayPromote({ letter, promoted: false, color: 'black' }, from, to, size)).toBe(yes);
  });
});

describe('handicaps', () => {
  it.each([
    ['lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1', true],
    ['4k4/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1', true],
    ['lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1', false],
    ['lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2', false],
    ['4k4/9/9/9/9/9/9/9/4K4 w 2R2b4g4s4n4l18p 1', false],
    ['nonsense', false],
  ])('%s', (start, handicap) => {
    expect(isHandicap(start)).toBe(handicap);
  });
});
