import { describe, expect, it } from 'vitest';
import { clockText, compact, endingText, scoreText, seenBy, spentText, winrateOf } from './format';
import { settings } from '../settings';

settings.language.value = 'en';

describe('what people read', () => {
  it.each([[600000, '10:00'], [59999, '0:59'], [3661000, '1:01:01'], [9999, '9.9'], [0, '0.0'], [-50, '0.0']])('clock %i', (ms, text) => {
    expect(clockText(ms)).toBe(text);
  });
  it.each([[12000, '0:12'], [75400, '1:15'], [undefined, '']])('time spent %s', (ms, text) => {
    expect(spentText(ms)).toBe(text);
  });
  it.each([[999, '999'], [1234, '1.23k'], [1234567, '1.23M'], [2.5e9, '2.50G'], [123456, '123k'], [null, '–']])('number %s', (n, text) => {
    expect(compact(n)).toBe(text);
  });
  it('scores', () => {
    expect(scoreText({ cp: 132 })).toBe('+132');
    expect(scoreText({ cp: -7 })).toBe('−7');
    expect(scoreText({ cp: 0 })).toBe('0');
    expect(scoreText({ mate: -4, winner: 'white' })).toBe('−mate 4');
    expect(scoreText({ mate: null, winner: 'black' })).toBe('+mate');
  });
  it('scores from the side of who asks', () => {
    const told = { score: { cp: 132 }, winrate: 0.6 };
    expect(seenBy('black', told)).toEqual(told);
    expect(seenBy('white', told)).toEqual({ score: { cp: -132 }, winrate: 0.4 });
    const mate = seenBy('white', { score: { mate: -4, winner: 'white' }, winrate: 0 });
    expect([scoreText(mate.score), mate.winrate]).toEqual(['+mate 4', 1]);
    expect(scoreText(seenBy('white', { score: { mate: null, winner: 'black' } }).score)).toBe('−mate');
    expect(seenBy('white', {})).toEqual({});
  });
  it('win rates', () => {
    expect(winrateOf({ score: { cp: 0 } }, 600)).toBe(0.5);
    expect(winrateOf({ score: { cp: 600 } }, 600)).toBeCloseTo(0.731, 3);
    expect(winrateOf({ score: { cp: 1340 } }, 1340)).toBeCloseTo(0.731, 3);
    expect(winrateOf({}, 600)).toBe(null);
    expect(winrateOf({ score: { mate: null, winner: 'white' } }, 600)).toBe(0);
    expect(winrateOf({ score: { mate: 3 } }, 600)).toBe(1);
    expect(winrateOf({ score: { cp: 600 }, winrate: 0.4 }, 600)).toBe(0.4);
  });
  it('endings', () => {
    expect(endingText({ reason: 'mate', winner: 'black' }, 'black')).toBe('Checkmate. You win!');
    expect(endingText({ reason: 'mate', winner: 'black' }, 'white')).toBe('Checkmate. You lose.');
    expect(endingText({ reason: 'mate', winner: 'white' }, 'both')).toBe('Checkmate. White wins.');
    expect(endingText({ reason: 'repetition', winner: null }, 'black')).toBe('The same position for the fourth time. A draw.');
    expect(endingText({ reason: 'interrupted', winner: null })).toBe('Interrupted.');
    settings.language.value = 'ja';
    expect(endingText({ reason: 'mate', winner: 'white' }, 'both')).toContain('後手');
    expect(endingText({ reason: 'mate', winner: 'white' }, 'both', true)).toContain('上手');
    settings.language.value = 'en';
  });
});
