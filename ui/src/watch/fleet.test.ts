import { describe, expect, it } from 'vitest';
import { furthest, moved, pace, resultParts } from './fleet';

describe('numbers of a fleet', () => {
  it('are short', () => {
    expect(pace(0)).toBe('0.0');
    expect(pace(12.34)).toBe('12.3');
    expect(pace(1234)).toBe('1.23k');
  });

  it('move from where they began', () => {
    expect(moved(50, 55)).toBe(10);
    expect(moved(-50, -55)).toBe(-10);
    // Of nothing there are no hundredths.
    expect(moved(0, 0.5)).toBe(50);
    expect(moved(50, undefined)).toBeNull();
  });

  it('show the curves that moved furthest, in their order', () => {
    const numbers = [1, 9, 2, 8, 3, 7, 4, 6].map((far, index) => ({ name: `n${index}`, start: 100, value: 100 + far }));
    expect(furthest({ numbers })).toEqual([1, 3, 4, 5, 6, 7]);
    expect(furthest({ numbers: [] })).toEqual([]);
  });

  it('say what came of a run', () => {
    const sprt = { test: 'elo0=0,elo1=5', verdict: 'goes on', ratio: 1.234, low: -2.9, high: 2.9, curve: [] };
    const score = { wins: 3, draws: 1, losses: 2, pairs: [0, 1, 0, 1, 1], elo: [null, 10, 20] as [null, number, number], engines: [], sprt };
    expect(resultParts({ score: { ...score, pairs: [0, 1, 0, 1, 1] }, tuning: null, tally: [{ what: 'won', count: 2 }], positions: 0 }))
      .toEqual(['+3 =1 −2', 'Elo +10 [∞, 20]', 'LLR 1.23 goes on', '2 won']);
  });
});
